"""Added to pico_main.py on the emulated chip: notes the memory that is free, plays measure.py."""

import gc
import time

import micropython


def run() -> None:
    """Start the board as pico_main.py does, note the memory, and play."""
    micropython.kbd_intr(-1)
    gc.collect()
    figures = {"code": gc.mem_alloc(), "whole": gc.mem_free() + gc.mem_alloc()}
    hardware, board = begin()
    figures["ready_us"] = time.ticks_us()
    gc.collect()
    figures["collect_us"] = time.ticks_diff(time.ticks_us(), figures["ready_us"])
    figures["free"] = gc.mem_free()
    from lumiban_fw.measure import play

    gc.collect()
    figures["script"] = figures["free"] - gc.mem_free()
    fill(HOLES)
    play(board, hardware, figures, fill, HOLES)
