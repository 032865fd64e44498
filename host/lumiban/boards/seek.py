"""Where a lost board may have come back: under its old path, or under any name it has now."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from lumiban.boards.ports import SOCKET

LIKELY = ("lumiban", "micropython", "raspberry", "pico")
"""One of these stands in the by-id name of a board that was never seen before."""
AGAIN_S = 2.0
"""Between two tries at a port where something else than our board answered."""


class Seek:
    """The paths to try for one board, best first. Nobody else's device is spoken to if it can be
    helped: only names with the board's own number, its old path, and likely names that are new.

    >>> seek = Seek("/dev/serial/by-id/usb-Pico_e661-if00", "e661")
    >>> seek.saw(["usb-Arduino_17-if00", "usb-Pico_e661-if00"])
    >>> folder = Path("/dev/serial/by-id")
    >>> now = ["usb-Arduino_17-if00", "usb-Pico_in_FS_mode_E661-if00"]
    >>> seek.paths(folder, now, 0.0)
    ['/dev/serial/by-id/usb-Pico_in_FS_mode_E661-if00']
    """

    def __init__(self, lasting: str, uid: str) -> None:
        self.lasting = lasting
        self.uid = uid.lower()
        self._seen: frozenset[str] = frozenset()
        self._tried = ""
        self._strangers: dict[tuple[str, str], float] = {}

    def saw(self, names: Iterable[str]) -> None:
        """The names there are while the board is there: the others are not ours."""
        self._seen = frozenset(names)

    def paths(self, folder: Path, names: Iterable[str], now_s: float) -> list[str]:
        """What to try now, of these names in the by-id folder; without strangers of late."""
        own, new, there = [], [], sorted(names)
        self._seen &= frozenset(there)  # what went and came back may be another device
        for name in there:
            low = name.lower()
            if self.uid and self.uid in low:
                own.append(str(folder / name))
            elif name not in self._seen and any(word in low for word in LIKELY):
                new.append(str(folder / name))
        old = Path(self.lasting)
        is_socket = self.lasting.startswith(SOCKET)  # only a try tells whether somebody listens
        is_there = is_socket or (old.name in there if old.parent == folder else old.exists())
        found = dict.fromkeys([*own, *([self.lasting] if is_there else []), *new])
        # What has just been tried in vain has its next turn after the others.
        return sorted(
            (path for path in found if self._may(path, now_s)), key=lambda path: path == self._tried
        )

    def tried(self, path: str, *, strange: bool, now_s: float) -> None:
        """Nobody answered there; or something else than our board did: leave it for a while."""
        self._tried = path
        if strange:
            self._strangers[path, os.path.realpath(path)] = now_s

    def found(self, path: str) -> None:
        """It is there."""
        self.lasting = path
        self._tried = ""
        self._strangers.clear()

    def _may(self, path: str, now_s: float) -> bool:
        since = self._strangers.get((path, os.path.realpath(path)))
        return since is None or now_s - since >= AGAIN_S


def names_in(folder: Path) -> list[str]:
    """The names in a by-id folder; [] when there is none, as while nothing is plugged in."""
    try:
        return sorted(link.name for link in folder.iterdir())
    except OSError:
        return []
