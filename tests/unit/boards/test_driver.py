"""The driver of a board for tests: over a simulated board in virtual time, and over a pty."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from lumiban.boards.client import (
    STORING_US,
    BoardClient,
    Conversation,
    RawReadings,
    profile_for_board,
    references,
    survey,
)
from lumiban.boards.files import refusal, upload
from lumiban.boards.link import GREETING_US, Link, ObservedLink
from lumiban.boards.messages import packed, unpack_state, unpacked
from lumiban.boards.profile import load
from lumiban.boards.types import Faulty, LightFrame
from lumiban.errors import BoardError, LinkLost, NotABoard, ProfileError
from lumiban_fw import wire
from lumiban_fw.calibration import pack
from lumiban_sim.built_board import Wires, exact
from lumiban_sim.rails import Feed
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
    assert driver.link.all_acknowledged
    driver.run(100_000)
    assert rig.light[0] > 0
    assert driver.faults == []


def test_a_conversation_hears_all_frames_while_time_goes_on() -> None:
    line = RigLine(Rig(HEX3, 2))
    talk = Conversation(line)
    line.write(wire.frame(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 77), 0, 0))
    begun = line.now_us
    talk.run(700_000)
    assert line.now_us >= begun + 700_000
    (hello,) = talk.of(wire.B_HELLO)
    assert (hello["session"], hello.unpacked.number("cells")) == (77, 19)
    assert talk.of(wire.B_STATE)
    assert talk.of(wire.B_HELLO, since=len(talk.frames)) == []


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


def test_an_answer_to_something_else_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = driven(HEX3, Rig(HEX3, 2))

    def another(*_: object) -> bytes:
        driver.run(100_000)
        return packed(wire.B_FILE_PART, wire.FILE_BOARD, 48, 100)

    monkeypatch.setattr(driver, "answer", another)
    with pytest.raises(LinkLost, match="no frame of type"):
        driver.fetch(wire.FILE_BOARD)


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
    many = whole.take(40)
    told = survey(many, cells)
    assert references(many) == [sum(one.references[n] for one in many) / 40 for n in range(5)]
    whole.close()
    assert len(told) == 19
    stands, empty = told[5], [one for cell, one in enumerate(told) if cell != 5]
    assert abs(stands.mean) > 20 * max(abs(one.mean) for one in empty)
    assert all(one.moves and 0 < one.sigma < 20 for one in empty)
    hear = rig.to_host
    rig.to_host = lambda: hear()[:0]  # type: ignore[method-assign]  # nothing comes any more
    with pytest.raises(LinkLost):
        RawReadings(driver).take(1)


def test_a_line_hears_of_the_board_that_was_met_and_of_another_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, heard = RigLine(Rig(HEX3, 4)), list[str]()
    monkeypatch.setattr(line, "met", heard.append)
    monkeypatch.setattr(line, "lost", heard.append)
    client = BoardClient(HEX3, line)
    client.open()
    first = client.hello.uid
    line.rig = Rig(HEX3, 5)
    line.rig.run(client.line.now_us + 5_000_000)
    with pytest.raises(BoardError, match="Another board is plugged in"):
        client.greet()
    assert heard == [first, "other-board"]
    line.rig.pipe.unplugged = True
    with pytest.raises(NotABoard, match="not a lumiban board"):
        client.greet()
    assert heard == [first, "other-board"], "silence is no board's"


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


def test_a_board_keeps_a_file_that_it_accepts_restarts_with_it_and_says_why_where_it_does_not() -> (
    None
):
    rig = Rig(HEX3, 9)
    driver = driven(HEX3, rig)
    before = driver.hello
    assert driver.fetch(wire.FILE_CALIBRATION) == b""
    taught = pack(b"hex3", bytes.fromhex(before.uid), 32_000, 0, [(n, 0) for n in range(19)])
    upload(driver, wire.FILE_CALIBRATION, taught)
    assert driver.fetch(wire.FILE_CALIBRATION) == taught
    hello = driver.restart()
    assert hello.boot_id != before.boot_id
    assert hello.capabilities & wire.CALIBRATED
    with pytest.raises(BoardError, match=r"does not accept the file \(66 bytes there\)"):
        upload(driver, wire.FILE_CALIBRATION, bytes(66))
    assert driver.fetch(wire.FILE_CALIBRATION) == taught
    with pytest.raises(BoardError, match="incomplete"):
        driver.restart(wire.BOOT_OTHER)
    rig.from_host = lambda data: None  # type: ignore[method-assign]  # the cable is out
    for asks in (
        lambda: upload(driver, wire.FILE_CALIBRATION, taught),
        lambda: driver.listen(wire.B_STATS, 100_000),
    ):
        with pytest.raises(LinkLost, match="stopped responding"):
            asks()


@pytest.mark.parametrize(
    ("kind", "fields", "says"),
    [
        (wire.B_FILE, (0, 0, 7), ""),
        (wire.B_FILE, (0, wire.FILE_WRONG_SUM, 7), "the file arrived with a wrong sum (7 bytes"),
        (wire.B_FILE, (0, wire.FILE_REFUSED, 8), "the board does not accept the file (8 bytes"),
        (wire.B_FILE, (0, wire.FILE_NO_ROOM, 9), "the board could not store the file (9 bytes"),
        (wire.B_NAK, (wire.H_FILE_BEGIN, 0, 3), "the board refused frame 0x30, reason 3"),
        (wire.B_NAK, (wire.H_FILE_DATA, 0, 4), "the board refused frame 0x31, reason 4"),
        (wire.B_NAK, (wire.H_FILE_END, 0, 5), "the board refused frame 0x32, reason 5"),
        (wire.B_NAK, (wire.H_BOOT, 0, 5), ""),
        (wire.B_STATS, (), ""),
    ],
)
def test_a_frame_that_refuses_a_file_says_why(
    kind: int, fields: tuple[int, ...], says: str
) -> None:
    told = refusal(kind, packed(kind, *fields) if fields else b"")
    assert told.startswith(says)
    assert bool(told) == bool(says)


def test_faults_are_held_until_they_are_over_and_a_board_without_power_says_so() -> None:
    driver = driven(HEX3, Rig(HEX3, 6))
    driver.log += [
        Faulty(wire.FAULT_STUCK, 3), Faulty(wire.FAULT_REFERENCE, 1),
        Faulty(wire.FAULT_STUCK | wire.FAULT_GONE, 3),
    ]  # fmt: skip
    assert driver.held_faults() == [Faulty(wire.FAULT_REFERENCE, 1)]
    driver.greet()
    assert driver.held_faults() == [], "what it held it tells anew"
    assert driver.of(wire.B_HELLO)[-1]["cells"] == 19
    assert driver.of(wire.B_HELLO, len(driver.frames)) == []
    driver.run(7_000_000)
    told = driver.listen(wire.B_STATS, 8_000_000)
    assert unpacked(wire.B_STATS, told) == driver.of(wire.B_STATS)[-1].unpacked
    cold = Rig(HEX3, 5, board=replace(exact(HEX3), wires=Wires()), cold=True, feed=Feed(3_000))
    with pytest.raises(BoardError, match=r"3\.0 V"):
        driven(HEX3, cold)


def test_the_profile_of_a_board_is_the_one_wished_or_the_built_in_one_that_fits() -> None:
    hello = driven(HEX3, Rig(HEX3, 1)).hello
    assert profile_for_board(hello) == profile_for_board(hello, "hex3") == HEX3
    with pytest.raises(BoardError, match="does not fit"):
        profile_for_board(hello, "hex5")
    strange = replace(hello, model="hex3x", cells=20)
    with pytest.raises(BoardError, match=r"hex3x, 20 cells, 19 lights"):
        profile_for_board(strange)
    with pytest.raises(ProfileError):
        profile_for_board(hello, "nothing-of-that-name")


def test_whoever_observes_a_link_hears_each_call_and_the_link_does_as_any() -> None:
    told: list[tuple[object, ...]] = []

    class Observer:
        def __getattr__(self, name: str) -> Callable[..., None]:
            return lambda *words: told.append((name, *words))

    observed, plain = ObservedLink(HEX3, 7, cast(Any, Observer())), Link(HEX3, 7)
    done: list[list[object]] = []
    frame = LightFrame(((1, 0),) * 19, ((0, 0, 0), (255, 0, 0)))
    hello = Rig(HEX3, 1)
    for link in (observed, plain):
        out = [link.opened(5, 900), link.take_output()]
        hello.from_host(cast(bytes, out[-1]))
        hello.run(hello.now_us + 100_000)
        out += [link.receive(hello.to_host(), 6), link.poll(7), link.wait_on(8)]
        out += [link.show(frame), link.acknowledge(3), link.next_deadline(), link.closed("pulled")]
        done.append([type(one) if isinstance(one, list) else one for one in out])
    assert done[0] == done[1]
    took = done[0][1]
    assert took
    assert told == [
        ("opened", 5, 900), ("took", took), ("received", told[2][1], 6), ("polled", 7),
        ("waited", 8), ("showed",), ("acknowledged", 3), ("closed", "pulled"),
    ]  # fmt: skip
    assert observed.take_output() == b"", "nothing taken is told of as nothing"
    assert len(told) == 8


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
