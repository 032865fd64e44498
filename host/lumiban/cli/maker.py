"""What the maker's commands share: a board at a port, and findings told to people or as data."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lumiban.i18n import terminal_language, text
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.terminal import say

if TYPE_CHECKING:
    from lumiban.boards.client import BoardClient
    from lumiban.boards.profile import Profile
    from lumiban.boards.types import Hello
    from lumiban.runtime.simulator import Simulator

BoardPort = Annotated[
    str,
    Parameter(
        name=("--port", "--board"),
        help="auto: the board that is plugged in; sim: a simulated board of --profile, started for"
        " this; or the board's port.",
    ),
]
ProfileWish = Annotated[
    str,
    Parameter(
        name="--profile",
        help="The board's profile, by name or TOML file; by default the one the board reports.",
    ),
]
MARKS = {GOOD: "✓", NOTE: "·", BAD: "✗"}


@dataclass(frozen=True, slots=True)
class Bench:
    """A board that was met, and the driver that speaks to it."""

    driver: BoardClient
    profile: Profile
    hello: Hello
    port: str
    simulator: Simulator | None


@contextmanager
def bench(port: str, profile: str = "") -> Iterator[Bench]:
    """Meet the board at a port (auto, sim or a path) and open it; let go of it at the end.

    BoardError says why there is none.
    """
    from lumiban.boards.client import BoardClient, PortLine
    from lumiban.boards.ports import choose
    from lumiban.boards.profile import load
    from lumiban.paths import made, state_folder
    from lumiban.runtime import simulator

    started: Simulator | None = None
    if port == "sim":
        if profile:
            load(profile)  # what is wrong with it is told here and not in the simulator's log
        state = made(state_folder())
        started = asyncio.run(simulator.start_anew(state, profile or "hex5"))
        port = started.port
    try:
        found = started or simulator.at(state_folder(), port)
        line = PortLine(choose(port))
        try:
            driver = BoardClient(None, line, port=port)
            driver.greet()
            fits = driver.fit(profile)
            driver.until(lambda: bool(driver.snapshots))
            yield Bench(driver, fits, driver.hello, line.port, found)
        finally:
            line.close()
    finally:
        if started is not None:
            started.end()


def sentence(finding: Finding) -> str:
    """A finding in the terminal's language."""
    return text(finding.id, terminal_language(), **finding.said)


def tell(findings: Sequence[Finding]) -> None:
    """Each finding on a line, with the command that mends it below."""
    for finding in findings:
        print(f"{MARKS[finding.level]} {sentence(finding)}")
        if finding.command and finding.level != GOOD:
            print(f"    {finding.command}")
    bad = sum(finding.level == BAD for finding in findings)
    notes = sum(finding.level == NOTE for finding in findings)
    say("maker.end.bad" if bad else "maker.end.good", bad=bad, notes=notes)
    sys.stdout.flush()


def documents(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings as data."""
    return [
        {
            "id": finding.id,
            "level": finding.level,
            "said": {
                name: value if isinstance(value, int | float) else str(value)
                for name, value in finding.said.items()
            },
            "text": sentence(finding),
            "command": finding.command,
        }
        for finding in findings
    ]
