"""The page's files as they are sent: joined, packed, and under paths that browsers may keep."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import patience
import pytest
from each import each
from local_page import create_app
from lumiban.i18n import LANGUAGES, texts
from lumiban.web.app import ASSETS
from lumiban.web.assets import ELSEWHERE, TERMINAL, Assets, bundled, later_part, sentences
from web_client import ScriptedTable

PAGES = ("index.html", "library.html", "join.html", "rules.html", "service.html")
NODE = shutil.which("node")


async def ask(path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """The answer of the application, without a server between."""
    sent: list[Mapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    told = {"host": "127.0.0.1:8700", **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in told.items()]
    parts = urlsplit(path)
    scope = {
        "type": "http", "method": "GET", "path": parts.path, "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(), "headers": raw, "http_version": "1.1",
        "scheme": "http", "server": ("127.0.0.1", 8700), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    await create_app(ScriptedTable())(scope, receive, send)
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(one.get("body", b"") for one in sent[1:])


def links(html: bytes) -> list[str]:
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', html.decode())


@pytest.mark.parametrize("path", ["/", "/library", "/rules"])
async def test_a_page_takes_three_requests_and_what_it_links_is_kept_for_good(path: str) -> None:
    _, headers, html = await ask(path)
    assert headers["cache-control"] == "no-cache"
    linked = links(html)
    assert len(linked) == 2, linked  # its styles and scripts
    for link in linked:
        status, headers, body = await ask(link)
        assert (status, headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        assert not re.search(rb"^import ", body, re.MULTILINE)


def test_no_name_leads_out_of_the_folder_or_to_what_is_no_file_of_a_page(tmp_path: Path) -> None:
    folder = tmp_path / "static"
    (folder / "inner").mkdir(parents=True)
    for name in (
        "style.css",
        ".hidden.css",
        "a\\b.css",
        "inner/own.css",
        "../out.css",
        "notes.txt",
    ):
        (folder / name).write_text(name)
    assets = Assets(folder)
    found = assets.file("style.css")
    assert found is not None
    assert (found.body, found.kind.partition(";")[0]) == (b"style.css", "text/css")
    hidden = (".hidden.css", "a\\b.css", "inner/own.css", "../out.css", "notes.txt", "none.css")
    for name in (*hidden, "inner", "\0.css", ""):
        assert assets.file(name) is None, name


def test_a_version_changes_with_every_byte_and_name(tmp_path: Path) -> None:
    def version(**files: str) -> str:
        for path in tmp_path.iterdir():
            path.unlink()
        for name, source in files.items():
            (tmp_path / f"{name}.js").write_text(source, "utf-8")
        return Assets(tmp_path).version

    seen = [version(a="1;"), version(a="2;"), version(b="2;"), version(b="", c="2;")]
    assert len(set(seen)) == len(seen)
    assert version(a="1;") == seen[0]


@pytest.mark.slow
def test_pages_get_the_sentences_of_one_language_and_none_of_the_terminal_s() -> None:
    for language in LANGUAGES:
        said = json.loads(sentences(language).body)
        left_out = texts(language).keys() - said.keys()
        assert left_out
        assert all(id.startswith(TERMINAL) for id in left_out)
        assert said == {id: texts(language)[id] for id in said}


def test_no_script_names_a_sentence_that_is_left_out() -> None:
    folder = Path(str(ASSETS._folder))
    ids = {id for id in texts("en") if id.startswith(TERMINAL)}
    for path in folder.iterdir():
        said = set(re.findall(r"[\"'`]([a-z]+\.[\w.-]+)", path.read_text("utf-8")))
        assert not said & ids, path.name


def test_a_table_s_page_names_no_sentence_that_it_does_not_have() -> None:
    folder = Path(str(ASSETS._folder))
    scripts, ahead = {"main.js"}, ["main.js"]
    while ahead:
        source = (folder / ahead.pop()).read_text("utf-8")
        found = set(re.findall(r'^(?:import "|\s*import\("|.*from ")\./([\w.]+)"', source, re.M))
        ahead += found - scripts
        scripts |= found
        said = re.findall(r"[\"'`]([a-z]+\.[\w.-]*)", source)
        assert not [id for id in said if id.startswith(ELSEWHERE)]
    assert {"sign.js", "review.js", "rengi.js"} <= scripts


# Scripts as one.

MODULES = {
    "main.js": """import {
  add,
  total as sum,
} from "./sum.js";
import { Shape, later } from "./shape.js";
import "./noise.js";

