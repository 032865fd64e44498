"""Files for a house that solders boards: parts and places in its columns and its rotations.

Houses differ in three things: the names of their columns, what a part is named by, and how a
package lies on its reel before it is turned. Gerbers, drill and places count from one origin, the
board's lower left corner. Parts with wires or pins are left to hands (`by-hand.csv`); a house that
does them too takes the same list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumiban.errors import UsageError

from lumiban_hw import prices
from lumiban_hw.order_codes import alternates
from lumiban_hw.parts import Part
from lumiban_hw.pcb.drawing import Board, Placed
from lumiban_hw.pcb.make import write_csv


@dataclass(frozen=True)
class House:
    """A house that makes and solders boards."""

    name: str
    title: str
    parts_head: tuple[str, ...]
    places_head: tuple[str, ...]
    turns: Mapping[str, int]
    """Degrees to add by land pattern: how the reel's zero differs from ours."""
    sides: tuple[str, str]
    """Its names of top and bottom."""

    def parts_row(self, n: int, part: Part, refs: Sequence[str]) -> tuple[object, ...]:
        """One line of its list of parts."""
        every = ",".join(refs)
        others = " or ".join(alternates(part.number))
        note = f"or {others}" if others else "no substitute"
        if self.name == "jlcpcb":
            own = prices.house_number(part.number)
            return (f"{part.value} {part.number}", every, part.land, own, part.number, note)
        return (n, every, len(refs), "", part.number, part.value, part.land, "SMD", note)


_REEL = {"SOT-23": 180, "SOT-23-5": 180, "SOIC-8": 270, "TSSOP-24": 270}
HOUSES = {
    house.name: house
    for house in (
        House(
            "jlcpcb", "JLCPCB",
            ("Comment", "Designator", "Footprint", "JLCPCB Part #", "MPN", "Note"),
            ("Designator", "Mid X", "Mid Y", "Layer", "Rotation"),
            _REEL, ("Top", "Bottom"),
        ),
        House(
            "pcbway", "PCBWay",
            ("Item #", "*Designator", "*Qty", "Manufacturer", "*Mfg Part #",
             "Description / Value", "*Package/Footprint", "Type", "Your Instructions / Notes"),
            ("Designator", "Mid X", "Mid Y", "Layer", "Rotation"),
            {}, ("top", "bottom"),
        ),
    )
}  # fmt: skip
"""Columns are those of the houses' own examples, rotations of JLCPCB those of the table that its
users keep (JLCKicadTools, read 2026-11-23). JLCPCB's own numbers stand where its catalogue has the
part (`prices.house_number`), else its page finds parts by the maker's. Its preview shows rotations:
look at the first pins before ordering."""


def house(name: str) -> House:
    """The house of this name; UsageError names those there are.

    >>> house("jlcpcb").turns["SOIC-8"]
    270
    """
    if name not in HOUSES:
        raise UsageError(f"no house is called {name}: there are {', '.join(sorted(HOUSES))}")
    return HOUSES[name]


def by_machine(board: Board) -> list[Placed]:
    """Parts that a machine puts and an oven solders: those without holes."""
    return [
        placed
        for placed in board.parts
        if placed.part.number and not any(pad.drill for pad in placed.land.pads)
    ]


def by_hand(board: Board) -> list[Placed]:
    """Parts with pins through the board, and those put in from below."""
    return [
        placed
        for placed in board.parts
        if placed.part.number and any(pad.drill for pad in placed.land.pads)
    ]


def place(board: Board, placed: Placed) -> tuple[float, float]:
    """Place of a part, in mm from the board's lower left corner, y up."""
    left, _, _, bottom = board.outline
    return round(placed.x - left, 3), round(bottom - placed.y, 3)


def turn(one: House, placed: Placed) -> int:
    """The rotation that the house is told.

    >>> from lumiban_hw.parts import HALL
    >>> turn(house("jlcpcb"), Placed("S1", HALL, 0, 0, 270, {}))
    90
    """
    return (placed.turn + one.turns.get(placed.land.name, 0)) % 360


def grouped(placements: Iterable[Placed]) -> list[tuple[Part, list[str]]]:
    """Parts and the places they take, by their number."""
    count: dict[str, tuple[Part, list[str]]] = {}
    for placed in placements:
        count.setdefault(placed.part.number, (placed.part, []))[1].append(placed.ref)
    return sorted(count.values(), key=lambda one: one[1][0])


def write(board: Board, one: House, folder: Path) -> tuple[Path, Path]:
    """Write `NAME-HOUSE-parts.csv` and `NAME-HOUSE-places.csv`; returns both."""
    parts = folder / f"{board.name}-{one.name}-parts.csv"
    places = folder / f"{board.name}-{one.name}-places.csv"
    machine = by_machine(board)
    write_csv(
        parts,
        one.parts_head,
        [one.parts_row(n, part, refs) for n, (part, refs) in enumerate(grouped(machine), 1)],
    )
    rows = []
    for placed in machine:
        x, y = place(board, placed)
        rows.append((placed.ref, f"{x:g}mm", f"{y:g}mm", one.sides[0], turn(one, placed)))
    write_csv(places, one.places_head, rows)
    return parts, places


def write_by_hand(board: Board, folder: Path) -> None:
    """Write `by-hand.csv`: what is left to solder, and on which side it is put in."""
    write_csv(
        folder / "by-hand.csv",
        ("refs", "value", "part", "or", "put in from"),
        [
            (" ".join(refs), part.value, part.number, " or ".join(alternates(part.number)),
             "below" if part.land.endswith("below") else "above")
            for part, refs in grouped(by_hand(board))
        ],
    )  # fmt: skip
