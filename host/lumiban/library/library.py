"""The library's database: finished games, players, results and ratings, to list and to search.

SQLite beside the journals, in WAL mode, so that a page reads while a table writes. It is a copy:
records and ledger are the truth. Each record is played through once, and its row stays as long as
the record is there; order, players and ratings are worked out of the whole ledger whenever either
has changed, in one transaction. A file that is damaged, missing or of another version is built
again.

Every record is played through before it counts (`verify`), by rules of ours only: a record from a
stranger runs no program. One that does not fit stays in the list with what is wrong with it. One of
rules in a file is listed as it tells, and counts for no rating and no player's results.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.errors import LumibanError, UsageError
from lumiban.games.gate import is_file
from lumiban.games.registry import OURS, Loader
from lumiban.invocation import start_word
from lumiban.library.database import NAME, connected, is_damage, remove, set_meta, unusable
from lumiban.library.ledger import Ledger, player_name
from lumiban.library.ratings import (
    ALONE,
    BEGINNER,
    OWN,
    SOLO,
    Change,
    RatedGame,
    RatedSeat,
    Rating,
    Ratings,
)
from lumiban.library.rows import row_of
from lumiban.system import size_limits
from lumiban.table import record
from lumiban.table.journal import Note

RECORDS = "records"
MAX_FOUND = 500
"""Games of one answer."""
MAX_QUERY = 200

STAMP = "stamp"
"""In `meta`: what folder and ledger looked like from outside when both were last read."""
_SEARCHED = "searched(game.name, slug, seat0, seat1, reason, opening, first.name, second.name)"
NOTES = "notes"
"""In `meta`: what was wrong with the ledger then, which was told."""


Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LibraryGame:
    """A finished game as a list shows it."""

    serial: int
    """Its place in the order played, from 1."""
    name: str
    """The name of its record, without the suffix."""
    slug: str
    options: Mapping[str, int | str]
    seats: tuple[str, str]
    players: tuple[str | None, str | None]
    """Names, None where nobody was named."""
    winner: int | None
    reason: str
    moves: int
    seconds: float
    """From the first move to the last one, by the board's clock."""
    opening: str
    fault: str
    """Fault of the record, "" for a sound one."""
    is_own: bool
    """Of rules in a file, which no list runs: the result is the record's word."""
    verdict: str
    """One of the verdicts of `ratings`."""
    before: tuple[int | None, int | None]
    gained: tuple[int, int]
    power: Mapping[str, Any] | None = None
    """Of a chain-power test: `score`, `length`, `points`, `seconds`, and each of its `lists`."""


@dataclass(frozen=True, slots=True)
class PlayerResults:
    """A player's results in one game, and the rating."""

    player: str
    slug: str
    won: int
    lost: int
    drawn: int
    rating: int
    rated_games: int


