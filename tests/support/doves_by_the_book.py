"""Tokyo Doves once more, slowly and from the words of its rules, to hold the kernel against.

A board is a dict: letter of a dove -> (row, column), without bounds. Upper case is Red.
"""

from __future__ import annotations

from collections.abc import Iterator

Cell = tuple[int, int]
Board = dict[str, Cell]
Form = frozenset[tuple[str, Cell]]
Action = tuple[str, str, Cell | None]
"""put, move or remove; the dove; the target cell."""

RED, GREEN = 0, 1
HANDS = ("BAYMTH", "baymth")
EDGES = ((-1, 0), (1, 0), (0, -1), (0, 1))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
AROUND = EDGES + CORNERS
LEAPS = tuple((a * s, b * t) for a, b in ((1, 2), (2, 1)) for s in (-1, 1) for t in (-1, 1))
STEPS = {"b": AROUND, "a": AROUND, "y": EDGES, "m": CORNERS, "h": LEAPS}


def read(text: str) -> Board:
    rows = text.split("/")
    return {
        letter: (r, c)
        for r, row in enumerate(rows)
        for c, letter in enumerate(row)
        if letter != "."
    }


def form(board: Board) -> Form:
    """The board wherever it lies."""
    top = min(r for r, _ in board.values())
    left = min(c for _, c in board.values())
    return frozenset((d, (r - top, c - left)) for d, (r, c) in board.items())


def images(board: Board) -> list[Board]:
    """The board in the eight ways to turn and mirror it, the board itself first."""
    found = []
    for swap in (False, True):
        for down in (1, -1):
            for right in (1, -1):
                turned = {d: (down * r, right * c) for d, (r, c) in board.items()}
                if swap:
                    turned = {d: (c, r) for d, (r, c) in turned.items()}
                found.append(turned)
    return found


def spread(board: Board) -> tuple[int, int]:
    rows = [r for r, _ in board.values()]
    columns = [c for _, c in board.values()]
    return max(rows) - min(rows) + 1, max(columns) - min(columns) + 1


def lonely(board: Board) -> list[str]:
    taken = set(board.values())
    return [d for d, (r, c) in board.items() if not any((r + a, c + b) in taken for a, b in AROUND)]


def stands(board: Board) -> bool:
    return max(spread(board)) <= 4 and not lonely(board)


def air(board: Board, side: int) -> list[Cell]:
    """The free sides of a boss."""
    rows, columns = spread(board)
    top = min(r for r, _ in board.values())
    left = min(c for _, c in board.values())
    r, c = board["Bb"[side]]
    free = []
    for a, b in EDGES:
        cell = (r + a, c + b)
        wall = (rows == 4 and cell[0] in (top - 1, top + 4)) or (
            columns == 4 and cell[1] in (left - 1, left + 4)
        )
        if not wall and cell not in board.values():
            free.append(cell)
    return free


def walls(board: Board) -> set[Cell]:
    """The cells beside four rows or columns in use, six of a line: no dove gets farther."""
    (rows, columns), cells = spread(board), board.values()
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    around = {(top + r, left + c) for r in range(-1, 5) for c in range(-1, 5)}
    return {
        (r, c)
        for r, c in around
        if (rows == 4 and not 0 <= r - top < 4) or (columns == 4 and not 0 <= c - left < 4)
    }


def surrounded(board: Board) -> tuple[bool, bool]:
    return not air(board, RED), not air(board, GREEN)


def actions(board: Board, side: int, remove: bool = True) -> Iterator[tuple[Action, Board]]:
    """All that the rules allow, bans apart, with the board after it."""
    own = [d for d in HANDS[side] if d in board]
    taken = set(board.values())
    near = {(r + a, c + b) for r, c in taken for a, b in AROUND} - taken
    enemy = board["Bb"[1 - side]]
    beside = {(enemy[0] + a, enemy[1] + b) for a, b in EDGES}
    touched = {(board[d][0] + a, board[d][1] + b) for d in own for a, b in AROUND}
    for dove in HANDS[side]:
        if dove in board:
            continue
        for cell in sorted((near & touched) - beside):
            after = {**board, dove: cell}
            if stands(after):
                yield ("put", dove, cell), after
    for dove in own:
        for cell in reached(board, dove):
            after = {**board, dove: cell}
            if stands(after):
                yield ("move", dove, cell), after
    for dove in own:
        if remove and dove not in "Bb":
            after = {d: cell for d, cell in board.items() if d != dove}
            if stands(after):
                yield ("remove", dove, None), after


