"""`lumiban bench`: how fast stones are answered, how fairly ordered, and how fast bots think."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import App, Parameter

from lumiban.cli.arguments import Json, Options, options, prose
from lumiban.cli.bench_chip import chip
from lumiban.cli.bench_demo import demo
from lumiban.cli.bench_soak import soak
from lumiban.errors import UsageError
from lumiban.terminal import Progress, print_json


def both() -> None:
    """Measure this machine: `bench latency`, then `bench search`; about two minutes.

    The others are for one question each.
    """
    latency(events=400)
    print()
    search()


def latency(
    *,
    events: Annotated[int, Parameter(help="Events to measure in each of the two runs.")] = 2000,
    with_bot: Annotated[
        bool,
        Parameter(
            negative="--without-bot",
            show_default=False,
            help="Whether to measure again while a bot thinks.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Measure a stone's latency through the host, over a real serial line.

    From read() of the last byte of an EVENTS frame to write() of the COMMIT that answers it in
    light, with journal, page and one open tab; then the same while a bot keeps a core busy.
    Microseconds.
    """
    from lumiban.cli.latency import measure

    if events < 10:
        raise UsageError(f"--events {events} is too few to be meaningful; measure at least 10")
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
    game: Annotated[
        str | None, Parameter(show_default=False, help="One game; by default all of them.")
    ] = None,
    /,
    *,
    option: Options = None,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    json: Json = False,
) -> None:
    """Measure random games, tree searches and counts, compiled and plain, and waiting times.

    Per second of CPU time, one thread; threads against one thread, and against as many processes,
    by the clock. The ratio is that of the same text with and without the compiler. Waits are for
    a bot's first compiled answer, for a stop, and of the table's own loop while a bot thinks.
    With --json one object a row.
    """
    from os import cpu_count

    from lumiban import games
    from lumiban.cli.bench_search import line, measure, of_game

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    if game is None and option:
        raise UsageError("--option needs a game: lumiban bench search control -o size=8")
    progress = Progress()
    if game is None:
        found = measure(seconds, cpu_count() or 1, progress.show)
    else:
        found = of_game(games.load(game, **options(option)), seconds, progress.show)
    try:
        for row in found:
            progress.clear()
            if json:
                print_json(row.as_json())
                continue
            print(line(row))
    finally:
        progress.clear()


def rengi(
    *,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    solo: Annotated[
        int,
        Parameter(help="Instead: this many chains built alone in open mode and fired by hand 40."),
    ] = 0,
    json: Json = False,
) -> None:
    """Measure Rengi's kernel: fields resolved and placements listed per second of CPU time.

    With --solo: the lengths of the chains the bot builds alone, and the time per hand.
    """
    from lumiban.cli.bench_rengi import measure, measure_solo

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    if not 0 <= solo <= 10_000:
        raise UsageError(f"--solo {solo} is not between 0 and 10000")
    progress = Progress()
    try:
        figures = measure_solo(solo, progress.show) if solo else measure(seconds, progress.show)
    finally:
        progress.clear()
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        shown = f"{value:,.1f}" if isinstance(value, float) and value >= 100 else str(value).lower()
        print(f"{name:<22} {shown:>14}")


def doves(
    *,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    json: Json = False,
) -> None:
    """Measure how fast Tokyo Doves is searched, per second of CPU time.

    Nodes of perft, positions of alpha-beta, actions tried in the hunt for wins; the ratio is to
    the same text uncompiled.
    """
    from lumiban.search.doves_bench import measure

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    progress = Progress()
    try:
        rows = measure(seconds, progress.show)
    finally:
        progress.clear()
    for name, row in rows.items():
        if json:
            print_json({"row": name, **row})
        else:
            ratio = f"{row['ratio']:>10,.1f} ×" if "ratio" in row else ""
            print(f"{name:<22} {row['rate']:>14,.1f}{ratio}")


