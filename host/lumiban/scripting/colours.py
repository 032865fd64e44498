"""Colours of light by name, as `#rrggbb` or as three numbers."""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.errors import UsageError

Colour = tuple[int, int, int]
"""Red, green and blue from 0 to 255, as on a screen (sRGB)."""

COLOURS: dict[str, Colour] = {
    "white": (255, 255, 255),
    "warm": (255, 190, 110),
    "red": (255, 40, 40),
    "orange": (255, 120, 20),
    "yellow": (255, 205, 30),
    "green": (40, 215, 80),
    "cyan": (30, 200, 215),
    "blue": (50, 100, 255),
    "purple": (150, 60, 255),
    "pink": (255, 80, 150),
}
"""Names of colours, chosen to be told apart on LEDs."""
OFF: Colour = (0, 0, 0)


def colour_of(wish: str | Sequence[int] | None) -> Colour:
    """Return the colour that is meant; "off", "black" and None are no light.

    UsageError names what is accepted.

    >>> colour_of("red"), colour_of("#0080ff"), colour_of((1, 2, 3)), colour_of(None)
    ((255, 40, 40), (0, 128, 255), (1, 2, 3), (0, 0, 0))
    """
    if wish is None or wish in ("off", "black"):
        return OFF
    if isinstance(wish, str):
        if wish in COLOURS:
            return COLOURS[wish]
        if len(wish) == 7 and wish[0] == "#":
            try:
                red, green, blue = bytes.fromhex(wish[1:])
            except ValueError:
                pass
            else:
                return red, green, blue
    elif len(wish) == 3 and all(isinstance(part, int) and 0 <= part <= 255 for part in wish):
        red, green, blue = wish
        return red, green, blue
    known = ", ".join((*COLOURS, "off"))
    raise UsageError(
        f"no colour {wish!r}: name one of {known}, write '#rrggbb', or give three numbers from 0"
        " to 255"
    )