def reasons(
    board: Board, side: int, action: tuple[str, str, Cell], remove: bool
) -> Iterator[tuple[str, list[Cell] | None]]:
    """The rules that forbid an action, in their order, and the cells that prove it, if that is
    clear. Only the first counts; what nothing else forbids is banned."""
    act, dove, cell = action
    own = [board[d] for d in HANDS[side] if d in board]
    enemy = board["Bb"[1 - side]]
    if act == "remove" and dove in "Bb":
        yield "boss-stays", [board[dove]]
    if act == "put" and dove in board:
        yield "not-in-hand", [board[dove]]
    if act != "put" and dove not in board:
        yield "not-on-board", []
    if act == "remove" and not remove:
        yield "no-removing", [board[dove]]
    if act == "move" and cell == board[dove]:
        yield "no-action", [cell]
    if act != "remove" and cell in board.values():
        yield "occupied", [cell]
    if act == "put" and abs(cell[0] - enemy[0]) + abs(cell[1] - enemy[1]) == 1:
        yield "beside-enemy-boss", [enemy]
    if act == "put" and not any((cell[0] + a, cell[1] + b) in own for a, b in AROUND):
        yield "touches-no-own", own
    if act == "move" and cell not in reached({dove: board[dove]}, dove):
        yield "not-its-way", [board[dove]]
    if act == "move" and cell not in reached(board, dove):
        yield "blocked", None
    after = {d: at for d, at in board.items() if d != dove}
    after |= {} if act == "remove" else {dove: cell}
    if max(spread(after)) > 4:
        yield "too-wide", None
    alone = lonely(after)
    if act != "remove" and dove in alone:
        yield "alone", [cell]
    if alone:
        yield "left-alone", [after[d] for d in alone]
    yield "initial faced faced-turned", list(after.values())


def reached(board: Board, dove: str) -> Iterator[Cell]:
    r, c = board[dove]
    taken = set(board.values())
    if dove in "Tt":
        for a, b in EDGES:
            for far in range(1, 10):
                cell = (r + far * a, c + far * b)
                if cell in taken:
                    break
                yield cell
        return
    for a, b in STEPS[dove.lower()]:
        if (r + a, c + b) not in taken:
            yield r + a, c + b


def noted(board: Board, action: Action) -> str:
    """An action as seen from the red boss."""
    act, dove, cell = action
    if cell is None:
        return "-" + dove
    down, right = cell[0] - board["B"][0], cell[1] - board["B"][1]
    text = ("+" if act == "put" else "") + dove
    text += f"S{down}" if down > 0 else f"N{-down}" if down < 0 else ""
    return text + (f"E{right}" if right > 0 else f"W{-right}" if right < 0 else "")


def is_initial(board: Board) -> bool:
    (r, c), (s, d) = board["B"], board["b"]
    return len(board) == 2 and abs(r - s) + abs(c - d) == 1


class Game:
    """A game with its bans: what each side has faced at the start of its turns."""

    def __init__(self, repetition: str, initial: str, remove: str, board: Board, side: int) -> None:
        self.repetition, self.initial = repetition, initial
        self.remove = remove == "on"
        self.board, self.side = board, side
        self.faced: tuple[set[Form], set[Form]] = (set(), set())
        self.faced[side].add(form(board))
        self.barred = 0

    def legal(self) -> dict[str, Board]:
        """By notation, the board after each legal action; `barred` counts the others."""
        found = {}
        self.barred = 0
        for action, after in actions(self.board, self.side, self.remove):
            if self.bans(after):
                self.barred += 1
            else:
                found[noted(self.board, action)] = after
        return found

    def bans(self, after: Board) -> bool:
        if self.initial == "forbidden" and is_initial(after):
            return True
        faced = self.faced[1 - self.side]
        if self.repetition == "normal":
            return form(after) in faced
        if self.repetition == "strong":
            return any(form(image) in faced for image in images(after))
        return False

    def play(self, after: Board) -> bool:
        """Go on; returns whether the side to move now could claim a repetition."""
        self.board, self.side = after, 1 - self.side
        again = form(after) in self.faced[self.side]
        self.faced[self.side].add(form(after))
        return again
