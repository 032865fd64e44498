"""Games played for a study: a match of two players, or many games at once, kept in a file.

In a match colours alternate and a draw is half a point each. A player is a level of the bots, or
somebody who moves at random. Games come in the order of their numbers, whatever process played
them, and stand in a file a line each, so that a study can be broken off and go on. Shares are
given with their intervals.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice
from math import log10, sqrt
from pathlib import Path
from typing import Any

from lumiban import games
from lumiban.errors import GameError, LumibanError, UsageError, why_unread
from lumiban.games.base import Game, Move, Position
from lumiban.search.bot import search_name, think
from lumiban.search.levels import NAMES, level_of, name_of
from lumiban.search.registry import engine_of
from lumiban.search.tree_searches import KINDS
from lumiban.study.mirror import copied
from lumiban.study.versions import must_be_ours, versions
from lumiban.study.workers import workers
from lumiban.system import size_limits
from lumiban.system.disk import DISK


@dataclass
class Score:
    """The score of A against B so far; `firsts` counts A's points where it began."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    firsts: float = 0.0
    plies: int = 0
    unfinished: int = 0

    @property
    def points(self) -> float:
        """A's points: wins and half the draws."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """A's points a game; 0.5 before the first."""
        return self.points / self.games if self.games else 0.5

    def add(self, winner: int | None, a_side: int, plies: int, *, finished: bool = True) -> None:
        """Count one game in which A began on `a_side`."""
        self.games += 1
        self.plies += plies
        self.unfinished += not finished
        point = 0.5 if winner is None else float(winner == a_side)
        self.wins += point == 1.0
        self.draws += point == 0.5
        if a_side == 0:
            self.firsts += point

    def as_json(self) -> dict[str, Any]:
        """The figures by name; shares are A's, the interval is Wilson's at 95 %."""
        low, high = wilson(self.points, self.games)
        rating = elo(self.share)
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.games - self.wins - self.draws,
            "unfinished": self.unfinished,
            "share": round(self.share, 4),
            "interval": [round(low, 4), round(high, 4)],
            "elo": None if rating is None else round(rating),
            "points_as_first": self.firsts,
            "plies": round(self.plies / self.games, 1) if self.games else 0.0,
        }


def play_match(
    game: Game,
    slug: str,
    a: Player,
    b: Player,
    count: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
    keep: Path | None = None,
    progress: Callable[[Score], None] | None = None,
) -> Score:
    """Play `count` games between A and B: A begins the even ones.

    With players bounded by playouts, or at random, the same seed gives the same score; `slug` is
    the name by which another process loads the game. With `keep` each result is a line of that
    file, and those that it holds already are not played again. UsageError when the file belongs
    to another match, or cannot be written.
    """
    head = {"slug": game.slug, "options": dict(game.options), "seed": seed}
    head |= {name: asdict(one) | {"level": one.level(game)} for name, one in (("a", a), ("b", b))}
    known = {} if keep is None else begun(keep, head)
    score = Score()

    def count_in(result: Result) -> None:
        finished = result.reason != UNFINISHED
        score.add(result.winner, result.number % 2, result.plies, finished=finished)

    for number, result in known.items():
        if number < count:
            count_in(result)
    left = [number for number in range(count) if number not in known]
    pairs = [(a, b) if number % 2 == 0 else (b, a) for number in left]
    for result in play_all(tasks_for(game, slug, pairs, left, seed), jobs, cluster):
        count_in(result)
        if keep is not None:
            add(keep, result)
        if progress is not None:
            progress(score)
    return score


