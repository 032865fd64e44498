"""Evening's bot in free play: when it stands, how soon it places, and that it starves no hand."""

from __future__ import annotations

import random
from itertools import pairwise
from statistics import median

import evening_duel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.base import Position
from lumiban.games.evening import Evening
from lumiban.search.bot import think
from lumiban.search.solve import solve
from lumiban.table import free_play
from lumiban.table.types import Settings
from thorough import examples
from virtual_table import VirtualTable


def at_random(seed: int, size: int, stones: int) -> tuple[Evening, Position]:
    """A turnless game after so many stones of the trailing form, by chance."""
    game = Evening(size=size)
    form = game.with_turns()
    assert form is not None
    chance = random.Random(seed)
    position = form.start()
    for _ in range(stones):
        moves = [m for side in form.movers(position) for m in form.moves(position, side)]
        if not moves:
            break
        position = form.play(position, chance.choice(moves))
    return game, game.position(form.stones(position))


def winner(game: Evening, position: Position) -> int | None:
    """Who wins if who trails places in turn, by the solver."""
    form = game.with_turns()
    assert form is not None
    return solve(form, form.position(game.stones(position)), compiled=False).winner


# Whether.


@settings(max_examples=examples(40))
@given(st.integers(0, 1 << 30), st.integers(2, 3), st.integers(1, 9), st.sampled_from([1, 20, 200]))
def test_who_trails_never_stands_while_a_stone_would_win(
    seed: int, size: int, stones: int, playouts: int
) -> None:
    """The other side stands; however little a bot has thought, it goes on if that is worth it."""
    game, position = at_random(seed, size, stones if size == 3 else min(stones, 4))
    leads = game.leader(position)
    position = game.play(position, game.parse(position, "stand", leads)) if (
        "stand" in game.words(position, leads)
    ) else position  # fmt: skip
    asked = None if game.outcome(position) else game.bot_position(position, 1 - leads)
    if asked is None:
        return
    thought = think(*asked, "strong", seed, playouts=playouts, compiled=False)
    if thought.move.is_word:
        assert winner(game, position) == leads


@pytest.mark.slow
@settings(max_examples=examples(12))
@given(st.integers(0, 1 << 30), st.integers(3, 8))
def test_who_leads_gives_no_won_game_away_by_a_stone_or_by_none(seed: int, stones: int) -> None:
    game, position = at_random(seed, 3, stones)
    leads = game.leader(position)
    asked = None if game.outcome(position) else game.bot_position(position, leads)
    if asked is None or asked[0].button_word(asked[1], leads) is None:
        return
    thought = think(*asked, "strong", seed, playouts=1_000, compiled=False)
    if winner(game, position) != leads:
        return
    if not thought.move.is_word:
        after = game.play(position, game.parse(position, thought.move.text))
        assert winner(game, after) == leads


@pytest.mark.slow
def test_who_has_lost_for_certain_stands_once_the_other_does() -> None:
    stood = 0
    for seed in range(60):
        game, position = at_random(seed, 3, 8)
        leads = game.leader(position)
        if game.outcome(position) or not game.open_cells(position, 1 - leads):
            continue
        if winner(game, position) != leads:
            continue
        asked = game.bot_position(position, 1 - leads)
        assert asked is not None
        goes_on = leads not in game.declined_to_move(position)
        thought = think(*asked, "strong", 1, playouts=1_500, compiled=False)
        assert not (goes_on and thought.move.is_word)
        if goes_on:
            position = game.play(position, game.parse(position, "stand", leads))
            asked = game.bot_position(position, 1 - leads)
            assert asked is not None
            thought = think(*asked, "strong", 1, playouts=1_500, compiled=False)
        assert thought.move.is_word
        stood += 1
        if stood == 4:
            return
    raise AssertionError("nobody had lost")


# When.


@pytest.mark.parametrize("seed", range(2))
def test_two_bots_finish_at_a_pace_that_one_can_follow(seed: int) -> None:
    session = evening_duel.play(3, ["bot:strong", "bot:hard"], seed, playouts=20)
    times = [at for at, _ in evening_duel.stones(session)]
    gaps = [later - sooner for sooner, later in pairwise(times)]
    assert len(gaps) >= 5
    assert min(gaps) >= 900_000
    assert median(gaps) <= 2_500_000


def against(level: str, seed: int, reaction_us: int | None = None) -> VirtualTable:
    """A person who opens and then looks on, against a bot."""
    table = VirtualTable(
        game="evening", options={"size": 3}, seats=("human", f"bot:{level}"), seed=seed,
        settings=Settings(reaction_us=reaction_us), playouts=30,
    )  # fmt: skip
    table.place("b2", 1)
    table.run(lambda t: len(t.session.match.history.played) >= 2, 20_000_000)
    return table


@pytest.mark.slow
def test_levels_react_in_their_own_time_and_never_quicker_than_a_person() -> None:
    found = {}
    for level in ("gentle", "strong"):
        played = against(level, 1).session.match.history.played
        found[level] = played[1].at_us - played[0].at_us
    assert free_play.MIN_REACTION_US <= found["strong"] < found["gentle"]
    quick = against("strong", 1, reaction_us=250_000).session.match.history.played
    assert quick[1].at_us - quick[0].at_us >= free_play.MIN_REACTION_US
    slow = against("strong", 1, reaction_us=3_000_000).session.match.history.played
    assert slow[1].at_us - slow[0].at_us >= 2_400_000


def test_the_page_sets_the_reaction_within_bounds() -> None:
    table = against("medium", 3)
    assert table.command("reaction", ms=400) is None
    assert table.session.match.settings.reaction_us == 400_000
    outside, no_number = "table.no-such-reaction", "table.missing"
    for wrong, id in ((249, outside), (10_001, outside), ("400", no_number), (True, no_number)):
        error = table.command("reaction", ms=wrong)
        assert error is not None
        assert error["id"] == id
    assert table.command("reaction", ms=None) is None
    assert table.session.match.settings.reaction_us is None


@pytest.mark.parametrize("seed", range(2))
def test_a_clumsy_hand_is_not_starved(seed: int) -> None:
    """A person sets, misses, lifts again; between two of the bot's stones there is their time."""
    table = against("strong", seed)
    chance = random.Random(seed)
    for _ in range(14):
        if table.finished:
            break
        names = table.session.match.history.game.grid.names
        free = [names[c] for c, kind in enumerate(table.view["pieces"]) if not kind]
        may = [names[c] for c in (table.view["open"] or [[]])[0]]
        wish = chance.choice(may if may and chance.random() < 0.6 else free)
        table.place(wish, 1)
        if table.view["dead"]:
            table.rest(chance.randrange(300_000, 1_200_000))
            table.lift(wish)
        table.rest(chance.randrange(200_000, 900_000))
    stones = evening_duel.stones(table.session)
    pairs = list(pairwise(stones))
    own = [b[0] - a[0] for a, b in pairs if a[1] == b[1] == 1]
    answers = [b[0] - a[0] for a, b in pairs if (a[1], b[1]) == (0, 1)]
    assert answers
    assert min(answers) >= free_play.MIN_REACTION_US
    assert all(gap >= free_play.GAPS_US[0] for gap in own)
