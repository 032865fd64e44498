"""Whole games of Tokyo Doves at a table in virtual time: hands, world, firmware, link, session."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban import games
from lumiban.games.doves import DovesOnBoard
from lumiban.search.bot import think
from lumiban.table.resume import resume
from virtual_table import VirtualTable

MAX_US = 3_000_000_000
FREE = {"tray": "off", "repetition": "off", "initial": "allowed"}


def table(**more: object) -> VirtualTable:
    wishes: dict[str, object] = {
        "profile": "grid9x9",
        "game": "doves",
        "options": {"tray": "on"},
        "assists": ("machine", "mend"),
        "playouts": 6,
        **more,
    }
    return VirtualTable(**wishes)  # type: ignore[arg-type]  # the tests' own words


def ready(t: VirtualTable) -> bool:
    """The board shows the position and it is the first side's turn, or nobody's."""
    view = t.view
    same = view["link"] == "up" and view["sensed"] == view["pieces"]
    return bool(same and view["verdict"]["kind"] == "agree" and view["to_move"] in ([0], []))


def laid(of: VirtualTable) -> DovesOnBoard:
    game = of.session.match.history.game
    assert isinstance(game, DovesOnBoard)
    return game


def test_a_person_with_a_tray_plays_against_a_bot() -> None:
    one = table(seats=["human", "bot:easy"], seed=5)
    one.run(ready)
    one.lift("f1")
    one.place("f5", 1)
    assert one.view["moves"][0]["said"] == "+Tf5"
    one.run(lambda t: len(t.view["moves"]) == 2 and ready(t))
    assert one.view["verdict"]["kind"] == "agree"
    assert one.view["hands"][0] == ["A", "Y", "M", "H"]


def test_a_removal_beside_a_machine_never_plays_itself_by_time() -> None:
    one = table(seats=["human", "bot:easy"], options=FREE, seed=5)
    one.run(ready)
    one.place("f5", 1)
    assert one.command("choose", text="+TE1") is None
    one.run(lambda t: len(t.view["moves"]) == 2 and ready(t))
    # It is the dove put last: to lift it may be to take that back, to remove it or to move it.
    one.lift("f5")
    one.rest(10_000_000)
    assert one.view["verdict"]["choices"] == ["-T", "takeback"]
    assert {m["meaning"] for m in one.view["marks"]} >= {"pending", "lift-target"}
    one.place("f5", 1)
    one.run(ready)
    assert one.command("move", side=0, text="+AE1") is not None
    assert one.command("move", side=0, text="+AS1") is None
    one.place("e4", 1)
    one.run(lambda t: len(t.view["moves"]) == 4 and ready(t))
    one.lift("f5")
    one.rest(10_000_000)
    assert one.view["pending"] == {"move": "-T", "said": "-T", "due_ms": None}
    assert one.command("confirm") is None
    assert one.view["moves"][4]["text"] == "-T"


@pytest.mark.slow
def test_a_move_told_off_the_board_brings_the_doves_to_the_middle_first() -> None:
    people = table(
        seats=["human", "human"], options=FREE, seed=3, assists=("machine", "mend", "told")
    )
    match = people.session.match
    # As if they had drifted: all lies against the left edge.
    history, game = match.history, laid(people)
    history.positions[:] = [game.relaid(p, (-4, 0)) for p in history.positions]
    people.run(ready)
    assert people.view["drift"] == "advised"
    assert people.view["verdict"]["text"]["id"] == "table.drift-advised"
    moves = game.moves(history.position, 0)
    text = next(m.text for m in moves if not game.reaches(history.position, m))
    assert people.command("move", side=0, text=text) is None
    assert people.view["drift"] == "sliding"
    people.run(lambda t: len(t.session.match.history.played) == 1, MAX_US)
    assert str(history.moves[0]) == text
    assert game.drift(history.positions[0]) == (0, 0)


def test_a_bot_claims_a_repetition_unless_it_wins_at_once() -> None:
    game = games.load("doves", repetition="weak", initial="allowed")
    position = game.start()
    for text in ("+AE1", "+aN2W1", "-A", "-a"):
        assert think(game, position, "easy", 1, playouts=2, compiled=False).move.text != "claim"
        position = game.play(position, game.parse(position, text))
    thought = think(game, position, "easy", 1, playouts=2, compiled=False)
    assert thought.move.text == "claim"


@pytest.mark.slow
def test_a_slide_goes_on_after_a_crash(tmp_path: Path) -> None:
    people = table(seats=["human", "human"], options=FREE, seed=4)
    people.run(ready)
    people.lift("e5")
    people.place("f5", 1)
    people.lift("e6")
    people.place("f6", 2)
    assert people.view["drift"] == "may"
    people.assists = ()
    assert people.command("recentre") is None
    people.lift(laid(people).grid.name(people.prompt.steps[0].cell))
    path = tmp_path / "sliding.journal"
    people.rest(100_000)
    path.write_bytes(bytes(people.journals[-1]))
    again = table(seed=4, rig=people.rig, back=resume(path))
    again.run(lambda t: t.view["link"] == "up")
    assert again.view["drift"] == "sliding"
    again.run(lambda t: t.view["drift"] == "" and t.view["verdict"]["kind"] == "agree")
    assert again.view["labels"].index("B") == laid(again).grid.cell("e5")
