"""Tokyo Doves' presets, positions set up by hand, and its two notations."""

from __future__ import annotations

import pytest
from doves_lines import at
from each import each
from lumiban import i18n
from lumiban.errors import GameError
from lumiban.games import IllegalMove
from lumiban.games.doves import Doves
from lumiban.games.doves.game import GREEN


def test_presets_are_named_options() -> None:
    assert Doves(preset="article") == Doves(repetition="normal")
    assert Doves(preset="people") == Doves(repetition="weak")
    assert Doves().options["repetition"] == "strong"
    for preset in Doves.presets:
        for language in i18n.LANGUAGES:
            assert f"game.doves.preset.{preset}" in i18n.texts(language)


@each(
    ("board", "to_move", "said"),
    [
        ("B.b", "red", "B is alone"),
        ("bB../...A", "red", "A is alone"),
        ("bBAYT", "red", r"spread over 5 columns.*4×4"),
        ("b/B/A/Y/T", "red", r"spread over 5 rows"),
        ("b/A", "red", "Red's boss B is missing"),
        ("BA", "green", "Green's boss b is missing"),
        ("bB/A", "red", "row 2 has 1 cells, the first 2"),
        ("bBx", "red", "'x' is no dove"),
        ("bBAA", "red", "A stands there twice"),
        ("bBA", "blue", r"to_move is red \(0\) or green \(1\), not 'blue'"),
        ("b/B", "green", "side by side with Green to move"),
    ],
)
def test_an_impossible_position_is_refused_with_the_reason(
    board: str, to_move: str, said: str
) -> None:
    with pytest.raises(GameError, match=said) as caught:
        at(Doves(), board, to_move)
    assert "\n" not in str(caught.value)


def test_set_up_by_cells_and_by_board_agree_wherever_they_lie() -> None:
    game = Doves()
    by_cells = game.setup({"d2": "b", "d1": "B", "e1": "A"}, to_move=GREEN)
    assert by_cells == at(game, "b./BA", "green") == at(game, "...../.b.../.BA..", "green")
    with pytest.raises(GameError, match="on d2 stands a dove"):
        game.setup({"d2": 1})
    with pytest.raises(GameError, match="not both"):
        game.setup({"d2": "b"}, board="b/B")
    with pytest.raises(GameError, match="board and to_move only, not walls"):
        game.setup(board="b/B", walls=3)


@each("text", ["", "Q", "+Q", "A", "+A", "-AB", "+Aa1-a2", "AE1N1", "A N0", "x"])
def test_what_is_no_notation_is_told_how_to_write(text: str) -> None:
    game = Doves()
    with pytest.raises(IllegalMove, match=r"is not an action: write a put") as caught:
        game.parse(game.start(), text)
    assert caught.value.refusal is not None
    assert caught.value.refusal.rule == "doves.unreadable"
