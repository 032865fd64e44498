"""The commands of `lumiban bench`: what they take, and how their figures are printed.

How fast and in what order stones are answered, how fast bots think, what the chip has left, and
whether a table keeps its laws through hours of trouble.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter
from lumiban.arguments import NAMES_GAME, Json, Options, options, prose
from lumiban.errors import CheckFailed, UsageError
from lumiban.invocation import start_word
from lumiban.system.terminal import Progress, print_json

if TYPE_CHECKING:
    from lumiban_lab.search import Wait
    from lumiban_lab.speed import Row


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
    from lumiban_lab.latency import measure

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
        str | None,
        NAMES_GAME,
        Parameter(show_default=False, help="One game; by default all of them."),
    ] = None,
    /,
    *,
    option: Options = None,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    cold: Annotated[
        bool,
        Parameter(negative="", help="Only what compiling takes with an empty cache: minutes."),
    ] = False,
    json: Json = False,
) -> None:
    """Measure random games, tree searches and counts, compiled and plain, and waiting times.

    Per second of CPU time, one thread; threads against one thread, and against as many processes,
    by the clock. The ratio is that of the same text with and without the compiler. Waits are for
    a bot's first compiled answer, for a stop, and of the table's own loop while a bot thinks.
    With --json one object a row, which tells too what it was when it was last kept
    (`tests/lab/figures.toml`; rates as rounds of a calibration loop a unit), how many times that
    it is, and the bound that it must hold: a rate within 15 percent.
    """
    from os import cpu_count

    from lumiban import games

    from lumiban_lab.kept_figures import check
    from lumiban_lab.search import TIMED_GAMES, beside_kept, measure, of_game, row_text
    from lumiban_lab.search import cold as cold_rows

    if not 0 < seconds <= 600:
        raise UsageError(f"--seconds {seconds} is not between 0 and 600")
    if game is None and option:
        raise UsageError(f"--option needs a game: {start_word()} bench search control -o size=8")
    progress = Progress()
    rows: Iterator[Row | Wait]
    if cold:
        rows = cold_rows([game] if game else [slug for slug, _ in TIMED_GAMES], progress.show)
    elif game is None:
        rows = measure(seconds, cpu_count() or 1, progress.show)
    else:
        rows = of_game(games.load(game, **options(option)), seconds, progress.show)
    over = []
    try:
        for row in rows:
            progress.clear()
            beside = beside_kept(row)
            over.append(beside)
            if json:
                print_json({**row.as_json(), "kept": beside.as_json()})
                continue
            note = " : OVER" if beside.is_over else " : better, keep it" if beside.is_better else ""
            print(row_text(row) + note)
    finally:
        progress.clear()
    check(over)


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
    from lumiban_lab.rengi import measure, measure_solo

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

    from lumiban_lab.order import as_json, measure, table

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

    from lumiban_lab import kinds as bench_kinds

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
        at_random = bench_kinds.measure(
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
        print_json({"profile": profile, "seed": seed, "random": at_random.as_json(), "worst": rows})
        return
    for line in bench_kinds.table(at_random, worst):
        print(line)


def _speeds(text: str) -> tuple[float, ...]:
    try:
        speeds = tuple(float(part) for part in text.split(","))
    except ValueError:
        speeds = ()
    if not speeds or not all(0.02 <= speed <= 1 for speed in speeds):
        raise UsageError(
            f"--speeds {text!r} must be speeds from 0.02 to 1 m/s, separated by commas, "
            "for example: --speeds 0.1,0.2"
        )
    return speeds


def soak(
    *,
    hours: Annotated[float, Parameter(help="Virtual hours to play.")] = 1.0,
    seed: Annotated[
        int,
        Parameter(
            help="Seed of the first sitting; each takes the next. From 1000000 on they are at "
            "boards of switches. Failing seeds are printed."
        ),
    ] = 1,
    jobs: Annotated[
        int | None, Parameter(show_default=False, help="Processes; by default one per core.")
    ] = None,
    judge: Annotated[
        Path | None,
        Parameter(
            help="Python file with rules written a second time: tests/support/by_the_rules.py."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Play the whole stack in virtual time under random fault plans; check that nothing is lost.

    Hands, fields, firmware, line, link, referee and journal run in sittings of ten minutes, with
    all games, beside disks that lie, hosts that sleep, bots that hang and pages that flood. No
    accepted move is ever lost, doubled, taken back unasked or against the rules; at every quiet
    moment the journal leads to the same table, the host believes what lies on the board, and
    doing what is asked leads to agreement. Ends with 1 when something does not hold.
    """
    from os import cpu_count

    from lumiban_lab import soak as soaking

    if not 0 < hours <= 10_000:
        raise UsageError(f"--hours {hours} is not between 0 and 10000")
    if jobs is not None and not 1 <= jobs <= 256:
        raise UsageError(f"--jobs {jobs} is not between 1 and 256")
    if not 0 <= seed < 1 << 40:
        raise UsageError(f"--seed {seed} is not between 0 and 2^40")
    judges = "" if judge is None else str(judge)
    soaking.judges_from(judges)
    progress = Progress()
    try:
        results = soaking.soak(
            hours,
            seed=seed,
            jobs=jobs or cpu_count() or 1,
            progress=progress.show,
            judges=judges,
        )
    finally:
        progress.clear()
    if json:
        print_json(results.as_json())
    else:
        for line in soaking.table(results):
            print(line)
    if results.failures:
        seeds = ", ".join(str(failure["seed"]) for failure in results.failures[:5])
        raise CheckFailed(
            f"{len(results.failures)} sittings failed, seeds {seeds}; play one again with "
            f"`bench soak --seed {results.failures[0]['seed']} --hours 0.16`"
        )


