"""Pictures on their way to the LEDs: none is lost, none is torn, green comes first if it must."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from board_bench import Bench
from fake_pico import Pico
from lumiban.boards.messages import packed
from lumiban_fw import wire

RED, GREEN = (255, 0, 0), (0, 255, 0)
WAY_US = 5_500
"""A picture of 182 lights is so long on its way."""


class Slow(Bench):
    """A chain of LEDs that takes a while for each picture, straight from the lights' buffer."""

    def __init__(self) -> None:
        self._sent: bytearray | None = None
        self._free_us = 0
        self._as_sent = b""
        super().__init__()

    def showing(self) -> bool:
        return self.now_us < self._free_us

    def show(self, rgb: bytearray) -> None:
        assert not self.showing()
        self.arrive()
        self._sent, self._as_sent = rgb, bytes(rgb)
        self._free_us = self.now_us + WAY_US

    def arrive(self) -> bytes:
        """What the LEDs show once the last picture is there: it must be as it was sent."""
        if self._sent is not None:
            assert bytes(self._sent) == self._as_sent
        return self._as_sent


class GreenFirst(Bench):
    green_first = True


def colour(bench: Bench, seq: int, *rgb: tuple[int, int, int]) -> None:
    """The host makes all lights one colour."""
    bench.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=list(rgb)), wire.RELIABLE, seq)
    bench.say(
        wire.H_LAYER,
        packed(wire.H_LAYER, 0, 0, tail=[(1, wire.STEADY)] * 3),
        wire.RELIABLE,
        seq + 1,
    )
    bench.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0), wire.RELIABLE, seq + 2)


@pytest.mark.slow
@pytest.mark.parametrize("apart_us", [1, 900, 5_400])
def test_a_picture_asked_for_while_one_is_on_its_way_is_shown_after_it(apart_us: int) -> None:
    bench = Slow()
    bench.run(700_000)
    bench.greet()
    bench.run(50_000)
    colour(bench, 0, RED)
    bench.run(apart_us)
    colour(bench, 3, GREEN)
    bench.run(2 * WAY_US + 1)
    assert bench.arrive()[:3] == bytes((0, 64, 0))


def test_leds_that_want_green_first_get_it_first() -> None:
    plain, swapped = Bench(), GreenFirst()
    for bench in (plain, swapped):
        bench.run(700_000)
        hello = bench.rgb[:3]
        bench.greet()
        colour(bench, 0, (200, 100, 50))
        bench.run(20_000)
        bench.rgb = hello + bench.rgb[:3]
    r, g, b = plain.rgb[0::3], plain.rgb[1::3], plain.rgb[2::3]
    assert len({r, g, b}) == 3
    assert (swapped.rgb[1::3], swapped.rgb[0::3], swapped.rgb[2::3]) == (r, g, b)


def test_the_chip_sends_the_lights_own_buffer_and_says_when_it_is_busy() -> None:
    made: Any = Pico().load("hal_pio").Lamps()
    picture = bytearray(range(9))
    made.show(picture)
    assert made._dma.setup["read"] is picture
    assert made._dma.setup["count"] == 9
    assert not made.busy()
    made._dma = SimpleNamespace(active=lambda: True)
    assert made.busy()
