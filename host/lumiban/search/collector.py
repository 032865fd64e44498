"""When Python's collector of garbage looks through a thinking process: never while one waits.

What is imported and what the compiler makes are hundreds of thousands of objects that stay. To look
through them took 47 ms in the middle of a thought, and a tenth of all time up to the first answer.
"""

from __future__ import annotations

import gc

_RARELY = 100_000
"""Objects made until it looks through the young ones, while a process starts; memory it costs is
bounded by that."""
_usual = gc.get_threshold()


def rarely() -> None:
    """While a process starts: nearly all that is made then stays."""
    gc.set_threshold(_RARELY, *_usual[1:])


def set_aside() -> None:
    """Leave out all that there is from now on, unseen; what is new is looked through as usual."""
    gc.freeze()
    gc.set_threshold(*_usual)


def settle() -> None:
    """Find what is garbage in all that was set aside, and set the rest aside again: 50 to 100 ms,
    for when nothing is asked."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
