"""Study files: which games are played under which conditions, and when a condition is known.

A study file is TOML. Every option, level and number of playouts may be a list: the study has one
condition for each combination, in the order in which they stand in the file, the last one
changing quickest.

    title = "Which opening of Control is fairest?"
    questions = [9]
    game = "control"
    seed = 1

    [options]
    opening = ["perimeter", "free", "pie2", "12*"]

    [first]
    level = "strong"
    playouts = 400

    [stop]
    pairs = 400

`first` and `second` are players with a fixed number of playouts a move: no clock decides a move,
so that the same file gives the same games on every machine. Without `second` the first player
plays both sides. Games come in pairs from one start: two players change sides between them.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import msgspec

from lumiban import games
from lumiban.errors import GameError, UsageError, why_unread
from lumiban.games.base import Game, Position
from lumiban.study.match import RANDOM, Player, player, to_act
from lumiban.system import size_limits

MAX_CONDITIONS = 1_000
MAX_OPENINGS = 500
OPENING_PLIES = 2
"""Most plies for which all openings by symmetry are listed: a third has thousands."""

Value = int | str
OneOrMore = Value | list[Value]


class _Declared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a study file: a key that is not declared is refused."""


class PlayerTable(_Declared, frozen=True):
    """A player: level and playouts, either of them a list where they are varied."""

    level: OneOrMore
    playouts: int | list[int] | None = None


class StartTable(_Declared, frozen=True):
    """Start of the games: as the game does, after random plies (new ones for each pair), after each
    opening of this length that no symmetry turns into another, or after given moves."""

    by: Literal["rules", "random", "openings", "moves"] = "rules"
    plies: int = 0
    moves: list[str] = []


class StopTable(_Declared, frozen=True):
    """Rule by which a condition is known.

    At the latest after `pairs`; earlier, from `least` pairs on, as soon as the interval is no wider
    than `within` to either side, or (with `even`) leaves out an even result. The interval holds
    whenever it is looked at (`study/sequential.py`).
    """

    pairs: int
    least: int = 100
    within: float = 0.03
    even: bool = False


class StudyTables(_Declared, frozen=True):
    """A study file as it stands."""

    title: str
    game: str
    first: PlayerTable
    stop: StopTable
    second: PlayerTable | None = None
    options: dict[str, OneOrMore] = {}
    start: StartTable = StartTable()
    questions: list[int] = []
    """Numbers of the inventors' questions that it is about."""
    answers: dict[str, list[str]] = {}
    """By question what answers it, where that is not each condition's share of points: counters by
    name, or `difference`, how far a condition is from the first one."""
    seed: int = 0
    chunk: int = 10
    """Pairs that one process plays at a time."""
    most_plies: int = 1_000
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """One combination of a study: who plays which game from which start."""

    number: int
    slug: str
    options: tuple[tuple[str, Value], ...]
    """In the order of the study file; what it does not name has the game's default."""
    first: Player
    second: Player | None
    opening: tuple[str, ...]
    """Moves before the first that is thought about."""
    random_plies: int
    varied: tuple[tuple[str, Value], ...]
    """Options in which this condition differs from the others."""

    @property
    def label(self) -> str:
        """Difference from the others, in words; "all" where there is only one."""
        return ", ".join(f"{name} {value}" for name, value in self.varied) or "all"

    def game(self) -> Game:
        """The game with these options."""
        return games.load(self.slug, **dict(self.options))

    def start(self, game: Game, seed: int, pair: int) -> Position:
        """Position at which both games of a pair begin: the same for a pair's number under every
        condition that has the same game. GameError when an opening cannot be played."""
        position = game.start(seed + pair)
        for text in self.opening:
            position = game.play(position, game.parse(position, text, to_act(game, position)))
        chance = random.Random(hash((seed, pair)))
        for _ in range(self.random_plies):
            if game.outcome(position) is not None:
                break
            choices = game.moves(position, to_act(game, position))
            if not choices:
                break
            position = game.play(position, chance.choice(choices))
        return position

    def players(self, half: int) -> tuple[Player, Player]:
        """Players of each side in the first and in the second game of a pair."""
        second = self.first if self.second is None else self.second
        return (self.first, second) if half == 0 else (second, self.first)

    @property
    def is_match(self) -> bool:
        """True if two players are compared; else a player's two sides are."""
        return self.second is not None


