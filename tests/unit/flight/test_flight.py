"""The flight recorder: a recording runs again bit for bit, or the first difference is told."""

from __future__ import annotations

import contextlib
import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flying_table import FlyingTable
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.errors import UsageError
from lumiban.flight import file as flight_file
from lumiban.flight.file import Flight, FlightFile, flights, is_flight, json_line, make_room
from lumiban.flight.replay import Differs, Tally, run
from lumiban.table import resume
from lumiban_sim.faults import LineFaults
from thorough import examples


def again(table: FlyingTable) -> Tally:
    """Through JSON, as a file would have it."""
    whole = json.loads(json_line([table.head, *table.lines()]))
    return run(whole[0], whole[1:])


def place_one(table: FlyingTable, wrongly: bool = False) -> str:
    """A person plays the first legal placement, or sets the other side's stone there."""
    legal = table.view["legal"]
    name: str = table.view["game"]["names"][legal["place"][0]]
    kind: int = legal["kinds"][0]
    table.place(name, 3 - kind if wrongly else kind)
    return name


def played(seed: int = 1, **more: Any) -> FlyingTable:
    table = FlyingTable(seats=("bot:easy", "bot:easy"), seed=seed, **more)
    table.run(lambda table: bool(table.finished))
    return table


@pytest.fixture(scope="module")
def game() -> FlyingTable:
    return played()


def test_a_game_of_bots_runs_again_bit_for_bit(game: FlyingTable) -> None:
    tally = again(game)
    assert tally.moves == len(game.session.match.history.played) > 5
    assert tally.lights == len(game.shows)
    assert (tally.lines, tally.until_us) == (len(game.lines()) + 1, game.now_us)
    assert tally.verdicts > tally.moves


def test_people_s_moves_refusals_takebacks_and_pages_words_run_again() -> None:
    table = FlyingTable(seed=2)
    table.rest()
    place_one(table)
    last = place_one(table)
    table.command("takeback")
    table.lift(last)
    wrong = place_one(table, wrongly=True)
    table.lift(wrong)
    table.command("hint", level="coach")
    table.command("seat", side=1, who="bot:easy")
    table.command("nonsense")  # refused, then and now
    table.rest(3_000_000)
    tally = again(table)
    assert tally.moves >= 2
    kinds = {one[4]["is"] for one in table.lines() if one[0] == "s" and one[4]}
    assert {"Agree", "Refuse", "Repair"} <= kinds


def test_a_game_without_turns_runs_again() -> None:
    table = FlyingTable(
        profile="hex3", game="evening", options={"size": 3}, seats=("bot:easy", "human"), seed=4
    )
    table.rest(500_000)
    for _ in range(4):
        names, free = table.view["game"]["names"], table.view["open"][1]
        table.place(names[free[-1] if free else 0], 2)
        table.rest(4_000_000)
    tally = again(table)
    assert tally.moves == len(table.session.match.history.played) > 4


@pytest.mark.long
def test_a_game_in_light_runs_again() -> None:
    table = FlyingTable(
        profile="grid13x14", game="rengi", options={}, seats=("bot:easy",) * 2, seed=5, playouts=4
    )
    table.rest(12_000_000)
    assert again(table).moves == len(table.session.match.history.played)


@pytest.mark.slow
def test_a_spoilt_line_and_a_reset_board_run_again() -> None:
    table = FlyingTable(seats=("bot:easy", "bot:easy"), seed=6)
    assert table.rig is not None
    table.rig.pipe.to_host_faults = LineFaults(7, drop=1e-3, corrupt=1e-3)
    table.rig.pipe.to_board_faults = LineFaults(8, drop=1e-3, corrupt=1e-3)
    table.rest(8_000_000)
    table.rig.reset()
    table.rest(8_000_000)
    assert table.link.statistics.broken > 0
    assert table.link.statistics.connects > 1
    assert again(table).frames == table.link.statistics.frames_in


def test_a_resumed_game_runs_again_from_its_journal(tmp_path: Path) -> None:
    first = FlyingTable(seed=3)
    first.rest()
    place_one(first)
    place_one(first)
    path = tmp_path / "game.journal"
    path.write_bytes(bytes(first.journals[0]))
    second = FlyingTable(rig=first.rig, back=resume.resume(path), seed=4)
    second.rest()
    place_one(second)
    assert len(second.session.match.history.played) == 3
    assert again(second).moves == 1


