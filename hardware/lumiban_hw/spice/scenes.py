"""Simulated scenes of a board's supplies and lines, and the limits of its parts.

Each scene builds the board from its nets, lets something happen, and measures. A measure has the
limit of a part, with its source, and a margin: models are coarse, so the limit asks for more than
the data sheet does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from lumiban.boards import limits
from lumiban.boards.limits import wire_mohm
from lumiban.boards.profile import Profile
from lumiban_fw.layout import REFERENCE
from lumiban_fw.wire import FULL_MA

from lumiban_hw.parts import MUX
from lumiban_hw.pcb.netlist import Joint
from lumiban_hw.power import FEEDS, RATINGS, Budget
from lumiban_hw.spice import models
from lumiban_hw.spice.circuit import GROUND, Circuit, Curves, run
from lumiban_hw.spice.models import LIMITS, Rating

WIRE_H = 1e-6
"""Both wires of a supply, a metre long."""
SENSE_V_MT = 0.015
COUNT_V = 3.3 / 4096
SLOT_S, CONVERT_S = 4e-6, 1.6e-6
"""Of a slot, and from its address to its conversion (`hal_capture`)."""
MARGIN_MT = 1.06
"""Least distance of any cell to a threshold on 10 000 random boards (docs/hardware.md)."""

GATE, RAMP = "5VL begins after", "5VL rises within"
CHARGING, SWITCHED = "5 V lower while strips charge", "5 V lower with dark strips"
HOLD, FADE = "5VL falls after", "5VL falls within"
"""Figures that `limits.py` has for all who need them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure against its limit: at most `most`, or at least `least`."""

    scene: str
    what: str
    value: float
    unit: str
    source: str
    most: float | None = None
    least: float | None = None

    @property
    def is_good(self) -> bool:
        """True if the limit is kept."""
        return (self.most is None or self.value <= self.most) and (
            self.least is None or self.value >= self.least
        )


@dataclass(frozen=True)
class Assembly:
    """A base with its strips, as netlists, and what it draws."""

    profile: Profile
    base: Sequence[Joint]
    strips: Sequence[Sequence[Joint]]

    @cached_property
    def budget(self) -> Budget:
        """The board's power budget."""
        return Budget(self.profile)

    @property
    def supply_a(self) -> float:
        """Rated current of the supply to buy."""
        return self.budget.supply_ma / 1000

    @property
    def lit_a(self) -> float:
        """Current of a light beyond its idle current when all shine at the board's limit."""
        return max(0.0, self.budget.lights_ma["limit"] / self.profile.lights / 1000 - 1e-3)

    @property
    def longest(self) -> int:
        """The strip with the most cells."""
        cells = [sum(cell.row == row for cell in self.profile.cells) for row in range(self.rows)]
        return cells.index(max(cells))

    @property
    def rows(self) -> int:
        """Strips."""
        return len(self.strips)

    def strip_nodes(self, net: str) -> list[str]:
        """A net of all strips."""
        return [f"s{k}_{net}" for k in range(self.rows)]

    def circuit(
        self, scope: models.Scope = models.POWER, loose: int | None = None, only: int | None = None
    ) -> Circuit:
        """The whole board, or one strip of it."""
        scope = replace(scope, fuse_ma=self.budget.fuse[1])
        return models.whole(self.base, self.strips, scope, loose, only)

    def supplied(self, c: Circuit, wave: str, *, folds: bool = False) -> None:
        """Join a supply to the terminal by a metre of wire; `folds`, it limits its current at its
        rating and gives a third of it into a short. Its current is `i(sup)`."""
        c.source("sup", wave, "sup")
        first = "sup"
        if folds:
            most = f"({1.1 * self.supply_a}*(0.33+0.67*tanh(max(v(brick),0)/1.5)))"
            c.add("I", ("sup", "brick"), f"{most}*tanh(v(sup,brick)/0.02/{most})")
            c.add("C", ("brick", "0"), 470e-6)
            first = "brick"
        c.resistor(first, "wire", wire_mohm(self.budget.wire_mm2, 1.0) / 1000 + 0.02)
        c.add("L", ("wire", "b_vin"), WIRE_H)


def pwl(*points: tuple[float, float]) -> str:
    """A waveform through (time, value) points."""
    return "pwl(" + " ".join(f"{t:.9g} {v:.6g}" for t, v in points) + ")"


