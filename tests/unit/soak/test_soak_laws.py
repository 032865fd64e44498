"""Each law of the soak, and a mutation of the product, or of what it did, that the law catches."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from by_the_rules import judge
from lumiban import games
from lumiban.errors import CheckFailed
from lumiban.games.control.game import Control
from lumiban.table import standstill
from lumiban.table.history import GameHistory
from lumiban.table.journal import read
from lumiban.table.journal_numbers import JournalNumbers
from lumiban.table.session import Session
from lumiban.table.types import Step
from lumiban_fw import wire
from lumiban_lab import soak_laws, soak_table
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_check import check, check_light
from lumiban_lab.soak_laws import Remembered, in_order
from lumiban_lab.soak_people import People
from lumiban_lab.soak_table import SoakTable

WHITE, BLACK = 1, 2
FIRST, INNER, OTHER = 0, 9, 18
"""Cells of hex3: e1 on the perimeter, c3 in the middle, a3 on the perimeter."""


def table(folder: Path, *, torn: bool = False) -> SoakTable:
    """Control with people, after White's first stone; a power cut comes after that if `torn`."""
    rig = faulty_rig("hex3", 4, "at 6s for 1s torn journal" if torn else "")
    found = SoakTable(
        rig, "control", {"size": 3}, ("human", "human"), seed=4, folder=folder, judges=judge
    )
    found.rest(1_500_000)
    set_down(found, FIRST, WHITE)
    assert [text for _, text in found.remembered.moves] == ["e1"]
    return found


def set_down(found: SoakTable, cell: int, kind: int) -> None:
    People(found, clumsy=0.0).do(Step("place", cell, kind))


Patch = pytest.MonkeyPatch


def takes_back_alone(found: SoakTable, patch: Patch) -> None:
    """The table takes its last move back when time goes by."""
    real = Session._follow_time

    def wrong(session: Session) -> None:
        real(session)
        history = session.match.history
        if found.now_us > 6_000_000 and history.played:
            history.take_back(1)
            session._dirty = True

    patch.setattr(Session, "_follow_time", wrong)
    found.rest(4_000_000)


def doubles(found: SoakTable, patch: Patch) -> None:
    """The view tells a move twice."""
    view = dict(found.view)
    view["moves"] = [*view["moves"], *view["moves"]]
    found.remembered.published(view)


def forgets_at_death(found: SoakTable, patch: Patch) -> None:
    """A host comes back without the last move that was on disk."""
    real = soak_table.survived

    def wrong(journals: Sequence[bytes], cut: int, path: Path) -> Any:
        back = real(journals, cut, path)
        assert back is not None
        if back.history.played:
            back.history.take_back(1)
        return back

    patch.setattr(soak_table, "survived", wrong)
    found.die(torn=False, for_us=500_000)
    found.rest(1_000_000)


def acknowledges_early(found: SoakTable, patch: Patch) -> None:
    """The board may forget what is only written."""
    real = JournalNumbers.on_disk
    patch.setattr(JournalNumbers, "on_disk", lambda self, number: real(self, number + 9))
    found.fsync_us = 3_000_000
    set_down(found, OTHER, BLACK)
    set_down(found, INNER, WHITE)
    found.rest(2_000_000)


def lights_without_limit(found: SoakTable, patch: Patch) -> None:
    """The firmware lets all lights shine as brightly as was asked."""
    found.rig.world.light = b"\xff" * len(found.rig.world.light)
    found.rest(600_000)


def plays_illegally(found: SoakTable, patch: Patch) -> None:
    """The game takes any stone anywhere: the first of Black on what White controls."""
    patch.setattr(Control, "why_not", lambda *_: None)
    found.command("move", side=1, text="e2")
    set_down(found, FIRST + 1, BLACK)


def writes_another_journal(found: SoakTable, patch: Patch) -> None:
    """The journal tells another move than was played."""
    real = GameHistory.play

    def wrong(history: GameHistory, move: Any, *rest: Any, **more: Any) -> Any:
        return {**real(history, move, *rest, **more), "text": "a1"}

    patch.setattr(GameHistory, "play", wrong)
    set_down(found, OTHER, BLACK)
    check(found)


