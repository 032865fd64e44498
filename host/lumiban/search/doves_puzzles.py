"""Puzzles of Tokyo Doves: positions of random games with one winning action and no other.

Candidates are numbered; each comes from the seed and its number alone, so that a search can stop
and go on anywhere and finds the same puzzles in the same order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lumiban.errors import GameError
from lumiban.games.base import Position
from lumiban.games.doves import Doves
from lumiban.games.doves.kernel import DOVE, MOST, key_of
from lumiban.search.doves_mate import LONGEST, find_mate, main_line

_SHORTEST_GAME, _LONGEST_GAME = 8, 40
"""Actions of the random game that leads to a candidate."""
_NOTED = 250
"""Candidates between two notes in the file on how far the search has come."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and the only action that wins as soon as can be."""

    board: str
    """As text, see `Doves.board_text`; the position has no history."""
    to_move: str
    plies: int
    """Within so many the mover wins, and not within fewer."""
    first: str
    """The action, as it is stored."""
    line: tuple[str, ...]
    """That action and what follows when the other side holds out."""
    candidate: int
    """The number of the candidate that it was."""


class Puzzles:
    """A search for puzzles of one length, kept in a file where one is named.

    GameError when the file holds another search, or the length is none of 1, 3, 5, 7, 9.
    """

    def __init__(
        self, game: Doves, plies: int, seed: int, path: Path | None = None, *, compiled: bool = True
    ) -> None:
        if plies not in range(1, LONGEST + 1, 2):
            raise GameError(f"puzzles win within 1, 3, 5, 7 or {LONGEST} plies, not {plies}")
        self._game, self._plies, self._seed, self._path = game, plies, seed, path
        self._compiled = compiled
        self.found: list[Puzzle] = []
        """All that were found so far, from the file too."""
        self.tried = 0
        """How many candidates were looked at."""
        self._known: set[int] = set()
        if path is not None:
            self._open(path)

    def search(
        self, count: int, progress: Callable[[int, int], None] | None = None
    ) -> Iterator[Puzzle]:
        """The puzzles found already, then more until there are `count` of them.

        `progress(found, tried)` is called before each candidate.
        """
        yield from self.found[:count]
        while len(self.found) < count:
            if progress is not None:
                progress(len(self.found), self.tried)
            number = self.tried
            puzzle = self._try(number)
            self.tried += 1
            if puzzle is not None:
                self.found.append(puzzle)
                self._write({"puzzle": asdict(puzzle)})
                yield puzzle
            elif self.tried % _NOTED == 0:
                self._write({"tried": self.tried})

    def _try(self, number: int) -> Puzzle | None:
        game = self._game
        position = candidate(game, self._seed, number)
        if position is None:
            return None
        key = _whole(game, position)
        if key in self._known:
            return None
        mate = find_mate(game, position, self._plies, compiled=self._compiled)
        if mate.plies != self._plies or len(mate.moves) != 1:
            return None
        self._known.add(key)
        line = main_line(game, position, mate, compiled=self._compiled)
        return Puzzle(
            game.board_text(position),
            game.sides[position.state[0]],
            mate.plies,
            mate.moves[0].text,
            tuple(move.text for move in line),
            number,
        )

    def _head(self) -> dict[str, Any]:
        options = {name: self._game.options[name] for name in _RULES}
        return {"game": "doves", "options": options, "mate": self._plies, "seed": self._seed}

    def _open(self, path: Path) -> None:
        """Read what the file holds, or begin it; a line cut short at its end is dropped."""
        try:
            text = path.read_text("utf-8") if path.exists() else ""
        except (OSError, UnicodeDecodeError) as reason:
            raise GameError(f"{path} cannot be read: {reason}") from None
        lines = text.split("\n")
        whole, torn = lines[:-1], lines[-1]
        if torn:
            self._keep(path, "".join(line + "\n" for line in whole))
        if not whole:
            self._write(self._head())
            return
        try:
            read = [json.loads(line) for line in whole]
            head = read[0]
            if head != self._head():
                raise GameError(f"{path} holds another search, see its first line; name another")
            for told in read[1:]:
                if "puzzle" in told:
                    puzzle = dict(told["puzzle"])
                    self._take(Puzzle(**{**puzzle, "line": tuple(puzzle["line"])}))
                else:
                    self.tried = int(told["tried"])
        except (ValueError, TypeError, KeyError) as reason:
            raise GameError(f"{path} is no file of puzzles: {reason}") from None

    def _take(self, puzzle: Puzzle) -> None:
        self.found.append(puzzle)
        self.tried = puzzle.candidate + 1
        position = self._game.setup(board=puzzle.board, to_move=puzzle.to_move)
        self._known.add(_whole(self._game, position))

    def _write(self, told: dict[str, Any]) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")
        except OSError as reason:
            raise GameError(f"{self._path} cannot be written: {reason}") from None

    @staticmethod
    def _keep(path: Path, text: str) -> None:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as reason:
            raise GameError(f"{path} cannot be written: {reason}") from None


_RULES = ("repetition", "initial", "remove", "both")


def candidate(game: Doves, seed: int, number: int) -> Position | None:
    """A position some random actions into a game, as if it were set up; None if that had ended."""
    rng = random.Random(f"{seed}/{number}")
    state = game.state(game.start())
    out = [0] * MOST
    for _ in range(rng.randint(_SHORTEST_GAME, _LONGEST_GAME)):
        total = state.moves(out)
        if total == 0:
            return None
        before = list(state.board)
        state.play(out[rng.randrange(total)])
        if state.outcome() != -1:
            # The position that a random action has just spoilt or won.
            state.board[:] = before
            break
    position = game.position(state.board[DOVE : DOVE + 12], state.mover())
    return None if game.outcome(position) is not None else position


def _whole(game: Doves, position: Position) -> int:
    """One number for a position however turned, whichever colour is to move."""
    board = list(game.state(position).board)
    if position.state[0] == 1:
        doves = board[DOVE : DOVE + 12]
        board[DOVE : DOVE + 12] = [doves[dove ^ 1] for dove in range(12)]
    key: int = key_of(board, -1, -1, 0, True)
    return key
