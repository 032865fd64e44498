"""Draws the pictures of docs/lobby.md: the lobby's light as the lamps of a simulated board give it.

`./run docs` writes them; a test draws them anew and compares byte by byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from lumiban.boards.profile import load
from lumiban.lobby.choices import Situation, offers_of
from lumiban.lobby.lights import frame
from lumiban.lobby.lobby import IDEA_S, Lobby
from lumiban.runtime.page_hello import page_hello
from lumiban.scene.svg import Shown, svg
from lumiban.scene.themes import GAMMA
from lumiban.scripting.simulator import Simulator
from lumiban.table.setup import TableSetup

from lumiban_lab.documents import PICTURES

GLANCE_S, GLANCES = 0.03, 50
"""A still picture has no rhythm: each lamp is drawn as bright as it gets in so many glances."""


def home(lobby: Lobby) -> float:
    """The first screen, while nothing is explained."""
    return (len(lobby.choices) + 0.5) * IDEA_S


def players(lobby: Lobby) -> float:
    """The list of players for the second side."""
    lobby.choose("second", 0.0)
    return (len(lobby.choices) + 0.5) * IDEA_S


def stone(lobby: Lobby) -> float:
    """A stone stands on *size*, whose cells shine."""
    lobby.choose("size", 0.0)
    lobby.hear([lobby.cells["size/2"]], 1.0)
    return 1.5


SCENES: tuple[tuple[str, str, str, Callable[[Lobby], float]], ...] = (
    ("home", "hex3", "The first screen, its choices numbered", home),
    ("home-square", "grid9x9", "The same on a board of squares", home),
    ("players", "hex3", "Who plays second: a person, or a computer of five levels", players),
    ("stone", "hex3", "A stone on a size shows the cells of that size", stone),
)


def drawn() -> Iterator[tuple[Path, str]]:
    """Each picture's file and its text."""
    for name, board_name, title, begin in SCENES:
        profile = load(board_name)
        offers = offers_of(page_hello(profile, simulated=True), can_power_off=True)
        lobby = Lobby(profile, offers, TableSetup(offers.games[0].slug))
        lobby.begin(0.0, (), Situation(resumes=name.startswith("home")), lobby.setup)
        now_s = begin(lobby)
        light = frame(lobby.light(now_s), profile, lobby.stones, "standard")
        with Simulator(board_name) as board:
            board._show(light)
            brightest = [(0, 0, 0)] * len(profile.cells)
            for _ in range(GLANCES):
                board.wait(GLANCE_S)
                lamps = board.lamps.values()
                brightest = [max(*two, key=sum) for two in zip(brightest, lamps, strict=True)]
        kinds = [int(cell in lobby.stones) for cell in range(len(profile.cells))]
        numbers = {cell: n for n, cell in enumerate(lobby.cells.values(), 1)}
        shown = Shown(
            profile.grid,
            kinds,
            lamps=[_seen(colour) for colour in brightest],
            numbers={} if lobby.stones else numbers,
        )
        yield PICTURES / f"lobby-{name}.svg", svg(shown, title=title)


def _seen(light: tuple[int, int, int]) -> tuple[int, int, int]:
    """The colour on a screen of a lamp's light."""
    red, green, blue = (round(255 * (part / 255) ** (1 / GAMMA)) for part in light)
    return red, green, blue


if __name__ == "__main__":
    for path, text in drawn():
        path.write_text(text, "utf-8", newline="\n")
