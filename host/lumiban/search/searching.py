"""What all tree searches have in common: they grow by slices and tell of the root's moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lumiban.errors import GameError
from lumiban.games.base import Game, Position
from lumiban.search import jit
from lumiban.search.tree import FAULT, UNKNOWN


class Choice(NamedTuple):
    """A move at the root as the search sees it."""

    code: int
    side: int
    """Who makes it."""
    visits: int
    score: int
    """2 for each playout that White won, 1 for each draw."""
    proof: int = UNKNOWN
    """The outcome's code where it is certain."""

    @property
    def value(self) -> float:
        """What it is worth for its mover, from 0 to 1; 0.5 where nothing is known.

        >>> Choice(7, 1, 10, 5).value
        0.75
        """
        if self.proof == UNKNOWN:
            white = self.score / (2 * self.visits) if self.visits else 0.5
        else:
            white = (0.5, 1.0, 0.0)[self.proof]
        return 1.0 - white if self.side else white

    @property
    def certain(self) -> int:
        """1 when it surely wins, −1 when it surely loses, else 0."""
        return {self.side + 1: 1, 2 - self.side: -1}.get(self.proof, 0)

    @property
    def rank(self) -> tuple[int, int, float]:
        """The best move has the highest: won for certain, else the most visited not lost."""
        return self.certain, self.visits, self.value


@dataclass(frozen=True, slots=True)
class Room:
    """Bounds of a search's memory."""

    bytes: int = 128 << 20

    def shared(self, among: int) -> Room:
        """The part of each of several searches."""
        return Room(self.bytes // among)


class TreeSearch(ABC):
    """A search of one position that grows as long as one asks it to.

    `seed` decides all chance; `playouts` is the most that will be asked for and bounds the memory
    together with `room`. `compiled` runs the same text compiled, where that can be had.
    """

    def __init__(
        self,
        game: Game,
        position: Position,
        seed: int,
        playouts: int,
        compiled: bool,
        room: Room | None = None,
    ) -> None:
        self.game, self.position = game, position
        self.seed, self.most = seed, playouts
        self.room = room or Room()
        self.playouts = 0
        self.compiled = compiled and jit.fits(self._state())
        self._set_out()

    def grow(self, playouts: int) -> int:
        """Play so many games more; returns how many, fewer once the root is proven.

        GameError when the rules ran out of room to remember the game.
        """
        try:
            done = self._grow(playouts)
        except jit.Unfit:
            self.compiled = False
            self._set_out()
            return self.grow(playouts)
        self.playouts += done
        if self._meta[FAULT]:
            raise GameError("this game is too long to think about: it has no room to remember it")
        return done

    @property
    @abstractmethod
    def proof(self) -> int:
        """The outcome's code where it is certain, else `UNKNOWN`."""

    @abstractmethod
    def choices(self) -> Sequence[Choice]:
        """The moves at the root that it has looked at."""

    @abstractmethod
    def line(self, code: int) -> list[int]:
        """The moves expected from here, the one with this code first."""

    @property
    def proven(self) -> bool:
        """Whether the outcome of the position is certain."""
        return self.proof != UNKNOWN

    def best(self) -> Choice | None:
        """The move to play, None where there is none."""
        return max(self.choices(), key=lambda choice: choice.rank, default=None)

    @property
    def _meta(self) -> Any:
        raise NotImplementedError

    def _state(self) -> Any:
        return self.game.state(self.position)

    def _set_out(self) -> None:
        raise NotImplementedError

    def _grow(self, playouts: int) -> int:
        raise NotImplementedError
