"""Fields with long chains, built backwards from a seed, for measurements and tests.

Four blocks of one colour are slipped into a field so that it falls back into place when they go.
What then stands is a chain one step longer. `step` itself judges whether it came out so.
"""

from __future__ import annotations

from random import Random

from lumiban.games.rengi.field import COLUMNS, FIELD_SIZE, OUT_SIZE, colour_at, height, put, step
from lumiban.games.rengi.field_text import VISIBLE

NINETEEN = (
    ".B.GRB/BGRRYR/RRYYGY/RBYRGR/YBYRGY/YBGBYR/BRGBYR/GRGYGY/RYYGYY/GRGYGR/GBGYRR/YBGBGB/RGBGBB",
    "B..RYG/GYGYGB/GRRRBR/GBRYBG/RRGGYG/YYGYRR/YGRBRB/RBBGYG/RGGYRR/RBGRGR/YBYRBB/RRYGGB/RBBYRY",
)
"""Two known fields with the longest chain there is (golden/rengi.json)."""
SHAPES = (
    ((4,),),
    ((1, 3), (3, 1), (2, 2)),
    ((1, 1, 2), (2, 1, 1), (1, 2, 1)),
    ((1, 1, 1, 1),),
)
"""How four blocks can be shared out among neighbouring columns, by the number of columns."""
_PATIENCE = 400


def build(length: int, seed: int) -> list[int]:
    """A field whose chain has this many steps of four blocks each, from 1 to about 16.

    Long ones take a while: the builder starts over where it gets stuck.

    >>> from lumiban.games.rengi.field import resolve
    >>> resolve(build(5, 1), 0, 0, [0] * OUT_SIZE)
    5
    """
    random = Random(f"{length} {seed}")
    while True:
        field = [0] * FIELD_SIZE
        for _ in range(length):
            grown = longer(field, random)
            if grown is None:
                break
            field = grown
        else:
            return field


def longer(field: list[int], random: Random) -> list[int] | None:
    """A field that becomes this one in one step of four blocks; None when none was found."""
    columns = [
        [colour_at(field, 0, column, row) for row in range(1, height(field, 0, column) + 1)]
        for column in range(COLUMNS)
    ]
    out = [0] * OUT_SIZE
    for _ in range(_PATIENCE):
        shares = random.choice(random.choice(SHAPES))
        left = random.randrange(COLUMNS - len(shares) + 1)
        colour = random.randint(1, 4)
        grown = [list(column) for column in columns]
        floor = random.randrange(VISIBLE)
        for column, share in enumerate(shares, left):
            at = max(0, floor - random.randrange(share))
            grown[column][at:at] = [colour] * share
        if max(map(len, grown)) > VISIBLE:
            continue
        before = field_of(grown)
        after = list(before)
        if step(after, 0, 0, out) == 4 and after == field:
            return before
    return None


def field_of(columns: list[list[int]]) -> list[int]:
    """The field with these columns, each a list of colours from below."""
    field = [0] * FIELD_SIZE
    for column, colours in enumerate(columns):
        for row, colour in enumerate(colours, 1):
            put(field, 0, column, row, colour)
    return field
