"""What each role may ask of a table: every request by every role, and whose move it is."""

from __future__ import annotations

from typing import Any

from each import each
from lumiban.table.commands import objection_in
from lumiban.table.requests import (
    HOST,
    TABLE_REQUESTS,
    VIEWER,
    AcceptBoardRequest,
    AnswerBackRequest,
    AuditRequest,
    ChoiceRequest,
    CoachRequest,
    ConfirmRequest,
    DeadCellRequest,
    HintRequest,
    LessonRequest,
    LobbyRequest,
    MoveRequest,
    NewGameRequest,
    PaceRequest,
    PutBackRequest,
    ReactionRequest,
    RecentreRequest,
    ReviewRequest,
    RulesRequest,
    SeatRequest,
    SetUpRequest,
    TakebackRequest,
    ThemeRequest,
    WordRequest,
    objection,
    request_of,
    seat,
)
from lumiban.table.types import Choose, Pending
from session_bench import Bench

ALL: list[tuple[Any, set[str]]] = [
    (MoveRequest(0, "a1"), {seat(0)}),
    (MoveRequest(1, "a1"), {seat(1)}),
    (WordRequest(0, "resign"), {seat(0)}),
    (WordRequest(1, "resign"), {seat(1)}),
    (ConfirmRequest(), {seat(0), seat(1)}),
    (ConfirmRequest(0), {seat(0)}),
    (ConfirmRequest(1), {seat(1)}),
    (TakebackRequest(), {seat(0), seat(1)}),
    (TakebackRequest(1), {seat(1)}),
    (AnswerBackRequest(0, yes=True), {seat(0)}),
    (ChoiceRequest("a1"), {seat(0), seat(1)}),
    (SeatRequest(0, "human"), set()),
    (SeatRequest(1, "bot:easy"), set()),
    (NewGameRequest(), set()),
    (NewGameRequest("control"), set()),
    (RulesRequest(), set()),
    (LessonRequest("begin"), set()),
    (LessonRequest("next"), set()),
    (HintRequest("none"), set()),
    (ThemeRequest("standard"), set()),
    (CoachRequest(), set()),
    (CoachRequest(True), set()),
    (ReviewRequest(), set()),
    (AcceptBoardRequest(), set()),
    (DeadCellRequest("c4"), set()),
    (SetUpRequest({"a1": 0}, 1), set()),
    (RecentreRequest(), set()),
    (AuditRequest(), set()),
    (PaceRequest(500), set()),
    (PutBackRequest(), set()),
    (ReactionRequest(500), set()),
    (LobbyRequest("start"), set()),
]
"""Requests, and the seats that may make them: as `lan.md` has it, not as the code declares it."""


def test_every_request_is_tried() -> None:
    assert {type(request) for request, _ in ALL} == set(TABLE_REQUESTS)


@each(("request_", "may"), ALL)
def test_each_request_by_each_role(request_: Any, may: set[str]) -> None:
    for role in (VIEWER, "watch", "seat 9", "", seat(0), seat(1)):
        assert (objection(request_, role) is None) == (role in may), role
    assert objection(request_, HOST) is None


def test_what_is_no_request_is_nobody_s_but_the_host_s() -> None:
    strange = request_of("dance", {})
    assert objection(strange, HOST) is None
    for role in (VIEWER, seat(0)):
        assert objection(strange, role) is not None


# Whose it is, by the game.


def refused(bench: Bench, request: Any, role: str) -> str | None:
    found = objection_in(bench.match, request, role)
    return None if found is None else found["id"]


def played(*seats: str, moves: int = 1) -> Bench:
    bench = Bench(*seats, opening="free")
    bench.connect()
    for number in range(moves):
        side = number % 2
        game, position = bench.game, bench.match.position
        move = next(m for m in game.moves(position, side) if not m.is_word and m.text[0] != "x")
        bench.put(move.text, 1 + side)
        bench.wait(2_000_000)
    assert len(bench.moves) == moves
    return bench


def test_only_whose_move_was_last_takes_it_back() -> None:
    bench = played("human", "human")
    other = "table.role.other-side"
    assert refused(bench, TakebackRequest(), seat(0)) is None
    assert refused(bench, TakebackRequest(), seat(1)) == other
    assert refused(bench, TakebackRequest(), HOST) is None
    bench = played("human", "human", moves=2)
    assert refused(bench, TakebackRequest(), seat(0)) == other
    assert refused(bench, TakebackRequest(), seat(1)) is None


def test_a_machine_s_answer_goes_back_with_the_person_s_move() -> None:
    bench = played("human", "human", moves=2)
    bench.match.history.seats = ("human", "bot:easy")
    assert bench.match.can_take_back() == 2
    assert refused(bench, TakebackRequest(), seat(0)) is None


def test_a_seat_confirms_its_own_move_and_a_machine_s_and_no_other_person_s() -> None:
    bench = played("human", "human", moves=2)
    other = "table.role.other-side"
    assert refused(bench, ConfirmRequest(), seat(0)) is None
    assert refused(bench, ConfirmRequest(), seat(1)) == other
    bench.match.lift = Pending(bench.match.history.moves[1], "lift")
    assert refused(bench, ConfirmRequest(), seat(1)) is None
    assert refused(bench, ConfirmRequest(), seat(0)) == other
    bench.match.history.seats = ("human", "bot:easy")
    assert refused(bench, ConfirmRequest(), seat(0)) is None


def test_a_seat_chooses_only_among_its_own_moves() -> None:
    bench = played("human", "human", moves=2)
    own, others = bench.match.history.moves
    bench.match.verdict = Choose((own, own), back=1)
    assert refused(bench, ChoiceRequest(own.text), seat(0)) is None
    assert refused(bench, ChoiceRequest(own.text), seat(1)) == "table.role.other-side"
    # To have put the pieces back takes the last move back: that was Black's.
    assert refused(bench, ChoiceRequest("takeback"), seat(0)) == "table.role.other-side"
    assert refused(bench, ChoiceRequest("takeback"), seat(1)) is None
    bench.match.verdict = Choose((own, others))
    assert refused(bench, ChoiceRequest(own.text), seat(0)) == "table.role.other-side"


def test_nothing_is_chosen_by_a_seat_where_nothing_is_asked() -> None:
    bench = played("human", "human")
    for side in (0, 1):
        assert refused(bench, ChoiceRequest("takeback"), seat(side)) == "table.role.other-side"
