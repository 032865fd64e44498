"""`lumiban flight` and `lumiban replay`: recordings and finished games, shown and checked."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from lumiban.arguments import Json, Rules, prose
from lumiban.cli.records import listed as records
from lumiban.errors import CheckFailed, GameError, UsageError
from lumiban.flight.file import FLIGHT_SUFFIX, Flight, flights, is_flight, profile_of
from lumiban.flight.recorder import FOLDER
from lumiban.flight.replay import Differs, passed, run, shown_lines
from lumiban.flight.trace import LineTrace, vcd
from lumiban.games.gate import NotAccepted
from lumiban.games.registry import loading
from lumiban.i18n import terminal_language
from lumiban.invocation import start_word
from lumiban.system.paths import state_folder
from lumiban.system.terminal import print_json, say
from lumiban.table.record import read, replay, verify
from lumiban.table.result import result_text

Which = Annotated[
    str,
    Parameter(help="The recording, by its name in the list or by file; by default the last."),
]


def listed(*, json: Json = False) -> None:
    """List the flight recordings, oldest first.

    Tables record every frame of their board and everything they did. All recordings together take
    8 megabytes at most; LUMIBAN_FLIGHT_MB sets another limit, 0 records nothing. `{lumiban} replay
    FILE` runs one again and checks it.
    """
    paths = flights(_folder())
    rows = []
    for path in paths:
        try:
            head = Flight(path).head
        except UsageError:
            head = {}
        game = str(head.get("game", head.get("journal_name", "?")))
        rows.append((path, str(head.get("at", "?")), game, path.stat().st_size))
    if json:
        recordings = [
            {"file": str(p), "at": at, "game": game, "bytes": size} for p, at, game, size in rows
        ]
        print_json({"flights": recordings})
        return
    for path, at, game, size in rows:
        print(f"{path.stem:<32} {at:<22} {game:<20} {size:>10,}")
    if not rows:
        say("flight.none", folder=_folder())


def export(
    name: Which = "",
    /,
    *,
    to: Annotated[Path, Parameter(help="File or folder to write it to.")] = Path(),
) -> None:
    """Copy a flight recording, even while its table is playing.

    It holds no names of people, only their seats, and, for a game of your own, the path of its
    file.
    """
    path = _find(name)
    target = to / path.name if to.is_dir() else to
    if target.exists():
        raise UsageError(f"{target} exists already; choose another name with --to")
    try:
        shutil.copyfile(path, target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from None
    say("flight.exported", path=target, size=f"{target.stat().st_size:,}")


def show(name: Which = "", /) -> None:
    """Show a flight recording line by line: frames both ways, verdicts, records, with the time."""
    flight = Flight(_find(name))
    for one in shown_lines(flight.head, flight.lines()):
        print(one)
    if flight.torn:
        say("flight.torn", bytes=flight.torn)


def trace(
    name: Which = "",
    /,
    *,
    to: Annotated[Path, Parameter(help="File to write.")] = Path("table.vcd"),
) -> None:
    """Write the board's line of a recording as a VCD file, for GTKWave, PulseView and sigrok.

    Frames both ways by their type, and what the board tells of each cell, with the recording's own
    times.
    """
    flight = Flight(_find(name))
    if to.exists():
        raise UsageError(f"{to} exists already; choose another name with --to")
    line = LineTrace(profile_of(flight.head))
    for at_us, to_board, data in passed(flight.lines()):
        (line.to_board if to_board else line.to_host)(at_us, data)
    comment = f"recorded at {flight.head.get('at')} on {flight.head.get('profile')}"
    try:
        to.write_text("".join(vcd(line.changes, line.signals, comment=comment)), "ascii",
                      "replace")  # fmt: skip
    except OSError as error:
        raise UsageError(f"{to} cannot be written: {error.strerror}") from None
    if flight.torn:
        say("flight.torn", bytes=flight.torn)
    say("flight.exported", path=to, size=f"{to.stat().st_size:,}")


def _folder() -> Path:

    return state_folder() / FOLDER


def _find(name: str) -> Path:

    if name and is_flight(Path(name)):
        return Path(name)
    paths = flights(_folder())
    if name:
        paths = [path for path in paths if path.name in (name, name + FLIGHT_SUFFIX)]
    if not paths:
        what = f"no recording {name!r}" if name else "no recording yet"
        raise UsageError(f"there is {what} in {_folder()}; {start_word()} flight lists them")
    return paths[-1]


def replay_command(
    file: Annotated[
        Path | None,
        Parameter(
            help="The record, a JSON file, the name of a finished game, or a flight recording;"
            " else the newest record."
        ),
    ] = None,
    /,
    *,
    list_games: Annotated[
        bool,
        Parameter(
            name="--list", negative="", help="List the finished games instead, as `records` does."
        ),
    ] = False,
    rules: Rules = "",
    json: Json = False,
) -> None:
    """Replay a finished game from its record and check that it ends as recorded.

    Each finished game leaves a record in a folder; without FILE the newest one is replayed, and
    the first line shows where it is. Every move, the result and the coin tosses of play without
    turns are checked; the exit code is 1 when one is wrong.

    `{lumiban} records` lists and finds finished games, says who played them, shows results, ratings
    and chain-power tests, and exports a game.

    A flight recording (`{lumiban} flight` lists them) is replayed frame by frame through link and
    table: every verdict, record and frame of light must match bit for bit.

    A game of your own is a program, which neither file may start: name its file with --rules.
    """
    if list_games:
        records(find="" if file is None else str(file), json=json)
        return

    if file is None:
        file = _newest()
        if not json:
            print(file)
    elif not file.exists() and _record_named(str(file)).is_file():
        file = _record_named(str(file))
    if is_flight(file):
        _fly(file, rules, json)
        return

    document, load = read(file), loading(rules)
    try:
        outcome = verify(document, load)
        game, positions = replay(document, load)
    except NotAccepted as error:
        raise UsageError(f"{file}: {error}") from None
    except GameError as error:
        raise CheckFailed(f"{file}: {error}") from None
    moves = positions[-1].history[len(positions[0].history) :]
    winner = None if outcome.winner is None else game.sides[outcome.winner]
    if json:
        print_json(
            {
                "game": game.slug,
                "options": dict(game.options),
                "seats": document.get("seats"),
                "moves": [move.text for move in moves],
                "winner": winner,
                "reason": outcome.reason,
            }
        )
        return
    seats = document.get("seats") or []
    say("replay.head", game=game.slug, seats=" – ".join(map(str, seats)), moves=len(moves))
    for number, (move, before) in enumerate(zip(moves, positions, strict=False), 1):
        print(f"{number:>4}  {game.sides[move.side]:<6} {game.display_text(before, move)}")
    say("replay.end", how=result_text(game, positions[-1], outcome, terminal_language()))


def _record_named(name: str) -> Path:
    """Path at which the record of a finished game of this name would be."""
    return state_folder() / "records" / f"{Path(name).name}.json"


def _newest() -> Path:
    """The record of the game that ended last; UsageError when none has."""
    folder = state_folder() / "records"
    records = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    if not records:
        raise UsageError(f"no game has ended yet: there is no record in {folder}")
    return records[-1]


def _fly(file: Path, rules: str, json: bool) -> None:

    flight = Flight(file)
    try:
        tally = run(flight.head, flight.lines(), rules)
    except NotAccepted as error:
        raise UsageError(f"{file}: {error}") from None
    except Differs as difference:
        raise CheckFailed(f"{file}: {difference}") from None
    if json:
        print_json({**asdict(tally), "torn": flight.torn, "recorded_by": flight.head["lumiban"]})
        return
    if flight.torn:
        say("flight.torn", bytes=flight.torn)
    if tally.full:
        say("flight.full")
    say(
        "flight.same",
        frames=f"{tally.frames:,}",
        steps=f"{tally.steps:,}",
        verdicts=f"{tally.verdicts:,}",
        moves=tally.moves,
        lights=f"{tally.lights:,}",
        seconds=f"{tally.until_us / 1e6:,.1f}",
    )


app = App(name="flight", help=prose(listed), help_epilogue="", help_format="plaintext")
app.default(listed)
app.command(export, help=prose(export))
app.command(show, help=prose(show))
app.command(trace, help=prose(trace))
