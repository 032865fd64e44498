"""Hands over the board under test: simulated ones, a person's, or readings in their place.

`place` and `lift` wait until the board has told of it, and give the event. Simulated hands move
real magnets at once. A person is asked: the cell glows, and the terminal says what to do. Injected
readings need nobody, and tell nothing of the board's sensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lumiban.errors import UsageError
from lumiban_fw import wire

from pytest_lumiban import stimuli
from pytest_lumiban.board import PIECES, BoardUnderTest, Colour, Told
from pytest_lumiban.claims import in_time
from pytest_lumiban.plain_host import PlainHost

if TYPE_CHECKING:
    from pytest_lumiban.simulated import SimulatedBench

PERSON_S = 120.0
WHITE_LIGHT = (255, 255, 255)
LEAD_US = 500_000
"""Readings are sent so long before the touch or the lift …"""
FALL_US = 100_000
"""… to which a piece comes down within this."""


class Hands:
    """Hands that move the pieces of a test."""

    def __init__(self, board: BoardUnderTest) -> None:
        self._board = board

    def place(self, cell: str, piece: str) -> Told:
        """Set a white, black or neutral piece on a cell; what the board tells of it."""
        raise NotImplementedError

    def lift(self, cell: str) -> Told:
        """Lift the piece off a cell; what the board tells of it."""
        raise NotImplementedError

    def press(self, button: int) -> list[Told]:
        """Press button 1, 2 … and let it go; the two events. UsageError where nobody can."""
        raise UsageError("nobody presses buttons here: mark the test `lumiban_hands`")

    def _told(
        self, move: Callable[[], object], count: int = 1, within_s: float = 6.0
    ) -> list[Told]:
        """Events that the board tells after this move: `count` within `within_s` seconds."""
        known = len(self._board.events)
        move()
        return self._board.wait_for_events(known + count, within_s)[known:]


def _kind(piece: str) -> int:
    if piece not in PIECES:
        raise UsageError(f"no piece {piece!r}: place one of {', '.join(PIECES)}")
    return PIECES[piece]


class SimulatedHands(Hands):
    """Hands in the simulated world."""

    def __init__(self, board: BoardUnderTest, bench: SimulatedBench) -> None:
        super().__init__(board)
        self._bench = bench

    def place(self, cell: str, piece: str) -> Told:
        """Set a piece on a cell."""
        move = self._bench.hands.place
        return self._told(lambda: move(self._board.number(cell), _kind(piece)))[0]

    def lift(self, cell: str) -> Told:
        """Lift the piece off a cell."""
        return self._told(lambda: self._bench.hands.lift(self._board.number(cell)))[0]

    def press(self, button: int) -> list[Told]:
        """Press a button and let it go."""

        def pressed() -> None:
            for is_down in (True, False):
                self._bench.rig.world.press(button - 1, is_down)
                self._board.wait(0.1)

        return self._told(pressed, 2)


class AskedHands(Hands):
    """A person's, in their own time."""

    def __init__(self, board: BoardUnderTest, tell: Callable[[str], None]) -> None:
        super().__init__(board)
        self._tell = tell

    def place(self, cell: str, piece: str) -> Told:
        """Ask for a piece on the cell that pulses."""
        _kind(piece)
        words = f"set a {piece} stone on {cell}, the cell that glows"
        return self._asked(words, {cell: WHITE_LIGHT}, "pulse")[0]

    def lift(self, cell: str) -> Told:
        """Ask for the piece on the cell that blinks."""
        words = f"lift the stone on {cell}, the cell that blinks"
        return self._asked(words, {cell: WHITE_LIGHT}, "fast-blink")[0]

    def press(self, button: int) -> list[Told]:
        """Ask for a button."""
        return self._asked(f"press and let go button {button}", {}, count=2)

    def _asked(
        self, words: str, lit: dict[str, Colour], effect: str = "steady", count: int = 1
    ) -> list[Told]:
        self._board.show(lit, effect)
        events = self._told(lambda: self._tell(words), count, PERSON_S)
        self._board.show({})
        return events


class InjectedHands(Hands):
    """Readings that a moving magnet would give, in place of the sensors'."""

    def __init__(self, board: BoardUnderTest) -> None:
        super().__init__(board)
        self._lies: dict[str, int] = {}
        stimuli.switch_on(board.host)
        self.truth_us = 0
        """The board time of the newest touch or lift."""

    def place(self, cell: str, piece: str) -> Told:
        """Let a piece come down on a cell."""
        self._lies[cell] = kind = _kind(piece)
        return self._played(stimuli.place, cell, kind)

    def lift(self, cell: str) -> Told:
        """Let the piece on a cell go up."""
        return self._played(stimuli.lift, cell, self._lies.pop(cell, wire.WHITE))

    def _played(
        self, play: Callable[[PlainHost, int, int, int], None], cell: str, kind: int
    ) -> Told:
        host = self._board.host

        def played() -> None:
            self.truth_us = stimuli.soon(host) + LEAD_US
            play(host, self._board.number(cell), kind, self.truth_us)
            host.settle()
            in_time(host, self.truth_us - FALL_US)

        return self._told(played, within_s=3.0)[0]