def blinks_twice(found: SoakTable, patch: Patch) -> None:
    """Two steps of repair blink at once."""
    found.worst_blinking = 2
    check_light(found)


def swallows_an_event(found: SoakTable, patch: Patch) -> None:
    """An event of the board does not come through."""
    found._numbers[found._boot] -= 1
    set_down(found, OTHER, BLACK)


def puts_times_back(found: SoakTable, patch: Patch) -> None:
    """The link tells each event two seconds before its time, and so calls it late."""
    real = wire.events_base
    patch.setattr(wire, "events_base", lambda *told: real(*told) - 2_000_000)
    set_down(found, OTHER, BLACK)


def waits_for_nobody(found: SoakTable, patch: Patch) -> None:
    """The product finds its own table hung (what it finds: tests/unit/table/test_standstill.py)."""
    patch.setattr(standstill.StandstillWatch, "look", lambda *_: standstill.NOBODY)
    found.rest(2_000_000)


@pytest.mark.parametrize(
    ("mutation", "says"),
    [
        (waits_for_nobody, "the table hung"),
        (takes_back_alone, "taken back without"),
        (doubles, "doubled"),
        (forgets_at_death, "accepted moves are lost"),
        (acknowledges_early, "before they are on disk"),
        (lights_without_limit, "the lights draw"),
        (plays_illegally, "accepted against the rules"),
        (writes_another_journal, "other moves|another position"),
        (blinks_twice, "steps of repair"),
        (swallows_an_event, "was lost"),
        (puts_times_back, "but not by the board"),
    ],
)
def test_a_law_catches_its_mutation(
    mutation: Callable[[SoakTable, Patch], None],
    says: str,
    tmp_path: Path,
    monkeypatch: Patch,
) -> None:
    found = table(tmp_path)
    with pytest.raises(CheckFailed, match=says):
        mutation(found, monkeypatch)


def test_without_a_mutation_all_laws_hold(tmp_path: Path) -> None:
    found = table(tmp_path)
    set_down(found, OTHER, BLACK)
    found.die(torn=True, for_us=500_000)
    people = People(found, clumsy=0.0)
    people.settle()
    assert people.mend()
    people.settle()
    check(found)
    check_light(found)
    assert found.remembered.accepted == found.remembered.judged == 2


# Laws over what was written, by examples.


def events(*told: tuple[int, int, int]) -> dict[str, Any]:
    return {"t": "events", "events": [[n, 3, 1, us, unsure] for n, us, unsure in told]}


def test_events_stand_in_order_of_number_and_time() -> None:
    in_order([events((0, 100, 10), (1, 95, 10)), events((2, 300, 10))])
    with pytest.raises(CheckFailed, match="event 3 stands after event 1"):
        in_order([events((0, 100, 10), (1, 120, 10), (3, 300, 10))])
    with pytest.raises(CheckFailed, match="stands after one of"):
        in_order([events((0, 900, 10), (1, 100, 10))])


def test_only_an_event_that_was_called_late_may_stand_after_a_later_one() -> None:
    behind = events((0, 900, 10), (1, 100, 10), (2, 950, 10))
    in_order([{**behind, "late": [1]}])
    for late in ([], [2]):
        with pytest.raises(CheckFailed, match="event 1 of 100"):
            in_order([{**behind, "late": late}])
    with pytest.raises(CheckFailed, match="event 2 of 500"):  # measured by what was on time
        in_order([{**events((0, 900, 10), (1, 100, 10), (2, 500, 10)), "late": [1]}])
    with pytest.raises(CheckFailed, match="event 2 stands after event 0"):
        in_order([{**events((0, 900, 10), (2, 100, 10)), "late": [2]}])


def test_an_event_that_the_board_found_late_is_late_in_the_journal(tmp_path: Path) -> None:
    found = table(tmp_path)
    # What a brown-out does to a stone: found when others have left, with a time before theirs.
    found.rig.chip.board._release.add((900_000, wire.FIRST_BUTTON, wire.UP, 100))
    set_down(found, OTHER, BLACK)
    check(found)
    (tmp_path / "j").write_bytes(bytes(found.journals[-1]))
    told = [record for record in read(tmp_path / "j").records if record["t"] == "events"]
    late = [event for record in told for event in record["events"] if event[0] in _late(record)]
    assert [event[1:4] for event in late] == [[wire.FIRST_BUTTON, wire.UP, 900_000]]
    found.die(torn=False, for_us=500_000)
    found.rest(1_000_000)
    check(found)


