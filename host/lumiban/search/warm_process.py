"""Compiling ahead in processes of their own, so that it fits into a small machine's memory.

A process compiles one game, and ends as soon as its memory is *full*: what it has compiled lies on
disk by then, and the next one goes on from there. So does the next call where all of it was killed.

    python -m lumiban.search.warm_process GAME PART...

tells on its stdout each part that is done, as a line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lumiban import games
from lumiban.errors import LumibanError
from lumiban.games.base import Game
from lumiban.search import jit, processor
from lumiban.search.kernel_files import SUFFIX
from lumiban.search.warm import Part, note_parts, noted, parts, warm

FULL = 75
"""The exit status of a process that has no more room."""
FULL_MB = 185
"""From so much memory on nothing more is compiled in a process: one function takes up to 60 MB."""
Progress = Callable[[str], None]


def is_full() -> bool:
    """Whether this process has taken all the memory that it may."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10) > FULL_MB


def warm_apart(name: str, progress: Progress | None = None) -> Iterator[Part]:
    """Compile all parts of the game of this name, as `warm` does. LumibanError where a process
    could not go on."""
    game = games.load(name)
    kind: Any = type(game.state(game.start()))
    wanted = list(parts(game))
    fits = jit.available() and jit.could_fit(game.state(game.start()))
    if not fits or set(wanted) <= set(noted(kind)):
        yield from warm(game, progress)
        return
    left = wanted.copy()
    while left:
        if progress is not None:
            progress(f"{game.slug}: {left[0]}")
        before = _kernels(jit.cache_folder(kind))
        with _started("warm_process", name, *left) as process:
            assert process.stdout is not None
            for line in process.stdout:
                told = json.loads(line)
                if "unkept" in told:
                    jit.unkept.append(told["unkept"])
                    continue
                part = Part(**told)
                left.remove(part.part)
                if progress is not None and left:
                    progress(f"{game.slug}: {left[0]}")
                yield part
                if not part.compiled:
                    # What keeps numba from it is known where that was tried.
                    jit.fits(game.state(game.start()))
                    return
        if left and not (process.returncode == FULL and _kernels(jit.cache_folder(kind)) > before):
            raise _failed(game, process)
    if not jit.unkept:
        note_parts(jit.cache_folder(kind), wanted)


def warm_for(family: str, name: str, root: Path, progress: Progress | None = None) -> Path:
    """Compile for another family of processors what this machine has of a game; returns the folder
    in `root` that holds it. LumibanError where a process could not go on."""
    game = games.load(name)
    kind: Any = type(game.state(game.start()))
    source = next(folder for folder in jit.folders(kind) if _kernels(folder))
    target = root / family / jit.folder_name(kind, family)
    target.mkdir(parents=True, exist_ok=True)
    if family == processor.family():
        for path in source.glob(f"*{SUFFIX}"):
            shutil.copy(path, target)
    while _kernels(target) < _kernels(source):
        before = _kernels(target)
        with _started("cross", family, str(source), str(target)) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if progress is not None:
                    progress(f"{game.slug}, {family}: {line.strip()}")
        if process.returncode not in (0, FULL) or _kernels(target) == before:
            raise _failed(game, process)
    note_parts(target, list(parts(game)))
    return target


def _kernels(folder: Path) -> int:
    return sum(1 for _ in folder.glob(f"*{SUFFIX}"))


def _started(module: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"lumiban.search.{module}", *arguments]
    errors = None if os.environ.get("LUMIBAN_DEBUG") else subprocess.DEVNULL
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)


def _failed(game: Game, process: subprocess.Popen[str]) -> LumibanError:
    return LumibanError(
        f"{game.slug} could not be compiled: its process ended with {process.returncode}. If memory"
        " or disk was short, make room and type the same again: it goes on from where it was."
        " LUMIBAN_DEBUG=1 shows more"
    )


def main(name: str, wanted: Sequence[str]) -> None:
    """Compile these parts of a game, or as many as there is memory for."""

    def leave_if_full() -> None:
        if is_full():
            os._exit(FULL)

    jit.on_kept.append(leave_if_full)
    for part in warm(games.load(name), only=wanted):
        print(json.dumps(part.as_json()), flush=True)
    for where in jit.unkept[:1]:
        print(json.dumps({"unkept": where}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
