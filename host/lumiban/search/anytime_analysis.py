"""A look at the moves of one position that grows slice by slice and tells what it has found so far.

`TreeLooking` looks by random games, as most games are thought about; an engine with a search of its
own brings a `Looking` of its own (`doves/bot.py` goes depth by depth, `rengi/bot.py` by wider and
wider beams).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lumiban.games.base import Game, Move, MoveEffect, Position, explain_move, move_effect
from lumiban.games.types import TAKES
from lumiban.search.tree import Choice, Room
from lumiban.search.tree_searches import new_search

MAX_LINE = 8
"""Moves of a line that are told."""
WIN, DRAW, LOSS, OPEN = "win", "draw", "loss", ""
"""Certain results of a move, for its mover."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A move, what it is worth for its mover, and what follows."""

    move: Move
    value: float
    """The share of wins to be expected, 0 to 1; a draw is half a win."""
    visits: int
    """Number of random games behind it; of positions in Tokyo Doves and Rengi."""
    moves: tuple[Move, ...]
    """The moves expected from here, `move` first."""
    proof: str = OPEN
    """`win`, `draw` or `loss` where that is certain, else ""."""
    wins_in: int = 0
    """Number of the mover's moves within which a proven win comes; 0 where that is not known."""
    does: tuple[MoveEffect, ...] = ()
    """Effects of the move, the most important first."""

    @property
    def percent(self) -> int:
        """The value in percent, whole; 100 and 0 are for what is certain, and what lies near them
        for what many games have told.

        >>> move = Move(0, "a1", 0)
        >>> Variation(move, 0.999, 1000, (move,)).percent, Variation(move, 1.0, 2, (move,)).percent
        (99, 75)
        >>> Variation(move, 1.0, 10, (move,), "win").percent
        100
        """
        whole = round(100 * self.value)
        if self.proof:
            return whole
        most = min(99, round(100 * (self.visits + 1) / (self.visits + 2)))
        return min(most, max(100 - most, whole))


class Looking(ABC):
    """A look at one position that grows as long as one asks it to."""

    unit = "playouts"
    """Unit of `looked`: `playouts` or `positions`."""

    def __init__(self, game: Game, position: Position) -> None:
        self.game, self.position = game, position
        self.looked = 0
        self._words: dict[Move, tuple[MoveEffect, ...]] = {}

    @abstractmethod
    def warm(self) -> None:
        """Compile what is compiled, so that no time is lost with it later."""

    @abstractmethod
    def grow(self, portion: int) -> int:
        """Look at so much more; returns how much, fewer when all is certain."""

    @abstractmethod
    def variations(self) -> Sequence[Variation]:
        """All moves as they are seen now, best first, without words."""

    def lines(self, top: int) -> tuple[Variation, ...]:
        """The best `top` moves, with words."""
        return tuple(self._worded(line) for line in self.variations()[:top])

    def _worded(self, line: Variation) -> Variation:
        if line.move not in self._words:
            self._words[line.move] = explain_move(self.game, self.position, line.move)
        words = self._words[line.move]
        if not any(word.what in ("wins", "loses", "draws") for word in words):
            if line.proof == WIN:
                words = (
                    move_effect("mate", n=line.wins_in) if line.wins_in else move_effect("sure"),
                    *words,
                )
            elif line.proof == LOSS:
                words = (move_effect("mated"), *words)
            elif line.proof == DRAW:
                words = (move_effect("sure-draw"), *words)
        shown = line.moves[:MAX_LINE]
        return Variation(
            line.move, line.value, line.visits, shown, line.proof, line.wins_in,
            tuple(word for word in words if word.what != "quiet" or len(words) == 1),
        )  # fmt: skip


class TreeLooking(Looking):
    """By the tree search that plays the game best."""

    def __init__(
        self,
        game: Game,
        position: Position,
        seed: int,
        playouts: int,
        *,
        compiled: bool = True,
        threads: int = 1,
        room: Room | None = None,
    ) -> None:
        super().__init__(game, position)
        self._search = new_search(
            game, position, seed, playouts, compiled=compiled, threads=threads, room=room
        )

    def warm(self) -> None:
        """A first slice of nothing brings the compiler."""
        self._search.grow(0)

    def grow(self, portion: int) -> int:
        """Play a number of random games more."""
        done = self._search.grow(portion)
        self.looked = self._search.playouts
        return done

    def variations(self) -> list[Variation]:
        """The root's moves that were visited, or whose outcome is certain."""
        choices = [c for c in self._search.choices() if c.visits or c.proof >= 0]
        choices.sort(key=lambda choice: choice.rank, reverse=True)
        return [self._variation(choice) for choice in choices]

    def _variation(self, choice: Choice) -> Variation:
        moves: list[Move] = []
        position = self.position
        for code in self._search.expected_moves(choice.code)[:MAX_LINE]:
            if position.phase != self.position.phase:
                break
            moves.append(self.game.move_of(position, code))
            position = self.game.play(position, moves[-1])
        proof = OPEN if choice.proof < 0 else (LOSS, DRAW, WIN)[choice.certain + 1]
        wins_in = 0
        over = self.game.outcome(position)
        if proof == WIN and over is not None and over.winner == choice.side:
            wins_in = sum(move.side == choice.side for move in moves)
        return Variation(moves[0], choice.value, choice.visits, tuple(moves), proof, wins_in)


class SideLooking(Looking):
    """At a pie's choice: each side is worth what play is worth to it."""

    def __init__(self, game: Game, position: Position, look: Callable[[Position], Looking]) -> None:
        super().__init__(game, position)
        side = game.to_act(position)
        words = [word for word in game.words(position, side) if word in TAKES]
        self._takes = [game.parse(position, word, side) for word in words]
        after = game.play(position, self._takes[0])
        self._mover, self._play = int(game.state(after).mover()), look(after)
        self.unit = self._play.unit

    def warm(self) -> None:
        """What play brings."""
        self._play.warm()

    def grow(self, portion: int) -> int:
        """Look at play so much more."""
        done = self._play.grow(portion)
        self.looked = self._play.looked
        return done

    def variations(self) -> list[Variation]:
        """Both sides, by the best move of play."""
        found = []
        for best in self._play.variations()[:1]:
            for take in self._takes:
                value, proof = best.value, best.proof
                if TAKES[take.text] != self._mover:
                    value, proof = 1 - value, {WIN: LOSS, LOSS: WIN}.get(proof, proof)
                line = (take, *best.moves[: MAX_LINE - 1])
                found.append(Variation(take, value, best.visits, line, proof))
        return sorted(found, key=lambda one: one.value, reverse=True)

    def lines(self, top: int) -> tuple[Variation, ...]:
        """Without words: a side that is taken changes nothing on the board."""
        return tuple(self.variations()[:top])
