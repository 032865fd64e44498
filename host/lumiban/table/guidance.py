"""Marks and steps by which the table guides people and hands, with turns or without.

`LightStyle` is how much of it the light shows, and in which colours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lumiban.games import mark_kinds
from lumiban.games.base import HINT_LEVELS, Kind, Mark, Move, Refusal
from lumiban.games.types import TIME
from lumiban.scene.draw import NO_CELL
from lumiban.table import ending
from lumiban.table.free_play import FreePlay
from lumiban.table.identities import AUDIT, NAMES
from lumiban.table.light_play import LightPlay
from lumiban.table.phase import BOARD, OVER, Moment
from lumiban.table.referee import (
    AIR,
    MACHINE,
    comes_back,
    limit_astray_marks,
    mending_steps,
    unmasked,
)
from lumiban.table.state import TableState
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import AskBot, Choose, Prompt, Refuse, Repair, Step, Wait, differing
from lumiban.table.view_fields import PhaseName

TOLD, MEND = "told", "mend"
"""Reasons of a prompt, beside MACHINE."""
HANDS, PERSON = "hands", "person"
"""Addressees of a prompt: simulated hands, or a person."""
CHANGES_A_WINDOW = 4
"""Changes of hint level or theme that are shown in any `WINDOW_US`: two flashes, so that a move
meanwhile makes no more than three of them."""
WINDOW_US = 1_000_000


def next_hint(hint: str) -> str:
    """The level after this one, round and round."""
    return HINT_LEVELS[(HINT_LEVELS.index(hint) + 1) % len(HINT_LEVELS)]


class LightStyle:
    """Hint level and theme as they are shown, and as they are wished.

    Each change may turn many lights on or off. Of changes that come sooner than they may be
    shown, by page or button, the last one is shown as soon as it may be: no light flashes more
    than three times a second by it (a flash is two changes), on the board or on a page.

    >>> style = LightStyle("legal", "standard")
    >>> for level in ("none", "legal", "control", "coach", "none"): style.wish(0, hint=level)
    >>> style.hint, style.wished_hint, style.due_us
    ('coach', 'none', 1000000)
    >>> style.follow(999_999), style.follow(1_000_000), style.hint, style.due_us
    (False, True, 'none', None)
    """

    def __init__(self, hint: str, theme: str) -> None:
        self.hint, self.theme = hint, theme
        self.wished_hint, self.wished_theme = hint, theme
        self._shown_at: deque[int] = deque(maxlen=CHANGES_A_WINDOW)

    def wish(self, now_us: int, *, hint: str | None = None, theme: str | None = None) -> None:
        """Request another level or theme: it is shown at once, or as soon as it may be."""
        self.wished_hint = hint or self.wished_hint
        self.wished_theme = theme or self.wished_theme
        self.follow(now_us)

    def follow(self, now_us: int) -> bool:
        """Show what is wished if it is time; return True if anything changed."""
        due = self.due_us
        if due is None or now_us < due:
            return False
        self._shown_at.append(now_us)
        self.hint, self.theme = self.wished_hint, self.wished_theme
        return True

    @property
    def due_us(self) -> int | None:
        """Time at which something else may be shown, µs; None where nothing else is wished."""
        if (self.hint, self.theme) == (self.wished_hint, self.wished_theme):
            return None
        return self._shown_at[0] + WINDOW_US if len(self._shown_at) == CHANGES_A_WINDOW else 0


def steps_of(match: TurnPlay, move: Move) -> tuple[Step, ...]:
    """Return the steps that are left until the board shows `move` played."""
    after = match.game.kinds_on(match.game.play(match.position, move))
    return mending_steps(unmasked(match.judged_kinds, after), after)


def prompt(table: TableState, now: Moment, may_hands_act: bool) -> Prompt:
    """The next step, and whose it is; a machine's move only when `may_hands_act`: it is on disk.

    Until board and game have agreed once, a piece that is missing was not lifted: it is to come.
    """
    match = table.match
    if now.waits in (BOARD, OVER) or table.no_room or match.paused:
        return Prompt(())
    asked = _step_asked(match, may_hands_act)
    return Prompt(asked.steps, asked.wait, _addressee(match)) if asked.steps else asked


def _addressee(match: TurnPlay) -> str:
    """Return whose hands are asked: simulated ones where there are any, but a person mends what the
    rules refused that person. Bringing pieces to their places (a new game, a takeback, a crash) is
    left to simulated hands."""
    if match.is_putting_back:
        return HANDS if match.settings.hands else PERSON
    is_refused = match.history.people and match.has_agreed and isinstance(match.verdict, Refuse)
    return HANDS if match.settings.hands and not is_refused else PERSON


def _step_asked(match: TurnPlay, may_hands_act: bool) -> Prompt:
    verdict = match.verdict
    if isinstance(verdict, Refuse | Repair):
        return Prompt(verdict.plan[:1], MEND if verdict.plan else "")
    if match.machine is not None:
        if not may_hands_act:
            return Prompt(())
        return Prompt(steps_of(match, match.machine.move)[:1], MACHINE)
    if match.told is not None:
        beside = steps_beside(match, match.told.move)
        if beside:
            return Prompt(beside[:1], MEND)
        return Prompt(steps_of(match, match.told.move)[:1], TOLD)
    if match.wait_reason == AIR:
        missing = match.to_come()
        steps = _put_back(match) if match.has_agreed else missing[:1]
        if match.settings.hands and not steps:
            steps = tuple(step for step in missing if step.cell in match.to_put_back)[:1]
        return Prompt(steps, MEND if steps else "")
    return Prompt(())


def steps_beside(match: TurnPlay, move: Move) -> tuple[Step, ...]:
    """Return the steps that mend the cells which a told move leaves alone, before the move itself.

    A piece in the air goes back first: otherwise the one that the move sets would be taken for it,
    refused, and asked for again without end (seen in Tokyo Doves).
    """
    changed = match.changed_by(move)
    return tuple(step for step in steps_of(match, move) if step.cell not in changed)


def cells_back(match: TurnPlay) -> tuple[int, ...]:
    """The cells to which pieces in the air must go back: those that a move leaves alone, and all of
    them where nothing can come of it."""
    aims = (mark_kinds.MEND, mark_kinds.LIFT_TARGET, mark_kinds.MAY_PLACE)
    beside = match.question_marks
    if any(mark.meaning in aims for mark in beside):
        return tuple(mark.cell for mark in beside if mark.meaning == mark_kinds.MEND)
    pieces = match.should
    seen = unmasked(match.judged_kinds, pieces)
    return tuple(cell for cell, kind in enumerate(pieces) if kind and not seen[cell])


def _put_back(match: TurnPlay) -> tuple[Step, ...]:
    """The first of several pieces in the air that have to go back before anything is judged."""
    back = cells_back(match)
    pieces = match.should
    return (Step("place", back[0], int(pieces[back[0]])),) if back else ()


def marks(table: TableState, now: Moment) -> tuple[Mark, ...]:
    """All marks that count in this phase: the game's at the hint level, those of coach and lesson,
    and the table's own."""
    if now.name in ("opening", "lost") or table.no_room:
        cells = range(len(table.game.grid))
        return tuple(Mark(cell, mark_kinds.LOST) for cell in (*cells, NO_CELL))
    lesson = () if table.lesson is None else table.lesson.marks()
    return now.counted((*_marks(table, now.name), *table.coach.marks(), *lesson))


