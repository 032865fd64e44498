"""Every number that the maker's guide names: its words, where it comes from, how sure it is.

In a page a number stands as `**3.25 to 3.35 V**<!-- rail33 -->`: the words between the stars are
those of the fact of that name, and are written again with the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from lumiban.boards.limits import DEAD, MIDDLE, OFF_REFERENCE, REFUSE_MV
from lumiban.boards.profile import MAX_STRIPS, Profile, load
from lumiban.boards.profile_file import SensingPart
from lumiban.boards.types import ORDER_HZ
from lumiban_fw.supply import RAIL_LOW_MV
from lumiban_fw.wire import BRIGHTNESS

from lumiban_hw.magnetics import STRONG, WEAK, Magnet, neighbour_share, on_axis_ut
from lumiban_hw.parts import PICO
from lumiban_hw.pcb.strip import PLUG_NETS
from lumiban_hw.power import RATINGS, Budget
from lumiban_hw.spice.models import LIMITS
from lumiban_hw.stack import STACK

Standing = Literal["chosen", "assumed", "computed", "emulated", "measured"]
BUILT = ("strip5", "hex3", "hex5")
"""The boards of the guide, in the order in which they are built."""
REGULATOR_SHARE = 0.015
"""Tolerance of a regulator's 3.3 V (data sheet of the AP2112K, at 25 °C)."""
DIVIDER_SHARE = 0.001
"""Tolerance of each resistor of the reference."""
PICO_SHARE = 0.03
USB_MV = (4750, 5250)
"""Voltage of a USB port (USB 2.0, at the port)."""
SCHOTTKY_MV = (200, 500)
"""Drop of the diode before the Pico (SS14, 0.1 to 1 A)."""
LOGIC_HIGH = 0.7
"""A WS2812B takes data for high from this share of its supply (data sheet)."""
SILICON_MV = 700
"""Drop of an ordinary diode."""
NO_SHORT_OHM = 100
"""Less than this between supply and ground is a short: nothing on these boards is so low."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One number of the guide."""

    words: str
    what: str
    standing: Standing
    source: str


def volts(low_mv: float, high_mv: float) -> str:
    """A span of voltages.

    >>> volts(3250.5, 3349.5)
    '3.25 to 3.35 V'
    """
    return f"{low_mv / 1000:.2f} to {high_mv / 1000:.2f} V"


@cache
def facts() -> dict[str, Fact]:
    """All facts by name; those of one board begin with its name and a dot."""
    by_name = _sensing()
    by_name |= _supply()
    for name in BUILT:
        board = load(name)
        by_name |= {f"{name}.{key}": fact for key, fact in _board(board).items()}
    return by_name


@cache
def sensing() -> SensingPart:
    """Assumptions of the built boards about sensors and magnets; ValueError when they differ."""
    parts = [part for name in BUILT if (part := load(name).source.parse().sensing) is not None]
    if any(other != parts[0] for other in parts[1:]):
        raise ValueError("the guide's boards sense differently: it must tell of each")
    return parts[0]


