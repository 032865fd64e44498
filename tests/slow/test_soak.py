"""The soak: a slice of it, and that it would notice what it looks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from lumiban.boards.types import BoardEvent, Changed
from lumiban.errors import CheckFailed
from lumiban.table.types import Acknowledge, Step
from lumiban_lab import soak
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_check import check, check_light
from lumiban_lab.soak_people import People
from lumiban_lab.soak_shell import PORTS
from lumiban_lab.soak_table import SoakTable

MINUTES = 1.0
PLACES = [
    pytest.param(number, marks=() if number % 3 == 0 else pytest.mark.long)
    for number in range(len(soak.GAMES))
]
"""Of all games and boards every third in CI; those have ports of every kind."""


def at_a_port(number: int) -> int:
    """What is added to a seed, so that one game after the other has another kind of port."""
    return len(soak.GAMES) * (number % len(PORTS))


def table(folder: Path, plan: str = "", slug: str = "control") -> SoakTable:
    rig = faulty_rig("hex3", 4, plan)
    found = SoakTable(rig, slug, {"size": 3}, ("human", "human"), seed=4, folder=folder)
    found.rest(1_500_000)
    return found


@pytest.mark.parametrize("number", PLACES)
def test_whatever_a_table_suffers_nothing_is_lost(number: int) -> None:
    large = soak.GAMES[number][1] == "hex8"
    minutes = MINUTES / 2 if large else MINUTES
    found = soak.sit(number + at_a_port(number), minutes)
    assert found.failures == [], json.dumps(found.failures, indent=1)
    assert found.checks >= (1 if large else 2)
    assert found.virtual_us >= minutes * 60_000_000


@pytest.mark.parametrize("number", PLACES)
def test_whatever_a_table_of_switches_suffers_nothing_is_lost(number: int) -> None:
    found = soak.sit(soak.SWITCH_SEED + number + at_a_port(number), MINUTES)
    assert found.failures == [], json.dumps(found.failures, indent=1)
    assert found.checks >= 2
    assert found.accepted > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1048))
def test_whatever_a_table_suffers_nothing_is_lost_at_length(seed: int) -> None:
    found = soak.sit(seed)
    assert found.failures == [], json.dumps(found.failures, indent=1)


def test_the_same_seed_is_the_same_sitting() -> None:
    one, other = (replace(soak.sit(17, 0.8), cpu_s=0.0) for _ in range(2))
    assert one == other


def test_sittings_are_the_same_in_however_many_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "MINUTES", 0.25)
    one, two = (soak.soak(0.0125, seed=8, jobs=jobs).as_json() for jobs in (1, 2))
    assert one["virtual_hours"] >= 0.0125
    assert one["moves"] > 3
    for name in ("cpu_hours", "virtual_hours_per_cpu_hour"):
        del one[name], two[name]
    assert one == two


def test_the_command_tells_figures_and_fails_when_something_is_lost(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(soak, "MINUTES", 0.6)
    monkeypatch.chdir(tmp_path)  # it takes the flight and the plan of the failing sitting
    code, out, _ = run("bench", "soak", "--hours", "0.01", "--jobs", "1", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["virtual_hours"] >= 0.01
    assert told["virtual_hours_per_cpu_hour"] > 0
    assert told["failures"] == []

    def wrong(table: SoakTable) -> None:
        raise CheckFailed("something was lost")

    monkeypatch.setattr(soak, "check", wrong)
    code, out, errors = run("bench", "soak", "--hours", "0.01", "--jobs", "1", "--seed", "9")
    assert code == 1
    assert "something was lost" in out
    assert "--seed 9" in errors


@pytest.mark.parametrize("option", ["--hours=0", "--jobs=0", "--seed=-1"])
def test_figures_out_of_range_are_refused(run: Run, option: str) -> None:
    code, _, errors = run("bench", "soak", option)
    assert code == 2
    assert option.split("=", maxsplit=1)[0] in errors


# What it looks for, made to happen: a check that cannot fail shows nothing.


def event(found: SoakTable, number: int) -> Changed:
    return Changed((BoardEvent(number, 3, 1, found.session.board_now()),))


def test_a_doubled_or_lost_event_is_noticed(tmp_path: Path) -> None:
    found = table(tmp_path)
    found._hear([event(found, 0)], found.now_us)
    with pytest.raises(CheckFailed, match="doubled"):
        found._hear([event(found, 0)], found.now_us)
    with pytest.raises(CheckFailed, match="lost"):
        found._hear([event(found, 2)], found.now_us)


def test_an_early_acknowledgement_is_noticed(tmp_path: Path) -> None:
    found = table(tmp_path)
    with pytest.raises(CheckFailed, match="before they are on disk"):
        found.do(Acknowledge(99))


def spoil_belief(found: SoakTable) -> None:
    assert found.session.board.kinds is not None
    found.session.board.kinds[0] = 2


def spoil_moves(found: SoakTable) -> None:
    history = found.session.match.history
    history.play(history.game.moves(history.position, 0)[0], 0, "page")


def spoil_journal(found: SoakTable) -> None:
    found.journals[-1] += b"torn"
    found.safe = found.said_safe = len(found.journals[-1])


def spoil_number(found: SoakTable) -> None:
    found.session.board.next_event = 7


def spoil_clock(found: SoakTable) -> None:
    found.session.board.tell_time(0, found.now_us)


def spoil_link(found: SoakTable) -> None:
    found.session.board.lost()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (spoil_belief, "another belief|believed"),
        (spoil_moves, "other moves"),
        (spoil_journal, "damaged"),
        (spoil_number, "another event"),
        (spoil_clock, "board's time"),
        (spoil_link, "the link is lost"),
    ],
)
def test_a_spoilt_table_is_noticed(
    spoil: Callable[[SoakTable], None], says: str, tmp_path: Path
) -> None:
    found = table(tmp_path)
    check(found)
    spoil(found)
    with pytest.raises(CheckFailed, match=says):
        check(found)


def test_two_steps_that_blink_at_once_are_noticed(tmp_path: Path) -> None:
    found = table(tmp_path)
    check_light(found)
    found.worst_blinking = 2
    with pytest.raises(CheckFailed, match="2 steps"):
        check_light(found)


def test_a_move_that_no_hand_made_is_noticed_under_a_fault(tmp_path: Path) -> None:
    found = table(tmp_path, "at 3s for 60s flipped c3")
    found.rest(2_000_000)
    # A stone that only the sensors see: the board says so, nothing lies there.
    real = found.rig.world.kinds
    found.rig.world.kinds = lambda now_us: (0,) * 19  # type: ignore[method-assign]
    People(found, clumsy=0.0).do(Step("place", 0, 1))
    found.rig.world.kinds = real  # type: ignore[method-assign]
    assert [move for _, move, _ in found.phantoms] == ["e1"]


def strewn(folder: Path) -> SoakTable:
    """A table whose game begins while seven stones of no game lie there."""
    rig = faulty_rig("hex3", 4, "")
    for number in range(7):
        rig.world.stand(1 + number % 2, 2 * number)
    found = SoakTable(rig, "control", {"size": 3}, ("human", "human"), seed=4, folder=folder)
    found.rest(2_500_000)
    return found


def test_people_are_patient_while_each_stone_lifted_leaves_fewer(tmp_path: Path) -> None:
    found = strewn(tmp_path)
    assert len(found.prompt.steps) == 1
    assert People(found, clumsy=0.0).mend(patience=3)
    assert not any(found.rig.kinds)


def test_people_give_up_on_a_table_that_goes_on_asking_for_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = People(strewn(tmp_path), clumsy=0.0)
    asked: list[Step] = []

    def in_vain(step: Step, hand: str = "person") -> bool:
        asked.append(step)
        assert len(asked) < 20, "nobody gives up"
        return False

    monkeypatch.setattr(people, "do", in_vain)
    assert not people.mend(patience=3)
    assert asked == [asked[0]] * 4


def test_a_host_that_dies_comes_back_with_all_that_was_on_disk(tmp_path: Path) -> None:
    found = table(tmp_path, "at 6s for 2s kill host\nat 12s for 2s torn journal")
    people = People(found, clumsy=0.0)
    people.do(Step("place", 0, 1))
    people.do(Step("place", 18, 2))
    before: list[Any] = [str(move) for move in found.session.match.history.moves]
    found.rest(14_000_000)
    assert found.lives == 3
    assert [str(move) for move in found.session.match.history.moves] == before
    people.settle()
    check(found)
