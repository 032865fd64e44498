"""A real board's threads: the line that they keep, the callbacks that they call, the end of both.

Behind the port is a simulated board in memory, and its time goes on only as a test lets it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import pytest
from lumiban import Board
from lumiban.boards.profile import load
from lumiban.boards.transport import ByteLine
from lumiban.errors import BoardError, LinkLost, LumibanError, UsageError
from lumiban_sim.hands import BRISK
from lumiban_sim.rig import Rig

PATIENCE_S = 30
GREETING_US, PICTURE_US = 30_000_000, 2_000_000


class Desk(ByteLine):
    """A port with a board behind it, in whose place another may come, or none.

    Time is free until the board has been met; from then on it goes on in `let`.
    """

    def __init__(self, profile: str = "hex3") -> None:
        self.rig: Rig = Rig(load(profile), 1, tempo=BRISK)
        self.until_us = GREETING_US
        self.is_cut = self.is_gone = self.is_closed = False
        self.asleep = self.told = self.written = 0
        self.lost_for: list[str] = []
        self.moved = threading.Condition()

    @property
    def now_us(self) -> int:
        return self.rig.now_us

    def met(self, uid: str) -> None:
        self.until_us = self.now_us + PICTURE_US

    def write(self, data: bytes) -> None:
        with self.moved:
            self.written += len(data)
            if not self.is_cut:
                self.rig.from_host(data)

    def read(self, until_us: int) -> bytes:
        with self.moved:
            if self.is_gone:
                raise LinkLost("the port is gone")
            if self.now_us >= self.until_us:
                self.asleep += 1
                self.moved.notify_all()
                self.moved.wait_for(lambda: self.now_us < self.until_us, 0.01)
            else:
                self.rig.run(max(min(until_us, self.until_us), self.now_us))
            data = self.rig.to_host()
            self.told += len(data)
        return b"" if self.is_cut else data

    def lost(self, reason: str = "") -> None:
        self.lost_for.append(reason)

    def close(self) -> None:
        self.is_closed = True

    def let(self, seconds: float) -> None:
        """Let time go on, until all of it was followed."""
        with self.moved:
            self.until_us = self.now_us + round(seconds * 1e6)
            self.moved.notify_all()
            assert self.moved.wait_for(lambda: self.now_us >= self.until_us, PATIENCE_S)
            slept = self.asleep
            assert self.moved.wait_for(lambda: self.asleep > slept, PATIENCE_S)

    def do(self, what: str, cell: int, kind: int = 1) -> None:
        """Have a hand place or lift, and wait until the board has told it."""
        with self.moved:
            hands = self.rig.hands
            hands.place(cell, kind) if what == "place" else hands.lift(cell)
        self.let(1.2)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()
    monkeypatch.setattr("lumiban.boards.ports.choose", lambda port: f"/dev/{port}")
    monkeypatch.setattr("lumiban.boards.port_line.PortLine", lambda port: made)
    return made


@pytest.fixture
def board(desk: Desk) -> Iterator[Board]:
    with Board("ttyACM0") as made:
        yield made


class Heard:
    """What callbacks were called with, and in which thread."""

    def __init__(self) -> None:
        self.said: SimpleQueue[str] = SimpleQueue()
        self.threads: set[threading.Thread] = set()

    def __call__(self, what: object) -> None:
        self.threads.add(threading.current_thread())
        self.said.put(str(what))

    def next(self, count: int = 1) -> list[str]:
        return [self.said.get(timeout=PATIENCE_S) for _ in range(count)]


def until(done: Any, desk: Desk) -> None:
    for _ in range(100):
        if done():
            return
        desk.let(0.2)
    raise AssertionError("twenty seconds of the board's time, and it does not hold")


def test_callbacks_are_called_in_order_in_one_thread_of_their_own(desk: Desk, board: Board) -> None:
    heard = Heard()
    board.when_placed = board.when_lifted = board.when_pressed = heard
    board["a1"].when_placed = lambda event: heard(f"cell {event}")
    a1, c3 = board["a1"].number, board["c3"].number
    desk.do("place", a1, 2)
    desk.do("place", c3, 3)
    desk.do("lift", a1)
    for button in (1, 0):
        with desk.moved:
            desk.rig.world.press(button, True)
        desk.let(0.5)
    assert heard.next(6) == [
        "cell black on a1", "black on a1", "neutral on c3", "black off a1", "1", "0",
    ]  # fmt: skip
    assert board.pieces == {"c3": "neutral"}
    (thread,) = heard.threads
    assert thread is not threading.main_thread()
    assert thread.daemon, "a script's end is not held up"


def test_an_error_in_a_callback_is_printed_and_the_next_is_called(
    desk: Desk, board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = Heard()

    def fails() -> None:
        raise ZeroDivisionError("in a callback")

    board["a1"].when_placed = fails
    board.when_placed = heard
    desk.do("place", board["a1"].number)
    assert heard.next() == ["white on a1"]
    assert "ZeroDivisionError: in a callback" in capsys.readouterr().err


def test_a_callback_that_sleeps_keeps_no_line_waiting(desk: Desk, board: Board) -> None:
    begun, end = threading.Event(), threading.Event()

    def sleeps() -> None:
        begun.set()
        end.wait(PATIENCE_S)

    board["a1"].when_placed = sleeps
    desk.do("place", board["a1"].number)
    assert begun.wait(PATIENCE_S)
    desk.let(0.5)
    before = desk.written
    board["c3"].light = "white"
    assert desk.written > before, "light is on its way at once"
    desk.do("place", board["c3"].number, 2)
    assert board.pieces == {"a1": "white", "c3": "black"}
    assert any(desk.rig.light)
    assert board.is_connected
    end.set()


def test_a_board_that_falls_silent_is_told_once_looked_for_and_lit_again(
    desk: Desk, board: Board
) -> None:
    heard, reasons = Heard(), Heard()
    board.when_placed, board.when_lost = heard, reasons
    board["c3"].light = "white"
    desk.let(1.0)
    desk.is_cut = True
    until(lambda: not board.is_connected, desk)
    desk.let(1.5)
    assert reasons.next() == ["silent"]
    assert reasons.said.empty(), "once for each time"
    assert desk.lost_for[0] == "silent"
    with pytest.raises(UsageError, match="no colour"):
        board["a1"].light = "rot"
    board["a1"].light = "red"
    with desk.moved:
        desk.rig.reset()
        desk.rig.hands.place(board["c3"].number, 1)
    desk.let(2.0)
    desk.is_cut = False
    until(lambda: board.is_connected and board.pieces, desk)
    assert heard.next() == ["white on c3"], "what was done meanwhile is told"
    light = desk.rig.light
    lit = {one.name for one in board if any(light[3 * (at := light_of(board, one)) : 3 * at + 3])}
    assert lit == {"a1", "c3"}
    desk.is_cut = True
    until(lambda: not board.is_connected, desk)
    assert reasons.next() == ["silent"]


def light_of(board: Board, cell: Any) -> int:
    return board.profile.cells[cell.number].light


def test_another_board_in_its_place_is_an_error_where_the_script_waits(
    desk: Desk, board: Board
) -> None:
    reasons = Heard()
    board.when_lost = reasons
    with desk.moved:
        now_us, desk.rig = desk.now_us, Rig(load("hex5"), 2)
        desk.rig.advance(now_us)
    with pytest.raises(BoardError, match="the board on /dev/ttyACM0 was replaced by another"):
        waits(board.wait_for_piece, desk)
    assert reasons.next() != ["silent"]
    assert not board.is_connected


def waits(call: Any, desk: Desk, *args: Any) -> Any:
    """What a call that waits gives or raises, while time goes on."""
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(call, *args)
        for _ in range(200):
            if told.done():
                break
            desk.let(0.1)
        return told.result(PATIENCE_S)


def test_a_port_that_does_not_come_back_ends_the_wait(desk: Desk, board: Board) -> None:
    reasons = Heard()
    board.when_lost = reasons
    desk.is_gone = True
    with pytest.raises(LinkLost, match="the port is gone"):
        board.wait(PATIENCE_S)
    assert reasons.next() == ["the port is gone"]
    assert not board.is_connected
    board.close()  # what was raised once is not raised again
    assert desk.is_closed


def test_a_wait_ends_with_its_own_event_or_in_time(desk: Desk, board: Board) -> None:
    a1, c3 = board["a1"], board["c3"]

    with ThreadPoolExecutor(3) as pool:
        waits = (c3.wait_for_piece, c3.wait_for_lift, board.wait_for_piece)
        found = [pool.submit(wait, PATIENCE_S) for wait in waits]
        while not all(one.done() for one in found):
            for cell in (a1, c3):
                desk.do("place", cell.number)
                desk.do("lift", cell.number)
        told = [str(one.result()) for one in found]
    assert told[:2] == ["white on c3", "white off c3"]
    assert told[2].startswith("white on ")
    assert c3.wait_for_piece(0.01) is None
    assert board.wait_for_lift(0.01) is None
    board.wait(0.01)


def test_closing_puts_the_light_out_ends_the_threads_and_gives_the_port_back(
    desk: Desk,
) -> None:
    before = set(threading.enumerate())
    with Board("ttyACM0") as board:
        assert board.port == "/dev/ttyACM0"
        assert board.is_connected
        for cell in board:
            cell.light = "white"
        desk.let(1.0)
        assert all(desk.rig.light)
        assert len(set(threading.enumerate()) - before) == 2
        assert not desk.is_closed
    assert set(threading.enumerate()) == before
    assert desk.is_closed
    desk.rig.advance(desk.now_us + 100_000)
    assert not any(desk.rig.light)
    assert not board.is_connected
    board.close()
    for do in (board.wait_for_piece, board.clear, lambda: board.play("control", size=2)):
        with pytest.raises(UsageError, match="this board is closed"):
            do()


def test_a_callback_may_close_the_board_and_who_waits_is_told(desk: Desk, board: Board) -> None:
    board.when_placed = lambda: board.close()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(board.wait)
        desk.rig.hands.place(0, 1)
        with desk.moved:
            desk.until_us += GREETING_US
            desk.moved.notify_all()
        with pytest.raises(UsageError, match="this board is closed"):
            waiting.result(PATIENCE_S)


def test_what_does_not_answer_is_told_and_the_port_given_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.is_cut = True
    with pytest.raises(LumibanError, match="/dev/ttyACM0"):
        Board("ttyACM0")
    assert desk.is_closed
    desk.is_closed = desk.is_cut = False
    desk.until_us += GREETING_US
    with pytest.raises(BoardError):
        Board("ttyACM0", profile="hex5")
    assert desk.is_closed
    desk.is_closed = False
    desk.until_us += GREETING_US
    monkeypatch.setattr(desk, "met", lambda uid: setattr(desk, "is_cut", True))
    with pytest.raises(LinkLost, match="ttyACM0 answers but sends no picture: unplug it once"):
        Board("ttyACM0")
    assert desk.is_closed

    def refuses(port: str) -> str:
        raise BoardError("There is no port.")

    monkeypatch.setattr("lumiban.boards.ports.choose", refuses)
    with pytest.raises(BoardError, match=r'no port. A program without .* uses Simulator\("hex3'):
        Board("auto")


def test_a_game_on_a_real_board_is_told_and_gives_the_light_back(desk: Desk, board: Board) -> None:
    moves = Heard()
    board["c3"].light = "red"
    with board.play("control", size=2) as table:
        table.on_move(moves)
        desk.let(1.0)
        table.play("a1")
        assert table.asks == (("place", "a1"),)
        desk.do("place", table.cell("a1").number)
        assert moves.next() == ["1. white a1"]
    desk.let(0.5)
    light = desk.rig.light
    assert [one.name for one in board if light[3 * light_of(board, one)]] == ["c3"]


@pytest.mark.parametrize("has_table", [False, True])
def test_a_board_repeats_nothing_of_what_was_heard(
    desk: Desk, board: Board, *, has_table: bool
) -> None:
    if has_table:
        board.play("control", size=2)
    desk.let(2.0)
    desk.told = 0
    desk.let(2.0)
    quiet = desk.told
    desk.do("place", board["c3"].number)
    desk.let(1.0)
    desk.told = 0
    desk.let(2.0)
    assert abs(desk.told - quiet) < quiet / 4
