"""Coarse models of the parts, and what they bear: from joints of the netlist to elements.

Figures are from the makers' data sheets, typical where they give one, the harsher limit where they
give two; none was measured, and `Part.sheet` and `Rating.source` tell how surely each was read. A
part whose model is missing is an error, so that no part is left out of its board's simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lumiban.boards.limits import ADDRESS_PIN_F, RIBBON_F, WAY_MOHM, fuse_mohm

from lumiban_hw import parts as p
from lumiban_hw.pcb.netlist import Joint
from lumiban_hw.pcb.strip import PLUG_NETS
from lumiban_hw.power import RATINGS
from lumiban_hw.spice.circuit import GROUND, Circuit

CAN_ESR_OHM = 0.03
PTC_OHM, PTC_J_K, PTC_W_K = 0.12, 0.006, 0.0085
"""A 1206L110 cold, in the middle of its 40 to 210 mΩ; its heat capacity and cooling are such that
2.2 A trips it for ever, 1.1 A does not at 40 °C, and 8 A takes 0.06 s: at most 0.1 s, says its data
sheet."""
GPIO_OHM = 40.0
"""A pin of an RP2040 at its default strength."""
LDO_A, LDO_OHM, LDO_DROP_V = 0.8, 0.05, 0.25
"""An AP2112K: where it limits, its output's resistance, and what it needs above 3.3 V (at 600 mA,
typically)."""
MUX_ON_OHM, MUX_Z_F, MUX_Y_F = 180.0, 45e-12, 5e-12
"""A 74HC4067 at 3.3 V: on resistance at most, and capacitances of a Z and a Y pin."""
HALL_A, HALL_OHM = 1e-3, 20.0
"""Drive current of a DRV5055's output, and its resistance within that."""
ADC_F = 8e-12
"""Pad and sampling capacitor of the RP2040's converter."""
REFERENCE_V = 2.495
"""A TL431's."""
SHUNT_A = 0.7e-3
"""Largest current of a TL431B before it regulates: its data sheet's least cathode current. Half as
much is usual. It rises as the reference comes near."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A limit of a part, with where it is written."""

    most: float
    said: str
    part: p.Part
    how: str = ""
    """*read*, *quoted* or *unread*, where it is not as the rest of the part's sheet."""

    @property
    def source(self) -> str:
        """Source of the figure, and whether that was read, quoted or unread."""
        return f"{self.said} ({self.how or self.part.sheet.partition(':')[0]})"


LIMITS = {
    "light_v": Rating(5.3, "WS2812B data sheet, absolute maximum VDD", p.LIGHT),
    "guard_v": Rating(6.0, "APX803S data sheet, absolute maximum VCC", p.GUARD, "unread"),
    "pico_v": Rating(5.5, "Pico data sheet, VSYS 1.8 to 5.5 V", p.PICO),
    "regulator_v": Rating(6.0, "AP2112 data sheet, recommended VIN 2.5 to 6.0 V", p.REGULATOR),
    "reverse_v": Rating(
        0.3, "APX803S and 74HC4067 data sheets, absolute minimum -0.3 and -0.5 V", p.GUARD, "unread"
    ),
    "gate_v": Rating(20.0, "Si4497DY data sheet, VGS", p.INPUT_FET),
    "switch_gate_v": Rating(12.0, "DMP2022LSS data sheet, VGSS", p.POWER_FET),
    "drain_v": Rating(30.0, "Si4497DY data sheet, VDS", p.INPUT_FET),
    "pulse_a": Rating(35.0, "DMP2022LSS data sheet, IDM for 10 µs", p.POWER_FET),
    "fet_j": Rating(0.5, "DMP2022LSS data sheet, transient thermal curve, 10 ms", p.POWER_FET),
    "surge_w": Rating(1.0, "SMBJ data sheet, 100 K/W on a small land at 40 °C", p.SURGE),
    "clamp_a": Rating(0.020, "74HC4067 data sheet, input clamp current", p.MUX),
    "pin_a": Rating(0.012, "RP2040 data sheet, strongest drive of a pin", p.PICO),
    "pins_a": Rating(0.050, "RP2040 data sheet, all pins together", p.PICO),
    "good_v": Rating(
        4.70, "APX803S-46 data sheet, 4.63 V + 1.5 %, the most at which it resets", p.GUARD
    ),
    "hold_v": Rating(3.55, "AP2112 data sheet: 3.3 V and the dropout at 600 mA", p.REGULATOR),
}  # fmt: skip


def _exact(_name: str, _what: str) -> float:
    return 1.0


