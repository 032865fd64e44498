"""Clocks against worked examples that were counted by hand, and against what must hold of any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.errors import UsageError
from lumiban.games.rengi.clock import PRESETS
from lumiban.table.clocks import (
    FISCHER,
    MOVE,
    RULES,
    GameClock,
    TimeControl,
    control_for,
    control_of,
    digits,
)

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "rengi.json").read_text("utf-8"))


def shown(control: TimeControl, left: object) -> str:
    """What a clock shows, as a scoresheet would note it: `9:50`, `P 0:30 x5`, `P 4:20 14 moves`."""
    one = control.reading(left)  # type: ignore[arg-type]
    name = {"main": "", "period": "P ", "reserve": "R "}[one.stage]
    more = "" if one.periods is None else f" x{one.periods}"
    more += "" if one.moves is None else f" {one.moves} moves"
    return f"{name}{digits(one.left_ms)}{more}"


WORKED = {
    # The Laws of Chess: the extra time comes before each move, the first one included.
    "5+3": [(0, "5:03"), (10, "4:56"), (3, "4:56"), (1, "4:58"), (297, "0:04"), (3, "0:04")],
    # 90 minutes and 30 seconds a move: the clock shows 1:30:30 at the start.
    "90+30": [(0, "1:30:30"), (60, "1:30:00"), (25 * 60, "1:05:30")],
    "sudden:10m": [(0, "10:00"), (15, "9:45"), (9 * 60, "0:45"), (44, "0:01")],
    # Main time is used up within a move: what goes beyond it is of the first period.
    "byo:1m+5x30s": [
        (0, "1:00 x5"),
        (50, "0:10 x5"),
        (20, "P 0:30 x5"),  # 10 s of main time, 10 s of a period: it is whole again
        (29, "P 0:30 x5"),
        (31, "P 0:30 x4"),  # one period passed, the second was moved in
        (61, "P 0:30 x2"),  # two more
        (30, "P 0:30 x1"),  # all of it is used: the period has passed
        (29, "P 0:30 x1"),
    ],
    "byo:3x10s": [(0, "P 0:10 x3"), (5, "P 0:10 x3"), (25, "P 0:10 x1")],
    # Fifteen moves each five minutes, in small: three each minute.
    "canadian:1m+3/1m": [
        (0, "1:00 3 moves"),
        (45, "0:15 3 moves"),
        (25, "P 0:50 2 moves"),  # 15 s of main time, 10 s of the minute
        (40, "P 0:10 1 moves"),
        (9, "P 1:00 3 moves"),  # made in time: the next three have a minute of their own
        (1, "P 0:59 2 moves"),
    ],
    "move:30s": [(0, "P 0:30"), (29, "P 0:30"), (1, "P 0:30")],
    # Rengi's standard 4, in small: a minute, then 30 s a hand, then a minute once.
    "hand:1m+30s+1m": [
        (0, "1:00"),
        (50, "0:10"),
        (40, "P 0:30"),  # 10 s of the minute and the hand's own 30
        (30, "P 0:30"),
        (45, "P 0:30"),  # 15 s of what comes back never
        (75, "P 0:30"),  # and the other 45
    ],
}
"""By control: (seconds that a move took, what the clock shows when it is made); 0 at the start."""


@each("notation", WORKED)
def test_worked_examples_come_out(notation: str) -> None:
    control = control_of(notation)
    left = control.at_start()
    (_, first), *moves = WORKED[notation]
    assert shown(control, left) == first
    for seconds, said in moves:
        assert 1000 * seconds < control.until_fall_ms(left), "a move after time was up"
        left = control.after_move(left, 1000 * seconds)
        assert shown(control, left) == said


FALLS = {
    "5+3": 303_000,
    "sudden:10m": 600_000,
    "byo:1m+5x30s": 60_000 + 150_000,
    "byo:3x30s": 90_000,
    "canadian:10m+15/5m": 900_000,
    "canadian:15/5m": 300_000,
    "move:30s": 30_000,
    "hand:1m+30s+1m": 151_000,  # a second of grace
}


@each("notation", FALLS)
def test_time_is_up_at_the_instant_at_which_all_is_used(notation: str) -> None:
    clock = GameClock(control_of(notation))
    clock.run(7_000)
    assert clock.falls_at_ms(0) == 7_000 + FALLS[notation]


def test_rengis_grace_is_spent_last_and_shows_nothing() -> None:
    control = control_of("hand:0s+30s+5s")
    left = control.at_start()
    assert [control.reading(left, ms).stage for ms in (29_999, 30_000)] == ["period", "reserve"]
    assert control.reading(left, 35_500).left_ms == 0
    assert control.until_fall_ms(left) == 36_000
    after = control.after_move(left, 35_900)
    assert (after.reserve_ms, control.until_fall_ms(after)) == (0, 31_000)


def test_rengis_fifteen_presets_are_those_of_the_golden_file() -> None:
    assert len(GOLDEN["time_presets"]) == len(PRESETS) == 15
    for preset in GOLDEN["time_presets"]:
        game = games.load("rengi", clock=preset["id"])
        control = control_for(game, RULES)
        assert control is not None
        assert (control.main_ms, control.period_ms, control.reserve_ms, control.grace_ms) == (
            1000 * preset["initial_s"],
            1000 * preset["byoyomi_s"],
            1000 * preset["consideration_s"],
            1000 * GOLDEN["spare_time_s"],
        )
    assert control_for(games.load("rengi", clock="none"), RULES) is None
    assert control_for(games.load("control"), RULES) is None


# What must hold of any control.

lengths = st.integers(1, 600).map(lambda s: 1000 * s)
counts = st.integers(1, 20)
controls = st.one_of(
    st.builds(lambda m, i: TimeControl(FISCHER, 30 * m, increment_ms=i), lengths, lengths),
    st.builds(lambda m: TimeControl("sudden", m), lengths),
    st.builds(lambda p: TimeControl(MOVE, period_ms=p), lengths),
    st.builds(
        lambda m, p, n: TimeControl("byo", m, period_ms=p, periods=n), lengths, lengths, counts
    ),
    st.builds(
        lambda m, p, n: TimeControl("canadian", m, period_ms=p, moves=n), lengths, lengths, counts
    ),
    st.builds(
        lambda m, p, r: TimeControl("hand", m, period_ms=p, reserve_ms=r, grace_ms=1000),
        lengths, lengths, lengths,
    ),
)  # fmt: skip
kinds = st.sampled_from(("move", "wait", "pause", "back", "hold"))
deeds = st.lists(st.tuples(kinds, st.integers(0, 90_000)), max_size=40)


@given(controls)
def test_a_control_is_written_as_it_is_read(control: TimeControl) -> None:
    assert control_of(str(control)) == control


def holds(control: TimeControl, clock: GameClock) -> None:
    for left in clock.left:
        assert min(left.main_ms, left.periods, left.period_ms, left.moves, left.reserve_ms) >= 0
        assert control.until_fall_ms(left) > 0
        shown = control.reading(left)
        assert shown.left_ms >= 0
        assert shown.later_ms >= 0


@given(controls, deeds)
def test_what_was_spent_is_all_the_time_that_ran_and_nothing_is_negative(
    control: TimeControl, deeds: list[tuple[str, int]]
) -> None:
    """Two sides play with pauses, takebacks and holds: the main line's moves, the turn now, and
    what was taken back add up to all the time in which the clock ran."""
    clock, now, ran, spent, void = GameClock(control), 5_000, 0, 0, 0
    turns: list[tuple[int, int]] = []
    clock.run(now)
    for what, ms in deeds:
        side = len(turns) % 2
        falls = clock.falls_at_ms(side)
        assert falls is not None
        ms = min(ms, falls - now - 1)
        if ms < 0:
            break
        if what == "pause":
            before = (clock.left, clock.spent_at(now))
            clock.stop(now)
            now += ms
            assert (clock.left, clock.spent_at(now)) == before
            clock.run(now)
            continue
        now += ms
        ran += ms
        if what == "hold":
            clock.hold(now)
            assert clock.falls_at_ms(side) is None
            assert clock.spent_at(now + 5_000) == clock.spent_at(now)
            clock.let_go()
        elif what == "move":
            took = clock.spent_at(now)
            clock.move(side, took, now, ends_turn=True)
            turns.append((took, now))
            spent += took
        elif what == "back" and turns:
            void += clock.spent_at(now)
            took, _ = turns.pop()
            spent -= took
            clock.take_back(1)
            assert clock.spent_at(now) == took, "the instant at which the move was made"
            clock.run(now)
        holds(control, clock)
    assert spent + clock.spent_at(now) + void == ran


@given(controls, st.lists(st.integers(0, 90_000), max_size=12), st.integers(1, 12))
def test_moves_taken_back_give_back_all_that_they_changed(
    control: TimeControl, spans: list[int], back: int
) -> None:
    clock, states = GameClock(control), []
    for number, ms in enumerate(spans):
        if ms >= control.until_fall_ms(clock.left[number % 2]):
            break
        states.append((clock.left, ms))
        clock.move(number % 2, ms, 0, ends_turn=True)
    if 0 < back <= len(states):
        clock.take_back(back)
        assert (clock.left, clock.spent_ms) == states[-back]


@given(controls, st.lists(st.integers(0, 90_000), max_size=12), st.integers(0, 60_000))
def test_a_bot_is_never_given_all_that_is_left(
    control: TimeControl, spans: list[int], gone: int
) -> None:
    left = control.at_start()
    for ms in spans:
        if ms < control.until_fall_ms(left):
            left = control.after_move(left, ms)
    room = control.until_fall_ms(left) - control.grace_ms - gone
    thinking = control.thinking_ms(left, gone)
    assert 0 <= thinking < max(1, room)


@given(controls, st.integers(0, 1_000_000))
def test_what_is_shown_is_what_is_left(control: TimeControl, spent: int) -> None:
    left = control.at_start()
    falls = control.until_fall_ms(left)
    shown = control.reading(left, spent)
    assert shown.left_ms + shown.later_ms == max(0, falls - control.grace_ms - spent)


WRONG = {
    "10m": "'10m' is not a clock: write 5+3, sudden:10m",
    "5": "'5' is not a clock: write 5+3, sudden:10m",
    "blitz": "'blitz' is not a clock",
    "byo:10m": "'byo:10m' is not a clock",
    "byo:10+5x30s": "'10' in the clock 'byo:10+5x30s' is not a length of time: write 30s, 10m",
    "byo:10m+0x30s": "the clock 'byo:10m+0x30s' has not 1 to 99 periods",
    "byo:10m+5x0s": "has periods without any time",
    "canadian:10m+100/5m": "has not 1 to 99 moves a period",
    "move:0s": "has periods without any time",
    "0+0": "gives nobody any time",
    "sudden:25h": "has more than 24 hours in one part",
    "sudden:-5m": "is not a length of time",
    "sudden:" + "9" * 50 + "m": "is not a length of time",
    "١+٢": "is not a clock",
}


@each("wish", WRONG)
def test_a_clock_that_is_none_is_refused_with_what_to_write(wish: str) -> None:
    with pytest.raises(UsageError) as found:
        control_of(wish)
    assert WRONG[wish] in str(found.value)


def test_a_game_without_turns_has_one_clock_for_all_of_it() -> None:
    game = games.load("evening")
    assert game.turnless
    control = control_for(game, "sudden:10m")
    assert control is not None
    assert len(GameClock(control, is_shared=True).left) == 1
    with pytest.raises(UsageError, match="no turns"):
        control_for(game, "5+3")
