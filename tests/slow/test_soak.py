"""The soak: a slice of it, and that it would notice what it looks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.boards.types import BoardEvent, Changed
from lumiban.errors import CheckFailed
from lumiban.table.types import Acknowledge
from lumiban_lab import soak
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_check import check
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