def _step(at: float, high: float = 3.3, low: float = 0.0, slope: float = 1e-7) -> str:
    return pwl((0, low), (at, low), (at + slope, high))


def _measure(
    scene: str,
    what: str,
    value: float,
    unit: str,
    limit: Rating | tuple[float, str],
    *,
    share: float = 1.0,
    least: bool = False,
) -> Measure:
    """`share` of the limit is allowed."""
    most, source = (limit.most, limit.source) if isinstance(limit, Rating) else limit
    bound = most * share
    if least:
        return Measure(scene, what, value, unit, source, least=bound)
    return Measure(scene, what, value, unit, source, most=bound)


def switched_on(a: Assembly) -> list[Measure]:
    """A stiff supply is plugged in, then the firmware gives the strips their supply."""
    c = a.circuit()
    on = 0.15
    c.source("lit", "0")
    c.source("usb", "0")
    a.supplied(c, pwl((0, 0), (1e-5, 5)))
    c.source("b_power", _step(on), "gp18")
    watch = ["b_5v", "b_5vl", "i(sup)", "i(b_q2)", "i(b_q1)", *a.strip_nodes("3v3")]
    watch += a.strip_nodes("gnd")
    v = run(c, "switched-on", on + 0.35, 2e-3, watch)
    name = "switched-on"
    early = max(v.over("b_5vl", 0, on))
    ready = max(v.since(node, 3.2, on) for node in a.strip_nodes("3v3")) - on
    first = v.since("b_5vl", 0.1, on) - on
    nine_tenths = v.since("b_5vl", 0.9 * v.values["b_5vl"][-1], on) - on
    dark_v = v.at("b_5v", on)
    shared = "limits.py: what firmware, world and first light take for granted"
    return [
        _measure(
            name,
            "FETs, plugged in",
            max(_peak(v, "i(b_q1)", 0, on), _peak(v, "i(b_q2)", 0, on)),
            "A",
            LIMITS["pulse_a"],
            share=0.5,
        ),
        _measure(name, "strips before GP18", early, "V", (0.5, "strips are to be off")),
        _measure(name, "Q2 at GP18", _peak(v, "i(b_q2)", on), "A", LIMITS["pulse_a"], share=0.5),
        _measure(
            name,
            "supply at GP18",
            _peak(v, "i(sup)", on),
            "A",
            (a.supply_a, "rating of the supply to buy"),
        ),
        _measure(name, "5 V at GP18", min(v.over("b_5v", on)), "V", LIMITS["good_v"], least=True),
        _measure(
            name,
            "strips ready after",
            1000 * ready,
            "ms",
            (limits.STRIPS_READY_MS, "what the firmware waits"),
        ),
        _measure(
            name,
            "strips steady after",
            1000 * ready + limits.STRIPS_SETTLED_MS,
            "ms",
            (limits.FIRST_FRAME_MS, shared),
        ),
        _measure(name, GATE, 1000 * first, "ms", (1.2 * limits.GATE_MS, shared)),
        _measure(name, RAMP, 1000 * (nine_tenths - first), "ms", (1.2 * limits.RAMP_MS, shared)),
        _measure(
            name,
            CHARGING,
            1000 * (dark_v - min(v.over("b_5v", on))),
            "mV",
            (1.1 * limits.CHARGING_MV, shared),
        ),
        _measure(
            name,
            SWITCHED,
            1000 * (dark_v - v.values["b_5v"][-1]),
            "mV",
            (1.1 * limits.SWITCHED_MV, shared),
        ),
        _measure(
            name,
            "Q2's heat",
            v.integral(
                lambda k: abs(
                    v.values["i(b_q2)"][k] * (v.values["b_5v"][k] - v.values["b_5vl"][k])
                ),
                on,
                1,
            ),
            "J",
            LIMITS["fet_j"],
            share=0.5,
        ),
    ]


