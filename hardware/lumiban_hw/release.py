"""One folder for a table, to show, to order from and to keep: `index.html` and all files.

What is made is the kit's (`kit`); here come the panel, the houses' lists, prices, renders,
checksums and the page. What a program that is not there would have made is left out, and the page
says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw import assembly, electronics, prices
from lumiban_hw.kit import Finding, Report
from lumiban_hw.mechanics import mesh
from lumiban_hw.pcb import kicad_cli, make
from lumiban_hw.pcb.board_file import board_text, project_text
from lumiban_hw.pcb.drawing import REVISION, Board
from lumiban_hw.pcb.kicad_cli import KicadFailed
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pcb.panel import panel
from lumiban_hw.plans import strips

IBOM, IBOM_PATIENCE_S = "InteractiveHtmlBom", 120
RENDER_PIXELS = 1600


@dataclass
class Release:
    """A release while it is made, in its folder, after the kit's items."""

    profile: Profile
    folder: Path
    reports: Sequence[Report]
    houses: Sequence[assembly.House]
    version: str
    renders: bool = True
    said: Callable[[str], None] = lambda what: None
    findings: list[Finding] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    def write(self) -> Report:
        """Write all that a kit has not; the report tells what is wrong and what is missing."""
        self.missing |= {package for report in self.reports for package in report.missing}
        plans = strips(self.profile)
        boards = [electronics.strip_board(plan) for plan in plans]
        kinds = list({board.name: board for board in boards}.values())
        instead: list[prices.PriceLine] = []
        if len(boards) > 1:
            base = electronics.base_board(self.profile.pins)
            kinds.append(base)
            self.said("panel")
            self._panel(panelled := self._panelled(boards))
            instead.append(prices.one_panel(panelled))
        for board in kinds:
            folder = self._of(board)
            for house in self.houses:
                assembly.write(board, house, folder)
            assembly.write_by_hand(board, folder)
            self.said(board.name)
            self._pictures(board, folder)
        lines = self._prices(boards, kinds, instead)
        page = Page(self, kinds, lines, instead)
        (self.folder / "index.html").write_text(page.html(), "utf-8")
        write_checksums(self.folder)
        least, most = prices.total(lines)
        figures = {"boards": len(kinds), "usd_least": least, "usd_most": most}
        packages = tuple(sorted(self.missing - {IBOM}))  # that one is a luxury: the page tells it
        return Report("release", tuple(self.findings), figures, packages)

    def _of(self, board: Board) -> Path:
        """The kit's folder of a board."""
        for report in self.reports:
            name = report.name.removeprefix("pcb/")
            if report.name.startswith("pcb/") and (
                name == board.name or (board.name == "base" and name.startswith("base"))
            ):
                return self.folder / report.name
        return self.folder / "pcb" / board.name

    def _panelled(self, boards: Sequence[Board]) -> Board:
        """All strips as one board."""
        name = f"{self.profile.name}-panel"
        return panel(boards, name, f"lumiban {self.profile.name} strips rev {REVISION}")

    def _panel(self, whole: Board) -> None:
        """Write the panel to order, with its lists."""
        name = whole.name
        folder = self.folder / "panel"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.kicad_pcb").write_text(board_text(whole), "utf-8")
        (folder / f"{name}.kicad_pro").write_text(project_text(whole), "utf-8")
        (folder / f"{name}-sketch.svg").write_text(make.sketch_svg(whole), "utf-8")
        for house in self.houses:
            assembly.write(whole, house, folder)
        assembly.write_by_hand(whole, folder)
        tool = kicad_cli.kicad()
        if tool is None:
            self.missing.add(make.wanting())
            return
        try:
            with kicad_cli.Bench(tool, folder.absolute(), name) as bench:
                bench.fill()
                checked = bench.check_copper()
                bench.gerbers()
        except KicadFailed as error:
            self.findings.append(Finding(name, "kicad", {"what": str(error)}))
            return
        self.findings += [
            Finding(name, "drc", {"what": what}) for what in (*checked.drc, *checked.unconnected)
        ]
        pack(folder / "gerber", folder / f"{name}-gerber.zip")

    def _pictures(self, board: Board, folder: Path) -> None:
        """Renders from both sides, and the interactive list, where its program is."""
        tool = kicad_cli.kicad()
        if tool and self.renders:
            left, top, right, bottom = board.outline
            high = max(300, round(RENDER_PIXELS * (bottom - top) / (right - left)) + 40)
            try:
                with kicad_cli.Bench(tool, folder.absolute(), board.name) as bench:
                    for side in ("top", "bottom"):
                        bench.render(side, RENDER_PIXELS, high)
            except KicadFailed as error:
                self.findings.append(Finding(board.name, "kicad", {"what": str(error)}))
        if tool and not interactive_list(folder.absolute(), board.name):
            self.missing.add(IBOM)

    def _prices(
        self,
        boards: Sequence[Board],
        kinds: Sequence[Board],
        instead: Sequence[prices.PriceLine],
    ) -> list[prices.PriceLine]:
        alone = len(boards) == 1
        every = [*boards, *(one for one in kinds if one.name not in {b.name for b in boards})]
        loose = electronics.BENCH_PARTS if alone else electronics.loose_parts(self.profile)
        lines = prices.all_in(
            every,
            loose,
            ribbons=0 if alone else len(boards),
            magnets=_magnets(self.folder / "board" / self.profile.name / "pieces"),
            printed_mm3=_printed(self.folder / "box" / self.profile.name),
        )
        write_csv(
            self.folder / "all-in.csv",
            ("what", "count", "usd_least", "usd_most", "source"),
            [
                *((one.what, f"{one.count:g}", one.least, one.most, one.source) for one in lines),
                ("all in", "", *prices.total(lines), prices.source()),
                *(
                    (f"or: {one.what}", f"{one.count:g}", one.least, one.most, one.source)
                    for one in instead
                ),
            ],
        )
        return lines


