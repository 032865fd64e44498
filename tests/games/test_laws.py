"""Laws of every game: its kernel against its positions, its list of moves against what it reads,
refuses and undoes. What only one game promises stands in tests/unit/games."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lumiban import games
from lumiban.games import Game, Move, Position
from lumiban.games.control import kernel as control
from lumiban.games.doves import kernel as doves
from lumiban.games.evening import kernel as evening
from lumiban.games.registry import OURS_BY_NAME
from lumiban.games.rengi import arrays as rengi
from lumiban.games.rengi.options import MODES
from lumiban.games.simple import SimpleGame
from lumiban.search import jit
from thorough import examples

seeds = st.integers(0, 10**9)
law = settings(max_examples=examples(30))
sees = st.sampled_from(["adjacent", "sight"])
openings = st.sampled_from(["perimeter", "free", "12*"])
RING = "0,0 1,0 2,0 3,0 0,1 3,1 -1,2 3,2 -1,3 0,3 1,3 2,3"


def of_control(game: Game, state: Any) -> list[int]:
    """The board without unused room."""
    return numbers(
        state.board[: control.STONE + 2 * state.plan[control.CELLS] + state.board[control.FACED]]
    )


def of_evening(game: Game, state: Any) -> list[Any]:
    """What a board says, whatever the order of the stones: groups by their cells, not by roots."""
    cells, first = len(game.grid), evening.STONE
    board = numbers(state.board)
    stones, lean = board[first : first + cells], board[first + cells : first + 2 * cells]
    groups: dict[int, list[int]] = {}
    for cell in range(cells):
        if stones[cell]:
            groups.setdefault(board[first + 2 * cells + cell], []).append(cell)
    sizes = [(group, board[first + 4 * cells + root]) for root, group in groups.items()]
    seen = [lean[cell] for cell in range(cells) if stones[cell] == 0]
    return [board[:first], stones, seen, sorted(sizes), board[first + 5 * cells :]]


def of_doves(game: Game, state: Any) -> list[int]:
    """The board and what was faced, but for the number of plies, which a position does not keep."""
    board = numbers(state.board)
    faced = numbers(state.past[doves.FACES : doves.FACES + state.board[doves.FACED]])
    return board[:1] + board[2:] + faced


def of_rengi(game: Game, state: Any) -> list[Any]:
    """The fields and what was faced, and the plan, which the options give."""
    return [numbers(state.board[: rengi.FACES + state.board[rengi.FACED]]), list(state.plan)]


def numbers(board: Any) -> list[int]:
    return [int(number) for number in board]


@dataclass(frozen=True)
class Case:
    """A game with the options that its laws are tried with, and what of its State counts."""

    slug: str
    options: st.SearchStrategy[dict[str, Any]]
    content: Callable[[Game, Any], Any]
    plies: int = 200
    trace: int = 1
    """Room for a playout beside the most moves of a game."""
    kinds: tuple[str, ...] = ()
    """How moves on a cell are written before its name, in the order of their codes."""
    compiled: tuple[dict[str, Any], ...] = ()

    def __str__(self) -> str:
        return self.slug


CASES = (
    Case(
        "control",
        st.fixed_dictionaries({"size": st.integers(2, 5), "opening": openings, "sees": sees}),
        of_control,
        kinds=("", "x"),
        compiled=(
            {"size": 5},
            {"size": 2, "opening": "free"},
            {"size": 4, "opening": "12*"},
            {"size": 6},
            {"size": 8, "opening": "12*"},
            {"size": 3, "sees": "sight"},
            {"size": 5, "sees": "sight", "opening": "12*"},
        ),
    ),
    Case(
        "evening",
        st.fixed_dictionaries(
            {
                "sees": st.sampled_from(["groups", "adjacent", "sight"]),
                "wins": st.sampled_from(["cascade", "stones"]),
                "tie": st.sampled_from(["even", "odd-even"]),
                "turns": st.sampled_from(["turnless", "trailing"]),
            },
        ).flatmap(
            lambda rules: st.one_of(
                st.integers(2, 6).map(lambda size: {"size": size, **rules}),
                st.just({"cells": RING, **rules}),
            )
        ),
        of_evening,
        trace=2,
        kinds=("w", "b"),
        compiled=(
            {"size": 5, "turns": "trailing"},
            {"size": 5, "tie": "odd-even"},
            {"size": 2},
            {"size": 5, "sees": "adjacent", "wins": "stones", "tie": "odd-even"},
            {"size": 4, "sees": "sight"},
            {"size": 8},
            {"size": 6, "sees": "adjacent", "turns": "trailing"},
            {"cells": RING},
        ),
    ),
    Case(
        "trivia",
        st.fixed_dictionaries({"size": st.integers(2, 9)})
        | st.fixed_dictionaries({"size": st.integers(2, 8), "cells": st.just("hexagons")}),
        lambda game, state: numbers(state.board),
        kinds=("", "x", "red "),
        compiled=(
            *({"size": size} for size in (2, 3, 6, 9, 14)),
            *({"size": size, "cells": "hexagons"} for size in (2, 5, 8)),
        ),
    ),
    Case(
        "doves",
        st.fixed_dictionaries(
            {
                "repetition": st.sampled_from(["strong", "normal", "weak", "off"]),
                "initial": st.sampled_from(["forbidden", "allowed"]),
                "remove": st.sampled_from(["on", "off"]),
                "both": st.sampled_from(["mover-loses", "mover-wins", "draw"]),
            }
        ),
        of_doves,
        plies=25,
    ),
    Case(
        "rengi",
        st.fixed_dictionaries(
            {
                "mode": st.sampled_from(MODES),
                "ojama_unit": st.sampled_from(["by-mode", "1", "6", "mixed"]),
                "interrupt": st.sampled_from(["on", "off"]),
                "normal_pass": st.sampled_from(["on", "off"]),
                "wall_cross": st.sampled_from([1, 2, 3]),
                "otsuri": st.sampled_from(["on", "off"]),
            }
        ),
        of_rengi,
        plies=30,
    ),
)
BY_SLUG = {case.slug: case for case in CASES}
every_game = pytest.mark.parametrize("slug", BY_SLUG)
of_stones = pytest.mark.parametrize("slug", ["control", "evening", "trivia"])
"""Games whose pictures keep every stone that was set."""


def test_every_built_in_game_is_held_to_these_laws() -> None:
    # Their relatives are held to them as games in plain Python are, by `games check`.
    assert set(OURS_BY_NAME) == set(BY_SLUG)


@cache
def loaded(slug: str, options: tuple[tuple[str, Any], ...]) -> Game:
    return games.load(slug, **dict(options))


def drawn(data: st.DataObject, slug: str) -> tuple[Case, Game, random.Random]:
    """The case of a game, the game with options, and a source of moves."""
    case = BY_SLUG[slug]
    game = loaded(slug, tuple(data.draw(case.options).items()))
    return case, game, random.Random(data.draw(seeds))


def ways(case: Case, game: Game, rng: random.Random) -> Iterator[tuple[Position, Any]]:
    """Each position of a random game with the State that is played along, stands included."""
    position = game.start(rng.randrange(1000)) if case.slug == "rengi" else game.start()
    state = game.state(position)
    yield position, state
    for _ in range(rng.randrange(case.plies)):
        moves = [move for side in game.movers(position) for move in game.moves(position, side)]
        if game.turnless and position.history:
            sides = [side for side in (0, 1) if side not in game.declined_to_move(position)]
            moves += [game.parse(position, "stand", side) for side in sides]
        if not moves or game.outcome(position) is not None:
            return
        move = rng.choice(moves)
        position = game.play(position, move)
        state.play(2 * len(game.grid) + move.side if move.is_word else move.code)
        yield position, state


@every_game
@given(st.data())
@settings(max_examples=examples(20))
def test_the_state_that_a_game_keeps_of_the_last_position_is_a_fresh_one(
    slug: str, data: st.DataObject
) -> None:
    case, game, rng = drawn(data, slug)
    for position, _ in ways(case, game, rng):
        kept = getattr(game, "_last", None)
        if kept is not None and (kept[0] is position or kept[0] is position.state):
            assert case.content(game, kept[1]) == case.content(game, game.state(position))


@every_game
@given(st.data())
@law
def test_a_state_played_on_equals_one_made_from_the_position(
    slug: str, data: st.DataObject
) -> None:
    case, game, rng = drawn(data, slug)
    for position, state in ways(case, game, rng):
        made = game.state(position)
        assert case.content(game, state) == case.content(game, made)
        assert state.outcome() == made.outcome()
        assert state.mover() == made.mover()
        assert state.key() == made.key()
        outcome = game.outcome(position)
        if outcome is None:
            assert state.outcome() == -1
        elif outcome.winner is not None:
            assert state.outcome() == 1 + outcome.winner


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["control", "trivia"])
@given(st.data())
@settings(max_examples=examples(60))
def test_a_kernel_made_by_hand_plays_the_games_own_rule(slug: str, data: st.DataObject) -> None:
    accepted = {option.name: option.values for option in games.game_class(slug).accepts}
    chosen = {name: data.draw(st.sampled_from(values)) for name, values in accepted.items()}
    assume(int(chosen["size"]) <= (8 if chosen.get("cells") == "hexagons" else 14))
    game = loaded(slug, tuple(chosen.items()))
    assert isinstance(game, SimpleGame)
    rng = random.Random(data.draw(seeds))
    *_, position = islice(at_random(game, rng), data.draw(st.integers(1, 30)))
    fast, rule = game.state(position), game.plain_state(position)
    outs = [0] * (game.capacity[0] + 1), [0] * (3 * len(game.grid) + 1)
    for _ in range(30):
        codes = sorted(outs[0][: fast.moves(outs[0])])
        assert codes == sorted(outs[1][: rule.moves(outs[1])])
        assert (fast.mover(), fast.outcome()) == (rule.mover(), rule.outcome())
        if not codes:
            return
        code = rng.choice(codes)
        fast.play(code)
        rule.play(code)
    trace = [0] * (game.capacity[1] + 1)
    ends = fast.playout([rng.randrange(10**9)], trace)
    for code in trace[1 : trace[0] + 1]:
        assert code in outs[1][: rule.moves(outs[1])]
        rule.play(code)
    assert ends == rule.outcome()


def at_random(game: Game, rng: random.Random) -> Iterator[Position]:
    """The positions of a random game from the first in which stones are moved on."""
    position = game.start()
    while movers := game.movers(position):
        side = movers[0]
        moves = game.moves(position, side)
        if moves:
            yield position
        words = [word for word in game.words(position, side) if word not in ("resign", "stop")]
        word = "done" if "done" in words else rng.choice(words or [""])
        move = rng.choice(moves) if moves else game.parse(position, word, side)
        position = game.play(position, move)
    yield position


@every_game
@given(st.data())
@law
def test_assign_copies_the_board_and_shares_nothing_that_changes(
    slug: str, data: st.DataObject
) -> None:
    case, game, rng = drawn(data, slug)
    way = list(ways(case, game, rng))
    (start, _), (_, played) = way[0], way[-1]
    first, copy = game.state(start), game.state(start)
    copy.assign(played)
    content = case.content(game, played)
    assert case.content(game, copy) == content
    assert copy.board is not played.board
    out = [0] * game.capacity[0]
    if count := copy.moves(out):
        copy.play(out[rng.randrange(count)])
        assert case.content(game, played) == content
    copy.assign(first)
    assert case.content(game, copy) == case.content(game, first)


@pytest.mark.one_case
@of_stones
@given(st.data())
@law
def test_every_refusal_agrees_with_the_list_of_moves(slug: str, data: st.DataObject) -> None:
    case, game, rng = drawn(data, slug)
    *_, (position, _) = ways(case, game, rng)
    names = game.grid.names
    for side in (0, 1):
        listed = {move.code for move in game.moves(position, side)}
        for code in range(len(case.kinds) * len(names)):
            kind, cell = divmod(code, len(names))
            mover = kind if slug == "evening" else side
            move = Move(mover, case.kinds[kind] + names[cell], code)
            assert (game.why_not(position, side, move) is None) == (code in listed)


@every_game
@pytest.mark.parametrize("code", [99_999, -5])
def test_moves_that_are_not_of_this_game_are_refused(slug: str, code: int) -> None:
    game = games.load(slug)
    position = game.start()
    side = game.movers(position)[0]
    for move in (Move(side, "q99", code), Move(side, "dance")):
        refusal = game.why_not(position, side, move)
        assert refusal is not None
        assert refusal.rule.startswith(f"{slug}.")


def play_out(root: Any, state: Any, rng: Any, trace: Any, out: Any, sums: Any, games: int) -> None:
    """Play games at random twice over, by `playout` and move by move; their marks go to `sums`."""
    for _ in range(games):
        state.assign(root)
        trace[0] = 0
        code = state.playout(rng, trace)
        state.assign(root)
        for i in range(1, trace[0] + 1):
            n = state.moves(out)
            sums[0] = (sums[0] * 31 + n + 7 * trace[i] + state.mover()) & 0xFFFFFFFFFF
            for j in range(n):
                sums[0] = (sums[0] * 31 + out[j]) & 0xFFFFFFFFFF
            state.play(trace[i])
            sums[1] ^= state.key()
        sums[2] += state.moves(out) + (1 if state.outcome() != code else 0)
        sums[3] += trace[0]


@pytest.mark.jit
@pytest.mark.skipif(not jit.available(), reason="numba is not installed")
@pytest.mark.parametrize(
    ("case", "options"),
    [
        pytest.param(
            case,
            options,
            id=case.slug + "-" + "-".join(str(value)[:9] for value in options.values()),
        )
        for case in CASES
        for options in case.compiled
    ],
)
def test_compiled_games_are_the_plain_ones_move_by_move(
    case: Case, options: dict[str, Any]
) -> None:
    game = games.load(case.slug, **options)
    results = []
    for is_compiled in (False, True):
        root, state = game.state(game.start()), game.state(game.start())
        room = game.capacity[1] + case.trace
        arrays: list[Any] = [[11], [0] * room, [0] * game.capacity[0], [0] * 4]
        run: Callable[..., Any] = play_out
        if is_compiled:
            root, state = jit.compiled_state(root), jit.compiled_state(state)
            arrays = [jit.ints(values) for values in arrays]
            run = jit.compiled(play_out, type(root))
        run(root, state, *arrays, 20)
        results.append((numbers(arrays[3]), int(arrays[0][0]), case.content(game, state)))
    plain, compiled = results
    assert plain == compiled
    assert plain[0][2] == 0
    assert plain[0][3] > 0
    if case.slug == "trivia":
        assert plain[0][3] == 20 * len(game.grid)
