"""Runs under the Python that has KiCad 6's `pcbnew`: a drawing in, board, checks and plots out.

    python3 kicad.py JOB.json

The job names a drawing (`Board.document`), a folder, and what to do; what was found is written
into `found.json` beside the board. This file imports nothing of ours. KiCad's own traps: a board is
saved and loaded before its zones are filled, and a process loads no second board.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

CORNERS = 24
"""Of a rule area, which is to be round."""
GERBERS = {
    "F_Cu": "F.Cu", "B_Cu": "B.Cu", "F_Mask": "F.Mask", "B_Mask": "B.Mask",
    "F_Silkscreen": "F.SilkS", "B_Silkscreen": "B.SilkS", "F_Paste": "F.Paste",
    "Edge_Cuts": "Edge.Cuts",
}  # fmt: skip


class Drawn:
    """A drawing as a pcbnew board."""

    def __init__(self, kicad: Any, said: dict[str, Any], rules: dict[str, Any]) -> None:
        self.k = kicad
        self.board = kicad.BOARD()
        self.nets: dict[str, Any] = {}
        self.ox, self.oy = 100.0 - said["outline"][0], 60.0 - said["outline"][1]
        settings = self.board.GetDesignSettings()
        mm = kicad.FromMM
        settings.m_TrackMinWidth = mm(rules["track"])
        settings.m_MinClearance = mm(rules["clearance"])
        settings.m_ViasMinSize = mm(rules["via"])
        settings.m_MinThroughDrill = mm(rules["drill"])
        settings.m_CopperEdgeClearance = mm(rules["edge"])
        settings.m_HoleClearance = mm(0.2)
        settings.GetNetClasses().GetDefault().SetClearance(mm(rules["clearance"]))
        for part in said["parts"]:
            self.part(part)
        for track in said["tracks"]:
            self.track(track)
        for via in said["vias"]:
            self.via(via)
        for zone in said["zones"]:
            self.zone(zone)
        for n, hole in enumerate(said["holes"], 1):
            self.hole(hole, n, rules["heads"][f"{hole['diameter']:g}"])
        for text in said["texts"]:
            self.text(text)
        left, top, right, bottom = said["outline"]
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for a, b in zip(corners, [*corners[1:], corners[0]]):  # noqa: B905 - one list
            self.segment(self.board, self.k.Edge_Cuts, a, b, 0.1)

    def at(self, x: float, y: float) -> Any:
        """A place in KiCad's own units, from mm."""
        return self.k.wxPointMM(round(x + self.ox, 4), round(y + self.oy, 4))

    def net(self, name: str) -> Any:
        """The net of this name, made when it is asked for first."""
        if name not in self.nets:
            self.nets[name] = self.k.NETINFO_ITEM(self.board, name)
            self.board.Add(self.nets[name])
        return self.nets[name]

    def layer(self, name: str) -> Any:
        """The number of the layer of this name."""
        return self.k.F_Cu if name == "F" else self.k.B_Cu

    def segment(self, owner: Any, layer: Any, a: Any, b: Any, width: float) -> None:
        """A straight line on a layer, of a part or of the board; `width` in mm."""
        k = self.k
        one = k.PCB_SHAPE(owner)
        one.SetShape(k.SHAPE_T_SEGMENT)
        one.SetLayer(layer)
        one.SetStart(self.at(*a))
        one.SetEnd(self.at(*b))
        one.SetWidth(k.FromMM(width))
        owner.Add(one)

    def part(self, said: dict[str, Any]) -> None:
        """A part with its pads, its outline and its texts."""
        k, land = self.k, said["land"]
        one = k.FOOTPRINT(self.board)
        one.SetReference(said["ref"])
        one.SetValue(said["value"])
        one.SetFPID(k.LIB_ID("lumiban", land["name"]))
        through = any(pad["drill"] for pad in land["pads"])
        one.SetAttributes(k.FP_THROUGH_HOLE if through else k.FP_SMD)
        one.Value().SetVisible(False)
        one.Reference().SetVisible(False)
        for pad in land["pads"]:
            self.pad(one, pad, said["nets"].get(pad["number"]))
        left, top, right, bottom = land["body"]
        silk = k.B_SilkS if land["below"] else k.F_SilkS
        court = k.B_CrtYd if land["below"] else k.F_CrtYd
        pads = land["pads"]
        box = (
            min([left] + [p["x"] - p["width"] / 2 for p in pads]) - 0.2,
            min([top] + [p["y"] - p["height"] / 2 for p in pads]) - 0.2,
            max([right] + [p["x"] + p["width"] / 2 for p in pads]) + 0.2,
            max([bottom] + [p["y"] + p["height"] / 2 for p in pads]) + 0.2,
        )
        if said["soldered"]:
            self.box(one, court, box, 0.05, [])
            self.box(one, silk, (left, top, right, bottom), 0.12, pads)
        for x0, y0, x1, y1 in land["ticks"]:
            self.piece(one, silk, (x0, y0), (x1, y1), 0.12)
        if land["mark"] and said["soldered"]:
            dot = k.FP_SHAPE(one)
            dot.SetShape(k.SHAPE_T_CIRCLE)
            dot.SetLayer(silk)
            x, y = land["mark"]
            dot.SetStart0(k.wxPointMM(x, y))
            dot.SetEnd0(k.wxPointMM(x + 0.15, y))
            dot.SetWidth(k.FromMM(0.2))
            one.Add(dot)
        one.SetPosition(self.at(said["x"], said["y"]))
        one.SetOrientationDegrees(said["turn"])
        self.board.Add(one)

    def box(self, owner: Any, layer: Any, box: Any, width: float, pads: Any) -> None:
        """A body's outline, left out where pads lie."""
        left, top, right, bottom = box
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for a, b in zip(corners, [*corners[1:], corners[0]]):  # noqa: B905 - one list
            for c, d in uncovered(a, b, pads):
                self.piece(owner, layer, c, d, width)

    def piece(self, owner: Any, layer: Any, a: Any, b: Any, width: float) -> None:
        """A line of a footprint."""
        k = self.k
        one = k.FP_SHAPE(owner)
        one.SetShape(k.SHAPE_T_SEGMENT)
        one.SetLayer(layer)
        one.SetStart0(k.wxPointMM(*a))
        one.SetEnd0(k.wxPointMM(*b))
        one.SetWidth(k.FromMM(width))
        owner.Add(one)

    def pad(self, owner: Any, said: dict[str, Any], net: str | None) -> None:
        """A pad of a part, on its net."""
        k = self.k
        one = k.PAD(owner)
        one.SetNumber(said["number"])
        one.SetSize(k.wxSizeMM(said["width"], said["height"]))
        one.SetShape(k.PAD_SHAPE_RECT if said["shape"] == "rect" else k.PAD_SHAPE_CIRCLE)
        if said["drill"]:
            one.SetAttribute(k.PAD_ATTRIB_PTH)
            one.SetDrillSize(k.wxSizeMM(said["drill"], said["drill"]))
            one.SetLayerSet(one.PTHMask())
        else:
            one.SetAttribute(k.PAD_ATTRIB_SMD)
            one.SetLayerSet(one.SMDMask())
        if not said["number"]:  # a fiducial: bare laminate around the dot
            one.SetLocalSolderMaskMargin(k.FromMM(0.5))
            one.SetLocalClearance(k.FromMM(0.6))
        one.SetPos0(k.wxPointMM(said["x"], said["y"]))
        one.SetPosition(k.wxPointMM(said["x"], said["y"]))
        if net:
            one.SetNet(self.net(net))
        owner.Add(one)

    def track(self, said: dict[str, Any]) -> None:
        """A straight piece of a track."""
        k = self.k
        one = k.PCB_TRACK(self.board)
        one.SetStart(self.at(*said["a"]))
        one.SetEnd(self.at(*said["b"]))
        one.SetWidth(k.FromMM(said["width"]))
        one.SetLayer(self.layer(said["layer"]))
        one.SetNet(self.net(said["net"]))
        self.board.Add(one)

    def via(self, said: dict[str, Any]) -> None:
        """A plated hole between the layers."""
        k = self.k
        one = k.PCB_VIA(self.board)
        one.SetPosition(self.at(*said["at"]))
        one.SetWidth(k.FromMM(said["size"]))
        one.SetDrill(k.FromMM(said["drill"]))
        one.SetNet(self.net(said["net"]))
        self.board.Add(one)

    def zone(self, said: dict[str, Any]) -> None:
        """An area of copper, filled later."""
        k = self.k
        one = k.ZONE(self.board)
        one.SetLayer(self.layer(said["layer"]))
        one.SetNet(self.net(said["net"]))
        one.SetPriority(said["rank"])
        one.SetMinThickness(k.FromMM(0.2))
        one.SetLocalClearance(k.FromMM(0.2))
        one.SetThermalReliefGap(k.FromMM(0.25))
        one.SetThermalReliefSpokeWidth(k.FromMM(0.4))
        one.SetIslandRemovalMode(0)
        if said["solid"]:
            one.SetPadConnection(k.ZONE_CONNECTION_FULL)
        outline = one.Outline()
        outline.NewOutline()
        for x, y in said["outline"]:
            outline.Append(k.FromMM(x + self.ox), k.FromMM(y + self.oy))
        self.board.Add(one)

    def hole(self, said: dict[str, Any], number: int, head_mm: float) -> None:
        """A hole without copper, for a screw, and its rule area."""
        k = self.k
        one = k.FOOTPRINT(self.board)
        one.SetReference(f"H{number}")
        one.SetValue("hole")
        one.SetAttributes(k.FP_EXCLUDE_FROM_POS_FILES | k.FP_EXCLUDE_FROM_BOM)
        one.Reference().SetVisible(False)
        one.Value().SetVisible(False)
        pad = k.PAD(one)
        size = k.wxSizeMM(said["diameter"], said["diameter"])
        pad.SetNumber("")
        pad.SetAttribute(k.PAD_ATTRIB_NPTH)
        pad.SetShape(k.PAD_SHAPE_CIRCLE)
        pad.SetSize(size)
        pad.SetDrillSize(size)
        pad.SetLayerSet(pad.UnplatedHoleMask())
        one.Add(pad)
        one.SetPosition(self.at(*said["at"]))
        self.board.Add(one)
        self.rule_area(said["at"], head_mm)

    def rule_area(self, at: Any, radius: float) -> None:
        """No copper around a place, in both layers: under a screw's head."""
        k = self.k
        one = k.ZONE(self.board)
        one.SetIsRuleArea(True)
        one.SetDoNotAllowCopperPour(True)
        one.SetDoNotAllowTracks(True)
        one.SetDoNotAllowVias(True)
        one.SetDoNotAllowPads(False)  # the hole itself is one
        one.SetDoNotAllowFootprints(False)
        layers = k.LSET()
        for layer in (k.F_Cu, k.B_Cu):
            layers.AddLayer(layer)
        one.SetLayerSet(layers)
        outline = one.Outline()
        outline.NewOutline()
        reach = radius / math.cos(math.pi / CORNERS)  # its sides touch the circle from outside
        for n in range(CORNERS):
            turn = 2 * math.pi * n / CORNERS
            x, y = at[0] + reach * math.cos(turn), at[1] + reach * math.sin(turn)
            outline.Append(k.FromMM(x + self.ox), k.FromMM(y + self.oy))
        self.board.Add(one)

    def text(self, said: dict[str, Any]) -> None:
        """A text on the board."""
        k = self.k
        one = k.PCB_TEXT(self.board)
        one.SetText(said["words"])
        one.SetPosition(self.at(*said["at"]))
        one.SetLayer(k.F_SilkS if said["side"] == "F" else k.B_SilkS)
        one.SetMirrored(said["side"] == "B")
        one.SetTextSize(k.wxSizeMM(said["size"], said["size"]))
        one.SetTextThickness(k.FromMM(max(0.12, said["size"] * 0.15)))
        one.SetTextAngle(10 * said["turn"])
        self.board.Add(one)


