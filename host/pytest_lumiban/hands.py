"""Hands over the board under test: simulated ones, a person's, or readings in their place.

`place` and `lift` wait until the board has told of it, and give the event. Simulated hands move
real magnets at once. A person is asked: the cell glows, and the terminal says what to do. Injected
readings need nobody, and tell nothing of the board's sensors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from lumiban.errors import UsageError
from lumiban_fw import wire

from pytest_lumiban import stimuli
from pytest_lumiban.board import PIECES, BoardUnderTest, Told
from pytest_lumiban.claims import Inconclusive

if TYPE_CHECKING:
    from pytest_lumiban.simulated import SimulatedBench

PERSON_S = 120.0
HANDS_S = 6.0
WHITE_LIGHT = (255, 255, 255)
LEAD_US = 400_000
"""Readings are sent so long before they are due."""


class Hands(Protocol):
    """Whoever moves the pieces of a test."""

    moves_magnets: bool
    """True if the board's sensors are part of what is tested."""

    def place(self, cell: str, piece: str) -> Told:
        """Set a white, black or neutral piece on a cell; what the board tells of it."""

    def lift(self, cell: str) -> Told:
        """Lift the piece off a cell; what the board tells of it."""

    def press(self, button: int) -> list[Told]:
        """Press button 1, 2 … and let it go; the two events."""


def _kind(piece: str) -> int:
    if piece not in PIECES:
        raise UsageError(f"no piece {piece!r}: place one of {', '.join(PIECES)}")
    return PIECES[piece]


class SimulatedHands:
    """Hands in the simulated world."""

    moves_magnets = True

    def __init__(self, board: BoardUnderTest, bench: SimulatedBench) -> None:
        self._board = board
        self._bench = bench

    def place(self, cell: str, piece: str) -> Told:
        """Set a piece on a cell."""
        known = len(self._board.events)
        self._bench.hands.place(self._board.number(cell), _kind(piece))
        return self._board.wait_for_events(known + 1, HANDS_S)[known]

    def lift(self, cell: str) -> Told:
        """Lift the piece off a cell."""
        known = len(self._board.events)
        self._bench.hands.lift(self._board.number(cell))
        return self._board.wait_for_events(known + 1, HANDS_S)[known]

    def press(self, button: int) -> list[Told]:
        """Press a button and let it go."""
        known = len(self._board.events)
        for is_down in (True, False):
            self._bench.rig.world.press(button - 1, is_down)
            self._board.wait(0.1)
        return self._board.wait_for_events(known + 2, HANDS_S)[known:]


class AskedHands:
    """A person's, in their own time."""

    moves_magnets = True

    def __init__(self, board: BoardUnderTest, tell: Callable[[str], None] | None = None) -> None:
        self._board = board
        self._tell = tell or (lambda words: print(f"\n>>> {words}", file=sys.stderr, flush=True))

    def place(self, cell: str, piece: str) -> Told:
        """Ask for a piece on the cell that pulses."""
        _kind(piece)
        stone = f"a {piece} stone"
        return self._asked(f"set {stone} on {cell}, the cell that glows", cell, "pulse")[0]

    def lift(self, cell: str) -> Told:
        """Ask for the piece on the cell that blinks."""
        return self._asked(f"lift the stone on {cell}, the cell that blinks", cell, "fast-blink")[0]

    def press(self, button: int) -> list[Told]:
        """Ask for a button."""
        return self._asked(f"press and let go button {button}", "", "steady", 2)

    def _asked(self, words: str, cell: str, effect: str, count: int = 1) -> list[Told]:
        known = len(self._board.events)
        self._board.show({cell: WHITE_LIGHT} if cell else {}, effect)
        self._tell(words)
        events = self._board.wait_for_events(known + count, PERSON_S)[known:]
        self._board.show({})
        return events


class InjectedHands:
    """Readings that a moving magnet would give, in place of the sensors'."""

    moves_magnets = False

    def __init__(self, board: BoardUnderTest) -> None:
        self._board = board
        self._lies: dict[str, int] = {}
        stimuli.switch_on(board.host)
        self.truth_us = 0
        """The board time of the newest touch or lift."""

    def place(self, cell: str, piece: str) -> Told:
        """Let a piece come down on a cell."""
        kind = _kind(piece)
        self._lies[cell] = kind
        return self._played(cell, stimuli.down(self._board.profile, kind, 0.2), is_down=True)

    def lift(self, cell: str) -> Told:
        """Let the piece on a cell go up."""
        kind = self._lies.pop(cell, wire.WHITE)
        way = stimuli.down(self._board.profile, kind, 0.2)[::-1]
        return self._played(cell, [*way, stimuli.MIDDLE], is_down=False)

    def press(self, button: int) -> list[Told]:
        """A button has no reading: UsageError."""
        raise UsageError("nobody presses buttons here: mark the test `hands`")

    def _played(self, cell: str, way: list[int], *, is_down: bool) -> Told:
        board, host = self._board, self._board.host
        known = len(host.events)
        lasts_us = (len(way) - 1) * stimuli.STEP_US
        at_us = host.now_on_board() + LEAD_US + 3 * host.trip_us
        stimuli.inject(host, board.number(cell), way, at_us)
        host.wait(lambda: host.done, what="acknowledge")
        if host.now_on_board() > at_us:
            raise Inconclusive("the line is too slow for readings at a time of the board")
        self.truth_us = at_us + (lasts_us if is_down else 0)
        host.wait(lambda: len(host.events) > known, 3_000_000, what="event")
        return board.events[known]