def switched_off(a: Assembly) -> list[Measure]:
    """The firmware takes the strips' supply away; their sensors drain what is left."""
    c = a.circuit()
    on, off = 0.15, 0.5
    c.source("lit", "0")
    c.source("usb", "0")
    a.supplied(c, pwl((0, 0), (1e-5, 5)))
    c.source("b_power", pwl((0, 0), (on, 0), (on + 1e-6, 3.3), (off, 3.3), (off + 1e-6, 0)), "gp18")
    v = run(c, "switched-off", off + 1.0, 2e-3, ["b_5vl", *a.strip_nodes("3v3")])
    full = v.at("b_5vl", off)

    def below(share: float) -> float:
        curve = zip(v.times, v.values["b_5vl"], strict=True)
        return next((t for t, x in curve if t > off and x < share * full), float("inf")) - off

    name = "switched-off"
    held, gone = below(0.9), below(0.1)
    shared = "limits.py: what firmware, world and first light take for granted"
    return [
        _measure(name, HOLD, 1000 * held, "ms", (1.2 * limits.HOLD_MS, shared)),
        _measure(name, FADE, 1000 * (gone - held), "ms", (1.2 * limits.FADE_MS, shared)),
        _measure(
            name,
            "strips off after",
            1000 * gone,
            "ms",
            (limits.STRIPS_OFF_MS, "as GP18 is to wait"),
        ),
    ]


def _peak(v: Curves, what: str, start: float = 0.0, end: float = 1e9) -> float:
    return max(abs(x) for x in v.over(what, start, end))


def folding_supply(a: Assembly) -> list[Measure]:
    """A supply that rises in 0.2 s and folds back; strips are switched on 0.2 s later."""
    c = a.circuit()
    c.source("lit", "0")
    c.source("usb", "0")
    a.supplied(c, pwl((0, 0), (0.2, 5)), folds=True)
    c.source("b_power", _step(0.4), "gp18")
    v = run(c, "folding-supply", 0.8, 2e-3, ["b_5v", "b_5vl", "i(sup)"])
    return [
        _measure(
            "folding-supply",
            "5 V at GP18",
            min(v.over("b_5v", 0.4)),
            "V",
            LIMITS["good_v"],
            least=True,
        ),
        _measure(
            "folding-supply",
            "strips at the end",
            v.values["b_5vl"][-1],
            "V",
            LIMITS["good_v"],
            least=True,
        ),
    ]


def plugged_again(a: Assembly) -> list[Measure]:
    """The supply is pulled for 0.5 s and plugged in again while GP18 is high, as under USB."""
    c = a.circuit()
    c.source("lit", "0")
    c.source("usb", "5")
    back = 1.2
    a.supplied(c, pwl((0, 0), (0.1, 5), (0.6, 5), (0.7, 0), (back, 0), (back + 1e-5, 5)))
    c.source("b_power", _step(0.2), "gp18")
    v = run(c, "plugged-again", back + 0.2, 2e-3, ["b_5v", "i(sup)", "i(b_q2)", "i(b_q1)"])
    return [
        _measure(
            "plugged-again",
            "FETs",
            max(_peak(v, "i(b_q1)", back), _peak(v, "i(b_q2)", back)),
            "A",
            LIMITS["pulse_a"],
            share=0.25,
        ),
    ]


def sagging(a: Assembly) -> list[Measure]:
    """With all lights at the limit the supply falls to 4.4 V and recovers."""
    c = a.circuit()
    c.source("usb", "0")
    c.source("lit", pwl((0, 0), (0.6, 0), (0.601, a.lit_a)))
    a.supplied(c, pwl((0, 0), (0.1, 5), (0.7, 5), (0.71, 4.4), (0.9, 4.4), (0.91, 5), (1.1, 5)))
    c.source("b_power", _step(0.2), "gp18")
    rail = _pad(a.base, "U1", f"Y{limits.RAIL_CHANNEL}", MUX.pad)
    watch = ["b_5v", "b_5vl", rail, *a.strip_nodes("3v3"), *a.strip_nodes("gnd")]
    v = run(c, "sagging", 1.1, 2e-3, watch)
    off = max(abs(limits.RAIL_PARTS * v.at(rail, t) - v.at("b_5v", t)) for t in (0.69, 0.89, 1.09))
    least = min(
        v.at(high, 0.89) - v.at(low, 0.89)
        for high, low in zip(a.strip_nodes("3v3"), a.strip_nodes("gnd"), strict=True)
    )
    return [
        _measure(
            "sagging",
            "channel 15 against 5 V",
            1000 * off,
            "mV",
            (50, "1 % of 5 V: what dimming needs"),
        ),
        _measure(
            "sagging", "5 V of a good supply", v.at("b_5v", 0.69), "V", LIMITS["good_v"], least=True
        ),
        _measure(
            "sagging",
            "strips' 3.3 V at a supply of 4.4 V",
            least,
            "V",
            (3.2, "AP2112K data sheet, 3.3 V less 1.5 % and load regulation"),
            least=True,
        ),
    ]


