"""docs/hardware-nets.md: each net that is drawn has its row, each row a net that is drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lumiban.boards.profile_file import Pins
from lumiban_hw.electronics import base_parts
from lumiban_lab.documents import nets


def test_the_page_is_of_today() -> None:
    assert nets.PAGE.read_text("utf-8") == nets.page()


def test_a_net_of_which_nothing_is_said_stops_the_page() -> None:
    board = base_parts(Pins())
    fuse = board.part("F20")
    parts = [part for part in board.parts if part is not fuse]
    spoilt = replace(board, parts=[*parts, replace(fuse, nets={"1": "VIN", "2": "NEW"})])
    with pytest.raises(KeyError, match="nothing is said of net NEW"):
        nets.table(spoilt, {"(?!NEW).*": ("a", "b", "c")})


def test_a_row_without_a_net_stops_the_page() -> None:
    with pytest.raises(KeyError, match="there is no net GONE"):
        nets.table(base_parts(Pins()), {"(?!GONE).*": ("a", "b", "c"), "GONE": ("a", "b", "c")})
