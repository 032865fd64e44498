"""Why an action of Tokyo Doves is not allowed: the rule, and the cells that prove it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lumiban.games import marks as means
from lumiban.games.base import Mark, Move, Position, Refusal
from lumiban.games.doves import kernel
from lumiban.games.doves.kernel import (
    BARRED,
    BY_CLAIM,
    BY_INITIAL,
    BY_REPETITION,
    CELLS,
    DOVE,
    FACES,
    FRAME,
    KINDS,
    MAX_ACTIONS,
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
    adjacent_cells,
    barring,
    columns_of,
    doves_of,
    edge,
    key_of,
    rows_of,
    slides,
)
from lumiban.games.doves.notation import (
    LETTERS,
    MOVE,
    PUT,
    REMOVE,
    action,
    cell_of,
    code_of,
    place_of,
)
from lumiban.games.explain import MoveEffect as MoveEffect
from lumiban.games.explain import said

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
    if move.text == CLAIM:
        return claim_refusal(game, position, side)
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
    return ban_on(state.plan, state.board, move.code)


def ban_on(plan: Any, board: Any, code: int) -> Refusal | None:
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
    if not adjacent_cells(own) >> place & 1:
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
    if not adjacent_cells(rest) >> place & 1:
        return Refusal("doves.alone", (cell,), _named(dove))
    lonely = rest & ~adjacent_cells(rest) & ~adjacent_cells(1 << place)
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
    lonely = rest & ~adjacent_cells(rest)
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


# --- The weak ban: a repetition stands until the other side claims it, before their action ---
#
# A Position under `weak` keeps in `extra` the action just done (−1 when the last thing was no
# action), how many actions claims have barred in this turn, these, and those that were barred in
# the turn before; its `state` ends with the keys of all positions faced, this one last.


CLAIM = "claim"
NOTHING_DONE = (-1, 0)
"""`extra` when there is nothing to claim and nothing is barred."""


def barred(position: Position) -> tuple[int, ...]:
    """The actions that claims have undone in this turn."""
    return position.extra[2 : 2 + position.extra[1]] if position.extra else ()


def after_claim(position: Position, code: int) -> tuple[int, ...]:
    """`extra` after an action in this position."""
    return (code, 0, *barred(position))


def claimable(position: Position) -> bool:
    """Whether the side to move has faced this position before and may have it undone."""
    if not position.extra or position.extra[0] < 0:
        return False
    faced = position.state[13:]
    return faced[-1] in faced[:-1]


def claim_refusal(game: Doves, position: Position, side: int) -> Refusal | None:
    """Why `side` may not claim, or None."""
    if game.options["repetition"] != "weak":
        return Refusal("doves.no-claims")
    if side not in game.movers(position):
        return Refusal("doves.not-your-turn")
    if not claimable(position):
        return Refusal("doves.nothing-to-claim")
    return None


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


# --- What cells mean in Tokyo Doves at each hint level: targets, bans, walls, air of a boss ---


BARRED_MARK, WALL_MARK, SHORT_MARK = means.BARRED, means.WALL, means.SHORT
"""Meanings that other games lack: only a ban keeps you from here; nobody gets past here; a boss
with one free side, or none."""


def marks(game: Doves, position: Position, level: str) -> tuple[Mark, ...]:
    """The marks of a level: `none`, `legal`, `control`, `coach`, each with those before it."""
    if level == "none":
        return ()
    found: list[Mark] = []
    for side in game.movers(position):
        found += _homes(game, position, side)
    if level == "legal":
        return tuple(found)
    found += [Mark(cell, WALL_MARK) for cell in walls(game, position)]
    for side in (0, 1):
        free = air(game, position, side)
        if len(free) <= 1:
            found.append(Mark(cell_of(game.places(position)[side]), SHORT_MARK, side))
            if level == "coach":
                found += [Mark(cell, SHORT_MARK, side) for cell in free]
    return tuple(found)


def _homes(game: Doves, position: Position, side: int) -> list[Mark]:
    """Where `side` may put a dove from its hand; a cell is barred when it is so for all."""
    state = game.known(position)
    kinds = [KINDS.index(letter.upper()) for letter in game.hand(position, side)]
    if not kinds:
        return []
    found = []
    for cell in cells_of(kernel.homes(state.plan, state.board, side)):
        open_to = any(
            ban_on(state.plan, state.board, code_of(PUT, kind, cell)) is None for kind in kinds
        )
        found.append(Mark(cell, means.MAY_PLACE if open_to else BARRED_MARK, side))
    return found


def targets(game: Doves, position: Position, cell: int) -> tuple[Mark, ...]:
    """Where the dove on `cell` may move with that dove lifted; () if it is not the mover's."""
    letter = game.doves(position).get(cell)
    if letter is None:
        return ()
    kind, side = divmod(LETTERS.index(letter), 2)
    if side not in game.movers(position):
        return ()
    state = game.known(position)
    place = place_of(cell)
    rest = _occupied(game, position) & ~(1 << place)
    found = []
    for to in cells_of(kernel.targets(state.plan, rest, kind, place)):
        banned = ban_on(state.plan, state.board, code_of(MOVE, kind, to))
        found.append(Mark(to, means.LIFT_TARGET if banned is None else BARRED_MARK, side))
    return tuple(found)


