"""Admission to a table on a network: who comes in, sits and leads, and what the host is told.

`web.access` checks links, PINs and cookies and decides what is allowed; this tells the tabs what
follows. One admission serves the pages on the network and those on this machine, whose host sees
links, PIN and phones.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

from lumiban.table.requests import HOST, VIEWER, SeatRequest, side_of
from lumiban.web.access import GUEST, WATCH, Access, Entry, Secrets
from lumiban.web.assets import ASSETS
from lumiban.web.feed import JSON, Feed, packed
from lumiban.web.messages import (
    AdmitRequest,
    AskBackRequest,
    FreeSeatRequest,
    NewLinksRequest,
    WatchFreelyRequest,
)
from lumiban.web.tabs import Tab, Tabs

DoorRequest = AdmitRequest | NewLinksRequest | FreeSeatRequest | WatchFreelyRequest | AskBackRequest
"""Requests of the host to the door."""
HUMAN = "human"
"""Player of a seat that no machine plays."""
CLAIM_S = 60.0
"""Longest wait of a claim for the host or a button of the board."""


class _Game(msgspec.Struct):
    sides: list[str] = []


class _Seat(msgspec.Struct):
    who: str


class _Seats(msgspec.Struct):
    """Fields of a view that admission needs."""

    game: _Game = msgspec.field(default_factory=_Game)
    seats: list[_Seat] = []


_seats = msgspec.json.Decoder(_Seats)


def greeting(feed: Feed, tab: Tab) -> str:
    """`hello` of a tab. Over a network nobody has simulated hands: a page there is as at a real
    board."""
    side = side_of(tab.role)
    sits = tab.entry.side if side is None and tab.entry is not None else side
    hello = {**feed.hello(), "role": tab.role if side is None else "seat"}
    hello["version"] = ASSETS.version
    hello["owner"] = tab.owns
    if sits is not None:
        hello["side"] = sits
    if tab.entry is not None:
        may_lead = HOST in tab.entry.keys
        hello |= {"simulated": False, "network": True, "side": sits, "may_lead": may_lead}
    return packed("hello", hello)


class Admission:
    """Admission over one network. `url` is the address there, `port` names its cookies; `names` are
    the accepted host names, to which a name found later is added. `is_private`: by TLS."""

    def __init__(
        self, access: Access, tabs: Tabs, feed: Feed, *, url: str, is_private: bool = False
    ) -> None:
        self.access = access
        self.tabs = tabs
        self.feed = feed
        self.url = url
        self.by_name = ""
        """The same address by a name, once there is one."""
        self.is_private = is_private
        self.cookie = f"lumiban-{urlsplit(url).port or 'page'}"
        """Cookies of one machine are not kept apart by ports."""
        self.renewed: Callable[[], None] = lambda: None
        """Hears that there are new links."""
        self._numbers = itertools.count(1)
        self._claim: tuple[int, Tab, float] | None = None
        self._coming: tuple[Entry, float] | None = None
        """Person who has opened the leader's link, and the time until which their page is
        awaited."""
        self._is_taken_back = False
        """True if this machine took the lead from a phone: it is asked from then on."""

    # Coming in.

    def entry_of(self, cookies: Mapping[str, str]) -> Entry | None:
        """Entry of the person with this cookie, None where there is none."""
        cookie = cookies.get(self.cookie, "")
        return self.access.entry(cookie) if cookie else None

    def come_in(self, key: str, entry: Entry | None) -> tuple[Entry, str]:
        """Admit a person with this key; returns the entry and a new cookie or ""."""
        entry, cookie = self.access.come_in(key, entry)
        if key == HOST:
            self._coming = (entry, asyncio.get_running_loop().time() + CLAIM_S)
        self._tell(entry)
        return entry, cookie

    async def sit(self, entry: Entry, side: int, *, takes_over: bool, name: str = "") -> str | None:
        """Give a person of this name a side, in place of a bot that plays it; None, or a text
        id."""
        seats = self._seats()
        if not 0 <= side < len(seats.seats):
            return "join.no-seat"
        before = self.access.holder(side)
        reason = self.access.sit(entry, side, takes_over=takes_over)
        if reason is not None:
            return reason
        entry.name = name.strip()
        for one in {entry.number: entry, **({before.number: before} if before else {})}.values():
            self._tell(one)
        for tab in self.tabs.free(side):
            tab.say(greeting(self.feed, tab))
        await self.seat_person(side)
        return None

    async def seat_person(self, side: int) -> None:
        """Have a person play this side instead of a bot."""
        seats = self._seats().seats
        if side < len(seats) and seats[side].who != HUMAN:
            await self.feed.command(SeatRequest(side, HUMAN), HOST)

    def stand_up(self, entry: Entry) -> None:
        """Let a person watch from now on."""
        self.access.stand_up(entry)
        self._tell(entry)

    def seats(self, entry: Entry | None) -> JSON:
        """State of the join page: the seats, this person's identity, and their permissions."""
        seats = self._seats()
        shown = []
        for side, (name, seat) in enumerate(zip(seats.game.sides, seats.seats, strict=False)):
            holder = self.access.holder(side)
            shown.append(
                {
                    "side": side,
                    "name": name,
                    "who": seat.who,
                    "taken": holder is not None and holder is not entry,
                    "player": holder.name if holder and entry else "",
                    "mine": holder is not None and holder is entry,
                }
            )
        keys = entry.keys if entry is not None else set()
        return {
            "is_in": entry is not None,
            "keys": sorted(keys),
            "side": None if entry is None else entry.side,
            "seats": shown,
            "watch": self.access.kept.are_watchers_free,
            "private": self.is_private,
        }

    def _seats(self) -> _Seats:
        return _seats.decode(self.feed.latest())

    # What tabs say.

    def follow(
        self,
        message: DoorRequest,
        tab: Tab,
    ) -> str | None:
        """Follow a request of the host about admission; None, or the id of the sentence that says
        why not."""
        if tab.role != HOST:
            return "page.error.host-alone" if side_of(tab.role) is not None else "page.error.viewer"
        if isinstance(message, AdmitRequest):
            return self._answer(message)
        if isinstance(message, NewLinksRequest | WatchFreelyRequest) and not _may_invite(tab):
            return "page.error.owner-alone"
        if isinstance(message, NewLinksRequest):
            self.renew(tab.entry)
        elif isinstance(message, FreeSeatRequest):
            holder = self.access.holder(message.side)
            if holder is not None:
                self.stand_up(holder)
        elif isinstance(message, AskBackRequest):
            self.access.ask_back(message.on)
            self._tell()
        else:
            self.access.let_watchers_in(message.on)
            self._shut_out()
            self._tell()
        return None

    def renew(self, keep: Entry | None = None) -> None:
        """Make new links and a new PIN; entries by the old ones end at once."""
        self.access.renew(keep)
        self._claim = self._coming = None
        self._is_taken_back = False
        self._shut_out()
        self._tell()
        self.renewed()

    def restore(self, kept: Secrets) -> None:
        """Continue with these secrets; tabs whose entry is not among them are closed."""
        self.access.restore(kept)
        self._claim = self._coming = None
        self._is_taken_back = False
        self._shut_out()
        self._tell()

    def claim(self, tab: Tab) -> str | None:
        """Ask for the lead from a tab on the network: the host answers, or a button of the board;
        None, or the id of the sentence that says why not."""
        if tab.entry is None:
            self._take_lead(tab)
            return None
        if tab.role == HOST:
            return None
        if tab.role == VIEWER and HOST not in tab.entry.keys:
            return "page.error.viewer"
        host = self.tabs.host
        if host is None and HOST in tab.entry.keys:
            self._lead(tab)
            return None
        now = asyncio.get_running_loop().time()
        if self._claim is not None and self._claim[2] > now and self._claim[1] is not tab:
            return "page.error.claim-waits"
        number = next(self._numbers)
        self._claim = (number, tab, now + CLAIM_S)
        if host is not None:
            host.say(self._asks(number, tab))
        return None

    def plays(self, side: int, tab: Tab) -> bool:
        """True if a person's side is played in this tab: on a phone, in the page that handed over
        the lead, or else in the leading tab."""
        holder = self.access.holder(side)
        if holder is not None:
            return holder is tab.entry
        here = self.tabs.playing(side)
        return tab in here if here else tab.role == HOST

    def may_answer(self, side: int, tab: Tab) -> bool:
        """True if this tab answers for a side: the leading tab does so for a phone that sleeps."""
        holder = self.access.holder(side)
        is_away = holder is not None and all(one.entry is not holder for one in self.tabs.all)
        return self.plays(side, tab) or (is_away and tab.role == HOST)

    def asks_back(self, tab: Tab) -> int | None:
        """Side whose person, in this tab, asks the opponent before a takeback; None where both play
        here, or nobody can be asked."""
        seats = enumerate(self._seats().seats)
        people = [side for side, seat in seats if seat.who == HUMAN]
        mine = [side for side in people if self.plays(side, tab)]
        if not self.access.kept.asks_back or len(people) != 2 or len(mine) != 1:
            return None
        other = people[1 - people.index(mine[0])]
        is_there = self.access.holder(other) or self.tabs.playing(other) or self.tabs.host
        return mine[0] if is_there else None

    def pressed(self) -> None:
        """Follow a button press at the board: it opens the PIN, and agrees to a claim."""
        self.access.open_pin()
        claim = self._waiting()
        if claim is not None:
            self._claim = None
            self._lead(claim[1])

    def _answer(self, message: AdmitRequest) -> str | None:
        claim = self._waiting()
        if claim is None or claim[0] != message.claim:
            return "page.error.no-claim"
        self._claim = None
        if message.yes:
            self._lead(claim[1])
        else:
            claim[1].say(packed("error", {"text": {"id": "page.error.claim-no", "params": {}}}))
        return None

    def _waiting(self) -> tuple[int, Tab, float] | None:
        claim = self._claim
        if claim is None or asyncio.get_running_loop().time() > claim[2]:
            return None
        return claim

    def arrived(self, tab: Tab) -> None:
        """Take in a new tab before its greeting. A tab by the leader's link leads, unless a phone
        leads, or this machine took the lead back: then the leader is asked, so that a stolen link
        takes nothing from the rightful leader."""
        coming, now = self._coming, asyncio.get_running_loop().time()
        if coming is None or tab.entry is not coming[0] or tab.only_watches:
            return
        self._coming = None
        if now > coming[1] or tab.role == HOST:
            return
        host = self.tabs.host
        if host is None or (host.entry is None and not self._is_taken_back):
            self._take_lead(tab)
        else:
            self.claim(tab)

    def _lead(self, tab: Tab) -> None:
        """Give this tab the lead, as was agreed to."""
        assert tab.entry is not None
        self._is_taken_back = False
        self._take_lead(tab)
        self._tell(tab.entry)

    def _take_lead(self, tab: Tab) -> None:
        """Give this tab the lead, with its own seat; the former leader plays their own, or the one
        that is left: no seat becomes empty by it."""
        if tab.entry is not None:
            self.access.lead(tab.entry)
        before = self.tabs.claim(tab)
        if before is None:
            return
        if tab.entry is None and before.entry is not None:
            self._is_taken_back = True
        # Who takes the lead back at this machine plays there what no phone does.
        side = None if tab.entry is None else self._left_to_play()
        if before.entry is not None:
            self.access.hand_over(before.entry, side)
        self.tabs.hand_over(before, side)
        before.say(greeting(self.feed, before))

    def _left_to_play(self) -> int | None:
        """Side of a person that no phone plays, where there is exactly one."""
        seats = enumerate(self._seats().seats)
        people = [side for side, seat in seats if seat.who == HUMAN]
        left = [side for side in people if self.access.holder(side) is None]
        return left[0] if len(left) == 1 else None

    def _asks(self, number: int, tab: Tab) -> str:
        assert tab.entry is not None
        entry = tab.entry
        told = {"claim": number, "phone": entry.number, "side": entry.side, "name": entry.name}
        return packed("asks", told)

    # What tabs hear.

    def entered(self, tab: Tab) -> None:
        """Tell the host of the network and of the people on it, after a tab was greeted."""
        if tab.role == HOST:
            claim = self._waiting()
            if claim is not None and claim[1] is not tab:
                tab.say(self._asks(claim[0], claim[1]))
        self._tell()

    def departed(self, tab: Tab) -> None:
        """Take note of a closed tab."""
        if self._claim is not None and self._claim[1] is tab:
            self._claim = None
        self._tell()

    def named(self, url: str) -> None:
        """Add a name by which the table is found."""
        self.by_name = url
        self._tell()

    def _tell(self, entry: Entry | None = None) -> None:
        """Tell the tabs of `entry` their role, the host the people present, and all of them who
        plays from a phone."""
        if entry is not None:
            for tab in self.tabs.reassigned(entry):
                tab.say(greeting(self.feed, tab))
        host = self.tabs.host
        if host is not None and _may_invite(host):
            host.say(self._summary())
        holders = map(self.access.holder, range(len(self._seats().seats)))
        seated = packed("phones", {"names": [one and one.name for one in holders]})
        for tab in self.tabs.all:
            tab.say(seated)
            # A screen of this machine that shows the game to a room.
            if tab.only_watches and tab.entry is None:
                tab.say(self._invitation())

    def _invitation(self) -> str:
        link = self._link_fields(GUEST)
        fields = {"url": f"{self.by_name or self.url}join", "pin": self.access.pin}
        return packed("invitation", {**fields, "size": link["size"], "path": link["path"]})

    def _shut_out(self) -> None:
        for tab in self.tabs.of_network:
            if tab.entry is not None and not self.access.is_in(tab.entry):
                tab.role = VIEWER
                tab.ended.set()

    def _summary(self) -> str:
        """`network` field of docs/page.md: for the host alone, since it holds all secrets."""
        sides = range(len(self._seats().seats))
        keys = (GUEST, *(f"seat {side}" for side in sides), WATCH, HOST)
        open_now = {tab.entry.number for tab in self.tabs.of_network if tab.entry is not None}
        return packed(
            "network",
            {
                "url": self.url,
                "by_name": self.by_name,
                "pin": self.access.pin,
                "private": self.is_private,
                "watch": self.access.kept.are_watchers_free,
                "asks_back": self.access.kept.asks_back,
                "guesses": self.access.guesses.count,
                "links": [self._link_fields(key) for key in keys],
                "phones": [
                    {
                        "phone": entry.number,
                        "side": entry.side,
                        "name": entry.name,
                        "open": entry.number in open_now,
                    }
                    for entry in self.access.entries
                ],
                "here": [side for side in sides if self.tabs.playing(side)],
            },
        )

    def _link_fields(self, key: str) -> JSON:
        url = link_of(self.url, self.access.link_secret(key))
        size, path = _drawn(url)
        return {"key": key, "url": url, "size": size, "path": path}


def _may_invite(host: Tab) -> bool:
    """True if the person who leads in this tab may see links and PIN: they used one of them, or own
    this machine. Any user of this machine can open its page and lead."""
    return host.entry is not None or host.owns


def link_of(url: str, secret: str) -> str:
    """Address that a secret opens."""
    return f"{url}k/{secret}"


@lru_cache(maxsize=32)
def _drawn(url: str) -> tuple[int, str]:
    from lumiban.web import qr

    return qr.path(url)
