"""An emulated chip in less CPU time: whole frames, whole pictures, and sleep where it only looks.

Emulated slot by slot, a second of the chip takes some 40 s of a computer's time. Here the capture
hardware (PIO 0, ADC and the DMA channel of the readings) is replaced by one step a frame with the
same result at the same time: the frame's readings lie in the next buffer, and the channel that
counts frames has gone on. The LED chain takes its time without its PIO. And when the firmware has
looked several times for a frame that is not there and for bytes that did not come, time goes on to
the next frame's end at once; it would have looked on until then.

The firmware, MicroPython, USB, timers, interrupts and flash are emulated as ever. What the capture
hardware does, and how much of its time the CPU has left, is for `bench` and `Machine` alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

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


class Frames:
    """The capture hardware of a chip, by whole frames; `read` as that of `parts.MuxTree`.

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


class Pictures:
    """The LED chain, by whole pictures: its DMA channel is busy as long as the wire would be."""

    def __init__(self, chain: Any) -> None:
        self._chain = chain

    def attach(self, chip: Any) -> None:
        """Listen as the chain does, and end each transfer in its time."""
        self._chain.attach(chip)
        for channel in chip.dma.channels:
            channel.start = self._timed(chip, channel, channel.start)

    def _timed(self, chip: Any, channel: Any, start: Callable[[], None]) -> Callable[[], None]:
        from lumiban_sim.rp2040.parts import CHAIN_FIFO

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