def _marks(table: TableState, phase: PhaseName) -> tuple[Mark, ...]:
    """The marks of the game and the table, while there is a board."""
    match, hint, question = table.match, table.hint, table.bots.question
    explained = ending.step(match, hint, table.since_end_us)
    if isinstance(match, LightPlay):
        return (*match.scene(hint, question), *(explained or ()))
    if phase == "over":
        return _ended(match, explained, in_light(match) if isinstance(match, FreePlay) else ())
    if isinstance(match, FreePlay) and match.is_free:
        return (*_last(match), *free_play_marks(match, hint, question))
    owned, verdict = _owned(match, hint), match.verdict
    if phase == "paused":
        return (*owned, *(Mark(cell, mark_kinds.LOST) for cell in match.paused))
    if isinstance(verdict, Refuse | Repair):
        why = verdict.refusal if isinstance(verdict, Refuse) else verdict.why
        return (*owned, *_tally(match), *_mending(verdict.plan, why))
    if phase == "setting-up":
        return (*owned, *(Mark(step.cell, mark_kinds.MEND) for step in match.to_come()[:1]))
    if phase in ("asked", "naming", "bringing"):
        return (*owned, *_asked(match))
    if match.wait_reason == AIR:
        return _in_air(match, hint)
    return _in_turn(match, hint, question)


