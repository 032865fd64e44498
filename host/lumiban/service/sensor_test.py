"""A board's sensors as somebody tries them by hand, for the service's page.

While it is tested the board plays nothing: pieces may stand and go wherever. A cell that senses a
piece is lit, and stays faintly lit once it has been empty again, so a builder sees at the board
itself what has been tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from lumiban_fw import wire

from lumiban.boards.client import BoardClient, RawReadings, survey
from lumiban.boards.port_line import PortLine
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame, Lost
from lumiban.errors import LinkLost
from lumiban.maker import calibration

LOOK_US = 200_000
PERIOD_MS = 40
PALETTE = ((0, 0, 0), (255, 255, 255), (0, 60, 24))
_DARK, _SENSED, _TRIED = range(3)


class SensorCell(TypedDict):
    """A cell of the board: mm from the board's middle, y down."""

    name: str
    x: float
    y: float


class SensorBoard(TypedDict):
    """The board as a page draws it."""

    name: str
    geometry: str
    pitch_mm: float
    turn: int
    cells: list[SensorCell]


class SensorReadings(TypedDict):
    """What the cells sense now, by cell: the kind of a piece and µT (None where a board only
    notices that something stands there); `tried` cells have sensed a piece and its going."""

    profile: SensorBoard
    kinds: list[int]
    ut: list[int] | None
    tried: list[bool]


class SensorTest:
    """Readings of the board behind a client that has had its first picture."""

    def __init__(self, client: BoardClient, turn: int = 0) -> None:
        self._client = client
        profile = client.profile
        self._board = as_page(profile, turn)
        self._fields: RawReadings | None = None
        if not profile.is_of_switches:
            self._zeros, self._gains = calibration.zeros(client)
            self._fields = RawReadings(client, period_ms=PERIOD_MS, trims=True)
        self._rows = [cell.row for cell in profile.cells]
        self._sensed = [False] * len(self._rows)
        self._tried = [False] * len(self._rows)
        self._ut: list[int] | None = None

    def look(self) -> SensorReadings:
        """The readings of the next moment; LinkLost when the board has gone."""
        client = self._client
        client.run(LOOK_US)
        if any(isinstance(event, Lost) for event in client.log):
            raise LinkLost("the board is silent")
        client.log.clear()
        if self._fields is None:
            client.frames.clear()
        elif moments := self._fields.look():
            above = (reading.mean for reading in survey(moments, self._rows))
            self._ut = [
                round((count - zero) * gain / 65536)
                for count, zero, gain in zip(above, self._zeros, self._gains, strict=True)
            ]
        kinds = list(client.kinds)
        for cell, kind in enumerate(kinds):
            stands = kind not in (wire.EMPTY, wire.MASKED)
            self._tried[cell] = self._tried[cell] or (self._sensed[cell] and kind == wire.EMPTY)
            self._sensed[cell] = stands
        self._light()
        return {
            "profile": self._board,
            "kinds": kinds,
            "ut": self._ut,
            "tried": list(self._tried),
        }

    def _light(self) -> None:
        profile = self._client.profile
        if not profile.has_lights:
            return
        lights = [(_DARK, wire.STEADY)] * profile.lights
        for cell, about in enumerate(profile.cells):
            colour = _SENSED if self._sensed[cell] else _TRIED if self._tried[cell] else _DARK
            lights[about.light] = (colour, wire.STEADY)
        self._client.show(LightFrame(tuple(lights), PALETTE))


def as_page(profile: Profile, turn: int) -> SensorBoard:
    """A board as a page draws it.

    >>> from lumiban.boards.profile import load
    >>> board = as_page(load("hex3"), 0)
    >>> len(board["cells"]), board["cells"][0]["name"], board["geometry"]
    (19, 'e1', 'hexagon')
    """
    turned = profile.turned(turn)
    return {
        "name": profile.name,
        "geometry": profile.grid.shape,
        "pitch_mm": profile.pitch_mm,
        "turn": turned.turn,
        "cells": [
            {"name": name, "x": cell.x_mm, "y": cell.y_mm}
            for name, cell in zip(profile.grid.names, profile.cells, strict=True)
        ],
    }


def watch_sensors(
    port: str, turn: int, tell: Callable[[SensorReadings], None], is_over: Callable[[], bool]
) -> None:
    """Tell what the board at a port senses until it is over; BoardError when it cannot be."""
    line = PortLine(port, gone_us=0)
    try:
        client = BoardClient(None, line, port=port)
        client.greet()
        client.fit()
        client.until(lambda: bool(client.snapshots))
        test = SensorTest(client, turn)
        while not is_over():
            tell(test.look())
    finally:
        line.close()
