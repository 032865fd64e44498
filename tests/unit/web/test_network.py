"""A table on a network: who comes in, what each may say, and what a stolen link is worth.

The tests that `lan.md` asks for, against the real server on ports of this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from lumiban.table.requests import HOST, seat
from lumiban.web import connections
from lumiban.web.access import GUEST, KEYS, WATCH, Secrets
from lumiban.web.messages import PAGE_REQUESTS, AnyPageRequest
from lumiban.web.sockets import SHUT_OUT
from network_bench import ADDRESS, OWNS, Networked, Phone, SeatedTable, networked
from web_client import greeted, hear, hear_type, open_tab, say
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both_doors() -> AsyncIterator[Networked]:
    """One pair for all tests, since servers take half a second to end."""
    async with networked(SeatedTable()) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="module")
async def lan(both_doors: Networked) -> Networked:
    """The same with nobody in, nothing said and new secrets."""
    lan = both_doors
    while lan.door.tabs._open:
        await asyncio.sleep(0.005)
    lan.door.restore(Secrets(f"a master of a test {next(NUMBERS)}", "493817"))
    fresh = SeatedTable()
    lan.table.heard, lan.table.who, lan.table.hands_url = fresh.heard, fresh.who, None
    return lan


NUMBERS = itertools.count()


# Coming in.


@pytest.mark.parametrize("key", KEYS)
async def test_a_link_s_secret_becomes_a_cookie_and_leaves_the_address_at_once(
    lan: Networked, key: str
) -> None:
    answer = await lan.phone().open_link(key)
    assert answer.status == 303
    assert answer.headers["location"] in ("/", "/join")
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    (cookie,) = answer.cookies
    told = [part.strip().lower() for part in cookie.split(";")]
    assert {"httponly", "samesite=strict", "path=/"} <= set(told)
    assert lan.access.link_secret(key) not in str(answer.headers)


async def test_a_link_that_was_clicked_on_another_site_goes_on_by_itself(lan: Networked) -> None:
    phone = lan.phone()
    path = "/k/" + lan.access.link_secret(seat(0))
    elsewhere = await phone.ask("GET", path, sec_fetch_site="cross-site")
    assert (elsewhere.status, elsewhere.cookies) == (200, [])
    assert f'content="0;url={path}"'.encode() in elsewhere.body
    here = await phone.ask("GET", path, sec_fetch_site="same-origin")
    assert (here.status, len(here.cookies), here.headers["location"]) == (303, 1, "/")
    # Who is in already, and comes by a link to the table itself, has the cookie at the second try.
    again = await phone.ask("GET", "/", sec_fetch_site="cross-site", cookie="")
    assert again.status == 200
    assert b"url=/" in again.body


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT"])
async def test_only_whoever_opens_a_link_comes_in_by_it(lan: Networked, method: str) -> None:
    path = "/k/" + lan.access.link_secret(HOST)
    answer = await lan.phone().ask(method, path, origin=lan.origin)
    assert (answer.status, answer.cookies) == (405, [])


async def test_watchers_come_in_freely_only_where_the_host_lets_them(lan: Networked) -> None:
    phone = lan.phone()
    assert (await phone.join("enter")).status == 403
    lan.access.let_watchers_in(True)
    answer = await phone.join("enter")
    assert (answer.status, answer.json["keys"]) == (200, ["watch"])
    assert (await phone.join("sit", side=0)).json["error"]["id"] == "join.no-key"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"do":"dance"}', b'{"do":"sit"}', b"\xff", b"x" * 600,
             b'{"do":"sit","side":99999999999999999999}', b'{"do":"sit","side":-1}',
             b'{"do":"enter","pin":5}']
)  # fmt: skip
async def test_what_is_no_message_at_the_door_is_answered_and_changes_nothing(
    lan: Networked, body: bytes
) -> None:
    answer = await lan.phone().ask("POST", "/api/join", body)
    assert (answer.status, answer.cookies) == (400, [])


# Seats.


async def seated(lan: Networked, side: int) -> Phone:
    phone = lan.phone()
    await phone.open_link(seat(side))
    return phone


async def test_whoever_looks_hears_one_view(lan: Networked) -> None:
    """What a mode hides is left out before: no role is told more than another."""
    lan.access.let_watchers_in(True)
    lan.table.who = ["human", "human"]  # a seat's link seats a person
    heard = []
    for key in (HOST, seat(0), seat(1), WATCH):
        phone = lan.phone()
        await phone.open_link(key)
        async with phone.tab() as tab:
            heard.append(await hear_type(tab, "view"))
    async with open_tab(lan.here) as tab:
        heard.append(await hear_type(tab, "view"))
    assert len(heard) == 5
    assert all(one == heard[0] for one in heard)


async def test_a_phone_takes_a_machine_s_seat_and_leaves_it(lan: Networked) -> None:
    phone = lan.phone()
    await phone.open_link(GUEST)
    answer = await phone.join("sit", side=1)
    assert answer.status == 200
    assert [one["mine"] for one in answer.json["seats"]] == [False, True]
    assert lan.table.heard == [({"do": "seat", "side": 1, "who": "human"}, "host")]
    async with phone.tab() as tab:
        assert (await hear_type(tab, "hello"))["role"] == "seat"
        await phone.join("stand-up")
        assert (await hear_type(tab, "hello"))["role"] == "viewer"
    assert (await phone.join("look")).json["side"] is None


async def test_there_is_no_seat_but_those_of_the_game(lan: Networked) -> None:
    phone = lan.phone()
    await phone.open_link(GUEST)
    for side in (2, 7):
        assert (await phone.join("sit", side=side)).json["error"]["id"] == "join.no-seat"
    stranger = lan.phone()
    assert (await stranger.join("sit", side=0)).status == 401


# Roles: every message by every role.

MESSAGES: list[dict[str, Any]] = [
    {"do": "seat", "side": 0, "who": "human"},
    {"do": "word", "side": 0, "word": "resign"},
    {"do": "word", "side": 1, "word": "resign"},
    {"do": "takeback"},
    {"do": "answer-back", "side": 0, "yes": True},
    {"do": "answer-back", "side": 1, "yes": True},
    {"do": "ask-back", "on": False},
    {"do": "confirm"},
    {"do": "confirm", "side": 1},
    {"do": "new"},
    {"do": "lesson", "go": "begin"},
    {"do": "hint", "level": "none"},
    {"do": "coach"},
    {"do": "review"},
    {"do": "rules"},
    {"do": "theme", "name": "standard"},
    {"do": "move", "side": 0, "text": "a1"},
    {"do": "move", "side": 1, "text": "a1"},
    {"do": "choose", "text": "a1"},
    {"do": "accept-board"},
    {"do": "dead-cell", "cell": "a1"},
    {"do": "put-back"},
    {"do": "set-up", "pieces": {"a1": 0}, "to_move": 1},
    {"do": "recentre"},
    {"do": "audit"},
    {"do": "pace", "ms": 500},
    {"do": "reaction", "ms": 500},
    {"do": "lobby", "choose": "start"},
    {"do": "lobby", "choose": "off/yes"},
    {"do": "look", "n": 1},
    {"do": "report", "text": "a script failed"},
    {"do": "claim"},
    {"do": "admit", "claim": 1, "yes": True},
    {"do": "new-links"},
    {"do": "free-seat", "side": 0},
    {"do": "watch-freely", "on": True},
]
OF_THE_DOOR = {
    "claim",
    "report",
    "admit",
    "new-links",
    "free-seat",
    "look",
    "watch-freely",
    "ask-back",
}
OF_A_SEAT = [
    {"do": "word", "side": 0, "word": "resign"},
    {"do": "takeback"},
    {"do": "answer-back", "side": 0, "yes": True},
    {"do": "confirm"},
    {"do": "move", "side": 0, "text": "a1"},
    {"do": "choose", "text": "a1"},
]
"""What may reach the table from who plays the first side."""
OF_THE_OWNER: list[dict[str, Any]] = [
    {"do": "lobby", "choose": "off/yes"},
    {"do": "new-links"},
    {"do": "watch-freely", "on": True},
]
"""What another user of this machine may not do, who leads the table there."""


async def test_every_message_is_tried() -> None:
    tags = {one.__struct_config__.tag for one in PAGE_REQUESTS}
    assert {message["do"] for message in MESSAGES} == tags


async def tried(tab: ClientConnection, lan: Networked) -> AsyncIterator[tuple[Any, Any, Any, bool]]:
    """Each message said in a tab: itself, its answers, what reached the table, and whether the
    secrets or who may watch are others since."""
    for message in MESSAGES:
        before = lan.access.pin, lan.access.kept.are_watchers_free
        lan.table.heard = []
        await say(tab, **message)
        await say(tab, do="look", n=2)
        answers = [await hear(tab)]
        while answers[-1]["type"] != "past" or answers[-1]["n"] != 2:
            answers.append(await hear(tab))
        reached = [told for told, _ in lan.table.heard]
        now = lan.access.pin, lan.access.kept.are_watchers_free
        yield message, answers, reached, now != before


def reaches(message: dict[str, Any]) -> list[Any]:
    """What the table hears of a message that it is for: all its fields."""
    if message["do"] in OF_THE_DOOR:
        return []
    return [msgspec.to_builtins(msgspec.convert(message, AnyPageRequest))]


@pytest.mark.parametrize("key", [WATCH, GUEST, seat(0), HOST])
async def test_each_message_by_each_role(lan: Networked, key: str) -> None:
    phone = lan.phone()
    await phone.open_link(key)
    # Somebody leads the table on this machine; the host over the network came there first.
    async with AsyncExitStack() as tabs:
        if key != HOST:
            host = await tabs.enter_async_context(open_tab(lan.here))
            assert await greeted(host) == "host"
        tab = await tabs.enter_async_context(phone.tab())
        await hear_type(tab, "view")
        async for message, answers, reached, is_changed in tried(tab, lan):
            kinds = [answer["type"] for answer in answers]
            invites = key == HOST and message["do"] in ("new-links", "watch-freely")
            assert is_changed is invites, message
            if message["do"] == "report":  # anybody's: it goes to the log alone
                assert (reached, kinds.count("error")) == ([], 0)
                continue
            if key == HOST and message["do"] in OF_THE_DOOR:
                assert reached == []
                continue
            leads = key == HOST and message not in OF_THE_OWNER
            may = leads or (key == seat(0) and message in OF_A_SEAT)
            assert reached == (reaches(message) if may else []), message
            if message["do"] == "claim":
                # A seat asks the host; it does not become one by it.
                assert set(kinds) - {"past"} == (set() if key == seat(0) else {"error"})
            elif not may and message["do"] != "look":
                assert kinds.count("error") == 1, message


@pytest.mark.parametrize("query", ["", OWNS], ids=["other user", "owner"])
async def test_each_message_on_this_machine_by_its_owner_and_by_another_user(
    lan: Networked, query: str
) -> None:
    owns = query == OWNS
    async with open_tab(lan.here, query) as tab:
        told = await hear_type(tab, "hello")
        assert (told["role"], told["owner"]) == ("host", owns)
        knows_links = False
        async for message, answers, reached, is_changed in tried(tab, lan):
            refused = [one["text"]["id"] for one in answers if one["type"] == "error"]
            may = owns or message not in OF_THE_OWNER
            assert ("page.error.owner-alone" in refused) is not may, message
            knows_links |= "network" in {one["type"] for one in answers}
            assert reached == (reaches(message) if may else []), message
            assert is_changed is (owns and message["do"] in ("new-links", "watch-freely")), message
        assert knows_links is owns, "links and PIN"


@pytest.mark.parametrize("query", [OWNS + "x", OWNS[:-1], "?owner="])
async def test_a_token_that_is_not_the_owner_s_owns_nothing(lan: Networked, query: str) -> None:
    async with open_tab(lan.here, query) as tab:
        assert (await hear_type(tab, "hello"))["owner"] is False


async def test_a_tab_on_the_network_becomes_no_host_by_another_s_token(lan: Networked) -> None:
    phone = await seated(lan, 0)
    thief = lan.phone()
    await thief.open_link(HOST)
    async with thief.tab() as spent:  # the link has led once, as it may
        assert (await hear_type(spent, "hello"))["role"] == "host"
    async with open_tab(lan.here, "?tab=a") as host:
        assert await greeted(host) == "host"
        async with phone.tab("?tab=a") as tab, thief.tab("?tab=a") as other:
            assert (await hear_type(tab, "hello"))["role"] == "seat"
            assert (await hear_type(other, "hello"))["role"] == "viewer"


# Who leads.


async def test_the_leader_s_link_leads_and_who_led_here_plays_the_seat_that_is_left(
    lan: Networked,
) -> None:
    async with open_tab(lan.here, "?tab=a") as first:
        assert await greeted(first) == "host"
        phone = lan.phone()
        assert (await phone.open_link(HOST)).headers["location"] == "/"
        async with phone.tab() as tab:
            assert (await hear_type(tab, "hello"))["role"] == "host"
            told = await hear_type(first, "hello")
            assert (told["role"], told["side"]) == ("seat", 0)
            await say(first, do="hint", level="none")
            assert (await hear_type(first, "error"))["text"]["id"] == "table.role.host-alone"
            await say(first, do="move", side=0, text="a1")
            await say(tab, do="hint", level="none")
            for one in (first, tab):
                await say(one, do="look", n=2)
                await hear_type(one, "past")
            assert [who for _, who in lan.table.heard] == [seat(0), "host"]
            # A reload finds the seat again.
        async with phone.tab() as tab, open_tab(lan.here, "?tab=b") as other:
            assert await greeted(other) == "viewer"
            async with open_tab(lan.here, "?tab=a") as again:
                assert await greeted(again) == "seat"
            await hear_type(tab, "hello")


async def test_a_phone_that_is_handed_the_lead_keeps_its_seat(lan: Networked) -> None:
    lan.table.who = ["human", "human"]
    phone = await seated(lan, 1)
    guest = lan.phone()
    await guest.open_link(GUEST)
    async with open_tab(lan.here, "?tab=a") as host, phone.tab() as tab:
        await hear_type(tab, "view")
        await say(tab, do="claim")
        asked = await hear_type(host, "asks")
        await say(host, do="admit", claim=asked["claim"], yes=True)
        assert (await hear_type(tab, "hello"))["role"] == "host"
        assert (await hear_type(host, "hello"))["side"] == 0
        assert [one["taken"] for one in (await guest.join("look")).json["seats"]] == [False, True]
        # Who leads resigns for no other phone, and nobody for the leading one.
        await say(host, do="word", side=1, word="resign")
        assert (await hear_type(host, "error"))["text"]["id"] == "table.role.other-side"
        # The seat of this machine's page is a phone's as soon as one takes it.
        await guest.join("sit", side=0)
        assert (await hear_type(host, "hello"))["role"] == "viewer"
        # Taken back, the lead leaves the phone on its seat.
        await say(host, do="claim")
        told = await hear_type(tab, "hello")
        assert (told["role"], told["side"]) == ("seat", 1)


async def test_a_duplicated_tab_leads_and_the_first_one_knows_and_takes_another_token(
    lan: Networked,
) -> None:
    async with open_tab(lan.here, "?tab=a") as first:
        assert await greeted(first) == "host"
        async with open_tab(lan.here, "?tab=a") as second:
            assert await greeted(second) == "host"
            await hear_type(first, "twin")
            assert (await hear_type(first, "hello"))["role"] == "viewer"


# Time.


@dataclass
class ClockedTable(SeatedTable):
    """A table whose clock has run on since its last view."""

    asked: int = 0

    def view(self) -> Any:
        self.asked += 1
        clock = {"running": 0, "clocks": [{"left_ms": 300_000 - self.asked}]}
        return {**super().view(), "clock": clock}


async def test_a_phone_that_comes_in_hears_what_clocks_show_now() -> None:
    async with networked(ClockedTable()) as lan:
        phone = await seated(lan, 0)
        async with phone.tab("?answers=1") as tab:
            heard: dict[str, Any] = {}
            while not {"view", "time"} <= set(heard):  # in whatever order
                message = await hear(tab)
                heard[message["type"]] = message
            view, told = heard["view"], heard["time"]
            assert told["v"] == view["v"]
            assert told["clock"]["clocks"][0]["left_ms"] < 300_000


# Taking back.


async def sides_asked(lan: Networked, *tabs: ClientConnection) -> list[int | None]:
    """With which side, if any, each tab's wish to take back reaches the table."""
    lan.table.heard.clear()
    for tab in tabs:
        await say(tab, do="takeback", side=None)
        await say(tab, do="look", n=2)
        await hear_type(tab, "past")
    told = [message for message, _ in lan.table.heard]
    assert {one["do"] for one in told} == {"takeback"}
    return [one.get("side") for one in told]