const name = "main's own";
const $ = (x) => `${x}`;
add(2);
console.log(sum(), new Shape(name).named, await later($(3)), globalThis.noise);
const { late } = await import("./late.js");
add(3);
console.log(late(sum()));
""",
    "late.js": """import { total } from "./sum.js";
import { extra } from "./extra.js";

export const late = (x) => `${x} ${total()} ${extra}`;
""",
    "extra.js": 'export const extra = "what only this needs";\n',
    "sum.js": """// A comment.
import { start } from "./start.js";

const name = "sum's own";
let counted = start;
/** Adds to
 * what there is. */
export function add(n) {
  counted += n;
}
export const total = () => `${name} ${counted}`;
""",
    "shape.js": """import { start } from "./start.js";
export class Shape {
  constructor(named) {
    this.named = named + start;
  }
}
export async function later(x) {
  return x;
}
""",
    "start.js": "export const start = 40;\n",
    "noise.js": "globalThis.noise = 'loud';\n",
}


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_bundle_does_what_its_modules_do(tmp_path: Path) -> None:
    for name, source in MODULES.items():
        (tmp_path / name).write_text(source, "utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    bundle = bundled("main.js", MODULES.__getitem__)
    late = later_part("main.js", "late.js", MODULES.__getitem__)
    assert bundle is not None
    assert late is not None
    assert "what only" not in bundle
    assert "sum's own" not in late, "it is the script's, whose count goes on"
    (tmp_path / "bundle.js").write_text(bundle, "utf-8")
    (tmp_path / "main.js+late.js").write_text(late, "utf-8")
    assert NODE is not None
    said = [
        patience.run([NODE, tmp_path / name], stdout=subprocess.PIPE).stdout
        for name in ("main.js", "bundle.js")
    ]
    assert said[0] == said[1] != b""


@each("page", PAGES)
def test_the_pages_scripts_are_written_as_the_bundle_knows(page: str) -> None:
    html = (ASSETS.file(page) or pytest.fail(page)).body
    (entry,) = [link.removeprefix("/static/") for link in links(html) if link.endswith(".js")]
    asset = ASSETS.joined(entry)
    assert asset is not None
    assert b"\nimport " not in asset.body
    assert asset.body.rstrip().endswith(b"}")
    script = asset.body.decode()
    kept = re.search(r"globalThis\.modules\$ = \{ (.*) \};", script)
    for joint in re.findall(r'\bimport\("\./([\w.+]+)"\)', script)[:1]:
        part = ASSETS.joined(joint)
        assert part is not None
        told = part.body.decode()
        assert kept is not None
        taken = re.findall(r"[\w$]+", told.partition("} = globalThis")[0].removeprefix("const"))
        own = re.findall(r"^const (module\$\w+) = \(\(\) => \{", told, re.MULTILINE)
        assert set(taken) <= set(kept[1].split(", "))
        assert not set(own) & set(kept[1].split(", ")), "the script's own are not there twice"
        assert set(re.findall(r"module\$\w+", told)) == {*own, *taken}
        later = joint.split("+")[1]
        source = (ASSETS.file(later) or pytest.fail(later)).body.decode()
        names = re.findall(
            r"^export (?:async )?(?:function|class|const) (\w+)", source, re.MULTILINE
        )
        name = later.removesuffix(".js")
        assert told.endswith(f"export const {{ {', '.join(names)} }} = module${name};\n")


@each(
    ("name", "source"),
    [
        ("main.js", 'export { a } from "./start.js";\n'),
        ("main.js", 'import * as all from "./start.js";\n'),
        ("start.js", "export let start = 1;\n"),
        ("start.js", "export default 1;\n"),
        ("start.js", 'import { Shape } from "./shape.js";\nexport const start = 1;\n'),
        ("start.js", "await 1;\nexport const start = 1;\n"),
    ],
)
def test_what_the_bundle_does_not_know_is_sent_as_it_stands(name: str, source: str) -> None:
    read = {**MODULES, name: source}.__getitem__
    assert bundled("main.js", read) is None
    assert later_part("main.js", "late.js", read) is None
