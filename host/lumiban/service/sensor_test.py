"""Test of a board's sensors by hand, for the service's page.

The lights come first: somebody is asked on the page what glows. While it is tested the board plays
nothing: pieces may stand and go wherever. A cell that senses a piece is lit, and stays faintly lit
once it has been empty again, so a builder sees at the board itself what has been tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from lumiban_fw import wire

from lumiban.boards.client import BoardClient, RawReadings, survey
from lumiban.boards.port_line import PortLine
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame, Lost
from lumiban.errors import LinkLost
from lumiban.i18n import text
from lumiban.maker import calibration
from lumiban.maker.switch_test import YES_NO, look_first

LOOK_US = 200_000
PERIOD_MS = 40
PALETTE = ((0, 0, 0), (255, 255, 255), (0, 60, 24))
_DARK, _SENSED, _TRIED = range(3)


class SensorCell(TypedDict):
    """Cell of the board: mm from the board's middle, y down."""

    name: str
    x: float
    y: float


class SensorBoard(TypedDict):
    """Board as a page draws it."""

    name: str
    geometry: str
    pitch_mm: float
    turn: int
    cells: list[SensorCell]


class SensorReadings(TypedDict):
    """Readings of the cells: the kind of a piece and its field in µT (None where a board senses
    presence only); `tried` cells have sensed a piece placed and lifted. `found` describes faults of
    the lights."""

    profile: SensorBoard
    kinds: list[int]
    ut: list[int] | None
    tried: list[bool]
    found: list[str]


class LightQuestion(TypedDict):
    """Question `number` about the lights, with the words of its choices."""

    number: int
    asks: str
    choices: dict[str, str]


class SensorTest:
    """Readings of the board behind a connected client."""

    def __init__(self, client: BoardClient, turn: int = 0, found: Sequence[str] = ()) -> None:
        self._client = client
        self._found = list(found)
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
        """Readings of the next moment; LinkLost when the board has gone."""
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
            "found": self._found,
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
    """Board as a page draws it.

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


def found_in_light(
    client: BoardClient,
    tell: Callable[[LightQuestion], None],
    answered: Callable[[], str],
    is_over: Callable[[], bool],
    language: str,
) -> list[str]:
    """Findings about a board's lights, from answers on the page; `answered` returns the choice made
    since the last call, "" for none."""
    number = 0

    def ask(question: str, choices: Sequence[str] = YES_NO, **said: object) -> str:
        nonlocal number
        number += 1
        words = {one: text(f"selftest.choice.{one}", language) for one in choices}
        asks = text(f"selftest.look.ask-{question}", language, **said)
        tell({"number": number, "asks": asks, "choices": words})
        while not is_over():
            client.run(LOOK_US)
            if (choice := answered()) in choices:
                return choice
        return choices[0]

    found, _ = look_first(client, ask)
    return [text(one.id, language, **one.said) for one in found]


def watch_sensors(
    port: str,
    turn: int,
    tell: Callable[[SensorReadings | LightQuestion], None],
    answered: Callable[[], str],
    is_over: Callable[[], bool],
    language: str,
) -> None:
    """Report what the board at a port senses until the test ends; BoardError when it cannot be
    read."""
    line = PortLine(port, gone_us=0)
    try:
        client = BoardClient(None, line, port=port)
        client.greet()
        client.fit()
        client.until(lambda: bool(client.snapshots))
        found = found_in_light(client, tell, answered, is_over, language)
        test = SensorTest(client, turn, found)
        while not is_over():
            tell(test.look())
    finally:
        line.close()
