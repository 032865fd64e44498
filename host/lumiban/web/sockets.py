"""The two WebSockets of the page: `/ws` to the table and `/hands` through to the simulator."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from lumiban.errors import LumibanError, UsageError
from lumiban.system.owner_token import is_shown
from lumiban.table.requests import (
    OFF_YES,
    AnswerBackRequest,
    ErrorText,
    LobbyRequest,
    MoveRequest,
    TableRequest,
    TakebackRequest,
    WordRequest,
    objection,
)
from lumiban.web.access import Entry
from lumiban.web.admission import Admission, DoorRequest, greeting
from lumiban.web.feed import Feed, packed
from lumiban.web.messages import (
    ClaimRequest,
    LookRequest,
    ReportRequest,
    hands_word,
    table_message,
)
from lumiban.web.tabs import Pace, Tab, Tabs

HANDS_BYTES = 1 << 18
"""The longest message taken from a simulator."""
SHUT_OUT = 4001
"""Close code for a person who came in by a link that was replaced."""
SIMULATOR_GONE = 1013
"""Close code "try again later": the page does."""
SLOW_S = 20.0
"""Time after which a tab that takes nothing is closed; until then it gets the newest view only."""

WISHES_A_TAB = (20.0, 40)
WISHES = (40.0, 80)
"""Messages a second that one tab, and all together, have answered, after a burst of that many: the
table has stones to attend to. A tab that sends more is read more slowly."""
HANDS = (600.0, 600)
"""Messages a second for the simulated hands of all tabs: a hand is carried at 60 steps a second."""
LOOKS = (10.0, 20)
"""The same for one tab that only watches."""


SPEAKS_S = 5.0
"""Longest silence towards a page: after a longer one its line is dead, even if it seems open."""


class _Clock(msgspec.Struct):
    running: int | None


class _Timed(msgspec.Struct):
    """Fields of a view that depend on time."""

    v: int
    clock: _Clock | None = None


class _Present(msgspec.Struct):
    """The same fields as a page receives them."""

    v: int
    clock: msgspec.Raw


_timed = msgspec.json.Decoder(_Timed)
_present = msgspec.json.Decoder(_Present)
ALIVE = packed("alive", {})
TWIN = packed("twin", {})
"""Tells a tab that another one came with its token: it is to take another token."""
STILL = packed("alive", {"still": True})
"""The page's server lives, and the table has not answered it for `ANSWERS_S`."""
ANSWERS_S = 3.0
HEARD = packed("heard", {})
"""Answer of the simulator's line to each message of a page."""


def error(id: str, **params: Any) -> ErrorText:
    """Message that says why another could not be followed."""
    return {"id": id, "params": params}


async def _refuse(socket: WebSocket, reason: str, status: int) -> None:
    await socket.send_denial_response(PlainTextResponse(reason + "\n", status))


def _token(socket: WebSocket) -> str:
    return socket.query_params.get("tab", "")[:64]


def _wants_answers(socket: WebSocket) -> bool:
    """True if the page wants an acknowledgement of each of its acts."""
    return "answers" in socket.query_params


