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
    reaction_us: int | None = None
    """In turnless play: how long a bot takes to react, more or less; None: by its level."""
    stand_us: int = 3_000_000
    """In turnless play: after how long without a stone a bot stands that need not place."""
    pace_us: int | None = 600_000
    """In games in light: how long each step of what a move brings about is shown; None: not."""
    ponder: bool = False
    """Whether strong bots think on a person's time."""
    takeback: bool = True
    """Whether moves may be taken back."""
    rematch_us: int | None = None
    """How long after a game between two bots they begin another."""
    check_names: bool = False
    """Whether people confirm that a machine's piece, set by hand, was the right one of its
    colour, where the board cannot tell."""
    hands: bool = False
    """Whether simulated hands do what the table asks for: then no person is waited for there."""
    levels: tuple[str, ...] = ("gentle", "easy", "medium", "hard", "strong")
    """The levels of bots that may take a seat."""
