"""Studies: matches and balance of a game, their figures, and that they go on where they ended."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.search import levels
from lumiban.search.engine import Engine
from lumiban.study import match
from lumiban.study.balance import study
from lumiban.study.match import Player, elo, play_match, player, wilson
from lumiban.study.workers import workers
from lumiban.system.worker_pool import mapping, pool

CONTROL = games.load("control", size=3)
ANYBODY = Player("random")


@given(st.integers(1, 500), st.data())
def test_wilson_holds_the_share_and_stays_a_share(count: int, data: st.DataObject) -> None:
    points = data.draw(st.integers(0, count))
    low, high = wilson(points, count)
    assert 0 <= low <= points / count <= high <= 1


def test_wilson_as_in_the_literature() -> None:
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29 (method 3).
    for points, count, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = wilson(points, count)
        assert (round(found[0], 4), round(found[1], 4)) == (low, high)


def test_elo_is_odd_about_one_half_and_without_end_at_the_ends() -> None:
    assert elo(0.5) == 0
    assert elo(0.9) == pytest.approx(-(elo(0.1) or 0))
    assert elo(1.0) is None


def test_a_study_broken_off_goes_on_where_it_ended(tmp_path: Path) -> None:
    keep = tmp_path / "games.jsonl"
    first = study(CONTROL, "control", ANYBODY, 5, seed=4, keep=keep)
    cut = keep.read_text("utf-8")[:-9]  # the last line did not get to the disk
    keep.write_text(cut, "utf-8")
    told: list[int] = []
    again = study(CONTROL, "control", ANYBODY, 8, seed=4, keep=keep, progress=told.append)
    assert again[:5] == first
    assert told == [5, 6, 7, 8]
    assert len(keep.read_text("utf-8").splitlines()) == 9
    assert study(CONTROL, "control", ANYBODY, 8, seed=4, keep=keep) == again


def test_another_study_does_not_mix_into_the_file(tmp_path: Path) -> None:
    keep = tmp_path / "games.jsonl"
    study(CONTROL, "control", ANYBODY, 1, seed=4, keep=keep)
    before = keep.read_bytes()
    with pytest.raises(UsageError, match="another study"):
        study(CONTROL, "control", ANYBODY, 1, seed=5, keep=keep)
    assert keep.read_bytes() == before


@pytest.mark.jit
def test_a_match_of_others_or_of_a_level_that_has_changed_does_not_mix_into_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = tmp_path / "match.jsonl"
    easy = player("easy", playouts=8)
    play_match(CONTROL, "control", easy, ANYBODY, 1, seed=4, keep=keep)
    with pytest.raises(UsageError, match="another study"):
        play_match(CONTROL, "control", ANYBODY, easy, 1, seed=4, keep=keep)
    changed = {**levels.LEVELS, "easy": replace(levels.LEVELS["easy"], playouts=301)}
    monkeypatch.setattr(Engine, "levels", changed)
    with pytest.raises(UsageError, match="another study"):
        play_match(CONTROL, "control", easy, ANYBODY, 1, seed=4, keep=keep)


WAITS = """
import sys, time
from lumiban.system.worker_pool import mapping
from lumiban.study.match import play_all, tasks_for

def by_pool():
    with mapping(2) as run:
        assert list(run(abs, [-1, -2])) == [1, 2]
        print("at work", flush=True)
        list(run(time.sleep, [600, 600]))

def by_games():
    from lumiban import games
    from lumiban.study.match import player
    game, strong = games.load("control", size=3), player("strong", playouts=10**9)
    pairs = [(player("random"),) * 2, (strong,) * 2, (strong,) * 2]
    for _ in play_all(tasks_for(game, "control", pairs, range(3), 1), 2):
        print("at work", flush=True)

