"""Tokyo Doves on a board: where the doves and the tray lie, what is shown, read and refused there,
each held against the rules' book, which knows neither frame nor tray."""

from __future__ import annotations

import pickle
import random
from typing import Any

import doves_by_the_book as book
import pytest
from doves_lines import laid
from hypothesis import given
from hypothesis import strategies as st
from lumiban.errors import GameError
from lumiban.games import Ambiguous, Complete, Outcome, Reading
from lumiban.games.doves import floating
from thorough import examples

PLIES = 12
places = st.tuples(st.integers(0, 8), st.integers(0, 8))
RULES = {
    "repetition": ("strong", "normal", "off"),
    "initial": ("forbidden", "allowed"),
    "remove": ("on", "off"),
    "both": ("mover-loses", "mover-wins", "draw"),
}


class Beside:
    """A game on a board and, with the same cells, its book."""

    def __init__(
        self, size: tuple[int, int], tray: str, options: dict[str, Any], chance: random.Random
    ):
        self.game = laid(*size, tray=tray, **options)
        self.columns, self.rows = size
        self.tray = tray == "on"
        self.rng = chance
        self.both = options["both"]
        # The bosses lie in the middle, Green's above.
        row, column = (self.rows - 2) // 2, (self.columns - 1) // 2
        board = {"b": (row, column), "B": (row + 1, column)}
        given = (options[name] for name in ("repetition", "initial", "remove"))
        self.book = book.Game(*given, board, book.RED)
        self.position = self.game.start()

    def name(self, cell: book.Cell) -> str:
        """A cell's name; "" off the field."""
        row, column = cell
        on_field = 0 <= column < self.columns and self.tray <= row < self.rows - self.tray
        return f"{chr(97 + column)}{self.rows - row}" if on_field else ""

    def lies(self, board: book.Board) -> dict[str, str]:
        """The dove on each cell, in the tray too."""
        found = {self.name(cell): dove for dove, cell in board.items()}
        first = (self.columns - 5) // 2
        for hand, row in zip(book.HANDS, (1, self.rows), strict=True):
            for at, dove in enumerate(hand[1:] if self.tray else ""):
                if dove not in board:
                    found[f"{chr(97 + first + at)}{row}"] = dove
        return {name: dove for name, dove in found.items() if name}

    def named(self, cells: Any) -> set[str]:
        return {name for name in map(self.name, cells) if name}

    def picture(self, board: book.Board) -> list[int]:
        lies = self.lies(board)
        return [1 + lies[n].islower() if n in lies else 0 for n in self.game.grid.names]

    def look(self) -> dict[str, book.Board]:
        """Hold all that stands, may be done and is marked against the book; the legal actions."""
        game, position, board, side = self.game, self.position, self.book.board, self.book.side
        names, labels = game.grid.names, game.labels(position)
        lies = {n: label for n, label in zip(names, labels, strict=True) if label}
        assert lies == self.lies(board)
        hands = tuple(tuple(d for d in hand if d not in board) for hand in book.HANDS)
        assert game.in_hand(position) == hands
        air = [book.air(board, who) for who in (0, 1)]
        assert game.scores(position) == tuple(
            (6 - len(hand), len(free)) for hand, free in zip(hands, air, strict=True)
        )
        ended = book.surrounded(board)
        legal = {} if any(ended) else self.book.legal()
        outcome = game.outcome(position)
        assert (outcome is None) == bool(legal)
        if outcome is not None:
            self.ends(ended, outcome)
            return legal
        moves = {move.text: move for move in game.moves(position, side)}
        assert moves.keys() == legal.keys()
        for text, after in legal.items():
            (goal,) = {self.name(cell) for cell in set(after.values()) - set(board.values())} or {
                "tray"
            }
            assert game.reaches(position, moves[text]) == bool(goal)
            was, now = self.picture(board), self.picture(after)
            changed = {(c, was[c], now[c]) for c in range(len(was)) if was[c] != now[c]}
            assert set(game.effects(position, moves[text])) == changed
            if goal:
                shown = game.display_text(position, moves[text])
                assert game.parse(position, shown, side) == moves[text]
        self.marked(legal, air)
        return legal

    def ends(self, ended: tuple[bool, bool], outcome: Any) -> None:
        """What surrounds each lost boss is shown: it, the doves beside it, the walls."""
        if not any(ended):
            assert (outcome.winner, outcome.reason) == (1 - self.book.side, "no-move")
            return
        board, mover = self.book.board, 1 - self.book.side
        lost = {"mover-loses": mover, "mover-wins": 1 - mover, "draw": None}[self.both]
        reason = "both-drawn" if lost is None else "both-surrounded"
        if not all(ended):
            lost = ended.index(True)
            reason = "own-boss" if lost == mover else "surrounded"
        assert outcome == Outcome(None if lost is None else 1 - lost, reason)
        bosses = [board[dove] for dove, over in zip("Bb", ended, strict=True) if over]
        beside = {(r + a, c + b) for r, c in bosses for a, b in book.EDGES}
        steps = self.game.final_steps(self.position)
        shown = [{self.game.grid.name(mark.cell) for mark in step} for step in steps]
        assert shown[0] == self.named(bosses)
        assert shown[-1] == self.named([*bosses, *beside])
        assert shown[1] == self.named([*bosses, *(beside & {*board.values()})])

    def marked(self, legal: dict[str, book.Board], air: list[list[book.Cell]]) -> None:
        game, board, side = self.game, self.book.board, self.book.side
        put: dict[str, set[str]] = {}
        goes: dict[str, dict[str, set[str]]] = {}
        for (act, dove, cell), after in book.actions(board, side, self.book.remove):
            if cell is None:
                continue
            name, banned = self.name(cell), self.book.bans(after)
            if act == "put":
                put.setdefault(name, set()).add("barred" if banned else "may-place")
            else:
                what = "barred" if banned else "lift-target"
                goes.setdefault(dove, {}).setdefault(what, set()).add(name)
        for dove, cell in board.items():
            if not self.name(cell):
                continue
            shown: dict[str, set[str]] = {}
            for mark in game.targets(self.position, game.grid.cell(self.name(cell))):
                shown.setdefault(mark.meaning, set()).add(game.grid.name(mark.cell))
            wanted = goes.get(dove, {}) if dove in book.HANDS[side] else {}
            assert shown == {w: names - {""} for w, names in wanted.items() if names - {""}}
        homes = {("may-place" if "may-place" in put[n] else "barred", n) for n in put if n}
        short = {("short", self.name(board["Bb"[who]])) for who in (0, 1) if len(air[who]) < 2}
        free = {("short", n) for cells in air if len(cells) < 2 for n in self.named(cells)}
        walls = {("wall", n) for n in map(self.name, book.walls(board)) if n}
        levels = {"none": set(), "legal": homes, "control": homes | short | walls}
        levels["coach"] = levels["control"] | free
        for level, told in levels.items():
            marks = game.marks(self.position, level)
            assert {(m.meaning, game.grid.name(m.cell)) for m in marks} == told - {("short", "")}

    def read(self, legal: dict[str, book.Board]) -> None:
        """Pictures of some actions are read as them."""
        game, side, board = self.game, self.book.side, self.book.board
        in_hand = [dove for dove in book.HANDS[side] if dove not in board]
        for text, after in self.rng.sample(sorted(legal.items()), min(len(legal), 5)):
            move = game.parse(self.position, text, side)
            if not game.reaches(self.position, move):
                continue
            reading: Reading = game.read(self.position, self.picture(after))
            if text[0] == "+" and not self.tray and len(in_hand) > 1:
                cell = text[2:]
                assert isinstance(reading, Ambiguous)
                puts = {t for t in legal if t[0] == "+" and t[2:] == cell}
                assert {one.text for one in reading.moves} == puts
                continue
            ended = book.surrounded(after)
            asks = ended[side] and not (ended[1 - side] and self.both != "mover-loses")
            asks |= text[0] == "-" and not self.tray
            assert isinstance(reading, Complete)
            assert (reading.move.text, reading.confirm) == (text, asks)

    def refuse(self, legal: dict[str, book.Board]) -> None:
        """Anything else is refused for the book's reason, with its proof."""
        game, side, board = self.game, self.book.side, self.book.board
        row, column = board["B"]
        for _ in range(12):
            dove = self.rng.choice(book.HANDS[side])
            cell = row + self.rng.randint(-3, 3), column + self.rng.randint(-3, 3)
            act = self.rng.choice(("put", "move", "remove"))
            text = book.noted(board, (act, dove, None if act == "remove" else cell))
            reason, proof = next(book.reasons(board, side, (act, dove, cell), self.book.remove))
            if text in legal:
                continue
            try:
                move = game.parse(self.position, text, side)
            except GameError:
                continue  # farther than any dove can go
            refusal = game.why_not(self.position, side, move)
            assert refusal is not None
            assert refusal.rule.removeprefix("doves.") in reason.split()
            if proof is not None:
                assert {game.grid.name(at) for at in refusal.cells} == self.named(proof)

    def play(self, legal: dict[str, book.Board]) -> None:
        text = self.rng.choice(sorted(legal))
        self.position = self.game.play(self.position, self.game.parse(self.position, text))
        self.book.play(legal[text])
        if self.game.is_crowded(self.position) and self.game.movers(self.position):
            columns, rows = self.game.drift(self.position)
            self.position = self.game.relaid(self.position, (columns, rows))
            there = {d: (r + rows, c + columns) for d, (r, c) in self.book.board.items()}
            self.book.board = there


