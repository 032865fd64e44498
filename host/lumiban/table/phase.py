"""Phases of a table: what it waits for, declared once for page, phones, `/watch` and light.

`PHASES` has a row for each: its headline and sentence, whether a stone on a mark is a move, who is
waited for and the request that leads on. `moment` says which one a table is in; the lobby's are
put there by `lobby.idle_screen`, and the last two are a page's own, for what it shows beside the
table.

The law (tests/unit/table/test_phase_law.py): where a phase takes no move, nothing anywhere says
that one may; where it takes one, a stone on a mark is a move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from lumiban.games import mark_kinds
from lumiban.games.base import Mark, Move
from lumiban.table.board_view import CONNECTING, UP
from lumiban.table.free_play import FreePlay
from lumiban.table.identities import AUDIT, NAMES
from lumiban.table.light_play import LightPlay
from lumiban.table.referee import AIR, CONFIRM, unmasked
from lumiban.table.state import TableState
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import HUMAN, Choose, Refuse, Repair
from lumiban.table.view_fields import PhaseName, PhaseShown, Text

PEOPLE, HANDS, BOT, BOARD, OVER = "people", "hands", "bot", "board", "over"
"""Parties that a phase may wait for; the last two mean that nothing happens by itself."""


class Phase(Struct, frozen=True):
    """`title` and `says` are texts, "" where the page's headline is whose turn it is, and its
    sentence that of the verdict or of what may be done; `next` is the lobby's or table's request
    that leads on from where no hand does; `counts`: a clock may run, as who is to move may think
    and act."""

    waits: str
    takes: bool = False
    counts: bool = False
    title: str = ""
    says: str = ""
    next: str = ""


PHASES: Mapping[PhaseName, Phase] = {
    "opening": Phase(BOARD, title="page.turn.waits", says="table.connecting"),
    "lost": Phase(BOARD, title="page.turn.lost", says="table.board-lost"),
    "resting": Phase(PEOPLE, title="phase.resting", says="phase.resting.how", next="lobby"),
    "attract": Phase(PEOPLE, title="phase.resting", says="phase.resting.how", next="lobby"),
    "lobby": Phase(PEOPLE, title="lobby.screen.home", says="lobby.how"),
    "setting-up": Phase(HANDS, title="phase.setting-up"),
    "lesson": Phase(PEOPLE, takes=True),
    "puzzle": Phase(PEOPLE, takes=True),
    "playing": Phase(PEOPLE, takes=True, counts=True),
    "showing": Phase(PEOPLE, takes=True),
    "thinking": Phase(BOT, counts=True),
    "bringing": Phase(HANDS, counts=True),
    "refused": Phase(HANDS, counts=True),
    "mending": Phase(HANDS, title="phase.mending"),
    "asked": Phase(PEOPLE, next="answer", counts=True),
    "naming": Phase(PEOPLE, next="answer"),
    "paused": Phase(PEOPLE, title="phase.paused", next="confirm"),
    "over": Phase(OVER, next="new"),
    "looking-back": Phase(PEOPLE, title="phase.looking-back", next="present"),
    "setting-position": Phase(PEOPLE, title="page.setup", says="page.setup.how", next="set-up"),
}
"""Every phase, in the order of an evening."""


def phase_in(match: TurnPlay) -> PhaseName:
    """The phase of a game whose disk has room."""
    verdict, history = match.verdict, match.history
    if match.board.link != UP:
        return "opening" if match.board.link == CONNECTING else "lost"
    if match.outcome is not None:
        return "over"
    if match.paused:
        return "paused"
    if isinstance(match, FreePlay) and match.is_free:
        return "paused" if match.time_out is not None or not match.is_ordered else _turn(match)
    if not history.played and _is_setting_up(match):
        return "setting-up"
    if isinstance(verdict, Choose):
        return "asked"
    if isinstance(verdict, Repair):
        return "mending"
    if isinstance(verdict, Refuse) and not match.is_in_light:
        return "refused"
    if match.wait_reason in (NAMES, AUDIT):
        return "naming"
    if match.wait_reason == CONFIRM:
        return "asked"
    if match.waiting is not None:
        return "asked" if _is_unseen(match, match.waiting.move) else "bringing"
    return _turn(match)


def _turn(match: TurnPlay) -> PhaseName:
    """The phase in which somebody is to move."""
    history = match.history
    if not any(history.seats[side] == HUMAN for side in match.movers):
        return "thinking"
    if not history.lesson:
        return "showing" if isinstance(match, LightPlay) and match.scenes else "playing"
    return "puzzle" if history.lesson.endswith("/puzzles") else "lesson"


def _is_setting_up(match: TurnPlay) -> bool:
    """True while the pieces of the start are on their way to their places, or those of the game
    before lie there still."""
    if match.is_in_light:
        return bool(match.strays) and _turn(match) != "thinking"
    in_air = match.wait_reason == AIR and not match.has_agreed
    return in_air or isinstance(match.verdict, Repair)


def _is_unseen(match: TurnPlay, move: Move) -> bool:
    """True if nothing is left to do that the board could show: only a word says that it is done."""
    changed = [
        (cell, after)
        for cell, before, after in match.game.effects(match.position, move)
        if before != after
    ]
    seen, blind = match.judged_kinds, match.board.blind
    unread = [cell for cell, _ in changed if match.placing.board[cell] in blind]
    is_left = any(seen[cell] != after and cell not in unread for cell, after in changed)
    return not changed or (bool(unread) and not is_left)


def missing(match: TurnPlay) -> int:
    """The number of pieces that are still to be set."""
    should = match.should
    seen = unmasked(match.judged_kinds, should)
    return sum(bool(kind) and not seen[cell] for cell, kind in enumerate(should))


INVITING = frozenset({
    mark_kinds.MAY_PLACE, mark_kinds.MAY_PLACE_NEUTRAL, mark_kinds.LIFT_TARGET,
    mark_kinds.REMOVABLE, mark_kinds.ADVICE, mark_kinds.ADVICE_ALSO, mark_kinds.TOUCH,
})  # fmt: skip
"""Meanings of marks that say that a stone there is a move."""


class Moment(Struct, frozen=True):
    """The phase of a step of a table, and what follows from it.

    `takes` is true if a stone on a mark is a move: markers of a game in light count though others
    lie about. `offered` is what the rules let hands do: the game's own, or where a piece in the air
    may go while the table asks; () where no stone is a move.
    """

    name: PhaseName
    takes: bool
    offered: Sequence[Mark]

    @property
    def waits(self) -> str:
        """Who is waited for."""
        return PEOPLE if self.takes else PHASES[self.name].waits

    def counted(self, marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
        """Those of these marks that hold: without invitations where no stone is a move."""
        if self.takes:
            return marks
        kept = {mark_kinds.LIFT_TARGET} if self.offered else ()
        return tuple(m for m in marks if m.meaning not in INVITING or m.meaning in kept)


def phase_of(table: TableState) -> PhaseName:
    """The phase that a table is in now: it is paused too while nothing can be kept or judged."""
    return "paused" if table.no_room or table.fault is not None else phase_in(table.match)


def moment(table: TableState) -> Moment:
    """The phase that a table is in now, with what follows from it."""
    match, name = table.match, phase_of(table)
    if PHASES[name].takes or (name == "setting-up" and match.is_in_light):
        return Moment(name, True, match.marks("legal"))
    asked = match.question_marks if name == "asked" else ()
    goals = (mark for mark in asked if mark.meaning == mark_kinds.LIFT_TARGET)
    return Moment(name, False, tuple(goals))


def shown(
    phase: PhaseName, *, takes: bool = False, title: Text | None = None, says: Text | None = None
) -> PhaseShown:
    """A phase as the view has it; with `title` and `says` where they are others than its row's."""
    row = PHASES[phase]
    title = title or (Text(row.title, {}) if row.title else None)
    says = says or (Text(row.says, {}) if row.says else None)
    return PhaseShown(phase, takes, title, says, row.next)