def _magnets(folder: Path) -> tuple[int, int]:
    """Strong and weak magnets, as the kit counted them; none where it did not."""
    path = folder / "magnets.csv"
    if not path.exists():
        return 0, 0
    rows = [line.split(",") for line in path.read_text("utf-8").splitlines()[1:]]
    return int(rows[0][1]), int(rows[1][1])


def _printed(folder: Path) -> float:
    """Plastic of the box in mm³; a part that is cut into pieces is counted once."""
    whole = {"tray", "deck", "grid", "floor", "recess", "rim"}
    total = 0.0
    for path in sorted(folder.glob("*.stl")):
        name, _, piece = path.stem.partition("-")
        if name in whole and (piece or not list(folder.glob(f"{name}-*.stl"))):
            total += mesh.read(path).volume
    return total


def pack(folder: Path, out: Path) -> None:
    """A folder's files as one archive, as board makers take them."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.iterdir()):
            packed.write(path, path.name)


def interactive_list(folder: Path, name: str) -> bool:
    """Write `NAME-ibom.html` by InteractiveHtmlBom; False where it is not, or does not run.

    LUMIBAN_IBOM names its command; else `generate_interactive_bom` is looked for on PATH.
    """
    command = os.environ.get("LUMIBAN_IBOM", "") or shutil.which("generate_interactive_bom")
    if not command:
        return False
    try:
        subprocess.run(
            [command, "--no-browser", "--dest-dir", ".", "--name-format", f"{name}-ibom",
             f"{name}.kicad_pcb"],
            cwd=folder, capture_output=True, timeout=IBOM_PATIENCE_S,
            env={**os.environ, "INTERACTIVE_HTML_BOM_NO_DISPLAY": "1"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return (folder / f"{name}-ibom.html").exists()


def write_checksums(folder: Path) -> None:
    """Write `SHA256SUMS` of all files, as `sha256sum -c` reads it."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "SHA256SUMS")
    lines = [
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}"
        for path in paths
    ]
    (folder / "SHA256SUMS").write_text("\n".join(lines) + "\n", "utf-8")


