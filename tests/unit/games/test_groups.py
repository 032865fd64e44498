"""Groups and the cascade: kept up to date stone by stone, they are what a recount finds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.kernel import cascade, first_difference
from thorough import examples

law = settings(max_examples=examples(60))
sizes = st.lists(st.integers(1, 9), max_size=6)


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
