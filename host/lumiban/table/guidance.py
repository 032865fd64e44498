"""What the table asks of people and hands now, as marks on cells and as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.base import Mark, Move, Refusal
from lumiban.scene import meanings as means
from lumiban.scene.draw import NO_CELL
from lumiban.table import seats, turnless_view
from lumiban.table.audit import AUDIT
from lumiban.table.doubt import NAMES
from lumiban.table.lit_match import LitMatch
from lumiban.table.referee import AIR, CONFIRM, MACHINE, plan, unmasked
from lumiban.table.sight import UP
from lumiban.table.turnless_match import TurnlessMatch
from lumiban.table.types import Agree, AskBot, Choose, Prompt, Refuse, Repair, Step, Wait

if TYPE_CHECKING:
    from lumiban.table.match import Match

COACH = "coach"
"""The level at which the coach tells what a bot would do, see `coach.py`."""
HINTS = ("none", "legal", "control", COACH)
"""How much the board tells, from least to most."""
TOLD, MEND = "told", "mend"
"""For whom hands are asked, beside MACHINE."""


def next_hint(hint: str) -> str:
    """The level after this one, round and round."""
    return HINTS[(HINTS.index(hint) + 1) % len(HINTS)] if hint in HINTS else HINTS[0]


def steps_of(match: Match, move: Move) -> tuple[Step, ...]:
    """What is still to be done on the board until it shows `move` played."""
    course = match.course
    after = tuple(map(int, course.game.pieces(course.game.play(course.position, move))))
    return plan(unmasked(match.sensed.kinds, after), after)


def agrees(match: Match) -> bool:
    """Whether a board was seen, and shows the position."""
    return match.sight.kinds is not None and isinstance(match.verdict, Agree)


def prompt(match: Match, hands_may: bool, agreed: bool = True) -> Prompt:
    """The next step for hands; a machine's move only when `hands_may`: it is on disk.

    Until board and game have `agreed` once, a piece that is missing was not lifted: it is to come.
    """
    if match.sight.link != UP or match.outcome is not None or match.paused:
        return Prompt(())
    verdict = match.verdict
    if isinstance(verdict, Refuse | Repair):
        return Prompt(verdict.plan[:1], MEND if verdict.plan else "")
    if match.machine is not None:
        if not hands_may:
            return Prompt(())
        return Prompt(steps_of(match, match.machine.move)[:1], MACHINE)
    if match.told is not None:
        return Prompt(steps_of(match, match.told.move)[:1], TOLD)
    if isinstance(verdict, Wait) and verdict.why == AIR:
        pieces = tuple(map(int, match.course.game.pieces(match.course.position)))
        missing = plan(unmasked(match.sensed.kinds, pieces), pieces)
        steps = _put_back(match, verdict) if agreed else missing[:1]
        return Prompt(steps, MEND if steps else "")
    return Prompt(())


def _put_back(match: Match, waiting: Wait) -> tuple[Step, ...]:
    """The first of several pieces in the air that have to go back before anything is judged."""
    back = [mark.cell for mark in waiting.marks if mark.meaning == means.MEND]
    pieces = match.course.game.pieces(match.course.position)
    return (Step("place", back[0], int(pieces[back[0]])),) if len(back) > 1 else ()


def marks(match: Match, hint: str, question: AskBot | None) -> tuple[Mark, ...]:
    """All marks of this moment: the game's at this hint level and the table's own."""
    if isinstance(match, LitMatch):
        return match.lit(hint, question)
    cells = len(match.course.game.grid)
    if match.sight.link != UP:
        return tuple(Mark(cell, means.LOST) for cell in (*range(cells), NO_CELL))
    if match.outcome is not None:
        lit = turnless_view.in_light(match) if isinstance(match, TurnlessMatch) else ()
        return (*_last(match), *_won(match), *lit)
    if isinstance(match, TurnlessMatch) and match.free:
        return (*_last(match), *turnless_view.marks(match, hint, question))
    if match.paused:
        return (*_owned(match, hint), *(Mark(cell, means.LOST) for cell in match.paused))
    verdict = match.verdict
    if isinstance(verdict, Refuse | Repair):
        why = verdict.refusal if isinstance(verdict, Refuse) else verdict.why
        return (*_owned(match, hint), *_mending(verdict.plan, why))
    pending = match.waiting
    asking = isinstance(verdict, Wait) and verdict.why in (NAMES, AUDIT)
    if pending is not None and not asking:
        return (*_owned(match, hint), *_last(match), *_placing(match, pending.move))
    if isinstance(verdict, Wait) and verdict.why == CONFIRM and verdict.pending is not None:
        lifted = match.changed_by(verdict.pending)
        return (
            *_owned(match, hint),
            *verdict.marks,
            *(Mark(cell, means.PENDING, verdict.pending.side) for cell in lifted),
        )
    if isinstance(verdict, Wait) and verdict.why in (NAMES, AUDIT):
        return (*_owned(match, hint), *verdict.marks)
    if isinstance(verdict, Wait) and verdict.why == AIR:
        return (*_meanwhile(match, hint), *verdict.marks)
    if isinstance(verdict, Choose):
        where = {cell for move in verdict.candidates for cell in match.changed_by(move)}
        asked = (Mark(cell, means.PENDING) for cell in sorted(where))
        return (*_owned(match, hint), *verdict.marks, *asked)
    return _in_turn(match, hint, question)


def _in_turn(match: Match, hint: str, question: AskBot | None) -> tuple[Mark, ...]:
    """The board agrees: somebody is to move."""
    found: list[Mark] = list(_last(match))
    by_hand = [side for side in match.movers if seats.level_of(match.course.seats[side]) is None]
    found += match.marks(hint) if by_hand else _owned(match, hint)
    found += [Mark(NO_CELL, means.WAITING, side) for side in by_hand]
    if question is not None:
        found.append(Mark(NO_CELL, means.THINKING, question.side))
    return tuple(found)


def _meanwhile(match: Match, hint: str) -> tuple[Mark, ...]:
    """The game's own marks while a piece is in the air: where pieces move, only its goals count."""
    if not match.course.game.lifts_by_button:
        return match.marks(hint)
    places = (means.MAY_PLACE, means.BARRED)
    return tuple(mark for mark in match.marks(hint) if mark.meaning not in places)


