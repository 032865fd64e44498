"""Setting up a position of Rengi, and telling those that no game reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lumiban.errors import GameError
from lumiban.games.api import Position
from lumiban.games.rengi.field import FIELD_SIZE, colour_at, is_dead, step
from lumiban.games.rengi.field_text import parse
from lumiban.games.rengi.plan import (
    BEGINS,
    BONUS,
    CARRIED,
    CARRY,
    CLOCK,
    FACED,
    FIELDS,
    FRAMES,
    MADE,
    MOVER,
    NOW,
    PLACEMENTS,
    RATE,
    SIDE_SIZE,
    SIDES,
    STAY14,
    A,
)

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi

TAKES = ("fields", "waiting", "time", "made", "bonus", "carried", "seed")


def place(
    game: Rengi, stones: Mapping[str, int], to_move: int | str, more: Mapping[str, Any]
) -> Position:
    """The position with these fields and numbers; GameError says why there is none."""
    strange = sorted(set(more) - set(TAKES))
    if strange or stones:
        what = ", ".join(strange) or "pieces by cells"
        raise GameError(f"rengi sets up {', '.join(TAKES)} and to_move, not {what}")
    side = _side(game, to_move)
    position = game.start(_least(more.get("seed", 0), "seed", 0))
    state = game.state(position)
    plan, board = state.plan, state.board
    fields = more.get("fields", ("", ""))
    if isinstance(fields, str) or len(fields) != 2:
        raise GameError("fields are two texts, the first player's and the second's")
    for owner in (0, 1):
        at = FIELDS + owner * FIELD_SIZE
        if fields[owner]:
            board[at : at + FIELD_SIZE] = _field(game, str(fields[owner]), owner, plan)
    for name, place_, least in (
        ("waiting", A, 0),
        ("made", MADE, 0),
        ("bonus", BONUS, 0),
        ("carried", CARRIED, 0),
    ):
        if name in more:
            for owner, number in enumerate(_two(more[name], name, least)):
                board[SIDES + owner * SIDE_SIZE + place_] = number
    most = max(board[SIDES + owner * SIDE_SIZE + CARRIED] for owner in (0, 1))
    if most >= plan[RATE] or (most > 0 and not plan[CARRY]):
        raise GameError(
            f"points carried are less than the rate, {plan[RATE]}, and need carry_remainder=on"
        )
    _set_clocks(plan, board, side, _least(more.get("time", 0), "time", 0))
    board[FACED] = 0
    return replace(game.facing(state), seed=position.seed)


def _set_clocks(plan: Any, board: Any, side: int, time: int) -> None:
    """`side` acts at a time, in ticks or frames, the other one right after it."""
    board[MOVER] = side
    for owner in (0, 1):
        late = int(owner != board[BEGINS])
        if plan[FRAMES]:
            clock = time + int(owner != side)
        else:
            clock = 2 * time + late + 2 * int(owner != side and not late)
        board[SIDES + owner * SIDE_SIZE + CLOCK] = clock
    board[NOW] = board[SIDES + side * SIDE_SIZE + CLOCK]


def _field(game: Rengi, text: str, owner: int, plan: Any) -> list[int]:
    field = parse(text)
    whose = game.sides[owner]
    if not plan[STAY14] and any(colour_at(field, 0, column, 14) for column in range(6)):
        raise GameError(f"the {whose} field has a block in row 14: that needs row14=stay")
    if is_dead(field, 0):
        raise GameError(f"the {whose} field is lost: column 3 is filled up to row 12")
    if step(list(field), 0, 0, [0] * PLACEMENTS):
        raise GameError(f"the {whose} field is not at rest: four or more blocks would go at once")
    return field


def _side(game: Rengi, to_move: int | str) -> int:
    if to_move in game.sides:
        return game.sides.index(str(to_move))
    if to_move not in (0, 1) or isinstance(to_move, bool):
        raise GameError(f"to_move is first (0) or second (1), not {to_move!r}")
    return int(to_move)


def _least(value: Any, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise GameError(f"{name} is a whole number from {least} on, not {value!r}")
    return value


def _two(value: Any, name: str, least: int) -> tuple[int, int]:
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise GameError(f"{name} are two numbers, the first player's and the second's")
    return _least(value[0], name, least), _least(value[1], name, least)
