"""Entry point on a Raspberry Pi Pico: makes the board and runs its loop.

`flash` bundles it, with all that it imports, into one file.
"""

import gc
from array import array

from lumiban_fw.board import Board, Services
from lumiban_fw.contact import TimingQueue
from lumiban_fw.events import Buttons, EventRing, Faults, ReorderBuffer
from lumiban_fw.framing import Decoder
from lumiban_fw.hal_pico import HOLES, Pico, Usb, fill, forget
from lumiban_fw.hal_pio import Capture, Lamps
from lumiban_fw.lights import Lights
from lumiban_fw.link import Link
from lumiban_fw.motion import Baselines, MovingCells
from lumiban_fw.sense import Rows, Sense, SensorMonitor
from lumiban_fw.supply import Supply

ONCE = (
    Board, Buttons, Capture, Decoder, Faults, SensorMonitor, Lamps, Lights, Link, MovingCells,
    TimingQueue, Pico, ReorderBuffer, EventRing, Rows, Sense, Services, Supply, Usb, Baselines,
)  # fmt: skip
"""Classes of which there are no more objects than those that the start makes."""


def run() -> None:
    """Run the board for ever."""
    hardware, board = begin()
    now_us, turn = hardware.now_us, board.turn
    while True:
        try:
            turn(now_us())
        except MemoryError:
            # What was begun in this turn is lost; STATE and what is sent again make up for it.
            gc.collect()
            board.link.drops += 1


def begin() -> "tuple[Pico, Board]":
    """The one board of this chip; how to make another is forgotten, which frees 6 KB."""
    from lumiban_fw.layout_file import read

    # Its buffers are large and must lie in one piece: they come first.
    layout = read(Pico.load(None, "board.bin"))  # type: ignore[arg-type]  # of no object yet
    if layout.wiring:
        from lumiban_fw.hal_switches import SwitchPico

        hardware: Pico = SwitchPico(layout)
    else:
        hardware = Pico(layout)
    board = Board(hardware)
    # None in their place: MicroPython keeps what `del` takes from a class.
    for made in ONCE:
        made.__init__ = None  # type: ignore[misc, method-assign, assignment]  # never called again
    Board._calibration = None  # type: ignore[method-assign, assignment]  # only __init__ called it
    board.layout.channel = bytearray()
    board.layout.baseline = array("h")
    forget()
    gc.collect()
    gc.threshold(-1)
    hardware.free_heap = gc.mem_free()
    fill(HOLES)
    return hardware, board
