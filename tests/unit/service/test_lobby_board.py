"""The lobby between a board and its table: whose light shines, and what becomes of a choice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hello_of import hello_of
from lumiban.boards.profile import load
from lumiban.boards.types import LightFrame
from lumiban.scene.light import Effect
from lumiban.service.board_rest import NIGHT_LOOK_S, Rest
from lumiban.service.idle_board import IdleBoard
from lumiban.service.lobby_board import LobbyBoard
from lumiban.service.settings import USUAL
from lumiban.table.limits import CLEARED_S
from lumiban.table.requests import ConfirmRequest, LobbyRequest, NewGameRequest
from pty_board import EagerLoop

OURS, TABLES = LightFrame(((1, 0),), ((9, 9, 9),)), LightFrame(((2, 0),), ((5, 5, 5),))


@dataclass
class Board:
    shown: list[LightFrame] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    statistics: str = "of the line"

    def show(self, frame: LightFrame) -> None:
        self.shown.append(frame)

    def acknowledge(self, next_event: int) -> None:
        self.acknowledged.append(next_event)


@dataclass
class Table:
    gate: Any = None
    refusal: Any = None
    asked: list[tuple[Any, str]] = field(default_factory=list)
    rested: list[bool] = field(default_factory=list)
    heard_of: list[list[Any]] = field(default_factory=list)
    hears: list[Callable[..., None]] = field(default_factory=list)

    def watch(self, call: Callable[..., None]) -> Callable[[], None]:
        self.hears.append(call)
        return lambda: self.hears.remove(call)

    watch_buttons = watch

    def rest_hands(self, rests: bool) -> None:
        self.rested.append(rests)

    def heard(self, events: list[Any]) -> None:
        self.heard_of.append(events)

    async def command(self, request: Any, role: str) -> Any:
        self.asked.append((request, role))
        return self.refusal


@dataclass
class Door:
    """What the lobby itself decides, by hand."""

    light: LightFrame | None = None
    due_s: float | None = None
    acknowledge: int = 0
    counts_pin: bool = False
    goes_off: bool = False
    is_open: bool = False
    words: str = "welcome"
    kept: list[Any] = field(default_factory=list)
    wishes: list[Any] = field(default_factory=list)
    told: list[tuple[Any, ...]] = field(default_factory=list)

    def request(self, now_s: float) -> Any:
        return self.wishes.pop(0) if self.wishes else None

    def frame(self, now_s: float) -> LightFrame | None:
        return self.light

    def dim(self, frame: LightFrame) -> LightFrame:
        return frame

    def next_due_s(self, now_s: float) -> float | None:
        due, self.due_s = self.due_s, None
        return None if due is None else now_s + due

    def in_words(self) -> Any:
        return self.words

    def pass_on(self, events: list[Any], now_s: float) -> list[Any]:
        return [one for one in events if one != "the lobby's"]

    def __getattr__(self, name: str) -> Any:
        return lambda *told: self.told.append((name, *told[:-1]))


@dataclass
class Told:
    kept: list[tuple[str, Any]] = field(default_factory=list)
    pins: int = 0
    offs: int = 0
    changes: int = 0

    def opened_pin(self) -> None:
        self.pins += 1

    def off(self) -> None:
        self.offs += 1

    def changed(self) -> None:
        self.changes += 1


@pytest.fixture
async def lobby(tmp_path: Path) -> Any:
    board, table, door, told = Board(), Table(), Door(), Told()
    made = LobbyBoard(
        cast("Any", board),
        cast("Any", table),
        load("hex3"),
        order=cast("Any", None),
        asks_first=False,
        pin=lambda: None,
        opens_pin=told.opened_pin,
        keep=lambda name, value: told.kept.append((name, value)),
        power_off=told.off,
        records=tmp_path,
    )
    made.changed = told.changed
    cast("Any", made).door = door
    return SimpleNamespace(lobby=made, board=board, table=table, door=door, told=told)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_lobbys_light_goes_before_the_tables_which_is_back_when_it_ends(
    lobby: Any,
) -> None:
    lobby.lobby.show(TABLES)
    lobby.door.light = OURS
    lobby.lobby.show(TABLES)
    lobby.lobby.show(TABLES)
    lobby.door.light = None
    lobby.lobby.show(TABLES)
    assert lobby.board.shown == [TABLES, OURS, TABLES], "the same picture is shown once"
    assert lobby.lobby.statistics == "of the line"


async def test_a_choice_is_asked_of_the_table_as_its_host_and_a_refusal_is_told(
    lobby: Any,
) -> None:
    lobby.table.refusal = {"id": "table.nothing-to-confirm", "params": {}}
    lobby.door.wishes = [ConfirmRequest()]
    lobby.lobby.with_setting("light.brightness", 40)
    assert lobby.table.asked == [], "not within a step of the table, which may have called"
    await settle()
    assert lobby.table.asked == [(ConfirmRequest(), "host")]
    assert lobby.door.told == [
        ("with_setting", "light.brightness"),
        ("refused", lobby.table.refusal),
    ]


async def test_settings_are_kept_and_the_machine_goes_off_once(lobby: Any) -> None:
    lobby.door.kept = [SimpleNamespace(name="page.language", value="ja")]
    lobby.door.goes_off = True
    for _ in range(3):
        lobby.lobby.show(TABLES)
    assert lobby.told.kept == [("page.language", "ja")]
    assert lobby.told.offs == 1


async def test_the_pin_is_opened_each_time_that_it_begins_to_be_counted(lobby: Any) -> None:
    for counts in (True, True, False, True):
        lobby.door.counts_pin = counts
        lobby.lobby.show(TABLES)
    assert lobby.told.pins == 2


async def test_what_the_lobby_heard_the_board_may_forget_once(lobby: Any) -> None:
    for heard in (0, 4, 4, 9):
        lobby.door.acknowledge = heard
        lobby.lobby.show(TABLES)
    lobby.lobby.acknowledge(12)
    assert lobby.board.acknowledged == [4, 9, 12]


async def test_hands_rest_while_it_is_open_and_pages_hear_of_each_change(lobby: Any) -> None:
    lobby.lobby.show(TABLES)
    assert (lobby.table.rested, lobby.told.changes) == ([], 0)
    lobby.door.is_open = True
    lobby.lobby.show(TABLES)
    lobby.lobby.show(TABLES)
    lobby.door.words = "choose a game"
    lobby.lobby.show(TABLES)
    lobby.door.is_open = False
    lobby.lobby.show(TABLES)
    assert lobby.table.rested == [True, False]
    assert lobby.told.changes == 3


async def test_news_of_the_board_pass_the_lobby_first(lobby: Any) -> None:
    lobby.door.light = OURS
    assert lobby.table.gate(["the lobby's", "the table's"]) == ["the table's"]
    assert lobby.board.shown == [], "not before the table has heard it"
    await settle()
    assert lobby.board.shown == [OURS]


async def test_what_a_page_or_a_setting_changes_shows_at_once(lobby: Any) -> None:
    made = lobby.lobby
    made.show(TABLES)
    for light, act, what in (
        (OURS, made.choose, (LobbyRequest("open"),)),
        (TABLES, made.followed_request, (NewGameRequest("control"),)),
        (OURS, made.with_setting, ("light.brightness", 40)),
    ):
        lobby.door.light = light
        act(*what)
        assert lobby.board.shown[-1] == light, act


async def test_what_is_closed_shows_and_asks_nothing_more(lobby: Any) -> None:
    lobby.door.wishes = [ConfirmRequest()]
    lobby.door.due_s = 0.0
    lobby.lobby.show(TABLES)
    lobby.lobby.close()
    lobby.door.light = OURS
    lobby.lobby.show(TABLES)
    ends_s = asyncio.get_running_loop().time() + 0.003  # what was due is over by then
    while asyncio.get_running_loop().time() < ends_s:
        await asyncio.sleep(0)
    assert lobby.board.shown == [TABLES]
    assert lobby.table.asked == []
    assert (lobby.table.hears, lobby.table.gate) == ([], None)


def view(*sensed: int, is_over: bool = False) -> Any:
    return SimpleNamespace(
        sensed=[*sensed, *[0] * (19 - len(sensed))],
        moves=[None] if is_over else [],
        seats=[SimpleNamespace(who="human")] * 2,
        game=SimpleNamespace(slug="control"),
        hint="legal",
        link="up",
        outcome="a draw" if is_over else None,
    )


def test_between_games_a_board_rests_wakes_is_dark_at_night_and_begins_anew() -> None:
    async def main() -> None:
        board, table, minute = Board(), Table(), [12 * 60]
        about = {"after_s": 120, "night": "22:30-07:00", "wall": lambda: minute[0]}
        idle = IdleBoard(cast("Any", board), cast("Any", table), Rest(load("hex3"), **about))
        heard, pressed = table.hears
        idle.show(TABLES)
        heard(view())
        breathing = board.shown[-1]
        assert {effect for _, effect in breathing.lights} == {int(Effect.BREATHE)}
        pressed()
        assert board.shown[-1] == TABLES
        await asyncio.sleep(119)
        assert board.shown[-1] == TABLES
        await asyncio.sleep(2)
        assert board.shown[-1] == breathing
        minute[0] = 23 * 60
        await asyncio.sleep(NIGHT_LOOK_S + 1)
        assert {entry for entry, _ in board.shown[-1].lights} == {0}, "dark"
        heard(view(1, is_over=True))
        assert board.shown[-1] == TABLES
        heard(view(is_over=True))
        assert table.asked == []
        await asyncio.sleep(CLEARED_S + 1)
        assert table.asked == [(NewGameRequest(), "host")]
        idle.close()
        count = len(board.shown)
        await asyncio.sleep(NIGHT_LOOK_S + 1)
        assert (len(board.shown), table.hears) == (count, [])

    with asyncio.Runner(loop_factory=EagerLoop) as runner:
        runner.run(main())


async def test_the_lobby_s_light_and_words_are_by_its_order_and_the_table_hears_first(
    lobby: Any, tmp_path: Path
) -> None:
    made, table = lobby.lobby, lobby.table
    order = replace(USUAL.order(1, 7, "/dev/b"), language="ja", brightness=65, can_power_off=True)
    table.hello = lambda: hello_of(load("hex3"))
    made._order = order
    del made.__dict__["door"]
    made.show(TABLES)
    assert board_light(lobby) != TABLES, "at 65 % of its light"
    assert made.door.lobby.setup.game == "control", "the first that fits is offered first"
    refused = made.choose(LobbyRequest("open"))
    assert refused == {"id": "table.board-lost", "params": {}}
    assert table.heard_of == [[]], "what it has missed it hears first"
    made.followed_request(NewGameRequest("control"))
    assert table.heard_of == [[], []]
    made.with_setting("light.brightness", 100)
    assert board_light(lobby) == TABLES


def board_light(lobby: Any) -> LightFrame:
    shown: LightFrame = lobby.board.shown[-1]
    return shown
