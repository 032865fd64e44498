"""The board between games: breathing until a hand comes, dark at night, on again when cleared."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.scene.light import Effect
from lumiban.service.board_rest import Rest, is_night
from lumiban.table.limits import CLEARED_S
from lumiban.table.requests import NewGameRequest

HEX3 = load("hex3")
EMPTY = [0] * 19
STONE = [1, *EMPTY[1:]]


def view(sensed: list[int] = EMPTY, moves: int = 0, **more: Any) -> Any:
    seats = [SimpleNamespace(who=who) for who in more.pop("who", ("human", "bot:medium"))]
    told = {"link": "up", "game": SimpleNamespace(slug="control"), "hint": "legal", **more}
    told = {"outcome": None, **told}
    return SimpleNamespace(sensed=sensed, moves=[None] * moves, seats=seats, **told)


def rest(wall: int = 720, **more: Any) -> Rest:
    return Rest(HEX3, after_s=120, wall=lambda: wall, **more)


def effects(one: Rest, now_s: float) -> set[tuple[int, int]] | None:
    frame = one.frame(now_s)
    return None if frame is None else set(frame.lights)


BREATHING = {(1, int(Effect.BREATHE))}


def test_a_board_that_was_just_plugged_in_breathes_on_every_cell() -> None:
    one = rest()
    assert one.frame(0.0) is None, "nobody knows yet what lies there"
    one.heard(view(), 0.0)
    assert effects(one, 0.0) == BREATHING
    frame = one.frame(0.0)
    assert frame is not None
    dark, glow = (sum(frame.palette[entry]) for entry in (0, 1))
    assert dark == 0 < glow < 150, "it is faint: people sleep"
    edged = Rest(replace(HEX3, lights=21), after_s=120)
    edged.heard(view(), 0.0)
    frame = edged.frame(0.0)
    assert frame is not None
    assert frame.lights == ((1, int(Effect.BREATHE)),) * 19 + ((0, 0),) * 2, "its edges are dark"


def test_a_button_wakes_it_too() -> None:
    one = rest()
    one.heard(view(), 0.0)
    one.touched(5.0)
    assert one.frame(6.0) is None


def test_a_game_that_is_on_is_never_hidden_however_long_nobody_moves() -> None:
    one = rest()
    one.heard(view(STONE, moves=1), 0.0)
    assert one.frame(1e6) is None
    one.heard(view(who=("bot:easy", "bot:hard")), 1e6)
    assert one.frame(2e6) is None, "two machines play"


@pytest.mark.parametrize(
    ("night", "begins", "ends"),
    [("22:30-07:00", 1350, 420), ("13:05-14:45", 785, 885), ("00:00-06:10", 0, 370)],
)
def test_the_night_is_from_its_first_minute_to_the_one_before_its_last(
    night: str, begins: int, ends: int
) -> None:
    dark = [minute for minute in range(24 * 60) if is_night(night, minute)]
    assert begins in dark
    assert ends not in dark
    assert (begins - 1) % 1440 not in dark
    assert (ends - 1) % 1440 in dark
    assert len(dark) == (ends - begins) % 1440
    assert not is_night("", begins)


def test_a_board_cleared_after_a_game_asks_once_for_the_next() -> None:
    one = rest()
    one.heard(view(STONE, moves=9, outcome="won"), 0.0)
    assert one.request(100.0) is None, "its stones still lie there"
    one.heard(view(moves=9, outcome="won"), 100.0)
    assert one.request(100.0 + CLEARED_S / 2) is None, "a hand may only have lifted the last stone"
    assert one.request(100.0 + CLEARED_S) == NewGameRequest()
    assert one.request(200.0) is None


def test_a_lost_board_is_no_touch() -> None:
    one = rest()
    one.heard(view(), 0.0)
    one.heard(view(STONE, link="lost"), 1.0)
    assert effects(one, 1.0) == BREATHING
