"""The wiring of one board: cell by cell, and proof that copper and firmware agree on it.

The proof follows nets from part to part, as a probe would, and compares what it meets with the
bytes of `/board.bin`, which the firmware reads. It uses no name of a net.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lumiban.boards.limits import RAIL_CHANNEL
from lumiban.boards.profile import MAX_STRIPS, Profile
from lumiban_fw import layout_file
from lumiban_fw.layout import REFERENCE, Layout

from lumiban_hw.kit import Finding
from lumiban_hw.parts import HALL, MUX, PICO, R1K_EXACT, TEST_PAD
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pcb.netlist import Joint
from lumiban_hw.pcb.strip import HEAD_MM, PLUG_NETS, StripPlan
from lumiban_hw.rules import chain

DIN, RET, AOUT = "6", "8", "10"
SELECT = ("12", "14", "13", "11")
"""The plug's ways of S0 to S3."""


class Probe:
    """Pads and what is connected to them."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.joints = list(joints)
        self._net: dict[str, list[Joint]] = {}
        self._pad: dict[tuple[str, str], Joint] = {}
        for joint in self.joints:
            self._pad.setdefault((joint.ref, joint.pad), joint)
            if joint.net:
                self._net.setdefault(joint.net, []).append(joint)

    def pad(self, ref: str, number: str) -> Joint:
        """A pad; KeyError."""
        return self._pad[ref, number]

    def at(self, ref: str, number: str) -> list[Joint]:
        """The other pads on a pad's net."""
        here = self.pad(ref, number)
        return [j for j in self._net.get(here.net, []) if (j.ref, j.pad) != (ref, number)]

    def through(self, ref: str, number: str) -> list[Joint]:
        """The pads beyond one resistor in line, and those on the net itself."""
        near = self.at(ref, number)
        far = []
        for joint in near:
            if joint.ref.startswith("R") and joint.pad in "12":
                other = "2" if joint.pad == "1" else "1"
                far += self.at(joint.ref, other)
        return [*near, *far]


def check(profile: Profile, strips: Sequence[Sequence[Joint]]) -> list[Finding]:
    """Differences between the copper of strips and `/board.bin`: sensors, references, lights."""
    layout = layout_file.read(profile.board_bin())
    findings: list[Finding] = []
    first = 0
    for row, joints in enumerate(strips):
        probe = Probe(joints)
        cells = [i for i in range(layout.cells) if layout.row[i] == row]
        by_x = sorted(cells, key=lambda i: profile.cells[i].x_mm)
        left = profile.cells[by_x[0]].x_mm - HEAD_MM if by_x else 0.0
        where = {i: round(profile.cells[i].x_mm - left, 1) for i in by_x}
        findings += _sensors(profile, probe, layout, row, where)
        lights = sorted(cells, key=lambda i: layout.light[i])
        try:
            met = chain(probe.joints, probe.pad("J1", DIN))
        except ValueError as error:
            findings.append(Finding(profile.name, "chain", {"row": str(row), "what": str(error)}))
            continue
        middles = [_middle(probe, joint.ref) for joint in met]
        if [layout.light[i] for i in lights] != list(range(first, first + len(lights))) or not (
            len(middles) == len(lights)
            and all(abs(x - where[i]) < 1 for x, i in zip(middles, lights, strict=True))
        ):
            what = f"{len(middles)} lights at {middles}"
            findings.append(Finding(profile.name, "chain", {"row": str(row), "what": what}))
        if met and not any(j.ref == "J1" and j.pad == RET for j in probe.at(met[-1].ref, "2")):
            what = f"{met[-1].ref} does not lead back to the plug"
            findings.append(Finding(profile.name, "chain", {"row": str(row), "what": what}))
        first += len(lights)
    return findings


def _middle(probe: Probe, ref: str) -> float:
    pads = [j.at[0] for j in probe.joints if j.ref == ref]
    return round(sum(pads) / len(pads), 1)


def _sensors(
    profile: Profile, probe: Probe, layout: Layout, row: int, where: dict[int, float]
) -> list[Finding]:
    """Each channel of the strip's multiplexer ends at the sensor that stands at its cell."""
    findings = []

    def wrong(channel: int, what: str) -> None:
        params = {"row": str(row), "channel": str(channel), "what": what}
        findings.append(Finding(profile.name, "channel", params))

    used = {layout.channel[i]: i for i in where}
    for channel in range(REFERENCE):
        met = [j for j in probe.at("U1", MUX.pad(f"Y{channel}")) if j.value == HALL.value]
        if channel not in used:
            if met:
                wrong(channel, f"{met[0].ref}, and the firmware expects nothing")
        elif len(met) != 1 or met[0].pad != HALL.pad("OUT"):
            wrong(channel, f"{[j.ref for j in met]}")
        else:
            pads = [j.at[0] for j in probe.joints if j.ref == met[0].ref]
            x = (min(pads) + max(pads)) / 2
            if abs(x - where[used[channel]]) > 0.6:
                wrong(channel, f"{met[0].ref} at {x:g} mm instead of {where[used[channel]]:g}")
    divider = {j.value for j in probe.at("U1", MUX.pad(f"Y{REFERENCE}"))}
    if divider - {TEST_PAD.value} != {R1K_EXACT.value}:
        wrong(REFERENCE, f"{sorted(divider)} instead of the reference")
    for bit, way in enumerate(SELECT):
        if not any(j.pad == way and j.ref == "J1" for j in probe.at("U1", MUX.pad(f"S{bit}"))):
            wrong(REFERENCE, f"S{bit} does not come from way {way}")
    if not any(j.pad == AOUT and j.ref == "J1" for j in probe.at("U1", MUX.pad("Z"))):
        wrong(REFERENCE, f"Z does not go to way {AOUT}")
    return findings


