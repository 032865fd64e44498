"""Thinking on the opponent's time: it ends when told, what it found is there, nothing leaks."""

from __future__ import annotations

import os
from typing import Any

import pytest
from lumiban import games
from lumiban.errors import UsageError
from lumiban.games.base import Game, Position
from lumiban.search import tree
from lumiban.search.bot import think
from lumiban.search.levels import NAMES, level_of
from lumiban.search.tree import Room
from lumiban.search.tree_searches import TreeReuse
from lumiban.search.worker_process import ponder, ponders
from lumiban.table import questions
from lumiban.table.types import AskBot, AskCoach, Output, Ponder, Settings, StopBot
from virtual_table import VirtualTable


class Slices:
    """A clock that goes on by 8 ms at each look, so that a slice is one game; and a stop after
    so many slices."""

    def __init__(self, stops_after: int) -> None:
        self.at_us = 0
        self.asked = 0
        self.stops_after = stops_after

    def now_us(self) -> int:
        self.at_us += 8_000
        return self.at_us

    def stop(self) -> bool:
        self.asked += 1
        return self.asked > self.stops_after


def a_turn(slug: str, options: dict[str, Any]) -> tuple[Game, Position, TreeReuse]:
    """A person's turn after a bot's thought, and what that thought left."""
    game = games.load(slug, **options)
    position = game.play(game.start(), game.moves(game.start(), 0)[0])
    kept = TreeReuse()
    thought = think(game, position, "strong", 1, playouts=400, compiled=False, kept=kept)
    return game, game.play(position, thought.move), kept


def grown(game: Game, position: Position, kept: TreeReuse, looks: int) -> tuple[int, Slices]:
    slices = Slices(looks)
    played = ponder(game, position, 2, kept, stop=slices.stop, compiled=False, now_us=slices.now_us)
    return played, slices


@pytest.mark.slow
def test_it_ends_at_the_next_slice_once_told() -> None:
    game, position, kept = a_turn("control", {"size": 4})
    _, slices = grown(game, position, kept, 7)
    # Asked once a slice, and never again after it said so.
    assert slices.asked == 8


@pytest.mark.slow
def test_it_ends_by_itself_and_keeps_within_its_room() -> None:
    game, position, kept = a_turn("control", {"size": 3})
    clock = Slices(1 << 60)
    room = Room(1 << 16)
    ponder(
        game, position, 2, TreeReuse(), stop=clock.stop, compiled=False, room=room,
        longest_us=400_000, now_us=clock.now_us,
    )  # fmt: skip
    assert clock.at_us < 450_000
    played = ponder(
        game, position, 2, kept, stop=lambda: False, compiled=False, longest_us=0,
        now_us=clock.now_us,
    )  # fmt: skip
    assert played == 0


def test_games_with_searches_of_their_own_are_left_alone() -> None:
    game = games.load("doves")
    assert ponder(game, game.start(), 1, TreeReuse(), stop=lambda: False, compiled=False) == 0


def test_the_table_and_the_search_know_the_same_levels() -> None:
    assert {name for name in NAMES if ponders(level_of(name))} == questions.LEVELS


def test_the_environment_may_forbid_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUMIBAN_PONDER", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert tree.ponders()
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert not tree.ponders()
    monkeypatch.setenv("LUMIBAN_PONDER", "1")
    assert tree.ponders()
    monkeypatch.setenv("LUMIBAN_PONDER", "perhaps")
    with pytest.raises(UsageError, match="LUMIBAN_PONDER"):
        tree.ponders()


# At the table.


class Pondering(VirtualTable):
    """A table that notes what is asked of the bot's process, and ponders in slices of 200."""

    def __post_init__(self) -> None:
        self.told: list[Output] = []
        self.kept = TreeReuse()
        super().__post_init__()

    def do(self, output: Output) -> None:
        if isinstance(output, AskBot | AskCoach | Ponder | StopBot):
            self.told.append(output)
        if isinstance(output, Ponder):
            slices = Slices(600)
            ponder(
                output.game, output.position, output.seed, self.kept, stop=slices.stop,
                compiled=False, now_us=slices.now_us,
            )  # fmt: skip
        super().do(output)

    def _think(self, question: AskBot) -> None:
        think(
            question.game, question.position, question.level, question.seed,
            playouts=self.playouts, compiled=False, kept=self.kept,
        )  # fmt: skip
        super()._think(question)


def played(settings: Settings, level: str = "strong", turns: int = 2) -> Pondering:
    """A table at which a person has set so many stones by hand, and the bot has answered."""
    seats = ("human", f"bot:{level}")
    table = Pondering(seats=seats, settings=settings, playouts=60)
    for _ in range(turns):
        table.run(lambda t: t.session.match.movers == (0,) and not t.prompt.steps, 60_000_000)
        table.rest(600_000)
        history = table.session.match.history
        move = next(m for m in history.game.moves(history.position, 0) if m.text[0] != "x")
        table.place(move.text, 1)
    table.run(lambda t: t.session.match.movers == (0,), 60_000_000)
    return table


@pytest.mark.slow
def test_a_turn_of_a_persons_is_thought_about_once_and_ends_with_their_move() -> None:
    table = played(Settings(ponder=True))
    kinds = [type(output).__name__ for output in table.told]
    assert kinds == ["AskBot", "Ponder", "StopBot", "AskBot", "Ponder"]
    first, stop, last = (o for o in table.told if isinstance(o, Ponder | StopBot))
    assert stop.ticket == first.ticket != last.ticket
    table.rest(5_000_000)
    assert len(table.told) == 5
    table.command("seat", side=1, who="human")
    table.rest(100_000)
    assert isinstance(table.told[-1], StopBot)
    assert table.told[-1].ticket == last.ticket


@pytest.mark.slow
def test_what_the_coach_interrupts_goes_on_after_its_answer() -> None:
    table = played(Settings(ponder=True), turns=1)
    before = table.told[-1]
    assert isinstance(before, Ponder)
    table.told.clear()
    table.command("coach")
    assert [type(output).__name__ for output in table.told] == ["AskCoach", "Ponder"]
    assert table.told[-1] == before
    table.rest(5_000_000)
    assert len(table.told) == 2
    without = played(Settings(ponder=False), turns=1)
    without.command("coach")
    assert [type(output).__name__ for output in without.told] == ["AskBot", "AskCoach"]


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_weaker_bots_do_not(level: str) -> None:
    table = played(Settings(ponder=True), level, turns=1)
    assert [type(output).__name__ for output in table.told] == ["AskBot"]


@pytest.mark.slow
def test_a_bot_ponders_on_its_own_view_only() -> None:
    table = played(Settings(ponder=True), turns=1)
    about = table.told[-1]
    assert isinstance(about, Ponder)
    history = table.session.match.history
    assert about.side == 1
    assert about.position == history.game.view(history.position, 1)
    assert history.game.movers(about.position) == (0,)
