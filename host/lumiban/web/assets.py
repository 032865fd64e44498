"""Files of the page as they are sent: compressed once, a page's scripts as one and its styles as
one.

On a Pi a request costs ten times what its file does, and a page of ours is some forty files. So
what a page links is joined here, under a path that names all their contents: browsers keep that for
good, and a new version of lumiban has other paths. The files themselves stay where they were,
for their readers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from lumiban.i18n import LANGUAGES, added, text, texts

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
"""Types of the files we serve; the machine's own table of types is not to be trusted."""

TERMINAL = ("cli.", "doctor.", "firstlight.", "flash.", "hardware.", "hil.", "selftest.")
"""Beginnings of sentences that only a terminal says; pages do without them."""


@dataclass(frozen=True)
class Asset:
    """Content that is sent unchanged; compressed at the first request for it."""

    body: bytes
    kind: str

    @cached_property
    def packed(self) -> bytes:
        """Body compressed by gzip."""
        return gzip.compress(self.body, 9, mtime=0)

    @cached_property
    def tag(self) -> str:
        """ETag of the content."""
        return hashlib.sha256(self.body).hexdigest()[:16]


class Assets:
    """Files of a folder, read at the first request, and the pages made of them."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self._found: dict[str, Asset] = {}
        self._pages: dict[str, Asset] = {}

    def file(self, name: str) -> Asset | None:
        """File by its plain name, None where there is none."""
        kind = TYPES.get(PurePosixPath(name).suffix)
        # A name in a path of ours holds no slash, but a leading dot might lead elsewhere.
        if kind is None or name.startswith(".") or "\\" in name or "\0" in name or "/" in name:
            return None
        if name not in self._found:
            file = self._folder / name
            if not file.is_file():
                return None
            self._found[name] = Asset(file.read_bytes(), kind)
        return self._found[name]

    def page(self, name: str) -> Asset:
        """Page with the common head and the notice to old browsers; its links name this version,
        its styles are one file."""
        if name not in self._pages:
            file = self.file(name)
            assert file is not None
            html = file.body.decode()
            if _HERE_HEAD in html:
                html = html.replace(_HERE_HEAD, self._head, 1)
                html = _BODY.sub(lambda match: match[0] + _too_old(), html, count=1)
            html = _STYLES.sub(_as_one, html)
            html = html.replace('"/static/', f'"/static/{self.version}/')
            self._pages[name] = Asset(html.encode(), file.kind)
        return self._pages[name]

    @cached_property
    def _head(self) -> str:
        """Common beginning of the pages of this folder; "" where they have none."""
        part = self._folder / "head.part"
        return part.read_text("utf-8") if part.is_file() else ""

    def joined(self, name: str) -> Asset | None:
        """File that a page links under the path of this version: a script with all its imports, two
        scripts joined by `+` of which the first imports the second later, styles joined by `+`, or
        a single file."""
        joint = f"/{name}"  # no file's name
        if joint in self._found:
            return self._found[joint]
        assets = [self.file(one) for one in name.split("+", MAX_JOINED)]
        several = [asset for asset in assets if asset is not None]
        if len(several) < len(assets):
            return None
        if name.endswith(".js") and len(several) == 2:
            entry, later = name.split("+")
            script = later_part(entry, later, self._text)
            if script is None:
                return None
            self._found[joint] = Asset(script.encode(), several[0].kind)
            return self._found[joint]
        if len(several) > 1:
            body = _PADDING.sub(b"", b"".join(asset.body for asset in several))
            asset = Asset(body, several[0].kind)
        else:
            (asset,) = several
            script = bundled(name, self._text) if name.endswith(".js") else None
            if script is not None:
                asset = Asset(script.encode(), asset.kind)
        if joint[1:] in self._linked:  # of other joints there are too many to be kept
            self._found[joint] = asset
        return asset

    @cached_property
    def version(self) -> str:
        """Digest of the contents of all files."""
        digest = hashlib.sha256()
        for name in self._names:
            asset = self.file(name)
            assert asset is not None
            digest.update(f"{name} {len(asset.body)}\n".encode() + asset.body)
        return digest.hexdigest()[:16]

    @cached_property
    def _names(self) -> list[str]:
        known = (entry.name for entry in self._folder.iterdir())
        return sorted(name for name in known if self.file(name) is not None)

    @cached_property
    def _linked(self) -> set[str]:
        """Page with its links under the path of this version."""
        pages = [self.page(name).body.decode() for name in self._names if name.endswith(".html")]
        return {name for page in pages for name in _LINKED.findall(page)}

    def _text(self, name: str) -> str:
        asset = self.file(name)
        if asset is None:
            raise FileNotFoundError(name)
        return asset.body.decode()


MAX_JOINED = 16
_HERE_HEAD = "<!-- head.part -->\n"
_BODY = re.compile(r"<body[^>]*>\n")
_STYLES = re.compile(r'(?: *<link rel="stylesheet" href="/static/[\w.]+">\n)+')
_LINKED = re.compile(r'"/static/\w{16}/([\w.+]+)"')


def _too_old() -> str:
    """Notice in every language for browsers that cannot run a page's scripts: the first script
    removes it."""
    notices = "".join(
        f'<span lang="{language}">{text("page.too-old", language)}</span> '
        for language in LANGUAGES
    )
    return f'  <p id="too-old" role="alert">{notices.strip()}</p>\n'


_PADDING = re.compile(rb"/\*.*?\*/|^ +|(?<=[{;,]) +| (?=\{)", re.DOTALL | re.MULTILINE)
"""Of styles: comments, indentation, and blanks beside a mark that ends a word anyway."""


def _as_one(links: re.Match[str]) -> str:
    names = "+".join(re.findall(r"/static/([\w.]+)", links.group()))
    return f'  <link rel="stylesheet" href="/static/{names}">\n'


# Scripts. Ours import names from files beside them and export what they declare, and no two import
# each other, so each can stand in a function of its own, after those that it imports.

_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) ([\w$]+))", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b|\bimport\((?!\"\./[\w.]+\+)", re.MULTILINE)
_LATER = re.compile(r'\bimport\("\./([\w.]+)"\)')
_MODULES = "globalThis.modules$"
"""What a script keeps for those that it imports later: its own modules, by name."""
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_AWAIT = re.compile(r"^await\b", re.MULTILINE)


def bundled(entry: str, read: Callable[[str], str]) -> str | None:
    r"""Module and all its imports as one script, without comments; None where one is written in an
    unsupported form, or imports are circular.

    >>> files = {"a.js": 'import { b as c } from "./b.js";\nc();\n',
    ...          "b.js": "export const b = () => 1;\n"}
    >>> print(bundled("a.js", files.__getitem__))
    const module$b = (() => {
    const b = () => 1;
    return { b };
    })();
    {
    const { b: c } = module$b;
    c();
    }
    <BLANKLINE>
    """
    joint = _joint(entry, read)
    if joint is None:
        return None
    (*modules, (_, source, _)), later = joint
    parts = [_module(*module) for module in modules]
    if later:
        names = ", ".join(_called(name) for name, _, _ in modules)
        parts.append(f"{_MODULES} = {{ {names} }};\n")
    return _INDENT.sub("", "".join([*parts, f"{{\n{source}}}\n"]))


def later_part(entry: str, later: str, read: Callable[[str], str]) -> str | None:
    r"""Module that a script imports while it runs, with its other imports: shared ones stay in the
    script; None where the script does not import it so.

    >>> files = {"a.js": 'import { n } from "./n.js";\nn(() => import("./b.js"));\n',
    ...          "b.js": 'import { n } from "./n.js";\nexport const b = () => n();\n',
    ...          "n.js": "export const n = () => 1;\n"}
    >>> print(later_part("a.js", "b.js", files.__getitem__))
    const { module$n } = globalThis.modules$;
    const module$b = (() => {
    const { n } = module$n;
    const b = () => n();
    return { b };
    })();
    export const { b } = module$b;
    <BLANKLINE>
    """
    whole, joint = _joint(entry, read), _joint(later, read)
    if whole is None or joint is None or later not in whole[1]:
        return None
    there = {name for name, _, _ in whole[0]}
    shared = [_called(name) for name, _, _ in joint[0] if name in there]
    own = [module for module in joint[0] if module[0] not in there]
    exported = ", ".join(own[-1][2])
    return "".join([
        f"const {{ {', '.join(shared)} }} = {_MODULES};\n",
        *(_module(*module) for module in own),
        f"export const {{ {exported} }} = {_called(later)};\n",
    ])  # fmt: skip


Module = tuple[str, str, list[str]]
"""Its file, its text without comments, imports and exports, and what it exports."""


def _joint(entry: str, read: Callable[[str], str]) -> tuple[list[Module], set[str]] | None:
    """Modules that one imports, itself the last, and those that they import later."""
    done: list[Module] = []
    later: set[str] = set()
    under_way: list[str] = []

    def take(name: str) -> bool:
        if any(name == other for other, _, _ in done):
            return True
        if name in under_way:
            return False
        under_way.append(name)
        source = _COMMENT.sub("", read(name))
        if not all(take(other) for _, other in _IMPORT.findall(source)):
            return False
        later.update(_LATER.findall(source))
        exported = _EXPORT.findall(source)
        body = _EXPORT.sub("", _IMPORT.sub(_taken, source))
        body = _LATER.sub(rf'import("./{entry}+\1")', body)
        if _UNKNOWN.search(body) or (name != entry and _AWAIT.search(body)):
            return False
        done.append((name, body, exported))
        return True

    return (done, later) if take(entry) else None


def _module(name: str, source: str, exported: list[str]) -> str:
    gives = ", ".join(exported)
    return f"const {_called(name)} = (() => {{\n{source}return {{ {gives} }};\n}})();\n"


def _taken(imported: re.Match[str]) -> str:
    names, file = imported.groups()
    if not names:
        return ""
    taken = ", ".join(": ".join(one.split(" as ")) for one in _listed(names))
    return f"const {{ {taken} }} = {_called(file)};\n"


def _listed(names: str) -> list[str]:
    return [one.strip() for one in names.split(",") if one.strip()]


def _called(file: str) -> str:
    return f"module${file.removesuffix('.js')}"


# Sentences.

ELSEWHERE = (
    *TERMINAL, "analyse.", "balance.", "board.port", "calibrate.", "experiment.", "figures.",
    "flight.", "gpio.", "join.", "maker.", "page.first-rating.", "page.library.power",
    "page.service.", "pieces.", "replay.", "report.", "restore.", "rules.", "serve.", "study.",
)  # fmt: skip
"""Beginnings of what a table's page does not say; where one is missing it asks for all."""

_sentences: dict[tuple[str, str], tuple[dict[str, str], Asset]] = {}
"""By language and game: the sentences that games had brought, and what is sent with them."""


def sentences(language: str, game: str = "") -> Asset:
    """Sentences of a language that pages may say, or a table's page while it shows this game;
    KeyError for an unknown language."""
    brought = added().get(language, {})
    kept = _sentences.get((language, game))
    if kept is None or kept[0] != brought:
        shown = {id: one for id, one in texts(language).items() if not id.startswith(TERMINAL)}
        if game:
            others = {
                id.split(".")[1] for id in shown if re.fullmatch(r"game\.[\w-]+\.name", id)
            } - {game}
            shown = {id: one for id, one in shown.items() if _is_said_with(id, others)}
        body = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
        kept = _sentences[language, game] = brought, Asset(body, "application/json")
    return kept[1]


def _is_said_with(id: str, others: set[str]) -> bool:
    """True unless a sentence belongs to another page, or to another game and is not its name."""
    first, *parts = id.split(".")
    is_others = first != "page" and parts[-1:] != ["name"] and not others.isdisjoint(parts)
    return not is_others and not id.startswith(ELSEWHERE)


ASSETS = Assets(files("lumiban.web") / "static")
"""The page's own."""
