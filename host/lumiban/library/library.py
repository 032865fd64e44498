"""The library's database: finished games, players, results and ratings, to list and to search.

SQLite beside the journals, `library.sqlite`, in WAL mode, so that a page reads while a table
writes. Nothing is kept there alone: all comes from the records and the ledger, and is built from
them again when the file is damaged, of an older version that cannot be brought on, or missing. A
rebuild is one transaction; killed anywhere it leaves what was there before, and is begun again.

Every record is played through before it counts (`verify`), by rules of ours only: a record from a
stranger runs no program. One that does not fit stays in the list with what is wrong with it. One of
somebody's own rules is listed as it tells, and counts for no rating and no player's results.
"""

from __future__ import annotations

import os
import sqlite3
import unicodedata
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.errors import LumibanError, UsageError
from lumiban.games.gate import is_file
from lumiban.games.registry import OURS, Loader
from lumiban.invocation import start_word
from lumiban.library.database import (
    NAME,
    VERSION,
    connected,
    is_damage,
    set_meta,
    unusable,
)
from lumiban.library.ledger import Ledger, LedgerPlace, LedgerReading, player_name
from lumiban.library.ratings import (
    ALONE,
    BEGINNER,
    DRAWN,
    OWN,
    RATED,
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

COMPLETE = "complete"
"""In `meta`: the version whose rebuild ended."""
SAME_ROWS = frozenset({"3", "4"})
"""Earlier versions whose rows of games hold what ours do, once they are migrated."""
STAMP = "stamp"
"""In `meta`: what folder and ledger looked like from outside when both were last read."""
PLACE = "ledger-place"
"""In `meta`: how far the ledger was read."""
LISTING = "records-check"
"""In `meta`: a check of the names in the folder of records (`_check_of`)."""
RATINGS = "ratings-check"
"""In `meta`: a check of the table of ratings, which all later games are rated by."""
MOST_ROUNDS = 4
"""Readings of a ledger that grows while it is read."""
FEW = 20
"""Names that are looked for in a ledger's bytes one by one."""
DERIVED = {
    *("serial", "player0", "player1", "search"),
    *("verdict", "before0", "before1", "gained0", "gained1"),
}
"""Columns of a game that do not come from its record alone."""


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
    """Of rules in a file of somebody's own, which no list runs: the result is the record's word."""
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
            return connected(self.path)
        except (sqlite3.DatabaseError, OSError) as error:
            if is_damage(error):
                return self._anew(str(error))
            raise unusable(self.path, error) from None

    def _anew(self, why: str) -> sqlite3.Connection:
        """A fresh database where the one that is there cannot be read; that one is kept aside."""
        aside = self.path.with_name(self.path.name + ".damaged")
        for suffix in ("", "-wal", "-shm"):
            there = self.path.with_name(self.path.name + suffix)
            if there.exists():
                there.replace(aside.with_name(aside.name + suffix))
        self.notes.append(Note("library.damaged", {"path": aside.name, "why": why}))
        return connected(self.path)

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
        self._db = self._anew(why)
        self.rebuild()

    # From records and ledger

    def follow(self, *, may_list_later: bool = False) -> int:
        """Take in what records and ledger have and the database has not; how many games are new.

        Built from the beginning where the last rebuild did not end. Tables enter their games in
        the ledger; others are found by listing the folder of records, which of 100 000 takes most
        of the time. It may be done at the next call where the ledger told something new
        (`is_followed` says whether it is due).
        """
        try:
            return self._follow(may_list_later)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise unusable(self.path, error) from None
            self._mended(str(error))
            return self.count()

    def _follow(self, may_list_later: bool = False) -> int:
        complete = self._meta().get(COMPLETE, "")
        if complete != str(VERSION) and complete not in SAME_ROWS:
            return self.rebuild()
        if not self._are_ratings_ours():
            self._tell([Note("library.ratings", {"path": self.path.name})])
            with self._writing() as db:
                return max(0, self._build_of_known(db))
        if self.is_followed():
            return 0
        with self._writing() as db:  # another host may be about to do the same
            return self._catch_up(db, may_list_later)

    def is_followed(self) -> bool:
        """True if neither records nor ledger have changed since both were read."""
        meta = self._meta()
        stamp = _stamp(_mtime(self.records), self.ledger.stamp())
        return meta.get(COMPLETE) == str(VERSION) and meta.get(STAMP) == stamp

    def _catch_up(self, db: sqlite3.Connection, may_list_later: bool = False) -> int:
        """Take in what has come, in a transaction; how many games are new.

        Where that is not all that happened (an earlier entry of the ledger has changed, a named
        game's record is gone or has come back), all rows are put in order anew; records that were
        played through are not played again.
        """
        if self.is_followed():
            return 0
        new = self._grown(db, may_list_later)
        return max(0, self._build_of_known(db) if new is None else new)

    def _build_of_known(self, db: sqlite3.Connection) -> int:
        """Put all rows in order anew, playing no known record again; how many games more there
        are."""
        rows = map(dict, db.execute("SELECT * FROM game").fetchall())
        known = {
            row["name"]: {name: value for name, value in row.items() if name not in DERIVED}
            for row in rows
        }
        return self._build(db, known) - len(known)

    def _are_ratings_ours(self) -> bool:
        """True if the table of ratings is as it was stored: nobody has edited it by hand."""
        # One statement, so that another host's change comes with its check.
        asked = f"SELECT (SELECT value FROM meta WHERE name = ?), ({_RATINGS_AS_TEXT})"
        check, ratings_text = self._db.execute(asked, (RATINGS,)).fetchone()
        return check is None or check == _check_of_ratings(ratings_text)

    def _grown(self, db: sqlite3.Connection, may_list_later: bool = False) -> int | None:
        """Take in what stands behind the ledger's known end, and records that are new or gone;
        how many games are new, None where more has changed."""
        meta = self._meta()
        if meta.get(COMPLETE) != str(VERSION) or PLACE not in meta:
            return None
        place, check = LedgerPlace.of(meta[PLACE]), int(meta[LISTING])
        new, notes = 0, list[Note]()
        for _ in range(MOST_ROUNDS):
            folder, stamp = _mtime(self.records), self.ledger.stamp()
            reading = self.ledger.read(place)
            if not reading.is_same:
                self._tell([Note("ledger.other", {"path": self.ledger.path.name})])
                return None
            notes += reading.notes
            place = reading.place
            for entry in reading.entries:
                entered = self._take(db, entry)
                if entered is None:
                    return None
                new += len(entered)
                check += _check_of(_file(name) for name in entered)
            if may_list_later and new:
                folder = _folder_of(meta[STAMP])  # as it was listed last
                break
            may_list_later = False
            files = _files(self.records)
            new_check = _check_of(files)
            if new_check == check:
                break
            there, known = _names(files), self._known(db)
            if self._forget_machines(db, known - there):
                return None
            missing = sorted(there - known)
            if _is_entered(reading, missing):
                return None
            check = new_check
            if not missing:
                break
            self.ledger.append({"t": "game", "name": name} for name in missing)
            check -= _check_of(map(_file, missing))
        else:
            return None
        self._tell(notes)
        set_meta(db, STAMP, _stamp(folder, stamp))
        set_meta(db, PLACE, str(place))
        set_meta(db, LISTING, str(check))
        return new

    def _take(self, db: sqlite3.Connection, entry: Mapping[str, Any]) -> list[str] | None:
        """Take in an entry behind all others: the game that it brings, if any; None where it is
        about something that was there before, or is not there."""
        book = _Book.of([entry])
        entered = []
        for name in book.games:
            if not self._has(db, name) and _has_record(self.records, name):
                self._insert(db, row_of(self.records, name, self._load), {}, Ratings())
                entered.append(name)
        for number, name in book.players.items():
            there = db.execute("SELECT name FROM player WHERE id = ?", (number,)).fetchone()
            if there is not None and there[0] != name:
                return None
            db.execute("INSERT OR IGNORE INTO player VALUES (?, ?)", (number, name))
        for (name, side), player in book.seats.items():
            if not self._has(db, name) or side not in (0, 1):
                return None
            self._sit(db, name, side, player)
        for (player, slug), rating in book.starts.items():
            self._begin(db, player, slug, rating)
        return entered

    def _sit(self, db: sqlite3.Connection, name: str, side: int, player: int | None) -> None:
        """Put a player on a side of a game that is there; ratings follow."""
        asked = "SELECT * FROM game WHERE name = ?"
        row = db.execute(asked, (name,)).fetchone()
        with self._rating_again(db, row["slug"], row["serial"]):
            db.execute(f"UPDATE game SET player{side} = ? WHERE name = ?", (player, name))
            row = db.execute(asked, (name,)).fetchone()
            names = self._names_of([row])
            search_text = _searchable(row, [names.get(row[f"player{s}"]) for s in (0, 1)])
            db.execute("UPDATE game SET search = ? WHERE name = ?", (search_text, name))

    def _begin(self, db: sqlite3.Connection, player: int, slug: str, rating: int) -> None:
        """Let a player begin with a rating, before all games of theirs."""
        asked = "SELECT min(serial) FROM game WHERE slug = ? AND (player0 = ? OR player1 = ?)"
        (first,) = db.execute(asked, (slug, player, player)).fetchone()
        if first is None:
            first = int(db.execute("SELECT coalesce(max(serial), 0) + 1 FROM game").fetchone()[0])
        with self._rating_again(db, slug, first) as ratings:
            ratings.of[player, slug] = Rating(rating, rating, is_declared=True)

    @contextmanager
    def _rating_again(self, db: sqlite3.Connection, slug: str, first: int) -> Iterator[Ratings]:
        """Take back what a game's play did to ratings from a serial on; it is followed again after
        the block, which may change who sat there, or the ratings before it."""
        asked = (
            "SELECT * FROM game WHERE slug = :slug AND serial >= :first"
            " AND (serial = :first OR player0 IS NOT NULL OR player1 IS NOT NULL) ORDER BY serial"
        )
        values = {"slug": slug, "first": first}
        ratings = self._ratings(db)
        for row in db.execute(asked, values):
            if row["verdict"] in (RATED, DRAWN):
                for side in (0, 1):
                    if row[f"player{side}"] is not None:
                        there = ratings.of[row[f"player{side}"], slug]
                        there.value -= row[f"gained{side}"]
                        there.games -= 1
        for key, rating in list(ratings.of.items()):
            if not (rating.games or rating.is_declared):
                del ratings.of[key]
        yield ratings
        updates = []
        for row in db.execute(asked, values).fetchall():
            changed = _changed(ratings.play(_rated(row)))
            if any(row[name] != value for name, value in changed.items()):
                updates.append({**changed, "serial": row["serial"]})
        db.executemany(
            "UPDATE game SET verdict = :verdict, before0 = :before0, before1 = :before1,"
            " gained0 = :gained0, gained1 = :gained1 WHERE serial = :serial",
            updates,
        )
        self._store(db, ratings)

    def _has(self, db: sqlite3.Connection, name: str) -> bool:
        return db.execute("SELECT 1 FROM game WHERE name = ?", (name,)).fetchone() is not None

    def _known(self, db: sqlite3.Connection) -> set[str]:
        """The names of all games, as one text: a row each takes five times as long."""
        (names,) = db.execute("SELECT group_concat(name, '/') FROM game").fetchone()
        return set(names.split("/")) if names else set()

    def _forget_machines(self, db: sqlite3.Connection, gone: set[str]) -> bool:
        """Delete rows of games whose records are gone, such as a loop of bots leaves behind every
        minute; whether there are others, on which a rating may rest."""
        asked = "SELECT player0, player1 FROM game WHERE name = ?"
        rows = [db.execute(asked, (name,)).fetchone() for name in gone]
        if any(tuple(row) != (None, None) for row in rows):
            return True
        db.executemany("DELETE FROM game WHERE name = ?", [(name,) for name in gone])
        return False

    def rebuild(
        self,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> int:
        """Build the database anew from all records and the ledger; returns how many games.

        `progress` hears how many of how many are done. JournalError when the ledger cannot be
        read; lines of it that were damaged are told in `notes` and passed over.
        """
        with self._writing() as db:
            return self._build(db, {}, progress)

    def _build(
        self,
        db: sqlite3.Connection,
        known: Mapping[str, Mapping[str, Any]],
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> int:
        """`rebuild` in a transaction; records whose rows are known are not played through again."""
        folder = _mtime(self.records)
        files = _files(self.records)
        there = _names(files)
        stamp = self.ledger.stamp()
        reading = self.ledger.read()
        self._tell(reading.notes)
        entries, place = reading.entries, reading.place
        entered = set(_Book.of(entries).games)
        if missing := sorted(there - entered):
            # They come last, by their names.
            self.ledger.append({"t": "game", "name": name} for name in missing)
            stamp = self.ledger.stamp()
            more = self.ledger.read(place)
            entries, place = (*entries, *more.entries), more.place
        book = _Book.of(entries)
        order = [name for name in book.games if name in there]
        for table in ("meta", "player", "game", "rating"):
            db.execute(f"DELETE FROM {table}")
        db.executemany("INSERT INTO player VALUES (?, ?)", book.players.items())
        ratings = Ratings()
        for (player, slug), rating in book.starts.items():
            ratings.declare(player, slug, rating)
        for number, name in enumerate(order, 1):
            row = {**known[name]} if name in known else row_of(self.records, name, self._load)
            self._insert(db, row, book.seats, ratings, book.players)
            progress(number, len(order))
        self._store(db, ratings)
        set_meta(db, STAMP, _stamp(folder, stamp))
        set_meta(db, PLACE, str(place))
        set_meta(db, LISTING, str(_check_of(files)))
        set_meta(db, COMPLETE, str(VERSION))
        return len(order)

    def _insert(
        self,
        db: sqlite3.Connection,
        row: dict[str, Any],
        seats: Mapping[tuple[str, int], int | None],
        ratings: Ratings,
        players: Mapping[int, str] | None = None,
    ) -> None:
        for side in (0, 1):
            row[f"player{side}"] = seats.get((row["name"], side))
        names = [(players or {}).get(row[f"player{side}"] or 0) for side in (0, 1)]
        row["search"] = _searchable(row, names)
        row.update(_changed(ratings.play(_rated(row))))
        columns = ", ".join(row)
        places = ", ".join(f":{column}" for column in row)
        db.execute(f"INSERT INTO game ({columns}) VALUES ({places})", row)

    def _ratings(self, db: sqlite3.Connection) -> Ratings:
        """The ratings as they stand."""
        ratings = Ratings()
        asked = "SELECT player, slug, value, declared, games, is_declared FROM rating"
        for player, slug, value, declared, games, is_declared in db.execute(asked):
            ratings.of[player, slug] = Rating(value, declared, games, bool(is_declared))
        return ratings

    def _store(self, db: sqlite3.Connection, ratings: Ratings) -> None:
        db.execute("DELETE FROM rating")
        db.executemany(
            "INSERT INTO rating VALUES (?, ?, ?, ?, ?, ?)",
            [
                (player, slug, r.value, r.declared, r.games, int(r.is_declared))
                for (player, slug), r in sorted(ratings.of.items())
            ],
        )
        (ratings_text,) = db.execute(_RATINGS_AS_TEXT).fetchone()
        set_meta(db, RATINGS, _check_of_ratings(ratings_text))

    # Players

    def player(self, name: str) -> int:
        """The number of the player of this name, who is entered where nobody has it."""
        name = player_name(name)
        number = self._number_of(name)
        if number is not None:
            return number
        with self._writing() as db:
            self._catch_up(db)  # another host may have entered the name meanwhile
            return self._player(db, name)

    def _player(self, db: sqlite3.Connection, name: str) -> int:
        number = self._number_of(name)
        if number is None:
            row = db.execute("SELECT coalesce(max(id), 0) + 1 FROM player").fetchone()
            number = int(row[0])
            self.ledger.append([{"t": "player", "id": number, "name": name}])
            self._catch_up(db)
        return number

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
            self.ledger.append(
                [
                    {"t": "seat", "game": game, "side": side, "player": self._player(db, name)}
                    for side, name in people.items()
                ]
            )
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
        conditions = ["search LIKE ? ESCAPE '\\'" for _ in words]
        values: list[Any] = [f"%{_escaped(word)}%" for word in words]
        if before is not None:
            conditions.append("serial < ?")
            values.append(before)
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._ask(
            f"SELECT * FROM game {where} ORDER BY serial DESC LIMIT ?",
            [*values, max(1, min(limit, MAX_FOUND))],
        )
        names = self._names_of(rows)
        return [_game(row, names) for row in rows]

    def power_tests(self, limit: int = 50) -> list[LibraryGame]:
        """The last chain-power tests first."""
        rows = self._ask(
            "SELECT * FROM game WHERE power != '' ORDER BY serial DESC LIMIT ?",
            [max(1, min(limit, MAX_FOUND))],
        )
        names = self._names_of(rows)
        return [_game(row, names) for row in rows]

    def game(self, name: str) -> LibraryGame:
        """One game by its record's name; UsageError when there is none."""
        rows = self._ask("SELECT * FROM game WHERE name = ?", [name])
        if not rows:
            raise UsageError(f"there is no game {name[:60]!r} in the library")
        return _game(rows[0], self._names_of(rows))

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
                row["drawn"] or 0,
                row["value"],
                row["games"],
            )
            for row in rows
        ]

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that the database holds, but for when it was built: to compare two of them."""
        asked = {
            "player": "SELECT * FROM player ORDER BY id",
            "game": "SELECT * FROM game ORDER BY serial",
            "rating": "SELECT * FROM rating ORDER BY player, slug",
            "meta": f"SELECT * FROM meta WHERE name = '{COMPLETE}'",
        }
        return {table: [tuple(row) for row in self._ask(sql, [])] for table, sql in asked.items()}

    def _ask(self, sql: str, values: Sequence[Any] | Mapping[str, Any]) -> list[sqlite3.Row]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise unusable(self.path, error) from None
            self._mended(str(error))
            return self._db.execute(sql, values).fetchall()

    def _names_of(self, rows: Iterable[sqlite3.Row]) -> dict[int, str]:
        wanted = {row[f"player{side}"] for row in rows for side in (0, 1)} - {None}
        places = ", ".join("?" * len(wanted))
        players = self._ask(f"SELECT id, name FROM player WHERE id IN ({places})", sorted(wanted))
        return {row["id"]: row["name"] for row in players}


@contextmanager
def opened(state: Path, load: Loader = OURS, *, may_list_later: bool = False) -> Iterator[Library]:
    """The library of a state folder, with all that was played since, until the block ends;
    `may_list_later` as in `Library.follow`.

    JournalError or UsageError when it cannot be had; what was damaged is in its `notes`.
    """
    with closing(Library(state, load)) as library:
        library.follow(may_list_later=may_list_later)
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


def _rated(row: Mapping[str, Any] | sqlite3.Row) -> RatedGame:
    return RatedGame(
        slug=row["slug"],
        seats=(
            RatedSeat(row["seat0"], row["player0"]),
            RatedSeat(row["seat1"], row["player1"]),
        ),
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


def _searchable(row: Mapping[str, Any] | sqlite3.Row, names: Sequence[str | None]) -> str:
    parts = [row["name"], row["slug"], row["seat0"], row["seat1"], row["reason"], row["opening"]]
    return _plain(" ".join([*parts, *(name for name in names if name)]))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _game(row: sqlite3.Row, names: Mapping[int, str]) -> LibraryGame:
    try:
        options = size_limits.from_json(row["options"])
    except size_limits.Unreadable:  # cut off: no game of ours has so many
        options = {}
    return LibraryGame(
        serial=row["serial"],
        name=row["name"],
        slug=row["slug"],
        options=options,
        seats=(row["seat0"], row["seat1"]),
        players=(names.get(row["player0"]), names.get(row["player1"])),
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


def _stamp(folder: int, ledger: str) -> str:
    return f"{folder} {ledger}"


def _folder_of(stamp: str) -> int:
    """Stamp of the folder's last change."""
    return int(stamp.partition(" ")[0])


def _files(folder: Path) -> list[bytes]:
    """The names of all files in a folder, undecoded: that many are quick to compare."""
    try:
        return os.listdir(os.fsencode(folder))  # noqa: PTH208 (a Path a name takes ten times as long)
    except FileNotFoundError:
        return []


def _check_of(files: Iterable[bytes]) -> int:
    """A sum over names that does not depend on their order; it grows and shrinks with them."""
    return sum(map(crc32, files))


_RATINGS_AS_TEXT = """
    SELECT group_concat(
        player || ' ' || slug || ' ' || value || ' ' || declared || ' ' || games || ' '
        || is_declared, '/'
    ) FROM (SELECT * FROM rating ORDER BY player, slug)
"""


def _check_of_ratings(ratings_text: str | None) -> str:
    return f"{crc32((ratings_text or '').encode()):08x}"


_ENDING = record.SUFFIX.encode()


def _names(files: Iterable[bytes]) -> set[str]:
    """The names of records among files, without their suffix."""
    names = set()
    for file in files:
        if file.endswith(_ENDING) and not file.startswith(b"."):
            with suppress(UnicodeDecodeError):  # no table of ours wrote it
                names.add(file[: -len(_ENDING)].decode())
    return names


def _file(name: str) -> bytes:
    return name.encode() + _ENDING


def _has_record(records: Path, name: str) -> bool:
    """True if a record exists under this name, which somebody may have written into the ledger."""
    if "/" in name or name.startswith("."):
        return False
    try:
        return (records / (name + record.SUFFIX)).exists()
    except (OSError, ValueError):  # too long, or no text
        return False


def _is_entered(reading: LedgerReading, names: Sequence[str]) -> bool:
    """True if some of these games may have an entry in a ledger; many are not looked for."""
    return len(names) > FEW or any(map(reading.may_enter, names))


def _mtime(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
