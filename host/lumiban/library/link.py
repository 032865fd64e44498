"""A finished game as a link: its whole record stands in the address, and no server keeps anything.

Behind the `#` of a page's address, which a browser sends to nobody, stands `game=NAME.DATA`: the
name of the record, then its JSON, packed by zlib in base64 for addresses. Names of players are of
one machine only and are not in it. A link may come from anybody: it is read within bounds, played
by rules of ours, and runs no program.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from lumiban.errors import LumibanError, UsageError
from lumiban.games.gate import is_file
from lumiban.games.registry import OURS, is_known
from lumiban.i18n import LANGUAGES, text
from lumiban.library.library import RECORDS, LibraryGame
from lumiban.library.ratings import UNNAMED
from lumiban.library.rows import columns, power
from lumiban.system import size_limits
from lumiban.table import record

BEGINS = "game="
MAX_LINK = 64_000
"""Letters of a link: browsers and mail take that many; a long game of ours has 10 000."""
MAX_UNPACKED = size_limits.MEGABYTE
MAX_NAME = 80
SHARED = "-shared"
"""Ends the name of a game that came by a link: no table of this machine gives such names."""

_LINK = re.compile(rf"(\w[\w-]{{0,{MAX_NAME - 1}}})\.([\w-]+)", re.ASCII)
_SHARED = re.compile(rf"{SHARED}(-\d+)?$", re.ASCII)


class BadLink(UsageError):
    """A link that holds no game for this machine: `id` and `params` of its sentence."""

    def __init__(self, id: str, **params: Any) -> None:
        super().__init__(text(id, LANGUAGES[0], **params))
        self.id, self.params = id, params


@dataclass(frozen=True, slots=True)
class LinkedGame:
    """A game that a link holds: its record, played through, and the name that this had."""

    name: str
    document: Mapping[str, Any]


def plain(name: str) -> str:
    """The name of a record in letters that every address and every file may have.

    >>> plain("20261123-053000-rengi"), plain("a game")
    ('20261123-053000-rengi', 'a_game')
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)


def link_of(name: str, document: Mapping[str, Any]) -> str:
    """What stands behind the `#` of an address with this game in it; BadLink for one that is too
    long."""
    written = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    packed = urlsafe_b64encode(zlib.compress(written, 9)).decode().rstrip("=")
    link = f"{BEGINS}{plain(name).lstrip('-')[:MAX_NAME]}.{packed}"
    if len(link) > MAX_LINK or len(written) > MAX_UNPACKED:
        raise BadLink("link.too-long")
    return link


def read(link: str) -> LinkedGame:
    """The game of a link, whose address may stand before it; BadLink says why there is none."""
    found = "".join(link.split()).rpartition(BEGINS)[2]
    if len(found) > MAX_LINK:
        raise BadLink("link.too-long")
    parts = _LINK.fullmatch(found)
    if parts is None:
        raise BadLink("link.none")
    return _sound(parts[1], _unpacked(parts[2]))


def read_file(path: Path) -> LinkedGame:
    """The game of a record that somebody exported to a file; BadLink, UsageError."""
    return _sound(plain(path.stem).lstrip("-")[:MAX_NAME] or "game", record.read(path))


def _sound(name: str, document: dict[str, Any]) -> LinkedGame:
    """The game of a document, played through by rules of ours; BadLink."""
    slug = str(document.get("game", ""))
    # A player's own game is a program, and stands under a path of the machine it is from.
    if is_file(slug) or document.get("digest") or not is_known(slug):
        raise BadLink("link.other-game", game=slug.replace("\\", "/").rpartition("/")[2][:40])
    try:
        record.verify(document, OURS)
        power(document)
    except (LumibanError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadLink("link.faulty", fault=" ".join(str(error).split())[:300]) from None
    return LinkedGame(_SHARED.sub("", name), document)


def _unpacked(packed: str) -> dict[str, Any]:
    """The document; one that unpacks to more than `MAX_UNPACKED` bytes is unpacked no further."""
    unpacking = zlib.decompressobj()
    try:
        data = b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        written = unpacking.decompress(data, MAX_UNPACKED)
    except NotBase64:
        raise BadLink("link.cut") from None
    except zlib.error:
        raise BadLink("link.damaged") from None
    if unpacking.unconsumed_tail:
        raise BadLink("link.too-long")
    if not unpacking.eof:
        raise BadLink("link.cut")
    if unpacking.unused_data:
        raise BadLink("link.damaged")
    try:
        document = size_limits.from_json(written)
    except size_limits.Unreadable:
        raise BadLink("link.damaged") from None
    if not isinstance(document, dict):
        raise BadLink("link.damaged")
    return document


def listed(linked: LinkedGame) -> LibraryGame:
    """A linked game as the library's list would show it: nobody is named, and it is not rated."""
    row = columns(linked.document)
    result = power(linked.document)
    return LibraryGame(
        serial=0,
        name=linked.name,
        slug=row["slug"],
        options=dict(linked.document["options"]),
        seats=(row["seat0"], row["seat1"]),
        players=(None, None),
        winner=row["winner"],
        reason=row["reason"],
        moves=row["moves"],
        seconds=row["seconds"],
        opening=row["opening"],
        fault="",
        is_own=False,
        verdict=UNNAMED,
        before=(None, None),
        gained=(0, 0),
        power=size_limits.from_json(result) if result else None,
    )


def kept(state: Path, linked: LinkedGame) -> str:
    """The name under which this very game is in the library already, "" where it is not."""
    name, is_there = _place(state, linked)
    return name if is_there else ""


def keep(state: Path, linked: LinkedGame) -> str:
    """Put a linked game into the library, once, and return its name there; no other record is
    replaced. UsageError when it cannot be written."""
    name, is_there = _place(state, linked)
    if not is_there:
        try:
            record.keep(state / RECORDS, name, linked.document)
        except OSError as error:
            raise UsageError(f"the game cannot be written: {error.strerror}") from None
    return name


def _place(state: Path, linked: LinkedGame) -> tuple[str, bool]:
    """The name that a linked game has or would get, and whether it has it."""
    numbered = (f"{linked.name}{SHARED}-{number}" for number in count(2))
    for name in chain([linked.name, linked.name + SHARED], numbered):
        path = state / RECORDS / (name + record.SUFFIX)
        if path.exists():
            with suppress(UsageError):  # damaged: it is another's
                if record.read(path) == linked.document:
                    return name, True
        elif name != linked.name:  # a table may be about to write a game under that
            return name, False
    raise AssertionError("numbers never end")
