"""A record of Rengi played through by compiled rules: the positions that plain Python would make.

A library that is built again asks for them: by the game's own methods a full game of 60 hands takes
3.5 ms, by these well under one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from lumiban.games.base import Game, Move, Position
from lumiban.games.kernel import Rows, State, copy_words, entry_of
from lumiban.games.rengi import Rengi, notation
from lumiban.games.rengi.arrays import FACED, FACES, PAIRS, PASS, ROOM
from lumiban.games.rengi.kernel import RengiState
from lumiban.search import jit


@entry_of(RengiState)
def play_hands(state: State, codes: Any, sides: Any, boards: Rows) -> int:
    """Play hands as long as each may be played by its side; `boards` gets a row a hand, the board
    after it. Returns how many were played."""
    for k in range(len(codes)):
        if state.mover() != sides[k]:
            return k
        code = codes[k]
        found = False
        for i in range(state.moves(state.scratch)):
            found = found or state.scratch[i] == code
        if not found:
            return k
        state.play(code)
        copy_words(boards[k], state.board, 0, FACES + state.board[FACED])
    return len(codes)


def positions_ahead(
    game: Game, position: Position, moves: Sequence[Any], *, compiled: bool = True
) -> list[Position]:
    """The positions that a record's first moves lead to from `position`, one a move: as many as can
    be had, none where nothing is compiled.

    What is left begins with a word, a hand that is not allowed or none at all: the game itself says
    what it makes of that. `moves` are a record's, from anybody.
    """
    if type(game) is not Rengi:
        return []
    hands = list(_hands(moves[: ROOM - 2]))  # as many as a State has room for
    state = game.state(position)
    if not hands or (compiled and not jit.fits(state)):
        return []
    sides, codes = [side for side, _ in hands], [code for _, code in hands]
    width = FACES + state.board[FACED] + len(hands)
    boards: Any
    if compiled:
        boards = jit.array("int64", len(hands), width)
        try:
            played = _compiled()(
                jit.compiled_state(state), jit.ints(codes), jit.ints(sides), boards
            )
        except jit.Unfit:
            return []
        boards = boards[:played]
    else:
        boards = [[0] * width for _ in hands]
        played = play_hands(state, codes, sides, boards)
    supply = list(state.plan[len(state.plan) - 2 * state.plan[PAIRS] :])
    found, history = [], position.history
    for (side, code), board in zip(hands[:played], boards, strict=False):
        history = (*history, _move(side, code))
        numbers = tuple(board[: FACES + board[FACED]] + supply)
        found.append(Position(numbers, history, position.seed))
    return found


@cache
def _move(side: int, code: int) -> Move:
    return Move(side, notation.text_of(code), code)


@cache
def _compiled() -> Callable[..., int]:
    return jit.compiled(play_hands, RengiState)


def _hands(moves: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """(side, code) of the hands and passes with which a record begins."""
    for entry in moves:
        if not isinstance(entry, Mapping):
            return
        side, noted = entry.get("side"), entry.get("text")
        if type(side) is not int or side not in (0, 1) or not isinstance(noted, str):
            return
        code = PASS if noted == notation.PASS_WORD else notation.read_hand(noted)
        if code is None:
            return
        yield side, code
