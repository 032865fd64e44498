"""What to buy for a board's electronics: parts of all strips and the base, boards, ribbons, supply.

Prices are guesses (see `parts`); board prices follow what makers of cheap boards ask by area.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lumiban.boards.profile import MOST_STRIPS, Profile

from lumiban_hw.parts import JUMPER, PICO, R10K_WIRED, SOCKET_20, SUPPLY_SOCKET, Part, supply
from lumiban_hw.pcb.board import Board
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.power import Budget

BOARD_USD, AREA_USD_CM2 = 1.0, 0.035
"""A board's price: so much for being one, and for each square centimetre."""
RIBBON_USD = 0.90
"""A 14-way ribbon with two plugs."""


BENCH = (PICO, R10K_WIRED, R10K_WIRED)
"""What a strip on a bench needs besides: the two resistors tell the Pico its supply."""


def loose(profile: Profile) -> list[Part]:
    """What a base board needs that is not soldered: the supply with its plug and fuse, the Pico's
    sockets, jumper caps.
    """
    budget = Budget(profile)
    bought = [supply(budget.supply_ma)] if budget.supply_ma else []
    jumpers = [JUMPER] * (MOST_STRIPS - profile.rows)
    return [budget.fuse[0], *bought, SUPPLY_SOCKET, SOCKET_20, SOCKET_20, *jumpers]


Row = tuple[str, str, str, int, float, float]
"""Part, value, package, count, dollars each, dollars."""


def rows(strips: Sequence[Board], others: Sequence[Board], loose: Sequence[Part]) -> list[Row]:
    """All that a board takes to buy: parts, dearest first, then circuit boards and ribbons."""
    count: dict[str, tuple[Part, int]] = {}
    boards = [*others, *strips]
    wanted = [*loose, *(placed.part for board in boards for placed in board.parts)]
    for part in wanted:
        if part.number:
            count[part.number] = (part, count.get(part.number, (part, 0))[1] + 1)
    found: list[Row] = [
        (part.number, part.value, part.land, n, part.dollars, round(n * part.dollars, 2))
        for part, n in sorted(count.values(), key=lambda one: -one[0].dollars * one[1])
    ]
    kinds: dict[str, list[Board]] = {}
    for board in boards:
        kinds.setdefault(board.name, []).append(board)
    for name, same in sorted(kinds.items()):
        each = round(board_usd(same[0]), 2)
        found.append((f"circuit board {name}", "", "", len(same), each, round(each * len(same), 2)))
    ribbons = len(strips)
    return [*found, ("ribbon 14-way", "", "", ribbons, RIBBON_USD, round(ribbons * RIBBON_USD, 2))]


def write(
    strips: Sequence[Board], others: Sequence[Board], loose: Sequence[Part], folder: Path
) -> float:
    """Write `parts.csv` of a board: its strips, other boards, and loose parts; returns dollars."""
    wanted = rows(strips, others, loose)
    total = sum(row[-1] for row in wanted)
    head = ("part", "value", "package", "count", "each_usd", "usd")
    write_csv(folder / "parts.csv", head, [*wanted, ("all", "", "", "", "", round(total, 2))])
    return total


def board_usd(board: Board) -> float:
    """What a bare board costs, roughly."""
    left, top, right, bottom = board.outline
    return BOARD_USD + AREA_USD_CM2 * (right - left) * (bottom - top) / 100
