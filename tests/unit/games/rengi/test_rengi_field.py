"""Rengi's field kernel: blocks fall, groups go, nothing floats, nothing is lost."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.rengi import field as rengi
from lumiban.games.rengi.field import OJAMA, Chain, parse, printed
from lumiban.games.rengi.kernel import field_of
from lumiban.search import jit
from lumiban_lab.rengi import place_all, resolve_all
from places import TESTS

GOLDEN: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

columns = st.lists(
    st.lists(st.sampled_from([1, 1, 2, 2, 3, 4, OJAMA]), max_size=13), min_size=6, max_size=6
)
fields = columns.map(field_of)


def field(*rows: str) -> list[int]:
    """A field from its lowest rows, the topmost given first."""
    return parse("/".join(["......"] * (13 - len(rows)) + list(rows)))


def lowest(board: list[int], number: int) -> list[str]:
    return printed(board).split("/")[-number:]


def resolved(board: list[int], ghost_c: int = 0) -> tuple[list[int], list[int]]:
    """The field after its chain, and what `resolve` told of it."""
    after, out = list(board), [0] * rengi.OUT_SIZE
    rengi.resolve(after, 0, ghost_c, out)
    return after, out[:4]


# -- blocks fall --


def test_fields_side_by_side_do_not_touch_each_other() -> None:
    at = rengi.FIELD_SIZE + 1
    board = [7] * (2 * rengi.FIELD_SIZE + 2)
    rengi.clear(board, at)
    for column in range(6):
        rengi.drop(board, at, column, 1, 0)
    rengi.resolve(board, at, 0, [0] * rengi.OUT_SIZE)
    assert rengi.is_empty(board, at)
    assert board == [7] * at + [0] * rengi.FIELD_SIZE + [7]


# -- groups go --


def test_ghost_figure_colours_do_not_count_in_row_13() -> None:
    figure = GOLDEN["ghost"]["colour_case"]
    after, told = resolved(field(*figure["before"], *["OOOOOO"] * 10))
    assert told == [figure["chains"], figure["score"], 4, 0]
    assert printed(after).split("/")[:3] == figure["after"]


@pytest.mark.parametrize(
    ("ghost_c", "name"), [(0, "figure_B_tsu_chronicle"), (1, "figure_C_tetris_esports")]
)
def test_ghost_figures_b_and_c(ghost_c: int, name: str) -> None:
    figures = GOLDEN["ghost"]["ojama_case"]
    after, told = resolved(field(*figures["figure_A"], *["OOOOOO"] * 10), ghost_c)
    assert told == [1, 40, 4, 2 * ghost_c]
    assert printed(after).split("/")[:3] == figures[name]


def test_ojama_go_with_the_blocks_beside_them() -> None:
    figure = GOLDEN["ojama_clear_figure"]
    after, told = resolved(field(*figure["before"]))
    assert lowest(after, 6) == figure["after"]
    assert told == [1, 40, 4, 3]


@given(fields)
@settings(max_examples=40)
def test_the_key_tells_fields_apart(board: list[int]) -> None:
    before = rengi.field_key(board, 0)
    assert 0 <= before < 2**63
    assert rengi.field_key(list(board), 0) == before
    if rengi.drop(board, 0, 5, 1, 0):
        assert rengi.field_key(board, 0) != before


def some_fields(number: int) -> list[list[int]]:
    random = Random(11)
    return [
        field_of([random.choices([1, 2, 3, 4, 5], k=random.randint(0, 13)) for _ in range(6)])
        for _ in range(number)
    ]


def resolve_each(boards: Any, out: Any, told: Any, ghost_c: int) -> None:
    """Resolve all fields in place; what `resolve` tells goes to `told`, four ints a field."""
    n = len(boards) // 6
    for k in range(n):
        rengi.resolve(boards, 6 * k, ghost_c, out)
        for i in range(4):
            told[4 * k + i] = out[i]
        told[4 * n + k] = rengi.field_key(boards, 6 * k)


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize("ghost_c", [0, 1])
def test_compiled_fields_resolve_as_plain_ones(ghost_c: int) -> None:
    plain = [word for board in some_fields(400) for word in board]
    told = [0] * 2000
    compiled, compiled_told = jit.ints(plain), jit.zeros(2000)
    resolve_each(plain, [0] * rengi.OUT_SIZE, told, ghost_c)
    jit.compiled(resolve_each, Chain)(compiled, jit.zeros(rengi.OUT_SIZE), compiled_told, ghost_c)
    assert list(compiled) == plain
    assert list(compiled_told) == told
    assert {1, 2, 3} <= set(told[0:1600:4])


@pytest.mark.jit
@needs_numba
def test_the_benchmark_counts_the_same_plain_and_compiled() -> None:
    words = [word for board in some_fields(100) for word in board]
    for run in (resolve_all, place_all):
        plain = run(words, [0] * 6, [0] * 24, 1)
        compiled = jit.compiled(run, Chain)(jit.ints(words), jit.zeros(6), jit.zeros(24), 1)
        assert compiled == plain > 0
