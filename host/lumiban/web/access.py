"""Access over the network: links, a PIN, cookies, seats and permissions; without I/O.

A link is 128 bits and more made from one master secret, so a new master revokes them all. The PIN
is six digits, so guesses of it are counted: a source has five tries and then pauses that grow, and
all sources together have at most 600 in any day (0.06 % of all PINs), whatever happens: what
is left of `TRIES_OF_ALL` and `TRIES_OPENED` and what comes back of both. Somebody at the board can
open the PIN for a minute. A person with a link or a cookie never waits for it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from ipaddress import ip_address, ip_network
from typing import Annotated

import msgspec

from lumiban.table.requests import HOST, VIEWER, seat, side_of

GUEST, WATCH = "guest", "watch"
"""Keys beside the roles: a guest takes any free seat, as with the PIN; a watcher none."""
MAX_SIDES = 8
KEYS = (HOST, GUEST, WATCH, *(seat(side) for side in range(MAX_SIDES)))
"""Keys that have a link."""
LINK_BYTES = 18
"""144 bits, which are 24 characters."""
COOKIE_BYTES = 24
AGE_S = 24 * 3600.0
"""Time after which an unused cookie expires."""
MAX_ENTRIES = 128
"""Most people who are let in, each with a cookie; those who only watch and were away longest are
dropped first."""

TRIES = 5
"""Wrong PINs of one source before it has to wait."""
DAY_S = 24 * 3600.0
TRIES_OF_ALL = 200
"""Wrong PINs of all sources in a day before everybody who has only a PIN must wait."""
TRIES_OPENED = 100
"""The same while somebody at the board has opened the PIN."""
OPEN_S = 60.0
"""Time for which the PIN is opened."""
PAUSE_S = (30.0, DAY_S)
"""The first pause of a source and the longest one; each wrong PIN doubles it, and a day without one
forgets them. So it has 16 in its first day, and a dozen of sources close the PIN to nobody else."""
MAX_SOURCES = 256


class Wrong(msgspec.Struct):
    """Wrong PINs of a source: their number, the time of the last, and the end of the pause."""

    count: int = 0
    at_s: float = 0.0
    until_s: float = 0.0

    def add(self, now_s: float) -> None:
        """Count one more; the pauses begin with number `TRIES`."""
        self.count += 1
        self.at_s = now_s
        if self.count >= TRIES:
            first, longest = PAUSE_S
            # 2 ** 20 pauses are long enough; a count without bound would overflow.
            self.until_s = now_s + min(longest, first * 2 ** min(self.count - TRIES, 20))


class Allowance(msgspec.Struct):
    """Token bucket of PIN checks: a fixed number comes back each day, up to a capacity."""

    a_day: int
    left: float
    at_s: float = 0.0

    def wait_s(self, now_s: float) -> float:
        """Time until the next check is allowed, s."""
        came = max(0.0, now_s - self.at_s) * self.a_day / DAY_S
        self.left, self.at_s = min(self.a_day, self.left + came), now_s
        return max(0.0, 1.0 - self.left) * DAY_S / self.a_day

    def take(self) -> None:
        """Use up a check."""
        self.left -= 1


class WrongPins(msgspec.Struct):
    """Wrong PINs since the PIN was last changed."""

    count: int = 0
    sources: dict[str, Wrong] = {}
    of_all: Allowance = msgspec.field(default_factory=lambda: Allowance(TRIES_OF_ALL, TRIES_OF_ALL))
    opened: Allowance = msgspec.field(default_factory=lambda: Allowance(TRIES_OPENED, TRIES_OPENED))
    open_until_s: float = 0.0
    """Until then somebody at the board has opened the PIN."""
    while_open: dict[str, int] = {}
    """Wrong PINs of each source since then."""


class Guesses:
    """Counter of wrong PINs, by source and in total, in `kept`. `clock` is in seconds.

    >>> now = 0.0
    >>> guesses = Guesses(WrongPins(), clock=lambda: now)
    >>> for _ in range(4): guesses.wrong("192.168.1.7")
    >>> guesses.wait_s("192.168.1.7")
    0.0
    >>> guesses.wrong("192.168.1.7")
    >>> guesses.wait_s("192.168.1.7"), guesses.wait_s("192.168.1.8")
    (30.0, 0.0)
    >>> guesses.open()
    >>> guesses.wait_s("192.168.1.7")
    0.0
    """

    def __init__(self, kept: WrongPins, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept = kept
        self._clock = clock

    @property
    def count(self) -> int:
        """Number of wrong PINs that were checked."""
        return self._kept.count

    def open(self) -> None:
        """Allow the PIN for a minute to all sources, also those in a pause: a person at the board
        permits it."""
        now = self._clock()
        if now >= self._kept.open_until_s:
            self._kept.while_open = {}
        self._kept.open_until_s = now + OPEN_S

    def wait_s(self, source: str) -> float:
        """Time until the next try of this source is checked, s."""
        now, home = self._clock(), _home(source)
        if self._is_open(home, now):
            return 0.0
        own = self._kept.sources.get(home)
        if own is not None and now - own.at_s > DAY_S:
            del self._kept.sources[home]
            own = None
        own_s = 0.0 if own is None else own.until_s - now
        return max(0.0, own_s, self._kept.of_all.wait_s(now))

    def wrong(self, source: str) -> None:
        """Count a wrong PIN of this source."""
        kept, now, home = self._kept, self._clock(), _home(source)
        kept.count += 1
        if self._is_open(home, now):
            kept.while_open[home] = kept.while_open.get(home, 0) + 1
            kept.opened.take()
            return
        own = kept.sources.pop(home, None) or Wrong()
        kept.sources[home] = own
        # A sender with ever new addresses is held by the bound for all.
        while len(kept.sources) > MAX_SOURCES:
            del kept.sources[next(iter(kept.sources))]
        own.add(now)
        kept.of_all.take()

    def _is_open(self, home: str, now_s: float) -> bool:
        kept = self._kept
        mine = kept.while_open.get(home, 0)
        return now_s < kept.open_until_s and mine < TRIES and kept.opened.wait_s(now_s) == 0.0


class Entry(msgspec.Struct):
    """Person admitted over the network, with the keys they used; `number` identifies them to the
    host.

    `side` is the seat that they play, None for none; `leads`: they lead the table where nobody else
    does, and go on playing their seat.
    """

    number: int
    keys: set[str]
    seen_s: float
    side: int | None = None
    leads: bool = False
    name: str = ""
    """As they call themselves, "" for nobody in particular."""

    @property
    def role(self) -> str:
        """Highest role that this person may have."""
        return HOST if self.leads else self.seated

    @property
    def seated(self) -> str:
        """Role of this person while another one leads."""
        return VIEWER if self.side is None else seat(self.side)

    def stand_up(self) -> None:
        """Leave the seat."""
        self.side, self.leads = None, HOST in self.keys


class Secrets(msgspec.Struct):
    """Secrets that outlive the process that serves the page; entries by the digests of their
    cookies."""

    master: str
    pin: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}$")]
    entries: dict[str, Entry] = {}
    are_watchers_free: bool = False
    asks_back: bool = True
    """True if taking back asks the other person, where each has a device."""
    wrong: WrongPins = msgspec.field(default_factory=WrongPins)


def _home(source: str) -> str:
    """Source of an address: the address itself, for IPv6 its /64 network, in which a host has any
    number of addresses."""
    try:
        address = ip_address(source.partition("%")[0])
    except ValueError:
        return ""
    return str(address if address.version == 4 else ip_network((address, 64), strict=False))


class Access:
    """Access control of a table on a network.

    `kept` is what an earlier process had; `changed` is called after each change that must outlive
    this one. Times are seconds of `clock`, which must go on from process to process.
    """

    def __init__(
        self,
        kept: Secrets,
        *,
        clock: Callable[[], float] = time.monotonic,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.kept = kept
        self.changed = changed
        self._clock = clock
        self.guesses = Guesses(kept.wrong, clock)

    @property
    def pin(self) -> str:
        """Six digits, shown to people at the table."""
        return self.kept.pin

    @property
    def entries(self) -> Iterable[Entry]:
        """All admitted people."""
        return self.kept.entries.values()

    def link_secret(self, key: str) -> str:
        """Secret of the link for a key."""
        return secret_of(self.kept, key)

    def key_of(self, secret: str) -> str | None:
        """Key that a link's secret opens; None for an unknown secret."""
        given = secret.encode("utf-8", "replace")
        matching = None
        for key in KEYS:
            if hmac.compare_digest(given, self.link_secret(key).encode()):
                matching = key
        return matching

    def entry(self, cookie: str) -> Entry | None:
        """Entry of a cookie; None for an unknown or expired cookie."""
        digest = _digest(cookie)
        entry = self.kept.entries.get(digest)
        if entry is None:
            return None
        now = self._clock()
        if now - entry.seen_s > AGE_S:
            del self.kept.entries[digest]
            self.changed()
            return None
        entry.seen_s = now
        return entry

    def try_pin(self, pin: str, source: str) -> float | None:
        """Check a PIN: None where it is right; else the time in seconds for which this source is
        ignored, 0.0 where it may try again at once."""
        wait_s = self.guesses.wait_s(source)
        if wait_s > 0:
            return wait_s
        if hmac.compare_digest(pin.encode("utf-8", "replace"), self.pin.encode()):
            return None
        self.guesses.wrong(source)
        self.changed()
        return self.guesses.wait_s(source)

    def open_pin(self) -> None:
        """Allow the PIN for a minute to all sources: a person at the board permits it."""
        self.guesses.open()
        self.changed()

    def come_in(self, key: str, entry: Entry | None = None) -> tuple[Entry, str]:
        """Admit a person with this key; returns the entry and its cookie ("" where `entry` is
        known)."""
        cookie = ""
        if entry is None:
            self._make_room()
            cookie = secrets.token_urlsafe(COOKIE_BYTES)
            number = 1 + max((one.number for one in self.entries), default=0)
            entry = Entry(number, set(), self._clock())
            self.kept.entries[_digest(cookie)] = entry
        entry.keys.add(key)
        side = side_of(key)
        if key == HOST:
            entry.leads = True
        elif side is not None and entry.role == VIEWER:
            self.sit(entry, side)
        self.changed()
        return entry, cookie

    def holder(self, side: int) -> Entry | None:
        """Person who plays this side from a phone, None where nobody does."""
        self._forget_old()
        return next((one for one in self.entries if one.side == side), None)

    def sit(self, entry: Entry, side: int, *, takes_over: bool = False) -> str | None:
        """Give a person this side; None, or the id of the sentence that says why not.

        A seat that another phone has is handed over only to who holds that seat's own link, or the
        host's.
        """
        wanted = seat(side)
        if not entry.keys & {HOST, GUEST, wanted}:
            return "join.no-key"
        before = self.holder(side)
        if before is not None and before is not entry:
            if not takes_over:
                return "join.taken"
            if not entry.keys & {HOST, wanted}:
                return "join.taken-for-good"
            before.stand_up()
        entry.side, entry.leads = side, False
        self.changed()
        return None

    def stand_up(self, entry: Entry) -> None:
        """Free the seat: this person watches, or leads the table; they may sit down again."""
        entry.stand_up()
        self.changed()

    def lead(self, entry: Entry) -> None:
        """Give this person the lead, as was agreed to; they keep their seat."""
        entry.keys.add(HOST)
        entry.leads = True
        self.changed()

    def hand_over(self, entry: Entry, side: int | None) -> None:
        """Pass the lead on; this person plays their seat, or watches without a `side`."""
        entry.side = side if entry.side is None else entry.side
        entry.leads = entry.leads and entry.side is None
        self.changed()

    def let_watchers_in(self, freely: bool) -> None:
        """Set whether the network may watch without a PIN; such watchers leave when it ends."""
        self.kept.are_watchers_free = freely
        if not freely:
            self._keep(one for one in self.kept.entries.items() if one[1].keys != {WATCH})
        self.changed()

    def ask_back(self, on: bool) -> None:
        """Set whether a takeback asks the opponent."""
        self.kept.asks_back = on
        self.changed()

    def renew(self, keep: Entry | None = None) -> None:
        """Make new links and a new PIN; entries by the old ones end, except `keep`."""
        fresh = new_secrets()
        fresh.entries = {one: entry for one, entry in self.kept.entries.items() if entry is keep}
        fresh.are_watchers_free = self.kept.are_watchers_free
        fresh.asks_back = self.kept.asks_back
        self.restore(fresh)
        self.changed()

    def restore(self, kept: Secrets) -> None:
        """Continue with existing secrets, and the wrong PINs counted with them."""
        self.kept = kept
        self.guesses = Guesses(kept.wrong, self._clock)

    def is_in(self, entry: Entry) -> bool:
        """True if this entry is still valid."""
        return any(one is entry for one in self.entries)

    def _keep(self, entries: Iterable[tuple[str, Entry]]) -> None:
        self.kept.entries = dict(entries)

    def _forget_old(self) -> None:
        now = self._clock()
        old = [one for one, entry in self.kept.entries.items() if now - entry.seen_s > AGE_S]
        for digest in old:
            del self.kept.entries[digest]

    def _make_room(self) -> None:
        self._forget_old()
        while len(self.kept.entries) >= MAX_ENTRIES:
            order = sorted(
                self.kept.entries.items(), key=lambda one: (one[1].role != VIEWER, one[1].seen_s)
            )
            del self.kept.entries[order[0][0]]


def new_secrets() -> Secrets:
    """Random master secret and PIN."""
    return Secrets(secrets.token_urlsafe(32), f"{secrets.randbelow(10**6):06}")


def secret_of(kept: Secrets, key: str) -> str:
    """Secret of the link for this key.

    >>> kept = Secrets("master", "123456")
    >>> len(secret_of(kept, "host")), secret_of(kept, "host") == secret_of(kept, "guest")
    (24, False)
    """
    made = hmac.new(kept.master.encode(), key.encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(made[:LINK_BYTES]).decode()


def _digest(cookie: str) -> str:
    """Digest under which a cookie is kept: reading it does not admit."""
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()[:32]
