"""The law of what is shown: whatever a bot may know, the page's document tells, and it tells
nothing that a mode hides. Held for every game, its options and all roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conversations import talk
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import LightFrame
from lumiban.errors import BoardError, GameError
from lumiban.games import Game, Position, gate
from lumiban.games.registry import OURS_BY_NAME, RELATIVES
from lumiban.games.rengi import arrays
from lumiban.games.rengi.arrays import FACED, FACES, FIELDS, RNG
from lumiban.games.rengi.base import RengiRules
from lumiban.games.rengi.field import FIELD_SIZE, LETTERS
from lumiban.games.simple import SimpleGame
from lumiban.table.fitting import fit, profile_for
from lumiban.table.session import Session
from places import ROOT
from shown import as_page_has_it
from thorough import examples

EXAMPLES = [str(ROOT / "examples" / f"{name}.py") for name in ("hex", "y", "gomoku", "reversi")]
SLUGS = (
    *OURS_BY_NAME,
    "chain-power",
    *RELATIVES,
    *(pytest.param(path, id=Path(path).stem, marks=pytest.mark.slow) for path in EXAMPLES),
)
HUMANS = ("human", "human")
DARK = LightFrame((), ())
LISTS = ("none", "RB,YG,RR", "RB,YG")
Document = Mapping[str, Any]


@pytest.fixture(autouse=True, scope="module")
def may_run() -> Iterator[None]:
    """The examples are run here: somebody has named them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(gate.NAMED, "")
        for example in EXAMPLES:
            gate.name(example)
        yield


def every_option(slug: str) -> st.SearchStrategy[dict[str, int | str]]:
    """Options of a game, each with any of its values or left out; free ones with some of theirs."""
    kind = type(games.load(slug))
    free: dict[str, tuple[int | str, ...]] = {
        "list": LISTS,
        "komi": ("0", "140"),
        "mirror_limit": ("8", "off", "0"),
        "rate": ("70", "10"),
        "day": ("none", "20261123"),
        "cells": ("none",),
        "layout": ("fixed", "random", "rings", "low"),
    }
    values = {
        option.name: st.sampled_from(
            free.get(option.name, option.values) if option.free else option.values
        )
        for option in kind.accepts
    }
    return st.fixed_dictionaries({}, optional=values)


def table(slug: str, options: Mapping[str, int | str], seed: int) -> Session:
    """A table of two people at a board that holds the game."""
    try:
        game = games.load(slug, **options)
        profile = load(profile_for(game))
        fit(game, profile)
        game.start()
    except (GameError, BoardError):
        assume(False)
        raise
    seats = HUMANS if slug != "chain-power" else ("human", "nobody")
    return Session(game, profile, seats[: len(game.sides)], hint="control", seed=seed)


def document(session: Session) -> Document:
    """What pages are told of this moment, whoever looks."""
    session.step(0)
    assert session.shown.view is not None
    return as_page_has_it(session.shown.view)


def played(session: Session, chance: Random, plies: int) -> Iterator[Position]:
    """The positions of a game by random moves."""
    match = session.match
    yield match.position
    for _ in range(plies):
        game, position = match.game, match.position
        moves = [move for side in game.movers(position) for move in game.moves(position, side)]
        if match.outcome is not None or not moves:
            return
        match.play(chance.choice(moves), session.board_now(), "test")
        yield match.position


class Onlooker:
    """Somebody who knows the rules, and of this game only what the page told."""

    def __init__(self, game: Game, told: Document) -> None:
        options = {name: told["game"]["options"][name] for name in game.options}
        if options.get("begins") == "random":
            options["begins"] = game.sides[told["to_move"][0]]
        self.game = type(game)(**options) if isinstance(game, RengiRules) else game
        self.position = self.corrected(self.game.start(), told)

    def see(self, told: Document, rng: int) -> None:
        """One more move was played. Chance is seen by what comes of it: `rng` is as it was."""
        move = told["moves"][-1]
        if isinstance(self.game, RengiRules):
            numbers = list(self.position.state)
            numbers[RNG] = rng
            self.position = replace(self.position, state=tuple(numbers))
        played = self.game.play(
            self.position, self.game.parse(self.position, move["text"], move["side"])
        )
        self.position = self.corrected(played, told)

    def corrected(self, position: Position, told: Document) -> Position:
        """The position with the numbers on cells and the pairs that the page shows, and zeros for
        those pairs that it does not."""
        if isinstance(self.game, SimpleGame) and self.game.shows:
            cells = len(self.game.grid)
            shown = tuple(int(number or 0) for number in told["numbers"])
            state = position.state
            return replace(position, state=(*state[:cells], *shown, *state[2 * cells :]))
        if not isinstance(self.game, RengiRules):
            return position
        loop = told["lit"]["loop"]
        known = [LETTERS.index(letter) for pair in loop["pairs"] for letter in pair]
        hidden = 2 * loop["size"] - len(known)
        board = position.state[: FACES + position.state[FACED]]
        return replace(position, state=(*board, *known, *[0] * hidden))