def check_base(profile: Profile, base: Sequence[Joint]) -> list[Finding]:
    """Findings where the base's pins do not lead where the firmware uses them, or sockets go
    astray."""
    pins, probe = profile.pins, Probe(base)
    findings: list[Finding] = []

    def astray(pin: str, what: str) -> None:
        findings.append(Finding(profile.name, "pin", {"pin": pin, "what": what}))

    def leads(gp: int, to: set[tuple[str, str]]) -> None:
        met = {(j.ref, j.pad) for j in probe.through("A1", PICO.pad(f"GP{gp}"))}
        if not to <= met:
            astray(f"GP{gp}", ", ".join(f"{ref}.{pad}" for ref, pad in sorted(to - met)))

    sockets = [f"J{k + 1}" for k in range(profile.rows)]
    for bit, gp in enumerate(pins.columns):
        leads(gp, {(socket, SELECT[bit]) for socket in sockets})
    for bit, gp in enumerate(pins.rows):
        leads(gp, {("U1", MUX.pad(f"S{bit}"))})
    leads(pins.reading, {("U1", MUX.pad("Z"))})
    leads(pins.data, {("U2", "2")})
    leads(pins.dark, {("U2", "1")})
    leads(pins.back, {(f"J{MAX_STRIPS}", RET)})
    leads(pins.good, {("U3", "2")})
    leads(pins.power, {("Q3", "1")})
    leads(pins.rail, {("U1", MUX.pad(f"Y{RAIL_CHANNEL}"))})
    for n, gp in enumerate(pins.buttons, 1):
        leads(gp, {(f"J{20 + n}", "1")})
    for k, socket in enumerate(sockets):
        if not any((j.ref, j.pad) == ("U1", MUX.pad(f"Y{k}")) for j in probe.at(socket, AOUT)):
            astray(f"{socket}.{AOUT}", f"U1 channel {k}")
        before = ("U2", "4") if k == 0 else (f"J{k}", RET)
        if not any((j.ref, j.pad) == before for j in probe.at(socket, DIN)):
            astray(f"{socket}.{DIN}", ".".join(before))
    return findings


def write(profile: Profile, plans: Sequence[StripPlan], folder: Path) -> None:
    """Write `cells.csv`: where each cell is wired; `sockets.csv`: what is plugged into the base
    board, or `bench.csv`: how one strip is wired to a Pico by hand; `pins.csv`; `board.bin`.
    """
    write_csv(
        folder / "cells.csv",
        ("cell", "number", "x_mm", "y_mm", "socket", "channel", "light"),
        [
            (profile.grid.name(i), i, c.x_mm, c.y_mm, f"J{c.row + 1}", c.channel, c.light)
            for i, c in enumerate(profile.cells)
        ],
    )
    pins = profile.pins
    if len(plans) > 1:
        rows = [(f"J{n}", plan.name, len(plan.places)) for n, plan in enumerate(plans, 1)]
        rows += [
            (f"J{n}", "jumper on ways 6 and 8", 0) for n in range(len(plans) + 1, MAX_STRIPS + 1)
        ]
        write_csv(folder / "sockets.csv", ("socket", "plugged", "cells"), rows)
    else:
        write_csv(folder / "bench.csv", ("way", "net", "pico", "pin", "note"), bench(profile))
    uses: list[tuple[str, int]] = []
    for key in pins.__struct_fields__:
        value = getattr(pins, key)
        many = value if isinstance(value, tuple) else (value,)
        uses += [(f"{key} {n}" if len(many) > 1 else key, gp) for n, gp in enumerate(many)]
    write_csv(
        folder / "pins.csv",
        ("use", "gp", "pin"),
        [(use, f"GP{gp}", PICO.pad(f"GP{gp}")) for use, gp in uses],
    )
    (folder / "board.bin").write_bytes(profile.board_bin())


def bench(profile: Profile) -> list[tuple[str, str, str, str, str]]:
    """(way, net, name and number of the Pico's pin, note) of each way of a strip's plug on the
    bench, then of the two resistors by which the Pico sees its supply.

    What leaves the last light has 5 V, which no pin of a Pico bears: it goes nowhere. Without the
    resistors the supply's pin floats, and the firmware may take that for a weak supply.
    """
    pins = profile.pins
    gps = {f"S{bit}": gp for bit, gp in enumerate(pins.columns)}
    gps |= {"AOUT": pins.reading, "DIN": pins.data}
    rows = []
    for way, net in PLUG_NETS.items():
        if net == "RET":
            rows.append((way, net, "", "", "leave open: 5 V"))
            continue
        name = {"5V": "VBUS", "GND": "GND"}.get(net) or f"GP{gps[net]}"
        rows.append((way, net, name, PICO.pad(name), ""))
    rail = f"GP{pins.rail}"
    for to in ("VBUS", "AGND"):
        rows.append(("", "RAIL", rail, PICO.pad(rail), f"10k to {to}, pin {PICO.pad(to)}"))
    return rows
