"""Boards to hold against the contract: in the simulated world under CPython, in the VM, on the
header of a simulated Pi, on an emulated RP2040.

They are the checkout's own backends of `--lumiban-board`, beside those of `pytest_lumiban`. What
one cannot do is missing from `CAN`, and there is no test of it for this board.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from lumiban.boards.profile import Profile, load
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_lab.rp2040 import IMAGE
from lumiban_lab.rp2040 import lacking as no_image
from lumiban_lab.rp2040.board import Booted
from lumiban_sim.built_board import BuiltBoard
from lumiban_sim.chip import Body, Pace
from lumiban_sim.rails import Feed
from micropython_vm.machine import Vm, VmBoard, lacking
from pytest_lumiban.bench import HANDS, INJECT, KINDS, LIGHT, POWER, Backend, Bench
from pytest_lumiban.simulated import SimulatedBench
from simulated_pi import PiBoard, own_rate
from switched_pico import SwitchedBoard
from switched_vm import SwitchedVmBoard, vm_with_pins

ROOT = Path(__file__).parents[2]
NAMES = ("sim", "vm", "gpio", "rp2040")

SWITCH = "switch"
"""Its firmware switches the strips' power on."""
SPOIL = "spoil"
"""Bytes on its line can be spoilt, held back and lost."""
FRAMES = "frames"
"""It tells at which times it looked at its sensors."""
UPDATE = "update"
"""It keeps its own program, and may be given one that does nothing."""
PACE = "pace"
"""It can be told how long its work takes."""
PATIENCE = "patience"
"""Minutes and hours can go by."""
SWITCHES = "switches"
"""Its sensors may be switches that only tell whether a piece stands there."""

PI, PICO = "pi", "pico"
"""Its switches are read by a Pi, or by a Pico."""
_EMULATED = frozenset((HANDS, LIGHT, POWER, SPOIL, FRAMES, KINDS, INJECT))
_SIMULATED = _EMULATED | {PACE, PATIENCE, SWITCHES, PI}
_NO_SWITCHES = {KINDS, SWITCH, PATIENCE, PACE}
CAN = {
    "sim": _SIMULATED | {UPDATE, SWITCH, PICO},
    "vm": _SIMULATED | {UPDATE, SWITCH, PICO},
    "gpio": _SIMULATED - _NO_SWITCHES,
    "rp2040": _EMULATED | {SWITCH, SWITCHES, PICO},
}
"""What each board can do. A board on the header has switches, and lumiban's own program."""
EARLY_US = 50_000
"""So early may a switch be: a magnet closes its contact on the way down."""
ON_SWITCHES = {
    "sim": "reed3-pico", "vm": "reed3-pico", "gpio": "reed-hex3", "rp2040": "reed3-pico",
}  # fmt: skip
"""Boards of switches, of as many cells as `hex3`, on which the rest of the contract runs too."""
WITH_SWITCHES = " with switches"
"""What the names of such boards end in."""


def plain(name: str) -> str:
    """The name of a board without its switches.

    >>> plain("vm" + WITH_SWITCHES), plain("vm")
    ('vm', 'vm')
    """
    return name.removesuffix(WITH_SWITCHES)


def profile_of(on: str) -> str:
    """The profile of a board of this name; a header reads switches alone."""
    name = plain(on)
    return ON_SWITCHES[name] if on != name or name == "gpio" else "hex3"


def can(name: str) -> frozenset[str] | None:
    """What a board of this name can do; None when nothing is known of it.

    Without linear sensors it knows neither kinds nor its supply, and one whose pins are simulated
    one by one does not get through hours.
    """
    if not name.endswith(WITH_SWITCHES):
        return CAN.get(name)
    return CAN[plain(name)] - _NO_SWITCHES


WHY_NOT = {
    "rp2040": {
        UPDATE: "a program that does nothing would run on the emulated chip, and never answer",
        PACE: "the emulated chip takes the time that it takes: ./run bench chip tells its gaps",
        PATIENCE: "emulating a second takes 20 s of CPU and more: minutes and hours are not run",
    }
}
"""Why what a simulated board can do is not asked of another, where that is no matter of course."""


def missing(name: str) -> str:
    """Why there is no bench of this name here; "" when there is one."""
    if name == "rp2040":
        return no_image() or ""
    return lacking(ROOT) if name == "vm" else ""


@contextmanager
def bench(
    name: str,
    profile: Profile,
    seed: int = 1,
    *,
    noise_ut: float = 300.0,
    skipping: bool = True,
    board: BuiltBoard | None = None,
    pace: Pace | None = None,
    cold: bool = True,
    feed: Feed | None = None,
) -> Iterator[SimulatedBench]:
    """A board that has just been powered on. ValueError for a name that is none of `NAMES`."""
    world = {
        "noise_ut": noise_ut, "skipping": skipping, "board": board, "pace": pace, "cold": cold,
        "feed": feed,
    }  # fmt: skip
    can = CAN.get(name, frozenset())
    # The firmware's own scan, pin by pin; frames are due whether anything moves or not.
    is_on_pins = profile.switches is not None and profile.switches.on == "pico"
    if is_on_pins:
        world["skipping"] = False
    if name == "sim":
        yield SimulatedBench(
            name, profile, seed, SwitchedBoard if is_on_pins else Board, can, **world
        )
    elif name == "vm":
        vm = vm_with_pins() if is_on_pins else Vm(ROOT)
        try:
            if is_on_pins:
                body: Callable[[Hal], Body] = partial(SwitchedVmBoard, vm)
            else:
                body = partial(VmBoard, vm, cells=len(profile.cells), rows=profile.rows)
            yield SimulatedBench(name, profile, seed, body, can, **world)
        finally:
            vm.close()
    elif name == "gpio":
        # It takes frames as fast as its header gives them, and a thread of its own paints.
        profile = replace(profile, scan_hz=own_rate(profile))
        yield SimulatedBench(name, profile, seed, PiBoard, can, **world)
    elif name == "rp2040":
        chips = booted(profile)
        world |= {"skipping": False, "board": None, "pace": None}
        made = SimulatedBench(name, profile, seed, chips.body, can, **world)
        try:
            if feed is not None:
                made.cut()  # a copy has started on a sound supply; now it starts on this one
            made.rig.advance(chips.up_us)
            yield made
        finally:
            made.rig.chip.body.close()  # type: ignore[attr-defined]
    else:
        raise ValueError(f"no board {name!r}: choose {', '.join(NAMES)}")


def backend(on: str) -> Backend | None:
    """The way to a board of ours by its name, for tests of `pytest_lumiban`; None: none of ours."""
    name = plain(on)
    able = can(on)
    if name not in NAMES or able is None:
        return None
    profile = profile_of(on)

    @contextmanager
    def begin(told: str, seed: int) -> Iterator[Bench]:
        with bench(name, load(told or profile), seed) as made:
            made.can = able
            yield made

    return Backend(on, able, begin, lacking=missing(name))


@cache
def booted(profile: Profile) -> Booted:
    """A chip with the image at hand that has just started; all boards of a run are copies of it."""
    return Booted(Path(os.environ[IMAGE]), profile)


def frames_apart(looked: Sequence[int]) -> int:
    """The worst gap between two frames, in µs."""
    return max((b - a for a, b in itertools.pairwise(looked)), default=0)
