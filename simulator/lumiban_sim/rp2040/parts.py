"""What stands around the chip: the mux tree before its ADC, the supply, the LED chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lumiban_fw.wire import FULL_SCALE

from lumiban_sim.rp2040 import mended

FIRST_ADDRESS_PIN, ADDRESS_PINS = 2, 8
SLOT_TURNS = 5
"""A slot is so many cycles of the address machine."""
SETTLE_NS = 1_000
"""The muxes and the cable need so long after a change of address."""
CHAIN_FIFO = 0x50300010
UNSETTLED = FULL_SCALE
"""What is read before: nothing that a board could mistake for a reading."""
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
        mended.timed_adc(chip.adc, self._convert)
        self._on_grid = mended.OnGrid(chip.pio[0], chip.pio[0].machines[0], SLOT_TURNS)

    def supply(self, good: bool) -> None:
        """What the supervisor says from now on."""
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


class Chain:
    """The LED chain: frames as the chip's DMA hands them to its PIO, without decoding the pin.

    Decoding every edge costs 0.2 s a frame; `Ws2812` of the emulator does it where edges matter.
    """

    def __init__(self) -> None:
        self.frames: list[tuple[float, bytes]] = []
        """When each began (µs), and r, g, b of each light."""

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
