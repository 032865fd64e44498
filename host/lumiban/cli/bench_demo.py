"""`lumiban bench demo`: hours of two bots at a simulated board, in virtual time."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.errors import CheckFailed, UsageError
from lumiban.terminal import print_json


def demo(
    *,
    hours: Annotated[float, Parameter(help="Virtual hours to show.")] = 1.0,
    seed: Annotated[int, Parameter(help="Of the first hour; each takes the next.")] = 1,
    jobs: Annotated[
        int | None, Parameter(show_default=False, help="Processes; by default one per core.")
    ] = None,
    json: Json = False,
) -> None:
    """Run hours of demo in virtual time and report whether a table hung.

    Two bots, simulated hands and board play game after game, an hour for each seed, on the games
    of demo in turn. Ends with 1 when a table hung, though it went on by itself.
    """
    from os import cpu_count

    from lumiban.cli import demo_hours

    if not 0 < hours <= 10_000:
        raise UsageError(f"--hours {hours} is not between 0 and 10000")
    if jobs is not None and not 1 <= jobs <= 256:
        raise UsageError(f"--jobs {jobs} is not between 1 and 256")
    if not 0 <= seed < 1 << 40:
        raise UsageError(f"--seed {seed} is not between 0 and 2^40")
    found = demo_hours.hours(hours, seed=seed, jobs=jobs or cpu_count() or 1)
    if json:
        print_json(found.as_json())
    else:
        for name, value in found.as_json().items():
            print(f"{name:<28} {value}")
    if found.hung:
        raise CheckFailed(f"{len(found.hung)} times a table hung: {found.hung[0]}")
