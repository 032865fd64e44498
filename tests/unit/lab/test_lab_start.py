"""The benches of start and page: what is counted, and how a regression shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.errors import CheckFailed
from lumiban_lab.kept_figures import PLACE, check, compared, text_of
from lumiban_lab.process_tree import Taken, are_ready, by_role, descendants, shares, taken

KEPT = """
[start]
"warm_cpu_s.sum" = { was = 1.0, bound = 2.0 }
"modules" = { was = 400 }
"""


def test_a_regression_shows_as_a_ratio_and_what_is_over_its_bound_fails(tmp_path: Path) -> None:
    place = tmp_path / "figures.toml"
    place.write_text(KEPT, "utf-8")
    found = compared("start", {"warm_cpu_s": {"sum": 1.5}, "modules": 800, "new": 3}, place)
    assert [one.ratio for one in found] == [1.5, 2.0, None]
    check(found)
    found = compared("start", {"warm_cpu_s": {"sum": 2.5}}, place)
    assert "OVER" in text_of(found)
    with pytest.raises(CheckFailed, match=r"warm_cpu_s.sum is 2.5, at most 2.0"):
        check(found)


def test_every_kept_figure_holds_its_own_bound() -> None:
    for bench in ("start", "page", "search"):
        import tomllib

        kept = tomllib.loads(PLACE.read_text("utf-8"))[bench]
        check(compared(bench, {name: one["was"] for name, one in kept.items()}))
        assert any("bound" in one for one in kept.values())


def process(proc: Path, pid: int, parent: int, words: str, ticks: int, pss_kb: int) -> None:
    place = proc / str(pid)
    place.mkdir()
    fields = ["S", str(parent), *["0"] * 9, str(ticks), "0", *["0"] * 5]
    (place / "stat").write_text(f"{pid} (a ) name) {' '.join(fields)}", "utf-8")
    (place / "cmdline").write_bytes(words.replace(" ", "\0").encode())
    (place / "smaps_rollup").write_text(f"Rss: 9 kB\nPss:  {pss_kb} kB\nPss_Anon: 1 kB\n", "utf-8")


def test_a_table_s_processes_are_told_apart_and_others_are_left_out(tmp_path: Path) -> None:
    process(tmp_path, 10, 1, "python -m lumiban play control", 100, 30_000)
    process(tmp_path, 11, 10, "python -m lumiban_sim --profile hex5", 50, 20_000)
    process(tmp_path, 12, 10, "python -m lumiban.web.page_process 5 6", 20, 22_000)
    process(tmp_path, 13, 10, "python -m lumiban.search.process_start", 10, 15_000)
    process(tmp_path, 14, 13, "python -m lumiban.search.build_kernels", 10, 80_000)
    process(tmp_path, 99, 1, "python -m lumiban play rengi", 900, 900_000)
    (tmp_path / "15").mkdir()  # it has just ended
    assert descendants(10, tmp_path) == [10, 11, 12, 13, 14]
    assert not are_ready(10, tmp_path)
    stat = tmp_path / "14" / "stat"
    stat.write_text(stat.read_text("utf-8").replace(") S ", ") R "), "utf-8")
    assert are_ready(10, tmp_path), "a compiler that waits for a core has something to do"
    memory = by_role(taken(10, tmp_path), "pss_mb")
    assert memory == {
        "host": 30.0, "simulator": 20.0, "page": 22.0, "thinker": 15.0, "compiler": 80.0,
        "sum": 167.0,
    }  # fmt: skip


def test_shares_are_of_the_time_between_two_looks() -> None:
    before = [Taken(1, "host", 5.0, 0.0), Taken(2, "page", 1.0, 0.0)]
    after = [Taken(1, "host", 5.5, 0.0), Taken(2, "page", 1.0, 0.0), Taken(3, "thinker", 1.0, 0.0)]
    assert shares(before, after, 10.0) == {"host": 5.0, "page": 0.0, "thinker": 10.0, "sum": 15.0}
