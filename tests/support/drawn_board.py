"""A board as it is drawn, with a joint put wrong in its netlist, behind firstlight's `Scope`.

    board = DrawnBoard(load("hex3"), base=without("R2"))
    FirstLight(board, board.profile, board.set_stone).run()

ngspice says what the Pico would measure; what a fault does is written nowhere, only which joint of
the drawing it is. Not simulated, and so assumed here: the converter's own noise, and that lights
take their data as wiring lets them (a walk along the nets).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from lumiban.boards.limits import wire_mohm
from lumiban.boards.profile import MAX_STRIPS, Profile
from lumiban.maker.firstlight import LOOKS, STEP_NS, Ramp
from lumiban_fw.layout import REFERENCE
from lumiban_fw.wire import FULL_MA, FULL_SCALE
from lumiban_hw.parts import LIGHT, MUX, SHIFTER, magnitude
from lumiban_hw.pcb.netlist import Joint
from lumiban_hw.power import Budget
from lumiban_hw.spice import models
from lumiban_hw.spice.circuit import MODELS, Circuit, Curves, run
from lumiban_hw.spice.kit import assembly
from lumiban_hw.spice.scenes import WIRE_H, pwl

Change = Callable[[Sequence[Joint]], Sequence[Joint]]
_State = tuple[bool, bytes, tuple[float, ...], int, int, int]
"""Strips on, picture, fields; row, channel, pull."""
ADC_V = 3.3 / (FULL_SCALE + 1)
PULL_OHM = 50_000.0
STONE_V = 0.48
"""What a white stone adds to its sensor's output, at 6 mm."""
ON_S, SETTLED_S, SWEEPS, SWEEP_US = 0.15, 0.25, 320, 64
GOOD_V = 4.63
POINTS = 80
LOOK_S, SETTLE_S = 25e-6, 20e-6


class Spread:
    """How far each part is from its figure, drawn once for each: anything that its data sheet lets
    it be, or at the `edge` all of that, one way or the other."""

    SHARES: Mapping[str, float] = {
        "on": 0.3, "threshold": 0.15, "out": 0.015, "way": 0.3, "light": 0.12, "ptc": 0.6,
    }  # fmt: skip

    def __init__(self, seed: int, edge: bool) -> None:
        self._dice = random.Random(f"drawn board {seed}")
        self._edge = edge
        self._drawn: dict[tuple[str, str], float] = {}

    def __call__(self, name: str, what: str) -> float:
        if (name, what) not in self._drawn:
            self._drawn[name, what] = 1 + self.off(self._share(what))
        return self._drawn[name, what]

    def _share(self, what: str) -> float:
        if what in self.SHARES:
            return self.SHARES[what]
        kind = magnitude(what)
        if "0.1%" in what:
            return 0.001
        return 0.01 if kind and kind[0] == "R" else 0.2

    def off(self, most: float) -> float:
        """How far something is off that may be so far off."""
        return self._dice.choice((-most, most)) if self._edge else self._dice.uniform(-most, most)


