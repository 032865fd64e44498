"""`from lumiban import Board, Simulator, games`: boards and tables for scripts."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lumiban
import pytest
from lumiban import Board, PieceEvent, PlayedMove, Simulator
from lumiban.boards.ports import other_end
from lumiban.errors import BoardError, GameError, LumibanError, UsageError
from lumiban.scripting.simulator import SimulatorTimeout
from lumiban.search.worker_messages import Answer
from websockets.sync.client import connect


@pytest.fixture
def board() -> Iterator[Simulator]:
    with Simulator("hex3") as made:
        yield made


@pytest.mark.process
def test_the_package_offers_what_it_names_and_imports_no_more_than_is_used() -> None:
    for name in lumiban.__all__:
        assert getattr(lumiban, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Bord'"):
        _ = lumiban.Bord
    heavy = ("asyncio", "numba", "numpy", "msgspec", "serial", "lumiban_sim.rig")
    code = (
        "import sys; from lumiban import Board, Simulator, games;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


def test_a_placed_piece_calls_its_cell_and_its_board_once(board: Simulator) -> None:
    heard: list[str] = []
    board["c3"].when_placed = lambda event: heard.append(f"cell {event}")
    board.when_placed = lambda event: heard.append(f"board {event}")
    board.when_lifted = lambda: heard.append("lifted")
    board.hand.place("c3", "black")
    board.hand.place("a1", "white")
    board.hand.lift("c3")
    assert heard == ["cell black on c3", "board black on c3", "board white on a1", "lifted"]
    assert board.pieces == {"a1": "white"}
    assert board["c3"].piece is None


def test_light_reaches_the_lamps_and_goes_out_at_the_end(board: Simulator) -> None:
    board["c3"].light = "red"
    board["d2"].light = (0, 0, 255)
    board.wait(0.2)
    lamps = board.lamps
    assert lamps["c3"][0] > 4 * lamps["c3"][2]
    assert lamps["d2"][2] > 0
    assert lamps["d2"][0] == 0
    assert board["c3"].light == (255, 40, 40)
    assert [name for name, lamp in lamps.items() if any(lamp)] == ["d2", "c3"]
    board.clear()
    board.wait(0.2)
    assert not any(map(any, board.lamps.values()))


@pytest.mark.parametrize(
    "do",
    [
        lambda board: setattr(board["c3"], "light", "red"),
        lambda board: setattr(board["c3"], "effect", "blink"),
        lambda board: setattr(board, "brightness", 0.5),
        lambda board: board.wait(0.1),
        lambda board: board.clear(),
        lambda board: board.play("control", size=2),
        lambda board: board.hand.place("c3", "white"),
    ],
)
def test_a_closed_board_refuses_what_it_can_no_longer_show(do) -> None:  # type: ignore[no-untyped-def]  # lambdas of many results
    with Simulator("hex3") as board:
        board.hand.place("a1", "black")
    with pytest.raises(UsageError, match=r"this board is closed: use it before close\(\)"):
        do(board)
    assert board["c3"].light == (0, 0, 0)
    assert board.pieces == {"a1": "black"}  # what it saw last
    board.close()


def test_each_cell_may_have_a_colour_of_its_own_up_to_the_palette() -> None:
    with Simulator("grid13x14") as large:
        for number, cell in zip(range(63), large, strict=False):
            cell.light = (number + 1, 0, 0)
        last = large["a1"]
        with pytest.raises(UsageError, match="at most 63 colours"):
            last.light = (0, 1, 0)
        last.light = (1, 0, 0)


def test_waiting_ends_with_the_event_or_in_time(
    board: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.scripting.simulator.FOREVER_S", 60.0)
    assert board.wait_for_piece(timeout=2) is None
    before = board.time
    board.wait(5)
    assert 4.9 < board.time - before < 5.1
    found: list[PieceEvent | None] = []
    board["c3"].when_placed = lambda event: found.append(board.wait_for_piece(0.5))
    board.hand.place("c3", "white")
    assert found == [None]  # a callback may wait
    with pytest.raises(SimulatorTimeout, match="nothing happened"):
        board.wait_for_lift()


def test_an_error_in_a_callback_reaches_the_script(board: Simulator) -> None:
    def fails(event: PieceEvent) -> None:
        raise ZeroDivisionError(event.cell.name)

    board["c3"].when_placed = fails
    with pytest.raises(ZeroDivisionError, match="c3"):
        board.hand.place("c3", "white")


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda b: setattr(b, "brightness", 1.5), "no brightness 1.5: a number from 0 to 1"),
        (lambda b: setattr(b["c3"], "when_placed", 3), "a callback is a function, not 3"),
        (lambda b: b.play("contrl"), "contrl"),
        (lambda b: b.play("control", size=13), "size"),
        (lambda b: b.play("control", size=2, second="bot:god"), "god"),
        (lambda b: b.play("control", size=2, second="robot"), "no seat 'robot'"),
        (lambda b: b.play("control", size=5), "hex3"),
    ],
)
def test_what_cannot_be_done_is_one_clear_sentence(board: Simulator, do, says: str) -> None:  # type: ignore[no-untyped-def]  # lambdas of many results
    with pytest.raises(LumibanError, match=says):
        do(board)
    assert board.pieces == {}
    board.hand.place("c3", "white")  # and the board goes on
    assert board.pieces == {"c3": "white"}


def test_a_misspelt_attribute_is_an_error_that_knows_the_right_one(board: Simulator) -> None:
    with pytest.raises(AttributeError, match="Cell has no 'lihgt'; did you mean light"):
        board["c3"].lihgt = "red"  # type: ignore[attr-defined]  # meant
    with pytest.raises(AttributeError, match="Simulator has no 'color'"):
        board.color = "red"  # type: ignore[attr-defined]  # meant
    assert set(lumiban.__all__) <= set(dir(lumiban))


def test_a_game_is_played_by_hands_and_told_move_by_move(board: Simulator) -> None:
    told: list[PlayedMove] = []
    with board.play("control", size=2) as table:
        table.on_move(told.append)
        assert table.to_move == ("white",)
        board.hand.place(table.cell("a1"), "white")
        board.hand.place(table.cell("c2"), "black")
        assert list(map(str, told)) == ["1. white a1", "2. black c2"]
        board.hand.place(table.cell("c1"), "black")
        assert table.sentence  # not black's turn
        assert len(table.moves) == 2
        with pytest.raises(UsageError, match="is being played"):
            board.play("control", size=2)
        board["c3"].light = "red"  # kept until the table gives the light back
    board.wait(0.2)
    assert [name for name, lamp in board.lamps.items() if any(lamp)] == ["c3"]


class Thinker:
    """A process of bots that says what a test has it say."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.said: list[Answer] = []
        self.stopped: list[int] = []
        self.is_closed = False
        self._end, self._begin = os.pipe()
        os.write(self._begin, b".")

    def ask(self, *question: Any) -> None:
        self.asked.append(question)

    def fileno(self) -> int:
        return self._end

    def answers(self) -> list[Answer]:
        said, self.said = self.said, []
        return said

    def stop(self, ticket: int) -> None:
        self.stopped.append(ticket)

    def close(self) -> None:
        self.is_closed = True


