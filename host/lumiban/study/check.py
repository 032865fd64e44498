"""Check of a game against the laws of the API: random games, each position asked all of them.

    report = check(games.load("control", size=3), 20)
    report.ok, [str(breach) for breach in report.breaches]

The same seed plays the same games. A law that was broken once is not asked again. `games.laws` has
those of a position; here stand those that need the compiler, or a whole game and its record.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from lumiban import games
from lumiban.errors import GameError, LumibanError
from lumiban.games.base import Game, Move, Position
from lumiban.games.kernel import hash_table, play_out
from lumiban.games.laws import (
    KERNEL_LAWS,
    LAWS,
    Broken,
    CheckedPosition,
    Mirror,
    NoText,
    floats,
    retraced,
)
from lumiban.games.registry import RuleFault, RuleTakesTooLong
from lumiban.search import jit
from lumiban.system import size_limits
from lumiban.table import record
from lumiban.table.history import BY_BOARD, GameHistory


def compiles(here: CheckedPosition) -> bool:
    """True if there is anything to compile: a State for it, and a game that goes on."""
    position = here.position
    if position.phase != "play" or here.game.outcome(position) is not None:
        return False
    return jit.fits(here.game.state(position))


def compiled(here: CheckedPosition) -> None:
    """With numba a State plays the same games as without."""
    game, position = here.game, here.position
    root = game.state(position)
    rng, trace = hash_table(1, here.chance.getrandbits(30)), [0] * (game.capacity[1] + 2)
    fast_rng, fast_trace = jit.ints(rng), jit.ints(trace)
    count = play_out(root, game.state(position), rng, trace, 5)
    try:
        run = jit.compiled(play_out, type(root))
        twins = (jit.compiled_state(root), jit.compiled_state(game.state(position)))
        same = int(run(*twins, fast_rng, fast_trace, 5))
    except jit.Unfit:
        return  # the search plays it in plain Python
    upto = trace[0] + 1
    if (count, rng, trace[:upto]) != (same, list(fast_rng), fast_trace[:upto]):
        raise Broken("compiled and plain playouts are different")


def recorded(game: Game, seed: int, moves: list[Move], last: Position) -> None:
    """A finished game's record, written and read as JSON, leads to the same position."""
    outcome = game.outcome(last)
    if outcome is None:
        return
    history = GameHistory(game, ["human"] * len(game.sides), seed=seed)
    for number, move in enumerate(moves):
        history.play(move, number, BY_BOARD)
    document = size_limits.from_json(json.dumps(record.make(history, outcome)))
    try:
        _, positions = record.replay(document, games.load)
        record.verify(document, games.load)
    except GameError as error:
        raise Broken(f"its record does not replay: {error}") from error
    if positions[-1] != last:
        raise Broken("its record replays to another position")


ENDING = ("resign", "stop")


def any_word(game: Game, position: Position, chance: Random) -> Move | None:
    """A word that somebody may say, None when there is none; seldom one that ends the game.

    First its kind is drawn (put, lift, done, ...), so that a set-up is soon through.
    """
    words = [(side, word) for side in range(len(game.sides)) for word in game.words(position, side)]
    going_on = [one for one in words if one[1].split()[0] not in ENDING]
    if going_on and chance.random() < 0.9:
        words = going_on
    if not words:
        return None
    kind = chance.choice(sorted({word.split()[0] for _, word in words}))
    side, word = chance.choice([one for one in words if one[1].split()[0] == kind])
    return game.parse(position, word, side)


GAMES = 20
ENOUGH = 200
"""Positions at which each law is asked where nobody says how many games are played."""
MAX_GAMES = 80
"""More games are not played for that."""
SOME = 0.3
"""Share of the positions at which the laws are asked, after the first game; there at all."""
SELDOM = 0.02
"""Probability of saying a word where there are moves."""
TOO_LONG = 3
"""Times its capacity that a random game may go on, words included."""

ASKED: Mapping[str, Callable[[CheckedPosition], None]] = {
    **LAWS,
    **KERNEL_LAWS,
    "compiled": compiled,
}
"""The laws that are asked at a position."""
NAMES = (*ASKED, "symmetry", "undo", "length", "record")
"""All laws."""


@dataclass(frozen=True)
class Breach:
    """A law that does not hold: at which position, with which move, and in which random game."""

    law: str
    text: str
    moves: tuple[str, ...]
    """The moves that lead to the position."""
    move: str
    """The move that fails there, "" where it is the position itself."""
    number: int
    """The random game's number, from 0."""
    stopped: tuple[str, ...] = ()
    """Other laws that could not be asked for the same mistake."""
    place: tuple[str, int] | None = None
    """File and line of a rule that failed."""

    def __str__(self) -> str:
        after = f"after {' '.join(self.moves)}" if self.moves else "at the start"
        with_ = f", move {self.move}" if self.move else ""
        return f"{self.law}: {after}{with_}: {self.text}"


@dataclass
class Report:
    """Result of a check."""

    game: Game
    seed: int
    games: int = 0
    positions: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    """Number of times that each law was asked."""
    breaches: list[Breach] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_cut_short: bool = False
    """The rule has taken too long, as it would again: nothing more is asked of it."""

    @property
    def has_seen_enough(self) -> bool:
        """True if each law of a position that applies was asked often enough, or is broken."""
        broken = {law for breach in self.breaches for law in (breach.law, *breach.stopped)}
        names = [name for name in (*LAWS, "symmetry") if name not in broken and self.asked[name]]
        return all(self.asked[name] >= ENOUGH for name in names)

    @property
    def ok(self) -> bool:
        """True if all laws held."""
        return not self.breaches


