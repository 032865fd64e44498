"""The words of `play` and `demo`, read by a copy of the process that runs the table.

To read them takes the command line's parser, 4 MB that a process cannot give back; a copy that ends
does. It prints what is wrong with the words itself.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence

from lumiban import cli, copies
from lumiban.runtime.play_request import TableOrder

ALONE = ("--help", "-h", "--version", "--smoke")
"""With these a command prints or plays at once: there is no table to run."""


def main(argv: list[str]) -> int:
    """In the copy: write the order to standard output, or nothing where there is no table."""
    out_fd = os.dup(1)
    os.dup2(2, 1)
    try:
        found = cli.understood(argv)
    except Exception:  # noqa: BLE001  # a fault of ours, told as the first process would
        sys.excepthook(*sys.exc_info())
        return 1
    if isinstance(found, int):
        return found
    with open(out_fd, "wb") as out:  # noqa: PTH123
        pickle.dump(found, out)
    return 0


def order(argv: Sequence[str]) -> TableOrder | int | None:
    """The table that these words ask for, or the exit code where they ask for none; None where no
    copy can tell."""
    if set(ALONE) & set(argv):
        return None
    found = copies.answer(__name__, argv, name="words")
    if found is None:
        return None
    code, told = found
    if code or not told:
        return code
    read: TableOrder = pickle.loads(told)
    return read
