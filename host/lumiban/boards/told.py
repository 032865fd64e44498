"""What the board has been told to show, and the frames that lead from there to a new picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lumiban_fw import wire

from lumiban.boards.types import LightFrame

LAYER = 0
"""The layer that pictures are drawn on."""
NOW = 0
"""COMMIT at time 0: at once."""
_T = TypeVar("_T")


class Told:
    """The last picture that was handed to the reliable sender."""

    def __init__(self) -> None:
        self._lights: tuple[tuple[int, int], ...] = ()
        self._palette: tuple[tuple[int, int, int], ...] = ()

    def forget(self) -> None:
        """The board may show anything (new session): the next picture is sent whole."""
        self._lights = ()
        self._palette = ()

    def change(self, frame: LightFrame) -> list[tuple[int, bytes]]:
        """Frames (type, payload) that change the picture, closed by COMMIT; [] when none does."""
        out = [
            (wire.H_LAYER, wire.pack_layer(LAYER, first, list(frame.lights[first:end])))
            for first, end in runs(self._lights, frame.lights, wire.LIGHTS_A_FRAME, bridge=5)
        ]
        out += [
            (wire.H_PALETTE, wire.pack_palette(first, list(frame.palette[first:end])))
            for first, end in runs(self._palette, frame.palette, wire.COLOURS_A_FRAME, bridge=3)
        ]
        if out:
            out.append((wire.H_COMMIT, wire.pack_u32(NOW)))
        self._lights = frame.lights
        # Colours beyond a shorter palette stay on the board as they were.
        self._palette = frame.palette + self._palette[len(frame.palette) :]
        return out


def runs(old: Sequence[_T], new: Sequence[_T], most: int, bridge: int) -> list[tuple[int, int]]:
    """Ranges (first, end) that cover all places where `new` differs from `old`.

    No range is longer than `most`; equal places are taken along where fewer than `bridge` of them
    lie between, for a frame of its own would be longer.

    >>> runs("aaaaaaaa", "abaabaab", most=4, bridge=3)
    [(1, 5), (7, 8)]
    """
    out: list[tuple[int, int]] = []
    for i, value in enumerate(new):
        if i < len(old) and old[i] == value:
            continue
        if out and i - out[-1][1] < bridge and i - out[-1][0] < most:
            out[-1] = (out[-1][0], i + 1)
        else:
            out.append((i, i + 1))
    return out
