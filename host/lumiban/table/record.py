"""The record of a finished game: one versioned JSON document, its replay, and its file.

A file is written whole, or it is not there at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict

from lumiban.errors import GameError, LumibanError, UsageError
from lumiban.games.base import Game, Outcome, Position
from lumiban.games.registry import OURS, Loader
from lumiban.system import size_limits
from lumiban.system.disk import DISK, Disk
from lumiban.table.clocks import GameClock, TimeLeft, control_of
from lumiban.table.event_order import coin
from lumiban.table.history import BY_CLOCK, BY_MACHINE, GameHistory, Played
from lumiban.table.journal import SUFFIX as JOURNAL
from lumiban.table.journal import JournalRecord
from lumiban.table.resume import newest, resume
from lumiban.table.types import BOT

FORMAT = "lumiban-game"
VERSION = 1


def make(history: GameHistory, outcome: Outcome) -> dict[str, Any]:
    """The document: game, options, seats, moves with board times (µs), result."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "game": history.game.slug,
        "options": dict(history.game.options),
        **({"digest": history.game.digest} if history.game.digest else {}),
        "sides": list(history.game.sides),
        "seats": list(history.seats),
        "seed": history.seed,
        "profile": history.profile,
        "board": history.board,
        "moves": [_move(played, history.clock is not None) for played in history.played],
        "result": {"winner": outcome.winner, "reason": outcome.reason},
    }
    if history.clock is not None:
        document["clock"] = str(history.clock.control)
        if any(left != history.clock.control.at_start() for left in history.clock.first):
            document["clock_left"] = [asdict(left) for left in history.clock.first]
        if history.fallen is not None:
            document["flag"] = {"clock": history.fallen, "spent_ms": history.clock.spent_ms}
    if history.setup is not None:
        document["setup"] = _fields(history.setup)
    if history.game.turnless:
        document["coins"] = [_fields(toss) for toss in history.tosses]
        document["races"] = [_fields(race) for race in history.races]
    return document


def _fields(kept: JournalRecord) -> dict[str, Any]:
    """What a record of the journal holds, without its kind."""
    fields = msgspec.to_builtins(kept)
    return {name: value for name, value in fields.items() if name != "t"}


def _move(played: Played, timed: bool) -> dict[str, Any]:
    fields = {"side": played.move.side, "text": played.move.text, "at_us": played.at_us}
    unsure = {"uncertainty_us": played.unsure_us} if played.unsure_us else {}
    spent = {"spent_ms": played.spent_ms} if timed else {}
    return {**fields, **unsure, **spent, "by": played.by}


def replay(document: Mapping[str, Any], load: Loader = OURS) -> tuple[Game, list[Position]]:
    """The game and its positions, the first one included; GameError says what does not fit.

    `load` gives the game: by default none from a file, which would run it. Such a game is replayed
    by the rules as they are in the file now; where they no longer fit, the error tells that the
    file has changed.
    """
    history = _replayed(document, load, timed=False)
    return history.game, history.positions


