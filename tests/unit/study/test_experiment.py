"""Study files, what they promise: the same games whoever plays, honest intervals, no loss."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.games.base import Kind
from lumiban.search import registry
from lumiban.study import chunks
from lumiban.study.chunks import Chunk, FailedChunk, play_chunk
from lumiban.study.counters import counts_of
from lumiban.study.experiment import Advance, run_study
from lumiban.study.findings import findings
from lumiban.study.match import to_act
from lumiban.study.plan import Plan, load_plan, openings_by_symmetry, plan_from
from lumiban.study.results import Results, read_plan
from lumiban.study.sequential import estimate
from lumiban.study.versions import versions
from places import ROOT

SMALL: dict[str, Any] = {
    "title": "Small boards",
    "game": "control",
    "seed": 1,
    "chunk": 2,
    "options": {"size": [2, 3], "opening": ["perimeter", "free"]},
    "first": {"level": "random"},
    "stop": {"pairs": 12, "least": 6, "even": True},
}


def plan(**changes: Any) -> Plan:
    return plan_from(SMALL | changes, "small")


def rows(path: Path) -> list[Any]:
    """All that a results file says, but what it cost."""
    with sqlite3.connect(path) as db:
        found = [list(db.execute(f"SELECT * FROM {t}")) for t in ("study", "conditions", "games")]
        return [*found, list(db.execute("SELECT condition, chunk FROM chunks"))]


def played(path: Path, of: Plan, **how: Any) -> list[Any]:
    with closing(Results(path, of, versions())) as kept:
        run_study(of, kept, **how)
    return rows(path)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"blub": 1}, "blub"),
        ({"game": "chess"}, "chess"),
        ({"options": {"size": 99}}, "99"),
        ({"options": {"size": []}}, "no condition"),
        ({"options": {"colour": "blue"}}, "colour"),
        ({"first": {"level": "nobody"}}, r"\[first\] level"),
        ({"first": {"level": "hard"}}, "no clock decides"),
        ({"first": {"level": "hard", "playouts": 0}}, "playouts must be"),
        ({"stop": {"pairs": 0}}, r"stop\.pairs"),
        ({"stop": {"pairs": 10, "within": 0}}, r"stop\.within"),
        ({"stop": {}}, "pairs"),
        ({"start": {"by": "moves"}}, r"start\.moves"),
        ({"start": {"by": "openings", "plies": 5}}, r"start\.plies"),
        ({"start": {"by": "moves", "moves": ["z99"]}}, "z99"),
        ({"chunk": 0}, "chunk"),
        ({"questions": [9], "answers": {"10": ["removed"]}}, "one of the questions"),
        ({"options": {"size": list(range(2, 9)), "opening": ["free"] * 150}}, "1000"),
    ],
)
def test_a_study_file_that_makes_no_sense_says_where(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        plan(**changes)


@pytest.mark.parametrize("text", ["title = [", "\x00", "title = 'only'"])
def test_a_file_that_is_no_study_is_told_by_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"odd\.toml"):
        load_plan(path)
    with pytest.raises(UsageError, match="there is no study file"):
        load_plan(tmp_path / "none.toml")


def test_openings_are_one_of_each_class_that_symmetries_make() -> None:
    game = games.load("evening", size=3, turns="trailing")
    found = openings_by_symmetry(game, 1)
    grid = game.grid
    cells = {text.removeprefix("w") for (text,) in found}
    # By hand: the centre, the ring's cells, a corner, and beside a corner.
    assert len(found) == 4
    for cell in range(len(grid)):
        orbit = {way[cell] for way in game.symmetries} | {cell}
        assert len(orbit & {grid.cell(text) for text in cells}) == 1


@given(st.integers(0, 10_000))
def test_a_pair_begins_alike_under_every_condition_of_the_same_game(pair: int) -> None:
    varied = plan(
        options={"size": 3},
        first={"level": "random"},
        second={"level": ["easy", "hard"], "playouts": 5},
        start={"by": "random", "plies": 4},
    )
    one, other = varied.conditions
    game = one.game()
    assert one.start(game, 7, pair) == other.start(game, 7, pair)


def test_two_players_change_sides_within_a_pair_and_points_are_the_first_ones() -> None:
    match = plan(options={"size": 2}, second={"level": "random"})
    (condition,) = match.conditions
    done = play_chunk(Chunk(condition, 0, 0, 6, 1, 500))
    assert not isinstance(done, FailedChunk)
    # On side 2 White wins whatever is played (golden/control.json), so each pair is even.
    assert [(game.half, game.winner, game.point) for game in done.games] == [
        (0, 0, 1.0),
        (1, 0, 0.0),
    ] * 6


@pytest.mark.slow
def test_who_plays_and_how_often_it_is_broken_off_changes_nothing(tmp_path: Path) -> None:
    """Killed at ten moments: a study that ends where it likes goes on to the same rows."""
    of = plan(stop={"pairs": 12})
    whole = played(tmp_path / "whole.sqlite", of)
    assert len(whole[3]) == 24
    path = tmp_path / "broken.sqlite"

    class Killed(BaseException):
        """What nothing catches."""

    for moment in range(10):
        left = 1 + moment % 3

        def kill(so_far: Advance) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise Killed

        with pytest.raises(Killed):
            played(path, of, advance=kill)
        assert len(rows(path)[3]) == sum(1 + past % 3 for past in range(moment + 1))
    assert played(path, of) == whole


@pytest.mark.process
def test_two_runs_on_one_file_at_once_keep_each_chunk_once(tmp_path: Path) -> None:
    of = plan(options={"size": 3}, stop={"pairs": 20})
    whole = played(tmp_path / "whole.sqlite", of)
    path = tmp_path / "shared.sqlite"
    others = []

    def meanwhile(so_far: Advance) -> None:
        if not others:
            others.append(played(path, of))

    assert played(path, of, advance=meanwhile) == whole
    assert others == [whole]


def test_results_of_another_study_or_other_rules_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    of = plan(options={"size": 2}, stop={"pairs": 2, "least": 1})
    before = played(path, of)
    with pytest.raises(UsageError, match="another study"):
        Results(path, plan(seed=2), versions())
    with pytest.raises(UsageError, match="other rules"):
        Results(path, of, "3.11 000000000000")
    assert rows(path) == before
    (tmp_path / "odd.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(UsageError, match=r"odd\.sqlite cannot be read"):
        Results(tmp_path / "odd.sqlite", of, versions())


def test_a_worker_with_other_rules_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "versions", lambda: "3.9 ffffffffffff")
    with pytest.raises(UsageError, match="worker has other rules"):
        played(tmp_path / "kept.sqlite", plan())


def test_bots_that_play_without_their_engines_are_other_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a copy of the sources without pyproject.toml, where every bot is UCT."""
    known = versions()
    monkeypatch.setattr(registry, "_ours", dict)
    assert versions.__wrapped__() != known


