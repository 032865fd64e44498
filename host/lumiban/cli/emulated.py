"""An emulated chip as the commands use it: its image, its start, its time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lumiban.boards.ports import said
from lumiban.cli import board_time, simulated
from lumiban.cli.arguments import Progress, say
from lumiban.cli.simulated import Simulator
from lumiban.errors import BoardError

if TYPE_CHECKING:
    from lumiban_sim.rp2040.emulated import Booted


def image(named: str = "") -> str:
    """The MicroPython image that is `named`, or that LUMIBAN_UF2 names; BoardError without one."""
    from lumiban_sim import rp2040

    lacking = rp2040.lacking(named)
    if lacking is not None:
        raise BoardError(f"there is no emulated chip: {lacking}")
    return named or os.environ[rp2040.IMAGE]


def chip(image: str, profile: str, progress: Callable[[float], None]) -> Booted:
    """An emulated chip that has started with this image; `progress` hears which part of that is
    over. BoardError when it does not start, ProfileError for a bad profile."""
    from lumiban_sim.rp2040.desk import starting

    from lumiban.boards import profile as profiles

    board = profiles.load(profile)
    try:
        return starting(Path(image), board, progress)
    except (RuntimeError, TimeoutError, ValueError, OSError) as error:
        line = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise BoardError(f"the firmware does not start with {image}: {line[0]}") from error


async def start(state: Path, profile: str) -> Simulator:
    """Start a simulator whose firmware runs on an emulated chip; its start is shown on the
    terminal. BoardError when there is no image, or it does not start."""
    named = image()
    say("cli.chip.starts")
    progress = Progress()
    try:
        return await simulated.start(state, profile, image=named, progress=shown(progress))
    finally:
        progress.clear()


def shown(progress: Progress) -> Callable[[float], None]:
    """Shows the part of a start that is over.

    >>> shown(Progress())(0.5)
    """
    return lambda part: progress.show(f"{part:.0%}")


def follow(simulator: Simulator) -> None:
    """Let the running loop go by a simulator's own time; BoardError when it is gone."""
    from lumiban_sim.told_time import Told

    try:
        clock = Told(Path(simulator.clock))
    except (OSError, ValueError):
        raise BoardError(said("board.chip.ended")) from None
    board_time.follow(clock, lambda: simulated.alive(simulator.pid))
