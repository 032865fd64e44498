"""Rengi's bot: what it builds, when it fires and answers, the same plain as compiled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import CLOCK, FACED, FACES, MOVER, PLACEMENTS, SIDE_SIZE, SIDES, A
from lumiban.games.rengi.field import FIELD_SIZE, OUT_SIZE, place_pair, resolve
from lumiban.games.rengi.options import MODES
from lumiban.search import jit
from lumiban.search.rengi import bot
from lumiban.search.rengi.bot import (
    IN_FREE_SUPPLY,
    RengiStrength,
    Rounds,
    _foresight,
    solo,
    strengths,
    think_rengi,
)
from lumiban.search.rengi.duel import EMPTY, HAND_FRAMES, Beams, Duel, Plans, Root, Shot
from rengi_positions import BARE, facing, field_of, ready, rengi, with_pair_first

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")
SMALL = RengiStrength(4, 3, 2, 2, 1, 1_000_000)
"""So little that plain Python does it at once."""


def wandered(game: Rengi, seed: int, plies: int) -> Any:
    """A position after some hands of a small bot against itself."""
    position = game.start(seed)
    for ply in range(plies):
        moves = game.moves(position, position.state[MOVER])
        position = game.play(position, moves[(7 * ply + 3 * seed) % len(moves)])
        if game.outcome(position) is not None:
            return game.start(seed)
    return position


def thought(game: Rengi, position: Any, **more: Any) -> Any:
    view = game.view(position, position.state[MOVER])
    more = {"playouts": 40, "compiled": False, "strength": SMALL, **more}
    return think_rengi(game, view, "strong", more.pop("seed", 1), **more)


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    "mode", ["open", *(pytest.param(mode, marks=pytest.mark.long) for mode in MODES[1:])]
)
def test_the_bot_plays_the_same_plain_and_compiled(mode: str) -> None:
    game = rengi(mode)
    position = wandered(game, 3, 6)
    plain, fast = (thought(game, position, compiled=compiled) for compiled in (False, True))
    assert plain == fast
    assert plain.pv[0] == plain.move


@pytest.mark.parametrize("mode", ["tsu", "shodai"])
def test_what_is_hidden_changes_no_thought(mode: str) -> None:
    game = rengi(mode)
    position = game.start(4)
    at = FACES + position.state[FACED]
    numbers = list(position.state)
    numbers[at + 2 * 10 : at + 2 * 40] = reversed(numbers[at + 2 * 10 : at + 2 * 40])
    other = replace(position, state=tuple(numbers))
    assert other != position
    assert thought(game, position) == thought(game, other)


@pytest.mark.slow
def test_a_chain_that_kills_is_fired() -> None:
    """The second player's field is full of ojama but for two rows: it has no answer."""
    mine, colour, _ = ready(6)
    game = rengi("open", list=with_pair_first(colour))
    theirs = field_of("O.....", *["OOOOOO"] * 10)
    position = game.setup(fields=(mine, theirs), to_move="first")
    found = thought(game, position, playouts=200, strength=replace(SMALL, depth=8, exchanges=2))
    assert len(game.chain(position, found.move).steps) >= 5, found
    assert found.value > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("theirs", "fires"), [(1, True), (7, False)])
def test_a_chain_is_fired_for_what_the_other_side_can_do_about_it(theirs: int, fires: bool) -> None:
    """Five steps fired now: against one step in answer they win, while seven steps that stand
    ready come back at once, and one more hand of building wins more, by the reading of the duel."""
    game, position, _ = facing(5, theirs)
    search = Rounds(game, position, replace(SMALL, depth=4, exchanges=2), 1, compiled=False)
    for _ in search.rounds():
        pass
    best: dict[bool, float] = {}
    for one in search.judged:
        chain = game.chain(position, game.move_of(position, one.code))
        best.setdefault(len(chain.steps) >= 4, one.value)
    assert (best[True] > best[False] + 0.05) == fires
    assert (best[False] > best[True] + 0.05) != fires


@pytest.mark.slow
def test_a_chain_on_its_way_is_answered() -> None:
    """A chain of four steps runs against a field that can answer with six at once."""
    game, position, colour = facing(4, 6)
    column = ready(4)[2]
    position = game.play(position, game.parse(position, f"{2 * colour}{column + 1}.0"))
    assert game.forecast(position, 1) != (0, 0)
    side = position.state[MOVER]
    assert side == 1
    fired = 0
    while position.state[MOVER] == 1 and game.outcome(position) is None and fired == 0:
        found = thought(game, position, playouts=15)
        fired = len(game.chain(position, found.move).steps) if found.move.text != "pass" else 0
        position = game.play(position, found.move)
    assert fired >= 5


@pytest.mark.slow
def test_what_cannot_be_offset_is_forestalled_by_a_chain_that_buries_first() -> None:
    """Seven steps last eleven hands; five steps are over before and bury the one who fired."""
    game, position, colour = facing(7, 5, "open-shodai")
    column = ready(7)[2]
    position = game.play(position, game.parse(position, f"{2 * colour}{column + 1}.0"))
    assert position.state[MOVER] == 1
    how = replace(SMALL, depth=3, exchanges=2)
    found = thought(game, position, strength=how, playouts=1_000)
    assert len(game.chain(position, found.move).steps) == 5, found
    assert found.value > 0.8


