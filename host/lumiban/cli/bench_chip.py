"""`lumiban bench chip`: what the firmware does with the chip's time and memory."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.errors import UsageError
from lumiban.terminal import Progress, print_json

LONG_MS, SHORT_MS = 600, 100
SHORT = ("power_on", "one_hand", "ten_hands")


def chip(
    *,
    profile: Annotated[str, Parameter(help="The board, by profile name.")] = "grid13x14",
    ms: Annotated[
        int | None,
        Parameter(
            show_default=False,
            help="Length of each phase, in the chip's milliseconds: 600, or 100 if --short.",
        ),
    ] = None,
    phase: Annotated[
        list[str] | None,
        Parameter(
            show_default=False,
            negative="",
            help="Only this phase, and what it needs; may be repeated.",
        ),
    ] = None,
    short: Annotated[
        bool, Parameter(negative="", help="Only power_on, one_hand and ten_hands, of 100 ms each.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure the firmware on an emulated RP2040: frames, gaps, CPU share, heap.

    In phases: power_on, picture (a host's first), quiet (nobody at the board), one_hand,
    ten_hands, collect (one hand and a collection of garbage) and parts (the time of each part);
    all lights breathe meanwhile. Needs a MicroPython image, named by LUMIBAN_UF2, and the tools of
    the tests; says what is missing and ends with 0 otherwise.

    A second of the chip takes about a minute of a computer's: ten minutes in all on a large board,
    three if --short. Each phase is printed as soon as it was played; what was played is printed as
    JSON too when it is ended by Ctrl-C. Emulated figures: see docs/firmware-chip.md for what they
    are worth.
    """
    from lumiban.runtime.simulator import chip_figures

    if ms is None:
        ms = SHORT_MS if short else LONG_MS
    if not 50 <= ms <= 60_000:
        raise UsageError(f"--ms {ms} is not between 50 and 60000")
    progress = Progress()
    figures: dict[str, dict[str, float]] = {}
    try:
        played = chip_figures(profile, ms, phase or (SHORT if short else ()), progress.show)
        if isinstance(played, str):
            if json:
                print_json({"skipped": played})
            else:
                print(f"skipped: {played}")
            return
        for name, told in played:
            figures[name] = told
            if not json:
                progress.clear()
                _print(name, told)
    finally:
        progress.clear()
        if json and figures:
            print_json(figures)


def _print(name: str, told: dict[str, float]) -> None:
    print(name)
    for what, figure in told.items():
        print(f"  {what:<18} {figure:>10,}", flush=True)
