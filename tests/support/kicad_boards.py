"""Boards as KiCad makes them, once for all tests of a run: a base takes ten seconds of a core."""

from __future__ import annotations

import fcntl
import os
from functools import partial
from pathlib import Path

import pytest
from lumiban.boards.profile import load, names
from lumiban.boards.profile_file import Pins
from lumiban_hw import electronics
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.plans import strips

BOARDS = {
    "base": lambda: electronics.base_board(Pins()),
    **{
        plan.name: partial(electronics.strip_board, plan)
        for name in names()
        if load(name).has_kit
        for plan in strips(load(name))
    },
}
"""Every board of every profile with a kit."""


def finished(name: str, temporary: pytest.TempPathFactory) -> tuple[Board, Path]:
    """A board of these and the folder of its files, of which nothing is found; nobody writes there.

    Whichever worker comes first makes it, and the others wait.
    """
    own = temporary.getbasetemp()
    kept = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kicad-boards"
    kept.mkdir(exist_ok=True)
    board, folder, made = BOARDS[name](), kept / name, kept / f"{name}.made"
    with (kept / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            folder.mkdir(exist_ok=True)
            told = electronics.board_report(board.name, board, folder)
            assert told.findings == ()
            figures = told.figures
            assert (figures["drc"], figures["unconnected"], figures["rules"]) == (0, 0, 0)
            made.touch()
    return board, folder
