"""The driver of a board for tests: over a simulated board in virtual time, and over a pty."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from lumiban.boards.client import STORING_US, BoardClient, RawReadings, survey
from lumiban.boards.link import GREETING_US
from lumiban.boards.messages import packed, unpack_state
from lumiban.boards.port_line import PortLine
from lumiban.boards.profile import load
from lumiban.boards.types import LightFrame
from lumiban.errors import BoardError, LinkLost, NotABoard, ProfileError
from lumiban_fw import wire
from lumiban_sim.rig import Rig
from rig_line import RigLine, driven

HEX3 = load("hex3")


def test_a_stone_is_seen_and_light_is_shown() -> None:
    rig = Rig(HEX3, 1)
    driver = BoardClient(HEX3, RigLine(rig))
    assert driver.open().model == "hex3"
    assert driver.kinds == [0] * 19
    rig.hands.place(9, 2)
    driver.until(lambda: driver.kinds[9] == 2)
    assert [(e.number, e.cell, e.kind) for e in driver.events] == [(0, 9, 2)]
    driver.show(LightFrame(((1, 0),) * 19, ((0, 0, 0), (255, 0, 0))))
    driver.flush()
    driver.run(100_000)
    assert rig.light[0] > 0
    assert driver.faults == []


def test_frames_of_ones_own_go_out_in_order_and_answers_are_awaited() -> None:
    rig = Rig(HEX3, 2)
    driver = BoardClient(HEX3, RigLine(rig))
    driver.open()
    driver.send(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(255, 255, 255)]))
    driver.send(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]))
    driver.send(wire.H_COMMIT, packed(wire.H_COMMIT, 0))
    driver.flush()
    driver.run(100_000)
    assert rig.light[0] == rig.light[2] > 0
    state = driver.answer(wire.H_GET_STATE, b"", wire.B_STATE)
    assert unpack_state(state)[1] == 0
    with pytest.raises(LinkLost, match="0xee"):
        driver.answer(wire.H_GET_STATE, b"", 0xEE, patience_us=500_000)


def test_raw_readings_are_asked_for_again_where_a_question_was_lost() -> None:
    rig = Rig(HEX3, 6)
    driver = driven(HEX3, rig)
    send, rig.from_host = rig.from_host, lambda data: None  # type: ignore[method-assign]  # lost
    readings = RawReadings(driver, 3, 4, period_ms=20, trims=True)
    driver.run(100_000)
    rig.from_host = send  # type: ignore[method-assign]
    moments = readings.take(5)
    assert len(moments) == 5
    assert {(one.first, len(one.counts), len(one.references)) for one in moments} == {(3, 4, 5)}
    steps = [b.t_us - a.t_us for a, b in itertools.pairwise(moments)]
    assert all(abs(step - 20_000) <= 11_000 for step in steps)
    assert len(driver.frames) < 100, "what was read is thrown away"
    readings.close()
    readings.look()
    driver.run(500_000)
    assert readings.look() == [], "nobody asked for more"
    rig.hands.place(5, 1)
    driver.until(lambda: driver.kinds[5] == 1)
    whole = RawReadings(driver)
    cells = [cell.row for cell in HEX3.cells]
    told = survey(whole.take(40), cells)
    whole.close()
    assert len(told) == 19
    stands, empty = told[5], [one for cell, one in enumerate(told) if cell != 5]
    assert abs(stands.mean) > 20 * max(abs(one.mean) for one in empty)
    assert all(one.moves and 0 < one.sigma < 20 for one in empty)
    hear = rig.to_host
    rig.to_host = lambda: hear()[:0]  # type: ignore[method-assign]  # nothing comes any more
    with pytest.raises(LinkLost):
        RawReadings(driver).take(1)


def test_events_stay_until_they_are_acknowledged() -> None:
    rig = Rig(HEX3, 3)
    driver = BoardClient(HEX3, RigLine(rig), acknowledges=False)
    driver.open()
    rig.hands.place(4, 1)
    driver.until(lambda: len(driver.events) == 1)
    driver.run(2_000_000)
    assert driver.link.statistics.repeats > 3
    again = BoardClient(HEX3, RigLine(rig), session=2, resume=(driver.hello.boot_id, 0))
    again.open()
    assert [e.cell for e in again.events] == [4]


def test_a_board_that_does_not_answer_or_fit_is_told() -> None:
    rig = Rig(HEX3, 4)
    rig.pipe.unplugged = True
    with pytest.raises(NotABoard):
        BoardClient(HEX3, RigLine(rig)).open(1_000_000)
    with pytest.raises(BoardError, match="does not fit"):
        BoardClient(load("hex5"), RigLine(Rig(HEX3, 4))).open()


class SlowLine(RigLine):
    """A board's process that gets no core for as long as `is_kept` says so."""

    is_kept = True

    def read(self, until_us: int) -> bytes:
        self.rig.pipe.unplugged = not (self.is_kept and self.now_us >= 4 * GREETING_US)
        return super().read(until_us)

    def had_chance(self) -> bool:
        return not self.is_kept


