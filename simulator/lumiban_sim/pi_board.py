"""The driver of the Pi's header as a chip's body, over a simulated header.

hz = own_rate(load("hex3"))
rig = Rig(replace(load("hex3"), scan_hz=hz), body=PiBoard)
"""

from __future__ import annotations

from collections.abc import Callable

from lumiban.boards.gpio.hal import Header, PiPort, Restart, rate_hz
from lumiban.boards.gpio.lights import Lamps, NoLamps
from lumiban.boards.gpio.pins import Pins, of_profile
from lumiban.boards.profile import Profile
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal

from lumiban_sim.chip import Chip
from lumiban_sim.pi import Pi, Sensed
from lumiban_sim.pi_kernel import PiKernel


def own_rate(profile: Profile, pins: Pins | None = None) -> int:
    """The rate that the driver finds it can keep on this Pi, by how long its calls take there."""
    wired = pins or of_profile(profile)
    pi = Pi(profile, wired)
    header = Header(profile, wired, PiKernel(pi))
    try:
        return rate_hz(header.frame_us(lambda: pi.spent_us), profile.scan_hz)
    finally:
        header.close()


GRAIN_US = 200
"""The sensors are looked at anew so often while a frame is read."""


class PiBoard:
    """Driver and firmware on a header; `hal` is the simulated chip's, for line and files.

    With `takes_time` time goes on with every call of the system, so that the cells of a frame are
    read one after the other (not when skipping); else a frame takes none.
    """

    def __init__(self, hal: Hal, pins: Pins | None = None, *, takes_time: bool = False) -> None:
        self._hal = hal
        self._chip: Chip = hal._chip  # type: ignore[attr-defined]
        self._takes_time = takes_time
        self._now_us = 0
        self._begun_us = 0
        self._sensed_us = -1
        world = self._chip.world
        world.rails.wire(self._chip.now_us)
        profile = world.profile
        self._counts = [0] * len(profile.cells)
        self._references = [0] * profile.rows
        wired = pins or of_profile(profile)
        self.pi = Pi(
            profile,
            wired,
            sensed=self._sense,
            shine=lambda rgb: world.shine(rgb, self._chip.now_us),
            down=lambda: world.buttons,
        )
        kernel = PiKernel(self.pi)
        header = Header(profile, wired, kernel)
        lamps = Lamps(kernel, profile.lights) if profile.has_lights else NoLamps()
        header.light_up()
        self.port = PiPort(
            header,
            lamps,
            hal,
            hal,
            clock=lambda: self._now_us + self._gone_us(),
            scan_hz=profile.scan_hz,
            uid=hal.uid,
            boot_id=hal.boot_id,
            reset_cause=hal.reset_cause,
            simulated=True,
            baselines=world.zeros(),
        )
        self.board = Board(self.port)

    def tick(self, now_us: int) -> int:
        """Run the firmware once."""
        self._now_us = now_us
        self._begun_us = self.pi.spent_us
        try:
            return self.board.tick(now_us)
        except Restart:
            self._hal.reset()
            raise
        finally:
            self._chip.owes_us += self._gone_us()

    def note_pins(self, told: Callable[[int, int, int], None]) -> None:
        """Tell from now on of each pin that is driven: when, which and its level. The calls of a
        frame lie one behind the other, by the time that each takes."""
        self.pi.noted = lambda pin, level: told(
            self._now_us + self.pi.spent_us - self._begun_us, pin, level
        )

    def _gone_us(self) -> int:
        """Time that this tick has taken so far."""
        return self.pi.spent_us - self._begun_us if self._takes_time else 0

    def _sense(self) -> Sensed:
        """Present readings of the sensors."""
        chip = self._chip
        t_us = chip.now_us + self._gone_us() // GRAIN_US * GRAIN_US
        if self._sensed_us != t_us:
            self._sensed_us = t_us
            step_us = GRAIN_US if self._takes_time else chip.period_us
            chip.world.sample(t_us // step_us, t_us, self._counts, self._references)
        return self._counts, self._references