_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:64rem;padding:1rem;color:#222}
h1{font-size:1.7rem}h2{margin-top:2.2rem;border-bottom:1px solid #ccc}
table{display:block;overflow-x:auto;border-collapse:collapse;margin:.6rem 0}
td,th{padding:.2rem .7rem;text-align:left;
border-bottom:1px solid #e4e4e4;vertical-align:top}td.n{text-align:right}
img{max-width:100%;height:auto;background:#fafaf7;border:1px solid #ddd;margin:.3rem 0}
.send{overflow-x:auto;background:#eef6ee;border:1px solid #9bc49b;padding:.4rem 1rem;margin:.8rem 0}
.miss{background:#fff3e0;border:1px solid #e0a84f;padding:.4rem 1rem}
"""


@dataclass(frozen=True)
class Page:
    """The page of a release; every link is to a file that is there."""

    release: Release
    kinds: Sequence[Board]
    lines: Sequence[prices.PriceLine]
    instead: Sequence[prices.PriceLine] = ()
    """Prices of what may be ordered in place of a line; not part of the sum."""

    def html(self) -> str:
        """The whole page."""
        profile = self.release.profile
        title = f"lumiban {profile.name}"
        body = [
            f"<h1>{escape(title)}</h1>",
            f"<p>{len(profile.cells)} cells. Boards of revision {REVISION}, made by lumiban "
            f"{escape(self.release.version)}. None of these boards has been on a bench yet. "
            '<a href="SHA256SUMS">Checksums</a></p>',
            *self._missing(),
            *self._order(),
            *self._boards(),
            *self._box(),
            *self._money(),
        ]
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
            '<meta name="viewport" content="width=device-width">'
            f"<style>{_STYLE}</style>\n" + "\n".join(body) + "\n</html>\n"
        )

    def _links(self, folder: Path, *patterns: str) -> list[str]:
        """Links to the files of a folder that are there, by their names."""
        root = self.release.folder
        paths = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
        return [
            f'<a href="{path.relative_to(root).as_posix()}">{escape(path.name)}</a>'
            for path in paths
        ]

    def _missing(self) -> Iterable[str]:
        if self.release.missing:
            names = ", ".join(sorted(self.release.missing))
            yield f'<p class="miss">Not made, as it is not installed here: {escape(names)}.</p>'
        for one in self.release.findings:
            yield f'<p class="miss">{escape(one.about)}: {escape(str(dict(one.said)))}</p>'

    def _order(self) -> Iterable[str]:
        """Instructions on what to send where."""
        yield "<h2>To order</h2>"
        folder = self.release.folder / "panel"
        needed = Counter(plan.name for plan in strips(self.release.profile))
        rows: list[tuple[str, int, Path]] = []
        if folder.is_dir():
            rows.append(("all strips as one panel", 1, folder))
        rows += [
            (board.name, needed[board.name] or 1, self.release._of(board)) for board in self.kinds
        ]
        for house in self.release.houses:
            yield f'<div class="send"><p><b>{house.title}</b>: send the gerbers; to have a board '
            yield "soldered, send these two files there as well: parts and places.</p><table>"
            heads = ("board", "needed", "gerbers", "parts", "places", "by hand")
            yield f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
            for name, count, place in rows:
                cells = [
                    self._links(place, "*-gerber.zip"),
                    self._links(place, f"*-{house.name}-parts.csv"),
                    self._links(place, f"*-{house.name}-places.csv"),
                    self._links(place, "by-hand.csv"),
                ]
                row_cells = "".join(f"<td>{' '.join(one) or '–'}</td>" for one in cells)
                yield f'<tr><td>{escape(name)}</td><td class="n">{count}</td>{row_cells}</tr>'
            yield "</table></div>"
        either = (
            "Either the panel or the strips one by one. On the panel the parts of the strip in "
            "socket J1 end in _1, of that in J2 in _2: D1_1 is its first light, by which to see in "
            "the house's preview which way the lights are turned. "
            if folder.is_dir()
            else ""
        )
        yield f"<p>{either}Two layers, 1.6 mm, 35 µm of copper; any colour and finish. Gerbers, "
        yield "drill and places count from the lower left corner. Look at the first pins in the "
        yield "house's preview.</p>"
        bought = self._links(self.release.folder / "board" / self.release.profile.name, "parts.csv")
        if bought:
            yield f"<p>All parts, to buy what no house solders: {bought[0]}.</p>"

    def _boards(self) -> Iterable[str]:
        root = self.release.folder
        for path in sorted((root / "panel").glob("*-sketch.svg")):
            where = path.relative_to(root).as_posix()
            yield "<h2>panel</h2><p>All strips between two rails, to be broken off at their tabs. "
            yield " · ".join(self._links(path.parent, "*.kicad_pcb", "drc.json"))
            yield f'</p><img src="{where}" alt="the panel, from above">'
        for board in self.kinds:
            folder = self.release._of(board)
            left, top, right, bottom = board.outline
            yield f"<h2>{escape(board.name)}</h2>"
            yield f"<p>{right - left:g} × {bottom - top:g} mm, {len(board.parts)} parts. "
            yield " · ".join(
                self._links(
                    folder, "*-schematic.pdf", "*-ibom.html", "*.kicad_pcb",
                    f"{board.name}.kicad_sch", "*.step", "parts.csv", "positions.csv", "nets.csv",
                    "drc.json", "erc.json",
                )
            )  # fmt: skip
            yield "</p>"
            for side in ("top", "bottom"):
                for name in (f"{board.name}-{side}-render.png", f"{board.name}-{side}.svg"):
                    path = folder / name
                    if path.exists():
                        where = path.relative_to(root).as_posix()
                        yield f'<img src="{where}" alt="{escape(board.name)}, {side}">'
                        break
            if not (folder / f"{board.name}-top.svg").exists():
                path = folder / f"{board.name}-sketch.svg"
                yield f'<img src="{path.relative_to(root).as_posix()}" alt="{escape(board.name)}">'

    def _box(self) -> Iterable[str]:
        root = self.release.folder
        name = self.release.profile.name
        box, pieces = root / "box" / name, root / "pieces"
        yield "<h2>Box and pieces</h2>"
        for title, folder, patterns in (
            ("to print", box, ("*.stl",)), ("to cut (CUT is cut, MARK engraved)", box, ("*.dxf",)),
            ("screws and the like", box, ("parts.csv",)), ("pieces", pieces, ("*.stl", "*.csv")),
            ("what is plugged where", root / "board" / name, ("*.csv",)),
        ):  # fmt: skip
            links = self._links(folder, *patterns) if folder.is_dir() else []
            if links:
                yield f"<p>{title}: {' · '.join(links)}</p>"
        if (box / "box.png").exists():
            yield f'<img src="box/{name}/box.png" alt="the box taken apart">'

    def _money(self) -> Iterable[str]:
        least, most = prices.total(self.lines)
        are_estimates = all(one.source.startswith("estimate") for one in self.lines)
        wording = "estimated at" if are_estimates else "in part estimated,"
        yield f"<h2>All in, {wording} {least:g} to {most:g} US dollars</h2><table>"
        yield "<tr><th>what</th><th>count</th><th>from</th><th>to</th><th>source</th></tr>"
        for one in self.lines:
            yield (
                f'<tr><td>{escape(one.what)}</td><td class="n">{one.count:g}</td>'
                f'<td class="n">{one.least:.2f}</td><td class="n">{one.most:.2f}</td>'
                f"<td>{escape(one.source)}</td></tr>"
            )
        yield f"</table><p>{escape(prices.source())}. Time, tools and the printer not counted.</p>"
        yield "<table>"
        for one in (
            *self.instead,
            *(prices.soldered(board, prices.LOT) for board in self.kinds),
        ):
            yield f"<tr><td>{escape(one.what)}</td>"
            yield f'<td class="n">{one.least:.2f}</td><td class="n">{one.most:.2f}</td>'
            yield f"<td>{escape(one.source)}</td></tr>"
        yield '</table><p><a href="all-in.csv">all-in.csv</a></p>'
