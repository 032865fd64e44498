"""The electronics of a kit: each strip that differs, the base board, wiring, and what to buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from lumiban.boards.profile import MAX_STRIPS, Profile
from lumiban.boards.profile_file import Pins

from lumiban_hw import order_codes, prices, rules, wiring
from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.parts import JUMPER, PICO, R10K_WIRED, SOCKET_20, SUPPLY_SOCKET, Part, supply
from lumiban_hw.pcb import base, kicad_cli, make, strip
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.pcb.kicad_cli import KicadFailed
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pcb.netlist import drawn, fills, read
from lumiban_hw.pcb.router import Unroutable
from lumiban_hw.plans import strips
from lumiban_hw.power import Budget

_DRAWING = Lock()


def strip_board(plan: strip.StripPlan) -> Board:
    """The drawing of a strip; not to be changed. Unroutable when the router gives up."""
    with _DRAWING:
        return _strip(plan)


def base_board(pins: Pins) -> Board:
    """The drawing of the base board; not to be changed. Unroutable when the router gives up."""
    with _DRAWING:
        return _base(pins)


@lru_cache(maxsize=64)
def strip_parts(plan: strip.StripPlan) -> Board:
    """A strip's parts, holes and edges without its long tracks, at once; not to be changed."""
    return strip.draw(plan, routed=False)


@lru_cache(maxsize=4)
def base_parts(pins: Pins) -> Board:
    """The same of the base board."""
    return base.draw(pins, routed=False)


@lru_cache(maxsize=64)
def _strip(plan: strip.StripPlan) -> Board:
    return strip.draw(plan)


@lru_cache(maxsize=4)
def _base(pins: Pins) -> Board:
    return base.draw(pins)


@dataclass(frozen=True)
class Strip:
    """A row strip."""

    plan: strip.StripPlan

    @property
    def name(self) -> str:
        """Its folder."""
        return f"pcb/{self.plan.name}"

    def make(self, folder: Path) -> Report:
        """Draw, check, plot."""
        try:
            return board_report(self.name, strip_board(self.plan), folder)
        except Unroutable as error:
            return no_way(self.name, error)


@dataclass(frozen=True)
class Base:
    """The base board: one serves every profile with these pins."""

    pins: Pins

    @property
    def name(self) -> str:
        """Its folder."""
        return "pcb/base" if self.pins == Pins() else f"pcb/base-{_digest(self.pins)}"

    def make(self, folder: Path) -> Report:
        """Draw, check, plot."""
        try:
            return board_report(self.name, base_board(self.pins), folder)
        except Unroutable as error:
            return no_way(self.name, error)


