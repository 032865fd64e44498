"""Colours for the grammar's roles, as palettes that a board can show.

Colours are sRGB as on the page, a little more saturated, since LEDs wash them out; strengths are
shares of a colour's light (linear), turned back into sRGB, because the board applies the gamma.
A piece hides about half of the light beneath it: there each strength has an entry twice as bright.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lumiban.errors import UsageError
from lumiban.scene.grammar import GRAMMAR, Strength

Colour = tuple[int, int, int]

GAMMA = 2.2
"""Exponent by which the board turns a palette value into light."""
HIDDEN = 0.5
"""The share of its cell's light that a piece hides."""

SHARES: dict[Strength, float] = {
    Strength.FAINT: 0.03,
    Strength.DIM: 0.08,
    Strength.MID: 0.22,
    Strength.BRIGHT: 0.6,
}
"""The share of full light of each strength: each step almost three times the one below."""


OF_MARKS = ("white", "black", "legal", "warn", "error", "lost")
OF_BLOCKS = ("red", "blue", "yellow", "green", "ojama")
"""Roles of light that is never under a piece: a marker that stands there shows itself."""


@dataclass(frozen=True)
class Theme:
    """A name and the full colour of each role."""

    name: str
    roles: dict[str, Colour]


THEMES: dict[str, Theme] = {
    theme.name: theme
    for theme in (
        Theme(
            "standard",
            {
                "white": (255, 190, 110),
                "black": (70, 140, 255),
                "legal": (80, 216, 110),
                "warn": (255, 160, 50),
                "error": (255, 60, 60),
                "lost": (255, 150, 40),
                "red": (255, 40, 60),
                "blue": (50, 90, 255),
                "yellow": (255, 205, 30),
                "green": (30, 215, 90),
                "ojama": (200, 205, 225),
            },
        ),
        Theme(
            "blue-orange",
            {
                "white": (255, 140, 40),
                "black": (40, 120, 255),
                "legal": (230, 230, 230),
                "warn": (255, 190, 120),
                "error": (255, 240, 225),
                "lost": (255, 140, 40),
                "red": (255, 110, 0),
                "blue": (0, 110, 255),
                "yellow": (255, 235, 90),
                "green": (0, 190, 170),
                "ojama": (205, 205, 215),
            },
        ),
        Theme(
            "monochrome",
            dict.fromkeys((*OF_MARKS, *OF_BLOCKS), (255, 244, 228)),
        ),
    )
}
"""The themes, by name; the first is the one to begin with."""


def theme(name: str) -> Theme:
    """The theme of this name; UsageError lists those there are."""
    try:
        return THEMES[name]
    except KeyError:
        raise UsageError(f"no theme {name!r}: choose from {', '.join(THEMES)}") from None


Key = tuple[str, Strength, bool]
"""Role, strength, and whether a piece covers the light."""


def _entries() -> tuple[Key, ...]:
    used = {
        (pattern.role, strength)
        for rule in GRAMMAR.values()
        for pattern in rule.sides
        for strength in {pattern.strength, Strength.FAINT}
    }
    return tuple(
        (role, strength, covered)
        for role, strength in sorted(used)
        for covered in ((False,) if role in OF_BLOCKS else (False, True))
    )


ENTRIES: tuple[Key, ...] = _entries()
"""Meaning of each palette entry from index 1 on; index 0 is black in every theme."""
INDEX: dict[Key, int] = {key: i + 1 for i, key in enumerate(ENTRIES)}
INDEX |= {
    (role, strength, True): index
    for (role, strength, _), index in INDEX.items()
    if role in OF_BLOCKS
}


@cache
def palette(name: str) -> tuple[Colour, ...]:
    """The palette of a theme, r g b of 0 to 255 each; UsageError for an unknown name.

    >>> palette("standard")[0], len(palette("standard")) <= 64
    ((0, 0, 0), True)
    """
    roles = theme(name).roles
    return ((0, 0, 0), *(_shade(roles[role], share(s, covered)) for role, s, covered in ENTRIES))


def share(strength: Strength, covered: bool) -> float:
    """The share of full light of a strength, made up for what a piece hides as far as it goes."""
    return min(1.0, SHARES[strength] / HIDDEN) if covered else SHARES[strength]


def _shade(colour: Colour, light: float) -> Colour:
    factor = light ** (1 / GAMMA)
    r, g, b = (round(value * factor) for value in colour)
    return r, g, b
