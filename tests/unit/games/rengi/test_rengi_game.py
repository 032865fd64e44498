"""Rengi as the table sees it: options, notation, refusals, set-up, outcomes, what is shown."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest
from each import each
from lumiban import games
from lumiban.errors import GameError
from lumiban.games import IllegalMove, Move
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.clock import GRACE_S, PRESETS
from lumiban.games.rengi.options import ACCEPTS, MODES
from lumiban.i18n import text as catalogued
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
FIRST, SECOND = 0, 1
ROW = "......"


def lowest(*rows: str) -> str:
    return "/".join([ROW] * (13 - len(rows)) + list(rows))


def wanted_defaults(mode: str) -> dict[str, Any]:
    given = GOLDEN["recommended_defaults"][mode]
    parent = wanted_defaults(given["parent"]) if "parent" in given else {}
    return {**parent, **given}


NAMES = {"balanced_loop": "loop", "tsu128": "loop", "tsu_seconds": "seconds", None: "off"}


@each("mode", MODES)
def test_every_default_is_that_of_the_golden_file(mode: str) -> None:
    options = Rengi(mode=mode).options
    compared = 0
    for name, value in wanted_defaults(mode).items():
        if isinstance(value, bool):
            value = "on" if value else "off"
        if name in options:
            wanted = NAMES.get(value, value) if not isinstance(value, list) else value
            assert str(options[name]) == str(wanted), name
            compared += 1
    assert compared >= 15
    general = GOLDEN["recommended_defaults"]
    assert options["repetition"] == general["repetition_count"]
    assert options["pass_draw"] == general["pass_draw"]
    assert int(options["mirror_limit"]) == general["mirror"]["limit"]
    assert int(options["komi"]) == general["mirror"]["komi"]
    assert options["begins"] == general["begins"]


def printed(language: str) -> dict[tuple[str, str], tuple[str, str]]:
    """(option, mode) -> (default, how firm it is) as the rules print them."""
    found = {}
    for line in Rengi.remarks(language)[1:]:
        name, told = line.split(" = ", 1)
        for default, inside in re.findall(r"(\S+) \(([^)]*)\)", told):
            modes, firmness = inside.split("; ", 1)
            everywhere = catalogued("game.rengi.standing.all", language)
            for mode in MODES if modes == everywhere else modes.split(", "):
                assert (name, mode) not in found, "told twice"
                found[name, mode] = (default, firmness)
    return found


FIRMNESS = {
    "decided": "decided by the author",
    "provisional": "provisional",
    "open": "left open",
    "ours": "ours",
    "the": "the paper's example",
}
OPTION_OF = {
    "repetition_count": "repetition",
    "mirror": "mirror_limit",
    "clock": "clock",
}
NO_OPTION = {"elo"}
"""What the paper's status names and no option of a game is: the numbers of ratings."""


def test_what_is_printed_of_every_default_is_the_status_of_the_golden_file() -> None:
    told = printed("en")
    status = {mode: GOLDEN["status"][mode] for mode in ("free", "open", "tsu")}
    compared = 0
    for mode, lines in status.items():
        for name, firm in lines.items():
            option = OPTION_OF.get(name.split()[0], name.split()[0])
            words = told[option, mode][1]
            assert words.split(": ")[0] == FIRMNESS[firm.split()[0]], (mode, name)
            compared += 1
    for name, firm in GOLDEN["status"]["all"].items():
        option = OPTION_OF.get(name.split()[0], name.split()[0])
        if option in NO_OPTION:
            continue
        modes = [mode for mode in MODES if (option, mode) in told]
        assert modes, name
        for mode in modes:
            words = told[option, mode][1]
            # The paper gives no clock to shodai.
            is_ours = (option, mode) == ("clock", "shodai")
            right = FIRMNESS["ours" if is_ours else firm.split()[0]]
            assert words.split(": ")[0] == right, (mode, name)
            compared += 1
    assert compared > 70
    # The paper has one line of shodai, an idea: what stands for it alone is ours.
    decided = {
        name
        for (name, mode), (_, firm) in told.items()
        if mode == "shodai" and firm[:7] == "decided"
    }
    assert decided == {"rate", "cap_rows", "begins"}
    assert {told["offset", mode][1].split(": ")[0] for mode in MODES if "shodai" in mode} == {
        "provisional"
    }
    assert "which order is provisional" in told["ojama_order", "free"][1]
    assert "by hand is allowed" in told["begins", "open"][1]
    assert "stays" in told["row14", "tsu"][1]


def test_every_option_is_printed_and_nothing_stands_without_a_word() -> None:
    told = printed("en")
    assert {name for name, _ in told} == {option.name for option in ACCEPTS} - {"mode"}
    for (name, mode), (default, firmness) in told.items():
        assert default == str(Rengi(mode=mode).options[name]), (name, mode)
        assert firmness.split(": ")[0] in FIRMNESS.values(), (name, mode)
    japanese = printed("ja")
    assert {key: default for key, (default, _) in japanese.items()} == {
        key: default for key, (default, _) in told.items()
    }


