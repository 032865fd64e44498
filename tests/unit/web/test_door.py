"""The door of a table under whatever its people do: who leads is who may, and everybody is told.

Tabs are in memory and time is the test's; `test_network.py` speaks to the real servers.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import thorough
from hypothesis import example, given, settings
from hypothesis import strategies as st
from local_page import LocalFeed
from lumiban.table.requests import HOST, VIEWER, seat, side_of
from lumiban.web.access import GUEST, WATCH, Access, Entry, Secrets
from lumiban.web.admission import CLAIM_S, Admission, greeting, link_of
from lumiban.web.messages import (
    AdmitRequest,
    AskBackRequest,
    FreeSeatRequest,
    NewLinksRequest,
    WatchFreelyRequest,
)
from lumiban.web.tabs import Tab, Tabs
from network_bench import SeatedTable

PHONES, KEYS = 3, (HOST, GUEST, WATCH, seat(0), seat(1))


class HeardTab(Tab):
    """A tab that keeps what it was told."""

    def __init__(self, token: str, **more: Any) -> None:
        super().__init__(token, **more)
        self.said: list[dict[str, Any]] = []

    def say(self, message: str) -> None:
        self.said.append(json.loads(message))

    def last(self, kind: str) -> dict[str, Any] | None:
        return next((one for one in reversed(self.said) if one["type"] == kind), None)


@dataclass
class Room:
    """A table, its door, the tabs that are open, and who leads by the rules of `lan.md`."""

    people: list[str]
    now_s: float = 1_000.0
    tabs: Tabs = field(default_factory=Tabs)
    here: dict[int, HeardTab] = field(default_factory=dict)
    there: dict[int, HeardTab] = field(default_factory=dict)
    entries: dict[int, Entry] = field(default_factory=dict)
    leader: HeardTab | None = None
    claim: tuple[HeardTab, float] | None = None
    coming: tuple[Entry, float] | None = None
    is_taken_back: bool = False

    def __post_init__(self) -> None:
        asyncio.get_running_loop().time = lambda: self.now_s  # type: ignore[method-assign]  # the test's
        table = SeatedTable()
        table.who = self.people
        self.feed = LocalFeed(table)
        self.access = Access(Secrets("a master of a test", "493817"), clock=lambda: self.now_s)
        self.door = Admission(self.access, self.tabs, self.feed, url="http://192.168.1.5:8700/")
        self.door.by_name = "http://lumiban.local:8700/"

    # What people do; each says who leads then.

    def open(self, tab: HeardTab) -> None:
        """As a socket does."""
        self.tabs.enter(tab)
        self.door.arrived(tab)
        tab.say(greeting(self.feed, tab))
        self.door.entered(tab)
        may = not tab.only_watches and (tab.entry is None or tab.entry.leads)
        coming, self.coming = self.coming, None
        if self.leader is None and may:
            self.leader = tab
        if coming is None or coming[0] is not tab.entry or tab.only_watches:
            self.coming = coming
        elif coming[1] >= self.now_s and self.leader is not tab:
            leader = self.leader
            if leader is None or (leader.entry is None and not self.is_taken_back):
                self.leader = tab
            else:
                self.asks(tab)

    def asks(self, tab: HeardTab) -> None:
        if self.claim is None or self.claim[1] <= self.now_s or self.claim[0] is tab:
            self.claim = tab, self.now_s + CLAIM_S

    def close(self, tabs: dict[int, HeardTab], which: int) -> None:
        tab = tabs.pop(which)
        self.tabs.leave(tab)
        self.door.departed(tab)
        self.leader = None if self.leader is tab else self.leader
        self.claim = None if self.claim is not None and self.claim[0] is tab else self.claim

    def claims(self, tab: HeardTab) -> None:
        if tab.only_watches:
            return
        told = self.door.claim(tab)
        if tab.entry is None:
            tab.say(greeting(self.feed, tab))
            self.door.entered(tab)
            self.is_taken_back |= self.leader is not None and self.leader.entry is not None
            self.leader = tab
        elif self.leader is tab:
            pass
        elif told is None and self.leader is None and HOST in tab.entry.keys:
            self.agreed(tab)
        elif told is None:
            self.asks(tab)
            assert self.leader is None or self.leader.said[-1]["type"] == "asks"

    def agreed(self, tab: HeardTab) -> None:
        self.leader, self.claim, self.is_taken_back = tab, self.claim, False

    def answers(self, *, yes: bool) -> None:
        asked = self.leader and self.leader.last("asks")
        if self.leader is None or asked is None:
            return
        waits = self.claim if self.claim is not None and self.claim[1] >= self.now_s else None
        told = self.door.follow(AdmitRequest(asked["claim"] + 1, yes), self.leader)
        assert told == "page.error.no-claim"
        told = self.door.follow(AdmitRequest(asked["claim"], yes), self.leader)
        if told is None:
            assert waits is not None
            self.claim = None
            if yes:
                self.agreed(waits[0])
            else:
                assert waits[0].said[-1]["text"]["id"] == "page.error.claim-no"

    def presses(self) -> None:
        waits = self.claim
        self.door.pressed()
        if waits is not None and waits[1] >= self.now_s:
            self.claim = None
            self.agreed(waits[0])

    def renews(self) -> None:
        leader = self.leader
        if leader is None:
            return
        before = {key: self.access.link_secret(key) for key in KEYS}, self.access.pin
        told = self.door.follow(NewLinksRequest(), leader)
        assert (told is None) == (leader.entry is not None or leader.owns)
        if told is not None:
            assert told == "page.error.owner-alone"
            return
        assert all(self.access.link_secret(key) != before[0][key] for key in KEYS)
        self.put_out(leader)

    def restores(self) -> None:
        self.door.restore(Secrets("a master of another page", "135791"))
        self.put_out(None)

    def put_out(self, stays: HeardTab | None) -> None:
        """Whoever came by the old links acts no more, even before the tab is closed."""
        self.claim = self.coming = None
        self.is_taken_back = False
        for which, tab in list(self.there.items()):
            assert tab.ended.is_set() == (tab is not stays)
            if tab is not stays:
                assert tab.role == VIEWER
                self.close(self.there, which)
        keeps = stays and stays.entry
        self.entries = {n: one for n, one in self.entries.items() if one is keeps}

    # What holds.

    def check(self) -> None:
        assert self.tabs.host is self.leader
        for tab in (*self.here.values(), *self.there.values()):
            hello = tab.last("hello")
            assert hello is not None
            side = side_of(tab.role)
            assert hello["role"] == (tab.role if side is None else "seat")
            sits = tab.entry.side if side is None and tab.entry is not None else side
            assert hello.get("side") == sits
            assert hello["owner"] == tab.owns
            if tab.entry is not None:
                assert hello["may_lead"] == (HOST in tab.entry.keys)
                assert (hello["simulated"], hello["network"]) == (False, True)
                if tab is not self.leader:
                    assert tab.role == (VIEWER if tab.only_watches else tab.entry.seated)
            if tab.only_watches:
                assert tab.role == VIEWER
            if tab is self.leader and (tab.entry is not None or tab.owns):
                assert tab.last("network") == {"type": "network", **self.summary()}
            told_secrets = {"network", "invitation"} & {one["type"] for one in tab.said}
            if tab.entry is None and tab.only_watches:
                assert tab.last("invitation")["pin"] == self.access.pin  # type: ignore[index]  # there
            elif told_secrets:
                assert tab in self.has_led
                assert tab.entry is not None or tab.owns

    def summary(self) -> dict[str, Any]:
        keys = (GUEST, seat(0), seat(1), WATCH, HOST)
        links = [
            {"key": key, "url": link_of(self.door.url, self.access.link_secret(key))}
            for key in keys
        ]
        said = self.leader.last("network") if self.leader else None
        for link, told in zip(links, said["links"] if said else (), strict=True):
            link |= {name: told[name] for name in ("size", "path")}
        open_now = [tab.entry for tab in self.there.values()]
        return {
            "url": self.door.url,
            "by_name": self.door.by_name,
            "pin": self.access.pin,
            "private": False,
            "watch": self.access.kept.are_watchers_free,
            "asks_back": self.access.kept.asks_back,
            "guesses": 0,
            "links": links,
            "phones": [
                {"phone": one.number, "side": one.side, "name": "", "open": one in open_now}
                for one in self.access.entries
            ],
            "here": [side for side in (0, 1) if any(
                tab.role == seat(side) for tab in self.here.values()
            )],
        }  # fmt: skip

    @property
    def has_led(self) -> list[HeardTab]:
        self._led = getattr(self, "_led", [])
        if self.leader is not None and self.leader not in self._led:
            self._led.append(self.leader)
        return self._led


ACTS = st.one_of(
    st.tuples(st.just("here"), st.integers(0, 2)),
    st.tuples(st.just("link"), st.integers(0, PHONES - 1), st.sampled_from(KEYS)),
    st.tuples(st.just("there"), st.integers(0, PHONES - 1)),
    st.tuples(st.sampled_from(["claim here", "close here"]), st.integers(0, 2)),
    st.tuples(st.sampled_from(["claim there", "close there"]), st.integers(0, PHONES - 1)),
    st.tuples(st.just("answer"), st.booleans()),
    st.tuples(st.sampled_from(["press", "renew", "restore", "later"])),
    st.tuples(st.just("sit"), st.integers(0, PHONES - 1), st.integers(-1, 2), st.booleans()),
    st.tuples(st.just("free"), st.integers(0, 1)),
    st.tuples(st.sampled_from(["ask back", "watch freely"]), st.booleans()),
)


async def played(people: list[str], acts: list[tuple[Any, ...]]) -> None:
    room = Room(people)
    for act, *words in acts:
        which = words[0] if words else 0
        if act == "here" and which not in room.here:
            room.here[which] = HeardTab(f"here {which}", owns=which == 0, only_watches=which == 2)
            room.open(room.here[which])
        elif act == "link":
            known = room.entries.get(which)
            entry, cookie = room.door.come_in(words[1], known)
            assert (cookie == "") == (known is not None)
            room.entries[which] = entry
            if words[1] == HOST:
                room.coming = entry, room.now_s + CLAIM_S
        elif act == "there" and which in room.entries and which not in room.there:
            room.there[which] = HeardTab(f"there {which}", entry=room.entries[which])
            room.open(room.there[which])
        elif act.startswith("close") and which in getattr(room, act[6:]):
            room.close(getattr(room, act[6:]), which)
        elif act.startswith("claim") and which in getattr(room, act[6:]):
            room.claims(getattr(room, act[6:])[which])
        elif act == "answer":
            room.answers(yes=which)
        elif act == "press":
            room.presses()
        elif act == "renew":
            room.renews()
        elif act == "restore":
            room.restores()
        elif act == "later":
            room.now_s += CLAIM_S + 1
        elif act == "sit" and which in room.entries:
            await sits(room, room.entries[which], *words[1:])
        elif act in ("free", "ask back", "watch freely") and room.leader is not None:
            follows(room, act, which)
        room.check()
        assert room.has_led is not None


async def sits(room: Room, entry: Entry, side: int, takes_over: bool) -> None:
    before = room.access.holder(side) if side in (0, 1) else None
    told = await room.door.sit(entry, side, takes_over=takes_over)
    may = bool(entry.keys & {HOST, GUEST, seat(side)})
    is_free = before in (None, entry) or (takes_over and bool(entry.keys & {HOST, seat(side)}))
    assert (told is None) == (side in (0, 1) and may and is_free)
    if told is None:
        assert room.access.holder(side) is entry
        assert room.people[side] == "human", "a machine makes way"
        shown = room.door.seats(entry)
        assert [one["mine"] for one in shown["seats"]] == [entry.side == n for n in (0, 1)]
        assert (shown["side"], shown["keys"]) == (side, sorted(entry.keys))
        if room.leader is not None and room.leader.entry is entry:
            room.leader = room.leader if room.tabs.host is room.leader else None


def follows(room: Room, act: str, which: Any) -> None:
    leader = room.leader
    assert leader is not None
    if act == "free":
        holder = room.access.holder(which)
        assert room.door.follow(FreeSeatRequest(which), leader) is None
        assert room.access.holder(which) is None
        if holder is not None and leader.entry is holder and HOST not in holder.keys:
            room.leader = None
    elif act == "ask back":
        assert room.door.follow(AskBackRequest(which), leader) is None
        assert room.access.kept.asks_back == which
    elif leader.entry is not None or leader.owns:
        assert room.door.follow(WatchFreelyRequest(which), leader) is None
        assert room.access.kept.are_watchers_free == which
        for number, tab in list(room.there.items()):
            if tab.ended.is_set():
                assert tab.entry is not None
                assert tab.entry.keys == {WATCH}
                room.close(room.there, number)
        room.entries = {n: one for n, one in room.entries.items() if room.access.is_in(one)}
    for tab in (*room.here.values(), *room.there.values()):
        if tab is not room.leader and tab.role != HOST:
            wanted = "page.error.viewer" if tab.role == VIEWER else "page.error.host-alone"
            assert room.door.follow(AskBackRequest(True), tab) == wanted


@settings(max_examples=thorough.examples(45))
@example(["human"] * 2, [("here", 1), ("link", 0, HOST), ("later",), ("there", 0)])
@example(["human"] * 2, [("here", 0), ("link", 0, seat(1)), ("there", 0), ("renew",)])
@given(
    st.lists(st.sampled_from(["human", "bot:easy"]), min_size=2, max_size=2),
    st.lists(ACTS, min_size=15, max_size=40),
)
def test_who_leads_is_who_may_and_each_tab_knows_its_role_at_once(
    people: list[str], acts: list[tuple[Any, ...]]
) -> None:
    asyncio.run(played(people, acts))