def test_a_bot_is_asked_once_heard_once_and_asked_anew_when_it_fails(
    board: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = Thinker()
    monkeypatch.setattr("lumiban.search.worker.SearchProcess", lambda: bot)
    looks = list[object]()
    look = select.select
    monkeypatch.setattr("select.select", lambda *words: (looks.append(words), look(*words))[1])
    with board.play("control", size=2, second="bot:gentle", seed=5) as table:
        board.wait(1.0)
        assert bot.asked == [], "it is White's turn"
        table.play("a1")
        board.wait(1.0)
        ((ticket, slug, options, position, level, _, digest, within_us),) = bot.asked
        assert (slug, options, level) == ("control", dict(table.game.options), "gentle")
        assert (position, digest, within_us) == (table.position, "", None)
        wish = table.legal_moves[0]
        bot.said += [Answer(ticket + 100, table.legal_moves[1]), Answer(ticket, wish)]
        assert table.wait_for_move(30) == PlayedMove(2, "black", wish)
        bot.said.append(Answer(ticket, table.legal_moves[0]))
        looks.clear()
        board.wait(2.0)
        assert looks == [], "time stands still for a bot that thinks alone"
        assert table.to_move == ("white",), "what was not asked is not heard"
        table.play(table.legal_moves[0])
        board.wait(1.0)
        bot.said.append(Answer(bot.asked[-1][0], reason="it broke"))
        board.wait(3.0)
        tickets = [question[0] for question in bot.asked]
        assert len(tickets) == len(set(tickets)) == 3, "asked once more"
        table.take_back()
        board.wait(1.0)
        assert bot.stopped == [tickets[-1]]
        bot.said.append(Answer(tickets[-1], wish))
        board.wait(3.0)
        assert len(table.moves) == 2
        assert not bot.is_closed
    assert bot.is_closed


@pytest.mark.process
def test_a_bot_answers_and_simulated_hands_set_its_stones(board: Simulator) -> None:
    ends = []
    with board.play("control", size=2, second="bot:gentle", seed=5) as table:
        table.on_end(ends.append)
        while table.outcome is None:
            table.play(table.legal_moves[0])
            if table.outcome is None:
                assert table.wait_for_move(60) is not None
        assert ends == [table.outcome]
        assert table.winner in ("white", "black")
        assert table.record["result"]["reason"] == table.outcome.reason
        with pytest.raises(GameError, match="over"):
            table.play("a1")


def test_moves_that_were_played_while_the_script_did_something_else_are_waited_for_no_more(
    board: Simulator,
) -> None:
    with board.play("control", size=2) as table:
        for _ in range(2):
            board.hand.place(table.cell(table.legal_moves[0]), table.to_move[0])
            board.wait(1.0)
        assert len(table.moves) == 2
        assert [table.wait_for_move(1.0) for _ in range(3)] == [*table.moves, None]
        table.play(table.legal_moves[0])
        assert table.wait_for_move(1.0) is None


def test_hands_mend_what_lay_there_before_a_game_and_leave_what_a_person_did(
    board: Simulator,
) -> None:
    for cell, piece in (("b2", "neutral"), ("c3", "white"), ("a1", "black")):
        board.hand.place(cell, piece)
    with board.play("control", size=2) as table:
        assert table.sentence
        assert table.asks[0][0] == "lift"
        board.wait(10.0)
        assert (board.pieces, table.asks, table.sentence) == ({"a1": "black"}, (), "")
        a1 = table.cell("a1")
        board.hand.place(a1, "black")
        board.wait(5.0)
        assert board.pieces == {"a1": "black", a1.name: "black"}
        assert table.asks == (("lift", "a1"),)
        assert table.sentence == "It is the other side's turn."
        assert table.moves == ()
        board.hand.lift(a1)
        board.wait(1.0)
        assert (table.asks, table.sentence) == ((), "")


def test_without_assistance_the_script_sets_the_bots_stones() -> None:
    with Simulator("hex3", assist=False) as board, board.play("control", size=2) as table:
        table.play("a1")
        assert table.asks == (("place", "a1"),)
        lit = set[str]()
        for _ in range(10):
            board.wait(0.1)
            lit |= {name for name, lamp in board.lamps.items() if any(lamp)}
        assert table.cell("a1").name in lit, "the table's light"
        board.hand.place(table.cell("a1"), "white")
        assert [str(move) for move in table.moves] == ["1. white a1"]


@pytest.mark.slow
def test_the_same_seed_is_the_same_evening() -> None:
    def evening() -> list[float]:
        with Simulator("hex3", seed=3) as board:
            times: list[float] = []
            board.when_placed = lambda event: times.append(event.time)
            for cell in board:
                board.hand.place(cell, "white")
            return times

    assert evening() == evening()


# A real port: the simulator's own process behind a pseudo-terminal.


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[dict[str, str]]:
    words = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--seed", "1"]
    process = subprocess.Popen([*words, "--state", str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.process
def test_a_board_on_a_port_senses_and_shines_by_the_same_lines(desk: dict[str, str]) -> None:
    with Board(desk["port"]) as board, connect(desk["hands"], close_timeout=0.1) as hands:
        heard: list[str] = []
        board["c3"].when_placed = lambda event: heard.append(str(event))
        board["c3"].light = "white"
        hands.send(json.dumps({"do": "place", "cell": board["c3"].number, "kind": 1}))
        event = board.wait_for_piece(30)
        assert str(event) == "white on c3"
        board.wait(0.01)
        assert heard == ["white on c3"]
        assert board.pieces == {"c3": "white"}
        with pytest.raises(BoardError, match="Another program is using the port"):
            Board(desk["port"])


@pytest.mark.process
def test_a_board_that_is_gone_is_told(desk: dict[str, str]) -> None:
    lost = threading.Event()
    with Board(desk["port"]) as board:
        assert board.is_connected
        board.when_lost = lost.set
        os.kill(desk_pid(desk), signal.SIGKILL)
        assert lost.wait(30)
        assert not board.is_connected


def desk_pid(desk: dict[str, str]) -> int:
    """The simulator's process, at the other end of the port."""
    return other_end(desk["port"])


def plugged(path: str, vid: int | None = None) -> SimpleNamespace:
    """A port as pyserial lists it."""
    return SimpleNamespace(
        device=path, vid=vid, pid=5, serial_number=None, location=None, description="n/a"
    )


def test_without_a_board_auto_lists_what_it_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [plugged("/dev/ttyS0")])
    with pytest.raises(BoardError, match=r"/dev/ttyS0.*Simulator\(.hex3.\)"):
        Board("auto")


def test_a_port_without_a_board_says_so(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="There is no port"):
        Board(str(tmp_path / "nothing"))
