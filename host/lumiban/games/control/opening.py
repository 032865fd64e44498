"""The pie of the opening `pie2`, in words: one player sets two stones, the other takes a colour.

White's seat says `put wc4`, `put bc4` (again to move a stone) and `done`, then Black's seat says
`take white` or `take black`, and White moves next. Who takes White there has swapped sides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lumiban.games.api import BLACK, WHITE, Effect, Kind, Move, Position, Refusal

if TYPE_CHECKING:
    from lumiban.games.control.game import Control

SETTING, CHOOSING = "set", "choose"
"""The phases of a pie before `play`."""

DONE, TAKE_WHITE, TAKE_BLACK = "done", "take white", "take black"
_STONE = {"w": 1, "b": -1}
_KIND = {1: Kind.WHITE, -1: Kind.BLACK}


def is_word(game: Control, text: str) -> bool:
    """Whether this is a word of the pie, said at the right time or not."""
    return text in (DONE, TAKE_WHITE, TAKE_BLACK) or _put(game, text) is not None


def words(game: Control, position: Position, side: int) -> tuple[str, ...]:
    """The words of the pie that `side` may say now."""
    if position.phase == SETTING and side == WHITE:
        said = tuple(move.text for move in puts(game, position))
        return (*said, DONE) if _complete(game, position) else said
    if position.phase == CHOOSING and side == BLACK:
        return (TAKE_WHITE, TAKE_BLACK)
    return ()


def puts(game: Control, position: Position) -> list[Move]:
    """`put` for each colour and empty cell."""
    stones = game.stones(position)
    return [
        Move(WHITE, f"put {letter}{name}")
        for letter in _STONE
        for cell, name in enumerate(game.grid.names)
        if stones[cell] == 0
    ]


def why_not(game: Control, position: Position, side: int, move: Move) -> Refusal | None:
    """Why this word of the pie may not be said by `side` now."""
    put = _put(game, move.text)
    if position.phase != (SETTING if put or move.text == DONE else CHOOSING):
        return Refusal("control.not-now", params=(("word", move.text),))
    if side != (WHITE if position.phase == SETTING else BLACK):
        return Refusal("control.not-your-turn")
    if put is not None and game.stones(position)[put[1]] != 0:
        return Refusal("control.occupied", (put[1],))
    if move.text == DONE and not _complete(game, position):
        return Refusal("control.pie-incomplete")
    return None


def play(game: Control, position: Position, move: Move) -> Position:
    """The position after a word of the pie that is allowed."""
    put = _put(game, move.text)
    if put is not None:
        stones = list(position.state)
        for cell, _, after in effects(game, position, move):
            stones[cell] = 0 if after == Kind.EMPTY else put[0]
        return replace(position, state=tuple(stones))
    if move.text == DONE:
        return replace(position, phase=CHOOSING)
    return replace(position, phase="play", extra=(0, int(move.text == TAKE_WHITE)))


def effects(game: Control, position: Position, move: Move) -> tuple[Effect, ...]:
    """`put` sets a stone, taking it from where it was; other words change no cell."""
    put = _put(game, move.text)
    if put is None:
        return ()
    stone, cell = put
    kind = _KIND[stone]
    stones = game.stones(position)
    if stone in stones:
        return ((stones.index(stone), kind, Kind.EMPTY), (cell, Kind.EMPTY, kind))
    return ((cell, Kind.EMPTY, kind),)


def _put(game: Control, text: str) -> tuple[int, int] | None:
    """(stone, cell) of `put wc4`, or None when it is no such word."""
    if not text.startswith("put ") or text[4:5] not in _STONE or text[5:] not in game.grid.names:
        return None
    return _STONE[text[4]], game.grid.cell(text[5:])


def _complete(game: Control, position: Position) -> bool:
    return 1 in game.stones(position) and -1 in game.stones(position)
