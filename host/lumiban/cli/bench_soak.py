"""`lumiban bench soak`: the whole stack in virtual time under everything that tables suffer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.errors import CheckFailed, UsageError
from lumiban.terminal import Progress, print_json


def soak(
    *,
    hours: Annotated[float, Parameter(help="Virtual hours to play.")] = 1.0,
    seed: Annotated[
        int,
        Parameter(
            help="Seed of the first sitting; each takes the next. Failing seeds are printed."
        ),
    ] = 1,
    jobs: Annotated[
        int | None, Parameter(show_default=False, help="Processes; by default one per core.")
    ] = None,
    judge: Annotated[
        Path | None,
        Parameter(help="Python file with rules written a second time: tests/by_the_rules.py."),
    ] = None,
    kept: Annotated[
        Path | None,
        Parameter(help="File of results; sittings in it are not played again."),
    ] = None,
    plan: Annotated[
        Path | None, Parameter(help="Plan of one sitting, instead of the one its seed draws.")
    ] = None,
    json: Json = False,
) -> None:
    """Play the whole stack in virtual time under random fault plans; check that nothing is lost.

    Hands, fields, firmware, line, link, referee and journal run in sittings of ten minutes, with
    all games, beside disks that lie, hosts that sleep, bots that hang and pages that flood. No
    accepted move is ever lost, doubled, taken back unasked or against the rules; at every quiet
    moment the journal leads to the same table, the host believes what lies on the board, and
    doing what is asked leads to agreement. Ends with 1 when something does not hold; the plan of a
    failing sitting is shortened and written beside the results with a flight recording.
    """
    from os import cpu_count

    from lumiban.cli import soak as soaking
    from lumiban.cli import soak_shrink

    if not 0 < hours <= 10_000:
        raise UsageError(f"--hours {hours} is not between 0 and 10000")
    if jobs is not None and not 1 <= jobs <= 256:
        raise UsageError(f"--jobs {jobs} is not between 1 and 256")
    if not 0 <= seed < 1 << 40:
        raise UsageError(f"--seed {seed} is not between 0 and 2^40")
    judges = "" if judge is None else str(judge)
    soaking.judges_from(judges)
    progress = Progress()
    try:
        if plan is not None:
            found = soaking.sit(seed, judges=judges, plans=soak_shrink.read(_text(plan)))
        else:
            found = soaking.soak(
                hours,
                seed=seed,
                jobs=jobs or cpu_count() or 1,
                progress=progress.show,
                judges=judges,
                kept=kept,
            )
            for failure in found.failures[:FEW]:
                if "again" not in failure:
                    progress.show(f"shortening the plan of seed {failure['seed']} …")
                    one = soaking.SoakResults(failure["seed"], failures=[failure])
                    folder = Path() if kept is None else kept.parent
                    soak_shrink.shrunk(one, folder, judges=judges)
    finally:
        progress.clear()
    if json:
        print_json(found.as_json())
    else:
        for line in soaking.table(found):
            print(line)
    if found.failures:
        seeds = ", ".join(str(failure["seed"]) for failure in found.failures[:5])
        again = found.failures[0].get("again", f"bench soak --seed {seed}")
        raise CheckFailed(
            f"{len(found.failures)} sittings failed, seeds {seeds}; play one again with `{again}`"
        )


FEW = 3
"""So many failures are shortened; the others are told with the plans that their seeds drew."""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