async def _heard(socket: WebSocket) -> bytes | None:
    """Next message of the page, None when it has gone."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        return None
    raw: bytes = message["bytes"]
    return raw


async def _first_of(*jobs: Any) -> None:
    """Run `jobs` concurrently until one ends, then cancel the others."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class TableSocket:
    """`/ws`: sends a tab every view, and the table the tab's requests.

    `door` is that of a network; with `by_cookie` only those who came in through it are served.
    `owner` is the token that the owner's page shows.
    """

    def __init__(
        self,
        table: Feed,
        tabs: Tabs,
        door: Admission | None = None,
        *,
        by_cookie: bool = False,
        owner: str = "",
    ) -> None:
        self.table = table
        self.tabs = tabs
        self._door = door
        self._by_cookie = by_cookie
        self._owner = owner
        self._pace = Pace(*WISHES)
        self._turn = asyncio.Lock()

    async def talk(self, socket: WebSocket) -> None:
        """Serve one socket until it closes."""
        entry = None
        if self._by_cookie:
            entry = self._door.entry_of(socket.cookies) if self._door is not None else None
            if entry is None:
                await _refuse(socket, "nobody has come in with this cookie: open /join", 401)
                return
        with self.tabs.socket(entry) as full:
            if full is not None:
                await _refuse(socket, full, 503)
                return
            await socket.accept()
            await self._serve(socket, entry)

    async def _serve(self, socket: WebSocket, entry: Entry | None) -> None:
        token = _token(socket)
        if entry is not None and token:
            token = f"{entry.number}:{token}"
        asked = socket.query_params
        tab = Tab(
            token,
            only_watches="watch" in asked,
            entry=entry,
            keeps_views="changes" in asked,
            answers=_wants_answers(socket),
            owns=is_shown(self._owner, asked.get("owner", "")),
        )
        twin = self.tabs.enter(tab)
        if twin is not None:
            # A dead line hears nothing; a tab that is shown still, and was duplicated, does.
            twin.say(TWIN)
            self._greet(twin)
        if self._door is not None:
            self._door.arrived(tab)
        self._greet(tab)
        unwatch = self.table.watch(tab.show)
        jobs = (self._send(socket, tab), self._listen(socket, tab), tab.ended.wait())
        telling = asyncio.ensure_future(self._tell_time(tab))
        try:
            await _first_of(*jobs)
            if tab.ended.is_set():
                await socket.close(SHUT_OUT, "the links of this table are new ones")
        except (WebSocketDisconnect, TimeoutError):
            pass  # the tab closed while we were sending, or took nothing
        finally:
            telling.cancel()
            unwatch()
            self.tabs.leave(tab)
            self._tell_whether_led()
            if self._door is not None:
                self._door.departed(tab)

    async def _tell_time(self, tab: Tab) -> None:
        """Send the present reading of running clocks: the newest view may be minutes old."""
        try:
            view = _timed.decode(self.table.latest())
            if view.clock is None or view.clock.running is None or not tab.answers:
                return
            now = _present.decode(await self.table.view())
        except (msgspec.DecodeError, LumibanError):  # a scripted table has no views of ours
            return
        tab.say(packed("time", {"v": now.v, "clock": now.clock}))

    def _tell_whether_led(self) -> None:
        """Tell all tabs whether one leads this table: a closed one does not."""
        notice = packed("led", {"on": self.tabs.host is not None})
        for tab in self.tabs.all:
            if tab.answers:
                tab.say(notice)

    def _greet(self, tab: Tab) -> None:
        tab.say(greeting(self.table, tab))
        self._tell_whether_led()
        if self._door is not None:
            self._door.entered(tab)

    async def _send(self, socket: WebSocket, tab: Tab) -> None:
        while True:
            try:
                async with asyncio.timeout(SPEAKS_S):
                    messages = await tab.next_messages()
            except TimeoutError:
                messages = [await self._beat()]
            for message in messages:
                async with asyncio.timeout(SLOW_S):
                    await socket.send_text(message)

    async def _beat(self) -> str:
        """Send the table an empty request: its answer shows that it is alive."""
        try:
            async with asyncio.timeout(ANSWERS_S):
                await self.table.look(-1)
        except TimeoutError:
            return STILL
        return ALIVE

    async def _listen(self, socket: WebSocket, tab: Tab) -> None:
        pace = Pace(*WISHES_A_TAB)
        while (raw := await _heard(socket)) is not None:
            await pace.wait()
            # One after the other: a table has at most one message of pages before it.
            async with self._turn:
                await self._pace.wait()
                if tab.ended.is_set():
                    return
                answer = await self._follow(raw, tab)
            if isinstance(answer, str):
                tab.say(answer)
                answer = None
            if tab.answers:
                tab.say(packed("heard", {"text": answer}))
            elif answer is not None:
                tab.say(packed("error", {"text": answer}))

    async def _follow(self, raw: bytes, tab: Tab) -> str | ErrorText | None:
        """Follow a request of the page; its result, or why it is refused."""
        try:
            message = table_message(raw)
        except UsageError as fault:
            return error("page.error.message", reason=str(fault))
        if isinstance(message, ClaimRequest):
            return self._claim(tab)
        if isinstance(message, ReportRequest):
            self.table.report(message.text)
            return None
        if isinstance(message, LookRequest):
            past = await self.table.look(message.n, message.line)
            return error("page.error.no-past") if past is None else past
        if isinstance(message, DoorRequest):
            if self._door is None:
                return error("page.error.no-network")
            refusal = self._door.follow(message, tab)
            return None if refusal is None else error(refusal)
        assert isinstance(message, TableRequest)
        refused = objection(message, tab.role)
        if refused is not None:
            return refused
        if isinstance(message, LobbyRequest) and message.choose == OFF_YES and not tab.owns:
            return error("page.error.owner-alone")
        if isinstance(message, TakebackRequest):
            side = None if self._door is None else self._door.asks_back(tab)
            message = TakebackRequest(side)
        elif (unheard := self._not_for(message, tab)) is not None:
            return error(unheard)
        try:
            return await self.table.command(message, tab.role)
        except LumibanError as fault:
            return error("page.error.plain", reason=str(fault))

    def _not_for(self, message: TableRequest, tab: Tab) -> str | None:
        """Reason why this tab may not say that for a side, a text id: nobody resigns, or allows a
        takeback, for a person who plays elsewhere."""
        door = self._door
        if door is None:
            return None
        if isinstance(message, WordRequest | MoveRequest) and _resigns(message):
            return None if door.plays(message.side, tab) else "network.resigns-itself"
        if isinstance(message, AnswerBackRequest):
            return None if door.may_answer(message.side, tab) else "network.answers-itself"
        return None

    def _claim(self, tab: Tab) -> ErrorText | None:
        if tab.only_watches:
            return error("page.error.viewer")
        if self._door is not None:
            refusal = self._door.claim(tab)
            if refusal is not None:
                return error(refusal)
            if tab.entry is not None:
                return None
        elif (before := self.tabs.claim(tab)) is not None:
            self._greet(before)
        self._greet(tab)
        return None


