"""A game from a file at the table: in virtual time, over a real serial line, and after a change."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from command_line import view_after
from lumiban import games, i18n
from lumiban.boards import profile as profiles
from lumiban.errors import GameError
from lumiban.games.registry import RuleFault
from lumiban.runtime import play
from lumiban.runtime.page_hello import page_hello
from lumiban.runtime.table_host import TableHost
from lumiban.search.worker import SearchProcess
from lumiban.search.worker_messages import Answer
from lumiban.table import record
from lumiban.table.requests import RulesRequest
from lumiban.table.resume import resume
from msgspec.structs import replace
from near_table import Near
from near_table import near as near
from own_games import CUSTODIANS, SNORT, Written, clean, written
from virtual_table import VirtualTable
from worker_bench import wait

__all__ = ["clean", "written"]

BOTS = ("bot:easy", "bot:easy")
WHITE_STONE, BLACK_STONE = 1, 2

EVERY_GAME: list[tuple[str, dict[str, int | str], str]] = [
    ("control", {"size": 3}, "hex3"),
    ("evening", {"size": 3, "turns": "trailing"}, "hex3"),
    ("trivia", {"size": 3}, "grid9x9"),
    (SNORT, {"size": 3}, "hex3"),
]


def over(table: VirtualTable) -> bool:
    return bool(table.finished)


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("game", "options", "profile"), EVERY_GAME, ids=[Path(case[0]).stem for case in EVERY_GAME]
)
def test_every_game_writes_a_record_that_replays(
    game: str, options: dict[str, int | str], profile: str, tmp_path: Path
) -> None:
    table = VirtualTable(profile, game, BOTS, options, seed=2, playouts=4)
    table.run(over)
    (finished,) = table.finished
    written_down = json.loads(json.dumps(finished.record))
    assert record.verify(written_down, games.load) == finished.outcome
    played, positions = record.replay(written_down, games.load)
    history = table.session.match.history
    assert (played, positions[-1]) == (history.game, history.position)
    journal = tmp_path / "table.journal"
    journal.write_bytes(bytes(table.journals[0]))
    assert resume(journal, mends=False).history.moves == history.moves


@pytest.mark.slow
def test_a_slide_with_a_capture_is_read_from_three_cells() -> None:
    table = VirtualTable("grid9x9", CUSTODIANS, ("human", "human"), {"size": 4})
    for name, kind in (("a1", 1), ("b1", 1), ("c1", 1), ("d1", 1)):
        table.place(name, kind)
    for name in ("a4", "b4", "c4", "d4"):
        table.place(name, BLACK_STONE)
    for start, end, kind in (("a1", "a2", 1), ("b4", "b2", 2), ("d1", "d3", 1), ("a4", "a3", 2)):
        table.lift(start)
        table.place(end, kind)
    table.lift("c1")
    table.place("c2", WHITE_STONE)
    assert len(table.view["moves"]) == 4, "the captured stone lies there still"
    table.lift("b2")
    assert [move["text"] for move in table.view["moves"]][-1] == "c1-c2"


@pytest.mark.slow
def test_the_page_offers_the_options_of_the_game_that_is_played() -> None:
    hello = page_hello(profiles.load("hex3"), simulated=True, own=SNORT)
    (mine,) = (game for game in hello["games"] if game["slug"] == SNORT)
    assert [option["name"] for option in mine["options"]] == ["size"]
    others = page_hello(profiles.load("hex3"), simulated=True)["games"]
    assert SNORT not in [game["slug"] for game in others]


PLAIN = "class Mine(SimpleGame):\n    sizes = (3, 2)\n"


@pytest.mark.slow
def test_a_record_of_a_changed_game_replays_while_it_fits_and_says_why_when_not(
    written: Written,
) -> None:
    path = written(PLAIN)
    table = VirtualTable("hex3", path, BOTS, {"size": 2}, playouts=2)
    table.run(over)
    document = json.loads(json.dumps(table.finished[0].record))
    written(PLAIN + "    longest = 99\n")
    assert record.verify(document, games.load)
    written(PLAIN + "    def may_place(self, board, side, cell):\n        return False\n")
    with pytest.raises(GameError, match=r"cannot be played \(its rules have changed since\)"):
        record.replay(document, games.load)


# The bot's process.


def answer(worker: SearchProcess, game: games.Game, position: games.Position) -> Answer:
    worker.ask(1, game.slug, dict(game.options), position, "easy", 3, game.digest)
    return wait(worker)[0]


@pytest.mark.process
def test_a_bot_thinks_on_a_game_from_a_file_and_not_on_a_changed_one(written: Written) -> None:
    path = written(PLAIN)
    game = games.load(path, size=2)
    worker = SearchProcess()
    try:
        assert answer(worker, game, game.start()).text in game.grid.names
        written(PLAIN + "    longest = 5\n")
        again = answer(worker, game, game.start())
        assert again.text, "the process knows the rules as they were"
        fresh = games.load(path, size=2)
        assert fresh.digest != game.digest
        assert answer(worker, fresh, fresh.start()).text in fresh.grid.names
        worker.ask(1, path, {"size": 2}, game.start(), "easy", 3, "0" * 20)
    finally:
        worker.close()
    late = SearchProcess()
    try:
        failed = answer(late, game, game.start())
        assert failed.failed
        assert "has changed since this game began" in failed.reason
    finally:
        late.close()


@pytest.mark.process
def test_a_rule_that_fails_under_a_bot_is_answered_with_its_line(written: Written) -> None:
    rule = "    def may_place(self, board, side, cell):\n"
    rule += "        return board.played < 3 or 1 // 0\n"
    game = games.load(written(PLAIN + rule), size=2)
    worker = SearchProcess()
    try:
        failed = answer(worker, game, game.start())
        assert "line 7, in may_place: ZeroDivisionError" in failed.reason
        assert "White" in failed.reason
    finally:
        worker.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ("board.count(0), 2 * board.count(1)", "Black wins. More points win. 6 to 4.\n"),
        ("(1, 1)", "A draw.\n"),
    ],
)
def test_the_terminal_tells_who_won_and_a_rule_that_fails_then_ends_nothing(
    counts: str,
    told: str,
    written: Written,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = "    def points(self, board):\n        return " + counts + "\n"
    rule += "    def stuck(self, board):\n        return self.by_points(board)\n"
    table = VirtualTable("hex3", written(PLAIN + rule), BOTS, {"size": 2}, playouts=2)
    table.run(over)
    shell = cast(TableHost, SimpleNamespace(session=table.session))
    play._tell_end(shell, table.finished[0])
    assert capsys.readouterr().out.startswith(told)

    def fails(self: games.Game, position: games.Position) -> None:
        raise RuleFault("mine.py, line 7, in points: KeyError")

    monkeypatch.setattr(type(table.session.game), "final_counts", fails)
    play._tell_end(shell, replace(table.finished[0], outcome=games.Outcome(1, "simple.points")))
    assert capsys.readouterr().out == ""


# `lumiban play FILE`, as a user meets it.


def of_user(home: Path) -> dict[str, str]:
    return {"LUMIBAN_HOME": str(home), "LUMIBAN_LANG": "en", "PYTHONUNBUFFERED": "1"}


@contextmanager
def playing(home: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban", "play", *words, "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **of_user(home)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process: subprocess.Popen[str], last: str) -> list[str]:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if last in line:
            return lines
    assert process.stderr is not None
    raise AssertionError(f"it never said {last!r}: {lines} {process.stderr.read()}")


@pytest.mark.process
def test_snort_is_played_from_its_file_over_a_real_serial_line(tmp_path: Path) -> None:
    words = (SNORT, "-o", "size=3", "--profile", "hex3", "--first", "bot:easy")
    with playing(tmp_path, *words, "--second", "bot:easy") as process:
        said = lines_until(process, "Ctrl-C")
        url = next(line.removeprefix("page: ") for line in said if line.startswith("page: "))
        view = view_after(url, 2)
        assert view["game"]["slug"] == SNORT
        assert {move["side"] for move in view["moves"][:2]} == {0, 1}
        games.load(SNORT)
        for language, name, refusal in (
            ("en", "Snort", "An enemy stone stands next to this cell."),
            ("ja", "スノート", "このマスの隣に敵の石があります。"),
        ):
            with urllib.request.urlopen(f"{url}api/texts?lang={language}") as reply:
                known = json.load(reply)
            assert known.get(f"game.{SNORT}.name") == name
            assert known.get(f"refusal.{SNORT}.enemy-near") == refusal
            own = {id for id in i18n.added()[language] if SNORT in id}
            assert own <= known.keys()
        process.send_signal(signal.SIGTERM)
        assert process.communicate()[1] == ""
        assert process.returncode == 0
    (journal,) = (tmp_path / "journals").glob("*-snort.journal")
    assert resume(journal, mends=False).history.moves


async def test_a_changed_file_begins_a_new_game_and_the_old_one_is_named(
    written: Written, near: Near
) -> None:
    wish = {"game": written(PLAIN), "options": {"size": 2}}
    async with near.table(**wish):
        await near.put("a1")
    async with near.table(**wish) as again:
        assert near.moves == ["a1"]
        assert again.passed_over is None
    (journal,) = (near.state / "journals").iterdir()
    written(PLAIN + "    longest = 20\n")
    async with near.table(**wish) as new:
        assert near.moves == []
        assert new.passed_over == journal
    assert f'"path": "{journal}"' in (near.state / "host.log").read_text()


async def test_a_save_between_reading_and_following_is_asked_about_once(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "LOOK_S", 0)
    asked: list[object] = []

    class Shell:
        session = SimpleNamespace(own=written(PLAIN), rules=None)

        async def command(self, request: object, role: str) -> None:
            asked.append(request)

    following = asyncio.ensure_future(play._follow_rules(cast(TableHost, Shell())))
    for _ in range(9):
        await asyncio.sleep(0)
    following.cancel()
    assert asked == [RulesRequest()]


@pytest.mark.process
def test_a_save_while_the_table_is_open_is_told_in_the_terminal(
    written: Written, tmp_path: Path
) -> None:
    path = written(PLAIN + "    def points(self, board):\n        return board.x\n")
    words = (path, "-o", "size=2", "--profile", "hex3", "--first", "human", "--second", "human")
    with playing(tmp_path, *words) as process:
        lines_until(process, "Ctrl-C")
        assert "line 7, in points: Attr" in lines_until(process, "have failed")[-1]
        written(PLAIN + "    longest = 21\n")
        assert "the position stays" in lines_until(process, "mine.py was saved")[-1]
        written(PLAIN + "    longest = [\n")
        assert "line 6: '[' was never closed" in lines_until(process, "saved file")[-1]
        written(PLAIN + "    longest = 20\n")
        assert "the position stays" in lines_until(process, "mine.py was saved")[-1]
        process.send_signal(signal.SIGTERM)
        process.communicate()
