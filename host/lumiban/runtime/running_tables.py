"""Registry of the tables that run on this machine: a small file each in the state folder, locked as
long as the table runs. So a second host can tell who plays, and where to watch."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from lumiban.boards.ports import AUTO, PortError, choose, localized
from lumiban.errors import BoardError, JournalInUse, LumibanError
from lumiban.runtime.pi_driver import HEADER
from lumiban.system import processes
from lumiban.system.disk import DISK

PREFIX = "table-"


@dataclass(frozen=True, slots=True)
class RunningTable:
    """A table: its process, since when (ISO), what is played, the board as it was named and its
    port, the page's address, and the name of the journal."""

    pid: int
    since: str
    game: str
    board: str
    port: str
    url: str
    journal: str

    def as_params(self) -> dict[str, object]:
        """The same as parameters of a sentence."""
        since = datetime.fromisoformat(self.since)
        today = datetime.now().astimezone().date() == since.date()
        return {
            "game": self.game,
            "process": f"{self.pid}",
            "since": f"{since:%H:%M}" if today else f"{since:%Y-%m-%d %H:%M}",
            "url": self.url,
        }


class Sign:
    """The file that tells of a table until `close`. OSError when it cannot be written."""

    def __init__(self, folder: Path, board: str, url: str) -> None:
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        self._table = RunningTable(os.getpid(), now, "", board, "", url, "")
        self._path = folder / f"{PREFIX}{os.getpid()}.json"
        self._file = processes.put(self._path, self._table)

    def tell(self, game: str, port: str, journal: str) -> None:
        """Write the game that is played now, its port and its journal."""
        table = replace(self._table, game=game, port=port, journal=journal)
        if table != self._table:
            file, self._file = self._file, processes.put(self._path, table)
            DISK.close(file)
            self._table = table

    def close(self) -> None:
        """The table is no more."""
        DISK.remove(self._path)
        DISK.close(self._file)


def running(folder: Path) -> list[RunningTable]:
    """The tables of other hosts that run now, by their files."""
    there = processes.found(folder, PREFIX, RunningTable)
    return [one for one in there if one.pid != os.getpid()]


def taken(folder: Path, board: str, error: LumibanError) -> BoardError | None:
    """An error that names the table which holds the `board` that could not be had for this reason;
    None when none does, or something else is in the way."""
    tables = running(folder)
    if isinstance(error, JournalInUse):
        mine = [one for one in tables if one.journal == error.path.name]
    elif board == HEADER:
        mine = [one for one in tables if one.board == HEADER]
    elif isinstance(error, PortError) and error.reason == "busy":
        port = Path(choose(board) if board == AUTO else board).resolve()
        mine = [one for one in tables if Path(one.port).resolve() == port]
    else:
        mine = []
    return BoardError(localized("cli.host.taken", **mine[0].as_params())) if mine else None
