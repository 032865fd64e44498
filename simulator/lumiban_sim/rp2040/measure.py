"""Runs on the emulated chip in place of main.py: the board, with its time measured.

After MEASURE_MS of play it prints one line of figures and ends.
"""

import gc
import time


def main(start_ms: int, measure_ms: int) -> None:
    """Run the board; count from `start_ms` on, and collect garbage twice meanwhile."""
    import micropython

    micropython.kbd_intr(-1)  # as main.py does
    gc.threshold(8_000)
    gc.collect()
    whole = gc.mem_free() + gc.mem_alloc()
    from lumiban_fw.hal_pico import Pico

    ticks_us = time.ticks_us
    hal = Pico()
    from lumiban_fw.board import Board

    board = Board(hal)
    gc.threshold(-1)
    ready_us = ticks_us()
    gc.collect()
    free = gc.mem_free()
    print("READY", free, whole)
    ticks, diff = time.ticks_us, time.ticks_diff
    collected = 0
    worst_collect = 0
    start_us = hal.now_us() + 1000 * start_ms
    while hal.now_us() < start_us:
        board.tick(hal.now_us())
    hal.worst_gap_us()
    capture = hal._capture
    missed, restarts = capture.missed, capture.restarts
    fetched = capture._fetched
    idle = turns = worst = behind = 0
    began = ticks()
    least = gc.mem_free()
    while True:
        now = hal.now_us()
        waiting = hal.pending()
        at = ticks()
        board.tick(now)
        after = ticks()
        took = diff(after, at)
        if waiting > behind:
            behind = waiting
        if waiting == 0 and took < 600:
            idle += took
        turns += 1
        if took > worst:
            worst = took
        left = gc.mem_free()
        if left < least:
            least = left
        spent = diff(after, began)
        if spent > 1000 * measure_ms:
            break
        if spent > (collected + 1) * 333 * measure_ms:
            collected += 1
            at = ticks()
            gc.collect()
            took = diff(ticks(), at)
            if took > worst_collect:
                worst_collect = took
    frames = capture._fetched - fetched
    micropython.kbd_intr(3)
    print(
        "\nFIGURES",
        dict(
            whole=whole,
            free=free,
            least=least,
            ready_us=ready_us,
            frames=frames,
            us=spent,
            idle_us=idle,
            turns=turns,
            worst_tick_us=worst,
            worst_collect_us=worst_collect,
            worst_gap_us=hal.worst_gap_us(),
            behind=behind,
            missed=capture.missed - missed,
            restarts=capture.restarts - restarts,
            scan_hz=hal.scan_hz,
        ),
    )


if __name__ == "__main__":
    main(START_MS, MEASURE_MS)  # type: ignore[name-defined]  # set by who puts it on the chip
