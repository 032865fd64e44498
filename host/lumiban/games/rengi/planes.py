"""Sets of cells of a Rengi field as two words: groups, neighbours and gravity by bit tricks.

The left word has columns 1 to 3, the right one columns 4 to 6, each column in 16 bits: bit 0 is
row 1, bit 13 row 14, and the two above stay 0. So all shifts stay within 48 bits, a column's
neighbour is 16 bits away, and the same text serves Python's ints and the compiler's.
"""

from __future__ import annotations

from lumiban.games.kernel import inlined, kernel
from lumiban.games.rengi.score import CONNECTION

LANE = 0xFFFF
ONES = 0x0001_0001_0001
"""The lowest bit of each column of a word."""
SEEN = 0x0FFF * ONES
"""Rows 1 to 12, where groups count."""
GHOSTLY = 0x1FFF * ONES
"""Rows 1 to 13."""
TOP = 0x2000 * ONES
"""Row 14, where a block may stay and hang."""
GUARD = 0x8000 * ONES
WORD = 0xFFFF_FFFF_FFFF


@inlined
def ones_in(word: int) -> int:
    """How many bits of a word are 1: pairs, fours, bytes. The compiler knows this text and takes
    the processor's own instruction where there is one."""
    word -= (word >> 1) & 0x5555_5555_5555_5555
    word = (word & 0x3333_3333_3333_3333) + ((word >> 2) & 0x3333_3333_3333_3333)
    word = (word + (word >> 4)) & 0x0F0F_0F0F_0F0F_0F0F
    return ((word * 0x0101_0101_0101_0101) >> 56) & 0x7F


@inlined
def count_bits(left: int, right: int) -> int:
    """How many cells a set has.

    >>> count_bits(0b1011, WORD)
    51
    """
    return ones_in(left) + ones_in(right)


@inlined
def links(
    coloured0: int, coloured1: int, first0: int, first1: int, second0: int, second1: int
) -> tuple[int, int, int, int]:
    """Which visible cells have a block of their own colour above (left, right word) and on their
    right (left, right word)."""
    seen0, seen1 = coloured0 & SEEN, coloured1 & SEEN
    above0 = seen0 & (seen0 >> 1) & ~((first0 ^ (first0 >> 1)) | (second0 ^ (second0 >> 1)))
    above1 = seen1 & (seen1 >> 1) & ~((first1 ^ (first1 >> 1)) | (second1 ^ (second1 >> 1)))
    unlike0 = first0 ^ ((first0 >> 16) | ((first1 & LANE) << 32))
    unlike0 |= second0 ^ ((second0 >> 16) | ((second1 & LANE) << 32))
    right0 = seen0 & ((seen0 >> 16) | ((seen1 & LANE) << 32)) & ~unlike0
    unlike1 = (first1 ^ (first1 >> 16)) | (second1 ^ (second1 >> 16))
    right1 = seen1 & (seen1 >> 16) & ~unlike1
    return above0, above1, right0, right1


@inlined
def groups(
    coloured0: int, coloured1: int, first0: int, first1: int, second0: int, second1: int
) -> tuple[int, int]:
    """The cells of all groups of four or more, of any colour.

    A group of four or more has a block with three neighbours in it, or two neighbouring blocks
    with two each; and every other block of it is next to such a one. No flood fill is needed.
    """
    above0, above1, right0, right1 = links(coloured0, coloured1, first0, first1, second0, second1)
    below0, below1 = above0 << 1, above1 << 1
    left0, left1 = (right0 << 16) & WORD, ((right1 << 16) & WORD) | (right0 >> 32)
    both0, both1 = above0 & below0, above1 & below1
    one0, one1 = above0 | below0, above1 | below1
    across0, across1 = left0 & right0, left1 & right1
    aside0, aside1 = left0 | right0, left1 | right1
    two0 = both0 | across0 | (one0 & aside0)
    two1 = both1 | across1 | (one1 & aside1)
    core0 = (both0 & aside0) | (across0 & one0)
    core1 = (both1 & aside1) | (across1 & one1)
    upright0 = above0 & two0 & (two0 >> 1)
    upright1 = above1 & two1 & (two1 >> 1)
    flat0 = right0 & two0 & ((two0 >> 16) | ((two1 & LANE) << 32))
    flat1 = right1 & two1 & (two1 >> 16)
    if core0 | core1 | upright0 | upright1 | flat0 | flat1 == 0:
        return 0, 0
    core0 |= upright0 | (upright0 << 1) | flat0 | ((flat0 << 16) & WORD)
    core1 |= upright1 | (upright1 << 1) | flat1 | ((flat1 << 16) & WORD) | (flat0 >> 32)
    all0 = core0 | ((core0 << 1) & below0) | ((core0 >> 1) & above0)
    all1 = core1 | ((core1 << 1) & below1) | ((core1 >> 1) & above1)
    all0 |= ((core0 << 16) & left0) | (((core0 >> 16) | ((core1 & LANE) << 32)) & right0)
    all1 |= (((core1 << 16) | (core0 >> 32)) & left1) | ((core1 >> 16) & right1)
    return all0, all1