def _asked(match: TurnPlay) -> tuple[Mark, ...]:
    """The marks of what people are asked, or of a move that is to be set."""
    verdict = match.verdict
    if match.wait_reason in (NAMES, AUDIT):
        return match.question_marks
    if match.waiting is not None:
        return (*_last(match), *_placing(match, match.waiting.move))
    if isinstance(verdict, Choose):
        where = {cell for move in verdict.candidates for cell in match.changed_by(move)}
        return (*verdict.marks, *(Mark(cell, mark_kinds.PENDING) for cell in sorted(where)))
    assert isinstance(verdict, Wait)
    assert verdict.pending is not None
    lift = verdict.pending
    back = comes_back(match.game, match.position, match.shown, lift)
    lifted = (*match.changed_by(lift), *back)
    pending = (Mark(cell, mark_kinds.PENDING, lift.side) for cell in lifted)
    return (*_tally(match), *verdict.marks, *pending)


def _in_air(match: TurnPlay, hint: str) -> tuple[Mark, ...]:
    """The marks while a piece is in the air: where it may go."""
    beside = match.question_marks
    lit_already = {mark.cell for mark in beside if mark.meaning == mark_kinds.MEND}
    to_lift = (cell for cell in cells_back(match) if cell not in lit_already)
    return (
        *_meanwhile(match, hint),
        *_tally(match),
        *beside,
        *(Mark(cell, mark_kinds.MEND) for cell in to_lift),
    )


