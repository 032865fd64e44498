"""A host that kills itself with SIGKILL at a chosen point; run by test_crash.py as a process.

    python crashing_host.py STATE KIND COUNT

KIND says where: `torn` half a line of the journal is written; `written` a record is written but
not synced; `synced` it is on disk but nobody was told; `shown` light went out; `never`. COUNT
says at which time it comes to that. The game goes on from its journal;
the process ends with the game.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from functools import partial
from pathlib import Path

from lumiban.boards.types import LightFrame
from lumiban.runtime.open_table import open_table
from lumiban.system.paths import open_log
from lumiban.table.journal import JournalFile, Record, journal_line
from lumiban.table.setup import TableSetup


class Fuse:
    """Burns down by one at each call of its kind; the last one is the end."""

    def __init__(self, kind: str, count: int) -> None:
        self.kind = kind
        self.left = count

    def burns(self, kind: str) -> bool:
        if kind != self.kind:
            return False
        self.left -= 1
        return self.left == 0

    def at(self, kind: str) -> None:
        if self.burns(kind):
            os.kill(os.getpid(), signal.SIGKILL)


class CrashingJournal(JournalFile):
    """A journal whose process dies while it is written."""

    def __init__(self, path: Path, fuse: Fuse, *, new: bool = True) -> None:
        super().__init__(path, new=new)
        self._fuse = fuse

    def append(self, number: int, record: Record) -> None:
        if self._fuse.burns("torn"):
            whole = journal_line(record, self.path.read_bytes())
            with self.path.open("ab") as file:
                file.write(whole[: len(whole) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().append(number, record)

    def sync(self) -> int:
        self._fuse.at("written")
        last = super().sync()
        self._fuse.at("synced")
        return last


async def play(state: Path, fuse: Fuse) -> None:
    wish = TableSetup(
        options={"size": 3},
        profile="hex3",
        seats=("bot:easy", "bot:easy"),
        seed=5,
        eager=True,
    )
    sitting = await open_table(
        wish, state, open_log(state), opener=partial(CrashingJournal, fuse=fuse)
    )
    show = sitting.board.show

    def shown(frame: LightFrame) -> None:
        show(frame)
        fuse.at("shown")

    sitting.board.show = shown  # type: ignore[method-assign]  # the point at which to die
    over = asyncio.Event()
    unwatch = sitting.shell.watch(lambda view: over.set() if view.outcome else None)
    await over.wait()
    unwatch()
    await sitting.close()


if __name__ == "__main__":
    (Path(sys.argv[1]) / "journals").mkdir(exist_ok=True)
    asyncio.run(play(Path(sys.argv[1]), Fuse(sys.argv[2], int(sys.argv[3]))))
