"""A rebuild of a library that is killed at a point: `python killed_rebuild.py STATE POINT`.

Points 0 to 6 are before that many tenths of its games, 7 while ratings are stored, 8 before the
last word of the transaction, 9 right before it is committed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from lumiban.library.library import Library

POINTS = 10


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class KilledLibrary(Library):
    """A library whose rebuild ends by a kill."""

    point = 0
    inserted = 0

    def _insert(self, *args: Any, **more: Any) -> None:
        self.inserted += 1
        super()._insert(*args, **more)
        if self.point < 7 and self.inserted == 1 + 4 * self.point:
            die()

    def _store(self, db: Any, ratings: Any) -> None:
        if self.point == 7:
            die()
        super()._store(db, ratings)
        if self.point == 8:
            die()


def main() -> None:
    library = KilledLibrary(Path(sys.argv[1]))
    library.point = int(sys.argv[2])
    if library.point == 9:
        # The last statement before the commit.
        library._db.set_trace_callback(lambda sql: die() if sql.startswith("COMMIT") else None)
    library.rebuild()


if __name__ == "__main__":
    main()
