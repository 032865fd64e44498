"""Faults of a board: those that it reports, as long as they hold, in words.

A board cannot tell that one of its select lines is broken: two of its cells then read alike, and
`select_lines` finds it in what was set.
"""

from __future__ import annotations

from collections.abc import Collection

from lumiban_fw import wire

from lumiban.boards.profile import Profile

REFERENCE, BROWN_OUT, CALIBRATION, DRIFT, STUCK, RAIL, MIRROR, LIGHTS = (
    wire.FAULT_REFERENCE,
    wire.FAULT_BROWN_OUT,
    wire.FAULT_CALIBRATION,
    wire.FAULT_DRIFT,
    wire.FAULT_STUCK,
    wire.FAULT_RAIL,
    wire.FAULT_MIRROR,
    wire.FAULT_LIGHTS,
)
GONE = wire.FAULT_GONE
"""In a code: it is over."""
HIGHEST_RAIL_TENTHS_V = 53
"""RAIL tells of a supply above this as of one below: lights of the WS2812 kind bear 5.3 V."""
DARK_RAIL_TENTHS_V, NO_RAIL_TENTHS_V = 38, 10
"""Below the first the strips have no power, below the second there is no supply: it is off, or the
base board shuts it out (swapped wires, more than 5.3 V), or the fuse is blown."""
SILENT_US = 12_000_000
"""A board tells what holds every five seconds: what it has left out twice is over, though the word
for that was lost."""
_ONE = (BROWN_OUT, RAIL)
"""Of these there is one at a time, wherever it is told for."""

_CELLS = {DRIFT: "fault.drift", STUCK: "fault.stuck"}
_PLAIN = {REFERENCE: "fault.reference", BROWN_OUT: "fault.brown-out"}


def sentence(what: int, where: int, profile: Profile) -> tuple[str, dict[str, object]]:
    """The name of a fault's sentence after its area, and the parameters; docs/wire.md, FAULT.

    >>> from lumiban.boards.profile import load
    >>> sentence(STUCK, 9, load("hex3")), sentence(RAIL, 44, load("hex3"))
    (('fault.stuck', {'cell': 'c3'}), ('fault.rail', {'volts': 4.4}))
    >>> sentence(RAIL, 60, load("hex3")), sentence(RAIL, 0, load("hex3"))[0]
    (('fault.rail.high', {'volts': 6.0}), 'fault.rail.none')
    """
    if what in _CELLS and where < len(profile.cells):
        return _CELLS[what], {"cell": profile.grid.name(where)}
    if what in _PLAIN:
        return _PLAIN[what], {"socket": where + 1}
    if what == CALIBRATION:
        return "fault.calibration.other" if where else "fault.calibration", {}
    if what == RAIL:
        return f"fault.{supply(where)}", {"volts": where / 10}
    if what == LIGHTS:
        return "fault.lights", {}
    if what == wire.FAULT_ROLLED_BACK:
        return "fault.rolled-back", {}
    return "fault", {"what": what, "where": where}


def supply(tenths_v: int) -> str:
    """The name of what is wrong with a supply of which RAIL tells so much.

    >>> [supply(tenths) for tenths in (0, 30, 44, 60)]
    ['rail.none', 'rail.dark', 'rail', 'rail.high']
    """
    if tenths_v > HIGHEST_RAIL_TENTHS_V:
        return "rail.high"
    if tenths_v < NO_RAIL_TENTHS_V:
        return "rail.none"
    return "rail.dark" if tenths_v < DARK_RAIL_TENTHS_V else "rail"


class ActiveFaults:
    """The faults that hold, as (code, where); times are host µs.

    >>> board = ActiveFaults()
    >>> board.hear(REFERENCE, 3, 0), board.hear(REFERENCE, 3, 5_000_000)
    (True, False)
    >>> board.hear(REFERENCE | GONE, 3, 6_000_000), list(board.held)
    (True, [])
    """

    def __init__(self) -> None:
        self.held: dict[tuple[int, int], int] = {}
        """Time of the last report of each."""

    def hear(self, what: int, where: int, now_us: int) -> bool:
        """A fault was told, or that one is over; whether that is news."""
        code = what & ~GONE
        before = set(self.held)
        for held in list(self.held):
            if held[0] == code and (held[1] == where or code in _ONE):
                del self.held[held]
        if not what & GONE:
            self.held[code, where] = now_us
        return set(self.held) != before

    def forget(self, now_us: int) -> bool:
        """Drop what the board does not tell any more; whether there was any."""
        old = [
            held
            for held, told_us in self.held.items()
            if now_us - told_us > SILENT_US and held[0] != MIRROR  # found by the host, not told
        ]
        for held in old:
            del self.held[held]
        return bool(old)

    def unread(self, profile: Profile) -> frozenset[int]:
        """The cells of rows whose reference is broken."""
        rows = {where for code, where in self.held if code == REFERENCE}
        return _of_rows(rows, profile) if rows else frozenset()

    def blind(self, profile: Profile) -> frozenset[int]:
        """The cells that cannot be read: stuck ones, and those of rows whose reference is
        broken."""
        if not self.held:
            return frozenset()
        stuck = {where for code, where in self.held if code == STUCK and where < len(profile.cells)}
        return self.unread(profile) | stuck


def _of_rows(rows: Collection[int], profile: Profile) -> frozenset[int]:
    return frozenset(number for number, cell in enumerate(profile.cells) if cell.row in rows)