@pytest.mark.parametrize("board", [(9, 9, "on"), (7, 6, "off"), (6, 8, "on")])
def test_on_a_board_all_is_as_in_the_book(board: tuple[int, int, str]) -> None:
    for seed in range(examples(8) // 2):
        chance = random.Random(f"{board} {seed}")
        options = {name: chance.choice(values) for name, values in RULES.items()}
        beside = Beside(board[:2], board[2], options, chance)
        for _ in range(PLIES):
            legal = beside.look()
            if not legal:
                break
            beside.read(legal)
            beside.refuse(legal)
            beside.play(legal)


@given(st.sets(places, min_size=1, max_size=12), st.integers(-5, 5), st.integers(-5, 5))
def test_each_dove_finds_its_cell_free_and_all_arrive(
    doves: set[tuple[int, int]], columns: int, rows: int
) -> None:
    lie = set(doves)
    for start, end in floating.slides(doves, (columns, rows)):
        assert start in lie
        assert end not in lie
        lie = lie - {start} | {end}
    assert lie == {(c + columns, r + rows) for c, r in doves}


@given(st.integers(0, 12), st.integers(1, 4), st.integers(0, 2), st.integers(6, 15))
def test_the_way_back_ends_in_the_middle_and_is_the_shortest(
    low: int, width: int, first: int, count: int
) -> None:
    way = floating.way_back(low, width, first, count)
    before, after = low + way - first, first + count - (low + way + width)
    assert abs(before - after) <= 1
    assert floating.way_back(low + way, width, first, count) == 0


@pytest.mark.parametrize("size", [(6, 6), (7, 6)])
def test_positions_at_the_edge_advise_to_go_to_the_middle(size: tuple[int, int]) -> None:
    game = laid(*size, repetition="off", initial="allowed", tray="off")
    position = game.start()
    at_edge = game.relaid(position, (-position.extra[0] - 1, 0))
    assert game.is_crowded(at_edge)
    assert game.drift(at_edge)[0] > 0
    assert game.is_crowded(game.relaid(at_edge, game.drift(at_edge))) is False


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
