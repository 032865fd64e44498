"""The hands' tray of Tokyo Doves: one sensed cell a kind, so that a hand names its dove by itself.

On 9×9 cells the tray's rows are 9 (Green, c9 to g9) and 1 (Red); A Y M T H from the left. A board
text is set in the middle of the field between them.
"""

from __future__ import annotations

import pickle

import pytest
from conversations import Conversation, talk
from lumiban import games
from lumiban.boards.profile import load, read
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Kind
from lumiban.games.doves.floating import DovesOnBoard
from lumiban.grid import rectangle
from lumiban.table.fitting import fit
from places import ROOT

HEAD = "game doves tray=on initial=allowed"


def table(text: str) -> Conversation:
    return talk(text)[0]


def laid(columns: int, rows: int, **options: str) -> DovesOnBoard:
    game = games.load("doves", **options).laid_on(rectangle(columns, rows))
    assert isinstance(game, DovesOnBoard)
    return game


def test_the_doves_in_hand_lie_in_two_rows_with_their_names() -> None:
    game = laid(9, 9)
    start = game.start()
    names = dict(zip(game.grid.names, game.labels(start), strict=True))
    assert "".join(names[f"{column}1"] or "." for column in "abcdefghi") == "..AYMTH.."
    assert "".join(names[f"{column}9"] or "." for column in "abcdefghi") == "..aymth.."
    assert (names["e5"], names["e6"]) == ("B", "b")
    assert game.pieces(start).count(Kind.WHITE) == 6
    assert game.in_hand(start) == (("A", "Y", "M", "T", "H"), ("a", "y", "m", "t", "h"))


def test_where_the_tray_lies_depends_on_the_boards_room() -> None:
    assert not laid(7, 7).tray
    assert laid(6, 8).tray
    assert laid(9, 9).tray
    assert not laid(9, 9, tray="off").tray
    with pytest.raises(GameError, match="tray=off"):
        laid(9, 7, tray="on")


def test_too_small_a_board_is_refused_with_the_reason() -> None:
    for columns, rows in ((5, 9), (9, 5)):
        with pytest.raises(GameError, match="6×6 cells"):
            laid(columns, rows)
    with pytest.raises(BoardError, match="grid9x9"):
        fit(games.load("doves"), load("hex5"))


def test_any_rectangle_of_six_by_six_or_more_will_do() -> None:
    file = ROOT / "hardware/lumiban_hw/profiles/grid9x9.toml"
    text = file.read_text("utf-8").replace("size = [9, 9]", "size = [6, 7]")
    small = read(text.replace('"grid9x9" ', '"grid6x7" '), "grid6x7.toml")
    assert len(fit(games.load("doves"), small).board) == 42


def test_a_laid_game_travels_and_differs_by_its_board() -> None:
    game = laid(9, 9)
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert hash(again) == hash(game)
    assert game != laid(8, 9)
    assert game != laid(9, 9, remove="off")


@pytest.mark.parametrize(
    ("stones", "reason"),
    [
        ({"d5": "B", "d6": "b", "h5": "A"}, "5 columns"),
        ({"d5": "B", "d6": "b", "f4": "A"}, "A is alone"),
        ({"d5": "B", "e5": "A"}, "Green's boss b is missing"),
        ({"d1": "B", "d2": "b"}, "belongs to the tray"),
    ],
)
def test_an_impossible_board_is_refused_with_the_reason(
    stones: dict[str, str], reason: str
) -> None:
    with pytest.raises(GameError, match=reason):
        laid(9, 9).setup(stones)


def test_at_control_level_walls_are_lit_on_cells_and_end_where_the_field_ends() -> None:
    game = laid(9, 9)
    stones = {"a5": "B", "a6": "b", "b6": "A", "b7": "t", "d5": "T", "c6": "m"}
    position = game.setup(stones)
    walls = {game.grid.name(m.cell) for m in game.marks(position, "control") if m.meaning == "wall"}
    assert walls == {f"e{row}" for row in range(3, 9)}
    assert not any(m.meaning == "wall" for m in game.marks(position, "legal"))
    lonely = game.setup({"d5": "B", "d6": "b"})
    short = {game.grid.name(m.cell) for m in game.marks(lonely, "control") if m.meaning == "short"}
    assert short == set()
