"""Ratings by Elo as Rengi's author wants them, for all games.

The winner gains K times what was not expected of them, the loser loses as much; a draw changes
nothing, and the smallest change is 1. From a gap of 400 on a game is practice and changes nothing
either. A player declares a first rating, a beginner 0. A resignation is a loss like any other.

What is ours: K = 32, that a rating may fall below 0, what else a rated game must be (`verdict`),
and that outside Rengi machines are anchors, whose own ratings never change.
"""

from __future__ import annotations

from dataclasses import dataclass

from lumiban.errors import UsageError

K = 32
"""The most points that a game moves."""
MIN_CHANGE = 1
PRACTICE_GAP = 400
"""From this difference of ratings on a game is practice."""
BEGINNER = 0
MAX_DECLARED = 3000

RATED, DRAWN, PRACTICE = "rated", "drawn", "practice"
UNNAMED, SAME_PLAYER, MACHINES, MACHINE = "unnamed", "same-player", "machines", "machine"
SET_UP, ASSISTED, UNSOUND, OWN = "set-up", "assisted", "unsound", "own"
ALONE = "alone"
"""Verdicts on a game: only RATED changes ratings."""

ANCHORS = {"gentle": 0, "easy": 300, "medium": 600, "hard": 900, "strong": 1200}
"""Ratings of machines by level: ours, evenly spaced, not measured against people."""
NO_ANCHORS = frozenset({"rengi"})
"""Games in which only people rate each other, since their author's paper knows no machines."""

SOLO = frozenset({"chain-power"})
"""Games for one: nobody is beaten there."""

HUMAN = "human"
BOT = "bot:"


def expected(own: int, other: int) -> float:
    """The share of points that Elo expects of a player against another one.

    >>> expected(1500, 1500), round(expected(1600, 1500), 4)
    (0.5, 0.6401)
    """
    return float(1.0 / (1.0 + 10.0 ** ((other - own) / 400.0)))


def change(winner: int, loser: int, k: int = K) -> int:
    """Points that the winner gains and the loser loses, by their ratings before the game.

    0 when the game was practice; else rounded to the nearest, halves up, and at least 1.

    >>> change(1500, 1500), change(1600, 1500), change(1500, 1600)
    (16, 12, 20)
    >>> change(1500, 1101), change(1500, 1100), change(1399, 1000, k=4)
    (3, 0, 1)
    """
    if abs(winner - loser) >= PRACTICE_GAP:
        return 0
    return max(MIN_CHANGE, int(k * (1.0 - expected(winner, loser)) + 0.5))


class FirstRatingTooLate(UsageError):
    """A first rating that is declared after a rated game."""

    def __init__(self, games: int) -> None:
        super().__init__(
            "a first rating is declared before the first rated game; this player has played"
            f" {games}"
        )
        self.games = games


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """Player on one side of a game."""

    who: str
    """`human` or `bot:` and a level, as in the record."""
    player: int | None = None
    """The named player, None for a machine and for who was never named."""

    @property
    def level(self) -> str | None:
        """The machine's level, None for a person."""
        return self.who.removeprefix(BOT) if self.who.startswith(BOT) else None


@dataclass(frozen=True, slots=True)
class RatedGame:
    """Facts of a finished game that ratings need."""

    slug: str
    seats: tuple[RatedSeat, RatedSeat]
    winner: int | None
    is_set_up: bool = False
    """Begun from a position that was set up by hand."""
    has_assists: bool = False
    """Played with help that the paper does not allow."""
    is_sound: bool = True
    """Its record was played through and ends as it says."""
    is_own: bool = False
    """Of rules in a file, by which no record is played through unasked."""


@dataclass(frozen=True, slots=True)
class Change:
    """Change of ratings by a game: before it and by it, for each side; None for a side without a
    player."""

    verdict: str
    before: tuple[int | None, int | None] = (None, None)
    gained: tuple[int, int] = (0, 0)


def verdict(game: RatedGame) -> str:
    """Reason why a game changes no rating, or RATED when it may.

    Rated is a sound game from its own start, without assists that the paper does not allow, with a
    winner, between two different named players, or a named player and a machine that is an anchor.
    """
    levels = [seat.level for seat in game.seats]
    people = [seat.player for seat in game.seats]
    if not game.is_sound:
        return UNSOUND
    if game.is_own:
        return OWN
    if game.slug in SOLO:
        return ALONE
    if None not in levels:
        return MACHINES
    if any(seat.player is None and seat.level is None for seat in game.seats):
        return UNNAMED
    if people[0] == people[1]:
        return SAME_PLAYER
    if any(levels) and (game.slug in NO_ANCHORS or not set(levels) <= {*ANCHORS, None}):
        return MACHINE
    if game.is_set_up:
        return SET_UP
    if game.has_assists:
        return ASSISTED
    return DRAWN if game.winner is None else RATED


@dataclass(slots=True)
class Rating:
    """A player's rating in one game."""

    value: int
    declared: int
    games: int = 0
    """Rated games and draws: from the first on the declared rating is fixed."""
    is_declared: bool = False


class Ratings:
    """The ratings of all players in all games, followed game by game in the order played.

    >>> ratings = Ratings()
    >>> ratings.declare(1, "rengi", 1600), ratings.declare(2, "rengi", 1500)
    (None, None)
    >>> game = RatedGame("rengi", (RatedSeat("human", 1), RatedSeat("human", 2)), winner=1)
    >>> ratings.play(game).gained, ratings.value(1, "rengi"), ratings.value(2, "rengi")
    ((-20, 20), 1580, 1520)
    """

    def __init__(self) -> None:
        self.of: dict[tuple[int, str], Rating] = {}
        """(player, game) -> rating."""

    def declare(self, player: int, slug: str, rating: int) -> None:
        """Set a player's first rating in a game; UsageError when it is none, FirstRatingTooLate."""
        if not 0 <= rating <= MAX_DECLARED:
            raise UsageError(f"a first rating is 0 to {MAX_DECLARED}, not {rating}")
        there = self.of.get((player, slug))
        if there is not None and there.games:
            raise FirstRatingTooLate(there.games)
        self.of[player, slug] = Rating(rating, rating, is_declared=True)

    def value(self, player: int, slug: str) -> int:
        """A player's rating in a game, a beginner's where none was declared."""
        there = self.of.get((player, slug))
        return BEGINNER if there is None else there.value

    def play(self, game: RatedGame) -> Change:
        """Follow a game; what it changed."""
        reason = verdict(game)
        if reason not in (RATED, DRAWN):
            return Change(reason)
        before = tuple(self._before(seat, game.slug) for seat in game.seats)
        first, second = before
        if abs(first - second) >= PRACTICE_GAP:
            return Change(PRACTICE, (first, second))
        gained = [0, 0]
        if game.winner is not None:
            points = change(before[game.winner], before[1 - game.winner])
            gained[game.winner], gained[1 - game.winner] = points, -points
        for side, seat in enumerate(game.seats):
            if seat.player is None:
                gained[side] = 0  # an anchor stays where it is
                continue
            rating = self.of.setdefault((seat.player, game.slug), Rating(BEGINNER, BEGINNER))
            rating.value += gained[side]
            rating.games += 1
        return Change(reason, (first, second), (gained[0], gained[1]))

    def _before(self, seat: RatedSeat, slug: str) -> int:
        if seat.player is None:
            return ANCHORS[str(seat.level)]
        return self.value(seat.player, slug)
