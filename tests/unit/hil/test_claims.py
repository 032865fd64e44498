"""Each claim of the suite is a sentence of docs/wire.md, and some wrong firmware breaks it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from random import Random

import pytest
from lumiban.boards.messages import message
from lumiban.boards.profile import load
from lumiban.errors import LinkLost
from lumiban_fw import wire
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_fw.inject import Injected
from lumiban_sim.rig import Rig
from places import ROOT
from pytest_lumiban.bench import Bench, Over
from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.claims import Broken, check_frames
from pytest_lumiban.probe import Missed, Probe
from rig_line import RigLine

DOCUMENT = (ROOT / "docs" / "wire.md").read_text("utf-8")
MODULES = ("test_greeting", "test_events", "test_readings", "test_restarts")
Mutate = Callable[[Board], None]


def claims() -> dict[str, Callable[..., None]]:
    """The tests of single frames, by name."""
    found = {}
    for name in MODULES:
        for id, one in vars(import_module(f"pytest_lumiban.suite.{name}")).items():
            if id.startswith("test_") and {"probe", "board"} & set(
                inspect.signature(one).parameters
            ):
                found[id.removeprefix("test_")] = one
    return found


CLAIMS = claims()


def marks(one: Callable[..., None]) -> list[pytest.Mark]:
    return [mark for mark in getattr(one, "pytestmark", []) if mark.name == "lumiban_claim"]


def test_each_claim_is_a_sentence_of_the_document() -> None:
    for id, one in CLAIMS.items():
        [mark] = marks(one)
        assert mark.args[0] in DOCUMENT, id
        assert all(hasattr(wire, name) for name in mark.args[1:]), id
    assert len(CLAIMS) >= 48


# Mutations: what somebody's firmware may get wrong.


def _changing(kind: int, change: Callable[[bytes], bytes | None]) -> Mutate:
    """A board whose payloads of this type are changed, or left out (None)."""

    def mutate(board: Board) -> None:
        send = board.link.send

        def changed(told: int, payload: bytes, flags: int = 0) -> bool:
            if told != kind:
                return send(told, payload, flags)
            other = change(payload)
            return True if other is None else send(told, other, flags)

        board.link.send = changed  # type: ignore[method-assign]

    return mutate


def _field(kind: int, name: str, change: Callable[[int], int]) -> Mutate:
    """A board that tells another number in this field."""
    one = message(kind)

    def changed(payload: bytes) -> bytes:
        told = one.unpack(payload)
        values = dict(told.values)
        values[name] = change(told.number(name))
        return one.pack(values.values(), told.tail)

    return _changing(kind, changed)


def _events(change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Mutate:
    one = message(wire.B_EVENTS)

    def changed(payload: bytes) -> bytes:
        told = one.unpack(payload)
        tail = [change(tuple(int(part) for part in event)) for event in told.tail]
        return one.pack(told.values.values(), tail)

    return _changing(wire.B_EVENTS, changed)


def _every_second_scan() -> Mutate:
    scans: list[bytes] = []

    def left_out(payload: bytes) -> bytes | None:
        if payload[:4] not in scans:
            scans.append(payload[:4])
        return payload if scans.index(payload[:4]) % 2 else None

    return _changing(wire.B_FIELD, left_out)


def _without_crc(board: Board) -> None:
    def opened(whole: bytes) -> tuple[int, int, int, int, bytes] | None:
        try:
            body = wire.uncobs(whole)
        except ValueError:
            return None
        return (*body[:4], body[4:-2]) if len(body) >= 6 else None

    board.link._decoder._open = opened  # type: ignore[method-assign]


def _of_any_length(board: Board) -> None:
    decoder = board.link._decoder
    decoder._hold = decoder._held.extend  # type: ignore[method-assign]

    def feed(data: bytes) -> list[tuple[int, int, int, int, bytes]]:
        whole = [wire.uncobs(part) for part in bytes(data).split(b"\0") if part]
        return [(*body[:4], body[4:-2]) for body in whole if len(body) >= 6]

    decoder.feed = feed  # type: ignore[method-assign, assignment]


def _numbering_its_own(board: Board) -> None:
    link = board.link

    def send(kind: int, payload: bytes, flags: int = 0) -> bool:
        link._queue.append(wire.frame(kind, payload, flags, 1, link._expected))
        link._owes_ack = False
        return True

    link.send = send  # type: ignore[method-assign]


def _counting_to_255(board: Board) -> None:
    link, accept = board.link, board.link.accept

    def accepted(kind: int, flags: int, seq: int, now_us: int) -> bool:
        held = accept(kind, flags, seq, now_us)
        if link._expected == 255:
            link._expected = 0
        return held

    link.accept = accepted  # type: ignore[method-assign]


def _greeting_short_ones_only(board: Board) -> None:
    frames = board.link.frames

    def only() -> list[tuple[int, int, int, int, bytes]]:
        return [one for one in frames() if one[0] != wire.H_HELLO or len(one[4]) == 6]

    board.link.frames = only  # type: ignore[method-assign]


def _forgetting_a_lost_host(board: Board) -> None:
    turn = board.turn

    def forgetting(at_us: int) -> int:
        now_us = turn(at_us)
        if board.host_lost:
            board.link.session = -1
        return now_us

    board.turn = forgetting  # type: ignore[method-assign]


def _refusing_lights(board: Board) -> None:
    stage = board.lights.stage

    def refused(first: int, glows: list[tuple[int, int]]) -> None:
        if first > 200:
            raise ValueError(first)
        stage(first, glows)

    board.lights.stage = refused  # type: ignore[method-assign]


def _without_order(board: Board) -> None:
    link, accept = board.link, board.link.accept

    def accepted(kind: int, flags: int, seq: int, now_us: int) -> bool:
        if flags & wire.RELIABLE:
            link._expected = seq
        return accept(kind, flags, seq, now_us)

    link.accept = accepted  # type: ignore[method-assign]


def _of_any_major(board: Board) -> None:
    accept = board.link.accept

    def accepted(kind: int, flags: int, seq: int, now_us: int) -> bool:
        return accept(kind, (flags & 15) | (wire.MAJOR << wire.MAJOR_SHIFT), seq, now_us)

    board.link.accept = accepted  # type: ignore[method-assign]


def _counting_on(board: Board) -> None:
    link, begin = board.link, board.link.open

    def begun(session: int) -> None:
        expected = link._expected
        begin(session)
        link._expected = expected

    link.open = begun  # type: ignore[method-assign]


def _beginning_anew(board: Board) -> None:
    link, accept = board.link, board.link.accept

    def anew(kind: int, flags: int, seq: int, now_us: int) -> bool:
        if kind == wire.H_HELLO and link.session >= 0:
            link.session = -2
        return accept(kind, flags, seq, now_us)

    link.accept = anew  # type: ignore[method-assign]


def _ending_injection(board: Board) -> None:
    begin = board.link.open

    def ended(session: int) -> None:
        if board.services.injected is not None:
            board.services.injected.switch(False)
        begin(session)

    board.link.open = ended  # type: ignore[method-assign]


def _talking_on(board: Board) -> None:
    turn = board.turn

    def heard(at_us: int) -> int:
        now_us = turn(at_us)
        board.link.heard_us = max(board.link.heard_us, now_us)
        return now_us

    board.turn = heard  # type: ignore[method-assign]


def _telling_once(board: Board) -> None:
    payloads = board.ring.payloads
    told: set[bytes] = set()

    def once(now_us: int, full_us: int, watermark_us: int) -> list[tuple[bytes, int]]:
        fresh = [one for one in payloads(now_us, full_us, watermark_us) if one[0][:4] not in told]
        told.update(payload[:4] for payload, _ in fresh)
        return fresh

    board.ring.payloads = once  # type: ignore[method-assign, assignment]


def _releasing_at_once(board: Board) -> None:
    release = board._release
    held: list[tuple[int, int, int, int]] = []
    release.add = held.append  # type: ignore[method-assign]
    release.empty = lambda: not held  # type: ignore[method-assign]

    def leave(watermark_us: int) -> list[tuple[int, int, int, int]]:
        left = held[:]
        held.clear()
        return left

    release.leave = leave  # type: ignore[method-assign, assignment]


def _deaf_to_get_state(board: Board) -> None:
    board.tell_state = lambda now_us: None  # type: ignore[method-assign]


def _always_injecting(board: Board) -> None:
    injected = board.services.injected = Injected(board.layout)
    add = injected.add

    def added(at_us: int, step_us: int, first: int, readings: list[int]) -> None:
        if injected.on:
            add(at_us, step_us, first, readings)

    injected.add = added  # type: ignore[method-assign]


def _talkative(board: Board) -> None:
    hear = board._hear

    def heard(now_us: int) -> None:
        board._introduce_us = 0
        hear(now_us)

    board._hear = heard  # type: ignore[method-assign]


def _same_name(payload: bytes) -> bytes:
    one = message(wire.B_CELLS)
    told = one.unpack(payload)
    return one.pack(told.values.values(), [(*cell[:5], b"a1") for cell in told.tail])


def _swapped(event: tuple[int, ...]) -> tuple[int, ...]:
    cell, kind, dt, half = event
    other = {wire.WHITE: wire.BLACK, wire.BLACK: wire.WHITE}
    return cell, other.get(kind, kind), dt, half


def _sum_on_top(value: int) -> Callable[[int], int]:
    return lambda told: told + value


MUTATIONS: dict[str, tuple[str, Mutate]] = {
    "the crc is not looked at": ("a_frame_with_a_wrong_crc_is_dropped", _without_crc),
    "frames of any length are followed": ("a_frame_that_is_too_long_is_dropped", _of_any_length),
    "the board numbers its frames": ("frames_of_the_board_have_no_number", _numbering_its_own),
    "numbers wrap too early": ("numbers_of_reliable_frames_wrap_at_256", _counting_to_255),
    "a longer HELLO is not followed": (
        "what_a_later_minor_version_adds_is_ignored",
        _greeting_short_ones_only,
    ),
    "a lost host must greet again": (
        "any_frame_of_the_session_takes_a_lost_host_back",
        _forgetting_a_lost_host,
    ),
    "a light out of range is refused": ("lights_that_do_not_exist_are_ignored", _refusing_lights),
    "HELLO echoes another session": (
        "hello_echoes_the_session",
        _field(wire.B_HELLO, "session", lambda told: told ^ 1),
    ),
    "a second HELLO begins anew": ("a_hello_that_comes_twice_restarts_nothing", _beginning_anew),
    "numbers go on in a new session": (
        "another_session_counts_reliable_frames_from_0",
        _counting_on,
    ),
    "no STATE is sent": ("state_follows_hello", _changing(wire.B_STATE, lambda payload: None)),
    "no FAULT for another major": (
        "another_major_version_is_refused_by_fault",
        _changing(wire.B_FAULT, lambda payload: None),
    ),
    "frames of any major are followed": (
        "frames_of_another_major_version_are_ignored",
        _of_any_major,
    ),
    "any reliable frame is followed": ("a_reliable_frame_out_of_order_is_dropped", _without_order),
    "what came twice is followed twice": (
        "a_reliable_frame_that_comes_twice_is_followed_once",
        _without_order,
    ),
    "no ACK for a frame": (
        "reliable_frames_are_acknowledged_one_by_one",
        _changing(wire.B_ACK, lambda payload: None),
    ),
    "NAK with another reason": (
        "a_number_out_of_range_is_refused",
        _field(wire.B_NAK, "why", lambda told: 1),
    ),
    "NAK SHORT with another reason": (
        "a_payload_that_is_too_short_is_refused",
        _field(wire.B_NAK, "why", lambda told: 5),
    ),
    "CLOCK with another token": (
        "clock_echoes_its_token_and_goes_on",
        _field(wire.B_CLOCK, "token", lambda told: told ^ 1),
    ),
    "a STATE whose watermark is ahead": (
        "no_beat_or_state_tells_a_watermark_later_than_itself",
        _field(wire.B_STATE, "watermark_us", lambda told: told + 2_000),
    ),
    "limited beyond all": (
        "stats_come_every_5_s",
        _field(wire.B_STATS, "limited", lambda told: 101),
    ),
    "GET_STATE is not answered": ("state_comes_every_500_ms_and_when_asked", _deaf_to_get_state),
    "a board that never falls silent": ("a_board_without_its_host_is_silent", _talking_on),
    "events leave as they are found": ("events_leave_in_order_of_time", _releasing_at_once),
    "events are told once": ("events_are_told_until_they_are_acknowledged", _telling_once),
    "a new session hears no old event": (
        "a_new_session_hears_events_nobody_acknowledged",
        _telling_once,
    ),
    "numbers do not begin at 0": (
        "events_count_from_0_after_a_start",
        _field(wire.B_STATE, "event", _sum_on_top(3)),
    ),
    "INJECT at any time": ("inject_is_refused_before_it_is_switched_on", _always_injecting),
    "STATE does not show INJECT": (
        "hello_and_state_show_that_a_board_injects",
        _field(wire.B_STATE, "flags", lambda told: told & ~wire.INJECTED),
    ),
    "a new session ends INJECT": (
        "what_is_injected_outlasts_silence_and_session",
        _ending_injection,
    ),
    "readings beyond the converter": (
        "field_has_all_cells_and_its_references_last",
        _changing(wire.B_FIELD, lambda told: told[:5] + b"\xff\xff" * ((len(told) - 5) // 2)),
    ),
    "every second scan is left out": ("field_comes_at_its_period", _every_second_scan()),
    "another /board.bin": (
        "the_board_s_file_is_read_whole",
        _changing(wire.B_FILE_PART, lambda told: told[:5] + bytes(len(told) - 5)),
    ),
    "offsets beyond the end come back": (
        "a_file_ends_where_it_ends",
        _field(wire.B_FILE_PART, "offset", lambda told: told and told + 1),
    ),
    "half a file is kept": (
        "data_of_no_file_is_refused",
        _field(wire.B_FILE, "status", lambda told: 1),
    ),
    "another number of cells": (
        "identity_agrees_with_hello",
        _field(wire.B_IDENTITY, "cells", _sum_on_top(1)),
    ),
    "all cells have one name": (
        "each_cell_is_told_by_name_and_light",
        _changing(wire.B_CELLS, _same_name),
    ),
    "a word for every frame before HELLO": (
        "a_board_that_was_not_greeted_introduces_itself",
        _talkative,
    ),
}


def _bench(rig: Rig) -> Bench:
    return Over(RigLine(rig), "rig", rig.profile, frozenset())


def _mutated(mutate: Mutate) -> Bench:
    """A board on which somebody's firmware runs that got one thing wrong."""

    def body(hal: Hal) -> Board:
        board = Board(hal)
        mutate(board)
        return board

    return _bench(Rig(load("hex3"), 2, body=body))


@pytest.mark.slow
@pytest.mark.parametrize("what", MUTATIONS)
def test_each_mutation_is_named(what: str) -> None:
    id, mutate = MUTATIONS[what]

    def asked() -> None:
        if "board" in inspect.signature(CLAIMS[id]).parameters:
            CLAIMS[id](BoardUnderTest(_mutated(mutate), Random(1)))
        else:
            probe = Probe(_mutated(mutate))
            probe.greet()
            CLAIMS[id](probe)
            check_frames(probe)

    with pytest.raises((Broken, Missed, LinkLost, ValueError)) as broken:
        asked()
    assert str(broken.value)


def test_any_magic_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "unpack_boot", lambda payload: payload[4])
    probe = Probe(_bench(Rig(load("hex3"), 3)))
    probe.greet()
    with pytest.raises(Broken):
        CLAIMS["boot_needs_its_magic_number"](probe)
