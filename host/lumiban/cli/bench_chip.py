"""`lumiban bench chip`: what the firmware does with the chip's time and memory."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json, Progress, print_json
from lumiban.errors import UsageError


def chip(
    *,
    profile: Annotated[str, Parameter(help="The board, by the name of its profile.")] = "grid13x14",
    ms: Annotated[int, Parameter(help="How long each phase is, in the chip's milliseconds.")] = 300,
    json: Json = False,
) -> None:
    """Measure the firmware on an emulated RP2040: frames, gaps, CPU share, heap.

    In phases: power-on, a host's first picture, nobody at the board, one hand, ten hands, a
    collection of garbage, and the time of each part; all lights breathe meanwhile. Needs a
    MicroPython image, named by LUMIBAN_UF2, and the tools of the tests; says what is missing and
    ends with 0 otherwise. A second of the chip takes about a minute. Emulated figures: see
    docs/firmware-chip.md for what they are worth.
    """
    from lumiban.cli.simulated import chip_figures

    if not 50 <= ms <= 60_000:
        raise UsageError(f"--ms {ms} is not between 50 and 60000")
    progress = Progress()
    try:
        figures = chip_figures(profile, ms, progress.show)
    finally:
        progress.clear()
    if isinstance(figures, str):
        if json:
            print_json({"skipped": figures})
        else:
            print(f"skipped: {figures}")
        return
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        if isinstance(value, dict):
            print(name)
            for part, figure in value.items():
                print(f"  {part:<18} {figure:>10,}")
        else:
            print(f"{name:<20} {value:>10,}")