@dataclass(frozen=True, slots=True)
class Plan:
    """A study: its conditions, its chance, and when a condition is known."""

    name: str
    tables: StudyTables
    conditions: tuple[Condition, ...]

    @property
    def fingerprint(self) -> str:
        """Stands for everything that decides a game of this study; a results file keeps it."""
        tables = self.tables
        decides = [
            tables.seed,
            tables.chunk,
            tables.most_plies,
            tables.start.by,
            [
                [c.slug, c.options, [*map(repr, (c.first, c.second))], c.opening, c.random_plies]
                for c in self.conditions
            ],
        ]
        return hashlib.sha256(msgspec.json.encode(decides)).hexdigest()[:16]

    @property
    def chunks(self) -> int:
        """Chunks of a condition that is played to its limit."""
        return -(-self.tables.stop.pairs // self.tables.chunk)

    def pairs_of(self, chunk: int) -> range:
        """The numbers of the pairs of a chunk."""
        first = chunk * self.tables.chunk
        return range(first, min(first + self.tables.chunk, self.tables.stop.pairs))


def load_plan(path: Path) -> Plan:
    """The study that a file describes; UsageError names what is wrong and where."""
    try:
        data = size_limits.from_toml(size_limits.text(path))
    except FileNotFoundError:
        raise UsageError(f"there is no study file {path}") from None
    except (OSError, size_limits.Unreadable) as reason:
        raise UsageError(f"{path} cannot be read as a study: {why_unread(reason)}") from None
    try:
        return plan_from(data, path.stem)
    except UsageError as reason:
        raise UsageError(f"{path}: {reason}") from None


def plan_from(data: Mapping[str, Any], name: str) -> Plan:
    """The study that these tables describe; UsageError.

    >>> plan = plan_from({
    ...     "title": "Openings", "game": "control", "options": {"size": [3, 4]},
    ...     "first": {"level": "random"}, "stop": {"pairs": 10}}, "openings")
    >>> [condition.label for condition in plan.conditions]
    ['size 3', 'size 4']
    """
    try:
        tables = msgspec.convert(dict(data), StudyTables)
    except msgspec.ValidationError as reason:
        raise UsageError(str(reason)) from None
    _must_be_sensible(tables)
    conditions = tuple(_conditions(tables))
    if not conditions:
        raise UsageError("[options]: a list without a value leaves no condition")
    return Plan(name, tables, conditions)


def _must_be_sensible(tables: StudyTables) -> None:
    stop = tables.stop
    wrong = {
        "stop.pairs must be at least 1": stop.pairs < 1,
        "stop.least must be at least 1": stop.least < 1,
        "stop.within must lie between 0 and 0.5": not 0 < stop.within < 0.5,
        "chunk must be at least 1": tables.chunk < 1,
        "most_plies must be at least 1": tables.most_plies < 1,
        "start.plies cannot be negative": tables.start.plies < 0,
        "answers: each name is one of the questions": not {*tables.answers}
        <= {*map(str, tables.questions)},
        'start.by = "moves" needs start.moves': tables.start.by == "moves"
        and not tables.start.moves,
        f"start.plies: all openings are listed up to {OPENING_PLIES} plies": tables.start.by
        == "openings"
        and not 1 <= tables.start.plies <= OPENING_PLIES,
    }
    for what, is_so in wrong.items():
        if is_so:
            raise UsageError(what)


def _conditions(tables: StudyTables) -> Iterator[Condition]:
    names = list(tables.options)
    values = [_listed(value) for value in tables.options.values()]
    firsts = _players(tables.first, "first")
    seconds: Sequence[Player | None] = [None]
    if tables.second is not None:
        seconds = _players(tables.second, "second")
    random_plies = tables.start.plies if tables.start.by == "random" else 0
    number = 0
    for combination in product(*values):
        options = tuple(zip(names, combination, strict=True))
        openings = _openings_under(tables, dict(options))
        several: list[tuple[str, Value]] = [
            option for option, choices in zip(options, values, strict=True) if len(choices) > 1
        ]
        for first in firsts:
            for second, opening in product(seconds, openings):
                varied = [*several]
                if len(firsts) > 1:
                    varied.append(("first", _called(first)))
                if second is not None and len(seconds) > 1:
                    varied.append(("second", _called(second)))
                if len(openings) > 1:
                    varied.append(("opening", " ".join(opening)))
                if number == MAX_CONDITIONS:
                    raise UsageError(f"more than {MAX_CONDITIONS} conditions: shorten its lists")
                yield Condition(
                    number,
                    tables.game,
                    options,
                    first,
                    second,
                    opening,
                    random_plies,
                    tuple(varied),
                )
                number += 1


def _called(who: Player) -> str:
    return who.name if who.playouts is None else f"{who.name} {who.playouts}"


def _openings_under(tables: StudyTables, options: Mapping[str, Value]) -> list[tuple[str, ...]]:
    try:
        game = games.load(tables.game, **options)
        return _openings(game, tables.start)
    except GameError as reason:
        given = ", ".join(f"{name} {value}" for name, value in options.items())
        raise UsageError(f"[options] {given}: {reason}".replace(" :", ":")) from None


def _listed(value: OneOrMore) -> list[Value]:
    return value if isinstance(value, list) else [value]


def _players(table: PlayerTable, seat: str) -> list[Player]:
    playouts = table.playouts if isinstance(table.playouts, list) else [table.playouts]
    players: list[Player] = []
    for level, count in product(_listed(table.level), playouts):
        try:
            who = player(str(level), playouts=count)
        except UsageError as reason:
            raise UsageError(f"[{seat}] level: {reason}") from None
        if who.name != RANDOM and count is None:
            raise UsageError(
                f"[{seat}] playouts: a study needs a number, so that no clock decides a move"
            )
        if count is not None and count < 1:
            raise UsageError(f"[{seat}] playouts must be at least 1")
        players.append(who)
    return players


def _openings(game: Game, start: StartTable) -> list[tuple[str, ...]]:
    if start.by == "moves":
        openings = [tuple(text.split()) for text in start.moves]
        for opening in openings:
            position = game.start()
            for text in opening:
                position = game.play(position, game.parse(position, text, to_act(game, position)))
        return openings
    if start.by == "openings":
        return openings_by_symmetry(game, start.plies)
    return [()]


def openings_by_symmetry(game: Game, plies: int) -> list[tuple[str, ...]]:
    """All openings of `plies` plies, one of each class that the game's symmetries make.

    Two belong to one class when a symmetry of the game turns the pieces of one into those of the
    other. UsageError when there are more than `MAX_OPENINGS`.

    >>> len(openings_by_symmetry(games.load("evening", turns="trailing"), 1))
    9
    """
    classes: dict[tuple[tuple[int, str], ...], tuple[str, ...]] = {}
    level: list[tuple[Position, tuple[str, ...]]] = [(game.start(), ())]
    for _ in range(plies):
        classes = {}
        following: list[tuple[Position, tuple[str, ...]]] = []
        for position, texts in level:
            for move in game.moves(position, to_act(game, position)):
                after = game.play(position, move)
                key = symmetry_class(game, after)
                if key not in classes:
                    classes[key] = (*texts, move.text)
                    following.append((after, classes[key]))
                    if len(following) > MAX_OPENINGS:
                        raise UsageError(
                            f"start: more than {MAX_OPENINGS} openings of {plies} plies"
                        )
        level = following
    return [texts for _, texts in level]


def symmetry_class(game: Game, position: Position) -> tuple[tuple[int, str], ...]:
    """Stands for a position and for all that the game's symmetries make of its pieces."""
    pieces = game.pieces(position)
    labels = game.labels(position) or ("",) * len(pieces)
    cells = tuple((int(kind), label) for kind, label in zip(pieces, labels, strict=True))
    return min([cells, *(tuple(cells[cell] for cell in way) for way in game.symmetries)])
