"""`lumiban bench chip` tells each phase as it ends, and what there is when it is ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.errors import UsageError
from lumiban.maker import tried
from lumiban.maker.tried import Trial
from lumiban_lab import commands
from lumiban_lab.commands import chip
from lumiban_lab.rp2040 import IMAGE, bench, images

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
        chip(ms=100, phase=["power_on"], seed=5)
    lines = capsys.readouterr().out.split()
    played_lines = ["power_on", "ms", "100.0", "phases", "1.0", "seed", "5.0"]
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


def test_a_trial_takes_the_place_of_the_one_before_it_and_no_other(tmp_path: Path) -> None:
    place = tmp_path / "tried.toml"
    small = Trial("1.27.0", "Raspberry Pi Pico", "hex3", 9, True, contract=(3, 3), free_bytes=7)
    large = Trial("1.27.0", "Raspberry Pi Pico", "hex5", 9, False, failed='MemoryError: \\ "9"')
    for trial in (large, replace(small, contract=(2, 3)), small):
        images.keep(trial, place)
    assert tried.read(place) == [small, large]
    assert "3 of 3" in images.text_of([small])
    assert "not tried" in images.text_of([large])
    assert not large.is_sound
    assert not replace(small, contract=(2, 3)).is_sound


def test_an_image_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="is no file"):
        commands.images((Path("none.uf2"),))
