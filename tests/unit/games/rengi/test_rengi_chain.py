"""What chains are worth, fields as text, and the commands that tell of them."""

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
from sentences import sentence

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


# -- commands --


def test_chain_prints_each_step_and_the_sums(run: Run) -> None:
    code, out, _ = run("study", "chain", FOUR_THOUSAND_SIXTY)
    assert code == 0
    assert "Chain of 3: 4060 points, 58 ojama" in out
    assert (
        sentence(
            "chain.step.with-ojama",
            number=" 2",
            groups="B×6 Y×7",
            blocks="13",
            bonus="18",
            points="2340",
            ojama="34",
            taken="1",
        )
        in out
    )
    assert "1 b b b b b b" not in out
    assert "  1 B B r B B B    b b b b b b    g g g g g g    . . . . . ." in out


def test_chain_as_json(run: Run) -> None:
    code, out, _ = run("study", "chain", text("R.Y...", "RRRYYY"), "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["chain"], told["points"], told["ojama"], told["field"]) == (2, 360, 5, EMPTY)
    first, second = told["steps"]
    assert first["groups"] == [{"colour": "R", "cells": [[1, 1], [1, 2], [2, 1], [3, 1]]}]
    assert (first["points"], first["ojama"]) == (40, 0)
    assert (second["points"], second["ojama"], second["bonus"]["chain"]) == (320, 5, 8)
    assert second["before"] == text("..YYYY")


@pytest.mark.parametrize(("ghost", "left"), [("B", 2), ("C", 0)])
def test_chain_takes_ghost_ojama_as_told(run: Run, ghost: str, left: int) -> None:
    field = "/".join(["...OO.", ".RRRR.", "BBBYYY", *["OOOOOO"] * 10])
    _, out, _ = run("study", "chain", field, "--ghost", ghost, "--json")
    told = json.loads(out)
    assert told["field"].split("/")[1].count("O") == left
    assert len(told["steps"][0]["ojama_cells"]) == 2 - left


@pytest.mark.parametrize("words", [("--ghost", "D"), ("--rate", "0"), ("--rate", "x")])
def test_chain_refuses_options_that_make_no_sense(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run("study", "chain", EMPTY, *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("2280",), (32, 70, 40, [30, 2])),
        (("7700",), (110, 70, 0, [30, 30, 30, 20])),
        (("69",), (0, 70, 69, [])),
        (("360", "--margin-seconds", "96"), (6, 52, 48, [6])),
        (("1000", "--sent", "5"), (9, 70, 20, [9])),
        (("40", "--carried", "60"), (1, 70, 30, [1])),
        (("100", "--rate", "10"), (10, 10, 0, [10])),
    ],
)
def test_ojama_of_points(run: Run, words: tuple[str, ...], told: tuple[Any, ...]) -> None:
    code, out, _ = run("study", "ojama", *words, "--mode", "tsu", "--json")
    figures = json.loads(out)
    assert code == 0
    assert tuple(figures[k] for k in ("ojama", "rate", "left_over", "falls")) == told
    assert figures["to_the_next"] == figures["rate"] - figures["left_over"]


def test_ojama_fall_in_the_unit_of_their_mode(run: Run) -> None:
    """The author's 4060 points: 58 ojama, of which threes fall in open mode, and one waits."""
    figures = json.loads(run("study", "ojama", "4060", "--json")[1])
    assert (figures["ojama"], figures["falls"], figures["waiting"]) == (58, [30, 27], 1)
    out = run("study", "ojama", "4060")[1]
    assert "30 + 27" in out
    assert "1 wait for more: in open mode" in out
    by_one = json.loads(run("study", "ojama", "4060", "--mode", "shodai", "--json")[1])
    assert (by_one["falls"], by_one["waiting"]) == ([30, 28], 0)
    code, _, err = run("study", "ojama", "4060", "--mode", "poje")
    assert (code, "choose open, free, tsu" in err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ("-1",),
        ("many",),
        ("10", "--rate", "0"),
        ("10", "--rate", "70", "--margin-seconds", "1"),
        ("10", "--sent", "1"),
        ("10", "--margin-seconds", "nan"),
    ],
)
def test_ojama_refuses_what_makes_no_sense(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run("study", "ojama", *words)
    assert (code, out) == (2, "")
    assert err.startswith("lumiban: ")
    assert err.count("\n") == 1


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
