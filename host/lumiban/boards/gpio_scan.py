"""Frames of the sensors over the Pi's header: muxes by four pins, two MCP3208 on SPI.

All strips share the select lines: for each channel every strip that has a sensor there is
converted, one after the other. Strip r is input r of the first ADC, from 8 on of the second. A
frame lasts as long as its conversions; gpio_instant.py takes them back to one moment.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from lumiban_fw.layout import REFERENCE

from lumiban.boards.gpio_instant import Instant
from lumiban.boards.gpio_pins import Pins
from lumiban.boards.ports import said
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError

INPUTS = 8
"""Of one MCP3208."""
SPI_HZ = 1_000_000
"""The MCP3208 is good for 1 MHz at 2.7 V and 2 MHz at 5 V; it runs at 3.3 V."""
_FIRST = 0b110
"""Start bit, single-ended."""


class Scanner:
    """Reads frames; `gpio` is RPi.GPIO with its pins set up, `adcs` are opened spidev devices."""

    def __init__(self, profile: Profile, pins: Pins, gpio: Any, adcs: Sequence[Any]) -> None:
        turns = _turns(profile, pins.columns)
        self._output = gpio.output
        self._turns = [
            (changes, [(adcs[row // INPUTS].xfer2, question(row % INPUTS), *to) for row, *to in at])
            for changes, at in turns
        ]
        self._instant = Instant([[(which, place) for _, which, place in at] for _, at in turns])
        self._starts = [0] * len(turns)
        self._ends = [0] * len(turns)

    def read(
        self, counts: array[int], references: array[int], clock: Callable[[], int]
    ) -> tuple[int, int]:
        """Fill in the counts (12 bits) of all cells, and of the rows' references.

        They are those of the first of the two times (µs of `clock`); at the other it was done.
        """
        into = (counts, references)
        begin = end = clock()
        for turn, (changes, readings) in enumerate(self._turns):
            for pin, level in changes:
                self._output(pin, level)
            self._starts[turn] = clock()
            for transfer, words, which, at in readings:
                _, high, low = transfer(words)
                into[which][at] = (high & 0x0F) << 8 | low
            end = self._ends[turn] = clock()
        self._instant.even(begin, self._starts, self._ends, counts, references)
        return begin, end


def question(channel: int) -> tuple[int, int, int]:
    """The three bytes that make an MCP3208 convert one input; 12 bits come back in the last two.

    >>> [f"{byte:08b}" for byte in question(5)]
    ['00000111', '01000000', '00000000']
    """
    return _FIRST | channel >> 2, (channel & 3) << 6, 0


def _turns(
    profile: Profile, columns: Sequence[int]
) -> list[tuple[list[tuple[int, int]], list[tuple[int, int, int]]]]:
    """For each mux channel in use: which pins change to what, then (row, 0 or 1, place in counts or
    references) of each conversion. In Gray order few pins change."""
    by_channel: dict[int, list[tuple[int, int, int]]] = {}
    for number, cell in enumerate(profile.cells):
        by_channel.setdefault(cell.channel, []).append((cell.row, 0, number))
    by_channel[REFERENCE] = [(row, 1, row) for row in range(profile.rows)]
    order = sorted(by_channel, key=_gray_rank)
    out = []
    for before, channel in zip([order[-1], *order[:-1]], order, strict=True):
        differ = before ^ channel
        changes = [(columns[n], channel >> n & 1) for n in range(4) if differ >> n & 1]
        out.append((changes, sorted(by_channel[channel])))
    return out


def start(pins: Pins, profile: Profile, gpio: Any) -> None:
    """Put the select lines to where a frame begins, as `Scanner` takes for granted."""
    last = max({cell.channel for cell in profile.cells} | {REFERENCE}, key=_gray_rank)
    for n, pin in enumerate(pins.columns):
        gpio.output(pin, last >> n & 1)


def _gray_rank(number: int) -> int:
    """Where a number stands in the Gray code."""
    return number ^ number >> 1 ^ number >> 2 ^ number >> 3


def open_adcs(pins: Pins, spidev: Any, rows: int) -> list[Any]:
    """The ADCs that so many rows need; BoardError when the bus is not there or not ours."""
    found = []
    for select in range(1 + (rows - 1) // INPUTS):
        path = f"/dev/spidev{pins.spi}.{select}"
        adc = spidev.SpiDev()
        try:
            adc.open(pins.spi, select)
        except FileNotFoundError:
            raise BoardError(said(f"gpio.spi.absent-{pins.spi}", path=path)) from None
        except PermissionError:
            raise BoardError(said("gpio.spi.forbidden", path=path)) from None
        except OSError as error:
            detail = error.strerror or str(error)
            raise BoardError(said("gpio.spi.broken", path=path, detail=detail)) from None
        adc.max_speed_hz = SPI_HZ
        adc.mode = 0
        found.append(adc)
    return found
