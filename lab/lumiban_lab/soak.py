"""Sittings of the whole stack under random fault plans, in virtual time, one seed each.

`soak` plays them on all cores. A sitting that fails is told with its plan and what was done last;
its seed plays it again.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lumiban.errors import UsageError
from lumiban.system.worker_pool import mapping
from lumiban.table.types import Settings

from lumiban_lab.faulty_rig import faulty_rig, plan_more
from lumiban_lab.soak_check import check, check_light
from lumiban_lab.soak_laws import Judges
from lumiban_lab.soak_people import People
from lumiban_lab.soak_shell import OF_THE_SHELL, PORTS, fits
from lumiban_lab.soak_table import TROUBLES, SoakTable, split

MINUTES = 10
"""Length of a sitting in virtual minutes."""
CHAPTER_US = 45_000_000
"""Trouble and play for so long; then all comes to rest and is checked."""

GAMES: tuple[tuple[str, str, dict[str, int | str]], ...] = (
    ("control", "hex3", {"size": 3}),
    ("evening", "hex3", {"size": 3}),
    ("trivia", "grid9x9", {"size": 5}),
    ("doves", "grid9x9", {"tray": "off", "initial": "allowed"}),
    ("control", "hex5", {"size": 4}),
    ("evening", "hex5", {"size": 4}),
    ("doves", "grid9x9", {"tray": "on", "initial": "allowed"}),
    ("rengi", "grid13x14", {}),
    ("control", "hex3", {"size": 2}),
    ("evening", "hex8", {"size": 8}),  # strips so long that a broken line keeps its reference
    ("trivia", "grid9x9", {"size": 3}),
    ("evening", "hex3", {"size": 3, "sees": "sight", "opening": "pie"}),
    ("trivia", "hex3", {"size": 3, "cells": "hexagons"}),
)
"""Game, board and options, in turn by seed."""
SWITCH_SEED = 1_000_000
"""Sittings from this seed on are at boards of switches."""
GAMES_ON_SWITCHES: tuple[tuple[str, str, dict[str, int | str]], ...] = (
    ("control", "reed-hex3", {"size": 3}),
    ("trivia", "breadboard8", {"size": 4}),
    ("evening", "reed-hex3", {"size": 3, "turns": "trailing"}),
    ("doves", "breadboard8", {"initial": "allowed"}),
    ("trivia", "chess8", {"size": 3}),
    ("control", "reed3-pico", {"size": 3}),
    ("trivia", "bread8-pico", {"size": 3}),
    ("trivia", "panel8", {"size": 3}),
    ("doves", "bread8-pico", {"initial": "allowed"}),
    ("trivia", "reeds8", {"size": 4}),
    ("evening", "reed3-pico", {"size": 3, "turns": "trailing"}),
    ("trivia", "chess8-pico", {"size": 4}),
    ("doves", "panel8", {"initial": "allowed"}),
)
NOT_OF_SWITCHES = ("stuck", "cable", "loose", "select", "brown-out", "thin", "warm")
"""Faults of strips, their sensors and their supply."""
SEATS = (("human", "human"), ("human", "human"), ("human", "bot:easy"), ("bot:easy", "human"))

TROUBLE: tuple[tuple[int, str], ...] = (
    (3, "stuck {cell}"),
    (3, "dead {cell}"),
    (3, "cable of row {row}"),
    (2, "loose plug of row {row}"),
    (2, "select line {line}"),
    (4, "select line {line} of row {row}"),
    (1, "dark light {cell}"),
    (3, "brown-out to {mv}mV"),
    (1, "thin cable of {ohm}ohm"),
    (2, "spikes of {mt}mT at {rate}/s"),
    (2, "warm by {kelvin}K"),
    (3, "stacked {piece} {kind}"),
    (3, "between {cell} {next} {kind}"),
    (3, "displaced {piece} by {mm}mm"),
    (3, "flipped {piece}"),
    (3, "weak {piece} to {percent}%"),
    (2, "foreign {cell}"),
    (1, "toddler with {count} pieces"),
    (2, "reset"),
    (2, "hang"),
    (3, "unplug"),
    (2, "stall"),
    (3, "noisy line {noise}%"),
    (2, "kill host"),
    (2, "torn journal"),
    *((2, name) for name in TROUBLES if name not in OF_THE_SHELL),
)
"""Rates and texts of the troubles; names in braces are drawn."""
TROUBLE_OF_SWITCHES: tuple[tuple[int, str], ...] = (
    *(one for one in TROUBLE if one[1].split()[0] not in NOT_OF_SWITCHES),
    (3, "closed {cell}"),
    (3, "joined {cell} {next}"),
    (2, "wide {cell} {next}"),
)
BARE = (2, "bare matrix")
"""Boards whose rows and columns have no diodes."""
ONCE = ("toddler", "reset", "hang")
CALM = "no fault"

Plans = tuple[str, ...]
"""The plan of each chapter of a sitting, "" for none."""


@dataclass(slots=True)
class SoakResults:
    """Results of one sitting, or of many."""

    seed: int
    virtual_us: int = 0
    cpu_s: float = 0.0
    games: int = 0
    moves: int = 0
    events: int = 0
    checks: int = 0
    lives: int = 0
    losses: int = 0
    told: int = 0
    """Faults that boards told."""
    phantoms: list[tuple[str, str, str]] = field(default_factory=list)
    """Moves taken though other pieces lay there: when, what, under which faults."""
    accepted: int = 0
    """Moves that were published, by hands, pages and bots."""
    judged: int = 0
    """Those of them that rules written a second time have judged."""
    lost_with_disk: int = 0
    """Moves that were gone with what a disk had called safe, or had no room for."""
    faults: Counter[str] = field(default_factory=Counter)
    hours: Counter[str] = field(default_factory=Counter)
    """µs of the chapters in which each class of fault happened."""
    by_game: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: SoakResults) -> None:
        """Take in another sitting's figures."""
        for name in ("virtual_us", "cpu_s", "games", "moves", "events", "checks", "lives",
                     "losses", "told", "accepted", "judged", "lost_with_disk"):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.faults += other.faults
        self.hours += other.hours
        self.by_game += other.by_game
        self.failures += other.failures
        self.phantoms += other.phantoms

    def as_json(self) -> dict[str, Any]:
        """The figures as `--json` prints them."""
        hours, cpu = self.virtual_us / 3.6e9, self.cpu_s / 3600
        return {
            "seed": self.seed,
            "virtual_hours": round(hours, 3),
            "cpu_hours": round(cpu, 4),
            "virtual_hours_per_cpu_hour": round(hours / cpu, 1) if cpu else None,
            "games": self.games,
            "by_game": dict(sorted(self.by_game.items())),
            "moves": self.moves,
            "accepted_moves": self.accepted,
            "accepted_moves_judged": self.judged,
            "moves_lost_with_a_disk": self.lost_with_disk,
            "events": self.events,
            "checks": self.checks,
            "host_lives": self.lives,
            "links_lost": self.losses,
            "faults": dict(sorted(self.faults.items())),
            "virtual_hours_by_fault": {
                name: round(us / 3.6e9, 3) for name, us in sorted(self.hours.items())
            },
            "faults_told_by_boards": self.told,
            "phantom_moves": self.phantoms,
            "failures": self.failures,
        }


