"""A board of your own on a Pi's header: pins by RPi.GPIO, lights by neopixel, the rest by lumiban.

    python examples/own_board.py mine.toml        # a profile as in docs/shop-boards.md

It prints a port; `./run play trivia -o size=8 --profile mine.toml --board PORT` plays on it. Any
object with the methods of `boards/gpio/interface.py` may stand in place of the two libraries.
"""

import sys
from pathlib import Path

from lumiban.boards.gpio.buses import LinuxBuses
from lumiban.boards.gpio.libraries import NeopixelLights, RpiGpioPins
from lumiban.boards.gpio.pins import check_pins, look, of_profile
from lumiban.boards.gpio.process import HeaderBoard
from lumiban.boards.profile import load


class DimLights(NeopixelLights):
    """Your own turn on a part: here the lights at a quarter."""

    def show(self, rgb: bytes) -> None:
        super().show(bytes(level // 4 for level in rgb))


profile, pi = load(sys.argv[1]), look()
pins = of_profile(profile)
check_pins(pins, pi)
chain = DimLights(profile.lights)
board = HeaderBoard(
    profile, pins, RpiGpioPins(), LinuxBuses(), chain, uid=pi.uid, state=Path("own-board")
)
print(board.line.path, flush=True)
board.run()
