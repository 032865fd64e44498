"""Clocks at a table: when they run and stand, how a game ends by them, and what is kept of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from journals import lines
from lumiban import games
from lumiban.boards.types import BoardTime, Changed, Connected, Hello, Lost, Snapshot
from lumiban.errors import GameError
from lumiban.table import record
from lumiban.table.clocks import control_of
from lumiban.table.journal import SUFFIX
from lumiban.table.resume import resume
from lumiban.table.session import Session
from lumiban.table.types import (
    AskBot,
    Finished,
    Publish,
)
from session_bench import Bench, only, view
from thorough import some

SECOND = 1_000_000


class TimedBench(Bench):
    """A table with a clock, and the board's word as time goes by."""

    def __init__(self, clock: str, *seats: str, **more: Any) -> None:
        super().__init__(*seats, control=control_of(clock), **more)

    def think(self, us: int) -> list[Any]:
        """Time goes by; the board tells twice a second that nothing has happened."""
        end, out = self.now_us + us, []
        while self.now_us < end:
            self.now_us = min(end, self.now_us + SECOND // 2)
            out += self.step(BoardTime(self.now_us, self.now_us, False))
        return out

    def put_at(self, name: str, kind: int, seen_us: int) -> list[Any]:
        """A stone that the board saw at this time is told now."""
        now, self.now_us = self.now_us, seen_us - 50_000
        event = self.event(name, kind)
        self.now_us = now
        return self.step(Changed((event,)), BoardTime(now, now, False))

    def left(self, side: int) -> int:
        """What a side's clock shows of its stage now, ms."""
        clock = self.session.history.clock
        assert clock is not None
        running = self.session.history.clock_side == side
        return clock.reading(side, running, self.now_us // 1000).left_ms

    @property
    def runs(self) -> bool:
        clock = self.session.history.clock
        assert clock is not None
        return clock.is_running


def met(clock: str, *seats: str, **more: Any) -> TimedBench:
    """White has played a1, which costs nothing; the other side's time runs."""
    bench = TimedBench(clock, *seats, **more)
    bench.connect()
    bench.think(60 * SECOND)
    assert not bench.runs, "nothing runs before the first move"
    bench.put("a1", 1)
    return bench


def test_a_turn_takes_the_time_between_what_the_board_saw_however_late_it_is_told() -> None:
    bench = met("sudden:10m")
    began = bench.now_us
    bench.now_us += 9 * SECOND  # a host that is busy
    bench.put_at("c3", 2, began + 2 * SECOND)
    assert bench.left(1) == 598_000
    assert bench.left(0) == 593_000, "and the next turn runs since then"


def test_two_moves_told_at_once_take_what_each_took() -> None:
    bench = met("sudden:10m")
    began = bench.now_us
    bench.now_us = began + 3 * SECOND - 50_000
    first = bench.event("c3", 2)
    bench.now_us = began + 4 * SECOND - 50_000
    second = bench.event("e3", 1)
    bench.now_us = began + 9 * SECOND
    bench.step(Changed((first, second)))
    assert (bench.left(1), bench.left(0)) == (592_000, 599_000)
    assert [played.spent_ms for played in bench.match.history.played] == [0, 3_000, 1_000]


def test_time_is_up_only_once_the_board_has_told_all_that_came_before() -> None:
    bench = met("sudden:10s")
    began = bench.now_us
    bench.now_us = began + 12 * SECOND
    bench.step(BoardTime(bench.now_us, began + 9 * SECOND, False))
    assert bench.session.outcome is None
    assert bench.session.next_deadline() != bench.now_us, "it waits for the board, not for time"
    bench.put_at("c3", 2, began + 9_999_000)
    assert bench.moves == ["a1", "c3"]
    assert bench.left(1) == 1
    assert bench.session.outcome is None


def test_a_stone_that_came_too_late_is_no_move() -> None:
    bench = met("sudden:10s")
    began = bench.now_us
    bench.now_us = began + 12 * SECOND
    out = bench.put_at("c3", 2, began + 10 * SECOND)
    assert bench.moves == ["a1"]
    (end,) = only(Finished, out)
    assert (end.outcome.winner, end.outcome.reason) == (0, "time")


def test_a_record_whose_times_do_not_fit_is_refused() -> None:
    bench = met("sudden:10s")
    bench.think(4 * SECOND)
    bench.put("c3", 2)
    (end,) = only(Finished, bench.think(10 * SECOND))
    assert record.verify(end.record).winner == 1
    early = {**end.record, "flag": {"clock": 0, "spent_ms": 9_999}}
    with pytest.raises(GameError, match="not used up"):
        record.verify(early)
    late = [dict(move) for move in end.record["moves"]]
    late[1]["spent_ms"] = 10_000
    with pytest.raises(GameError, match="move 2 of the record came after its time was up"):
        record.verify({**end.record, "moves": late})
    with pytest.raises(GameError, match="damaged"):
        record.verify({**end.record, "clock": "nonsense"})
    with pytest.raises(GameError, match="do not end the game"):
        record.verify({key: one for key, one in end.record.items() if key != "flag"})


# When it stands.


def stands_for(bench: TimedBench, us: int = 20 * SECOND) -> None:
    """Nobody's time is counted as long as this lasts."""
    before = bench.left(0), bench.left(1)
    assert not bench.runs
    bench.think(us)
    assert (bench.left(0), bench.left(1)) == before


def test_it_stands_while_pieces_are_to_be_put_right_and_runs_on_after() -> None:
    bench = met("sudden:10m")
    bench.put("c3", 2)
    bench.put("e3", 1)
    began = bench.now_us
    bench.put("a1", 0)
    bench.put("c3", 0)  # two stones are gone that nobody may take
    assert view(bench)["verdict"]["kind"] == "repair"
    shown = bench.left(1)
    stands_for(bench)
    bench.put("c3", 2)
    bench.put("a1", 1)
    assert bench.runs
    assert bench.left(1) > shown - (bench.now_us - began) // 1000 + 19_000


def test_a_move_that_a_rule_refuses_is_made_good_on_ones_own_time() -> None:
    bench = met("sudden:10m")
    bench.put("b1", 2)
    if view(bench)["verdict"]["kind"] != "refuse":
        bench.put("a2", 1)
    assert view(bench)["verdict"]["kind"] == "refuse"
    assert bench.runs


def test_it_stands_from_the_last_word_of_a_board_that_is_lost() -> None:
    bench = met("sudden:10m")
    bench.think(5 * SECOND)
    bench.now_us += 1_500_000
    bench.step(Lost("silent"))
    assert bench.left(1) == 595_000
    bench.now_us += 100 * SECOND
    bench.step()
    cells = len(bench.profile.cells)
    hello = Hello("test", 1, cells, cells, 1, "uid", 5, bench.now_us, 1000, 0, 0)
    kinds = list(bench.session.board.kinds or ())
    snapshot = Snapshot(tuple(kinds), bench.next_event, bench.now_us, False, False)
    bench.step(Connected(hello), snapshot)
    assert bench.runs
    bench.think(SECOND)
    assert bench.left(1) == 594_000


def test_after_a_loss_it_stands_until_board_and_game_agree() -> None:
    bench = met("sudden:10m")
    bench.step(Lost("closed"))
    bench.next_event = 0
    bench.connect(boot=6)  # without power its stones were taken away
    assert view(bench)["verdict"]["kind"] == "repair"
    stands_for(bench)
    bench.put("a1", 1)
    assert bench.runs


def test_thinking_time_is_not_won_by_taking_ones_stone_up_again() -> None:
    bench = met("sudden:10m")
    bench.think(60 * SECOND)
    bench.put("c3", 2)
    bench.put("c3", 0)
    bench.put("e3", 2)
    assert bench.moves == ["a1", "e3"]
    assert bench.match.history.played[-1].spent_ms >= 60_000


def test_a_stone_that_was_only_looked_under_changes_no_clock() -> None:
    bench = met("sudden:10m")
    bench.think(30 * SECOND)
    bench.put("c3", 2)
    bench.think(40 * SECOND)
    before = bench.left(0), bench.left(1)
    bench.put("c3", 0)
    bench.put("c3", 2)
    assert bench.moves == ["a1", "c3"]
    assert bench.left(1) == before[1]
    assert before[0] - 100 <= bench.left(0) <= before[0]
    assert bench.match.history.played[-1].spent_ms == 30_050


# Bots.


def test_a_bots_thought_ends_before_its_clock_does() -> None:
    for clock, most_us in (
        ("sudden:2s", 1_500_000), ("5+3", 303 * SECOND), ("byo:3x10s", 10 * SECOND),
        ("canadian:15/5m", 20 * SECOND), ("move:2s", 2 * SECOND), ("hand:0s+10s+5m", 10 * SECOND),
    ):  # fmt: skip
        bench = TimedBench(clock, "human", "bot:strong")
        bench.connect()
        bench.put("a1", 1)
        (asks,) = only(AskBot, bench.think(400_000))
        assert asks.within_us is not None
        assert 0 < asks.within_us < most_us


# What is kept.


def test_a_page_sees_the_clocks_and_gets_no_view_because_time_goes_by() -> None:
    bench = met("byo:3s+2x5s")
    clock = view(bench)["clock"]
    assert clock["control"] == "byo:3s+2x5s"
    assert clock["text"]["id"] == "clock.byo"
    assert clock["running"] == 1
    assert clock["clocks"][1] == {
        "stage": "main", "left_ms": 3_000, "later_ms": 10_000, "periods": 2, "moves": None,
    }  # fmt: skip
    assert only(Publish, bench.think(2_900_000)) == []
    (told,) = only(Publish, bench.think(600_000))
    assert told.view.clock.clocks[1].stage == "period"
    (told,) = only(Publish, bench.think(5 * SECOND))
    assert told.view.clock.clocks[1].periods == 1


def test_a_clock_that_runs_is_written_down_every_five_seconds() -> None:
    bench = met("sudden:10m")
    bench.kept.clear()
    bench.think(12 * SECOND)
    assert [kept["spent"] for kept in bench.kept if kept["t"] == "clock"] == [5_000, 10_000]


def crash(bench: TimedBench, folder: Path) -> TimedBench:
    """The host dies; another one takes up its journal, and the board is still there."""
    path = folder / f"game{SUFFIX}"
    path.write_bytes(lines(bench.kept))
    after = TimedBench.__new__(TimedBench)
    after.__dict__ |= bench.__dict__
    after.session = Session.resumed(resume(path), bench.profile, now_us=bench.now_us)
    return after


CRASHED = (
    "sudden:10m",
    "1+3",
    "byo:2s+5x30s",
    "canadian:2s+3/2m",
    "move:40s",
    "hand:2s+30s+20s",
)
"""A control of each kind, whose stages change within the test's minute of thought."""


@pytest.mark.parametrize("control", some(CRASHED, 3))
def test_ten_crashes_cost_nobody_more_than_time_that_was_played(
    control: str, tmp_path: Path
) -> None:
    """A host dies at ten moments of a game and stays dead for a minute each time: in thought, as a
    move was made, held, taken back, in repair, with a bot's move chosen, at a lost board."""
    bench = TimedBench(control)
    bench.connect()
    bench.put("a1", 1)
    lost, seen = 0, set[str]()
    for moment in range(10):
        bench.think((1 + moment) * SECOND)
        if moment % 3 == 1:
            cells = [c for c in bench.game.grid.names if not _stands(bench, c)]
            side = bench.session.history.clock_side
            legal = bench.game.moves(bench.match.position, side)
            name = next(str(m) for m in legal if str(m) in cells)
            bench.put(name, side + 1)
        elif moment == 4:
            bench.step(Lost("closed"))
        elif moment == 6:
            assert bench.command("takeback") is None
        clock = bench.session.history.clock
        assert clock is not None
        total, at_moves = _left_ms(bench), clock.left
        seen |= {
            clock.reading(
                side, side == bench.session.history.clock_side, bench.now_us // 1000
            ).stage
            for side in (0, 1)
        }
        bench = crash(bench, tmp_path)
        bench.now_us += 60 * SECOND
        kinds = tuple(bench.session.board.kinds or ())
        cells = len(bench.profile.cells)
        hello = Hello("test", 1, cells, cells, 1, "uid", 5, bench.now_us, 1000, 0, 0)
        bench.step(Connected(hello), Snapshot(kinds, bench.next_event, bench.now_us, False, False))
        now = _left_ms(bench)
        clock = bench.session.history.clock
        assert clock is not None
        assert clock.left == at_moves, moment
        assert total <= now <= total + 5_000, moment
        lost += now - total
    assert lost > 0, "what was thought since the last line is given back"
    assert "period" in seen or not control.startswith(("byo", "canadian", "move", "hand"))


def _left_ms(bench: TimedBench) -> int:
    """All that both sides have until they lose by time, if nobody moved any more."""
    clock = bench.session.history.clock
    assert clock is not None
    ends = sum(clock.control.until_fall_ms(left) for left in clock.left)
    return ends - clock.spent_at(bench.now_us // 1000)


def _stands(bench: TimedBench, name: str) -> bool:
    cell = bench.game.grid.cell(name)
    return bool(bench.game.pieces(bench.match.position)[cell])


def test_a_game_that_ended_by_time_comes_back_ended(tmp_path: Path) -> None:
    bench = met("sudden:10s")
    (end,) = only(Finished, bench.think(10 * SECOND))
    back = crash(bench, tmp_path)
    assert back.session.outcome == end.outcome
    history = back.session.history
    assert record.make(history, end.outcome) == end.record
    kept = [one for one in bench.kept if one["t"] != "end"]
    path = tmp_path / f"unended{SUFFIX}"
    path.write_bytes(lines(kept))
    assert resume(path).history.outcome == end.outcome


def test_journals_without_a_clock_have_none(tmp_path: Path) -> None:
    bench = met("sudden:10s")
    bench.put("c3", 2)
    path = tmp_path / f"old{SUFFIX}"
    path.write_bytes(lines([{k: v for k, v in one.items() if k != "clock"} for one in bench.kept]))
    assert resume(path).history.clock is None
    assert [str(move) for move in resume(path).history.moves] == ["a1", "c3"]


def test_a_word_ends_no_turn_that_goes_on() -> None:
    """Offers to stop would else fill a period up again."""
    game = games.load("control", size=3)
    history = Bench().match.history.__class__(
        game, ["human", "human"], control=control_of("move:30s")
    )
    history.play(game.parse(history.position, "a1"), 0, "board")
    clock = history.clock
    assert clock is not None
    clock.run(0)
    word = next(w for w in game.words(history.position, 1) if w != "resign")
    history.play(game.parse(history.position, word, 1), 10_000_000, "page")
    if history.clock_side == 1:
        assert clock.spent_at(10_000) == 10_000
