"""Evening's enclosures a second time, by the letter of the rules, against `evening_enclosure.c`.

    python tests/support/evening_enclosure.py 2 even
    python tests/support/evening_enclosure.py 3 even "wa1, ba2, wa3, bb1, wc2, bc3, wb2, bd2, bb3"

All positions of a side are counted as the C program does, or all that follow a game are looked at,
each of its moves checked: of each group that has room and an equal enemy group is printed whether
it is enclosed, can be when both help, and can be forced to be.
"""

from __future__ import annotations

import sys
from collections import Counter

from evening_by_the_letter import BLACK, OTHER, STEPS, WHITE, Cell, Plain

Stones = frozenset[tuple[Cell, str]]
sys.setrecursionlimit(10_000)


class Enclosures:
    """Positions of Evening with turns on a hexagon, and the stones whose group can be enclosed."""

    def __init__(self, side: int, tie: str) -> None:
        span = range(1 - side, side)
        rows = [[(q, r) for r in span if abs(q + r) < side] for q in span]
        self.named = {
            f"{chr(ord('a') + row)}{along}": cell
            for row, cells in enumerate(rows)
            for along, cell in enumerate(cells, 1)
        }
        self.tie = tie
        self.looked_at: dict[Stones, tuple[frozenset[Cell], frozenset[Cell]]] = {}

    def position(self, stones: Stones) -> Plain:
        """The position by the letter."""
        return Plain(set(self.named.values()), tie=self.tie, stones=dict(stones))

    def moves(self, plain: Plain) -> tuple[str, set[Cell]]:
        """Who must place, and where."""
        mover = OTHER[plain.winner()] if plain.stones else WHITE
        return mover, plain.open_to(mover)

    @staticmethod
    def room(plain: Plain, group: frozenset[Cell]) -> set[Cell]:
        """The empty cells beside a group."""
        beside = {(q + dq, r + dr) for q, r in group for dq, dr in STEPS}
        return (beside & plain.cells) - plain.stones.keys()

    def equals(self, plain: Plain, group: frozenset[Cell]) -> list[frozenset[Cell]]:
        """The enemy groups of a group's size."""
        colour = plain.stones[next(iter(group))]
        groups = {plain.group(c) for c, stone in plain.stones.items() if stone != colour}
        return [one for one in groups if len(one) == len(group)]

    def is_enclosed(self, plain: Plain, group: frozenset[Cell]) -> bool:
        """Whether an equal group closes all the room that a group has."""
        room = self.room(plain, group)
        if not room or room & plain.open_to(plain.stones[next(iter(group))]):
            return False
        return any(room <= self.room(plain, other) for other in self.equals(plain, group))

    def can_be(self, stones: Stones) -> tuple[frozenset[Cell], frozenset[Cell]]:
        """Stones whose group is enclosed now or later: when both help, and when it is forced."""
        if stones in self.looked_at:
            return self.looked_at[stones]
        plain = self.position(stones)
        groups = {plain.group(cell) for cell in plain.stones}
        now = frozenset(c for group in groups if self.is_enclosed(plain, group) for c in group)
        mover, cells = self.moves(plain)
        later = [self.can_be(stones | {(cell, mover)}) for cell in sorted(cells)]
        helped, forced = {*now}, {*now}
        for cell, colour in stones:
            if any(cell in one for one, _ in later):
                helped.add(cell)
            chosen = any if colour != mover else all  # who encloses the other's stone
            if later and chosen(cell in one for _, one in later):
                forced.add(cell)
        self.looked_at[stones] = frozenset(helped), frozenset(forced)
        return self.looked_at[stones]

    def faced(self, stones: Stones) -> list[tuple[frozenset[Cell], bool, bool, bool]]:
        """The groups that have room and an equal enemy: enclosed, can be, can be forced."""
        plain = self.position(stones)
        helped, forced = self.can_be(stones)
        groups = {plain.group(cell) for cell in plain.stones}
        return [
            (group, self.is_enclosed(plain, group), group <= helped, group <= forced)
            for group in sorted(groups, key=sorted)
            if self.room(plain, group) and self.equals(plain, group)
        ]

    def played(self, moves: str) -> Stones:
        """The position after these moves; SystemExit at one that is not allowed."""
        stones: Stones = frozenset()
        for move in moves.split(", "):
            mover, cells = self.moves(self.position(stones))
            colour, cell = {"w": WHITE, "b": BLACK}[move[0]], self.named[move[1:]]
            if colour != mover or cell not in cells:
                sys.exit(f"{move} is not allowed")
            stones |= {(cell, colour)}
        return stones


def main(side: str, tie: str, moves: str = "") -> None:
    """Print what the C program prints, or what is said of one position."""
    board = Enclosures(int(side), tie)
    if moves:
        names = {cell: name for name, cell in board.named.items()}
        for group, *said in board.faced(board.played(moves)):
            words = ("enclosed", "can be, both helping", "can be forced")
            told = [
                f"{word}: {'yes' if is_so else 'no'}"
                for word, is_so in zip(words, said, strict=True)
            ]
            print(" ".join(sorted(names[cell] for cell in group)), *told, sep="; ")
    else:
        for cell in board.named.values():
            board.can_be(frozenset({(cell, WHITE)}))
        counts: dict[int, Counter[int]] = {}
        for stones in [*board.looked_at]:
            for group, *said in board.faced(stones):
                counts.setdefault(len(group), Counter()).update(
                    [3, *(at for at in range(3) if said[at])]
                )
        for size, count in sorted(counts.items()):
            print(f"{size:4} {count[0]:9} {count[3]:18} {count[1]:21} {count[2]:14}")
    print(f"{len(board.looked_at)} positions")


if __name__ == "__main__":
    main(*sys.argv[1:])
