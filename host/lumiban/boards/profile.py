"""Board profiles: which cells a board has, how they are wired, and what it may draw."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban.grid import Grid


@dataclass(frozen=True, slots=True)
class ProfileCell:
    """One cell: its place (mm from the board's middle, y down) and its wiring."""

    q: int
    r: int
    x_mm: float
    y_mm: float
    row: int
    channel: int
    light: int


@dataclass(frozen=True)
class Profile:
    """A board as data, read from TOML by `load`."""

    name: str
    grid: Grid
    pitch_mm: float
    cells: tuple[ProfileCell, ...]
    """By cell number of `grid`."""
    rows: int
    lights: int
    strips: tuple[int, ...]
    """Strip of each light, for the current limit."""
    edges: tuple[tuple[str, tuple[int, ...]], ...]
    """Lights without a cell, by name."""
    limit_ma: int
    strip_limit_ma: int
    scan_hz: int
    revision: int
    gap_mm: float
    """Magnet face to Hall element when a piece is seated."""
    off_ut: int
    on_ut: int
    strong_ut: int
    foreign_ut: int
    still_ut: int
    settle_us: int
    strong_um: int
    weak_um: int
    gain_q16: int

    def board_bin(self) -> bytes:
        """The bytes of `/board.bin` for this board, with nominal calibration."""
        raise NotImplementedError


def load(name: str) -> Profile:
    """The built-in profile of this name, or the profile in the TOML file at this path."""
    raise NotImplementedError


def names() -> tuple[str, ...]:
    """The built-in profiles."""
    raise NotImplementedError
