"""The table of what was tried: images of MicroPython, on boards, with profiles.

It is data beside this file (tried.toml), which `./run bench images` measures on an emulated chip.
What is not in it was not tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lumiban.boards.ports import localized
from lumiban.system.size_limits import from_toml

PLACE = Path(__file__).with_name("tried.toml")
LATE_MS = 400
"""With ten hands on the board, an event is told within so long after it happened."""
BOARD = re.compile(r"[ -:<-~]{3,60}(?= with RP2040)")
"""A board's name in an image, and in what MicroPython's prompt tells of its machine."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One image with one profile; the figures are None where the program did not start.

    `contract` are the tests of the contract's slice that passed, and all of it. `free_bytes` are
    free after the start. In three scenes (power-on, a host's first picture, ten hands) `left_out`
    frames were left out, and `turn_ms` took the program's longest turn. `event_ms` and
    `worst_event_ms` are from what ten hands did to its report; None where none was told in time.
    """

    micropython: str
    board: str
    profile: str
    firmware: int
    boots: bool
    failed: str = ""
    """What the chip said when it failed."""
    contract: tuple[int, int] | None = None
    free_bytes: int | None = None
    left_out: int | None = None
    turn_ms: float | None = None
    event_ms: int | None = None
    worst_event_ms: int | None = None

    @property
    def is_sound(self) -> bool:
        """True if the program starts, goes on and fails no test that was run."""
        passed = self.contract is None or self.contract[0] == self.contract[1]
        return self.boots and not self.failed and passed

    @property
    def is_late(self) -> bool:
        """True if it tells ten hands' events later than people wait for."""
        told = self.worst_event_ms
        return self.boots and (told is None or told > LATE_MS)


def read(place: Path = PLACE) -> list[Trial]:
    """The trials of a table's file, in its order; [] where there is none."""
    try:
        rows = from_toml(place.read_text("utf-8"))["tried"]
    except (OSError, KeyError):
        return []
    return [Trial(**{**row, "contract": _pair(row.get("contract"))}) for row in rows]


def _pair(told: list[int] | None) -> tuple[int, int] | None:
    return (told[0], told[1]) if told else None


@cache
def trials() -> tuple[Trial, ...]:
    """The trials that lumiban brings."""
    return tuple(read())


def versions() -> str:
    """Versions of MicroPython with which a trial was sound, in its order: "1.27.0, 1.28.0"."""
    return ", ".join(dict.fromkeys(t.micropython for t in trials() if t.is_sound)) or "–"


def board_of(words: str) -> str:
    """Name of the board in an image's bytes or a machine's name; "" for another.

    >>> board_of("Raspberry Pi Pico W with RP2040")
    'Raspberry Pi Pico W'
    """
    match = BOARD.search(words)
    return match[0].strip() if match else ""


def told(micropython: str, board: str, profile: str) -> str:
    """A sentence about an image with a profile, in the terminal's language: how the trial ended, or
    that there was none and what was tried."""
    words = {"version": micropython, "board": board or "RP2040", "profile": profile}
    for trial in trials():
        if (trial.micropython, trial.board, trial.profile) == (micropython, board, profile):
            if not trial.is_sound:
                return localized("flash.tried.failed", **words)
            if trial.is_late:
                late = f"{(trial.worst_event_ms or 1_000) / 1000:.1f}"
                return localized("flash.tried.late", **words, late=late, take=_in_time(trial))
            return localized("flash.tried", **words, free=(trial.free_bytes or 0) // 1000)
    return localized("flash.untried", **words, tried=all_of_them())


def _in_time(late: Trial) -> str:
    """Boards and versions with which this profile was in time: "Pico W: 1.27.0, 1.28.0"."""
    versions: dict[str, list[str]] = {}
    for one in trials():
        if one.profile == late.profile and one.is_sound and not one.is_late:
            versions.setdefault(one.board, []).append(one.micropython)
    return "; ".join(f"{board}: {', '.join(them)}" for board, them in versions.items()) or "–"


def all_of_them() -> str:
    """The trials that were sound and in time, in words: versions by board and profiles."""
    profiles: dict[tuple[str, str], list[str]] = {}
    for trial in trials():
        if trial.is_sound and not trial.is_late:
            profiles.setdefault((trial.micropython, trial.board), []).append(trial.profile)
    images: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (version, board), names in profiles.items():
        images.setdefault((board, tuple(names)), []).append(version)
    return (
        "; ".join(
            f"{board}: {', '.join(versions)} ({', '.join(names)})"
            for (board, names), versions in images.items()
        )
        or "–"
    )
