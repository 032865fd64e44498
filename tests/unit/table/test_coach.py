"""The coach at the table: when it is asked, what it knows, when it is silent, what is shown."""

from __future__ import annotations

from typing import Any

import pytest
from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, Changed, Connected, Hello, Snapshot
from lumiban.search.analysis import analyse, by_number
from lumiban.table.fitting import profile_for
from lumiban.table.requests import request_of
from lumiban.table.session import Session
from lumiban.table.types import (
    Advice,
    Append,
    AskCoach,
    Command,
    Durable,
    Output,
    Publish,
    Reply,
    StopBot,
)
from shown import as_page_has_it


class Table:
    """A session with a board that agrees; moves are told by page."""

    def __init__(self, slug: str = "control", *seats: str, hint: str = "coach", **options: Any):
        self.game = games.load(slug, **options)
        self.profile = load(profile_for(self.game))
        self.session = Session(self.game, self.profile, seats or ("human", "bot:easy"), hint=hint)
        self.now_us, self.next_event = 0, 0
        self.view: Any = {}
        hello = Hello("t", 1, len(self.profile.cells), 1, 1, "uid", 5, 0, 1000, 0, 0)
        kinds = (0,) * len(self.profile.cells)
        for cell, kind in enumerate(self.session.match.history.game.pieces(self.position)):
            where = self.session.match.placing.board[cell]
            kinds = (*kinds[:where], int(kind), *kinds[where + 1 :])
        self.out = self.step(Connected(hello), Snapshot(kinds, 0, 0, False, False))

    @property
    def position(self) -> Any:
        return self.session.match.history.position

    def step(self, *inputs: Any) -> list[Output]:
        self.now_us += 3_000_000
        fresh = out = self.session.step(self.now_us, inputs)
        while written := [o.number for o in fresh if isinstance(o, Append)]:
            fresh = self.session.step(self.now_us, [Durable(written[-1])])
            out = out + fresh
        for item in out:
            if isinstance(item, Publish):
                self.view = as_page_has_it(item.view)
        return out

    def put(self, name: str, kind: int) -> list[Output]:
        where = self.session.match.placing.board[self.session.match.history.game.grid.cell(name)]
        self.now_us += 50_000
        event = BoardEvent(self.next_event, where, kind, self.now_us)
        self.next_event += 1
        return self.step(Changed((event,)))

    def command(self, do: str, **args: Any) -> tuple[str | None, list[Output]]:
        out = self.step(Command(request_of(do, args), 7))
        error = next(o.error for o in out if isinstance(o, Reply))
        return (None if error is None else str(error["id"])), out


def questions(out: list[Output]) -> list[AskCoach]:
    return [item for item in out if isinstance(item, AskCoach)]


def advice_on(question: AskCoach, playouts: int = 60) -> Advice:
    found = analyse(question.game, question.position, budget=playouts, compiled=False, top=3)
    return Advice(question.ticket, tuple(by_number(found)), found.looked, found.unit, True)


def test_the_question_is_taken_back_as_soon_as_the_position_is_another_one() -> None:
    table = Table(size=3)
    (question,) = questions(table.out)
    out = table.put("a1", 1)
    assert StopBot(question.ticket) in out
    table.step(advice_on(question))
    assert table.session.coach.tips == ()
    assert table.view["coach"]["moves"] == []


def test_what_it_advises_stands_in_the_view_and_in_the_light_with_ranks() -> None:
    table = Table(size=3)
    (question,) = questions(table.out)
    table.step(advice_on(question))
    told = table.view["coach"]
    assert (told["for_two"], told["may_ask"], told["side"], told["done"]) == (False, True, 0, True)
    assert [len(move["cells"]) for move in told["moves"]] == [1, 1, 1]
    assert told["moves"][0]["does"][0]["id"] == "said.gains"
    assert 0 <= told["moves"][0]["value"] <= 1
    marks = {mark["cell"]: mark["meaning"] for mark in table.view["marks"]}
    best, other, _ = (move["cells"][-1] for move in told["moves"])
    assert {mark["meaning"] for mark in table.view["marks"] if mark["cell"] == best} >= {"advice"}
    assert marks[other] == "advice-also"


def test_whoever_chooses_a_pies_side_hears_what_each_is_worth() -> None:
    table = Table("stigmergy", "human", "human", size=2, opening="komi")
    assert table.command("coach", agree=True)[0] is None
    assert (table.view["coach"]["for_two"], table.view["coach"]["side"]) == (True, None)
    error, out = table.command("word", side=0, word="komi -4")
    assert error is None
    (question,) = questions(out)
    assert question.side == 1
    table.step(advice_on(question))
    told = table.view["coach"]["moves"]
    assert {move["move"] for move in told} == {"take white", "take black"}
    assert told[0]["said"] == told[0]["move"]
    assert told[0]["value"] == 1 - told[1]["value"] >= 0.5
    assert [move["cells"] for move in told] == [[], []]
    assert len(told[0]["line"]) > 1


def test_it_knows_no_more_of_a_hidden_supply_than_the_person() -> None:
    table = Table("rengi", mode="tsu")
    (question,) = questions(table.out)
    game = table.session.match.history.game
    assert question.position == game.view(table.position, question.side)
    # Another game whose shown pairs are the same cannot be told from this one by the coach.
    hidden = question.position.state[-40:]
    assert set(hidden) == {0}
    assert question.position.seed == 0


@pytest.mark.slow
def test_doves_are_advised_on_the_boards_own_cells() -> None:
    table = Table("doves")
    (question,) = questions(table.out)
    assert question.game.slug == "doves"
    table.step(advice_on(question, 3_000))
    game = table.session.match.history.game
    for move in table.view["coach"]["moves"]:
        played = game.parse(table.position, move["move"])
        assert move["cells"] == list(game.aims(table.position, played))
        assert move["said"] == game.display_text(table.position, played)


def test_rengi_is_advised_where_the_blocks_come_to_rest() -> None:
    table = Table("rengi", mode="tsu")
    (question,) = questions(table.out)
    table.step(advice_on(question, 40))
    for move in table.view["coach"]["moves"]:
        names = [table.game.grid.name(cell) for cell in move["cells"]]
        assert len(names) == 2
        assert all(name[1:] in ("1", "2") for name in names)


def test_play_without_turns_is_advised_as_if_it_had_turns() -> None:
    table = Table("evening", size=3)
    (question,) = questions(table.out)
    assert question.game.options["turns"] == "trailing"
    table.step(advice_on(question))
    assert len(table.view["coach"]["moves"]) == 3


def test_what_failed_is_told() -> None:
    table = Table(size=3)
    (question,) = questions(table.out)
    table.step(Advice(question.ticket, reason="the bot's process died"))
    assert table.view["coach"]["reason"] == "the bot's process died"
    assert questions(table.step()) == []


@pytest.mark.parametrize("slug", ["control", "evening", "trivia", "doves", "rengi"])
def test_a_question_that_is_answered_costs_the_light_nothing(slug: str) -> None:
    """All meanings that a coach adds are known to the light, and the view stays JSON."""
    import json

    table = Table(slug)
    for question in questions(table.out):
        table.step(advice_on(question, 40 if slug != "doves" else 2_000))
    assert json.loads(json.dumps(table.view)) == table.view
