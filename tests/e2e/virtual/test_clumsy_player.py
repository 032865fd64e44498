"""The clumsy player at every game, lesson and role: within three seconds something moves, or one
true sentence says what to do. The whole (`--all`) are ten thousand acts a game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clumsy_player import (
    MACHINE,
    PATIENCE_US,
    PEOPLE,
    RESTLESS_US,
    Breach,
    ClumsyPlayer,
    breach,
)
from clumsy_table import ClumsyTable
from lumiban.table.identities import PieceIdentities
from lumiban.table.standstill import StandstillWatch
from lumiban.table.state import TableState
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Output, Prompt
from lumiban.table.view import View

GAMES = ("control", "evening", "trivia", "doves", "rengi")
WAYS = [(PEOPLE, False), (MACHINE, False), (PEOPLE, True)]
SOME, WHOLE = 150, 3400


@pytest.mark.parametrize(("seats", "lesson"), WAYS, ids=["people", "machine", "lesson"])
@pytest.mark.parametrize("slug", GAMES)
def test_whatever_a_person_does_they_know_what_to_do_next(
    slug: str, seats: tuple[str, str], lesson: bool
) -> None:
    ClumsyPlayer(slug, seats, 11, lesson=lesson).play(SOME)


@pytest.mark.parametrize("slug", GAMES)
def test_on_a_board_without_simulated_hands_too(slug: str) -> None:
    ClumsyPlayer(slug, PEOPLE, 12, has_hands=False).play(SOME)


@pytest.mark.long
@pytest.mark.parametrize(("seats", "lesson"), WAYS, ids=["people", "machine", "lesson"])
@pytest.mark.parametrize("slug", GAMES)
def test_ten_thousand_acts_of_a_game_break_the_law_nowhere(
    slug: str, seats: tuple[str, str], lesson: bool
) -> None:
    ClumsyPlayer(slug, seats, 1, lesson=lesson).play(WHOLE)


def move(table: ClumsyTable) -> int:
    """The person plays the first legal move that slides a dove, else the first; where it went."""
    game, position = table.session.game, table.session.match.position
    moves = sorted(game.moves(position, 0), key=lambda one: one.text[0] == "+")
    changes = sorted(game.effects(position, moves[0]), key=lambda one: one[2])
    for cell, _, after in changes:
        if after:
            table.place(cell, int(after))
        else:
            table.lift(cell)
        table.wait(100_000)
    return changes[-1][0]


def test_a_dove_that_goes_on_after_its_move_is_not_left_with_nothing_said() -> None:
    table = ClumsyTable("doves", MACHINE, seed=1)
    table.stand(PATIENCE_US, RESTLESS_US)
    landed = move(table)  # out of the tray, before any may slide
    table.stand(PATIENCE_US, RESTLESS_US)
    landed = move(table)
    table.wait(50_000)
    empty = [
        cell
        for cell, kind in enumerate(table.lying())
        if not kind and not any(cell in tray for tray in table.view.game.trays)
    ]
    table.lift(landed)
    table.wait(2_000_000)  # it counts by now, and the machine waits for the dove
    table.place(empty[-1], 1)
    table.stand(PATIENCE_US, RESTLESS_US)
    assert breach(table, set()) == ""


# The law finds what it was made for: each fault as it was, brought back.


def breaches(slug: str, seats: tuple[str, str], *, lesson: bool, has_hands: bool = True) -> bool:
    for seed in range(6):
        try:
            ClumsyPlayer(slug, seats, seed, lesson=lesson, has_hands=has_hands).play(1200)
        except (Breach, AssertionError):
            return True
    return False


def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same step for others was told to nobody, and to no hand twice."""

    changes = View.changes

    def quieter(view: View, table: TableState, *, may_hands_act: bool) -> list[Output]:
        before = view.prompt
        told = changes(view, table, may_hands_act=may_hands_act)
        now = view.prompt
        is_same = (now.steps, now.wait) == (before.steps, before.wait)
        return [one for one in told if not (is_same and isinstance(one, Prompt))]

    monkeypatch.setattr(View, "changes", quieter)
    monkeypatch.setattr(StandstillWatch, "asks_again", lambda *given: False)


def misnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question named the pieces where they had been, and no move."""
    stand = PieceIdentities.where_they_stand

    def stood(names: PieceIdentities) -> object:
        names.asked_move = None
        return stand(names)

    monkeypatch.setattr(PieceIdentities, "where_they_stand", stood)


def too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stone set before the machine's was in its way."""
    monkeypatch.setattr(TurnPlay, "_follow_early", lambda match: None)


@pytest.mark.parametrize(
    ("fault", "slug", "seats", "lesson", "has_hands"),
    [
        (untold, "control", PEOPLE, True, True),
        (misnamed, "doves", PEOPLE, False, False),
        (too_early, "control", MACHINE, False, True),
    ],
    ids=["untold", "misnamed", "too early"],
)
def test_each_old_fault_is_found(
    fault: Callable[[pytest.MonkeyPatch], None],
    slug: str,
    seats: tuple[str, str],
    lesson: bool,
    has_hands: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault(monkeypatch)
    assert breaches(slug, seats, lesson=lesson, has_hands=has_hands)
