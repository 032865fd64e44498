"""Games that cannot say what was asked are refused, whatever their figures."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lumiban.cli import run
from lumiban.i18n import text, texts
from lumiban.study import hollow
from lumiban.study.chunks import PlayedChunk, PlayedGame
from lumiban.study.plan import load_plan, plan_from
from lumiban.study.report import HOLLOW, ReadStudy, answers, read_study, verdict_of
from lumiban.study.report import hollow as why
from lumiban.study.results import Results
from lumiban.study.versions import versions
from places import ROOT

RESULTS = ROOT / "docs" / "answers" / "results"
TABLES: dict[str, Any] = {
    "title": "Two strengths",
    "questions": [8],
    "game": "control",
    "chunk": 1000,
    "options": {"size": 2},
    "first": {"level": "strong", "playouts": [30, 240]},
    "stop": {"pairs": 2000},
}


def played(path: Path, shares: list[float], playouts: list[int], plies: int = 10) -> ReadStudy:
    """A study of 800 pairs a condition, in which the side that begins wins this share."""
    tables = {**TABLES, "first": {"level": "strong", "playouts": playouts}}
    of = plan_from(tables, path.stem)
    with closing(Results(path, of, versions())) as results:
        for condition, share in enumerate(shares):
            games = [
                PlayedGame(pair, half, won, int(won == 0), "no-move", plies, 50, 9, {})
                for pair in range(800)
                for half in (0, 1)
                for won in [float((pair * 7919 + half) % 100 < 100 * share)]
            ]
            results.add(PlayedChunk(condition, 0, tuple(games), 7.2, versions()))
    return read_study(path)


@pytest.mark.parametrize(
    ("shares", "playouts", "reason"),
    [
        ([0.60, 0.61], [30, 240], None),
        ([0.60], [30], hollow.ONE_STRENGTH),
        ([0.60, 0.61], [30, 120], hollow.ONE_STRENGTH),
        ([0.60, 0.70], [30, 240], hollow.DISAGREE),
        ([0.51, 0.49], [30, 240], hollow.DISAGREE),
        ([0.98, 0.98], [30, 240], hollow.ONE_SIDED),
        ([0.02, 0.02], [30, 240], hollow.ONE_SIDED),
    ],
)
def test_only_two_strengths_that_agree_say_something(
    tmp_path: Path, shares: list[float], playouts: list[int], reason: str | None
) -> None:
    study = played(tmp_path / "kept.sqlite", shares, playouts)
    assert why(study, "share") == reason
    assert (verdict_of(study, 8) == HOLLOW) == (reason is not None)
    [told] = answers([study], "en")
    assert ("kept: " in told.sentences[0]) == (reason is not None)


@pytest.mark.parametrize(
    ("name", "by", "reason"),
    [
        ("control-depth", "share", hollow.ONE_STRENGTH),
        ("rengi-ordinary-pass", "drawn", hollow.DISAGREE),
        ("rengi-first-player", "longest_chain", hollow.ONE_STRENGTH),
        ("doves-bans", "share", hollow.ONE_STRENGTH),
        ("doves-taking-back", "plies", hollow.DISAGREE),
        ("control-openings", "share", hollow.BOTS_CANNOT),
        ("control-side-4", "share", hollow.DISAGREE),
    ],
)
def test_results_of_one_strength_or_of_two_that_disagree_say_nothing(
    name: str, by: str, reason: str
) -> None:
    assert why(read_study(RESULTS / f"{name}.sqlite.xz"), by) == reason


def test_conditions_with_the_same_games_say_nothing_of_their_difference(tmp_path: Path) -> None:
    study = played(tmp_path / "kept.sqlite", [0.60, 0.60], [30, 30])
    assert hollow._are_the_same(study.findings)
    assert not hollow._are_the_same(read_study(RESULTS / "trivia-sides.sqlite.xz").findings)


def test_a_study_that_does_not_compare_what_is_asked_says_nothing_of_it(tmp_path: Path) -> None:
    study = played(tmp_path / "kept.sqlite", [0.60, 0.61], [30, 240])
    assert verdict_of(study, 8) != HOLLOW
    assert why(study, "share", 9) == hollow.NOT_ASKED
    assert verdict_of(study, 9) == HOLLOW
    bans = read_study(RESULTS / "doves-bans.sqlite.xz")
    assert not hollow.asks([one.condition for one in bans.findings], 36)
    initial = load_plan(ROOT / "docs" / "answers" / "studies" / "doves-initial.toml")
    assert hollow.asks(initial.conditions, 39)


def test_conditions_are_compared_with_the_first_of_the_same_strength(tmp_path: Path) -> None:
    """Else what the strength does would be told of the rule."""
    tables = {
        **TABLES,
        "questions": [40],
        "answers": {"40": ["difference", "plies"]},
        "options": {"size": [2, 3]},
    }
    of = plan_from(tables, "kept")
    strengths = {0: 0.75, 1: 0.5}  # of 30 and of 240 playouts, under both rules
    with closing(Results(tmp_path / "kept.sqlite", of, versions())) as results:
        for condition in of.conditions:
            strong = condition.number % 2
            games = tuple(
                PlayedGame(pair, half, won, int(won == 0), "no-move", 10 + 9 * strong, 50, 9, {})
                for pair in range(800)
                for half in (0, 1)
                for won in [float(pair % 4 < 4 * strengths[strong])]
            )
            results.add(PlayedChunk(condition.number, 0, games, 7.2, versions()))
    found = read_study(tmp_path / "kept.sqlite")
    assert [one.base.number for one in found.findings] == [0, 1, 0, 1]
    assert [one and one.mean for one in found.differences] == [None, None, 0.5, 0.5]
    assert [one.apart["plies"].mean for one in found.findings if one.apart] == [0, 0]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["not agree", "were not played", "more than 97 %", "the same games",
                "what the question compares", "cannot use"]),
        ("ja", ["結果が合わない", "打っていない", "97 %を超えて", "対局が同じ",
                "問いが比べるもの", "使えない"]),
    ],
)  # fmt: skip
def test_the_report_says_each_reason_first(language: str, words: list[str]) -> None:
    reasons = [name for name in texts("en") if name.startswith("report.hollow.")]
    assert len(reasons) - 1 == len(words)  # all but the sentence that they stand in
    for word in words:
        assert word in text("report.intro", language)


def test_a_study_of_an_option_that_no_bot_can_use_is_refused_before_it_is_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "pie.toml"
    file.write_text(
        'title = "A pie"\nquestions = [9]\ngame = "control"\nseed = 1\n[options]\nsize = 2\n'
        'opening = ["free", "pie2"]\n[first]\nlevel = "strong"\nplayouts = [10, 80]\n'
        "[stop]\npairs = 10\n"
    )
    assert run(["study", "run", str(file)]) == 2
    assert "hollow: no bot of ours can use control's option opening = 'pie2'" in (
        capsys.readouterr().err
    )
    assert not file.with_suffix(".sqlite").exists()