def altered(game: FlyingTable, what: str, change: Any) -> Differs:
    """The difference that is told when the middle line of a kind was another one."""
    lines = copy.deepcopy(json.loads(json_line(game.lines())))
    places = [k for k, one in enumerate(lines) if one[0] == what and change(copy.deepcopy(one))]
    place = places[len(places) // 2]
    change(lines[place])
    with pytest.raises(Differs) as caught:
        run(game.head, lines)
    assert caught.value.number >= place + 2  # the head is line 1
    return caught.value


def test_the_first_difference_is_told_with_its_line_and_what_differs(game: FlyingTable) -> None:
    def verdict(one: list[Any]) -> bool:
        if one[4] is None:
            return False
        one[4] = {"is": "Agree", "why": "somebody said so"}
        return True

    def light(one: list[Any]) -> bool:
        one[1] = one[1][:-4] + ("0000" if one[1][-4:] != "0000" else "1111")
        return True

    def commit(one: list[Any]) -> bool:
        for output in one[3]:
            if output[0] == "Append" and output[2]["t"] == "move":
                output[2]["at"] += 1
                return True
        return False

    assert altered(game, "s", verdict).what == "the verdict"
    assert altered(game, "w", light).what == "what is sent to the board"
    told = altered(game, "s", commit)
    assert told.what == "what the table does"
    assert "recorded" in str(told)
    assert "\n" not in str(told)


def test_a_lost_frame_does_not_go_unnoticed(game: FlyingTable) -> None:
    lines = json.loads(json_line(game.lines()))
    events = [k for k, one in enumerate(lines) if one[0] == "r" and "90" in one[2][:6]]
    del lines[events[len(events) // 2]]
    with pytest.raises(Differs):
        run(game.head, lines)


@given(st.data())
@settings(max_examples=examples(25))
def test_whatever_is_in_a_recording_it_breaks_nothing(data: st.DataObject) -> None:
    table = _small()
    lines = copy.deepcopy(table[1])
    junk = st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4),
        max_leaves=6,
    )
    place = data.draw(st.integers(0, len(lines) - 1))
    if data.draw(st.booleans()):
        lines[place] = [data.draw(st.sampled_from("orpcwlash")), *data.draw(st.lists(junk))]
    else:
        lines[place][data.draw(st.integers(0, len(lines[place]) - 1))] = data.draw(junk)
    with contextlib.suppress(Differs, UsageError):
        run(table[0], lines)


@cache
def _small() -> tuple[dict[str, Any], list[list[Any]]]:
    table = FlyingTable(seed=2)
    table.rest()
    place_one(table)
    whole = json.loads(json_line([table.head, *table.lines()]))
    return whole[0], whole[1:]


# Files.


def written(path: Path, blocks: int = 5) -> Path:
    file = FlightFile(path)
    file.write([{"flight": 1}])
    for block in range(blocks):
        file.write([["p", block], ["p", 0]])
    file.close()
    return path


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path / "one.flight")
    flight = Flight(path)
    assert flight.head == {"flight": 1}
    assert list(flight.lines()) == [["p", n] for k in range(5) for n in (k, 0)]
    assert flight.torn == 0
    assert is_flight(path)


def test_a_torn_tail_costs_the_last_block_only(tmp_path: Path) -> None:
    path = written(tmp_path / "one.flight")
    data = path.read_bytes()
    counts = set()
    for cut in range(len(data) - 1, 60, -1):
        path.write_bytes(data[:cut])
        flight = Flight(path)
        lines = list(flight.lines())
        assert lines == [["p", n] for k in range(5) for n in (k, 0)][: len(lines)]
        counts.add(len(lines))
    assert counts >= {2, 4, 6, 8}


@pytest.mark.slow
def test_no_bit_that_flips_changes_a_line_of_a_recording(tmp_path: Path) -> None:
    path = written(tmp_path / "one.flight")
    data, lines = path.read_bytes(), list(Flight(path).lines())
    for bit in range(8 * data.index(b"\n") + 8, 8 * len(data)):
        spoilt = bytearray(data)
        spoilt[bit // 8] ^= 1 << bit % 8
        path.write_bytes(spoilt)
        with contextlib.suppress(UsageError):
            flight = Flight(path)
            found = list(flight.lines())
            assert flight.head == {"flight": 1}
            assert found == lines[: len(found)]


def test_a_recording_that_unpacks_into_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "one.flight", 50)
    lines = len(list(Flight(path).lines()))
    monkeypatch.setattr(flight_file, "MAX_BYTES", 200)
    with pytest.raises(UsageError, match="more than 200 bytes"):
        list(Flight(path).lines())
    monkeypatch.setattr(flight_file, "MAX_BYTES", 20_000)
    assert len(list(Flight(path).lines())) == lines


def test_a_later_version_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.flight"
    for data, told in (
        (b"lumiban flight 2\n", "version 2"),
        (b"PK", "not a lumiban flight recording"),
        (b"lumiban flight 1\n", "no complete block"),
    ):
        path.write_bytes(data)
        with pytest.raises(UsageError, match=told):
            Flight(path)
    with pytest.raises(UsageError, match="cannot be read"):
        Flight(tmp_path / "none.flight")


def test_old_recordings_make_room(tmp_path: Path) -> None:
    import os

    for number in range(5):
        path = tmp_path / f"{number}.flight"
        path.write_bytes(bytes(1000))
        os.utime(path, (number, number))
    make_room(tmp_path, 2500)
    assert [path.name for path in flights(tmp_path)] == ["3.flight", "4.flight"]
    make_room(tmp_path, 0)
    assert flights(tmp_path) == []
