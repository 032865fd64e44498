"""Acts of a game in plain Python: what a side does on a cell, their numbers and their notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lumiban.grid import Grid

PLACE, LIFT, BLOCK, SLIDE = "place", "lift", "block", "slide"
REPLACE, GROW, LEND, SAY = "replace", "grow", "lend", "say"

ON_CELLS = (PLACE, LIFT, BLOCK, REPLACE, GROW, LEND)
"""Acts on one cell, in the order of their numbers; slides and words come behind them."""
_FIRST, _LAST = ON_CELLS[:3], ON_CELLS[3:]
"""Those before the slides, and those behind them."""
PASS = "pass"


@dataclass(frozen=True, slots=True)
class Act:
    """Act of a side: `do` is place, lift, block (a neutral stone), slide, replace (an own stone for
    another's), grow (an own stone that stays), lend (a stone of the other side), or say (`word`).

    A slide goes from `start` to `cell`; the others happen on `cell`, a word on none (−1).
    """

    do: str
    cell: int
    start: int = -1
    word: str = ""

    def code(self, cells: int, words: Sequence[str] = ()) -> int:
        """Number of the act among all on a board with `cells` cells.

        >>> [act_of(Act("slide", 4, 2).code(7), 7), act_of(9, 7)]
        [Act(do='slide', cell=4, start=2, word=''), Act(do='lift', cell=2, start=-1, word='')]
        """
        if self.do == SLIDE:
            return (3 + self.start) * cells + self.cell
        if self.do == SAY:
            return first_code(SAY, cells) + words.index(self.word)
        return first_code(self.do, cells) + self.cell


def act_of(code: int, cells: int, words: Sequence[str] = ()) -> Act:
    """The act with this number.

    >>> act_of(13 * 7, 7, ("pass",)).word, act_of(10 * 7 + 3, 7).do
    ('pass', 'replace')
    """
    row, cell = divmod(code, cells)
    if row < 3:
        return Act(_FIRST[row], cell)
    if row < 3 + cells:
        return Act(SLIDE, cell, row - 3)
    if row < 6 + cells:
        return Act(_LAST[row - 3 - cells], cell)
    return Act(SAY, -1, word=words[code - first_code(SAY, cells)])


def first_code(do: str, cells: int) -> int:
    """The number of an act of this kind on the first cell, or of the first word."""
    at = len(ON_CELLS) if do == SAY else ON_CELLS.index(do)
    return (at if at < 3 else at + cells) * cells


class Notation:
    """Notation of the acts of one game on one grid: `c4`, `xc4` (a stone taken, or replaced by an
    own one), `+c4` (a stone that grows), `block c4`, `lend c4`, `c4-c6` (a slide), `pass`.

    In a game that both takes and replaces stones, `-c4` takes one; `written` says otherwise.

    >>> from lumiban.grid import hexagon
    >>> said = Notation(hexagon(2), ("pass",))
    >>> said.text(said.act("xb2")), said.act("a1-b2"), said.act("nonsense")
    ('xb2', Act(do='slide', cell=3, start=5, word=''), None)
    """

    def __init__(
        self,
        grid: Grid,
        words: Sequence[str] = (),
        *,
        replaces: bool = False,
        lifts: bool = True,
        written: Mapping[str, str] | None = None,
    ) -> None:
        self.grid = grid
        self.words = tuple(words)
        taken = "-" if replaces and lifts else "x"
        self._before = {
            BLOCK: "block ",
            LEND: "lend ",
            LIFT: taken,
            REPLACE: "x",
            GROW: "+",
            PLACE: "",
            **(written or {}),
        }
        kinds = (BLOCK, LEND, REPLACE if replaces else LIFT, LIFT, GROW, PLACE)
        self._read = [(do, self._before[do]) for do in kinds]

    def text(self, act: Act) -> str:
        """An act as it is written."""
        if act.do == SAY:
            return act.word
        name = self.grid.names[act.cell]
        if act.do == SLIDE:
            return f"{self.grid.names[act.start]}-{name}"
        return self._before[act.do] + name

    def act(self, text: str) -> Act | None:
        """The act that a text notes, None when it notes none."""
        if text in self.words:
            return Act(SAY, -1, word=text)
        start, dash, end = text.partition("-")
        names = self.grid.names
        if dash and start in names and end in names:
            return Act(SLIDE, self.grid.cell(end), self.grid.cell(start))
        for do, before in self._read:
            if text.startswith(before) and text[len(before) :] in names:
                return Act(do, self.grid.cell(text[len(before) :]))
        return None
