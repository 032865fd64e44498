"""Positions of Rengi for tests of its bot: fields that are ready to fire, lists of pairs."""

from __future__ import annotations

from functools import cache
from typing import Any

from lumiban.games.base import Position
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.field import OUT_SIZE, colour_at, height, parse, printed, resolve
from lumiban.games.rengi.kernel import build

BARE = "/".join(["......"] * 13)


@cache
def rengi(mode: str, **options: Any) -> Rengi:
    return Rengi(mode=mode, **options)


def field_of(*rows: str) -> str:
    return "/".join([*["......"] * (13 - len(rows)), *rows])


@cache
def ready(steps: int) -> tuple[str, str, int]:
    """(field at rest, colour, column from 0): a block of that colour there fires so many steps."""
    for seed in range(100):
        field = build(steps, seed)
        for column in range(6):
            high = height(field, 0, column)
            if not 0 < high < 11:
                continue
            colour = colour_at(field, 0, column, high)
            rows = [list(row) for row in printed(field).split("/")]
            rows[13 - high][column] = "."
            text = "/".join("".join(row) for row in rows)
            if resolve(parse(text), 0, 0, [0] * OUT_SIZE) == 0:
                return text, ".RBYG"[colour], column
    raise AssertionError("no such field")


def with_pair_first(colour: str) -> str:
    """A list of twelve pairs that begins with two blocks of a colour, then with none of it."""
    others = [letter for letter in "RBYG" if letter != colour]
    rest = [letter for letter in others for _ in range(6)] + [colour] * 4
    return ",".join([2 * colour, *(rest[i] + rest[i + 6] for i in (0, 1, 2, 3, 4, 5)),
                     *(rest[i] + rest[i + 1] for i in (12, 14, 16, 18, 20))])  # fmt: skip


def recoloured(field: str, colour: str, to: str) -> str:
    """The field with two colours exchanged."""
    swap = {colour: to, to: colour}
    return "".join(swap.get(letter, letter) for letter in field)


def facing(mine: int, theirs: int, mode: str = "open") -> tuple[Rengi, Position, str]:
    """(game, position, colour): fields ready for so many steps, and the pair that fires both is
    the next one of both players; the first one is to move."""
    field, colour, _ = ready(mine)
    other, other_colour, _ = ready(theirs)
    game = rengi(mode, list=with_pair_first(colour))
    fields = (field, recoloured(other, other_colour, colour))
    return game, game.setup(fields=fields, to_move="first"), colour
