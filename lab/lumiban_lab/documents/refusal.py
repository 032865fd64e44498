"""Draws the film at the head of the README: a stone that the board refuses, and why.

`./run docs` writes it; a test draws it anew and compares byte by byte.
"""

from __future__ import annotations

import sys

from lumiban import Simulator

from lumiban_lab.documents import PICTURES

FILM = PICTURES / "refusal.svg"
TITLE = (
    "Black sets a stone where White has the majority: it blinks, the stones that prove the rule"
    " flash, and it is taken off again"
)


def draw() -> str:
    """The film as SVG."""
    board = Simulator("hex3")
    with board.play("control", size=3) as table:
        for name, piece in (("a1", "white"), ("d4", "black"), ("c2", "white"), ("d3", "black")):
            board.hand.place(name, piece)
        board.hand.place("b3", "white")
        assert len(table.moves) == 5
        with board.film(frame=0.125) as film:
            board.wait(1.0)
            board.hand.place("b2", "black")
            assert "b2" not in table.legal_moves
            board.wait(3.0)
            board.hand.lift("b2")
            board.wait(0.8)
            board.hand.place("c4", "black")
            assert len(table.moves) == 6
            board.wait(1.5)
    return film.svg(TITLE)


if __name__ == "__main__":
    FILM.write_text(draw(), "utf-8", newline="\n")
    sys.exit(0)
