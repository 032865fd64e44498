"""An emulated Pico: the chip with its faults mended, the parts around it, its flash.

A `Machine` runs exactly as far as it is told, by the same image alike each time. `MuxTree` and
`Chain` are what stands around the chip, `WholeFrames` and `WholePictures` the capture and the
lights in less CPU time, `disk_image` its files.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from lumiban.boards.profile import Profile
from lumiban.maker import flash
from lumiban.maker.program import names_of, one_module, program, sources
from lumiban_fw.wire import FULL_SCALE
from lumiban_sim.flash_disk import BLOCK, BLOCKS, DISK_VERSION, PAGE, FlashTimes
from lumiban_sim.switches import PicoSwitches, SwitchWiring

BLOCKS_BESIDE_RADIO = 212
"""A Pico W's, of `BLOCK` bytes: the driver of its radio takes the rest."""
BOOT_US = 5_000_000
"""A chip that has not shown up on USB by then does not start."""


class Machine:
    """A chip with an image and its flash's files by path; `parts` are attached before it starts.

    The image says whether it is a Pico or a Pico W, whose flash keeps less for files. `heard` takes
    the bytes it sends. Times are the chip's own, in µs since power-on; `progress`
    is told them while the chip runs until something holds.
    """

    def __init__(
        self,
        image: Path,
        files: Mapping[str, bytes],
        *parts: Any,
        progress: Callable[[float], None] = lambda now_us: None,
    ) -> None:
        from rp2040py.boards import BOARDS, resolve_firmware
        from rp2040py.device import MicroPythonDevice
        from rp2040py.external import attach_external_devices

        self.has_radio = flash.image(image).board.endswith(" W")
        kind = BOARDS["pico_w" if self.has_radio else "pico"]
        board = resolve_firmware(kind, "micropython", str(image))
        disk = disk_image(files, BLOCKS_BESIDE_RADIO if self.has_radio else BLOCKS)
        with tempfile.NamedTemporaryFile(suffix=".img") as file:
            file.write(disk)
            file.flush()
            self.device = MicroPythonDevice(board=board, filesystem=file.name)
        self.chip: Any = self.device.mcu
        self.heard = bytearray()
        self._simulator: Any = self.device.simulator
        self._clock = self._simulator.clock
        self._cdc: Any = self.device.cdc
        self._connected = False
        self._progress = progress
        self._end = self._clock.create_alarm(self._stop)
        quiet_usb(self.device)
        self._cdc.on_device_connected = self._connect
        self._cdc.on_serial_data = self.heard.extend
        self._parts = parts
        attach_external_devices(self.chip, *parts)
        self.chip.watchdog.on_watchdog_trigger = self._bitten

    def _stop(self) -> None:
        self._simulator.stopped = True

    def _connect(self) -> None:
        self._connected = True

    @property
    def now_us(self) -> float:
        """The chip's time."""
        return float(self._clock.nanos) / 1000

    def run(self, us: float) -> None:
        """Let the chip run for a time in µs."""
        end = self._clock.nanos + us * 1000
        self._end.schedule(us * 1000)
        self._simulator.stopped = False
        while self._clock.nanos < end and not self._simulator.stopped:
            self._simulator._execute_batch()
        self._simulator.stopped = True

    def run_until(self, done: Callable[[], bool], limit_us: float, step_us: float = 100) -> None:
        """Run until something holds; TimeoutError when it does not within `limit_us`."""
        end = self.now_us + limit_us
        while not done():
            if self.now_us > end:
                raise TimeoutError(f"not within {limit_us / 1e6:g} s of the chip's time")
            self.run(step_us)
            self._progress(self.now_us)

    def start(self) -> None:
        """Power on, until the host sees it on USB."""
        from rp2040py.memory_map import FLASH_START_ADDRESS

        self.chip.core.pc = FLASH_START_ADDRESS
        self.run_until(lambda: self._connected, BOOT_US, 1000)

    def reset(self) -> None:
        """Cut the power and give it back; its flash stays."""
        self._before_reset()
        self.device.hard_reset()

    def _bitten(self) -> None:
        self._before_reset()
        self.device._on_watchdog_trigger()

    def _before_reset(self) -> None:
        self._connected = False
        for part in self._parts:
            if hasattr(part, "reset"):
                part.reset()

    def send(self, data: bytes) -> None:
        """Bytes from the host; at most 500 between two runs."""
        for byte in data:
            self._cdc.send_serial_byte(byte)

    def at(self, us: float, act: Callable[[], None]) -> None:
        """Do something a time in µs from now, whatever the chip does then."""
        alarm = self._clock.create_alarm(act)
        alarm.schedule(us * 1000)


