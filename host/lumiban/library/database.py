"""The file of the library's database: its tables, how its versions follow, how it breaks."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from lumiban.errors import JournalError

NAME = "library.sqlite"
BUSY_TIMEOUT_S = 10.0
"""Time in seconds that a host waits for another one that is writing."""

MIGRATIONS = (
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE game (
        serial INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        slug TEXT NOT NULL,
        options TEXT NOT NULL,
        seat0 TEXT NOT NULL, seat1 TEXT NOT NULL,
        player0 INTEGER, player1 INTEGER,
        winner INTEGER, reason TEXT NOT NULL,
        moves INTEGER NOT NULL, seconds REAL NOT NULL,
        opening TEXT NOT NULL,
        is_set_up INTEGER NOT NULL, has_assists INTEGER NOT NULL,
        sha256 TEXT NOT NULL, fault TEXT NOT NULL,
        verdict TEXT NOT NULL,
        before0 INTEGER, before1 INTEGER,
        gained0 INTEGER NOT NULL, gained1 INTEGER NOT NULL
    );
    CREATE TABLE rating (
        player INTEGER NOT NULL, slug TEXT NOT NULL,
        value INTEGER NOT NULL, declared INTEGER NOT NULL, games INTEGER NOT NULL,
        PRIMARY KEY (player, slug)
    ) WITHOUT ROWID;
    CREATE INDEX game_slug ON game (slug, serial);
    """,
    """
    ALTER TABLE game ADD COLUMN search TEXT NOT NULL DEFAULT '';
    CREATE INDEX game_player0 ON game (player0, serial);
    CREATE INDEX game_player1 ON game (player1, serial);
    """,
    """
    ALTER TABLE game ADD COLUMN power TEXT NOT NULL DEFAULT '';
    CREATE INDEX game_power ON game (serial) WHERE power != '';
    """,
    """
    ALTER TABLE rating ADD COLUMN is_declared INTEGER NOT NULL DEFAULT 0;
    """,
    # A game of somebody's own was faulty, since its rules did not run. Of a path of 200 letters the
    # end was cut off: it stays as it is.
    """
    UPDATE game SET fault = ''
    WHERE fault LIKE 'it is of a game of its own, %' AND length(slug) < 200;
    """,
)
"""Statements that bring the database from each version to the next."""
VERSION = len(MIGRATIONS)
_DAMAGE = ("malformed", "not a database", "no such table", "no such column", "has no column")


def connected(path: Path) -> sqlite3.Connection:
    """The database at a path, made where there is none, in WAL mode and in our version.

    sqlite3.DatabaseError or OSError: it cannot be read; JournalError: a later lumiban made it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        _migrate(db, path)
        db.execute("SELECT count(*) FROM meta").fetchone()
    except BaseException:
        db.close()
        raise
    return db


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


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring the database to our version; JournalError when a later lumiban made it."""
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise JournalError(
            f"the library {path} is of version {version}, this lumiban knows {VERSION}: update it,"
            " or remove the file, which is built again from the records"
        )
    while version < VERSION:
        db.execute("BEGIN IMMEDIATE")
        try:
            # Another host may have done it while we waited.
            version = int(db.execute("PRAGMA user_version").fetchone()[0])
            if version < VERSION:
                for statement in MIGRATIONS[version].split(";"):
                    if statement.strip():
                        db.execute(statement)
                version += 1
                db.execute(f"PRAGMA user_version = {version}")
            db.commit()
        except BaseException:
            db.rollback()
            raise
