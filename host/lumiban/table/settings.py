"""How a table behaves where a maker or a club may want it otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Times in µs; None turns a timed behaviour off."""

    grace_us: int = 400_000
    """How long after a commit the machine waits, board time: the stone may still go on."""
    confirm_us: int | None = 2_000_000
    """After how long a lift is played against a machine; None: by a button only."""
    takeback: bool = True
    """Whether moves may be taken back."""
    rematch_us: int | None = None
    """How long after a game between two bots they begin another."""
    levels: tuple[str, ...] = ("easy", "medium", "strong")
    """The levels of bots that may take a seat."""
