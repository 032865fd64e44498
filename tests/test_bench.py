"""The bench: rows that name what they measure, threads beside as many processes."""

from __future__ import annotations

import json

import pytest
from lumiban import games
from lumiban.cli.bench_search import PLAYED, TIMED_GAMES, line
from lumiban.search import bench_threads, doves_bench
from lumiban.search.bench import Row
from lumiban.search.bench_waits import Wait


def test_threads_are_held_against_one_and_against_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUMIBAN_NO_NUMBA", "1")
    found = bench_threads.rows(games.load("control", size=3), 2, 0.001)
    whats = ["2 threads", "2 processes", "2 threads against processes", "2 threads by CPU time"]
    assert [row.what for row in found] == whats
    threads, processes, against, _ = found
    assert threads.plain_rate == processes.plain_rate > 0
    assert (against.rate, against.plain_rate) == (threads.rate, processes.rate)
    assert all(row.rate > 0 for row in found)


def test_doves_are_counted_with_and_without_their_bans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_NO_NUMBA", "1")
    rows = {row.what: row for row in doves_bench.rows(0.001)}
    assert list(rows) == list(doves_bench.works())
    assert {"perft, strong rule on repetition", "perft, no rule on repetition"} <= rows.keys()
    assert all(row.rate == row.plain_rate > 0 for row in rows.values())


def test_rows_tell_what_was_measured_in_json_and_for_people() -> None:
    row = Row("control", {"size": 5}, "uct", "iterations", 400_000.0, 4_000.0)
    told = json.loads(json.dumps(row.as_json()))
    assert (told["game"], told["what"], told["ratio"]) == ("control", "uct", 100.0)
    assert line(row).split() == ["control", "5:", "uct", "400,000", "iterations/s", "(100.0×)"]
    wait = Wait("doves", "stop", "ms", 12.3, 50, 1.5)
    assert json.loads(json.dumps(wait.as_json()))["bound"] == 50
    assert "12.3 ms (below 50)" in line(wait)


def test_all_games_are_among_those_measured() -> None:
    asked = {slug for slug, _ in TIMED_GAMES}
    assert asked == {"control", "trivia", "evening", "doves", "rengi"}
    assert {slug for slug, _ in PLAYED} <= asked
