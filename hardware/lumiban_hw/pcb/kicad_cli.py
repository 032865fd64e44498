"""KiCad 9 or later, found and run: `kicad-cli` checks and plots, its Python fills zones.

Every run has a configuration of its own, so that no setting of the user's KiCad shows in what is
made, and two runs at once do not disturb each other.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lumiban_hw.pcb import fill

MIN_MAJOR = 9
"""The first major version whose files and commands these are."""
PACKAGE = "kicad"
PLACES = ("/usr/bin/python3", sys.executable)
"""Places where a Python with KiCad may be."""
PATIENCE_S = 300
GERBERS = (
    "F.Cu", "B.Cu", "F.Mask", "B.Mask", "F.SilkS", "B.SilkS", "F.Paste", "Edge.Cuts",
)  # fmt: skip
PICTURES = ("F.Cu", "B.Cu", "F.Mask", "B.Mask", "F.SilkS", "B.SilkS")


class KicadFailed(Exception):
    """KiCad gave up; the text is its own."""


@dataclass(frozen=True, slots=True)
class Kicad:
    """A KiCad of this machine."""

    cli: str
    python: str
    version: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Findings of KiCad on a board and its schematic; each as `rule: what at (where)`."""

    drc: tuple[str, ...]
    unconnected: tuple[str, ...]
    parity: tuple[str, ...]
    erc: tuple[str, ...]
    pins: Mapping[tuple[str, str], str]
    """The net of each pin by its schematic, as exported by KiCad."""


@cache
def kicad() -> Kicad | None:
    """KiCad 9 or later, or None.

    LUMIBAN_KICAD_CLI names a `kicad-cli` that is not on PATH, LUMIBAN_KICAD_PYTHON the Python that
    has the same KiCad's `pcbnew`.
    """
    version = cli_version()
    if not version or int(version.split(".")[0]) < MIN_MAJOR:
        return None
    cli = _cli()
    for name in (os.environ.get("LUMIBAN_KICAD_PYTHON", ""), *PLACES):
        printed = _output_of(name, "-c", "import pcbnew; print(pcbnew.Version())") if name else ""
        if printed.split(".")[0] == version.split(".")[0]:
            return Kicad(cli, name, version)
    return None


def cli_version() -> str:
    """The version of the `kicad-cli` that is there, or ""; KiCad 6 has none."""
    cli = _cli()
    output = _output_of(cli, "version") if cli else ""
    return output if re.match(r"\d+\.", output) else ""


def _cli() -> str:
    return os.environ.get("LUMIBAN_KICAD_CLI", "") or shutil.which("kicad-cli") or ""


