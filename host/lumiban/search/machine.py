"""State of compiled code on this machine: whether numba is there and compiled code wanted, and when
Python's garbage collector runs in a search process.

The collector never runs while somebody waits for a move. What is imported and what the
compiler makes are hundreds of thousands of objects that stay. To look through them took 47 ms in
the middle of a thought, and a tenth of all time up to the first answer.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import stat
import sys
import threading

FAST = "LUMIBAN_FAST"
"""Environment variable: the folder into which `./run` installs numba in the background."""


PLAIN = "LUMIBAN_PLAIN"
"""Environment variable: with 1 nothing is compiled, and nothing compiled is run."""


def is_plain() -> bool:
    """True if compiled code is switched off."""
    return os.environ.get(PLAIN, "") not in ("", "0")


def has_numba() -> bool:
    """True if numba is installed.

    It is not imported for this, so that an installation which is broken passes; see `jit.fits`.
    """
    return importlib.util.find_spec("numba") is not None


def has_come() -> bool:
    """True if numba can be used now and was not there when this process began.

    `./run` installs it in the background, into the folder that `FAST` names. Processes that
    begin from now on find it by themselves.
    """
    folder = os.environ.get(FAST, "")
    if not folder or not os.path.isdir(folder):  # noqa: PTH112  # nothing heavy
        return False
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    return has_numba()


def end_with_owner() -> None:
    """End this process when the pipe that is its stdin ends: whoever wanted its work is gone.

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


def settle() -> None:
    """Find what is garbage in all that was set aside, and set the rest aside again: 50 to 100 ms,
    for when nothing is asked."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
