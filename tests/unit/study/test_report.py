"""Reports of studies: what is said of each question follows from the games, in both languages."""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.study.chunks import PlayedChunk, PlayedGame
from lumiban.study.plan import plan_from
from lumiban.study.report import (
    ReadStudy,
    answers,
    read_study,
    tables,
    verdict_of,
)
from lumiban.study.results import Results
from lumiban.study.versions import versions

TABLES: dict[str, Any] = {
    "title": "Two <openings> | of Control",
    "questions": [9, 10, 12],
    "answers": {"10": ["removed"], "12": ["difference"]},
    "game": "control",
    "chunk": 1000,
    "options": {"size": 2, "opening": ["perimeter", "free"]},
    "first": {"level": "strong", "playouts": [30, 240]},
    "stop": {"pairs": 2000},
}


def kept(
    path: Path,
    points: list[list[float]],
    removed: list[float],
    every_second: float = 1,
    tables: dict[str, Any] = TABLES,
) -> Path:
    """A results file of games as they are wanted: by rules the mean point of each pair, and a
    counter, so much higher in every second pair; both strengths play alike."""
    of = plan_from(tables, path.stem)
    with closing(Results(path, of, versions())) as results:
        for rules, pairs in enumerate(points):
            games = [
                PlayedGame(
                    pair,
                    half,
                    point,
                    None if point == 0.5 else int(point == 0),
                    "no-move",
                    10 + rules,
                    50,
                    9,
                    {"removed": removed[rules] + every_second * (pair % 2)},
                    ((0, "a1"), (1, "xa1")),
                )
                for pair, point in enumerate(pairs)
                for half in (0, 1)
            ]
            for strength in (0, 1):
                results.add(PlayedChunk(2 * rules + strength, 0, tuple(games), 7.2, versions()))
    return path


def study(tmp_path: Path, *points: list[float], removed: tuple[float, float] = (3, 5)) -> ReadStudy:
    return read_study(kept(tmp_path / "kept.sqlite", list(points), list(removed)))


EVEN, AHEAD, FEW = [0.0, 1.0] * 1000, [1.0, 1.0, 0.0] * 200, [1.0] * 20


@pytest.mark.parametrize(
    ("points", "verdicts"),
    [
        ((AHEAD, AHEAD), ("leaning", "answered")),  # far from even, and the same pair by pair
        ((AHEAD, AHEAD[1:]), ("leaning", "open")),
        (([0.5] * 600, [0.5] * 600), ("answered", "answered")),
        (([1.0] * 600, [1.0] * 600), ("answered", "answered")),
        ((FEW, FEW), ("open", "open")),
    ],
)
def test_verdicts_follow_from_shares_and_from_differences_pair_by_pair(
    points: tuple[list[float], list[float]], verdicts: tuple[str, str], tmp_path: Path
) -> None:
    found = study(tmp_path, *points)
    assert (verdict_of(found, 9), verdict_of(found, 12)) == verdicts


def test_what_ends_games_is_counted_also_what_never_does(tmp_path: Path) -> None:
    tables = TABLES | {"answers": {"12": ["ended_repetition"], "10": ["ended_no-move"]}}
    points = [[1.0, 0.5] * 200] * 2
    found = read_study(kept(tmp_path / "kept.sqlite", points, [3, 3], tables=tables))
    counts = found.findings[2].counts
    assert [counts[f"ended_{why}"].mean for why in ("no-move", "repetition")] == [1, 0]
    assert counts["drawn"].mean == 0.5
    assert verdict_of(found, 12) == verdict_of(found, 10) == "answered"
    told = answers([found], "en")[2].sentences
    assert "games that end by repetition. opening perimeter: 0.000 (0.000 to 0.010) at" in told[0]


@pytest.mark.slow
def test_what_is_said_names_figures_of_the_games(tmp_path: Path) -> None:
    (nine, ten, twelve) = answers([study(tmp_path, EVEN, [1.0] * 2000)], "en")
    assert (nine.question, [one.plan.name for one in nine.studies]) == (9, ["kept"])
    assert nine.sentences == (
        "Score of the side that begins. opening perimeter: 50.0% (46.5% to 53.5%) at 30 playouts, "
        "50.0% (46.5% to 53.5%) at 240, even; opening free: 100.0% (99.8% to 100.0%) at 30 "
        "playouts, 100.0% (99.8% to 100.0%) at 240, ahead.",
    )
    assert (
        "pieces removed or moved. opening perimeter: 3.5 (3.48 to 3.52) at 30" in (ten.sentences[0])
    )
    assert "compared with opening perimeter. opening free: +50.0 (" in twelve.sentences[0]