def strikes(
    *,
    count: Annotated[int, Parameter(help="Services to strike.")] = 40,
    at: Annotated[
        Literal["awaits", "first", "anywhen"],
        Parameter(help="At any of their awaits, or by the clock, in their first 3 s or anywhen."),
    ] = "awaits",
    boards: Annotated[int, Parameter(help="Boards; 1: a simulator of the service's own.")] = 1,
    seed: Annotated[int, Parameter(help="Of the moments.")] = 1,
    json: Json = False,
) -> None:
    """Strike real services, by SIGKILL, SIGTERM, SIGHUP or a parent's death.

    While they open, play, change the game and close. No move that a page showed is lost or
    doubled, nothing stands still or lives on, each board keeps its page. Ends with 1 when that
    does not hold.
    """
    from tempfile import TemporaryDirectory

    from lumiban_lab.strikes import strikes as strike

    if not 1 <= count <= 10_000 or not 1 <= boards <= 8:
        raise UsageError(f"--count {count} --boards {boards}: 1 to 10000 services, 1 to 8 boards")
    progress = Progress()
    try:
        with TemporaryDirectory(prefix="lumiban-strikes-") as folder:
            house = Path(folder) / "house"
            found = strike(house, count, seed=seed, boards=boards, at=at, progress=progress.show)
    finally:
        progress.clear()
    if json:
        print_json(found)
    else:
        for name, value in found.items():
            print(f"{name:<10} {value}")


def chip(
    *,
    profile: Annotated[str, Parameter(help="The board, by profile name.")] = "grid13x14",
    ms: Annotated[int, Parameter(help="Length of each phase, in the chip's milliseconds.")] = 600,
    phase: Annotated[
        list[str] | None,
        Parameter(
            show_default=False,
            negative="",
            help="Only this phase, and what it needs; may be repeated.",
        ),
    ] = None,
    seed: Annotated[int, Parameter(help="Of the noise, and of which pieces hands lift.")] = 1,
    json: Json = False,
) -> None:
    """Measure the firmware on an emulated RP2040: frames, gaps, CPU share, heap.

    In phases: power_on, picture (a host's first), quiet (nobody at the board), one_hand,
    ten_hands, collect (one hand and a collection of garbage) and parts (the time of each part);
    all lights breathe meanwhile. Needs a MicroPython image, named by LUMIBAN_UF2, and the tools of
    the tests; says what is missing and ends with 0 otherwise.

    A second of the chip takes about a minute of a computer's: ten minutes in all on a large board.
    Each phase is printed as soon as it was played; what was played is printed as
    JSON too when it is ended by Ctrl-C. Emulated figures: see docs/firmware-chip.md for what they
    are worth.
    """
    from lumiban_lab.rp2040.bench import chip_figures

    if not 50 <= ms <= 60_000:
        raise UsageError(f"--ms {ms} is not between 50 and 60000")
    progress = Progress()
    figures: dict[str, dict[str, float]] = {}
    try:
        played = chip_figures(profile, ms, phase or (), seed, progress.show)
        if isinstance(played, str):
            if json:
                print_json({"skipped": played})
            else:
                print(f"skipped: {played}")
            return
        for name, values in played:
            figures[name] = values
            if not json:
                progress.clear()
                _print(name, values)
    finally:
        progress.clear()
        if json and figures:
            print_json(figures)


