"""A command of lumiban that is killed at a call of its database: `killed.py AT WORDS...`."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import patience


def killings(home: Path, *words: str | Path, every: int) -> Iterator[int]:
    """Run a command again and again, killed at call 1, 1 + `every` and so on, until it ends."""
    environment = {**os.environ, "LUMIBAN_HOME": str(home)}
    for at in count(1, every):
        done = patience.run([sys.executable, __file__, str(at), *words], env=environment)
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == 0, done.stderr
            return
        yield at


def main(at: int, words: list[str]) -> int:
    from lumiban.cli import run

    calls = count(1)

    class Killed(sqlite3.Connection):
        def __getattribute__(self, name: str) -> Any:
            if name in ("execute", "executemany", "commit") and next(calls) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().__getattribute__(name)

    sqlite3.connect = partial(sqlite3.connect, factory=Killed)
    return run(words)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
