"""Reports of studies: what is said of each question follows from the games, in both languages."""

from __future__ import annotations

import json
import lzma
import re
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.study import report
from lumiban.study.chunks import PlayedChunk, PlayedGame
from lumiban.study.plan import plan_from
from lumiban.study.report import ReadStudy, answers, difference, read_study, verdict_of
from lumiban.study.results import Results
from lumiban.study.sequential import estimate
from lumiban.study.versions import versions

TABLES: dict[str, Any] = {
    "title": "Two <openings> | of Control",
    "questions": [9, 10, 12],
    "answers": {"10": ["removed"], "12": ["difference"]},
    "game": "control",
    "chunk": 1000,
    "options": {"size": 2, "opening": ["perimeter", "free"]},
    "first": {"level": "strong", "playouts": 30},
    "stop": {"pairs": 2000},
}


@pytest.fixture(autouse=True)
def games_are_worth_what_they_are_taken_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What figures say; whether games can say anything is test_hollow.py's."""
    monkeypatch.setattr(report, "hollow", lambda study, by, question=None: None)


def kept(
    path: Path,
    points: list[list[float]],
    removed: list[float],
    every_second: float = 1,
    tables: dict[str, Any] = TABLES,
) -> Path:
    """A results file of games as they are wanted: by condition the mean point of each pair, and a
    counter, so much higher in every second pair."""
    of = plan_from(tables, path.stem)
    with closing(Results(path, of, versions())) as results:
        for condition, pairs in enumerate(points):
            games = [
                PlayedGame(
                    pair,
                    half,
                    point,
                    None if point == 0.5 else int(point == 0),
                    "no-move",
                    10,
                    50,
                    9,
                    {"removed": removed[condition] + every_second * (pair % 2)},
                )
                for pair, point in enumerate(pairs)
                for half in (0, 1)
            ]
            results.add(PlayedChunk(condition, 0, tuple(games), 7.2, versions()))
    return path


def study(tmp_path: Path, *points: list[float], removed: tuple[float, float] = (3, 5)) -> ReadStudy:
    return read_study(kept(tmp_path / "kept.sqlite", list(points), list(removed)))


EVEN, AHEAD, FEW = [0.0, 1.0] * 1000, [1.0, 1.0, 0.0] * 200, [1.0] * 20


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("points", "verdicts"),
    [
        ((AHEAD, AHEAD), ("leaning", "answered")),  # far from even, and the same pair by pair
        ((AHEAD, AHEAD[1:]), ("leaning", "open")),
        (([0.5] * 1500, [0.5] * 1500), ("answered", "answered")),
        ((EVEN, [1.0] * 2000), ("leaning", "leaning")),
        ((FEW, FEW), ("open", "open")),
    ],
)
def test_verdicts_follow_from_shares_and_from_differences_pair_by_pair(
    points: tuple[list[float], list[float]], verdicts: tuple[str, str], tmp_path: Path
) -> None:
    found = study(tmp_path, *points)
    assert (verdict_of(found, 9), verdict_of(found, 12)) == verdicts


@pytest.mark.slow
def test_a_counter_answers_when_it_is_known_to_three_percent(tmp_path: Path) -> None:
    assert verdict_of(study(tmp_path, EVEN, EVEN), 10) == "answered"
    other = tmp_path / "few"
    other.mkdir()
    assert verdict_of(study(other, FEW, FEW), 10) == "open"


@pytest.mark.parametrize(
    ("removed", "every_second", "pairs", "verdict"),
    [
        ((-1, -1), 10, 400, "open"),  # known to 12 % only, and the same under both
        ((-1, 1), 10, 400, "leaning"),
        ((3, 3), 6, 400, "leaning"),  # known to 5 %
        ((-1, 1), 10, 399, "open"),
        ((0, 0), 1, 400, "open"),  # in half of the games
        ((0, 1), 0, 400, "answered"),  # in none and in all
    ],
)
def test_a_counter_leans_by_a_test_and_not_by_a_number_of_games(
    removed: tuple[float, float], every_second: float, pairs: int, verdict: str, tmp_path: Path
) -> None:
    points = [[0.5] * pairs] * 2
    found = read_study(kept(tmp_path / "kept.sqlite", points, [*removed], every_second))
    assert verdict_of(found, 10) == verdict
    told = answers([found], "en")[1].sentences
    assert any("can be told from" in sentence for sentence in told) == (
        removed[0] == removed[1] and pairs == 400
    )
    assert any("Compared with opening perimeter: 2 (2 to 2) with" in one for one in told) == (
        removed == (-1, 1) and pairs == 400
    )


def test_what_ends_games_is_counted_also_what_never_does(tmp_path: Path) -> None:
    tables = TABLES | {"answers": {"12": ["ended_repetition"], "10": ["ended_no-move"]}}
    points = [[1.0, 0.5] * 200] * 2
    found = read_study(kept(tmp_path / "kept.sqlite", points, [3, 3], tables=tables))
    counts = found.findings[1].counts
    assert [counts[f"ended_{why}"].mean for why in ("no-move", "repetition")] == [1, 0]
    assert counts["drawn"].mean == 0.5
    assert verdict_of(found, 12) == verdict_of(found, 10) == "answered"
    told = answers([found], "en")[2].sentences
    assert "games that end by repetition: 0.000 (0.000 to 0.010) with opening perimeter" in told[0]


@pytest.mark.parametrize(("removed", "how_many"), [(1, "more"), (0, "fewer")])
def test_of_one_condition_it_is_said_what_most_games_do(
    removed: int, how_many: str, tmp_path: Path
) -> None:
    tables = TABLES | {"options": {"size": 2}}
    found = read_study(kept(tmp_path / "kept.sqlite", [[0.5] * 400], [removed], 0, tables))
    told = answers([found], "en")[1].sentences
    assert f"That is in {how_many} than half of the games." in told


def test_a_difference_is_taken_over_the_pairs_that_both_have() -> None:
    first, other = [0.5, 1.0, 0.0, 1.0], [1.0, 1.0, 0.5]
    found = difference(first, other)
    assert found.count == 3
    assert 2 * (found.mean - 0.5) == pytest.approx(fmean([0.5, 0.0, 0.5]))
    # A pair's common chance cancels: all pairs a little better is known sooner than by shares.
    shares = [0.0, 1.0] * 300
    better = [point + (0.25 if point == 0 else -0.0) for point in shares]
    assert difference(shares, better).radius < estimate(better).radius


@pytest.mark.slow
def test_what_is_said_names_figures_of_the_games(tmp_path: Path) -> None:
    (nine, ten, twelve) = answers([study(tmp_path, EVEN, [1.0] * 2000)], "en")
    assert (nine.question, nine.studies) == (9, ("kept",))
    assert "closest to even with opening perimeter, 50.0%" in nine.sentences[0]
    assert "farthest from it with opening free, 100.0%" in nine.sentences[0]
    assert "pieces removed or moved: 3.5 (3.48 to 3.52) with opening perimeter" in ten.sentences[0]
    assert (
        "opening free the score is +50.0 points from that with opening perimeter"
        in (twelve.sentences[0])
    )


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
        assert "Of 2 conditions" not in plain


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


def test_results_of_other_rules_are_reported_by_the_rules_they_were_played_by(
    tmp_path: Path,
) -> None:
    file = kept(tmp_path / "kept.sqlite", [FEW, FEW], [3, 5])
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE study SET value = '3.9 ffffffffffff' WHERE name = 'versions'")
    assert read_study(file).versions == "3.9 ffffffffffff"