def _pad(joints: Sequence[Joint], ref: str, pin: str, pad: Callable[[str], str]) -> str:
    return next(models.node(f"b_{j.net}") for j in joints if (j.ref, j.pad) == (ref, pad(pin)))


def strip_plugged(a: Assembly) -> list[Measure]:
    """A strip is plugged into a board that runs."""
    k = a.longest
    c = a.circuit(loose=k)
    c.source("usb", "0")
    c.source("lit", "0")
    a.supplied(c, pwl((0, 0), (0.1, 5)))
    c.source("b_power", _step(0.2), "gp18")
    at = 0.6
    c.source("plug", _step(at, 1.0, 0.0, 1e-6))
    others = [n for n in range(a.rows) if n != k]
    watch = ["b_5v", "b_5vl", f"s{k}_3v3", *(f"s{n}_3v3" for n in others)]
    v = run(c, "strip-plugged", at + 0.05, 2e-3, watch)
    return [
        _measure(
            "strip-plugged", "5 V", min(v.over("b_5v", at)), "V", LIMITS["good_v"], least=True
        ),
        _measure(
            "strip-plugged",
            "3.3 V of other strips",
            min(min(v.over(f"s{n}_3v3", at)) for n in others),
            "V",
            (3.2, "AP2112K data sheet, 3.3 V less 1.5 % and load regulation"),
            least=True,
        ),
    ]


def reversed_supply(a: Assembly) -> list[Measure]:
    """The wires of a supply of 5 V, then of 12 V, are swapped; it limits its current."""
    measures_made = []
    for volts in (5, 12):
        c = a.circuit()
        c.source("usb", "0")
        c.source("lit", "0")
        a.supplied(c, pwl((0, 0), (1e-4, -volts)))
        most = 1.1 * a.supply_a
        c.elements = [
            e for e in c.elements if not (e.kind == "R" and set(e.nodes) == {"sup", "wire"})
        ]
        c.add("I", ("sup", "wire"), f"{most}*tanh(v(sup,wire)/0.05/{most})")
        v = run(c, f"reversed-{volts}", 0.3, 2e-3, ["b_5v", "b_vin", "i(sup)"])
        name = f"reversed, {volts} V"
        flows = _peak(v, "i(sup)", 0.2)
        measures_made += [
            _measure(
                name, "5 V below ground", max(0.0, -min(v.over("b_5v"))), "V", LIMITS["reverse_v"]
            ),
            _measure(
                name,
                "heat at the terminal",
                flows * abs(v.at("b_vin", 0.29)),
                "W",
                LIMITS["surge_w"],
                share=0.5,
            ),
        ]
    return measures_made


def too_high(a: Assembly) -> list[Measure]:
    """A supply of 12 V is plugged in; then one that creeps from 5 to 12 V while the strips run."""
    measures_made: list[Measure] = []
    c = a.circuit()
    c.source("usb", "0")
    c.source("lit", "0")
    highest = limits.REFUSE_MV[0] / 1000
    a.supplied(c, pwl((0, 0), (1e-5, highest)))
    v = run(c, "high", 0.4, 2e-3, ["b_5v"])
    least = (4.9, "a supply of 5 V + 4 % is to be taken")
    measures_made.append(
        _measure(f"{highest} V", "5 V", v.values["b_5v"][-1], "V", least, least=True)
    )
    for name, wave, stop in (
        ("12 V, plugged in", pwl((0, 0), (1e-5, 12)), 0.4),
        ("12 V, creeping", pwl((0, 0), (0.1, 5), (0.6, 5), (0.8, 12)), 1.0),
        ("12 V, at once", pwl((0, 0), (0.1, 5), (0.6, 5), (0.60001, 12)), 1.0),
    ):
        c = a.circuit()
        c.source("usb", "0")
        c.source("lit", "0")
        a.supplied(c, wave)
        c.source("b_power", _step(0.2), "gp18")
        gates = [j.net for j in a.base if j.ref == "Q1" and j.pad in "14"]
        nodes = [models.node(f"b_{net}") for net in gates]
        v = run(c, name, stop, 2e-3, ["b_5v", "b_5vl", "b_vf", "b_vsys", *nodes])
        gate = max(abs(x - y) for x, y in zip(v.values[nodes[0]], v.values[nodes[1]], strict=True))
        slow = name != "12 V, at once"
        measures_made += [
            _measure(
                name, "5 V", max(v.over("b_5v")), "V", LIMITS["light_v" if slow else "pico_v"]
            ),
            _measure(
                name, "lights", max(v.over("b_5vl")), "V", LIMITS["light_v" if slow else "pico_v"]
            ),
            _measure(name, "gate of Q1", gate, "V", LIMITS["gate_v"], share=0.9),
            _measure(name, "drain of Q1", max(v.over("b_vf")), "V", LIMITS["drain_v"], share=0.9),
        ]
    return measures_made


