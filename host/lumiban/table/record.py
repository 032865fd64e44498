"""The record of a finished game: one versioned JSON document, and its replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lumiban.errors import GameError, LumibanError
from lumiban.games.base import Game, Outcome, Position
from lumiban.games.registry import OURS, Loader
from lumiban.table.course import Course, Played, told_of
from lumiban.table.order import coin

FORMAT = "lumiban-game"
VERSION = 1


def make(course: Course, outcome: Outcome) -> dict[str, Any]:
    """The document: game, options, seats, moves with board times (µs), result."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "game": course.game.slug,
        "options": dict(course.game.options),
        **told_of(course.game),
        "sides": list(course.game.sides),
        "seats": list(course.seats),
        "seed": course.seed,
        "profile": course.profile,
        "board": course.board,
        "moves": [_move(played) for played in course.played],
        "result": {"winner": outcome.winner, "reason": outcome.reason},
    }
    if course.setup is not None:
        document["setup"] = course.setup
    if course.game.turnless:
        document["coins"] = [asdict(toss) for toss in course.tosses]
        document["races"] = [asdict(race) for race in course.races]
    return document


def _move(played: Played) -> dict[str, Any]:
    told = {"side": played.move.side, "text": played.move.text, "at_us": played.at_us}
    unsure = {"uncertainty_us": played.unsure_us} if played.unsure_us else {}
    return {**told, **unsure, "by": played.by}


def replay(document: Mapping[str, Any], load: Loader = OURS) -> tuple[Game, list[Position]]:
    """The game and its positions, the first one included; GameError says what does not fit.

    `load` gives the game: by default none from a file, which would run it. Such a game is replayed
    by the rules as they are in the file now; where they no longer fit, the error tells that the
    file has changed.
    """
    if document.get("format") != FORMAT:
        raise GameError("this document is not the record of a lumiban game")
    version = document.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise GameError(f"the record is of version {version}: this lumiban reads up to {VERSION}")
    try:
        game = load(str(document["game"]), **document["options"])
        setup = document.get("setup")
        if setup is None:
            positions = [game.start(int(document["seed"]))]
        else:
            positions = [game.setup(setup["stones"], to_move=int(setup["to_move"]))]
        moves = list(document["moves"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise GameError(f"the record has a missing or damaged part: {error!r}") from error
    changed = "" if document.get("digest", "") == game.digest else " (its rules have changed since)"
    for number, entry in enumerate(moves, 1):
        try:
            move = game.parse(positions[-1], str(entry["text"]), int(entry["side"]))
            positions.append(game.play(positions[-1], move))
        except (LumibanError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise GameError(
                f"move {number} of the record cannot be played{changed}: {error}"
            ) from error
    return game, positions


def _check_coins(document: Mapping[str, Any]) -> None:
    """GameError when a coin did not fall as the game's seed lets it fall."""
    for toss in document.get("coins", ()):
        try:
            numbers, fell = tuple(toss["numbers"]), tuple(toss["fell"])
            fair = coin(int(document["seed"]), numbers) == fell
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise GameError(f"the record has a damaged coin toss: {error!r}") from error
        if not fair:
            raise GameError(f"the coin for {numbers} does not follow from the game's seed")


def verify(document: Mapping[str, Any], load: Loader = OURS) -> Outcome:
    """The outcome that the moves lead to; GameError when the record tells another one, or when a
    coin in it did not follow from the game's seed. `load` as for `replay`."""
    game, positions = replay(document, load)
    outcome = game.outcome(positions[-1])
    if outcome is None:
        raise GameError("the record's moves do not end the game")
    _check_coins(document)
    told = document.get("result")
    if told != {"winner": outcome.winner, "reason": outcome.reason}:
        raise GameError(f"the moves end in {outcome.reason}, the record says {told!r}")
    return outcome
