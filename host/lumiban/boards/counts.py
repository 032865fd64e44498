"""What a link counts: frames, losses, round trips; and what the board says of itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

BOARD_FIGURES = (
    "worst_gap_us",
    "crc_errors",
    "drops",
    "heap",
    "rail_mv",
    "limited_percent",
    "worst_tick_us",
    "resent",
    "late",
    "unsure",
    "waiting",
    "strip",
    "scan_hz",
    "missed",
)
"""Names of the board's STATS, in the order of the wire; later minor versions add at the end."""
TRIPS = 256
"""Round trips that the percentiles are taken over."""
PARTS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "worst": 1.0}


class Events(Protocol):
    """What a belief counts of its events."""

    strange: int
    repeats: int
    gaps: int
    heals: int


@dataclass
class Statistics:
    """Counters of one link since it was made; times in µs."""

    frames_in: int = 0
    frames_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    broken: int = 0
    """Frames with a wrong checksum or length."""
    strange: int = 0
    """Events of cells that the board does not have, and kinds that none can hold."""
    repeats: int = 0
    """Events that came again."""
    gaps: int = 0
    """Times that events were lost for good and a STATE filled in."""
    heals: int = 0
    """Times that a STATE mended the belief."""
    resent: int = 0
    """Reliable frames sent again."""
    connects: int = 0
    losses: int = 0
    """Times that the board was lost."""
    pictures: int = 0
    """COMMITs sent."""
    coalesced: int = 0
    """Pictures that a later one replaced before the line took them."""
    trip_us: int = 0
    """The last reliable frame's way there and its ack's way back."""
    trips_us: tuple[int, ...] = ()
    """The last such ways, latest last."""
    clock_trip_us: int = 0
    """The shortest way of a clock question and its answer, of those that count."""
    drift_ppm: float = 0.0
    """How much faster the board's clock runs than the host's."""
    board: tuple[int, ...] = ()
    """The board's last STATS as the wire unpacks it; () before the first."""

    def add(self, belief: Events) -> None:
        """Add what a belief has counted."""
        self.strange += belief.strange
        self.repeats += belief.repeats
        self.gaps += belief.gaps
        self.heals += belief.heals

    def as_json(self) -> dict[str, Any]:
        """JSON-ready: the trips as percentiles, the board's figures by name.

        >>> Statistics(trips_us=(900, 1100, 1000)).as_json()["trips_us"]
        {'p50': 1000, 'p90': 1100, 'p99': 1100, 'worst': 1100}
        """
        told = {**asdict(self), "trips_us": percentiles(self.trips_us)}
        told["drift_ppm"] = round(self.drift_ppm, 2)
        told["board"] = dict(zip(BOARD_FIGURES, self.board, strict=False))
        return told


def percentiles(values: Iterable[float]) -> dict[str, int]:
    """The values that half, 90 %, 99 % and all of them stay within; {} for none."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return {
        name: round(ordered[min(int(part * len(ordered)), last)])
        for name, part in PARTS.items()
        if ordered
    }


def recent() -> deque[int]:
    """A list that keeps the last round trips."""
    return deque(maxlen=TRIPS)
