"""Shortest wins of Tokyo Doves: can the mover force a win within 1, 3, 5, 7, 9 plies?

The answer is exact under the game's rules, bans on repetition and the game's history included.
Answers are remembered by position, plies left and what of the line may matter
(`alphabeta.relevant`).

Puzzles are positions of random games with one winning action and no other. Candidates are numbered;
each comes from the seed and its number alone, so that a search can stop and go on anywhere and
finds the same puzzles in the same order.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lumiban.errors import GameError, why_unread
from lumiban.games.base import Move, Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import (
    CELLS,
    FACED,
    MAX_ACTIONS,
    MOVER,
    MOVES,
    NO_INITIAL,
    NORMAL,
    REMOVE,
    REPEAT,
    board_of,
    generate,
    key_of,
    places_in,
)
from lumiban.games.kernel import Rows, entry_of, kernel
from lumiban.search import jit
from lumiban.search.doves.alphabeta import (
    ACTOR_LOSES,
    ACTOR_WINS,
    GOES_ON,
    face,
    line_of,
    mixed,
    name,
    relevant,
    state_of,
    step,
    sticking,
    surrounding,
)
from lumiban.search.tree import next_portion
from lumiban.system import size_limits

MAX_BYTES = 64 * size_limits.MEGABYTE
"""Of a file of puzzles."""
MAX_MATE_PLIES = 9
"""Plies of the longest win that is looked for."""
_MAX_IN_SLICE = 1 << 14
TABLE_BITS, CODES = 16, 448
"""Of the table; more than the numbers of actions."""

NO, YES = 1, 2
PLIES, PLY, NODES, KNOWN, KINDS_IN_PLAY = 0, 1, 2, 3, 4
"""Places in `meta`."""


class Hunt(NamedTuple):
    """A search for one win: the side to move at even plies attacks."""

    plan: Any
    boards: Rows
    past: Any
    """What was faced on the line."""
    listed: Any
    """The actions at each ply, each with as much room as MAX_ACTIONS."""
    weight: Any
    count: Any
    at: Any
    keys: Any
    paths: Any
    killer: Any
    """By ply, the reply that refuted last."""
    history: Any
    """By side and action, how often it decided."""
    table_keys: Any
    table_paths: Any
    table_says: Any
    out: Any
    spare: Any
    meta: Any


@kernel
def is_in_play(hunt: Any, code: int) -> bool:
    """True if an action is made with a dove of this hunt's kinds."""
    if code >= MOVES:
        return True
    mask: int = hunt.meta[KINDS_IN_PLAY]
    return (mask >> (code // CELLS)) & 1 != 0


@kernel
def wins_now(hunt: Any, ply: int) -> bool:
    """True if the side to move wins with its next action."""
    plan = hunt.plan
    if surrounding(plan, hunt.boards, hunt.past, ply, hunt.out) >= 0:
        return True
    if plan[REPEAT] < NORMAL and plan[REMOVE] != 0 and plan[NO_INITIAL] == 0:
        return False
    return sticking(plan, hunt.boards, hunt.past, ply, hunt.out, hunt.spare) >= 0


@kernel
def list_actions(hunt: Any, ply: int) -> int:
    """List what the side to move can do at `ply`, best first; an answer if that decides it.

    What ends the game against the side that acts is left out. The attacker has looked for a win
    at once before.
    """
    board = hunt.boards[ply]
    attacks = ply & 1 == 0
    total = generate(hunt.plan, board, hunt.past, hunt.out, MAX_ACTIONS)
    base, kept = ply * MAX_ACTIONS, 0
    history = board[MOVER] * CODES
    for i in range(total):
        code = hunt.out[i]
        if not is_in_play(hunt, code):
            continue
        hunt.meta[NODES] += 1
        ended = step(hunt.plan, hunt.boards, ply, code)
        if ended == ACTOR_LOSES:
            continue
        if ended != GOES_ON:
            if attacks:
                if ended == ACTOR_WINS:
                    return YES
                continue
            hunt.killer[ply] = code
            return NO
        worth = hunt.history[history + code]
        if code == hunt.killer[ply]:
            worth = 1 << 60
        j = kept
        while j > 0 and hunt.weight[j - 1] < worth:
            hunt.weight[j] = hunt.weight[j - 1]
            hunt.listed[base + j] = hunt.listed[base + j - 1]
            j -= 1
        hunt.weight[j] = worth
        hunt.listed[base + j] = code
        kept += 1
    hunt.count[ply] = kept
    hunt.at[ply] = -1
    if kept == 0:
        return NO if attacks else YES
    return 0


@kernel
def enter(hunt: Any, ply: int) -> int:
    """Face the position at `ply`; its answer where that is known at once, else 0."""
    board = hunt.boards[ply]
    left = hunt.meta[PLIES] - ply
    key = name(hunt.plan, board)
    face(hunt.plan, board, hunt.past, key)
    if ply & 1 == 0:
        if left == 1:
            hunt.meta[NODES] += 1
            return YES if wins_now(hunt, ply) else NO
        path = relevant(hunt.plan, board, hunt.past, key, hunt.meta[KNOWN], left)
        hunt.keys[ply] = key
        hunt.paths[ply] = path
        at = slot_of(hunt, key, path, left)
        says = hunt.table_says[at]
        if hunt.table_keys[at] == key and hunt.table_paths[at] == path and says >> 2 == left:
            answer: int = says & 3
            return answer
        if wins_now(hunt, ply):
            return YES
    return list_actions(hunt, ply)


@kernel
def slot_of(hunt: Any, key: int, path: int, left: int) -> int:
    """The place in the table for this position, line and plies left."""
    return mixed(key ^ path ^ (left << 40)) & (len(hunt.table_keys) - 1)


@kernel
def note(hunt: Any, ply: int, answer: int) -> None:
    """Remember the answer of an attacker's position."""
    left = hunt.meta[PLIES] - ply
    at = slot_of(hunt, hunt.keys[ply], hunt.paths[ply], left)
    hunt.table_keys[at] = hunt.keys[ply]
    hunt.table_paths[at] = hunt.paths[ply]
    hunt.table_says[at] = left << 2 | answer


@entry_of(DovesState)
def hunt_on(hunt: Hunt, nodes: int) -> int:
    """Search about this number of nodes further; whether the first action wins (YES, NO), 0 while
    it is open.

    The board after that action lies at ply 1.
    """
    meta = hunt.meta
    until = meta[NODES] + nodes
    ply = meta[PLY]
    answer = 0
    if ply == 0:
        ply = 1
        answer = enter(hunt, 1)
    while meta[NODES] < until or answer != 0:
        if answer == 0:
            hunt.at[ply] += 1
            if hunt.at[ply] == hunt.count[ply]:
                answer = NO if ply & 1 == 0 else YES
            else:
                step(hunt.plan, hunt.boards, ply, hunt.listed[ply * MAX_ACTIONS + hunt.at[ply]])
                ply += 1
                answer = enter(hunt, ply)
                continue
        # The position at `ply` is decided.
        if ply & 1 == 0 and meta[PLIES] - ply > 1:
            note(hunt, ply, answer)
        ply -= 1
        if ply == 0:
            return answer
        wish = YES if ply & 1 == 0 else NO
        if answer == wish:
            code = hunt.listed[ply * MAX_ACTIONS + hunt.at[ply]]
            hunt.history[hunt.boards[ply][MOVER] * CODES + code] += 1 + meta[PLIES] - ply
            if ply & 1 != 0:
                hunt.killer[ply] = code
        else:
            answer = 0
    meta[PLY] = ply
    return 0


@entry_of(DovesState)
def begin(hunt: Hunt, code: int, plies: int) -> int:
    """Put a first action below the position; YES or NO where that tells already, else 0."""
    hunt.meta[PLIES] = plies
    hunt.meta[PLY] = 0
    hunt.meta[NODES] += 1
    ended = step(hunt.plan, hunt.boards, 0, code)
    if ended != GOES_ON:
        return YES if ended == ACTOR_WINS else NO
    if generate(hunt.plan, hunt.boards[1], hunt.past, hunt.out, 1) == 0:
        return YES
    return NO if plies == 1 else 0


@dataclass(frozen=True, slots=True)
class Mate:
    """A shortest forced win, or how far there is none."""

    plies: int
    """Within how many plies the mover wins whatever the other side does; 0: none was found."""
    moves: tuple[Move, ...]
    """All first actions that win within a number of actions."""
    searched: int
    """The plies within which it is certain that there is no win, or that this is the shortest."""
    nodes: int


class Hunter:
    """Looks for shortest wins in one position; what it learns for one length helps the next."""

    def __init__(
        self, game: Doves, position: Position, *, compiled: bool = True, kinds: str = "AYMTH"
    ) -> None:
        if game.outcome(position) is not None:
            raise GameError("the game is over: there is nothing to win")
        self._game, self._position = game, position
        state = state_of(game, position)
        self._codes = [0] * MAX_ACTIONS
        total = state.moves(self._codes)
        mask = 1 | sum(1 << "BAYMTH".index(kind) for kind in kinds)
        self._codes = [
            code for code in self._codes[:total] if code >= MOVES or mask >> code // CELLS & 1
        ]
        plies = MAX_MATE_PLIES + 1
        slots = 1 << TABLE_BITS
        lengths = (
            MAX_ACTIONS * plies, MAX_ACTIONS, plies, plies, plies, plies, plies, 2 * CODES,
            slots, slots, slots, MAX_ACTIONS, MAX_ACTIONS, 5,
        )  # fmt: skip
        line: Any
        past: Any
        line, past = line_of(state, plies)
        self._portion = 4
        self._run: Callable[..., Any] = hunt_on
        self._begin: Callable[..., Any] = begin
        plan: Any = state.plan
        room: Callable[[int], Any] = _zeros
        if compiled and jit.has_kernels(DovesState):
            plan, line, past = map(jit.ints, (plan, line, past))
            room = jit.zeros
            self._run = jit.compiled(hunt_on, DovesState)
            self._begin = jit.compiled(begin, DovesState)
        self._hunt = Hunt(plan, line, past, *(room(length) for length in lengths))
        self._hunt.meta[KNOWN] = state.board[FACED]
        self._hunt.meta[KINDS_IN_PLAY] = mask

    @property
    def nodes(self) -> int:
        """Actions tried so far."""
        return int(self._hunt.meta[NODES])

    def winning(
        self, plies: int, stop: Callable[[], bool] | None = None, most_nodes: int | None = None
    ) -> list[Move] | None:
        """All first actions that win within `plies`; None when it was ended before it knew."""
        moves = []
        for code in self._codes:
            answer = self._begin(self._hunt, code, plies)
            while answer == 0:
                answer = self._go_on(most_nodes)
                if answer == 0 and self._ended(stop, most_nodes):
                    return None
            if answer == YES:
                moves.append(self._game.move_of(self._position, code))
            if self._ended(stop, most_nodes):
                return None
        return moves

    def _go_on(self, most_nodes: int | None) -> int:
        """One slice; where it ends makes no difference to what is found."""
        portion = self._portion
        if most_nodes is not None:
            portion = min(portion, max(1, most_nodes - self.nodes))
        began = time.monotonic_ns()
        answer = int(self._run(self._hunt, portion))
        took_us = (time.monotonic_ns() - began) // 1000
        self._portion = next_portion(self._portion, took_us, _MAX_IN_SLICE)
        return answer

    def _ended(self, stop: Callable[[], bool] | None, most_nodes: int | None) -> bool:
        if most_nodes is not None and self.nodes >= most_nodes:
            return True
        return stop is not None and stop()


def find_mate(
    game: Doves,
    position: Position,
    longest: int = MAX_MATE_PLIES,
    *,
    compiled: bool = True,
    stop: Callable[[], bool] | None = None,
    most_nodes: int | None = None,
    kinds: str = "AYMTH",
    progress: Callable[[int, int], None] | None = None,
) -> Mate:
    """The shortest win of the mover within `longest` plies (1 to 9), and all actions that begin it.

    `stop()` is asked every few milliseconds; it or `most_nodes` ends the search early, and the
    answer says how far it is certain. `kinds` are those that may be put from the hand.
    `progress(plies, nodes)` is called before each length. GameError when the game is over.

    >>> game = Doves()
    >>> position = game.setup(board="..t/.MB/HYb/Thy", to_move="red")
    >>> find_mate(game, position, 3, compiled=False).searched
    3
    """
    if not 1 <= longest <= MAX_MATE_PLIES:
        raise GameError(f"wins are looked for within 1 to {MAX_MATE_PLIES} plies, not {longest}")
    hunter = Hunter(game, position, compiled=compiled, kinds=kinds)
    searched = 0
    for plies in range(1, longest + 1, 2):
        if progress is not None:
            progress(plies, hunter.nodes)
        moves = hunter.winning(plies, stop, most_nodes)
        if moves is None:
            break
        searched = plies
        if moves:
            return Mate(plies, tuple(moves), searched, hunter.nodes)
    return Mate(0, (), searched, hunter.nodes)


def main_line(
    game: Doves, position: Position, mate: Mate, *, compiled: bool = True
) -> tuple[Move, ...]:
    """Moves that follow a win's first action when the other side holds out as long as it can.

    Where several actions are as good the first in the game's order is told.
    """
    line: list[Move] = []
    moves, left = mate.moves, mate.plies
    while left > 0:
        line.append(moves[0])
        position = game.play(position, moves[0])
        replies = game.moves(position, position.state[0]) if left > 1 else []
        longest: tuple[int, Move, Position, Mate] | None = None
        for reply in replies:
            after = game.play(position, reply)
            if game.outcome(after) is not None:
                continue
            answer = find_mate(game, after, left - 2, compiled=compiled)
            if longest is None or answer.plies > longest[0]:
                longest = (answer.plies, reply, after, answer)
                if answer.plies == left - 2:
                    break
        if longest is None:
            if replies and game.outcome(position) is None:
                line.append(replies[0])
            break
        left, reply, position, answer = longest
        line.append(reply)
        moves = answer.moves
    return tuple(line)


def _zeros(length: int) -> list[int]:
    return [0] * length


_MIN_GAME, _MAX_GAME = 8, 40
"""Actions of the random game that leads to a candidate."""
_NOTED = 250
"""Candidates between two notes in the file on how far the search has come."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and the only action that wins as soon as can be."""

    board: str
    """As text, see `Doves.board_text`; the position has no history."""
    to_move: str
    plies: int
    """Number of actions within which the mover wins, and not within fewer."""
    first: str
    """The action, as it is stored."""
    line: tuple[str, ...]
    """That action and what follows when the other side holds out."""
    candidate: int
    """The number of the candidate that it was."""


class Puzzles:
    """A search for puzzles of one length, kept in a file where one is named.

    GameError when the file holds another search, or the length is none of 1, 3, 5, 7, 9.
    """

    def __init__(
        self, game: Doves, plies: int, seed: int, path: Path | None = None, *, compiled: bool = True
    ) -> None:
        if plies not in range(1, MAX_MATE_PLIES + 1, 2):
            raise GameError(f"puzzles win within 1, 3, 5, 7 or {MAX_MATE_PLIES} plies, not {plies}")
        self._game, self._plies, self._seed, self._path = game, plies, seed, path
        self._compiled = compiled
        self.found: list[Puzzle] = []
        """All that were found so far, from the file too."""
        self.tried = 0
        """Number of candidates looked at."""
        self._known: set[int] = set()
        if path is not None:
            self._open(path)

    def search(
        self, count: int, progress: Callable[[int, int], None] | None = None
    ) -> Iterator[Puzzle]:
        """The puzzles found already, then more until there are `count` of them.

        `progress(found, tried)` is called before each candidate.
        """
        yield from self.found[:count]
        while len(self.found) < count:
            if progress is not None:
                progress(len(self.found), self.tried)
            number = self.tried
            puzzle = self._try(number)
            self.tried += 1
            if puzzle is not None:
                self.found.append(puzzle)
                self._write({"puzzle": asdict(puzzle)})
                yield puzzle
            elif self.tried % _NOTED == 0:
                self._write({"tried": self.tried})

    def _try(self, number: int) -> Puzzle | None:
        game = self._game
        position = candidate(game, self._seed, number)
        if position is None:
            return None
        key = _whole(game, position)
        if key in self._known:
            return None
        mate = find_mate(game, position, self._plies, compiled=self._compiled)
        if mate.plies != self._plies or len(mate.moves) != 1:
            return None
        self._known.add(key)
        line = main_line(game, position, mate, compiled=self._compiled)
        return Puzzle(
            game.board_text(position),
            game.sides[position.state[0]],
            mate.plies,
            mate.moves[0].text,
            tuple(move.text for move in line),
            number,
        )

    def _head(self) -> dict[str, Any]:
        game = self._game
        options = {name: game.options[name] for name in _RULES}
        return {"game": game.slug, "options": options, "mate": self._plies, "seed": self._seed}

    def _open(self, path: Path) -> None:
        """Read what the file holds, or begin it; a line cut short at its end is dropped."""
        try:
            text = size_limits.text(path, MAX_BYTES) if path.exists() else ""
        except (OSError, size_limits.Unreadable) as reason:
            raise GameError(f"{path} cannot be read: {why_unread(reason)}") from None
        lines = text.split("\n")
        whole, torn = lines[:-1], lines[-1]
        if torn:
            self._keep(path, "".join(line + "\n" for line in whole))
        if not whole:
            self._write(self._head())
            return
        try:
            read = [size_limits.from_json(line) for line in whole]
            head = read[0]
            if head != self._head():
                raise GameError(f"{path} holds another search, see its first line; name another")
            for told in read[1:]:
                if "puzzle" in told:
                    puzzle = dict(told["puzzle"])
                    self._take(Puzzle(**{**puzzle, "line": tuple(puzzle["line"])}))
                else:
                    self.tried = int(told["tried"])
        except (ValueError, TypeError, KeyError) as reason:
            raise GameError(f"{path} is no file of puzzles: {reason}") from None

    def _take(self, puzzle: Puzzle) -> None:
        self.found.append(puzzle)
        self.tried = puzzle.candidate + 1
        position = self._game.setup(board=puzzle.board, to_move=puzzle.to_move)
        self._known.add(_whole(self._game, position))

    def _write(self, told: dict[str, Any]) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")
        except OSError as reason:
            raise GameError(f"{self._path} cannot be written: {why_unread(reason)}") from None

    @staticmethod
    def _keep(path: Path, text: str) -> None:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as reason:
            raise GameError(f"{path} cannot be written: {why_unread(reason)}") from None


_RULES = ("repetition", "initial", "remove", "both")


def candidate(game: Doves, seed: int, number: int) -> Position | None:
    """A position some random actions into a game, as if it were set up; None if that had ended."""
    rng = random.Random(f"{seed}/{number}")
    state = game.state(game.start())
    out = [0] * MAX_ACTIONS
    for _ in range(rng.randint(_MIN_GAME, _MAX_GAME)):
        total = state.moves(out)
        if total == 0:
            return None
        before = list(state.board)
        state.play(out[rng.randrange(total)])
        if state.outcome() != -1:
            # The position that a random action has just spoilt or won.
            state.board[:] = before
            break
    position = game.position(places_in(state.board), state.mover())
    return None if game.outcome(position) is not None else position


def _whole(game: Doves, position: Position) -> int:
    """One number for a position however turned, whichever colour is to move."""
    doves = game.places(position)
    if position.state[0] == 1:
        doves = tuple(doves[dove ^ 1] for dove in range(12))
    return key_of(board_of(doves, 0), 0, True)