class Library:
    """The library of a state folder; open it with `opened`.

    Several hosts may have it open: one writes at a time, the others wait.
    """

    def __init__(self, state: Path, load: Loader = OURS) -> None:
        self.state = state
        self.path = state / NAME
        self.records = state / RECORDS
        self.ledger = Ledger(state)
        self.notes: list[Note] = []
        """Damage that was found, to be reported."""
        self._load = load
        self._db = self._opened()

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def _tell(self, notes: Iterable[Note]) -> None:
        self.notes += [note for note in notes if note not in self.notes]

    def _meta(self) -> dict[str, str]:
        return dict(self._db.execute("SELECT name, value FROM meta").fetchall())

    # Opening

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except (sqlite3.DatabaseError, OSError) as error:
            if is_damage(error):
                return self._rebuilt(str(error))
            raise unusable(self.path, error) from None

    def _rebuilt(self, why: str) -> sqlite3.Connection:
        """A fresh database in place of one that cannot be read."""
        remove(self.path)
        self._tell([Note("library.damaged", {"why": why})])
        return self._connected()

    def _connected(self) -> sqlite3.Connection:
        db = connected(self.path)
        db.create_function("searched", -1, _searched)
        return db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it happens, or nothing does."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise unusable(self.path, error) from None
        try:
            yield self._db
        except BaseException:
            self._db.rollback()
            raise
        self._db.commit()

    def _mended(self, why: str) -> None:
        self._db.close()
        self._db = self._rebuilt(why)
        self.rebuild()

    # From records and ledger

    def follow(self) -> None:
        """Take in what has happened to records and ledger since they were last read."""
        try:
            if not self._is_followed():
                with self._writing() as db:
                    self._catch_up(db)  # another host may have done the same
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise unusable(self.path, error) from None
            self._mended(str(error))

    def rebuild(self, progress: Progress = lambda done, of: None) -> int:
        """Rebuild the database from all records and the ledger; returns how many games.

        `progress` hears how many of how many are done. JournalError when the ledger cannot be
        read; lines of it that were damaged are told in `notes` and passed over.
        """
        with self._writing() as db:
            db.execute("DELETE FROM game")
            db.execute("DELETE FROM meta")
            return self._take_in(db, progress)

    def _stamp(self) -> str:
        """What changes with the folder of records and with the ledger, and is soon asked for."""
        seen = []
        for path in (self.records, self.ledger.path):
            try:
                about = path.stat()
                seen.append(f"{about.st_ino} {about.st_size} {about.st_mtime_ns}")
            except OSError:
                seen.append("")
        return ", ".join(seen)

    def _is_followed(self) -> bool:
        return self._meta().get(STAMP) == self._stamp()

    def _catch_up(self, db: sqlite3.Connection) -> None:
        if not self._is_followed():
            self._take_in(db)

    def _take_in(self, db: sqlite3.Connection, progress: Progress = lambda done, of: None) -> int:
        """Make the database what records and ledger say, in a transaction; how many games."""
        while True:
            stamp, there, reading = self._stamp(), self._names(), self.ledger.read()
            book = _Book.of(reading.entries)
            missing = sorted(there.difference(book.games))
            if not missing:
                break
            # They come last, by their names.
            self.ledger.append({"t": "game", "name": name} for name in missing)
        known = {row["name"]: row for row in db.execute("SELECT * FROM game")}
        gone = known.keys() - there
        db.executemany("DELETE FROM game WHERE name = ?", [(name,) for name in gone])
        ratings = Ratings()
        for (player, slug), rating in book.starts.items():
            ratings.declare(player, slug, rating)
        order = [name for name in book.games if name in there]
        for serial, name in enumerate(order, 1):
            row = known.get(name) or row_of(self.records, name, self._load)
            players = [book.seats.get((name, side)) for side in (0, 1)]
            derived = {
                **{"serial": serial, "player0": players[0], "player1": players[1]},
                **_changed(ratings.play(_rated(row, players))),
            }
            if name not in known:
                row = {**row, **derived}
                places = ", ".join(f":{column}" for column in row)
                db.execute(f"INSERT INTO game ({', '.join(row)}) VALUES ({places})", row)
            elif any(row[column] != value for column, value in derived.items()):
                changes = ", ".join(f"{column} = :{column}" for column in derived)
                db.execute(
                    f"UPDATE game SET {changes} WHERE name = :name", {**derived, "name": name}
                )
            progress(serial, len(order))
        db.execute("DELETE FROM player")
        db.executemany("INSERT INTO player VALUES (?, ?)", book.players.items())
        db.execute("DELETE FROM rating")
        db.executemany(
            "INSERT INTO rating VALUES (?, ?, ?, ?, ?, ?)",
            [
                (player, slug, r.value, r.declared, r.games, r.is_declared)
                for (player, slug), r in ratings.of.items()
            ],
        )
        told = size_limits.from_json(self._meta().get(NOTES, "[]"))
        notes = [[note.id, dict(note.params)] for note in reading.notes]
        self._tell(n for n, form in zip(reading.notes, notes, strict=True) if form not in told)
        set_meta(db, NOTES, json.dumps(notes))
        set_meta(db, STAMP, stamp)
        return len(order)

    def _names(self) -> set[str]:
        """The names of the records that are there."""
        try:
            files = [path.name for path in self.records.iterdir()]
        except FileNotFoundError:
            return set()
        ours = [name for name in files if name.endswith(record.SUFFIX) and name[0] != "."]
        return {name.removesuffix(record.SUFFIX) for name in ours if name.isprintable()}

    def _ratings(self, db: sqlite3.Connection) -> Ratings:
        """The ratings as they stand."""
        ratings = Ratings()
        asked = "SELECT player, slug, value, declared, games, is_declared FROM rating"
        for player, slug, *row in db.execute(asked):
            ratings.of[player, slug] = Rating(*row)
        return ratings

    # Players

    def player(self, name: str) -> int:
        """The number of the player of this name, who is entered where nobody has it."""
        with self._writing() as db:
            self._catch_up(db)  # another host may have entered the name meanwhile
            return self._player(db, player_name(name))

    def _player(self, db: sqlite3.Connection, name: str) -> int:
        number = self._number_of(name)
        if number is None:
            (number,) = db.execute("SELECT coalesce(max(id), 0) + 1 FROM player").fetchone()
            self.ledger.append([{"t": "player", "id": number, "name": name}])
            db.execute("INSERT INTO player VALUES (?, ?)", (number, name))
        return int(number)

    def _number_of(self, name: str) -> int | None:
        row = self._db.execute("SELECT id FROM player WHERE name = ?", (name,)).fetchone()
        return None if row is None else int(row[0])

    def seat(self, game: str, names: Sequence[str | None]) -> LibraryGame:
        """Say who sat on each side of a game, None where it stays; its ratings follow.

        UsageError when there is no such game, or a machine sat there.
        """
        people = {side: player_name(name) for side, name in enumerate(names) if name is not None}
        with self._writing() as db:
            self._catch_up(db)
            row = db.execute("SELECT seat0, seat1 FROM game WHERE name = ?", (game,)).fetchone()
            if row is None:
                raise UsageError(
                    f"there is no game {game!r} in the library: {start_word()} records lists them"
                )
            for side in people:
                if row[side] != "human":
                    raise UsageError(f"{row[side]} sat on side {side + 1}, not a person")
            entries = [
                {"t": "seat", "game": game, "side": side, "player": self._player(db, name)}
                for side, name in people.items()
            ]
            self.ledger.append(entries)
            self._catch_up(db)
        return self.game(game)

    def declare(self, name: str, slug: str, rating: int) -> None:
        """Set a player's first rating in a game; UsageError where nobody is rated,
        FirstRatingTooLate."""
        name = player_name(name)
        if slug in SOLO:
            raise UsageError(f"{slug} is for one: nobody is rated in it")
        with self._writing() as db:
            self._catch_up(db)
            ratings = self._ratings(db)
            number = self._number_of(name)
            ratings.declare(number or 0, slug, rating)  # whether it may be
            number = self._player(db, name)
            self.ledger.append([{"t": "start", "player": number, "slug": slug, "rating": rating}])
            self._catch_up(db)

    # Questions

    def count(self) -> int:
        """Number of games."""
        return int(self._db.execute("SELECT count(*) FROM game").fetchone()[0])

    def games(
        self, find: str = "", *, limit: int = 50, before: int | None = None
    ) -> list[LibraryGame]:
        """The last games first; with `find` those whose names, game, seats, opening or day have
        all of its words. `before` is the serial of the last one that was shown."""
        words = _plain(find[:MAX_QUERY]).split()
        conditions = [f"{_SEARCHED} LIKE ? ESCAPE '\\'" for _ in words]
        values: list[Any] = [f"%{_escaped(word)}%" for word in words]
        if before is not None:
            conditions.append("serial < ?")
            values.append(before)
        return self._games(conditions, values, limit)

    def power_tests(self, limit: int) -> list[LibraryGame]:
        """The last chain-power tests first."""
        return self._games(["power != ''"], [], limit)

    def game(self, name: str) -> LibraryGame:
        """One game by its record's name; UsageError when there is none."""
        found = self._games(["game.name = ?"], [name], 1)
        if not found:
            raise UsageError(f"there is no game {name[:60]!r} in the library")
        return found[0]

    def _games(
        self, conditions: Sequence[str], values: Sequence[Any], limit: int
    ) -> list[LibraryGame]:
        rows = self._ask(
            "SELECT game.*, first.name AS name0, second.name AS name1 FROM game"
            " LEFT JOIN player AS first ON first.id = player0"
            " LEFT JOIN player AS second ON second.id = player1"
            f" WHERE {' AND '.join([*conditions, '1'])} ORDER BY serial DESC LIMIT ?",
            [*values, max(1, min(limit, MAX_FOUND))],
        )
        return [_game(row) for row in rows]

    def document(self, name: str) -> dict[str, Any]:
        """The record of a game that is in the library; UsageError when there is none."""
        self.game(name)  # no other file is opened by a name
        return record.read(self.records / (name + record.SUFFIX))

    def players(self) -> list[PlayerResults]:
        """All players' results, game by game, the best rating first."""
        rows = self._ask(
            """
            SELECT player.name AS name, seat.slug AS slug,
                sum(seat.winner = seat.side) AS won,
                sum(seat.winner = 1 - seat.side) AS lost,
                sum(seat.winner IS NULL) AS drawn,
                coalesce(rating.value, :beginner) AS value, coalesce(rating.games, 0) AS games
            FROM (
                SELECT player0 AS player, 0 AS side, slug, winner FROM game
                WHERE fault = '' AND verdict NOT IN (:alone, :own)
                UNION ALL
                SELECT player1, 1, slug, winner FROM game
                WHERE fault = '' AND verdict NOT IN (:alone, :own)
            ) AS seat
            JOIN player ON player.id = seat.player
            LEFT JOIN rating ON rating.player = seat.player AND rating.slug = seat.slug
            GROUP BY seat.player, seat.slug
            UNION ALL
            SELECT player.name, rating.slug, 0, 0, 0, rating.value, rating.games
            FROM rating JOIN player ON player.id = rating.player
            WHERE NOT EXISTS (
                SELECT 1 FROM game WHERE fault = '' AND game.slug = rating.slug
                AND (player0 = rating.player OR player1 = rating.player)
            )
            ORDER BY slug, value DESC, name
            """,
            {"beginner": BEGINNER, "alone": ALONE, "own": OWN},
        )
        return [
            PlayerResults(
                row["name"],
                row["slug"],
                row["won"] or 0,
                row["lost"] or 0,
                row["drawn"],
                row["value"],
                row["games"],
            )
            for row in rows
        ]

    def _ask(self, sql: str, values: Sequence[Any] | Mapping[str, Any]) -> list[sqlite3.Row]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise unusable(self.path, error) from None
            self._mended(str(error))
            return self._db.execute(sql, values).fetchall()