# Faults of rp2040py 0.3.6 that would make its time worthless, and how each is worked around.


def quiet_usb(device: Any) -> None:
    """Let the host send nothing when it has nothing to send.

    The emulated host answers each of the chip's receive buffers with an empty packet at once, an
    interrupt every 10 µs. Here the buffer stays armed until bytes are there.
    """
    cdc, usb, clock = device.cdc, device.mcu.usb_ctrl, device.simulator.clock
    read, send, reset = usb.on_endpoint_read, cdc.send_serial_byte, usb.on_reset
    waiting: list[int] = []
    due: list[bool] = []

    def on_read(endpoint: int, size: int) -> None:
        if endpoint == cdc._out_endpoint and cdc.tx_fifo.empty:
            waiting[:] = [size]
        else:
            read(endpoint, size)

    def deliver() -> None:
        due.clear()
        if waiting:
            on_read(cdc._out_endpoint, waiting.pop())

    alarm = clock.create_alarm(deliver)

    def on_send(byte: int) -> None:
        send(byte)
        if waiting and not due:
            due.append(True)
            alarm.schedule(1000)  # a µs, in which the rest of a packet comes

    def on_reset() -> None:
        waiting.clear()
        due.clear()
        if reset:
            reset()

    usb.on_endpoint_read, cdc.send_serial_byte, usb.on_reset = on_read, on_send, on_reset


def random_bits(chip: Any, seed: int = 1) -> None:
    """Give the ring oscillator's register of chance its bits, of which boot ids are made: it reads
    as nothing but ones."""
    dice = Random(seed)
    oscillator = chip.peripherals[0x40060]
    read = oscillator.read_uint32

    def bit(offset: int) -> int:
        return dice.getrandbits(1) if offset == 0x1C else int(read(offset))

    oscillator.read_uint32 = bit


def timed_adc(adc: Any, convert: Callable[[int], int]) -> None:
    """Give conversions their value at their start, and their time as silicon has it.

    `convert` is called with the input when a conversion starts. The emulator's own pause between
    two conversions adds the divider to whole ones; this keeps the grid of the divider's period.
    """
    clock = adc.rp2040.clock
    held: list[int] = []
    alarm = clock.create_alarm(lambda: adc.complete_adc_read(held.pop(0), False))

    def on_read(channel: int) -> None:
        held.append(convert(channel))
        alarm.schedule(2000)

    adc.on_adc_read = on_read


class OnGrid:
    """Keep a PIO machine that never stalls on its own grid: the emulator lets it slip by a cycle
    now and then, 11 µs a second, where silicon divides one clock. Call it often; the grid is
    that many of the machine's own cycles."""

    def __init__(self, pio: Any, machine: Any, cycles: int) -> None:
        self._pio, self._machine = pio, machine
        self._cycles = cycles
        self._first: int | None = None

    def __call__(self) -> None:
        """Let it happen."""
        machine = self._machine
        if not machine.enabled:
            self._first = None
            return
        if self._first is None:
            self._first = machine.next_due_fp
        period = self._cycles * machine.div_fp
        late = (machine.next_due_fp - self._first) % period
        if 0 < late < period // 2:
            machine.next_due_fp -= late
            self._pio.notify_due(machine.next_due_fp)


# What stands around the chip: the mux tree before its ADC, the supply, the LED chain.

FIRST_ADDRESS_PIN, ADDRESS_PINS = 2, 8
SLOT_TURNS = 5
"""Cycles of the address machine in a slot."""
SETTLE_NS = 1_000
"""The muxes and the cable need so long after a change of address."""
CHAIN_FIFO = 0x50300010
UNSETTLED = FULL_SCALE
"""Reading before all is settled: nothing that a board could mistake for a reading."""
GOOD_PIN, POWER_PIN = 17, 18
"""The supervisor's word, and the switch of the strips' 5 V."""
RAIL_ROW = 15
"""Half of the 5 V rail lies on this channel of the row mux, besides its own input of the ADC."""


