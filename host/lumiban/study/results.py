"""A study's results: one SQLite file, a chunk a transaction, so that it goes on after any end.

Tables `conditions` and `games` (pandas reads them as they are; `moves` are parted by commas, and
`movers` has the side of each, 0 or 1), `chunks` with what each cost, `study` with its file and what
played it, and the view `counters` with a row for each counter of each game. All but
`chunks.cpu_s` is the same for the same study file, however often it was broken off and by
whatever machine it was played.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from lumiban.errors import UsageError
from lumiban.study.chunks import PlayedChunk, PlayedGame
from lumiban.study.plan import Plan, plan_from
from lumiban.study.versions import build
from lumiban.system import size_limits

SCHEMA = 2
BUSY_S = 10

_TABLES = """
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE conditions (
    condition INTEGER PRIMARY KEY, label TEXT NOT NULL, game TEXT NOT NULL, options TEXT NOT NULL,
    first TEXT NOT NULL, second TEXT, opening TEXT NOT NULL
);
CREATE TABLE chunks (
    condition INTEGER NOT NULL, chunk INTEGER NOT NULL, cpu_s REAL NOT NULL,
    PRIMARY KEY (condition, chunk)
) WITHOUT ROWID;
CREATE TABLE games (
    condition INTEGER NOT NULL, pair INTEGER NOT NULL, half INTEGER NOT NULL, point REAL NOT NULL,
    winner INTEGER, reason TEXT NOT NULL, plies INTEGER NOT NULL, choices INTEGER NOT NULL,
    most INTEGER NOT NULL, counts TEXT NOT NULL, movers TEXT NOT NULL, moves TEXT NOT NULL,
    PRIMARY KEY (condition, pair, half)
) WITHOUT ROWID;
CREATE VIEW counters AS
    SELECT condition, pair, half, each.key AS name, each.value AS value
    FROM games, json_each(games.counts) AS each;