def stones_in_light(match: TurnPlay, shown: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks with a stone in light on each cell that has a piece, for a board on which none stands.

    A neutral piece is red; the last move's cells are brighter, except those of neutral pieces.
    """
    stones = {
        cell: Mark(cell, mark_kinds.BLOCK_R)
        if kind == Kind.NEUTRAL
        else Mark(cell, mark_kinds.LIGHT_STONE, kind - 1)
        for cell, kind in enumerate(match.should)
        if kind
    }
    neutral = {cell for cell, mark in stones.items() if mark.meaning == mark_kinds.BLOCK_R}
    kept = [m for m in shown if not (m.meaning == mark_kinds.LAST and m.cell in neutral)]
    counted = kept if match.outcome is not None else ()
    return (*kept, *_uncounted(stones.values(), counted))


def _ended(
    match: TurnPlay, explained: Sequence[Mark] | None, lit: Sequence[Mark]
) -> tuple[Mark, ...]:
    """A step that explains the end, or the end as it stands, with the stones that are in light."""
    if explained is None:
        return (*_last(match), *_won(match), *lit)
    edge = (mark for mark in _won(match) if mark.cell == NO_CELL)
    return (*explained, *edge, *_uncounted(lit, explained))


def _uncounted(stones: Iterable[Mark], counted: Iterable[Mark]) -> Iterator[Mark]:
    """The stones in light without those that a step of the end counts: they burn otherwise."""
    lit = {mark.cell for mark in counted if mark.meaning == mark_kinds.OWNED}
    return (mark for mark in stones if mark.cell not in lit)


def _in_turn(match: TurnPlay, hint: str, question: AskBot | None) -> tuple[Mark, ...]:
    """The board agrees: somebody is to move."""
    shown: list[Mark] = list(_last(match))
    by_hand = [side for side in match.movers if match.history.bot_level(side) is None]
    shown += _now(match, hint) if by_hand else _owned(match, hint)
    shown += [Mark(NO_CELL, mark_kinds.WAITING, side) for side in by_hand]
    if question is not None:
        shown.append(Mark(NO_CELL, mark_kinds.THINKING, question.side))
    return tuple(shown)


def _meanwhile(match: TurnPlay, hint: str) -> tuple[Mark, ...]:
    """The game's own marks while a piece is in the air: where pieces move, and where another one
    is to be set in its place, only its goals count."""
    if not match.game.lifts_by_button and exchange(match) is None:
        return _now(match, hint)
    places = (mark_kinds.MAY_PLACE, mark_kinds.BARRED)
    return tuple(mark for mark in match.marks(hint) if mark.meaning not in places)


def exchange(match: TurnPlay) -> tuple[int, int | None] | None:
    """(cell, side) of the piece that waits for another one in its place, None without; the side is
    None where an exchange is taken back."""
    if match.wait_reason != AIR:
        return None
    pieces = match.should
    goals = (mark for mark in match.question_marks if mark.meaning == mark_kinds.LIFT_TARGET)
    found = sorted((bool(match.shown[m.cell]), m.cell, m.side) for m in goals if pieces[m.cell])
    return found[0][1:] if found else None


def _now(match: TurnPlay, hint: str) -> tuple[Mark, ...]:
    """The game's own marks; on a board that cannot tell a turn's stones apart, where the one may
    go that is next."""
    game_marks = match.marks(hint)
    if match.counts_as is None:
        return game_marks
    later = (
        mark_kinds.MAY_PLACE if match.counts_as == Kind.NEUTRAL else mark_kinds.MAY_PLACE_NEUTRAL
    )
    return tuple(mark for mark in game_marks if mark.meaning != later)


def _tally(match: TurnPlay) -> tuple[Mark, ...]:
    """The number on the cell of the one piece that is in the air, counted by its neighbours:
    clockwise, the eastern one first."""
    numbers = match.game.numbers(match.position)
    should, seen = match.should, match.shown
    wrong = differing(should, seen)
    if not numbers or len(wrong) != 1 or seen[wrong[0]] != Kind.EMPTY:
        return ()
    if isinstance(match.verdict, Repair) and not match.history.played:
        return ()  # the last piece of the start, on its way to its place
    number = numbers[wrong[0]]
    east, *others = match.game.grid.steps[wrong[0]]
    near = [cell for cell in (east, *reversed(others)) if cell >= 0]
    count = int(number) if number.isdecimal() else 0
    return tuple(Mark(cell, mark_kinds.TALLY) for cell in near[:count])


def _owned(match: TurnPlay, hint: str) -> tuple[Mark, ...]:
    return tuple(m for m in match.marks(hint) if m.meaning == mark_kinds.OWNED)


def _last(match: TurnPlay) -> tuple[Mark, ...]:
    history = match.history
    if not history.played or history.played[-1].move.is_word or len(history.positions) < 2:
        return ()
    now, before = map(history.game.kinds_on, history.positions[:-3:-1])
    side = history.played[-1].move.side
    return tuple(Mark(cell, mark_kinds.LAST, side) for cell in differing(now, before))


def _won(match: TurnPlay) -> tuple[Mark, ...]:
    """The winner's light on the winner's edge, and under the winner's groups that decided or, where
    no groups did, under all of the winner's pieces."""
    outcome = match.outcome
    if outcome is None or outcome.winner is None:
        return ()
    side = outcome.winner
    pieces = match.should
    own: Sequence[int] = [cell for cell, kind in enumerate(pieces) if kind == side + 1]
    groups = match.game.final_groups(match.position) if outcome.reason != TIME else None
    if groups is not None:
        own = groups[1]
    return tuple(Mark(cell, mark_kinds.WON, side) for cell in (*own, NO_CELL))


def _mending(steps: tuple[Step, ...], why: Refusal | None) -> tuple[Mark, ...]:
    now = steps[0].cell
    proof = why.cells if why is not None else ()
    return (
        Mark(now, mark_kinds.MEND),
        *(Mark(cell, mark_kinds.PROOF) for cell in proof if cell != now),
    )


def _placing(match: TurnPlay, move: Move) -> tuple[Mark, ...]:
    beside = steps_beside(match, move) if match.machine is None else ()
    if beside:
        return _mending(beside, None)
    return tuple(
        Mark(
            step.cell,
            mark_kinds.MACHINE_TO if step.do == "place" else mark_kinds.MACHINE_FROM,
            move.side,
        )
        for step in steps_of(match, move)
    )


def free_play_marks(match: FreePlay, hint: str, question: AskBot | None) -> tuple[Mark, ...]:
    """All marks of this moment in free play with the board there and the game not over."""
    lit = in_light(match)
    if match.is_lit_by_beat:
        return tuple(Mark(cell, mark_kinds.BEAT) for cell in range(len(match.game.grid)))
    if match.time_out is not None:
        return (*lit, *_time_out(match))
    waits = tuple(
        Mark(match.changed_by(item.told)[0], mark_kinds.PENDING, item.told.side)
        for item in match.queue.items
        if item.told is not None and not item.told.is_word
    )
    thinks = () if question is None else (Mark(NO_CELL, mark_kinds.THINKING, question.side),)
    return (*_whose(match, hint), *lit, *waits, *_misplaced(match), *_waiting_marks(match), *thinks)


def _whose(match: FreePlay, hint: str) -> tuple[Mark, ...]:
    """The game's marks; where both sides may place, each cell tells whose it is."""
    game_marks = match.marks(hint)
    if len(match.movers) < 2:
        return game_marks
    return tuple(
        replace(mark, meaning=mark_kinds.OWNED) if mark.meaning == mark_kinds.MAY_PLACE else mark
        for mark in game_marks
    )


def in_light(match: FreePlay) -> tuple[Mark, ...]:
    """The stones that are in light only."""
    return tuple(Mark(cell, mark_kinds.LIGHT_STONE, match.should[cell] - 1) for cell in match.light)


def _time_out(match: FreePlay) -> tuple[Mark, ...]:
    """Return the marks of a time out: what is to be mended, one step at a time; then the people who
    have not yet agreed to go on."""
    if match.paused:
        return tuple(Mark(cell, mark_kinds.LOST) for cell in match.paused)
    steps, pause = match.repair_steps(), match.time_out
    assert pause is not None
    if pause.go_us is not None and steps:
        return (Mark(steps[0].cell, mark_kinds.ASTRAY),)
    if steps:
        return (Mark(steps[0].cell, mark_kinds.MEND),)
    if match.misplaced or match.unread():
        return ()
    people = match.history.people
    waited = [side for side in people if side not in pause.confirmed]
    return tuple(Mark(NO_CELL, mark_kinds.WAITING, side) for side in waited)


def _misplaced(match: FreePlay) -> tuple[Mark, ...]:
    """Dead and missing stones blink where they are, and the latest refusal shows its proof."""
    dead, steps = match.ground.dead, match.repair_steps()
    proof = next(reversed(dead.values())).cells if dead else ()
    cells = {step.cell for step in steps}
    blinking = [Mark(cell, mark_kinds.ASTRAY) for cell in sorted(cells)]
    return (
        *limit_astray_marks(blinking, steps[0].cell if steps else NO_CELL),
        *(Mark(cell, mark_kinds.PROOF) for cell in proof if cell not in cells),
    )


def _waiting_marks(match: FreePlay) -> tuple[Mark, ...]:
    """While one side stands, the table waits for the other."""
    standing = match.game.declined_to_move(match.position)
    return tuple(
        Mark(NO_CELL, mark_kinds.WAITING, side)
        for side in match.history.people
        if standing and side not in standing
    )