if __name__ == "__main__":
    {"pool": by_pool, "games": by_games}[sys.argv[1]]()
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to end a process by")
@pytest.mark.parametrize("by", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("many", ["pool", "games"])
def test_processes_that_work_for_another_end_with_it_and_leak_nothing_when_it_is_terminated(
    many: str, by: str, tmp_path: Path
) -> None:
    number = int(getattr(signal, by))
    script = tmp_path / "waits.py"
    script.write_text(WAITS, "utf-8")
    environment = {**os.environ, "LUMIBAN_PLAIN": "1"}
    with subprocess.Popen(
        [sys.executable, script, many],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as owner:
        assert owner.stdout.readline() == b"at work\n"
        owner.send_signal(number)
        # Its workers have its stdout too: that is at its end when all of them are gone.
        assert owner.communicate() == (b"", b""), "resource_tracker tells of what is leaked"
    assert owner.returncode == 128 + number


def test_the_commands_tell_figures_and_refuse_what_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    common = ["control", "-o", "size=3", "--games", "4", "--jobs", "1", "--json"]
    assert run(["study", "balance", *common]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 4
    assert run(["study", "match", *common, "--a", "random", "--b", "random"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["wins"] + found["draws"] + found["losses"] == 4
    assert found["a"] == {"name": "random", "level": None, "search": "random"}
    full = {"name": "strong", "level": 5}
    assert player("5").as_json(CONTROL) == {**full, "search": "grave"}
    assert player("strong:uct").as_json(CONTROL) == {**full, "search": "uct"}
    assert player("hard").called(games.load("doves")) == "hard, alpha-beta"
    assert run(["study", "match", *common, "--a", "1", "--b", "2", "--per-move", "soon"]) == 2
    assert "100ms" in capsys.readouterr().err


@pytest.mark.process
def test_two_processes_play_the_same_games_as_one_though_one_is_killed() -> None:
    alone = study(CONTROL, "control", ANYBODY, 12, seed=9)
    killed = []

    def kill(done: int) -> None:
        if not killed:
            killed.append(active_children()[0])
            killed[0].kill()

    assert study(CONTROL, "control", ANYBODY, 12, seed=9, jobs=2, progress=kill) == alone
    assert killed


@pytest.mark.process
def test_games_that_kill_every_process_end_a_study_with_a_sentence() -> None:
    with workers(os._exit, 2, None) as some:
        some.give(1)
        with pytest.raises(UsageError, match="died 6 times over the same games"):
            some.answer()


@pytest.mark.process
def test_a_process_that_was_stopped_does_not_keep_the_study_from_ending() -> None:
    with pool(1) as some:
        assert some.submit(abs, -1).result() == 1
        (stopped,) = active_children()
        os.kill(stopped.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED | os.WNOWAIT)
    assert not stopped.is_alive()


@pytest.mark.process
def test_what_a_task_raises_in_its_process_is_raised_here_with_its_traceback() -> None:
    with mapping(2) as run:
        with pytest.raises(ZeroDivisionError) as caught:
            list(run(divmod, [1], [0]))
        assert "Traceback" in caught.value.__notes__[0]
        with pytest.raises(TypeError, match="pickle"):
            list(run(memoryview, [b"an answer that cannot travel"]))


def test_games_of_a_worker_with_other_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "versions", lambda: "3.9 ffffffffffff")
    with pytest.raises(UsageError, match="worker has other rules"):
        study(CONTROL, "control", ANYBODY, 1)


@pytest.mark.jit
@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_the_commands_print_are_sentences_without_ids_and_paths(
    language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", language)
    common = ["--games", "4", "--jobs", "1"]
    assert run(["study", "balance", "control", "-o", "size=3", *common]) == 0
    told = capsys.readouterr().out
    assert run(["study", "match", "trivia", "-o", "size=3", *common, "--a=random", "--b=1"]) == 0
    told += capsys.readouterr().out
    words = set(re.findall(r"[a-z][a-z.-]+", told)) if language == "ja" else set(told.split())
    assert not words & {"no-move", "full-board", "random", "gentle", "white", "black", "control"}
    assert ("Control" in told) == (language == "en")
