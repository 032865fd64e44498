"""`lumiban study ojama`: how many ojama points of Rengi make, and how they fall."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import Json
from lumiban.errors import UsageError
from lumiban.terminal import print_json, say

MOST_AT_ONCE = 30
"""Five rows."""


def command(
    points: Annotated[int, Parameter(validator=Number(gte=0), help="Points of the chain so far.")],
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
            validator=Number(gte=0), help="Points left over from earlier chains, if they count."
        ),
    ] = 0,
    sent: Annotated[
        int, Parameter(validator=Number(gte=0), help="Ojama that this chain has sent already.")
    ] = 0,
    json: Json = False,
) -> None:
    """Convert points into ojama: how many, the points left over, and how they fall.

    For example: lumiban study ojama 2280
    """
    from lumiban.games.rengi.field import RATE, margin_rate, ojama

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
    full, part = divmod(number, MOST_AT_ONCE)
    portions = [MOST_AT_ONCE] * full + [part] * (part > 0)
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
            }
        )
        return
    say("ojama.number", points=total, rate=price, ojama=number)
    if len(portions) > 4:
        say("ojama.many-portions", full=full, most=MOST_AT_ONCE, part=part)
    elif len(portions) > 1:
        say("ojama.portions", portions=" + ".join(map(str, portions)))
    say("ojama.left", left=left, next=price - left)
