"""Pictures of a finished board, from the layers that KiCad plots: one SVG a side, PNG if possible.

`rsvg-convert` makes the PNG; without it the SVG is all there is.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

LAMINATE, COPPER, PAD, SILK, BORE = "#14532d", "#2f7d46", "#d9b24c", "#f4f4f0", "#0b0b0b"
_SCALE = 1_000_000
"""KiCad's SVG counts nanometres; its page begins at (0, 0)."""
_SIDES = {
    "top": (("F_Cu", COPPER), ("F_Mask", PAD), ("F_Silkscreen", SILK)),
    "bottom": (("B_Cu", COPPER), ("B_Mask", PAD), ("B_Silkscreen", SILK)),
}
_MARGIN_MM = 2.0
PIXELS_A_MM = 8


def draw(folder: Path, name: str, size: tuple[float, float], corner: tuple[float, float]) -> None:
    """Write `name-top.svg` and `name-bottom.svg`, and their PNG, from the plots in `folder/svg`.

    `size` and `corner` of the board are in mm on KiCad's page. The bottom is seen from below.
    """
    for side, layers in _SIDES.items():
        body = [
            f'<rect x="{corner[0] * _SCALE:.0f}" y="{corner[1] * _SCALE:.0f}" '
            f'width="{size[0] * _SCALE:.0f}" height="{size[1] * _SCALE:.0f}" fill="{LAMINATE}"/>'
        ]
        for layer, colour in layers:
            body.append(_recoloured(folder / "svg" / f"{name}-{layer}.svg", colour))
        x, y = corner[0] - _MARGIN_MM, corner[1] - _MARGIN_MM
        width, height = size[0] + 2 * _MARGIN_MM, size[1] + 2 * _MARGIN_MM
        drawing = "\n".join(body)
        if side == "bottom":
            turn = (2 * corner[0] + size[0]) * _SCALE
            drawing = f'<g transform="translate({turn:.0f} 0) scale(-1 1)">\n{drawing}\n</g>'
        path = folder / f"{name}-{side}.svg"
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}mm" height="{height:.1f}mm"'
            f' viewBox="{x * _SCALE:.0f} {y * _SCALE:.0f} {width * _SCALE:.0f} '
            f'{height * _SCALE:.0f}">\n{drawing}\n</svg>\n',
            encoding="utf-8",
        )
        _png(path, round(width * PIXELS_A_MM))


def _recoloured(path: Path, colour: str) -> str:
    """What a plot draws, in one colour; bored holes in another."""
    text = path.read_text("utf-8")
    inner = text[text.index("</desc>") + len("</desc>") : text.rindex("</svg>")]
    return re.sub("#000000", colour, inner.replace("#FFFFFF", BORE))


def _png(path: Path, width: int) -> None:
    tool = shutil.which("rsvg-convert")
    if tool:
        out = path.with_suffix(".png")
        subprocess.run(
            [tool, "-w", str(min(width, 4000)), str(path), "-o", str(out)],
            check=False,
            capture_output=True,
        )
