"""First light: of each wrong joint its name, of a sound board nothing, in words and pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from each import each
from lumiban.boards.profile import Profile, load
from lumiban.i18n import text
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.maker.firstlight import LOOKS, FirstLight, PicoScope
from lumiban_fw.wire import FULL_SCALE
from lumiban_sim.joints import KINDS, Joints, Wrong, wrongs
from lumiban_sim.rails import Feed
from thorough import some

HEX5 = load("hex5")
HEX3 = load("hex3")
PLUG = ("12", "14", "13", "11")
"""Pads of a strip's plug (J1 to J9) that S0 to S3 come by."""
JOINTS = {
    "reading": "U1, GP26",
    "regulator": "U2, C2, C3",
    "reference": "R2, R3",
    "gate": "R27, C21",
    "switch": "Q3, Q2, R22",
    "guard": "U3, GP17",
    "divider": "R5, R6",
    "data": "GP14, U2.4, J1.6, D1",
    "return": "J15.8, R8, GP16",
}
"""Joints that are the board's one and only."""


def joint_of(profile: Profile, wrong: Wrong) -> str | None:
    """The parts and pads by the schematics; None for the first light of all."""
    kind, socket = wrong.kind, f"J{wrong.strip + 1}"
    bits = [bit for bit in (wrong.bit, wrong.other) if bit >= 0]
    match kind.split(".")[0]:
        case "select" | "settle":
            at_base = kind.endswith("base")
            return ", ".join(f"R{bit + 1}" if at_base else f"{socket}.{PLUG[bit]}" for bit in bits)
        case "row":
            return ", ".join(f"U1.S{bit}" for bit in bits)
        case "feed":
            return f"F{wrong.strip + 1}, {socket}.1"
        case "short":
            return socket
        case "sensor":
            cells = profile.cells
            row = sorted(cell.x_mm for cell in cells if cell.row == cells[wrong.number].row)
            part = f"{socket}: S{1 + row.index(cells[wrong.number].x_mm)}"
            return f"{part}.2" if kind.endswith("open") else f"{part}.1, {part}.3"
        case "light":
            strip = [light for light, row in enumerate(profile.strips) if row == wrong.strip]
            before, here = strip.index(wrong.number), strip.index(wrong.number) + 1
            if not before:
                return f"J{wrong.strip}.8, {socket}.6, D1.4" if wrong.strip else None
            return f"D{before}.2, D{here}.4"
    return f"{socket}.10" if kind == "reading.strip" else JOINTS[kind]


def found(board: Joints) -> list[Finding]:
    """What first light says of a board on which somebody sets the stones that it asks for."""
    return FirstLight(board, board.profile, board.set_stone).run()


def bad(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == BAD]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("profile", some([HEX3, HEX5], 2), ids=lambda one: one.name)
def test_every_kind_of_wrong_joint_is_named_where_chance_puts_it(
    profile: Profile, kind: str
) -> None:
    for seed in range(4):
        wrong = wrongs(profile, kind, seed)
        if kind == "row.bridge" and wrong.other == 3:
            continue  # sockets without a strip are read: taken for a switch that is shorted
        (only,) = bad(found(Joints(profile, seed, wrong)))
        assert only.id == f"firstlight.{kind}", wrong
        if (joint := joint_of(profile, wrong)) is not None:
            assert only.said["joint"] == joint
        told = only.said
        for name in {"strip", "bit", "number"} & told.keys():
            assert told[name] == getattr(wrong, name)
        assert told.get("light", wrong.number) == wrong.number
        if "bridge" in kind or "swap" in kind:
            assert told["other"] == wrong.other
        assert told.get("socket", "J0") in ("J0", f"J{wrong.strip + 1}")
        if wrong.number >= 0 and "cell" in told:
            assert told["cell"] == profile.grid.name(wrong.number)


@pytest.mark.parametrize("seed", some(range(10), 5))
def test_a_sound_board_with_parts_at_the_edges_of_tolerance_has_no_wrong_joint(seed: int) -> None:
    findings = found(Joints(HEX5, seed, edge=True))
    assert [finding.id for finding in findings if finding.level != GOOD] == []
    assert len(findings) == 6