def _sensing() -> dict[str, Fact]:
    sense, tolerances = sensing(), load(BUILT[0]).tolerances
    supply, per_mt = sense.supply_mv, sense.sensor_mv_per_mt
    rail = supply * (1 - REGULATOR_SHARE), supply * (1 + REGULATOR_SHARE)
    half = tuple(
        edge / 2 * (1 + sign * DIVIDER_SHARE) for edge, sign in zip(rail, (-1, 1), strict=True)
    )
    field = _fields(STRONG, sense.gap_mm, tolerances.gap_mm)
    weak = _fields(WEAK, sense.gap_mm, tolerances.gap_mm)
    spacer = [_gap_of(mt) + STACK.hall_mm for mt in (sense.foreign_mt, sense.strong_mt)]
    profile, data, model = "profile, `[sensing]`", "data sheet", "`magnetics.py`"
    return {
        "rail33": Fact(
            volts(*rail), "3.3 V of a strip", "assumed", f"{data} of the regulator, 1.5 %"
        ),
        "half": Fact(
            volts(*half), "half of that, on channel 15", "computed", "two resistors of 0.1 %"
        ),
        "zero": Fact(
            f"{sense.off_mt * per_mt:.0f} mV",
            "largest deviation of an empty cell from the half before calibration",
            "computed",
            "limit *off* of the profile",
        ),
        "per_mt": Fact(
            f"{per_mt:g} mV/mT", "sensitivity of a sensor", "assumed", f"{data}, {profile}"
        ),
        "white_v": Fact(
            volts(*(supply / 2 + b * per_mt for b in field)),
            "output under a white stone",
            "computed",
            f"{model}, gap ± {tolerances.gap_mm:g} mm",
        ),
        "black_v": Fact(
            volts(*(supply / 2 - b * per_mt for b in reversed(field))),
            "output under a black stone",
            "computed",
            f"{model}, gap ± {tolerances.gap_mm:g} mm",
        ),
        "neutral_mv": Fact(
            f"{weak[0] * per_mt:.0f} to {weak[1] * per_mt:.0f} mV",
            "output under a neutral stone, above or below the half",
            "computed",
            f"{model}, gap ± {tolerances.gap_mm:g} mm",
        ),
        "strong": Fact(
            f"{on_axis_ut(STRONG, sense.gap_mm) / 1000:.1f} mT",
            "field of a white or black stone",
            "computed",
            model,
        ),
        "weak": Fact(
            f"{on_axis_ut(WEAK, sense.gap_mm) / 1000:.1f} mT",
            "field of a neutral stone",
            "computed",
            model,
        ),
        "neighbour": Fact(
            f"{-100 * neighbour_share(STRONG, sense.gap_mm, load('hex5').pitch_mm):.2f} %",
            "effect of a stone on the next cell",
            "computed",
            model,
        ),
        "calm": Fact(
            f"{_gap_of(0.5):.0f} mm",
            "distance beyond which one strong magnet is under 0.5 mT",
            "computed",
            model,
        ),
        "gap": Fact(f"{sense.gap_mm:g} mm", "magnet to sensor", "chosen", profile),
        "off": Fact(f"{sense.off_mt:g} mT", "below: empty", "chosen", profile),
        "on": Fact(f"{sense.on_mt:g} mT", "above: a piece", "chosen", profile),
        "limit": Fact(
            f"{sense.strong_mt:g} mT", "white and black above, neutral below", "chosen", profile
        ),
        "foreign": Fact(
            f"{sense.foreign_mt:g} mT", "above: not one of our pieces", "chosen", profile
        ),
        "spacer": Fact(
            f"{spacer[0]:.1f} to {spacer[1]:.1f} mm",
            "spacer between bare board and magnet for trials",
            "computed",
            model,
        ),
        "seat": Fact(
            f"{STACK.grid_mm + STACK.floor_mm + STACK.skin_mm:g} mm",
            "magnet above the circuit board in the box",
            "chosen",
            "`stack.py`",
        ),
        "magnet": Fact(
            f"{STRONG.diameter_mm:g} × {STRONG.length_mm:g} mm",
            "magnet of white and black pieces",
            "chosen",
            model,
        ),
        "small": Fact(
            f"{WEAK.diameter_mm:g} × {WEAK.length_mm:g} mm",
            "magnet of neutral pieces",
            "chosen",
            model,
        ),
        "dead": Fact(f"{DEAD[0]} to {DEAD[1]}", "counts of a working sensor", "assumed", data),
        "reference": Fact(
            f"{MIDDLE * (1 - OFF_REFERENCE):.0f} to {MIDDLE * (1 + OFF_REFERENCE):.0f}",
            "counts of a good reference",
            "chosen",
            "the firmware's limit",
        ),
        "scan": Fact(
            f"{sense.scan_hz} times a second", "scan rate", "emulated", "docs/firmware-chip.md"
        ),
        "fair": Fact(
            f"{ORDER_HZ} times a second", "lowest rate for a fair order", "chosen", "the host"
        ),
    }


