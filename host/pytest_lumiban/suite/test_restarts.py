"""Claims of a new start: tried last, because it ends what was set."""

from __future__ import annotations

from lumiban.errors import LinkLost
from lumiban_fw import wire

from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.claims import SETTLED_US, Broken, claim, require
from pytest_lumiban.probe import Probe
from pytest_lumiban.stimuli import switch_on
from pytest_lumiban.suite.test_events import set_down

LIFETIME_US = 20_000_000
"""A board that was restarted is back within this."""


@claim("0x544F4F42, else the frame is ignored")
def test_boot_needs_its_magic_number(probe: Probe) -> None:
    before = probe.hello["boot_id"]
    probe.order(wire.H_BOOT, (0x12345678, wire.BOOT_AGAIN))
    probe.rest(1_500_000)
    require(probe.greet()["boot_id"] == before, "it was restarted")


@claim("Restarts the board, which sends nothing more in this session.")
def test_boot_restarts_the_board(probe: Probe) -> None:
    _restart(probe)


def _reset(probe: Probe) -> int:
    """Restart the board, and be silent; its boot_id before."""
    before = probe.hello["boot_id"]
    probe.beats = False
    probe.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_AGAIN))
    probe.run(SETTLED_US)
    return before


def _restart(probe: Probe) -> None:
    """Restart the board, and greet it."""
    before = _reset(probe)
    end = probe.line.now_us + LIFETIME_US
    while probe.line.now_us < end:
        try:
            after = probe.greet()
        except LinkLost:
            continue
        if after["boot_id"] != before:
            probe.beats = True
            return
        probe.run(500_000)
    raise Broken("no new boot_id within 20 s")


@claim("When it gets one it sends a HELLO with session 0, at most twice a second")
def test_a_board_that_was_not_greeted_introduces_itself(probe: Probe) -> None:
    before = _reset(probe)
    end = probe.line.now_us + LIFETIME_US
    known = len(probe.frames)
    while not probe.of(wire.B_HELLO, known) and probe.line.now_us < end:
        probe.say(wire.H_GET_STATE)
        probe.run(200_000)
    require(probe.of(wire.B_HELLO, known), "it does not say that it was restarted")
    known = len(probe.frames)
    for _ in range(20):
        probe.say(wire.H_GET_STATE)
        probe.run(100_000)
    hellos = probe.of(wire.B_HELLO, known)
    require(len(hellos) > 1, f"{len(hellos)} HELLOs in 2 s")
    times = [one["now_us"] for one in hellos]
    require(times[-1] - times[0] > 400_000 * (len(times) - 1), f"HELLOs at {times} µs: too many")
    require({one["session"] for one in hellos} == {0}, "with a session")
    require({one["boot_id"] for one in hellos} != {before}, "boot_id is the old one")
    require(not probe.of(wire.B_STATE, known), "it follows GET_STATE before HELLO")


@claim("Event numbers start at 0 with every `boot_id`.", "CAN_INJECT")
def test_events_count_from_0_after_a_start(board: BoardUnderTest) -> None:
    switch_on(board.host)
    set_down(board)
    board.host.states.clear()
    _restart(board.host)
    board.host.wait(lambda: bool(board.host.states), what="state")
    number = board.host.states[-1].event
    require(number == 0, f"the next event is {number}")
