"""`lumiban board doctor`: what this machine lacks for a board, and the commands that mend it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import date

from lumiban.cli.arguments import Json
from lumiban.cli.maker import documents, tell
from lumiban.maker.doctor import BAD, Finding, Machine, examine, worst
from lumiban.paths import state_folder
from lumiban.terminal import print_json

VCGENCMD_S = 3.0


def command(*, json: Json = False) -> int:
    """Check this machine: Pi, Python, disk, supply, ports, groups, libraries, SPI.

    Nothing is changed and no port is opened. Each finding is followed by the command that fixes
    it. Sensors that have become weak or noisy or have drifted are listed too, as seen by `lumiban
    board selftest` and `lumiban board calibrate`. The exit code is 1 when something must be
    fixed.
    """
    machine = this_machine()
    findings = [*examine(machine), *_sensors()]
    if json:
        print_json(
            {
                "good": worst(findings) != BAD,
                "pi": machine.pi,
                "generation": machine.generation,
                "findings": documents(findings),
            }
        )
    else:
        tell(findings)
    return 1 if worst(findings) == BAD else 0


def this_machine() -> Machine:
    """The machine that we run on."""
    from importlib.metadata import distributions

    names = {str(found.metadata["Name"]).lower() for found in distributions()}
    state = state_folder()
    there = next((path for path in (state, *state.parents) if path.exists()), state)
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return Machine(
        system=sys.platform,
        python=sys.version_info[:2],
        packages=frozenset(names),
        groups=_groups(),
        is_root=is_root,
        user=os.environ.get("USER", "$USER"),
        free_mb=shutil.disk_usage(there).free // 1_000_000,
        state=state,
        throttled=_throttled,
    )


def _groups() -> frozenset[str]:
    try:
        import grp
    except ImportError:
        return frozenset()
    names = set()
    for number in os.getgroups():
        try:
            names.add(grp.getgrgid(number).gr_name)
        except KeyError:
            continue
    return frozenset(names)


def _throttled() -> int | None:
    """The bits of `vcgencmd get_throttled`; None where there is no such program or it fails."""
    try:
        told = subprocess.run(
            ["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=VCGENCMD_S
        ).stdout
        return int(told.strip().partition("=")[2], 16)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _sensors() -> list[Finding]:
    from lumiban.boards.profile import load, names
    from lumiban.maker import health

    found = []
    by_model = {load(name).model: name for name in names()}
    for known in health.read_all_health(state_folder()):
        if known.model in by_model:
            grid = load(by_model[known.model]).grid
            found += known.ailing(grid.names, date.today())
    return found