@contextmanager
def opened(state: Path, load: Loader = OURS) -> Iterator[Library]:
    """The library of a state folder, with all that was played since, until the block ends.

    JournalError or UsageError when it cannot be had; what was damaged is in its `notes`.
    """
    with closing(Library(state, load)) as library:
        library.follow()
        yield library


@dataclass(frozen=True, slots=True)
class _Book:
    """Latest entry of the ledger on each thing."""

    games: list[str]
    players: dict[int, str]
    seats: dict[tuple[str, int], int | None]
    starts: dict[tuple[int, str], int]

    @classmethod
    def of(cls, entries: Iterable[Mapping[str, Any]]) -> _Book:
        book = cls([], {}, {}, {})
        entered: set[str] = set()
        for entry in entries:
            try:
                book._take(entry, entered)
            except (KeyError, TypeError, ValueError, LumibanError):
                continue  # of a later lumiban, or of a hand that knows how to make a check
        return book

    def _take(self, entry: Mapping[str, Any], entered: set[str]) -> None:
        match entry["t"]:
            case "game":
                name = str(entry["name"])
                if name not in entered:
                    entered.add(name)
                    self.games.append(name)
            case "player":
                self.players[int(entry["id"])] = player_name(str(entry["name"]))
            case "seat":
                player = entry["player"]
                self.seats[str(entry["game"]), int(entry["side"])] = (
                    None if player is None else int(player)
                )
            case "start":
                # The same bounds as where it was declared.
                Ratings().declare(0, "", int(entry["rating"]))
                self.starts[int(entry["player"]), str(entry["slug"])] = int(entry["rating"])


