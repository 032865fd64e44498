"""`lumiban board gpio`: a board on the Pi's own header in the foreground, for makers."""

from __future__ import annotations

import os
import signal
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json, Pins, profile_names
from lumiban.paths import state_folder
from lumiban.terminal import print_json, say


def command(
    *,
    profile: Annotated[
        str,
        Parameter(help=f"The board's profile by name ({profile_names()}), or a TOML file."),
    ] = "hex5",
    pins: Pins = "",
    wiring: Annotated[
        bool,
        Parameter(
            name="--wiring",
            negative="",
            show_default=False,
            help="Only print the wiring; works on any machine.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Drive a board on this Pi's header until Ctrl-C.

    It prints the port on which the board answers; play on it with `lumiban play control --board
    PORT` as any user. `lumiban play --board gpio` starts a driver by itself; this command is for
    lights that need root (`sudo lumiban board gpio --pins pwm`) and for testing a board alone.
    docs/gpio.md covers wiring, rates and permissions.
    """
    if wiring:
        _print_wiring(profile, pins)
        return
    from lumiban.boards.gpio import process

    board = process.open_board(profile, pins, state_folder())
    if owner := os.environ.get("SUDO_UID"):
        board.line.give_to(int(owner))
    process.be_quick()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, lambda *_: board.stop())
    if json:
        print_json(board.described())
    else:
        say("gpio.running", profile=profile, hz=board.scan_hz)
        say("gpio.play", indent=2, profile=profile, port=board.line.path)
    board.run()


def _print_wiring(name: str, wish: str) -> None:
    from lumiban.boards.gpio import hal
    from lumiban.boards.gpio.pins import parse
    from lumiban.boards.profile import load
    from lumiban.i18n import terminal_language

    profile, language = load(name), terminal_language()
    print(hal.header_table(parse(wish), profile, language))
    print()
    print(hal.strips_table(profile, language))
