"""`lumiban hardware`: makes the boards, parts and drawings of a kit, and checks them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from lumiban.cli.arguments import Json, prose
from lumiban.cli.hardware_power import power
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from lumiban_hw.kit import Finding, Report

    from lumiban.boards.profile import Profile

ProfileName = Annotated[
    str, Parameter(help="A board, by profile name, such as hex5, or by profile file.")
]

PIECES = "Count the pieces that the games on a board take."
BUILDERS_HERE = ("lumiban.cli.pieces:items",)
"""What a kit has besides that takes more than profiles: pieces are counted by playing."""


def build(
    profile: ProfileName,
    /,
    *,
    out: Annotated[
        Path | None,
        Parameter(help="Output folder (required); created if needed."),
    ] = None,
    json: Json = False,
) -> int:
    """Generate everything a board needs from its profile, and check it.

    For example: lumiban hardware build hex5 --out kit

    Circuit boards need KiCad 6 (on Debian: apt install kicad), printed parts need OpenSCAD
    (apt install openscad). Without them, netlists, parts, wiring, rules and flat drawings are
    still made, and the last lines say what is missing. The exit code is 1 when a check found
    something.
    """
    from lumiban.boards.profile import load

    board = load(profile)  # a board that there is not is told before a folder that is missing
    if out is None:
        raise UsageError("--out is missing: name the folder for the files, as in --out kit")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--out {out} is a file: name a folder") from None
    except OSError as error:
        raise UsageError(f"--out {out} cannot be made: {error.strerror}") from None
    return _print_reports(_reports([board], out), json, out)


def check(
    profile: Annotated[str, Parameter(help="A board, by profile name or file.")] = "",
    /,
    *,
    all: Annotated[
        bool, Parameter(negative="", show_default=False, help="Check every built-in profile.")
    ] = False,
    json: Json = False,
) -> int:
    """Generate a kit in a temporary folder, and print what the checks found.

    For example: lumiban hardware check --all

    A strip that several boards share is checked once. The exit code is 1 when something was found.
    """
    from lumiban.boards.profile import load, names

    if bool(profile) == all:
        raise UsageError("name a board to check, or give --all; for example: hardware check hex5")
    boards = [load(name) for name in (names() if all else (profile,))]
    with TemporaryDirectory() as folder:
        return _print_reports(_reports(boards, Path(folder)), json)


def _reports(boards: Sequence[Profile], out: Path) -> list[Report]:
    from lumiban_hw.kit import BUILDERS, items, make

    parts = items(boards, (*BUILDERS, *BUILDERS_HERE))
    progress = Progress()
    language = terminal_language()

    def show(done: int, name: str) -> None:
        progress.show(text("hardware.progress", language, done=done, of=len(parts), name=name))

    try:
        return make(parts, out, show)
    finally:
        progress.clear()


def _print_reports(reports: Sequence[Report], json: bool, out: Path | None = None) -> int:
    good = all(report.good for report in reports)
    if json:
        print_json({"good": good, "items": [_document(report) for report in reports]})
        return 0 if good else 1
    wide = max(len(report.name) for report in reports)
    for report in reports:
        figures = "  ".join(f"{name} {value:g}" for name, value in report.figures.items())
        print(f"{report.name:<{wide}} {figures}".rstrip())
        for finding in report.findings:
            print(f"  {finding.about}: {_sentence(finding)}")
    for package in sorted({name for report in reports for name in report.missing}):
        say("hardware.missing", package=package, install=package.split()[0])
    found = sum(len(report.findings) for report in reports)
    say("hardware.good" if good else "hardware.bad", items=len(reports), found=found)
    if out:
        say("hardware.written", out=out)
    return 0 if good else 1


def _sentence(finding: Finding) -> str:
    return text(f"hardware.rule.{finding.rule}", terminal_language(), **finding.said)


def _document(report: Report) -> dict[str, Any]:
    return {
        "name": report.name,
        "good": report.good,
        "figures": dict(report.figures),
        "missing": list(report.missing),
        "findings": [
            {"about": one.about, "rule": one.rule, "text": _sentence(one)}
            for one in report.findings
        ],
    }


app = App(
    name="hardware",
    help="Generate and check the boards, parts and drawings of a kit.",
    help_epilogue="",
    help_format="plaintext",
)
app.command(build, help=prose(build))
app.command(check, help=prose(check))
app.command(power, help=prose(power))
app.command("lumiban.cli.pieces:command", name="pieces", help=PIECES)
