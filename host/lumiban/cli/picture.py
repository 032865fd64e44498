"""`lumiban games picture`: a position of a game and its marks, as an SVG file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lumiban.cli.arguments import Options, options, to_write
from lumiban.cli.positions import begin, changes_in, played_on
from lumiban.errors import UsageError
from lumiban.games.light_game import LightGame

if TYPE_CHECKING:
    from lumiban.games.base import Game, Mark, Position


def command(
    game: Annotated[str, Parameter(help="The game; `lumiban games` lists them.")],
    /,
    *,
    out: Annotated[Path, Parameter(name=("--out",), help="The SVG file to write.")],
    option: Options = None,
    moves: Annotated[
        str, Parameter(help="Moves from the start, separated by commas: 'c1, b2, red c3'.")
    ] = "",
    position: Annotated[
        str,
        Parameter(
            help="Starting position instead: 'c1=white, b2=black'; in Doves a board: 'b./BA'; in"
            " Rengi both fields: 'FIELD|FIELD'."
        ),
    ] = "",
    to_move: Annotated[str, Parameter(help="The side to move in that position.")] = "",
    touch: Annotated[
        str,
        Parameter(
            help="What a hand changes, to show the board's answer: 'c4=black' or 'c4=empty'."
        ),
    ] = "",
    board: Annotated[
        str,
        Parameter(
            help="Draw it on the board of this profile, for games that drift over the board."
        ),
    ] = "",
    hint: Annotated[
        str, Parameter(help="What the lights show: none, legal, control, coach.")
    ] = "control",
    theme: Annotated[str, Parameter(help="standard, blue-orange or monochrome.")] = "standard",
    title: Annotated[str, Parameter(help="The picture's description for screen readers.")] = "",
) -> None:
    """Draw a position of a game as one SVG file, lit as the board would light it."""
    from lumiban import games
    from lumiban.games.base import HINT_LEVELS
    from lumiban.scene.svg import svg

    to_write(out, "--out")
    if hint not in HINT_LEVELS:
        raise UsageError(f"--hint is one of {', '.join(HINT_LEVELS)}, not {hint!r}")
    played = games.load(game, **options(option))
    if board:
        from lumiban.boards import profile

        played = played.laid_on(profile.load(board).grid)
    here = played_on(played, begin(played, position, to_move), moves)
    text = svg(
        shown(played, here, touch, hint), theme=theme, title=title or _title(played.slug, moves)
    )
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"--out {out} cannot be written: {error.strerror}") from None


def _title(game: str, moves: str) -> str:
    from lumiban.i18n import text

    name = text(f"game.{game}.name", "en")
    return f"{name} after {moves}" if moves else name


def _with_markers(
    game: LightGame, position: Position, changes: dict[int, int], marks: list[Mark]
) -> list[Mark]:
    """What the board shows once these markers were set, one after the other."""
    gesture = game.at_rest((0,) * len(game.grid))
    for at_us, (cell, kind) in enumerate(changes.items()):
        gesture = game.hear(position, gesture, cell, kind, at_us, True).gesture
    return [*marks, *game.gesture_marks(position, gesture, True)]


def shown(game: Game, position: Position, touch: str, hint: str) -> Any:
    """A position as the picture draws it, after `touch`: what hands have put and lifted."""
    from lumiban.games.floating_game import FloatingGame
    from lumiban.scene.svg import Shown

    pieces = [int(kind) for kind in game.pieces(position)]
    labels = {cell: name for cell, name in enumerate(game.labels(position)) if name}
    hands = [
        (name.capitalize(), "".join(held))
        for name, held in zip(game.sides, game.in_hand(position), strict=False)
    ]
    trays = game.trays if isinstance(game, FloatingGame) else ()
    marks = [*game.marks(position, hint)]
    if touch:
        changes = {
            game.grid.cell(name): kind for name, kind in changes_in(touch, "--touch", game).items()
        }
        for cell, kind in changes.items():
            pieces[cell] = kind
            labels.pop(cell, None)
        marks = _answer(game, position, pieces, changes, marks)
    return Shown(game.grid, pieces, marks, labels, () if trays else hands, trays)


def _answer(
    game: Game,
    position: Position,
    sensed: list[int],
    changes: dict[int, int],
    marks: list[Mark],
) -> list[Mark]:
    """What the board shows while these cells differ from the position."""
    if isinstance(game, LightGame):
        return _with_markers(game, position, changes, marks)
    from lumiban.games import marks as means
    from lumiban.games.base import Complete, Mark, Partial, Wrong

    calm = [mark for mark in marks if mark.meaning == means.OWNED]
    match game.read(position, sensed):
        case Wrong(refusal):
            now = next(iter(changes))
            proof = [Mark(cell, means.PROOF) for cell in refusal.cells if cell not in changes]
            return [*calm, Mark(now, means.MEND), *proof]
        case Partial(more):
            return [*calm, *more]
        case Complete(move, True, more):
            return [*calm, *more, *(Mark(cell, means.PENDING, move.side) for cell in changes)]
        case Complete(move):
            after = game.play(position, move)
            last = [Mark(cell, means.LAST, move.side) for cell in changes]
            return [*game.marks(after, "control"), *last]
    return marks
