"""The electronics of a kit: each strip that differs, the base board, and a board's wiring and cost.

Without KiCad the drawings are still made and held against the rules; parts, nets and wiring are
written. Files of a board: `NAME.kicad_pcb`, `NAME-gerber.zip`, pictures, `parts.csv`, ...
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from lumiban.boards.profile import Pins, Profile

from lumiban_hw import bom, order_codes, rules, wiring
from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.pcb import base, make, strip
from lumiban_hw.pcb.board import Board
from lumiban_hw.pcb.maze import Unroutable
from lumiban_hw.pcb.netlist import drawn, fills, read
from lumiban_hw.plans import strips

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
    """What is plugged where on one board, what it takes to buy, and whether all agrees."""

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
        found = wiring.check(self.profile, [drawn(board) for board in boards])
        for foundation in others:
            found += wiring.check_base(self.profile, drawn(foundation))
        wiring.write(self.profile, plans, folder)
        loose = bom.BENCH if alone else bom.loose(self.profile)
        bought = [*loose, *(placed.part for one in (*boards, *others) for placed in one.parts)]
        found += order_codes.check(self.profile.name, bought)
        dollars = bom.write(boards, others, loose, folder)
        figures = {
            "rules": len(found), "cells": len(self.profile.cells),
            "strips": len(plans), "usd": round(dollars),
        }  # fmt: skip
        return Report(self.name, tuple(found), figures)


def items(profile: Profile) -> list[Item]:
    """The items of electronics that a board needs; ProfileError when it cannot be made so."""
    found: list[Item] = []
    for plan in strips(profile):
        if Strip(plan) not in found:
            found.append(Strip(plan))
    if len(found) > 1 or profile.rows > 1:  # a strip alone is wired to a Pico by hand
        found.append(Base(profile.pins))
    return [*found, Wiring(profile)]


def board_report(name: str, board: Board, folder: Path, *, plots: bool = True) -> Report:
    """Check a drawing by our rules and, where KiCad is, by its own; write the files."""
    make.tables(board, folder)
    found = rules.check(board)
    gap, _ = rules.clearance(board)
    figures: dict[str, float] = {"rules": len(found), "clearance_mm": round(gap, 3)}
    if not make.python():
        return Report(name, tuple(found), figures, (make.wanting(),))
    try:
        told = make.finish(board, folder, plots=plots)
    except make.KicadFailed as error:
        return Report(name, (*found, Finding(board.name, "kicad", {"what": str(error)})), figures)
    found += [Finding(board.name, "drc", {"what": what}) for what in told.drc]
    file = folder / f"{board.name}.kicad_pcb"
    differ = rules.netlist(board, read(file), drawn(board))
    differ += rules.heads(board, fills(file))
    figures = {
        "drc": len(told.drc), "unconnected": told.unconnected,
        "rules": figures["rules"] + len(differ), "clearance_mm": figures["clearance_mm"],
        "tracks": told.tracks,
    }  # fmt: skip
    return Report(name, (*found, *differ), figures)


def no_way(name: str, error: Unroutable) -> Report:
    """The report of a board that the router could not finish."""
    return Report(name, (Finding(name, "no-way", {"what": str(error)}),))


def _digest(pins: Pins) -> str:
    from hashlib import sha256

    return sha256(repr(pins).encode()).hexdigest()[:6]