class MuxTree:
    """Row mux over the strips' muxes, before ADC0, and the pins of the supply.

    `read(row, channel, now_us)` gives the counts of one input. `early` counts conversions that
    began before the muxes had settled; `turns` keeps when addresses changed, if asked to. `on` says
    whether the strips' 5 V is switched on, since `on_us`; `switched` is told when it changes.
    """

    def __init__(self, read: Callable[[int, int, float], int], rail_mv: int = 5000) -> None:
        self.read = read
        self.rail_mv = rail_mv
        self.on = False
        self.on_us = 0.0
        self.switched: Callable[[bool, float], None] = lambda on, now_us: None
        self.early = 0
        self.conversions = 0
        self.turns: list[tuple[float, int]] | None = None
        self.starts: list[float] = []
        self._chip: Any = None
        self._on_grid: Callable[[], None] = lambda: None
        self._address = 0
        self._turned = 0.0

    def attach(self, chip: Any) -> None:
        """Connect to the chip's pins; the emulator calls this."""
        self._chip = chip
        for k in range(ADDRESS_PINS):
            chip.gpio[FIRST_ADDRESS_PIN + k].add_listener(self._pin_listener(k))
        chip.gpio[POWER_PIN].add_listener(self._switch)
        self.supply(True)
        timed_adc(chip.adc, self._convert)
        self._on_grid = OnGrid(chip.pio[0], chip.pio[0].machines[0], SLOT_TURNS)

    def supply(self, good: bool) -> None:
        """Sets the supervisor's signal from now on."""
        self._chip.gpio[GOOD_PIN].set_input_value(good)

    def reset(self) -> None:
        """The chip is about to be reset: a resistor pulls the switch's pin low."""
        self._set(False)

    def _switch(self, new: Any, _old: Any) -> None:
        from rp2040py.gpio_pin import GPIOPinState

        self._set(new == GPIOPinState.HIGH)

    def _set(self, on: bool) -> None:
        if on != self.on:
            self.on = on
            self.on_us = self._chip.clock.nanos / 1000
            self.switched(on, self.on_us)

    def input(self, row: int, channel: int, now_us: float) -> int:
        """Counts of one input of the tree."""
        if row == RAIL_ROW:
            return self.rail_mv * (FULL_SCALE + 1) // 6600
        return self.read(row, channel, now_us)

    def _pin_listener(self, k: int) -> Callable[[Any, Any], None]:
        from rp2040py.gpio_pin import GPIOPinState

        bit = 1 << k

        def turn(new: Any, _old: Any) -> None:
            high = new == GPIOPinState.HIGH
            self._address = self._address | bit if high else self._address & ~bit
            self._turned = self._chip.clock.nanos
            if self.turns is not None:
                self.turns.append((self._turned, self._address))

        return turn

    def _convert(self, channel: int) -> int:
        if channel == 1:
            return self.rail_mv * (FULL_SCALE + 1) // 6600
        if channel != 0:
            return 0
        now = self._chip.clock.nanos
        self._on_grid()
        self.conversions += 1
        if self.turns is not None:
            self.starts.append(now)
        if now - self._turned < SETTLE_NS:
            self.early += 1
            return UNSETTLED
        return self.input(self._address >> 4, self._address & 15, now / 1000)