def _rated(row: Mapping[str, Any] | sqlite3.Row, players: Sequence[int | None]) -> RatedGame:
    return RatedGame(
        slug=row["slug"],
        seats=(RatedSeat(row["seat0"], players[0]), RatedSeat(row["seat1"], players[1])),
        winner=row["winner"],
        is_set_up=bool(row["is_set_up"]),
        has_assists=bool(row["has_assists"]),
        is_sound=not row["fault"],
        is_own=is_file(row["slug"]),
    )


def _changed(change: Change) -> dict[str, Any]:
    return {
        "verdict": change.verdict,
        "before0": change.before[0],
        "before1": change.before[1],
        "gained0": change.gained[0],
        "gained1": change.gained[1],
    }


def _searched(*parts: str | None) -> str:
    return _plain(" ".join(part for part in parts if part))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _game(row: sqlite3.Row) -> LibraryGame:
    try:
        options = size_limits.from_json(row["options"])
    except size_limits.Unreadable:  # cut off: no built-in game has as many
        options = {}
    return LibraryGame(
        serial=row["serial"],
        name=row["name"],
        slug=row["slug"],
        options=options,
        seats=(row["seat0"], row["seat1"]),
        players=(row["name0"], row["name1"]),
        winner=row["winner"],
        reason=row["reason"],
        moves=row["moves"],
        seconds=row["seconds"],
        opening=row["opening"],
        fault=row["fault"],
        is_own=is_file(row["slug"]),
        verdict=row["verdict"],
        before=(row["before0"], row["before1"]),
        gained=(row["gained0"], row["gained1"]),
        power=size_limits.from_json(row["power"]) if row["power"] else None,
    )
