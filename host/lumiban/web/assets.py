"""The page's files as they are sent: packed once, a page's scripts as one and its styles as one.

On a Pi a request costs ten times what its file does, and a page of ours is some forty files. So
what a page links is joined here, under a path that names all their contents: browsers keep that for
good, and a new version of lumiban has other paths. The files themselves stay where they were,
for whoever reads them.
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
    ".svg": "image/svg+xml",
}
"""Types of the files we serve; the machine's own table of types is not to be trusted."""

TERMINAL = ("cli.", "doctor.", "firstlight.", "flash.", "hardware.", "hil.", "selftest.")
"""Beginnings of sentences that only a terminal says; pages do without them."""


@dataclass(frozen=True)
class Asset:
    """Something that is sent as it is; packed when it is first asked for so."""

    body: bytes
    kind: str

    @cached_property
    def packed(self) -> bytes:
        """The body in gzip's packing."""
        return gzip.compress(self.body, 9, mtime=0)

    @cached_property
    def tag(self) -> str:
        """Names the content."""
        return hashlib.sha256(self.body).hexdigest()[:16]


class Assets:
    """The files of a folder, read when they are first asked for, and the pages made of them."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self._found: dict[str, Asset] = {}
        self._pages: dict[str, Asset] = {}

    def file(self, name: str) -> Asset | None:
        """A file by its plain name, None where there is none."""
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
        """A page with the head of all pages and the word to old browsers, whose links name this
        version, its styles as one."""
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
        """Common beginning of the pages of this folder; "" where they have nothing in common."""
        part = self._folder / "head.part"
        return part.read_text("utf-8") if part.is_file() else ""

    def joined(self, name: str) -> Asset | None:
        """File that a page links under the path of this version: a script with all that it imports,
        styles whose names are joined by `+`, or a single file."""
        joint = f"/{name}"  # no file's name
        if joint in self._found:
            return self._found[joint]
        assets = [self.file(one) for one in name.split("+", MOST_JOINED)]
        several = [asset for asset in assets if asset is not None]
        if len(several) < len(assets):
            return None
        if len(several) > 1:
            body = b"".join(asset.body for asset in several)
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
        """Names the contents of all files."""
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
        """Links of pages under the path of this version."""
        pages = [self.page(name).body.decode() for name in self._names if name.endswith(".html")]
        return {name for page in pages for name in _LINKED.findall(page)}

    def _text(self, name: str) -> str:
        asset = self.file(name)
        if asset is None:
            raise FileNotFoundError(name)
        return asset.body.decode()


MOST_JOINED = 16
_HERE_HEAD = "<!-- head.part -->\n"
_BODY = re.compile(r"<body[^>]*>\n")
_STYLES = re.compile(r'(?: *<link rel="stylesheet" href="/static/[\w.]+">\n)+')
_LINKED = re.compile(r'"/static/\w{16}/([\w.+]+)"')


def _too_old() -> str:
    """Notice in every language for browsers that do not run a page's scripts: the first of these
    takes it away."""
    notices = "".join(
        f'<span lang="{language}">{text("page.too-old", language)}</span> '
        for language in LANGUAGES
    )
    return f'  <p id="too-old" role="alert">{notices.strip()}</p>\n'


def _as_one(links: re.Match[str]) -> str:
    names = "+".join(re.findall(r"/static/([\w.]+)", links.group()))
    return f'  <link rel="stylesheet" href="/static/{names}">\n'


# Scripts. Ours import names from files beside them and export what they declare, and no two import
# each other, so each can stand in a function of its own, after those that it imports.

_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) ([\w$]+))", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b|\bimport\(", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_AWAIT = re.compile(r"^await\b", re.MULTILINE)


def bundled(entry: str, read: Callable[[str], str]) -> str | None:
    r"""A module and all that it imports as one, without comments; None where one of them is
    written in a way that is not known here, or imports go round in a circle.

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
    done: list[str] = []
    order: list[str] = []
    under_way: list[str] = []

    def take(name: str) -> bool:
        if name in order:
            return True
        if name in under_way:
            return False
        under_way.append(name)
        source = _COMMENT.sub("", read(name))
        if not all(take(other) for _, other in _IMPORT.findall(source)):
            return False
        exported = _EXPORT.findall(source)
        body = _EXPORT.sub("", _IMPORT.sub(_taken, source))
        if _UNKNOWN.search(body) or (name != entry and _AWAIT.search(body)):
            return False
        if name == entry:
            done.append(f"{{\n{body}}}\n")
        else:
            gives = ", ".join(exported)
            done.append(f"const {_called(name)} = (() => {{\n{body}return {{ {gives} }};\n}})();\n")
        order.append(name)
        return True

    return "".join(done) if take(entry) else None


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

_sentences: dict[str, tuple[dict[str, str], Asset]] = {}
"""By language: the sentences that games had brought, and what is sent with them."""


def sentences(language: str) -> Asset:
    """The sentences of a language that pages may say; KeyError for a strange language."""
    brought = added().get(language, {})
    kept = _sentences.get(language)
    if kept is None or kept[0] != brought:
        shown = {id: one for id, one in texts(language).items() if not id.startswith(TERMINAL)}
        body = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
        kept = _sentences[language] = brought, Asset(body, "application/json")
    return kept[1]


ASSETS = Assets(files("lumiban.web") / "static")
"""The page's own."""
