"""Sittings of the whole stack under random fault plans, in virtual time, one seed each."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lumiban.cli.processes import pool
from lumiban.cli.simulated import faulty_rig, plan_more
from lumiban.cli.soak_check import check, check_light
from lumiban.cli.soak_people import People
from lumiban.cli.soak_table import SoakTable
from lumiban.errors import LumibanError
from lumiban.table.settings import Settings

MINUTES = 10
"""How long a sitting is, virtual."""
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
)
"""Game, board and options, in turn by seed."""
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
)
"""How often, and what; names in braces are drawn."""
ONCE = ("toddler", "reset", "hang")


@dataclass(slots=True)
class Found:
    """What came of one sitting, or of many."""

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
    faults: Counter[str] = field(default_factory=Counter)
    by_game: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Found) -> None:
        """Take in another sitting's figures."""
        for name in ("virtual_us", "cpu_s", "games", "moves", "events", "checks", "lives",
                     "losses", "told"):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.faults += other.faults
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
            "events": self.events,
            "checks": self.checks,
            "host_lives": self.lives,
            "links_lost": self.losses,
            "faults": dict(sorted(self.faults.items())),
            "faults_told_by_boards": self.told,
            "phantom_moves": self.phantoms,
            "failures": self.failures,
        }


def soak(
    hours: float, *, seed: int, jobs: int, progress: Callable[[str], None] = lambda text: None
) -> Found:
    """Sit for so many virtual hours, in `jobs` processes; the same seed gives the same sittings."""
    sittings = max(1, round(hours * 60 / MINUTES))
    minutes = min(float(MINUTES), hours * 60)
    whole = Found(seed)
    with pool(jobs) as run:
        for done, one in enumerate(
            run(_sit, [(seed + number, minutes) for number in range(sittings)]), 1
        ):
            whole.add(one)
            rate = whole.virtual_us / 1e6 / whole.cpu_s if whole.cpu_s else 0.0
            progress(
                f"{done} of {sittings} sittings · {whole.games} games · {rate:.0f} virtual hours "
                f"a CPU hour · {len(whole.failures)} failures"
            )
    return whole


def table(found: Found) -> list[str]:
    """The figures as lines; then what failed, with all that is needed to look into it."""
    told = found.as_json()
    lines = []
    for name, value in told.items():
        if name in ("failures", "phantom_moves"):
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {count}" for key, count in value.items())
        lines.append(f"{name:<28} {value}")
    lines += [f"phantom: {when} {move} under {faults}" for when, move, faults in found.phantoms]
    for failure in found.failures:
        lines.append(f"FAILED: seed {failure['seed']}, {failure['game']}: {failure['error']}")
        for part in ("plan", "happened", "did"):
            lines += [f"  {part}: {line}" for line in failure[part]]
    return lines


def _sit(task: tuple[int, float]) -> Found:
    return sit(*task)


def sit(seed: int, minutes: float = MINUTES) -> Found:
    """One sitting; a failure ends it and is told with plan and what was done last."""
    found = Found(seed)
    begun = time.process_time()
    with TemporaryDirectory(prefix="lumiban-soak-") as folder:
        _Sitting(seed, Path(folder), found).run(round(minutes * 60_000_000))
    found.cpu_s = time.process_time() - begun
    return found


class _Sitting:
    def __init__(self, seed: int, folder: Path, found: Found) -> None:
        self.seed = seed
        self.found = found
        self.chance = chance = random.Random(f"sitting {seed}")
        self.slug, profile, options = GAMES[seed % len(GAMES)]
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
        )
        self.people = People(self.table)
        self.plan = ""

    def run(self, for_us: int) -> None:
        table = self.table
        try:
            table.rest(1_000_000)
            while table.now_us < for_us:
                self._chapter(min(CHAPTER_US, for_us - table.now_us))
        except (LumibanError, AssertionError, ValueError, LookupError, TypeError) as error:
            self.found.failures.append(self._told(error))
        self._count()

    def _chapter(self, for_us: int) -> None:
        table, people, found = self.table, self.people, self.found
        self.plan = self._trouble(for_us)
        plan_more(table.rig, self.plan)
        end = table.now_us + for_us
        while table.now_us < end:
            before = len(table.session.match.course.moves)
            people.act()
            found.moves += max(len(table.session.match.course.moves) - before, 0)
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
        found.checks += 2

    def _trouble(self, for_us: int) -> str:
        """A random plan, as text."""
        chance, rig = self.chance, self.table.rig
        names = rig.profile.grid.names
        lines = []
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            words = chance.choices([t for _, t in TROUBLE], [w for w, _ in TROUBLE])[0]
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
            self.found.faults[name] += 1
            at_ms = chance.randrange(max(for_us // 1500, 1))
            lasts = "" if name in ONCE else f"for {chance.choice((20, 400, 2000, 6000))}ms "
            lines.append(f"at {at_ms}ms {lasts}{text}")
        return "\n".join(lines)

    def _count(self) -> None:
        found, table = self.found, self.table
        found.virtual_us = table.now_us
        found.games = table.finished
        found.by_game[self.slug] += table.finished
        found.events = table.heard
        found.lives = table.lives
        found.losses = table.losses
        found.told = len(table.faults)
        found.phantoms = [
            (f"{self.slug} {at / 1e6:.3f}", move, faults) for at, move, faults in table.phantoms
        ]

    def _told(self, error: Exception) -> dict[str, Any]:
        rig = self.table.rig
        happened = rig.faults.happened if rig.faults else []
        return {
            "seed": self.seed,
            "game": self.slug,
            "at_s": round(self.table.now_us / 1e6, 3),
            "error": f"{type(error).__name__}: {error}",
            "plan": self.plan.splitlines(),
            "happened": [f"{at / 1e6:.3f} {what}" for at, what in happened[-8:]],
            "did": self.people.did[-20:],
        }
