"""Analysis: the same for the same seed, plain and compiled; the command, its JSON, its errors."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import patience
import pytest
from lumiban import games
from lumiban.cli import run
from lumiban.errors import GameError
from lumiban.search.analysis import Analysis, analyse, by_name, by_number, in_turns
from lumiban.search.worker_messages import Answer, Ask, line_of, message_of, packed
from lumiban.search.worker_process import study


def plain(slug: str, options: dict[str, Any], budget: int, **more: Any) -> Analysis:
    game = games.load(slug, **options)
    return analyse(game, game.start(), budget=budget, compiled=False, **more)


def test_a_forced_win_is_told_with_its_length_and_comes_first() -> None:
    game: Any = games.load("doves")
    position = game.setup(board=".b.t/ABYa/T..h/..M.", to_move="red")
    from lumiban.search.doves.mate import find_mate

    mate = find_mate(game, position, 3, compiled=False)
    found = analyse(game, position, budget=6_000, compiled=False, top=40)
    wins = [line for line in found.lines if line.proof == "win"]
    assert mate.plies == 3
    assert {line.move for line in wins if line.wins_in == (mate.plies + 1) // 2} == set(mate.moves)
    assert found.lines[: len(wins)] == tuple(wins)
    assert len(wins[0].moves) == mate.plies
    for line in wins:
        assert {"mate", "wins"} & {word.what for word in line.does}


@pytest.mark.slow
def test_a_move_that_loses_at_once_says_so_and_comes_last() -> None:
    game: Any = games.load("doves")
    position = game.setup(board="..t/.MB/HYb/Thy", to_move="red")
    found = analyse(game, position, budget=4_000, compiled=False, top=60)
    last = found.lines[-1]
    assert (last.proof, last.value, last.does[0].what) == ("loss", 0.0, "loses")


def test_a_stop_ends_it_with_what_was_found() -> None:
    asked = iter([False, False, True])
    found = plain("control", {"size": 3}, 100_000, stop=lambda: next(asked))
    assert not found.done
    assert found.lines
    assert found.looked < 100


def test_a_game_that_is_over_or_only_talks_is_refused() -> None:
    game = games.load("control", size=2)
    over = game.play(game.start(), game.parse(game.start(), "resign"))
    with pytest.raises(GameError, match="the game is over"):
        analyse(game, over, budget=10, compiled=False)
    pie = games.load("control", size=3, opening="pie2")
    with pytest.raises(GameError, match="only words"):
        analyse(pie, pie.start(), budget=10, compiled=False)


@pytest.mark.parametrize(
    ("slug", "options", "words"),
    [
        ("control", {"size": 3, "opening": "pie2"}, ("put wa1", "put bc3", "done")),
        ("stigmergy", {"size": 2, "opening": "komi"}, ("komi -4",)),
        ("evening", {"size": 3, "opening": "pie", "turns": "trailing"}, ("put wc3", "done")),
    ],
)
def test_at_a_pie_each_side_is_worth_what_play_is_worth_to_it(
    slug: str, options: dict[str, Any], words: tuple[str, ...]
) -> None:
    game = games.load(slug, **options)
    position = game.start()
    for word in words:
        position = game.play(position, game.parse(position, word))
    found = analyse(game, position, budget=200, compiled=False)
    assert found.side == 1
    assert found.looked == 200
    better, worse = found.lines
    assert {better.move.text, worse.move.text} == {"take white", "take black"}
    assert better.value == 1 - worse.value >= 0.5
    after = game.play(position, better.move)
    best = analyse(game, after, budget=200, compiled=False).lines[0]
    mine = ("take white", "take black").index(better.move.text) == game.to_act(after)
    assert better.value == (best.value if mine else 1 - best.value)
    assert better.moves[1] == best.move


def test_a_race_is_looked_at_as_if_it_had_turns() -> None:
    game = games.load("evening", size=3)
    position = game.play(game.start(), game.parse(game.start(), "wc3"))
    form, here = in_turns(game, position)
    assert form.movers(here) == (1,)
    assert form.pieces(here) == game.pieces(position)


# As data.

FIELDS = {"value", "percent", "visits", "proof", "wins_in"}


def test_both_forms_of_the_data_hold_the_same_figures() -> None:
    game = games.load("control", size=3)
    found = analyse(game, game.start(), budget=50, compiled=False)
    named = by_name(game, game.start(), found, "en")
    numbered = by_number(found)
    assert set(named[0]) == FIELDS | {"move", "said", "line", "line_said", "does"}
    assert set(numbered[0]) == FIELDS | {"moves", "does"}
    for one, other in zip(named, numbered, strict=True):
        assert {name: one[name] for name in FIELDS} == {name: other[name] for name in FIELDS}
        assert one["line"] == other["moves"]
        cells = [[game.grid.name(cell) for cell in word["cells"]] for word in other["does"]]
        assert [word["cells"] for word in one["does"]] == cells
    assert set(named[0]["does"][0]) == {"what", "cells", "params", "text"}
    assert json.loads(json.dumps(named)) == named


# The coach's questions in the thinking process.


def ask(**more: Any) -> Ask:
    game = games.load("control", size=3)
    told = {"ticket": -1, "level": "strong", "seed": 1, "top": 3, **more}
    return Ask(slug="control", options={"size": 3}, position=packed(game.start()), **told)


def test_a_study_tells_again_and_again_and_ends_with_the_last_word() -> None:
    game = games.load("control", size=3)
    told: list[Answer] = []
    ticks = iter(range(10_000))
    last = study(
        game,
        game.start(),
        ask(within_us=400_000),
        compiled=False,
        stop=lambda: False,
        tell=told.append,
        clock=lambda: float(next(ticks)),
    )
    assert told
    assert not any(answer.done for answer in told)
    assert last.done
    assert len(last.lines) == 3
    assert message_of(line_of(last)) == last


@pytest.mark.slow
def test_a_bots_question_interrupts_the_coachs_which_begins_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import os

    from lumiban.search.worker_process import SearchWorker

    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    questions = os.fdopen(to_read, "rb")
    answers = os.fdopen(back_read, "rb")
    monkeypatch.setattr(SearchWorker, "_listen", lambda self, stream: None)
    thinker = SearchWorker(questions, back_write)
    thinker.compiled = False
    thinker._hear(ask(within_us=60_000_000))
    thinker._hear(ask(ticket=-2, within_us=60_000_000))
    thinker._inbox.put(ask(ticket=5, level="easy", top=0))
    order: list[int] = []

    def follow() -> None:
        while len(order) < 1:
            message = message_of(answers.readline())
            if isinstance(message, Answer) and message.ticket > 0:
                order.append(message.ticket)

    listener = threading.Thread(target=follow)
    listener.start()
    thinker._answer(thinker._waiting.popleft())  # the first study; the bot's question comes in
    assert [one.ticket for one in thinker._waiting] == [5, -2, -1]
    thinker._answer(thinker._waiting.popleft())
    patience.until(lambda: not listener.is_alive())
    assert order == [5]
    os.close(to_write)
    os.close(back_write)


# The command.


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(["analyse", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture(autouse=True)
def in_plain_english(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Commands speak English and do not wait for a compiler."""
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    if request.node.get_closest_marker("long") is None:
        monkeypatch.setenv("LUMIBAN_PLAIN", "1")


