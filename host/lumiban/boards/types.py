"""What the link tells the table: the board as the host sees it, without bytes."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban_fw import wire

# The table imports no wire: it has these from here.
ORDER_HZ = wire.ORDER_HZ
"""A board that scans its cells less often offers no fair order."""
UNSURE_MOST_US = wire.UNSURE_MOST_US
"""The largest half width that an event tells: it means this, or more."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the board is. Times are board µs, full width."""

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
    def fair_order(self) -> bool:
        """Whether it scans often enough to tell which of two hands was first."""
        return self.scan_hz >= ORDER_HZ

    @property
    def injecting(self) -> bool:
        """Whether its senses are fed by a host, not by its sensors."""
        return bool(self.capabilities & wire.INJECTING)

    @property
    def in_rescue(self) -> bool:
        """Whether it runs its rescue, which takes files and does nothing else."""
        return bool(self.capabilities & wire.IN_RESCUE)

    @property
    def simulated(self) -> bool:
        """Whether a simulator stands behind the wire."""
        return bool(self.capabilities & wire.IS_SIMULATED)


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """One settled change: a board cell (or `button`) now holds `kind`, since `t_us`.

    `number` counts without end, `t_us` is full-width board time, `uncertainty_us` its half width;
    UNSURE_MOST_US is that or more.
    """

    number: int
    cell: int
    kind: int
    t_us: int
    uncertainty_us: int = 0
    late: bool = False

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

    `healed` says that it replaced a belief which had missed something.
    """

    kinds: tuple[int, ...]
    next_event: int
    t_us: int
    moving: bool
    healed: bool


@dataclass(frozen=True, slots=True)
class BoardTime:
    """The board's clock and watermark moved on (with every BEAT, EVENTS, STATE)."""

    now_us: int
    watermark_us: int
    moving: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """The link is gone; `reason` is a slug.

    Of the link: silent, closed, wrong-major, not-a-board, wrong-board (another model),
    other-board (the same model, another one). Of its port: absent, busy, forbidden, not-serial,
    broken.
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
    """What the board should show: (palette index, effect) for each light, and the palette."""

    lights: tuple[tuple[int, int], ...]
    palette: tuple[tuple[int, int, int], ...]