def _late(record: Mapping[str, Any]) -> Sequence[int]:
    late: Sequence[int] = record.get("late", ())
    return late


def test_a_host_that_comes_back_has_what_was_on_disk() -> None:
    one, two = (0, "a1"), (1, "b2")
    for back in ([one], [one, two]):
        soak_laws.nothing_lost([one], [one, two], back)
    with pytest.raises(CheckFailed):
        soak_laws.nothing_lost([one], [one, two], [])
    soak_laws.nothing_lost([one, two], [one], [one])  # a move was being taken back
    soak_laws.nothing_lost([one, two], [(0, "c1")], [])  # and another one made
    with pytest.raises(CheckFailed):
        soak_laws.nothing_lost([one, two], [one, two], [one])


# The rules, written a second time.

FAMILY: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("control", {"size": 3}),
    ("control", {"size": 4, "sees": "sight"}),
    ("evening", {"size": 3}),
    ("evening", {"size": 3, "sees": "sight", "opening": "pie"}),
    ("evening", {"size": 4, "sees": "adjacent"}),
    ("trivia", {"size": 5}),
    ("trivia", {"size": 4}),
)


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "options"), FAMILY)
def test_the_second_rules_and_the_games_agree_on_every_move(
    slug: str, options: dict[str, int | str]
) -> None:
    """Of all texts that a placement may have, exactly those are legal that the game lists."""
    game = games.load(slug, **options)
    asked = 0
    for seed in range(3):
        dice = random.Random(seed)
        position, said = game.start(), []
        while game.outcome(position) is None and len(said) < 60:
            every = [(s, str(m)) for s in (0, 1) for m in game.moves(position, s)]
            if len(said) % 3 == 0 and position.phase not in ("set", "choose"):
                mine = {
                    (side, text)
                    for side in (0, 1)
                    for name in game.grid.names
                    for text in _texts(slug, side, name)
                    if not _judged(game, [*said, (side, text)])
                }
                assert mine == set(every)
                asked += 1
            words = [
                (s, w)
                for s in (0, 1)
                for w in game.words(position, s)
                if w not in ("resign", "stop")
            ]
            side, text = dice.choice(
                words if words and (not every or dice.random() < 0.2) else every
            )
            move = game.parse(position, text, side)
            said.append((move.side, str(move)))
            position = game.play(position, move)
        outcome = game.outcome(position)
        found = judge(slug, game.options, game.grid.names)
        assert found is not None
        assert found.why_not_won(said, None if outcome is None else outcome.winner) == ""
    assert asked >= 3


def _judged(game: Any, said: list[tuple[int, str]]) -> str:
    found = judge(game.slug, game.options, game.grid.names)
    assert found is not None
    return found.why_not(said)


def _texts(slug: str, side: int, name: str) -> tuple[str, ...]:
    return {
        "control": (name, f"x{name}"),
        "evening": ("wb"[side] + name,),
        "trivia": (name, f"red {name}"),
    }[slug]


def test_remembered_moves_outlive_the_table_that_published_them() -> None:
    remembered = Remembered()
    game = {"slug": "control", "options": {}, "names": []}
    one = {"n": 1, "side": 0, "text": "a1"}
    remembered.published({"game": game, "moves": [one], "outcome": None})
    with pytest.raises(CheckFailed, match="taken back without"):
        remembered.published({"game": game, "moves": [], "outcome": None})


def test_a_lift_may_take_a_move_back_some_views_later() -> None:
    """The table lets a piece that is in the air come back first."""
    remembered = Remembered()
    game = {"slug": "doves", "options": {}, "names": []}
    one = {"n": 1, "side": 0, "text": "BN1E1"}
    remembered.published({"game": game, "moves": [one], "outcome": None})
    remembered.may_change("an event")
    remembered.published({"game": game, "moves": [one], "outcome": None})
    remembered.published({"game": game, "moves": [], "outcome": None})
    assert remembered.moves == []