@each(
    ("name", "mode"),
    [
        ("loop", "free"),
        ("loop", "free-shodai"),
        ("visible_next", "free"),
        ("list", "free"),
        ("next2_shown", "open"),
        ("next2_shown", "shodai"),
        ("hand_table", "tsu"),
        ("pass_plan", "shodai"),
        ("show_hands_left", "tsu"),
        ("mixed_from", "tsu"),
        ("interrupt", "open-shodai"),
        ("otsuri", "free"),
    ],
)
def test_an_option_of_a_mode_that_has_no_use_for_it_is_not_printed(name: str, mode: str) -> None:
    assert (name, mode) not in printed("en")


def test_the_clocks_are_the_fifteen_of_the_golden_file() -> None:
    golden = {
        preset["id"]: (preset["initial_s"], preset["byoyomi_s"], preset["consideration_s"])
        for preset in GOLDEN["time_presets"]
    }
    assert golden == PRESETS
    assert len(PRESETS) == 15
    assert GOLDEN["spare_time_s"] == GRACE_S


@each("mode", MODES)
def test_a_game_comes_back_from_its_own_options(mode: str) -> None:
    game = games.load("rengi", mode=mode)
    again = games.load("rengi", **game.options)
    assert again == game == pickle.loads(pickle.dumps(game))
    assert again.start(7) == game.start(7)
    listed = Rengi(mode=mode, supply="loop", list="RB,YG")
    assert Rengi(**listed.options) == listed


def test_hands_are_written_with_colours_column_and_rotation() -> None:
    game = Rengi(mode="free")
    position = game.start()
    for text in ("RY3.0", "ry3.0", " R Y 3 . 0", "RY30"):
        assert str(game.parse(position, text)) == "RY3.0"
    # The same blocks in the same cells, written from the other block.
    assert str(game.parse(position, "YR3.2")) == "RY3.0"
    assert str(game.parse(position, "RY2.3")) == "YR1.1"
    assert game.parse(position, "pass").text == "pass"
    assert game.parse(position, "Resign").is_word
    for text in ("", "RY", "RP3.0", "RY7.0", "RY3.4", "c4", "RO1.0"):
        with pytest.raises(IllegalMove) as caught:
            game.parse(position, text)
        assert caught.value.refusal is not None
        assert caught.value.refusal.rule == "rengi.unreadable"


@pytest.mark.parametrize(
    ("text", "rule"),
    [("RY6.1", "rengi.outside"), ("RY1.3", "rengi.outside"), ("pass", "rengi.no-pass")],
)
def test_other_refusals_name_their_rule(text: str, rule: str) -> None:
    game = Rengi(mode="free")
    position = game.start()
    refusal = game.why_not(position, FIRST, game.parse(position, text))
    assert refusal is not None
    assert refusal.rule == rule


def test_only_the_mover_acts_and_resigns() -> None:
    game = Rengi(mode="free")
    position = game.start()
    assert game.words(position, SECOND) == ()
    for text in ("RY3.0", "resign"):
        refusal = game.why_not(position, SECOND, game.parse(position, text, SECOND))
        assert refusal is not None
        assert refusal.rule == "rengi.not-your-turn"
    over = game.play(position, game.parse(position, "resign"))
    outcome = game.outcome(over)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (SECOND, "resigned")
    assert game.movers(over) == ()
    refusal = game.why_not(over, FIRST, Move(FIRST, "RY3.0", 50))
    assert refusal is not None
    assert refusal.rule == "rengi.over"


@each(
    ("more", "said"),
    [
        ({"fields": (lowest("R.....", ROW), "")}, "column 1, row 2 floats"),
        ({"fields": (lowest("RBYGP."), "")}, "5 colours"),
        ({"fields": (lowest("RRRR.."), "")}, "not at rest"),
        ({"fields": (lowest(*(["..R...", "..B..."] * 6)), "")}, "lost: column 3"),
        ({"fields": ("", "/".join(["R.....", *["R.....", "B....."] * 6, "G....."]))}, "row14=stay"),
        ({"fields": lowest("RBYG..")}, "two texts"),
        ({"waiting": 3}, "waiting are two numbers"),
        ({"waiting": (3, -1)}, "waiting is a whole number from 0"),
        ({"time": "now"}, "time is a whole number"),
        ({"to_move": "third"}, "to_move is first"),
        ({"height": 3}, "not height"),
    ],
)
def test_an_impossible_set_up_is_refused_in_words(more: dict[str, Any], said: str) -> None:
    with pytest.raises(GameError, match=said):
        Rengi(mode="free").setup(**more)
