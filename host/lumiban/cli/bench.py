"""`lumiban bench`: how fast a stone is answered in light, and how fast the bots think."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import App, Parameter

from lumiban.cli.arguments import Json, Options, Progress, options, print_json, prose
from lumiban.errors import UsageError


def both() -> None:
    """Measure this machine: `bench latency` and `bench search`."""
    latency(events=400)
    print()
    search()


def latency(
    *,
    events: Annotated[int, Parameter(help="Events to measure, for each of the two runs.")] = 2000,
    with_bot: Annotated[
        bool,
        Parameter(
            negative="--without-bot",
            show_default=False,
            help="Measure once more while a bot thinks; or not.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Measure the way of a stone through the host, over a real serial line.

    From read() of the last byte of an EVENTS frame to write() of the COMMIT that answers it in
    light, with journal, page and one open tab; then the same while a bot keeps a core busy.
    Microseconds.
    """
    from lumiban.cli.latency import measure

    if events < 10:
        raise UsageError(f"--events {events} is too few to say anything; measure at least 10")
    progress = Progress()
    try:
        figures = asyncio.run(measure(events, with_bot=with_bot, progress=progress.show))
    finally:
        progress.clear()
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        print(f"{name:<22} {value:>8}")


def search(
    game: Annotated[str, Parameter(help="The game; `lumiban games` lists them.")] = "control",
    /,
    *,
    option: Options = None,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    json: Json = False,
) -> None:
    """Measure random games and tree search, plain and compiled, per second of CPU time."""
    from lumiban import games
    from lumiban.search.bench import measure

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    played = games.load(game, **options(option))
    progress = Progress()
    try:
        figures = measure(played, seconds, progress.show)
    finally:
        progress.clear()
    if json:
        print_json({"game": game, "options": dict(played.options), **figures})
        return
    for name, value in figures.items():
        print(f"{name:<22} {value:>14,.1f}")


def rengi(
    *,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    json: Json = False,
) -> None:
    """Measure Rengi's kernel: fields resolved and placements listed per second of CPU time."""
    from lumiban.cli.bench_rengi import measure

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    progress = Progress()
    try:
        figures = measure(seconds, progress.show)
    finally:
        progress.clear()
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        shown = str(value).lower() if isinstance(value, bool) else f"{value:,.1f}"
        print(f"{name:<22} {shown:>14}")


app = App(name="bench", help=prose(both), help_epilogue="", help_format="plaintext")
app.default(both)
app.command(latency, help=prose(latency))
app.command(search, help=prose(search))
app.command(rengi, help=prose(rengi))