@dataclass(frozen=True)
class Scope:
    """Parts of a board to simulate: supplies alone, its address lines too, or its analog lines."""

    select: bool = False
    analog: bool = False
    rows: tuple[int, ...] = ()
    """If told, the channels of the base's multiplexer that are looked at."""
    chop: bool = False
    """Each light has a current of its own, at a node by its name."""
    sensor_ma: float = RATINGS.sensor_ma[0]
    fuse_ma: int = 4000
    share: Callable[[str, str], float] = _exact
    """Share of a part's nominal figure, by the part's name (such as `s3_r2`) and by the figure: the
    value of a resistor or capacitor, else `on`, `threshold`, `out`, `way`, `light`, `ptc`."""


POWER = Scope()
SELECT = Scope(select=True)
ANALOG = Scope(select=True, analog=True)
CHOP = Scope(chop=True)

Pads = Mapping[str, str]
"""Node of each pad."""


class UnknownPart(Exception):
    """A part without a model."""


def board(
    circuit: Circuit, joints: Sequence[Joint], prefix: str, ground: str, scope: Scope
) -> None:
    """Add all parts of a board. Nodes are the prefix and a net's name; GND is `ground`.

    UnknownPart.
    """
    pads: dict[str, dict[str, str]] = {}
    values: dict[str, str] = {}
    for joint in joints:
        net = ground if joint.net == "GND" else f"{prefix}{joint.net}" if joint.net else ""
        pads.setdefault(joint.ref, {})[joint.pad] = node(net)
        values[joint.ref] = joint.value
    for ref, value in values.items():
        _part(circuit, ref, value, pads[ref], prefix, ground, scope)


def node(net: str) -> str:
    """A name that ngspice takes.

    >>> node("s0_5V")
    's0_5v'
    """
    return net.lower().replace("#", "n").replace("!", "x")


def _part(
    c: Circuit, ref: str, value: str, pad: Pads, prefix: str, ground: str, scope: Scope
) -> None:
    size = p.magnitude(value)
    name = f"{prefix}{ref}".lower()
    if size and value == p.BULK_CAN.value:
        c.add("R", (pad["1"], f"{name}_esr"), CAN_ESR_OHM)
        c.add("C", (f"{name}_esr", pad["2"]), size[1] * scope.share(name, value))
    elif size:
        much = size[1] * scope.share(name, value)
        c.add("R" if size[0] == "R" else "C", (pad["1"], pad["2"]), much)
    elif value in _DIODES:
        c.add("D", (pad["2"], pad["1"]), _DIODES[value])
    elif value in _MODELS:
        _MODELS[value](c, name, pad, ground, scope)
    elif value not in _PLUGS:
        raise UnknownPart(f"{ref}: no model of {value}")


def _light(c: Circuit, name: str, pad: Pads, _: str, scope: Scope) -> None:
    lit = f"{name}_lit" if scope.chop else "lit"
    draws = f"(1m+v({lit}))*{scope.share(name, 'light'):g}"
    c.add("I", (pad["1"], pad["3"]), f"{draws}*tanh(max(v({pad['1']},{pad['3']}),0)/1.5)")
    c.add("D", (pad["3"], pad["1"]), "substrate")


def _regulator(c: Circuit, name: str, pad: Pads, _: str, scope: Scope) -> None:
    into, out, low = pad["1"], pad["5"], pad["2"]
    out_v = f"{3.3 * scope.share(name, 'out'):g}"
    asked = f"(min({out_v},max(v({into},{low})-{LDO_DROP_V},0))-v({out},{low}))/{LDO_OHM}"
    c.add("I", (into, out), f"{LDO_A}*tanh(max({asked},0)/{LDO_A})")
    c.add("D", (out, into), "body")


def _shifter(c: Circuit, _name: str, pad: Pads, _: str, _scope: Scope) -> None:
    c.add("I", (pad["5"], pad["3"]), f"1u*tanh(v({pad['5']}))")


def _guard(c: Circuit, _name: str, pad: Pads, _: str, _scope: Scope) -> None:
    c.add("I", (pad["3"], pad["1"]), f"15u*tanh(v({pad['3']}))")


def _switch_fet(c: Circuit, name: str, pad: Pads, _: str, _scope: Scope) -> None:
    _pfet(c, name, pad, "power_pfet", (2.1e-9, 0.35e-9))


def _input_fet(c: Circuit, name: str, pad: Pads, _: str, _scope: Scope) -> None:
    _pfet(c, name, pad, "guard_pfet", (8e-9, 1.2e-9))


