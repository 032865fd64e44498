"""Turnless Evening at a table in virtual time: hands, firmware, link, session, journal, bots."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from lumiban.errors import GameError
from lumiban.games.base import Kind
from lumiban.table import record
from lumiban.table.event_order import coin
from lumiban.table.free_play import FreePlay
from lumiban.table.history import BY_BOARD, BY_LIGHT
from lumiban.table.resume import resume
from lumiban.table.types import Settings
from lumiban_sim.hands import DONE, REFUSED
from virtual_table import VirtualTable

BOTS = ("bot:easy", "bot:easy")
W, B = Kind.WHITE, Kind.BLACK


def evening(**more: Any) -> VirtualTable:
    options = {"size": 3, **more.pop("options", {})}
    return VirtualTable(game="evening", options=options, **more)


def match(table: VirtualTable) -> FreePlay:
    found = table.session.match
    assert isinstance(found, FreePlay)
    return found


def over(table: VirtualTable) -> bool:
    return bool(table.finished)


def texts(table: VirtualTable) -> list[str]:
    return [str(move) for move in table.session.match.history.moves]


def open_to(table: VirtualTable, side: int) -> list[str]:
    names = table.session.match.history.game.grid.names
    return [names[cell] for cell in table.view["open"][side]]


def replay(journal: bytes, folder: Path) -> list[str]:
    path = folder / "replayed.journal"
    path.write_bytes(journal)
    return [str(move) for move in resume(path, mends=False).history.moves]


def play_by_hands(table: VirtualTable, chance: random.Random, stones: int) -> None:
    """Both sides place where they may, each with a hand of its own."""
    assert table.rig is not None
    for _ in range(stones):
        if over(table):
            return
        errands = []
        for side in (0, 1):
            cells = [] if table.view["open"] is None else open_to(table, side)
            if cells and chance.random() < 0.8:
                cell = table.cell(chance.choice(cells))
                errands.append(table.rig.hands.place(cell, side + 1, hand=f"side {side}"))
        if not any(table.view["open"] or ()):
            for side in (0, 1):
                if "stand" in table.view["words"][side]:
                    table.command("confirm", side=side)
        table.run(lambda _, e=errands: all(x.state in (DONE, REFUSED) for x in e), 20_000_000)  # type: ignore[misc]  # a default
        table.rest(600_000)


@pytest.mark.parametrize("seed", range(3))
def test_two_hands_play_at_once_and_the_record_replays(seed: int, tmp_path: Path) -> None:
    table = evening(seed=seed)
    play_by_hands(table, random.Random(seed), 30)
    history = table.session.match.history
    assert sum(played.by == BY_BOARD for played in history.played) >= 4
    table.rest(700_000)
    assert replay(bytes(table.journals[0]), tmp_path) == texts(table)
    seen, should = table.session.match.sensed.kinds, history.game.pieces(history.position)
    dead = table.view["dead"]
    assert all(cell in dead or seen[cell] == should[cell] for cell in range(len(seen)))
    if over(table):
        record.verify(json.loads(json.dumps(table.finished[0].record)))
    assert table.acknowledged == table.session.board.next_event


def test_a_hand_that_settled_before_the_bots_stone_wins_though_it_is_heard_later() -> None:
    table = evening(seats=("human", "bot:easy"), settings=Settings(reaction_us=60_000_000))
    table.place("b2", W)
    table.place("c3", W)
    table.lift("c3")
    assert table.rig is not None
    game, history = match(table).history.game, match(table).history
    # The hand lets its stone down; the bot's stone is stamped while that has not settled yet.
    match(table).tell_at(game.parse(history.position, "bc3"), table.session.board_now(), BY_LIGHT)
    table.run(lambda t: len(texts(t)) == 2, 5_000_000)
    table.rig.hands.place(table.cell("c4"), W, hand="person")
    table.run(lambda _: table.rig is not None and table.rig.kinds[table.cell("c4")] == W, 9_000_000)
    assert match(table).queue.items == []
    match(table).tell_at(
        game.parse(history.position, "bb1"), table.session.board_now() + 2_500, BY_LIGHT
    )
    table.run(lambda t: len(texts(t)) == 4, 5_000_000)
    assert texts(table) == ["wb2", "bc3", "wc4", "bb1"]
    times = [played.at_us for played in history.played]
    assert times == sorted(times)


@pytest.mark.parametrize("apart_us", [40_000, 3_200, -40_000])
def test_two_hands_race_and_the_page_and_record_say_by_how_much(apart_us: int) -> None:
    """Black's d4 opens d3 to White: White's stone there is early, or it is in time."""
    table = evening(seed=2)
    for name, kind in (("b2", W), ("c3", B), ("c4", W), ("b1", B)):
        table.place(name, kind)
    assert table.rig is not None
    touch_us = table.now_us + 3_000_000
    hands = table.rig.hands
    hands.place(table.cell("d3"), W, hand="one", touch_us=touch_us)
    hands.place(table.cell("d4"), B, hand="two", touch_us=touch_us + apart_us)
    table.rest(4_500_000)
    race = table.view["race"]
    if apart_us < 0:
        assert texts(table)[-2:] == ["bd4", "wd3"]
        assert race is None
        return
    assert race is not None
    assert abs(race["by_us"] - apart_us) <= race["uncertainty_us"]
    last = texts(table)[-1]
    assert table.command("word", side=0, word="resign") is None
    table.run(over, 5_000_000)
    document = json.loads(json.dumps(table.finished[0].record))
    record.verify(document)
    assert document["races"][-1]["by_us"] == race["by_us"]
    if not race["tie"]:
        assert race["winner"] == 0
        assert last == "bd4"
        assert race["text"]["id"] == "table.race-early"
        assert document["moves"][-2]["uncertainty_us"] > 0


def test_a_stone_not_judged_yet_is_kept_before_a_new_game_begins() -> None:
    table = evening()
    table.place("b2", W)
    first = match(table)
    move = first.history.game.parse(first.history.position, "bc3")
    first.tell_at(move, table.session.board_now(), BY_LIGHT)
    assert table.command("new", options={"size": 3}) is None
    assert [str(move) for move in first.history.moves] == ["wb2", "bc3"]
    assert len(table.journals) == 2
    assert b"bc3" in table.journals[0]


def test_a_record_with_a_forged_coin_is_refused() -> None:
    table = evening(seats=BOTS, seed=3)
    table.run(over, 120_000_000)
    document = json.loads(json.dumps(table.finished[0].record))
    fell = list(coin(document["seed"], (7, 8)))
    document["coins"] = [{"numbers": [7, 8], "fell": fell, "order": fell}]
    record.verify(document)
    document["coins"][0]["fell"].reverse()
    with pytest.raises(GameError, match="coin"):
        record.verify(document)


def test_a_row_that_cannot_be_read_stops_play() -> None:
    table = evening()
    table.place("b2", W)
    assert table.rig is not None
    whole, row = table.rig.world.sample, table.board.cells[table.cell("d2")].row

    def sample(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        whole(frame, t_us, counts, references)
        references[row] = 100

    table.rig.world.sample = sample  # type: ignore[method-assign]  # a fault of the hardware
    table.place("c3", B)
    assert table.view["timeout"]["text"]["id"] == "table.time-out-unread"
    assert texts(table) == ["wb2"]
    # Nobody can have play go on before the row is back.
    for side in (0, 1):
        assert table.command("confirm", side=side) is not None
    table.rig.world.sample = whole  # type: ignore[method-assign]
    table.rest(2_000_000)
    table.lift("c3")
    assert table.view["timeout"]["text"]["id"] == "table.time-out-ready"
