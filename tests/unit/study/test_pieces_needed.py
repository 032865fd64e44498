"""How many pieces the games on a board take: by the rules, or by random games."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from command_line import Run
from lumiban import games
from lumiban.boards.profile import load
from lumiban.errors import BoardError
from lumiban.study.pieces import Need, most_at_once, need, needs, order
from lumiban_hardware.commands import Pieces, called
from sentences import sentence


def by_game(profile: str, played: int = 10) -> dict[str, Need]:
    return {one.game: one for one in needs(load(profile), games=played)}


def test_what_the_rules_say_of_trivia_is_what_a_whole_game_uses() -> None:
    game = games.load("trivia", size=5)
    counts = need(game, load("grid9x9")).counts
    assert most_at_once(game, "any") == Counter(counts)


def test_a_set_serves_the_game_that_takes_most_and_has_spares() -> None:
    found = [
        Need("one", {}, "rules", {"white": 30, "black": 5}),
        Need("two", {}, "rules", {"white": 10, "neutral": 41, "dove-b-red": 1}),
    ]
    whole = order(found)
    assert whole.made == {"white": 32, "black": 6, "neutral": 44, "dove-b-red": 1}
    assert (whole.strong, whole.weak) == (39, 44)


def test_a_game_without_room_is_not_counted_but_refused_when_named() -> None:
    fit = {"control", "evening", "trivia", "stigmergy", "tumpletore", "tumbleweed", "strands"}
    assert set(by_game("hex3", 1)) == fit
    assert needs(load("strip5")) == []
    with pytest.raises(BoardError, match="grid9x9"):
        needs(load("hex5"), ["doves"])


def test_counting_tells_how_far_it_is() -> None:
    heard: list[tuple[str, int, int]] = []
    needs(load("hex3"), ["evening"], games=3, told=lambda *said: heard.append(said))
    assert heard == [("evening", n, 3) for n in (1, 2, 3)]


def test_every_piece_has_a_name_in_both_languages() -> None:
    whole = order([need(games.load("doves"), load("grid9x9")), *needs(load("grid13x14"))])
    for language in ("en", "ja"):
        names = [called(piece, language) for piece in whole.needed]
        assert len(set(names)) == len(names) == 17


def test_the_command_tells_pieces_and_magnets(run: Run) -> None:
    code, out, err = run("hardware", "pieces", "grid9x9")
    assert (code, err) == (0, "")
    assert sentence("pieces.rules", game="Trivia 9", counts="27 white, 28 black, 26 neutral") in out
    assert sentence("pieces.made-spare", n="30", piece="black", spare="2") in out
    assert "Magnets: 71 of 6 × 3 mm, 28 of 4 × 2 mm" in out


@pytest.mark.slow
def test_the_command_tells_the_same_as_data(run: Run) -> None:
    words = ("hardware", "pieces", "hex3", "--games", "4", "--seed", "2", "--json")
    code, out, _ = run(*words)
    told = json.loads(out)
    assert code == 0
    fit = ["control", "evening", "trivia", "stigmergy", "tumpletore", "tumbleweed", "strands"]
    assert [one["game"] for one in told["games"]] == fit
    assert told["games"][2]["counts"] == {"white": 7, "black": 6, "neutral": 6}
    assert told["games"][1]["random_games"] == 4
    assert run(*words)[1] == out


def test_the_kit_holds_the_counts(tmp_path: Path) -> None:
    report = Pieces(load("grid9x9")).make(tmp_path)
    assert report.figures == {"made": 99, "strong": 71, "weak": 28}
    with (tmp_path / "pieces.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["game"]: row for row in csv.DictReader(file)}
    assert rows["trivia"]["neutral"] == "26"
    assert rows["to make"]["black"] == "30"
    with (tmp_path / "print.csv").open(encoding="utf-8", newline="") as file:
        parts = {row["part"]: int(row["count"]) for row in csv.DictReader(file)}
    assert (parts["body-white"], parts["cap-white"], parts["cap-dove-t-red"]) == (29 + 6, 29, 1)
    assert sum(count for part, count in parts.items() if part.startswith("body-")) == 99
