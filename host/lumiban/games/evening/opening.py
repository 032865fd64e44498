"""The pie of the opening `pie`, in words: one player sets up stones, the other takes a colour.

White's seat says `put wc4` and `put bc4` for any number of stones, `lift c4` to take one off
again, and `done` once there is a white one; then Black's seat says `take white` or `take black`.
Who takes White there has swapped sides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lumiban.games.api import BLACK, WHITE, Effect, Kind, Move, Position, Refusal

if TYPE_CHECKING:
    from lumiban.games.evening.game import Evening

SETTING, CHOOSING = "set", "choose"
"""The phases of a pie before `play`."""

DONE, TAKE_WHITE, TAKE_BLACK = "done", "take white", "take black"
_STONE = {"w": 1, "b": -1}
_KIND = {0: Kind.EMPTY, 1: Kind.WHITE, -1: Kind.BLACK}


def is_word(game: Evening, text: str) -> bool:
    """Whether this is a word of the pie, said at the right time or not."""
    return text in (DONE, TAKE_WHITE, TAKE_BLACK) or _change(game, text) is not None


def words(game: Evening, position: Position, side: int) -> tuple[str, ...]:
    """The words of the pie that `side` may say now."""
    if position.phase == SETTING and side == WHITE:
        said = tuple(move.text for move in changes(game, position))
        return (*said, DONE) if 1 in game.stones(position) else said
    if position.phase == CHOOSING and side == BLACK:
        return (TAKE_WHITE, TAKE_BLACK)
    return ()


def changes(game: Evening, position: Position) -> list[Move]:
    """`put` for each colour and empty cell, `lift` for each stone."""
    stones = game.stones(position)
    found = [
        Move(WHITE, f"put {letter}{name}")
        for letter in _STONE
        for cell, name in enumerate(game.grid.names)
        if stones[cell] == 0
    ]
    lifts = [name for cell, name in enumerate(game.grid.names) if stones[cell] != 0]
    return found + [Move(WHITE, f"lift {name}") for name in lifts]


def why_not(game: Evening, position: Position, side: int, move: Move) -> Refusal | None:
    """Why this word of the pie may not be said by `side` now."""
    change = _change(game, move.text)
    sets = change is not None or move.text == DONE
    if position.phase != (SETTING if sets else CHOOSING):
        return Refusal("evening.not-now", params=(("word", move.text),))
    if side != (WHITE if sets else BLACK):
        return Refusal("evening.other-player")
    if change is not None:
        stone, cell = change
        there = game.stones(position)[cell]
        if stone != 0 and there != 0:
            return Refusal("evening.occupied", (cell,))
        if stone == 0 and there == 0:
            return Refusal("evening.empty-cell", (cell,))
    if move.text == DONE and 1 not in game.stones(position):
        return Refusal("evening.pie-needs-white")
    return None


def play(game: Evening, position: Position, move: Move) -> Position:
    """The position after a word of the pie that is allowed."""
    change = _change(game, move.text)
    if change is not None:
        stone, cell = change
        state = list(position.state)
        state[cell] = stone
        return replace(position, state=tuple(state))
    if move.text == DONE:
        return replace(position, phase=CHOOSING)
    return replace(position, phase="play", extra=(int(move.text == TAKE_WHITE),))


def effects(game: Evening, position: Position, move: Move) -> tuple[Effect, ...]:
    """`put` and `lift` change one cell, other words none."""
    change = _change(game, move.text)
    if change is None:
        return ()
    stone, cell = change
    return ((cell, _KIND[game.stones(position)[cell]], _KIND[stone]),)


def _change(game: Evening, text: str) -> tuple[int, int] | None:
    """(stone, cell) of `put wc4` or, with 0 for the stone, of `lift c4`; None for other words."""
    word, _, rest = text.partition(" ")
    stone = 0
    if word == "put" and rest[:1] in _STONE:
        stone, rest = _STONE[rest[0]], rest[1:]
    elif word != "lift":
        return None
    return (stone, game.grid.cell(rest)) if rest in game.grid.names else None
