"""Tokyo Doves' kernel: the laws of its rules, a second implementation, and the compiled one."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import doves_by_the_book as book
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games import Position
from lumiban.games.doves import Doves
from lumiban.games.doves.kernel import (
    BOTH,
    ENDED,
    FACED,
    FACES,
    MAX_ACTIONS,
    MOVES,
    NORMAL,
    REPEAT,
    ROOM,
    STRONG,
    fresh,
    key_of,
    places_in,
)
from lumiban.games.kernel import play_out
from lumiban.search import jit
from thorough import examples

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

law = settings(max_examples=examples(30))
seeds = st.integers(0, 10**9)
rule_sets = st.fixed_dictionaries(
    {
        "repetition": st.sampled_from(["strong", "normal", "weak", "off"]),
        "initial": st.sampled_from(["forbidden", "allowed"]),
        "remove": st.sampled_from(["on", "off"]),
        "both": st.sampled_from(["mover-loses", "mover-wins", "draw"]),
    }
)


@cache
def doves(**options: str) -> Doves:
    return Doves(**options)


def random_board(rng: random.Random) -> book.Board:
    """A board of 2 to 12 doves that the rules allow."""
    while True:
        letters = ["B", "b", *rng.sample("AYMTHaymth", rng.randrange(11))]
        cells = rng.sample([(r, c) for r in range(4) for c in range(4)], len(letters))
        board = dict(zip(letters, cells, strict=True))
        if book.stands(board):
            return board


def text_of(board: book.Board) -> str:
    top = min(r for r, _ in board.values())
    left = min(c for _, c in board.values())
    rows, columns = book.spread(board)
    at = {(r - top, c - left): letter for letter, (r, c) in board.items()}
    return "/".join("".join(at.get((r, c), ".") for c in range(columns)) for r in range(rows))


def after_each(game: Doves, position: Position) -> dict[str, book.Form]:
    side = position.state[0]
    return {
        move.text: book.form(book.read(game.board_text(game.play(position, move))))
        for move in game.moves(position, side)
    }


@given(seeds, st.sampled_from(["on", "off"]))
@settings(max_examples=examples(150))
def test_any_position_has_the_actions_of_the_book(seed: int, remove: str) -> None:
    rng = random.Random(seed)
    board, side = random_board(rng), rng.randrange(2)
    game = doves(repetition="off", initial="allowed", remove=remove)
    position = game.setup(board=text_of(board), to_move=side)
    ended = book.surrounded(board)
    for who in (0, 1):
        assert game.scores(position)[who][1] == len(book.air(board, who))
    if any(ended):
        outcome = game.outcome(position)
        assert outcome is not None
        loser = 1 - side if all(ended) else ended.index(True)
        assert outcome.winner == 1 - loser
        return
    wanted = {
        book.noted(board, action): book.form(after)
        for action, after in book.actions(board, side, remove == "on")
    }
    assert after_each(game, position) == wanted
    assert len(wanted) <= 61


def small(rng: random.Random, legal: dict[str, book.Board]) -> str:
    """An action that keeps few doves on the board, so that positions come again."""
    fewest = min(len(board) for board in legal.values())
    limit = max(fewest, 3 if rng.random() < 0.8 else 4)
    return rng.choice([text for text, board in sorted(legal.items()) if len(board) <= limit])


@pytest.mark.slow
def test_claims_are_open_exactly_when_the_book_says() -> None:
    claims = 0
    game = doves(repetition="weak", initial="allowed")
    for seed in range(30):
        rng = random.Random(seed)
        position = game.start()
        slow = book.Game("weak", "allowed", "on", book.read("b/B"), book.RED)
        for _ in range(30):
            legal = slow.legal()
            text = small(rng, legal)
            mover = slow.side
            position = game.play(position, game.parse(position, text))
            again = slow.play(legal[text])
            if game.outcome(position) is not None:
                break
            assert ("claim" in game.words(position, 1 - mover)) == again
            assert "claim" not in game.words(position, mover)
            claims += again
    assert claims > 20


@pytest.mark.slow
@given(seeds)
@law
def test_turned_and_mirrored_positions_have_turned_and_mirrored_actions(seed: int) -> None:
    rng = random.Random(seed)
    board, side = random_board(rng), rng.randrange(2)
    game = doves(repetition="off", initial="allowed")
    wanted: set[frozenset[book.Form]] | None = None
    for image in book.images(board):
        position = game.setup(board=text_of(image), to_move=side)
        if not game.movers(position):
            return
        # All eight pictures of each board that comes next: they do not depend on the turning.
        found = {
            frozenset(book.form(turned) for turned in book.images(dict(after)))
            for after in after_each(game, position).values()
        }
        wanted = wanted or found
        assert found == wanted


@given(seeds)
@law
def test_the_keys_tell_positions_apart_and_nothing_else(seed: int) -> None:
    rng = random.Random(seed)
    first, second = random_board(rng), random_board(rng)
    game, turned = doves(repetition="off", initial="allowed"), doves(initial="allowed")
    image = rng.choice(book.images(first))

    def key(board: book.Board, side: int) -> int:
        return game.state(game.setup(board=text_of(board), to_move=side)).key()

    def faced(board: book.Board, side: int) -> int:
        return turned.setup(board=text_of(board), to_move=side).state[-1]

    assert 0 <= key(first, 1) < 2**61
    assert (key(first, 0) == key(image, 0)) == (book.form(first) == book.form(image))
    assert (key(first, 0) == key(second, 0)) == (book.form(first) == book.form(second))
    assert key(first, 0) != key(first, 1)
    assert faced(first, 1) == faced(image, 1) != faced(first, 0)


@given(rule_sets, seeds)
@law
def test_a_game_goes_on_exactly_while_the_mover_has_an_action(
    options: dict[str, Any], seed: int
) -> None:
    """The outcome takes short cuts past the list of actions; few doves are where bans bite."""
    rng = random.Random(seed)
    game = doves(**options)
    state, out = game.state(game.start()), [0] * MAX_ACTIONS
    for _ in range(80):
        found = out[: state.moves(out)]
        if state.board[ENDED] == 0:
            assert (state.outcome() == -1) == (found != [])
        if state.outcome() != -1:
            return
        fewer = [code for code in found if code >= MOVES]
        state.play(rng.choice(fewer if fewer and rng.random() < 0.8 else found))
        if state.plan[REPEAT] >= NORMAL:
            last = state.past[FACES + state.board[FACED] - 1]
            mover, turned = state.mover(), state.plan[REPEAT] == STRONG
            assert last == key_of(state.board, mover, turned)


def stuck_but_for(state: Any, left_out: int) -> Any:
    """The same doves and mover, every position that an action leads to faced before; but for the
    one numbered so, unless it is −1."""
    rules = {"repeat": state.plan[REPEAT], "no_initial": True, "both": state.plan[BOTH]}
    doves, mover, out = places_in(state.board), state.mover(), [0] * MAX_ACTIONS
    faced = []
    # All that could be done if nothing had been faced.
    for code in out[: fresh(doves, mover, **rules).moves(out)]:
        after = fresh(doves, mover, **rules)
        after.play(code)
        faced.append(after.past[FACES + after.board[FACED] - 1])
    gone = faced[left_out % len(faced)] if left_out >= 0 else -1
    return fresh(doves, mover, **rules, faced=[key for key in faced if key != gone])


@given(st.sampled_from(["normal", "strong"]), seeds)
@law
def test_a_mover_whose_every_action_was_faced_before_has_lost(repetition: str, seed: int) -> None:
    rng = random.Random(seed)
    state, out = doves(repetition=repetition).state(doves().start()), [0] * MAX_ACTIONS
    for _ in range(rng.randrange(30)):
        n = state.moves(out)
        if state.outcome() != -1:
            return
        state.play(rng.choice(out[:n]))
    if state.board[ENDED] != 0:
        return
    stuck, free = stuck_but_for(state, -1), stuck_but_for(state, seed)
    assert (stuck.moves(out), stuck.outcome()) == (0, 2 - state.mover())
    assert (free.moves(out) > 0, free.outcome()) == (True, -1)


def test_a_playout_without_a_ban_stops_at_last_and_is_a_draw() -> None:
    game = doves(repetition="off", initial="allowed")
    state = game.state(game.start())
    moves = ("BN1E1", "bS1W1"), ("BN1W1", "bS1E1")
    position = game.start()
    for ply in range(ROOM):
        text = moves[ply // 2 % 2][ply % 2]
        wanted = [m for m in game.moves(position, ply % 2) if m.text[0] in "Bb"]
        move = next((m for m in wanted if m.text == text), wanted[0])
        assert state.outcome() == -1
        state.play(move.code)
        position = game.play(position, move)
    assert state.outcome() == 0
    assert state.playout([1], [0] * 10) == 0
    assert game.outcome(position) is None


@pytest.mark.jit
@needs_numba
@given(rule_sets, seeds)
@settings(max_examples=examples(20))
def test_compiled_games_are_the_plain_ones(options: dict[str, Any], seed: int) -> None:
    game = doves(**options)
    runs = []
    for compiled in (False, True):
        root, state = game.state(game.start()), game.state(game.start())
        trace: Any = [0] * (game.capacity[1] + 2)
        rng: Any = [seed]
        run: Any = play_out
        if compiled:
            assert jit.fits(root)  # by the library that all tests share
            run = jit.compiled(play_out, type(root))
            root, state = jit.compiled_state(root), jit.compiled_state(state)
            trace, rng = jit.ints(trace), jit.ints(rng)
        moves = int(run(root, state, rng, trace, 3))
        used = FACES + int(state.board[FACED])
        told = list(trace)[: int(trace[0]) + 1]
        runs.append((moves, told, list(rng), list(state.board), list(state.past[:used])))
    assert runs[0] == runs[1]
