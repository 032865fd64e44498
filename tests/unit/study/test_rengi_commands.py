"""The commands that tell of Rengi's chains and ojama."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command_line import Run
from sentences import sentence
from unit.games.rengi.test_rengi_chain import EMPTY, FOUR_THOUSAND_SIXTY, text


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