class DrawnBoard:
    """A board as it is drawn, changed by `base` and, by row, `strips`; in ngspice."""

    def __init__(
        self,
        profile: Profile,
        base: Change | None = None,
        strips: Mapping[int, Change] | None = None,
        *,
        bridges: Sequence[tuple[str, str]] = (),
        seed: int = 0,
        edge: bool = False,
    ) -> None:
        whole = assembly(profile)
        self.profile = profile
        self._base = list(base(whole.base) if base else whole.base)
        changes = strips or {}
        self._strips = [list(changes.get(k, list)(strip)) for k, strip in enumerate(whole.strips)]
        self._bridges = bridges
        self._dice = random.Random(f"noise {seed}")
        self._noise = 5.0 * self._dice.uniform(0.8, 1.2)
        self._spread = Spread(seed, edge)
        self._supply_v = 5.05 + self._spread.off(0.15)
        self._rgb = bytes(3 * profile.lights)
        self._on = False
        self._looked: dict[_State, float] = {}
        self._fields = {
            (k, ref): 1.65 + self._spread.off(0.06)
            for k, strip in enumerate(self._strips)
            for ref in _refs(strip, "DRV5055A3")
        }
        self._quiet = dict(self._fields)

    # Power: the whole board while it is switched on.

    @cached_property
    def _started(self) -> Curves:
        budget = Budget(self.profile)
        scope = models.Scope(fuse_ma=budget.fuse[1], share=self._spread)
        c = models.whole(self._base, self._strips, scope)
        self._bridge(c)
        c.models = MODELS.replace("vto=-0.75", f"vto={-0.75 + self._spread.off(0.3):.3g}")
        c.source("lit", "0")
        c.source("usb", "0")
        c.source("sup", pwl((0, 0), (1e-5, self._supply_v)), "sup")
        c.resistor("sup", "wire", wire_mohm(budget.wire_mm2, 1.0) / 1000 + 0.02)
        c.add("L", ("wire", "b_vin"), WIRE_H)
        c.source("b_power", pwl((0, 0), (ON_S, 0), (ON_S + 1e-7, 3.3)), "gp18")
        rails = [f"s{k}_{net}" for k in range(len(self._strips)) for net in ("3v3", "gnd", "5v")]
        return run(c, "first light", SETTLED_S, 1e-3, ["b_5v", "b_5vl", "b_rail", *rails])

    def _bridge(self, c: Circuit) -> None:
        for one, other in self._bridges:
            c.resistor(one, other, 0.1)

    def supply(self) -> tuple[float, bool]:
        """As `Scope.supply`."""
        at = SETTLED_S if self._on else ON_S - 1e-4
        mv = 2000 * self._started.at("b_rail", at)
        return mv + self._dice.gauss(0, 2), self._started.at("b_5v", at) > GOOD_V

    def power(self, on: bool) -> None:
        """As `Scope.power`."""
        self._on = on
        if not on:
            self._rgb = bytes(len(self._rgb))

    def ramp(self) -> Ramp:
        """As `Scope.ramp`."""
        self.power(True)
        v, rows = self._started, range(self.profile.rows)
        ramp = Ramp(references=[[] for _ in rows])
        last = [self._count(row, REFERENCE, 0) for row in rows]
        rails = [
            [a - b for a, b in zip(v.values[f"s{k}_3v3"], v.values[f"s{k}_gnd"], strict=True)]
            for k in rows
        ]
        curves = Curves(v.times, {str(k): tuple(rail) for k, rail in enumerate(rails)})
        for sweep in range(SWEEPS):
            t = ON_S + sweep * SWEEP_US * 1e-6
            ramp.times_us.append(float(sweep * SWEEP_US))
            ramp.rail_mv.append(2000 * v.at("b_rail", t) + self._dice.gauss(0, 4))
            for row in rows:
                # The multiplexer and what it passes have the strip's own supply.
                part = curves.at(str(row), t) / 3.3
                level = last[row] * min(part, 1.0) if part > 0.3 else 0.0
                ramp.references[row].append(self._noisy(level, 1))
        ramp.tripped = min(v.over("b_5v", ON_S, ON_S + SWEEPS * SWEEP_US * 1e-6)) < GOOD_V
        return ramp

    # Readings: the analog lines at rest.

    def _analog(self) -> Circuit:
        keep = {"U1", "A1", "C1", "C2", *(f"R{n}" for n in range(1, 7))}
        base = [j for j in self._base if j.ref in keep or (j.ref[0] in "JF" and j.ref != "F20")]
        scope = replace(models.ANALOG, chop=True, share=self._spread)
        c = models.whole(base, self._strips, scope)
        self._bridge(c)
        c.source("usb", "5")
        c.source("b_5v", f"{self._supply_v:.4g}", "rail")
        c.source("b_5vl", "5", "strips")
        c.source("pull", "0", "pull")
        c.source("pulls", "0", "pulls")
        c.add("I", ("b_read", "pull"), f"v(b_read,pull)*v(pulls)/{PULL_OHM}")
        for bit in range(4):
            for gp, net in ((f"gpcol{bit}", f"b_col{bit}"), (f"gprow{bit}", f"b_row{bit}")):
                c.source(gp, "0", gp)
                c.resistor(gp, net, models.GPIO_OHM)
        for k, strip in enumerate(self._strips):
            for ref in _refs(strip, "DRV5055A3"):
                c.source(f"s{k}_{ref.lower()}_field", "1.65", f"field{k}{ref.lower()}")
            for ref in _refs(strip, LIGHT.value):
                c.source(f"s{k}_{ref.lower()}_lit", "0", f"lit{k}{ref.lower()}")
        return c

    def _sources(self, row: int, channel: int, pull: int) -> dict[str, float]:
        sources = {"strips": self._supply_v - 0.05 if self._on else 0.0}
        sources |= {"pull": 3.3 if pull > 0 else 0.0, "pulls": float(pull != 0)}
        for bit in range(4):
            sources[f"gpcol{bit}"] = 3.3 * (channel >> bit & 1)
            sources[f"gprow{bit}"] = 3.3 * (row >> bit & 1)
        for (k, ref), volts in self._fields.items():
            sources[f"field{k}{ref.lower()}"] = volts
        for light, (k, ref) in enumerate(self._places):
            total = sum(self._rgb[3 * light : 3 * light + 3])
            sources[f"lit{k}{ref.lower()}"] = total / 255 * FULL_MA / 1000
        return sources

    def _watched(self, states: Sequence[dict[str, float]], each_s: float) -> Curves:
        """The reading while the sources go from one state to the next."""
        c = self._analog()
        for n, element in enumerate(c.elements):
            if element.kind == "V" and element.name in states[0]:
                points = [(0.0, states[0][element.name])]
                for k, state in enumerate(states[1:], 1):
                    if state[element.name] != points[-1][1]:
                        points.append((k * each_s, points[-1][1]))
                        points.append((k * each_s + 5e-9, state[element.name]))
                c.elements[n] = replace(element, value=pwl(*points))
        v = self._started
        for k in range(len(self._strips)):
            high, low = (v.values[f"s{k}_{net}"][-1] for net in ("3v3", "gnd"))
            fed = v.values[f"s{k}_5v"][-1]
            c.initial[f"s{k}_3v3"] = high - low if self._on else 0.0
            c.initial[f"s{k}_5v"] = fed if self._on else 0.0
        return run(c, "looks", len(states) * each_s, each_s / 4, ["b_read"])

    def _count(self, row: int, channel: int, pull: int) -> float:
        key = (self._on, self._rgb, tuple(self._fields.values()), row, channel, pull)
        if key not in self._looked:
            self._look_around(row, channel, pull)
        return self._looked[key]

    def _look_around(self, row: int, channel: int, pull: int) -> None:
        """What is probably asked for next, in one run."""
        rows, asked = range(self.profile.rows), [(row, channel, pull)]
        if not self._on:
            asked += [(r, REFERENCE, p) for p in (0, -1, 1) for r in rows]
        elif channel == REFERENCE and any(self._rgb):
            asked += [(r, REFERENCE, pull) for r in rows]
        elif self._fields != self._quiet:
            asked += [(row, c, pull) for c in range(16)]
        elif pull <= 0 and not any(self._rgb):
            asked += [(r, c, p) for p in (-1, 0) for r in rows for c in range(16)]
        v = self._watched([self._sources(*one) for one in asked], LOOK_S)
        now = (self._on, self._rgb, tuple(self._fields.values()))
        for n, one in enumerate(asked):
            self._looked[*now, *one] = v.at("b_read", (n + 0.98) * LOOK_S) / ADC_V

    def _noisy(self, level: float, readings: int) -> float:
        noisy = level + self._dice.gauss(0.0, self._noise / readings**0.5)
        return min(max(noisy, 0.0), float(FULL_SCALE))

    def look(self, row: int, channel: int, pull: int) -> tuple[float, float]:
        """As `Scope.look`."""
        spread = abs(self._dice.gauss(self._noise, self._noise / (2 * LOOKS) ** 0.5))
        return self._noisy(self._count(row, channel, pull), LOOKS), spread

    def settle(self, row: int, channel: int, before: tuple[int, int]) -> list[float]:
        """As `Scope.settle`."""
        states = [self._sources(*before, -1), self._sources(row, channel, -1)]
        v = self._watched(states, SETTLE_S)
        return [
            self._noisy(v.at("b_read", SETTLE_S + n * STEP_NS * 1e-9) / ADC_V, 8)
            for n in range(POINTS)
        ]

    # Hands.

    def set_stone(self, cell: int, stands: bool) -> None:
        """Set a white stone on a cell, or take it away."""
        place = self.profile.cells[cell]
        nets = {(j.ref, j.pad): j.net for j in assembly(self.profile).strips[place.row]}
        net = nets["U1", MUX.pad(f"Y{place.channel}")]
        ref = next(r for (r, pad), n in nets.items() if n == net and r[0] == "S" and pad == "2")
        self._fields[place.row, ref] += STONE_V if stands else -STONE_V

    # Lights: the chain along the nets.

    @cached_property
    def _places(self) -> list[tuple[int, str]]:
        """Strip and part of each light of a sound board, in the order of the chain."""
        whole = assembly(self.profile)
        return list(_chain(whole.base, whole.strips, self.profile.rows)[0])

    @cached_property
    def _hearing(self) -> tuple[frozenset[tuple[int, str]], bool]:
        """The lights that the data reach, and whether they come back."""
        lights, back = _chain(self._base, self._strips, self.profile.rows)
        return frozenset(lights), back

    def shine(self, rgb: bytes) -> None:
        """As `Scope.shine`."""
        heard = self._hearing[0] if self._on else frozenset()
        now = bytearray(self._rgb)
        for light, place in enumerate(self._places):
            if place in heard:
                now[3 * light : 3 * light + 3] = rgb[3 * light : 3 * light + 3]
        self._rgb = bytes(now)

    def returned(self, sent: int) -> int:
        """As `Scope.returned`."""
        whole = self._on and self._hearing[1]
        return max(sent - self.profile.lights, 0) if whole else 0


