"""The games of a study in a file, a line each, so that it can be broken off and go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lumiban import bounded
from lumiban.errors import UsageError
from lumiban.study.played import Result, result_from

MOST_BYTES = 64_000_000
"""Of a hundred thousand games."""


def begun(path: Path, head: dict[str, Any]) -> dict[int, Result]:
    """The results that the file holds, by number; it is begun when it is not there.

    `head`, its first line, says what is studied. A line that was cut off is played again.
    UsageError when the file belongs to another study, or cannot be read or written.
    """
    try:
        if not path.exists() or not path.stat().st_size:
            _write(path, head, "w")
            return {}
        lines = bounded.text(path, MOST_BYTES).split("\n")
    except bounded.TooMuch as much:
        raise UsageError(f"{path} {much}: that is not a study; give another file") from None
    except (OSError, UnicodeDecodeError) as reason:
        raise UsageError(f"{path} cannot be read: {reason}") from None
    if _plain(lines[0]) != json.loads(json.dumps(head)):
        raise UsageError(
            f"{path} holds another study (other game, options, players or seed); "
            "give another file, or remove this one"
        )
    known = {}
    whole = [lines[0]]
    for line in lines[1:]:
        data = _plain(line)
        try:
            result = result_from(data)
        except (KeyError, TypeError, ValueError):
            continue
        known[result.number] = result
        whole.append(line)
    if len(whole) + 1 != len(lines) or lines[-1]:
        _replace(path, "\n".join(whole) + "\n")
    return known


def _replace(path: Path, text: str) -> None:
    """Write the file anew in one step: what breaks it off leaves the games that there were."""
    draft = path.with_name(path.name + ".new")
    try:
        draft.write_text(text, "utf-8")
        draft.replace(path)
    except OSError as reason:
        draft.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {reason.strerror}") from None


def _plain(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line) if len(line) <= bounded.MOST_LINE else {}
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def add(path: Path, result: Result) -> None:
    """One result more; UsageError when it cannot be written."""
    _write(path, result.as_json(), "a")


def _write(path: Path, data: dict[str, Any], mode: str) -> None:
    try:
        with path.open(mode, encoding="utf-8") as out:
            out.write(json.dumps(data, ensure_ascii=False) + "\n")
    except OSError as reason:
        raise UsageError(f"{path} cannot be written: {reason.strerror}") from None
