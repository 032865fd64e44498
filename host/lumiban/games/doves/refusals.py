"""Why an action of Tokyo Doves is not allowed: the rule, and the cells that prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lumiban.games.api import Move, Position, Refusal
from lumiban.games.doves import claims
from lumiban.games.doves.actions import (
    BY_CLAIM,
    BY_INITIAL,
    BY_REPETITION,
    barring,
    columns_of,
    edge,
    near,
    rows_of,
    slides,
)
from lumiban.games.doves.keys import key_of
from lumiban.games.doves.notation import LETTERS, MOVE, PUT, REMOVE, action, cell_of, place_of
from lumiban.games.doves.plan import (
    BARRED,
    DOVE,
    FACES,
    MOVER,
    NO_INITIAL,
    NORMAL,
    ONLY_BOSSES,
    PRESENT,
    RED_CELLS,
    REMOVES,
    REPEAT,
    SIDE,
    STEPS,
    STRONG,
    TOTSU,
    WIDEST,
)

if TYPE_CHECKING:
    from lumiban.games.doves.game import Doves

RESIGN = "resign"


def why_not(game: Doves, position: Position, side: int, move: Move) -> Refusal | None:
    """The rule that forbids `side` this action or word in this position, or None."""
    if game.outcome(position) is not None:
        return Refusal("doves.over")
    if side not in (0, 1):
        return Refusal("doves.not-your-turn")
    if move.text == RESIGN:
        return None
    if move.text == claims.CLAIM:
        return claims.why_not(game, position, side)
    if move.is_word or move.code >= REMOVES + 6:
        return Refusal("doves.unreadable", params=(("text", move.text),))
    if side not in game.movers(position) or move.side != side:
        return Refusal("doves.not-your-turn")
    state = game.known(position)
    act, kind, cell = action(move.code)
    if act == PUT:
        broken = _no_put(state.board, kind, cell)
    elif act == MOVE:
        broken = _no_move(state.plan, state.board, kind, cell)
    else:
        broken = _no_removal(game, state.board, kind)
    if broken is not None:
        return broken
    return banned(state.plan, state.board, move.code)


def banned(plan: Any, board: Any, code: int) -> Refusal | None:
    """The ban that an action breaks which is legal otherwise: claim, start or repetition."""
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
    rule = barring(plan, board, code, dove, to, asked)
    if rule == 0:
        return None
    shown = tuple(
        cell_of(to if other == dove else place)
        for other, place in enumerate(board[DOVE : DOVE + 12])
        if (to if other == dove else place) >= 0
    )
    if rule == BY_CLAIM:
        return Refusal("doves.barred", shown)
    if rule == BY_INITIAL:
        return Refusal("doves.initial", shown)
    strong = plan[REPEAT] == STRONG
    key = key_of(board, dove, to, 1 - mover, strong)
    before = board.index(key, FACES) - FACES + 1
    slug = "doves.faced-turned" if strong else "doves.faced"
    return Refusal(slug, shown, (("turn", before),))


def _no_put(board: Any, kind: int, cell: int) -> Refusal | None:
    mover = board[MOVER]
    dove = 2 * kind + mover
    if board[DOVE + dove] >= 0:
        return Refusal("doves.not-in-hand", (cell_of(board[DOVE + dove]),), _named(dove))
    place = place_of(cell)
    own, enemy = board[RED_CELLS + mover], board[RED_CELLS + 1 - mover]
    if (own | enemy) >> place & 1:
        return Refusal("doves.occupied", (cell,))
    boss = board[DOVE + 1 - mover]
    if edge(1 << boss) >> place & 1:
        return Refusal("doves.beside-enemy-boss", (cell_of(boss),))
    if not near(own) >> place & 1:
        return Refusal("doves.touches-no-own", cells_of(own))
    return _too_wide(own | enemy, place)


def _no_move(plan: Any, board: Any, kind: int, cell: int) -> Refusal | None:
    dove = 2 * kind + board[MOVER]
    start, place = board[DOVE + dove], place_of(cell)
    if start < 0:
        return Refusal("doves.not-on-board", (), _named(dove))
    if start == place:
        return Refusal("doves.no-action", (cell,))
    rest = (board[RED_CELLS] | board[RED_CELLS + 1]) & ~(1 << start)
    if rest >> place & 1:
        return Refusal("doves.occupied", (cell,))
    if kind == TOTSU:
        if not slides(0, start) >> place & 1:
            return Refusal("doves.not-its-way", (cell_of(start),), _named(dove))
        if not slides(rest, start) >> place & 1:
            return Refusal("doves.blocked", _between(rest, start, place), _named(dove))
    elif not plan[STEPS + 48 * kind + start] >> place & 1:
        return Refusal("doves.not-its-way", (cell_of(start),), _named(dove))
    wide = _too_wide(rest, place)
    if wide is not None:
        return wide
    if not near(rest) >> place & 1:
        return Refusal("doves.alone", (cell,), _named(dove))
    lonely = rest & ~near(rest) & ~near(1 << place)
    return _left_alone(lonely) if lonely else None


def _no_removal(game: Doves, board: Any, kind: int) -> Refusal | None:
    dove = 2 * kind + board[MOVER]
    place = board[DOVE + dove]
    if kind == 0:
        return Refusal("doves.boss-stays", (cell_of(place),))
    if place < 0:
        return Refusal("doves.not-on-board", (), _named(dove))
    if game.options["remove"] == "off":
        return Refusal("doves.no-removing", (cell_of(place),))
    rest = (board[RED_CELLS] | board[RED_CELLS + 1]) & ~(1 << place)
    lonely = rest & ~near(rest)
    return _left_alone(lonely) if lonely else None


def _left_alone(lonely: int) -> Refusal:
    cells = cells_of(lonely)
    return Refusal("doves.left-alone", cells, (("count", len(cells)),))


def _too_wide(rest: int, place: int) -> Refusal | None:
    """Whether a dove at `place` makes the others' box too large.

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


def _named(dove: int) -> tuple[tuple[str, str | int], ...]:
    return (("dove", LETTERS[dove]),)
