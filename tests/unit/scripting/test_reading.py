"""What a script reads of a board and a game, and every way to say a colour."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator

import pytest
from lumiban import PlayedMove, Simulator
from lumiban.errors import BoardError, GameError, UsageError
from lumiban.games.base import Outcome
from lumiban.scripting.colours import colour_of
from lumiban.scripting.lit_board import EFFECTS


@pytest.fixture
def board() -> Iterator[Simulator]:
    with Simulator("hex3") as made:
        yield made


@pytest.mark.parametrize(
    ("wish", "colour"),
    [
        ("red", (255, 40, 40)),
        ("#0080ff", (0, 128, 255)),
        ((1, 2, 3), (1, 2, 3)),
        ([255, 0, 255], (255, 0, 255)),
        (None, (0, 0, 0)),
        ("off", (0, 0, 0)),
        ("black", (0, 0, 0)),
    ],
)
def test_a_light_reads_as_the_colour_that_was_said(
    board: Simulator, wish: str, colour: tuple[int, int, int]
) -> None:
    board["c3"].light = wish
    assert board["c3"].light == colour


@pytest.mark.parametrize(
    ("name", "hue"),
    [
        ("red", 0), ("orange", 30), ("yellow", 50), ("green", 130), ("cyan", 185), ("blue", 225),
        ("purple", 270), ("pink", 335), ("warm", 30),
    ],
)  # fmt: skip
def test_a_colour_has_the_hue_of_its_name(name: str, hue: int) -> None:
    told, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour_of(name)))
    assert abs((360 * told - hue + 180) % 360 - 180) <= 15
    assert value > 0.8
    assert saturation > 0.5


@pytest.mark.parametrize(
    "wish", ["reddish", "#12", "#12345g", "00ff00#", (1, 2), (1, 2, 3, 4), (0, 0, 256), (0, -1, 0)]
)
def test_what_is_no_colour_is_refused_and_the_light_stays(board: Simulator, wish: str) -> None:
    board["c3"].light = "green"
    before = board["c3"].light
    with pytest.raises(UsageError, match=r"no colour .*name one of .*'#rrggbb'"):
        board["c3"].light = wish
    assert board["c3"].light == before


def test_board_cells_and_effects_read_as_they_are(board: Simulator) -> None:
    cell = board["c3"]
    assert (repr(board), repr(cell)) == ("<Simulator hex3: 0 pieces>", "<Cell c3: empty>")
    board.hand.place("c3", "neutral")
    assert (repr(board), repr(cell)) == ("<Simulator hex3: 1 pieces>", "<Cell c3: neutral>")
    assert (len(board), len(list(board)), board.is_connected) == (19, 19, True)
    assert {one.name for one in cell.neighbours} == {"b2", "b3", "c2", "c4", "d2", "d3"}
    assert len(board["a1"].neighbours) == 3
    assert cell.effect == "steady"
    cell.effect = "blink"
    assert cell.effect == "blink"
    with pytest.raises(UsageError, match=r"no effect 'wobble': choose one of .*fast-blink"):
        cell.effect = "wobble"
    assert cell.effect == "blink"
    with pytest.raises(UsageError, match="did you mean c3"):
        _ = board["C3"]
    with pytest.raises(
        UsageError, match=r"no cell 'z9': this board \(hex3\) has 19 cells, for example a3, c3"
    ):
        _ = board["z9"]
    board.close()
    assert not board.is_connected
    assert cell.piece == "neutral", "what was seen last can still be read"


def test_a_blinking_light_goes_out_and_on_and_a_steady_one_does_not(board: Simulator) -> None:
    board["c3"].light = board["a1"].light = "white"
    board["c3"].effect = "fast-blink"
    seen = []
    for _ in range(12):
        board.wait(0.1)
        lamps = board.lamps
        seen.append((any(lamps["c3"]), any(lamps["a1"])))
    assert {lit for lit, _ in seen} == {True, False}
    assert {lit for _, lit in seen[2:]} == {True}


def test_a_hand_slides_a_piece_and_says_what_it_cannot(board: Simulator) -> None:
    board.hand.place("c3", "white")
    board.hand.slide("c3", "c2")
    assert board.pieces == {"c2": "white"}
    for do, says in (
        (lambda: board.hand.place("c2", "black"), "cannot place at c2: a piece lies there"),
        (lambda: board.hand.lift("c3"), "cannot lift at c3: nothing lies there"),
        (lambda: board.hand.slide("c3", "c4"), "cannot slide at c3: nothing lies there"),
        (lambda: board.hand.slide("c2", board["c2"]), "cannot slide at c2: a piece lies there"),
    ):
        with pytest.raises(BoardError, match=says):
            do()
    with pytest.raises(UsageError, match="no piece 'red': place one of white, black, neutral"):
        board.hand.place("c3", "red")


def test_a_button_that_was_pressed_is_let_go_and_can_be_pressed_again(board: Simulator) -> None:
    pressed: list[int] = []
    board.when_pressed = pressed.append
    for button in (0, 0, 1, 0):
        begin = board.time
        board.hand.press(button)
        assert board.time - begin < 0.5
    assert pressed == [0, 0, 1, 0]


def colours(picture: str) -> set[str]:
    return set(re.findall("#[0-9a-f]{6}", picture))


def test_a_picture_shows_pieces_and_each_lamp_as_bright_as_it_gets(board: Simulator) -> None:
    dark = board.picture("a table")
    assert "<title>a table</title>" in dark
    pictures = []
    for effect in EFFECTS:
        board["a1"].light, board["a1"].effect = "blue", effect
        pictures.append(board.picture("a table"))
    assert set(pictures) == {pictures[0]}, "a still picture has no rhythm"
    (lamp,) = (bytes.fromhex(one[1:]) for one in colours(pictures[0]) - colours(dark))
    assert lamp[2] > 1.5 * lamp[1] > 1.5 * lamp[0], "as blue as on a screen"
    board.hand.place("c3", "white")
    assert len(board.picture("a table")) > len(pictures[0])


def test_a_film_is_as_long_as_its_block_and_shows_what_changed(board: Simulator) -> None:
    board.hand.place("c3", "white")
    with board.film(frame=0.2) as film:
        begin = board.time
        board.hand.lift("c3")
        board.wait(0.5)
        lasted = board.time - begin
    told = film.svg("lifted")
    assert "<title>lifted</title>" in told
    (duration,) = {float(one) for one in re.findall(r'dur="([\d.]+)s"', told)}
    assert abs(duration - lasted) <= 0.2
    assert "<animate" in told
    board.wait(1.0)
    assert film.svg("lifted") == told, "a film ends with its block"


@pytest.mark.parametrize("whose", ["board", "cell"])
def test_a_lift_is_waited_for_and_is_no_placing(board: Simulator, whose: str) -> None:
    """The hands that assist a table lift and place while the script waits."""
    board.hand.place("c3", "black")
    waits = board if whose == "board" else board["c3"]
    with board.play("control", size=2):
        event = waits.wait_for_lift(30)
    assert event is not None
    assert (event.cell.name, event.piece, event.placed) == ("c3", "black", False)


def test_a_game_is_read_while_it_goes_on_and_at_its_end(board: Simulator) -> None:
    ended: list[Outcome] = []
    with board.play("control", size=2) as table:
        table.on_end(ended.append)
        assert repr(table) == "<Table control: 0 moves, in play>"
        assert (table.result, table.winner, table.outcome) == ("", None, None)
        assert table.record["result"]["reason"] == "unfinished"
        assert table.asks == ()
        assert set(table.legal_moves) >= {"a1", "a2", "c2"}
        table.play("a1")
        assert table.to_move == ("black",)
        assert table.moves == (PlayedMove(1, "white", "a1"),)
        assert table.record["moves"][0]["text"] == "a1"
        table.take_back()
        board.wait(1.0)
        assert (table.moves, table.to_move) == ((), ("white",))
        assert board.pieces == {}, "the hands have taken it off"
        with pytest.raises(GameError):
            table.confirm()
        begin = board.time
        assert table.wait(2.0) is None
        assert 2.0 <= board.time - begin < 2.1
        table.play("resign")
        assert table.wait(1.0) == table.outcome == ended[0]
        assert len(ended) == 1
        assert table.winner == "black"
        assert table.result.startswith("black wins: ")
        assert table.to_move == ()
        with pytest.raises(GameError, match="over"):
            table.play("a1")
    with pytest.raises(UsageError, match="this table is closed"):
        table.confirm()
    table.close()  # once more does no harm


def test_a_game_that_is_made_takes_no_options_and_one_that_is_too_large_names_a_size(
    board: Simulator,
) -> None:
    from lumiban import games

    with pytest.raises(GameError, match="options go with the name"):
        board.play(games.load("control", size=2), size=3)
    with pytest.raises(BoardError, match="3"):
        board.play("control", size=9)
    with board.play(games.load("control", size=3)) as table:
        assert table.game.options["size"] == 3
