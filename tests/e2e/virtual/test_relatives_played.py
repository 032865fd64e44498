"""Relatives on a whole table in virtual time: each is played to its end on hex5, by people's hands
that lift, set and press, and by bots whose moves a hand sets."""

from __future__ import annotations

import json
import random

import pytest
from lumiban.games.base import Move
from lumiban.table import record
from virtual_table import VirtualTable

Options = dict[str, int | str]

SMALL: Options = {"size": 3, "opening": "fixed"}
GAMES: list[tuple[str, Options]] = [
    ("stigmergy", {"komi": 1}),
    ("tumpletore", {}),
    ("tumbleweed", {}),
    ("tumbleweed", {"opening": "fixed", "delay": "on", "quiet": 20}),
    ("strands", {}),
    ("strands", {"cover": "up-to"}),
]
WAYS = {"stigmergy": {"x"}, "tumpletore": {"x"}, "tumbleweed": {"x", "+"}}
"""Exchanges, and stones that grow: what hands have done by the end."""


def a_table(slug: str, options: Options, who: str) -> VirtualTable:
    return VirtualTable(
        profile="hex5",
        game=slug,
        options=options,
        seats=(who, who),
        seed=3,
        playouts=1,
        assists=("machine", "mend"),
    )


def chosen(table: VirtualTable, chance: random.Random) -> Move:
    """A move of whoever is to move; a word but seldom, and never the word that gives up."""
    history = table.session.match.history
    (side,) = history.game.movers(history.position)
    moves = sorted(history.game.moves(history.position, side), key=str)
    words = [w for w in history.game.words(history.position, side) if w != "resign"]
    if words and (not moves or chance.random() < 0.1):
        return history.game.parse(history.position, chance.choice(words))
    return chance.choice(moves)


def do(table: VirtualTable, move: Move) -> None:
    """A move as a person does it: by the stones, or by the button that says a word."""
    if move.is_word:
        assert table.command("word", side=move.side, word=move.text) is None
        return
    history = table.session.match.history
    name = move.text.lstrip("x+")
    cell = history.game.grid.cell(name)
    kind = history.game.pieces(history.game.play(history.position, move))[cell]
    if move.text != name:
        table.lift(name)
    else:
        assert table.view["legal"]["kinds"] == [kind], "what a page sets at a click"
    if move.text[0] == "+":
        assert table.command("confirm") is None
        table.rest()
        if not table.finished:
            assert table.view["verdict"]["kind"] == "repair", "no rule is broken"
    table.place(name, kind)


def by_hands(slug: str, options: Options) -> VirtualTable:
    """A game of two people to its end; each of their moves is understood as what it was."""
    table, chance = a_table(slug, options, "human"), random.Random(slug)
    table.run(lambda table: table.view["verdict"]["kind"] == "agree" and table.view["v"] > 1)
    for _ in range(500):
        if table.finished:
            return table
        move = chosen(table, chance)
        do(table, move)
        table.rest()
        played = [str(m) for m in table.session.match.history.moves]
        assert played[-1:] == [str(move)], (played, table.view["verdict"])
    raise AssertionError("the game has no end")


def by_bots(slug: str, options: Options) -> VirtualTable:
    """A game of two bots; a hand sets their stones, and presses where the board sees no change."""
    table = a_table(slug, options, "bot:easy")
    while not table.finished:
        table.run(lambda table: bool(table.finished) or _waits(table))
        if not table.finished:
            assert table.command("confirm") is None
    return table


def _waits(table: VirtualTable) -> bool:
    text = table.view["verdict"]["text"]
    return text is not None and text["id"] == "table.machine-confirm"


def ended_well(table: VirtualTable) -> None:
    """The board shows the end, and the record replays to the same outcome."""
    table.rest()
    history, finished = table.session.match.history, table.finished[0]
    assert finished.outcome.reason in ("simple.points", "stigmergy.button", "strands.groups")
    assert table.session.match.sensed.kinds == history.game.pieces(history.position)
    assert finished.outcome == record.verify(json.loads(json.dumps(finished.record)))


def test_a_game_with_heights_is_played_to_its_end_by_hands_and_by_bots() -> None:
    ended_well(by_hands("tumbleweed", SMALL))
    ended_well(by_bots("tumbleweed", SMALL))


def test_an_exchange_that_was_chosen_by_page_asks_for_its_stone() -> None:
    table = a_table("tumbleweed", SMALL, "human")
    table.run(lambda table: table.view["verdict"]["kind"] == "agree" and table.view["v"] > 1)
    table.assists = ()
    for text in ("c2", "d4", "d2", "b4", "b1", "e2", "a1", "c4", "d1", "+d4", "b3"):
        history = table.session.match.history
        do(table, history.game.parse(history.position, text))
    table.rest(1_000_000)
    table.lift("b3")
    assert table.view["verdict"]["choices"] == ["xb3", "takeback"]
    assert table.command("choose", text="xb3") is None
    table.rest()
    assert table.view["verdict"]["text"]["id"] == "table.mend-place-black"
    table.place("b3", 2)
    assert table.view["verdict"]["kind"] == "agree"
    assert len(table.view["moves"]) == 12


