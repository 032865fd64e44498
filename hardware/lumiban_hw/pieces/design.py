"""What pieces there are: three bodies, and a cap for each kind that fingers must tell apart.

A body is a cup: on its skin of 0.6 mm lies the magnet, in a pocket that is a little wider; above is
a ledge on which the cap is glued. Whatever reads as white has a bump or dome on top, whatever reads
as black a groove or dimple. Millimetres.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lumiban_hw.magnetics import STRONG, WEAK, Magnet
from lumiban_hw.stack import STACK, Stack

Spot = tuple[float, float]
Pole = Literal["N", "S", ""]

RIM_MM = 1.0
"""Wall round the cap."""
CAP_MM = 1.4
"""How deep a cap sits in its body; as thick it is over the magnet at the least."""
MARK_MM = 0.4
"""How deep the pole's letter lies in the ledge."""
CHAMFER_MM = 0.4
HEAD_MM = 4.0
"""How high a dove stands above its body."""
KNOB_MM = 1.4
"""Height of a bump, depth of a dimple or groove."""


@dataclass(frozen=True, slots=True)
class Body:
    """The lower part: `up` is the pole that looks up at whoever puts the magnet in; "" for
    either."""

    name: str
    magnet: Magnet
    up: Pole

    def pocket(self, stack: Stack = STACK) -> tuple[float, float]:
        """Diameter and height of the magnet's room."""
        return self.magnet.diameter_mm + stack.pocket_mm, self.magnet.length_mm + stack.pocket_mm

    def ledge(self, stack: Stack = STACK) -> float:
        """Height of the ledge on which the cap lies."""
        return stack.skin_mm + self.pocket(stack)[1]

    def top(self, stack: Stack = STACK) -> float:
        """Height of the rim."""
        return self.ledge(stack) + CAP_MM


WHITE_BODY = Body("body-white", STRONG, "N")
"""South down: the sensor's output rises, which the firmware calls white."""
BLACK_BODY = Body("body-black", STRONG, "S")
NEUTRAL_BODY = Body("body-neutral", WEAK, "")
BODIES = (WHITE_BODY, BLACK_BODY, NEUTRAL_BODY)


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands on a cell: a body and the cap that is glued on it."""

    name: str
    body: Body
    group: str
    """Pieces of one group may lie on one table, and fingers must tell them apart."""

    @property
    def cap(self) -> str:
        """The name of its cap."""
        return f"cap-{self.name}"


DOVES = {
    "b": "flower of five petals", "a": "star of eight points", "y": "plus", "m": "square",
    "t": "bar", "h": "crescent",
}  # fmt: skip
"""The outline of each kind of dove, by the letter of its notation."""


def _pieces() -> tuple[Piece, ...]:
    sides = {"white": WHITE_BODY, "black": BLACK_BODY}
    found = [Piece(colour, body, "stones") for colour, body in sides.items()]
    found.append(Piece("neutral", NEUTRAL_BODY, "stones"))
    found += [Piece(f"marker-{colour}", body, "markers") for colour, body in sides.items()]
    for colour, body in (("red", WHITE_BODY), ("green", BLACK_BODY)):
        found += [Piece(f"dove-{kind}-{colour}", body, "doves") for kind in DOVES]
    return tuple(found)


PIECES = _pieces()
"""All that games on our boards take, by the names that `lumiban hardware pieces` tells."""

PARTS = (*(body.name for body in BODIES), *(piece.cap for piece in PIECES))
"""Everything that is printed."""


def printed(pieces: Mapping[str, int]) -> dict[str, int]:
    """How often each part is printed for so many of each piece; KeyError for one that there is not.

    >>> printed({"white": 30, "dove-b-red": 1})
    {'body-white': 31, 'cap-white': 30, 'cap-dove-b-red': 1}
    """
    known = {piece.name: piece for piece in PIECES}
    found: dict[str, int] = {}
    for name, count in pieces.items():
        for part in (known[name].body.name, known[name].cap):
            found[part] = found.get(part, 0) + count
    return {part: found[part] for part in PARTS if part in found}


LETTERS: dict[Pole, tuple[Spot, ...]] = {
    "N": ((0, 0), (0.8, 0), (0.8, 2), (1.8, 0), (2.6, 0), (2.6, 3.4), (1.8, 3.4), (1.8, 1.4),
          (0.8, 3.4), (0, 3.4)),
    "S": ((0, 0), (2.6, 0), (2.6, 2.1), (0.8, 2.1), (0.8, 2.6), (2.6, 2.6), (2.6, 3.4), (0, 3.4),
          (0, 1.3), (1.8, 1.3), (1.8, 0.8), (0, 0.8)),
}  # fmt: skip
"""Outlines of the poles' letters, from their lower left corner."""
LETTER_AT: Spot = (-1.3, 3.9)
"""Where that corner lies on the ledge."""