def known(state: Sequence[Any], game: Game) -> Any:
    """What counts of a position's numbers: not chance to come, nor keys made of all the others."""
    if not isinstance(game, RengiRules):
        return state
    board = [*state[:RNG], *state[RNG + 1 : FACES]]
    return board, state[FACES + state[FACED] :]


@pytest.mark.one_case
@pytest.mark.parametrize("slug", SLUGS)
@given(st.data())
@settings(max_examples=examples(40))
def test_whatever_a_bots_view_holds_the_page_shows(slug: str, data: st.DataObject) -> None:
    session = table(slug, data.draw(every_option(slug)), data.draw(st.integers(0, 10**6)))
    chance = Random(data.draw(st.integers(0, 10**9)))
    game = session.match.game
    way = played(session, chance, data.draw(st.integers(0, 40)))
    at = next(way)
    onlooker = Onlooker(game, document(session))
    for position in way:
        rng = at.state[RNG] if isinstance(game, RengiRules) else 0
        told = document(session)
        if told["outcome"] is not None:
            return
        onlooker.see(told, rng)
        assert told["to_move"] == list(game.movers(position))
        assert told["pieces"] == [int(kind) for kind in game.pieces(position)]
        for role in (None, 0, 1):
            view = game.view(position, role)
            assert known(onlooker.position.state, game) == known(view.state, game)
        if isinstance(game, RengiRules):
            lit, loop = told["lit"], game.loop(position)
            assert (lit["loop"]["size"], lit["loop"]["places"]) == (loop.size, list(loop.places))
            for side, rows in enumerate(lit["fields"]):
                shown = [[LETTERS.index(letter) for letter in row] for row in rows]
                assert shown == [list(row) for row in game.field(position, side)]
                assert tuple(lit["forecast"][side]) == game.forecast(position, side)
                assert lit["points"][side] == game.points(position, side)
                if slug != "chain-power" or side == 0:  # its other clock never comes
                    assert lit["clock"][side] == game.clock(position, side)
        at = position


@pytest.mark.one_case
@pytest.mark.parametrize("slug", SLUGS)
@given(st.data())
@settings(max_examples=examples(40))
def test_the_page_shows_nothing_that_a_mode_hides(slug: str, data: st.DataObject) -> None:
    session = table(slug, data.draw(every_option(slug)), data.draw(st.integers(0, 10**6)))
    chance = Random(data.draw(st.integers(0, 10**9)))
    *_, position = played(session, chance, data.draw(st.integers(0, 40)))
    before, game = document(session), session.match.game
    view = game.view(position, None)
    other = view
    if isinstance(game, RengiRules):
        # The same game, as far as anybody may know, with another loop and other chance to come.
        guessed = game.state(view)
        numbers = list(position.state)
        supply = 2 * guessed.plan[arrays.PAIRS]
        if supply:
            numbers[-supply:] = guessed.plan[-supply:]
        numbers[RNG] = guessed.board[RNG]
        other = replace(position, state=tuple(numbers), seed=position.seed + 1)
    session.match.history.positions[-1] = replace(other, history=position.history)
    assert document(session) == before


@pytest.mark.parametrize(("mode", "hidden"), [("open", 0), ("tsu", 125), ("shodai", 126)])
def test_what_is_hidden_of_a_loop_is_another_one_in_its_twin(mode: str, hidden: int) -> None:
    game = games.load("rengi", mode=mode)
    assert isinstance(game, RengiRules)
    position = game.start(5)
    guessed = game.state(game.view(position, None)).plan[-2 * game.loop(position).size :]
    given = position.state[FACES + position.state[FACED] :]
    assert (tuple(guessed) != given) == bool(hidden)
    assert game.view(position, None).state.count(0) - position.state.count(0) >= 2 * hidden
    assert FIELD_SIZE + FIELDS < FACES


def test_a_loop_of_128_pairs_is_shown_whole_where_all_of_it_is_open() -> None:
    talked, _ = talk("game rengi mode=open loop=128 begins=first seats human human")
    loop = talked.view()["lit"]["loop"]
    assert (len(loop["pairs"]), loop["size"], loop["places"]) == (128, 128, [0, 0])
