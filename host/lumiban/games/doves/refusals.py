"""Reasons why an action of Tokyo Doves is not allowed: the rule, and the cells that prove it.

Under the weak ban a repetition stands until the other side claims it, before their action. A
Position keeps then in `extra` the action just done (−1 when the last thing was no action), how many
actions claims have barred in this turn, these, and those that were barred in the turn before; its
`state` ends with the keys of all positions faced, this one last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lumiban.games.base import Position, Refusal
from lumiban.games.doves.kernel import (
    BARRED,
    BY_CLAIM,
    BY_INITIAL,
    BY_REPETITION,
    FACES,
    MOVER,
    NO_INITIAL,
    NORMAL,
    ONLY_BOSSES,
    PRESENT,
    RED_CELLS,
    REPEAT,
    SIDE,
    STEPS,
    STRONG,
    TOTSU,
    WIDEST,
    DovesState,
    adjacent_cells,
    barring,
    columns_of,
    doves_of,
    edge,
    key_after,
    place_in,
    places_in,
    rows_of,
    slides,
)
from lumiban.games.doves.notation import (
    LETTERS,
    MOVE,
    REMOVE,
    action,
    cell_of,
    place_of,
)

RESIGN = "resign"


def ban_on(state: DovesState, code: int) -> Refusal | None:
    """The ban that an action breaks which is legal otherwise: claim, start or repetition."""
    plan, board, past = state.plan, state.board, state.past
    act, kind, cell = action(code)
    mover = board[MOVER]
    dove = 2 * kind + mover
    to = -1 if act == REMOVE else place_of(cell)
    asked = BY_REPETITION if plan[REPEAT] >= NORMAL else 0
    if board[BARRED]:
        asked |= BY_CLAIM
    present = board[PRESENT] if act == MOVE else board[PRESENT] ^ (1 << (11 - dove))
    if plan[NO_INITIAL] and present == ONLY_BOSSES:
        asked |= BY_INITIAL
    rule = barring(plan, board, past, code, dove, to, asked)
    if rule == 0:
        return None
    shown = tuple(
        cell_of(to if other == dove else place)
        for other, place in enumerate(places_in(board))
        if (to if other == dove else place) >= 0
    )
    if rule == BY_CLAIM:
        return Refusal("doves.barred", shown)
    if rule == BY_INITIAL:
        return Refusal("doves.initial", shown)
    strong = plan[REPEAT] == STRONG
    key = key_after(board, dove, to, strong)
    before = past.index(key, FACES) - FACES + 1
    slug = "doves.faced-turned" if strong else "doves.faced"
    return Refusal(slug, shown, (("turn", before),))


def no_put(board: Any, kind: int, cell: int) -> Refusal | None:
    """Reason why this dove cannot be put there, None if it can."""
    mover = board[MOVER]
    dove = 2 * kind + mover
    start = place_in(board, dove)
    if start >= 0:
        return Refusal("doves.not-in-hand", (cell_of(start),), named(dove))
    place = place_of(cell)
    own, enemy = board[RED_CELLS + mover], board[RED_CELLS + 1 - mover]
    if (own | enemy) >> place & 1:
        return Refusal("doves.occupied", (cell,))
    boss = place_in(board, 1 - mover)
    if edge(1 << boss) >> place & 1:
        return Refusal("doves.beside-enemy-boss", (cell_of(boss),))
    if not adjacent_cells(own) >> place & 1:
        return Refusal("doves.touches-no-own", cells_of(own))
    return _too_wide(own | enemy, place)


def no_move(plan: Any, board: Any, kind: int, cell: int) -> Refusal | None:
    """Reason why this dove cannot move there, None if it can."""
    dove = 2 * kind + board[MOVER]
    start, place = place_in(board, dove), place_of(cell)
    if start < 0:
        return Refusal("doves.not-on-board", (), named(dove))
    if start == place:
        return Refusal("doves.no-action", (cell,))
    rest = (board[RED_CELLS] | board[RED_CELLS + 1]) & ~(1 << start)
    if rest >> place & 1:
        return Refusal("doves.occupied", (cell,))
    if kind == TOTSU:
        if not slides(0, start) >> place & 1:
            return Refusal("doves.not-its-way", (cell_of(start),), named(dove))
        if not slides(rest, start) >> place & 1:
            return Refusal("doves.blocked", _between(rest, start, place), named(dove))
    elif not plan[STEPS + 48 * kind + start] >> place & 1:
        return Refusal("doves.not-its-way", (cell_of(start),), named(dove))
    wide = _too_wide(rest, place)
    if wide is not None:
        return wide
    if not adjacent_cells(rest) >> place & 1:
        return Refusal("doves.alone", (cell,), named(dove))
    lonely = rest & ~adjacent_cells(rest) & ~adjacent_cells(1 << place)
    return left_alone(lonely) if lonely else None


def left_alone(lonely: int) -> Refusal:
    """That these doves would touch no other any more."""
    cells = cells_of(lonely)
    return Refusal("doves.left-alone", cells, (("count", len(cells)),))


def _too_wide(rest: int, place: int) -> Refusal | None:
    """Refusal if a dove at `place` makes the others' box too large.

    The proof is the wall that it would stand on, or the doves that are too far away.
    """
    for used, line, step in (
        (rows_of(rest), place >> 3, 8),
        (columns_of(rest), place & 7, 1),
    ):
        lines = [at for at in range(SIDE) if used >> at & 1]
        first, last = min(*lines, line), max(*lines, line)
        if last - first < WIDEST:
            continue
        if lines[-1] - lines[0] == WIDEST - 1:
            across = 1 if step == 8 else 8
            proof = tuple(cell_of(step * line + across * at) for at in range(SIDE))
        else:
            far = lines[0] if line == last else lines[-1]
            proof = tuple(
                cell for cell in cells_of(rest) if divmod(cell, SIDE)[0 if step == 8 else 1] == far
            )
        return Refusal("doves.too-wide", proof, (("width", last - first + 1),))
    return None


def _between(rest: int, start: int, end: int) -> tuple[int, ...]:
    """The cells of doves between two places of one row or column."""
    step = 8 if (end - start) % 8 == 0 else 1
    low, high = min(start, end), max(start, end)
    return tuple(cell_of(at) for at in range(low + step, high, step) if rest >> at & 1)


def cells_of(word: int) -> tuple[int, ...]:
    """The cell numbers of a set of cells."""
    return tuple(cell for cell in range(SIDE * SIDE) if word >> place_of(cell) & 1)


def named(dove: int) -> tuple[tuple[str, str | int], ...]:
    """A dove as a parameter of a refusal."""
    return (("dove", LETTERS[dove]),)


CLAIM = "claim"


def barred(position: Position) -> tuple[int, ...]:
    """The actions that claims have undone in this turn."""
    return position.extra[2 : 2 + position.extra[1]] if position.extra else ()


def after_claim(position: Position, code: int) -> tuple[int, ...]:
    """`extra` after an action in this position."""
    return (code, 0, *barred(position))


def is_claimable(position: Position) -> bool:
    """True if the side to move has faced this position before and may have it undone."""
    if not position.extra or position.extra[0] < 0:
        return False
    faced = position.state[13:]
    return faced[-1] in faced[:-1]


def without_claim(position: Position) -> Position:
    """The position before the last action, which is barred now."""
    faced = position.state[13:-1]
    code, count, *rest = position.extra
    bars = (*rest[count:], code)
    return replace(
        position,
        state=(1 - position.state[0], *doves_of(faced[-1]), *faced),
        extra=(-1, len(bars), *bars),
    )
