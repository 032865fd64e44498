"""When the lobby opens and closes, and that the table hears of no stone meanwhile."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from hello_of import hello_of
from lobby_table import SECOND_US, LobbyTable
from lumiban.boards.faults import STUCK
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, Changed, Connected, Faulty, Hello, Lost, Snapshot
from lumiban.games.base import Kind
from lumiban.lobby.choices import GAME, HOME, START, offers_of
from lumiban.lobby.idle_screen import NIGHT_LOOK_S, OPEN, IdleScreen
from lumiban.lobby.lights import STONES
from lumiban.lobby.lobby import MAX_BLINKING, Keep
from lumiban.scene.light import Effect
from lumiban.table.limits import (
    ABANDONED_S,
    CLEARED_S,
    DESERTED_S,
    LESSON_LEFT_S,
    OFF_S,
    OVER_S,
)
from lumiban.table.requests import HintRequest, LobbyRequest, NewGameRequest, SeatRequest
from lumiban.table.setup import TableSetup
from lumiban.table.view_fields import TableView, Text
from msgspec.structs import replace as with_fields
from virtual_table import VirtualTable

HELLO = Hello("hex3", 1, 19, 19, 2, "0" * 16, 1, 0, 1000, 0, 0)
PLAYED = (("a1", 1), ("e3", 2), ("a3", 1), ("e1", 2))


def clear(one: LobbyTable) -> None:
    """All stones are put away, the last one that was played as the last: no move is taken back."""
    for name, _ in PLAYED:
        one.lift(name)


def table(**more: object) -> LobbyTable:
    one = LobbyTable(hint="legal", **more)  # type: ignore[arg-type]  # of a dataclass
    one.rest(SECOND_US)
    return one


def awake(**more: object) -> LobbyTable:
    one = table(**more)
    one.touch()
    return one


def in_play() -> LobbyTable:
    """Two people play, and more was played than they could take back by clearing the board."""
    one = awake()
    one.choose("second", "second/human", START)
    set_up(one)
    assert [move.text for move in one.session.match.history.moves] == [name for name, _ in PLAYED]
    return one


def set_up(one: LobbyTable) -> None:
    for name, kind in PLAYED:
        one.place(name, kind)


def rests(one: LobbyTable) -> bool:
    """Whether every cell breathes faintly."""
    return {one.look(cell)[1] for cell in range(19)} == {Effect.BREATHE}


def test_a_stone_that_was_left_in_the_lobby_is_no_first_move() -> None:
    one = awake(seats=("human", "human"))
    left = one.board.grid.cell("a1")
    one.set_stone(left)
    one.choose(START)
    assert one.door.is_open
    assert one.says == "lobby.says.clear-first"
    assert one.blinks(left)
    one.take_stone(left)
    assert not one.door.is_open, "now it begins"
    assert one.session.match.history.moves == []
    assert one.view["verdict"]["kind"] == "agree"
    one.place("a1", 1)
    assert [move.text for move in one.session.match.history.moves] == ["a1"]


def test_the_board_may_forget_what_the_lobby_heard() -> None:
    one = awake()
    before = one.acknowledged
    one.choose(GAME, "back")
    one.rest(SECOND_US)
    assert one.acknowledged >= before + 4
    assert one.link._belief.next_event == one.acknowledged


def test_a_cleared_board_is_left_to_its_game_as_long_as_somebody_may_go_on() -> None:
    one = in_play()
    on = one.session.shown.view
    assert one.command("word", side=0, word="resign") is None
    one.rest(SECOND_US)
    over = one.session.shown.view
    assert on is not None
    assert over is not None
    of_a_lesson: Any = "a lesson"
    for view, had_stones, patience_s in (
        (on, True, ABANDONED_S),
        (on, False, LESSON_LEFT_S),  # somebody sets it up
        (with_fields(on, light=[*range(19)]), True, DESERTED_S - 11),  # its stones are light
        (with_fields(on, lesson=of_a_lesson), True, LESSON_LEFT_S),
        (over, True, CLEARED_S),
        (over, False, OVER_S),  # somebody looks at its end
        (with_fields(over, lit={}), True, OVER_S),  # its end is told by light
    ):
        door = IdleScreen(one.board, one.offers, TableSetup("control"), rest_after_s=0)
        for now_s, kind in ((10.0, int(had_stones)), (11.0, 0)):
            told = [Connected(HELLO)] if now_s == 10.0 else []
            door.pass_on([*told, Snapshot((kind, *[0] * 18), 0, 0, False, False)], now_s)
            door.heard(view, now_s)
        due_s = door.next_due_s(11.0)
        assert due_s == pytest.approx(10.0 + had_stones + patience_s)
        door.request(due_s - 0.1)
        assert not door.is_open
        door.request(due_s)
        assert door.is_open


@pytest.mark.slow
def test_after_a_game_stones_that_lie_about_are_asked_off_when_somebody_comes() -> None:
    one = in_play()
    assert one.command("word", side=0, word="resign") is None
    one.leap(121)
    assert rests(one)
    one.touch(9)
    lying = [one.board.grid.cell(name) for name, _ in PLAYED]
    assert sum(one.blinks(cell) for cell in lying) == MAX_BLINKING
    clear(one)
    one.choose(START)
    assert not one.door.is_open


def test_a_lit_lobby_rests_and_is_dark_at_night_until_a_touch() -> None:
    one = awake()
    one.leap(121)
    assert rests(one)
    one.dark = True
    one.leap(NIGHT_LOOK_S + 1)
    assert not any(one.is_lit(cell) for cell in range(19))
    one.touch()
    assert one.is_lit(one.door.lobby.cells[START]), "at night too"


class Showing(LobbyTable):
    """Its board shows games when it has rested for a minute."""

    attract_after_s = 60.0


def test_a_resting_board_shows_games_after_a_while_and_a_touch_ends_that() -> None:
    one = Showing(hint="legal")
    one.leap(59)
    assert rests(one)
    pictures = set()
    for _ in range(60):
        one.leap(2)
        assert one.shown is not None
        pictures.add(one.shown.lights)
    assert len(pictures) > 10
    film = one.page().lobby.film
    assert film is not None, "the room reads it too"
    phase = one.page().phase
    assert (phase.title, phase.says) == (film.title, film.text or Text("phase.resting.how", {}))
    assert one.shown is not None
    assert tuple(film.lights) == one.shown.lights
    one.touch()
    assert one.is_lit(one.door.lobby.cells[START])
    assert one.page().lobby.film is None
    assert one.session.match.history.moves == []


def test_the_page_mirrors_the_lobby_and_its_light() -> None:
    one = awake()
    view = one.page()
    assert view.lobby.screen == HOME
    by_id = {choice.id: choice for choice in view.lobby.choices}
    start = by_id[START].cell
    light = one.board.cells[start].light
    assert view.lights[light][0] != 0
    assert len(set(map(tuple, view.lights))) > 1, "at rest all breathe alike"
    assert view.legal.place == []
    assert view.phase.title.id == "lobby.screen.home"
    assert view.verdict.text == view.phase.says == Text("lobby.how", {})
    one.set_stone(start)
    held = next(choice for choice in one.page().lobby.choices if choice.id == START)
    assert held.is_held


def test_a_board_that_was_away_for_a_moment_tells_the_table_nothing_of_the_lobby() -> None:
    one = awake()
    one.set_stone(9)
    assert one.rig is not None
    picture = Snapshot(one.rig.kinds, one.door.acknowledge, one.now_us, False, True)
    [passed] = one.door.pass_on([picture], one.now_s)
    assert isinstance(passed, Snapshot)
    assert not any(passed.kinds)


def test_a_game_that_the_page_begins_closes_it_and_a_hint_does_not() -> None:
    one = awake()
    one.door.followed_request(HintRequest("none"), one.now_s)
    assert one.door.is_open
    one.door.followed_request(SeatRequest(0, "human"), one.now_s)
    assert not one.door.is_open


def test_what_the_table_refuses_is_said_and_the_lobby_is_there_again() -> None:
    one = awake()
    one.choose(START)
    one.door.refused({"id": "table.no-room", "params": {"folder": "/x"}}, one.now_s)
    assert one.door.is_open
    assert one.says == "table.no-room"


def test_a_pin_that_is_made_anew_is_shown_from_then_on() -> None:
    one = awake()
    one.choose("care")
    assert "phone" not in one.door.lobby.cells, "the page shall be on no network"
    one.pin = "111111"
    one.rest(2 * SECOND_US)
    cell = one.door.lobby.cells["phone"]
    assert not one.door.counts_pin
    one.set_stone(cell)
    assert one.door.counts_pin, "whoever is at the board opens the PIN"
    one.pin = "222222"
    one.rest(4 * SECOND_US)
    assert one.door.lobby.situation.pin == "111111", "what is being read stays"
    one.take_stone(cell)
    one.rest(2 * SECOND_US)
    assert not one.door.counts_pin
    assert one.door.lobby.situation.pin == "222222"
    assert one.asked == one.door.kept == []


@pytest.mark.one_case
@pytest.mark.parametrize("is_in_play", [False, True])
def test_a_board_that_restarts_in_the_lobby_comes_back_to_it(is_in_play: bool) -> None:
    one = in_play() if is_in_play else awake()
    if is_in_play:
        clear(one)
        one.leap(ABANDONED_S + 1)
    assert one.rig is not None
    one.rig.reset()
    one.rest(5 * SECOND_US)
    assert one.session.board.link == "up"
    assert one.door.is_open
    one.choose("resume" if is_in_play else START)
    assert not one.door.is_open
    assert len(one.session.match.history.moves) == (len(PLAYED) if is_in_play else 0)


@pytest.mark.slow
def test_a_cell_that_sees_a_stone_for_ever_is_no_choice_and_stops_nobody() -> None:
    one = awake(seats=("human", "human"))
    start = one.door.lobby.cells[START]
    one.set_stone(start)
    assert one.door.lobby.held is not None
    one.door.pass_on([Faulty(STUCK, start)], one.now_s)
    one.leap(121)  # at its next waking it lies elsewhere
    one.touch()
    assert one.door.lobby.cells[START] != start
    one.choose(START)
    assert not one.door.is_open


@pytest.mark.slow
def test_a_board_of_switches_chooses_as_well() -> None:
    one = LobbyTable(profile="breadboard8", game="trivia", options={"size": 8}, hint="legal")
    one.rest(SECOND_US)
    one.touch()
    one.choose(GAME, "game/doves", START)
    assert one.session.match.history.game.slug == "doves"


@pytest.mark.slow
def test_a_lobby_is_as_large_after_a_day_of_boards_and_hands_as_after_an_hour() -> None:
    one = awake()
    view = one.session.shown.view
    assert view is not None
    door = one.door
    now_s, number = one.now_s, 10_000

    def put(cell: int, kind: int) -> None:
        nonlocal number, now_s
        number, now_s = number + 1, now_s + 1.0
        door.pass_on([Changed((BoardEvent(number, cell, kind, round(now_s * 1e6)),))], now_s)
        door.request(now_s)
        assert door.frame(now_s) is not None or not door.is_open

    def an_hour(boot: int) -> None:
        """A board is plugged in, somebody plays nothing, and it is unplugged again."""
        nonlocal now_s
        door.pass_on([Lost("silent")], now_s)
        door.heard(replace_link(view, "lost"), now_s)
        door.pass_on([Connected(replace(HELLO, boot_id=boot)), empty(number)], now_s)
        door.heard(view, now_s)
        end_s = now_s + 3600
        for choice in (None, GAME, "back", START):
            cell = 0 if choice is None else door.lobby.cells[choice]
            put(cell, 1)
            put(cell, 0)
        assert not door.is_open
        door.heard(view, now_s)
        while now_s < end_s:
            due_s = door.next_due_s(now_s)
            now_s = end_s if due_s is None else min(max(due_s, now_s + 1e-3), end_s)
            door.request(now_s)
            door.frame(now_s)
        assert door.is_open, "what nobody began is forgotten"

    tracemalloc.start()
    for boot in range(2, 26):
        an_hour(boot)
        if boot == 3:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 50_000


# The gate alone: a test says what board and table tell.


@cache
def views() -> tuple[TableView, TableView, TableView]:
    """A table before its first move, in play, and after the end of its game."""
    one = VirtualTable(hint="legal")
    one.rest(SECOND_US)
    told = [one.session.shown.view]
    for name, kind in PLAYED:
        one.place(name, kind)
    told.append(one.session.shown.view)
    assert one.command("word", side=0, word="resign") is None
    one.rest(SECOND_US)
    unbegun, on, over = (*told, one.session.shown.view)
    assert unbegun is not None
    assert on is not None
    assert over is not None
    return unbegun, on, over


class Gate(IdleScreen):
    """A gate with a board of 19 empty cells, and a clock."""

    def __init__(self, view: TableView, *stones: int, **how: Any) -> None:
        offers = offers_of(hello_of(load("hex3")), can_power_off=True)
        super().__init__(load("hex3"), offers, TableSetup("control"), **how)
        self.now_s, self.number = 10.0, 0
        kinds = tuple(int(cell in stones) for cell in range(19))
        self.pass_on([Connected(HELLO), Snapshot(kinds, 0, 0, False, False)], 10.0)
        self.heard(view, 10.0)

    def waits(self, seconds: float) -> Any:
        """Looks at each time at which something is due."""
        end_s = self.now_s + seconds
        while (due_s := self.next_due_s(self.now_s)) is not None and due_s < end_s:
            self.now_s = max(due_s, self.now_s + 1e-3)
            self.request(self.now_s)
        self.now_s = end_s
        return self.request(end_s)

    def put(self, cell: int, kind: int) -> None:
        self.now_s += 1
        event = BoardEvent(self.number, cell, kind, round(self.now_s * 1e6))
        self.number += 1
        self.pass_on([Changed((event,))], self.now_s)

    def chooses(self, *choices: str) -> None:
        for choice in choices:
            cell = self.lobby.cells[choice]
            self.put(cell, 1)
            self.put(cell, 0)

    def asks(self, choice: str) -> str:
        """What a page is told that chooses this."""
        refused = self.choose(LobbyRequest(choice), self.now_s)
        return "" if refused is None else refused["id"]


def test_the_page_opens_it_in_a_game_and_goes_back_without_a_stone_touched() -> None:
    _, on, over = views()
    gate = Gate(on, 0)
    assert gate.asks("resume") == "lobby.error.closed"
    gate.heard(with_fields(on, link="lost"), gate.now_s)
    assert gate.asks(OPEN) == "table.board-lost"
    gate.heard(on, gate.now_s)
    assert gate.asks(OPEN) == ""
    assert gate.is_lit
    assert gate.asks("size/77") == "lobby.error.gone"
    gate.waits(121)
    assert not gate.is_lit
    assert gate.asks(OPEN) == ""
    assert gate.is_lit, "a visitor wakes it"
    assert gate.asks("resume") == ""
    assert (gate.is_open, gate.request(gate.now_s)) == (False, None)
    (picture,) = [one for one in gate.pass_on([], gate.now_s) if isinstance(one, Snapshot)]
    assert picture.kinds[0] == 1, "the table learns what lies there"
    ended = Gate(over, 0)
    assert ended.asks(OPEN) == ""
    assert (gate.lobby.situation.has_ended, ended.lobby.situation.has_ended) == (False, True)


def test_what_is_chosen_becomes_a_request_a_setting_or_the_machine_s_end() -> None:
    unbegun, _, _ = views()
    gate = Gate(unbegun)
    gate.put(9, 1)
    gate.put(9, 0)
    usual = gate.frame(gate.now_s)
    assert usual is not None
    gate.chooses("care", "brightness", "brightness/40", "language", "language/ja")
    assert gate.kept == [Keep("light.brightness", 40), Keep("page.language", "ja")]
    dim = gate.dim(usual)
    assert max(map(max, dim.palette)) < max(map(max, usual.palette))
    gate.with_setting("light.brightness", 100)
    assert gate.dim(usual) == usual
    gate.chooses("off", "off/yes")
    gate.waits(OFF_S / 2)
    assert not gate.goes_off, "its light goes out first"
    gate.waits(OFF_S)
    assert gate.goes_off
    assert gate.kept[2:] == []
    other = Gate(unbegun)
    other.put(9, 1)
    other.put(9, 0)
    other.chooses("second", "second/human", START)
    assert not other.is_open
    asked = other.request(other.now_s)
    assert isinstance(asked, NewGameRequest)
    assert asked.seats == ("human", "human")
    assert other.request(other.now_s) is None, "once"


@pytest.mark.parametrize("after_s", [0.0, 300.0])
def test_a_light_stays_as_long_as_it_shall_after_the_last_hand(after_s: float) -> None:
    unbegun, _, _ = views()
    gate = Gate(unbegun, rest_after_s=after_s)
    assert gate.is_open
    assert not gate.is_lit
    gate.put(9, 1)
    gate.put(9, 0)
    gate.waits(299)
    assert gate.is_lit
    gate.touched(gate.now_s)
    gate.waits(299)
    assert gate.is_lit
    gate.waits(3600)
    assert gate.is_lit == (after_s == 0)


def test_what_is_offered_first_is_what_was_played_last() -> None:
    _, on, _ = views()
    wished = TableSetup("control")
    other = with_fields(on.game, slug="evening", options={"size": 2})
    of_a_lesson: Any = "a lesson"
    clock: Any = SimpleNamespace(control="5+3")
    seats = [with_fields(seat, who=who) for seat, who in zip(on.seats, "xy", strict=True)]
    played = TableSetup("evening", {"size": 2}, ("x", "y"), "none")
    for view, setup in (
        (with_fields(on, game=other, seats=seats), played),
        (with_fields(on, game=other, seats=seats, clock=clock), replace(played, clock="5+3")),
        (with_fields(on, game=other, lesson=of_a_lesson), wished),
        (with_fields(on, game=with_fields(other, slug="not-of-this-board")), wished),
    ):
        gate = Gate(view, 0)
        gate.choose(LobbyRequest(OPEN), gate.now_s)
        assert gate.lobby.setup == setup
    gate = Gate(with_fields(on, pieces=[1, 2], game=with_fields(on.game, cells=[7, 3])), 0)
    gate.choose(LobbyRequest(OPEN), gate.now_s)
    assert gate.lobby.waiting == {7: STONES[Kind.WHITE], 3: STONES[Kind.BLACK]}
    assert gate.lobby.light(gate.now_s)[gate.lobby.cells["resume"]]


def test_films_begin_when_a_board_has_rested_for_so_long_and_never_at_night_or_on_stones() -> None:
    unbegun, _, over = views()
    for stones, dark, shows in (((), False, True), ((), True, False), ((3,), False, False)):
        gate = Gate(
            over if stones else unbegun, *stones, attract_after_s=60.0, is_dark=lambda d=dark: d
        )
        if stones:
            gate.waits(121)
        began_s = gate.now_s
        gate.waits(59)
        gate.frame(gate.now_s)
        assert gate.in_words().film is None
        gate.now_s = began_s + 60
        frame = gate.frame(gate.now_s)
        assert frame is not None
        assert (gate.in_words().film is not None) == shows
        assert dark == (not any(entry for entry, _ in frame.lights))


def empty(next_event: int) -> Snapshot:
    return Snapshot((0,) * 19, next_event, 0, False, False)


def replace_link(view: TableView, link: str) -> TableView:
    return with_fields(view, link=link)
