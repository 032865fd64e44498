"""`lumiban sim`: a simulated board in the foreground, for engineers."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import Json, profile_names
from lumiban.errors import UsageError
from lumiban.paths import made, state_folder, with_room
from lumiban.runtime import simulator
from lumiban.terminal import Progress, print_json, say


def command(
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
            help="Simulate the board whose figures `lumiban board selftest` wrote to this file."
        ),
    ] = "",
    faults: Annotated[
        str, Parameter(help="A fault plan: what goes wrong with the board, and when.")
    ] = "",
    parts: Annotated[
        int | None,
        Parameter(show_default=False, help="Vary the parts within their tolerances, by the seed."),
    ] = None,
    jig: Annotated[
        bool,
        Parameter(negative="", help="Add a jig over the board, on its own port (docs/jig.md)."),
    ] = False,
    chip: Annotated[
        bool,
        Parameter(
            negative="",
            help="Let its firmware run on an emulated Pico, with a MicroPython image: a second of"
            " it takes about half a minute.",
        ),
    ] = False,
    uf2: Annotated[
        str, Parameter(help="The image for --chip; else the one that LUMIBAN_UF2 names.")
    ] = "",
    tcp: Annotated[
        int | None,
        Parameter(
            validator=Number(gte=0, lte=65535),
            show_default=False,
            help="Answer on this TCP port of 127.0.0.1 in place of a pseudo-terminal; 0: a free"
            " one. The board is then at socket://127.0.0.1:PORT.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Run a simulated board until Ctrl-C.

    Its firmware answers on a serial port, like a board on a USB cable; hands are driven over a
    WebSocket (docs/page.md, "/hands"). Open the port with `lumiban play control --board PORT`.
    Fault plans are lines such as `at 12s for 3s stuck e5`; docs/faults.md lists them. A table on
    an emulated chip runs on the chip's time (docs/firmware-chip.md).
    """
    if figures and parts is not None:
        raise UsageError("--figures and --parts both say what the board is made of: choose one")
    if uf2 and not chip:
        raise UsageError("--uf2 names the image of an emulated chip: give --chip too")
    if chip and (figures or parts is not None):
        raise UsageError("--chip is a board of ideal parts: omit --figures and --parts")

    def tell(found: simulator.Simulator) -> None:
        if json:
            print_json(
                {
                    "port": found.port,
                    "hands": found.hands,
                    "profile": found.profile,
                    "uid": found.uid,
                    **({"jig": found.jig} if found.jig else {}),
                    **({"clock": found.clock} if found.clock else {}),
                }
            )
        else:
            say("cli.sim.running", profile=found.profile)
            if found.clock:
                say("cli.host.chip", indent=2)
            say("cli.sim.port", indent=2, port=found.port)
            say("cli.sim.hands", indent=2, hands=found.hands)
            if found.jig:
                say("cli.sim.jig", indent=2, jig=found.jig)

    state = with_room(made(state_folder()))
    chips = None
    if chip:
        image = simulator.image(uf2)
        progress = Progress()
        if not json:
            say("cli.chip.starts")
        try:
            chips = simulator.chip(image, profile, simulator.shown(progress))
        finally:
            progress.clear()
    board = simulator.foreground(
        state,
        profile,
        seed,
        hands_port,
        tell,
        figures,
        faults=faults,
        parts=parts,
        jig=jig,
        chips=chips,
        tcp=tcp,
    )
    asyncio.run(board)