class SwitchPins(MuxTree):
    """Switches on the chip's pins in place of the tree; nothing measures or supervises the supply.

    `look` gives their states by cell, 1 for closed; `refresh` is called when one has changed.
    """

    def __init__(self, profile: Profile, look: Callable[[], Sequence[int]]) -> None:
        super().__init__(lambda row, channel, now_us: 0)
        self.switches = PicoSwitches(profile, look)
        self.turned = 0
        """Number of times that a line to the switches changed its level."""

    def attach(self, chip: Any) -> None:
        """Connect to the chip's pins; the emulator calls this."""
        self._chip = chip
        chip.gpio[POWER_PIN].add_listener(self._switch)
        for pin in self.switches.outputs:
            chip.gpio[pin].add_listener(self._line_listener(pin))
        if self.switches.is_on_bus:
            ExpanderBus(chip.i2c[1], self.switches.wiring)
        self.refresh()

    def supply(self, good: bool) -> None:
        """No pin hears of it."""

    def silence(self) -> None:
        """Let no PIO be advanced: none is in use but for the lights, see `WholePictures`."""
        if not isinstance(self._chip.pio, Silent):
            self._chip.pio = Silent(self._chip.pio)

    def reset(self) -> None:
        """The chip is about to be reset: its PIOs are its own again."""
        super().reset()
        if isinstance(self._chip.pio, Silent):
            self._chip.pio = self._chip.pio.all

    def refresh(self) -> None:
        """Updates the levels of the inputs."""
        for pin in self.switches.inputs:
            self._chip.gpio[pin].set_input_value(bool(self.switches.read(pin)))

    def _line_listener(self, pin: int) -> Callable[[Any, Any], None]:
        from rp2040py.gpio_pin import GPIOPinState

        levels = {GPIOPinState.LOW: 0, GPIOPinState.HIGH: 1}

        def turn(new: Any, _old: Any) -> None:
            self.turned += 1
            self.switches.turn(pin, levels.get(new))
            self.refresh()

        return turn


class ExpanderBus:
    """MCP23017s at an I²C of the chip: a byte written after the address names a register."""

    def __init__(self, bus: Any, wiring: SwitchWiring) -> None:
        self._bus = bus
        self._wiring = wiring
        self._address = 0
        self._register = -1
        self._left: list[int] = []
        """Bytes that are still to be read."""
        bus.on_connect = self._connect
        bus.on_write_byte = self._write
        bus.on_read_byte = self._read

    def _connect(self, address: int, mode: Any) -> None:
        self._address = address
        self._left = []
        if not int(mode):
            self._register = -1
        try:
            self._wiring.ask(address, 0, 0)
        except OSError:
            self._bus.complete_connect(False)
        else:
            self._bus.complete_connect(True)

    def _write(self, value: int) -> None:
        if self._register < 0:
            self._register = value
        else:
            self._left.append(value)
            self._wiring.write(self._address, self._register, self._left)
        self._bus.complete_write(True)

    def _read(self, _acknowledged: bool) -> None:
        if not self._left:
            self._left = self._wiring.ask(self._address, self._register, 2)
        self._bus.complete_read(self._left.pop(0))


class Chain:
    """The LED chain: frames as the chip's DMA hands them to its PIO, without decoding the pin.

    Decoding every edge costs 0.2 s a frame; `Ws2812` of the emulator does it where edges matter.
    """

    def __init__(self) -> None:
        self.frames: list[tuple[float, bytes]] = []
        """Frames of light: when each began (µs), and r, g, b of each light."""

    def attach(self, chip: Any) -> None:
        """Listen to the channels that feed the first machine of the second PIO."""
        for channel in chip.dma.channels:
            channel.start = self._observed(chip, channel, channel.start)

    def _observed(self, chip: Any, channel: Any, start: Callable[[], None]) -> Callable[[], None]:
        def begin() -> None:
            if channel._write_addr == CHAIN_FIFO and not channel.active:
                first, count = channel._read_addr, channel._trans_count_reload
                grb = bytes(chip.read_uint8(first + k) for k in range(count))
                self.frames.append((chip.clock.nanos / 1000, _rgb(grb)))
            start()

        return begin


def _rgb(grb: bytes) -> bytes:
    out = bytearray(len(grb))
    out[0::3], out[1::3], out[2::3] = grb[1::3], grb[0::3], grb[2::3]
    return bytes(out)