def _owned(match: Match, hint: str) -> tuple[Mark, ...]:
    return tuple(m for m in match.marks(hint) if m.meaning == means.OWNED)


def _last(match: Match) -> tuple[Mark, ...]:
    course = match.course
    if not course.played or course.played[-1].move.is_word or len(course.positions) < 2:
        return ()
    before = course.game.pieces(course.positions[-2])
    side = course.played[-1].move.side
    return tuple(
        Mark(cell, means.LAST, side)
        for cell, kind in enumerate(course.game.pieces(course.position))
        if kind != before[cell]
    )


def _won(match: Match) -> tuple[Mark, ...]:
    """The winner's light: under all of the winner's pieces and on the winner's edge."""
    outcome = match.outcome
    if outcome is None or outcome.winner is None:
        return ()
    side = outcome.winner
    pieces = match.course.game.pieces(match.course.position)
    own = [cell for cell, kind in enumerate(pieces) if kind == side + 1]
    return tuple(Mark(cell, means.WON, side) for cell in (*own, NO_CELL))


def _mending(steps: tuple[Step, ...], why: Refusal | None) -> tuple[Mark, ...]:
    now = steps[0].cell
    proof = why.cells if why is not None else ()
    return (
        Mark(now, means.MEND),
        *(Mark(cell, means.PROOF) for cell in proof if cell != now),
    )


def _placing(match: Match, move: Move) -> tuple[Mark, ...]:
    return tuple(
        Mark(step.cell, means.MACHINE_TO if step.do == "place" else means.MACHINE_FROM, move.side)
        for step in steps_of(match, move)
    )
