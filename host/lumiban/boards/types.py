"""Values that the link reports to the table: the board as the host sees it, without bytes.

`Statistics` counts frames, losses and round trips, and keeps what the board says of itself.
`LossFilter` says which events are news for a table while a lost board is looked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from lumiban_fw import wire

# The table imports no wire: it has these from here.
ORDER_HZ = wire.ORDER_HZ
"""A board that scans its cells less often offers no fair order."""
UNSURE_MAX_US = wire.UNSURE_MAX_US
"""The largest half width that an event tells: it means this, or more."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Identity of the board. Times are board µs, full width."""

    model: str
    revision: int
    cells: int
    lights: int
    firmware: int
    uid: str
    boot_id: int
    now_us: int
    scan_hz: int
    capabilities: int
    reset_cause: int

    @property
    def has_fair_order(self) -> bool:
        """True if it scans often enough to tell which of two hands was first."""
        return self.scan_hz >= ORDER_HZ

    @property
    def is_injecting(self) -> bool:
        """True if its senses are fed by a host, not by its sensors."""
        return bool(self.capabilities & wire.INJECTING)

    @property
    def is_in_rescue(self) -> bool:
        """True if it runs its rescue, which takes files and does nothing else."""
        return bool(self.capabilities & wire.IN_RESCUE)

    @property
    def is_simulated(self) -> bool:
        """True if a simulator stands behind the wire."""
        return bool(self.capabilities & wire.IS_SIMULATED)


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """One settled change: a board cell (or `button`) now holds `kind`, since `t_us`.

    `number` counts without end, `t_us` is full-width board time, `uncertainty_us` its half width;
    UNSURE_MAX_US is that or more.
    """

    number: int
    cell: int
    kind: int
    t_us: int
    uncertainty_us: int = 0
    is_late: bool = False

    @property
    def button(self) -> int | None:
        """Number of the button, from 0; None for a cell."""
        return self.cell - wire.FIRST_BUTTON if self.cell >= wire.FIRST_BUTTON else None

    @property
    def pressed(self) -> int | None:
        """Number of the button that went down; None for all else."""
        return self.button if self.kind == wire.DOWN else None


@dataclass(frozen=True, slots=True)
class Connected:
    """HELLO was exchanged; the belief follows as a Snapshot."""

    hello: Hello


@dataclass(frozen=True, slots=True)
class Changed:
    """New events, in order, none twice."""

    events: tuple[BoardEvent, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole belief: a kind for each board cell, with all events below `next_event` in it.

    `was_healed` says that it replaced a belief which had missed something.
    """

    kinds: tuple[int, ...]
    next_event: int
    t_us: int
    is_moving: bool
    was_healed: bool


@dataclass(frozen=True, slots=True)
class BoardTime:
    """The board's clock and watermark moved on (with every BEAT, EVENTS, STATE)."""

    now_us: int
    watermark_us: int
    is_moving: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """The link is gone; `reason` is a slug.

    Of the link: silent, closed, wrong-major, not-a-board, wrong-board (another model),
    other-board (the same model, another one). Of its port: absent, busy, forbidden,
    withheld, not-serial, broken.
    """

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Faulty:
    """The board reports a fault: code of the wire and the cell or row it is about."""

    what: int
    where: int


LinkEvent = Connected | Changed | Snapshot | BoardTime | Lost | Faulty


@dataclass(frozen=True, slots=True)
class LightFrame:
    """Lights for the board: (palette index, effect) for each light, and the palette."""

    lights: tuple[tuple[int, int], ...]
    palette: tuple[tuple[int, int, int], ...]


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
    """Counts that a belief keeps of its events."""

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
    """Gain of the board's clock over the host's, in millionths."""
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
        document = {**asdict(self), "trips_us": percentiles(self.trips_us)}
        document["drift_ppm"] = round(self.drift_ppm, 2)
        document["board"] = dict(zip(BOARD_FIGURES, self.board, strict=False))
        return document


def percentiles(values: Iterable[float]) -> dict[str, int]:
    """The values that half, 90 %, 99 % and all of them stay within; {} for none."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return {
        name: round(ordered[min(int(part * len(ordered)), last)])
        for name, part in PARTS.items()
        if ordered
    }


RECONNECT_OBSTACLES = (
    "wrong-major", "wrong-board", "other-board", "busy", "forbidden", "withheld",
)  # fmt: skip
"""Reasons why a lost board does not come back though something is plugged in: worth reporting."""


class LossFilter:
    """Keeps repeated losses back: a board that was tried in vain is as lost as before.

    >>> news = LossFilter()
    >>> tries = [Lost("closed"), Lost("silent"), Lost("busy"), Lost("busy")]
    >>> [event.reason for event in news.of(tries)]
    ['closed', 'busy']
    """

    def __init__(self) -> None:
        self._lost = ""

    def of(self, events: Iterable[LinkEvent]) -> list[LinkEvent]:
        """Those of these events that are news."""
        news: list[LinkEvent] = []
        for event in events:
            if isinstance(event, Lost):
                if self._lost and (
                    event.reason == self._lost or event.reason not in RECONNECT_OBSTACLES
                ):
                    continue
                self._lost = event.reason
            elif isinstance(event, Connected):
                self._lost = ""
            news.append(event)
        return news
