"""Groups and the cascade: kept up to date stone by stone, they are what a recount finds."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.kernel import cascade, first_difference, group_sizes, groups_of, touching, unite
from lumiban.grid import Grid, hexagon, rectangle
from thorough import examples

law = settings(max_examples=examples(60))
sizes = st.lists(st.integers(1, 9), max_size=6)


def flooded(grid: Grid, stones: list[int], cell: int) -> set[int]:
    """The group of a cell, by asking again and again who else belongs."""
    group = {cell}
    while True:
        more = {n for c in group for n in grid.neighbours[c] if stones[n] == stones[cell]} - group
        if not more:
            return group
        group |= more


@given(st.sampled_from([hexagon(3), hexagon(4), rectangle(5, 3)]), st.integers(0, 10**9))
@law
def test_groups_kept_stone_by_stone_are_those_of_a_recount(grid: Grid, seed: int) -> None:
    rng = random.Random(seed)
    cells, ways = len(grid), len(grid.directions)
    plan = [near for row in grid.steps for near in row]
    stone, root, ring, size = (cells * i for i in range(4))
    board, found = [0] * (4 * cells), [0] * ways
    for cell in rng.sample(range(cells), cells):
        board[cell] = rng.choice((1, -1, 2))
        n = touching(plan, 0, ways, board, stone, root, cell, found)
        assert unite(board, root, ring, size, cell, found, n) == board[size + board[root + cell]]
        stones = board[:cells]
        groups = groups_of(grid.neighbours, stones)
        assert sorted(c for group in groups for c in group) == [
            c for c in range(cells) if stones[c]
        ]
        for group in groups:
            assert set(group) == flooded(grid, stones, group[0])
            assert len({board[root + c] for c in group}) == 1
            assert board[size + board[root + group[0]]] == len(group)
            around, at = [group[0]], board[ring + group[0]]
            while at != group[0]:
                around.append(at)
                at = board[ring + at]
            assert sorted(around) == list(group)
        for kind in (1, -1, 2):
            listed = [len(g) for g in groups if stones[g[0]] == kind]
            assert group_sizes(grid.neighbours, stones, kind) == tuple(sorted(listed)[::-1])


def by_the_letter(ours: list[int], theirs: list[int]) -> int:
    """Largest against largest, next against next, until one differs or is used up."""
    ours, theirs = sorted(ours), sorted(theirs)
    while ours and theirs:
        mine, other = ours.pop(), theirs.pop()
        if mine != other:
            return 1 if mine > other else -1
    return bool(ours) - bool(theirs)


@given(sizes, sizes)
@law
def test_the_cascade_compares_group_by_group(ours: list[int], theirs: list[int]) -> None:
    assert cascade(ours, theirs) == by_the_letter(ours, theirs)
    assert cascade(theirs, ours) == -cascade(ours, theirs)


@given(sizes, sizes)
@law
def test_the_first_difference_of_the_counts_is_the_cascade(
    ours: list[int], theirs: list[int]
) -> None:
    table = [ours.count(s) - theirs.count(s) for s in range(10)]
    found = first_difference(table, 0, 9)
    assert (found > 0) - (found < 0) == by_the_letter(ours, theirs)


def test_the_cascade_of_equal_groups_is_tied() -> None:
    assert cascade((15, 10, 2), (2, 15, 10)) == 0
    assert cascade((), ()) == 0
    assert cascade((1,), ()) == 1
