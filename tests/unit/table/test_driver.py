"""A driver hands every output of a session to the method of its name, and steps until nothing
waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import Connected, Hello, LightFrame, Snapshot
from lumiban.table.driver import SessionDriver
from lumiban.table.journal import Record
from lumiban.table.requests import ConfirmRequest, HintRequest, MoveRequest
from lumiban.table.session import Session
from lumiban.table.types import Durable, Input, Output, Prompt
from lumiban.table.view_fields import TableView


class Told(SessionDriver):
    """Remembers what was to be done, in order."""

    def __init__(self) -> None:
        self.rounds: list[Sequence[Input]] = []
        self.done: list[str] = []
        self.views: list[TableView] = []
        profile = load("hex3")
        game = games.load("control", size=3, opening="free")
        self.begin(Session(game, profile, ("human", "human")))
        cells = len(profile.cells)
        hello = Hello("test", 1, cells, cells, 1, "uid", 5, 0, 1000, 0, 0)
        self.step(Connected(hello), Snapshot((0,) * cells, 0, 0, False, False))

    def host_us(self) -> int:
        return 0

    def on_stepped(self, now_us: int, taken: Sequence[Input], outputs: Sequence[Output]) -> None:
        self.rounds.append(taken)

    def on_show(self, frame: LightFrame) -> None:
        self.done.append("show")

    def on_append(self, number: int, record: Record) -> None:
        self.done.append(f"append {record['t']}")

    def on_new_journal(self, name: str) -> None:
        self.done.append("journal")

    def on_acknowledge(self, next_event: int) -> None:
        self.done.append(f"acknowledge {next_event}")

    def on_publish(self, view: TableView) -> None:
        self.views.append(view)

    def on_prompt(self, prompt: Prompt) -> None:
        self.done.append("prompt")


def test_every_kind_of_output_has_its_method() -> None:
    table = Told()
    # `do` passes over none: mypy proves that it is complete only where something is returned.
    for kind in get_args(Output):
        output = kind(*(None for _ in kind.__match_args__))
        method = {"Append": "on_append", "NewJournal": "on_new_journal", "AskBot": "on_ask",
                  "AskCoach": "on_ask", "StopBot": "on_stop_bot"}.get(
            kind.__name__, f"on_{kind.__name__.lower()}")  # fmt: skip
        called: list[object] = []
        setattr(table, method, lambda *told, called=called: called.append(told))
        table.do(output)
        assert called, kind


def test_without_a_journal_all_that_is_written_is_kept_at_once() -> None:
    table = Told()
    assert any(isinstance(one, Durable) for taken in table.rounds for one in taken)
    assert table.done.index("journal") < table.done.index("append head")
    assert "acknowledge 0" in table.done


def test_a_request_is_answered_in_its_step() -> None:
    table = Told()
    assert table.answer_to(MoveRequest(0, "a1")) is None
    assert table.prompt.steps[0].do == "place"
    refused = table.answer_to(ConfirmRequest())
    assert refused is not None
    assert refused["id"] == "table.nothing-to-confirm"


def test_what_comes_in_while_outputs_are_done_waits_for_the_next_round() -> None:
    table = Told()
    seen: list[int] = []

    def publish(view: TableView) -> None:
        seen.append(len(table.rounds))
        if len(seen) == 1:
            assert table.answer_to(HintRequest("none")) is None, "it is answered later"
            assert len(table.rounds) == seen[0], "no step within a step"

    table.on_publish = publish  # type: ignore[method-assign]
    table.answer_to(MoveRequest(0, "a1"))
    assert table.session.hint == "none"
    assert len(seen) > 1