MAX_PLIES = 4_000
"""A game that is longer is counted as unfinished: some rules have no end of their own."""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of game `number`: who won (the side on which that player began, None for a draw), how
    it ended, how long it was, what there was to choose from, and on which cells something
    happened."""

    number: int
    winner: int | None
    reason: str
    plies: int
    choices: int
    """Moves to choose from, summed over all plies."""
    most: int
    """The most choices at once."""
    cells: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """As a dict of plain values, for a file."""
        return asdict(self)


def result_from(data: dict[str, Any]) -> Result:
    """The Result that `as_json` wrote; KeyError or TypeError when it is none."""
    return Result(**{**data, "cells": tuple(int(cell) for cell in data["cells"])})


@dataclass(frozen=True, slots=True)
class Course:
    """Course of a game that was played for a study."""

    end: Position
    plies: int
    choices: int
    """Moves to choose from, summed over all plies."""
    most: int
    """The most choices at once."""


def play_course(
    game: Game,
    players: Sequence[Player],
    start: Position,
    number: int,
    seed: int,
    most_plies: int = MAX_PLIES,
    see: Callable[[Position, Move, float | None], object] = lambda position, move, value: None,
) -> Course:
    """Play a game from `start` to its end, or for `plies` plies; `players` are by side.

    All chance comes from `seed` and `number`; `see` is told each position, what is played in it,
    and what the mover thinks its own chances are, None where it does not think. GameError when a
    rule fails.
    """
    position = start
    choices = most = plies = 0
    while plies < most_plies and game.outcome(position) is None:
        side = to_act(game, position)
        here = len(game.moves(position, side))
        choices += here
        most = max(most, here)
        # A pie changes who plays which side.
        mind = players[side ^ game.swapped(position)]
        move, value = mind.decide(game, position, _seed(seed, number, plies))
        refusal = game.why_not(position, move.side, move)
        if refusal is not None:
            raise GameError(f"game {number}, ply {plies + 1}: {move} is refused: {refusal.rule}")
        see(position, move, value)
        position = game.play(position, move)
        plies += 1
    return Course(position, plies, choices, most)


def winner_of(game: Game, end: Position) -> int | None:
    """The player who won, by the side on which they began; None for a draw or no end."""
    outcome = game.outcome(end)
    if outcome is None or outcome.winner is None:
        return None
    return outcome.winner ^ game.swapped(end)


UNFINISHED = "unfinished"


def reason_of(game: Game, end: Position) -> str:
    """Word of the rules for the end of a game."""
    outcome = game.outcome(end)
    return UNFINISHED if outcome is None else outcome.reason


def play(
    game: Game, players: Sequence[Player], number: int, seed: int, most_plies: int = MAX_PLIES
) -> Result:
    """Play game `number` of a study; `players` are by side. GameError when a rule fails.

    All chance comes from `seed` and `number`.
    """
    cells: set[int] = set()

    def see(position: Position, move: Move, value: float | None) -> None:
        cells.update(cell for cell, _, _ in game.effects(position, move))

    course = play_course(game, players, game.start(seed + number), number, seed, most_plies, see)
    return Result(
        number,
        winner_of(game, course.end),
        reason_of(game, course.end),
        course.plies,
        course.choices,
        course.most,
        tuple(sorted(cells)),
    )


def _seed(seed: int, number: int, ply: int) -> int:
    """A seed of its own for each thought."""
    return hash((seed, number, ply)) & 0x7FFFFFFF


RANDOM, MIRROR = "random", "mirror"


@dataclass(frozen=True, slots=True)
class Player:
    """A level's name, and what it gets for a move instead of the level's own; or `random`, or
    `mirror`, who copies the other side, and plays at full strength where it cannot."""

    name: str
    playouts: int | None = None
    """Fixed number a move, with which a game can be played again move for move."""
    per_move_us: int | None = None
    compiled: bool = True
    kind: str | None = None
    """The tree search by name, where it is not the game's own."""

    def as_json(self, game: Game) -> dict[str, int | str | None]:
        """Description of this player in this game: the level's name and number, and its search."""
        number = level_of(self.name).number if self.name in NAMES else None
        return {"name": self.name, "level": number, "search": self.search(game)}

    def search(self, game: Game) -> str:
        """By what it finds its moves in this game: `uct`, `grave`, `alpha-beta`, `beam`; or
        `random`, `mirror`."""
        if self.name not in NAMES:
            return self.name
        return self.kind or search_name(game)

    def level(self, game: Game) -> str:
        """Budget of its level in this game, in Python's words; "" for those without one."""
        if self.name not in NAMES:
            return ""
        return repr(engine_of(game).strength(self.name))

    def called(self, game: Game) -> str:
        """The name for people: `strong, grave`."""
        return f"{self.name}, {self.search(game)}" if self.name in NAMES else self.name

    def move(self, game: Game, position: Position, seed: int) -> Move:
        """Move of this player in `position`; the game says who is next."""
        return self.decide(game, position, seed)[0]

    def decide(self, game: Game, position: Position, seed: int) -> tuple[Move, float | None]:
        """Move of this player, and its worth to the player from 0 to 1; None where it did not
        think."""
        side = to_act(game, position)
        if self.name == RANDOM:
            return _any(game, position, side, seed), None
        level = self.name
        if level == MIRROR:
            copy = copied(game, position, side)
            if copy is not None:
                return copy, None
            level = NAMES[-1]
        thought = think(
            game,
            game.view(position, side),
            level,
            seed,
            playouts=self.playouts,
            longest_us=self.per_move_us,
            compiled=self.compiled,
            kind=self.kind,
        )
        return thought.move, thought.value


