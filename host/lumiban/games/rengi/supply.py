"""Where Rengi's pairs come from: a loop drawn from the seed, a given list, or the player's choice.

A pair is (axis, child), colours 1 R, 2 B, 3 Y, 4 G. Both players read the same loop, each with an
own index.
"""

from __future__ import annotations

import random

from lumiban.errors import GameError

LETTERS = ".RBYGO"
"""The letter of each colour's number; 5 is ojama."""
COLOURS = (1, 2, 3, 4)
FIRST_COLOURS = 3
"""The most colours among the first two pairs of a loop."""

Pair = tuple[int, int]


def drawn(pairs: int, seed: int) -> tuple[Pair, ...]:
    """A loop of so many pairs (even): all colours equally often, shuffled, drawn again until the
    first two pairs hold at most three colours.

    >>> loop = drawn(12, seed=1)
    >>> [sum(pair.count(colour) for pair in loop) for colour in COLOURS]
    [6, 6, 6, 6]
    """
    rng = random.Random(f"rengi {pairs} {seed}")
    blocks = [colour for colour in COLOURS for _ in range(pairs // 2)]
    while True:
        rng.shuffle(blocks)
        if len(set(blocks[:4])) <= FIRST_COLOURS:
            return tuple(zip(blocks[::2], blocks[1::2], strict=True))


def read_list(text: str) -> tuple[Pair, ...]:
    """The pairs of a given list, `RB,YG,…`; GameError says what is wrong with it.

    >>> read_list("RB,YG")
    ((1, 2), (3, 4))
    """
    pairs = []
    for number, noted in enumerate(text.upper().replace(" ", "").split(","), 1):
        for letter in noted:
            if letter not in "RBYG":
                raise GameError(
                    f"pair {number} of the list, {noted!r}, has an unknown letter {letter!r}:"
                    " the colours are R, B, Y, G"
                )
        if len(noted) != 2:
            raise GameError(
                f"pair {number} of the list is {noted!r}: write two letters, axis and child, and"
                " commas between pairs, RB,YG,…"
            )
        pairs.append((LETTERS.index(noted[0]), LETTERS.index(noted[1])))
    counts = {c: sum(pair.count(c) for pair in pairs) for c in COLOURS}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{n} {LETTERS[colour]}" for colour, n in counts.items())
        raise GameError(f"the list holds {told}: each colour must come equally often")
    if len(pairs) > 256:
        raise GameError(f"the list has {len(pairs)} pairs: at most 256")
    return tuple(pairs)


def completed(known: tuple[Pair, ...], pairs: int, seed: int) -> tuple[Pair, ...]:
    """A loop that begins with the pairs known, the rest a guess at what may follow.

    What a player may know of a hidden loop is its beginning and that the colours are equal.
    """
    rest = [c for c in COLOURS for _ in range(pairs // 2 - sum(p.count(c) for p in known))]
    random.Random(f"rengi guess {seed}").shuffle(rest)
    return (*known, *zip(rest[::2], rest[1::2], strict=True))