def shorted_strip(a: Assembly) -> list[Measure]:
    """5 V and ground of a strip touch, 50 mΩ; the supply gives what it is rated for."""
    c = a.circuit()
    k = a.longest
    c.source("usb", "0")
    c.source("lit", "0")
    a.supplied(c, pwl((0, 0), (0.1, 5)), folds=True)
    c.source("b_power", _step(0.2), "gp18")
    at = 0.6
    c.source("short", _step(at, 1.0, 0.0, 1e-6))
    c.add("I", (f"s{k}_5v", f"s{k}_gnd"), f"v(s{k}_5v,s{k}_gnd)*v(short)*20")
    watch = ["i(b_q2)", f"s{k}_5v", f"s{k}_gnd", "b_5vl", f"b_5v{k}"]
    v = run(c, "shorted-strip", 5, 0.01, watch)
    last = len(v.times) - 1
    into = 20 * (v.values[f"s{k}_5v"][last] - v.values[f"s{k}_gnd"][last])
    heat = into * (v.values["b_5vl"][last] - v.values[f"b_5v{k}"][last])
    return [
        _measure("shorted-strip", "Q2", _peak(v, "i(b_q2)", at), "A", LIMITS["pulse_a"]),
        _measure(
            "shorted-strip",
            "Q2 for ever",
            abs(v.values["i(b_q2)"][last]),
            "A",
            (8.0, "DMP2022LSS data sheet, ID at 70 °C"),
            share=0.5,
        ),
        _measure(
            "shorted-strip",
            "ways of its plug for ever",
            into,
            "A",
            (RATINGS.way_ma * FEEDS / 1000, "ribbon of AWG 28, 1 A a way"),
        ),
        _measure(
            "shorted-strip",
            "strip's fuse for ever",
            heat,
            "W",
            (1.2, "1206L110 data sheet, 0.8 W when tripped, half as much again"),
        ),
    ]


def address_lines(a: Assembly) -> list[Measure]:
    """USB feeds the Pico, nothing the strips, and all address lines are high."""
    c = a.circuit(models.SELECT)
    c.source("usb", "5")
    c.source("lit", "0")
    for bit in range(4):
        c.source(f"gp_col{bit}", _step(1e-3), f"col{bit}")
        c.resistor(f"gp_col{bit}", f"b_col{bit}", models.GPIO_OHM)
    lines = [f"i(col{bit})" for bit in range(4)]
    v = run(c, "address-lines", 0.05, 1e-3, [*lines, "s0_3v3"])
    each = [_peak(v, line, 0.04) for line in lines]
    return [
        _measure(
            "address-lines",
            name,
            1000 * amperes,
            "mA",
            (1000 * LIMITS[limit].most, LIMITS[limit].source),
            share=0.5,
        )
        for name, amperes, limit in (
            ("a line", max(each), "pin_a"),
            ("all lines", sum(each), "pins_a"),
            ("a multiplexer's clamp", max(each), "clamp_a"),
        )
    ]


