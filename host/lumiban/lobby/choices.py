"""Choices on each screen of the lobby, and the setup chosen so far.

A screen is a list of choices; a choice is named by an id (`game`, `size/5`, `back`), the same on
the board and on the page. What has been chosen is a `TableSetup`; it says which screens there are,
what stands on them, and which game they make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lumiban import games
from lumiban.errors import GameError
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.light_game import LightGame
from lumiban.table.clocks import NONE, RULES, control_of, described
from lumiban.table.requests import OFF_YES, NewGameRequest
from lumiban.table.setup import TableSetup
from lumiban.table.types import BOT, HUMAN

HOME, GAME, SIZE, FIRST, SECOND, CLOCK, CARE, LANGUAGE, BRIGHTNESS, OFF = (
    "home", "game", "size", "first", "second", "clock", "care", "language", "brightness", "off",
)  # fmt: skip
"""Screens; all but HOME are also the choice that leads to them."""
START, RESUME, REMATCH, LESSON, PHONE, BACK = (
    "start", "resume", "rematch", "lesson", "phone", "back",
)  # fmt: skip
"""Choices that lead to no screen of their own."""
OF_HOME = (START, RESUME, REMATCH, GAME, SIZE, FIRST, SECOND, CLOCK, LESSON, CARE)
"""All that may stand on the first screen, in their order; each has its place for good."""
ABOVE: Mapping[str, str] = {LANGUAGE: CARE, BRIGHTNESS: CARE, OFF: CARE}
"""Screen to which `back` leads; elsewhere HOME."""

CLOCKS_IN_TURN: tuple[str, ...] = (NONE, "sudden:10m", "5+3", "10+5", "move:30s")
CLOCKS_OF_ALL = (NONE, "sudden:10m", "sudden:30m")
"""For a game without turns: one clock counts for all of it."""
CLOCKS_IN_LIGHT = (RULES, NONE)
"""For a game whose own rules name a clock."""
DIMMEST, DIM, FULL = 40, 65, 100
BRIGHTNESSES = (DIMMEST, DIM, FULL)
"""Percent of the usual light. Below the least what burns faintly would be dark."""


@dataclass(frozen=True, slots=True)
class GameOffer:
    """Game that this board can play: `options` are the options needed here, `sizes` the sizes that
    fit (empty: one size), `clocks` the time controls, the usual one first."""

    slug: str
    options: Mapping[str, int | str]
    sizes: tuple[int, ...]
    size: int
    clocks: tuple[str, ...]
    has_lesson: bool

    def clock(self, setup: TableSetup) -> str:
        """Clock of a setup; the usual clock where this game cannot have that one."""
        return setup.clock if setup.clock in self.clocks else self.clocks[0]


@dataclass(frozen=True, slots=True)
class Offers:
    """Everything that can be chosen at this table."""

    games: tuple[GameOffer, ...]
    levels: tuple[str, ...]
    languages: tuple[str, ...]
    can_power_off: bool = False

    def game(self, slug: str) -> GameOffer:
        """Offer of this game; the first offer where the game is not offered."""
        return next((one for one in self.games if one.slug == slug), self.games[0])


def offers_of(hello: Mapping[str, Any], *, can_power_off: bool = False) -> Offers:
    """Offers of a board, from the page's greeting: the games that fit it, with the options
    available there.

    >>> from lumiban.boards.profile import load
    >>> from lumiban.runtime.page_hello import page_hello
    >>> found = offers_of(page_hello(load("hex3"), simulated=True))
    >>> [(one.slug, one.sizes, dict(one.options)) for one in found.games][:2]
    [('control', (2, 3), {'size': 3}), ('evening', (2, 3), {'size': 3})]
    """
    offered = []
    for game in hello["games"]:
        kind = games.game_class(game["slug"])
        usual = {option.name: option.default for option in kind.accepts}
        own = {one["name"]: one["default"] for one in game["options"]}
        options = {name: value for name, value in own.items() if value != usual.get(name)}
        listed = [one["values"] for one in game["options"] if one["name"] == SIZE]
        sizes = [size for size in (listed or [()])[0] if isinstance(size, int)]
        clocks = CLOCKS_IN_TURN
        if issubclass(kind, LightGame):
            clocks = CLOCKS_IN_LIGHT
        elif games.load(game["slug"], **options).turnless:
            clocks = CLOCKS_OF_ALL
        offered.append(
            GameOffer(
                game["slug"],
                options,
                tuple(sizes),
                int(own[SIZE]) if sizes else 0,
                clocks,
                _is_taught(game["slug"]),
            )
        )
    return Offers(tuple(offered), tuple(hello["levels"]), tuple(hello["languages"]), can_power_off)


def _is_taught(slug: str) -> bool:
    try:
        lesson_of(slug)
    except GameError:
        return False
    return True


def size_of(setup: TableSetup) -> int:
    """Chosen size; 0 for the game's usual size."""
    size = setup.options.get(SIZE)
    return size if isinstance(size, int) else 0


