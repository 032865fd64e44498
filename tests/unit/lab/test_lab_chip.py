"""`lumiban bench chip` tells each phase as it ends, and what there is when it is ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

import pytest
from lumiban.errors import UsageError
from lumiban_lab.commands import chip
from lumiban_lab.rp2040 import IMAGE, bench

Told = Iterator[tuple[str, dict[str, float]]]


def played(
    _profile: str, ms: int, phases: Sequence[str], seed: int, _progress: Callable[[str], None]
) -> Told:
    """Two of three phases, then somebody ends it."""
    yield "board", {"cells": 19.0}
    yield "power_on", {"ms": float(ms), "phases": float(len(phases)), "seed": float(seed)}
    raise KeyboardInterrupt


def test_what_was_played_is_told_when_it_is_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "chip_figures", played)
    with pytest.raises(KeyboardInterrupt):
        chip(short=True, seed=5)
    lines = capsys.readouterr().out.split()
    played_lines = ["power_on", "ms", "100.0", "phases", "3.0", "seed", "5.0"]
    assert lines == ["board", "cells", "19.0", *played_lines]
    with pytest.raises(KeyboardInterrupt):
        chip(json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == {"board": {"cells": 19}, "power_on": {"ms": 600, "phases": 0, "seed": 1}}


def test_a_phase_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="no phase supper; phases are power_on"):
        bench.chip_figures("hex3", 100, ["supper"], 1, lambda _: None)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ((), bench.PHASES),
        (("power_on",), ("power_on",)),
        (("ten_hands",), ("power_on", "picture", "ten_hands")),
    ],
)
def test_a_phase_is_played_with_what_it_needs_in_the_order_of_all(
    asked: tuple[str, ...], wanted: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Sequence[str]] = []

    def measure(
        _image: object, _board: object, _ms: int, phases: Sequence[str], seed: int, _: object
    ) -> Told:
        given.append(phases)
        assert seed == 7
        return iter(())

    monkeypatch.setattr(bench, "measure", measure)
    monkeypatch.setattr(bench, "lacking", lambda: None)
    monkeypatch.setenv(IMAGE, "image.uf2")
    bench.chip_figures("hex3", 100, asked, 7, lambda _: None)
    assert tuple(given[0]) == wanted
