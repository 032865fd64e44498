"""The board on a Raspberry Pi Pico; with all that it needs, this becomes one file (flash)."""

import gc

from lumiban_fw.board import Board
from lumiban_fw.hal_pico import Pico


def run() -> None:
    """Run the board for ever."""
    # Its buffers are large and must lie in one piece: they come first.
    hardware = Pico()
    board = Board(hardware)
    gc.threshold(-1)
    now_us, turn = hardware.now_us, board.turn
    while True:
        turn(now_us())
