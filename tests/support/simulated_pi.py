"""The header of a simulated Pi, and the board of switches that hangs on it.

`Pi` moves pins, buses and lights for the driver, by the interface that any mover has
(`boards/gpio/interface.py`); everything is known by its pin alone, and what two outputs that are
wired together do is counted. `PiBoard` is the driver as a simulated chip's body.

    hz = own_rate(load("reed-hex3"))
    rig = Rig(replace(load("reed-hex3"), scan_hz=hz), body=PiBoard)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lumiban.boards.gpio.hal import Header, PiPort, Restart, rate_hz
from lumiban.boards.gpio.pins import NONE, Pins, of_profile
from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import Profile
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_sim.chip import Chip
from lumiban_sim.switches import SwitchWiring

I2C_HZ = 400_000
SPI_HZ = 1_000_000


@dataclass(frozen=True, slots=True)
class Costs:
    """Durations of calls: assumptions for a Pi 4, to be replaced by measured figures."""

    pin_us: int = 8
    """Of a call for pins, however many."""
    transfer_us: int = 20
    """Of a call for a bus, besides its bits."""


class Pi:
    """One Pi with a board on its header: `PinAccess`, `Buses` and `Chain` in one.

    `look` gives the switches now, by cell, 1 for closed; `shine` is told what the lights show,
    `down` which buttons are pressed. `spent_us` is the time that calls have taken.
    """

    def __init__(
        self,
        profile: Profile,
        pins: Pins,
        *,
        look: Callable[[], Sequence[int]],
        shine: Callable[[bytes], None] = lambda _: None,
        down: Callable[[], int] = lambda: 0,
        costs: Costs | None = None,
    ) -> None:
        self.pins = pins
        self.levels: dict[int, int] = {}
        """Of the pins that are driven."""
        self.noted: Callable[[int, int], None] | None = None
        """Told of each pin that is driven or let go (1), and its level."""
        self.spent_us = 0
        self.costs = costs or Costs()
        self._picture = bytes(3 * profile.lights)
        self._shine = shine
        self._down = down
        self.switches = SwitchWiring(
            profile, pins, look, self.levels.get, now_us=lambda: self.spent_us
        )

    # Pins.

    def inputs(self, pins: Sequence[int]) -> _Inputs:
        """Claim pins as inputs that are pulled up."""
        return _Inputs(self, pins)

    def outputs(
        self, pins: Sequence[int], levels: int, *, has_open_drain: bool = False
    ) -> _Outputs:
        """Claim pins as outputs of these levels, as bits."""
        outputs = _Outputs(self, pins, has_open_drain=has_open_drain)
        outputs.put(levels)
        return outputs

    def drive(self, pin: int, level: int | None) -> None:
        """A pin is driven, or let go (None)."""
        if pin in self.pins.drive and pin in self.levels:
            self.switches.changes()
        if level is None:
            self.levels.pop(pin, None)
        else:
            self.levels[pin] = level
            self.switches.out(pin, level)
        if self.noted is not None:
            self.noted(pin, 1 if level is None else level)
        if pin in (self.pins.dark, self.pins.power):
            self._light()

    def read(self, pin: int) -> int:
        """The level of an input; a pressed button draws it to ground."""
        if pin in self.pins.buttons and self._down() >> self.pins.buttons.index(pin) & 1:
            return 0
        drawn = self.switches.read(pin)
        return 1 if drawn is None else drawn

    def close(self) -> None:
        """All pins float."""
        self.levels.clear()
        self._light()

    # Buses and lights.

    def spi(self) -> _Spi:
        """The registers on SPI1."""
        return _Spi(self)

    def i2c(self) -> _I2c:
        """The expanders on GPIO2 and 3."""
        return _I2c(self)

    def sleep_us(self, us: int) -> None:
        """Let time go by."""
        self.spent_us += us

    def show(self, rgb: bytes) -> None:
        """A picture reaches the chain; it takes none of the time that is counted, as a thread of
        its own sends it."""
        self._picture = rgb
        self._light()

    def _light(self) -> None:
        dark = self.pins.dark != NONE and self.levels.get(self.pins.dark, 1)
        power = self.pins.power == NONE or self.levels.get(self.pins.power, 0)
        self._shine(self._picture if power and not dark else bytes(len(self._picture)))


class _Inputs:
    def __init__(self, pi: Pi, pins: Sequence[int]) -> None:
        self._pi = pi
        self._pins = tuple(pins)

    def bits(self) -> int:
        """Levels of all."""
        self._pi.spent_us += self._pi.costs.pin_us
        return sum(self._pi.read(pin) << n for n, pin in enumerate(self._pins))


class _Outputs:
    def __init__(self, pi: Pi, pins: Sequence[int], *, has_open_drain: bool) -> None:
        self._pi = pi
        self._pins = tuple(pins)
        self._has_open_drain = has_open_drain

    def put(self, bits: int, mask: int = -1) -> None:
        """Drive the pins of a mask, or let go of them."""
        self._pi.spent_us += self._pi.costs.pin_us
        for n, pin in enumerate(self._pins):
            if mask >> n & 1:
                level = bits >> n & 1
                self._pi.drive(pin, None if level and self._has_open_drain else level)


class _Spi:
    def __init__(self, pi: Pi) -> None:
        self._pi = pi

    def exchange(self, data: bytes) -> bytes:
        """Bytes that come in while these go out to the registers."""
        self._pi.spent_us += self._pi.costs.transfer_us + len(data) * 8 * 1_000_000 // SPI_HZ
        return self._pi.switches.transfer(data)


class _I2c:
    def __init__(self, pi: Pi) -> None:
        self._pi = pi

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write to a chip's registers; OSError where none answers."""
        self._spend(2 + len(data))
        self._pi.switches.write(address, register, data)

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read a chip's registers; OSError where none answers."""
        self._spend(3 + count)
        return bytes(self._pi.switches.ask(address, register, count))

    def _spend(self, count: int) -> None:
        """Time of so many bytes, of nine bits each."""
        self._pi.spent_us += self._pi.costs.transfer_us + 9 * count * 1_000_000 // I2C_HZ


