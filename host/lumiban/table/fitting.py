"""Fit of a game on this table's board: whether it can be played, and how it lies."""

from __future__ import annotations

from contextlib import suppress

from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.mapping import CellMapping, place_grid
from lumiban.boards.profile import Profile
from lumiban.boards.types import ORDER_HZ
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Game
from lumiban.games.light_game import LightGame
from lumiban.i18n import text

USUAL, USUAL_ON_HEADER = "hex5", "reed-hex5"
"""The profiles of our own board, and of one on a Pi's header."""


def unfit(game: Game, profile: Profile, scan_hz: int | None = None) -> str | None:
    """Text id of why no table, or not this one, can play the game; None when it can.

    `scan_hz` is how often the board says that it scans its cells, else the profile's word holds.
    """
    if not profile.has_sensors and game.turnless:
        return "table.no-hands"
    if not profile.has_lights and isinstance(game, LightGame):
        return "table.no-light"
    if not profile.has_sensors:
        return game.not_at_table
    has_order = (scan_hz or profile.scan_hz) >= ORDER_HZ and not profile.is_of_switches
    if game.turnless and not has_order:
        return "table.whose-hand" if profile.is_of_switches else "table.no-fair-order"
    if profile.is_of_switches and game.start().phase != "play":
        return "table.whose-stone"
    return game.not_at_table


def on_board(game: Game, profile: Profile, language: str = "en") -> Game:
    """The game as this board plays it; GameError when no table or not this one can, BoardError
    when it does not fit.

    >>> from lumiban import games
    >>> from lumiban.boards.profile import load
    >>> len(on_board(games.load("doves"), load("grid9x9")).grid)
    81
    """
    reason = unfit(game, profile)
    if reason is not None:
        raise GameError(text(reason, language))
    laid = game.laid_on(profile.grid)
    place_grid(laid.grid, profile)
    return laid


def fit(game: Game, profile: Profile, language: str = "en") -> CellMapping:
    """The game laid on the board; GameError when no table can play it, BoardError when it does
    not fit this one.

    >>> from lumiban import games
    >>> from lumiban.boards.profile import load
    >>> len(fit(games.load("control", size=3), load("hex5")).board)
    19
    """
    return place_grid(on_board(game, profile, language).grid, profile)


def profile_for(game: Game, *, on_header: bool = False) -> str:
    """The built-in profile on which a game is played when none is named: USUAL where it fits,
    else the smallest that does; USUAL where none does, so that `fit` tells the reason.

    With `on_header` the boards are those of switches that a Pi's header reads.

    >>> from lumiban import games
    >>> [profile_for(games.load(slug)) for slug in ("control", "trivia", "doves")]
    ['hex5', 'grid9x9', 'grid9x9']
    >>> profile_for(games.load("control"), on_header=True)
    'reed-hex5'
    """
    usual = USUAL_ON_HEADER if on_header else USUAL
    if _fits(game, profiles.load(usual)):  # first: the other profiles need not even be read
        return usual
    names = profiles.names() if on_header else profiles.drawn()
    of_kind = [one for one in map(profiles.load, names) if one.is_on_header == on_header]
    holds = [one for one in of_kind if one.has_sensors and _fits(game, one)]
    return min(holds, key=lambda profile: len(profile.cells)).name if holds else usual


def example_for(profile: Profile) -> str:
    """A game that fits a board, and the largest size of it, as words of `play`.

    >>> from lumiban.boards.profile import load
    >>> example_for(load("breadboard8")), example_for(load("reed-hex3"))
    ('trivia -o size=8', 'control -o size=3')
    """
    for slug in ("control", "trivia"):
        for size in range(9, 2, -1):
            with suppress(GameError):
                if _fits(games.load(slug, size=size), profile):
                    return f"{slug} -o size={size}"
    return "control"


def needs_another_board(game: Game, profile: Profile) -> bool:
    """True if this board cannot hold the game, and a built-in one can.

    >>> from lumiban import games
    >>> from lumiban.boards.profile import load
    >>> [needs_another_board(games.load(one), load("hex5")) for one in ("trivia", "evening")]
    [True, False]
    """
    return not _fits(game, profile) and _fits(game, profiles.load(profile_for(game)))


def _fits(game: Game, profile: Profile) -> bool:
    try:
        fit(game, profile)
    except (BoardError, GameError):
        return False
    return True
