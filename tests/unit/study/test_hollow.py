"""Games that cannot say what was asked are refused, whatever their figures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from each import each
from lumiban.cli import run
from lumiban.study import hollow
from lumiban.study.chunks import PlayedChunk, PlayedGame
from lumiban.study.findings import ANSWERED, LEANING, OPEN, Finding, Mean, base_of
from lumiban.study.hollow import HOLLOW
from lumiban.study.plan import plan_from
from lumiban.study.report import ReadStudy, answers, read_study, verdict_of
from lumiban.study.results import Results
from lumiban.study.sequential import Estimate
from lumiban.study.versions import versions

TABLES: dict[str, Any] = {
    "title": "Two strengths",
    "questions": [8],
    "game": "control",
    "options": {"size": 2},
    "first": {"level": "strong", "playouts": [30, 240]},
    "stop": {"pairs": 2000},
}


def found(
    playouts: list[int],
    shares: list[tuple[float, float]],
    count: int = 400,
    counts: Sequence[dict[str, Mean]] = (),
    **tables: Any,
) -> list[Finding]:
    """A study's findings: by condition a share and how far its interval reaches to either side."""
    of = plan_from({**TABLES, "first": {"level": "strong", "playouts": playouts}} | tables, "kept")
    return [
        Finding(
            condition, Estimate(count, share, share - radius, share + radius), 2 * count, 0, 0, {},
            counts[condition.number] if counts else {"plies": stones(condition.number)},
            base_of(condition, of.conditions), 7.2,
        )
        for condition, (share, radius) in zip(of.conditions, shares, strict=True)
    ]  # fmt: skip


def stones(mean: float, radius: float = 0.0, *, pairs: int = 400, is_share: bool = False) -> Mean:
    """A counter known to so much to either side."""
    return Mean(mean, radius / 1.96, pairs, 2 * pairs, mean, is_share)


@each(
    ("weak", "strong", "count", "verdict", "why"),
    [
        ((0.60, 0.04), (0.61, 0.04), 400, LEANING, "ahead"),
        ((0.60, 0.04), (0.80, 0.04), 400, LEANING, "ahead"),  # by how much may grow
        ((0.40, 0.04), (0.30, 0.04), 400, LEANING, "behind"),
        ((0.60, 0.029), (0.61, 0.02), 400, ANSWERED, "ahead"),
        ((0.60, 0.029), (0.61, 0.02), 99, OPEN, "undecided"),
        ((0.51, 0.029), (0.49, 0.029), 400, ANSWERED, "even"),
        ((0.52, 0.01), (0.49, 0.029), 400, ANSWERED, "even"),
        ((0.51, 0.04), (0.49, 0.04), 400, LEANING, "even"),
        ((0.51, 0.05), (0.49, 0.05), 400, OPEN, "undecided"),
        ((0.60, 0.04), (0.51, 0.06), 400, OPEN, "undecided"),
        ((0.60, 0.04), (0.40, 0.04), 400, HOLLOW, hollow.DISAGREE),
        ((0.60, 0.04), (0.51, 0.029), 400, HOLLOW, hollow.DISAGREE),
        ((0.99, 0.01), (0.98, 0.01), 400, ANSWERED, "ahead"),
    ],
)
def test_two_strengths_that_put_the_same_side_ahead_say_who_wins(
    weak: tuple[float, float],
    strong: tuple[float, float],
    count: int,
    verdict: str,
    why: str,
) -> None:
    [one] = hollow.judge(found([30, 240], [weak, strong], count), {}, "share")
    assert (one.verdict, one.why) == (verdict, why)


@each(
    ("weak", "strong", "verdict", "why", "change"),
    [
        (stones(10, 0.3), stones(10.1, 0.3), ANSWERED, "steady", (0.1, -0.32, 0.52)),
        (stones(10, 0.9), stones(10.1, 0.9), LEANING, "unclear", (0.1, -1.17, 1.37)),
        (stones(10, 0.3), stones(14, 0.4), LEANING, "grows", (4, 3.5, 4.5)),
        (stones(14, 0.4), stones(10, 0.3), LEANING, "falls", (-4, -4.5, -3.5)),
        (stones(10, 1.1), stones(14, 0.4), OPEN, "grows", (4, 2.83, 5.17)),
        (stones(10, 0.3, pairs=99), stones(10, 0.3), OPEN, "steady", (0, -0.42, 0.42)),
        (stones(0.02, 0.01, is_share=True), stones(0.03, 0.01, is_share=True),
         ANSWERED, "steady", (0.01, -0.007, 0.027)),
        (stones(0.5, 0.04, is_share=True), stones(0.6, 0.04, is_share=True),
         LEANING, "grows", (0.1, 0.043, 0.156)),
    ],
)  # fmt: skip
def test_an_amount_is_told_with_its_change_from_strength_to_strength(
    weak: Mean, strong: Mean, verdict: str, why: str, change: tuple[float, float, float]
) -> None:
    counts = [{"stones": weak}, {"stones": strong}]
    of = found([30, 240], [(0.6, 0.01)] * 2, counts=counts)
    [one] = hollow.judge(of, {}, "stones")
    assert (one.verdict, one.why) == (verdict, why)
    assert one.change == pytest.approx(change, abs=0.006)
    [none] = hollow.judge(of, {}, "not counted")
    assert (none.verdict, none.change) == (OPEN, None)


