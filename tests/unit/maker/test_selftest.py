"""The self-test: what it finds on sound and on spoilt boards, its figures, and sensors' health."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from each import each
from lumiban.boards.client import BoardClient, Moment
from lumiban.boards.profile import load
from lumiban.errors import BoardError
from lumiban.i18n import LANGUAGES, text
from lumiban.maker import health, selftest
from lumiban.maker.doctor import GOOD, NOTE, Finding
from lumiban.maker.health import UNITS, Health
from lumiban.maker.selftest import SelfTest
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, WHITE
from lumiban_sim.built_board import BuiltBoard, Wires, exact
from lumiban_sim.chip import Pace
from lumiban_sim.faults import parse
from lumiban_sim.rails import Feed
from lumiban_sim.rig import Rig
from rig_line import RigLine, driven

HEX3 = load("hex3")
NAMES = [HEX3.grid.name(cell) for cell in range(len(HEX3.cells))]
WIRED = replace(exact(HEX3), wires=Wires())


def _tested(rig: Rig, *, lights: bool = False) -> tuple[SelfTest, dict[str, Finding]]:
    test = SelfTest(driven(HEX3, rig))
    found = test.run(lambda *_: None, tests_lights=lights)
    return test, {finding.id: finding for finding in found}


def _spoil(rig: Rig, cell: int, count: int) -> None:
    """A sensor that reads one count for ever."""
    sample = rig.world.sample

    def stuck(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        sample(frame, t_us, counts, references)
        counts[cell] = count

    rig.world.sample = stuck  # type: ignore[method-assign]


@each(
    ("feed", "id", "said"),
    [
        (Feed(3_000), "rail.dark", "3.0 V"),
        (Feed(4_400), "rail", "4.4 V"),
        (Feed(6_000), "rail.none", "J20"),
        (Feed(6_000, most_mv=0), "rail.high", "U4"),
        (Feed(12_000), "rail.none", "F20"),
        (Feed(12_000, most_mv=0), "rail.none", "F20"),
    ],
)
def test_a_maker_of_a_board_with_a_wrong_supply_reads_that_and_nothing_that_follows_from_it(
    feed: Feed, id: str, said: str
) -> None:
    rig = Rig(HEX3, 5, board=WIRED, cold=True, feed=feed)
    for language in LANGUAGES:
        assert said in text(f"selftest.fault.{id}", language, volts=feed.supply_mv / 1000)
    if id == "rail":
        _, found = _tested(rig)
        assert list(found) == ["selftest.fault.rail", "selftest.supply.first"]
        return
    with pytest.raises(BoardError, match=said):
        driven(HEX3, rig)


def test_a_sound_board_passes_and_its_figures_are_those_it_was_built_with() -> None:
    offsets = tuple(40.0 * (n % 7) for n in range(19))
    built = replace(WIRED, offsets_ut=offsets, supplies=(1.0, 1.01, 0.99, 1.0, 1.0))
    rig = Rig(HEX3, 5, board=built)
    test, found = _tested(rig, lights=True)
    assert {one.id.removeprefix("selftest."): one.level for one in found.values()} == {
        "sweep": NOTE,
        **dict.fromkeys(
            ("reference", "noise", "cells", "answers", "lift", "lights", "walk", "rate", "gap",
             "rail"),
            GOOD,
        ),
    }  # fmt: skip
    for name, said in (
        ("reference", {"strips": 5}), ("cells", {"cells": 19, "stones": 0}),
        ("lights", {"lights": HEX3.lights}), ("walk", {"cells": 19}),
        ("rate", {"hz": HEX3.scan_hz}), ("gap", {"ms": 1.0}),
    ):  # fmt: skip
        assert found[f"selftest.{name}"].said == said
    assert found["selftest.rail"].said["volts"] == pytest.approx(5.1, abs=0.05)
    assert not any(rig.light), "no light is left on"
    assert rig.now_us < 21_000_000, "somebody waits for it"
    told = test.figures
    assert told.measured.keys() <= UNITS.keys()
    assert told.number("noise_ut", 0) == pytest.approx(300, rel=0.1)
    assert told.number("ribbon_uohm", 0) == pytest.approx(Wires().ribbon_uohm, rel=0.3)
    assert told.number("scan_hz", 0) == HEX3.scan_hz
    assert told.numbers("supplies", 0, 5) == pytest.approx(built.supplies, abs=0.002)
    assert told.numbers("offsets_ut", 0, 19) == pytest.approx(offsets, abs=200)


@pytest.mark.slow
def test_a_stuck_a_dead_and_a_lifted_sensor_are_named() -> None:
    rig = Rig(HEX3, 6)
    _spoil(rig, 4, 2050)
    _, found = _tested(rig)
    assert found["selftest.cell.stuck"].said["cell"] == NAMES[4]
    rig = Rig(HEX3, 6)
    _spoil(rig, 7, 12)
    _, found = _tested(rig)
    assert found["selftest.cell.dead"].said == {"cell": NAMES[7], "counts": 12}


def test_a_strip_without_its_reference_is_named_and_its_cells_are_not_judged() -> None:
    rig = Rig(HEX3, 7, board=replace(WIRED, supplies=(1.0, 1.0, 0.5, 1.0, 1.0)))
    _, found = _tested(rig)
    said = found["selftest.reference.off"].said
    assert (said["strip"], said["socket"]) == (2, 3)  # silk counts from 1
    assert "selftest.cell.dead" not in found
    assert "selftest.cells" not in found  # five were not heard: not all answer
    assert found["selftest.cells.part"].said == {"heard": 14, "cells": 19, "stones": 0}


@pytest.mark.slow
@pytest.mark.parametrize("board", [None, WIRED])
def test_the_lights_of_sound_strips_are_not_accused_beside_a_bad_reference(
    board: BuiltBoard | None,
) -> None:
    # Found by a newcomer: a cable that came back during the test looked like a lift of its ground.
    rig = Rig(HEX3, 7, board=board, plan=parse("at 0s for 1500ms cable of row 3", HEX3))
    _, found = _tested(rig, lights=True)
    assert found["selftest.reference.off"].said["strip"] == 3
    assert "selftest.lift.dark" not in found
    if board is None:  # parts without resistance: no strip is lifted
        assert "selftest.lift.none" in found
    else:
        assert found["selftest.lift"].said["strips"] == 3


def test_stones_that_stand_tell_their_strength() -> None:
    rig = Rig(HEX3, 8)
    rig.world.stand(WHITE, 3)
    rig.world.stand(BLACK, 12)
    test, found = _tested(rig)
    assert set(test.strengths) == {3, 12}
    assert found["selftest.cells"].said["stones"] == 2
    looks = test.looks("2026-01-02")
    assert looks[3].strong_ut == pytest.approx(32_000, rel=0.1)
    assert looks[3].zero_ut is None
    assert looks[12].strong_ut == pytest.approx(32_000, rel=0.1)
    assert looks[0].strong_ut is None


class LongCable(RigLine):
    """What the host says takes 3 ms to the board."""

    def write(self, data: bytes) -> None:
        self.rig.advance(self.rig.now_us + 3_000)
        super().write(data)


def test_an_answer_takes_as_long_as_its_way_even_where_the_line_is_busy() -> None:
    driver = BoardClient(HEX3, LongCable(Rig(HEX3, 15)))
    driver.open()
    figures = SelfTest(driver).measure()
    assert 3_000 <= figures.number("answer_us", 0) <= 8_000
    assert figures.number("answer_us", 0) <= figures.number("answer_p99_us", 0)


def test_a_board_on_which_nothing_can_be_fed_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "CAN_INJECT", 0)
    _, found = _tested(Rig(HEX3, 10))
    assert "selftest.walk.no-inject" in found


# Figures.


# Health.


@pytest.mark.parametrize(
    "spoilt",
    [
        "", "{", "[]", '{"cells": {"x": 1}, "faults": {}}',
        '{"cells": {"1": [["2026-01-01", "much", 1, 2]]}, "faults": {}}',
        '{"cells": {"1": [["2026-01-01", 1, 2, 3, 4]]}, "faults": {}}',
        '{"cells": {}, "faults": {"1": {"stuck": [1, "lately"]}}}',
    ],
)  # fmt: skip
def test_a_spoilt_page_of_health_is_begun_anew(tmp_path: Path, spoilt: str) -> None:
    health.folder(tmp_path).mkdir()
    (health.folder(tmp_path) / "e661.json").write_text(spoilt)
    assert health.read_health(tmp_path, "e661") == Health("e661")


def _broken(plan: str, board: BuiltBoard | None = None) -> dict[str, Finding]:
    """What a selftest finds on a board with a fault."""
    rig = Rig(HEX3, 5, board=board or WIRED, plan=parse(plan, HEX3))
    return _tested(rig, lights=True)[1]


class Lamps:
    """A board of three strips, whose references its lights lift by so many counts each; the second
    time that a light is lit it may lift by others."""

    def __init__(self, *lifts: tuple[float, ...]) -> None:
        self.profile = SimpleNamespace(rows=3, strips=(0, 1, 2, 2, 1, 0, 0, 3))
        self.lifts = [list(of) for of in lifts]
        self.lit: list[int] = []
        self.shown, self.waited = list[list[int]](), list[int]()
        self.run = self.waited.append

    def paint(self, lights: list[int]) -> None:
        self.lit = lights
        self.shown.append(lights)

    def take(self, moments: int) -> list[Moment]:
        counts = [2048.0, 2050.0, 2040.0]
        for light in self.lit:
            left = self.lifts[light]
            counts[self.profile.strips[light]] += left.pop(0) if len(left) > 1 else left[0]
        return [Moment(0, 0, (), tuple(counts))] * moments  # type: ignore[arg-type]  # counts alone


@pytest.mark.parametrize(
    ("lifts", "dark", "firsts"),
    [
        ("2 2 2 2 2 2 2", (), ()),
        ("2 2 2 2 2 2 0", (6,), (6,)),
        ("0 2 2 2 0 0 0", (0, 4, 5, 6), (0, 4)),
        ("2 2 2 0.89 2 2 2", (3,), (3,)),
        ("2 2 2 0.91 2 2 2", (), ()),
        ("2 2 2 0,2 2 2 2", (), ()),
        ("2 2 2 0,0.89 2 2 2", (3,), (3,)),
        ("1.25 1.25 1.25 1.25 1.25 0 1.25", (5,), (5,)),
        ("1.125 1.125 1.125 1.125 1.125 0 1.125", None, ()),
        ("0 0 0 0 0 0 0", None, ()),
    ],
)
def test_a_light_that_lifts_less_than_half_as_much_as_others_twice_is_dark(
    lifts: str,
    dark: tuple[int, ...] | None,
    firsts: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lamps = Lamps(*(tuple(map(float, of.split(","))) for of in lifts.split()))
    fields = SimpleNamespace(take=lamps.take, close=lambda: None)
    monkeypatch.setattr(selftest, "RawReadings", lambda driver, first, count: fields)
    steps = list[tuple[int, int]]()
    seen = selftest.look(lamps, lamps.paint, lambda *step: steps.append(step))  # type: ignore[arg-type]
    assert seen == selftest.LightTestResult(dark is not None, dark or (), firsts)
    assert steps == [(0, 3), (1, 3), (2, 3)]
    assert lamps.shown[:4] == [[], [0, 1, 2], [5, 4, 3], [6]], "one of each strip at a time"
    assert min(lamps.waited) >= 50_000, "a reference has settled when it is read"


@pytest.mark.slow
def test_a_dead_light_is_found_with_its_place_by_the_current_it_does_not_draw() -> None:
    cell = next(n for n, place in enumerate(HEX3.cells) if place.row == 2 and place.channel == 3)
    found = _broken(f"at 0s dark light {HEX3.grid.name(cell)}")
    told = found["selftest.light.dark"].said
    assert (told["light"], told["cell"]) == (HEX3.cells[cell].light, HEX3.grid.name(cell))
    behind = [n for n, strip in enumerate(HEX3.strips) if strip == 2 and n >= told["light"]]
    assert told["count"] == len(behind)
    assert "selftest.lights" not in found


@pytest.mark.slow
def test_a_broken_select_line_is_named() -> None:
    offsets = replace(WIRED, offsets_ut=tuple(700.0 * ((5 * n) % 7 - 3) for n in range(19)))
    found = _broken("at 0s select line S1", offsets)
    assert found["selftest.select.broken"].said["line"] == "S1"
    _, sound = _tested(Rig(HEX3, 5, board=offsets))
    assert "selftest.select.broken" not in sound


def test_the_rate_is_what_the_board_keeps() -> None:
    rig = Rig(HEX3, 6, skipping=False, pace=Pace(frame_us=1_400))
    _, found = _tested(rig)
    assert found["selftest.missed"].said["frames"] > 100


@pytest.mark.slow
def test_cells_are_asked_again_when_a_busy_computer_spoke_too_late() -> None:
    driver = driven(HEX3, Rig(HEX3, 5))
    sends, injected = driver.send, 0

    def late(kind: int, payload: bytes = b"", *, reliable: bool = True) -> None:
        nonlocal injected
        injected += kind == wire.H_INJECT
        if (kind, injected) == (wire.H_INJECT, 8):
            driver.run(2_000_000)
        sends(kind, payload, reliable=reliable)

    driver.send = late  # type: ignore[method-assign]  # a computer that stood still
    found = {one.id: one for one in SelfTest(driver).run(lambda *_: None, tests_lights=False)}
    assert "selftest.walk" in found
    assert "selftest.walk.silent" not in found
