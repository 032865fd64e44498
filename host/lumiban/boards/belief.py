"""What the host believes to stand on the board: events folded, snapshots compared, gaps healed."""

from __future__ import annotations

from dataclasses import dataclass, field

from lumiban_fw import wire

from lumiban.boards.types import BoardEvent, Snapshot

OVERFLOW_PATIENCE_US = 600_000
"""How long missing events may be resent once the board says that its ring has overflowed."""
PATIENCE_US = 1_500_000
"""How long missing events may be resent otherwise; the board resends every 50 to 500 ms."""


@dataclass
class _Parts:
    """The parts of one STATE that have come so far."""

    key: tuple[int, int, int]
    got: dict[int, bytes] = field(default_factory=dict)


class Belief:
    """Kinds of all cells and the number of the next event.

    `next_event` is None until the first STATE when nothing is to be resumed: what happened
    before is then part of the picture, not news.
    """

    def __init__(self, cells: int, next_event: int | None = None) -> None:
        self.cells = cells
        self.next_event = next_event
        self.kinds: list[int] | None = None
        self.repeats = 0
        self.gaps = 0
        self.heals = 0
        self.strange = 0
        """Events dropped since they can be of no board of ours."""
        self.told = False
        """Whether a Snapshot went out since the last HELLO."""
        self._latest_us = 0
        """The latest time of an event that was told."""
        self._missing_since: int | None = None
        self._ahead_since: int | None = None
        """Since when the board tells of fewer events than were taken."""
        self._parts = _Parts((-1, -1, -1))

    def connected(self) -> None:
        """A HELLO was exchanged again with the same boot of the board: a Snapshot is due."""
        self.told = False
        self._missing_since = self._ahead_since = None
        self._parts = _Parts((-1, -1, -1))

    def take_events(
        self, first: int, events: list[tuple[int, int, int, int]], now_us: int
    ) -> tuple[BoardEvent, ...]:
        """The events that are news, in order; (cell, kind, t_us, uncertainty_us) from `first` on.

        Repeats are dropped. After a gap nothing is taken: the board resends from the oldest event
        that was not acknowledged. Times do not decrease except where an event says that it is late:
        one that lies before the last without a word for it is told as late, and what rounding on
        the wire has turned round is turned back.
        """
        if self.next_event is None:
            return ()
        if first > self.next_event:
            self._note_missing(now_us)
            return ()
        start, news = self.next_event, []
        for number, (cell, kind, t_us, uncertainty_us) in enumerate(events, first):
            if number < self.next_event:
                self.repeats += 1
                continue
            self.next_event = number + 1
            what = self._held(cell, kind & wire.KIND)
            if what is None:
                self.strange += 1
                continue
            behind_us = self._latest_us - t_us
            if 0 < behind_us < wire.EVENT_STEP_US and not kind & wire.LATE:
                t_us, behind_us = self._latest_us, 0
            late = bool(kind & wire.LATE) or behind_us > 0
            self._latest_us = max(self._latest_us, t_us)
            news.append(BoardEvent(number, cell, what, t_us, uncertainty_us, late))
            if self.kinds is not None and cell < self.cells:
                self.kinds[cell] = what
        if first + len(events) > start:
            self._missing_since = self._ahead_since = None
        return tuple(news)

    def take_state(
        self,
        t_us: int,
        event: int,
        flags: int,
        part: int,
        parts: int,
        kinds: bytes,
        now_us: int,
        *,
        is_fresh: bool = False,
    ) -> Snapshot | None:
        """Collect one part of a STATE; a Snapshot when the belief is new or was mended by it.

        `is_fresh` says that it was made just now, by the board's clock.
        """
        seen = self._collect((t_us, event, parts), part, kinds)
        if seen is None:
            return None
        moving = bool(flags & wire.MOVING)
        if self.next_event is None:
            return self._adopt(seen, event, t_us, moving, healed=False)
        if event > self.next_event:
            self._note_missing(now_us)
            patience = OVERFLOW_PATIENCE_US if flags & wire.OVERFLOWED else PATIENCE_US
            if now_us - (self._missing_since or 0) < patience:
                return None
            self.gaps += 1
            return self._adopt(seen, event, t_us, moving, healed=True)
        if event < self.next_event:
            # The first STATE after HELLO may set the count back: the number to resume from was
            # not this board's. Any other one is an old frame that came twice, unless the board
            # goes on saying so: then what was taken for its events was none.
            if self.told and not (is_fresh and self._is_gainsaid(now_us)):
                return None
            return self._adopt(seen, event, t_us, moving, healed=True)
        self._ahead_since = None
        wrong = self.kinds is not None and self.kinds != seen
        if self.told and not wrong:
            return None
        return self._adopt(seen, event, t_us, moving, healed=wrong)

    def wants_state(self) -> bool:
        """Whether a STATE should be asked for: none yet since HELLO, or events are missing."""
        return not self.told or self._missing_since is not None

    def _held(self, cell: int, kind: int) -> int | None:
        """What an event tells, of kinds that we know; None when there is no such cell."""
        if cell < self.cells:
            return kind if kind <= wire.MASKED else wire.UNKNOWN
        return kind if cell >= wire.FIRST_BUTTON and kind in (wire.DOWN, wire.UP) else None

    def _is_gainsaid(self, now_us: int) -> bool:
        """Whether the board has told of fewer events than were taken for long enough."""
        if self._ahead_since is None:
            self._ahead_since = now_us
        return now_us - self._ahead_since >= PATIENCE_US

    def _note_missing(self, now_us: int) -> None:
        if self._missing_since is None:
            self._missing_since = now_us

    def _collect(self, key: tuple[int, int, int], part: int, kinds: bytes) -> list[int] | None:
        parts = key[2]
        if parts != -(-self.cells // wire.CELLS_A_STATE) or part >= parts:
            return None
        if key != self._parts.key:
            self._parts = _Parts(key)
        self._parts.got[part] = kinds
        if len(self._parts.got) < parts:
            return None
        whole = b"".join(
            self._parts.got[i][: wire.CELLS_A_STATE] if i < parts - 1 else self._parts.got[i]
            for i in range(parts)
        )
        self._parts = _Parts((-1, -1, -1))
        if len(whole) < self.cells:
            return None
        return [kind if kind <= wire.MASKED else wire.UNKNOWN for kind in whole[: self.cells]]

    def _adopt(
        self, seen: list[int], event: int, t_us: int, moving: bool, *, healed: bool
    ) -> Snapshot:
        self.kinds = seen
        self.next_event = event
        self.told = True
        self._missing_since = self._ahead_since = None
        self.heals += healed
        return Snapshot(tuple(seen), event, t_us, moving, healed)
