"""Runs on the emulated chip in place of hal_start.py: the memory that is free, then measure.py."""

import gc
import time

import micropython
from lumiban_fw.board import Board
from lumiban_fw.hal_pico import Pico


def run() -> None:
    """Start the board as hal_start.py does, note the memory, and play."""
    micropython.kbd_intr(-1)
    gc.collect()
    figures = {"code": gc.mem_alloc(), "whole": gc.mem_free() + gc.mem_alloc()}
    hardware = Pico()
    board = Board(hardware)
    gc.threshold(-1)
    figures["ready_us"] = time.ticks_us()
    gc.collect()
    figures["collect_us"] = time.ticks_diff(time.ticks_us(), figures["ready_us"])
    figures["free"] = gc.mem_free()
    from lumiban_fw.measure import play

    gc.collect()
    figures["script"] = figures["free"] - gc.mem_free()
    play(board, hardware, figures)
