"""`lumiban play`: a game on a real board or on the simulator."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import (
    Assist,
    First,
    GameName,
    New,
    NoBrowser,
    Options,
    Port,
    Second,
    any_seed,
    assists,
    options,
    seat,
)


def command(
    game: GameName,
    /,
    *,
    option: Options = None,
    first: First | None = None,
    second: Second | None = None,
    board: Annotated[
        str,
        Parameter(help="sim: a simulated board; auto: the board that is plugged in; or its port."),
    ] = "sim",
    profile: Annotated[
        str,
        Parameter(
            help="The board's profile by name (hex3, hex5, grid9x9, grid13x14), or a TOML file;"
            " else one that holds the game."
        ),
    ] = "",
    port: Port = 8700,
    no_browser: NoBrowser = False,
    assist: Assist = "auto",
    new: New = False,
) -> None:
    """Play a game: you against a bot, unless you say otherwise.

    An unfinished game of the same kind on this board goes on where it was; its seats stay as they
    were unless you name them.
    """
    from lumiban.cli import hosting
    from lumiban.cli.sitting import Wish

    wish = Wish(
        game=game,
        options=options(option),
        seats=(first and seat(first), second and seat(second)),
        board=board,
        profile=profile,
        assist=assists(assist),
        new=new,
        seed=any_seed(),
    )
    asyncio.run(
        hosting.host(wish, port=port, browser=not no_browser, greeting_id="cli.play.greeting")
    )
