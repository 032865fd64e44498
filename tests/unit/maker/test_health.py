"""What is known of a board's sensors ages: what was mended is not told for ever."""

from __future__ import annotations

from datetime import date, timedelta
from math import isnan, nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import thorough
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban.errors import UsageError
from lumiban.maker import health
from lumiban.maker.health import CELLS, LOOKS, OVER_DAYS, STRIPS, UNITS, Figures, Health, Look
from lumiban_fw import wire

NAMES = [f"a{n}" for n in range(1, 7)]
HEX3, HEX5 = load("hex3"), load("hex5")
DAY = date(2026, 1, 1)


def ids(known: Health, after_days: int = 0) -> list[str]:
    return [one.id for one in known.ailing(NAMES, DAY + timedelta(days=after_days))]


@pytest.mark.parametrize(
    ("fault", "name"), [(wire.FAULT_STUCK, "stuck"), (wire.FAULT_DRIFT, "drift")]
)
def test_a_fault_that_the_board_tells_no_more_is_over_after_a_month(fault: int, name: str) -> None:
    known = Health("e661")
    known.count_fault(fault, 2, DAY.isoformat())
    assert ids(known, OVER_DAYS - 1) == [f"health.told.{name}"]
    assert ids(known, OVER_DAYS) == []
    known.count_fault(fault, 2, (DAY + timedelta(days=OVER_DAYS)).isoformat())
    assert known.ailing(NAMES, DAY + timedelta(days=OVER_DAYS))[0].said["times"] == 2


def test_cells_that_a_person_called_dead_are_kept_with_the_board(tmp_path: Path) -> None:
    known = Health("50", "reed-hex")
    known.dead = {4, 7}
    health.keep(tmp_path, known)
    assert health.read_health(tmp_path, "50").dead == {4, 7}
    assert health.read_health(tmp_path, "51").dead == set()


DAYS = st.dates(date(2020, 1, 1), date(2030, 1, 1)).map(date.isoformat)
UT = st.none() | st.integers(-60_000, 60_000)
PAGES = st.builds(
    Health,
    st.from_regex("[0-9a-f]{4}", fullmatch=True),
    st.sampled_from(["hex3", ""]),
    st.dictionaries(st.integers(0, 9), st.lists(st.builds(Look, DAYS, UT, UT, UT)), max_size=3),
    st.dictionaries(
        st.integers(0, 9),
        st.dictionaries(
            st.sampled_from(["stuck", "drift"]), st.tuples(st.integers(1, 99), DAYS), min_size=1
        ),
        max_size=3,
    ),
    st.sets(st.integers(0, 9)),
)


@settings(max_examples=thorough.examples(20))
@given(PAGES)
def test_what_is_known_of_a_board_is_read_as_it_was_kept(known: Health) -> None:
    with TemporaryDirectory() as folder:
        health.keep(Path(folder), known)
        assert health.read_health(Path(folder), known.uid) == known
        assert health.read_all_health(Path(folder)) == [known]


def cells(**figures: list[int]) -> Health:
    """A page with one look a day, of these figures, at cells 0, 1, 2 …"""
    known = Health("e661")
    for figure, values in figures.items():
        for cell, value in enumerate(values):
            known.saw(cell, Look(DAY.isoformat(), **{figure: value}))
    return known


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        ({"strong_ut": [100, 100, 100]}, []),
        ({"strong_ut": [100, 75, 100]}, []),
        ({"strong_ut": [100, 74, 100]}, [("weak", "a2", {"percent": 74})]),
        ({"strong_ut": [200, 100]}, [("weak", "a2", {"percent": 67})]),
        ({"noise_ut": [100, 250, 100]}, []),
        ({"noise_ut": [100, 251, 100]}, [("noisy", "a2", {"noise": 0.25})]),
        ({"zero_ut": [9_000, -9_000]}, []),
    ],
)
def test_a_cell_is_told_by_its_neighbours(figures: dict[str, list[int]], told: object) -> None:
    assert said(cells(**figures)) == told


def said(known: Health, after_days: int = 0) -> list[tuple[str, Any, dict[str, Any]]]:
    found = []
    for one in known.ailing(NAMES, DAY + timedelta(days=after_days)):
        params = dict(one.said)
        found.append((one.id.removeprefix("health."), params.pop("cell"), params))
    return found


@pytest.mark.parametrize(
    ("figure", "before", "now", "told"),
    [
        ("strong_ut", [100, 80], 75, []),
        ("strong_ut", [100, 80], 74, [("weaker", "a3", {"percent": 74})]),
        ("strong_ut", [50], 100, []),
        ("zero_ut", [100], 1_099, []),
        ("zero_ut", [100, 5_000], 1_099, []),
        ("zero_ut", [100], 1_100, [("drifted", "a3", {"drift": 1.0})]),
        ("zero_ut", [100], -1_440, [("drifted", "a3", {"drift": -1.5})]),
        ("noise_ut", [100], 1_000, []),
    ],
)
def test_a_cell_is_told_by_its_past(figure: str, before: list[int], now: int, told: object) -> None:
    known = Health("e661")
    for value in (*before, now):
        known.saw(2, Look(DAY.isoformat(), **{figure: value}))  # type: ignore[arg-type]  # by name
    assert said(known) == told