async def test_nobody_resigns_or_takes_back_for_who_plays_on_another_device(lan: Networked) -> None:
    phone, other = await seated(lan, 1), lan.phone()
    async with open_tab(lan.here, "?tab=a") as host, phone.tab() as tab:
        lan.table.who = ["human", "bot:easy"]
        assert await sides_asked(lan, host) == [None]  # a machine plays the first side's opponent
        lan.table.who = ["human", "human"]
        assert await sides_asked(lan, host, tab) == [0, 1]
        # The host answers for its own side, and for a phone that is not there.
        await say(host, do="answer-back", side=1, yes=True)
        assert (await hear_type(host, "error"))["text"]["id"] == "network.answers-itself"
        for resigning in ({"do": "word", "word": "Resign "}, {"do": "move", "text": " RE sign"}):
            await say(host, side=1, **resigning)
            assert (await hear_type(host, "error"))["text"]["id"] == "network.resigns-itself"
        await other.open_link(seat(0))
        assert await sides_asked(lan, host, tab) == [None, 1]  # both play elsewhere
        lan.table.heard.clear()
        await say(host, do="answer-back", side=0, yes=True)
        await say(host, do="look", n=2)
        await hear_type(host, "past")
        assert [one["side"] for one, _ in lan.table.heard] == [0]
        await say(host, do="ask-back", on=False)
        assert await sides_asked(lan, tab) == [None]
    async with phone.tab() as tab:
        lan.door.access.ask_back(True)
        lan.door.stand_up(next(one for one in lan.access.entries if one.side == 0))
        assert await sides_asked(lan, tab) == [None]  # nobody has a page to answer on


