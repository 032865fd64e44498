"""Notation of doves, boards and actions.

A board is its rows from top to bottom joined by `/`, cropped to the doves, `.` for an empty cell;
upper case is Red. An action is stored by where it leads as seen from the red boss before it
(`+AW1`, `BN1E1`, `-H`), so that it means the same wherever the doves lie; people write cells of
the board in front of them (`+Ab3`, `Tc2-c5`). Directions are upper case, columns lower case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lumiban.errors import GameError
from lumiban.games.base import IllegalMove, Move, Position, Refusal
from lumiban.games.doves.kernel import CELLS, KINDS, MOVES, REMOVES, SIDE

PUT, MOVE, REMOVE = "put", "move", "remove"
LETTERS = "".join(kind + kind.lower() for kind in KINDS)
"""The letter of each dove, by its number 2·kind + side."""

_OFFSET = re.compile(r"(?:([NS])([1-9]))?(?:([EW])([1-9]))?")
_FROM_TO = re.compile(r"(?:([a-z][0-9]+)-)?([a-z][0-9]+)")
_FORM = re.compile(r"([+-]?)([A-Za-z])(.*)", re.DOTALL)


def place_of(cell: int) -> int:
    """The place of a bit (8·row + column) for a cell number of the frame."""
    return cell + 2 * (cell // SIDE)


def cell_of(place: int) -> int:
    """The cell number of the frame for the place of a bit."""
    return place - 2 * (place >> 3)


def code_of(act: str, kind: int, cell: int = 0) -> int:
    """The kernel's number of an action."""
    if act == REMOVE:
        return REMOVES + kind
    return (MOVES if act == MOVE else 0) + kind * CELLS + cell


def action(code: int) -> tuple[str, int, int]:
    """Action of a kernel's number: put, move or remove; the kind; the cell (−1 for the hand).

    >>> action(code_of(MOVE, 4, 7))
    ('move', 4, 7)
    """
    if code >= REMOVES:
        return REMOVE, code - REMOVES, -1
    if code >= MOVES:
        return MOVE, (code - MOVES) // CELLS, code % CELLS
    return PUT, code // CELLS, code % CELLS


def board_text(doves: Sequence[int]) -> str:
    """The doves (places by number, −1 in hand) as a board, cropped.

    >>> board_text([17, 9, -1, -1, 16, *[-1] * 7])
    '.b/YB'
    """
    at = {place: LETTERS[dove] for dove, place in enumerate(doves) if place >= 0}
    rows = [place >> 3 for place in at]
    columns = [place & 7 for place in at]
    return "/".join(
        "".join(at.get(8 * r + c, ".") for c in range(min(columns), max(columns) + 1))
        for r in range(min(rows), max(rows) + 1)
    )


def doves_in(board: str) -> dict[str, tuple[int, int]]:
    """Row and column of each letter of a board text; GameError for what is no board.

    >>> doves_in("b./BA")
    {'b': (0, 0), 'B': (1, 0), 'A': (1, 1)}
    """
    places: dict[str, tuple[int, int]] = {}
    rows = board.strip().split("/")
    for r, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise GameError(
                f"the board {board!r}: row {r + 1} has {len(row)} cells, the first"
                f" {len(rows[0])}; write all rows equally long, with . for an empty cell"
            )
        for c, letter in enumerate(row):
            if letter == ".":
                continue
            if letter not in LETTERS:
                raise GameError(
                    f"the board {board!r}: {letter!r} is no dove; they are {KINDS} for Red and"
                    f" {KINDS.lower()} for Green"
                )
            if letter in places:
                raise GameError(f"the board {board!r}: {letter} stands there twice")
            places[letter] = (r, c)
    return places


