"""Coming back after a crash: a game's journal becomes a table again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from lumiban import games
from lumiban.boards.types import BoardEvent
from lumiban.errors import JournalError
from lumiban.games.gate import NotAccepted
from lumiban.games.registry import Loader
from lumiban.table import journal
from lumiban.table.board_view import BoardView
from lumiban.table.history import GameHistory, from_head
from lumiban.table.journal import (
    BeliefRecord,
    BoardRecord,
    EndRecord,
    EventsRecord,
    JournalFile,
    JournalRecord,
    Note,
    Opener,
    Reading,
    record_of,
)

LOOKED_AT = 30
"""Journals that are looked through for the last game of a board, or a missing record."""


class ResumedGame(Struct, frozen=True):
    """Game that a journal holds, as far as it was played, and the board as last seen.

    `written` is the number of the last record, so that new ones go on from there.
    """

    path: Path
    history: GameHistory
    board: BoardView
    written: int
    is_over: bool
    notes: tuple[Note, ...]
    file: JournalFile | None = None
    """The journal, where it is ours to go on with."""

    @property
    def board_uid(self) -> str:
        """Uid of the board it was played on."""
        return self.board.uid or self.history.board

    @property
    def link_resume(self) -> tuple[int, int] | None:
        """(boot_id, next event) for the link, None when no board was seen."""
        if self.board.boot_id is None or self.board.next_event is None:
            return None
        return self.board.boot_id, self.board.next_event

    def close(self) -> None:
        """Let go of the journal: the game goes on another time."""
        if self.file is not None:
            self.file.close()


def resume(path: Path, *, mends: bool = True, load: Loader = games.load) -> ResumedGame:
    """The game in this journal; `notes` tell what was cut or set aside.

    With `mends` False the file is only read. `load` gives the game: a journal that this machine did
    not write itself is for `registry.loading`. JournalError when it cannot be read or does not
    fit its game, JournalInUse when it is to be mended and another host has it.
    """
    if mends:
        back = take(path, load=load)
        back.close()
        return replace(back, file=None)
    return _followed(path, journal.read(path), load)


def take(path: Path, *, opener: Opener = JournalFile, load: Loader = games.load) -> ResumedGame:
    """The same with the journal whole, on disk and ours: `file` is to be written on, or closed."""
    if not path.exists():
        raise JournalError(f"cannot read the journal {path}: there is no such file")
    file = opener(path, new=False)
    try:
        reading = file.read()
        back = _followed(path, reading, load)  # nothing is changed of what cannot be played on
        return replace(back, notes=file.mend(reading), file=file)
    except BaseException:  # whatever it was, the journal is not ours any more
        file.close()
        raise


def _followed(path: Path, reading: Reading, load: Loader) -> ResumedGame:
    history = from_head(reading.records[0], load)
    board = BoardView()
    ended = False
    for line in reading.records[1:]:
        record = record_of(line)
        if record is not None:
            history.apply(record)
            _follow(board, record)
        ended = ended or isinstance(record, EndRecord)
    return ResumedGame(path, history, board, len(reading.records) - 1, ended, reading.notes)


def last(
    folder: Path,
    uid: str | None,
    load: Loader = games.load,
    passed_over: Callable[[Path, JournalError], None] = lambda path, error: None,
) -> ResumedGame | None:
    """The game of this board (None: of any) whose journal in the folder was written last; None when
    there is none, or when it is of a file that `load` does not run.

    `passed_over` hears of journals that cannot be read or do not fit their game.
    """
    for path in newest(folder):
        try:
            game = resume(path, mends=False, load=load)
        except NotAccepted:
            if uid is None or uid in _boards(path):
                return None
        except JournalError as error:
            passed_over(path, error)
        else:
            if uid is None or game.board_uid == uid:
                return game
    return None


def newest(folder: Path) -> list[Path]:
    """The journals of a folder that were written last, latest first."""
    times = {}
    for path in folder.glob("*" + journal.SUFFIX):
        with suppress(OSError):  # it may just be removed
            if path.is_file():
                times[path] = (path.stat().st_mtime_ns, path.name)
    return sorted(times, key=times.__getitem__, reverse=True)[:LOOKED_AT]


def _boards(path: Path) -> set[str]:
    """The uids of the boards that a journal was played on; no game is asked."""
    records = journal.read(path).records
    return {str(record.get("uid")) for record in records if record.get("t") == "board"}


def _follow(board: BoardView, record: JournalRecord) -> None:
    """Keep `board` as the board was last seen, so that later events fit onto it."""
    match record:
        case BoardRecord(uid, boot):
            if boot != board.boot_id:
                board.reset(boot)
            board.uid = uid
        case BeliefRecord(next_event, _, kinds):
            try:
                board.see([int(digit) for digit in kinds])
            except ValueError as error:
                raise JournalError(f"the journal's record {record!r} is garbled") from error
            board.next_event = next_event
        case EventsRecord(_, events, late):
            for event in events:
                board.take(BoardEvent(*event, event[0] in late))
