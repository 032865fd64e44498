"""`lumiban study chain`, `calculator`, `ojama`: what Rengi chains do, are worth, and send."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.arguments import Json
from lumiban.errors import GameError, UsageError
from lumiban.games.rengi.arrays import plan_of
from lumiban.games.rengi.calculator import chain_told, counted, read_step
from lumiban.games.rengi.duel import falling
from lumiban.games.rengi.field import RATE, chain_of, margin_rate, ojama, parse
from lumiban.games.rengi.options import MODES, resolved
from lumiban.i18n import terminal_language, text
from lumiban.system.terminal import columns_of, print_json, say

if TYPE_CHECKING:
    from lumiban.games.rengi.field import Cell, Chain, Step


INK = {"R": "31", "B": "34", "Y": "33", "G": "32", "O": "90", ".": "2"}
"""Terminal colours; the letter says the same without them."""
GOING = ";7"
"""Blocks that go are shown inverted, and in small letters."""
WIDTH = 2 * 6 + 3


def chain_command(
    field: Annotated[
        str,
        Parameter(
            help="13 rows of 6 joined by '/', the top row first: R B Y G, O ojama, . empty. "
            "With a 14th row in front, blocks stay in row 14."
        ),
    ],
    /,
    *,
    ghost: Annotated[
        str,
        Parameter(help="Ojama in row 13 above an erased block: B it stays, C it is erased too."),
    ] = "B",
    rate: Annotated[int, Parameter(validator=Number(gte=1), help="Points for one ojama.")] = 70,
    json: Json = False,
) -> None:
    """Run the chain of a Rengi field: groups, points and ojama of each step, and what is left.

    For example, two steps:

    {lumiban} study chain
    ....../....../....../....../....../....../....../....../....../....../....../R.Y.../RRRYYY
    """
    if ghost.upper() not in ("B", "C"):
        raise UsageError(f"--ghost {ghost!r} is neither B nor C")
    chain = chain_of(parse(field), ghost.upper() == "C", rate)
    if json:
        print_json(_as_data(chain))
    else:
        _print_chain(chain, rate)


def _as_data(chain: Chain) -> dict[str, Any]:
    return {
        "chain": len(chain.steps),
        "points": chain.points,
        "ojama": chain.ojama,
        "steps": [
            {
                "step": step.number,
                "groups": [
                    {"colour": group.colour, "cells": [list(cell) for cell in group.cells]}
                    for group in step.groups
                ],
                "ojama_cells": [list(cell) for cell in step.ojama_cells],
                "blocks": step.blocks,
                "bonus": {
                    "chain": step.chain_bonus,
                    "connection": step.connection_bonus,
                    "colour": step.colour_bonus,
                },
                "points": step.points,
                "ojama": step.ojama,
                "before": step.before.split("/", 1)[1],
            }
            for step in chain.steps
        ],
        "field": chain.field,
    }


def _print_chain(chain: Chain, rate: int) -> None:
    if not chain.steps:
        say("chain.none")
    else:
        say(
            "chain.total",
            chain=len(chain.steps),
            points=chain.points,
            ojama=chain.ojama,
            rate=rate,
        )
        print()
    for step in chain.steps:
        bonus = max(1, step.chain_bonus + step.connection_bonus + step.colour_bonus)
        say(
            "chain.step" if not step.ojama_cells else "chain.step.with-ojama",
            number=f"{step.number:>2}",
            groups=" ".join(f"{group.colour}×{len(group.cells)}" for group in step.groups),
            blocks=step.blocks,
            bonus=bonus,
            points=step.points,
            ojama=step.ojama,
            taken=len(step.ojama_cells),
        )
    print()
    if chain.steps:
        say("chain.pictures")
    _draw(chain)


def _draw(chain: Chain) -> None:
    """The field before each step and at the end, side by side as far as they fit."""
    pictures = [(f"{step.number}", step.before.split("/"), _going(step)) for step in chain.steps]
    last = chain.field.split("/")
    pictures.append(("=", ["......"] * (14 - len(last)) + last, frozenset()))
    full = any(rows[0] != "......" for _, rows, _ in pictures)
    abreast = max(1, (shutil.get_terminal_size().columns - 3) // WIDTH)
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for first in range(0, len(pictures), abreast):
        strip = pictures[first : first + abreast]
        print()
        print("    " + "".join(name.center(11).ljust(WIDTH) for name, _, _ in strip).rstrip())
        for row in range(14 if full else 13, 0, -1):
            line = "".join(
                _row(rows[14 - row], row, going, coloured) + " " * (WIDTH - 11)
                for _, rows, going in strip
            )
            print(f"{row:>3} {line.rstrip()}")


def _going(step: Step) -> frozenset[Cell]:
    return frozenset(cell for group in step.groups for cell in group.cells) | set(step.ojama_cells)


def _row(letters: str, row: int, going: frozenset[Cell], coloured: bool) -> str:
    shown = []
    for column, letter in enumerate(letters, 1):
        goes = (column, row) in going
        sign = letter.lower() if goes else letter
        if coloured:
            sign = f"\x1b[{INK[letter]}{GOING if goes else ''}m{sign}\x1b[0m"
        shown.append(sign)
    return " ".join(shown)


def calculator_command(
    length: Annotated[int, Parameter(help="Steps of the chain, 1 to 19, each a group of four.")],
    /,
    *,
    step: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="Other groups in a step: 3=5 is a group of five, 3=5+6 two groups at once,"
            " 3=4+4:1 two groups of one colour. As often as needed.",
        ),
    ] = None,
    rate: Annotated[int, Parameter(validator=Number(gte=1), help="Points for one ojama.")] = 70,
    json: Json = False,
) -> None:
    """Count points and ojama of a Rengi chain that is told by its groups.

    For example, five steps, the second with groups of six and seven, the last with two of four:

    {lumiban} study calculator 5 --step 2=6+7 --step 5=4+4
    """
    try:
        changes = dict(read_step(one) for one in step or [])
        steps = counted(chain_told(length, changes), rate)
    except GameError as error:
        raise UsageError(str(error)) from None
    last = steps[-1]
    if json:
        print_json(
            {
                "chain": length,
                "rate": rate,
                "points": last.total,
                "ojama": last.ojama,
                "steps": [asdict(one) for one in steps],
            }
        )
        return
    say("chain.total", chain=length, points=last.total, ojama=last.ojama, rate=rate)
    print()
    language = terminal_language()
    columns = ("step", "groups", "bonus", "points", "total", "ojama")
    head = [text(f"calculator.{name}", language) for name in columns]
    rows = [
        [
            str(one.number),
            "+".join(map(str, one.groups)),
            *(str(n) for n in (one.bonus, one.points, one.total, one.ojama)),
        ]
        for one in steps
    ]
    widths = [max(columns_of(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        cells = [" " * (w - columns_of(one)) + one for one, w in zip(row, widths, strict=True)]
        print("  ".join(cells))


MAX_POINTS = 1_000_000_000
"""More than any chain makes, and few enough to be told at once how they fall."""


def ojama_command(
    points: Annotated[
        int,
        Parameter(validator=Number(gte=0, lte=MAX_POINTS), help="Points of the chain so far."),
    ],
    /,
    *,
    rate: Annotated[
        int | None,
        Parameter(validator=Number(gte=1), help="Points for one ojama; 70 by default."),
    ] = None,
    margin_seconds: Annotated[
        float | None,
        Parameter(validator=Number(gte=0), help="Use the rate of margin time: seconds played."),
    ] = None,
    carried: Annotated[
        int,
        Parameter(
            validator=Number(gte=0, lte=MAX_POINTS),
            help="Points left over from earlier chains, if they count.",
        ),
    ] = 0,
    sent: Annotated[
        int, Parameter(validator=Number(gte=0), help="Ojama that this chain has sent already.")
    ] = 0,
    mode: Annotated[
        str, Parameter(help="The mode, whose unit says how many fall together.")
    ] = "open",
    json: Json = False,
) -> None:
    """Convert points into ojama: how many, the points left over, and how they fall in a mode.

    For example: {lumiban} study ojama 2280
    """
    if rate is not None and margin_seconds is not None:
        raise UsageError("--rate and --margin-seconds both name a rate; give one of them")
    price = rate or (RATE if margin_seconds is None else margin_rate(margin_seconds))
    total = points + carried
    number = ojama(total, price, sent)
    if number < 0:
        raise UsageError(
            f"--sent {sent} is more than these points make: {total} points at {price} each "
            f"make {total // price} ojama"
        )
    if mode not in MODES:
        raise UsageError(f"no mode {mode!r}: choose {', '.join(MODES)}")
    plan, waits = plan_of(resolved({"mode": mode}), ()), number
    portions: list[int] = []
    while falls := falling(plan, waits, 0):
        portions.append(falls)
        waits -= falls
    left = total % price
    if json:
        print_json(
            {
                "points": points,
                "rate": price,
                "ojama": number,
                "left_over": left,
                "to_the_next": price - left,
                "falls": portions,
                "waiting": waits,
            }
        )
        return
    say("ojama.number", points=total, rate=price, ojama=number)
    if len(portions) > 4:
        alike = portions.count(portions[0])
        rest = " + ".join(map(str, portions[alike:]))
        say("ojama.many-portions", full=alike, most=portions[0], part=rest or 0)
    elif len(portions) > 1:
        say("ojama.portions", portions=" + ".join(map(str, portions)))
    if waits:
        say("ojama.waits", waits=waits, mode=mode)
    say("ojama.left", left=left, next=price - left)