def soak(
    hours: float,
    *,
    seed: int,
    jobs: int,
    progress: Callable[[str], None] = lambda text: None,
    judges: str = "",
) -> SoakResults:
    """Sit for virtual `hours`, in `jobs` processes; the same seed gives the same sittings.

    `judges` is a file with rules written a second time.
    """
    sittings = max(1, round(hours * 60 / MINUTES))
    minutes = min(float(MINUTES), hours * 60)
    whole = SoakResults(seed)
    tasks = [(one, minutes, judges) for one in range(seed, seed + sittings)]
    with mapping(jobs) as run:
        for number, results in enumerate(run(_sit, tasks), 1):
            whole.add(results)
            rate = whole.virtual_us / 1e6 / whole.cpu_s if whole.cpu_s else 0.0
            progress(
                f"{number} of {sittings} sittings · {whole.games} games · {rate:.0f} virtual hours "
                f"a CPU hour · {len(whole.failures)} failures"
            )
    return whole


def judges_from(path: str) -> Judges | None:
    """`judge` of a Python file; None without a file. UsageError for a file that has none."""
    if not path:
        return None
    spec = importlib.util.spec_from_file_location("soak_judges", path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise UsageError(f"{path} is not a Python file with a function judge(slug, options, names)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, "judge", None)):
        raise UsageError(f"{path} has no function judge(slug, options, names)")
    judges: Judges = module.judge
    return judges


def table(results: SoakResults) -> list[str]:
    """The figures as lines; then what failed, with all that is needed to look into it."""
    figures = results.as_json()
    lines = []
    for name, value in figures.items():
        if name in ("failures", "phantom_moves"):
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {count}" for key, count in value.items())
        lines.append(f"{name:<28} {value}")
    lines += [f"phantom: {when} {move} under {faults}" for when, move, faults in results.phantoms]
    for failure in results.failures:
        lines.append(f"FAILED: seed {failure['seed']}, {failure['game']}: {failure['error']}")
        for part in ("plan", "happened", "did"):
            lines += [f"  {part}: {line}" for line in failure[part]]
    return lines


def _sit(task: tuple[int, float, str]) -> SoakResults:
    seed, minutes, judges = task
    return sit(seed, minutes, judges=judges)


def sit(
    seed: int,
    minutes: float = MINUTES,
    *,
    judges: str = "",
    plans: Plans | None = None,
) -> SoakResults:
    """One sitting; a failure ends it and is told with plan and what was done last.

    `plans` takes the place of the plans that the seed would draw.
    """
    results = SoakResults(seed)
    begun = time.process_time()
    with TemporaryDirectory(prefix="lumiban-soak-") as folder:
        sitting = Sitting(
            seed,
            Path(folder),
            results,
            judges=judges_from(judges),
            plans=plans,
        )
        sitting.run(round(minutes * 60_000_000))
    results.cpu_s = time.process_time() - begun
    return results


class Sitting:
    """A table with people, chapter by chapter: trouble, rest, and a look at what holds."""

    def __init__(
        self,
        seed: int,
        folder: Path,
        found: SoakResults,
        *,
        judges: Judges | None = None,
        plans: Plans | None = None,
    ) -> None:
        self.seed = seed
        self.found = found
        self.chance = chance = random.Random(f"sitting {seed}")
        games = GAMES_ON_SWITCHES if seed >= SWITCH_SEED else GAMES
        self.slug, profile, options = games[seed % len(games)]
        self.port = PORTS[seed // len(games) % len(PORTS)]
        self.ports = random.Random(f"ports {seed}")
        parts = chance.choice((None, None, seed))
        rig = faulty_rig(profile, seed, "", parts=parts)
        settings = Settings(
            confirm_us=chance.choice((2_000_000, None)),
            takeback=chance.random() < 0.8,
            pace_us=chance.choice((600_000, None)),
        )
        self.table = SoakTable(
            rig,
            self.slug,
            options,
            chance.choice(SEATS),
            seed=seed,
            folder=folder,
            settings=settings,
            fsync_us=chance.choice((2_000, 30_000, 400_000)),
            judges=judges,
            port=self.port,
        )
        self.plans: list[str] = []
        """Those of the chapters so far."""
        self._given = plans
        self.people = People(self.table)
        self.plan = ""

    def run(self, for_us: int) -> None:
        """Let so much time go by at the table."""
        table = self.table
        try:
            table.rest(1_000_000)
            while table.now_us < for_us:
                self._chapter(min(CHAPTER_US, for_us - table.now_us))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what the soak looks for
            self.found.failures.append(self._failure_json(error))
        finally:
            self.table.line.close()
        self._count()

    def _chapter(self, for_us: int) -> None:
        table, people, results = self.table, self.people, self.found
        begun = table.now_us
        drawn = self._trouble(for_us)
        if self._given is not None:
            number = len(self.plans)
            drawn = self._given[number] if number < len(self._given) else ""
        self.plan = drawn
        self.plans.append(drawn)
        boards, universes = split(self.plan)
        plan_more(table.rig, boards)
        table.universe.add(universes, table.now_us)
        end = table.now_us + for_us
        while table.now_us < end:
            before = len(table.session.match.history.moves)
            people.act()
            results.moves += max(len(table.session.match.history.moves) - before, 0)
        check_light(table)
        people.settle()
        check(table)
        if not people.mend():
            verdict = table.session.match.verdict
            raise AssertionError(f"doing what is asked leads nowhere: {verdict}")
        people.settle()
        check(table)
        check_light(table)
        table.worst_blinking = table.worst_astray = 0
        table.universe.at_rest()
        results.checks += 2
        classes = {class_of(line) for line in self.plan.splitlines()} or {CALM}
        for name in classes:
            results.hours[name] += table.now_us - begun

    def _trouble(self, for_us: int) -> str:
        """A random plan, as text."""
        chance, rig = self.chance, self.table.rig
        names = rig.profile.grid.names
        trouble = TROUBLE
        if rig.profile.switches is not None:
            is_matrix = rig.profile.switches.is_matrix
            trouble = (*TROUBLE_OF_SWITCHES, BARE) if is_matrix else TROUBLE_OF_SWITCHES
        lines = []
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            words = chance.choices([t for _, t in trouble], [w for w, _ in trouble])[0]
            cell = chance.randrange(len(names))
            standing = [c for c, kind in enumerate(rig.kinds) if kind] or [cell]
            text = words.format(
                cell=names[cell],
                next=names[chance.choice(rig.profile.grid.neighbours[cell])],
                piece=names[chance.choice(standing)],
                row=chance.randrange(rig.profile.rows),
                line=f"S{chance.randrange(4)}",
                mv=chance.choice((3000, 3400, 4000, 4400)),
                ohm=chance.choice((0.3, 1, 2)),
                mt=chance.choice((5, 20, 60)),
                rate=chance.choice((5, 40)),
                kelvin=chance.choice((-10, 5, 15)),
                kind=chance.choice(("white", "black", "neutral")),
                mm=chance.choice((3, 5, 8)),
                percent=chance.choice((0, 20, 50, 80)),
                count=chance.choice((10, 30)),
                noise=chance.choice((0.05, 0.3, 1)),
            )
            name = text.split()[0]
            at_ms = chance.randrange(max(for_us // 1500, 1))
            lasts = "" if name in ONCE else f"for {chance.choice((20, 400, 2000, 6000))}ms "
            lines.append(f"at {at_ms}ms {lasts}{text}")
        return "\n".join(lines + self._trouble_of_ports(for_us))

    def _trouble_of_ports(self, for_us: int) -> list[str]:
        chance = self.ports
        names = fits(self.port)
        return [
            f"at {chance.randrange(max(for_us // 1500, 1))}ms "
            f"for {chance.choice((20, 400, 2000, 6000))}ms {chance.choice(names)}"
            for _ in range(chance.choice((0, 0, 1, 1, 2)))
        ]

    def _count(self) -> None:
        results, table = self.found, self.table
        results.virtual_us = table.now_us
        results.games = table.finished
        results.by_game[self.slug] += table.finished
        results.events = table.heard
        results.lives = table.lives
        results.losses = table.losses
        results.accepted = table.remembered.accepted
        results.judged = table.remembered.judged
        results.lost_with_disk = table.remembered.lost_with_disk
        for plan in self.plans:
            results.faults.update(class_of(line) for line in plan.splitlines())
        results.faults.update(table.line.lasting)
        results.told = len(table.faults)
        results.phantoms = [
            (f"{self.slug} {at / 1e6:.3f}", move, faults) for at, move, faults in table.phantoms
        ]

    def _failure_json(self, error: Exception) -> dict[str, Any]:
        rig = self.table.rig
        happened = rig.faults.happened if rig.faults else []
        return {
            "seed": self.seed,
            "game": self.slug,
            "at_s": round(self.table.now_us / 1e6, 3),
            "error": f"{type(error).__name__}: {error}",
            "plan": self.plan.splitlines(),
            "plans": self.plans,
            "happened": [
                f"{at / 1e6:.3f} {what}"
                for at, what in sorted([*happened, *self.table.universe.happened])[-8:]
            ],
            "did": self.people.did[-20:],
        }


def class_of(line: str) -> str:
    """Kind of fault of a line of a plan."""
    words = line.split()
    words = words[4:] if words[2:3] == ["for"] else words[2:]
    text = " ".join(words)
    return text if text in TROUBLES else words[0]
