"""Answers of somebody's own rule that lumiban cannot use: each is told with its method's line."""

from __future__ import annotations

from textwrap import indent

import pytest
from lumiban import games
from lumiban.games import Game
from lumiban.games.base import explain_move
from lumiban.games.registry import RuleFault
from own_games import Written, clean, written

__all__ = ["clean", "written"]

ACT, BOARD = "board, side, act", "board"
ANSWERS = [
    ("then", ACT, "[1]", "it is a dict of cells by number"),
    ("then", ACT, "None", "it is a dict of cells by number"),
    ("then", ACT, "{'a1': 1}", "it is a dict of cells by number"),
    ("then", ACT, "{-1: 1}", "it is a dict of cells by number"),
    ("then", ACT, "{1: 7}", "on c2 may stand WHITE, BLACK"),
    ("remember", ACT, "None", "'NoneType' object has no attribute 'items'"),
    ("remember", ACT, "{'tally': 'x'}", "a number of memory is an int"),
    ("remember", ACT, "{'height': {99: 1}}", "a cell is a number from 0 to 6"),
    ("remember", ACT, "{'height': {'a1': 1}}", "a cell is a number from 0 to 6"),
    ("remember", ACT, "{'height': {1: 'x'}}", "and it has an int"),
    ("next_side", ACT, "None", "says None: WHITE or BLACK"),
    ("next_side", ACT, "2", "says 2: WHITE or BLACK"),
    ("ended", BOARD, "board.played > 1", "says False: it is self.win(side), self.draw() or None"),
    ("ended", BOARD, "self.win(3)", "who wins is WHITE or BLACK, not 3"),
    ("stuck", BOARD, "None", "it is self.win(side) or self.draw()"),
    ("may_place", "board, side, cell", "None", "answers None: it is True, False or self.no"),
    ("may_place", "board, side, cell", "board.touching(cell, side)", "answers []: it is True"),
    ("may_place", "board, side, cell", "self.no('x', 99)", "they are numbers from 0 to 6"),
    ("may_place", "board, side, cell", "self.no('x', [cell])", "has a star"),
    ("slides", "board, side, start", "None", "'NoneType' object is not iterable"),
    ("slides", "board, side, start", "['a1']", "cells are numbers from 0 to 6"),
    ("slides", "board, side, start", "[99]", "cells are numbers from 0 to 6"),
    ("points", BOARD, "None", "'NoneType' object is not subscriptable"),
    ("owned", BOARD, "[99]", "has no attribute 'items'"),
    ("owned", BOARD, "{99: 1}", "cells by number"),
    ("owes", BOARD, "'x'", "it is a number of stones"),
    ("opening", "", "['a1']", "has no attribute 'items'"),
    ("at_start", "seed", "None", "is not iterable"),
    ("at_start", "seed", "{'hight': 1}", "which is in neither memory nor cell_memory"),
    ("make_grid", "size", "None", "make_grid says None: a Grid"),
    ("means", "before, after, act", "None", "must be an iterable"),
    ("agreed", BOARD, "True", "it is an outcome"),
]


@pytest.mark.parametrize(
    ("method", "takes", "answer", "said"), ANSWERS, ids=[f"{a[0]} {a[2]}" for a in ANSWERS]
)
def test_an_answer_that_cannot_be_used_is_told_with_file_and_line(
    method: str, takes: str, answer: str, said: str, written: Written
) -> None:
    head = "class Mine(SimpleGame):\n    sizes = (2,)\n    memory = {'tally': 0}\n"
    head += "    cell_memory = {'height': 0}\n"
    if method == "stuck":
        head += "    def may_place(self, board, side, cell):\n        return board.played < 2\n"
    line = head.count("\n") + 4
    given = f"self, {takes}" if takes else "self"
    body = indent(f"def {method}({given}):\n    return {answer}\n", "    ")
    path = written(head + body)
    with pytest.raises(RuleFault) as fault:
        at_the_table(games.load(path))
    assert f"{path}, line {line}" in str(fault.value) or (
        f"{path}, line {line + 1}, in {method}: " in str(fault.value)
    )
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


