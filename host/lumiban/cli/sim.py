"""`lumiban sim`: a simulated board in the foreground, for engineers."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli import simulated
from lumiban.cli.arguments import Json, print_json, say
from lumiban.cli.state import made
from lumiban.errors import UsageError
from lumiban.table.places import state_folder


def command(
    *,
    profile: Annotated[
        str, Parameter(help="A board profile by name (hex3, hex5), or a TOML file.")
    ] = "hex5",
    seed: Annotated[
        int | None, Parameter(help="Fixes the sensors' noise and the hands; else random.")
    ] = None,
    hands_port: Annotated[
        int,
        Parameter(
            validator=Number(gte=0, lte=65535), help="Port for hands on 127.0.0.1; 0: a free one."
        ),
    ] = 0,
    figures: Annotated[
        str,
        Parameter(help="Be like the board whose figures `lumiban selftest` wrote to this file."),
    ] = "",
    faults: Annotated[
        str, Parameter(help="A fault plan: what goes wrong with the board, and when.")
    ] = "",
    parts: Annotated[
        int | None,
        Parameter(
            show_default=False, help="Of parts within their tolerances; the seed says which."
        ),
    ] = None,
    jig: Annotated[
        bool,
        Parameter(negative="", help="A jig over it, on a port of its own (docs/jig.md)."),
    ] = False,
    json: Json = False,
) -> None:
    """Run a simulated board until Ctrl-C.

    Its firmware speaks on a serial port, like a board on a USB cable; hands act over a WebSocket
    (docs/page.md, "/hands"). Open the port with `lumiban play control --board PORT`. Fault plans
    are lines such as `at 12s for 3s stuck e5`; docs/faults.md lists them.
    """
    if figures and parts is not None:
        raise UsageError("--figures and --parts both say what the board is made of: choose one")

    def tell(found: simulated.Simulator) -> None:
        if json:
            print_json(
                {
                    "port": found.port,
                    "hands": found.hands,
                    "profile": found.profile,
                    "uid": found.uid,
                    **({"jig": found.jig} if found.jig else {}),
                }
            )
        else:
            say("cli.sim.running", profile=found.profile)
            say("cli.sim.port", indent=2, port=found.port)
            say("cli.sim.hands", indent=2, hands=found.hands)
            if found.jig:
                say("cli.sim.jig", indent=2, jig=found.jig)

    state = made(state_folder())
    board = simulated.foreground(
        state, profile, seed, hands_port, tell, figures, faults=faults, parts=parts, jig=jig
    )
    asyncio.run(board)
