"""From a drawing to a folder that a board maker takes: KiCad's file, checks, gerbers, pictures.

KiCad's Python module lives in the system's Python alone, so it runs as a process of its own.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lumiban_hw.pcb import kicad, picture, sketch
from lumiban_hw.pcb.board import (
    CLEARANCE_MM,
    EDGE_MM,
    HEAD_MM,
    TRACK_MM,
    VIA_DRILL_MM,
    VIA_MM,
    Board,
)
from lumiban_hw.pcb.netlist import drawn, nets

PACKAGE = "kicad"
"""What to install where there is no KiCad."""
KICAD_VERSION = "6."
"""The version whose scripting this was written for."""
CORNER_MM = (100.0, 60.0)
"""Where on KiCad's page the board's upper left corner lies."""
PLACES = ("/usr/bin/python3", sys.executable)
"""Where a Python with KiCad may be."""
PATIENCE_S = 300
RULES = {
    "track": TRACK_MM,
    "clearance": CLEARANCE_MM,
    "via": VIA_MM,
    "drill": VIA_DRILL_MM,
    "edge": EDGE_MM,
    "heads": {f"{hole:g}": radius for hole, radius in HEAD_MM.items()},
}


def look_again() -> None:
    """Forget which KiCad was found."""
    _looked.cache_clear()


@dataclass(frozen=True, slots=True)
class KicadReport:
    """What KiCad says of a board."""

    drc: tuple[str, ...]
    unconnected: int
    tracks: int


class KicadFailed(Exception):
    """KiCad gave up; the text is its own."""


def python() -> str:
    """The Python that has KiCad 6, or "" where there is none.

    LUMIBAN_KICAD_PYTHON names one that is not where Debian puts it.
    """
    return _looked()[0]


def wanting() -> str:
    """What is missing where `python` is empty; names another KiCad that is there instead."""
    other = _looked()[1]
    return f"{PACKAGE} 6 (here is {other})" if other else PACKAGE


@cache
def _looked() -> tuple[str, str]:
    """The Python with the right KiCad, and the version of one that is not."""
    other = ""
    for name in (os.environ.get("LUMIBAN_KICAD_PYTHON", ""), *PLACES):
        if not name:
            continue
        try:
            said = subprocess.run(
                [name, "-c", "import pcbnew; print(pcbnew.Version())"],
                capture_output=True,
                text=True,
                timeout=60,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        version = said.stdout.strip()
        if said.returncode == 0 and version.startswith(KICAD_VERSION):
            return name, ""
        other = other or version
    return "", other


def tables(board: Board, folder: Path) -> None:
    """Parts, places and nets of a board as CSV, and its picture: all that needs no KiCad."""
    (folder / f"{board.name}-sketch.svg").write_text(sketch.svg(board), "utf-8")
    count: dict[tuple[str, str, str, float, str], list[str]] = {}
    for placed in board.parts:
        part = placed.part
        if part.number:
            key = (part.value, part.land, part.number, part.dollars, part.sheet)
            count.setdefault(key, []).append(placed.ref)
    write_csv(
        folder / "parts.csv",
        ("value", "package", "part", "each_usd", "data_sheet", "count", "refs"),
        [(*key, len(refs), " ".join(refs)) for key, refs in sorted(count.items())],
    )
    left, _, _, bottom = board.outline
    write_csv(
        folder / "positions.csv",
        ("ref", "value", "package", "x_mm", "y_mm", "turn", "side"),
        [
            (p.ref, p.part.value, p.part.land, round(p.x - left, 3), round(bottom - p.y, 3),
             p.turn, "bottom" if p.land.below else "top")
            for p in board.parts if p.part.number
        ],
    )  # fmt: skip
    write_csv(
        folder / "nets.csv",
        ("net", "pads"),
        [
            (net, " ".join(sorted({f"{j.ref}.{j.pad}" for j in joints})))
            for net, joints in sorted(nets(drawn(board)).items())
        ],
    )


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as a file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def finish(board: Board, folder: Path, *, plots: bool = True) -> KicadReport:
    """KiCad's part: fill the zones, check, plot; KicadFailed when it does not end well."""
    folder = folder.absolute()  # KiCad's process runs in it
    job = folder / "job.json"
    said = {"board": board.document(), "folder": str(folder), "plot": plots, "rules": RULES}
    job.write_text(json.dumps(said), "utf-8")
    found = folder / "found.json"
    found.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [python(), kicad.__file__, str(job)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        raise KicadFailed(f"KiCad took more than {PATIENCE_S} s") from None
    if not found.exists():
        words = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise KicadFailed(words)
    told = json.loads(found.read_text("utf-8"))
    job.unlink()
    found.unlink()
    if plots:
        left, top, right, bottom = board.outline
        picture.draw(folder, board.name, (right - left, bottom - top), CORNER_MM)
        with zipfile.ZipFile(folder / f"{board.name}-gerber.zip", "w", zipfile.ZIP_DEFLATED) as out:
            for path in sorted((folder / "gerber").iterdir()):
                out.write(path, path.name)
    return KicadReport(tuple(told["drc"]), told["unconnected"], told["tracks"])