def at_the_table(game: Game) -> None:
    """What a table asks in the first moves of a game."""
    position = game.start()
    for _ in range(3):
        (side,) = game.movers(position) or (None,)
        if side is None:
            return
        game.marks(position, "control")
        game.pieces_owed(position)
        game.scores(position)
        game.why_not(position, side, game.parse(position, "b2"))
        explain_move(game, position, game.moves(position, side)[0])
        position = game.play(position, game.moves(position, side)[0])
        if "stop" in game.words(position, 1 - side):
            for one in (0, 1):
                position = game.play(position, game.parse(position, "stop", one))


WORDS = [
    ("symmetry = 'nonne'", "Mine.symmetry is 'nonne': it is 'all', 'turns', 'half-turn' or 'none'"),
    ("repetition = 'drawn'", "Mine.repetition is 'drawn': it is '', 'draw' or 'forbidden'"),
    ("geometry = 'tri'", "Mine.geometry is 'tri': it is 'hex' or 'square'"),
    ("shape = 'egg'", "Mine.shape: there is no shape 'egg' of hex cells: there is hexagon"),
    ("sizes = 3", "(4,) with the comma"),
    ("sizes = ()", "Mine.sizes is ()"),
    ("sizes = (1,)", "Mine.sizes: a hexagon has 2 to 12 cells a side, not 1"),
    ("shape = 'star'; sizes = (1,)", "Mine.sizes: a star has 2 cells or more along an edge"),
    ("pie = 'yes'", "Mine.pie is 'yes': it is a whole number"),
    ("longest = -1", "Mine.longest is -1"),
    ("spoken = 'go'", "Mine.spoken is 'go': it is a tuple of words"),
    ("memory = ['n']", "Mine.memory is ['n']: it is a dict"),
    ("memory = {'n': 'x'}", "it is a dict of numbers"),
    ("memory = {'played': 0}", "Mine cannot remember 'played'"),
    ("signs = {1: 'KING'}", "signs of one or two letters"),
    ("shows = 'hight'", "it names one of cell_memory (there is none)"),
    ("kinds = (1, 2)", "Mine.kinds is (1, 2): it is a tuple of Kind.WHITE"),
    ("texts = {}", "it is Texts(en="),
    ("simmetry = 'none'", "did you mean symmetry?"),
    ("may_place = True", "it is a method, def may_place(self, board, side, cell)"),
    ("def may_place(self, board, cell): ...", "(self, board, cell): it is may_place(self, board, "),
    ("def opening(self): return {'z9': 0}", "Mine.opening: no cell 'z9' here"),
    ("def opening(self): return {'a1': 7}", "Mine.opening: on a1 stands 0 (White)"),
]


@pytest.mark.parametrize(("said", "reason"), WORDS, ids=[said for said, _ in WORDS])
def test_a_word_that_cannot_be_used_is_told_with_file_and_line(
    said: str, reason: str, written: Written
) -> None:
    path = written(f"class Mine(SimpleGame):\n    keeps_last = True\n    {said}\n")
    with pytest.raises(RuleFault) as fault:
        games.load(path).start()
    assert str(fault.value).startswith(f"{path}, line 6")
    assert reason in str(fault.value)


@pytest.mark.parametrize("does", ["board.played = 0", "board.tally += 1", "del board.words"])
def test_a_rule_that_sets_what_a_board_tells_is_told_with_file_and_line(
    does: str, written: Written
) -> None:
    head = "class Mine(SimpleGame):\n    sizes = (2,)\n    memory = {'tally': 0}\n"
    rule = f"    def next_side(self, board, side, act):\n        {does}\n        return 1 - side\n"
    with pytest.raises(RuleFault, match=r"^\S+mine.py, line 8: a rule looks at the board"):
        games.load(written(head + rule))