@each(
    ("dark", "lit", "found"),
    [(14.0, 18.0, ("noise", GOOD)), (14.1, 1.0, ("noise.much", NOTE)),
     (1.0, 18.1, ("noise.much", NOTE))],
)  # fmt: skip
def test_readings_that_scatter_much_are_noted_in_the_dark_and_in_light(
    dark: float, lit: float, found: tuple[str, str]
) -> None:
    class Noisy(Joints):
        sigma = dark

        def shine(self, rgb: bytes) -> None:
            self.sigma = lit if all(rgb) else dark
            super().shine(rgb)

        def look(self, row: int, channel: int, pull: int) -> tuple[float, float]:
            return super().look(row, channel, pull)[0], self.sigma

    board = Noisy(HEX3, 1)
    test = FirstLight(board, HEX3, board.set_stone)
    told = test.run()[-1]
    assert told == Finding(f"firstlight.{found[0]}", found[1], {"dark": dark, "lit": lit})
    assert (test.curves.dark, test.curves.lit) == ([dark] * HEX3.rows, [lit] * HEX3.rows)


class Spoken:
    """A board's prompt: what `hal_scope` would print of what a simulated board reads."""

    def __init__(self, board: Joints) -> None:
        self.board = board

    def run(self, code: str) -> str:
        if "def " in code:
            return ""
        told = eval(code, {name: getattr(self, name) for name in dir(self)})  # ours
        return "\r\n".join(" ".join(str(round(one)) for one in line) for line in told or ())

    def supply(self) -> Any:
        return [self.board.supply()]

    def power(self, on: int) -> Any:
        self.board.power(bool(on))

    def ramp(self, rows: int) -> Any:
        ramp = self.board.ramp()
        rail = [mv * (FULL_SCALE + 1) / 6600 for mv in ramp.rail_mv]
        return [[ramp.tripped], *zip(ramp.times_us, rail, *ramp.references[:rows], strict=True)]

    def look(self, row: int, channel: int, pull: int) -> Any:
        assert pull in (-1, 0, 1), "as the chip takes it"
        mean, sigma = self.board.look(row, channel, pull)
        return [[LOOKS * mean, LOOKS * (mean**2 + sigma**2)]]

    def settle(self, row: int, channel: int, *before: int) -> Any:
        return [self.board.settle(row, channel, (before[0], before[1]))]

    def shine(self, rgb: bytes) -> Any:
        self.board.shine(rgb)

    def returned(self, sent: int) -> Any:
        return [[self.board.returned(sent)]]


@pytest.mark.parametrize(
    "kind", ["", "reading", "gate", "light", "settle.strip", "return", "divider", "switch"]
)
def test_what_a_chip_says_at_its_prompt_is_found_as_what_a_board_reads(kind: str) -> None:
    wrong = wrongs(HEX3, kind, 2) if kind else None
    board = Joints(HEX3, 2, wrong)
    scope = PicoScope(Spoken(board), HEX3)
    told = FirstLight(scope, HEX3, board.set_stone).run()
    read = found(Joints(HEX3, 2, wrong))
    assert [(one.id, one.said.get("joint")) for one in told] == [
        (one.id, one.said.get("joint")) for one in read
    ]


@each(
    ("volts", "refuses", "id"),
    [
        (0.0, True, "supply.none"),
        (3.0, True, "supply.weak"),
        (4.4, True, "supply.weak"),
        (5.7, False, "supply.high"),
        (6.0, True, "supply.none"),
        (12.0, True, "supply.none"),
        (12.0, False, "supply.none"),
    ],
)
def test_a_wrong_supply_is_told_before_the_strips_are_switched_on(
    volts: float, refuses: bool, id: str
) -> None:
    feed = Feed(round(1000 * volts))
    board = Joints(HEX3, feed=feed if refuses else replace(feed, most_mv=0))
    (only,) = found(board)
    assert only.id == f"firstlight.{id}"
    assert not board.rails.on


def test_without_hands_the_cells_to_be_tried_are_named() -> None:
    findings = FirstLight(Joints(HEX3), HEX3).run()
    (note,) = [finding for finding in findings if finding.level == NOTE]
    assert note.id == "firstlight.stones.untried"
    assert "c2" in str(note.said["cells"]).split(", ")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_finding_has_its_sentence(language: str) -> None:
    boards = [Joints(HEX5, 11, wrongs(HEX5, kind, 11)) for kind in KINDS]
    for board in [Joints(HEX5), *boards]:
        for finding in found(board):
            said = text(finding.id, language, **finding.said)
            assert "{" not in said
            if "joint" in finding.said:
                assert str(finding.said["joint"]) in said
