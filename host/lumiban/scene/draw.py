"""From marks to light: which meaning each cell shows, and how it looks in a theme.

`advised` marks where the coach's best move acts, and where the next best do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from lumiban.games import mark_kinds
from lumiban.games.base import Mark
from lumiban.grid import Grid
from lumiban.scene.grammar import (
    BESIDE_TALLY,
    GUIDING,
    QUIET_IN_MACHINE,
    RANK,
    Pattern,
    Strength,
    pattern,
)
from lumiban.scene.light import DARK, Effect, LightState, Picture
from lumiban.scene.themes import INDEX, palette

NOBODY = -1
NO_CELL = -1
"""Cell of a mark that belongs on its side's edge."""
NEAR, FAR = ("near", "far")
"""Names of the edges without cells: the first side sits near, the second far."""


def draw(
    marks: Iterable[Mark],
    *,
    grid: Grid,
    theme: str,
    covered: Collection[int] = (),
    edges: Sequence[str] = (),
) -> Picture:
    """The light for these marks, on the cells of `grid` and the board's `edges` (names).

    `covered` are cells with a piece on them. A cell with several meanings shows the first in the
    grammar's priority. While something is to be mended all else is faint and nothing else
    blinks; while a machine's move is to be placed only its cells pulse. Marks on no cell burn on
    their side's edge, or on its outermost free and unmarked cells where the board has no edge
    lights. UsageError for an unknown theme.
    """
    best: list[Mark | None] = [None] * len(grid)
    beside: dict[int | None, Mark] = {}
    listed = list(marks)
    shown = {mark.meaning for mark in listed}
    hidden = _hidden(shown)
    owners = {mark.cell: mark.side for mark in listed if mark.meaning == mark_kinds.OWNED}
    for mark in listed:
        if mark.meaning in hidden:
            continue
        if mark.meaning == mark_kinds.MAY_PLACE and owners.get(mark.cell, NOBODY) == mark.side:
            # The owner of a cell sees that; it follows that they may place there.
            continue
        if mark.cell == NO_CELL:
            _keep_first(beside, mark)
            continue
        held = best[mark.cell]
        if held is None or RANK[mark.meaning] < RANK[held.meaning]:
            best[mark.cell] = mark
    at_edges = _edges(grid, best, beside, covered, edges)
    faint = mark_kinds.LOST not in shown and mark_kinds.MEND in shown
    cells = tuple(
        DARK if mark is None else _glow(mark, cell in covered, faint)
        for cell, mark in enumerate(best)
    )
    return Picture(
        cells,
        tuple((name, _glow(mark, False, faint)) for name, mark in at_edges),
        palette(theme),
    )


def _hidden(shown: Collection[str]) -> frozenset[str]:
    if mark_kinds.LOST in shown:
        return frozenset(RANK) - {mark_kinds.LOST}
    if mark_kinds.TALLY in shown:
        return frozenset(RANK) - BESIDE_TALLY
    if mark_kinds.MEND in shown:
        return QUIET_IN_MACHINE | {mark_kinds.LAST}
    if mark_kinds.MACHINE_TO in shown or mark_kinds.MACHINE_FROM in shown:
        return QUIET_IN_MACHINE
    if mark_kinds.LIFT_TARGET in shown:
        # With a piece in hand only its targets burn bright.
        return frozenset({mark_kinds.LAST, mark_kinds.MAY_PLACE, mark_kinds.MAY_PLACE_NEUTRAL})
    return frozenset()


def _keep_first(beside: dict[int | None, Mark], mark: Mark) -> None:
    held = beside.get(mark.side)
    if held is None or RANK[mark.meaning] < RANK[held.meaning]:
        beside[mark.side] = mark


def _edges(
    grid: Grid,
    best: list[Mark | None],
    beside: dict[int | None, Mark],
    covered: Collection[int],
    edges: Sequence[str],
) -> list[tuple[str, Mark]]:
    """Marks for edge lights; on a board without any they go to free outermost cells in `best`."""
    marks: list[tuple[str, Mark]] = []
    for side, mark in beside.items():
        wanted = (NEAR, FAR) if side is None else ((NEAR, FAR)[side],)
        names = [name for name in edges if name in wanted]
        if names:
            marks += [(name, mark) for name in names]
            continue
        for cell in side_cells(grid, side):
            if best[cell] is None and cell not in covered:
                best[cell] = mark
    return marks


@lru_cache(maxsize=64)
def side_cells(grid: Grid, side: int | None) -> tuple[int, ...]:
    """The outermost cells of a side: the bottom row for the first, the top row for the second,
    the whole perimeter for nobody."""
    if side is None:
        return grid.perimeter
    rows = [r for _, r in grid.cells]
    row = max(rows) if side == 0 else min(rows)
    return tuple(cell for cell, (_, r) in enumerate(grid.cells) if r == row)


def _glow(mark: Mark, covered: bool, faint: bool) -> LightState:
    look = pattern(mark.meaning, mark.side)
    if faint and mark.meaning not in GUIDING:
        look = _quieter(look)
    return LightState(INDEX[look.role, look.strength, covered], int(look.effect))


def _quieter(look: Pattern) -> Pattern:
    """The same meaning in the background: faint, still breathing if it breathed, never blinking."""
    calm = look.effect if look.effect in (Effect.STEADY, Effect.BREATHE) else Effect.STEADY
    return Pattern(look.role, Strength.FAINT, calm)


MAX_ADVISED_MOVES = 3
"""Moves that are marked; more would hide the board."""


def advised(side: int, ranked: Sequence[Sequence[int]]) -> list[Mark]:
    """Marks for moves by rank, each as the cells on which it acts; a cell belongs to the best.

    >>> [(mark.cell, mark.meaning) for mark in advised(0, [(4,), (4, 5)])]
    [(4, 'advice'), (5, 'advice-also')]
    """
    marks: dict[int, Mark] = {}
    for rank, cells in enumerate(ranked[:MAX_ADVISED_MOVES]):
        meaning = mark_kinds.ADVICE if rank == 0 else mark_kinds.ADVICE_ALSO
        for cell in cells:
            marks.setdefault(cell, Mark(cell, meaning, side))
    return list(marks.values())
