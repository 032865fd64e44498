"""Runs on the emulated chip in place of main.py: the board, with its time measured.

For each of PHASES it says PHASE and plays on for MEASURE_MS; then it prints its figures and ends.
"""

import gc
import time

SETTLE_MS = 40
"""Played before a phase counts: saying its name takes time."""
ticks, diff = time.ticks_us, time.ticks_diff


def run(board, hal, ms: int, collect: bool = False) -> "dict[str, int]":
    """Play for so many ms, with a collection of garbage at half time; what came of it."""
    capture = hal._capture
    turn, now_us, frames = board.turn, hal.now_us, capture.frames
    turn(now_us())
    hal.worst_gap_us()
    missed, restarts = capture.missed, capture.restarts
    done = capture._done - capture.waiting
    turns = worst = behind = idle = 0
    least = gc.mem_free()
    began = ticks()
    spent = 0
    while spent < 1000 * ms:
        before = frames()
        at = ticks()
        turn(now_us())
        after = ticks()
        took = diff(after, at)
        if took > worst:
            worst = took
        if frames() == before:
            idle += took
        if capture.waiting > behind:
            behind = capture.waiting
        turns += 1
        spent = diff(after, began)
        if collect and spent > 500 * ms:
            collect = False
            gc.collect()
    left = gc.mem_free()
    return {
        "us": spent,
        "frames": capture._done - capture.waiting - done,
        "missed": capture.missed - missed,
        "restarts": capture.restarts - restarts,
        "gap_us": hal.worst_gap_us(),
        "behind": behind,
        "turns": turns,
        "idle_us": idle,
        "worst_tick_us": worst,
        "allocated": least - left,
    }


def part(told: "dict[str, tuple[int, int]]", of, name: str) -> None:
    """Have a method's time and calls noted."""
    plain = getattr(of, name)
    sums = told[type(of).__name__ + "." + name] = [0, 0]

    def timed(*given):
        at = ticks()
        got = plain(*given)
        sums[0] += diff(ticks(), at)
        sums[1] += 1
        return got

    setattr(of, name, timed)


def main(phases: "tuple[str, ...]", measure_ms: int) -> None:
    """Run the board through the phases."""
    import micropython

    micropython.kbd_intr(-1)  # as main.py does
    gc.threshold(8_000)
    gc.collect()
    whole = gc.mem_free() + gc.mem_alloc()
    from lumiban_fw.hal_pico import Pico

    hal = Pico()
    from lumiban_fw.board import Board

    board = Board(hal)
    gc.threshold(-1)
    ready_us = ticks()
    gc.collect()
    collect_us = diff(ticks(), ready_us)
    free = gc.mem_free()
    print("READY")
    figures = {}
    told = {}
    for phase in phases:
        print("\nPHASE", phase)
        if phase == "parts":
            parts = ((hal, "scan"), (board.sense, "frame"), (board.link, "poll"))
            parts += ((board, "_speak"), (board.lights, "tick"), (hal, "show"), (hal, "now_us"))
            for of, name in parts:
                part(told, of, name)
        if phase != "power_on":
            run(board, hal, SETTLE_MS)
        figures[phase] = run(board, hal, measure_ms, phase == "collect")
        gc.collect()
    micropython.kbd_intr(3)
    print(
        "\nFIGURES",
        dict(
            whole=whole,
            free=free,
            least=gc.mem_free(),
            ready_us=ready_us,
            collect_us=collect_us,
            scan_hz=hal.scan_hz,
            phases=figures,
            parts=told,
        ),
        "END",
    )


if __name__ == "__main__":
    main(PHASES, MEASURE_MS)  # type: ignore[name-defined]  # set by who puts it on the chip
