"""What happened between two hands, told event by event for pages, boards and records."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban.games.rengi.plan import ENTRY, LOG
from lumiban.games.rengi.state import RengiState

KINDS = ("placed", "erased", "fired", "credited", "chain-over", "fell", "died", "passed")
"""Names of the log's kinds of entries, by number."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, and the forecasts right after it.

    `placed`: `vanished` blocks of the pair found no room. `erased`: a step of the chain was found
    at its firing, with its `blocks`, `ojama` and `points` (without bonus points). `fired`: a chain
    of `steps`. `credited`: step number `steps` counts now, with `points` and the `ojama` they
    make. `chain-over`. `fell`: `ojama` fell, `vanished` of them found no room. `died`, `passed`.
    """

    kind: str
    side: int
    time: int
    """Half ticks, or frames in the modes by frames."""
    steps: int = 0
    blocks: int = 0
    points: int = 0
    ojama: int = 0
    vanished: int = 0
    forecast: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    """(A, B) against the first side, then against the second."""


def told(state: RengiState, move: int) -> tuple[Event, ...]:
    """Play a legal move on a State and tell what happens until somebody acts again."""
    room = state.room
    room[LOG] = 0
    state.play(move)
    events = []
    for number in range(room[LOG]):
        at = LOG + 1 + ENTRY * number
        kind, side, time, x, y, z, *waiting = room[at : at + ENTRY]
        name = KINDS[kind]
        figures = {
            "placed": {"blocks": 2, "vanished": y},
            "erased": {"blocks": x, "ojama": y, "points": z},
            "fired": {"steps": x},
            "credited": {"steps": x, "points": y, "ojama": z},
            "fell": {"ojama": x, "vanished": y},
        }.get(name, {})
        first, second = (waiting[0], waiting[1]), (waiting[2], waiting[3])
        events.append(Event(name, side, time, forecast=(first, second), **figures))
    room[LOG] = -1
    return tuple(events)