def test_a_share_of_games_won_is_told_by_who_is_ahead() -> None:
    won = [{"first_attacker_won": stones(share, 0.06, is_share=True)} for share in (0.3, 0.4)]
    [one] = hollow.judge(found([30, 240], [(0.6, 0.01)] * 2, counts=won), {}, "first_attacker_won")
    assert (one.verdict, one.why) == (LEANING, "behind")


def test_players_of_a_match_are_compared_where_they_are_as_far_apart() -> None:
    second = {"level": "strong", "playouts": [15, 120]}
    shares = [(0.7, 0.02), (0.2, 0.02), (0.99, 0.01), (0.75, 0.02)]  # 30:15, 30:120, 240:15, …
    judged = hollow.judge(found([30, 240], shares, second=second), {}, "share")
    assert [
        (one.weak.condition.number, one.strong.condition.number, one.why) for one in judged
    ] == [
        (0, 3, "ahead"),
        (1, 1, hollow.ONE_STRENGTH),
        (2, 2, hollow.ONE_STRENGTH),
    ]
    shares[0] = (0.98, 0.01)
    assert hollow.judge(found([30, 240], shares, second=second), {}, "share")[0].why == (
        hollow.ONE_SIDED
    )


def test_a_study_is_worth_what_its_rules_are() -> None:
    of = found([30, 240], [(0.6, 0.02), (0.6, 0.02), (0.6, 0.02), (0.4, 0.02), (0.5, 0.1),
                           (0.5, 0.1)], options={"size": [2, 3, 4]})  # fmt: skip
    judged = hollow.judge(of, {}, "share")
    assert [one.verdict for one in judged] == [ANSWERED, HOLLOW, OPEN]
    worth = [hollow.verdict_on(some) for some in (judged, judged[:1], judged[1:2], judged[1:], [])]
    assert worth == [LEANING, ANSWERED, HOLLOW, OPEN, OPEN]


def played(path: Path, **tables: Any) -> ReadStudy:
    """A study of one pair of games a condition."""
    of = plan_from(TABLES | {"chunk": 1} | tables, path.stem)
    with closing(Results(path, of, versions())) as results:
        for condition in of.conditions:
            games = tuple(
                PlayedGame(0, half, half, half, "no-move", 10 + condition.number, 50, 9, {})
                for half in (0, 1)
            )
            results.add(PlayedChunk(condition.number, 0, games, 7.2, versions()))
    return read_study(path)


def test_a_study_that_does_not_compare_what_is_asked_says_nothing_of_it(tmp_path: Path) -> None:
    study = played(tmp_path / "kept.sqlite", questions=[8, 9])
    assert verdict_of(study, 8) == OPEN
    assert verdict_of(study, 9) == HOLLOW
    assert "do not differ in what the question compares" in answers([study], "en")[1].sentences[0]


def test_questions_are_those_of_the_study_file_while_it_describes_the_same_games(
    tmp_path: Path,
) -> None:
    file = tmp_path / "kept.toml"
    played(tmp_path / "kept.sqlite")
    described = (
        'title = "Asked later"\nquestions = [{}]\ngame = "control"\nchunk = 1\n'
        '[options]\nsize = {}\n[first]\nlevel = "strong"\nplayouts = [30, 240]\n'
        "[stop]\npairs = 9000\n"
    )
    file.write_text(described.format(7, 2))
    assert [one.question for one in answers([read_study(tmp_path / "kept.sqlite")], "en")] == [7]
    file.write_text(described.format(7, 3))
    assert [one.question for one in answers([read_study(tmp_path / "kept.sqlite")], "en")] == [8]


@pytest.mark.slow
def test_conditions_are_compared_with_the_first_of_the_same_strength(tmp_path: Path) -> None:
    """Else what the strength does would be told of the rule."""
    study = played(tmp_path / "kept.sqlite", options={"size": [2, 3]})
    assert [one.base.number for one in study.findings] == [0, 1, 0, 1]
    assert [one is None for one in study.differences] == [True, True, False, False]


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
