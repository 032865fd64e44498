"""Texts of others, read within bounds of size and depth.

Every fault is an `Unreadable`, which says what is wrong as the end of a sentence: "has more than
1 MB". The caller says of which file, and what to do. The linter keeps others from reading JSON
and TOML by themselves.
"""

from __future__ import annotations

import codecs
import json
import re
import tomllib
from pathlib import Path
from typing import Any, Never

MEGABYTE = 1_000_000
MAX_LINE = MEGABYTE
"""Bytes of a line of a journal, a recording or a study."""
MAX_TEXT = MEGABYTE
"""Bytes of a file that people write by hand: a fault plan, a profile, figures, cells."""
MAX_DEEP = 64
"""Lists and objects within each other; ours have ten."""
MAX_DIGITS = 300
"""Digits of a whole number: any such is a float too, and can be written out."""
MAX_REASON = 200
"""Letters of what a parser says, which may quote the text."""
_LOOKED_AT = re.compile(r"(?<![0-9A-Fa-f_])[0-9A-Fa-f_]{250}|\\[uU]")
"""In every text that may hold a number too long, or half a letter."""
_HALF = re.compile("[\ud800-\udfff]")
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_DEEP_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_PART}[ \t]*\.[ \t]*){{{MAX_DEEP}}}")
"""A key of that many parts: tomllib takes time and memory by their square."""


class Unreadable(ValueError):
    """A text that is none of ours: too long, too deep, or not in its language.

    Its message ends a sentence that begins with a file's name; `line` is 0 where none is known.
    """

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line


def read(path: Path, most: int = MAX_TEXT) -> bytes:
    """The bytes of a file; Unreadable when there are more, OSError when it cannot be read."""
    parts, left = [], most + 1
    with path.open("rb") as file:
        while left and (part := file.read(min(left, 65536))):
            parts.append(part)
            left -= len(part)
    if not left:
        raise Unreadable(f"has more than {size_text(most)}")
    return b"".join(parts)


def text(path: Path, most: int = MAX_TEXT) -> str:
    """The text of a file that people may have edited on any computer (`from_hand`); Unreadable,
    OSError."""
    return from_hand(read(path, most))


def from_hand(data: bytes) -> str:
    r"""A text in UTF-8, or in UTF-16 with its mark, whatever its lines end in; Unreadable.

    >>> from_hand(b"\xef\xbb\xbfone\r\ntwo\rthree\n"), from_hand("1".encode("utf-16"))
    ('one\ntwo\nthree\n', '1')
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoded = _decoded(data, "utf-16" if is_wide else "utf-8-sig")
    return decoded.replace("\r\n", "\n").replace("\r", "\n")


def from_json(data: bytes | str) -> Any:
    """Value of a JSON text in UTF-8; Unreadable when it is none, or holds what nothing of ours
    has: deep nesting, long numbers, half a letter.

    >>> from_json(b'{"moves": [1, 2.5, null]}')
    {'moves': [1, 2.5, None]}
    """
    written = _decoded(data, "utf-8-sig") if isinstance(data, bytes) else data
    try:
        value = json.loads(written, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        where = f"(at line {error.lineno}, column {error.colno})"
        raise Unreadable(f"is not JSON: {error.msg} {where}", error.lineno) from None
    except Unreadable:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # Python reads no number of more than some thousand digits
        raise _too_long() from None
    if written.count("[") + written.count("{") > MAX_DEEP or _LOOKED_AT.search(written):
        _look_at(value)
    return value


def from_toml(text: str) -> dict[str, Any]:
    r"""Value of a TOML text; Unreadable when it is none, or holds what nothing of ours has.

    >>> from_toml("[page]\nport = 8700")
    {'page': {'port': 8700}}
    """
    if _DEEP_KEY.search(text):
        raise _too_deep()
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what = str(error)
        cut = what if len(what) <= MAX_REASON else what[:MAX_REASON] + "…"
        line = re.search(r"at line (\d+)", what)
        last = text.count("\n") + 1
        raise Unreadable(f"is not TOML: {cut}", int(line[1]) if line else last) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise _too_long() from None
    _look_at(value)
    return value


def size_text(size: int) -> str:
    """A number of bytes for people.

    >>> size_text(1_000_000), size_text(256_000_000)
    ('1 MB', '256 MB')
    """
    return f"{size // MEGABYTE} MB" if size >= MEGABYTE else f"{size:,} bytes"


def _decoded(data: bytes, coding: str) -> str:
    try:
        return data.decode(coding)
    except UnicodeDecodeError:
        raise Unreadable("is not text in UTF-8") from None


def _look_at(value: Any) -> None:
    """Unreadable where something in the value is too deep, too long or no text."""
    level, left = [value], MAX_DEEP
    while level:
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict | list) and not left:
                raise _too_deep()
            if isinstance(one, dict):
                inner += one
                inner += one.values()
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, str):
                if _HALF.search(one):
                    raise Unreadable("has half a letter")
            elif isinstance(one, int) and abs(one) >= 10**MAX_DIGITS:
                raise _too_long()
        level, left = inner, left - 1


def _too_deep() -> Unreadable:
    return Unreadable(f"has more than {MAX_DEEP} brackets within each other")


def _too_long() -> Unreadable:
    return Unreadable(f"has a number of more than {MAX_DIGITS} digits")


def _no_number(word: str) -> Never:
    raise Unreadable(f"is not JSON: it has {word}")