def uncovered(a: Any, b: Any, pads: Any) -> list[tuple[Any, Any]]:
    """The pieces of a level or upright line that keep 0.2 mm off all pads."""
    along = 0 if a[1] == b[1] else 1
    low, high = sorted((a[along], b[along]))
    fixed = a[1 - along]
    cuts = []
    for pad in pads:
        middle, half = (pad["x"], pad["y"]), (pad["width"] / 2 + 0.2, pad["height"] / 2 + 0.2)
        if abs(middle[1 - along] - fixed) < half[1 - along]:
            cuts.append((middle[along] - half[along], middle[along] + half[along]))
    pieces, start = [], low
    for begin, end in sorted(cuts):
        if begin > start:
            pieces.append((start, min(begin, high)))
        start = max(start, end)
    if start < high:
        pieces.append((start, high))
    both = [((p, fixed), (q, fixed)) if along == 0 else ((fixed, p), (fixed, q)) for p, q in pieces]
    return [(p, q) for p, q in both if abs(p[0] - q[0]) + abs(p[1] - q[1]) > 0.2]


def plot(kicad: Any, board: Any, folder: Path) -> None:
    """Gerbers and drill file into `gerber/`, one SVG a layer into `svg/`."""
    controller = kicad.PLOT_CONTROLLER(board)
    options = controller.GetPlotOptions()
    options.SetPlotFrameRef(False)
    options.SetUseGerberProtelExtensions(False)
    options.SetSubtractMaskFromSilk(True)
    for kind, place in ((kicad.PLOT_FORMAT_GERBER, "gerber"), (kicad.PLOT_FORMAT_SVG, "svg")):
        options.SetOutputDirectory(place)
        for name, layer in GERBERS.items():
            controller.SetLayer(board.GetLayerID(layer))
            controller.OpenPlotfile(name, kind, name)
            controller.PlotLayer()
    controller.ClosePlot()
    drill = kicad.EXCELLON_WRITER(board)
    drill.SetOptions(False, False, kicad.wxPoint(0, 0), True)
    drill.SetFormat(True)
    drill.CreateDrillandMapFilesSet(str(folder / "gerber"), True, False)