def order(
    *,
    seeds: Annotated[
        int, Parameter(help="Races at each speed; pairs beside the first run a fortieth of that.")
    ] = 10_000,
    speeds: Annotated[
        str, Parameter(help="Speeds of the hands in m/s, separated by commas.")
    ] = "0.05,0.1,0.2,0.4",
    jobs: Annotated[
        int | None, Parameter(show_default=False, help="Processes; by default one per core.")
    ] = None,
    seed: Annotated[int, Parameter(help="The same seed gives the same table.")] = 1,
    rough: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Lids up to 0.5 mm off, and hands that change speed by up to 25 %.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Measure how reliably the table knows which of two stones came first.

    Two simulated hands set down two stones 2 ms apart, either first: a strong and a weak magnet,
    the one fast and the other slowly. The firmware's times and uncertainties are held against the
    moments of contact: ties by the table's rule, and inversions, which should be none.
    """
    from os import cpu_count

    from lumiban.cli.bench_order import as_json, measure, table

    if not 1 <= seeds <= 1_000_000:
        raise UsageError(f"--seeds {seeds} is not between 1 and 1000000")
    if jobs is not None and not 1 <= jobs <= 256:
        raise UsageError(f"--jobs {jobs} is not between 1 and 256")
    if not 0 <= seed < 1 << 40:
        raise UsageError(f"--seed {seed} is not between 0 and 2^40")
    progress = Progress()
    try:
        rows = list(
            measure(
                seeds,
                _speeds(speeds),
                seed=seed,
                jobs=jobs or cpu_count() or 1,
                rough=rough,
                progress=progress.show,
            )
        )
    finally:
        progress.clear()
    if json:
        print_json(as_json(rows, seed=seed, rough=rough))
        return
    for line in table(rows):
        print(line)


def kinds(
    *,
    boards: Annotated[int, Parameter(help="Number of random boards.")] = 1_000,
    profile: Annotated[str, Parameter(help="The board's profile.")] = "hex5",
    jobs: Annotated[
        int | None, Parameter(show_default=False, help="Processes; by default one per core.")
    ] = None,
    seed: Annotated[int, Parameter(help="The same seed gives the same boards.")] = 1,
    by_hand: Annotated[
        int, Parameter(help="Boards of each of the twelve worst sorts.", show_default=True)
    ] = 20,
    json: Json = False,
) -> None:
    """Measure how reliably the board identifies pieces on a crowded board.

    Boards of random parts within their tolerances (lids 0.5 mm, magnets 2.1 %, sensors 2 % and
    0.5 mT, pieces 1 mm off centre), with pieces on three cells of four, are powered on as they
    stand. The worst boards that can be laid by hand are told apart.
    """
    from os import cpu_count

    from lumiban.cli import bench_kinds

    if not 1 <= boards <= 10_000_000:
        raise UsageError(f"--boards {boards} is not between 1 and 10000000")
    if jobs is not None and not 1 <= jobs <= 256:
        raise UsageError(f"--jobs {jobs} is not between 1 and 256")
    if not 0 <= seed < 1 << 24:
        raise UsageError(f"--seed {seed} is not between 0 and 2^24")
    if not 1 <= by_hand <= 100_000:
        raise UsageError(f"--by-hand {by_hand} is not between 1 and 100000")
    progress = Progress()
    try:
        found = bench_kinds.measure(
            boards,
            seed=seed,
            jobs=jobs or cpu_count() or 1,
            profile=profile,
            progress=progress.show,
        )
        worst = list(bench_kinds.by_hand(profile, seed=seed, each=by_hand))
    finally:
        progress.clear()
    if json:
        rows = [
            {"middle": kind, "around": around, **tally.as_json()} for kind, around, tally in worst
        ]
        print_json({"profile": profile, "seed": seed, "random": found.as_json(), "worst": rows})
        return
    for line in bench_kinds.table(found, worst):
        print(line)


def _speeds(told: str) -> tuple[float, ...]:
    try:
        speeds = tuple(float(part) for part in told.split(","))
    except ValueError:
        speeds = ()
    if not speeds or not all(0.02 <= speed <= 1 for speed in speeds):
        raise UsageError(
            f"--speeds {told!r} must be speeds from 0.02 to 1 m/s, separated by commas, "
            "for example: --speeds 0.1,0.2"
        )
    return speeds


def link(
    *,
    profile: Annotated[str, Parameter(help="The board, by its profile's name.")] = "hex5",
    seconds: Annotated[float, Parameter(help="How long each rate is measured.")] = 2.0,
    stones: Annotated[int, Parameter(help="Stones to place, in virtual and in real time.")] = 20,
    baud: Annotated[int, Parameter(help="Baud rate of the UART whose limit is shown.")] = 115_200,
    json: Json = False,
) -> None:
    """Measure the line to the board: events and pictures per second, and a stone's latency.

    Rates over a pty, beside the limits of USB at full speed (one packet of 64 bytes a
    millisecond) and of a UART. The way from a stone's contact to the host and back to light:
    in virtual time, where host and line take none, and in real time with a simulated board in a
    process of its own. Microseconds; most of them are the stone coming to rest.
    """
    from lumiban.cli.bench_link import measure, table

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    if not 1 <= stones <= 10_000:
        raise UsageError(f"--stones {stones} is not between 1 and 10000")
    if not 300 <= baud <= 100_000_000:
        raise UsageError(f"--baud {baud} is not between 300 and 100000000")
    progress = Progress()
    try:
        figures = asyncio.run(measure(profile, seconds, stones, baud, progress.show))
    finally:
        progress.clear()
    if json:
        print_json(figures)
        return
    for line in table(figures):
        print(line)


def flood(
    *,
    visitors: Annotated[
        int | None,
        Parameter(
            show_default=False,
            help="Number of visitors; by default 32, then 600 who all get a socket.",
        ),
    ] = None,
    sockets: Annotated[
        int, Parameter(help="WebSockets that may be open at once, with --visitors.")
    ] = 32,
    rounds: Annotated[int, Parameter(help="Turns under each condition.")] = 12,
    events: Annotated[int, Parameter(help="Stones per turn.")] = 100,
    json: Json = False,
) -> None:
    """Measure how much a flood of hostile visitors to the page delays a stone.

    As in `bench latency`, in turns: nobody comes; the visitors come to another table's page on
    this computer; they come to this one. They send more than is read, too much, too long, garbage
    or nothing, and never read or end. With --json one object a number of visitors; microseconds.
    """
    from lumiban.cli.flood import measure

    if visitors is not None and not 1 <= visitors <= 2000:
        raise UsageError(f"--visitors {visitors} is not between 1 and 2000")
    if not 1 <= sockets <= 1000:
        raise UsageError(f"--sockets {sockets} is not between 1 and 1000")
    if not (1 <= rounds <= 1000 and 10 <= events <= 100_000):
        raise UsageError("--rounds must be 1 to 1000, --events 10 to 100000")
    progress = Progress()
    for count, most in [(32, 32), (600, 600)] if visitors is None else [(visitors, sockets)]:
        try:
            figures = asyncio.run(
                measure(count, most, rounds=rounds, events=events, progress=progress.show)
            )
        finally:
            progress.clear()
        if json:
            print_json(figures)
            continue
        for name, value in figures.items():
            if isinstance(value, dict):
                print(f"{name}: " + ", ".join(f"{key} {part}" for key, part in value.items()))
            else:
                print(f"{name:<22} {value:>8}")


app = App(name="bench", help=prose(both), help_epilogue="", help_format="plaintext")
app.default(both)
app.command(latency, help=prose(latency))
app.command(link, help=prose(link))
app.command(flood, help=prose(flood))
app.command(search, help=prose(search))
app.command(rengi, help=prose(rengi))
app.command(doves, help=prose(doves))
app.command(order, help=prose(order))
app.command(kinds, help=prose(kinds))
app.command(chip, help=prose(chip))
app.command(soak, help=prose(soak))
app.command(demo, help=prose(demo))
