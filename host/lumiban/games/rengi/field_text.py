"""A Rengi field as text: 13 rows of 6 letters joined by `/`, the top row first.

Letters are `R` `B` `Y` `G`, `O` for ojama and `.` for empty. A 14th row in front is row 14, for
games in which blocks stay there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.errors import GameError
from lumiban.games.rengi.field import COLUMNS, FIELD_SIZE, ROWS, colour_at, put

LETTERS = ".RBYGO"
"""Every letter, at the number of its colour."""
COLOURS = 4
VISIBLE = 13
"""Rows of a field as text, unless row 14 is told too."""


class FieldError(GameError):
    """A text that is no field of Rengi."""


def parse(text: str) -> list[int]:
    """The field of a text; FieldError says what is wrong with it, and where.

    >>> parse("/".join(["......"] * 12 + ["R....O"]))[:4]
    [1, 0, 0, 4294967296]
    """
    rows = text.strip().upper().split("/")
    if len(rows) not in (VISIBLE, ROWS):
        raise FieldError(
            f"a field has {VISIBLE} rows joined by '/', the top row first; this one has {len(rows)}"
        )
    _check_colours(text.upper())
    field = [0] * FIELD_SIZE
    for row, letters in zip(range(len(rows), 0, -1), rows, strict=True):
        _check_row(row, letters)
        for column, letter in enumerate(letters):
            if letter != ".":
                put(field, 0, column, row, LETTERS.index(letter))
    _check_support(list(reversed(rows)))
    return field


def printed(board: Sequence[int] | Any, at: int = 0, *, rows: int = VISIBLE) -> str:
    """A field as text; with `rows` 14 row 14 comes first.

    >>> printed([1, 0, 0, 4294967296, 0, 0]).split("/")[-2:]
    ['......', 'R....O']
    """
    return "/".join(
        "".join(LETTERS[colour_at(board, at, column, row)] for column in range(COLUMNS))
        for row in range(rows, 0, -1)
    )


def _check_colours(text: str) -> None:
    letters = sorted({letter for letter in text if letter.isalpha() and letter != "O"})
    if len(letters) > COLOURS:
        raise FieldError(
            f"{len(letters)} colours ({', '.join(letters)}) are too many: a field has "
            f"{COLOURS}, written R B Y G"
        )


def _check_row(row: int, letters: str) -> None:
    for column, letter in enumerate(letters, 1):
        if letter not in LETTERS:
            raise FieldError(
                f"column {column}, row {row} has {letter!r}: the letters are R B Y G, "
                "O for ojama and . for empty"
            )
    if len(letters) != COLUMNS:
        raise FieldError(
            f"row {row} is {letters!r} with {len(letters)} cells; every row has {COLUMNS}"
        )


def _check_support(from_below: list[str]) -> None:
    """Only a block that stayed in row 14 may hang."""
    for row in range(1, VISIBLE):
        for column in range(COLUMNS):
            if from_below[row][column] != "." and from_below[row - 1][column] == ".":
                raise FieldError(
                    f"the block in column {column + 1}, row {row + 1} floats: "
                    f"nothing is under it in row {row}"
                )