def _replayed(document: Mapping[str, Any], load: Loader, *, timed: bool) -> GameHistory:
    """The course of the game, with `timed` with its clock."""
    if document.get("format") != FORMAT:
        raise GameError("this document is not the record of a lumiban game")
    version = document.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise GameError(f"the record is of version {version}: this lumiban reads up to {VERSION}")
    if not isinstance(document.get("seats", []), list):
        raise GameError("the record has a damaged part: its seats are no list")
    try:
        game = load(str(document["game"]), **document["options"])
        setup = document.get("setup")
        if setup is None:
            start = game.start(int(document["seed"]))
        else:
            start = game.setup(dict(setup["stones"]), to_move=int(setup["to_move"]))
        moves = list(document["moves"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise GameError(f"the record has a missing or damaged part: {error!r}") from error
    changed = "" if document.get("digest", "") == game.digest else " (its rules have changed since)"
    control, seats, left = None, list[str](), None
    if timed:
        with _reading_times():
            control, seats = control_of(str(document["clock"])), document["seats"]
            left = [TimeLeft(**one) for one in document.get("clock_left", ())]
    history = GameHistory(game, seats, control=control, start=start)
    if history.clock is not None and left:
        history.clock.left = tuple(left)
    for number, entry in enumerate(moves, 1):
        try:
            move = game.parse(history.position, str(entry["text"]), int(entry["side"]))
            after = game.play(history.position, move)
        except (LumibanError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise GameError(
                f"move {number} of the record cannot be played{changed}: {error}"
            ) from error
        if history.clock is None:
            history.play(move, 0, "", after=after)
        else:
            _follow_clock(history, history.clock, number, entry, after)
    if history.clock is not None:
        _follow_flag(history, history.clock, document)
    return history


def _check_coins(document: Mapping[str, Any]) -> None:
    """GameError when a coin did not fall as the game's seed lets it fall."""
    try:
        for toss in document.get("coins", ()):
            numbers = tuple(toss["numbers"])
            if coin(int(document["seed"]), numbers) != tuple(toss["fell"]):
                raise GameError(f"the coin for {numbers} does not follow from the game's seed")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise GameError(f"the record has a damaged coin toss: {error!r}") from error


@contextmanager
def _reading_times() -> Iterator[None]:
    """Raise GameError where the times of a record are no times."""
    try:
        yield
    except (UsageError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise GameError(f"the record's times are damaged: {error!r}") from error


def _follow_clock(
    history: GameHistory,
    clock: GameClock,
    number: int,
    entry: Mapping[str, Any],
    after: Position,
) -> None:
    """The next move of a timed game, by which it came to `after`; GameError where it came after its
    time was up."""
    with _reading_times():
        move = after.history[-1]
        spent_ms, left = int(entry["spent_ms"]), clock.left[clock.of(move.side)]
        in_turn = clock.is_shared or history.clock_side == move.side
        in_turn = in_turn and entry["by"] != BY_CLOCK
        falls_ms = clock.control.until_fall_ms(left)
        if spent_ms < 0 or (in_turn and spent_ms >= falls_ms):
            raise GameError(f"move {number} of the record came after its time was up")
        history.play(move, int(entry["at_us"]), str(entry["by"]), 0, spent_ms, after=after)


def _follow_flag(history: GameHistory, clock: GameClock, document: Mapping[str, Any]) -> None:
    """Apply the end of the game by the clock, if the record has one; GameError where that side's
    time was not up."""
    with _reading_times():
        flag = document.get("flag")
        if flag is not None:
            falls_ms = clock.control.until_fall_ms(clock.left[int(flag["clock"])])
            if int(flag["spent_ms"]) != falls_ms:
                raise GameError("the record tells of a time that was not used up")
            history.time_is_up(int(flag["clock"]), 0)


def verify(document: Mapping[str, Any], load: Loader = OURS) -> Outcome:
    """The outcome that moves and clock lead to; GameError when the record tells another one, when
    a coin in it did not follow from the game's seed, or a move came after its time was up. `load`
    as for `replay`."""
    outcome = _replayed(document, load, timed="clock" in document).outcome
    if outcome is None:
        raise GameError("the record's moves do not end the game")
    _check_coins(document)
    result = document.get("result")
    if result != {"winner": outcome.winner, "reason": outcome.reason}:
        raise GameError(f"the moves end in {outcome.reason}, the record says {result!r}")
    return outcome


def is_of_machines(record: Mapping[str, Any]) -> bool:
    """True if the record of a game tells of no person: none sat there in the end, and none moved.

    >>> told = {"seats": ["bot:easy", "bot:hard"], "moves": [{"by": "machine"}]}
    >>> is_of_machines(told)
    True
    >>> is_of_machines({**told, "moves": [{"by": "hand"}]})
    False
    """
    seats, moves = record.get("seats", ()), record.get("moves", ())
    return all(str(who).startswith(BOT) for who in seats) and all(
        move.get("by") == BY_MACHINE for move in moves
    )


SUFFIX = ".json"
MAX_BYTES = 4_000_000
"""Longest file that is read as a record: a longer one was named by mistake."""


def keep(folder: Path, name: str, record: Mapping[str, Any], disk: Disk = DISK) -> Path:
    """Write a record as `<name>.json` into the folder, which is made where it is missing; returns
    the path once it is on disk. A record of that name is replaced at once, never half. OSError
    when it cannot be.
    """
    path = folder / (name + SUFFIX)
    disk.put_whole(path, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
    return path


def keep_missing(
    journals: Path,
    folder: Path,
    load: Loader,
    failed: Callable[[Path, str], None] = lambda path, reason: None,
    disk: Disk = DISK,
) -> list[Path]:
    """Write the records of those games in `journals` that ended, but whose host was killed before
    it had written the record; returns their paths.

    `failed` hears of a journal whose record cannot be had. Games that `load` does not run, or that
    changed, are left; so is all but the journals written last.
    """
    made = []
    for path in newest(journals):
        name = path.name.removesuffix(JOURNAL)
        try:
            if (folder / (name + SUFFIX)).exists() or b'"t":"end"' not in path.read_bytes():
                continue
            history = resume(path, mends=False, load=load).history
            if history.outcome is not None:
                made.append(keep(folder, name, make(history, history.outcome), disk))
        except (OSError, LumibanError) as reason:
            failed(path, str(reason))
    return made


def read(path: Path) -> dict[str, Any]:
    """The document in a file; UsageError says why there is none. What it tells is not checked."""
    try:
        document = size_limits.from_json(size_limits.read(path, MAX_BYTES))
    except OSError as reason:
        raise UsageError(f"{path} cannot be read: {reason.strerror}") from None
    except size_limits.Unreadable as error:
        raise UsageError(
            f"{path} {error}, so it is no record of a game; finished games are in the folder "
            "records of the state folder"
        ) from None
    if not isinstance(document, dict):
        raise UsageError(f"{path} is JSON, but not the record of a game")
    return document
