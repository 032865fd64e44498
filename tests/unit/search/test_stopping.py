"""What one never waits for: a compiler before the first move, a search that was stopped."""

from __future__ import annotations

import os
import sys
from typing import IO, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.search import engine, jit, numba_available
from lumiban.search.tree import SLICE_US, TreeSearch
from lumiban.search.worker_messages import Answer, Ask, message_of, packed
from lumiban.search.worker_process import SearchWorker
from lumiban.system.child import Child

pytestmark = pytest.mark.process


PLAYED: list[tuple[str, dict[str, int | str]]] = [
    ("control", {"size": 4}),
    ("evening", {"size": 3, "turns": "trailing"}),
    ("trivia", {"size": 4}),
    ("doves", {}),
    ("rengi", {}),
]
STOP_US = 50_000


class Unheard(SearchWorker):
    """A thinking process's inside that hears nobody."""

    def _listen(self, stream: IO[bytes]) -> None:
        pass


@pytest.mark.parametrize(("slug", "options"), PLAYED)
def test_a_first_move_is_answered_while_another_process_compiles_for_ever(
    slug: str, options: dict[str, int | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "has_library", lambda _: False)
    monkeypatch.setattr(numba_available, "has_numba", lambda: True)
    compiler: Child[None] = Child([sys.executable, "-c", "import sys; sys.stdin.buffer.read()"])
    read, write = os.pipe()
    game = games.load(slug, **options)
    with os.fdopen(read, "rb") as told, os.fdopen(write, "wb") as out:
        front = Unheard(told, out.fileno(), lambda slug, options: compiler)
        position = packed(game.start())
        front._answer(Ask(7, slug, options, position, "easy", 1))
        answer = message_of(told.readline())
        assert front._compiler is compiler
        assert compiler.end(60.0) == 0
    assert isinstance(answer, Answer)
    assert answer.ticket == 7
    assert game.why_not(game.start(), 0, game.parse(game.start(), answer.text)) is None


class Ticking:
    """A search whose playouts take so many µs each, on a clock of its own."""

    def __init__(self, costs: list[int]) -> None:
        self.now, self.playouts, self._costs = 0, 0, costs

    def grow(self, playouts: int) -> int:
        for _ in range(playouts):
            # Costs go round by thousands: a game that drags on after a while.
            self.now += self._costs[self.playouts // 1000 % len(self._costs)]
            self.playouts += 1
        return playouts


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6), st.integers(1, 300_000))
def test_a_stop_is_heard_within_fifty_milliseconds_whatever_playouts_cost(
    costs: list[int], stopped_at: int
) -> None:
    # A slice takes its time by the one before: four times as slow at most is foreseen.
    costs = [max(cost, -(-max(costs) // 4)) for cost in costs]
    search = Ticking(costs)
    asked: list[int] = []

    def stop() -> bool:
        asked.append(search.now)
        return search.now >= stopped_at

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_now_us", lambda: search.now)
        engine._spend(cast("TreeSearch", cast("Any", search)), 10**9, None, stop, None)
    assert asked[-1] - stopped_at <= STOP_US
    assert SLICE_US * 4 <= STOP_US
