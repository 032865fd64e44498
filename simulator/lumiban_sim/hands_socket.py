"""The `/hands` WebSocket: people's hands come in, pieces, light and hands go out.

Each guest has a slot for each type of message and gets the newest of it: a slow page misses
frames, never the last. docs/page.md gives the messages.
"""

from __future__ import annotations

import asyncio
import hmac
import http
import json
import logging
from collections.abc import Callable, Iterable
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

import msgspec
from lumiban.boards.profile import MAX_CELLS
from lumiban.system.request_origin import named, origin
from lumiban_fw.wire import FIRST_BUTTON, NEUTRAL, WHITE
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from lumiban_sim.hands import Errand
from lumiban_sim.rig import Rig
from lumiban_sim.world import BUTTONS, FOREVER

LIGHT_US = 16_667
"""At least this long between two frames of light or hands for the page."""
FIELD_US = 66_667
MAX_GUESTS = 64
"""Connections at once: as many as a table's page relays, and others beside it."""
MAX_HANDS = 16
"""Hands of one guest."""
MAX_ERRANDS = 32
"""Errands that may wait for one hand."""
ERRORS = 16
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers of every answer."""
_silent = logging.getLogger("lumiban_sim.hands_socket")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False  # garbage at the door is answered; it is no news for a terminal


class _Guest:
    """One connection, and what waits to be sent over it."""

    def __init__(self, number: int, line: ServerConnection, *, looks: bool) -> None:
        self.prefix = f"{number}/"
        self.line = line
        self.looks = looks
        """True if it sees light and hands; else the pieces alone."""
        self.wants_field = False
        self.errors = 0
        self._slots: dict[str, str] = {}
        self._filled = asyncio.Event()

    def post(self, slot: str, text: str) -> None:
        self._slots[slot] = text
        self._filled.set()

    def complain(self, id: str, **params: object) -> None:
        self.errors += 1
        text = json.dumps({"type": "error", "text": {"id": id, "params": params}})
        self.post(f"error {self.errors % ERRORS}", text)

    async def send(self) -> None:
        """Send what is posted, for as long as the line holds."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._slots:
                slot = next(iter(self._slots))
                await self.line.send(self._slots.pop(slot))


def _guard(_line: ServerConnection, _request: Request, response: Response) -> Response:
    """Tell browsers to guess nothing and to let no other page read an answer."""
    for name, value in SECURITY_HEADERS.items():
        response.headers[name] = value
    return response


