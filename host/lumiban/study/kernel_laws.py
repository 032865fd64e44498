"""The laws between a game's kernel and its public side, and those of whole games.

A kernel State must say of every position what the public side says: moves, mover, outcome; and
its random playouts must be games.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from lumiban import games
from lumiban.errors import GameError
from lumiban.games.base import Complete, Effect, Game, Move, Position
from lumiban.games.kernel import hash_table
from lumiban.search import jit
from lumiban.search.bench import play_out
from lumiban.study.laws import Broken, Here
from lumiban.table import record
from lumiban.table.history import BY_BOARD, Course

PLAYED = 4
"""Kernel moves that are followed at each position."""


def state(here: Here) -> None:
    """The State tells the moves, the mover and the outcome that the public side tells."""
    game, position = here.game, here.position
    if position.phase != "play" or position.over is not None:
        return
    now = game.state(position)
    codes = _agrees(here, now, position)
    for code in here.chance.sample(codes, min(PLAYED, len(codes))):
        move = game.move_of(position, code)
        after = game.play(position, move)
        played, fresh = game.state(position), game.state(after)
        played.play(code)
        _alike(game, played, fresh, move)
        copy = game.state(game.start())
        copy.assign(played)
        if (copy.key(), copy.mover()) != (played.key(), played.mover()):
            raise Broken("assign does not make a State equal to the other", move)
        if len(after.state) > 0 and after.over is None:
            _agrees(Here.at(game, after, here.chance), fresh, after)


def _agrees(here: Here, now: Any, position: Position) -> list[int]:
    """The codes of the State's moves, after a look whether it says what the game says."""
    game = here.game
    over, code = game.outcome(position), int(now.outcome())
    should = -1 if over is None else 0 if over.winner is None else over.winner + 1
    if code != should and position.over is None:
        raise Broken(f"the State's outcome is {code}, the game's is {should}")
    if over is not None:
        return []
    side, movers = int(now.mover()), game.movers(position)
    if side not in movers:
        raise Broken(f"the State says that side {side} moves, the game says {list(movers)}")
    out = [0] * (game.capacity[0] + 1)
    codes = [int(number) for number in out[: _moves(now, out)]]
    moves = [game.move_of(position, number) for number in codes]
    texts = sorted(move.text for move in moves if not move.is_word)
    listed = sorted(move.text for move in here.listed[side])
    if texts != listed:
        odd = sorted(set(texts) ^ set(listed))
        raise Broken(f"State and game do not list the same moves: {', '.join(odd) or 'twice'}")
    return codes


def _moves(now: Any, out: list[int]) -> int:
    try:
        return int(now.moves(out))
    except IndexError as error:
        raise Broken("a position has more moves than capacity allows") from error


def _alike(game: Game, played: Any, fresh: Any, move: Move) -> None:
    if played.key() != fresh.key():
        raise Broken("the State after it has another key than that of the position after it", move)
    if played.outcome() != fresh.outcome():
        raise Broken("the State after it has another outcome than the position after it", move)
    one, other = [0] * (game.capacity[0] + 1), [0] * (game.capacity[0] + 1)
    count, same = _moves(played, one), _moves(fresh, other)
    if played.outcome() == -1 and sorted(one[:count]) != sorted(other[:same]):
        raise Broken("the State after it has other moves than the position after it", move)


def playout(here: Here) -> None:
    """A random playout ends, within capacity, and its moves can be played."""
    game, position = here.game, here.position
    if position.phase != "play" or position.over is not None:
        return
    trace = [0] * (game.capacity[1] + 2)
    now = game.state(position)
    try:
        code = int(now.playout(hash_table(1, here.chance.getrandbits(30)), trace))
    except IndexError as error:
        raise Broken("a playout is longer than capacity allows") from error
    if code not in (0, 1, 2) and not (code == -2 and game.recurs):
        raise Broken(f"a playout ended with the code {code}")
    for number in trace[1 : trace[0] + 1]:
        move = game.move_of(position, number)
        try:
            position = game.play(position, move)
        except GameError as error:
            raise Broken(f"a playout made a move that cannot be played: {error}", move) from error
    over = game.outcome(position)
    if code == -2:
        return
    if over is None:
        raise Broken(f"a playout said {code}, but its moves do not end the game")
    if code != (0 if over.winner is None else over.winner + 1):
        raise Broken(f"a playout said {code}, but its moves end with {over}")


def compiles(here: Here) -> bool:
    """Whether there is anything to compile: a State for it, and a game that goes on."""
    position = here.position
    if position.phase != "play" or here.game.outcome(position) is not None:
        return False
    return jit.fits(here.game.state(position))


