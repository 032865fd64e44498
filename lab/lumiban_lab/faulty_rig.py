"""A simulated board in virtual time on which faults happen by a plan."""

from __future__ import annotations

from dataclasses import replace

from lumiban.boards import profile as profiles
from lumiban_sim.built_board import built
from lumiban_sim.faults import FOREVER, parse
from lumiban_sim.hands import BRISK, Tempo
from lumiban_sim.rig import Rig


def faulty_rig(
    profile: str, seed: int, plan: str, *, parts: int | None = None, tempo: Tempo | None = None
) -> Rig:
    """World, hands and firmware in virtual time, with a fault plan; `parts` is the seed of a board
    of parts within their tolerances, `tempo` that of the hands. PlanError, ProfileError."""
    board = profiles.load(profile)
    made = None if parts is None else built(board, parts)
    return Rig(board, seed, tempo=tempo or BRISK, board=made, plan=parse(plan, board))


def plan_more(rig: Rig, plan: str) -> None:
    """Let these faults happen too; their times count from now. PlanError."""
    assert rig.faults is not None
    now = rig.now_us
    for fault in parse(plan, rig.profile).faults:
        until = FOREVER if fault.until_us == FOREVER else fault.until_us + now
        rig.faults.add(replace(fault, at_us=fault.at_us + now, until_us=until))