def walls(game: Doves, position: Position) -> tuple[int, ...]:
    """The cells of the frame that are wall now."""
    return cells_of(kernel.walls(_occupied(game, position)))


def air(game: Doves, position: Position, side: int) -> tuple[int, ...]:
    """The free sides of a boss: cells beside it without dove or wall."""
    board = game.known(position).board
    occupied = _occupied(game, position)
    beside = kernel.edge(1 << board[DOVE + side]) & FRAME
    return cells_of(beside & ~occupied & ~kernel.walls(occupied))


def _occupied(game: Doves, position: Position) -> int:
    board = game.known(position).board
    word: int = board[RED_CELLS] | board[RED_CELLS + 1]
    return word


# --- What an action of Tokyo Doves does: wins threatened and averted, air, walls ---


def says(game: Doves, position: Position, move: Move) -> tuple[MoveEffect, ...]:
    """The words for an action; its cells are those of the frame before it."""
    me, other = move.side, 1 - move.side
    after = game.play(position, move)
    if game.outcome(after) is not None:
        return ()
    columns, rows = game.shift(position, move, after)

    def back(cell: int) -> int:
        """The cell of the frame before the action, −1 where that has none."""
        row, column = cell // SIDE - rows, cell % SIDE - columns
        return SIDE * row + column if 0 <= row < SIDE and 0 <= column < SIDE else -1

    found = []
    wins = _winning(game, after, me)
    if wins:
        found.append(said("doves.threatens", _on(back(cell_of(game.places(after)[other])))))
    if _winning(game, position, other) and not _winning(game, after, other):
        found.append(said("doves.averts", [cell_of(game.places(position)[me])]))
    for side, more, fewer in ((other, "", "doves.takes-air"), (me, "doves.gives-air", "")):
        was = len(air(game, position, side))
        free = air(game, after, side)
        what = more if len(free) > was else fewer if len(free) < was else ""
        if what:
            found.append(said(what, _on(*map(back, free)), n=len(free)))
    was_, now = set(walls(game, position)), {back(c) for c in walls(game, after)}
    moved = sorted((now - was_) - {-1})
    if moved:
        found.append(said("doves.walls", moved))
    elif was_ and not walls(game, after):
        found.append(said("doves.no-walls", sorted(was_)))
    return tuple(found)


def _on(*cells: int) -> list[int]:
    return [cell for cell in cells if 0 <= cell < CELLS]


def _winning(game: Doves, position: Position, side: int) -> bool:
    """Whether `side` would win with its next action if it were to move."""
    root = game.state(game.position(game.places(position), side))
    state, out = game.state(game.position(game.places(position), side)), [0] * MAX_ACTIONS
    for code in out[: root.moves(out)]:
        state.assign(root)
        state.play(code)
        if state.outcome() == side + 1:
            return True
    return False
