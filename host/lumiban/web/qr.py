"""QR codes of links: as half blocks for a terminal, as a path for the page."""

from __future__ import annotations

from itertools import groupby

import segno

QUIET = 4
"""Light modules around the code, which readers need."""
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def modules(content: str) -> list[list[bool]]:
    """Dark modules of the code with its quiet zone, row by row. The lowest error correction
    suffices on a screen: fewer modules are larger ones, which a phone reads from further away."""
    code = segno.make(content, error="l", micro=False)
    return [[bool(dark) for dark in row] for row in code.matrix_iter(border=QUIET)]


def path(content: str) -> tuple[int, str]:
    """Number of modules along a side, and the dark ones as an SVG path in units of a module."""
    rows = modules(content)
    parts: list[str] = []
    for y, row in enumerate(rows):
        x = 0
        for dark, run in groupby(row):
            width = len(list(run))
            if dark:
                parts.append(f"M{x} {y}h{width}v1h-{width}z")
            x += width
    return len(rows), "".join(parts)


def lines(content: str) -> list[str]:
    """Code in half blocks, for black ink on white ground: two rows of modules a line."""
    rows = modules(content)
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    return [
        "".join(_HALVES[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]