def player(name: str, *, playouts: int | None = None, per_move_us: int | None = None) -> Player:
    """The player called so: a level by name or by number from 1, `random` or `mirror`; UsageError.

    A colon and the name of a tree search behind a level take that search. `bot:` may stand before
    it, as before a seat's.

    >>> player("1").name, player("random").name, player("bot:strong:uct").kind
    ('gentle', 'random', 'uct')
    """
    name, _, kind = name.removeprefix("bot:").partition(":")
    if kind and kind not in KINDS:
        raise UsageError(f"no search {kind!r}: choose {', '.join(KINDS)}")
    try:
        name = name if name in (RANDOM, MIRROR) else name_of(name)
    except UsageError:
        raise UsageError(
            f"no player called {name!r}; players are random, mirror, "
            + ", ".join(f"{number} ({level})" for number, level in enumerate(NAMES, 1))
        ) from None
    return replace(Player(name), playouts=playouts, per_move_us=per_move_us, kind=kind or None)


def to_act(game: Game, position: Position) -> int:
    """The side whose move comes next; where both may act, the one that the kernel names."""
    return game.to_act(position)


def _any(game: Game, position: Position, side: int, seed: int) -> Move:
    chance = random.Random(seed)
    moves = game.moves(position, side)
    if moves:
        return chance.choice(moves)
    words = [word for word in game.words(position, side) if not word.startswith("resign")]
    if not words:
        raise UsageError(f"{game.slug} leaves its mover without a move and without a word")
    return game.parse(position, chance.choice(words), side)


MAX_BYTES = 64_000_000
"""Of a hundred thousand games."""


def begun(path: Path, head: dict[str, Any]) -> dict[int, Result]:
    """The results that the file holds, by number; it is begun when it is not there.

    `head`, its first line, says what is studied. A line that was cut off is played again.
    UsageError when the file belongs to another study, or cannot be read or written.
    """
    try:
        if not path.exists() or not path.stat().st_size:
            _write(path, head, "w")
            return {}
        lines = size_limits.text(path, MAX_BYTES).split("\n")
    except size_limits.Unreadable as error:
        raise UsageError(f"{path} {error}: that is not a study; give another file") from None
    except OSError as reason:
        raise UsageError(f"{path} cannot be read: {why_unread(reason)}") from None
    if _plain(lines[0]) != size_limits.from_json(json.dumps(head)):
        raise UsageError(
            f"{path} holds another study (other game, options, players or seed); "
            "give another file, or remove this one"
        )
    known = {}
    whole = [lines[0]]
    for line in lines[1:]:
        data = _plain(line)
        try:
            result = result_from(data)
        except (KeyError, TypeError, ValueError):
            continue
        known[result.number] = result
        whole.append(line)
    if len(whole) + 1 != len(lines) or lines[-1]:
        _replace(path, "\n".join(whole) + "\n")
    return known


