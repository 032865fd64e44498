"""Commands that answer and end: games, rules, perft, solve, bench."""

from __future__ import annotations

import json

import pytest
from command_line import Run, refused
from lumiban.cli import games
from lumiban.games.registry import available
from lumiban.system import service_socket

SIZE_3 = {"size": 3, "opening": "perimeter", "scoring": "empty", "sees": "adjacent"}


def test_games_are_listed_with_options_and_defaults(run: Run) -> None:
    code, out, _ = run("games")
    assert code == 0
    assert out.startswith("control  Control\n")
    assert "  Options: size, opening, scoring, sees\n" in out
    assert len(out.splitlines()) == 3 * len(available()) + 2, "relatives have a heading"
    code, out, _ = run("games", "control")
    assert code == 0
    assert "-o size=2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12  (default 5)  Board size" in out
    assert "bot:strong  strong" in out


@pytest.mark.slow
def test_games_are_data_too(run: Run) -> None:
    _, out, _ = run("games", "--json")
    (control,) = (game for game in json.loads(out)["games"] if game["slug"] == "control")
    assert control["options"][0] == {"name": "size", "default": 5, "values": [*range(2, 13)]}


def test_a_table_that_plays_somebody_s_own_game_is_told_by_its_file(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"number": 1, "state": "playing", "game": "mine", "moves": 3, "board": "x", "port": "y"}
    status = {"version": "0", "since": 0, "tables": [table], "complaints": [], "settings": "z",
              "is_nearly_full": False}  # fmt: skip
    monkeypatch.setattr(service_socket, "ask", lambda state, request: status)
    code, out, error = run("status")
    assert (code, error) == (0, "")
    assert "mine" in out


def test_a_game_is_named_however_its_letters_are_written(run: Run) -> None:
    for name in ("Control", "CONTROL"):
        assert run("games", "rules", name) == run("games", "rules", "control")
        assert run("games", name)[0] == 0


def test_rules_take_options_and_tell_the_chosen_ones(run: Run) -> None:
    code, out, _ = run("games", "rules", "evening", "-o", "turns=trailing", "-o", "size=3")
    assert code == 0
    told = [line.split("  ")[1] for line in out.splitlines() if line.startswith("  -o ")]
    assert told == ["-o turns=trailing", "-o size=3"]
    assert "  -o " not in run("games", "rules", "evening")[1]
    assert "-o sees=sight" in run("games", "rules", "evening", "-o", "preset=interleave")[1]
    assert "size" in refused(run, "games", "rules", "evening", "-o", "size=1")
    assert "colour" in refused(run, "games", "rules", "evening", "-o", "colour=red")


def test_a_language_without_texts_is_refused(run: Run) -> None:
    assert "en, ja" in refused(run, "games", "rules", "control", "--lang", "tlh")


def test_japanese_lines_break_between_letters_but_not_in_a_latin_word() -> None:
    assert games.folded("マスの数は control で決まる。", 12, "ja").splitlines() == [
        "マスの数は",
        "control で決",
        "まる。",
    ]


@pytest.mark.jit
def test_perft_prints_exactly_this_json(run: Run) -> None:
    code, out, _ = run("study", "perft", "control", "-d", "3", "-o", "size=3", "--json")
    assert code == 0
    assert (
        out == json.dumps({"game": "control", "options": SIZE_3, "nodes": [12, 174, 2274]}) + "\n"
    )


@pytest.mark.jit
def test_the_small_board_is_solved_for_white(run: Run) -> None:
    code, out, _ = run("study", "solve", "control", "-o", "size=2", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["winner"] == "white"
    assert set(told["openings"].values()) == {"white"}
    assert len(told["openings"]) == 6


@pytest.mark.jit
def test_a_larger_board_is_asked_about_within_so_many_positions(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.search.jit.fits", lambda state: False)  # compiling takes longer
    code, out, _ = run("study", "solve", "control", "-o", "size=4", "--within", "100", "--json")
    told = json.loads(out)
    assert (code, told["beginner_wins"]) == (0, None)
    assert min(told["proof"], told["disproof"]) > 0
    assert told["positions"] >= 100
    for size, says in ((2, "Who begins can force a win"), (3, "Open after")):
        _, out, _ = run("study", "solve", "control", "-o", f"size={size}", "--within", "100")
        assert says in out


@pytest.mark.jit
def test_an_opening_is_made_before_the_question_is_asked(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.search.jit.fits", lambda state: False)  # compiling takes longer
    asked = ("study", "solve", "evening", "-o", "size=3", "-o", "turns=trailing", "--json")
    answers = {}
    _, out, _ = run(*asked)
    for opening, winner in json.loads(out)["openings"].items():
        _, out, _ = run(*asked, "--within", "1000000", "--opening", opening)
        told = json.loads(out)
        assert told["opening"] == opening
        answers[opening] = told["beginner_wins"]
        assert told["beginner_wins"] is (winner == "white"), opening
    assert set(answers.values()) == {True, False}
    cell = run(*asked, "--within", "1000000", "--opening", opening[1:])[1]
    assert json.loads(cell)["beginner_wins"] is answers[opening]
    assert "zz" in refused(run, *asked[:-1], "--within", "9", "--opening", "zz")
    assert "needs --within" in refused(run, *asked[:-1], "--opening", opening)


def test_what_cannot_be_solved_is_refused_with_the_reason(run: Run) -> None:
    assert "61 cells is too large" in refused(run, "study", "solve", "control")
    assert "choose a smaller one" in refused(run, "study", "solve", "control")
    assert "choose a smaller one" not in refused(run, "study", "solve", "doves")
    line = refused(run, "study", "solve", "control", "-o", "size=2", "-o", "sees=sight")
    assert "positions can come again" in line


@pytest.mark.jit
def test_the_search_is_measured(run: Run) -> None:
    _, out, _ = run("bench", "search", "control", "-o", "size=2", "--seconds", "0.02", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    named = [row["what"] for row in told]
    assert named[:4] == ["playouts", "make and judge", "uct", "grave"]
    assert all(what.startswith("grave, trees of ") for what in named[4:])
    assert all(row["rate"] > 0 and row["plain_rate"] > 0 for row in told)
    assert all(row["options"]["size"] == 2 for row in told)


def test_options_of_no_game_are_refused_by_the_bench(run: Run) -> None:
    assert "--option needs a game" in refused(run, "bench", "search", "-o", "size=2")


def test_a_measurement_of_nothing_is_refused(run: Run) -> None:
    assert "--events 1" in refused(run, "bench", "latency", "--events", "1")
    assert "--seconds" in refused(run, "bench", "search", "--seconds", "0")


@pytest.mark.process
def test_the_latency_of_the_host_is_measured_over_a_real_line(run: Run) -> None:
    code, out, _ = run("bench", "latency", "--events", "40", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["events"] >= 40
    assert told["unanswered"] == 0
    assert 0 < told["median_us"] <= told["p99_us"] <= told["worst_us"]
    assert {"with_bot_p99_us", "fsync_p99_us"} <= told.keys()
