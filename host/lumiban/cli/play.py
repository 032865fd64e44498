"""`lumiban play`: a game on a real board or on the simulator."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import (
    Assist,
    First,
    GameName,
    New,
    NoBrowser,
    Options,
    Pins,
    Port,
    Second,
    any_seed,
    assists,
    microseconds,
    options,
    profile_names,
    seat,
)
from lumiban.errors import UsageError


def command(
    game: GameName,
    /,
    *,
    option: Options = None,
    first: First | None = None,
    second: Second | None = None,
    board: Annotated[
        str,
        Parameter(
            help="sim: a simulated board; auto: the board that is plugged in; gpio: the one on this"
            " Pi's header; chip: one whose firmware runs on an emulated Pico, slowly (it needs the"
            " image that LUMIBAN_UF2 names); or its port."
        ),
    ] = "sim",
    pins: Pins = "",
    profile: Annotated[
        str,
        Parameter(
            help=f"The board's profile by name ({profile_names()}), or a TOML file; else one that"
            " holds the game."
        ),
    ] = "",
    port: Port = 8700,
    no_browser: NoBrowser = False,
    assist: Assist = "auto",
    new: New = False,
    bot_reaction: Annotated[
        str | None,
        Parameter(
            help="A bot's reaction time in games without turns: 400ms or 1.5s, 250ms to 10s; by"
            " default as its level sets."
        ),
    ] = None,
    ponder: Annotated[
        bool | None,
        Parameter(
            help="Let hard and strong bots think on your time, at most 30 s a turn; by default on"
            " machines with two cores."
        ),
    ] = None,
) -> None:
    """Play a game: you against a bot, unless you say otherwise.

    An unfinished game of the same kind on this board resumes; its seats stay as they were unless
    you name them.
    """
    from lumiban.runtime import setup
    from lumiban.runtime.setup import PlayRequest
    from lumiban.search import tree
    from lumiban.table.types import Settings

    wish = PlayRequest(
        game=game,
        options=options(option),
        seats=(first and seat(first), second and seat(second)),
        board=board,
        pins=pins,
        profile=profile,
        assist=assists(assist),
        new=new,
        seed=any_seed(),
        settings=Settings(
            reaction_us=reaction(bot_reaction), ponder=tree.ponders() if ponder is None else ponder
        ),
    )
    setup.run(wish, port=port, browser=not no_browser, greeting_id="cli.play.greeting")


def reaction(wish: str | None) -> int | None:
    """A bot's reaction time, µs, None where nothing is wished; UsageError.

    >>> reaction("400ms"), reaction(None)
    (400000, None)
    """
    from lumiban.table.free_play import LEAST_US, MOST_US

    found = microseconds(wish, "--bot-reaction")
    if found is not None and not LEAST_US <= found <= MOST_US:
        raise UsageError(f"--bot-reaction {wish} is not from 250ms to 10s")
    return found
