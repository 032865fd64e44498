"""Studies on a Dask cluster, and studies whose process is killed: the same rows, or a sentence."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from killed import killings
from lumiban import games
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.study import workers
from lumiban.study.balance import study
from lumiban.study.experiment import Advance, run_study
from lumiban.study.match import player
from lumiban.study.plan import Plan, load_plan
from lumiban.study.results import Results
from lumiban.study.versions import versions


def dask() -> Any:
    """Not at the top: it takes a second, and every run of the unit tests reads this file."""
    return pytest.importorskip("distributed", reason="dask.distributed is an extra")


FILE = """
title = "Small boards"
game = "control"
seed = 3
chunk = 2
[options]
size = 3
opening = ["perimeter", "free", "12*"]
[first]
level = "random"
[stop]
pairs = 16
least = 8
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with dask().LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as two:
        yield two


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "small.toml").write_text(FILE)
    return load_plan(tmp_path / "small.toml")


def rows(path: Path, plan: Plan, **how: Any) -> list[Any]:
    with closing(Results(path, plan, versions())) as kept:
        run_study(plan, kept, **how)
    return kept_rows(path)


def kept_rows(path: Path) -> list[Any]:
    """All that a results file says, but what it cost."""
    with closing(sqlite3.connect(path)) as db:
        tables = ("SELECT * FROM games", "SELECT condition, chunk FROM chunks")
        return [list(db.execute(asked)) for asked in tables]


@pytest.mark.process
def test_a_cluster_gives_the_same_rows_though_a_worker_is_killed(
    plan: Plan, cluster: Any, tmp_path: Path
) -> None:
    address = cluster.scheduler_address
    whole = rows(tmp_path / "here.sqlite", plan)
    assert rows(tmp_path / "there.sqlite", plan, cluster=address) == whole
    killed = []

    def kill(so_far: Advance) -> None:
        if not killed:
            with dask().Client(address, set_as_default=False) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    assert rows(tmp_path / "killed.sqlite", plan, cluster=address, advance=kill) == whole
    assert killed


def _with_other_rules() -> None:
    from lumiban.study import chunks, match

    chunks.versions = match.versions = lambda: "3.9 ffffffffffff"


def _with_our_rules() -> None:
    from lumiban.study import chunks, match

    chunks.versions = match.versions = versions


@pytest.mark.process
def test_workers_with_other_rules_are_refused(plan: Plan, cluster: Any, tmp_path: Path) -> None:
    address = cluster.scheduler_address
    with dask().Client(address, set_as_default=False) as client:
        client.run(_with_other_rules)
        try:
            with pytest.raises(UsageError, match=r"worker has other rules .*3\.9 ffffffffffff"):
                rows(tmp_path / "kept.sqlite", plan, cluster=address)
            with pytest.raises(UsageError, match="worker has other rules"):
                study(games.load("control"), "control", player("random"), 2, cluster=address)
        finally:
            client.run(_with_our_rules)
    assert kept_rows(tmp_path / "kept.sqlite") == [[], []]


@pytest.mark.slow
def test_a_cluster_that_cannot_play_is_told(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for count, why in ((1, "has 2 threads"), (0, "has no worker")):
        with (
            dask().LocalCluster(
                n_workers=count, threads_per_worker=2, processes=False, dashboard_address=":0"
            ) as poor,
            pytest.raises(UsageError, match=why),
        ):
            rows(tmp_path / "kept.sqlite", plan, cluster=poor.scheduler_address)
    monkeypatch.setattr(workers, "PATIENCE_S", 0.3)
    for address in ("tcp://127.0.0.1:9", "nowhere at all"):
        words = ["study", str(tmp_path / "small.toml"), "--cluster", address]
        assert run(words) == 2
        assert "no Dask scheduler answers" in capsys.readouterr().err


@pytest.mark.process
def test_a_study_killed_between_chunks_and_within_them_ends_as_if_it_never_was(
    plan: Plan, tmp_path: Path
) -> None:
    whole = rows(tmp_path / "whole.sqlite", plan)
    results = tmp_path / "killed.sqlite"
    words = ["study", tmp_path / "small.toml", "--results", results]
    kept = {len(kept_rows(results)[1]) for at in killings(tmp_path, *words, every=25) if at > 1}
    assert len(kept) > 1
    assert kept_rows(results) == whole