def test_of_all_boards_that_were_tested_here_those_that_have_a_profile_are_told(
    tmp_path: Path,
) -> None:
    for uid, model in (("a1", "hex3"), ("b2", "of-nobody"), ("c3", HEX5.model)):
        known = Health(uid, model)
        known.count_fault(wire.FAULT_STUCK, 4, date.today().isoformat())
        health.keep(tmp_path, known)
    found = health.ailing_sensors(tmp_path)
    assert [(one.id, one.said["cell"]) for one in found] == [
        ("health.told.stuck", board.grid.name(4)) for board in (HEX3, HEX5)
    ]


def test_the_first_look_and_the_newest_are_kept_and_a_look_at_nothing_is_none() -> None:
    known = Health("e661")
    for zero in range(LOOKS + 20):
        known.saw(2, Look("2026-01-01", zero))
        known.saw(2, Look("2026-01-02"))
    kept = [look.zero_ut for look in known.cells[2]]
    assert kept == [0, *range(21, LOOKS + 20)]


def test_only_faults_of_cells_that_the_board_has_are_counted() -> None:
    known = Health("e661")
    assert not known.count_fault(wire.FAULT_RAIL, 2, DAY.isoformat())
    for cell in (-1, len(NAMES), len(NAMES) - 1, 0):
        assert known.count_fault(wire.FAULT_STUCK, cell, DAY.isoformat())
    assert said(known) == [("told.stuck", name, {"times": 1}) for name in ("a1", "a6")]


NUMBERS = (
    st.floats(-1e5, 1e5).map(lambda one: float(f"{one:.6g}"))
    | st.integers(-(10**9), 10**9).map(float)
    | st.just(nan)
)


@given(
    st.dictionaries(
        st.sampled_from(sorted({*UNITS} - {*CELLS, *STRIPS})), st.tuples(NUMBERS, NUMBERS)
    ),
    st.dictionaries(st.sampled_from([*CELLS, *STRIPS]), st.lists(NUMBERS, max_size=4)),
)
def test_figures_are_read_as_they_were_written(
    single: dict[str, tuple[float, float]], lists: dict[str, list[float]]
) -> None:
    figures = Figures("hex3", "e661", 7)
    for name, (figures.assumed[name], figures.measured[name]) in single.items():
        assert name in UNITS
    figures.measured |= lists
    with TemporaryDirectory() as folder:
        path = Path(folder, "figures.toml")
        path.write_text(figures.text())
        again = health.read_figures(str(path))
    for before, after in (
        (figures.assumed, again.assumed), (figures.measured, again.measured),
    ):  # fmt: skip
        assert after.keys() == before.keys()
        for name, value in before.items():
            assert after[name] == pytest.approx(value, 1e-9, 1e-300, nan_ok=True)
    for name, (_, value) in single.items():
        is_known = not isnan(value)
        assert again.number(name, 5.0) == (value if is_known else 5.0)
    for name in (*CELLS, *STRIPS):
        known = lists.get(name, [nan] * 3)
        told = again.numbers(name, 5.0, 3)
        assert told == tuple(5.0 if isnan(one) else one for one in known)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "figures.toml"),
        ("profile = ", "figures.toml"),
        ("", "figures.toml"),
        ('profile = "hex5"', "hex5.*hex3"),
        ('profile = "hex3"\n[scan_hz]\nmeasured = "fast"', "scan_hz"),
        ('profile = "hex3"\n[scan_hz]\nmeasured = [1]', "scan_hz"),
        ('profile = "hex3"\n[scan_hz]\nmeasured = true', "scan_hz"),
        ('profile = "hex3"\n[gains]\nmeasured = 1', "gains"),
        ('profile = "hex3"\n[gains]\nmeasured = [1, "x"]', "gains"),
        ('profile = "hex3"\n[gains]\nmeasured = [1]', "gains.*19"),
        ('profile = "hex3"\n[supplies]\nmeasured = [1]', "supplies.*2"),
    ],
)
def test_figures_that_are_none_or_another_board_s_are_refused(
    tmp_path: Path, text: str | None, says: str
) -> None:
    path = tmp_path / "figures.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=says):
        health.check(health.read_figures(str(path)), str(path), "hex3", 19, 2)


def test_a_calibrated_cell_has_not_drifted_until_it_drifts_anew() -> None:
    known = Health("e661")
    known.saw(2, Look("2026-01-01", 0, 300, 32_000))
    known.saw(2, Look("2026-01-02", 1_500, 300))
    assert ids(known) == ["health.drifted"]
    known.calibrated(2, Look("2026-01-02", 1_500, 300, 32_000))
    assert ids(known) == []
    known.saw(2, Look("2026-01-03", 3_000, 300, 20_000))
    assert ids(known) == ["health.weaker", "health.drifted"], "strengths of before still count"