class Tags(HTMLParser):
    """The tags of a page; all that are opened are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.process  # matplotlib asks the system for its fonts
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_command_writes_a_page_and_markdown_with_plots(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", language)
    pytest.importorskip("matplotlib", reason="matplotlib is an extra")
    file = kept(tmp_path / "control-two.sqlite", [AHEAD, EVEN], [3, 5])
    monkeypatch.chdir(tmp_path)
    described = tmp_path / "studies" / "control-two.toml"
    described.parent.mkdir()
    described.touch()
    (tmp_path / "results").mkdir()
    file = file.rename(tmp_path / "results" / file.name)
    before = file.read_bytes()
    assert run(["study", "report", str(file), "--out", str(tmp_path / "out"), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["answers"]["10"] == "answered"
    assert "findfont" not in told.err
    assert file.read_bytes() == before
    page, plain = ((tmp_path / "out" / f"report.{kind}").read_text() for kind in ("html", "md"))
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert tags.seen.count("svg") == 1
    assert "Two &lt;openings&gt; | of Control" in page
    assert (tmp_path / "out" / "plots" / "control-two.svg").read_text().startswith("<svg")
    assert "![](plots/control-two.svg)" in plain
    for said in (page.partition("<svg")[0], plain):
        assert "50.0%" in said
        assert "lumiban study run studies/control-two.toml" in page
        assert not re.search(
            r"\b(report|counter|experiment)\.[a-z]|\{|nan", said.split("body>")[-1]
        )
    if language == "ja":
        assert "Score of" not in plain


def test_games_and_moves_are_written_as_csv(tmp_path: Path) -> None:
    file = kept(tmp_path / "two.sqlite", [[1.0], [0.5]], [3, 5])
    packed = tmp_path / "two.sqlite.xz"
    packed.write_bytes(lzma.compress(file.read_bytes()))
    games, moves = (list(csv.DictReader(io.StringIO(text))) for text in tables(packed).values())
    assert len(games) == 2 * 2 * 2  # rules, strengths, games of a pair
    assert games[-1] == {
        "condition": "3", "game": "control", "option_size": "2", "option_opening": "free",
        "first": "strong 240", "second": "strong 240", "pair": "0", "half": "1", "point": "0.5",
        "winner": "", "reason": "no-move", "plies": "11", "choices": "50", "most": "9",
        "removed": "5",
    }  # fmt: skip
    assert [one["move"] for one in moves] == ["a1", "xa1"] * 8
    assert moves[-1] == {
        "condition": "3", "pair": "0", "half": "1", "number": "2", "side": "1", "move": "xa1"
    }  # fmt: skip


@pytest.mark.process
def test_the_same_results_make_the_same_files(tmp_path: Path) -> None:
    file = kept(tmp_path / "control-two.sqlite", [FEW, FEW], [3, 5])
    packed = tmp_path / "control-two.sqlite.xz"
    packed.write_bytes(lzma.compress(file.read_bytes()))
    for out, of in (("one", file), ("two", packed)):
        assert run(["study", "report", str(of), "--out", str(tmp_path / out)]) == 0
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / out).rglob("*.*")}
        for out in ("one", "two")
    )
    assert one == two


def test_a_file_that_holds_no_results_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no results file"):
        read_study(tmp_path / "none.sqlite")
    odd = tmp_path / "odd.sqlite"
    odd.write_bytes(b"no database" * 100)
    with pytest.raises(UsageError, match="holds no results"):
        read_study(odd)
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as db:
        db.execute("CREATE TABLE study (name, value)")
    with pytest.raises(UsageError, match="holds no results"):
        read_study(tmp_path / "other.sqlite")
    (tmp_path / "odd.sqlite.xz").write_bytes(b"\xfd7zXZ\x00 cut off")
    with pytest.raises(UsageError, match="cannot be unpacked"):
        read_study(tmp_path / "odd.sqlite.xz")
