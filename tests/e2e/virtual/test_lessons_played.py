"""Every lesson played by simulated hands on simulated boards: the right way, beside it, and against
the rules; left, resumed and ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lumiban.games.base import Kind, Move
from lumiban.games.builtin_lessons import LESSONS, lesson_of
from lumiban.games.puzzles import puzzle_counts
from lumiban.table.resume import resume
from lumiban.table.types import Settings
from virtual_table import VirtualTable

BOARDS = {"doves": "grid9x9", "trivia": "grid9x9", "rengi": "grid13x14"}
NO_STEP = {"id": "table.no-lesson-step", "params": {}}
REFUSED_BY_HAND = ("control", "evening")
"""Games whose moves are single stones, which a hand can put anywhere."""


def table_of(name: str, **more: Any) -> VirtualTable:
    lesson = lesson_of(name)
    return VirtualTable(
        profile=BOARDS.get(lesson.slug, "hex3"),
        game=lesson.slug,
        options=dict(lesson.options),
        assists=("machine", "mend"),
        playouts=2,
        settings=Settings(hands=True),
        **more,
    )


def begin(slug: str, **more: Any) -> VirtualTable:
    table = table_of(slug, **more)
    table.rest(1_000_000)
    assert table.command("lesson", go="begin") is None
    return table


def told(table: VirtualTable) -> dict[str, Any]:
    found: dict[str, Any] = table.view["lesson"]
    return found


def is_ready(table: VirtualTable) -> bool:
    """Whether the board shows the step, as far as its stones are not in light."""
    view = table.view
    light = set(view["light"])
    shown = [0 if cell in light else kind for cell, kind in enumerate(view["pieces"])]
    in_light = bool(view.get("lit"))
    settled = in_light or shown == view["sensed"]
    return settled and view["verdict"]["kind"] == "agree" and not table.prompt.steps


def legal(table: VirtualTable, text: str) -> Move:
    match = table.session.match
    sides = range(len(match.game.sides))
    tried = [match.game.parse(match.position, text, side) for side in sides]
    return next(one for one in tried if match.game.why_not(match.position, one.side, one) is None)


def by_hand(table: VirtualTable, move: Move) -> None:
    """Do it as a learner would: with stones, with markers, or by a button of the page."""
    match = table.session.match
    if move.is_word:
        assert table.command("word", side=move.side, word=move.text.split(" ")[0]) is None
        table.rest()
    elif table.view.get("lit"):
        markers(table, move.text)
    else:
        names = match.game.grid.names
        effects = match.game.effects(match.position, move)
        if match.game.labels(match.position) and move.text[0] == "+" and len(effects) == 1:
            # Without a tray the board asks which dove it was.
            raise AssertionError("the doves' board of these tests has trays")
        for cell, _, _ in [one for one in effects if one[1] != Kind.EMPTY]:
            table.lift(names[cell])
        for cell, _, after in [one for one in effects if one[2] != Kind.EMPTY]:
            table.place(names[cell], int(after))
        if all(after == Kind.EMPTY for _, _, after in effects):
            assert table.command("confirm") is None
            table.rest()


def markers(table: VirtualTable, text: str) -> None:
    column, way = "abcdef".index(chr(ord("a") + int(text[2]) - 1)), int(text[4])
    across, up = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}[way]
    axis, child = f"{'abcdef'[column]}5", f"{'abcdef'[column + across]}{5 + up}"
    for name in (axis, child):
        table.place(name, 1)
    for name in (axis, child):
        table.lift(name)


def showing(table: VirtualTable) -> Move:
    """A move that shows the idea of this step next."""
    lesson = table.session.lesson
    assert lesson is not None
    match = table.session.match
    game, position = match.game, match.position
    found = [one for side in game.movers(position) for one in game.moves(position, side)]
    for side in range(len(game.sides)):
        found += [game.parse(position, word, side) for word in game.words(position, side)]
    return next(one for one in found if lesson.step.shows([*match.history.moves, one]))


def show(table: VirtualTable) -> None:
    """Show the idea, move by move."""
    lesson = table.session.lesson
    assert lesson is not None
    while not lesson.is_right:
        by_hand(table, showing(table))
        table.run(is_ready)
    assert told(table)["is_right"]
    assert told(table)["said"]["id"].endswith(".right")


@pytest.mark.parametrize("slug", list(LESSONS))
def test_a_lesson_is_played_through_by_hands_and_ends_in_a_first_game(slug: str) -> None:
    table = begin(slug)
    steps = LESSONS[slug].steps
    for number, step in enumerate(steps):
        assert told(table)["step"] == number + 1
        table.run(is_ready)
        assert (told(table)["said"], table.session.hint) == (None, step.hint)
        for text in step.beside[:1]:
            by_hand(table, legal(table, text))
            table.run(is_ready)
            assert table.view["moves"] == []
            assert told(table)["said"]["id"].endswith(".not")
        if slug in REFUSED_BY_HAND and step.refused:
            refuse(table, step.refused[0])
            table.run(is_ready)
            assert table.view["moves"] == []
        show(table)
        go = "next" if number < len(steps) - 1 else "play"
        assert table.command("lesson", go=go) is None
    assert "lesson" not in table.view
    assert [seat["who"] for seat in table.view["seats"]] == ["human", "bot:gentle"]
    assert (table.view["moves"], table.session.hint) == ([], "control")
    assert table.finished == []


@pytest.mark.parametrize("slug", puzzle_counts())
def test_a_puzzle_is_set_up_solved_by_its_action_and_left(slug: str, tmp_path: Path) -> None:
    table = table_of(f"{slug}/puzzles")
    table.rest(1_000_000)
    last = puzzle_counts()[slug]
    asked = {"go": "begin", "game": f"{slug}/puzzles"}
    assert table.command("lesson", step=last + 1, **asked) == NO_STEP
    assert "lesson" not in table.view
    for number in (1, last):
        assert table.command("lesson", step=number, **asked) is None
        table.run(is_ready)
        now = told(table)
        assert (now["kind"], now["step"], now["steps"]) == ("puzzles", number, last)
        match, right = table.session.match, showing(table)
        others = [one for one in match.game.moves(match.position, right.side) if one != right]
        # Rengi's hands are played once the pair was seen in place.
        by_hand(table, next(one for one in others if one.text[0] != "-"))
        table.run(is_ready)
        assert (table.view["moves"], told(table)["said"]["id"]) == ([], "lesson.puzzle.not")
        assert table.session.match.game.to_act(table.session.match.position) == right.side
        show(table)
        assert told(table)["said"]["id"] == "lesson.puzzle.right"
    assert table.command("lesson", go="next") == NO_STEP
    assert back(table, tmp_path).lesson == f"{slug}/puzzles"
    assert table.command("lesson", go="leave") is None
    assert "lesson" not in table.view


def refuse(table: VirtualTable, text: str) -> None:
    """A move against the rules: it is refused, and the helping hand undoes it."""
    before, name = len(table.views), text.removeprefix("x")[-2:]
    if text.startswith("x"):
        table.lift(name)
    else:
        table.place(name, 2 if text.startswith("b") and len(text) == 3 else 1)
    assert "refuse" in [view["verdict"]["kind"] for view in table.views[before:]], text


@pytest.mark.parametrize("slug", ["control", "evening"])
def test_a_lesson_is_left_for_the_game_before_it_as_it_stood(slug: str, tmp_path: Path) -> None:
    table = table_of(slug)
    table.rest(1_000_000)
    table.place("a1", 1)
    table.place("e3" if slug == "control" else "b1", 2)
    before = table.view
    assert len(before["moves"]) == 2
    assert table.command("lesson", go="begin") is None
    table.run(is_ready)
    by_hand(table, showing(table))
    table.run(is_ready)
    assert table.command("lesson", go="leave") is None
    table.run(lambda t: t.view["sensed"] == t.view["pieces"], 60_000_000)
    for key in ("game", "moves", "pieces", "seats", "hint"):
        assert table.view[key] == before[key], key
    # And its new journal leads there too.
    assert [one.text for one in back(table, tmp_path).moves] == [m["text"] for m in before["moves"]]


def back(table: VirtualTable, folder: Path) -> Any:
    table.rest(1_000_000)
    path = folder / "now.journal"
    path.write_bytes(bytes(table.journals[-1]))
    return resume(path).history


def test_a_lesson_that_ends_its_game_keeps_no_record_and_no_end() -> None:
    table = begin("evening")
    for _ in range(5):
        assert table.command("lesson", go="next") is None
    table.run(is_ready)
    show(table)
    assert table.view["outcome"] is not None
    assert table.finished == []
    assert not [one for _, one in table.records if one["t"] == "end"]
    # What ended it can be tried again.
    assert table.command("lesson", go="again") is None
    assert (table.view["outcome"], told(table)["is_right"]) == (None, False)