"""


class Results:
    """The results file of a study, open for reading and writing.

    UsageError when it belongs to another study, was played by other rules, is no results file, or
    cannot be written. Without a plan any study's results are opened, to be read.
    """

    def __init__(self, path: Path, plan: Plan | None, versions: str = "") -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        except sqlite3.Error as error:
            raise UsageError(f"{path} cannot be opened: {error}") from None
        try:
            with self._disk_errors():
                if plan is not None:
                    self._db.execute("PRAGMA journal_mode = WAL")
                    self._db.execute("PRAGMA synchronous = NORMAL")
                    self._meet(plan, versions)
        except BaseException:
            self._db.close()
            raise

    def _meet(self, plan: Plan, versions: str) -> None:
        head = {"layout": str(SCHEMA), "fingerprint": plan.fingerprint, "versions": versions}
        if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            with self._transaction():
                for statement in _TABLES.split(";\n"):
                    self._db.execute(statement)
                head["plan"] = msgspec.json.encode(plan.tables).decode()
                head["name"] = plan.name
                head["build"] = build()
                self._db.executemany("INSERT INTO study VALUES (?, ?)", sorted(head.items()))
                self._db.executemany(
                    "INSERT INTO conditions VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [
                        (
                            one.number,
                            one.label,
                            one.slug,
                            json.dumps(dict(one.options)),
                            repr(one.first),
                            None if one.second is None else repr(one.second),
                            " ".join(one.opening),
                        )
                        for one in plan.conditions
                    ],
                )
            return
        known = dict(self._db.execute("SELECT name, value FROM study"))
        if known.get("fingerprint") != head["fingerprint"]:
            raise UsageError(
                f"{self.path} holds the results of another study "
                f"({known.get('name', 'unknown')}): give another file, or remove this one"
            )
        if known.get("versions") != versions:
            raise UsageError(
                f"{self.path} was played by other rules or another Python "
                f"({known.get('versions')}; here {versions}): go on with what played it "
                f"({known.get('build')}), give another file, or remove this one"
            )

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"{self.path} cannot be read or written as a study's results: {error}"
            ) from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it by itself
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add(self, chunk: PlayedChunk) -> None:
        """Keep a chunk: all of its games, or none. One that another run of the study has kept
        meanwhile is the same, and stays."""
        with self._disk_errors(), self._transaction():
            added = self._db.execute(
                "INSERT OR IGNORE INTO chunks VALUES (?, ?, ?)",
                (chunk.condition, chunk.number, round(chunk.cpu_s, 3)),
            )
            if not added.rowcount:
                return
            self._db.executemany(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        chunk.condition,
                        game.pair,
                        game.half,
                        game.point,
                        game.winner,
                        game.reason,
                        game.plies,
                        game.choices,
                        game.most,
                        json.dumps(game.counts),
                        "".join(str(side) for side, _ in game.moves),
                        ", ".join(text for _, text in game.moves),
                    )
                    for game in chunk.games
                ],
            )

    def chunks(self, condition: int) -> int:
        """Number of chunks of a condition that are kept; they are its first ones."""
        with self._disk_errors():
            row = self._db.execute(
                "SELECT count(*) FROM chunks WHERE condition = ?", (condition,)
            ).fetchone()
        return int(row[0])

    def pair_points(self, condition: int) -> list[float]:
        """The mean point of each pair of a condition, in order."""
        with self._disk_errors():
            rows = self._db.execute(
                "SELECT avg(point) FROM games WHERE condition = ? GROUP BY pair ORDER BY pair",
                (condition,),
            )
            return [float(point) for (point,) in rows]

    def games(self, condition: int) -> Sequence[PlayedGame]:
        """All games of a condition, in order."""
        with self._disk_errors():
            rows = self._db.execute(
                "SELECT pair, half, point, winner, reason, plies, choices, most, counts "
                "FROM games WHERE condition = ? ORDER BY pair, half",
                (condition,),
            )
            read = size_limits.from_json
            return [
                PlayedGame(pair, half, point, winner, reason, plies, choices, most, read(counts))
                for pair, half, point, winner, reason, plies, choices, most, counts in rows
            ]

    def moves(self, condition: int) -> Iterator[tuple[int, int, int, int, str]]:
        """Pair, half, number from 1 on, side and text of each move of a condition, in order."""
        with self._disk_errors():
            if "moves" not in {row[1] for row in self._db.execute("PRAGMA table_info(games)")}:
                raise UsageError(f"{self.path} keeps no moves: an earlier lumiban played its games")
            rows = self._db.execute(
                "SELECT pair, half, movers, moves FROM games WHERE condition = ? "
                "ORDER BY pair, half",
                (condition,),
            )
            for pair, half, movers, moves in rows:
                texts = moves.split(", ") if moves else []
                for number, (side, text) in enumerate(zip(movers, texts, strict=True), 1):
                    yield pair, half, number, int(side), text

    def cpu_s(self, condition: int) -> float:
        """CPU time of a condition in seconds."""
        with self._disk_errors():
            row = self._db.execute(
                "SELECT total(cpu_s) FROM chunks WHERE condition = ?", (condition,)
            ).fetchone()
        return float(row[0])

    def close(self) -> None:
        """Leave one file: what is in the write-ahead log is written into it."""
        self._db.close()


def read_plan(path: Path) -> tuple[Plan, str]:
    """The study whose results a file holds, and what it was played by; UsageError."""
    if not path.is_file():
        raise UsageError(f"there is no results file {path}")
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_S)) as db:
            known = dict(db.execute("SELECT name, value FROM study"))
        plan = plan_from(msgspec.json.decode(known["plan"]), known["name"])
        return plan, ", ".join([f"Python {known['versions']}", *filter(None, [known.get("build")])])
    except (sqlite3.Error, KeyError, msgspec.DecodeError) as error:
        raise UsageError(f"{path} holds no results of a study: {error}") from None
