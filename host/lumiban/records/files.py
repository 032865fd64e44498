"""Records of finished games as files: one JSON document a game, whole or not there at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lumiban.errors import UsageError

SUFFIX = ".json"
MOST_BYTES = 16_000_000
"""No game of ours comes near it; something else was named by mistake."""


def keep(folder: Path, name: str, record: Mapping[str, Any]) -> Path:
    """Write a record as `<name>.json` into the folder, which is made where it is missing; returns
    the path. A record of that name is replaced at once, never half. OSError when it cannot be.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + SUFFIX)
    half = folder / f".{name}.{os.getpid()}"
    try:
        with half.open("w", encoding="utf-8") as out:
            json.dump(record, out, ensure_ascii=False, indent=1)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    return path


def read(path: Path) -> dict[str, Any]:
    """The document in a file; UsageError says why there is none. What it tells is not checked."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is too large for the record of a game")
        document = json.loads(path.read_text("utf-8"))
    except OSError as reason:
        raise UsageError(f"{path} cannot be read: {reason.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"{path} holds no JSON; finished games lie in the folder records of the state folder"
        ) from None
    if not isinstance(document, dict):
        raise UsageError(f"{path} holds JSON, but no record of a game")
    return document
