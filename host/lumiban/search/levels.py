"""Levels of play: five, and the budget of each.

A weak level spares its opponent: there are moves that it overlooks, and games that it gives away.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

from lumiban.errors import UsageError
from lumiban.games.base import Position
from lumiban.search.tree import UNKNOWN, Choice

NAMES = ("gentle", "easy", "medium", "hard", "strong")
"""The five levels by name, from weak to strong; their numbers are 1 to 5."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level in one game; its name for people is in the catalogue under `text_id`."""

    name: str
    playouts: int
    """Random games before each move, unless time runs out."""
    longest_us: int
    """Time that one move may take at most; the plain path often needs it."""
    overlooks: float = 0.0
    """Probability of overlooking a move, whatever it does: wins and saves as well."""
    gives_away: float = 0.0
    """The share of its games in which it stays close behind and lets the other side win."""

    @property
    def number(self) -> int:
        """1 for the weakest to 5 for full strength."""
        return NAMES.index(self.name) + 1

    @property
    def full(self) -> bool:
        """True at full strength: given more time than its own, the level takes it."""
        return self.name == NAMES[-1]

    @property
    def text_id(self) -> str:
        """Id of the level's name in the catalogue."""
        return "level." + self.name


def five_levels(
    gentle: int,
    easy: int,
    medium: int,
    hard: int,
    strong: int = 100_000,
    overlooks: tuple[float, float, float, float] = (0.05, 0.0, 0.0, 0.0),
    gives_away: float = 0.6,
) -> dict[str, Level]:
    """The levels of a game by their playouts, what the first four overlook, and how often the
    first gives a game away."""
    levels = (
        Level("gentle", gentle, 250_000, overlooks=overlooks[0], gives_away=gives_away),
        Level("easy", easy, 600_000, overlooks=overlooks[1]),
        Level("medium", medium, 1_000_000, overlooks=overlooks[2]),
        Level("hard", hard, 1_300_000, overlooks=overlooks[3]),
        Level("strong", strong, 2_000_000),
    )
    return {level.name: level for level in levels}


LEVELS = five_levels(400, 300, 2_000, 20_000, 200_000)
"""All levels by name, as they are where a game's engine has none of its own."""


def name_of(wish: str) -> str:
    """A level's name, from the name or the number; UsageError lists them.

    >>> name_of("4"), name_of("easy")
    ('hard', 'easy')
    """
    if wish in NAMES:
        return wish
    if len(wish) == 1 and wish in "12345":
        return NAMES[int(wish) - 1]
    known = ", ".join(f"{number} ({name})" for number, name in enumerate(NAMES, 1))
    raise UsageError(f"no level {wish!r}: choose {known}")


def level_of(name: str) -> Level:
    """The level of this name or number, as most games have it; UsageError lists the names.

    >>> level_of("easy").text_id, level_of("5").name
    ('level.easy', 'strong')
    """
    return LEVELS[name_of(name)]


AIM = 0.05
"""The share of won games that it aims at in a game that it gives away: it falls behind."""
_MIN_VISITS = 4
"""Visits that tell enough of a move to aim by."""
_SETTLED = 4
"""Moves of a game after which it is settled whether it is given away."""


def visible_moves(codes: Sequence[int], overlooks: float, seed: int) -> list[int]:
    """The moves that come to mind, in random order: one always, each other unless overlooked.

    >>> len(visible_moves(range(40), 0.0, 1)), len(visible_moves(range(40), 1.0, 1))
    (40, 1)
    """
    chance = random.Random(seed)
    order = list(codes)
    chance.shuffle(order)
    return [code for at, code in enumerate(order) if at == 0 or chance.random() >= overlooks]


GIVING_AWAY = "uct"
"""The tree search that plays to lose: it looks at poor moves too."""


def plays_to_lose(position: Position, share: float) -> bool:
    """True if a level that gives away this share of its games gives away this one.

    It depends on how the game began, so that it is the same at all later moves; the first few moves
    are as in a game given away.
    """
    if len(position.history) < _SETTLED:
        return share > 0.0
    begun = " ".join(move.text for move in position.history[:_SETTLED])
    return crc32(begun.encode()) % 1000 < 1000 * share


def nearest(choices: Iterable[Choice], aim: float) -> Choice:
    """Of these moves, one at least, the one whose value is nearest to `aim`.

    >>> nearest([Choice(1, 0, 9, 18), Choice(2, 0, 9, 6), Choice(3, 0, 9, 0)], 0.3).code
    2
    """
    known = list(choices)
    most = max(choice.visits for choice in known)
    told = [c for c in known if c.visits >= min(_MIN_VISITS, most) or c.proof != UNKNOWN]
    return min(told, key=lambda choice: (abs(choice.value - aim), -choice.visits))
