"""`lumiban play`, `demo`, `sim` and `board gpio`: tables and boards that run until they are closed.

Each reads its words and hands them to `runtime`, where tables and simulated boards run, or to
`boards.gpio`, which drives a board on the Pi's own header.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban import games
from lumiban.arguments import (
    Assist,
    Certificate,
    Clock,
    First,
    GameName,
    Json,
    Key,
    Lan,
    LightsBy,
    New,
    NoBrowser,
    Options,
    Pins,
    PinsBy,
    Port,
    Second,
    any_seed,
    assists,
    microseconds,
    moved_by,
    options,
    profile_names,
    seat,
)
from lumiban.errors import GameError, UsageError
from lumiban.games import gate
from lumiban.i18n import terminal_language, text
from lumiban.invocation import start_word
from lumiban.system.paths import made, state_folder, with_room
from lumiban.system.terminal import print_json, say
from lumiban.table.setup import TableSetup
from lumiban.table.types import Settings

if TYPE_CHECKING:
    from lumiban.system.processes import RunningSimulator
    from lumiban.web.page_process import Network


SOLO = "chain-power"


def play_command(
    game: GameName = "",
    /,
    *,
    option: Options = None,
    first: First | None = None,
    second: Second | None = None,
    board: Annotated[
        str,
        Parameter(
            help="sim: a simulated board; auto: the board that is plugged in; gpio: the one on this"
            " Pi's header; or its port."
        ),
    ] = "sim",
    pins: Pins = "",
    pins_by: PinsBy = "",
    lights_by: LightsBy = "",
    profile: Annotated[
        str,
        Parameter(
            help=f"The board's profile by name ({profile_names()}), or a TOML file; else one that"
            " holds the game."
        ),
    ] = "",
    turn: Annotated[
        int,
        Parameter(
            help="Degrees by which everything on the board is turned, clockwise, for who sits"
            " elsewhere than at its near side: sixths on hexagons, halves on squares. Between games"
            " only: stones that lie would have to move."
        ),
    ] = 0,
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
    clock: Clock = "",
    ponder: Annotated[
        bool | None,
        Parameter(
            help="Let hard and strong bots think on your time, at most 30 s a turn; by default on"
            " machines with two cores."
        ),
    ] = None,
    lan: Lan = None,
    certificate: Certificate = None,
    key: Key = None,
) -> None:
    """Play a game: you against a bot, unless you say otherwise. Without a game the page asks.

    An unfinished game of the same kind on this board resumes; its seats stay as they were unless
    you name them. With another --clock a new game begins.
    """
    from lumiban.runtime import play
    from lumiban.search import tree

    place = network(lan, certificate, key)
    chosen = options(option)
    asks_game = not game
    game = game or TableSetup.game
    ask_if_shared(game)
    if game == SOLO:
        # The second seat stays empty: nobody is asked to play there.
        first, second = first or "human", "human"
        if chosen.get("day") == "today":
            chosen["day"] = f"{datetime.now(UTC):%Y%m%d}"
    seats, named = seated(first, second, TableSetup.seats)
    setup = TableSetup(
        game=game,
        asks_game=asks_game,
        resumes_any_game=asks_game,
        options=chosen,
        seats=seats,
        reseats=named,
        board=board,
        pins=moved_by(pins, pins_by, lights_by),
        profile=profile,
        turn=turn,
        assists=assists(assist),
        new=new,
        clock=clock,
        seed=any_seed(),
    )
    settings = Settings(
        reaction_us=reaction(bot_reaction), ponder=tree.ponders() if ponder is None else ponder
    )
    play.run(
        setup,
        port=port,
        opens_browser=not no_browser,
        greeting_id="cli.play.greeting",
        network=place,
        settings=settings,
    )


def ask_if_shared(game: str) -> None:
    """Ask whether to run somebody else's game, unless the owner has said yes to it before;
    GameError where the answer is no, or nobody sits at the terminal."""
    try:
        games.game_class(game)
    except gate.NotAccepted as asks:
        language, shared = terminal_language(), asks.shared
        if shared is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise
        by = shared.author or text("cli.share.nobody", language)
        told = {"name": shared.name, "author": by, "digest": shared.digest}
        print(text("cli.share.asks", language, **told), end=" ", flush=True)
        answer = sys.stdin.readline().strip().lower()  # "" where the terminal has gone
        if not answer or answer[:1] not in text("cli.host.yes", language):
            raise GameError(text("cli.share.declined", language)) from None
        gate.accept(shared.sha256)


def seated(
    first: str | None, second: str | None, usual: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Seats, the usual ones where none is named, and the sides whose seat is; UsageError.

    >>> seated(None, "bot:easy", ("human", "bot:medium"))
    (('human', 'bot:easy'), (1,))
    """
    named = {side: seat(who) for side, who in enumerate((first, second)) if who}
    return tuple(named.get(side, who) for side, who in enumerate(usual)), tuple(named)