class HandsSocket:
    """`/hands`: passes messages between a tab and the simulator; only the host's hands act."""

    def __init__(self, table: Feed, tabs: Tabs) -> None:
        self.table = table
        self.tabs = tabs
        self._pace = Pace(*HANDS)

    async def talk(self, socket: WebSocket) -> None:
        """Serve one socket until it closes."""
        address = self.table.hands_url
        if address is None:
            await _refuse(socket, "this is a real board: it has no simulated hands", 404)
            return
        with self.tabs.socket() as full:
            if full is not None:
                await _refuse(socket, full, 503)
                return
            await self._relay(socket, address)

    async def _relay(self, socket: WebSocket, address: str) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        await socket.accept()
        try:
            # What this machine's own simulator answers late is not lost: no keepalive.
            async with connect(
                address,
                max_size=HANDS_BYTES,
                compression=None,
                proxy=None,
                open_timeout=None,
                ping_interval=None,
            ) as simulator:
                await _first_of(
                    self._outward(socket, simulator),
                    self._inward(socket, simulator),
                    self._speak(socket),
                )
        except (OSError, WebSocketException):
            await self._gone(socket)
        except (WebSocketDisconnect, TimeoutError):
            pass  # the tab closed while we were sending, or took nothing

    async def _gone(self, socket: WebSocket) -> None:
        try:
            await socket.send_text(packed("error", {"text": error("page.error.simulator")}))
            await socket.close(SIMULATOR_GONE, "the simulator does not answer")
        except (WebSocketDisconnect, RuntimeError):
            pass  # the tab was faster

    async def _inward(self, socket: WebSocket, simulator: Any) -> None:
        async for message in simulator:
            async with asyncio.timeout(SLOW_S):
                if isinstance(message, bytes):
                    await socket.send_bytes(message)
                else:
                    await socket.send_text(message)

    async def _speak(self, socket: WebSocket) -> None:
        while True:
            await asyncio.sleep(SPEAKS_S)
            async with asyncio.timeout(SLOW_S):
                await socket.send_text(ALIVE)

    async def _outward(self, socket: WebSocket, simulator: Any) -> None:
        token = _token(socket)
        looks = Pace(*LOOKS)
        answers = _wants_answers(socket)
        while (raw := await _heard(socket)) is not None:
            acts = self.tabs.may_act(token)
            await (self._pace if acts else looks).wait()
            try:
                word = hands_word(raw)
            except UsageError as fault:
                reason = error("page.error.message", reason=str(fault))
                await socket.send_text(packed("error", {"text": reason}))
                word = ""
            # Looking at the field moves nothing: viewers may.
            if word and word != "field" and not acts:
                await socket.send_text(packed("error", {"text": error("page.error.viewer")}))
            elif word:
                await simulator.send(raw, text=True)
            if answers and word not in ("carry", "field"):  # these come sixty times a second
                await socket.send_text(HEARD)


def _resigns(message: WordRequest | MoveRequest) -> bool:
    """True if the act resigns, as a word or noted as a move: games ignore case and spaces in
    both."""
    text = message.word if isinstance(message, WordRequest) else message.text
    return "resign" in "".join(text.split()).lower()
