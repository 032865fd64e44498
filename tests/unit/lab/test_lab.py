"""The bench: rows that name what they measure, threads beside as many processes."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
import tomllib

import pytest
from lumiban import games
from lumiban.cli import run
from lumiban.errors import CheckFailed
from lumiban.i18n import text
from lumiban.search import jit
from lumiban_lab import doves, speed
from lumiban_lab.kept_figures import check
from lumiban_lab.search import PLAYED, TIMED_GAMES, Wait, beside_kept, row_text, sizes
from lumiban_lab.speed import Row
from lumiban_lab.threads import thread_rows
from places import ROOT


@pytest.mark.process
def test_threads_are_held_against_one_and_against_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUMIBAN_PLAIN", "1")
    found = thread_rows(games.load("control", size=3), 2, 0.001)
    whats = ["2 threads", "2 processes", "2 threads against processes", "2 threads by CPU time"]
    assert [row.what for row in found] == whats
    threads, processes, against, _ = found
    assert threads.plain_rate == processes.plain_rate > 0
    assert (against.rate, against.plain_rate) == (threads.rate, processes.rate)
    assert all(row.rate > 0 for row in found)


def test_doves_are_counted_with_and_without_their_bans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_PLAIN", "1")
    rows = {row.what: row for row in doves.doves_rows(0.001)}
    assert list(rows) == list(doves.works())
    assert {"perft, strong rule on repetition", "perft, no rule on repetition"} <= rows.keys()
    assert all(row.rate == row.plain_rate > 0 for row in rows.values())


def test_rows_tell_what_was_measured_in_json_and_for_people() -> None:
    row = Row("control", {"size": 5}, "uct", "iterations", 400_000.0, 4_000.0)
    told = json.loads(json.dumps(row.as_json()))
    assert (told["game"], told["what"], told["ratio"]) == ("control", "uct", 100.0)
    assert row_text(row).split() == ["control", "5:", "uct", "400,000", "iterations/s", "(100.0×)"]
    wait = Wait("doves", "stop", "ms", 12.3, 50, 1.5)
    assert json.loads(json.dumps(wait.as_json()))["bound"] == 50
    assert "12.3 ms (below 50)" in row_text(wait)


def test_a_rate_that_has_fallen_by_a_sixth_breaks_its_bound_whatever_the_machine() -> None:
    kept = beside_kept(Row("control", {"size": 5}, "playouts", "games", 1.0, 1.0, 1.0)).was
    assert kept is not None
    for times, is_over, is_better in ((0.8, False, True), (1.1, False, False), (1.2, True, False)):
        row = Row("control", {"size": 5}, "playouts", "games", 1e6, 1.0, kept * times)
        found = beside_kept(row)
        assert (found.ratio, found.is_over, found.is_better) == (times, is_over, is_better)
    plain = Row("control", {"size": 5}, "playouts", "games", 1e6, 1.0, kept, compiled=False)
    assert beside_kept(plain).was is None


def test_a_slower_machine_takes_as_many_rounds_of_the_calibration_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spent_s = 0.0

    def work(units: int) -> int:
        nonlocal spent_s
        spent_s += pace * units * 1e-6
        return units

    monkeypatch.setattr(time, "process_time", lambda: spent_s)
    monkeypatch.setattr(speed, "calibration", lambda loops: pace * loops * 1e-7)
    for pace in (1.0, 3.0):
        assert speed.rate(work, 0.1) == (round(1e6 / pace, 1), 10.0)


@pytest.mark.jit
@pytest.mark.skipif(not jit.available(), reason="numba is not installed")
def test_a_tree_whose_nodes_have_grown_breaks_its_bound() -> None:
    wider = Wait("control", "bytes a node, grave", "B", 64, 33, 0.0)
    assert [beside_kept(one).is_over for one in sizes(games.load("control"))] == [False] * 3
    assert beside_kept(wider).is_over
    with pytest.raises(CheckFailed, match="bytes a node, grave is 64"):
        check([beside_kept(wider)])


def test_all_games_are_among_those_measured() -> None:
    asked = {slug for slug, _ in TIMED_GAMES}
    assert asked == {"control", "trivia", "evening", "doves", "rengi"}
    assert {slug for slug, _ in PLAYED} <= asked


def test_an_installed_lumiban_says_that_bench_needs_a_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever words follow; the package of the benches is no part of the wheel."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "lumiban.cli.lab", raising=False)
    for words in ([], ["soak", "--hours", "3"], ["latency", "--json"]):
        assert run(["bench", *words]) == 2
        assert capsys.readouterr().err == f"lumiban: {text('cli.bench.needs-checkout', 'en')}\n"
    monkeypatch.delitem(sys.modules, "lumiban.cli.lab")
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert not [name for name in built["targets"]["wheel"]["packages"] if "bench" in name]