def test_the_json_has_its_version_and_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(
        capsys, "doves", "--position", "b./BA", "--to-move", "green", "--playouts", "300", "--json"
    )
    assert code == 0
    data = json.loads(out)
    assert set(data) == {
        "format", "version", "game", "options", "to_move", "looked", "unit", "moves",
    }  # fmt: skip
    assert (data["format"], data["version"]) == ("lumiban-analysis", 1)
    assert (data["to_move"], data["unit"]) == ("green", "positions")
    assert all(move["does"][0]["text"] for move in data["moves"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nogame",), "there is no game 'nogame'"),
        (("control", "--position", "c3"), "'c3' is not of the form cell=colour"),
        (("control", "--moves", "a1, a1"), "--moves, move 2"),
        (("control", "--at", "3"), "--at applies to a record"),
        (("control", "--to-move", "white"), "--to-move belongs to a --position"),
        (("missing.json",), "missing.json cannot be read"),
        (("missing.journal",), "there is no such file"),
        (("control", "--time", "soon"), "--time 'soon' is not a length of time"),
        (("control", "--level", "9"), "no level '9'"),
    ],
)
def test_what_cannot_be_looked_at_is_said_in_a_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    code, out, err = told(capsys, *words)
    assert (code, out) == (2, "") or code == 1
    assert says in err
    assert len(err.splitlines()) == 1


def test_a_record_is_looked_at_before_the_move_that_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    texts = ["a1", "c3", "resign"]
    record = {
        "format": "lumiban-game", "version": 1, "game": "control", "options": {"size": 3},
        "seed": 0, "seats": ["human", "human"], "result": {"winner": 1, "reason": "resigned"},
        "moves": [{"side": n % 2, "text": text} for n, text in enumerate(texts)],
    }  # fmt: skip
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    code, out, _ = told(capsys, str(file), "--at", "2", "--playouts", "40", "--json")
    assert (code, json.loads(out)["to_move"]) == (0, "black")
    code, out, _ = told(capsys, str(file), "--playouts", "40", "--json")
    assert (code, json.loads(out)["to_move"]) == (0, "white")
    code, _, err = told(capsys, str(file), "--at", "9")
    assert (code, "the game has 3 moves" in err) == (2, True)