def _supply() -> dict[str, Fact]:
    r, pins = RATINGS, load(BUILT[0]).pins
    vsys = r.supply_mv - SCHOTTKY_MV[1], r.supply_mv - SCHOTTKY_MV[0]
    tuned = r.supply_mv - SILICON_MV
    return {
        "base": Fact(
            f"{r.base_ma:.0f} mA", "the base board alone, at most", "assumed", "data sheets"
        ),
        "pico": Fact(
            f"{r.pico_ma[0]:.0f} to {r.pico_ma[1]:.0f} mA", "a Pico", "assumed", "data sheet"
        ),
        "pico33": Fact(
            volts(3300 * (1 - PICO_SHARE), 3300 * (1 + PICO_SHARE)),
            "3.3 V of the Pico",
            "assumed",
            "3 %",
        ),
        "button": Fact(
            f"GP{pins.buttons[0]}, pin {PICO.pad(f'GP{pins.buttons[0]}')}",
            "button 1 of the Pico",
            "chosen",
            "profile, `[pins]`",
        ),
        "usb": Fact(volts(*USB_MV), "5 V of a USB port", "assumed", "USB 2.0"),
        "vsys": Fact(
            volts(*vsys),
            "VSYS of the Pico on the base, USB unplugged",
            "assumed",
            "data sheet of the diode",
        ),
        "railhalf": Fact(
            volts(USB_MV[0] / 2, USB_MV[1] / 2),
            "half of 5 V, at GP27",
            "computed",
            "two equal resistors",
        ),
        "short": Fact(
            f"{NO_SHORT_OHM} Ω", "less is a short circuit", "chosen", "no part is so low"
        ),
        "low": Fact(
            f"{RAIL_LOW_MV / 1000:g} V", "below: lights are halved", "chosen", "the firmware"
        ),
        "refuse": Fact(
            volts(*REFUSE_MV),
            "between these the base begins to refuse a supply that is too high",
            "computed",
            "`limits.py`, all tolerances of the comparator",
        ),
        "light_most": Fact(
            f"{LIMITS['light_v'].most:g} V",
            "the most that a light withstands",
            "assumed",
            "data sheet of the lights",
        ),
        "good": Fact(
            f"{r.good_mv / 1000:g} V",
            "highest voltage that the supervisor calls weak",
            "assumed",
            "data sheet, 4.63 V",
        ),
        "high5": Fact(
            f"{LOGIC_HIGH * r.supply_mv / 1000:.1f} V",
            "data level for a light at 5 V, at least",
            "assumed",
            "data sheet of the lights",
        ),
        "high43": Fact(
            f"{LOGIC_HIGH * tuned / 1000:.1f} V",
            "data level for a light behind a diode, at least",
            "computed",
            f"{LOGIC_HIGH:g} of {tuned / 1000:g} V",
        ),
        "behind": Fact(
            f"{tuned / 1000:g} V", "5 V behind an ordinary diode", "assumed", "0.7 V less"
        ),
        "ways": Fact(str(len(PLUG_NETS)), "ways of a plug", "chosen", "`strip.py`"),
        "bright": Fact(
            f"{100 * BRIGHTNESS / 255:.0f} %", "brightness at power-on", "chosen", "the firmware"
        ),
        "polyfuse": Fact(
            f"{r.polyfuse_ma} mA",
            "current that a strip's own fuse carries in a warm box",
            "assumed",
            "data sheet",
        ),
    }


def _board(board: Profile) -> dict[str, Fact]:
    budget, cells = Budget(board), len(board.cells)
    quiet, rows = budget.total_ma("quiet"), budget.rows()
    most = sum(row["quiet" if name == "lights" else "limit"] for name, row in rows.items())
    power = "`power.py`, from data sheets"
    facts_of_board = {
        "cells": Fact(str(cells), "cells", "chosen", "profile"),
        "strips": Fact(str(board.rows), "strips", "chosen", "profile"),
        "quiet": Fact(f"{quiet:.0f} mA", "current with dark lights, typical", "computed", power),
        "quiet_most": Fact(
            f"{most:.0f} mA", "current with dark lights, at most", "computed", power
        ),
        "usual": Fact(
            f"{budget.total_ma('usual'):.0f} mA",
            "all lights white at power-on's brightness",
            "computed",
            power,
        ),
        "most": Fact(
            f"{budget.total_ma('limit') / 1000:.2f} A",
            "highest current it draws",
            "computed",
            power,
        ),
        "limit": Fact(
            f"{board.limit_ma / 1000:g} A",
            "limit of the lights, kept by the firmware",
            "chosen",
            "profile, `[current]`",
        ),
        "strip_limit": Fact(
            f"{board.strip_limit_ma} mA",
            "limit of the lights of one strip",
            "chosen",
            "profile, `[current]`",
        ),
        "supply": Fact(f"{budget.supply_ma / 1000:g} A", "supply, at least", "computed", power),
    }
    row = [board.grid.name(n) for n, cell in enumerate(board.cells) if cell.row == 0]
    facts_of_board["row1"] = Fact(f"{row[0]} to {row[-1]}", "cells of row 1", "chosen", "profile")
    if not budget.alone:
        facts_of_board |= {
            "fuse": Fact(f"{budget.fuse[1] / 1000:g} A", "blade fuse", "computed", power),
            "wire": Fact(
                f"{budget.wire_mm2:g} mm²", "wire to the supply, at least", "computed", power
            ),
            "caps": Fact(str(MAX_STRIPS - board.rows), "jumper caps", "chosen", "fifteen sockets"),
            "least": Fact(
                f"{budget.least_mv / 1000:.2f} V",
                "at the supply's own terminals under load, at least",
                "computed",
                power,
            ),
        }
    return facts_of_board


def _fields(magnet: Magnet, gap: float, off: float) -> tuple[float, float]:
    """mT at the farthest and at the nearest gap."""
    return on_axis_ut(magnet, gap + off) / 1000, on_axis_ut(magnet, gap - off) / 1000


def _gap_of(mt: float) -> float:
    """The gap at which a strong magnet gives this field, in mm."""
    low, high = 0.0, 50.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if on_axis_ut(STRONG, middle) > mt * 1000 else (low, middle)
    return low
