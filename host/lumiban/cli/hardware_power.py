"""`lumiban hardware power`: what a board draws, and which supply, fuse and wire it needs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.i18n import terminal_language, text
from lumiban.terminal import print_json, say


def power(
    profile: Annotated[str, Parameter(help="A board, by profile name or file.")],
    /,
    *,
    json: Json = False,
) -> int:
    """Show a board's power budget, and the supply, fuse and wire to buy.

    For example: lumiban hardware power hex5

    Calculated from data sheets and the firmware's limits; nothing was measured. The exit code is 1
    when some part is not rated for what the board may draw.
    """
    from lumiban_hw.power import STATES, Budget, check

    from lumiban.boards.profile import load

    budget = Budget(load(profile))
    found = [
        text(f"hardware.rule.{one.rule}", terminal_language(), **one.said)
        for one in check(budget.profile)
    ]
    rows = {**budget.rows(), "all": {state: budget.total_ma(state) for state in STATES}}
    if json:
        drops = {at: round(mv, 1) for at, mv in budget.drops_mv().items()}
        print_json(
            {
                "profile": budget.profile.name,
                "good": not found,
                "findings": found,
                "figures": budget.figures(),
                "ma": rows,
                "drops_mv": drops,
            }
        )
        return 1 if found else 0
    say("hardware.power.head", profile=budget.profile.name)
    print("".join(f"{word:>11}" for word in ("", *STATES)))
    for name, row in rows.items():
        print(f"{name:>11}" + "".join(f"{row[state]:>11.0f}" for state in STATES))
    say("hardware.power.states")
    say("hardware.power.white", percent=budget.limited, strip=round(budget.strip_ma))
    supply = f"{budget.supply_ma / 1000:g}" if budget.supply_ma else "–"
    if budget.alone:
        say("hardware.power.usb", supply=supply)
    else:
        say(
            "hardware.power.buy",
            supply=supply,
            least=f"{budget.least_mv / 1000:.2f}",
            fuse=f"{budget.fuse[1] / 1000:g}",
            wire=f"{budget.wire_mm2:g}",
            metres=f"{budget.ratings.wire_m:g}",
        )
    say("hardware.power.far", far=f"{budget.far_mv / 1000:.2f}")
    for line in found:
        print(line)
    return 1 if found else 0
