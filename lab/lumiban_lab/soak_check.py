"""Checks of a quiet table: nothing lost, nothing doubled, nothing illegal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lumiban.errors import CheckFailed
from lumiban.games.base import Kind
from lumiban.games.light_game import LightGame
from lumiban.table.free_play import FreePlay
from lumiban.table.history import GameHistory
from lumiban.table.journal import read
from lumiban.table.resume import resume
from lumiban.table.session import Session
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Agree

from lumiban_lab.soak_laws import in_order, taken_back_by_nobody
from lumiban_lab.soak_table import SoakTable

if TYPE_CHECKING:
    from lumiban_sim.rig import Rig

SLACK_US = 20_000
"""Uncertainty in µs of the host about the board's clock."""
ASTRAY_AT_ONCE = 2
"""One for each side."""
STEPS_AT_ONCE = 1
"""Lights that may blink as steps of repair."""


def check(table: SoakTable) -> None:
    """CheckFailed says what does not hold."""
    if not table.until(lambda: not table.journals or _is_written(table), 5_000_000):
        _fail("the journal is not written to the end")
    table.line.judge()
    journal = bytes(table.journals[-1]) if table.journals else b""
    check_session(table.session, table.rig, journal, table.folder)


def check_session(session: Session, rig: Rig, journal: bytes, folder: Path) -> None:
    """The same of any session at rest at the board of a rig, all of whose journal is written: a
    copy of it is read in `folder`. CheckFailed."""
    _check_moves(session.match.history)
    if journal:
        _check_journal(session, journal, folder)
    _check_belief(session, rig)
    _check_agreement(session.match)


def check_light(table: SoakTable) -> None:
    """One step of repair blinks at a time; CheckFailed.

    A stone that stops nobody (in free play, and in light) may blink beside the other side's.
    """
    if table.worst_astray > ASTRAY_AT_ONCE:
        _fail(f"{table.worst_astray} stones that stop nobody blinked at once")
    if table.worst_blinking > STEPS_AT_ONCE:
        _fail(f"{table.worst_blinking} steps of repair blinked at once")


def _fail(what: str) -> None:
    raise CheckFailed(what)


def _is_written(table: SoakTable) -> bool:
    return table.said_safe == len(table.journals[-1])


def _check_moves(history: GameHistory) -> None:
    """Each move is legal where it stands, and all of them lead to the position."""
    replayed = history.positions[0]
    for number, move in enumerate(history.moves, 1):
        refusal = history.game.why_not(replayed, move.side, move)
        if refusal is not None:
            _fail(f"move {number}, {move}, was played against {refusal.rule}")
        replayed = history.game.play(replayed, move)
    if replayed != history.position:
        _fail("the moves do not lead to the position")


def _check_journal(session: Session, journal: bytes, folder: Path) -> None:
    """The journal leads to the same table."""
    path = folder / "checked.journal"
    path.write_bytes(journal)
    back = resume(path, mends=False)
    match, board = session.match, session.board
    history = match.history
    if back.notes:
        _fail(f"the journal is damaged: {back.notes[0].id}")
    if [str(m) for m in back.history.moves] != [str(m) for m in history.moves]:
        _fail("the journal has other moves")
    if back.history.position != history.position:
        _fail("the journal leads to another position")
    if back.history.seats != history.seats:
        _fail("the journal has other people and bots in the seats")
    if back.history.chosen != (None if match.machine is None else match.machine.move):
        _fail("the journal has another move that a bot chose")
    if back.is_over != (match.outcome is not None):
        _fail("the journal and the table differ in whether the game is over")
    if (back.board.boot_id, back.board.next_event) != (board.boot_id, board.next_event):
        _fail("the journal ends at another event")
    if back.board.kinds != board.kinds:
        _fail("the journal holds another belief")
    if (back.history.to_mend, back.board.unseen) != (history.to_mend, board.unseen):
        _fail("the journal tells otherwise what hands are to mend")
    records = read(path).records
    in_order(records)
    violations = taken_back_by_nobody(records, session.profile)
    if violations:
        _fail(violations[0])


def _check_belief(session: Session, rig: Rig) -> None:
    """The host believes what lies on the board, and has judged all that the board has told."""
    board = session.board
    if board.link != "up":
        _fail(f"the link is {board.link}")
    lies, seen = rig.kinds, tuple(board.kinds or ())
    if rig.profile.is_of_switches:  # they tell that a piece stands there, not which
        seen_as = Kind.NEUTRAL if rig.profile.has_sensors else Kind.EMPTY
        lies = tuple(seen_as if kind else Kind.EMPTY for kind in lies)
    wrong = [
        f"{rig.profile.grid.name(cell)} holds {lies[cell]}, believed {seen[cell]}"
        for cell in range(len(lies))
        if cell >= len(seen) or lies[cell] != seen[cell]
    ]
    if wrong:
        _fail("; ".join(wrong[:4]))
    if board.next_event != rig.chip.board.ring.next:
        _fail(f"the board has told {rig.chip.board.ring.next} events, judged {board.next_event}")
    if board.boot_id != rig.chip.boot_id:
        _fail("the host believes in another boot")
    off = abs(session.board_now() - (rig.now_us - rig.chip.epoch_us))
    if off > SLACK_US:
        _fail(f"the host's idea of the board's time is {off} µs off")


def _check_agreement(match: TurnPlay) -> None:
    """A table that agrees shows its position."""
    if match.outcome is not None or isinstance(match.history.game, LightGame):
        return
    if isinstance(match, FreePlay) and match.is_free:
        return
    should = tuple(map(int, match.history.game.pieces(match.history.position)))
    blind = (Kind.UNKNOWN, Kind.MASKED)
    apart = [c for c, k in enumerate(match.sensed.kinds) if k != should[c] and k not in blind]
    if isinstance(match.verdict, Agree) and apart and match.waiting is None:
        names = ", ".join(match.history.game.grid.name(cell) for cell in apart)
        _fail(f"the table agrees although {names} differ")
