"""Sentences asked for by id: found whatever their parameters, and not where they are not."""

from __future__ import annotations

import pytest
from sentences import says, sentence


def test_a_sentence_is_found_by_its_id_across_lines_and_whatever_its_parameters() -> None:
    told = "run: " + sentence("board.port.absent", port="/dev/x", ports="/dev/y") + " So."
    assert says(told, "board.port.absent")
    assert says(told.replace(" ", "\n", 3), "board.port.absent", port="/dev/x")
    assert not says(told, "board.port.absent", port="/dev/z")
    assert not says(told, "board.port.no-other")


def test_an_id_or_a_parameter_that_is_not_there_is_an_error() -> None:
    for ask in (sentence, lambda id, **params: says("", id, **params)):
        with pytest.raises(KeyError):
            ask("board.port.gone")
    with pytest.raises(KeyError):
        says("", "board.port.absent", prot="/dev/x")