def stored(position: Position, code: int) -> Move:
    """The Move of a kernel's number, in the form for storage, for the side to move."""
    side = position.state[0]
    act, kind, cell = action(code)
    letter = LETTERS[2 * kind + side]
    if act == REMOVE:
        return Move(side, "-" + letter, code)
    boss = position.state[1]
    down = cell // SIDE - (boss >> 3)
    right = cell % SIDE - (boss & 7)
    text = "+" + letter if act == PUT else letter
    if down:
        text += f"{'S' if down > 0 else 'N'}{abs(down)}"
    if right:
        text += f"{'E' if right > 0 else 'W'}{abs(right)}"
    return Move(side, text, code)


def spoken(position: Position, move: Move, name: Callable[[int], str]) -> str:
    """A move for people: `+Ab3`, `Tc2-c5`, `-H`; `name` names a cell of the frame."""
    if move.is_word:
        return move.text
    act, kind, cell = action(move.code)
    dove = 2 * kind + move.side
    if act == REMOVE:
        return "-" + LETTERS[dove]
    if act == PUT:
        return f"+{LETTERS[dove]}{name(cell)}"
    return f"{LETTERS[dove]}{name(cell_of(position.state[1 + dove]))}-{name(cell)}"


def parse(position: Position, text: str, frame_cell: Callable[[str], int]) -> Move:
    """The action that `text` notes in either form, legal or not; IllegalMove if none.

    The letter tells the side. `frame_cell` gives the frame's cell of a name that people use, −1 for
    none.
    """
    noted = "".join(text.split())
    form = _FORM.fullmatch(noted)
    if form is None or form[2] not in LETTERS:
        raise _unreadable(text)
    sign, letter, rest = form.groups()
    dove = LETTERS.index(letter)
    kind, owner = divmod(dove, 2)
    if sign == "-":
        if rest:
            raise _unreadable(text)
        return Move(owner, noted, code_of(REMOVE, kind))
    cell = _target(position, dove, rest, text, frame_cell, moves=sign == "")
    move = stored(position, code_of(PUT if sign else MOVE, kind, cell))
    written = move.text.replace(LETTERS[2 * kind + move.side], letter, 1)
    return Move(owner, written, move.code)


def _target(
    position: Position,
    dove: int,
    rest: str,
    text: str,
    frame_cell: Callable[[str], int],
    *,
    moves: bool,
) -> int:
    """The cell of the frame that the end of a notation names."""
    offset = _OFFSET.fullmatch(rest)
    if rest and offset is not None:
        boss = position.state[1]
        south, down, east, right = offset.groups()
        row = (boss >> 3) + int(down or 0) * (1 if south == "S" else -1)
        column = (boss & 7) + int(right or 0) * (1 if east == "E" else -1)
        if not (0 <= row < SIDE and 0 <= column < SIDE):
            raise _out_of_reach(text)
        return SIDE * row + column
    cells = _FROM_TO.fullmatch(rest)
    if cells is None:
        raise _unreadable(text)
    start, end = cells.groups()
    if frame_cell(end) < 0:
        raise _out_of_reach(text)
    if start is not None:
        place = position.state[1 + dove]
        if not moves:
            raise _unreadable(text)
        from_cell = frame_cell(start)
        if from_cell < 0 or place_of(from_cell) != place:
            where = (cell_of(place),) if place >= 0 else ()
            params = (("dove", LETTERS[dove]), ("cell", start))
            raise IllegalMove(
                f"{text}: {LETTERS[dove]} is not on {start}",
                Refusal("doves.not-there", where, params),
            )
    return frame_cell(end)


def _out_of_reach(text: str) -> IllegalMove:
    return IllegalMove(
        f"{text}: this cell is more than one step away from all doves",
        Refusal("doves.out-of-reach", params=(("text", text),)),
    )


def _unreadable(text: str) -> IllegalMove:
    return IllegalMove(
        f"{text!r} is not an action: write a put (+Ab3 or +AN1E2), a move (Tc2-c5, Tc5 or TS3), a"
        " removal (-H) or a word (resign)",
        Refusal("doves.unreadable", params=(("text", text),)),
    )
