"""Who comes in over a network: links, a PIN that cannot be guessed, cookies, seats."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.table.requests import HOST, VIEWER, seat
from lumiban.web import access
from lumiban.web.access import GUEST, KEYS, WATCH, Access, Secrets, new_secrets
from lumiban.web.feed import MAX_FROM_PAGE


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def door(pin: str = "493817", clock: Clock | None = None) -> Access:
    return Access(Secrets("a master of a test", pin), clock=clock or Clock())


# Guessing.


def flood(guesses: int, addresses: int, a_second: float) -> tuple[int, int, Access]:
    """(how often the PIN opened, how many guesses were looked at): all PINs in turn, from so many
    addresses, at this rate. The right one is among them."""
    clock = Clock()
    table = door(clock=clock)
    sources = [f"10.0.{n // 250}.{n % 250 + 1}" for n in range(addresses)]
    opened = 0
    for number in range(guesses):
        clock.now += 1 / a_second
        opened += table.try_pin(f"{number % 10**6:06}", sources[number % addresses]) is None
    return opened, table.guesses.count, table


@pytest.mark.slow
@pytest.mark.parametrize(("addresses", "most"), [(1, 5 + 2), (100, access.TRIES_OF_ALL + 1)])
def test_guesses_at_line_rate_are_looked_at_a_few_times_and_then_pause(
    addresses: int, most: int
) -> None:
    opened, looked_at, table = flood(50_000, addresses, a_second=1000)
    assert opened == 0
    assert looked_at <= most
    # Even the right one is not looked at meanwhile.
    assert (table.try_pin(table.pin, "10.0.0.1") or 0) > 0


def test_five_tries_and_then_pauses_that_grow() -> None:
    clock = Clock()
    table = door(clock=clock)
    waits = []
    for _ in range(9):
        wait_s = table.try_pin("000000", "192.168.1.7")
        assert wait_s is not None
        waits.append(wait_s)
        clock.now += wait_s
    assert waits == [0, 0, 0, 0, 30, 60, 120, 240, 480]
    assert table.try_pin(table.pin, "192.168.1.7") is None
    clock.now += access.DAY_S + 1
    assert table.try_pin("000000", "192.168.1.7") == 0


def test_many_who_guess_lock_out_only_the_pin_and_no_link_and_no_cookie() -> None:
    table = door()
    _, cookie = table.come_in(GUEST)
    for n in range(300):
        table.try_pin("000000", f"10.0.0.{n % 50}")
    assert (table.try_pin(table.pin, "192.168.1.7") or 0) > 0
    assert table.key_of(table.link_secret(GUEST)) == GUEST
    assert table.entry(cookie) is not None
    # The host's new links begin anew.
    table.renew()
    assert table.try_pin(table.pin, "192.168.1.7") is None


def test_five_addresses_that_guess_for_days_shut_nobody_else_out() -> None:
    """49 a day from five addresses once did."""
    clock = Clock()
    table = door(clock=clock)
    opened, waits = 0, []
    for minute in range(5 * 24 * 60):
        clock.now = 1000.0 + 60 * minute
        for n in range(5):
            opened += table.try_pin("000000", f"192.168.1.{60 + n}") is None
        waits.append(table.guesses.wait_s("192.168.1.7"))
    assert opened == 0
    assert max(waits) == 0.0
    assert table.try_pin(table.pin, "192.168.1.7") is None


@given(data=st.data())
@settings(max_examples=10)
def test_whatever_happens_few_pins_are_looked_at_in_a_day(data: st.DataObject) -> None:
    """A phone that guesses all night with ever new addresses, and a board whose buttons are pressed
    without end: the law holds for any pace."""
    clock = Clock()
    table = door(clock=clock)
    presses_every = data.draw(st.integers(1, 50))
    addresses = data.draw(st.integers(1, 300))
    step_s = data.draw(st.sampled_from([0.1, 1.0, 20.0, 300.0]))
    looked_at = []
    for number in range(700):
        clock.now += step_s
        if number % presses_every == 0:
            table.open_pin()
        before = table.guesses.count
        table.try_pin("000000", f"10.0.{number % addresses // 250}.{number % addresses % 250}")
        if table.guesses.count > before:
            looked_at.append(clock.now)
    for at in looked_at:
        in_a_day = bisect_left(looked_at, at + access.DAY_S) - bisect_left(looked_at, at)
        assert in_a_day <= 2 * (access.TRIES_OF_ALL + access.TRIES_OPENED)


def test_whoever_is_at_the_board_opens_the_pin_for_a_minute_to_who_must_wait() -> None:
    clock = Clock()
    table = door(clock=clock)
    for n in range(2 * access.TRIES_OF_ALL):
        table.try_pin("000000", f"10.0.{n // 4 // 250}.{n // 4 % 250}")
    assert (table.try_pin(table.pin, "192.168.1.7") or 0) > 0
    table.open_pin()
    assert table.try_pin(table.pin, "192.168.1.7") is None
    # Five more tries for each, also for who has used up theirs, and none for ever.
    assert [table.try_pin("000000", "10.0.0.1") for _ in range(5)][:4] == [0.0] * 4
    assert (table.try_pin(table.pin, "10.0.0.1") or 0) > 0
    table.open_pin()
    assert (table.try_pin(table.pin, "10.0.0.1") or 0) > 0, "it is the same minute"
    clock.now += access.OPEN_S
    assert (table.try_pin(table.pin, "192.168.1.8") or 0) > 0
    table.open_pin()
    assert table.try_pin(table.pin, "10.0.0.1") is None


def test_wrong_pins_count_on_when_the_page_s_process_is_another_one() -> None:
    clock, saved = Clock(), list[bytes]()
    table = door(clock=clock)
    table.changed = lambda: saved.append(msgspec.json.encode(table.kept))
    for _ in range(5):
        table.try_pin("000000", "192.168.1.66")
    again = Access(msgspec.json.decode(saved[-1], type=Secrets), clock=clock)
    assert again.guesses.wait_s("192.168.1.66") == access.PAUSE_S[0]
    assert again.guesses.count == 5


def test_a_network_of_addresses_without_end_is_one_source() -> None:
    table = door()
    for n in range(5):
        table.try_pin("000000", f"fe80::{n:x}%wlan0")
    assert (table.try_pin(table.pin, "fe80::ffff") or 0) > 0
    assert table.try_pin(table.pin, "fd00::1") is None


def test_sources_without_number_take_no_memory_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(access, "TRIES_OF_ALL", 10**9)
    table = door()
    for n in range(access.MAX_SOURCES + 500):
        table.try_pin("000000", f"10.{n // 60_000}.{n // 250 % 240}.{n % 250}")
    assert len(table.kept.wrong.sources) == access.MAX_SOURCES


def test_all_that_is_kept_fits_the_pipe() -> None:
    clock = Clock(1e9 / 3)
    table = door(clock=clock)
    for n in range(access.MAX_ENTRIES):
        table.come_in(KEYS[n % len(KEYS)])
    table.guesses.open()
    for n in range(4 * access.MAX_SOURCES):
        table.guesses.wrong(f"fd00:1234:5678:{n + 0x1000:x}:1111::1")
        clock.now += 10 / 3
    assert len(table.kept.wrong.sources) == access.MAX_SOURCES
    assert len(msgspec.json.encode(table.kept)) < MAX_FROM_PAGE


def test_pauses_stay_finite_however_long_somebody_guesses() -> None:
    clock = Clock()
    table = door(clock=clock)
    for _ in range(5000):
        clock.now += table.try_pin("000000", "10.0.0.1") or 0
    assert table.try_pin("000000", "10.0.0.1") == access.PAUSE_S[1]


def test_secrets_are_new_each_time_and_long_enough() -> None:
    made = [new_secrets() for _ in range(50)]
    assert len({one.master for one in made}) == 50
    assert len({one.pin for one in made}) > 40
    assert all(len(one.pin) == 6 and one.pin.isdigit() for one in made)
    table = Access(made[0])
    links = [table.link_secret(key) for key in KEYS]
    assert len(set(links)) == len(KEYS)
    assert min(map(len, links)) * 6 >= 128


@each("wrong", ["", "x", "é" * 24, "\ud800", "a" * 10_000])
def test_what_is_no_link_opens_nothing(wrong: str) -> None:
    table = door()
    assert table.key_of(wrong) is None
    assert table.entry(wrong) is None
    assert table.try_pin(wrong, "10.0.0.1") == 0


def test_nobody_can_come_in_by_what_is_kept() -> None:
    table = door()
    _, cookie = table.come_in(HOST)
    raw = msgspec.json.encode(table.kept).decode()
    assert cookie not in raw
    assert all(table.link_secret(key) not in raw for key in KEYS)
    again = Access(msgspec.json.decode(raw, type=Secrets), clock=Clock())
    found = again.entry(cookie)
    assert found is not None
    assert found.role == HOST


# Seats.


def test_a_taken_seat_is_handed_over_only_to_its_own_link() -> None:
    table = door()
    first, _ = table.come_in(seat(0))
    second, _ = table.come_in(seat(0))
    guest, _ = table.come_in(GUEST)
    assert (first.role, second.role) == (seat(0), VIEWER)
    assert table.sit(guest, 0, takes_over=True) == "join.taken-for-good"
    assert table.sit(second, 0) == "join.taken"
    assert table.sit(second, 0, takes_over=True) is None
    assert (first.role, second.role) == (VIEWER, seat(0))


def test_a_watcher_takes_no_seat_and_a_seat_s_link_no_other() -> None:
    table = door()
    watcher, _ = table.come_in(WATCH)
    white, _ = table.come_in(seat(0))
    assert table.sit(watcher, 1) == "join.no-key"
    assert table.sit(white, 1) == "join.no-key"


def test_a_phone_that_slept_for_an_hour_is_still_on_its_seat() -> None:
    clock = Clock()
    table = door(clock=clock)
    _, cookie = table.come_in(seat(0))
    clock.now += 3600
    again = table.entry(cookie)
    assert again is not None
    assert again.role == seat(0)
    clock.now += access.AGE_S + 1
    assert table.holder(0) is None
    assert table.entry(cookie) is None


def test_new_links_end_all_but_the_one_who_asked_for_them() -> None:
    table = door()
    old = {key: table.link_secret(key) for key in KEYS}
    pin = table.pin
    host, cookie = table.come_in(HOST)
    thief, stolen = table.come_in(HOST)
    table.renew(host)
    assert table.entry(cookie) is host
    assert table.entry(stolen) is None
    assert not table.is_in(thief)
    assert [key for key in KEYS if table.key_of(old[key])] == []
    assert table.pin != pin or new_secrets().pin  # one in a million is the same


def test_a_link_outlives_the_version_that_printed_it() -> None:
    # printf host | openssl dgst -sha256 -hmac "a master of a test" -binary | head -c 18 | base64
    assert door().link_secret(HOST) == "2zkCNYCtvTQ4OmF-XlYBJKop"


def test_what_must_outlive_the_page_s_process_is_told_each_time_it_changes() -> None:
    """Whatever a person does at the door: another process that goes on from what was last told
    has it too."""
    clock, told = Clock(), [b""]
    table = Access(
        Secrets("m", "493817"), clock=clock, changed=lambda: told.append(packed(table.kept))
    )
    packed = msgspec.json.encode
    guest, cookie = table.come_in(GUEST)
    other, _ = table.come_in(HOST)
    for act in (
        lambda: table.come_in(seat(1), guest),
        lambda: table.sit(guest, 0),
        lambda: table.stand_up(guest),
        lambda: table.lead(guest),
        lambda: table.hand_over(guest, 1),
        lambda: table.sit(other, 1, takes_over=True),
        lambda: table.let_watchers_in(True),
        lambda: table.ask_back(False),
        lambda: table.open_pin(),
        lambda: table.renew(guest),
    ):
        count = len(told)
        act()
        assert len(told) > count
        assert told[-1] == packed(table.kept)
        assert told[-1] != told[count - 1]
    clock.now += access.AGE_S + 1
    assert table.entry(cookie) is None
    assert told[-1] == packed(table.kept)
    table.try_pin("000000", "10.0.0.1")
    assert msgspec.json.decode(told[-1], type=Secrets).wrong.count == 1


def test_who_may_only_watch_freely_goes_when_that_ends() -> None:
    table = door()
    table.let_watchers_in(True)
    watcher, _ = table.come_in(WATCH)
    guest, _ = table.come_in(GUEST)
    table.let_watchers_in(False)
    assert not table.is_in(watcher)
    assert table.is_in(guest)


def test_people_without_end_take_no_memory_without_end_and_no_seat() -> None:
    clock = Clock()
    table = door(clock=clock)
    white, _ = table.come_in(seat(0))
    for _ in range(access.MAX_ENTRIES + 50):
        clock.now += 1
        table.come_in(GUEST)
    entries: list[Any] = list(table.entries)
    assert len(entries) == access.MAX_ENTRIES
    assert table.holder(0) is white