def _refs(joints: Sequence[Joint], value: str) -> list[str]:
    return sorted({j.ref for j in joints if j.value == value}, key=lambda ref: int(ref[1:]))


def _chain(
    base: Sequence[Joint], strips: Sequence[Sequence[Joint]], rows: int
) -> tuple[list[tuple[int, str]], bool]:
    """The lights that data from the base's driver reach, in order, and whether they come back."""
    links = _links(base, strips, rows)
    into = dict(_lights_by_input(strips))
    at = next(f"b:{j.net}" for j in base if (j.ref, j.pad) == ("U2", SHIFTER.pad("Y")))
    found: list[tuple[int, str]] = []
    while True:
        reached, todo = {at}, [at]
        while todo:
            fresh = links.get(todo.pop(), set()) - reached
            reached |= fresh
            todo += fresh
        lights = [into[net] for net in sorted(reached) if net in into]
        lights = [one for one in lights if one[:2] not in found]
        if not lights:
            return found, "b:BACK" in reached
        found.append(lights[0][:2])
        at = lights[0][2]


def _lights_by_input(
    strips: Sequence[Sequence[Joint]],
) -> Iterator[tuple[str, tuple[int, str, str]]]:
    """Net of data, and the light that takes it: strip, part, net of its own output."""
    for k, strip in enumerate(strips):
        for ref in _refs(strip, LIGHT.value):
            nets = {j.pad: j.net for j in strip if j.ref == ref}
            if nets[LIGHT.pad("VDD")] == "5V" and nets[LIGHT.pad("VSS")] == "GND":
                yield f"{k}:{nets[LIGHT.pad('DIN')]}", (k, ref, f"{k}:{nets[LIGHT.pad('DOUT')]}")