def new_game(setup: TableSetup, offers: Offers) -> NewGameRequest:
    """Request to the table for the game of a setup."""
    offer = offers.game(setup.game)
    options = options_of(offer, size_of(setup))
    return NewGameRequest(offer.slug, options, setup.seats, offer.clock(setup))


def chosen(setup: TableSetup, choice: str) -> TableSetup:
    """Setup after a choice in a list; unchanged by any other choice.

    >>> chosen(TableSetup("control"), "second/human").seats
    ('human', 'human')
    """
    screen, _, value = choice.partition("/")
    if screen == GAME and value:
        return setup if value == setup.game else replace(setup, game=value, options={}, clock="")
    if screen == SIZE and value:
        return replace(setup, options={SIZE: int(value)})
    if screen in (FIRST, SECOND) and value:
        at = (FIRST, SECOND).index(screen)
        return replace(setup, seats=(*setup.seats[:at], value, *setup.seats[at + 1 :]))
    if screen == CLOCK and value:
        return replace(setup, clock=value)
    if screen == LANGUAGE and value:
        return replace(setup, language=value)
    if screen == BRIGHTNESS and value:
        return replace(setup, brightness=int(value))
    return setup


def options_of(offer: GameOffer, size: int = 0) -> dict[str, int | str]:
    """Options of a game on this board, at this size (0: the usual one)."""
    if size in offer.sizes:
        return {**offer.options, SIZE: size}
    return dict(offer.options)


@dataclass(frozen=True, slots=True)
class Situation:
    """State of the table beside the lobby: a game to resume, a finished game, the digits with which
    a phone joins ("" while there is no network, None where none is wanted)."""

    resumes: bool = False
    has_ended: bool = False
    pin: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of a screen, with its sentence of the catalogue; `is_now` marks the current
    value."""

    id: str
    text_id: str
    params: Mapping[str, str | int] = field(default_factory=dict)
    is_now: bool = False


def choices(
    screen: str, setup: TableSetup, offers: Offers, situation: Situation
) -> tuple[Choice, ...]:
    """Choices of a screen, in the order of their places; on every screen but HOME `back` comes
    last."""
    if screen == HOME:
        return tuple(_of_home(setup, offers, situation))
    offer = offers.game(setup.game)
    size = size_of(setup) if size_of(setup) in offer.sizes else offer.size
    lists: dict[str, tuple[Sequence[object], object]] = {
        GAME: ([one.slug for one in offers.games], offer.slug),
        SIZE: (offer.sizes, size),
        FIRST: (_players(offers), setup.seats[0]),
        SECOND: (_players(offers), setup.seats[1]),
        CLOCK: (offer.clocks, offer.clock(setup)),
        LANGUAGE: (offers.languages, setup.language),
        BRIGHTNESS: (BRIGHTNESSES, setup.brightness),
    }
    back = _plain(BACK)
    if screen == CARE:
        is_there = {PHONE: situation.pin is not None, OFF: offers.can_power_off}
        care = [one for one in (BRIGHTNESS, LANGUAGE, PHONE, OFF) if is_there.get(one, True)]
        return (*map(_plain, care), back)
    if screen == OFF:
        return (_plain(OFF_YES), back)
    values, now = lists[screen]
    return (*(_of_list(screen, value, value == now) for value in values), back)


def _plain(id: str, params: Mapping[str, str | int] | None = None) -> Choice:
    return Choice(id, f"lobby.choice.{id.replace('/', '.')}", params or {})


def _of_home(setup: TableSetup, offers: Offers, situation: Situation) -> list[Choice]:
    offer = offers.game(setup.game)
    is_there = {
        RESUME: situation.resumes,
        REMATCH: situation.has_ended and not situation.resumes,
        GAME: len(offers.games) > 1,
        SIZE: len(offer.sizes) > 1,
        CLOCK: len(offer.clocks) > 1,
        LESSON: offer.has_lesson,
    }
    game = {"game": f"game.{offer.slug}.name"}
    return [
        _plain(one, game if one in (START, GAME, LESSON) else {})
        for one in OF_HOME
        if is_there.get(one, True)
    ]


def _players(offers: Offers) -> list[str]:
    return [HUMAN, *(BOT + level for level in offers.levels)]


def _of_list(screen: str, value: object, is_now: bool) -> Choice:
    id, word = f"{screen}/{value}", str(value)
    if screen == CLOCK:
        # As the page's own list says it.
        known = word in (NONE, RULES)
        text_id, params = (f"clock.{word}", {}) if known else described(control_of(word))
        return Choice(id, text_id, params, is_now)
    if screen == GAME:
        return Choice(id, f"game.{word}.name", {}, is_now)
    if screen == LANGUAGE:
        return Choice(id, f"lobby.language.{word}", {}, is_now)
    if screen in (FIRST, SECOND):
        if value == HUMAN:
            return Choice(id, f"lobby.choice.{screen}.human", {}, is_now)
        level = {"level": f"level.{word.removeprefix(BOT)}"}
        return Choice(id, f"lobby.choice.{screen}.bot", level, is_now)
    return Choice(id, f"lobby.choice.{screen}.one", {screen: word}, is_now)