def test_one_that_had_no_chance_to_answer_is_waited_for_and_one_that_had_is_not() -> None:
    rig = Rig(HEX3, 4)
    line = SlowLine(rig)
    assert BoardClient(HEX3, line).greet().model == "hex3"
    assert rig.now_us >= 4 * GREETING_US
    line.is_kept = False
    with pytest.raises(NotABoard):
        BoardClient(HEX3, line).greet()


@pytest.mark.process
def test_a_port_is_driven_in_real_time(tmp_path: Path) -> None:
    about = ["hex3", "19", str(HEX3.lights), str(HEX3.revision)]
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban_lab.bench_board", "board", *about],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as board:
        assert board.stdin is not None
        line = PortLine(board.stdout.readline().decode().strip(), gone_us=0)
        try:
            driver = BoardClient(HEX3, line)
            driver.open()
            board.stdin.write(b"7 1\n")
            board.stdin.flush()
            driver.until(lambda: bool(driver.events))
            assert [(e.cell, e.kind) for e in driver.events] == [(7, 1)]
        finally:
            line.close()
            board.kill()


def test_a_board_is_greeted_without_a_profile_and_its_cells_are_known() -> None:
    rig = Rig(HEX3, 7)
    rig.hands.place(4, wire.WHITE)
    rig.advance(400_000)
    driver = BoardClient(None, RigLine(rig))
    with pytest.raises(ProfileError):
        _ = driver.profile
    driver.open()
    assert driver.kinds == [wire.WHITE if cell == 4 else wire.EMPTY for cell in range(19)]
    assert driver.fit() == HEX3
    assert driver.profile == HEX3


class BusyLine(RigLine):
    """A board that says nothing for a while, as one that empties a folder of its flash."""

    silent_until_us = 0

    def read(self, until_us: int) -> bytes:
        if self.now_us < self.silent_until_us:
            self.rig.advance(max(min(until_us, self.silent_until_us), self.now_us + 1))
            return b""
        return super().read(until_us)


@pytest.mark.parametrize("silence_us", [wire.SILENCE_US, STORING_US])
def test_whoever_brings_files_waits_for_a_board_that_stores(silence_us: int) -> None:
    line = BusyLine(Rig(HEX3, 8))
    driver = BoardClient(None, line, silence_us=silence_us)
    driver.greet()
    line.silent_until_us = line.now_us + 4_000_000
    brightness = packed(wire.H_CFG, wire.CFG_BRIGHTNESS, 9)
    if silence_us == STORING_US:
        driver.deliver(wire.H_CFG, brightness)
        assert line.now_us >= line.silent_until_us
    else:
        with pytest.raises(LinkLost):
            driver.deliver(wire.H_CFG, brightness)
