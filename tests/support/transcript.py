"""What a table answers, as text: what it does, and how its view changes.

A line holds one fact, with cells by their names: a change of the table reads in a diff as people
would meet it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from lumiban.grid import Grid
from lumiban.table.types import Append, Finished, Output, Prompt, Publish, Question, Show

LEFT_OUT = frozenset(("v", "palette", "game"))
BY_CELL = frozenset(("pieces", "sensed", "labels", "lights"))
"""Lists of the view with an entry for each cell; that of lights is by the board's numbers."""
CELLS = frozenset(("dead", "light", "legal.place", "legal.lift", "verdict.cells"))
"""Lists of cells."""
Facts = dict[str, str]


def as_text(value: object) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)


def done(outputs: Sequence[Output]) -> Iterator[str]:
    """What a session does beside what it shows."""
    for one in outputs:
        match one:
            case Publish() | Show() | Prompt():
                pass
            case Append(_, record) | Finished(record):
                yield f"{type(one).__name__.lower()} {as_text(record)}"
            case Question(ticket, side, game, position, seed, level, within_us):
                pieces = "".join(map(str, game.kinds_on(position)))
                yield f"ask {ticket} {side=} {level=} {seed=} {within_us=} {pieces=}"
            case _:
                yield f"{type(one).__name__.lower()} {as_text(one)[1:-1]}"


def facts(grid: Grid, view: Mapping[str, Any]) -> Facts:
    """The facts of a view by name."""
    found: dict[str, list[str]] = {}

    def note(name: str, value: Any) -> None:
        if name == "marks":
            for mark in value:
                of = f"mark {mark['meaning']} {mark['side']}"
                found.setdefault(of, []).append(grid.name(mark["cell"]))
        elif name == "moves":
            for move in value:
                found[f"move {move['n']}"] = [as_text(move)]
        elif name in CELLS:
            found[name] = [grid.name(cell) for cell in value]
        elif name in BY_CELL:
            names = range(len(value)) if name == "lights" else grid.names
            for cell, one in zip(names, value, strict=False):
                found[f"{name} {cell}"] = [str(one)]
        elif isinstance(value, dict):
            for part, one in value.items():
                note(f"{name}.{part}", one)
        elif name not in LEFT_OUT:
            found[name] = [as_text(value)]

    for name in view.keys() - LEFT_OUT:
        note(name, view[name])
    return {name: " ".join(of) for name, of in found.items()}


def changes(before: Facts, after: Facts) -> Iterator[str]:
    """The facts that are new, other or gone; those of a list's cells in one line."""
    lines: dict[str, list[str]] = {}
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        of, _, cell = name.partition(" ")
        if was == now or (was is None and now in ("0", "[0, 0]", "")):
            continue
        if of in BY_CELL:
            lines.setdefault(of, []).append(f"{cell}={now}")
        else:
            lines[name] = ["gone" if now is None else now]
    for name, told in lines.items():
        yield f"{name}: {' '.join(told)}"
