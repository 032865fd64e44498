"""No flood of hints, themes or buttons makes a light flash more than three times a second."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lumiban.boards.types import BoardEvent, BoardTime, Changed, LightFrame
from lumiban.table.requests import HintRequest, ThemeRequest
from lumiban.table.types import Command, Show
from session_bench import Bench, only

SECOND_US = 1_000_000
LIMIT = 3
"""Flashes a second that no light may exceed (WCAG 2.3.1)."""


def flashes(frames: list[tuple[int, LightFrame]]) -> int:
    """The most flashes of any light in any second: pairs of changes of its colour or rhythm."""
    most = 0
    for light in range(len(frames[0][1].lights)):
        changes: list[int] = []
        before = None
        for at, frame in frames:
            palette, effect = frame.lights[light]
            now = (frame.palette[palette], effect)
            if before is not None and now != before:
                changes.append(at)
            before = now
        for at in changes:
            most = max(most, sum(at <= one < at + SECOND_US for one in changes) // 2)
    return most


def hints(bench: Bench, number: int) -> object:
    return Command(HintRequest(("none", "control")[number % 2]), number)


def themes(bench: Bench, number: int) -> object:
    return Command(ThemeRequest(("standard", "monochrome")[number % 2]), number)


def both(bench: Bench, number: int) -> object:
    return (hints, themes)[number // 2 % 2](bench, number)


def buttons(bench: Bench, number: int) -> object:
    event = BoardEvent(bench.next_event, 242, (8, 9)[number % 2], bench.now_us)
    bench.next_event += 1
    return Changed((event,))


@pytest.mark.parametrize("flood", [hints, themes, both, buttons])
@pytest.mark.parametrize(
    "every_us", [pytest.param(1_000, marks=pytest.mark.slow), 20_000, 130_000, 250_000]
)
def test_a_flood_makes_no_light_flash_above_three_times_a_second(
    flood: Callable[[Bench, int], object], every_us: int
) -> None:
    bench = Bench(hint="none")
    bench.connect()
    bench.put("a1", 1)
    frames = [(bench.now_us, only(Show, bench.out)[-1].frame)]
    wished = 3_000_000 // every_us
    for number in range(wished):
        bench.now_us += every_us
        bench.step(BoardTime(bench.now_us, bench.now_us, False), flood(bench, number))
        frames += [(bench.now_us, show.frame) for show in only(Show, bench.out)]
    assert len(frames) > 3  # it does change
    assert 0 < flashes(frames) <= LIMIT
    # The last wish is shown in the end, without anybody asking again.
    due = bench.session.next_deadline()
    if bench.session._style.due_us is not None:
        assert due is not None
        assert due <= bench.now_us + SECOND_US
        bench.wait(SECOND_US)
    style = bench.session._style
    assert (style.hint, style.theme) == (style.wished_hint, style.wished_theme)


def test_a_change_is_shown_at_once_where_nobody_floods() -> None:
    bench = Bench(hint="none")
    bench.connect()
    for level in ("legal", "control", "coach", "none"):
        bench.command("hint", level=level)
        assert bench.session.hint == level
    bench.now_us += SECOND_US
    bench.command("hint", level="legal")
    assert bench.session.hint == "legal"
