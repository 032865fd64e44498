"""A law for every game, its options and all who look: the page shows what a bot's view holds, and
nothing that the rules hide from it.

What a bot is asked about is `Game.view`; what all pages hear, whoever looks, is the view. From the
page's words the bot's position is put together again, and where something is hidden, two positions
that differ only there look the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from each import each
from lumiban import games
from lumiban.boards.profile import load
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Game, Position
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import RNG
from lumiban.table.fitting import fit, on_board, profile_for
from lumiban.table.history import Played
from lumiban.table.session import Session
from shown import as_page_has_it

PLIES = 9


def conditions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each game as usual, and Rengi in each mode; tests/games has the law for all options."""
    yield from ((slug, {}) for slug in ("control", "evening", "trivia", "doves"))
    [modes] = (option for option in Rengi.accepts if option.name == "mode")
    yield from (("rengi", {"mode": mode}) for mode in modes.values)


def loaded(slug: str, options: dict[str, Any]) -> Game | None:
    """The game on the board that it is played on, where there is one."""
    try:
        game = games.load(slug, **options)
        fit(game, load(profile_for(game)))
        return on_board(game, load(profile_for(game)))
    except (GameError, BoardError):
        return None


def played(game: Game, seed: int) -> list[Position]:
    """The positions of a random game's beginning."""
    rng, positions = random.Random(seed), [game.start(seed)]
    for _ in range(PLIES):
        movers = game.movers(positions[-1])
        listed = [move for side in movers for move in game.moves(positions[-1], side)]
        if not listed:
            break
        positions.append(game.play(positions[-1], rng.choice(listed)))
    return positions


def told(game: Game, positions: list[Position]) -> dict[str, Any]:
    """What every page hears of the last position, whoever looks."""
    session = Session(game, load(profile_for(game)), ["human"] * len(game.sides))
    history = session.match.history
    history.positions = positions
    moves = positions[-1].history[len(positions[0].history) :]
    history.played = [Played(move, 0, "hand") for move in moves]
    session.step(0)
    assert session.shown.view is not None
    return as_page_has_it(session.shown.view)


CASES = [(slug, options) for slug, options in conditions() if loaded(slug, options)]


@each(("slug", "options"), CASES)
def test_the_page_shows_what_a_bot_may_know(slug: str, options: dict[str, Any]) -> None:
    game = loaded(slug, options)
    assert game is not None
    positions = played(game, 3)
    position = positions[-1]
    page = told(game, positions)
    assert page["to_move"] == list(game.movers(position))
    assert page["pieces"] == [int(kind) for kind in game.pieces(position)]
    for side in range(len(game.sides)):
        known = game.view(position, side)
        if not isinstance(game, Rengi):
            # All moves are shown, and the position follows from them.
            again = game.start()
            for move in page["moves"]:
                again = game.play(again, game.parse(again, move["text"], move["side"]))
            assert again.state == known.state
            continue
        lit = page["lit"]
        loop = game.loop(known)
        assert [tuple(pair) for pair in lit["loop"]["pairs"]] == [
            tuple(" RBYG"[colour] for colour in pair) for pair in loop.pairs
        ]
        assert (lit["loop"]["size"], lit["loop"]["places"]) == (loop.size, list(loop.places))
        for whose in (0, 1):
            field = ["".join(".RBYGO"[c] for c in row) for row in game.field(known, whose)]
            assert [row.replace("#", "O") for row in lit["fields"][whose]] == field
            assert tuple(lit["forecast"][whose]) == game.forecast(known, whose)
            assert lit["points"][whose] == game.points(known, whose)
            assert lit["clock"][whose] == game.clock(known, whose)


def of_hidden(options: dict[str, Any]) -> tuple[Rengi, Position, Position]:
    """A game of Rengi, and two positions that differ in what its mode hides, and nowhere else."""
    game = Rengi(**options)
    position = played(game, 5)[-1]
    numbers = list(position.state)
    loop = game.loop(position)
    hidden = loop.size - len(loop.pairs)
    if hidden:
        rest = [tuple(numbers[-2 * k : len(numbers) - 2 * k + 2]) for k in range(hidden, 0, -1)]
        random.Random(1).shuffle(rest)
        numbers[-2 * hidden :] = [colour for pair in rest for colour in pair]
    if game.options["ojama_order"] == "random":
        numbers[RNG] ^= 0x5A5A
    other = replace(position, state=tuple(numbers), seed=position.seed + 1)
    assert other.state != position.state
    return game, position, other


@each(
    "options",
    [{"mode": mode} for mode in ("tsu", "shodai")]
    + [{"mode": "tsu", "next2_shown": "as-tsu"}, {"mode": "open", "visible_next": 2}]
    + [{"mode": "open", "ojama_order": "random"}],
)
def test_the_page_shows_nothing_that_is_hidden_from_a_bot(options: dict[str, Any]) -> None:
    game, position, other = of_hidden(options)
    for side in (0, 1):
        assert game.view(position, side) == game.view(other, side)
    assert told(game, [position]) == told(game, [other])
