"""Blocks in light as SVG shapes, around (0, 0) and for cells 40 units wide: our own forms, one a
colour, so that a picture can be read without its colours."""

from __future__ import annotations

from lumiban.scene import types as means

_FORMS = {
    "r": "M0 -8.4L8.4 0L0 8.4L-8.4 0Z",
    "b": "M7 0A7 7 0 1 1 -7 0A7 7 0 1 1 7 0ZM2.8 0A2.8 2.8 0 1 1 -2.8 0A2.8 2.8 0 1 1 2.8 0Z",
    "y": "M0 -8L8 6.4H-8Z",
    "g": "M-2.8 -8H2.8V-2.8H8V2.8H2.8V8H-2.8V2.8H-8V-2.8H-2.8Z",
    "ojama": "M-3.2 0A2 2 0 1 1 -7.2 0A2 2 0 1 1 -3.2 0ZM7.2 0A2 2 0 1 1 3.2 0A2 2 0 1 1 7.2 0Z",
}
_BOX = '<rect x="-16.8" y="-16.8" width="33.6" height="33.6" rx="5.2"'


def _block(form: str, fill: str, line: str) -> str:
    dark = fill == ".78"
    inside = 'fill="#0f0c0a" fill-opacity=".82"' if dark else 'fill="currentColor"'
    return (
        f'{_BOX} fill="currentColor" fill-opacity="{fill}" stroke="currentColor" {line}/>'
        f'<path d="{_FORMS[form]}" fill-rule="evenodd" stroke="none" {inside}/>'
    )


def _bars(count: int) -> str:
    return "".join(
        f'<rect x="{7 * i - 3.5 * count}" y="-8" width="4" height="16" fill="currentColor"'
        ' stroke="none"/>'
        for i in range(count)
    )


SHAPES: dict[str, str] = {
    **{f"block-{c}": _block(c, ".78", 'stroke-width="1"') for c in "rbyg"},
    means.OJAMA: _block("ojama", ".78", 'stroke-width="1"'),
    **{f"ghost-{c}": _block(c, ".14", 'stroke-width="1" stroke-dasharray="3 2.4"') for c in "rbyg"},
    means.GHOST_OJAMA: _block("ojama", ".14", 'stroke-width="1" stroke-dasharray="3 2.4"'),
    **{
        f"landing-{c}": _block(c, ".1", 'stroke-width="2.2" stroke-dasharray="5.5 3"')
        for c in "rbyg"
    },
    means.ERASED: _BOX.replace("16.8", "18")
    + ' fill="currentColor" fill-opacity=".25" stroke="currentColor" stroke-width="2.4"/>',
    means.COMING: '<path d="M-6.4 -4L0 4L6.4 -4" stroke="currentColor" stroke-width="2.2"/>',
    means.TOUCH: '<circle r="12" stroke="currentColor" stroke-width="2.2"/>',
    means.FEW: _bars(1),
    means.SOME: _bars(2),
    means.MANY: _bars(3),
}
"""The shape of each meaning that is light itself."""
