"""Measurements of the chip, on the emulated one: frames, gaps, CPU, memory."""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lumiban.boards import profile as profiles
from lumiban.boards.messages import framed, packed
from lumiban.boards.profile import Profile
from lumiban.errors import UsageError
from lumiban.maker.program import sources
from lumiban_fw import wire
from lumiban_hw.magnetics import STRONG, on_axis_ut

from lumiban_lab.rp2040 import IMAGE, lacking
from lumiban_lab.rp2040.emulator import (
    Chain,
    Machine,
    MuxTree,
    firmware_files,
)

NOISE_COUNTS = 5.6
"""Of one reading: 0.3 mT."""
START_US = 12_000_000
PHASES = ("power_on", "picture", "quiet", "one_hand", "ten_hands", "collect", "parts")
"""Scenes that the chip plays: a piece stands on each cell and nothing is known of it; a host sends
its picture; nobody touches the board; a piece is lifted and put back; ten at once are; one is, and
garbage is collected meanwhile; nobody, with the time of each part noted, which costs time."""
HANDS = {"one_hand": 1, "ten_hands": 10, "collect": 1}
EVERY_US = 250_000
"""Between a lift and the next placement."""
SPEED, HIGH_MM = 0.2, 15.0
"""Of a hand, in m/s, and where it comes from and goes."""
Figures = dict[str, float]


class _Pieces:
    """Readings of the sensors: noise, and a piece on each cell; hands lift some and put them
    back."""

    def __init__(self, profile: Profile, seed: int) -> None:
        self._dice = dice = random.Random(seed)
        self.hands = 0
        self._noise = [round(dice.gauss(0, NOISE_COUNTS)) for _ in range(4093)]
        self._places = [(cell.row, cell.channel) for cell in profile.cells]
        self._profile = profile
        self._stands = dict.fromkeys(self._places, self._counts(0.0))
        self._held: list[tuple[int, int]] = []
        self._moves: dict[tuple[int, int], tuple[float, bool]] = {}
        """Time at which a piece was moved, and whether up."""
        self._due_us = 0.0
        self._reads = 0

    def _counts(self, high_mm: float) -> int:
        field = on_axis_ut(STRONG, self._profile.gap_mm + high_mm)
        return round(field * 65536 / self._profile.gain_q16)

    def move(self, now_us: float) -> None:
        """Let the hands lift a piece each when it is time, or put down what they hold."""
        if self.hands and now_us >= self._due_us:
            self._due_us = now_us + EVERY_US
            up = not self._held
            moved = self._dice.sample(self._places, self.hands) if up else self._held
            self._moves.update(dict.fromkeys(moved, (now_us, up)))
            self._held = moved if up else []

    def read(self, row: int, channel: int, now_us: float) -> int:
        self._reads += 1
        place = (row, channel)
        count = self._stands.get(place, 0)
        if place in self._moves:
            began, up = self._moves[place]
            way = SPEED * (now_us - began) / 1000
            high = way if up else max(HIGH_MM - way, 0.0)
            count = self._counts(high) if high <= HIGH_MM else 0
        sign = 1 if (row + channel) % 2 else -1
        return wire.HALF_SCALE + self._noise[self._reads % 4093] + sign * count


def measure(
    image: Path,
    profile: Profile,
    measure_ms: int,
    phases: Sequence[str],
    seed: int,
    progress: Callable[[str], None],
) -> Iterator[tuple[str, Figures]]:
    """Figures of a board that breathes with all its lights while a host listens: first `board`,
    then each phase, as soon as it was played; `parts` has more, see PHASES. `seed` is that of the
    noise, and of which pieces the hands lift.

    Times are the chip's. Of each phase: frames a second, the longest time between two frames that
    the firmware took in, how many it left out and how many waited at most, turns of the main loop
    and the longest; `cpu_percent` is the share of time in turns that had a frame to take in;
    `events` that were told, how long (µs) after each had happened, and the longest of these.
    RuntimeError tells what the chip said when it fails.
    """
    progress(f"compiling the firmware for {profile.name}")
    script = (Path(__file__).parent / "measure.py").read_text("utf-8")
    script += f"\nPHASES = {tuple(phases)!r}\nMEASURE_MS = {measure_ms}\n"
    start = sources()["pico_main"]
    start += (Path(__file__).parent / "measured.py").read_text("utf-8")
    files = firmware_files({"measure": script, "pico_main": start})
    files["board.bin"] = profile.board_bin()
    pieces = _Pieces(profile, seed)
    tree = MuxTree(pieces.read)
    chain = Chain()
    machine = Machine(image, files, tree, chain)
    machine.start()
    progress("the chip loads the firmware")
    machine.run_until(lambda: _has_printed(machine, b"READY"), START_US, 5_000)
    figures = _printed(machine, "board")
    script_bytes = figures.pop("script")
    figures["ready_ms"] = figures.pop("ready_us") // 1000
    yield "board", {"cells": len(profile.cells), **_named(figures)}
    host = None
    for at, phase in enumerate(phases):
        where = f"{at + 1}/{len(phases)}: {phase}"
        progress(where)
        machine.run_until(partial(_has_printed, machine, b"GO " + phase.encode()), 2_000_000)
        pieces.hands = HANDS.get(phase, 0)
        if host is None and phase != "power_on":
            host = _Host(machine, profile)
        first = len(chain.frames)
        began = machine.now_us
        while machine.now_us < began + 1000 * measure_ms:
            machine.run(1000)
            pieces.move(machine.now_us)
            if host is not None:
                host.speak()
            progress(f"{where}, {(machine.now_us - began) / 1000:.0f} of {measure_ms} ms")
        shown = len(chain.frames) - first
        wanted = b"FIGURES " + phase.encode()
        machine.run_until(partial(_ended, machine, wanted), 3_000_000)
        figures = _printed(machine, phase)
        yield phase, _of_phase(figures, shown, script_bytes, tree.early)
        for part, (us, calls) in figures.get("parts", {}).items():
            seconds = figures["us"] / 1e6
            each = {"us_a_call": round(us / max(calls, 1), 1)}
            yield part, {**each, "calls_per_s": round(calls / seconds)}


