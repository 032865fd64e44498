"""First light on the board that is drawn: its faults are joints of the netlist, its measurements
ngspice's, so that neither was written by who wrote the diagnosis (as in test_firstlight.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from drawn_board import DrawnBoard
from lumiban.boards.profile import load
from lumiban.maker.doctor import BAD, GOOD
from lumiban.maker.firstlight import FirstLight
from lumiban_hw.parts import LIGHT, MUX
from lumiban_hw.pcb.netlist import Joint
from lumiban_hw.spice import circuit

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not circuit.program(), reason="needs ngspice: apt install ngspice"),
]
HEX3 = load("hex3")
Change = Callable[[Sequence[Joint]], Sequence[Joint]]


def without(ref: str) -> Change:
    return lambda joints: [j for j in joints if j.ref != ref]


def valued(ref: str, value: str) -> Change:
    return lambda joints: [replace(j, value=value) if j.ref == ref else j for j in joints]


def moved(**nets: str) -> Change:
    """Pads on other nets: `J4_12="S1"`."""
    told = {name.replace("_", "."): net for name, net in nets.items()}
    return lambda joints: [replace(j, net=told.get(f"{j.ref}.{j.pad}", j.net)) for j in joints]


def opened(ref: str, pad: str) -> Change:
    return moved(**{f"{ref}_{pad}": f"open_{ref}_{pad}"})


def turned(ref: str) -> Change:
    """A light turned by half: its supply and its data the wrong way round."""
    other = {"VDD": "VSS", "VSS": "VDD", "DIN": "DOUT", "DOUT": "DIN"}

    def change(joints: Sequence[Joint]) -> Sequence[Joint]:
        nets = {j.pad: j.net for j in joints if j.ref == ref}
        names = {LIGHT.pad(name): nets[LIGHT.pad(to)] for name, to in other.items()}
        return [replace(j, net=names[j.pad]) if j.ref == ref else j for j in joints]

    return change


@dataclass(frozen=True)
class Fault:
    """A joint of the drawing that is wrong, and what first light is to say of it."""

    what: str
    id: str
    joint: str
    base: Change | None = None
    strips: dict[int, Change] = field(default_factory=dict)
    bridges: Sequence[tuple[str, str]] = ()


QUICK = Fault("an open select line at the base", "select.open.base", "R2", without("R2"))
ELEVEN = (
    Fault("an open select line in a ribbon", "select.open.strip", "J3.13", opened("J3", "13")),
    Fault("select lines that touch", "select.bridge.base", "R1, R3", bridges=[("b_s0", "b_s2")]),
    Fault("swapped select lines in a ribbon", "select.swap.strip", "J4.12, J4.14",
          moved(J4_12="S1", J4_14="S0")),
    Fault("an open line of the row", "row", "U1.S1", opened("U1", MUX.pad("S1"))),
    Fault("an open analog line", "reading.strip", "J2.10", opened("J2", "10")),
    Fault("a dead regulator", "regulator", "U2, C2, C3", strips={2: without("U2")}),
    Fault("a light that is turned round", "short", "J4", strips={3: turned("D2")}),
    Fault("a wrong resistor at a reference", "reference", "R2, R3",
          strips={0: valued("R2", "2k 0.1%")}),
    Fault("a wrong resistor at the gate", "gate", "R27, C21", valued("R27", "10R")),
    Fault("an open joint between two lights", "light", "D2.2, D3.4", strips={2: opened("D3", "4")}),
    Fault("a sensor's open joint", "sensor.open", "J5: S2.2", strips={4: opened("S2", "2")}),
)  # fmt: skip


def named(fault: Fault) -> None:
    board = DrawnBoard(HEX3, fault.base, fault.strips, bridges=fault.bridges, seed=1)
    findings = FirstLight(board, HEX3, board.set_stone).run()
    assert [(f.id, f.said["joint"]) for f in findings if f.level == BAD] == [
        (f"firstlight.{fault.id}", fault.joint)
    ]


def test_a_wrong_joint_of_the_drawing_is_named() -> None:
    named(QUICK)


@pytest.mark.long
@pytest.mark.parametrize("fault", ELEVEN, ids=lambda fault: fault.what)
def test_each_of_eleven_others_is_named(fault: Fault) -> None:
    named(fault)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_a_sound_board_as_drawn_with_parts_at_the_edges_of_tolerance_has_no_wrong_joint(
    seed: int,
) -> None:
    board = DrawnBoard(HEX3, seed=seed, edge=True)
    findings = FirstLight(board, HEX3, board.set_stone).run()
    assert [finding for finding in findings if finding.level != GOOD] == []
