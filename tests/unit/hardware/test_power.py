"""The power budget: what boards draw, what bears it, and what does not is found."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Run
from lumiban.boards.profile import Profile, load, names
from lumiban.i18n import text
from lumiban_fw import lights
from lumiban_hw import kit, power
from lumiban_hw.parts import FUSE, PTC, SUPPLY_PLUG
from lumiban_hw.pcb import base as foundation
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.power import RATINGS, Budget, Power, Ratings, check, picture
from lumiban_hw.svg import powers, ticks

HEX5 = load("hex5")


def rules(profile: Profile, ratings: Ratings = RATINGS) -> set[str]:
    """The rules that are broken; the sentence of each can be said in both languages."""
    found = check(profile, ratings)
    for one in found:
        for language in ("en", "ja"):
            assert "{" not in text(f"hardware.rule.{one.rule}", language, **one.said)
    return {one.rule.removeprefix("power.") for one in found}


@pytest.mark.parametrize("name", [name for name in names() if not load(name).is_of_switches])
def test_every_board_of_ours_bears_what_it_may_draw(name: str) -> None:
    assert rules(load(name)) == set()


def test_a_budget_is_the_sum_of_its_consumers() -> None:
    budget = Budget(HEX5)
    for state in power.STATES:
        assert budget.total_ma(state) == sum(row[state] for row in budget.rows().values())
    totals = [budget.total_ma(state) for state in power.STATES]
    assert totals == sorted(totals)


@pytest.mark.parametrize("name", ["hex3", "grid9x9"])
def test_the_firmware_gives_white_as_much_as_the_limit_lets_it(name: str) -> None:
    profile = load(name)
    budget = Budget(profile)
    shown, _ = power.white(budget.firmware_layout, 255)
    assert profile.limit_ma * 0.93 < shown <= profile.limit_ma
    assert max(budget.strips_ma) <= profile.strip_limit_ma


# The ratings stand for parts that the base board has.


def base() -> Board:
    """The base board's sockets and supply, without its tracks to the chips."""
    board = Board("base", "", foundation.OUTLINE)
    for k in range(15):
        foundation._socket(board, k)
    foundation._lights(board)
    foundation._power(board)
    return board


def test_each_strip_hangs_on_a_polyfuse_and_all_on_the_blade_fuse() -> None:
    found = {part.ref: (part.part.value, dict(part.nets)) for part in base().parts}
    for k in range(15):
        assert found[f"F{k + 1}"] == (PTC.value, {"1": "5VL", "2": f"5V{k}"})
        ways = [way for way, net in found[f"J{k + 1}"][1].items() if net == f"5V{k}"]
        assert len(ways) == power.FEEDS == 3
    assert found["F20"] == (FUSE.value, {"1": "VIN", "2": "VF"})
    assert (found["J20"][0], power.RETURNS) == (SUPPLY_PLUG.value, 4)
    assert PTC.value == f"PTC {1.1} A"


# Each finding, by a board or a part that is spoiled.


def test_a_limit_above_the_fuse_is_found() -> None:
    assert rules(replace(load("hex8"), limit_ma=5000)) >= {"fuse"}
    assert "fuse" not in rules(replace(load("hex8"), limit_ma=4100))


def test_a_limit_above_the_supply_is_found() -> None:
    assert "supply" in rules(replace(load("grid13x14"), limit_ma=8000))


def test_a_strip_limit_above_its_polyfuse_is_found() -> None:
    bold = replace(load("hex8"), strip_limit_ma=800)
    assert rules(bold) == {"polyfuse"}


def test_a_limit_that_dark_lights_reach_alone_is_found() -> None:
    assert "dark" in rules(replace(HEX5, limit_ma=61))
    assert "dark" not in rules(replace(HEX5, limit_ma=200))


def test_a_firmware_that_forgets_its_limits_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lights.Lights, "_limit", lambda self, total: None)
    where = {one.said.get("where") for one in check(load("hex8"))}
    assert where >= {"all", "strip 7"}


def test_a_firmware_that_forgets_the_strips_limit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lights, "beyond", lambda sums, most: False)
    assert "firmware" in rules(load("hex8"))


@pytest.mark.parametrize(
    ("rule", "ratings"),
    [
        ("way", replace(RATINGS, way_ma=200)),
        ("regulator", replace(RATINGS, room_c=85.0)),
        ("regulator-ma", replace(RATINGS, regulator_ma=80)),
        ("far", replace(RATINGS, polyfuse_mohm=900.0)),
        ("supply-mv", replace(RATINGS, guard_mohm=90.0)),
        ("wire", replace(RATINGS, wire_m=3.0)),
        ("weak", replace(RATINGS, terminal_ma=3000)),
        ("weak", replace(RATINGS, fet_ma=2500)),
        ("fuse", replace(RATINGS, sensor_ma=(6.0, 100.0))),
    ],
)
def test_a_part_that_does_not_bear_it_is_found(rule: str, ratings: Ratings) -> None:
    assert rule in rules(HEX5, ratings)
    assert rule not in rules(HEX5)


def test_a_bench_strip_that_asks_too_much_of_usb_is_found() -> None:
    bench = load("strip5")
    assert rules(replace(bench, limit_ma=305, strip_limit_ma=305)) == set()
    assert rules(bench, replace(RATINGS, sensor_ma=(6.0, 40.0))) == {"usb"}


def test_a_longer_wire_must_be_thicker() -> None:
    def at(metres: float) -> float:
        return Budget(HEX5, replace(RATINGS, wire_m=metres)).wire_mm2

    assert at(0.3) <= at(1.0) < at(2.0)


# What people get.


def test_the_kit_has_tables_and_a_picture(tmp_path: Path) -> None:
    report = Power(HEX5).make(tmp_path)
    assert report.is_good
    assert report.figures["limit_ma"] == 2220
    with (tmp_path / "power.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["consumer"]: row for row in csv.DictReader(file)}
    assert float(rows["all"]["limit_ma"]) == pytest.approx(Budget(HEX5).total_ma("limit"), abs=0.1)
    drawn = (tmp_path / "power.svg").read_text("utf-8")
    assert drawn == picture(Budget(HEX5))
    assert "supply 3 A" in drawn
    assert f"board/{HEX5.name}/power" in [item.name for item in kit.items([HEX5])]


def test_the_command_tells_the_budget_and_what_to_buy(run: Run) -> None:
    code, out, _ = run("hardware", "power", "hex5")
    assert code == 0
    assert "Supply: 5 V, 3 A" in out
    code, out, _ = run("hardware", "power", "strip5", "--json")
    told = json.loads(out)
    assert (code, told["good"], told["figures"]["supply_ma"]) == (0, True, 500)


# The diagrams.


def test_axes_hold_all_that_is_drawn() -> None:
    for low, high in ((0, 4.4), (-3, 40), (0.2, 0.9), (0, 13)):
        marks = ticks(low, high)
        assert marks[0] <= low
        assert marks[-1] >= high
        assert 4 <= len(marks) <= 10
    assert powers(3, 700) == [2, 5, 10, 20, 50, 100, 200, 500, 1000]
