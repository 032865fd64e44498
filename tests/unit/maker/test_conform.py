"""`lumiban board conform`: a sound board keeps every claim, each mutation breaks the right one."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from lumiban.boards.messages import message
from lumiban.boards.profile import load
from lumiban.cli import run
from lumiban.errors import LinkLost, UsageError
from lumiban.maker.conform import BROKEN, CLAIMS, HELD, UNTRIED, chosen, conform
from lumiban_fw import wire
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_fw.inject import Injected
from lumiban_sim.rig import Rig
from places import ROOT
from rig_line import RigLine

DOCUMENT = (ROOT / "docs" / "wire.md").read_text("utf-8")
Mutate = Callable[[Board], None]


def test_each_claim_is_a_sentence_of_the_document() -> None:
    for claim in CLAIMS:
        assert claim.sentence in DOCUMENT, claim.id
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("name", ["hex3", "hex5", "grid13x14"])
def test_a_simulated_board_keeps_every_claim(name: str) -> None:
    verdicts = list(conform(RigLine(Rig(load(name), 1))))
    assert [one for one in verdicts if one.verdict != HELD] == []
    assert len(verdicts) == len(CLAIMS)


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


def _every_second(kind: int) -> Mutate:
    turn = [0]

    def left_out(payload: bytes) -> bytes | None:
        turn[0] += 1
        return payload if turn[0] % 2 else None

    return _changing(kind, left_out)


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


def _deaf_to_acks(board: Board) -> None:
    board.ring.acknowledge = lambda number: None  # type: ignore[method-assign]


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


def _never_masking(board: Board) -> None:
    board.sense.mask = lambda cell, masked: None  # type: ignore[method-assign]


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
    "the crc is not looked at": ("frame.crc", _without_crc),
    "frames of any length are followed": ("frame.long", _of_any_length),
    "the board numbers its frames": ("header.seq", _numbering_its_own),
    "numbers wrap too early": ("reliable.wraps", _counting_to_255),
    "a longer HELLO is not followed": ("hello.longer", _greeting_short_ones_only),
    "a lost host must greet again": ("lost.back", _forgetting_a_lost_host),
    "a light out of range is refused": ("light.layers", _refusing_lights),
    "HELLO echoes another session": (
        "hello.session",
        _field(wire.B_HELLO, "session", lambda told: told ^ 1),
    ),
    "boot_id stays the same": ("boot", _field(wire.B_HELLO, "boot_id", lambda told: 7)),
    "a second HELLO begins anew": ("hello.again", _beginning_anew),
    "numbers go on in a new session": ("hello.anew", _counting_on),
    "no STATE is sent": ("hello.state", _changing(wire.B_STATE, lambda payload: None)),
    "no FAULT for another major": ("hello.major", _changing(wire.B_FAULT, lambda payload: None)),
    "frames of any major are followed": ("major.others", _of_any_major),
    "any reliable frame is followed": ("reliable.order", _without_order),
    "what came twice is followed twice": ("reliable.twice", _without_order),
    "no ACK for a frame": ("reliable.ack", _changing(wire.B_ACK, lambda payload: None)),
    "no NAK": ("nak.counts", _changing(wire.B_NAK, lambda payload: None)),
    "NAK with another reason": ("nak.value", _field(wire.B_NAK, "why", lambda told: 1)),
    "NAK SHORT with another reason": ("nak.short", _field(wire.B_NAK, "why", lambda told: 5)),
    "CLOCK with another token": ("clock", _field(wire.B_CLOCK, "token", lambda told: told ^ 1)),
    "a clock that stands": ("clock", _field(wire.B_CLOCK, "rx_us", lambda told: 5)),
    "every second BEAT is left out": ("beat", _every_second(wire.B_BEAT)),
    "a watermark far behind": (
        "watermark",
        _field(wire.B_BEAT, "watermark_us", lambda told: max(told - 2_000_000, 0)),
    ),
    "no STATS": ("stats", _changing(wire.B_STATS, lambda payload: None)),
    "limited beyond all": ("stats", _field(wire.B_STATS, "limited", lambda told: 101)),
    "GET_STATE is not answered": ("state.period", _deaf_to_get_state),
    "a board that never falls silent": ("lost", _talking_on),
    "white is told as black": ("events.kinds", _events(_swapped)),
    "times are of when a cell has settled": (
        "events.times",
        _field(wire.B_EVENTS, "base_us", _sum_on_top(150_000)),
    ),
    "events leave as they are found": ("events.order", _releasing_at_once),
    "events are told once": ("events.again", _telling_once),
    "ACK is not heard": ("events.again", _deaf_to_acks),
    "a new session hears no old event": ("events.sessions", _telling_once),
    "STATE is an event behind": (
        "state.belief",
        _field(wire.B_STATE, "event", lambda told: max(told - 1, 0)),
    ),
    "numbers do not begin at 0": ("boot.count", _field(wire.B_STATE, "event", _sum_on_top(3))),
    "MASK does nothing": ("cfg.mask", _never_masking),
    "INJECT at any time": ("inject.busy", _always_injecting),
    "STATE does not show INJECT": (
        "inject.shown",
        _field(wire.B_STATE, "flags", lambda told: told & ~wire.INJECTED),
    ),
    "a new session ends INJECT": ("inject.lasts", _ending_injection),
    "no references": (
        "field",
        _changing(wire.B_FIELD, lambda told: None if told[4] >= wire.FIRST_BUTTON else told),
    ),
    "readings beyond the converter": (
        "field",
        _changing(wire.B_FIELD, lambda told: told[:5] + b"\xff\xff" * ((len(told) - 5) // 2)),
    ),
    "every second scan is left out": ("field.period", _every_second_scan()),
    "an empty /board.bin": ("file.board", _field(wire.B_FILE_PART, "size", lambda told: 0)),
    "offsets beyond the end come back": (
        "file.beyond",
        _field(wire.B_FILE_PART, "offset", lambda told: told and told + 1),
    ),
    "half a file is kept": ("file.busy", _field(wire.B_FILE, "status", lambda told: 1)),
    "another number of cells": ("identity", _field(wire.B_IDENTITY, "cells", _sum_on_top(1))),
    "all cells have one name": ("identity.cells", _changing(wire.B_CELLS, _same_name)),
    "a word for every frame before HELLO": ("boot.word", _talkative),
}


def _mutated(mutate: Mutate) -> RigLine:
    """A board on which somebody's firmware runs that got one thing wrong."""

    def body(hal: Hal) -> Board:
        board = Board(hal)
        mutate(board)
        return board

    return RigLine(Rig(load("hex3"), 2, body=body))