@dataclass(frozen=True)
class Wiring:
    """Wiring of one board: what is plugged where and bought, checked for contradictions."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}"

    def make(self, folder: Path) -> Report:
        """Follow the nets of strips and base from cell to chip; write wiring and parts."""
        plans = strips(self.profile)
        alone = len(plans) == 1
        try:
            boards = [strip_board(plan) for plan in plans]
            others = [] if alone else [base_board(self.profile.pins)]
        except Unroutable as error:
            return no_way(self.name, error)
        findings = wiring.check(self.profile, [drawn(board) for board in boards])
        for foundation in others:
            findings += wiring.check_base(self.profile, drawn(foundation))
        wiring.write(self.profile, plans, folder)
        loose = BENCH_PARTS if alone else loose_parts(self.profile)
        bought = [*loose, *(placed.part for one in (*boards, *others) for placed in one.parts)]
        findings += order_codes.check(self.profile.name, bought)
        dollars = write_shopping_list(boards, others, loose, folder)
        figures = {
            "rules": len(findings), "cells": len(self.profile.cells),
            "strips": len(plans), "usd": round(dollars),
        }  # fmt: skip
        return Report(self.name, tuple(findings), figures)


def items(profile: Profile) -> list[Item]:
    """The items of electronics that a board needs; ProfileError when it cannot be made so."""
    parts: list[Item] = []
    for plan in strips(profile):
        if Strip(plan) not in parts:
            parts.append(Strip(plan))
    if len(parts) > 1 or profile.rows > 1:  # a strip alone is wired to a Pico by hand
        parts.append(Base(profile.pins))
    return [*parts, Wiring(profile)]


def board_report(name: str, board: Board, folder: Path, *, plots: bool = True) -> Report:
    """Check a drawing by our rules and, where KiCad is, by its own; write the files."""
    make.tables(board, folder)
    findings = rules.check(board)
    findings += [
        Finding(board.name, "schematic", {"what": what})
        for what in make.write_sources(board, folder)
    ]
    gap, _ = rules.clearance(board)
    figures: dict[str, float] = {"rules": len(findings), "clearance_mm": round(gap, 3)}
    tool = kicad_cli.kicad()
    if tool is None:
        return Report(name, tuple(findings), figures, (make.wanting(),))
    try:
        kicad_report = make.finish(tool, board, folder, plots=plots)
    except KicadFailed as error:
        return Report(
            name, (*findings, Finding(board.name, "kicad", {"what": str(error)})), figures
        )
    findings += [Finding(board.name, "drc", {"what": what}) for what in kicad_report.drc]
    findings += [Finding(board.name, "erc", {"what": what}) for what in kicad_report.erc]
    findings += [
        Finding(board.name, "parity", {"pin": pin, "meant": meant, "there": there})
        for pin, meant, there in kicad_report.parity
    ]
    file = folder / f"{board.name}.kicad_pcb"
    differ = rules.netlist(board, read(file), drawn(board))
    differ += rules.heads(board, fills(file))
    figures = {
        "drc": len(kicad_report.drc), "erc": len(kicad_report.erc),
        "parity": len(kicad_report.parity),
        "unconnected": kicad_report.unconnected,
        "rules": figures["rules"] + len(differ), "clearance_mm": figures["clearance_mm"],
        "tracks": kicad_report.tracks,
    }  # fmt: skip
    return Report(name, (*findings, *differ), figures)


def no_way(name: str, error: Unroutable) -> Report:
    """The report of a board that the router could not finish."""
    return Report(name, (Finding(name, "no-way", {"what": str(error)}),))


def _digest(pins: Pins) -> str:
    from hashlib import sha256

    return sha256(repr(pins).encode()).hexdigest()[:6]


# What to buy for a board's electronics: parts of all strips and the base, boards, ribbons,
# supply, at the prices of `prices`.

BENCH_PARTS = (PICO, R10K_WIRED, R10K_WIRED)
"""Parts that a strip on a bench needs besides: the two resistors tell the Pico its supply."""


def loose_parts(profile: Profile) -> list[Part]:
    """Parts of a base board that are not soldered: the supply with its plug and fuse, the Pico's
    sockets, jumper caps.
    """
    budget = Budget(profile)
    bought = [supply(budget.supply_ma)] if budget.supply_ma else []
    jumpers = [JUMPER] * (MAX_STRIPS - profile.rows)
    return [budget.fuse[0], *bought, SUPPLY_SOCKET, SOCKET_20, SOCKET_20, *jumpers]


Row = tuple[str, str, str, int, float, float]
"""Part, value, package, count, dollars each, dollars."""


def shopping_rows(
    strips: Sequence[Board], others: Sequence[Board], loose: Sequence[Part]
) -> list[Row]:
    """All that a board takes to buy: parts, dearest first, then circuit boards and ribbons."""
    count: dict[str, tuple[Part, int]] = {}
    boards = [*others, *strips]
    wanted = [*loose, *(placed.part for board in boards for placed in board.parts)]
    for part in wanted:
        if part.number:
            count[part.number] = (part, count.get(part.number, (part, 0))[1] + 1)
    rows: list[Row] = [
        (part.number, part.value, part.land, n, usd, round(n * usd, 2))
        for part, n, usd in sorted(
            ((part, n, prices.price_of(part)) for part, n in count.values()),
            key=lambda one: -one[1] * one[2],
        )
    ]
    kinds: dict[str, list[Board]] = {}
    for board in boards:
        kinds.setdefault(board.name, []).append(board)
    for name, same in sorted(kinds.items()):
        each = round(prices.bare(same[0]), 2)
        rows.append((f"circuit board {name}", "", "", len(same), each, round(each * len(same), 2)))
    ribbons, each = len(strips), prices.ribbon()
    return [*rows, ("ribbon 14-way", "", "", ribbons, each, round(ribbons * each, 2))]


def write_shopping_list(
    strips: Sequence[Board], others: Sequence[Board], loose: Sequence[Part], folder: Path
) -> float:
    """Write `parts.csv` of a board: its strips, other boards, and loose parts; returns dollars."""
    wanted = shopping_rows(strips, others, loose)
    total = sum(row[-1] for row in wanted)
    head = ("part", "value", "package", "count", "each_usd", "usd", "price_source")
    rows = [(*row, prices.of_part(row[0])) for row in wanted]
    write_csv(folder / "parts.csv", head, [*rows, ("all", "", "", "", "", round(total, 2), "")])
    return total