def own_rate(profile: Profile) -> int:
    """The rate that the driver finds it can keep on this Pi, by how long its calls take there."""
    pins = of_profile(profile)
    pi = Pi(profile, pins, look=lambda: bytes(len(profile.cells)))
    header = Header(profile, pins, pi, pi)
    return rate_hz(header.frame_us(lambda: pi.spent_us), profile.scan_hz)


class PiBoard:
    """Driver and firmware on a header; `hal` is the simulated chip's, for line and files. A frame
    takes no time of the world. `wires` are the pins that the builder took, where they are not those
    of the profile."""

    def __init__(self, hal: Hal, wires: Pins | None = None) -> None:
        self._hal = hal
        self._chip: Chip = hal._chip  # type: ignore[attr-defined]  # of this simulator's own
        self._now_us = 0
        self._begun_us = 0
        self._sensed_us = -1
        world = self._chip.world
        world.rails.wire(self._chip.now_us)
        profile = world.profile
        self._counts = [0] * len(profile.cells)
        self._references = [0] * profile.rows
        pins = of_profile(profile)
        self.pi = Pi(
            profile,
            wires or pins,
            look=self._look,
            shine=lambda rgb: world.shine(rgb, self._chip.now_us),
            down=lambda: world.buttons,
        )
        header = Header(profile, pins, self.pi, self.pi)
        header.light_up()
        self.port = PiPort(
            header,
            self.pi,
            hal,
            hal,
            clock=lambda: self._now_us,
            scan_hz=profile.scan_hz,
            uid=hal.uid,
            boot_id=hal.boot_id,
            reset_cause=hal.reset_cause,
            simulated=True,
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

    def note_pins(self, told: Callable[[int, int, int], None]) -> None:
        """Tell from now on of each pin that is driven: when, which and its level. The calls of a
        frame lie one behind the other, by the time that each takes."""
        self.pi.noted = lambda pin, level: told(
            self._now_us + self.pi.spent_us - self._begun_us, pin, level
        )

    def _look(self) -> bytearray:
        """The switches now, 1 for closed."""
        chip = self._chip
        if self._sensed_us != chip.now_us:
            self._sensed_us = chip.now_us
            at = chip.now_us // chip.period_us
            chip.world.sample(at, chip.now_us, self._counts, self._references)
        return bytearray(count != MIDDLE for count in self._counts)
