"""Records of finished games as files: one JSON document a game, whole or not there at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lumiban import bounded
from lumiban.disk import DISK, Disk
from lumiban.errors import LumibanError, UsageError
from lumiban.games.registry import Loader
from lumiban.table.journal import SUFFIX as JOURNAL
from lumiban.table.record import make
from lumiban.table.resume import newest, resume

SUFFIX = ".json"
MOST_BYTES = 4_000_000
"""No game of ours comes near it; something else was named by mistake."""


def keep(folder: Path, name: str, record: Mapping[str, Any], disk: Disk = DISK) -> Path:
    """Write a record as `<name>.json` into the folder, which is made where it is missing; returns
    the path once it is on disk. A record of that name is replaced at once, never half. OSError
    when it cannot be.
    """
    disk.make_folder(folder)
    path = folder / (name + SUFFIX)
    half = folder / f".{name}.{os.getpid()}"
    try:
        file = disk.replace(half)
        try:
            disk.write(file, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
            disk.sync(file)
        finally:
            disk.close(file)
        disk.rename(half, path)
    except BaseException:  # an interruption leaves nothing behind either
        disk.remove(half)
        raise
    disk.sync_folder(folder)
    return path


def keep_missing(
    journals: Path,
    folder: Path,
    load: Loader,
    failed: Callable[[Path, str], None] = lambda path, reason: None,
    disk: Disk = DISK,
) -> list[Path]:
    """Write the records of those games in `journals` that ended, but whose host was killed before
    it had written the record; returns their paths.

    `failed` hears of a journal whose record cannot be had. Games that `load` does not run, or that
    changed, are left; so is all but the journals written last.
    """
    made = []
    for path in newest(journals):
        name = path.name.removesuffix(JOURNAL)
        try:
            if (folder / (name + SUFFIX)).exists() or b'"t":"end"' not in path.read_bytes():
                continue
            course = resume(path, mend=False, load=load).course
            if course.outcome is not None:
                made.append(keep(folder, name, make(course, course.outcome), disk))
        except (OSError, LumibanError) as reason:
            failed(path, str(reason))
    return made


def read(path: Path) -> dict[str, Any]:
    """The document in a file; UsageError says why there is none. What it tells is not checked."""
    try:
        document = bounded.from_json(bounded.read(path, MOST_BYTES))
    except OSError as reason:
        raise UsageError(f"{path} cannot be read: {reason.strerror}") from None
    except bounded.TooMuch as much:
        raise UsageError(
            f"{path} {much}, which no record of a game has; finished games are in the folder "
            "records of the state folder"
        ) from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"{path} is not JSON; finished games are in the folder records of the state folder"
        ) from None
    if not isinstance(document, dict):
        raise UsageError(f"{path} is JSON, but not the record of a game")
    return document
