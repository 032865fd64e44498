"""Games that a resting board shows by itself, in light: one after the other, a move now and then.

They are played by chance, so that no bot's process is needed for them.
"""

from __future__ import annotations

import random

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.games.base import Game, Position
from lumiban.games.registry import OURS_BY_NAME
from lumiban.lobby.choices import Offers, options_of
from lumiban.lobby.lights import Light, picture_of
from lumiban.table.fitting import fit

MOVE_S = 2.0
END_S = 8.0
"""So long the end of a game is to be seen."""
MOST_MOVES = 60
"""Some games go on for ever where chance plays."""


class Attract:
    """Our games that a board holds, shown in their order and over again; times are seconds."""

    def __init__(self, profile: Profile, offers: Offers, seed: int = 0) -> None:
        self._profile = profile
        self._games = [one for one in offers.games if one.slug in OURS_BY_NAME]
        self._rng = random.Random(seed)
        self._number = -1
        self._game: Game | None = None
        self._board: tuple[int, ...] = ()
        self._position: Position | None = None
        self._played = 0
        self._due_s = 0.0
        self._light: Light = {}

    def next_due_s(self, now_s: float) -> float:
        """Time in seconds at which the next move is shown."""
        return max(self._due_s, now_s)

    def light(self, now_s: float) -> Light:
        """The picture of this moment."""
        if now_s >= self._due_s:
            self._due_s = now_s + (MOVE_S if self._go_on() else END_S)
        return self._light

    def _go_on(self) -> bool:
        """Play a move, or begin the next game; whether there is another move to be played."""
        game, position = self._game, self._position
        movers = () if game is None or position is None else game.movers(position)
        if game is None or position is None or not movers or self._played >= MOST_MOVES:
            self._begin()
            return True
        side = movers[self._played % len(movers)]
        self._played += 1
        listed = game.moves(position, side)
        moves = [move for move in listed if not move.is_word] or listed
        if moves:
            self._position = game.play(position, self._rng.choice(moves))
            self._light = picture_of(game, self._position, self._board)
        return bool(game.movers(self._position or position)) and self._played < MOST_MOVES

    def _begin(self) -> None:
        if not self._games:
            return
        self._number = (self._number + 1) % len(self._games)
        offer = self._games[self._number]
        game = games.load(offer.slug, **options_of(offer))
        self._board = fit(game, self._profile).board
        self._game = game.laid_on(self._profile.grid)
        self._position = self._game.start()
        self._played = 0
        self._light = picture_of(self._game, self._position, self._board)
