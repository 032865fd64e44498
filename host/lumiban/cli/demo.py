"""`lumiban demo`: two bots on a simulated board in the browser."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import (
    Assist,
    First,
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

REMATCH_US = 8_000_000
"""Between two games of bots: time to see who won."""


def command(
    *,
    first: First | None = None,
    second: Second | None = None,
    option: Options = None,
    port: Port = 8700,
    no_browser: NoBrowser = False,
    assist: Assist = "auto",
    new: New = False,
    smoke: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Play one short game without a page and report whether it worked.",
        ),
    ] = False,
) -> int:
    """Watch two bots play Control on a simulated board; drag a stone to take a seat.

    The page opens in the browser; over ssh its link is printed. An interrupted game resumes.
    """
    from lumiban.runtime import setup
    from lumiban.runtime.setup import PlayRequest
    from lumiban.table.types import Settings

    if smoke:
        from lumiban.cli.smoke import smoke as run_smoke

        return run_smoke()
    wish = PlayRequest(
        options=options(option),
        seats=(first and seat(first), second and seat(second)),
        at_first=("bot:easy", "bot:medium"),
        assist=assists(assist),
        new=new,
        seed=any_seed(),
        any_game=not option,
        hint="control",
        settings=Settings(rematch_us=REMATCH_US),
    )
    setup.run(wish, port=port, browser=not no_browser, greeting_id="cli.demo.greeting")
    return 0
