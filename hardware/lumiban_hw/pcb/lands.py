"""Land patterns: where the pads of a package lie, in mm from its middle or first pin, y down.

Dimensions follow the makers' recommended patterns (IPC-7351, nominal density).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Shape = Literal["rect", "round"]


@dataclass(frozen=True, slots=True)
class Pad:
    """One pad; a `drill` of 0 is a pad of the top side alone."""

    number: str
    x: float
    y: float
    width: float
    height: float
    shape: Shape = "rect"
    drill: float = 0.0


@dataclass(frozen=True, slots=True)
class Land:
    """A package's pads and the box its body takes (left, top, right, bottom).

    `below`: the part is put in from below; the pads are then already as seen from above.
    """

    name: str
    pads: tuple[Pad, ...]
    body: tuple[float, float, float, float]
    below: bool = False
    mark: tuple[float, float] | None = None
    """Where a dot shows pin 1."""
    ticks: tuple[tuple[float, float, float, float], ...] = ()
    """Lines in silk from (x, y) to (x, y): the key of a plug."""


def _two(name: str, half: float, width: float, height: float, body: tuple[float, float]) -> Land:
    x, y = body[0] / 2, body[1] / 2
    pads = (Pad("1", -half, 0, width, height), Pad("2", half, 0, width, height))
    return Land(name, pads, (-x, -y, x, y))


def _polar(name: str, half: float, width: float, height: float, body: tuple[float, float]) -> Land:
    made = _two(name, half, width, height, body)
    return Land(name, made.pads, made.body, mark=(-half - width / 2 - 0.5, 0))


def _dual(
    name: str, pins: int, pitch: float, half: float, pad: tuple[float, float], body: float
) -> Land:
    """Two columns of pins, counted down the left and up the right."""
    rows = pins // 2
    top = -(rows - 1) * pitch / 2
    pads = [Pad(str(k + 1), -half, top + k * pitch, *pad) for k in range(rows)]
    pads += [Pad(str(pins - k), half, top + k * pitch, *pad) for k in range(rows)]
    edge = -top + pitch * 0.6
    first = (-half - pad[0] / 2 - 0.5, top)
    return Land(name, tuple(pads), (-body / 2, -edge, body / 2, edge), mark=first)


def _box_header(name: str, below: bool) -> Land:
    """A boxed 2 × 7 pin header with a key, 2.54 mm; odd pins in the first column."""
    side = -1 if below else 1
    pads = tuple(
        Pad(
            str(2 * row + 1 + column),
            side * 2.54 * column,
            2.54 * row,
            1.7,
            1.7,
            "round" if row or column else "rect",
            1.0,
        )
        for row in range(7)
        for column in range(2)
    )
    left, right = sorted((side * -3.18, side * 5.72))
    key = tuple((side * -3.18, y, side * -1.9, y) for y in (5.4, 9.84))
    return Land(name, pads, (left, -5.1, right, 20.34), below, (side * -1.7, -1.7), key)


def _in_line(
    name: str, pins: int, pitch: float, pad: float, drill: float, body: Iterable[float]
) -> Land:
    pads = tuple(
        Pad(str(k + 1), k * pitch, 0, pad, pad, "round" if k else "rect", drill)
        for k in range(pins)
    )
    left, top, right, bottom = body
    return Land(name, pads, (left, top, right, bottom), mark=(0, top - 0.6))


def _pico() -> Land:
    """A Raspberry Pi Pico in two sockets of 20, its USB plug at the top."""
    top = -9.5 * 2.54
    pads = [
        Pad(str(k + 1), -8.89, top + 2.54 * k, 1.7, 1.7, "round" if k else "rect", 1.0)
        for k in range(20)
    ]
    pads += [Pad(str(40 - k), 8.89, top + 2.54 * k, 1.7, 1.7, "round", 1.0) for k in range(20)]
    return Land("Pico", tuple(pads), (-10.5, -25.5, 10.5, 25.5), mark=(-11.0, top))


def _fuse_holder() -> Land:
    """A holder for a mini blade fuse with two pins an end (Keystone 3568)."""
    pads = tuple(
        Pad(number, x, y, 2.78, 2.78, "round", 1.78)
        for number, x in (("1", 0.0), ("2", 9.92))
        for y in (0.0, 3.4)
    )
    return Land("FuseMini", pads, (-3.0, -1.7, 12.9, 5.1))


def _sot23(name: str, left: tuple[str, ...], right: tuple[str, ...], half: float) -> Land:
    """The small three and five pin packages; pins by the side they stand on, from the top."""
    size = (1.475, 0.6) if len(left) == 2 else (1.325, 0.6)
    rows = {1: (0.0,), 2: (-0.95, 0.95), 3: (-0.95, 0.0, 0.95)}
    pads = [Pad(n, -half, y, *size) for n, y in zip(left, rows[len(left)], strict=True)]
    pads += [Pad(n, half, y, *size) for n, y in zip(right, rows[len(right)], strict=True)]
    return Land(name, tuple(pads), (-0.7, -1.5, 0.7, 1.5), mark=(-half - 1.2, -0.95))


def _light() -> Land:
    """WS2812B, 5 × 5 mm."""
    spots = (("1", -1, -1), ("2", -1, 1), ("3", 1, 1), ("4", 1, -1))
    pads = tuple(Pad(n, 2.45 * x, 1.6 * y, 1.5, 1.0) for n, x, y in spots)
    return Land("WS2812B", pads, (-2.6, -2.6, 2.6, 2.6), mark=(-3.0, -2.9))


LANDS = {
    land.name: land
    for land in (
        _two("0603", 0.8, 0.85, 0.95, (1.6, 0.8)),
        _two("0805", 0.95, 1.0, 1.4, (2.0, 1.25)),
        _two("1206", 1.45, 1.15, 1.75, (3.2, 1.6)),
        _polar("SMA", 2.0, 2.5, 1.8, (4.5, 2.6)),
        _polar("SMB", 2.15, 2.5, 2.3, (4.6, 3.8)),
        _polar("SOD-123", 1.65, 0.9, 1.2, (2.7, 1.6)),
        _sot23("SOT-23", ("1", "2"), ("3",), 0.9375),
        _sot23("SOT-23-5", ("1", "2", "3"), ("5", "4"), 1.1375),
        _dual("SOIC-8", 8, 1.27, 2.475, (1.95, 0.6), 3.9),
        _dual("TSSOP-24", 24, 0.65, 2.8625, (1.475, 0.4), 4.4),
        _light(),
        _box_header("Box14", below=False),
        _box_header("Box14below", below=True),
        _in_line("XH2", 2, 2.5, 1.75, 1.0, (-2.45, -3.4, 4.95, 2.35)),
        _in_line("Screw2", 2, 5.08, 2.6, 1.4, (-3.54, -4.3, 8.62, 4.3)),
        _in_line("Can10", 2, 5.0, 2.0, 1.0, (-2.5, -5.0, 7.5, 5.0)),
        _pico(),
        _fuse_holder(),
        Land("Fiducial", (Pad("", 0, 0, 1.0, 1.0, "round"),), (-1, -1, 1, 1)),
    )
}
"""Every land pattern by its name."""
