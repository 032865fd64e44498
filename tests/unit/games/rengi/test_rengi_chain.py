"""What chains are worth, and fields as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command_line import Run
from each import each
from lumiban.errors import GameError
from lumiban.games.rengi.field import (
    CHAIN,
    COLOURS,
    CONNECTION,
    MARGIN,
    OUT_SIZE,
    FieldError,
    chain_of,
    margin_rate,
    ojama,
    parse,
    printed,
    resolve,
    step,
    step_points,
)
from lumiban.games.rengi.kernel import NINETEEN, build
from lumiban_lab import rengi
from places import TESTS

GOLDEN: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
TABLE = GOLDEN["chain_table"]
EMPTY = "/".join(["......"] * 13)


def text(*rows: str) -> str:
    """A field from its lowest rows, the topmost given first."""
    return "/".join(["......"] * (13 - len(rows)) + list(rows))


FOUR_THOUSAND_SIXTY = text(
    "..G...", "..G...", "..O...", "..Y...", "G.B...", "G.R...", "YGRGGG", "YYRYYY", "BBRBBB"
)
"""Four; then six and seven of two colours; then eight: the paper's example as a field."""


# -- tables --


def test_bonus_tables_are_those_of_the_golden_file() -> None:
    bonus = GOLDEN["bonus"]
    assert list(CHAIN) == bonus["chain"]
    assert list(CONNECTION[4:]) == list(bonus["connect"].values())
    assert list(COLOURS[1:]) == list(bonus["color"].values())


@each("row", TABLE)
def test_the_score_table(row: dict[str, Any]) -> None:
    n = row["n"]
    steps = [step_points(number, 4, 0, 1) for number in range(1, n + 1)]
    assert CHAIN[n - 1] == row["chain_bonus"]
    assert steps[-1] == row["added"]
    assert sum(steps) == row["total"]
    assert ojama(sum(steps), 70, 0) == row["ojama70"]
    assert 4 * n == row["blocks"]
    if row["double_at_last"] is not None:
        double = sum(steps[:-1]) + step_points(n, 8, 0, 2)
        assert double == row["double_at_last"]
        assert ojama(double, 70, 0) == row["double_ojama70"]


@pytest.mark.one_case
@pytest.mark.parametrize("n", range(1, 14))
def test_built_chains_score_what_the_table_says(n: int) -> None:
    out = [0] * OUT_SIZE
    assert resolve(build(n, 7), 0, 0, out) == n
    assert out[:4] == [n, TABLE[n - 1]["total"], TABLE[n - 1]["blocks"], 0]


def test_a_chain_that_ends_double_scores_what_the_table_says() -> None:
    chain = chain_of(parse(text("B..Y..", "RRRR..", "BBBYYY")))
    assert [s.blocks for s in chain.steps] == [4, 8]
    assert chain.points == TABLE[1]["double_at_last"]


def test_the_worked_example_scores_4060() -> None:
    example = GOLDEN["worked_example"]
    chain = chain_of(parse(FOUR_THOUSAND_SIXTY))
    told = [
        (sorted(len(g.cells) for g in s.groups), len({g.colour for g in s.groups}), s.points)
        for s in chain.steps
    ]
    assert told == [(s["groups"], s["colors"], s["score"]) for s in example["steps"]]
    assert chain.points == example["total"] == 4060


def test_margin_time_is_taken_from_the_table() -> None:
    margin = GOLDEN["margin"]
    assert list(zip(margin["seconds"], margin["rate"], strict=True)) == list(MARGIN)
    for seconds, rate in MARGIN:
        assert margin_rate(seconds) == rate
    assert [margin_rate(s) for s in (95.99, 127.9, 255.9, 9999)] == [70, 34, 2, 1]


@pytest.mark.parametrize("known", GOLDEN["nineteen_chain_fields"])
def test_known_fields_chain_19_times(known: dict[str, Any]) -> None:
    letters = known["url"].translate(str.maketrans("014567", ".ORBYG"))
    field = "/".join(letters[at : at + 6] for at in range(0, 78, 6))
    assert field in NINETEEN
    board, out = parse(field), [0] * OUT_SIZE
    for left in range(19, 0, -1):
        assert resolve(list(board), 0, 0, out) == left
        assert out[1] == TABLE[left - 1]["total"]
        step(board, 0, 0, out)
    assert printed(board) == printed([0] * 6)


# -- text --


@each("field", [*NINETEEN, EMPTY, FOUR_THOUSAND_SIXTY, text("OOOOOO")])
def test_a_field_reads_back_as_it_was_written(field: str) -> None:
    assert printed(parse(field)) == field
    assert printed(parse(field.lower() + "\n")) == field


@pytest.mark.parametrize(
    ("field", "told"),
    [
        (text("R.....", "......"), "column 1, row 2 floats"),
        (text("RBYGP."), "5 colours"),
        (text("..P..."), "column 3, row 1 has 'P'"),
        (text("..5..."), "column 3, row 1 has '5'"),
        (text("RRRR"), "row 1 is 'RRRR' with 4 cells"),
        (text("RRRRRRR"), "7 cells"),
        ("RRRR..", "this one has 1"),
        (EMPTY + "/....../......", "this one has 15"),
        ("", "this one has 1"),
    ],
)
def test_a_bad_field_is_refused_with_the_place(run: Run, field: str, told: str) -> None:
    with pytest.raises(FieldError, match=told):
        parse(field)
    code, out, err = run("study", "chain", field)
    assert (code, out) == (2, "")
    assert told in err
    assert issubclass(FieldError, GameError)


@pytest.mark.jit
def test_the_benchmark_gives_every_figure(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rengi, "FIELDS", 6)
    code, out, _ = run("bench", "rengi", "--seconds", "0.01", "--json")
    figures = json.loads(out)
    assert code == 0
    kinds = ("chain_10_12", "chain_16_18", "chain_19", "random", "stable", "placement_fields")
    for kind in kinds:
        assert figures.pop(f"{kind}_s") > 0
    assert figures.keys() == {"compiled", "compile_s", "placements_s"}
    assert run("bench", "rengi", "--seconds", "0")[0] == 2
