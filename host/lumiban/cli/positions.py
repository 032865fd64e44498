"""Starting points of commands: the start, a position given by cells or as a board, a record's
move."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban.errors import GameError, JournalError, UsageError
from lumiban.games.base import IllegalMove
from lumiban.games.light_game import LightGame
from lumiban.games.registry import loading

if TYPE_CHECKING:
    from lumiban.games.base import Game, Position

COLOURS = {"empty": 0, "white": 1, "black": 2, "red": 3, "neutral": 3, "green": 2}
"""Contents of a cell, in words; Red's doves are read as white ones, Green's as black ones."""


def begin(game: Game, position: str, to_move: str) -> Position:
    """The position that --position and --to-move tell, the start without them; UsageError or
    GameError says what is wrong with it."""
    side = _side(game, to_move)
    if not position:
        if to_move:
            raise UsageError("--to-move belongs to a --position: give both, or neither")
        return game.start()
    if isinstance(game, LightGame):
        fields = tuple(position.split("|"))
        if len(fields) != 2:
            raise UsageError(
                "--position: both fields with a | between, the first player's and the second's:"
                " rows from above, with / between them, as in ....../RRBB..|....../......"
            )
        return _set_up(game, {}, side, fields=fields)
    if "=" not in position and any(game.labels(game.start())):
        return _set_up(game, {}, side, board=position)
    stones = {}
    for name, kind in changes_in(position, "--position", game).items():
        if not kind:
            raise UsageError(f"--position: {name} is empty anyway; list only the pieces")
        stones[name] = kind - 1
    return _set_up(game, stones, side)


def _set_up(game: Game, stones: dict[str, int], side: int, **more: Any) -> Position:
    try:
        return game.setup(stones, to_move=side, **more)
    except GameError as error:
        raise UsageError(f"--position: {error}") from None


def played_on(game: Game, position: Position, moves: str) -> Position:
    """The position after `moves`, with commas between; UsageError names the one that is wrong."""
    for number, text in enumerate(_listed(moves), 1):
        try:
            position = game.play(position, game.parse(position, text))
        except IllegalMove as error:
            raise UsageError(f"--moves, move {number}: {error}") from None
    return position


def is_record(name: str) -> bool:
    """True if the name's ending is that of a record or journal."""
    from lumiban.table.journal import SUFFIX
    from lumiban.table.record import SUFFIX as RECORD

    return name.endswith((RECORD, SUFFIX))


def of_record(file: Path, at: int | None, rules: str = "") -> tuple[Game, Position]:
    """The game of a record or journal and its position before move `at`, by default the last one
    in which the game still ran; a player's own game comes from the file `rules`. UsageError
    says what does not fit."""
    from lumiban.table.journal import SUFFIX

    try:
        game, positions = (_journal if file.name.endswith(SUFFIX) else _positions_of_record)(
            file, rules
        )
    except (GameError, JournalError) as error:
        raise UsageError(f"{file}: {error}") from None
    if at is None:
        running = [here for here in positions if game.outcome(here) is None]
        return game, running[-1]
    if not 1 <= at <= len(positions):
        raise UsageError(
            f"--at {at}: the game has {len(positions) - 1} moves; --at 1 is before the first"
        )
    return game, positions[at - 1]


def _positions_of_record(file: Path, rules: str) -> tuple[Game, list[Position]]:
    from lumiban.table.record import read, replay

    return replay(read(file), loading(rules))


def _journal(file: Path, rules: str) -> tuple[Game, list[Position]]:
    from lumiban.table.resume import resume

    if not file.is_file():
        raise UsageError(f"{file} cannot be read: there is no such file")
    history = resume(file, mends=False, load=loading(rules)).history
    return history.game, history.positions


def _listed(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]


def _side(game: Game, name: str) -> int:
    if name and name not in game.sides:
        raise UsageError(f"--to-move is {' or '.join(game.sides)}, not {name!r}")
    return game.sides.index(name) if name else 0


def changes_in(text: str, option: str, game: Game) -> dict[str, int]:
    """Cell name -> kind, from `c1=white, b2=empty`; UsageError names the option."""
    changes = {}
    for pair in _listed(text):
        name, equals, colour = (part.strip() for part in pair.partition("="))
        if not equals or colour not in COLOURS:
            raise UsageError(
                f"{option}: {pair!r} is not of the form cell=colour, as in c3=white; colours are"
                f" {', '.join(COLOURS)}"
            )
        try:
            game.grid.cell(name)
        except GameError as error:
            raise UsageError(f"{option}: {error}") from None
        changes[name] = COLOURS[colour]
    return changes
