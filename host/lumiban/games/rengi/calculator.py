"""The calculator of Rengi: points and ojama of a chain told by its groups, step by step.

A chain of n steps begins as n groups of four, which is what a player counts while building. What
was larger, or came in two groups at once, is counted up step by step; points and ojama follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lumiban.errors import GameError
from lumiban.games.rengi.field import CHAIN, COLOURS, CONNECTION, RATE, ojama, step_points

MAX_STEPS = len(CHAIN)
GROUP = 4
"""The fewest blocks of a group that is erased."""
MAX_BLOCKS = 6 * 13
"""The most blocks that a field holds, and a chain erases."""
MAX_COLOURS = 4


@dataclass(frozen=True, slots=True)
class ToldStep:
    """One step of a chain as a player tells it."""

    groups: tuple[int, ...] = (GROUP,)
    """Blocks of each group."""
    colours: int = 0
    """Number of colours of the groups; 0: each its own, as far as there are colours."""

    @property
    def colour_count(self) -> int:
        """Number of colours that the step erases."""
        return self.colours or min(len(self.groups), MAX_COLOURS)


@dataclass(frozen=True, slots=True)
class CountedStep:
    """Value of a chain step that was described."""

    number: int
    groups: tuple[int, ...]
    colours: int
    blocks: int
    bonus: int
    """Chain, connection and colour bonus, at least 1."""
    points: int
    total: int
    """Points of the chain up to this step."""
    ojama: int
    """Ojama that the chain has made up to this step."""


def counted(steps: Sequence[ToldStep], rate: int = RATE) -> tuple[CountedStep, ...]:
    """Value of each step of a described chain; GameError when no field could hold it.

    `rate` points make one ojama.

    >>> told = [ToldStep(), ToldStep((6, 7)), ToldStep((8,))]
    >>> [(step.points, step.total, step.ojama) for step in counted(told)]
    [(40, 40, 0), (2340, 2380, 34), (1680, 4060, 58)]
    """
    _check(steps, rate)
    results: list[CountedStep] = []
    total = 0
    for number, step in enumerate(steps, 1):
        blocks = sum(step.groups)
        connection = sum(CONNECTION[min(size, len(CONNECTION) - 1)] for size in step.groups)
        points = step_points(number, blocks, connection, step.colour_count)
        total += points
        bonus = max(1, CHAIN[number - 1] + connection + COLOURS[step.colour_count])
        results.append(
            CountedStep(
                number=number,
                groups=step.groups,
                colours=step.colour_count,
                blocks=blocks,
                bonus=bonus,
                points=points,
                total=total,
                ojama=ojama(total, rate, 0),
            )
        )
    return tuple(results)


def chain_told(length: int, changes: Mapping[int, ToldStep]) -> tuple[ToldStep, ...]:
    """A chain of `length` groups of four, but for the steps (from 1) in `changes`; GameError.

    >>> counted(chain_told(2, {2: ToldStep((4, 4))}))[-1].total
    920
    """
    if not 1 <= length <= MAX_STEPS:
        raise GameError(f"a chain has 1 to {MAX_STEPS} steps here, not {length}")
    for number in changes:
        if not 1 <= number <= length:
            raise GameError(f"step {number} is not among the {length} steps of the chain")
    return tuple(changes.get(number, ToldStep()) for number in range(1, length + 1))


def read_step(text: str) -> tuple[int, ToldStep]:
    """A step in writing: `3=5+6`, or `3=4+4:1` where the groups have one colour; GameError.

    >>> read_step("3=5+6"), read_step("3=4+4:1")
    ((3, ToldStep(groups=(5, 6), colours=0)), (3, ToldStep(groups=(4, 4), colours=1)))
    """
    number, equals, formula = text.replace(" ", "").partition("=")
    groups, colon, colours = formula.partition(":")
    sizes = groups.split("+")
    numbers = (number, *sizes, *([colours] if colon else []))
    if not equals or not all(n.isascii() and n.isdigit() and len(n) < 4 for n in numbers):
        raise GameError(
            f"{text[:40]!r} is not a step: write its number and its groups, 3=5+6, and where"
            " groups have the same colour the number of colours, 3=4+4:1"
        )
    step = ToldStep(tuple(int(size) for size in sizes), int(colours or 0))
    if colon and not step.colours:
        raise GameError(f"step {number} has 0 colours: it has at least one")
    return int(number), step


def _check(steps: Sequence[ToldStep], rate: int) -> None:
    if rate < 1:
        raise GameError(f"at least 1 point makes an ojama, not {rate}")
    if not 1 <= len(steps) <= MAX_STEPS:
        raise GameError(f"a chain has 1 to {MAX_STEPS} steps here, not {len(steps)}")
    for number, step in enumerate(steps, 1):
        if not step.groups or min(step.groups) < GROUP:
            raise GameError(f"step {number} has a group of fewer than {GROUP}: none is erased")
        if not 0 <= step.colours <= min(len(step.groups), MAX_COLOURS):
            raise GameError(
                f"step {number} has {step.colours} colours in {len(step.groups)} groups: each"
                f" group has one of {MAX_COLOURS}"
            )
    blocks = sum(sum(step.groups) for step in steps)
    if blocks > MAX_BLOCKS:
        raise GameError(f"the chain has {blocks} blocks: a field holds {MAX_BLOCKS}")
