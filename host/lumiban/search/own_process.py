"""Life of a search process: when it ends, and when Python's garbage collector runs.

The collector never runs while somebody waits for a move. What is imported and what the compiler
makes are hundreds of thousands of objects that stay. To look through them took 47 ms in the middle
of a thought, and a tenth of all time up to the first answer.
"""

from __future__ import annotations

import gc
import os
import stat
import threading


def end_with_owner() -> None:
    """End this process when the pipe that is its stdin ends: nobody waits for its work.

    Nothing where stdin is no pipe.
    """
    if not stat.S_ISFIFO(os.fstat(0).st_mode):
        return

    def wait() -> None:
        # Not by sys.stdin: its lock would be held while the interpreter ends.
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


_RARELY = 100_000
"""Objects made until it looks through the young ones, while a process starts; memory it costs is
bounded by that."""
_usual = gc.get_threshold()


def tune_gc() -> None:
    """While a process starts: nearly all that is made then stays."""
    gc.set_threshold(_RARELY, *_usual[1:])


def freeze_gc() -> None:
    """Leave out all that there is from now on, unseen; what is new is looked through as usual."""
    gc.freeze()
    gc.set_threshold(*_usual)


def collect_garbage() -> None:
    """Find what is garbage in all that was set aside, and set the rest aside again: 50 to 100 ms,
    for when nothing is asked."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
