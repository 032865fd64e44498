"""A rebuild of a library that is killed at a point: `python killed_rebuild.py STATE POINT`.

Points 0 to 8 are after three times that many of its games, 9 right before all is committed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

from lumiban.library.library import Library

POINTS = 10


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    library, point = Library(Path(sys.argv[1])), int(sys.argv[2])

    def progress(done: int, of: int) -> None:
        if done == 1 + 3 * point:
            die()
        if point == 9 and done == of:
            sys.setprofile(before_commit)

    library.rebuild(progress)


def before_commit(_: FrameType, event: str, called: object) -> None:
    if event == "c_call" and getattr(called, "__name__", "") == "commit":
        die()


if __name__ == "__main__":
    main()
