"""The board may forget an event only when the journal on disk holds it: that is watched here."""

from __future__ import annotations

from lumiban.errors import CheckFailed
from lumiban.table.types import Acknowledge, Append, Output

LATELY = 64
"""So many records are remembered: what is acknowledged was written just before."""


class AckInvariant:
    """What a session wrote of the board's events, and how far that is `on_disk` (its record's
    number); `boot` is the one that a journal gone on with was written in."""

    def __init__(self, boot: int | None = None) -> None:
        self.on_disk = -1
        self._boot = boot
        self._records: list[tuple[int, int | None, int]] = []

    def follow(self, output: Output, boot: int | None) -> None:
        """What the session puts out while the board is in this boot.

        CheckFailed when the board is told to forget what is not on disk.
        """
        if isinstance(output, Append):
            kind = output.record["t"]
            if kind == "board":
                self._boot = output.record["boot"]
            elif kind in ("events", "belief"):
                self._records.append((output.number, self._boot, output.record["next"]))
                del self._records[:-LATELY]
        elif isinstance(output, Acknowledge):
            safe = [n for at, of, n in self._records if of == boot and at <= self.on_disk]
            if not safe or output.next_event > safe[-1]:
                raise CheckFailed(
                    f"events below {output.next_event} are acknowledged before they are on disk"
                )
