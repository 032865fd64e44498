"""What all kernels share: the `@kernel` mark and the random numbers of playouts.

A kernel is a module-level function over flat int arrays that CPython runs as it stands and the
search may compile. This module only remembers which functions those are; it knows no compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

KERNELS: list[Callable[..., Any]] = []
"""Every function marked so far, in the order of definition: callees come before callers."""


INLINED: set[Callable[..., Any]] = set()
"""The kernels that are compiled into their callers."""


def kernel(function: _F) -> _F:
    """Mark a module-level function as a kernel; it is returned unchanged."""
    KERNELS.append(function)
    return function


def inlined(function: _F) -> _F:
    """Mark a kernel of an innermost loop: compiled into its callers rather than called."""
    INLINED.add(function)
    return kernel(function)


@kernel
def below(rng: Any, n: int) -> int:
    """A random number from 0 to n − 1, n < 2³¹; `rng` (one int, 63 bits) moves on.

    The generator is a linear congruential one, of which only high bits are used; the product
    may wrap at 64 bits, since only the low 63 are kept.

    >>> rng = [1]
    >>> [below(rng, 6) for _ in range(8)]
    [5, 0, 1, 4, 3, 0, 0, 0]
    """
    s: int = (rng[0] * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    rng[0] = s
    return (((s >> 31) & 0xFFFFFFFF) * n) >> 32


def hash_table(count: int, seed: int) -> list[int]:
    """`count` well-mixed 63-bit numbers for Zobrist keys (the finaliser of splitmix64).

    >>> len(set(hash_table(1000, 7))), max(hash_table(1000, 7)) < 2**63
    (1000, True)
    """
    mask = 0xFFFFFFFFFFFFFFFF
    numbers = []
    state = seed & mask
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        numbers.append((z ^ (z >> 31)) >> 1)
    return numbers
