"""The hardware run: its report and page, what changed, and a short run over a simulator's port."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from copy import deepcopy
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import patience
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.hil.report import (
    FAILED,
    INCONCLUSIVE,
    PASSED,
    SKIPPED,
    Ran,
    Report,
    changes,
    is_off,
    meaning,
    page,
    read,
)
from lumiban.i18n import LANGUAGES
from lumiban.runtime import simulator
from places import ROOT
from sentences import says
from websockets.asyncio.client import connect

PLACE = "suite/test_cells.py::test_a_piece_is_told[serial]"
INJECT = "suite/test_injected.py::test_a_stone_is_told[serial]"
SLIDE = "suite/test_cells.py::test_a_slide_is_told[serial]"


def _report() -> Report:
    return Report(
        "2026-01-02T03:04:05+00:00",
        {"model": "hex3", "uid": "e661", "firmware": 2},
        {
            "scan_hz": {"assumed": 1000, "measured": 998},
            "answer_us": {"assumed": 1500, "measured": 400},
        },
        [
            Ran(PLACE, ["hands_free"], PASSED, 1.2),
            Ran(SLIDE, ["hands_free"], FAILED, 0.7, "assert <b>1</b> == 2"),
        ],
    )


def test_a_report_that_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(_report().text())
    assert read(path) == _report()


@pytest.mark.parametrize("words", ["", "[]", "{}", '{"when": "", "tests": [{"x": 1}]}'])
def test_what_is_no_report_is_refused(tmp_path: Path, words: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(words)
    with pytest.raises(UsageError, match=r"report\.json"):
        read(path)
    assert run(["board", "hil", str(path)]) == 2
    assert run(["board", "hil", str(tmp_path / "none.json")]) == 2


def test_a_report_of_another_version_is_refused(tmp_path: Path) -> None:
    later = _report()
    later.version = 9
    (tmp_path / "r.json").write_text(later.text())
    with pytest.raises(UsageError, match="version 9"):
        read(tmp_path / "r.json")


def test_nothing_tested_is_not_good() -> None:
    assert not Report("now").is_good
    assert not _report().is_good
    passed = _report()
    passed.tests = passed.tests[:1]
    assert passed.is_good
    passed.tests[0].outcome = SKIPPED
    assert not passed.is_good


def test_a_verdict_blames_the_board_before_the_computer_and_is_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for outcomes, verdict, code in (
        ((PASSED, FAILED, INCONCLUSIVE), FAILED, 1),
        ((PASSED, INCONCLUSIVE, SKIPPED), INCONCLUSIVE, 3),
        ((SKIPPED,), INCONCLUSIVE, 3),
        ((PASSED, SKIPPED), PASSED, 0),
    ):
        report = _report()
        report.tests = [Ran(INJECT, [], one, 0.1, sentence="no light") for one in outcomes]
        assert (report.verdict, report.is_good) == (verdict, verdict == PASSED)
        (tmp_path / "r.json").write_text(report.text())
        capsys.readouterr()
        assert run(["board", "hil", str(tmp_path / "r.json")]) == code
        out = capsys.readouterr().out
        assert ("  no light\n" in out) == (verdict == FAILED or INCONCLUSIVE in outcomes)
        assert (says(out, "hil.check.injected")) == ("  no light\n" in out)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_says_what_it_means_and_a_bad_one_is_pointed_out(language: str) -> None:
    html = page(_report(), None, language)
    for name in ("scan_hz", "answer_us"):
        assert meaning(name, language)
        assert escape(meaning(name, language)) in html
    assert is_off("answer_p99_us", 5_000, 12_000)
    assert not is_off("answer_p99_us", 5_000, 5_100)
    assert is_off("scan_hz", 1_000, 600)
    assert not is_off("scan_hz", 1_000, 2_000)
    assert not is_off("ribbon_uohm", 10, 1_000)
    assert not is_off("noise_ut", None, 3)


def test_changes_are_told_the_worst_first() -> None:
    now = _report()
    now.tests[0].outcome, now.tests[1].outcome = FAILED, PASSED
    now.tests.append(Ran("new", [], PASSED, 0.1))
    now.figures["scan_hz"]["measured"] = 600
    now.figures["answer_us"]["measured"] = 200
    now.board["firmware"] = 3
    told = [(one.kind, one.name) for one in changes(_report(), now)]
    assert told == [
        ("broken", PLACE), ("worse", "scan_hz"), ("board", "firmware"), ("new", "new"),
        ("mended", SLIDE), ("better", "answer_us"),
    ]  # fmt: skip
    back = {one.kind for one in changes(now, _report())}
    assert {"broken", "gone", "better", "worse", "mended"} <= back


@given(st.lists(st.sampled_from([PASSED, FAILED, SKIPPED]), max_size=6))
def test_a_run_differs_from_itself_in_nothing(outcomes: list[str]) -> None:
    report = _report()
    report.tests = [Ran(f"test {n}", [], outcome, 0.0) for n, outcome in enumerate(outcomes)]
    assert changes(report, deepcopy(report)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_whole_in_itself_and_escapes_what_it_shows(language: str) -> None:
    now = _report()
    now.tests[0].outcome = FAILED
    now.board["<later>"] = now.figures["later"] = {"measured": None}  # of a newer lumiban
    html = page(now, changes(_report(), now), language)
    assert not re.search(r"(src|href)=|url\(|https?:", html)
    assert "assert &lt;b&gt;1&lt;/b&gt; == 2" in html
    assert "cells: a slide is told [serial]" in html
    assert "998" in html
    assert "&lt;later&gt;" in html
    assert html.index("a slide") < html.index("</table></body>")


def test_the_command_tells_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = _report()
    good.tests = good.tests[:1]
    (tmp_path / "good.json").write_text(good.text())
    (tmp_path / "bad.json").write_text(_report().text())
    assert run(["board", "hil", str(tmp_path / "good.json")]) == 0
    words = ["board", "hil", str(tmp_path / "bad.json"), "--against", str(tmp_path / "good.json")]
    capsys.readouterr()
    assert run([*words, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(one["kind"], one["name"]) for one in told["changes"]] == [("broken", SLIDE)]
    assert run([*words, "--html", str(tmp_path / "p.html")]) == 1
    assert "cells: a slide is told [serial]" in capsys.readouterr().out
    assert (tmp_path / "p.html").read_text().startswith("<!doctype html>")


# The run itself.


def _run(folder: Path, port: str, *words: str) -> subprocess.CompletedProcess[str]:
    home = {**os.environ, "LUMIBAN_HOME": str(folder)}
    home.pop("LUMIBAN_CI", None)
    on = ["--board", f"serial:{port}", "--board-report", str(folder / "hil")]
    return patience.run(["./run", "test", *on, *words], cwd=ROOT, env=home)


@pytest.mark.process
def test_without_a_board_the_run_ends_with_3(tmp_path: Path) -> None:
    done = _run(tmp_path, "/dev/nowhere")
    assert done.returncode == 3
    assert "/dev/nowhere" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout


async def _set_a_stone(hands: str, cell: int) -> None:
    async with connect(hands) as line:
        await line.send(json.dumps({"do": "place", "cell": cell, "kind": 1}))
        async for message in line:
            world = json.loads(message)
            if world["type"] == "world" and world["kinds"][cell]:
                return


@pytest.mark.process
def test_a_board_with_a_stone_on_it_is_not_tested_and_the_cell_is_named(tmp_path: Path) -> None:
    board = asyncio.run(simulator.start(tmp_path, "hex3", 7))
    try:
        asyncio.run(_set_a_stone(board.hands, 4))
        done = _run(tmp_path, board.port)
    finally:
        board.end()
    assert done.returncode == 3
    said = done.stdout + done.stderr
    assert "there are pieces on the board: d2" in said
    assert says(said, "hil.not-empty")
    assert "[1/" not in said
    assert not (tmp_path / "hil" / "report.json").exists()


def _over_a_port(folder: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], Report]:
    board = asyncio.run(simulator.start(folder, "hex3", 7))
    try:
        done = _run(folder, board.port, *words)
        return done, read(folder / "hil" / "report.json")
    finally:
        board.end()


@pytest.mark.process
@pytest.mark.alone
def test_a_simulators_port_is_a_board_like_any_other(tmp_path: Path) -> None:
    done, report = _over_a_port(tmp_path, "-k", "echoes_the_session or keep_their_order")
    assert done.returncode == 0, done.stdout
    assert report.is_good
    assert report.count(PASSED) == len(report.tests) == 2
    assert sorted(test.marks for test in report.tests) == [["claim"], ["needs"]]
    assert report.board["model"] == "hex3"
    assert report.figures["scan_hz"]["measured"] == 1000
    tree = ElementTree.parse(tmp_path / "hil" / "junit.xml")
    assert len(list(tree.iter("testcase"))) == 2
    assert "hex3" in (tmp_path / "hil" / "report.html").read_text()


@pytest.mark.long
@pytest.mark.alone
def test_the_whole_hands_free_suite_holds_on_a_port(tmp_path: Path) -> None:
    done, report = _over_a_port(tmp_path)
    assert done.returncode == 0, done.stdout
    assert report.count(PASSED) >= 18
    assert {test.outcome for test in report.tests} <= {PASSED, SKIPPED}
    skipped = {test.message.partition(": ")[2] for test in report.tests if test.outcome == SKIPPED}
    assert {said.partition(":")[0] for said in skipped} == {"untested", "unseen"}
