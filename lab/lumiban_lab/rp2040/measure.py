"""Runs on the emulated chip: the board, with its time measured.

For each of PHASES it says PHASE, plays until it has caught up with the frames that this cost, says
GO, plays on for MEASURE_MS and prints its figures.
It is loaded when the board has started (measured.py), so that its own memory is known.
"""

import gc
import time

import micropython

SETTLE_MS = 30
"""Played before a phase counts, at the least …"""
CAUGHT_UP_MS = 500
"""… and at the most: a collection of garbage and saying a phase's name leave a backlog."""
ticks, diff = time.ticks_us, time.ticks_diff


def settle(board, hal) -> None:
    """Play until all frames that waited are taken in."""
    capture = hal._capture
    began = ticks()
    spent = 0
    while spent < 1000 * SETTLE_MS or (capture.waiting > 1 and spent < 1000 * CAUGHT_UP_MS):
        board.turn(hal.now_us())
        spent = diff(ticks(), began)


def note_waits(board) -> "list[int]":
    """Events told from now on: how many, the sum of µs from when each happened, the longest."""
    waits = [0, 0, 0]
    plain = board.ring.add

    def add(event):
        waited = board.full(board._short(ticks())) - event[0]
        waits[0] += 1
        waits[1] += waited
        if waited > waits[2]:
            waits[2] = waited
        plain(event)

    board.ring.add = add
    return waits


def run(
    board, hal, ms: int, waits: "list[int]", least: int, collect: bool = False
) -> "dict[str, int]":
    """Play for a time in ms, with a collection of garbage at half time; what came of it.

    `least` bytes were free before.
    """
    waits[:] = [0, 0, 0]
    capture = hal._capture
    turn, now_us, frames = board.turn, hal.now_us, capture.frames
    turn(now_us())
    hal.worst_gap_us()
    missed, restarts = capture.missed, capture.restarts
    done = capture._done - capture.waiting
    turns = worst = behind = idle = 0
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
        "events": waits[0],
        "event_us": waits[1] // (waits[0] or 1),
        "worst_event_us": waits[2],
    }


def timed(parts: "dict[str, list[int]]", name: str, plain):
    """A function whose time and calls are noted."""
    sums = parts[name] = [0, 0]

    def call(*given):
        at = ticks()
        got = plain(*given)
        sums[0] += diff(ticks(), at)
        sums[1] += 1
        return got

    return call


def time_parts(board, hal) -> "dict[str, list[int]]":
    """Have the time of each part of a turn noted from now on."""
    parts = {}
    board.sense.burst = timed(parts, "burst", board.sense.burst)
    board.sense.work = timed(parts, "work", board.sense.work)
    board.link.poll = timed(parts, "poll", board.link.poll)
    board._speak = timed(parts, "speak", board._speak)
    board.lights.tick = timed(parts, "lights", board.lights.tick)
    hal.show = timed(parts, "show", hal.show)
    hal.now_us = timed(parts, "clock", hal.now_us)
    return parts


def play(board, hal, figures: "dict[str, object]", fill, holes: int) -> None:
    """Run the board through the phases, and say what came of them.

    `fill` is the firmware's, which has `holes` filled after a collection.
    """
    print("\nFIGURES board", figures, "END")
    print("READY")
    parts = {}
    waits = note_waits(board)
    for phase in PHASES:
        print("\nPHASE", phase)
        if phase == "parts":
            parts = time_parts(board, hal)
        least = gc.mem_free()  # takes 10 ms
        if phase != "power_on":
            settle(board, hal)
        print("\nGO", phase)
        came = run(board, hal, MEASURE_MS, waits, least, phase == "collect")
        gc.collect()
        came["free"] = gc.mem_free()
        fill(holes)
        if phase == "parts":
            came["parts"] = parts
        print("\nFIGURES", phase, came, "END")
    micropython.kbd_intr(3)