@pytest.mark.slow
@pytest.mark.parametrize("what", MUTATIONS)
def test_each_mutation_is_named(what: str) -> None:
    id, mutate = MUTATIONS[what]
    line = _mutated(mutate)
    if id == "hello.session":  # a board that answers nobody has no verdicts
        with pytest.raises(LinkLost):
            list(conform(line, [id]))
        return
    verdicts = list(conform(line, [id]))
    assert [one.verdict for one in verdicts] == [BROKEN], verdicts
    assert verdicts[0].detail


def test_any_magic_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "unpack_boot", lambda payload: payload[4])
    [verdict] = conform(RigLine(Rig(load("hex3"), 3)), ["boot.magic"])
    assert verdict.verdict == BROKEN


def test_what_a_board_cannot_do_is_not_held_against_it() -> None:
    unable = wire.CAN_INJECT | wire.CAN_IDENTIFY
    line = _mutated(_field(wire.B_HELLO, "capabilities", lambda told: told & ~unable))
    ids = ["hello.session", "events.kinds", "events.again", "identity"]
    verdicts = {one.id: one for one in conform(line, ids)}
    assert [verdicts[id].verdict for id in ids] == [HELD, UNTRIED, UNTRIED, UNTRIED]
    assert "CAN_INJECT" in verdicts["events.kinds"].detail


def test_most_claims_have_a_mutation_that_breaks_them() -> None:
    broken = {id for id, _ in MUTATIONS.values()} | {"boot.magic"}
    without = {claim.id for claim in CLAIMS} - broken
    assert without == {
        # A board that breaks one of these understands or says next to nothing.
        *("frame.zeros", "frame.stuffing", "frame.short", "frame.packet"),
    }


def test_a_claim_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"frame\.crc"):
        chosen(["frame.crcs"])


@pytest.mark.process
def test_the_command_tells_verdicts_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["board", "conform", "sim", "--profile", "hex3", "--json", "--only", "hello.session"]
    assert run(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["good"] is True
    assert [(one["id"], one["verdict"]) for one in told["claims"]] == [("hello.session", HELD)]