@pytest.mark.slow
@pytest.mark.parametrize(
    ("origin", "named"),
    [
        ('{"url": "file:///lumiban", "vcs_info": {"vcs": "git", "commit_id": "ef9a"}}',
         "lumiban 9.1, commit ef9a"),
        ('{"url": "file:///lumiban-9.1-py3-none-any.whl", "archive_info": '
         '{"hash": "sha256=52be", "hashes": {"sha256": "52be"}}}', "lumiban 9.1, wheel 52be"),
        (None, "lumiban 9.1, checkout"),
        ("not JSON", "checkout"),
    ],
)  # fmt: skip
def test_results_name_the_commit_or_the_wheel_that_played_them(
    origin: str | None, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what pip writes (PEP 610): of a wheel from an index it writes nothing."""
    (tmp_path / "lumiban-9.1.dist-info").mkdir()
    info = tmp_path / "lumiban-9.1.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lumiban\nVersion: 9.1\n")
    if origin is not None:
        (info / "direct_url.json").write_text(origin)
    monkeypatch.syspath_prepend(tmp_path)
    of = plan(options={"size": 2}, stop={"pairs": 2})
    head = dict(played(tmp_path / "kept.sqlite", of)[0])
    assert head["build"] == named
    assert read_plan(tmp_path / "kept.sqlite")[1] == f"Python {versions()}, {named}"


@pytest.mark.slow
def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    of = plan(options={"size": 3}, stop={"pairs": 20, "least": 20})
    with closing(Results(path, of, versions())) as kept:
        pages = kept._db.execute("PRAGMA page_count").fetchone()[0]
        kept._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(UsageError, match=r"kept\.sqlite cannot be .* full"):
            run_study(of, kept)
    assert rows(path)[3], "the chunks before it"
    assert played(path, of) == played(tmp_path / "whole.sqlite", of)


@pytest.mark.slow
def test_an_interval_holds_at_every_look() -> None:
    """Of a hundred fair series some 5 % at most may ever leave one half out; a usual interval
    that is looked at as often does so in a third of them."""
    missed = naive = 0
    for seed in range(100):
        chance = random.Random(seed)
        values: list[float] = []
        out = naively = False
        for _ in range(30):
            values += [chance.choice((0, 0.5, 0.5, 1)) for _ in range(20)]
            found = estimate(values)
            out |= found.excludes_even
            half = 1.96 * (0.125 / len(values)) ** 0.5
            naively |= abs(found.mean - 0.5) > half
        missed += out
        naive += naively
    assert missed <= 5
    assert naive >= 20


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=300))
def test_an_interval_holds_its_mean_and_stays_within_shares(values: list[float]) -> None:
    found = estimate(values)
    assert 0 <= found.low <= found.mean <= found.high <= 1


def test_counters_of_a_game_by_hand() -> None:
    game = games.load("control", size=2)
    position = game.start()
    positions, moves = [position], []
    while game.outcome(position) is None:
        moves.append(game.moves(position, to_act(game, position))[0])
        position = game.play(position, moves[-1])
        positions.append(position)
    found = counts_of(game, positions, moves)
    pictures = [list(game.pieces(one)) for one in positions]
    assert found["most_white"] == max(picture.count(Kind.WHITE) for picture in pictures)
    assert found["most_black"] == max(picture.count(Kind.BLACK) for picture in pictures)
    assert found["full"] == (0 if Kind.EMPTY in pictures[-1] else 1)
    gone = sum(
        sum(a not in (Kind.EMPTY, b) for a, b in zip(one, other, strict=True))
        for one, other in pairwise(pictures)
    )
    assert found["removed"] == gone


@pytest.mark.parametrize("slug", games.available())
def test_every_game_is_counted(slug: str, tmp_path: Path) -> None:
    options = {"size": 3} if slug in ("control", "evening", "trivia") else {}
    of = plan_from(
        {
            "title": slug,
            "game": slug,
            "options": options,
            "first": {"level": "random"},
            "stop": {"pairs": 1, "least": 1},
            "chunk": 1,
            "most_plies": 60,
        },
        slug,
    )
    with closing(Results(tmp_path / "kept.sqlite", of, versions())) as kept:
        run_study(of, kept)
        (found,) = findings(of, kept)
    assert found.counts["plies"].mean > 0
    assert all(one.low <= one.mean <= one.high for one in found.counts.values())


def test_the_command_plays_a_file_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        'title = "Side 2"\ngame = "control"\nchunk = 2\n[options]\nsize = 2\n'
        '[first]\nlevel = "random"\n[stop]\npairs = 4\n'
    )
    assert run(["study", str(path), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "Side 2" in said
    assert "100.0%" in said
    assert (tmp_path / "small.sqlite").exists()
    assert run(["study", "run", str(path), "--jobs", "1", "--json"]) == 0
    assert '"pairs": 4' in capsys.readouterr().out


def test_studies_of_the_answers_are_ones_and_ask_questions() -> None:
    asked = set()
    for path in sorted((ROOT / "docs" / "answers" / "studies").glob("*.toml")):
        of = load_plan(path)
        assert of.tables.questions, path
        asked |= set(of.tables.questions)
    assert len(asked) >= 20
    assert asked <= set(range(1, 41))


def test_the_example_of_a_study_is_one() -> None:
    of = load_plan(ROOT / "examples" / "control-openings.toml")
    assert [one.label for one in of.conditions] == [
        f"opening {opening}, first strong {playouts}"
        for opening in ("perimeter", "free", "12*")
        for playouts in (50, 400)
    ]