# What has no address on a network.


@pytest.mark.parametrize(
    "path", ["/api/view", "/hands", "/api/calibrate", "/api/flash", "/static/../access.py"]
)
async def test_hands_statistics_and_makers_commands_have_no_address_here(
    lan: Networked, path: str
) -> None:
    lan.table.hands_url = "ws://127.0.0.1:1/hands"
    phone = lan.phone()
    await phone.open_link(HOST)
    assert (await phone.ask("GET", path)).status == 404


# Names, origins, headers.


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:80", f"{ADDRESS}:1@evil.example", f"{ADDRESS}:x",
        f"{ADDRESS}:", f"{ADDRESS}:80:80", f"{ADDRESS}:99999", "localhost", "[::1]", "",
        "lumiban.local.", "xlumiban.local", f"{ADDRESS} ",
    ],
)  # fmt: skip
async def test_only_the_names_that_were_printed_lead_here(lan: Networked, host: str) -> None:
    reader, writer = await asyncio.open_connection(ADDRESS, lan.there.port)
    writer.write(f"GET /join HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = await reader.readuntil(b"\r\n")
    writer.close()
    # A header is taken without the blanks around it.
    assert answer.split()[1] in ((b"200",) if host.strip() == ADDRESS else (b"400", b"403"))


@pytest.mark.parametrize("door", ["here", "there"])
@pytest.mark.parametrize("uri", ["http://evil.example/", "http://{own}/", "//x/", "*", "x"])
async def test_an_absolute_uri_is_refused(lan: Networked, door: str, uri: str) -> None:
    port = getattr(lan, door).port
    own = f"{ADDRESS}:{port}"
    reader, writer = await asyncio.open_connection(ADDRESS, port)
    writer.write(f"GET {uri.format(own=own)} HTTP/1.1\r\nHost: {own}\r\n\r\n".encode())
    answer = await reader.readuntil(b"\r\n")
    writer.close()
    assert answer.split()[1] in (b"400", b"403", b"404")


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://127.0.0.1"])
async def test_without_our_own_origin_no_cookie_counts(lan: Networked, origin: str) -> None:
    phone = lan.phone()
    await phone.open_link(HOST)
    body = json.dumps({"do": "sit", "side": 0}).encode()
    assert (await phone.ask("POST", "/api/join", body, origin=origin)).status == 403
    assert lan.access.holder(0) is None
    with pytest.raises(InvalidStatus) as refused:
        async with phone.tab(origin=origin or None):
            pass
    assert refused.value.response.status_code == 403


async def test_nobody_without_a_cookie_opens_a_socket(lan: Networked) -> None:
    for cookie in ("", f"{lan.door.cookie}=", f"{lan.door.cookie}=x", "lumiban-1=x"):
        phone = Phone(lan, cookie)
        with pytest.raises(InvalidStatus) as refused:
            async with phone.tab():
                pass
        assert refused.value.response.status_code == 401
        assert (await phone.ask("GET", "/api/room")).status == 401
        assert (await phone.ask("GET", "/")).headers["location"] == "/join"


async def test_every_answer_on_the_network_has_the_headers_that_guard_it(lan: Networked) -> None:
    phone = lan.phone()
    asked = [
        await phone.ask("GET", "/"),
        await phone.ask("GET", "/join"),
        await phone.ask("GET", "/nowhere"),
        await phone.ask("GET", "/static/main.js"),
        await phone.ask("GET", "/join", host="evil.example"),
        await phone.join("look"),
        await phone.join("enter", pin="1"),
        await phone.ask("POST", "/api/join", b"{"),
        await phone.open_link(seat(0)),
        await phone.ask("GET", "/k/no"),
        await phone.ask("GET", "/"),
    ]
    with pytest.raises(InvalidStatus) as refused:
        async with Phone(lan).tab():
            pass
    headers = [answer.headers for answer in asked]
    headers.append({k.lower(): v for k, v in refused.value.response.headers.raw_items()})
    for one in headers:
        assert one["x-content-type-options"] == "nosniff"
        assert one["cross-origin-resource-policy"] == "same-origin"
        assert one["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in one["content-security-policy"]


# New links.


async def ended(tab: ClientConnection) -> int:
    """The code with which a tab is ended."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await tab.recv()
    assert tab.close_code is not None
    return tab.close_code


async def test_new_links_kill_a_stolen_one_its_cookie_and_its_open_page(lan: Networked) -> None:
    owner, thief = lan.phone(), lan.phone()
    await owner.open_link(HOST)
    stolen = "/k/" + lan.access.link_secret(HOST)
    assert (await thief.ask("GET", stolen)).cookies
    async with owner.tab() as tab, thief.tab() as other:
        assert (await hear_type(tab, "hello"))["role"] == "host"
        assert (await hear_type(other, "hello"))["role"] == "viewer"
        pin = (await hear_type(tab, "network"))["pin"]
        # Only who leads the table may ask for them.
        await say(other, do="new-links")
        assert (await hear_type(other, "error"))["text"]["id"] == "page.error.viewer"
        await say(tab, do="new-links")
        assert await ended(other) == SHUT_OUT
        await say(tab, do="hint", level="none")
        while not lan.table.heard:  # the view before the hint may still be on its way
            await hear_type(tab, "view")
    assert lan.table.heard == [({"do": "hint", "level": "none"}, "host")]
    assert lan.access.pin != pin
    assert (await thief.ask("GET", "/")).headers["location"] == "/join"
    again = await Phone(lan).ask("GET", stolen)
    assert (again.headers["location"], again.cookies) == ("/join?old=1", [])
    with pytest.raises(InvalidStatus):
        async with thief.tab():
            pass
    assert (await owner.ask("GET", "/")).status == 200


async def test_the_page_of_the_service_is_for_who_may_lead_and_others_come_to_the_table(
    lan: Networked,
) -> None:
    for key, status in ((WATCH, 303), (GUEST, 303), (seat(0), 303), (HOST, 200)):
        phone = lan.phone()
        await phone.open_link(key)
        answer = await phone.ask("GET", "/service")
        assert (answer.status, answer.headers.get("location")) == (
            status,
            "/" if status == 303 else None,
        )


async def test_links_and_pin_are_told_to_the_host_alone(lan: Networked) -> None:
    """And an invitation to a screen of this machine that shows the game to a room."""
    phones = [lan.phone() for _ in range(3)]
    for phone, key in zip(phones, (seat(0), WATCH, HOST), strict=True):
        await phone.open_link(key)
    async with AsyncExitStack() as tabs:
        host = await tabs.enter_async_context(open_tab(lan.here, OWNS))
        told = await hear_type(host, "network")
        assert told["pin"] == lan.access.pin
        assert {one["key"] for one in told["links"]} == {GUEST, WATCH, HOST, seat(0), seat(1)}
        assert all(one["path"].startswith("M") for one in told["links"])
        opened = [await tabs.enter_async_context(phone.tab()) for phone in phones]
        for _ in range(2):  # it led by its link, until this machine took the lead back
            await hear_type(opened[2], "hello")
            await say(host, do="claim")
        watching = [await tabs.enter_async_context(phone.tab("?watch=1")) for phone in phones]
        screen = await tabs.enter_async_context(open_tab(lan.here, "?watch=1"))
        secrets = [lan.access.pin, *map(lan.access.link_secret, (GUEST, WATCH, HOST, seat(0)))]
        for tab in (*opened, *watching, screen):
            await say(tab, do="look", n=2)
            heard: list[dict[str, Any]] = []
            while not heard or heard[-1]["type"] != "past":
                heard.append(await hear(tab))
            types = {one["type"] for one in heard}
            assert "network" not in types
            assert ("invitation" in types) is (tab is screen)
            if tab is not screen:
                assert not any(secret in json.dumps(heard) for secret in secrets)


# Limits.


async def test_watchers_leave_places_for_who_plays_and_one_phone_takes_four() -> None:
    async with networked(SeatedTable(), most_sockets=8) as lan, AsyncExitStack() as tabs:
        watchers = [lan.phone() for _ in range(7)]
        for phone in watchers:
            await phone.open_link(WATCH)
        for phone in watchers[:6]:
            await hear_type(await tabs.enter_async_context(phone.tab()), "hello")
        with pytest.raises(InvalidStatus) as refused:
            async with watchers[6].tab():
                pass
        assert refused.value.response.status_code == 503
        assert b"connections to this table are open" in refused.value.response.body
        player = await seated(lan, 0)
        await hear_type(await tabs.enter_async_context(player.tab()), "hello")
        await hear_type(await tabs.enter_async_context(open_tab(lan.here)), "hello")
    async with networked(SeatedTable()) as lan, AsyncExitStack() as tabs:
        player = await seated(lan, 0)
        for _ in range(4):
            await hear_type(await tabs.enter_async_context(player.tab()), "hello")
        with pytest.raises(InvalidStatus) as refused:
            async with player.tab():
                pass
        assert refused.value.response.status_code == 503


async def test_an_endless_body_at_the_door_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PROGRESS_S", 0.05)
    async with networked(SeatedTable()) as lan:
        reader, writer = await asyncio.open_connection(ADDRESS, lan.there.port)
        head = f"POST /api/join HTTP/1.1\r\nHost: {ADDRESS}\r\nOrigin: http://{ADDRESS}\r\n"
        writer.write(head.encode() + b"Content-Length: 1000000\r\n\r\n{")
        answer = await reader.read()
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
        writer.close()
