"""The file of the library's database: its tables, and how it is found unusable."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from lumiban.errors import JournalError

NAME = "games.sqlite"
OLD_NAMES = ("library.sqlite",)
"""Names of the file in earlier versions, whose tables were others."""
BUSY_TIMEOUT_S = 10.0
"""Time in seconds that a host waits for another one that is writing."""
VERSION = 1
"""Version of the tables; a file of another version is emptied, and filled from the records."""
TABLES = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE game (
        name TEXT PRIMARY KEY,
        slug TEXT NOT NULL,
        options TEXT NOT NULL,
        seat0 TEXT NOT NULL, seat1 TEXT NOT NULL,
        winner INTEGER, reason TEXT NOT NULL,
        moves INTEGER NOT NULL, seconds REAL NOT NULL,
        opening TEXT NOT NULL,
        is_set_up INTEGER NOT NULL, has_assists INTEGER NOT NULL,
        sha256 TEXT NOT NULL, fault TEXT NOT NULL, power TEXT NOT NULL,
        serial INTEGER NOT NULL,
        player0 INTEGER, player1 INTEGER,
        verdict TEXT NOT NULL,
        before0 INTEGER, before1 INTEGER,
        gained0 INTEGER NOT NULL, gained1 INTEGER NOT NULL
    );
    CREATE INDEX game_serial ON game (serial);
    CREATE TABLE rating (
        player INTEGER NOT NULL, slug TEXT NOT NULL,
        value INTEGER NOT NULL, declared INTEGER NOT NULL, games INTEGER NOT NULL,
        is_declared INTEGER NOT NULL,
        PRIMARY KEY (player, slug)
    ) WITHOUT ROWID;
"""
_DAMAGE = ("malformed", "not a database", "no such table", "no such column", "has no column")


def connected(path: Path) -> sqlite3.Connection:
    """The database at a path, made where there is none, in WAL mode and in our version.

    sqlite3.DatabaseError or OSError: it cannot be read.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if _version(db) != VERSION:
            _make_tables(db)
            for old in OLD_NAMES:
                remove(path.with_name(old))
        db.execute("SELECT count(*) FROM meta").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def remove(path: Path) -> None:
    """Delete a database with the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def set_meta(db: sqlite3.Connection, name: str, value: str) -> None:
    """Keep what is known of the whole database under a name."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def is_damage(error: Exception) -> bool:
    """True if SQLite says that its file is not what we wrote."""
    message = str(error)
    return any(sign in message for sign in _DAMAGE) and isinstance(error, sqlite3.DatabaseError)


def unusable(path: Path, error: Exception) -> JournalError:
    """The sentence for a database that another host keeps busy, or that cannot be used at all."""
    if "locked" in str(error):
        return JournalError(
            f"another lumiban has been writing the library {path} for"
            f" {BUSY_TIMEOUT_S:.0f} s: try again"
        )
    return JournalError(
        f"the library {path} cannot be used: {error}; see to the disk, then try again: the games"
        " themselves stand in the folder records"
    )


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _make_tables(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    with db:  # commits, or rolls back
        if _version(db) != VERSION:  # another host may have done it while we waited
            asked = "SELECT name FROM sqlite_master WHERE type = 'table'"
            for (name,) in db.execute(asked).fetchall():
                db.execute(f'DROP TABLE "{name}"')
            for statement in TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")