def lit(table: VirtualTable) -> list[str]:
    """The cells that shine on the board."""
    game = table.view["game"]
    return [
        game["names"][game["cells"].index(c)]
        for c, (look, _) in enumerate(table.view["lights"])
        if look
    ]


def in_the_middle() -> VirtualTable:
    """Tumbleweed after ten moves; nobody but the test moves a piece then."""
    table = a_table("tumbleweed", SMALL, "human")
    table.run(lambda table: table.view["verdict"]["kind"] == "agree" and table.view["v"] > 1)
    for text in ("c2", "d4", "d2", "b4", "b1", "e2", "a1", "c4", "d1", "+d4"):
        history = table.session.match.history
        do(table, history.game.parse(history.position, text))
    table.rest(1_000_000)
    table.assists = ()
    return table


def test_a_lifted_stack_tells_its_height_by_as_many_lights_as_it_is_high() -> None:
    table = in_the_middle()
    history = table.session.match.history
    heights = dict(
        zip(history.game.grid.names, history.game.numbers(history.position), strict=True)
    )
    stacks = {name: height for name, height in heights.items() if height}
    assert {*stacks.values()} == {"1", "2", "3", "4"}
    verdicts = set()
    for name, height in stacks.items():
        cell = history.game.grid.cell(name)
        kind = history.game.pieces(history.position)[cell]
        table.lift(name)
        verdicts.add(table.view["verdict"]["kind"] + table.view["prompt"]["wait"])
        near = {history.game.grid.names[n] for n in history.game.grid.neighbours[cell]}
        assert name in lit(table)
        assert len(near.intersection(lit(table))) == int(height), name
        assert near.issuperset({*lit(table)} - {name}), "no other light may be counted"
        table.place(name, kind)
        table.rest(1_000_000)
        assert table.view["verdict"]["kind"] == "agree"
    assert len(table.view["moves"]) == 10, "to ask is not to play"
    assert verdicts == {"refusemend", "wait"}


def test_the_lights_that_count_begin_in_the_east_and_go_clockwise() -> None:
    table = in_the_middle()
    table.lift("c3")  # neutral, two high
    assert {*lit(table)} == {"c3", "c4", "b3"}


def test_a_stack_that_is_lifted_before_a_machine_never_grows_without_the_button() -> None:
    table = in_the_middle()
    assert table.command("seat", side=1, who="bot:easy") is None
    mine = [name for name in ("c2", "d2", "b1", "a1", "d1") if f"+{name}" in growing(table)]
    table.lift(mine[0])
    assert table.view["verdict"]["text"]["id"] == "table.grow-by-button"
    assert table.view["pending"]["due_ms"] is None
    table.rest(30_000_000)
    assert len(table.view["moves"]) == 10
    assert table.command("confirm") is None
    assert str(table.session.match.history.moves[10]) == f"+{mine[0]}"


def test_who_exchanged_a_stone_takes_it_back_by_hand() -> None:
    table = a_table("tumpletore", {"size": 3}, "human")
    table.run(lambda table: table.view["verdict"]["kind"] == "agree" and table.view["v"] > 1)
    table.assists = ()
    for text in ("e1", "d3", "e2", "c5", "xd3"):
        history = table.session.match.history
        do(table, history.game.parse(history.position, text))
        table.rest(1_000_000)
    table.lift("d3")
    assert table.view["verdict"]["text"]["id"] == "table.exchange-back"
    table.place("d3", 2)
    assert table.view["verdict"]["kind"] == "agree"
    assert len(table.view["moves"]) == 4
    table.lift("d3")
    assert table.view["verdict"]["text"]["id"] == "table.exchange"
    table.place("d3", 1)
    assert len(table.view["moves"]) == 5


def growing(table: VirtualTable) -> set[str]:
    history = table.session.match.history
    (side,) = history.game.movers(history.position)
    return {move.text for move in history.game.moves(history.position, side)}


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_each_relative_is_played_to_its_end_by_peoples_hands(slug: str, options: Options) -> None:
    table = by_hands(slug, options)
    ended_well(table)
    done = {str(move)[0] for move in table.session.match.history.moves}
    assert done >= WAYS.get(slug, set())


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_each_relative_is_played_to_its_end_by_bots(slug: str, options: Options) -> None:
    ended_well(by_bots(slug, options))
