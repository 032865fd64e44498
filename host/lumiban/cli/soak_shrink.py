"""A sitting that fails becomes a plan of a few lines, a flight recording and a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lumiban.cli.soak import CHAPTER_US, MINUTES, Plans, SoakResults, sit
from lumiban.errors import UsageError

TRIES = 60
"""Sittings that are played to make one plan shorter, at most."""


def shrink(plans: Plans, fails: Callable[[Plans], bool], tries: int = TRIES) -> Plans:
    """The same plans with as many lines left out as can be while the sitting still `fails`.

    Halves of all lines first, then smaller parts, down to single lines.

    >>> shrink(("a\\nb", "c\\nd\\ne"), lambda plans: "d" in plans[1])
    ('', 'd')
    """
    lines = [(n, line) for n, plan in enumerate(plans) for line in plan.splitlines()]

    def whole(some: list[tuple[int, str]]) -> Plans:
        return tuple("\n".join(line for of, line in some if of == n) for n in range(len(plans)))

    if lines and fails(whole([])):
        return whole([])
    part = max(len(lines) // 2, 1)
    while lines and tries > 0:
        left_out = False
        at = 0
        while at < len(lines) and tries > 0:
            some = lines[:at] + lines[at + part :]
            tries -= 1
            if fails(whole(some)):
                lines, left_out = some, True
            else:
                at += part
        if part == 1 and not left_out:
            break
        part = max(part // 2, 1)
    return whole(lines)


def shrunk(found: SoakResults, folder: Path, *, judges: str = "", tries: int = TRIES) -> None:
    """Shrink the plan of a failed sitting; `folder` takes it and the flight that shows it.

    The failure then also has `shrunk` (lines of the plan), `flight` and `again`, the command.
    """
    failure = found.failures[0]
    plans: Plans = tuple(failure["plans"])
    minutes = min(MINUTES, (failure["at_s"] * 1e6 + 2 * CHAPTER_US) / 6e7)
    kind = _failure_class(failure["error"])

    def fails(some: Plans) -> bool:
        again = sit(found.seed, minutes, judges=judges, plans=some).failures
        return bool(again) and _failure_class(again[0]["error"]) == kind

    if fails(plans):
        plans = shrink(plans, fails, tries)
    folder.mkdir(parents=True, exist_ok=True)
    flight = folder / f"soak-{found.seed}.flight"
    sit(found.seed, minutes, judges=judges, plans=plans, flight=flight)
    plan = folder / f"soak-{found.seed}.plan"
    plan.write_text(written(plans), encoding="utf-8")
    failure["shrunk"] = written(plans).splitlines()
    failure["flight"] = str(flight)
    failure["again"] = f"bench soak --seed {found.seed} --plan {plan}"
    if judges:
        failure["again"] += f" --judge {judges}"


def _failure_class(error: str) -> str:
    """What a failure is, without its numbers and names of cells."""
    return " ".join(word for word in error.split()[:4] if word.isalpha() or word.endswith(":"))


def written(plans: Plans) -> str:
    """Plans as a file holds them.

    >>> written(("", "at 1ms reset"))
    'chapter 2\\nat 1ms reset\\n'
    """
    return "".join(f"chapter {n}\n{plan}\n" for n, plan in enumerate(plans, 1) if plan)


def read(text: str) -> Plans:
    """Plans from a file's text. UsageError.

    >>> read("chapter 2\\nat 1ms reset\\n")
    ('', 'at 1ms reset')
    """
    plans: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words[:1] == ["chapter"] and len(words) == 2 and words[1].isdecimal():
            if not 0 < int(words[1]) <= 1000:
                raise UsageError(f"line {number}: there is no {line}")
            plans += [[] for _ in range(int(words[1]) - len(plans))]
        elif words:
            if not plans:
                raise UsageError(f"line {number}: a plan of a sitting begins with `chapter 1`")
            plans[-1].append(line.strip())
    return tuple("\n".join(plan) for plan in plans)
