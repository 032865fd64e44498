"""Supplies and lines as simulated: sound boards keep every limit, and each damage is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import pytest
from each import each
from lumiban.boards import limits
from lumiban.boards.profile import load
from lumiban_hw import order_codes, parts, rules
from lumiban_hw.electronics import strip_parts
from lumiban_hw.parts import MUX
from lumiban_hw.pcb.drawing import Hole, Track
from lumiban_hw.pcb.netlist import Joint
from lumiban_hw.plans import strips
from lumiban_hw.spice import circuit, kit, models, scenes
from lumiban_hw.spice.circuit import Circuit, Curves
from lumiban_hw.spice.scenes import Assembly, Measure

needs_ngspice = pytest.mark.skipif(
    not circuit.program(), reason="needs ngspice: apt install ngspice"
)

Change = Callable[[Sequence[Joint]], Sequence[Joint]]


@lru_cache
def sound(name: str = "hex3") -> Assembly:
    return kit.assembly(load(name))


def without(*refs: str) -> Change:
    return lambda joints: [j for j in joints if j.ref not in refs]


def valued(value: str, *refs: str) -> Change:
    def change(joints: Sequence[Joint]) -> Sequence[Joint]:
        assert {j.ref for j in joints} >= set(refs)
        return [replace(j, value=value) if j.ref in refs else j for j in joints]

    return change


def joined(ref: str, pads: str, net: str) -> Change:
    return lambda joints: [
        replace(j, net=net) if j.ref == ref and j.pad in pads.split() else j for j in joints
    ]


def both(*changes: Change) -> Change:
    def change(joints: Sequence[Joint]) -> Sequence[Joint]:
        for one in changes:
            joints = one(joints)
        return joints

    return change


def turned(ref: str) -> Change:
    """A transistor the wrong way round: source and drain change places."""

    def change(joints: Sequence[Joint]) -> Sequence[Joint]:
        net = {j.pad: j.net for j in joints if j.ref == ref}
        other = dict.fromkeys("123", net["5"]) | dict.fromkeys("5678", net["1"])
        return [replace(j, net=other.get(j.pad, j.net)) if j.ref == ref else j for j in joints]

    return change


@dataclass(frozen=True)
class Mutation:
    """A damage to base or strips that a scene must show."""

    what: str
    scene: Callable[[Assembly], list[Measure]]
    base: Change | None = None
    strip: Change | None = None
    board: str = "hex3"

    def done(self) -> Assembly:
        whole = sound(self.board)
        base = self.base(whole.base) if self.base else whole.base
        return Assembly(
            whole.profile, base, [self.strip(s) if self.strip else s for s in whole.strips]
        )


RAIL_PAD = MUX.pad(f"Y{limits.RAIL_CHANNEL}")
ABRUPT = both(valued("1p", "C21", "C24", "C25"), valued("10R", "R20"), valued("10R", "R27"))
QUICK = (
    Mutation(
        "33 R at the address lines", scenes.address_lines, valued("33R", *["R1", "R2", "R3", "R4"])
    ),
    Mutation("no gate resistor", scenes.switched_on, valued("10R", "R27")),
    Mutation("a surge diode of one direction", scenes.reversed_supply, valued("SMBJ5.0A", "D20")),
    Mutation("nothing on channel 15", scenes.sagging, joined("U1", RAIL_PAD, "")),
)
SLOW = (
    Mutation("no Miller capacitor", scenes.switched_on, without("C21")),
    Mutation("no capacitor from gate to source", scenes.switched_on, without("C25")),
    Mutation("no soft start", scenes.switched_on, ABRUPT),
    Mutation("a gate that is hardly let go", scenes.switched_off, valued("2.2M", "R21")),
    Mutation("a gate that is never pulled", scenes.switched_on, valued("2M", "R27")),
    Mutation("no gate resistor, weak supply", scenes.folding_supply, valued("10R", "R27")),
    Mutation("no soft start, plugged again", scenes.plugged_again, ABRUPT),
    Mutation("a divider of 1 % too little", scenes.sagging, valued("9.5k", "R6")),
    Mutation("no bulk capacitors", scenes.strip_plugged, without("C20", "C22")),
    Mutation("Q1 the wrong way round", scenes.reversed_supply, turned("Q1")),
    Mutation("no comparator", scenes.too_high, without("U4")),
    Mutation("no transistor at the gates", scenes.too_high, without("Q5")),
    Mutation("a comparator's own current", scenes.too_high, valued("1k", "R24")),
    Mutation("it refuses too late", scenes.too_high, valued("12k", "R25")),
    Mutation("it refuses too early", scenes.too_high, valued("10k", "R25")),
    Mutation("a strip without its fuse", scenes.shorted_strip,
             valued(parts.FUSE.value, *(f"F{n}" for n in range(1, 16))), board="hex8"),
    Mutation("a soft reference", scenes.settling, strip=valued("10k 0.1%", "R2", "R3")),
    Mutation("address lines that crawl", scenes.settling, valued("47k", *["R1", "R2", "R3", "R4"])),
)  # fmt: skip
MUTATIONS = (*QUICK, *SLOW)


def broken(found: Sequence[Measure]) -> list[str]:
    return [
        f"{one.scene}: {one.what} {one.value:.3g} {one.unit}" for one in found if not one.is_good
    ]


@pytest.mark.process
@needs_ngspice
@pytest.mark.parametrize("scene", [m.scene for m in QUICK], ids=lambda scene: scene.__name__)
def test_a_sound_board_keeps_the_limits_of_its_parts(
    scene: Callable[[Assembly], list[Measure]],
) -> None:
    assert broken(scene(sound())) == []


@pytest.mark.process
@needs_ngspice
@pytest.mark.long
@pytest.mark.parametrize("name", ["hex3", "hex5", "grid9x9", "hex8", "grid13x14"])
def test_every_board_keeps_them_in_every_scene(name: str) -> None:
    assert broken(kit.measures(sound(name))) == []


@pytest.mark.process
@needs_ngspice
@pytest.mark.parametrize("mutation", QUICK, ids=lambda m: m.what)
def test_a_damage_is_seen(mutation: Mutation) -> None:
    assert broken(mutation.scene(mutation.done()))


@pytest.mark.process
@needs_ngspice
@pytest.mark.long
@pytest.mark.parametrize("mutation", SLOW, ids=lambda m: m.what)
def test_each_other_damage_is_seen_too(mutation: Mutation) -> None:
    assert broken(mutation.scene(mutation.done()))


@pytest.mark.process
@needs_ngspice
@pytest.mark.long
def test_thin_ground_is_seen_in_the_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "WAY_MOHM", 4 * models.WAY_MOHM)
    assert broken(scenes.chopping(sound()))


def test_a_part_without_a_model_is_no_part_of_a_simulation() -> None:
    base = valued("a new part", "Q2")(sound().base)
    with pytest.raises(models.UnknownPart, match="Q2"):
        models.whole(base, sound().strips)


def test_putting_parts_together_keeps_their_values() -> None:
    c = Circuit()
    for _ in range(4):
        c.resistor("a", "0", 100.0)
        c.add("C", ("0", "a"), 1e-6)
        c.add("D", ("a", "0"), "clamp")
    c.resistor("a", "nowhere", 1.0)
    c.source("a", "5")
    found = {e.kind: e for e in c.reduced().elements}
    assert (found["R"].value, found["C"].value, found["D"].count) == (25.0, 4e-6, 4)
    assert len(c.reduced().elements) == 4  # the resistor that leads nowhere is left out


def test_curves_are_read_between_their_points() -> None:
    curves = Curves((0.0, 1.0, 2.0), {"v": (0.0, 4.0, 2.0)})
    assert curves.at("v", 0.5) == 2.0
    assert curves.since("v", 1.5) == 1.0
    assert curves.since("v", 3.0) == float("inf")


@pytest.mark.process
@needs_ngspice
def test_a_run_that_never_ends_is_ended_by_its_own_processor_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(circuit, "TIMEOUT_S", 1)
    c = Circuit()
    c.source("a", "sin(0 1 1e6)")
    c.resistor("a", "b", 1.0)
    c.add("C", ("b", "0"), 1e-9)
    with pytest.raises(circuit.SpiceFailed, match="more than 1 s of processor time"):
        circuit.run(c, "endless", 10.0, 1e-9, ["b"])


def test_without_ngspice_the_kit_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(kit, "program", lambda: "")
    report = kit.Electrical(load("hex3")).make(tmp_path)  # type: ignore[arg-type]  # not written to
    assert report.is_good
    assert report.missing == ("ngspice",)


# Order numbers and screws.


def every_part() -> list[parts.Part]:
    return [part for part in vars(parts).values() if isinstance(part, parts.Part)]


def test_every_order_number_is_of_the_package_and_value_that_is_drawn() -> None:
    assert list(order_codes.check("parts", every_part())) == []


@each(
    ("part", "number", "words"),
    [
        (parts.STRIP_PLUG, "3220-14-0100-00", "1.27 mm pitch"),
        (parts.STRIP_PLUG, "3020-16-0100-00", "16 pins"),
        (parts.R470, "RC0603FR-0733RL", "33R for 470R"),
        (parts.MICRO, "CC0603KRX7R8BB104", "100n for 1u"),
        (parts.BULK, "CL10A226KPQNNNE", "0603 on 0805"),
        (parts.FUSE_2A, "0297004.WXNV", "4 A for mini blade fuse 2 A"),
        (parts.GUARD, "MAX803REXR+T", "no ordering table"),
    ],
)
def test_a_wrong_order_number_is_found(part: parts.Part, number: str, words: str) -> None:
    found = list(order_codes.check("parts", [replace(part, number=number)]))
    # A known number brings its alternates with it, which are as wrong.
    assert {f.rule for f in found} == {"order"}
    assert words in found[0].said["what"]


@pytest.mark.slow
def test_a_screw_over_copper_is_found() -> None:
    board = strip_parts(strips(load("strip5"))[0])
    assert [f for f in rules.check(board) if f.rule == "head"] == []
    x, y = board.holes[1].at
    spoilt = replace(
        board, tracks=[*board.tracks, Track("5V", "F", (x - 3, y - 2), (x + 3, y - 2), 0.4)]
    )
    assert "head" in {f.rule for f in rules.check(spoilt)}


def test_filled_copper_under_a_screw_is_found() -> None:
    board = replace(strip_parts(strips(load("strip5"))[0]), holes=[Hole((-20.0, 0.0), 3.2)])
    left, top = board.outline[:2]
    at = (-20.0 - left, -top)
    around = [(at[0] + dx, at[1] + dy) for dx, dy in ((-9, -9), (9, -9), (9, 9), (-9, 9))]
    beside = [(x + 13.0, y) for x, y in around]
    assert [f.said["net"] for f in rules.heads(board, [("5VL", "F", around)])] == ["5VL"]
    assert rules.heads(board, [("GND", "F", beside)]) == []
