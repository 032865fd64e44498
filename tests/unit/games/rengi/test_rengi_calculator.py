"""The calculator against the paper's own tables, and what it refuses."""

from __future__ import annotations

import json

import pytest
from each import each
from lumiban.cli import run
from lumiban.errors import GameError
from lumiban.games.rengi.calculator import ToldStep, chain_told, counted, read_step
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
TABLE = GOLDEN["chain_table"]


def test_the_papers_table_of_nineteen_steps_comes_out_row_by_row() -> None:
    steps = counted(chain_told(19, {}))
    assert len(TABLE) == len(steps) == 19
    blocks = 0
    for row, step in zip(TABLE, steps, strict=True):
        blocks += step.blocks
        assert (step.number, step.points, step.total, step.ojama, blocks) == (
            row["n"],
            row["added"],
            row["total"],
            row["ojama70"],
            row["blocks"],
        )


@each("row", TABLE[:-1])
def test_a_second_group_in_the_last_step_is_that_of_the_papers_table(row: dict[str, int]) -> None:
    last = counted(chain_told(row["n"], {row["n"]: ToldStep((4, 4))}))[-1]
    assert (last.total, last.ojama) == (row["double_at_last"], row["double_ojama70"])


def test_the_papers_worked_example_comes_out() -> None:
    example = GOLDEN["worked_example"]
    told = [ToldStep(tuple(step["groups"]), step["colors"]) for step in example["steps"]]
    steps = counted(told)
    assert [step.points for step in steps] == [step["score"] for step in example["steps"]]
    assert steps[-1].total == example["total"]


@each(
    ("steps", "said"),
    [
        ([], "1 to 19 steps"),
        ([ToldStep()] * 20, "1 to 19 steps"),
        ([ToldStep((3,))], "fewer than 4"),
        ([ToldStep(())], "fewer than 4"),
        ([ToldStep((4,), 2)], "2 colours in 1 groups"),
        ([ToldStep((4, 4, 4, 4, 4), 5)], "5 colours in 5 groups"),
        ([ToldStep((40,)), ToldStep((39,))], "79 blocks: a field holds 78"),
    ],
)
def test_a_chain_that_no_field_holds_is_refused(steps: list[ToldStep], said: str) -> None:
    with pytest.raises(GameError, match=said):
        counted(steps)


@each("text", ["", "3", "3=", "=4", "x=4", "3=4+", "3=4:", "3=4:0", "3=-4", "3=4444", "３=4"])
def test_a_step_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(GameError, match=r"is not a step|0 colours"):
        read_step(text)


def test_the_terminal_prints_the_table_and_what_was_counted_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["study", "calculator", "19"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line[:4].strip()]
    table = [row for row in rows if row[0].isdigit()]
    assert [(int(row[0]), int(row[-2]), int(row[-1])) for row in table] == [
        (row["n"], row["total"], row["ojama70"]) for row in TABLE
    ]
    assert run(["study", "calculator", "3", "--step", "2=6+7", "--step", "3=8", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["points"], printed["ojama"]) == (4060, 58)


def test_what_the_terminal_cannot_count_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["0"], ["20"], ["3", "--step", "4=5"], ["3", "--step", "2=3"], ["3", "--step=x"]):
        assert run(["study", "calculator", *words]) == 2
        said = capsys.readouterr().err
        assert said.startswith("lumiban: ")
        assert said.count("\n") == 1
