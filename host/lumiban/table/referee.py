"""Referee: a pure judge between the picture sensed and the position.

It knows nothing of any one game: it asks `game.pieces`, `game.read` and `game.why_not`. The whole
picture comes first, the order of events is only evidence (kept in the RefereeContext). It never
commits a move that the game forbids, and from any disorder, following its plans ends in Agree.
Where misplaced stones do not stop play each of them blinks, until there are too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lumiban.games import mark_kinds
from lumiban.games.base import (
    Ambiguous,
    Complete,
    Game,
    Idle,
    Kind,
    Mark,
    Move,
    Partial,
    Position,
    Reading,
    Refusal,
    Wrong,
)
from lumiban.table.types import (
    Agree,
    Choose,
    Commit,
    Pending,
    RefereeContext,
    Refuse,
    Repair,
    Sensed,
    Step,
    Takeback,
    Verdict,
    Wait,
    differing,
)

SensedKinds = tuple[int, ...]

MACHINE, PAGE, LIFT = "machine", "page", "lift"
"""Origin of a pending move: a bot, a person by page, a lift that waits."""
AIR, CONFIRM, PAUSED = "air", "confirm", "paused"
"""Reasons to wait, beside MACHINE; paused: the board shows pieces where none lie."""

BLIND = (Kind.MASKED, Kind.UNKNOWN)
"""Kinds of cells that the board cannot read: what stands there is unknown."""

STRANGE_RULES = {
    Kind.STACKED: "table.stacked-pieces",
    Kind.FOREIGN: "table.foreign-magnet",
}


def judge(
    game: Game,
    position: Position,
    sensed: Sensed,
    pending: Pending | None,
    trail: RefereeContext,
    now_us: int,
) -> Verdict:
    """Judge what `sensed` means in `position`; `now_us` is board time.

    A cell that cannot be read (a broken sensor or strip) shows whatever it should show: a move
    there is told by page or confirmed by a button, never guessed.
    """
    should = game.kinds_on(position)
    seen = unmasked(sensed.kinds, should)
    if pending is not None and pending.by != LIFT:
        after = game.kinds_on(game.play(position, pending.move))
        goal = unmasked(sensed.kinds, after)
        is_settled = pending.by == PAGE or pending.confirmed or seen != should
        if goal == after and is_settled:
            return Commit((pending.move,))
        if pending.by == MACHINE:
            return _machine_first(seen, should, after, pending.move)
    if seen == should:
        return Agree()
    back = _goes_on(game, seen, should, trail, now_us) or _undone(
        game, position, seen, should, trail, now_us
    )
    if back is not None:
        return back
    wrong = set(differing(seen, should))
    if wrong <= trail.never_placed:
        return Repair(mending_steps(seen, should))
    to_mend = wrong & trail.to_mend
    if to_mend and not (game.lifts_by_button and _in_air(game, position, seen, trail)):
        return _still_to_mend(game, position, seen, should, to_mend, trail)
    truly = _corrected(game, seen, should, sensed.turned, trail)
    if truly is not None:
        return Takeback(1, (truly,))
    odd = _odd_cells(seen, should, sensed.turned)
    if odd is not None:
        return Repair(mending_steps(seen, should), odd)
    return _as_move(game, position, seen, should, pending, trail, now_us)


def unmasked(kinds: Sequence[int], should: SensedKinds) -> SensedKinds:
    """`kinds` with each cell that cannot be read showing what it should."""
    if Kind.MASKED not in kinds and Kind.UNKNOWN not in kinds:
        return tuple(kinds)
    return tuple(w if k in BLIND else k for k, w in zip(kinds, should, strict=True))


def mending_steps(
    seen: Sequence[int], goal: Sequence[int], cells: Iterable[int] | None = None
) -> tuple[Step, ...]:
    """The steps that turn the picture `seen` into `goal`: lift what is wrong, place what is
    missing (on `cells` only, if given).

    >>> [(s.do, s.cell, s.kind) for s in mending_steps((1, 0, 2), (1, 2, 1))]
    [('lift', 2, 2), ('place', 1, 2), ('place', 2, 1)]
    """
    chosen = range(len(goal)) if cells is None else sorted(cells)
    wrong = [cell for cell in chosen if seen[cell] != goal[cell]]
    lifts = [Step("lift", cell, int(seen[cell])) for cell in wrong if seen[cell] != Kind.EMPTY]
    places = [Step("place", cell, int(goal[cell])) for cell in wrong if goal[cell] != Kind.EMPTY]
    return (*lifts, *places)


def _machine_first(
    seen: SensedKinds, should: SensedKinds, after: SensedKinds, move: Move
) -> Verdict:
    """While a machine's move is to be placed nothing else is accepted. A piece that it puts in
    place of another leaves its cell empty on the way."""
    strays = [
        cell
        for cell, kind in enumerate(seen)
        if kind not in (should[cell], after[cell])
        and (kind != Kind.EMPTY or should[cell] == after[cell])
    ]
    if not strays:
        return Wait(MACHINE, pending=move)
    return Repair(
        mending_steps(seen, should, strays), Refusal("table.machine-first", tuple(strays))
    )


def _goes_on(
    game: Game, seen: SensedKinds, should: SensedKinds, trail: RefereeContext, now_us: int
) -> Verdict | None:
    """The piece moved last is up again: it may go back. One that slides over cells is sensed on
    them: within the grace after a move it may also go on, and what it does in the end counts."""
    if not game.lifts_by_button or 1 not in trail.backs or not trail.past:
        return None
    origin = trail.past[-1]
    before = game.kinds_on(origin)
    landed = [cell for cell, kind in enumerate(should) if kind and kind != before[cell]]
    left = [cell for cell, kind in enumerate(before) if kind and kind != should[cell]]
    if not trail.unseen.isdisjoint(landed):
        return None
    if now_us > trail.grace_until_us:
        up = differing(seen, should)
        if not left or up != landed or any(seen[cell] for cell in up):
            return None
        marks = tuple(Mark(cell, "lift-target") for cell in (*up, *left))
        return Wait(AIR, marks=marks)
    if not landed or seen == before or any(seen[c] != before[c] for c in landed):
        return None
    reading = game.read(origin, seen)
    if isinstance(reading, Partial) or (isinstance(reading, Complete) and reading.confirm):
        return Wait(AIR, marks=reading.marks)
    move = _as_person(game, origin, seen, trail)
    return None if move is None else Takeback(1, (move,))


def _undone(
    game: Game,
    position: Position,
    seen: SensedKinds,
    should: SensedKinds,
    trail: RefereeContext,
    now_us: int,
) -> Verdict | None:
    """Takeback when a person's last move is undone here, whichever hands came first.

    All cells of that move look as before it; every other cell looks as it does now or did then,
    so that the opponent's answer may be taken off before or after.
    """
    for count in trail.backs:
        if count > len(trail.past):
            continue
        origin = trail.past[-count]
        before = game.kinds_on(origin)
        after = should if count == 1 else game.kinds_on(trail.past[1 - count])
        own = differing(before, after)
        swapped = [cell for cell in own if before[cell] and after[cell]]
        left = [cell for cell in swapped if seen[cell] != before[cell]]
        if left and not game.lifts_by_button and _is_on_its_way(own, before, seen, should, trail):
            if isinstance(game.read(position, seen), Partial):
                return None  # the one to move may be about to exchange it too
            return Wait(AIR, marks=tuple(Mark(cell, mark_kinds.LIFT_TARGET) for cell in left))
        if not own or any(
            seen[cell] != before[cell] or should[cell] == before[cell] for cell in own
        ):
            continue
        if not (trail.to_mend | trail.unseen).isdisjoint(own):
            # These were swept off among others and are about to be put back, or are gone without a
            # hand: nobody asked for a takeback.
            continue
        extra = set(differing(seen, should)).intersection(differing(seen, before))
        if extra:
            if count == 1:
                moved_on = _as_person(game, origin, seen, trail)
                if moved_on is not None:
                    return Takeback(1, (moved_on,))
            continue
        if now_us > trail.grace_until_us and _tries_to_place(game, position, seen, should):
            # The side that moved has not changed its mind: the other one answers where it may not.
            continue
        reading = game.read(position, seen)
        if isinstance(reading, Complete) and reading.move.side in trail.people:
            return Choose((reading.move,), back=count, marks=reading.marks)
        if game.lifts_by_button and isinstance(reading, Partial):
            # The one to move lifts a piece to play on with it.
            continue
        if isinstance(reading, Partial) and now_us > trail.grace_until_us:
            exchanges = _exchanges(game, position, seen, should, trail)
            if exchanges:
                return Choose(exchanges, back=count, marks=reading.marks)
        return Takeback(count)
    return None


def _is_on_its_way(
    own: Sequence[int],
    before: SensedKinds,
    seen: SensedKinds,
    should: SensedKinds,
    trail: RefereeContext,
) -> bool:
    """True if hands have begun to undo a move that changed these cells, and nothing else differs:
    its pieces are up, or those before it stand there again."""
    wrong = set(differing(seen, should))
    kept = trail.to_mend | trail.unseen
    return (
        bool(wrong)
        and wrong.issubset(own)
        and all(seen[cell] in (Kind.EMPTY, before[cell]) for cell in wrong)
        and kept.isdisjoint(wrong)
    )


def _exchanges(
    game: Game, position: Position, seen: SensedKinds, should: SensedKinds, trail: RefereeContext
) -> tuple[Move, ...]:
    """Moves of a person that put another piece where just one was lifted, and change no more."""
    up = differing(seen, should)
    return tuple(
        move
        for side in game.movers(position)
        if side in trail.people
        for move in game.moves(position, side)
        if [cell for cell, _, after in game.effects(position, move) if after] == up
    )


def _corrected(
    game: Game,
    seen: SensedKinds,
    should: SensedKinds,
    turned: frozenset[int],
    trail: RefereeContext,
) -> Move | None:
    """Return the move that a person's last one truly was: set down off centre, a strong piece reads
    neutral, and put right without a lift it shows its colour. The other way round nothing is
    corrected: there a piece that was right has slipped."""
    if 1 not in trail.backs or not trail.past:
        return None
    before = game.kinds_on(trail.past[-1])
    moved = differing(should, before)
    if differing(seen, should) != moved or not turned.issuperset(moved):
        return None
    if any(should[c] != Kind.NEUTRAL or seen[c] not in (Kind.WHITE, Kind.BLACK) for c in moved):
        return None
    return _as_person(game, trail.past[-1], seen, trail)


def _as_person(
    game: Game, position: Position, seen: SensedKinds, trail: RefereeContext, *, lifts: bool = False
) -> Move | None:
    """The move of a person that `seen` shows in `position`, if it is one (`lifts`: or would be
    one once it is confirmed)."""
    reading = game.read(position, seen)
    if not isinstance(reading, Complete) or (reading.confirm and not lifts):
        return None
    move = reading.move
    if move.side not in trail.people or game.why_not(position, move.side, move) is not None:
        return None
    return move


def _tries_to_place(game: Game, position: Position, seen: SensedKinds, should: SensedKinds) -> bool:
    """True if the one change is a piece of a side to move, set on an empty cell."""
    changed = differing(seen, should)
    kinds = {side + 1 for side in game.movers(position)}
    return len(changed) == 1 and should[changed[0]] == Kind.EMPTY and seen[changed[0]] in kinds


def _still_to_mend(
    game: Game,
    position: Position,
    seen: SensedKinds,
    should: SensedKinds,
    to_mend: set[int],
    trail: RefereeContext,
) -> Verdict:
    """Judge cells that are to be mended: until they are, their pieces never become a move by lying
    there."""
    live = tuple(should[c] if c in to_mend else kind for c, kind in enumerate(seen))
    if live != should and _as_person(game, position, live, trail, lifts=True) is None:
        return Repair(mending_steps(seen, should))
    steps = mending_steps(seen, should, to_mend)
    return Repair(steps) if trail.refused is None else Refuse(trail.refused, steps)


def _in_air(game: Game, position: Position, seen: SensedKinds, trail: RefereeContext) -> bool:
    """True if the person to move has lifted something and it can still go on from there."""
    reading = game.read(position, seen)
    on_the_way = isinstance(reading, Partial) or (isinstance(reading, Complete) and reading.confirm)
    return on_the_way and _persons_turn(game, position, trail)


def _odd_cells(seen: SensedKinds, should: SensedKinds, turned: frozenset[int]) -> Refusal | None:
    """Pieces that cannot be told, and pieces that changed their kind without being lifted."""
    for kind, rule in STRANGE_RULES.items():
        if kind in seen:
            return Refusal(rule, tuple(c for c, k in enumerate(seen) if k == kind))
    changed = tuple(
        c for c in sorted(turned) if should[c] != Kind.EMPTY and seen[c] not in (0, should[c])
    )
    return Refusal("table.kind-changed", changed) if changed else None


def _as_move(
    game: Game,
    position: Position,
    seen: SensedKinds,
    should: SensedKinds,
    pending: Pending | None,
    trail: RefereeContext,
    now_us: int,
) -> Verdict:
    reading = game.read(position, seen)
    if isinstance(reading, Idle):
        return Agree()
    if isinstance(reading, Partial | Ambiguous) and not _persons_turn(game, position, trail):
        return Refuse(_machines_turn(seen, should), mending_steps(seen, should))
    if isinstance(reading, Partial):
        return Wait(AIR, marks=reading.marks)
    if isinstance(reading, Ambiguous):
        return Choose(reading.moves)
    if isinstance(reading, Complete):
        return _complete(game, position, reading, seen, should, pending, trail, now_us)
    if pending is not None and pending.by == LIFT and not game.lifts_by_button:
        answer = _after_lift(game, position, seen, pending, trail, now_us)
        if answer is not None:
            return answer
    return _wrong(reading, seen, should)


def _complete(
    game: Game,
    position: Position,
    reading: Complete,
    seen: SensedKinds,
    should: SensedKinds,
    pending: Pending | None,
    trail: RefereeContext,
    now_us: int,
) -> Verdict:
    move = reading.move
    if move.side not in trail.people:
        return Refuse(_machines_turn(seen, should), mending_steps(seen, should))
    refusal = game.why_not(position, move.side, move)
    if refusal is not None:
        return Refuse(refusal, mending_steps(seen, should))
    if not reading.confirm:
        return Commit((move,))
    if pending is None or pending.by != LIFT or pending.move != move:
        # Who lifts a piece that the move leaves where it was may only want to look.
        is_lift = not game.lifts_by_button and not comes_back(game, position, seen, move)
        timed = trail.countdown_us is not None and is_lift
        due = now_us + (trail.countdown_us or 0) if timed else None
        return Wait(CONFIRM, due, move, reading.marks)
    if _is_due(pending, now_us):
        return Commit((move,))
    return Wait(CONFIRM, pending.due_us, move, reading.marks)


def _is_due(lift: Pending, now_us: int) -> bool:
    """True if a lift is played now: by a word, or by itself."""
    return lift.confirmed or (lift.due_us is not None and now_us >= lift.due_us)


def comes_back(game: Game, position: Position, seen: Sequence[int], move: Move) -> tuple[int, ...]:
    """The cells of pieces in the air that stand where they stood once this move is played."""
    changed = {cell for cell, _, _ in game.effects(position, move)}
    should = game.kinds_on(position)
    return tuple(
        cell for cell, kind in enumerate(should) if kind and not seen[cell] and cell not in changed
    )


def _after_lift(
    game: Game,
    position: Position,
    seen: SensedKinds,
    pending: Pending,
    trail: RefereeContext,
    now_us: int,
) -> Verdict | None:
    """A lift is waiting and something more happened: the opponent's next legal move plays both."""
    lifted = game.play(position, pending.move)
    goal = game.kinds_on(lifted)
    if any(seen[c] != goal[c] for c, kind in enumerate(game.pieces(position)) if kind != goal[c]):
        return None
    if _is_due(pending, now_us):
        return Commit((pending.move,))
    reading = game.read(lifted, seen)
    if isinstance(reading, Complete):
        move = reading.move
        refusal = game.why_not(lifted, move.side, move)
        if move.side not in trail.people:
            refusal = _machines_turn(seen, goal)
        if refusal is not None:
            return Refuse(refusal, mending_steps(seen, goal))
        if not reading.confirm:
            return Commit((pending.move, move))
        return Wait(CONFIRM, pending.due_us, pending.move)
    if isinstance(reading, Wrong):
        return _wrong(reading, seen, goal)
    return Wait(CONFIRM, pending.due_us, pending.move)


