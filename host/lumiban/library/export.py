"""Games as files for other people: our own JSON, plain notation, a picture, tables of many.

A document may come from anybody: it is replayed by the rules of the game that it names, which must
be one of ours, and it runs no program.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lumiban.errors import UsageError
from lumiban.games import mark_kinds
from lumiban.games.base import Game, Mark, Position
from lumiban.games.registry import OURS, Loader
from lumiban.scene.diagram import diagram
from lumiban.scene.svg import svg
from lumiban.system.csv_text import csv_text
from lumiban.table import record

if TYPE_CHECKING:
    from lumiban.library.library import LibraryGame

FORMATS = ("json", "txt", "svg")
WIDTH = 78


def exported(
    document: Mapping[str, Any],
    form: str,
    *,
    players: tuple[str | None, str | None] = (None, None),
    at: int | None = None,
    load: Loader = OURS,
) -> str:
    """A game in one of the `FORMATS`; a picture shows it after `at` moves, by default at its end.

    GameError where the record does not fit its rules, UsageError for another format or move.
    """
    if form == "json":
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    game, positions = record.replay(document, load)
    if form == "txt":
        return notation(document, game, positions, players)
    if form == "svg":
        return as_svg(game, positions, len(positions) - 1 if at is None else at)
    raise UsageError(f"a game is exported as {', '.join(FORMATS)}, not {form[:20]!r}")


def notation(
    document: Mapping[str, Any],
    game: Game,
    positions: list[Position],
    players: tuple[str | None, str | None] = (None, None),
) -> str:
    """Plain text: who played what, then the moves by number, then the result."""
    seats = [str(seat)[:40] for seat in document.get("seats", ())]
    lines = [f"Game: {game.slug}"]
    options = " ".join(f"{name}={value}" for name, value in game.options.items())
    if options:
        lines.append(f"Options: {options}")
    for name, seat, player in zip(game.sides, seats, players, strict=False):
        lines.append(f"{name.capitalize()}: {player or seat}")
    lines.append(f"Seed: {document.get('seed', 0)}")
    if document.get("setup") is not None:
        lines.append(f"From: {json.dumps(document['setup'], ensure_ascii=False)}")
    lines.append("")
    moves = positions[-1].history[len(positions[0].history) :]
    line = ""
    for number, move in enumerate(moves, 1):
        word = f"{number}. {game.sides[move.side][0]}:{move.text}"
        if line and len(line) + len(word) + 2 > WIDTH:
            lines.append(line)
            line = ""
        line += ("  " if line else "") + word
    lines.append(line)
    outcome = game.outcome(positions[-1])
    if outcome is not None:
        won = "draw" if outcome.winner is None else f"{game.sides[outcome.winner]} won"
        lines += ["", f"Result: {won} ({outcome.reason})"]
    return "\n".join(lines) + "\n"


def tables(games: Iterable[tuple[LibraryGame, Mapping[str, Any]]]) -> tuple[str, str]:
    """Games and their records as CSV: a row a game, with its options in columns, and a row a move.

    Sides and winners are 0 and 1; a move has what the record has of it.
    """
    rows: list[dict[str, object]] = []
    moves: list[dict[str, object]] = []
    for one, document in games:
        row: dict[str, object] = {name: getattr(one, name) for name in _COLUMNS}
        for at, side in enumerate(("first", "second")):
            row |= {f"{side}_seat": one.seats[at], f"{side}_player": one.players[at]}
        rows.append(row | {f"option_{name}": value for name, value in one.options.items()})
        for number, move in enumerate(document.get("moves", ()), 1):
            moves.append({"name": one.name, "number": number, **move})
    return csv_text(rows), csv_text(moves)


_COLUMNS = ("name", "slug", "winner", "reason", "moves", "seconds", "verdict", "fault")


def as_svg(game: Game, positions: list[Position], at: int) -> str:
    """The board after `at` moves as one SVG document; UsageError where there is no such move."""
    if not 0 <= at < len(positions):
        raise UsageError(f"the game has {len(positions) - 1} moves: there is no move {at}")
    shown = diagram(game, positions[at], hint="none")
    marks = (*shown.marks, *_last(game, positions, at))
    return svg(replace(shown, marks=marks), title=f"{game.slug} after {at} moves")


def _last(game: Game, positions: list[Position], at: int) -> Iterator[Mark]:
    """Marks on the cells that the last of these moves changed."""
    if not at or positions[at].history[-1].is_word:
        return
    side = positions[at].history[-1].side
    before, after = (game.kinds_on(positions[n]) for n in (at - 1, at))
    for cell, (was, now) in enumerate(zip(before, after, strict=True)):
        if was != now:
            yield Mark(cell, mark_kinds.LAST, side)