def _output_of(*words: str) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class Bench:
    """One board's files in one folder, and the KiCad that works on them."""

    def __init__(self, tool: Kicad, folder: Path, name: str) -> None:
        self.tool, self.folder, self.name = tool, folder, name
        self._home = TemporaryDirectory()

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._home.cleanup()
        (self.folder / f"{self.name}.kicad_prl").unlink(missing_ok=True)

    def fill(self) -> None:
        """Fill the zones of the board's file; KicadFailed."""
        project = self.folder / f"{self.name}.kicad_pro"
        ours = project.read_text("utf-8")
        try:
            self._run(self.tool.python, fill.__file__, f"{self.name}.kicad_pcb")
        finally:
            project.write_text(ours, "utf-8")

    def check_copper(self) -> Checked:
        """DRC of a board that has no schematic, a panel's; KicadFailed."""
        self._cli(
            "pcb", "drc", "--severity-all", "--format", "json", "-o", "drc.json",
            f"{self.name}.kicad_pcb",
        )  # fmt: skip
        drc = json.loads((self.folder / "drc.json").read_text("utf-8"))
        return Checked(
            _texts_of(drc["violations"]), _texts_of(drc["unconnected_items"]), (), (), {}
        )

    def check(self) -> Checked:
        """DRC with parity, ERC, and the nets of the schematic; KicadFailed."""
        self._cli(
            "pcb", "drc", "--severity-all", "--schematic-parity", "--format", "json",
            "-o", "drc.json", f"{self.name}.kicad_pcb",
        )  # fmt: skip
        self._cli(
            "sch", "erc", "--severity-all", "--format", "json", "-o", "erc.json",
            f"{self.name}.kicad_sch",
        )  # fmt: skip
        self._cli(
            "sch", "export", "netlist", "--format", "kicadxml", "-o", "schematic-nets.xml",
            f"{self.name}.kicad_sch",
        )  # fmt: skip
        drc = json.loads((self.folder / "drc.json").read_text("utf-8"))
        erc = json.loads((self.folder / "erc.json").read_text("utf-8"))
        netlist = self.folder / "schematic-nets.xml"
        pins = dict(_pins(netlist.read_text("utf-8")))
        netlist.unlink()
        return Checked(
            _texts_of(drc["violations"]),
            _texts_of(drc["unconnected_items"]),
            _texts_of(drc["schematic_parity"]),
            tuple(message for sheet in erc["sheets"] for message in _texts_of(sheet["violations"])),
            pins,
        )

    def gerbers(self) -> None:
        """Gerbers and drill file into `gerber/`.

        They count from the board's lower left corner, as the positions of parts do.
        """
        board = f"{self.name}.kicad_pcb"
        self._cli(
            "pcb", "export", "gerbers", "--no-protel-ext", "--use-drill-file-origin",
            "--subtract-soldermask", "-l", ",".join(GERBERS), "-o", "gerber/", board,
        )  # fmt: skip
        self._cli("pcb", "export", "drill", "--drill-origin", "plot", "-o", "gerber/", board)

    def plot(self) -> None:
        """Gerbers, one SVG a layer into `svg/`, the schematic as PDF, the board as STEP."""
        board = f"{self.name}.kicad_pcb"
        self.gerbers()
        self._cli(
            "pcb", "export", "svg", "--mode-multi", "-l", ",".join(PICTURES), "--black-and-white",
            "--exclude-drawing-sheet", "--subtract-soldermask", "--page-size-mode", "1",
            "-o", "svg", board,
        )  # fmt: skip
        self._cli(
            "sch", "export", "pdf", "-o", f"{self.name}-schematic.pdf", f"{self.name}.kicad_sch"
        )
        self._cli(
            "pcb", "export", "step", "--force", "--drill-origin", "-o", f"{self.name}.step", board
        )

    def render(self, side: str, width: int, high: int) -> Path:
        """A picture of the board in space, as wide as the picture; takes longer than the rest."""
        zoom = max(1.0, 0.95 * width / high)  # KiCad fits the larger side into the height
        out = f"{self.name}-{side}-render.png"
        self._cli(
            "pcb", "render", "--side", side, "--quality", "basic", "-w", str(width),
            "-h", str(high), "--zoom", f"{zoom:.2f}", "-o", out, f"{self.name}.kicad_pcb",
        )  # fmt: skip
        return self.folder / out

    def _cli(self, *words: str) -> None:
        self._run(self.tool.cli, *words)

    def _run(self, *words: str) -> None:
        try:
            done = subprocess.run(
                words,
                cwd=self.folder,
                env={**os.environ, "KICAD_CONFIG_HOME": self._home.name},
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            raise KicadFailed(f"KiCad took more than {PATIENCE_S} s") from None
        except OSError as error:
            raise KicadFailed(str(error)) from None
        if done.returncode:
            lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise KicadFailed((lines or [f"exit code {done.returncode}"])[-1])


def _texts_of(violations: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    r"""Violations as KiCad's report lists them, as one line each.

    >>> _texts_of([{"type": "clearance", "description": "Too near",
    ...         "items": [{"description": "Pad", "pos": {"x": 1.0, "y": 2.5}}]}])
    ('clearance: Too near (Pad) at (1 mm, 2.5 mm)',)
    """
    texts = []
    for one in violations:
        items = one["items"]
        what = " / ".join(item["description"] for item in items)
        place = f" at ({items[0]['pos']['x']:g} mm, {items[0]['pos']['y']:g} mm)" if items else ""
        about = f" ({what})" if what else ""
        texts.append(f"{one['type']}: {one['description']}{about}{place}")
    return tuple(texts)


def _pins(xml: str) -> Iterable[tuple[tuple[str, str], str]]:
    """(part, pin) and net of an exported netlist."""
    from xml.etree import ElementTree

    for net in ElementTree.fromstring(xml).iter("net"):
        for node in net.iter("node"):
            yield (node.get("ref", ""), node.get("pin", "")), net.get("name", "")
