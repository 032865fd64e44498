"""Use of CPU time and memory by a program and all that it started, by process."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
ROLES = {
    "lumiban.web.page_process": "page",
    "lumiban.search.precompile": "compiler",
    "lumiban.search.build_kernels": "compiler",
    "lumiban.search.process_start": "thinker",
    "lumiban.boards.gpio": "driver",
}
"""Roles of processes, by how they were started; another one is the host."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One process: CPU seconds, and PSS in MB (its own memory, and its share of what several
    have)."""

    pid: int
    role: str
    cpu_s: float
    pss_mb: float


def role_of(words: str) -> str:
    """Role of a process that was started so.

    >>> role_of("python -m lumiban.search.process_start")
    'thinker'
    >>> role_of("python -m lumiban play control")
    'host'
    """
    return next((role for start, role in ROLES.items() if f"-m {start}" in words), "host")


def descendants(pid: int, proc: Path = PROC) -> list[int]:
    """This process and all that it started, itself first."""
    children: dict[int, list[int]] = {}
    for path in proc.iterdir():
        if path.name.isdigit():
            try:
                parent = int(_stat(path)[1])
            except (OSError, IndexError):
                continue  # it has just ended
            children.setdefault(parent, []).append(int(path.name))
    pids = [pid]
    for one in pids:
        pids += sorted(children.get(one, ()))
    return pids


def are_ready(pid: int, proc: Path = PROC) -> bool:
    """True if any of them runs, or waits for nothing but a core or the disk."""
    for one in descendants(pid, proc):
        with suppress(OSError):
            if _stat(proc / str(one))[0] in "RD":
                return True
    return False


def taken(pid: int, proc: Path = PROC) -> list[Taken]:
    """Use by each of them; those that have just ended are left out."""
    return list(_taken(descendants(pid, proc), proc))


def _taken(pids: list[int], proc: Path) -> Iterator[Taken]:
    for pid in pids:
        place = proc / str(pid)
        try:
            stat = _stat(place)
            words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            rollup = (place / "smaps_rollup").read_text()
        except OSError:
            continue
        match = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
        cpu_s = (int(stat[11]) + int(stat[12])) / _TICKS
        yield Taken(pid, role_of(words), cpu_s, int(match.group(1)) / 1000 if match else 0.0)


def _stat(place: Path) -> list[str]:
    """The fields of a process after its name, which may hold anything."""
    return (place / "stat").read_text().rpartition(")")[2].split()


def by_role(processes: list[Taken], what: str) -> dict[str, float]:
    """The sums of `cpu_s` or `pss_mb` by role, and of all."""
    sums: dict[str, float] = {}
    for one in processes:
        sums[one.role] = sums.get(one.role, 0.0) + getattr(one, what)
    rounded = {role: round(value, 2) for role, value in sums.items()}
    return {**rounded, "sum": round(sum(sums.values()), 2)}


def shares(before: list[Taken], after: list[Taken], seconds: float) -> Mapping[str, float]:
    """Percent of a core that each role has taken between the two looks."""
    spent = {one.pid: one.cpu_s for one in before}
    between = [
        Taken(one.pid, one.role, 100 * (one.cpu_s - spent.get(one.pid, 0.0)) / seconds, 0.0)
        for one in after
    ]
    return by_role(between, "cpu_s")