def compiled(here: Here) -> None:
    """With numba a State plays the same games as without."""
    game, position = here.game, here.position
    root = game.state(position)
    rng, trace = hash_table(1, here.chance.getrandbits(30)), [0] * (game.capacity[1] + 2)
    fast_rng, fast_trace = jit.ints(rng), jit.ints(trace)
    count = play_out(root, game.state(position), rng, trace, 5)
    try:
        run = jit.compiled(play_out, type(root))
        twins = (jit.compiled_state(root), jit.compiled_state(game.state(position)))
        same = int(run(*twins, fast_rng, fast_trace, 5))
    except jit.Unfit:
        return  # the search plays it in plain Python
    upto = trace[0] + 1
    if (count, rng, trace[:upto]) != (same, fast_rng.tolist(), fast_trace.tolist()[:upto]):
        raise Broken("compiled and plain playouts are different")


def floats(game: Game) -> bool:
    """Whether the game's frame moves over the board with the pieces (Tokyo Doves)."""
    return hasattr(game, "shift")


def retraced(here: Here, before: Position) -> Move | None:
    """A move whose picture is that of the last move undone: the table has to ask which is meant."""
    game = here.game
    if floats(game):
        return None  # the frame has moved: the two pictures lie on different cells
    reading = game.read(here.position, [int(kind) for kind in game.pieces(before)])
    return reading.move if isinstance(reading, Complete) else None


KERNEL_LAWS: Mapping[str, Callable[[Here], None]] = {
    "state": state,
    "playout": playout,
    "compiled": compiled,
}
"""The laws between State and position, by name."""


class Mirror:
    """The same game played turned or reflected, beside the game itself."""

    def __init__(self, game: Game, position: Position, cells: tuple[int, ...]) -> None:
        self.game = game
        self.cells = cells
        self.position = position

    def holds(self, here: Here) -> None:
        """The mirrored position has the mirrored moves."""
        ours = sorted((m.side, self._mirrored(here.position, m)) for m in here.moves)
        mine = Here.at(self.game, self.position, here.chance).moves
        theirs = sorted((m.side, self._effects(self.position, m)) for m in mine)
        if ours != theirs:
            odd = {str(one) for one in ours} ^ {str(one) for one in theirs}
            raise Broken(f"a turned or reflected position has other moves: {len(odd)} differ")

    def follow(self, position: Position, move: Move) -> bool:
        """Play the mirrored move too; whether there is one."""
        if move.is_word:
            text = " ".join(self._named(word) for word in move.text.split())
            said = self.game.parse(self.position, text, move.side)
            self.position = self.game.play(self.position, said)
            return True
        wanted = self._mirrored(position, move)
        for other in self.game.moves(self.position, move.side):
            if self._effects(self.position, other) == wanted:
                self.position = self.game.play(self.position, other)
                return True
        return False

    def _named(self, word: str) -> str:
        """A part of a spoken word, with the cell that it names (c4, wc4) mirrored."""
        names = self.game.grid.names
        for colour in ("", word[:1]):
            name = word.removeprefix(colour)
            if name in names:
                return colour + names[self.cells[names.index(name)]]
        return word

    def _effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        return tuple(sorted(self.game.effects(position, move)))

    def _mirrored(self, position: Position, move: Move) -> tuple[Effect, ...]:
        done = self.game.effects(position, move)
        return tuple(sorted((self.cells[cell], was, now) for cell, was, now in done))


def recorded(game: Game, seed: int, moves: list[Move], last: Position) -> None:
    """A finished game's record, written and read as JSON, leads to the same position."""
    outcome = game.outcome(last)
    if outcome is None:
        return
    course = Course(game, ["human"] * len(game.sides), seed=seed)
    for number, move in enumerate(moves):
        course.play(move, number, BY_BOARD)
    document = json.loads(json.dumps(record.make(course, outcome)))
    try:
        _, positions = record.replay(document, games.load)
        record.verify(document, games.load)
    except GameError as error:
        raise Broken(f"its record does not replay: {error}") from error
    if positions[-1] != last:
        raise Broken("its record replays to another position")


ENDING = ("resign", "stop")


def any_word(game: Game, position: Position, chance: Random) -> Move | None:
    """A word that somebody may say, None when there is none; seldom one that ends the game.

    First its kind is drawn (put, lift, done, ...), so that a set-up is soon through.
    """
    said = [(side, word) for side in range(len(game.sides)) for word in game.words(position, side)]
    going_on = [one for one in said if one[1].split()[0] not in ENDING]
    if going_on and chance.random() < 0.9:
        said = going_on
    if not said:
        return None
    kind = chance.choice(sorted({word.split()[0] for _, word in said}))
    side, word = chance.choice([one for one in said if one[1].split()[0] == kind])
    return game.parse(position, word, side)
