"""Price of a table, all in, as a range, from the one table of prices (`prices.toml`).

Boards come in lots of five, of which all are paid; the rest is counted as it is needed. Time, tools
and the printer are nobody's money here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lumiban_hw.parts import Part
from lumiban_hw.pcb.drawing import Board

LOT = 5
"""The least number of a board that makers of cheap boards sell."""
GRAM_MM3 = 1.24e-3
"""PLA, printed solid."""


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One thing to pay: from how much to how much."""

    what: str
    count: float
    least: float
    most: float
    source: str
    """Source of the price, and its day, or that it is an estimate."""


@cache
def table() -> Mapping[str, Any]:
    """The table as it stands in the file."""
    return tomllib.loads((Path(__file__).parent / "prices.toml").read_text("utf-8"))


def source() -> str:
    """Source of the prices, and their day.

    >>> source().startswith("2026-")
    True
    """
    about = table()["about"]
    return f"{about['date']}: {about['source']}"


def of_part(number: str) -> str:
    """Source and day of the price of one part, ribbon or bare board.

    >>> of_part("DRV5055A3QDBZR")
    "JLCPCB's catalogue, copied by jlcparts, 2026-05-21: C266128"
    >>> of_part("PPTC201LFBN-RC")
    'estimate, 2026-11-23'
    """
    prices = table()
    if own := house_number(number):
        asked = prices["catalogue"]
        return f"{asked['source']}, {asked['date']}: {own}"
    origin: str = prices["sources"].get(number, f"estimate, {prices['about']['date']}")
    return origin


def house_number(number: str) -> str:
    """JLCPCB's number of a part; empty where its catalogue does not have it.

    >>> house_number("AP2112K-3.3TRG1"), house_number("SC0915")
    ('C51118', '')
    """
    own: str = table()["parts"].get(number, {}).get("jlcpcb", "")
    return own


def price_of(part: Part) -> float:
    """US dollars for one of a hundred pieces of a part; bare copper costs nothing.

    >>> from lumiban_hw.parts import HALL, supply
    >>> price_of(HALL), price_of(supply(3000))
    (0.2762, 11.0)
    """
    if not part.number:
        return 0.0
    if met := re.fullmatch(r"supply 5 V ([\d.]+) A", part.number):
        typical = table()["typical"]
        return float(typical["supply"] + typical["supply_ampere"] * float(met[1]))
    usd: float = table()["parts"][part.number]["usd"]
    return usd


def bare(board: Board) -> float:
    """US dollars for one bare board, by its area."""
    left, top, right, bottom = board.outline
    typical = table()["typical"]
    area = (right - left) * (bottom - top) / 100
    return float(typical["board"] + typical["board_cm2"] * area)


def ribbon() -> float:
    """US dollars for one ribbon with its two plugs."""
    return float(table()["typical"]["ribbon"])


def _priced(what: str, count: float, price: Sequence[float], name: str) -> PriceLine:
    """`name` is that of the price in the table, whose `sources` say where it is from."""
    origin = of_part(name)
    least, most = (round(count * each, 2) for each in price)
    return PriceLine(what, round(count, 2), least, most, origin)


def all_in(
    boards: Sequence[Board],
    loose: Sequence[Part],
    *,
    ribbons: int,
    magnets: tuple[int, int] = (0, 0),
    printed_mm3: float = 0.0,
) -> list[PriceLine]:
    """Everything for one table: `boards` as many as it has, `magnets` strong and weak."""
    prices = table()
    each, once, factor = prices["each"], prices["once"], prices["factor"]["parts"]
    parts = sum(price_of(part) for part in loose)
    parts += sum(price_of(placed.part) for board in boards for placed in board.parts)
    kinds: dict[str, tuple[Board, int]] = {}
    for board in boards:
        kinds[board.name] = (board, kinds.get(board.name, (board, 0))[1] + 1)
    lines = [_priced("parts, in dollars of a hundred each", parts, factor, "parts")]
    for board, count in kinds.values():
        paid = -(-count // LOT) * LOT
        left, top, right, bottom = board.outline
        area = (right - left) * (bottom - top) / 100
        price = [
            a + area * b for a, b in zip(each["board"], prices["measure"]["board_cm2"], strict=True)
        ]
        what = f"board {board.name}, of which {count} are needed"
        lines.append(_priced(what, paid, price, "board"))
    lines.append(_priced("ribbons", ribbons, each["ribbon"], "ribbon"))
    for what, count, name in (
        ("magnets of pieces", magnets[0], "magnet_strong"),
        ("weak magnets", magnets[1], "magnet_weak"),
    ):
        lines.append(_priced(what, count, each[name], name))
    grams = printed_mm3 * GRAM_MM3
    a_gram = prices["measure"]["filament_gram"]
    lines.append(_priced("filament, grams", grams, a_gram, "filament_gram"))
    lines += [_priced(name.replace("_", " "), 1, price, name) for name, price in once.items()]
    return [line for line in lines if line.most]


def one_panel(panel: Board) -> PriceLine:
    """Price of a lot of a table's panel, by its area, in place of the lots of its strips."""
    left, top, right, bottom = panel.outline
    area = (right - left) * (bottom - top) / 100
    prices = table()
    each = [
        a + area * b
        for a, b in zip(prices["each"]["board"], prices["measure"]["board_cm2"], strict=True)
    ]
    return _priced(f"panel {panel.name} in place of the strips", LOT, each, "board")


def soldered(board: Board, count: int) -> PriceLine:
    """Price that a house asks for soldering the parts of `count` boards."""
    assembly = table()["assembly"]
    machine = [p for p in board.parts if p.part.number and not any(q.drill for q in p.land.pads)]
    kinds = len({placed.part.number for placed in machine})
    price = [
        a + kinds * b + count * len(machine) * c
        for a, b, c in zip(assembly["board"], assembly["loading"], assembly["part"], strict=True)
    ]
    return _priced(f"soldering {count} × {board.name} by a house", 1, price, "assembly")


def total(lines: Sequence[PriceLine]) -> tuple[float, float]:
    """From what to what, in all."""
    return round(sum(one.least for one in lines)), round(sum(one.most for one in lines))