class HandsServer:
    """Lets hands reach into a rig from the same machine, for those who know the token.

    `catch_up` brings the world to the present before a message is followed; `acted` is called
    after it was. `cable` pulls the board's cable out (False) or puts it in.
    """

    def __init__(
        self,
        rig: Rig,
        token: str,
        catch_up: Callable[[], None],
        acted: Callable[[], None],
        cable: Callable[[bool], None] = lambda plugged: None,
    ) -> None:
        self.rig = rig
        self.token = token
        self.guests: dict[int, _Guest] = {}
        self.port = 0
        self._catch_up = catch_up
        self._acted = acted
        self._cable = cable
        self._server: Server | None = None
        self._count = 0
        self._kinds = rig.kinds
        self._light_frames = rig.world.light_frames
        self._light_us = self._hands_us = self._field_us = -FIELD_US
        self._hands = rig.hands.shown()
        self._field: list[int] = []
        self._lookers: list[_Guest] = []
        self._look_again()

    @property
    def url(self) -> str:
        """Address that a guest opens."""
        return f"ws://127.0.0.1:{self.port}/hands?token={self.token}"

    async def open(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one. OSError when the port is taken."""
        self._server = await serve(
            self._welcome,
            "127.0.0.1",
            port,
            process_request=self._check,
            process_response=_guard,
            max_size=MAX_MESSAGE,
            compression=None,
            ping_interval=None,  # guests are of this machine; a slow one is not gone
            logger=_silent,
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def close(self) -> None:
        """Send all guests away."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def _check(self, line: ServerConnection, request: Request) -> Response | None:
        """Refuse pages of other sites, other paths and strangers."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if named(hosts) is None:
            return line.respond(http.HTTPStatus.FORBIDDEN, "open this by its address 127.0.0.1\n")
        if origins and origin(origins) is None:
            return line.respond(http.HTTPStatus.FORBIDDEN, "pages of this machine only\n")
        address = urlsplit(request.path)
        if address.path != "/hands":
            return line.respond(http.HTTPStatus.NOT_FOUND, "there is only /hands here\n")
        given = parse_qs(address.query).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return line.respond(http.HTTPStatus.FORBIDDEN, "the token is missing or wrong\n")
        if len(self.guests) >= MAX_GUESTS:
            return line.respond(
                http.HTTPStatus.SERVICE_UNAVAILABLE,
                f"{MAX_GUESTS} pages are open at this board: close one\n",
            )
        return None

    async def _welcome(self, line: ServerConnection) -> None:
        self._count += 1
        number = self._count
        request = line.request
        looks = request is None or parse_qs(urlsplit(request.path).query).get("only") != ["world"]
        guest = self.guests[number] = _Guest(number, line, looks=looks)
        self._look_again()
        self._catch_up()
        guest.post("world", self._world_text())
        if self._lookers == [guest]:
            self._hands = self.rig.hands.shown()  # nobody was told of them
        if looks:
            guest.post("light", self._light_text())
            guest.post("hands", self._hands_text(guest))
        sender = asyncio.create_task(guest.send())
        try:
            async for raw in line:
                self._hear(guest, raw)
        except ConnectionClosed:
            pass  # without a farewell; it is gone all the same
        finally:
            sender.cancel()
            await asyncio.wait([sender])
            if not sender.cancelled():
                sender.exception()  # the line broke under it: nothing more to say
            del self.guests[number]
            self._look_again()
            self._catch_up()
            self.rig.hands.leave(guest.prefix)
            self._acted()

    # What guests say.

    def _hear(self, guest: _Guest, raw: str | bytes) -> None:
        try:
            message = read_message(raw, len(self.rig.profile.cells))
        except ValueError as error:
            guest.complain("hands.message", reason=str(error))
            return
        self._catch_up()
        self._follow(guest, message)
        self._acted()

    def _follow(self, guest: _Guest, message: Message) -> None:
        hands = self.rig.hands
        if isinstance(message, Field):
            guest.wants_field = message.on
            self._field = []
            return
        if isinstance(message, Cable):
            self._cable(message.plugged)
            return
        if isinstance(message, Button):
            self.rig.world.press(message.button - FIRST_BUTTON, message.down)
            return
        if isinstance(message, Lay):
            hands.lay(message.pieces)
            return
        name = guest.prefix + message.hand
        if not hands.known(name) and hands.named(guest.prefix) >= MAX_HANDS:
            guest.complain("hands.crowded", most=MAX_HANDS)
            return
        wrong = ""
        cell = -1
        if isinstance(message, Place | Lift):
            if hands.waiting(name) >= MAX_ERRANDS:
                wrong = "busy"
            elif isinstance(message, Place):
                hands.place(message.cell, message.kind, hand=name)
            else:
                hands.lift(message.cell, hand=name)
        elif isinstance(message, Grab):
            cell = -1 if message.cell is None else message.cell
            wrong = hands.grab(name, kind=message.kind or 0, cell=cell)
        elif isinstance(message, Recall):
            hands.recall(name)
        elif isinstance(message, Carry):
            wrong = hands.carry(name, message.x, message.y, message.h)
        else:
            wrong = hands.drop(name)
        if wrong:
            self._refuse(guest, wrong, cell)

    def _refuse(self, guest: _Guest, why: str, cell: int) -> None:
        if why in ("taken", "empty", "held"):
            guest.complain(f"hands.{why}", cell=self.rig.profile.grid.name(cell))
        else:
            guest.complain(f"hands.{why}")

    def _answer(self, errand: Errand) -> None:
        for guest in self.guests.values():
            if errand.hand.startswith(guest.prefix):
                self._refuse(guest, errand.reason, errand.cell)

    # What guests see.

    def show(self, now_us: int) -> int:
        """Post what changed; returns when there will be more to show, `FOREVER` for never."""
        rig = self.rig
        for errand in rig.hands.refused:
            self._answer(errand)
        rig.hands.refused.clear()
        if not self.guests:
            return FOREVER
        kinds = rig.kinds
        if kinds != self._kinds:
            self._kinds = kinds
            self._post("world", self._world_text(), self.guests.values())
        if not self._lookers:
            moving = now_us + LIGHT_US if rig.world.moves(now_us) else FOREVER
            return min(moving, self._show_field(now_us))
        due = FOREVER
        if rig.world.light_frames != self._light_frames:
            if now_us >= self._light_us + LIGHT_US:
                self._light_us, self._light_frames = now_us, rig.world.light_frames
                self._post("light", self._light_text(), self._lookers)
            else:
                due = self._light_us + LIGHT_US
        return min(due, self._show_hands(now_us), self._show_field(now_us))

    def _show_hands(self, now_us: int) -> int:
        if now_us < self._hands_us + LIGHT_US:
            return self._hands_us + LIGHT_US
        shown = self.rig.hands.shown()
        if shown != self._hands:
            self._hands, self._hands_us = shown, now_us
            for guest in self._lookers:
                guest.post("hands", self._hands_text(guest))
        return now_us + LIGHT_US if self.rig.world.moves(now_us) else FOREVER

    def _show_field(self, now_us: int) -> int:
        watchers = [guest for guest in self.guests.values() if guest.wants_field]
        if not watchers:
            return FOREVER
        if now_us < self._field_us + FIELD_US:
            return self._field_us + FIELD_US
        field = [round(ut) for ut in self.rig.world.field_ut(now_us)]
        if field != self._field:
            self._field, self._field_us = field, now_us
            text = json.dumps({"type": "field", "ut": field})
            for guest in watchers:
                guest.post("field", text)
        return now_us + FIELD_US if self.rig.world.moves(now_us) else FOREVER

    def _look_again(self) -> None:
        """Guests have come or gone."""
        self._lookers = [guest for guest in self.guests.values() if guest.looks]
        self.rig.chip.be_seen(bool(self._lookers))

    def _post(self, slot: str, text: str, guests: Iterable[_Guest]) -> None:
        for guest in guests:
            guest.post(slot, text)

    def _world_text(self) -> str:
        rig = self.rig
        return json.dumps({"type": "world", "profile": rig.profile.name, "kinds": rig.kinds})

    def _light_text(self) -> str:
        return json.dumps({"type": "light", "rgb": self.rig.light.hex()})

    def _hands_text(self, guest: _Guest) -> str:
        """Own hands under their own names, others' with their guest's number before."""
        hands = [
            {
                "hand": held.hand.removeprefix(guest.prefix),
                "x": round(held.x, 1),
                "y": round(held.y, 1),
                "h": round(held.h, 1),
                "kind": held.kind,
            }
            for held in self._hands
        ]
        return json.dumps({"type": "hands", "hands": hands})


# What a page may say, checked whole before any of it is done.

Cell = Annotated[int, msgspec.Meta(ge=0, lt=MAX_CELLS)]
Kind = Annotated[int, msgspec.Meta(ge=WHITE, le=NEUTRAL)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
Reach = Annotated[float, msgspec.Meta(ge=-10_000, le=10_000)]
MAX_MESSAGE = 1024
"""Bytes of a message."""


class HandsMessage(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Anything said on `/hands`."""


class Place(HandsMessage, tag="place"):
    """A hand sets a piece of this kind onto a cell."""

    cell: Cell
    kind: Kind
    hand: Name = "help"


class Lift(HandsMessage, tag="lift"):
    """A hand takes the piece off a cell."""

    cell: Cell
    hand: Name = "help"


class Lay(HandsMessage, tag="lay"):
    """Pieces are there at once, without a hand: a kind by each cell, 0 for none."""

    pieces: dict[Cell, Annotated[int, msgspec.Meta(ge=0, le=NEUTRAL)]]


class Grab(HandsMessage, tag="grab"):
    """A person takes a piece from the bowl (`kind`) or from the board (`cell`)."""

    hand: Name
    kind: Kind | None = None
    cell: Cell | None = None


class Carry(HandsMessage, tag="carry"):
    """A person's hand moves, in mm."""

    hand: Name
    x: Reach
    y: Reach
    h: Reach


class Drop(HandsMessage, tag="drop"):
    """A person lets go."""

    hand: Name


class Recall(HandsMessage, tag="recall"):
    """Request that voids the errands of a hand; a stone that it is bringing goes back."""

    hand: Name = "help"


class Field(HandsMessage, tag="field"):
    """The field of the cells is wanted, or no longer."""

    on: bool


class Button(HandsMessage, tag="button"):
    """A button of the board goes down or up."""

    button: Annotated[int, msgspec.Meta(ge=FIRST_BUTTON, lt=FIRST_BUTTON + BUTTONS)]
    down: bool


class Cable(HandsMessage, tag="cable"):
    """The board's cable is pulled out or put back in; it keeps its own power."""

    plugged: bool


Message = Place | Lift | Lay | Grab | Carry | Drop | Recall | Field | Button | Cable
_decoder = msgspec.json.Decoder(Message)


def read_message(raw: str | bytes, cells: int) -> Message:
    """The message in `raw`, for a board of `cells` cells; ValueError says what is wrong with it.

    >>> read_message('{"do": "lift", "cell": 12}', 61).cell
    12
    >>> read_message('{"do": "lift", "cell": 12}', 7)
    Traceback (most recent call last):
    ValueError: cell 12 does not exist: the board has 0 to 6
    """
    try:
        message: Message = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    named = [*message.pieces] if isinstance(message, Lay) else [getattr(message, "cell", None)]
    cell = max((one for one in named if one is not None), default=None)
    if cell is not None and cell >= cells:
        raise ValueError(f"cell {cell} does not exist: the board has 0 to {cells - 1}")
    if isinstance(message, Grab) and (message.kind is None) == (message.cell is None):
        raise ValueError("grab takes either a kind from the bowl or a cell of the board")
    return message