# The same in less CPU time: whole frames, whole pictures, and sleep where the chip only looks.
#
# Emulated slot by slot, a second of the chip takes some 40 s of a computer's time. Here the capture
# hardware (PIO 0, ADC and the DMA channel of the readings) is replaced by one step a frame with the
# same result at the same time: the frame's readings lie in the next buffer, and the channel that
# counts frames has gone on. The LED chain takes its time without its PIO. And when the firmware has
# looked several times for a frame that is not there and for bytes that did not come, time goes on
# to the next frame's end at once; it would have looked on until then.
#
# The firmware, MicroPython, USB, timers, interrupts and flash are emulated as ever. What the
# capture hardware does, and how much of its time the CPU has left, is for `bench` and `Machine`
# alone.

LAMP_BYTE_NS = 10_000
LOOKS = 4
"""Looks in vain before the CPU sleeps."""
_ADC_FIFO, _PIO0_FIFO = 0x4004C00C, 0x50200010
_FCS, _START_MANY, _BUSY = 8, 1 << 3, 1 << 24
_RAM = 0x20000000


class Silent(dict[int, Any]):
    """The chip's PIOs, none of which is advanced: the emulator goes through them at every
    instruction, and finds none; pins ask for theirs by number."""

    def __init__(self, pios: list[Any]) -> None:
        super().__init__()
        self.all = pios

    def __missing__(self, number: int) -> Any:
        return self.all[number]


class WholeFrames:
    """The capture hardware of a chip, by whole frames; `read` as that of `MuxTree`.

    Times are the chip's, in µs; `first_us` is when the first frame of the present capture began,
    `done` how many it has taken.
    """

    def __init__(self, read: Callable[[int, int, float], int]) -> None:
        self.read = read
        self.first_us = 0.0
        self.done = 0
        self._looks = 0
        self._chip: Any = None
        self._alarm: Any = None
        self._wake: Any = None
        self._data: Any = None
        self._end_ns = 0.0
        self._frame_ns = 0
        self._order: list[tuple[int, int]] = []

    def attach(self, chip: Any) -> None:
        """Take the place of the hardware; after whatever else listens to the ADC."""
        self._chip = chip
        self._alarm = chip.clock.create_alarm(self._frame)
        self._wake = chip.clock.create_alarm(self._awake)
        self._single = chip.adc.start_adc_read
        self._read_register = chip.adc.read_uint32
        chip.adc.start_adc_read = self._start
        chip.adc.read_uint32 = self._look

    def reset(self) -> None:
        """The chip is about to be reset: its PIOs are its own again."""
        if isinstance(self._chip.pio, Silent):
            self._chip.pio = self._chip.pio.all

    def stir(self) -> None:
        """Something happens outside: the firmware has reason to look."""
        self._looks = 0

    def _start(self) -> None:
        chip = self._chip
        if not chip.adc.cs & _START_MANY:
            self._single()
            return
        channels = chip.dma.channels
        data = next(c for c in channels if c._read_addr == _ADC_FIFO and c.active)
        out = next(c for c in channels if c._write_addr == _PIO0_FIFO and c.active)
        first = chip.read_uint32(channels[out._chain_to]._read_addr)
        slots = data._trans_count_reload
        bytes_ = [chip.read_uint8(first + k) for k in range(slots)]
        self._order = [(byte >> 4, byte & 15) for byte in bytes_]
        self._data = data
        self.first_us = chip.clock.nanos / 1000
        self.done = self._looks = 0
        self._frame_ns = slots * ((chip.adc.clock_div >> 8) + 1) * 1000 // 48
        self._due()
        if not isinstance(chip.pio, Silent):
            chip.pio = Silent(chip.pio)

    def _due(self) -> None:
        self._end_ns = self._chip.clock.nanos + self._frame_ns
        self._alarm.schedule(self._frame_ns)

    def _frame(self) -> None:
        chip, data = self._chip, self._data
        if not chip.adc.cs & _START_MANY or not data.active:
            return
        slots = len(self._order)
        began = self.first_us + self.done * self._frame_ns / 1000
        self._due()
        known: dict[tuple[int, int], int] = {}
        readings = array("H")
        for place in self._order:
            if place not in known:
                known[place] = self.read(*place, began)
            readings.append(known[place])
        at = data._write_addr - _RAM
        chip.sram[at : at + 2 * slots] = readings.tobytes()
        data._write_addr += 2 * slots
        data._trans_count = 0
        data._ctrl &= ~_BUSY
        chip.dma.channels[data._chain_to].start()
        self.done += 1
        self._looks = 0

    def _look(self, offset: int) -> int:
        if offset == _FCS and self._data is not None:
            self._looks += 1
            chip = self._chip
            left_ns = self._end_ns - chip.clock.nanos
            if self._looks > LOOKS and left_ns > 0:
                chip.core.waiting = True
                self._wake.schedule(left_ns + 1_000)
        return int(self._read_register(offset))

    def _awake(self) -> None:
        self._chip.core.waiting = False