def _small_fet(c: Circuit, name: str, pad: Pads, _: str, _scope: Scope) -> None:
    c.add("M", (pad["3"], pad["1"], pad["2"], pad["2"]), "small_nfet", name)
    c.add("C", (pad["1"], pad["2"]), 40e-12)
    c.add("C", (pad["1"], pad["3"]), 5e-12)
    c.add("D", (pad["2"], pad["3"]), "body")


def _small_pnp(c: Circuit, name: str, pad: Pads, _: str, _scope: Scope) -> None:
    c.add("Q", (pad["3"], pad["1"], pad["2"]), "small_pnp", name)


def _shunt(c: Circuit, _name: str, pad: Pads, _: str, _scope: Scope) -> None:
    cathode, ref, anode = pad["1"], pad["2"], pad["3"]
    over = f"(v({ref},{anode})-{REFERENCE_V})"
    draws = f"{SHUNT_A}*min(max(v({ref},{anode})-1.5,0),1)"
    sinks = f"({draws}+0.05*(1+tanh(({over})/2m)))"
    c.add("I", (cathode, anode), f"{sinks}*tanh(max(v({cathode},{anode})-1.6,0)/0.3)")
    c.add("I", (ref, anode), f"2u*tanh(max(v({ref},{anode}),0))")
    c.add("C", (cathode, anode), 1e-9)
    c.add("C", (ref, anode), 20e-12)


def _pico(c: Circuit, name: str, pad: Pads, ground: str, scope: Scope) -> None:
    vsys = pad[p.PICO.pad("VSYS")]
    c.add("I", (vsys, ground), f"{RATINGS.pico_ma[1] / 1000}*tanh(max(v({vsys}),0)/1.5)")
    c.add("E", (f"{name}_3v3", ground), f"min(3.3,max(v({vsys}),v(usb)))")
    c.add("R", (f"{name}_3v3", pad[p.PICO.pad("3V3")]), 0.1)
    if scope.analog:
        c.add("C", (pad[p.PICO.pad("GP26")], ground), ADC_F)


def _fuse(c: Circuit, _name: str, pad: Pads, _: str, scope: Scope) -> None:
    c.add("R", (pad["1"], pad["2"]), fuse_mohm(scope.fuse_ma) / 1000)


def _surge(c: Circuit, name: str, pad: Pads, _: str, _scope: Scope) -> None:
    c.add("D", (f"{name}_mid", pad["1"]), "surge12")
    c.add("D", (f"{name}_mid", pad["2"]), "surge12")


def _hall(c: Circuit, name: str, pad: Pads, _: str, scope: Scope) -> None:
    high, low = pad["1"], pad["3"]
    c.add("I", (high, low), f"{scope.sensor_ma}m*tanh(max(v({high},{low}),0)/1.2)")
    if scope.analog:
        wanted = f"(v({name}_field)*v({high},{low})/3.3+v({low})-v({pad['2']}))"
        c.add("I", (low, pad["2"]), f"{HALL_A}*tanh({wanted}/{HALL_OHM}/{HALL_A})", f"{name}_out")


def _mux(c: Circuit, name: str, pad: Pads, _: str, scope: Scope) -> None:
    high, low = pad[p.MUX.pad("VCC")], pad[p.MUX.pad("GND")]
    if not scope.select:
        return
    lines = [pad[p.MUX.pad(f"S{bit}")] for bit in range(4)]
    for line in lines:
        c.add("D", (line, high), "clamp")
        c.add("D", (low, line), "clamp")
        c.add("C", (line, low), ADDRESS_PIN_F)
    if not scope.analog:
        return
    bits = []
    for line in lines:
        half = f"{0.5 * scope.share(name, 'threshold'):g}*v({high},{low})"
        bits.append(f"{name}_{line}")
        c.add("E", (bits[-1], GROUND), f"0.5+0.5*tanh((v({line},{low})-{half})/0.05)")
    z = pad[p.MUX.pad("Z")]
    c.add("C", (z, low), MUX_Z_F)
    c.add("D", (z, high), "clamp")
    c.add("D", (low, z), "clamp")
    c.add("E", (f"{name}_one", GROUND), "1")
    c.add("R", (z, f"{name}_on"), MUX_ON_OHM * scope.share(name, "on"))
    c.add("S", (f"{name}_on", f"{name}_c", high, low), "alive")
    for channel in range(16):
        y = pad[p.MUX.pad(f"Y{channel}")]
        if not y or (scope.rows and name.startswith("b_") and channel not in scope.rows):
            continue
        c.add("C", (y, low), MUX_Y_F)
        c.add("D", (y, high), "clamp")
        c.add("D", (low, y), "clamp")
        # From the common end a switch a bit, the highest first: those of two channels are one.
        at = f"{name}_c"
        for n in (3, 2, 1, 0):
            high_bit = channel >> n & 1
            to = y if n == 0 else f"{name}_c{n}_{channel >> n}"
            by = (bits[n], GROUND) if high_bit else (f"{name}_one", bits[n])
            c.add("S", (at, to, *by), "pass")
            at = to


