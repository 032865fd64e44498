"""A whole box: its plan with letters, cuts and posts, and its parts with their pieces."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban.boards.profile import Profile

from lumiban_hw.mechanics import cuts
from lumiban_hw.mechanics.box import DECK_MM, TRAY_MM, BoxGeometry, box_geometry
from lumiban_hw.mechanics.letters import Letter, letters
from lumiban_hw.mechanics.posts import Parted, Posts, posts
from lumiban_hw.stack import STACK, Stack

PARTS = ("tray", "deck", "grid", "floor", "recess", "rim")
"""From below."""
TURNED_OVER = ("grid",)
"""Parts that lie on their upper side in the file to print."""


@dataclass(frozen=True)
class Design:
    """Drawing of a box."""

    plan: BoxGeometry
    letters: tuple[Letter, ...]
    posts: Posts
    parted: Parted

    def cuts(self, part: str) -> cuts.Cuts:
        """Cuts of a part."""
        grid, floor, recess = self.parted.sheets
        return {
            "tray": self.parted.tray, "deck": self.parted.deck, "grid": grid,
            "floor": floor, "recess": recess, "rim": self.parted.rim,
        }[part]  # fmt: skip

    def pieces(self) -> tuple[tuple[str, int], ...]:
        """Every piece of every part."""
        return tuple((part, n) for part in PARTS for n in range(self.cuts(part).pieces))

    def file(self, part: str, piece: int) -> str:
        """The name of a piece's file, such as `tray-2.stl`."""
        return f"{part}-{piece + 1}.stl" if self.cuts(part).pieces > 1 else f"{part}.stl"

    def height(self, part: str) -> float:
        """Height of a part's underside above the strips' circuit boards."""
        stack = self.plan.stack
        deck = -stack.board_mm - DECK_MM
        return {
            "tray": deck - self.plan.room - TRAY_MM, "deck": deck, "grid": 0.0,
            "floor": stack.grid_mm, "recess": stack.grid_mm + stack.floor_mm,
            "rim": stack.grid_mm + stack.floor_mm + stack.recess_mm,
        }[part]  # fmt: skip


def design(profile: Profile, stack: Stack = STACK) -> Design:
    """The box of a profile; ProfileError where its strips cannot be made.

    >>> from lumiban.boards.profile import load
    >>> drawn = design(load("strip5"))
    >>> [drawn.file(*piece) for piece in drawn.pieces()][:3]
    ['tray.stl', 'deck.stl', 'grid.stl']
    """
    drawn = box_geometry(profile, stack)
    signs = letters(drawn)
    spots = [sign.at for sign in signs]
    parted = Parted(
        (
            cuts.along_cells(drawn, drawn.field, bored=True),
            cuts.along_cells(drawn, drawn.sheet),
            cuts.along_cells(drawn, drawn.sheet, profile.pitch_mm),
        ),
        cuts.deck(drawn),
        cuts.tray(drawn),
        cuts.rim(drawn, spots),
    )
    return Design(drawn, signs, posts(drawn, parted, spots), parted)