class WholePictures:
    """The LED chain, by whole pictures: its DMA channel is busy as long as the wire would be."""

    def __init__(self, chain: Any) -> None:
        self._chain = chain

    def attach(self, chip: Any) -> None:
        """Listen as the chain does, and end each transfer in its time."""
        self._chain.attach(chip)
        for channel in chip.dma.channels:
            channel.start = self._timed(chip, channel, channel.start)

    def _timed(self, chip: Any, channel: Any, start: Callable[[], None]) -> Callable[[], None]:

        def end() -> None:
            channel._trans_count = 0
            channel._ctrl &= ~_BUSY

        alarm = chip.clock.create_alarm(end)

        def begin() -> None:
            ours = channel._write_addr == CHAIN_FIFO and not channel.active
            start()
            if ours and channel.active:
                channel.transfer_alarm.cancel()
                alarm.schedule(LAMP_BYTE_NS * channel._trans_count_reload)

        return begin


# The files on the chip's flash, and the time that it takes.


_SECTOR_ERASE, _BLOCK_ERASE, _PAGE_PROGRAM = 0x20, 0xD8, 0x02
SECTORS_A_BLOCK = 4
"""A block of 64 KiB is erased in the time of this many sectors."""


class SlowFlash:
    """The time that the flash takes, which the emulator's does not: while it erases or programs,
    the chip waits for it, as its boot ROM does with interrupts off.

    `erased` and `programmed` count.
    """

    def __init__(self, times: FlashTimes) -> None:
        self.times = times
        self.erased = self.programmed = 0
        self._chip: Any = None

    def attach(self, chip: Any) -> None:
        """Stand between the chip and its flash; the emulator calls this."""
        self._chip = chip
        ssi = chip.ssi
        apply = ssi._apply_command

        def applied() -> None:
            command = ssi._tx_buffer[0] if ssi._tx_buffer and ssi._write_enabled else 0
            bytes_ = len(ssi._tx_buffer) - 4
            apply()
            us = 0
            if command in (_SECTOR_ERASE, _BLOCK_ERASE):
                sectors = SECTORS_A_BLOCK if command == _BLOCK_ERASE else 1
                self.erased += 1
                us = sectors * self.times.erase_us
            elif command == _PAGE_PROGRAM:
                pages = -(-bytes_ // PAGE)
                self.programmed += pages
                us = pages * self.times.program_us
            if us:
                chip.clock.tick(1000 * us)

        ssi._apply_command = applied


def firmware_files(instead: Mapping[str, str] = MappingProxyType({})) -> dict[str, bytes]:
    """The program, compiled, by its paths on the chip, with main.py on top.

    `instead` are modules (name → source) in place of the firmware's own.
    """
    return {
        name if name == "main.py" else f"lumiban_fw/{name}": data
        for name, data in program(instead=instead).items()
    }


def in_names_of_the_sources(output: bytes | bytearray) -> str:
    """Output of the chip, a traceback of `firmware()` in the names of its sources."""
    read = sources()
    return names_of(one_module(read), read).readable(output.decode(errors="replace"))


def disk_image(files: Mapping[str, bytes], blocks: int = BLOCKS) -> bytes:
    """A littlefs image with these files, folders made as needed."""
    from littlefs import LittleFS, UserContext

    context = UserContext(buffsize=BLOCK * blocks)
    system = LittleFS(
        context=context, block_size=BLOCK, block_count=blocks, disk_version=DISK_VERSION
    )
    for name, data in files.items():
        folder = name.rpartition("/")[0]
        if folder:
            system.makedirs(folder, exist_ok=True)
        with system.open(name, "wb") as file:
            file.write(data)
    return bytes(context.buffer)
