"""The value that makes a game even is found, and a mirror copies what may be copied."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.study.komi import even_value, find_even
from lumiban.study.match import play_course, player, to_act
from lumiban.study.mirror import copied
from lumiban.study.plan import plan_from
from lumiban.study.sequential import Estimate


def known(share: float) -> Estimate:
    """A share that nobody doubts."""
    return Estimate(1000, share, share, share)


@given(st.integers(2, 300), st.data())
def test_a_root_is_found_where_the_share_falls_through_one_half(
    count: int, data: st.DataObject
) -> None:
    root = data.draw(st.integers(1, count - 1))
    found = even_value(range(count), lambda value: known(0.6 if value < root else 0.4))
    assert (found.low, found.high) == (root - 1, root)
    assert len(found.tried) <= 2 + count.bit_length()


def test_a_value_that_cannot_be_told_from_even_ends_the_search() -> None:
    shares = {0: 0.6, 5: 0.5, 10: 0.4}
    found = even_value(range(11), lambda value: known(shares[value]))
    assert (found.low, found.high, list(found.tried)) == (5, 5, [0, 10, 5])


def test_a_root_outside_is_told_by_its_side() -> None:
    too_much = even_value([0, 1], lambda value: known(0.4))
    assert (too_much.low, too_much.high) == (None, 0)
    too_little = even_value([0, 1], lambda value: known(0.6))
    assert (too_little.low, too_little.high) == (1, None)


RENGI = {
    "title": "Even",
    "game": "rengi",
    "chunk": 2,
    "most_plies": 6,
    "first": {"level": "random"},
    "stop": {"pairs": 2, "least": 2},
}


def test_each_value_is_a_study_that_goes_on(tmp_path: Path) -> None:
    plan = plan_from(RENGI, "even")
    found = find_even(plan, "komi", [0, 70, 140], tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.sqlite")) == ["even-komi-0.sqlite"]
    assert find_even(plan, "komi", [0, 70, 140], tmp_path) == found
    with pytest.raises(UsageError, match="one condition"):
        find_even(plan_from({**RENGI, "options": {"rate": [70, 80]}}, "two"), "komi", [0], tmp_path)


def test_the_command_tells_what_was_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "even.toml"
    file.write_text(
        'title = "Even"\ngame = "rengi"\nchunk = 2\nmost_plies = 6\n'
        '[first]\nlevel = "random"\n[stop]\npairs = 2\n'
    )
    words = ["study", "komi", str(file), "--most", "140", "--jobs", "1"]
    assert run(words) == 0
    assert "komi 0 cannot be told from even" in capsys.readouterr().out
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["low"] == 0
    assert run(["study", "komi", str(file), "--least", "9", "--most", "3"]) == 2


def test_a_mirror_copies_through_the_middle() -> None:
    game = games.load("control", size=4)
    grid = game.grid
    chance = random.Random(2)
    copies = 0
    for _ in range(20):
        position = game.start()
        for _ in range(8):
            move = chance.choice(game.moves(position, to_act(game, position)))
            position = game.play(position, move)
            side = to_act(game, position)
            copy = copied(game, position, side)
            if copy is None:
                continue
            copies += 1
            assert game.why_not(position, side, copy) is None
            one, other = (grid.cell(text.removeprefix("x")) for text in (move.text, copy.text))
            assert one + other == len(grid) - 1, "cells are opposite"
            assert move.text.startswith("x") == copy.text.startswith("x")
    assert copies > 20


def test_a_mirror_copies_hands_in_rengi() -> None:
    game = games.load("rengi", mode="free")
    position = game.start()
    side = to_act(game, position)
    hand = game.moves(position, side)[40]
    after = game.play(position, hand)
    copy = copied(game, after, 1 - side)
    assert copy is not None
    assert (copy.text, copy.side) == (hand.text, 1 - side)


@pytest.mark.jit
def test_a_mirror_thinks_where_it_cannot_copy() -> None:
    game = games.load("control", size=2)
    course = play_course(game, (player("mirror", playouts=5), player("random")), game.start(), 0, 1)
    assert game.outcome(course.end) is not None
