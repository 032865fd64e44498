"""The coach at the table: when it is asked, what it knows, when it is silent, what is shown."""

from __future__ import annotations

from typing import Any

from lumiban import games
from lumiban.search.analysis import analyse, by_number
from lumiban.table.fitting import profile_for
from lumiban.table.types import (
    Advice,
    AskCoach,
    Output,
    Publish,
)
from session_bench import Bench, only
from shown import as_page_has_it


class Table(Bench):
    """A session with a board that agrees; moves are told by page."""

    def __init__(self, slug: str = "control", *seats: str, hint: str = "coach", **options: Any):
        game = games.load(slug, **options)
        seats = seats or ("human", "bot:easy")
        super().__init__(*seats, profile=profile_for(game), game=game, hint=hint)
        kinds = [0] * len(self.profile.cells)
        for cell, kind in enumerate(game.pieces(self.position)):
            kinds[self.match.placing.board[cell]] = int(kind)
        self.connect(kinds=kinds)

    @property
    def position(self) -> Any:
        return self.match.history.position

    def step(self, *inputs: Any, durable: bool = True) -> list[Output]:
        self.now_us += 3_000_000
        out = super().step(*inputs, durable=durable)
        for item in only(Publish, out):
            self.view = as_page_has_it(item.view)
        return out

    def asks(self, do: str, **args: Any) -> tuple[str | None, list[Output]]:
        """The id of the reason why a request is refused, and what came of it."""
        error = self.command(do, **args)
        return (None if error is None else str(error["id"])), self.out


def questions(out: list[Output]) -> list[AskCoach]:
    return [item for item in out if isinstance(item, AskCoach)]


def advice_on(question: AskCoach, playouts: int = 60) -> Advice:
    found = analyse(question.game, question.position, budget=playouts, compiled=False, top=3)
    return Advice(question.ticket, tuple(by_number(found)), found.looked, found.unit, True)


def test_what_it_advises_tells_what_each_move_does() -> None:
    table = Table(size=3)
    (question,) = questions(table.out)
    table.step(advice_on(question))
    told = table.view["coach"]["moves"]
    assert [len(move["cells"]) for move in told] == [1, 1, 1]
    assert told[0]["does"][0]["id"] == "said.gains"


def test_whoever_chooses_a_pies_side_hears_what_each_is_worth() -> None:
    table = Table("stigmergy", "human", "human", size=2, opening="komi")
    assert table.asks("coach", agree=True)[0] is None
    assert (table.view["coach"]["for_two"], table.view["coach"]["side"]) == (True, None)
    error, out = table.asks("word", side=0, word="komi -4")
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
