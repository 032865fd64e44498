"""`lumiban flight`: the flight recordings of this machine: listed, told, exported."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from lumiban.cli.arguments import Json, prose
from lumiban.errors import UsageError
from lumiban.terminal import print_json, say

Which = Annotated[
    str,
    Parameter(help="The recording, by its name in the list or by file; by default the last."),
]


def listed(*, json: Json = False) -> None:
    """List the flight recordings, oldest first.

    Tables record every frame of their board and everything they did. All recordings together take
    8 megabytes at most; LUMIBAN_FLIGHT_MB sets another limit, 0 records nothing. `lumiban replay
    FILE` runs one again and checks it.
    """
    from lumiban.flight.file import Flight, flights

    found = flights(_folder())
    rows = []
    for path in found:
        try:
            head = Flight(path).head
        except UsageError:
            head = {}
        game = str(head.get("game", head.get("journal_name", "?")))
        rows.append((path, str(head.get("at", "?")), game, path.stat().st_size))
    if json:
        told = [
            {"file": str(p), "at": at, "game": game, "bytes": size} for p, at, game, size in rows
        ]
        print_json({"flights": told})
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
    from lumiban.flight.file import Flight
    from lumiban.flight.replay import told

    flight = Flight(_find(name))
    for one in told(flight.head, flight.lines()):
        print(one)
    if flight.torn:
        say("flight.torn", bytes=flight.torn)


def _folder() -> Path:
    from lumiban.flight.recorder import FOLDER
    from lumiban.paths import state_folder

    return state_folder() / FOLDER


def _find(name: str) -> Path:
    from lumiban.flight.file import FLIGHT_SUFFIX, flights, is_flight

    if name and is_flight(Path(name)):
        return Path(name)
    found = flights(_folder())
    if name:
        found = [path for path in found if path.name in (name, name + FLIGHT_SUFFIX)]
    if not found:
        what = f"no recording {name!r}" if name else "no recording yet"
        raise UsageError(f"there is {what} in {_folder()}; lumiban flight lists them")
    return found[-1]


app = App(name="flight", help=prose(listed), help_epilogue="", help_format="plaintext")
app.default(listed)
app.command(export, help=prose(export))
app.command(show, help=prose(show))
