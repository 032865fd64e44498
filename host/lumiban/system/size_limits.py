"""Texts of others, read within bounds: so many bytes, so deep, no further.

Errors say what is too much as the end of a sentence: "has more than 1 MB". Whoever reads says of
which file, and what to do.
"""

from __future__ import annotations

import codecs
import json
import tomllib
from itertools import accumulate
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000
MOST_LINE = MEGABYTE
"""Bytes of a line of a journal, a recording or a study."""
MOST_TEXT = MEGABYTE
"""Bytes of a file that people write by hand: a fault plan, a profile, figures, cells."""
MOST_DEEP = 64
"""Lists and objects within each other; ours have ten."""
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEP)


class TooMuch(ValueError):
    """More than anything of ours has; the text ends a sentence that begins with a file's name."""


def read(path: Path, most: int = MOST_TEXT) -> bytes:
    """The bytes of a file; TooMuch when there are more, OSError when it cannot be read."""
    parts, left = [], most + 1
    with path.open("rb") as file:
        while left and (part := file.read(min(left, 65536))):
            parts.append(part)
            left -= len(part)
    if not left:
        raise TooMuch(f"has more than {size_text(most)}")
    return b"".join(parts)


def text(path: Path, most: int = MOST_TEXT) -> str:
    """The text of a file that people may have edited on any computer (`from_hand`); TooMuch,
    OSError, UnicodeDecodeError."""
    return from_hand(read(path, most))


def from_hand(data: bytes) -> str:
    r"""A text in UTF-8, or in UTF-16 with its mark, whatever its lines end in; UnicodeDecodeError.

    >>> from_hand(b"\xef\xbb\xbfone\r\ntwo\rthree\n"), from_hand("1".encode("utf-16"))
    ('one\ntwo\nthree\n', '1')
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoded = data.decode("utf-16" if is_wide else "utf-8-sig")
    return decoded.replace("\r\n", "\n").replace("\r", "\n")


def from_json(data: bytes) -> Any:
    """Value of a JSON text; TooMuch when it is nested too deep, ValueError when it is none."""
    deep = data.translate(None, _NO_BRACKETS)
    # Brackets within strings count too: only a text that has so many is looked at again.
    if len(deep) > MOST_DEEP and _depth(deep) > MOST_DEEP and _depth(_bare(data)) > MOST_DEEP:
        raise TooMuch(f"has more than {MOST_DEEP} brackets within each other")
    return json.loads(data)


def from_toml(text: str) -> dict[str, Any]:
    """Value of a TOML text; TooMuch when it is nested too deep, tomllib.TOMLDecodeError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TooMuch(f"has more than {MOST_DEEP} brackets within each other") from None


def size_text(size: int) -> str:
    """A number of bytes for people.

    >>> size_text(1_000_000), size_text(256_000_000)
    ('1 MB', '256 MB')
    """
    return f"{size // MEGABYTE} MB" if size >= MEGABYTE else f"{size:,} bytes"


def _depth(brackets: bytes) -> int:
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _bare(data: bytes) -> bytes:
    """The brackets of a JSON text outside of its strings."""
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(plain.split(b'"')[::2]).translate(None, _NO_BRACKETS)