def reaction(wish: str | None) -> int | None:
    """A bot's reaction time, µs, None where nothing is wished; UsageError.

    >>> reaction("400ms"), reaction(None)
    (400000, None)
    """
    from lumiban.table.free_play import MAX_REACTION_US, MIN_REACTION_US

    reaction_us = microseconds(wish, "--bot-reaction")
    if reaction_us is not None and not MIN_REACTION_US <= reaction_us <= MAX_REACTION_US:
        raise UsageError(f"--bot-reaction {wish} is not from 250ms to 10s")
    return reaction_us


REMATCH_US = 8_000_000
"""Between two games of bots: time to see who won."""


def demo_command(
    *,
    first: First | None = None,
    second: Second | None = None,
    option: Options = None,
    port: Port = 8700,
    no_browser: NoBrowser = False,
    assist: Assist = "auto",
    new: New = False,
    lan: Lan = None,
    certificate: Certificate = None,
    key: Key = None,
) -> None:
    """Watch two bots play Control on a simulated board; drag a stone to take a seat.

    The page opens in the browser; over ssh its link is printed. An interrupted game resumes.
    """
    from lumiban.runtime import play

    place = network(lan, certificate, key)
    seats, named = seated(first, second, ("bot:easy", "bot:medium"))
    setup = TableSetup(
        options=options(option),
        seats=seats,
        reseats=named,
        assists=assists(assist),
        new=new,
        seed=any_seed(),
        resumes_any_game=not option,
        hint="control",
    )
    play.run(
        setup,
        port=port,
        opens_browser=not no_browser,
        greeting_id="cli.demo.greeting",
        network=place,
        settings=Settings(rematch_us=REMATCH_US),
    )


def sim_command(
    *,
    profile: Annotated[
        str, Parameter(help=f"A board profile by name ({profile_names()}), or a TOML file.")
    ] = "hex5",
    seed: Annotated[
        int | None, Parameter(help="Seed of the sensors' noise and the hands; random by default.")
    ] = None,
    hands_port: Annotated[
        int,
        Parameter(
            validator=Number(gte=0, lte=65535),
            help="Port for the hands on 127.0.0.1; 0: any free port.",
        ),
    ] = 0,
    figures: Annotated[
        str,
        Parameter(
            help=f"Simulate the board whose figures `{start_word()} board selftest` wrote to this"
            " file."
        ),
    ] = "",
    faults: Annotated[
        str, Parameter(help="A fault plan: what goes wrong with the board, and when.")
    ] = "",
    parts: Annotated[
        int | None,
        Parameter(show_default=False, help="Vary the parts within their tolerances, by the seed."),
    ] = None,
    json: Json = False,
) -> None:
    """Run a simulated board until Ctrl-C.

    Its firmware answers on a serial port, like a board on a USB cable; hands are driven over a
    WebSocket (docs/page.md, "/hands"). Open the port with `{lumiban} play control --board PORT`.
    Fault plans are lines such as `at 12s for 3s stuck e5`; docs/faults.md lists them.
    """
    from lumiban.runtime import simulator

    if figures and parts is not None:
        raise UsageError("--figures and --parts both say what the board is made of: choose one")

    def tell(simulation: RunningSimulator) -> None:
        if json:
            print_json(
                {
                    "port": simulation.port,
                    "hands": simulation.hands,
                    "profile": simulation.profile,
                    "uid": simulation.uid,
                }
            )
        else:
            say("cli.sim.running", profile=simulation.profile)
            say("cli.sim.port", indent=2, port=simulation.port)
            say("cli.sim.hands", indent=2, hands=simulation.hands)

    state = with_room(made(state_folder()))
    board = simulator.foreground(
        state,
        profile,
        seed,
        hands_port,
        tell,
        figures,
        faults=faults,
        parts=parts,
    )
    asyncio.run(board)


