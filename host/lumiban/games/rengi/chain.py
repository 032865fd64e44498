"""A chain told step by step: which groups go, what they are worth, how many ojama they send."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lumiban.games.rengi.field import COLUMNS, OUT_SIZE, colour_at, step
from lumiban.games.rengi.field_text import printed
from lumiban.games.rengi.score import CHAIN, COLOURS, RATE, ojama, step_points

Cell = tuple[int, int]
"""Column and row, both from 1."""


@dataclass(frozen=True)
class Group:
    """Blocks of one colour that go together."""

    colour: str
    """`R` `B` `Y` or `G`."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Step:
    """One step of a chain."""

    number: int
    before: str
    """The field with the blocks still in it, as text of 14 rows."""
    groups: tuple[Group, ...]
    ojama_cells: tuple[Cell, ...]
    """Ojama that go with the groups."""
    chain_bonus: int
    connection_bonus: int
    colour_bonus: int
    points: int
    ojama: int
    """Ojama that it sends, beyond those of the steps before."""

    @property
    def blocks(self) -> int:
        """How many coloured blocks go."""
        return sum(len(group.cells) for group in self.groups)


@dataclass(frozen=True)
class Chain:
    """A chain from its first step to the field that it leaves."""

    steps: tuple[Step, ...]
    field: str
    """As text, of 13 rows, or 14 where a block stays in row 14."""

    @property
    def points(self) -> int:
        """Points of all steps."""
        return sum(step.points for step in self.steps)

    @property
    def ojama(self) -> int:
        """Ojama of all steps."""
        return sum(step.ojama for step in self.steps)


def chain_of(field: list[int], ghost_c: bool = False, rate: int = RATE) -> Chain:
    """The chain that a field runs by itself; the field is changed.

    `ghost_c`: an ojama in row 13 goes with the block below it. `rate` points make one ojama.

    >>> from lumiban.games.rengi.field_text import parse
    >>> chain = chain_of(parse("/".join(["......"] * 10 + ["....Y.", "RRRRYY", "BBGGYO"])))
    >>> [(step.points, step.ojama, step.ojama_cells) for step in chain.steps]
    [(240, 3, ((6, 1),))]
    """
    steps: list[Step] = []
    out = [0] * OUT_SIZE
    points = sent = 0
    while True:
        before = printed(field, rows=14)
        blocks = step(field, 0, int(ghost_c), out)
        if blocks == 0:
            break
        number = len(steps) + 1
        worth = step_points(number, blocks, out[2], out[3])
        points += worth
        sends = ojama(points, rate, sent)
        sent += sends
        gone = tuple(_cells(out[4], out[5]))
        steps.append(
            Step(
                number=number,
                before=before,
                groups=tuple(_groups(before, gone)),
                ojama_cells=tuple(_cells(out[6], out[7])),
                chain_bonus=CHAIN[number - 1],
                connection_bonus=out[2],
                colour_bonus=COLOURS[out[3]],
                points=worth,
                ojama=sends,
            )
        )
    hangs = any(colour_at(field, 0, column, 14) for column in range(COLUMNS))
    return Chain(tuple(steps), printed(field, rows=14 if hangs else 13))


def _cells(left: int, right: int) -> Iterator[Cell]:
    for column in range(COLUMNS):
        bits = (left, right)[column // 3] >> (16 * (column % 3))
        for row in range(1, 15):
            if (bits >> (row - 1)) & 1:
                yield column + 1, row


def _groups(before: str, gone: tuple[Cell, ...]) -> Iterator[Group]:
    rows = before.split("/")[::-1]
    rest = list(gone)
    while rest:
        group = [rest.pop(0)]
        column, row = group[0]
        colour = rows[row - 1][column - 1]
        for column, row in group:
            for near in (
                (column + 1, row),
                (column - 1, row),
                (column, row + 1),
                (column, row - 1),
            ):
                if near in rest and rows[near[1] - 1][near[0] - 1] == colour:
                    rest.remove(near)
                    group.append(near)
        yield Group(colour, tuple(sorted(group)))
