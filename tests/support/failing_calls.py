"""Runs of lumiban of which one durable call fails: `failing_calls.c`, preloaded.

for at in calls(...): ...
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lumiban.errors import JournalError
from lumiban.table.resume import resume

HERE = Path(__file__).parent
GAME = HERE / "swept_game.py"
STILL_S = 60.0
"""Without a durable call for so long nothing goes on any more: the game makes ten a second."""
LOOK_S = 0.1


def built(folder: Path) -> Path:
    """The library, compiled; FileNotFoundError where there is no compiler."""
    library = folder / "failing_calls.so"
    words = ["cc", "-O2", "-shared", "-fPIC", "-o", library, HERE / "failing_calls.c", "-ldl"]
    subprocess.run(words, check=True)
    return library


@dataclass
class Outcome:
    """How a run ended: its exit code, None where it had to be ended; what it told; its calls."""

    code: int | None
    told: str
    calls: list[str]
    failed: str = ""
    complaints: list[str] = field(default_factory=list)


def run(
    library: Path,
    folder: Path,
    words: Sequence[str | Path],
    *,
    at: int = 0,
    error: int = 0,
    like: str = "",
) -> Outcome:
    """Run a program of ours, whose `at`-th durable call below `folder` fails by this error; `like`
    counts only calls such as "fsync /home/journals"."""
    for name in ("home", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    count, log, told = (
        folder.with_name(f"{folder.name}.{name}") for name in ("count", "log", "told")
    )
    count.write_bytes(bytes(8))
    log.unlink(missing_ok=True)
    home: dict[str, object] = {
        "SWEEP_ROOT": folder,
        "SWEEP_COUNT": count,
        "SWEEP_LOG": log,
        "SWEEP_AT": at,
        "SWEEP_ERRNO": error,
        "SWEEP_LIKE": like,
        "LD_PRELOAD": library,
        "LUMIBAN_HOME": folder / "home",
        "LUMIBAN_CACHE": folder / "cache",
        "TMPDIR": folder / "tmp",
        "LUMIBAN_PLAIN": 1,
        "LUMIBAN_LANG": "en",
    }
    with told.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, *words],
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **{name: str(value) for name, value in home.items()}},
            start_new_session=True,
        )
        code = _waited(process, count)
    calls = log.read_text().splitlines() if log.exists() else []
    failed = next((line for line in calls if line.endswith(" FAILED")), "")
    return Outcome(code, told.read_text("utf-8", "replace"), calls, failed)


def _waited(process: subprocess.Popen[bytes], count: Path) -> int | None:
    before, since_s = -1, time.monotonic()
    try:
        while process.poll() is None:
            (now,) = struct.unpack("l", count.read_bytes())
            if now != before:
                before, since_s = now, time.monotonic()
            elif time.monotonic() - since_s > STILL_S:
                return None
            time.sleep(LOOK_S)
        return process.returncode
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                break
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                continue
            break


def kept(folder: Path) -> list[list[str]]:
    """The moves of each game that a next table, or its record, has."""
    games = []
    for path in sorted((folder / "home" / "journals").glob("*.journal")):
        try:
            history = resume(path, mends=False).history
        except JournalError:  # not even its head was written
            games.append([])
            continue
        games.append([one.move.text for one in history.played])
        record = folder / "home" / "records" / f"{path.stem}.json"
        if record.exists():
            moves = [move["text"] for move in json.loads(record.read_text())["moves"]]
            assert moves == games[-1], "record and journal differ"
    return games


def faults(outcome: Outcome) -> list[str]:
    """What a person at the table should not have met."""
    lines = [one for one in outcome.told.splitlines() if one.startswith("lumiban:")]
    wrong = {
        "it waits and waits": outcome.code is None,
        "a traceback": "Traceback" in outcome.told,
        "a fault of lumiban itself": "a fault of lumiban itself" in outcome.told,
        "no sentence": bool(outcome.code) and len(lines) != 1,
    }
    return [name for name, is_so in wrong.items() if is_so]


def swept(library: Path, folder: Path, at: int, error: int, like: str = "") -> Outcome:
    """Play a game of which one call fails, go on with what is left to its end, and look whether the
    moves that the table had shown are in it."""
    seen_file = folder.with_name(f"{folder.name}.seen")
    seen_file.unlink(missing_ok=True)
    outcome = run(library, folder, (GAME, seen_file), at=at, error=error, like=like)
    outcome.complaints = faults(outcome)
    seen = json.loads(seen_file.read_text()) if seen_file.exists() else []
    before = kept(folder)
    # The last may be shown before it is written: its stone's event is not acknowledged until then,
    # so that the board tells it again.
    least = seen[:-1] if outcome.code else seen
    if least and not any(moves[: len(least)] == least for moves in before):
        outcome.complaints.append(f"of {seen} there is {before}")
    if outcome.code:
        again = run(library, folder, (GAME, seen_file))
        outcome.complaints += [f"then {one}" for one in faults(again)]
        if again.code or kept(folder)[: len(before)] != before:
            outcome.complaints.append(f"it does not go on: {again.told!r}")
    return outcome