def test_of_two_sides_that_will_be_buried_the_later_one_is_better_off() -> None:
    game = rengi("shodai")
    state = game.state(game.start(1))
    duel = Duel(state, Beams(state.plan, compiled=False), compiled=False)
    state.board[SIDES + A] = state.board[SIDES + SIDE_SIZE + A] = 90
    assert duel.weighed(state, 0) == 0.5
    state.board[SIDES + SIDE_SIZE + CLOCK] += 5 * HAND_FRAMES
    assert duel.weighed(state, 0) < 0.1
    state.board[SIDES + SIDE_SIZE + A] = 6
    assert duel.weighed(state, 0) < 0.001


def test_a_hand_that_loses_at_once_is_not_played() -> None:
    game = rengi("open")
    tall = field_of(*["..O..."] * 1, *["OOOOOO"] * 10)
    position = game.setup(fields=(tall, BARE), to_move="first")
    move = thought(game, position).move
    assert game.outcome(game.play(position, move)) is None


def test_a_beam_finds_the_hands_that_make_its_chain() -> None:
    game = rengi("open")
    plan = game.state(game.start(1)).plan
    pairs = [1, 2, 3, 4] * 4
    plans = Beams(plan, compiled=False).run(EMPTY, pairs, 0, 6, 7)
    assert plans.shots
    for shot in plans.shots:
        field, out, steps = [0] * FIELD_SIZE, [0] * OUT_SIZE, 0
        for code in shot.hands:
            pair, place = divmod(code, PLACEMENTS)
            place_pair(field, 0, pair // 4 + 1, pair % 4 + 1, place // 4, place % 4, 0)
            steps = resolve(field, 0, 0, out)
        assert (steps, out[1]) == (shot.steps, shot.points)


@pytest.mark.jit
@needs_numba
def test_a_chain_built_alone_is_long() -> None:
    """A narrow beam; the figure for a wide one is that of `bench rengi --solo`."""
    found = [solo(rengi("open"), seed, width=40, depth=10) for seed in (0, 1, 2)]
    assert min(one.steps for one in found) >= 10
    assert max(one.hand for one in found) <= 40


def test_a_stop_ends_the_thought_with_a_hand() -> None:
    game = rengi("free")
    position = game.start(1)
    found = think_rengi(game, position, "strong", 1, compiled=False, stop=lambda: True)
    assert game.why_not(position, found.move.side, found.move) is None


def test_progress_is_heard() -> None:
    heard: list[tuple[int, int]] = []
    game = rengi("open")
    thought(game, game.start(1), progress=lambda done, of: heard.append((done, of)))
    assert heard
    assert heard == sorted(heard)


def test_without_offset_the_bot_builds_what_buries_soonest() -> None:
    """An empty field holds 12 rows of six ojama over column 3, 70 points each."""
    quick, long = Shot((4, 5), 5_040, 5, 0), Shot((1, 2, 3), 30_000, 10, 0)
    roots = (Root(1, 8, 9_000), Root(4, 6, 1_000))
    plans = Plans((quick, long), (1,), 10, 9_000, roots, 0)
    few = replace(plans, shots=(replace(quick, points=4_969), long))
    duels = {
        mode: Duel(state, Beams(state.plan, compiled=False), compiled=False)
        for mode in ("open", "open-shodai")
        for game in [rengi(mode)]
        for state in [game.state(game.start(1))]
    }
    race = duels["open-shodai"]
    assert race.burial(race.root, plans) == quick
    assert race.burial(race.root, few) == long
    assert race.burial(race.root, replace(few, shots=few.shots[:1])) is None
    assert duels["open"].burial(duels["open"].root, plans) is None
    behind = _foresight([plans], [quick])
    assert behind[4] < behind[1]
    behind = _foresight([plans], [None])
    assert behind[1] < behind[4]


def test_a_level_slips_as_its_mode_says(monkeypatch: pytest.MonkeyPatch) -> None:
    game = rengi("free-shodai")
    always = replace(strengths(game)["medium"], slips=1.0)
    monkeypatch.setitem(IN_FREE_SUPPLY, "medium", always)
    view = game.view(game.start(1), 0)
    assert think_rengi(game, view, "medium", 3, playouts=4, compiled=False).visits == 0
    loop = rengi("open")
    view = loop.view(loop.start(1), 0)
    assert think_rengi(loop, view, "medium", 3, playouts=4, compiled=False).visits > 0


def test_a_thought_ends_within_a_slice_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock finds it 8 ms later, as after a slice of work."""
    looks = 0

    def clock() -> int:
        nonlocal looks
        looks += 1
        return 8_000 * looks

    monkeypatch.setattr(bot, "_now_us", clock)
    game = rengi("tsu")
    view = game.view(game.start(1), 0)
    found = think_rengi(game, view, "strong", 1, longest_us=80_000, compiled=False)
    assert game.why_not(view, found.move.side, found.move) is None
    assert looks <= 14


def test_an_ordinary_pass_is_made_where_every_hand_loses() -> None:
    game = Rengi(mode="open", normal_pass="on", begins="first", clock="none")

    def columns(*high: int) -> str:
        return "/".join(
            "".join("RBYG"[(row + 2 * c) % 4] if row < high[c] else "." for c in range(6))
            for row in range(12, -1, -1)
        )

    fields = (columns(13, 13, 11, 13, 13, 13), columns(2, 2, 2, 2, 2, 2))
    position = game.setup(fields=fields)
    assert [move.text for move in game.moves(position, 0)] == ["GG3.0", "pass"]
    assert thought(game, position, playouts=2).move.text == "pass"