def _print(name: str, values: dict[str, float]) -> None:
    print(name)
    for what, figure in values.items():
        print(f"  {what:<18} {figure:>10,}", flush=True)


def images(
    uf2: Annotated[
        tuple[Path, ...], Parameter(help="Images of MicroPython.", allow_leading_hyphen=False)
    ] = (),
    *,
    profile: Annotated[
        list[str] | None, Parameter(negative="", help="Only this one; may be repeated.")
    ] = None,
    contract: Annotated[
        bool, Parameter(help="Run a slice of the contract too: five minutes of CPU a cell.")
    ] = True,
    json: Json = False,
) -> None:
    """Try images of MicroPython with the firmware on an emulated chip, and keep the table.

    Each image with hex3, hex5 and grid13x14: whether the program starts, free heap, frames left
    out, the delay of events with ten hands, a slice of the contract. `board flash` and
    `board doctor` read the table (host/lumiban/maker/tried.toml); without an image it is printed. A
    cell takes one to four minutes of CPU and is kept as soon as it is measured.
    """
    from dataclasses import asdict

    from lumiban.maker import tried

    from lumiban_lab.rp2040 import images as bench
    from lumiban_lab.rp2040 import lacking

    progress = Progress()
    measured = list(tried.read()) if not uf2 else []
    for path in uf2:
        if (missing := lacking(str(path))) is not None:
            raise UsageError(missing)
        for name in profile or bench.PROFILES:
            try:
                trial = bench.try_image(path, name, progress.show, with_contract=contract)
            finally:
                progress.clear()
            bench.keep(trial)
            measured.append(trial)
    if json:
        print_json({"tried": [asdict(one) for one in measured]})
    else:
        print(bench.text_of(measured))


def start(
    *,
    game: Annotated[str, NAMES_GAME, Parameter(help="The game at the table.")] = "control",
    idle: Annotated[float, Parameter(help="Seconds of rest that are measured.")] = 20.0,
    json: Json = False,
) -> None:
    """Measure what a start takes: CPU time to the page, imports, memory by process, rest.

    Each figure beside the one that is kept in tests/lab/figures.toml; ends with 1 where one is
    over its bound. Memory is PSS.
    """
    from lumiban_lab.start import measure

    if not 1 <= idle <= 3600:
        raise UsageError(f"--idle {idle} is not between 1 and 3600")
    progress = Progress()
    try:
        figures = measure(game, idle_s=idle, progress=progress.show)
    finally:
        progress.clear()
    _tell_compared("start", figures, as_json=json)


def page(*, json: Json = False) -> None:
    """Measure what a page takes: requests and bytes of a load, CPU time, bytes of a view.

    Each figure beside the one that is kept in tests/lab/figures.toml; ends with 1 where one is
    over its bound.
    """
    from lumiban_lab.page import measure

    progress = Progress()
    try:
        figures = measure(progress.show)
    finally:
        progress.clear()
    _tell_compared("page", figures, as_json=json)


def _tell_compared(bench: str, figures: Mapping[str, Any], *, as_json: bool) -> None:
    from lumiban_lab.kept_figures import check, compared, text_of

    comparisons = compared(bench, figures)
    if as_json:
        print_json({"figures": [one.as_json() for one in comparisons]})
    else:
        print(text_of(comparisons))
    check(comparisons)


app = App(name="bench", help=prose(both), help_epilogue="", help_format="plaintext")
app.default(both)
app.command(latency, help=prose(latency))
app.command(search, help=prose(search))
app.command(rengi, help=prose(rengi))
app.command(order, help=prose(order))
app.command(kinds, help=prose(kinds))
app.command(chip, help=prose(chip))
app.command(images, help=prose(images))
app.command(start, help=prose(start))
app.command(page, help=prose(page))
app.command(soak, help=prose(soak))
app.command(strikes, help=prose(strikes))
