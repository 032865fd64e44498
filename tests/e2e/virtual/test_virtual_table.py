"""The whole way of one stone in virtual time: hand, field, firmware, wire, referee and light."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from lumiban.scene.light import Effect
from lumiban.table import record
from lumiban.table.resume import resume
from lumiban.table.types import Refuse
from virtual_table import VirtualTable

BOTS = ("bot:easy", "bot:easy")


def over(table: VirtualTable) -> bool:
    return bool(table.finished)


def test_the_same_seed_plays_the_same_game_to_the_microsecond() -> None:
    records = []
    for _ in range(2):
        table = VirtualTable(seats=BOTS, seed=4)
        table.run(over)
        records.append(table.records)
    assert records[0] == records[1]


def test_a_stone_on_an_enemy_cell_blinks_names_the_rule_and_lifting_it_makes_peace() -> None:
    table = VirtualTable()
    for name, kind in (("a1", 1), ("e3", 2), ("b2", 1), ("d4", 2)):
        table.place(name, kind)
    before = table.view["moves"]
    assert len(before) == 4
    table.place("d3", 1)
    verdict = table.view["verdict"]
    assert verdict["kind"] == "refuse"
    assert verdict["text"]["id"] == "refusal.control.enemy-cell"
    light = table.board.cells[table.cell("d3")].light
    frame = table.shows[-1][1].frame
    blinking = [i for i, (_, e) in enumerate(frame.lights) if e == Effect.FAST_BLINK]
    assert blinking == [light]
    # It truly blinks on the board.
    seen = set()
    for _ in range(40):
        table.rest(50_000)
        assert table.rig is not None
        seen.add(any(table.rig.light[3 * light : 3 * light + 3]))
    assert seen == {True, False}
    assert table.view["moves"] == before
    table.lift("d3")
    assert table.view["verdict"]["kind"] == "agree"
    assert table.view["moves"] == before


def test_light_answers_a_stone_within_fifty_milliseconds_of_its_settling() -> None:
    table = VirtualTable()
    table.place("a1", 1)
    at = table.session.match.history.played[0].at_us
    shown = next(when for when, _ in table.shows if when > at)
    assert shown - at < 120_000


def test_size_three_is_played_in_the_middle_of_a_larger_board() -> None:
    table = VirtualTable(profile="hex5", seats=BOTS)
    table.run(over)
    placing = table.session.match.placing
    unused = [cell for cell, own in enumerate(placing.game) if own < 0]
    assert len(unused) == 61 - 19
    for _, show in table.shows:
        assert all(show.frame.lights[table.board.cells[cell].light][0] == 0 for cell in unused)


def test_a_person_plays_a_bot_and_takes_a_move_back_on_the_board() -> None:
    table = VirtualTable(seats=("human", "bot:easy"))
    table.place("a1", 1)
    table.run(lambda t: len(t.view["moves"]) == 2)
    table.rest()
    answer = table.view["moves"][1]["text"]
    table.lift("a1")
    assert table.view["moves"] == []
    assert table.view["prompt"]["wait"] == "mend"
    table.lift(answer)
    assert table.view["verdict"]["kind"] == "agree"
    table.place("a2", 1)
    table.run(lambda t: len(t.view["moves"]) == 2)


@pytest.mark.parametrize("seed", range(4))
def test_a_person_who_does_everything_wrong_is_led_back(seed: int) -> None:
    """Random hands between bot moves; following the table's steps always ends in agreement."""
    chance = random.Random(seed)
    table = VirtualTable(seats=("human", "bot:easy"), seed=seed, assists=())
    for _ in range(12):
        name = chance.choice(table.session.match.history.game.grid.names)
        assert table.rig is not None
        if table.rig.kinds[table.cell(name)]:
            table.lift(name)
        else:
            table.place(name, chance.choice([1, 2]))
    for _ in range(80):
        if table.session.match.outcome is not None or not table.prompt.steps:
            break
        step = table.prompt.steps[0]
        name = table.session.match.history.game.grid.names[step.cell]
        if step.do == "lift":
            table.lift(name)
        else:
            table.place(name, step.kind)
        if not table.prompt.steps:
            table.rest(3_000_000)
    assert not isinstance(table.session.match.verdict, Refuse)
    assert table.session.match.outcome is not None or table.session.match.movers == (0,)


@pytest.mark.parametrize("after_us", [0, 1_000, 30_000, 60_000, 90_000])
def test_a_stone_on_its_way_is_carried_back_when_a_person_takes_the_machines_seat(
    after_us: int,
) -> None:
    table = VirtualTable(seats=("human", "bot:easy"))
    rig = table.rig
    assert rig is not None
    rig.hands.place(table.cell("a1"), 1, hand="person")
    table.run(lambda _: any(held.hand == "bot" for held in rig.hands.shown()))
    table.rest(after_us)
    assert table.command("seat", side=1, who="human") is None
    table.rest(5_000_000)
    assert rig.hands.idle
    assert [move["text"] for move in table.view["moves"]] == ["a1"]
    assert rig.kinds.count(2) == 0, "the stone went back to its bowl"
    assert table.view["verdict"]["kind"] == "agree"
    table.place("e3", 2)
    assert [move["text"] for move in table.view["moves"]] == ["a1", "e3"]


def test_the_light_differs_where_only_the_red_stone_may_go() -> None:
    table = VirtualTable(profile="grid9x9", game="trivia", options={"size": 3})
    table.rest()
    table.place("b2", 1)
    light = table.board.cells[table.cell("c1")].light
    own = table.view["lights"][light]
    table.place("a1", 2)
    table.place("a2", 2)
    assert table.view["lights"][light] != own


def replay(journal: bytes, folder: Path) -> list[str]:
    """The moves that a journal leads to."""
    path = folder / "replayed.journal"
    path.write_bytes(journal)
    return [str(move) for move in resume(path).history.moves]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_host_killed_anywhere_comes_back_with_nothing_lost_or_doubled(
    seed: int, tmp_path: Path
) -> None:
    """Five kills a game: the disk keeps what was synced and any part of what was only written."""
    chance = random.Random(seed)
    table = VirtualTable(seats=("bot:easy", "bot:easy"), seed=seed, fsync_us=30_000)
    path = tmp_path / "game.journal"
    for _ in range(5):
        end = table.now_us + chance.randrange(50_000, 2_500_000)
        table.run(lambda t, end=end: over(t) or t.now_us >= end)  # type: ignore[misc]  # a default
        if table.finished or not table.journals:
            break
        journal = bytes(table.journals[-1])
        path.write_bytes(journal[: chance.randint(max(table.safe, 1), len(journal))])
        safe = replay(journal[: table.safe], tmp_path) if table.safe else []
        rig = table.rig
        back = resume(path)
        known = [str(move) for move in back.history.moves]
        assert known[: len(safe)] == safe
        table = VirtualTable(seats=BOTS, seed=seed, rig=rig, back=back, fsync_us=30_000)
    table.run(over)
    history = table.session.match.history
    table.rest()
    assert table.session.match.sensed.kinds == history.game.pieces(history.position)
    assert replay(bytes(table.journals[-1]), tmp_path) == [str(move) for move in history.moves]
    record.verify(table.finished[0].record)