def _replace(path: Path, text: str) -> None:
    """Replace the file in one step: what breaks it off leaves the games that there were."""
    try:
        DISK.put_whole(path, text.encode())
    except OSError as reason:
        raise UsageError(f"{path} cannot be written: {reason.strerror}") from None


def _plain(line: str) -> dict[str, Any]:
    try:
        data = size_limits.from_json(line) if len(line) <= size_limits.MAX_LINE else {}
    except size_limits.Unreadable:
        return {}
    return data if isinstance(data, dict) else {}


def add(path: Path, result: Result) -> None:
    """One result more; UsageError when it cannot be written."""
    _write(path, result.as_json(), "a")


def _write(path: Path, data: dict[str, Any], mode: str) -> None:
    try:
        with path.open(mode, encoding="utf-8") as out:
            out.write(json.dumps(data, ensure_ascii=False) + "\n")
    except OSError as reason:
        raise UsageError(f"{path} cannot be written: {reason.strerror}") from None


@dataclass(frozen=True, slots=True)
class Task:
    """A game that somebody is asked to play; `players` are by side."""

    slug: str
    options: tuple[tuple[str, int | str], ...]
    players: tuple[Player, ...]
    number: int
    seed: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of the task, or the reason why it could not be played; and the rules by which."""

    result: Result | str
    versions: str


def play_all(tasks: Sequence[Task], jobs: int, cluster: str | None = None) -> Iterator[Result]:
    """The results in the order of the tasks; on a cluster, or in `jobs` processes.

    UsageError (with the game's number) when the rules of a game fail, and when a worker has others
    than this process.
    """
    left = iter(tasks)
    early: dict[int, Result] = {}
    with workers(_play_task, min(jobs, len(tasks)), cluster) as some:
        for task in islice(left, some.at_once):
            some.give(task)
        for awaited in tasks:
            while awaited.number not in early:
                task, answer = some.answer()
                early[task.number] = _result_of(answer)
                for following in islice(left, 1):
                    some.give(following)
            yield early.pop(awaited.number)


def _result_of(answer: Answer) -> Result:
    must_be_ours(answer.versions)
    if isinstance(answer.result, str):
        raise UsageError(answer.result)
    return answer.result


_load = cache(games.load)


def _play_task(task: Task) -> Answer:
    try:
        game = _load(task.slug, **dict(task.options))
        return Answer(play(game, task.players, task.number, task.seed), versions())
    except LumibanError as error:
        return Answer(f"{task.slug}: {error}", versions())


def tasks_for(
    game: Game, slug: str, players: Iterable[tuple[Player, ...]], numbers: Iterable[int], seed: int
) -> list[Task]:
    """A task a number; `players` are by side, a pair a number."""
    options = tuple(game.options.items())
    return [
        Task(slug, options, pair, number, seed)
        for pair, number in zip(players, numbers, strict=True)
    ]


Z95 = 1.959964
"""Two-sided 95 % of the normal distribution."""


def wilson(score: float, games: float, z: float = Z95) -> tuple[float, float]:
    """The interval that holds the true share, given `score` (draws count half) of `games`.

    Wilson's score interval (1927); (0, 1) when nothing was played.

    >>> tuple(round(end, 3) for end in wilson(50, 100))
    (0.404, 0.596)
    """
    if games == 0:
        return 0.0, 1.0
    share = score / games
    square = z * z / games
    middle = share + square / 2
    half = z * sqrt(share * (1 - share) / games + square / (4 * games))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def elo(share: float) -> float | None:
    """The rating difference that this share stands for (Elo 1978); None at 0 and 1.

    >>> round(elo(0.75))
    191
    """
    return None if not 0 < share < 1 else 400 * log10(share / (1 - share))
