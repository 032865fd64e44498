"""What the chip can do, measured on the emulated one: frames, gaps, CPU, memory."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from lumiban.boards.profile import Profile
from lumiban_fw import wire

from lumiban_sim.rp2040 import flash, parts
from lumiban_sim.rp2040.machine import Machine

NOISE_COUNTS = 5.6
"""Of one reading: 0.3 mT."""
WARM_MS = 250
"""The board runs so long before figures are taken; the picture is sent meanwhile."""
START_US = 12_000_000
BEAT_US = 500_000
Figures = dict[str, float]


def measure(
    image: Path, profile: Profile, measure_ms: int, progress: Callable[[str], None]
) -> Figures:
    """Figures of a board that breathes with all its lights while a host listens.

    Times are the chip's; `cpu_percent` is the share of time that was not spent waiting for the
    next frame, `gap_us` the longest time between two frames, through two collections of garbage.
    RuntimeError tells what the chip said when it fails.
    """
    progress(f"compiling the firmware for {profile.name}")
    files = flash.firmware()
    script = (Path(__file__).parent / "measure.py").read_bytes()
    files["main.py"] = b"START_MS = %d\nMEASURE_MS = %d\n" % (WARM_MS, measure_ms) + script
    files["board.bin"] = profile.board_bin()
    dice = random.Random(1)
    noise = [round(dice.gauss(0, NOISE_COUNTS)) for _ in range(4093)]
    tree = parts.MuxTree(lambda _row, _channel, _us: 2048 + noise[tree.conversions % 4093])
    chain = parts.Chain()
    machine = Machine(image, flash.disk(files), tree, chain)
    machine.start()
    progress("the chip loads the firmware")
    machine.run_until(lambda: _said(machine, b"READY"), START_US, 5_000)
    ready = machine.now_us
    host = _Host(machine, profile)
    end = ready + 1000 * (WARM_MS + measure_ms) + 1_000_000
    while not _said(machine, b"FIGURES"):
        if machine.now_us > end:
            raise RuntimeError("the chip told no figures")
        machine.run(1000)
        host.speak()
        done = (machine.now_us - ready) / (1000 * (WARM_MS + measure_ms))
        progress(f"{min(100, round(100 * done))} % of {measure_ms} ms of the chip's time")
    machine.run_until(lambda: b"}" in bytes(machine.heard).rpartition(b"FIGURES")[2], 200_000)
    told = bytes(machine.heard).rpartition(b"FIGURES ")[2].partition(b"}")[0] + b"}"
    return _figures(ast.literal_eval(told.decode()), chain, tree, profile)


def _said(machine: Machine, word: bytes) -> bool:
    if b"Traceback" in machine.heard:
        machine.run(5_000)
        said = machine.heard.decode(errors="replace").partition("Traceback")[2]
        raise RuntimeError("the chip failed: " + " / ".join(said.split("\r\n")[:12]))
    return word in machine.heard


def _figures(
    told: dict[str, int], chain: parts.Chain, tree: parts.MuxTree, profile: Profile
) -> Figures:
    shown = [t for t, _ in chain.frames]
    frames = [b - a for a, b in pairwise(shown[5:])]
    return {
        "cells": len(profile.cells),
        "scan_hz": told["scan_hz"],
        "frames_per_s": round(told["frames"] * 1e6 / told["us"], 1),
        "gap_us": told["worst_gap_us"],
        "missed": told["missed"],
        "behind": told["behind"],
        "restarts": told["restarts"],
        "early": tree.early,
        "cpu_percent": round(100 - 100 * told["idle_us"] / told["us"], 1),
        "worst_tick_us": told["worst_tick_us"],
        "collect_us": told["worst_collect_us"],
        "light_fps": round(1e6 * len(frames) / sum(frames), 1) if frames else 0.0,
        "heap_bytes": told["whole"],
        "free_bytes": told["free"],
        "least_free_bytes": told["least"],
        "ready_ms": told["ready_us"] // 1000,
    }


class _Host:
    """The least of a host: a session, a picture in which every light breathes, beats."""

    def __init__(self, machine: Machine, profile: Profile) -> None:
        lights = range(profile.lights)
        glows = [(1 + i % 2, wire.BREATHE) for i in lights]
        step = wire.LIGHTS_A_FRAME
        self._machine = machine
        self._seq = 0
        self._due = machine.now_us + 3_000
        self._beat = self._due + BEAT_US
        self._frames = [
            (wire.H_PALETTE, wire.pack_palette(1, [(255, 217, 160), (106, 168, 255)])),
            *(
                (wire.H_LAYER, wire.pack_layer(0, k, glows[k : k + step]))
                for k in lights
                if k % step == 0
            ),
            (wire.H_COMMIT, wire.pack_u32(0)),
        ]
        machine.send(b"\0" + wire.frame(wire.H_HELLO, wire.pack_host_hello(7)))

    def speak(self) -> None:
        now = self._machine.now_us
        if self._frames and now >= self._due:
            kind, payload = self._frames.pop(0)
            self._machine.send(wire.frame(kind, payload, wire.RELIABLE, self._seq))
            self._seq += 1
            self._due = now + 8_000
        elif now >= self._beat:
            self._beat = now + BEAT_US
            self._machine.send(wire.frame(wire.H_BEAT, wire.pack_u32(BEAT_US)))