def violations(report: str) -> list[str]:
    r"""The complaints of a DRC report: `rule: what at (where)`.

    >>> violations("** Found 1 DRC violations **\n[clearance]: Too near\n    Rule: x\n"
    ...            "    @(1 mm, 2 mm): Pad\n")
    ['clearance: Too near at (1 mm, 2 mm)']
    """
    found: list[str] = []
    for line in report.splitlines():
        head = re.match(r"\[(\w+)\]: (.*)", line)
        place = re.match(r"\s+@(\([^)]*\))", line)
        if head:
            found.append(f"{head[1]}: {head[2]}")
        elif place and found and " at " not in found[-1]:
            found[-1] += f" at {place[1]}"
    return found


def main() -> None:
    """Do the job whose file is named."""
    import pcbnew  # type: ignore[import-not-found,unused-ignore]  # of the system's Python

    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    folder = Path(job["folder"])
    file = str(folder / f"{job['board']['name']}.kicad_pcb")
    drawn = Drawn(pcbnew, job["board"], job["rules"])
    pcbnew.SaveBoard(file, drawn.board)
    board = pcbnew.LoadBoard(file)
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    board.BuildConnectivity()
    pcbnew.SaveBoard(file, board)
    report = folder / "drc.txt"
    pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    found = {
        "drc": violations(report.read_text("utf-8")),
        "unconnected": board.GetConnectivity().GetUnconnectedCount(),
        "tracks": len(board.GetTracks()),
        "version": pcbnew.Version(),
    }
    if job["plot"]:
        plot(pcbnew, board, folder)
    (folder / "found.json").write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