def _has_printed(machine: Machine, word: bytes) -> bool:
    if b"Traceback" in machine.heard:
        machine.run(20_000)
        traceback = machine.heard.decode(errors="replace").partition("Traceback")[2]
        raise RuntimeError("the chip failed: " + " / ".join(traceback.split("\r\n")[:12]))
    return word in machine.heard


def _ended(machine: Machine, word: bytes) -> bool:
    return _has_printed(machine, word) and b"END" in bytes(machine.heard).rpartition(word)[2]


def _printed(machine: Machine, name: str) -> dict[str, Any]:
    """Values that the chip printed under a name."""
    literal = bytes(machine.heard).rpartition(b"FIGURES " + name.encode())[2].partition(b" END")[0]
    values: dict[str, Any] = ast.literal_eval(literal.decode().strip())
    return values


def _named(figures: dict[str, Any]) -> Figures:
    names = {"whole": "heap_bytes", "code": "code_bytes", "free": "free_bytes"}
    return {names.get(name, name): value for name, value in figures.items()}


def _of_phase(figures: dict[str, Any], shown: int, script_bytes: int, early: int) -> Figures:
    """`free_bytes` without what the measuring takes; `early` are readings before the muxes had
    settled, since power-on."""
    seconds = figures["us"] / 1e6
    return {
        "ms": round(figures["us"] / 1000),
        "frames_per_s": round(figures["frames"] / seconds, 1),
        "gap_us": figures["gap_us"],
        "missed": figures["missed"],
        "behind": figures["behind"],
        "restarts": figures["restarts"],
        "cpu_percent": round(100 - 100 * figures["idle_us"] / figures["us"], 1),
        "worst_tick_us": figures["worst_tick_us"],
        "ticks_per_s": round(figures["turns"] / seconds),
        "light_fps": round(shown / seconds, 1),
        "allocated_bytes": figures["allocated"],
        "events": figures["events"],
        "event_us": figures["event_us"],
        "worst_event_us": figures["worst_event_us"],
        "free_bytes": script_bytes + figures["free"],
        "early": early,
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
        self._beat = self._due + wire.BEAT_US
        self._frames = [
            (wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(255, 217, 160), (106, 168, 255)])),
            *(
                (wire.H_LAYER, packed(wire.H_LAYER, 0, k, tail=glows[k : k + step]))
                for k in lights
                if k % step == 0
            ),
            (wire.H_COMMIT, packed(wire.H_COMMIT, 0)),
        ]
        machine.send(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 7))

    def speak(self) -> None:
        now = self._machine.now_us
        if self._frames and now >= self._due:
            kind, payload = self._frames.pop(0)
            self._machine.send(wire.frame(kind, payload, wire.RELIABLE, self._seq))
            self._seq += 1
            self._due = now + 8_000
        elif now >= self._beat:
            self._beat = now + wire.BEAT_US
            self._machine.send(framed(wire.H_BEAT, wire.BEAT_US))


def chip_figures(
    profile: str, ms: int, phases: Sequence[str], seed: int, progress: Callable[[str], None]
) -> Iterator[tuple[str, dict[str, float]]] | str:
    """Figures of the firmware on an emulated chip, each phase as it ends, or what is missing for
    it. ProfileError for a bad profile, UsageError for a phase that there is not.

    `phases` () are all; power-on and the host's first picture come before any other.
    """
    board = profiles.load(profile)
    for phase in phases:
        if phase not in PHASES:
            raise UsageError(f"there is no phase {phase}; phases are {', '.join(PHASES)}")
    missing = lacking()
    if missing is not None:
        return missing
    wanted = set(phases or PHASES)
    wanted |= set(PHASES[:2]) if wanted - {PHASES[0]} else set()
    played = [phase for phase in PHASES if phase in wanted]
    return measure(Path(os.environ[IMAGE]), board, ms, played, seed, progress)
