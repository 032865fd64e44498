"""`lumiban hardware`: makes the boards, parts and drawings of a kit, and checks them.

`power` says what a board draws, `pieces` what its games take. The generators are those of
`lumiban_hw`; pieces are counted by `study`, and stand in a kit beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number
from lumiban.arguments import NAMES_GAME, Json, Seed, prose
from lumiban.boards.profile import load, names
from lumiban.errors import UsageError
from lumiban.games.registry import available
from lumiban.i18n import terminal_language, text
from lumiban.study.pieces import needs, order, rows
from lumiban.system.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from lumiban.boards.profile import Profile
    from lumiban.study.pieces import Need, Order
    from lumiban_hw.kit import Finding, Report


def power(
    profile: Annotated[str, Parameter(help="A board, by profile name or file.")],
    /,
    *,
    json: Json = False,
) -> int:
    """Show a board's power budget, and the supply, fuse and wire to buy.

    For example: {lumiban} hardware power hex5

    Calculated from data sheets and the firmware's limits; nothing was measured. The exit code is 1
    when some part is not rated for what the board may draw.
    """
    from lumiban_hw.power import STATES, Budget, check

    budget = Budget(load(profile))
    sentences = [
        text(f"hardware.rule.{one.rule}", terminal_language(), **one.said)
        for one in check(budget.profile)
    ]
    rows = {**budget.rows(), "all": {state: budget.total_ma(state) for state in STATES}}
    if json:
        drops = {at: round(mv, 1) for at, mv in budget.drops_mv().items()}
        print_json(
            {
                "profile": budget.profile.name,
                "good": not sentences,
                "findings": sentences,
                "figures": budget.figures(),
                "ma": rows,
                "drops_mv": drops,
            }
        )
        return 1 if sentences else 0
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
    for line in sentences:
        print(line)
    return 1 if sentences else 0


ProfileName = Annotated[
    str, Parameter(help="A board, by profile name, such as hex5, or by profile file.")
]

BUILDERS_HERE = ("lumiban_hardware.commands:items",)
"""Builders of a kit's items that need more than profiles: pieces are counted by playing."""


FROM_BACKPORTS = {"kicad": "-t bookworm-backports kicad"}
"""Packages of which Debian 12 itself has too old a version."""


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

    For example: {lumiban} hardware build hex5 --out kit

    Circuit boards need KiCad 9 (on Debian 12: apt install -t bookworm-backports kicad), printed
    parts need OpenSCAD (apt install openscad). Without them schematics, netlists, parts, wiring,
    rules and flat drawings are still made, and the last lines say what is missing. The exit code
    is 1 when a check found something.
    """
    board = _drawn(profile)  # a board that there is not is told before a folder that is missing
    out = _folder(out, "kit")
    return _print_reports(_reports([board], out), json, out)


def _drawn(profile: str) -> Profile:
    """The board of this name, if its circuit boards are of our drawing; UsageError."""
    board = load(profile)
    if board.is_of_switches:
        raise UsageError(
            f"{board.name} is wired from shop parts and has no circuit boards to make; its wiring:"
            f" board gpio --wiring --profile {profile}"
        )
    if not board.has_kit:
        raise UsageError(
            f"{board.name} is larger than what our circuit boards reach, as its profile says:"
            " simulator and firmware play on it, and a real one is wired by hand"
        )
    return board


def _folder(out: Path | None, example: str) -> Path:
    """The output folder, made if needed; UsageError."""
    if out is None:
        raise UsageError(f"--out is missing: name the folder for the files, as in --out {example}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--out {out} is a file: name a folder") from None
    except OSError as error:
        raise UsageError(f"--out {out} cannot be made: {error.strerror}") from None
    return out


def release(
    profile: ProfileName,
    /,
    *,
    out: Annotated[
        Path | None,
        Parameter(help="Output folder (required); the release is the folder PROFILE in it."),
    ] = None,
    house: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="Write lists for this house that solders boards; may be repeated. By default all.",
        ),
    ] = None,
    renders: Annotated[
        bool, Parameter(help="Render every board with KiCad, which takes most of the time.")
    ] = True,
    json: Json = False,
) -> int:
    """Make one folder for a board with everything to show, order and build, and a page over it.

    For example: {lumiban} hardware release hex5 --out release

    release/hex5/index.html links renders, schematics, gerbers, a panel of all strips, lists for
    houses that solder, files to print and cut, and prices. SHA256SUMS holds checksums. What needs
    a program that is not installed is left out, and the page says so.
    """
    from importlib.metadata import version

    from lumiban_hw import assembly
    from lumiban_hw.release import Release

    houses = [assembly.house(name) for name in house or sorted(assembly.HOUSES)]
    board = _drawn(profile)
    folder = _folder(out, "release") / board.name
    folder.mkdir(exist_ok=True)
    reports = _reports([board], folder)
    progress = Progress()
    language = terminal_language()
    made = Release(
        board,
        folder,
        reports,
        houses,
        version("lumiban"),
        renders,
        lambda name: progress.show(text("hardware.releasing", language, name=name)),
    )
    try:
        reports.append(made.write())
    finally:
        progress.clear()
    return _print_reports(reports, json, folder / "index.html")


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

    For example: {lumiban} hardware check --all

    A strip that several boards share is checked once. The exit code is 1 when something was found.
    """
    if bool(profile) == all:
        raise UsageError("name a board to check, or give --all; for example: hardware check hex5")
    boards = [_drawn(profile)] if profile else [load(name) for name in names()]
    boards = [board for board in boards if board.has_kit]
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
    good = all(report.is_good for report in reports)
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
        name = package.split()[0]
        say("hardware.missing", package=package, install=FROM_BACKPORTS.get(name, name))
    finding_count = sum(len(report.findings) for report in reports)
    say("hardware.good" if good else "hardware.bad", items=len(reports), found=finding_count)
    if out:
        say("hardware.written", out=out)
    return 0 if good else 1


