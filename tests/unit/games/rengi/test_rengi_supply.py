"""Rengi's pairs: loops, given lists, what is shown of them and when."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.errors import GameError
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import COLOURS, completed, drawn
from lumiban.games.rengi.field import LETTERS
from places import TESTS
from thorough import examples

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
law = settings(max_examples=examples(60))
seeds = st.integers(0, 10**9)


@given(st.sampled_from([12, 14, 64, 128]), seeds)
@law
def test_a_loop_holds_every_colour_equally_often_and_begins_with_three_at_most(
    pairs: int, seed: int
) -> None:
    loop = drawn(pairs, seed)
    assert len(loop) == pairs
    counts = Counter(colour for pair in loop for colour in pair)
    assert counts == dict.fromkeys(COLOURS, pairs // 2)
    assert len({*loop[0], *loop[1]}) <= GOLDEN["open_supply"]["first2_max_colours"]


def test_the_papers_loop_can_be_given_as_a_list() -> None:
    example = GOLDEN["open_supply"]
    letters = dict(zip("○●◎☆", "RBYG", strict=True))
    top, bottom = example["example_top"], example["example_bottom"]
    pairs = [letters[child] + letters[axis] for child, axis in zip(bottom, top, strict=True)]
    game = Rengi(mode="open", list=",".join(pairs))
    position = game.start()
    shown = ["".join(LETTERS[c] for c in pair) for pair in game.next_pairs(position, 0)]
    assert shown == pairs
    assert len(pairs) == example["hands_seed_example"]
    assert example["blocks_per_colour"] == 6


@each(
    ("options", "said"),
    [
        ({"list": "RB,YP"}, "pair 2 of the list, 'YP', has an unknown letter 'P'"),
        ({"list": "RB,YGR"}, "pair 2 of the list is 'YGR': write two letters"),
        ({"list": ""}, "pair 1 of the list is ''"),
        ({"list": "RB,YG", "supply": "free"}, "takes no list"),
        ({"list": ",".join(["RB"] * 257)}, "the list has 257 pairs: at most 256"),
        ({"loop": 13}, "an even number of pairs, 12 to 64 or 128, not 13"),
        ({"loop": "63"}, "an even number of pairs"),
        ({"loop": 10}, "loop is one of by-mode, 12, 14"),
        ({"komi": 69}, "komi is 0 or at least the rate, 70 points"),
        ({"komi": "many"}, "komi is a number"),
        ({"rate": 0}, "rate is a number from 1"),
        ({"mirror_limit": "x"}, "mirror_limit is a number"),
        ({"mode": "puyo"}, "mode is one of open, free, tsu"),
        ({"ojama_unit": 2}, "ojama_unit is one of by-mode, 1, 3, 6, mixed"),
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, int | str], said: str) -> None:
    with pytest.raises(GameError, match=said) as caught:
        Rengi(**options)
    assert "\n" not in str(caught.value)


def test_a_view_hides_the_rest_of_the_list_the_chance_and_the_seed() -> None:
    game = Rengi(mode="tsu")
    position = game.start(5)
    for _ in range(6):
        side = game.movers(position)[0]
        position = game.play(position, game.moves(position, side)[0])
    made = max(sum(m.side == s and not m.is_word for m in position.history) for s in (0, 1))
    for knower in (0, 1, None):
        seen = game.view(position, knower)
        loop = seen.state[-256:]
        assert loop[: 2 * (made + 3)] == position.state[-256:][: 2 * (made + 3)]
        assert set(loop[2 * (made + 3) :]) == {0}
        assert seen.seed == 0
        assert position.seed == 5
        hidden = set(position.state) - set(seen.state)
        assert hidden == {position.state[8]}
        for who in (0, 1):
            assert game.next_pairs(seen, who) == game.next_pairs(position, who)
            assert game.field(seen, who) == game.field(position, who)


@given(seeds)
@law
def test_what_a_view_hides_is_guessed_as_a_loop_that_may_be(seed: int) -> None:
    game = Rengi(mode="tsu")
    seen = game.view(game.start(seed), 0)
    state = game.state(seen)
    loop = state.plan[-256:]
    assert loop[:6] == list(seen.state[-256:-250])
    assert Counter(loop) == dict.fromkeys(COLOURS, 64)
    assert state.plan == game.state(seen).plan


def test_guesses_differ_from_the_truth() -> None:
    game = Rengi(mode="tsu")
    truth = [game.state(game.start(s)).plan[-256:] for s in range(5)]
    guess = [game.state(game.view(game.start(s), 0)).plan[-256:] for s in range(5)]
    assert all(a != b for a, b in zip(truth, guess, strict=True))


def test_random_columns_are_hidden_in_open_modes_too() -> None:
    game = Rengi(mode="open", ojama_order="random")
    seen = game.view(game.start(3), 1)
    assert (seen.state[8], seen.seed) == (0, 0)
    assert game.next_pairs(seen, 0) == drawn(12, 3)


def test_a_completed_loop_keeps_what_is_known() -> None:
    known = ((1, 1), (2, 3))
    loop = completed(known, 12, 7)
    assert loop[:2] == known
    assert Counter(c for pair in loop for c in pair) == dict.fromkeys(COLOURS, 6)