def settling(a: Assembly) -> list[Measure]:
    """All channels of the longest strip are read, fields from one end of the range to the other."""
    c = Circuit()
    k = a.longest
    models.board(c, a.base, "b_", GROUND, replace(models.ANALOG, rows=(k, limits.RAIL_CHANNEL)))
    for n, strip in enumerate(a.strips):
        prefix = models.ribbon(c, a.base, n, models.SELECT)
        scope = models.ANALOG if n == k else models.SELECT
        models.board(c, strip, prefix, f"{prefix}gnd", scope)
    c.source("lit", "0")
    c.source("usb", "5")
    c.source("b_5vl", "5")
    for n in range(a.rows):
        c.initial |= {f"s{n}_3v3": 3.3, f"s{n}_5v": 5.0}
    begin = 100e-6
    pads = {(j.ref, j.pad): j.net for j in a.strips[k]}
    sensors = {}
    for channel in range(REFERENCE):
        net = pads["U1", MUX.pad(f"Y{channel}")]
        ref = next((r for (r, _), n in pads.items() if n == net and r[0] == "S"), "")
        if net and ref:
            sensors[channel] = 3.1 if channel % 2 else 0.2
            c.source(f"s{k}_{ref.lower()}_field", str(sensors[channel]))
    # As the firmware's capture does: the strip's cells by channel, then its reference; twice.
    order = [*sorted(sensors), REFERENCE] * 2
    for bit in range(4):
        points, had = [(0.0, 3.3 * (order[-1] >> bit & 1))], order[-1] >> bit & 1
        for n, channel in enumerate(order):
            now = channel >> bit & 1
            if now != had:
                t = begin + n * SLOT_S
                points += [(t, 3.3 * had), (t + 5e-9, 3.3 * now)]
                had = now
        c.source(f"gp_col{bit}", pwl(*points))
        c.resistor(f"gp_col{bit}", f"b_col{bit}", models.GPIO_OHM)
        c.source(f"gp_row{bit}", str(3.3 * (k >> bit & 1)))
        c.resistor(f"gp_row{bit}", f"b_row{bit}", models.GPIO_OHM)
    high, low = f"s{k}_3v3", f"s{k}_gnd"
    v = run(c, "settling", begin + len(order) * SLOT_S, 50e-9, ["b_read", high, low])
    off: dict[str, float] = {"sensors": 0.0, "reference": 0.0}
    for n, channel in enumerate(order):
        t = begin + n * SLOT_S + CONVERT_S
        rail = v.at(high, t) - v.at(low, t)
        if channel == REFERENCE:
            who, meant = "reference", rail / 2
        elif channel in sensors:
            who, meant = "sensors", rail * sensors[channel] / 3.3
        else:
            continue
        off[who] = max(off[who], abs(v.at("b_read", t) - v.at(low, t) - meant) / COUNT_V)
    source = "a twentieth of the least margin to a threshold"
    most = MARGIN_MT / 20 * SENSE_V_MT / COUNT_V
    return [
        _measure("settling", who, counts, "counts", (most, source)) for who, counts in off.items()
    ]


def chopping(a: Assembly) -> list[Measure]:
    """Lights at a strip's limit chop their currents, each at its own pace, while cell and reference
    are read 10 to 90 µs apart."""
    k = a.longest
    c = a.circuit(models.CHOP, only=k)
    c.source("usb", "5")
    c.source("lit", "0")
    c.source("b_5vl", "5")
    rng = Random(19)
    lights = [j.ref for j in a.strips[k] if j.value == "WS2812B" and j.pad == "1"]
    full = 3 * FULL_MA / 1000
    duty = min(0.5, (a.profile.strip_limit_ma / 1000 / len(lights) - 1e-3) / full)
    for ref in sorted(lights):
        period = rng.uniform(1 - limits.CHOP_SPREAD, 1 + limits.CHOP_SPREAD) / limits.CHOP_HZ
        late, on = rng.uniform(0, period), duty * period
        wave = f"pulse(0 {full} {late:.6g} 1u 1u {on:.6g} {period:.6g})"
        c.source(f"s{k}_{ref.lower()}_lit", wave)
    c.initial = {f"s{k}_3v3": 3.3, f"s{k}_5v": 4.9}
    low = f"s{k}_gnd"
    v = run(c, "chopping", 0.03, 2e-5, [low])
    errors, means = [], []
    for _ in range(3000):
        t, apart = rng.uniform(0.005, 0.028), rng.uniform(10e-6, 90e-6)
        one = [(v.at(low, t + d + apart) - v.at(low, t + d)) / SENSE_V_MT for d in (0.0, 1e-3)]
        errors.append(one[0])
        means.append(sum(one) / 2)
    sigma = (sum(x * x for x in means) / len(means)) ** 0.5
    source = "least margin of a cell to a threshold"
    return [
        _measure(
            "chopping", "worst of one frame", max(map(abs, errors)), "mT", (MARGIN_MT, source)
        ),
        _measure("chopping", "sigma of two frames", sigma, "mT", (MARGIN_MT, source), share=0.2),
    ]


SCENES: tuple[Callable[[Assembly], list[Measure]], ...] = (
    switched_on,
    switched_off,
    folding_supply,
    plugged_again,
    sagging,
    strip_plugged,
    reversed_supply,
    too_high,
    shorted_strip,
    address_lines,
    settling,
    chopping,
)
