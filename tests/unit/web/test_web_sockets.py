"""The page's two WebSockets: who acts, what is no message of ours, and hands on the simulator."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from local_page import create_app
from lumiban.errors import UsageError
from lumiban.table.commands import _HANDLERS
from lumiban.table.requests import TABLE_REQUESTS, PaceRequest, ReactionRequest, UnknownRequest
from lumiban.web.feed import ViewText, packed
from lumiban.web.messages import MAX_MESSAGE_BYTES, PAGE_REQUESTS, hands_word, table_message
from lumiban.web.serve import Served, free_socket, serve
from lumiban.web.tabs import Tab, Tabs
from web_client import ScriptedTable, fetch, greeted, hear, hear_type, open_tab, say, served
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_sockets
from websockets.exceptions import ConnectionClosed, InvalidStatus

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def table() -> ScriptedTable:
    return ScriptedTable()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ending() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Servers take 0.2 s to end: they do while other tests run."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    await asyncio.gather(*tasks)


@pytest_asyncio.fixture(loop_scope="module")
async def page(table: ScriptedTable, ending: list[asyncio.Task[None]]) -> AsyncIterator[Served]:
    page = await serve(create_app(table), port=0)
    yield page
    ending.append(asyncio.create_task(page.close()))


# Roles.


async def test_a_watcher_can_claim_the_table_and_both_are_told(
    page: Served, table: ScriptedTable
) -> None:
    async with open_tab(page, "?tab=a") as first, open_tab(page, "?tab=b") as second:
        await greeted(first)
        await greeted(second)
        await say(second, do="claim")
        assert (await hear_type(second, "hello"))["role"] == "host"
        assert (await hear_type(first, "hello"))["role"] == "viewer"
        await say(second, do="hint", level="none")
        assert (await hear_type(first, "view"))["hint"] == "none"
        assert table.heard == [({"do": "hint", "level": "none"}, "host")]


async def test_a_table_s_page_asks_for_no_sentence_of_another_game(
    page: Served, table: ScriptedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "view", lambda: {"v": 1, "game": {"slug": "control"}})
    answers = [await fetch(page, f"/api/texts{query}") for query in ("", "?for=table")]
    every, here = (json.loads(body) for _, _, body in answers)
    assert here.items() < every.items()


async def test_a_spectator_never_acts_even_when_alone(page: Served, table: ScriptedTable) -> None:
    async with open_tab(page, "?tab=a&watch=1") as tab:
        assert await greeted(tab) == "viewer"
        await say(tab, do="claim")
        assert (await hear(tab))["text"]["id"] == "page.error.viewer"
        await say(tab, do="hint", level="none")
        assert (await hear(tab))["text"]["id"] == "page.error.viewer"
    assert table.heard == []


async def test_a_tab_whose_line_broke_finds_its_role_again() -> None:
    tabs = Tabs()
    broken, other, again = Tab("a"), Tab("b"), Tab("a")
    for tab in (broken, other, again):
        tabs.enter(tab)
    assert [tab.role for tab in (broken, other, again)] == ["viewer", "viewer", "host"]
    tabs.leave(broken)
    assert tabs.host is again
    assert (tabs.may_act("a"), tabs.may_act("b"), tabs.may_act("")) == (True, False, False)


async def test_a_slow_tab_gets_the_newest_view_only() -> None:
    tab = Tab("a")
    for number in range(3):
        tab.show(ViewText(f"view {number}"))
    tab.say("error")
    assert await tab.next_messages() == ["error", "view 2"]


async def test_a_tab_that_keeps_its_view_is_told_what_differs_whatever_it_missed() -> None:
    """Held against a tab that is told each view whole."""
    dice = random.Random(1)
    told, keeping, whole = dict[str, Any](), Tab("a", keeps_views=True), Tab("b")
    moves: list[str] = []
    lengths = []
    for number in range(300):
        if moves and dice.random() < 0.2:
            del moves[-dice.randint(1, len(moves)) :]
        moves += [f"{dice.choice('abc')}{len(moves)}" for _ in range(dice.randint(0, 2))]
        fields = {
            "v": number,
            "moves": moves,
            "lights": [[number // 50, 0]] * 300,
            "rows": [[], [1]],
        }
        rare = {"pie": True, "says": ',"moves":[]]'} if dice.random() < 0.3 else {}
        view = ViewText(packed("view", fields | rare))
        keeping.show(view)
        whole.show(view)
        if dice.random() < 0.4:
            continue  # it reads slowly
        (part,), (all_,) = await keeping.next_messages(), await whole.next_messages()
        lengths.append(len(part))
        found = json.loads(part)
        gone, more = found.pop("gone", ()), found.pop("more", {})
        told = {name: value for name, value in told.items() if name not in gone}
        told |= found
        told |= {name: told[name] + items for name, items in more.items()}
        assert told == json.loads(all_)
    assert sorted(lengths)[len(lengths) // 3] < 100


# Messages.

STRANGE = [
    "",
    "hello",
    "[]",
    "null",
    "{",
    '{"do": "explode"}',
    '{"do": 5}',
    '{"level": "none"}',
    '{"do": "hint"}',
    '{"do": "hint", "level": 5}',
    '{"do": "hint", "level": "none", "more": 1}',
    '{"do": "seat", "side": -1, "who": "human"}',
    '{"do": "seat", "side": true, "who": "human"}',
    '{"do": "new", "game": "control", "options": {"size": [5]}}',
    '{"do": "hint", "level": "' + "x" * MAX_MESSAGE_BYTES + '"}',
    "[" * 4000,
    b"\xff\xfe\x00",
]


@pytest.mark.parametrize("message", STRANGE, ids=range(len(STRANGE)))
async def test_a_message_that_is_not_ours_is_an_error_and_nothing_else(
    page: Served, table: ScriptedTable, message: str | bytes
) -> None:
    async with open_tab(page) as tab:
        await greeted(tab)
        await tab.send(message)
        answer = await hear(tab)
        assert answer["type"] == "error"
        assert answer["text"]["id"] == "page.error.message"
        assert "Traceback" not in answer["text"]["params"]["reason"]
        assert table.heard == []
        await say(tab, do="hint", level="none")
        assert (await hear(tab))["hint"] == "none"


async def test_text_that_is_no_utf_8_is_an_error_and_nothing_is_logged(
    page: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_tab(page) as tab:
        await greeted(tab)
        await tab.send(b'{"do": "hint", "level": "\xff"}', text=True)
        assert (await hear(tab))["text"]["id"] == "page.error.message"
        await tab.send([b"\xe3\x81", b"\x82"], text=True)  # one letter in two frames
        assert (await hear(tab))["text"]["id"] == "page.error.message"
    assert caplog.records == []


@pytest.mark.parametrize(("read", "most"), [(table_message, MAX_MESSAGE_BYTES), (hands_word, 1000)])
async def test_a_message_longer_than_any_of_ours_is_not_even_read(
    read: Callable[[str], object], most: int
) -> None:
    said = '{"do": "claim"}' if read is table_message else '{"do": "field"}'
    assert read(said.ljust(most))
    with pytest.raises(UsageError, match="longer than"):
        read(said.ljust(most + 1))


# Simulated hands.


@asynccontextmanager
async def simulator() -> AsyncIterator[tuple[str, list[str | bytes]]]:
    """A simulator that greets with an empty world and echoes what hands do."""
    heard: list[str | bytes] = []

    async def welcome(line: ServerConnection) -> None:
        await line.send('{"type": "world", "kinds": []}')
        async for message in line:
            heard.append(message)
            await line.send(json.dumps({"type": "echo", "of": json.loads(message)}))

    async with serve_sockets(welcome, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/hands?token=secret", heard


async def test_a_page_that_wants_answers_hears_that_each_act_of_hands_has_come() -> None:
    async with (
        simulator() as (url, heard),
        served(ScriptedTable(url)) as page,
        open_tab(page, "?tab=a") as tab,
        open_tab(page, "?tab=a&answers=1", "/hands") as hands,
        open_tab(page, "?tab=a", "/hands") as silent,
    ):
        await greeted(tab)
        for acts in (
            {"do": "lift", "cell": 3},
            {"do": "field", "on": True},
            {"do": "carry", "hand": "h1", "x": 1, "y": 2, "h": 9},
            {"do": "drop", "hand": "h1"},
        ):
            for line in (hands, silent):
                await say(line, **acts)
        wanted = ["lift", "heard", "field", "carry", "drop", "heard"]
        for line, types in ((hands, wanted), (silent, [one for one in wanted if one != "heard"])):
            told = []
            while len(told) < len(types):
                message = await hear(line)
                if message["type"] in ("echo", "heard"):
                    told.append(message["of"]["do"] if "of" in message else message["type"])
            assert sorted(told) == sorted(types)
        assert len(heard) == 8


async def test_hands_of_nobody_do_not_reach_the_simulator() -> None:
    async with (
        simulator() as (url, heard),
        served(ScriptedTable(url)) as page,
        open_tab(page, "?tab=a") as tab,
        open_tab(page, "", "/hands") as hands,
    ):
        await greeted(tab)
        await hear(hands)
        await say(hands, do="lift", cell=3)
        assert (await hear(hands))["text"]["id"] == "page.error.viewer"
        assert heard == []


@pytest.mark.parametrize("message", ["", "{", "[]", '{"do": "explode"}', "x" * 1001, b"\xff"])
async def test_strange_hands_are_an_error_and_the_line_lives(message: str | bytes) -> None:
    async with (
        simulator() as (url, heard),
        served(ScriptedTable(url)) as page,
        open_tab(page, "?tab=a") as tab,
        open_tab(page, "?tab=a", "/hands") as hands,
    ):
        await greeted(tab)
        await hear(hands)
        await hands.send(message)
        assert (await hear(hands))["text"]["id"] == "page.error.message"
        assert heard == []
        await say(hands, do="drop", hand="h1")
        assert (await hear(hands))["of"]["do"] == "drop"


async def test_a_real_board_has_no_hands(page: Served) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with open_tab(page, "?tab=a", "/hands"):
            pass
    assert refused.value.response.status_code == 404
    assert b"it has no simulated hands" in refused.value.response.body


async def test_a_simulator_that_is_gone_is_an_error_and_worth_another_try() -> None:
    sock = free_socket("127.0.0.1", 0)
    gone = sock.getsockname()[1]
    sock.close()
    async with (
        served(ScriptedTable(f"ws://127.0.0.1:{gone}/hands")) as page,
        open_tab(page, "?tab=a", "/hands") as hands,
    ):
        assert (await hear(hands))["text"]["id"] == "page.error.simulator"
        with pytest.raises(ConnectionClosed) as closed:
            await hands.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013


async def test_every_command_that_a_table_follows_may_be_said_by_a_page() -> None:
    # Rengi's pace was refused at the door: the page had a control for it, and no message.
    assert set(_HANDLERS) == {*TABLE_REQUESTS, UnknownRequest}
    assert set(TABLE_REQUESTS) < set(PAGE_REQUESTS)
    assert table_message('{"do": "pace", "ms": null}') == PaceRequest(None)
    assert table_message('{"do": "reaction", "ms": 400}') == ReactionRequest(400)


# A line knows whether it is alive.


async def test_each_message_is_answered_after_what_came_of_it(page: Served) -> None:
    async with open_tab(page, "?tab=a&answers=1") as tab:
        await greeted(tab)
        await tab.send('{"do": "dance"}')
        answer = await hear(tab)
        assert (answer["type"], answer["text"]["id"]) == ("heard", "page.error.message")
        await say(tab, do="hint", level="none")
        assert await hear_type(tab, "heard") == {"type": "heard", "text": None}


async def test_a_page_is_told_that_the_table_does_not_answer(
    page: Served, table: ScriptedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands = asyncio.Event()

    async def look(*_: object) -> None:
        await stands.wait()

    monkeypatch.setattr("lumiban.web.sockets.SPEAKS_S", 0.02)
    monkeypatch.setattr("lumiban.web.sockets.ANSWERS_S", 0.02)
    monkeypatch.setattr("local_page.LocalFeed.look", look)
    async with open_tab(page) as tab:
        await greeted(tab)
        assert await hear_type(tab, "alive") == {"type": "alive", "still": True}
        stands.set()
        while (await hear_type(tab, "alive")) != {"type": "alive"}:
            pass