def check(
    game: Game,
    games: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Play `games` random games and ask the laws at their positions; without a number, until each
    law has been asked at enough of them.

    `progress(games done, games)` is called after each.
    """
    report = Report(game, seed)
    most = MAX_GAMES if games is None else games
    for number in range(most):
        _RandomGame(report, number).play()
        report.games += 1
        if progress is not None:
            progress(number + 1, max(GAMES, number + 1) if games is None else games)
        enough = games is None and number + 1 >= GAMES and report.has_seen_enough
        if enough or report.is_cut_short:
            break
    return report


class _RandomGame:
    """One random game, with the laws asked on its way."""

    def __init__(self, report: Report, number: int) -> None:
        self.report = report
        self.number = number
        self.game = report.game
        self.chance = Random(f"{report.seed} {number}")
        self.seed = self.chance.getrandbits(30)
        self.moves: list[Move] = []
        self.failed = False
        """An exception ended it."""

    def play(self) -> None:
        game = self.game
        position: Position | None = None
        with self.law("start"):
            position = game.start(self.seed)
        if position is None:
            return
        turned = [cells for cells in game.symmetries if cells != tuple(range(len(game.grid)))]
        if floats(game):
            turned = []  # turned play lies elsewhere in the frame
        # In turn, so that each is soon seen.
        mirror = Mirror(game, position, turned[self.number % len(turned)]) if turned else None
        before: Position | None = None
        while not self.failed:
            here = self._look(position)
            if here is None:
                return
            if self.number == 0 or self.chance.random() < SOME or not here.moves:
                self._ask(here, before)
            if mirror is not None and not self.report.is_cut_short:
                with self.law("symmetry"):
                    mirror.holds(here)
            move = None if self.report.is_cut_short else self._choose(here)
            if move is None:
                break
            if len(self.moves) >= TOO_LONG * game.capacity[1]:
                with self.law("length"):
                    raise Broken("the game does not end")
                break
            before, self._next = position, position
            with self.law("allowed", move):
                self._next = game.play(position, move)
            if self._next is position:
                return
            if mirror is not None and not self._mirrored(mirror, position, move):
                mirror = None
            self.moves.append(move)
            position = self._next
        if self.report.is_cut_short:
            return
        with self.law("length"):
            done = sum(not move.is_word for move in self.moves)
            if done > game.capacity[1]:
                raise Broken(f"the game took {done} moves, capacity allows {game.capacity[1]}")
        with self.law("record"):
            recorded(game, self.seed, self.moves, position)

    def _look(self, position: Position) -> CheckedPosition | None:
        here: CheckedPosition | None = None
        with self.law("moves"):
            here = CheckedPosition.at(self.game, position, self.chance)
        return here

    def _ask(self, here: CheckedPosition, before: Position | None) -> None:
        self.report.positions += 1
        for name, law in ASKED.items():
            if name == "compiled" and (len(self.moves) % 8 or not compiles(here)):
                continue
            with self.law(name):
                law(here)
            if self.report.is_cut_short:
                return
        if before is not None and not self.report.notes and not self.moves[-1].is_word:
            with self.law("undo"):
                move = retraced(here, before)
                if move is not None:
                    self.report.notes.append(
                        f"undoing {self.moves[-1]} looks like the move {move}: the table asks"
                        f" which is meant (after {' '.join(map(str, self.moves))})"
                    )

    def _mirrored(self, mirror: Mirror, position: Position, move: Move) -> bool:
        followed = False
        with self.law("symmetry", move):
            followed = mirror.follow(position, move)
        return followed

    def _choose(self, here: CheckedPosition) -> Move | None:
        move: Move | None = None
        if not here.moves or self.chance.random() < SELDOM:
            with self.law("words"):
                move = any_word(self.game, here.position, self.chance)
        if move is None and here.moves:
            move = self.chance.choice(here.moves)
        return move

    def law(self, name: str, move: Move | None = None) -> _LawTrial:
        """Context in which everything is asked in the name of this law."""
        return _LawTrial(self, name, move)

    def broke(
        self, law: str, text: str, move: Move | None, place: tuple[str, int] | None = None
    ) -> None:
        """Keep a breach, the first of each law; the same mistake under another law is no other."""
        breaches = self.report.breaches
        if any(breach.law == law for breach in breaches):
            return
        for at, breach in enumerate(breaches):
            if place is not None and breach.place == place:
                stopped = dict.fromkeys((*breach.stopped, law))
                breaches[at] = replace(breach, stopped=tuple(stopped))
                return
        moves = tuple(str(done) for done in self.moves)
        noted = str(move) if move is not None else ""
        breaches.append(Breach(law, text, moves, noted, self.number, place=place))


class _LawTrial:
    """Takes what a law raises: `Broken` is a breach, an exception of the game one as well."""

    def __init__(self, played: _RandomGame, law: str, move: Move | None) -> None:
        self._played = played
        self._law = law
        self._move = move

    def __enter__(self) -> None:
        self._played.report.asked[self._law] += 1

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, Broken):
            law = "texts" if isinstance(error, NoText) else self._law
            self._played.broke(law, str(error), error.move or self._move)
            return True
        if isinstance(error, LumibanError):
            place = (error.path, error.line) if isinstance(error, RuleFault) else None
            self._played.broke(self._law, str(error), self._move, place)
            self._played.report.is_cut_short |= isinstance(error, RuleTakesTooLong)
        elif isinstance(error, Exception):
            text = " ".join(str(error).split())
            self._played.broke(self._law, f"{type(error).__name__}: {text}", self._move)
        else:
            return False
        self._played.failed = True
        return True