def _links(
    base: Sequence[Joint], strips: Sequence[Sequence[Joint]], rows: int
) -> Mapping[str, set[str]]:
    """Nets that data pass between: through resistors, ribbons and jumper caps."""
    pairs: list[list[str]] = []
    for prefix, joints in (("b", base), *((str(k), strip) for k, strip in enumerate(strips))):
        ends: dict[str, list[str]] = {}
        for j in joints:
            if j.ref[0] == "R" and j.net not in ("", "GND", "5V", "3V3"):
                ends.setdefault(j.ref, []).append(f"{prefix}:{j.net}")
        pairs += ends.values()
    sockets = {(j.ref, j.pad): f"b:{j.net}" for j in base if j.ref[0] == "J"}
    for k, strip in enumerate(strips):
        plug = {j.pad: f"{k}:{j.net}" for j in strip if j.ref == "J1"}
        pairs += [[plug[way], sockets[f"J{k + 1}", way]] for way in ("6", "8")]
    for k in range(rows, MAX_STRIPS):
        pairs.append([sockets[f"J{k + 1}", way] for way in ("6", "8")])
    links: dict[str, set[str]] = {}
    for one, other in (pair for pair in pairs if len(pair) == 2):
        links.setdefault(one, set()).add(other)
        links.setdefault(other, set()).add(one)
    return links
