"""Pictures of bodies: seen from the front and above without perspective, shaded, with edges.

Drawn with a depth buffer of our own and written as PNG, so that no display is needed.
"""

from __future__ import annotations

import math
import struct
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from lumiban_hw.mechanics.mesh import Corner, Mesh, Triangle

Colour = tuple[int, int, int]

TURN, TILT = math.radians(-28), math.radians(50)
"""Turn of the bodies around z, and tilt of the view."""
LIGHT = (-0.35, -0.55, 0.76)
SHADES = 24
SMOOTH = 3
"""Faces whose shades differ by no more are one round face, without a line between them."""
BORDER = 12
NOTHING = 0
"""The palette's first entry is the paper, the second ink."""
INK = 1


@dataclass(frozen=True)
class Body:
    """A mesh with its colour."""

    mesh: Mesh
    colour: Colour


def png(bodies: Sequence[Body], width: int = 900) -> bytes:
    """The picture, `width` pixels wide and as high as it must be."""
    seen = [
        [tuple(_seen(corner) for corner in three) for three in b.mesh.triangles] for b in bodies
    ]
    spots = [spot for body in seen for three in body for spot in three]
    left, right = min(s[0] for s in spots), max(s[0] for s in spots)
    low, high = min(s[1] for s in spots), max(s[1] for s in spots)
    scale = (width - 2 * BORDER) / (right - left)
    height = math.ceil((high - low) * scale) + 2 * BORDER
    depth = array("f", [-1e9]) * (width * height)
    face = array("H", [NOTHING]) * (width * height)
    for n, (body, drawn) in enumerate(zip(bodies, seen, strict=True)):
        for three, triangle in zip(drawn, body.mesh.triangles, strict=True):
            shade = _shade(triangle)
            if shade < 0:
                continue
            flat = [
                (BORDER + (x - left) * scale, BORDER + (high - y) * scale, z) for x, y, z in three
            ]
            _fill(flat, 2 + n * SHADES + shade, width, height, depth, face)
    palette = [(255, 255, 255), (60, 60, 66)]
    for body in bodies:
        palette += [
            tuple(round(part * (0.45 + 0.55 * k / (SHADES - 1))) for part in body.colour)  # type: ignore[misc]  # three each
            for k in range(SHADES)
        ]
    return _encode(_inked(face, depth, width, height, scale), width, height, palette)


def _seen(corner: Corner) -> Corner:
    """Right, up and towards the eye."""
    x, y, z = corner
    across = x * math.cos(TURN) - y * math.sin(TURN)
    deep = x * math.sin(TURN) + y * math.cos(TURN)
    return (
        across,
        deep * math.sin(TILT) + z * math.cos(TILT),
        z * math.sin(TILT) - deep * math.cos(TILT),
    )


def _shade(triangle: Triangle) -> int:
    """Brightness of a face, or -1 when it looks away or has no area."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    long = math.sqrt(nx * nx + ny * ny + nz * nz)
    if long < 1e-9:
        return -1
    deep = nx * math.sin(TURN) + ny * math.cos(TURN)
    if nz * math.sin(TILT) - deep * math.cos(TILT) <= 0:
        return -1
    bright = (nx * LIGHT[0] + ny * LIGHT[1] + nz * LIGHT[2]) / long
    return round((bright + 1) / 2 * (SHADES - 1))


def _fill(
    three: Sequence[Corner], colour: int, width: int, height: int,
    depth: array[float], face: array[int],
) -> None:  # fmt: skip
    """Put a triangle into the buffers wherever it is nearer than what is there."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = three
    twice = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if abs(twice) < 1e-9:
        return
    along = ((bz - az) * (cy - ay) - (cz - az) * (by - ay)) / twice
    down = ((cz - az) * (bx - ax) - (bz - az) * (cx - ax)) / twice
    sides = (((ax, ay), (bx, by)), ((bx, by), (cx, cy)), ((cx, cy), (ax, ay)))
    top, bottom = max(0, math.ceil(min(ay, by, cy))), min(height - 1, math.floor(max(ay, by, cy)))
    for y in range(top, bottom + 1):
        xs = [
            px + (y - py) / (qy - py) * (qx - px)
            for (px, py), (qx, qy) in sides
            if (py <= y) != (qy <= y)
        ]
        if len(xs) < 2:
            continue
        first, last = max(0, math.ceil(min(xs))), min(width - 1, math.floor(max(xs)))
        z = az + (first - ax) * along + (y - ay) * down
        for k in range(y * width + first, y * width + last + 1):
            if z > depth[k]:
                depth[k] = z
                face[k] = colour
            z += along


def _inked(
    face: array[int], depth: array[float], width: int, height: int, scale: float
) -> array[int]:
    """The picture with lines where a face ends."""
    out = array("H", face)
    step = 3.0 / scale
    beside = zip(face, face[1:], depth, depth[1:], strict=False)
    below = zip(face, face[width:], depth, depth[width:], strict=False)
    for pairs, far in ((beside, 1), (below, width)):
        for k, (here, there, near, off) in enumerate(pairs):
            if -SMOOTH <= here - there <= SMOOTH and -step <= near - off <= step:
                continue
            out[k if near >= off else k + far] = INK
    return out


def _encode(
    picture: array[int], width: int, height: int, palette: Sequence[tuple[int, ...]]
) -> bytes:
    """A PNG with a palette, or in full colours when there are too many."""
    if len(palette) <= 256:
        kind, rows = 3, (
            b"\0" + bytes(picture[y * width : (y + 1) * width].tolist()) for y in range(height)
        )  # fmt: skip
        colours = _chunk(b"PLTE", bytes(part for colour in palette for part in colour))
    else:
        kind, rows = 2, (
            b"\0" + b"".join(bytes(palette[k]) for k in picture[y * width : (y + 1) * width])
            for y in range(height)
        )  # fmt: skip
        colours = b""
    return b"".join((
        b"\x89PNG\r\n\x1a\n",
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
        colours,
        _chunk(b"IDAT", zlib.compress(b"".join(rows), 9)),
        _chunk(b"IEND", b""),
    ))  # fmt: skip


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
