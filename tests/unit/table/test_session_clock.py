"""Clocks at a table: when they run and stand, how a game ends by them, and what is kept of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from journals import lines
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
)
from session_bench import Bench, only
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