@inlined
def beside(set0: int, set1: int, among0: int, among1: int, rows: int) -> tuple[int, int]:
    """Those cells `among` others, in these rows, that are next to a cell of a set."""
    near0 = (set0 << 1) | (set0 >> 1) | (set0 << 16) | (set0 >> 16) | ((set1 & LANE) << 32)
    near1 = (set1 << 1) | (set1 >> 1) | (set1 << 16) | (set1 >> 16) | (set0 >> 32)
    return near0 & among0 & rows, near1 & among1 & rows


@kernel
def worth(
    blocks: int, gone0: int, gone1: int, first0: int, first1: int, second0: int, second1: int
) -> tuple[int, int]:
    """(sum of connection bonuses, number of colours) of the groups that go in one step.

    Fewer than eight blocks are one group.
    """
    if blocks < 8:
        return CONNECTION[blocks], 1
    connected = colours = 0
    for colour in range(4):
        turn_first = WORD * (~colour & 1)
        turn_second = WORD * (~(colour >> 1) & 1)
        rest0 = gone0 & (first0 ^ turn_first) & (second0 ^ turn_second)
        rest1 = gone1 & (first1 ^ turn_first) & (second1 ^ turn_second)
        if rest0 | rest1 == 0:
            continue
        colours += 1
        while rest0 | rest1 != 0:
            group0 = rest0 & -rest0
            group1 = 0
            if group0 == 0:
                group1 = rest1 & -rest1
            size, grown = 0, 1
            while size != grown:
                size = grown
                more0, more1 = beside(group0, group1, rest0, rest1, SEEN)
                group0 |= more0
                group1 |= more1
                grown = count_bits(group0, group1)
            rest0 ^= group0
            rest1 ^= group1
            connected += CONNECTION[min(size, 11)]
    return connected, colours


@inlined
def above_lowest(cells: int) -> int:
    """In each column the rows from its lowest cell of a set up to 13; none where it has none."""
    guarded = cells | GUARD
    return (guarded | ~(guarded - ONES)) & GHOSTLY


@inlined
def fallen(gone: int, coloured: int, first: int, second: int) -> tuple[int, int, int]:
    """The three words of one half, rows 1 to 13 only, after the cells `gone` have closed up.

    In all columns at once, what is above the lowest gap moves down: by two as long as some gap is
    two high, then by one.
    """
    double = gone & (gone >> 1)
    while double != 0:
        moving = above_lowest(double)
        coloured ^= (coloured ^ (coloured >> 2)) & moving
        first ^= (first ^ (first >> 2)) & moving
        second ^= (second ^ (second >> 2)) & moving
        gone ^= (gone ^ (gone >> 2)) & moving
        double = gone & (gone >> 1)
    while gone != 0:
        moving = above_lowest(gone)
        coloured ^= (coloured ^ (coloured >> 1)) & moving
        first ^= (first ^ (first >> 1)) & moving
        second ^= (second ^ (second >> 1)) & moving
        gone ^= (gone ^ (gone >> 1)) & moving
    return coloured, first, second
