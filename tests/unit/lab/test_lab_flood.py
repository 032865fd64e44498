"""The flood of hostile visitors that `bench flood` measures: stones go on, the board stays."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from listeners import LOOPBACK, TELLS, listeners
from lumiban_fw import wire
from lumiban_lab import flood


@pytest.mark.process
@pytest.mark.alone
@pytest.mark.parametrize("visitors", [32, pytest.param(600, marks=pytest.mark.long)])
def test_stones_are_answered_and_the_board_stays_while_visitors_flood_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visitors: int
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    heard = set(listeners(os.getpid())) if TELLS else set()
    found: set[str] = set()

    def progress(_: str) -> None:
        found.update(listeners(os.getpid()) if TELLS else LOOPBACK)

    told = asyncio.run(flood.measure(visitors, visitors, rounds=1, events=20, progress=progress))
    # Without --lan a bench listens on loopback alone, as every table (lan.md, test 1).
    assert found & LOOPBACK
    assert found - heard <= LOOPBACK
    assert told["board_lost"] == told["page_died"] == 0
    assert told["flood"]["unanswered"] == 0
    assert told["flood"]["events"] >= 20
    assert told["connections"] >= visitors
    assert told["sockets"] > 0
    assert told["messages_written"] > 1000
    assert told["page_grew_kb"] < 60_000


class Counted(flood.Waits):
    """Waits by script."""

    def __init__(self) -> None:
        self.now_ns = 0

    def ns(self) -> int:
        return self.now_ns


def test_a_way_is_from_the_board_s_sending_and_its_own_part_is_without_waits_for_a_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits, now_us = Counted(), 0
    tap = flood.WayTap(waits)
    monkeypatch.setattr("lumiban_lab.latency.time.perf_counter_ns", lambda: now_us * 1000)

    def note(at_us: int, outward: bool, frame: bytes, waited_us: int = 0) -> None:
        nonlocal now_us
        now_us = at_us
        waits.now_ns += waited_us * 1000
        tap(outward, frame)

    def event(number: int, board_us: int) -> bytes:
        return wire.frame(
            wire.B_EVENTS, wire.pack_events(number, board_us, [(3, 1, board_us, 500)])
        )

    commit = wire.frame(wire.H_COMMIT, wire.pack_u32(0))
    note(10_000, False, event(0, 1_000))  # the quickest: host and board differ by 9 ms
    note(10_700, True, commit)
    note(23_500, False, event(1, 11_000), waited_us=3_000)  # 3.5 ms on the way, 3 of them waiting
    note(25_500, True, commit, waited_us=1_000)
    note(30_000, False, event(1, 11_000))  # again: no new stone
    note(31_000, True, commit)
    note(40_000, False, event(2, 31_000))
    ways, own, unanswered = tap.ways_us()
    assert ways == pytest.approx([700, 5_500])
    assert own == pytest.approx([700, 1_500])
    assert unanswered == 1
