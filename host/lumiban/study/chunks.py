"""Chunks of a study: some pairs of games under one condition, played by any process.

A chunk's games depend on its condition, its number and the study's seed alone: played again, by
another machine, they are the same. Results are judged in the order of the chunks, so that a study
stops at the same game, whichever process was quicker.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from lumiban.errors import LumibanError
from lumiban.games.base import Game, Move, Position
from lumiban.study.counters import Counts, counts_of, resignations
from lumiban.study.match import play_course, reason_of, winner_of
from lumiban.study.plan import Condition
from lumiban.study.versions import versions


@dataclass(frozen=True, slots=True)
class Chunk:
    """Games that a process is asked to play."""

    condition: Condition
    number: int
    first_pair: int
    pairs: int
    seed: int
    most_plies: int


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """One game of a study; `half` tells the two of a pair apart."""

    pair: int
    half: int
    point: float
    """Of the first player where two are compared, else of the side that begins: 1, 0.5 or 0."""
    winner: int | None
    """The side on which the winner began, None for a draw."""
    reason: str
    plies: int
    choices: int
    most: int
    counts: Counts
    moves: tuple[tuple[int, str], ...] = ()
    """The side that made each, and the move; `Results.games` leaves them out."""


@dataclass(frozen=True, slots=True)
class PlayedChunk:
    """A chunk's games in order, what they cost, and by which rules they were played."""

    condition: int
    number: int
    games: tuple[PlayedGame, ...]
    cpu_s: float
    versions: str


@dataclass(frozen=True, slots=True)
class FailedChunk:
    """Reason why a chunk could not be played: a sentence."""

    why: str


def play_chunk(chunk: Chunk) -> PlayedChunk | FailedChunk:
    """Play a chunk's games."""
    begun = time.process_time()
    try:
        played = tuple(_games(chunk))
    except LumibanError as error:
        return FailedChunk(f"{chunk.condition.slug}, {chunk.condition.label}: {error}")
    cpu_s = time.process_time() - begun
    return PlayedChunk(chunk.condition.number, chunk.number, played, cpu_s, versions())


def _games(chunk: Chunk) -> Iterator[PlayedGame]:
    condition = chunk.condition
    game = condition.game()
    for pair in range(chunk.first_pair, chunk.first_pair + chunk.pairs):
        start = condition.start(game, chunk.seed, pair)
        for half in (0, 1):
            yield _game(chunk, game, start, pair, half)


def _game(chunk: Chunk, game: Game, start: Position, pair: int, half: int) -> PlayedGame:
    positions: list[Position] = []
    moves: list[Move] = []
    values: list[tuple[int, float]] = []

    def see(position: Position, move: Move, value: float | None) -> None:
        positions.append(position)
        moves.append(move)
        if value is not None:
            values.append((move.side ^ game.swapped(position), value))

    players = chunk.condition.players(half)
    # The same chance for a pair's number under every condition: what differs is the condition.
    course = play_course(game, players, start, 2 * pair + half, chunk.seed, chunk.most_plies, see)
    winner = winner_of(game, course.end)
    of = half if chunk.condition.is_match else 0
    return PlayedGame(
        pair,
        half,
        0.5 if winner is None else float(winner == of),
        winner,
        reason_of(game, course.end),
        course.plies,
        course.choices,
        course.most,
        counts_of(game, [*positions, course.end], moves) | resignations(values, winner),
        tuple((move.side, move.text) for move in moves),
    )
