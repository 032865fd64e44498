"""From meaning to LEDs: a scene's picture of game cells becomes the light of each board light."""

from __future__ import annotations

from lumiban.boards.layout import Placing
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.errors import BoardError
from lumiban.scene.meanings import DARK, Picture


def paint(picture: Picture, placing: Placing, profile: Profile) -> LightFrame:
    """The light frame of a picture on a board.

    Cells without a game cell and lights without a use stay dark. Edge names that the board lacks
    are left out: a scene need not know which boards have edge lights. BoardError when the picture
    was drawn for another grid.
    """
    if len(picture.cells) != len(placing.board):
        raise BoardError(
            f"the picture has {len(picture.cells)} cells, the game on the board "
            f"{len(placing.board)}"
        )
    dark = (DARK.palette, DARK.effect)
    lights = [dark] * profile.lights
    for glow, board_cell in zip(picture.cells, placing.board, strict=True):
        lights[profile.cells[board_cell].light] = (glow.palette, glow.effect)
    wired = dict(profile.edges)
    for name, glow in picture.edges:
        for light in wired.get(name, ()):
            lights[light] = (glow.palette, glow.effect)
    return LightFrame(tuple(lights), picture.palette)
