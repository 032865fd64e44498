"""Programs that somebody writes on the first evening, as they are written, and mistakes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from lumiban import PieceEvent, Simulator
from lumiban.errors import UsageError


@pytest.fixture
def board() -> Iterator[Simulator]:
    with Simulator("hex3") as made:
        yield made


def test_a_button_that_nobody_listens_to_is_heard_by_a_function_without_arguments(
    board: Simulator,
) -> None:
    heard: list[str] = []
    board.when_pressed = lambda: heard.append("pressed")
    board.hand.press(2)
    assert heard == ["pressed"]


def test_a_name_is_asked_before_it_is_used(board: Simulator) -> None:
    assert "c3" in board
    assert "z9" not in board
    assert board["c3"] in board
    assert 3 not in board
    with Simulator("hex3") as other:
        assert other["c3"] not in board


def test_two_threads_use_one_simulator(board: Simulator) -> None:
    troubles: list[BaseException] = []

    def lights() -> None:
        try:
            for n in range(30):
                board["c3"].light = (n, 2 * n, 3 * n)
                board.wait(0.05)
        except BaseException as error:  # noqa: BLE001  # whatever it is: the test tells
            troubles.append(error)

    thread = threading.Thread(target=lights)
    thread.start()
    for cell in ("a1", "b1", "c1", "a2"):
        board.hand.place(cell, "white")
    thread.join(60)
    assert not thread.is_alive()
    assert troubles == []
    assert set(board.pieces) == {"a1", "b1", "c1", "a2"}


async def asynchronous(event: PieceEvent) -> None:
    """A coroutine, which nobody would await."""


class AsyncCall:
    async def __call__(self, event: PieceEvent) -> None:
        """Likewise."""


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda event, more: None, "takes what happened, or nothing"),
        (lambda *, key: None, "takes what happened, or nothing"),
        (asynchronous, "write def in place of async def"),
        (AsyncCall(), "write def in place of async def"),
        ("beep", "a callback is a function"),
    ],
)
@pytest.mark.parametrize("name", ["when_placed", "when_lifted", "when_pressed", "when_lost"])
def test_a_callback_that_can_never_be_called_is_refused_where_it_is_set(
    board: Simulator, name: str, wrong: Any, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        setattr(board, name, wrong)
    assert getattr(board, name) is None


def test_what_may_take_an_event_gets_it_and_what_takes_nothing_does_not(board: Simulator) -> None:
    got: list[object] = []
    takers: list[Callable[..., object]] = [
        got.append,
        lambda event=None: got.append(event),
        lambda *events: got.append(*events),
    ]
    for at, take in enumerate(takers):
        board.when_placed = take
        board.hand.place(list(board)[at], "white")
    assert [str(one) for one in got] == [f"white on {cell.name}" for cell in list(board)[:3]]
