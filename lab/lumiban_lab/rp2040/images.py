"""Images of MicroPython that are tried with the firmware, for the table of `lumiban.maker.tried`.

A cell is an image with a profile on the emulated chip: whether the program starts, a slice of the
contract, and figures of three phases. What was not measured is not in the table.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

from lumiban.boards.profile import load
from lumiban.maker import flash, tried
from lumiban.maker.tried import Trial

from lumiban_lab.rp2040 import IMAGE
from lumiban_lab.rp2040.bench import measure

ROOT = Path(__file__).parents[3]
PROFILES = ("hex3", "hex5", "grid13x14")
PHASES = ("power_on", "picture", "ten_hands")
PHASE_MS = (300, 1_000)
"""Long enough for what hands do at its begin to be told; and where it was not, long enough for a
board that is far behind."""
AT_END = 0.95
"""Events told as late in a scene as this share of it are not all that there were."""
SLICE = (
    "test_hello_echoes_the_session",
    "test_pieces_set_one_after_the_other_are_told_in_order_and_stay",
    "test_what_is_committed_shines_on_its_cell_and_what_is_staged_does_not",
)
"""Of the contract: a greeting, pieces, lights."""
HEAD = """\
# Images of MicroPython that were tried with the firmware, on an emulated chip. Written by
# ./run bench images IMAGE.uf2 ...: what it has not measured is not here. The images were built from
# the tags of MicroPython's sources with Debian's gcc 12.2, not downloaded. `contract` are the tests
# that passed, and those that were run, of
""" + "".join([*(f"#   {name}\n" for name in SLICE), "\n"])


def try_image(
    path: Path, profile: str, progress: Callable[[str], None], *, with_contract: bool
) -> Trial:
    """Trial of an image with a profile; UsageError when it is none for an RP2040."""
    image = flash.image(path)
    trial = Trial(image.version, image.board, profile, flash.firmware_number(), boots=True)
    for ms in PHASE_MS:
        trial = _measured(trial, path, ms, progress)
        if trial.failed:
            return trial
        if trial.worst_event_ms is not None and trial.worst_event_ms < AT_END * ms:
            break
    if with_contract:
        progress("the contract's slice")
        trial = replace(trial, contract=_slice_of_contract(path, profile))
    return trial


def _measured(trial: Trial, path: Path, ms: int, progress: Callable[[str], None]) -> Trial:
    """The trial with what its scenes, `ms` each, show."""
    left_out = turn_us = 0
    try:
        for name, figures in measure(path, load(trial.profile), ms, PHASES, 1, progress):
            if name == "board":
                trial = replace(trial, free_bytes=round(figures["free_bytes"]))
                continue
            left_out += round(figures["missed"])
            turn_us = max(turn_us, round(figures["worst_tick_us"]))
            if name == "ten_hands":
                trial = replace(trial, left_out=left_out, turn_ms=round(turn_us / 1000, 1))
                if figures["events"]:
                    trial = replace(
                        trial,
                        event_ms=round(figures["event_us"] / 1000),
                        worst_event_ms=round(figures["worst_event_us"] / 1000),
                    )
    except (RuntimeError, TimeoutError) as error:
        return replace(trial, boots=trial.free_bytes is not None, failed=str(error))
    return trial


def _slice_of_contract(path: Path, profile: str) -> tuple[int, int]:
    """Tests that passed, and tests that were run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        words = [
            sys.executable, "-m", "pytest", "-p", "no:cacheprovider",
            "tests/contract/test_suite.py", "--board", "rp2040", "--board-profile", profile,
            "-k", " or ".join(SLICE), f"--junitxml={report}", "--timeout=3600",
        ]  # fmt: skip
        subprocess.run(
            words, cwd=ROOT, env={**os.environ, IMAGE: str(path)}, stdout=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
        suite = ElementTree.parse(report).getroot().find("testsuite")
    if suite is None:
        raise AssertionError("pytest has written no suite")
    run = int(suite.get("tests", 0)) - int(suite.get("skipped", 0))
    return run - int(suite.get("failures", 0)) - int(suite.get("errors", 0)), run


def keep(trial: Trial, place: Path = tried.PLACE) -> None:
    """Put a trial into the table, in the place of an earlier one of the same cell, whose contract
    it takes over where it ran none and the firmware is the same."""
    cells = {_cell(one): one for one in tried.read(place)}
    before = cells.get(_cell(trial))
    if before and trial.contract is None and before.firmware == trial.firmware:
        trial = replace(trial, contract=before.contract)
    cells[_cell(trial)] = trial
    place.write_text(HEAD + "".join(_row(cells[cell]) for cell in sorted(cells)), "utf-8")


def _cell(trial: Trial) -> tuple[str, str, int]:
    return trial.board, trial.micropython, len(load(trial.profile).cells)


def _row(trial: Trial) -> str:
    lines = ["[[tried]]\n"]
    for name, value in asdict(trial).items():
        if value is not None and value != "":
            # Words, numbers, truth and pairs are written in TOML as in JSON.
            lines.append(f"{name} = {json.dumps(value)}\n")
    return "".join(lines) + "\n"


def text_of(trials: Iterable[Trial]) -> str:
    """The table for people: a line a cell."""
    rows: list[Sequence[object]] = [
        (
            "MicroPython",
            "board",
            "profile",
            "starts",
            "contract",
            "free",
            "left out",
            "turn, ms",
            "event, ms",
        ),
    ]
    for one in trials:
        contract = "not tried" if one.contract is None else "{} of {}".format(*one.contract)
        event = None if one.event_ms is None else f"{one.event_ms}, {one.worst_event_ms}"
        figures = (one.free_bytes, one.left_out, one.turn_ms, event)
        starts = "yes" if one.boots else "no"
        told = ("–" if figure is None else figure for figure in figures)
        rows.append((one.micropython, one.board, one.profile, starts, contract, *told))
    widths = [max(len(str(row[k])) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(f"{word!s:<{width}}" for word, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