def _wrong(reading: Reading, seen: SensedKinds, goal: SensedKinds) -> Verdict:
    """Refuse a single change that broke a rule; several are repaired, and no rule is named."""
    changed = differing(seen, goal)
    if isinstance(reading, Wrong) and (len(changed) == 1 or reading.whole):
        return Refuse(reading.refusal, mending_steps(seen, goal))
    return Repair(mending_steps(seen, goal))


def _persons_turn(game: Game, position: Position, trail: RefereeContext) -> bool:
    return any(side in trail.people for side in game.movers(position))


def _machines_turn(seen: SensedKinds, should: SensedKinds) -> Refusal:
    return Refusal("table.machines-turn", tuple(differing(seen, should)))


HANDS = 2
"""Most misplaced stones that each keep their mark: one for each side."""


def limit_astray_marks(marks: Sequence[Mark], first: int) -> tuple[Mark, ...]:
    """Return the marks; where misplaced stones are too many, of theirs only the one on cell
    `first`.

    >>> mess = [Mark(cell, mark_kinds.ASTRAY) for cell in (4, 5, 6)]
    >>> [mark.cell for mark in limit_astray_marks(mess, 5)]
    [5]
    >>> len(limit_astray_marks(mess[:2], 5))
    2
    """
    misplaced = {mark.cell for mark in marks if mark.meaning == mark_kinds.ASTRAY}
    if len(misplaced) <= HANDS:
        return tuple(marks)
    return tuple(mark for mark in marks if mark.meaning != mark_kinds.ASTRAY or mark.cell == first)
