"""When a rule itself fails: which line of its file, in which position, said in one line."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType

from lumiban.errors import GameError, LumibanError
from lumiban.games.api import Game, Position


class RuleFault(GameError):
    """An exception in somebody's rules; `line` is that of their file, 0 when it is not there."""

    exit_code = 1

    def __init__(self, text: str, *, path: str = "", line: int = 0) -> None:
        super().__init__(text)
        self.path = path
        self.line = line


class telling:  # noqa: N801  # reads as a statement: with telling(game, position)
    """Turns what a game from a file raises into a RuleFault that tells line and position.

    Errors of lumiban's own kinds pass, and so does everything from games that are no file's.
    """

    __slots__ = ("_at", "_game")

    def __init__(self, game: Game, at: object) -> None:
        self._game = game
        self._at = at

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, LumibanError) or not self._game.digest:
            return
        if isinstance(error, Exception):
            raise fault(error, type(self._game), self._at) from error


def try_start(game: Game) -> None:
    """Ask a game what a table asks before the first move: a RuleFault now ends nothing yet."""
    position = game.start()
    game.marks(position, "control")
    for side in game.movers(position):
        game.moves(position, side)


def fault(error: Exception, kind: type[Game], at: object) -> RuleFault:
    """The error as a RuleFault; `at` is a Position, or whatever can say where it was."""
    path = source_of(kind)
    line, where = line_of(error, path)
    place = f"line {line}, in {where}" if line else "outside its own file"
    said = position_text(at) if isinstance(at, Position) else str(at)
    return RuleFault(f"{path}, {place}: {told(error)} (position: {said})", path=path, line=line)


def source_of(kind: type[Game]) -> str:
    """The file of a game's class."""
    return str(getattr(sys.modules.get(kind.__module__), "__file__", "") or kind.slug)


def line_of(error: BaseException, path: str) -> tuple[int, str]:
    """The innermost line of this file that the error came through, and the function; (0, "")."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == path:
            return frame.lineno or 0, frame.name
    return 0, ""


def told(error: BaseException) -> str:
    """An exception in words: its kind and its text, on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def position_text(position: Position) -> str:
    """The moves that led to a position."""
    moves = " ".join(move.text for move in position.history)
    return f"after {moves}" if moves else "before any move"