def _pfet(c: Circuit, name: str, pad: Pads, model: str, farads: tuple[float, float]) -> None:
    """Gate to source and gate to drain in farads."""
    source, gate, drain = pad["1"], pad["4"], pad["5"]
    c.source(f"{name}_d", "0", name, to=drain)
    c.add("M", (f"{name}_d", gate, source, source), model, name)
    c.add("C", (gate, source), farads[0])
    c.add("C", (gate, drain), farads[1])
    c.add("D", (drain, source), "body")


def _ptc(c: Circuit, name: str, pad: Pads, _: str, scope: Scope) -> None:
    """A resistance that jumps with its own heat; its node `_heat` counts kelvins over 40 °C."""
    a, b = pad["1"], pad["2"]
    ohms = f"({PTC_OHM * scope.share(name, 'ptc'):g}*exp(min(max(v({name}_heat)-70,0)/6,8)))"
    c.add("I", (a, b), f"v({a},{b})/{ohms}")
    c.add("I", (GROUND, f"{name}_heat"), f"v({a},{b})*v({a},{b})/{ohms}")
    c.add("C", (f"{name}_heat", GROUND), PTC_J_K)
    c.add("R", (f"{name}_heat", GROUND), 1 / PTC_W_K)


_PLUGS = (
    p.BUTTON_PLUG.value,
    p.STRIP_PLUG.value,
    p.SUPPLY_PLUG.value,
    p.FIDUCIAL.value,
    p.TEST_PAD.value,
)
"""Parts that conduct nothing by themselves."""
_DIODES = {
    p.DIODE.value: "schottky",
    p.ZENER.value: "zener10",
    "SMBJ5.0A": "surge5",
    p.POWER_LIGHT.value: "lamp",
}
"""Cathode at pad 1."""
_MODELS: dict[str, Callable[[Circuit, str, Pads, str, Scope], None]] = {
    p.HALL.value: _hall, p.LIGHT.value: _light, p.MUX.value: _mux, p.REGULATOR.value: _regulator,
    p.SHIFTER.value: _shifter, p.GUARD.value: _guard, p.POWER_FET.value: _switch_fet,
    p.INPUT_FET.value: _input_fet, p.SMALL_FET.value: _small_fet, p.SMALL_PNP.value: _small_pnp,
    p.SHUNT.value: _shunt, p.PICO.value: _pico, p.PTC.value: _ptc, p.FUSE.value: _fuse,
    p.SURGE.value: _surge,
}  # fmt: skip


def ribbon(
    circuit: Circuit, base: Iterable[Joint], k: int, scope: Scope, loose: bool = False
) -> str:
    """Join strip `k` to its socket; returns the strip's prefix. `loose`, its ways are resistances
    that the voltage of the node `plug` closes: 0 open, 1 plugged."""
    prefix = f"s{k}_"
    at = {j.pad: j for j in base if j.ref == f"J{k + 1}"}
    for way, net in PLUG_NETS.items():
        there = node(f"{prefix}{net}")
        here = GROUND if net == "GND" else node(f"b_{at[way].net}")
        if loose:
            circuit.add("I", (here, there), f"v({here},{there})*(1e-9+v(plug)*{1000 / WAY_MOHM})")
        else:
            circuit.add("R", (here, there), WAY_MOHM / 1000 * scope.share(prefix + way, "way"))
        if scope.select and net not in ("GND", "5V"):
            circuit.add("C", (there, f"{prefix}gnd"), RIBBON_F)
    return prefix


def whole(
    base: Sequence[Joint],
    strips: Sequence[Sequence[Joint]],
    scope: Scope = POWER,
    loose: int | None = None,
    only: int | None = None,
) -> Circuit:
    """A base board with its strips, or `only` one, each on its ribbon; that of strip `loose` is
    plugged by a scene. Nodes `lit` (A a light) and `usb` (V) are left to the scene."""
    circuit = Circuit()
    board(circuit, base, "b_", GROUND, scope)
    for k, strip in enumerate(strips):
        if only not in (None, k):
            continue
        prefix = ribbon(circuit, base, k, scope, k == loose)
        board(circuit, strip, prefix, f"{prefix}gnd", scope)
    return circuit
