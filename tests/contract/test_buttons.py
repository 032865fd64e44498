"""Buttons stand among the stones, in order of time."""

from __future__ import annotations

import pytest
from contract.tables import Table
from lumiban_fw.wire import BLACK, FIRST_BUTTON, WHITE

pytestmark = pytest.mark.lumiban_hands
DOWN, UP = 8, 9


def test_a_press_between_two_stones_is_told_between_them(table: Table) -> None:
    board, host = table.hosted(seed=31)
    begin = board.now_us
    first = board.hands.place(2, WHITE, touch_us=begin + 700_000)
    board.hands.place(12, BLACK, hand="left", touch_us=begin + 1_100_000)
    while board.now_us < begin + 900_000:
        host.run(10_000)
    board.rig.world.press(1, True)
    pressed = board.now_us
    host.run(90_000)
    board.rig.world.press(1, False)
    host.wait(lambda: len(host.events) == 4, what="event")
    said = [(event.cell, event.kind) for event in host.events]
    assert said == [
        (2, host.told(WHITE)),
        (FIRST_BUTTON + 1, DOWN),
        (FIRST_BUTTON + 1, UP),
        (12, host.told(BLACK)),
    ]
    assert first.touch_us < pressed
    assert abs(host.events[1].t_us - pressed) < 20_000


def test_a_button_that_bounces_is_pressed_once(table: Table) -> None:
    board, host = table.hosted(seed=33)
    for down in (True, False, True, False, True):
        board.rig.world.press(0, down)
        host.run(1_000)
    host.run(500_000)
    board.rig.world.press(0, False)
    host.run(500_000)
    assert [event.kind for event in host.events] == [DOWN, UP]
