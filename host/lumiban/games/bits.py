"""Sets of cells as words with one bit each: what playouts in words share.

How many cells a set has is counted as usual: in pairs of bits, in fours, in bytes, and then
`sums` holds in each byte how many there are up to its end. All of it stays within 63 bits.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel

WORD = 61
"""Cells up to which a set of cells is one word, with room for its sums and its sign."""


@kernel
def member(x: int, pairs: int, quads: int, sums: int, k: int) -> int:
    """Where the k-th bit of `x` lies, both from 0: in the first byte whose sum exceeds k, then
    down by halves."""
    past = (k * 0x01010101010101 | 0x80808080808080) - (sums & 0xFFFFFFFFFFFFFF)
    past = (past >> 7) & 0x01010101010101
    at: int = ((past * 0x0101010101010101) >> 56 & 0xFF) << 3
    k -= ((sums << 8) >> at) & 0xFF
    count = (quads >> at) & 7
    if k >= count:
        k -= count
        at += 4
    count = (pairs >> at) & 3
    if k >= count:
        k -= count
        at += 2
    if k >= (x >> at) & 1:
        at += 1
    return at


@kernel
def shift(words: Any, at: int, planes: int, cells: int, by: int, turn: int) -> None:
    """Add `by` ≥ 0 to the numbers of a set of cells, or with a `turn` of −1 take it away.

    Bit b of every cell's number, in two's complement of so many `planes`, is in the set
    `words[at + b]`. With all bits turned, one more is one less.
    """
    carry = 0
    end = at + planes
    while (by | carry) != 0 and at < end:
        add = cells & -(by & 1)
        plane = words[at] ^ turn
        words[at] = plane ^ add ^ carry ^ turn
        carry = (plane & add) | (carry & (plane | add))
        by >>= 1
        at += 1
