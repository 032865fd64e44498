"""Words of a game in plain Python: what the board answers, and acts beyond a stone on a cell."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from each import each
from lumiban.errors import GameError
from lumiban.games import (
    BLACK,
    NEUTRAL,
    WHITE,
    Complete,
    Kind,
    Outcome,
    Position,
    Refusal,
    Wrong,
)
from lumiban.games.grid_view import GridView, edges_of
from lumiban.games.registry import add_texts, exception_text
from lumiban.games.shapes import SHAPES, shaped
from lumiban.games.simple import EMPTY, Act, SimpleGame
from lumiban.grid import Grid, hexagon, rectangle
from lumiban.scene.diagram import diagram
from lumiban.scene.svg import svg
from lumiban.search.bot import think
from lumiban.study.check import check
from own_games import clean

__all__ = ["clean"]

GRIDS = [hexagon(4), rectangle(5, 4), shaped("hex", "star", 3), shaped("hex", "triangle", 5)]


def played(game: SimpleGame, *texts: str) -> Position:
    position = game.start()
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position


def breaches(game: SimpleGame, games: int) -> list[str]:
    """The laws of the API that random games break; a record needs a game with a file."""
    add_texts(type(game))
    found = check(game, games).breaches
    return [str(breach) for breach in found if breach.law != "record"]


# What the board answers, each held against a count from scratch.


def cells_seen(grid: Grid, board: Sequence[int], cell: int) -> list[int]:
    seen = []
    for ray in grid.rays[cell]:
        for at in ray:
            if board[at] != EMPTY:
                seen.append(at)
                break
    return seen


def flooded(grid: Grid, board: Sequence[int], cell: int) -> set[int]:
    group = {cell}
    while True:
        more = {n for c in group for n in grid.neighbours[c] if board[n] == board[cell]} - group
        if not more:
            return group
        group |= more


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.shape + str(len(grid)))
def test_a_board_that_changes_stone_by_stone_answers_as_one_counted_anew(grid: Grid) -> None:
    chance = random.Random(len(grid))
    board = GridView(grid, [EMPTY] * len(grid))
    for _ in range(120):
        board.put(chance.randrange(len(grid)), chance.choice((EMPTY, WHITE, WHITE, BLACK, NEUTRAL)))
        cell = chance.randrange(len(grid))
        what = chance.choice((EMPTY, WHITE, BLACK, NEUTRAL))
        group = flooded(grid, board, cell)
        assert board.of(what) == [c for c in range(len(grid)) if board[c] == what]
        assert board.touching(cell, what) == sorted(
            c for c in grid.neighbours[cell] if board[c] == what
        )
        assert board.around(cell) == tuple(
            len(board.touching(cell, side)) for side in (WHITE, BLACK, NEUTRAL)
        )
        assert board.group(cell)[0] == cell
        assert set(board.group(cell)) == group
        around = {n for c in group for n in grid.neighbours[c] if board[n] == EMPTY}
        assert set(board.liberties(cell)) == around - (group if board[cell] == EMPTY else set())
        assert board.sees(cell) == cells_seen(grid, board, cell)
        assert board.seen(cell) == tuple(
            sum(board[c] == side for c in board.sees(cell)) for side in (WHITE, BLACK, NEUTRAL)
        )
        every = [c for g in board.groups(what) for c in g]
        assert sorted(every) == board.of(what)
        assert board.sizes(what) == [len(group) for group in board.groups(what)]
        reached = [n for n, edge in enumerate(edges_of(grid)) if group & set(edge)]
        assert board.edges_of(cell) == reached
        top, bottom = board.edge(0), board.edge(len(edges_of(grid)) // 2)
        joined = any(set(g) & set(top) and set(g) & set(bottom) for g in board.groups(what))
        assert board.connects(what, top, bottom) is joined
    twin = board.copied()
    twin.put(0, WHITE if board[0] != WHITE else BLACK)
    assert twin != board


def test_free_cells_end_at_the_first_stone_of_each_line() -> None:
    board = GridView(hexagon(3), [EMPTY] * 19)
    names = hexagon(3).names
    board.put(names.index("c4"), BLACK)
    free = {names[cell] for cell in board.free_line(names.index("c3"))}
    assert free == {"b2", "b3", "a1", "a3", "c1", "c2", "d2", "d3", "e1", "e3"}


def test_lines_and_rows_on_squares_have_diagonals_and_on_hexagons_three_ways() -> None:
    squares, hexes = GridView(rectangle(4, 4), [WHITE] * 16), GridView(hexagon(2), [WHITE] * 7)
    assert sorted(map(len, squares.lines())) == [2] * 4 + [3] * 4 + [4] * 10
    assert sorted(map(len, hexes.lines())) == [2] * 6 + [3] * 3
    assert sorted(len(row) for row in squares.runs(squares.grid.cell("a1"))) == [1, 4, 4, 4]
    assert [len(row) for row in hexes.runs(3)] == [3, 3, 3]


def test_flanked_are_enemies_in_a_row_up_to_an_own_stone() -> None:
    board = GridView(rectangle(5, 5), [EMPTY] * 25)
    cell = board.grid.cell
    for name, side in (("b2", BLACK), ("c3", BLACK), ("d4", WHITE), ("a2", BLACK), ("b1", BLACK)):
        board.put(cell(name), side)
    assert board.flanked(cell("a1"), WHITE) == [cell("b2"), cell("c3")]


@each("shape", SHAPES)
def test_each_shape_has_its_edges_and_its_distances(shape: str) -> None:
    grid = shaped("hex", shape, 4)
    edges = {"hexagon": 6, "rhombus": 4, "triangle": 3}.get(shape)
    if edges is not None:
        around = edges_of(grid)
        assert [len(edge) for edge in around] == [4] * edges
        first = {grid.names[cell][0] for cell in around[0]}
        assert shape == "triangle" or first == {grid.names[0][0]}, "the top row"
        for one, other in zip(around, around[1:] + around[:1], strict=True):
            assert len({*one} & {*other}) == 1, "they meet in a corner"
    board = GridView(grid, [EMPTY] * len(grid))
    assert board.distance(0, 0) == 0
    assert {board.distance(0, near) for near in grid.neighbours[0]} == {1}
    with pytest.raises(GameError, match=r"edges 0 to"):
        board.edge(9)


# What is told of a mistake.


def test_a_name_that_a_board_does_not_have_is_told_with_all_that_it_has() -> None:
    board = GridView(hexagon(2), [EMPTY] * 7)
    with pytest.raises(AttributeError) as e:
        _ = board.neighbors
    told = exception_text(e.value)
    assert told == "AttributeError: a board has no 'neighbors'; did you mean neighbours?"
    with pytest.raises(AttributeError) as e:
        _ = board.xyz
    told = exception_text(e.value)
    listed = told.partition("It has ")[2].split(", ")
    assert {"touching", "of", "mover", "flanked", "distance"} <= set(listed)
    assert all(hasattr(board, name) for name in listed)


def test_a_name_of_ones_own_that_the_game_has_for_itself_is_told() -> None:
    with pytest.raises(GameError, match=r"Takes\._set is SimpleGame's own: choose another name"):
        type("Takes", (SimpleGame,), {"_set": lambda self: 1})
    kind = type("Asks", (SimpleGame,), {"slug": "asks", "_asked": lambda self: 1})
    with pytest.raises(GameError, match=r"Asks\._asked is SimpleGame's own"):
        kind()


@pytest.mark.parametrize("change", ["board[0] = 1", "board.append(1)", "del board[0]"])
def test_a_rule_that_changes_the_board_itself_is_told(change: str) -> None:
    board = GridView(hexagon(2), [EMPTY] * 7)
    with pytest.raises(GameError, match=r"said by then\(\) and remember\(\)"):
        exec(change, {"board": board})
    assert board == [EMPTY] * 7


# Passes, points and repetition.


class Shuffle(SimpleGame):
    """One stone walks; a position that comes again ends the game, or may not come."""

    slug = "shuffle"
    sizes = (2,)
    repetition = "draw"
    longest = 40

    def opening(self) -> dict[str, int]:
        return {"a1": WHITE, "c2": BLACK}

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return False

    def slides(self, board: GridView, side: int, start: int) -> list[int]:
        return board.touching(start, EMPTY)


class Onward(Shuffle):
    slug = "onward"
    repetition = "forbidden"


class Leaps(Shuffle):
    slug = "leaps"
    sizes = (6,)

    def opening(self) -> dict[str, int]:
        return {self.grid.names[0]: WHITE, self.grid.names[1]: BLACK}

    def slides(self, board: GridView, side: int, start: int) -> list[int]:
        return board.of(EMPTY)


@each("far", [59, 60, 61, 63, 64])
def test_stones_that_have_gone_far_bring_no_position_back(far: int) -> None:
    """Hashes of Python go by 2⁶¹ − 1 and end with 64 bits: neither may make two cells alike."""
    game = Leaps()
    names = game.grid.names
    position = played(game, *(f"{names[at]}-{names[at + far]}" for at in (0, 1)))
    assert game.outcome(position) is None
    position = played(game, *(f"{names[at]}-{names[to]}" for at, to in
                              ((0, far), (1, far + 1), (far, 0), (far + 1, 1))))  # fmt: skip
    assert game.outcome(position) == Outcome(None, "simple.repeated")


@pytest.mark.slow
def test_a_position_that_comes_again_is_a_draw_or_may_not_come() -> None:
    there_and_back = ("a1-a2", "c2-c1", "a2-a1", "c1-c2")
    drawn = Shuffle()
    position = played(drawn, *there_and_back)
    assert drawn.outcome(position) == Outcome(None, "simple.repeated")
    onward = Onward()
    position = played(onward, *there_and_back[:3])
    back = onward.parse(position, "c1-c2")
    refusal = onward.why_not(position, BLACK, back)
    assert refusal is not None
    assert refusal.rule == "simple.repeats"
    assert back not in onward.moves(position, BLACK)
    for game in (drawn, onward):
        assert breaches(game, 4) == []


# A pie.


class Connect(SimpleGame):
    """Hex: White joins top and bottom, Black left and right; the other player may take White."""

    slug = "connect"
    shape = "rhombus"
    sizes = (4, 3)
    pie = True
    symmetry = "half-turn"

    def ended(self, board: GridView) -> Outcome | None:
        for side, (one, other) in ((WHITE, (0, 2)), (BLACK, (1, 3))):
            if board.connects(side, board.edge(one), board.edge(other)):
                return self.win(side)
        return None


def test_the_second_player_takes_a_side_and_the_players_change_places() -> None:
    game = Connect()
    position = played(game, "b2")
    assert game.movers(position) == (BLACK,)
    assert game.moves(position, BLACK) == []
    assert game.words(position, BLACK) == ("take white", "take black", "resign")
    refusal = game.why_not(position, BLACK, game.parse(position, "a1"))
    assert refusal is not None
    assert refusal.rule == "simple.choose-first"
    kept, took = (
        game.play(position, game.parse(position, word)) for word in ("take black", "take white")
    )
    assert (game.swapped(kept), game.swapped(took)) == (False, True)
    assert game.movers(kept) == game.movers(took) == (BLACK,)
    assert "take white" not in game.words(took, BLACK)
    assert breaches(game, 3) == []


def test_a_bot_opens_a_pie_evenly_and_takes_the_better_side() -> None:
    game = Connect(size=3)
    opened = think(game, game.start(), "strong", 1, playouts=600, compiled=False)
    assert abs(opened.value - 0.5) < 0.25
    answered = think(game, played(game, "b2"), "strong", 1, playouts=400, compiled=False)
    assert answered.move.text == "take white", "who begins in the middle wins"


# What a game remembers.


class Heaps(SimpleGame):
    """Stones that grow: two acts a turn, the second on a stone that is there."""

    slug = "heaps"
    sizes = (2, 3)
    memory: ClassVar[Mapping[str, int]] = {"grows": 0}
    cell_memory: ClassVar[Mapping[str, int]] = {"height": 0}
    shows = "height"
    signs: ClassVar[Mapping[int, str]] = {1: "S"}

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return not board.grows

    def may_grow(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return bool(board.grows) and board.height[cell] < 3

    def remember(self, board: GridView, side: int, act: Act) -> dict[str, Any]:
        return {"grows": 1 - board.grows, "height": {act.cell: board.height[act.cell] + 1}}

    def next_side(self, board: GridView, side: int, act: Act) -> int:
        return side if board.grows else 1 - side

    def owes(self, board: GridView) -> int:
        return int(board.grows)

    def stuck(self, board: GridView) -> Outcome:
        return self.draw()


def test_phases_of_a_turn_and_heights_are_remembered_and_shown() -> None:
    game = Heaps()
    position = played(game, "b2")
    assert game.movers(position) == (WHITE,)
    assert game.pieces_owed(position) == ((Kind.WHITE, 1),)
    (grows,) = game.moves(position, WHITE)
    assert (str(grows), game.display_text(position, grows)) == ("+b2", "b2↑")
    assert game.numbers(position)[game.grid.cell("b2")] == "S"
    assert ">S</text>" in svg(diagram(game, position))
    position = game.play(position, game.parse(position, "+b2"))
    assert game.numbers(position)[game.grid.cell("b2")] == "2"
    assert game.movers(position) == (BLACK,)
    assert (
        game.setup({"b2": WHITE}, height={"b2": 2}, to_move=BLACK).state[:14] == position.state[:14]
    )
    with pytest.raises(GameError, match=r"only stones and to_move, grows, height are set up"):
        game.setup({}, width={})
    assert breaches(game, 4) == []


def test_a_stone_in_the_air_that_may_grow_waits_for_the_button() -> None:
    game = Heaps()
    position = played(game, "b2")
    sensed = list(map(int, game.pieces(position)))
    sensed[game.grid.cell("b2")] = Kind.EMPTY
    assert game.read(position, sensed) == Complete(game.parse(position, "+b2"), confirm=True)


# Several kinds of stones.


class Lends(SimpleGame):
    """Either side puts either colour, and one neutral stone."""

    slug = "lends"
    sizes = (2, 3)

    def may_lend(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return True

    def may_block(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return not board.of(NEUTRAL)


def test_a_hand_sets_a_stone_of_any_colour_that_the_rule_lets_it_set() -> None:
    game = Lends()
    position = played(game, "b2")
    assert game.kinds == (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)
    assert {(mark.meaning, mark.side) for mark in game.marks(position, "legal")} == {
        ("may-place", WHITE), ("may-place", BLACK), ("may-place-neutral", BLACK),
    }  # fmt: skip
    for kind, text in ((Kind.WHITE, "lend a1"), (Kind.BLACK, "a1"), (Kind.NEUTRAL, "block a1")):
        sensed = list(map(int, game.pieces(position)))
        sensed[game.grid.cell("a1")] = kind
        assert game.read(position, sensed) == Complete(game.parse(position, text))
        told = f"{('white', 'black', 'red')[kind - 1]} a1"
        assert str(game.parse(position, told)) == text
        after = played(game, "b2", text)
        assert game.pieces(after)[game.grid.cell("a1")] == kind
        assert game.movers(after) == (WHITE,)
    assert "block a2" not in {str(m) for m in game.moves(played(game, "b2", "block a1"), WHITE)}
    assert breaches(game, 4) == []


def test_an_enemy_stone_that_may_not_be_set_is_refused_in_its_own_words() -> None:
    class Keeps(Lends):
        slug = "keeps"

        def may_lend(self, board: GridView, side: int, cell: int) -> bool | Refusal:
            return False

    game = Keeps()
    position = played(game, "b2")
    sensed = list(map(int, game.pieces(position)))
    sensed[game.grid.cell("a1")] = Kind.WHITE
    reading = game.read(position, sensed)
    assert isinstance(reading, Wrong)
    assert reading.refusal.rule == "simple.no-lend"