def gpio_command(
    *,
    profile: Annotated[
        str,
        Parameter(help=f"The board's profile by name ({profile_names()}), or a TOML file."),
    ] = "breadboard8",
    pins: Pins = "",
    pins_by: PinsBy = "",
    lights_by: LightsBy = "",
    wiring: Annotated[
        bool,
        Parameter(
            name="--wiring",
            negative="",
            show_default=False,
            help="Only print the wiring; works on any machine.",
        ),
    ] = False,
    svg: Annotated[
        Path | None,
        Parameter(
            name="--svg",
            show_default=False,
            help="Draw the wiring of a board from shop parts into this file instead.",
        ),
    ] = None,
    below: Annotated[
        bool,
        Parameter(
            name="--below",
            negative="",
            show_default=False,
            help="Of --svg: as the board is seen from below, where it is drilled and soldered.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Drive a board on this Pi's header until Ctrl-C.

    It prints the port on which the board answers, and how to play on it as any user. `{lumiban}
    play --board gpio` starts a driver by itself; this command is for testing a board alone.
    docs/gpio.md covers wiring, libraries and permissions.
    """
    if below and svg is None:
        raise UsageError("--below turns a drawing over: name its file with --svg")
    if wiring or svg is not None:
        _print_wiring(profile, pins, svg, is_from_below=below)
        return
    from lumiban.boards import profile as profiles
    from lumiban.boards.gpio import process
    from lumiban.table.fitting import example_for

    board = process.open_board(profile, moved_by(pins, pins_by, lights_by), state_folder())
    if owner := os.environ.get("SUDO_UID"):
        board.line.give_to(int(owner))
    process.be_quick()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, lambda *_: board.stop())
    if json:
        print_json(board.described())
    else:
        say("gpio.running", profile=profile, hz=board.scan_hz)
        game = example_for(profiles.load(profile))
        say("gpio.play", indent=2, game=game, profile=profile, port=board.line.path)
    board.run()


def _print_wiring(name: str, wish: str, picture: Path | None, *, is_from_below: bool) -> None:
    from lumiban.boards.gpio import wiring
    from lumiban.boards.gpio.drawing import drawing
    from lumiban.boards.gpio.pins import of_profile, parse
    from lumiban.boards.profile import load

    profile, language = load(name), terminal_language()
    pins = parse(wish, of_profile(profile))
    if picture is not None:
        drawn = drawing(pins, profile, language, is_from_below=is_from_below)
        try:
            picture.write_text(drawn, "utf-8")
        except OSError as error:
            raise UsageError(
                text("maker.unwritable", language, path=picture, reason=error.strerror)
            ) from None
        say("gpio.drawn", picture=picture)
        return
    print(wiring.header_table(pins, profile, language))
    print()
    print(wiring.cells_table(profile, language))


def network(lan: list[str] | None, certificate: Path | None, key: Path | None) -> Network | None:
    """Network on which the page is served; None for none. UsageError."""
    if lan is None:
        if certificate is not None or key is not None:
            raise UsageError("--certificate and --key are for --lan: give it too")
        return None
    from lumiban.runtime import lan as networks

    return networks.network(lan[0] if lan else networks.AUTO, certificate, key)
