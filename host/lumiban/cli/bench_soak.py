"""`lumiban bench soak`: the whole stack in virtual time under everything that tables suffer."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json, Progress, print_json
from lumiban.errors import CheckFailed, UsageError


def soak(
    *,
    hours: Annotated[float, Parameter(help="Virtual hours to play.")] = 1.0,
    seed: Annotated[
        int, Parameter(help="Of the first sitting; each takes the next. A failing one is told.")
    ] = 1,
    jobs: Annotated[
        int | None, Parameter(show_default=False, help="Processes; one for each core unless given.")
    ] = None,
    json: Json = False,
) -> None:
    """Play the whole stack in virtual time under random fault plans, and check that nothing is
    lost.

    Hands, fields, firmware, line, link, referee and journal run in sittings of ten minutes, with
    all games. At every quiet moment: no event was lost or doubled, every move is legal, the
    journal leads to the same table, the host believes what lies on the board, and doing what is
    asked leads to agreement. Ends with 1 when something does not hold, and says how the failing
    sitting is played again.
    """
    from os import cpu_count

    from lumiban.cli import soak as soaking

    if not 0 < hours <= 10_000:
        raise UsageError(f"--hours {hours} is not between 0 and 10000")
    if jobs is not None and not 1 <= jobs <= 256:
        raise UsageError(f"--jobs {jobs} is not between 1 and 256")
    if not 0 <= seed < 1 << 40:
        raise UsageError(f"--seed {seed} is not between 0 and 2^40")
    progress = Progress()
    try:
        found = soaking.soak(
            hours, seed=seed, jobs=jobs or cpu_count() or 1, progress=progress.show
        )
    finally:
        progress.clear()
    if json:
        print_json(found.as_json())
    else:
        for line in soaking.table(found):
            print(line)
    if found.failures:
        seeds = ", ".join(str(failure["seed"]) for failure in found.failures[:5])
        raise CheckFailed(
            f"{len(found.failures)} sittings failed, seeds {seeds}; play one again with "
            f"`bench soak --hours 0.1667 --seed {found.failures[0]['seed']}`"
        )