def _sentence(finding: Finding) -> str:
    return text(f"hardware.rule.{finding.rule}", terminal_language(), **finding.said)


def _document(report: Report) -> dict[str, Any]:
    return {
        "name": report.name,
        "good": report.is_good,
        "figures": dict(report.figures),
        "missing": list(report.missing),
        "findings": [
            {"about": one.about, "rule": one.rule, "text": _sentence(one)}
            for one in report.findings
        ],
    }


def pieces_command(
    profile: Annotated[str, Parameter(help="A board, by profile name or file.")],
    /,
    *,
    game: Annotated[
        list[str] | None,
        NAMES_GAME,
        Parameter(
            name=("--game", "-g"),
            negative="",
            help="Only this game, by name or file; may be repeated. By default all that fit.",
        ),
    ] = None,
    games: Annotated[
        int,
        Parameter(
            validator=Number(gte=0),
            help="Random games where the rules give no number; 0: 200, or fewer on large boards.",
        ),
    ] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Count the pieces needed by the games on a board, and the magnets to buy.

    For example: {lumiban} hardware pieces hex5

    If a game's rules fix the number of pieces, it is taken from them; otherwise random games are
    played, and the most pieces on the board at once are counted. Each game is counted at its
    largest size on that board. One set serves all games, one at a time.
    """
    board = load(profile)
    progress = Progress()
    language = terminal_language()

    def show(slug: str, done: int, of: int) -> None:
        progress.show(text("pieces.progress", language, game=slug, done=done, of=of))

    try:
        game_needs = needs(board, game or (), games=games, seed=seed, told=show)
    finally:
        progress.clear()
    if json:
        print_json(_pieces_document(board, game_needs, order(game_needs)))
    else:
        _print_pieces(board, game_needs, order(game_needs))


def _print_pieces(board: Profile, game_needs: Sequence[Need], whole: Order) -> None:
    language = terminal_language()
    say("pieces.head", profile=board.name, cells=len(board.cells))
    if not game_needs:
        say("pieces.none")
    for one in game_needs:
        counts = ", ".join(text("pieces.count", language, n=n, piece=called(name, language))
                           for name, n in one.counts.items())  # fmt: skip
        size = f" {one.options['size']}" if "size" in one.options else ""
        name = text(f"game.{one.game}.name", language) if one.game in _ours() else one.game
        mean = ", ".join(f"{mean:.1f}" for mean in one.mean.values())
        say(f"pieces.{one.source}", game=name + size, counts=counts, games=one.played, mean=mean)
    say("pieces.make")
    for piece, count in whole.made.items():
        spare = whole.spare[piece]
        id = "pieces.made-spare" if spare else "pieces.made"
        say(id, n=count, piece=called(piece, language), spare=spare, indent=2)
    say("pieces.magnets", strong=whole.strong, weak=whole.weak)


def _ours() -> tuple[str, ...]:

    return available()


def called(piece: str, language: str) -> str:
    """A piece's name for people.

    >>> called("marker-white", "en"), called("dove-b-red", "en")
    ('white marker', 'red boss')
    """
    sort, _, rest = piece.partition("-")
    if sort == "dove":
        letter, _, side = rest.partition("-")
        dove = text(f"dove.{letter.upper()}", language)
        return text(f"pieces.dove-{side}", language, dove=dove)
    return text(f"pieces.{piece}", language)


def _pieces_document(board: Profile, game_needs: Sequence[Need], whole: Order) -> dict[str, Any]:
    return {
        "profile": board.name,
        "cells": len(board.cells),
        "games": [
            {
                "game": one.game,
                "options": dict(one.options),
                "from": one.source,
                "counts": dict(one.counts),
                "random_games": one.played,
                "mean": {name: round(mean, 2) for name, mean in one.mean.items()},
            }
            for one in game_needs
        ],
        "needed": dict(whole.needed),
        "spare": dict(whole.spare),
        "make": whole.made,
        "magnets": {"6x3": whole.strong, "4x2": whole.weak},
    }


@dataclass(frozen=True)
class Pieces:
    """Pieces to make for one board, as an item of its kit."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}/pieces"

    def make(self, folder: Path) -> Report:
        """Write `pieces.csv`, a row a game, `print.csv`, how often each part, and `magnets.csv`."""
        from lumiban_hw.kit import Report
        from lumiban_hw.pcb.make import write_csv
        from lumiban_hw.pieces.design import printed

        game_needs = needs(self.profile)
        whole = order(game_needs)
        head = ("game", "size", "from", *whole.needed)
        write_csv(folder / "pieces.csv", head, rows(game_needs, whole))
        write_csv(folder / "print.csv", ("part", "count"), printed(whole.made).items())
        magnets = [("6x3 N35", whole.strong), ("4x2 N35", whole.weak)]
        write_csv(folder / "magnets.csv", ("magnet", "count"), magnets)
        figures = {"made": sum(whole.made.values()), "strong": whole.strong, "weak": whole.weak}
        return Report(self.name, (), figures)


def items(profile: Profile) -> list[Pieces]:
    """The one item of a profile."""
    return [Pieces(profile)]


app = App(
    name="hardware",
    help="Generate and check the boards, parts and drawings of a kit.",
    help_epilogue="",
    help_format="plaintext",
)
app.command(build, help=prose(build))
app.command(release, help=prose(release))
app.command(check, help=prose(check))
app.command(power, help=prose(power))
app.command(pieces_command, name="pieces", help=prose(pieces_command))
