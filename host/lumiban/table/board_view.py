"""View of the board through the link: pieces on cells, the board's clock, the state of the link."""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.boards.faults import ActiveFaults
from lumiban.boards.mapping import CellMapping
from lumiban.boards.profile import Profile
from lumiban.boards.select_lines import AliasDetector
from lumiban.boards.types import RECONNECT_OBSTACLES, BoardEvent, Hello, Snapshot
from lumiban.games.base import Kind
from lumiban.table.limits import LIFT_SETTLES_US
from lumiban.table.types import Sensed

CONNECTING, UP, LOST = "connecting", "up", "lost"


class BoardView:
    """The board as last reported. `kinds` (by board cell) is None until the first Snapshot of a
    boot.

    `next_event` is the number that the next event should carry; times are µs.
    """

    def __init__(self) -> None:
        self.link = CONNECTING
        self.hindrance: tuple[str, str] | None = None
        """Obstacle that keeps a lost board from coming back (slug and detail), where it is
        known."""
        self.uid = ""
        self.boot_id: int | None = None
        self.kinds: list[int] | None = None
        self.unseen: set[int] = set()
        """Board cells whose last change no event told: in a power cut, or as events were lost."""
        self.next_event: int | None = None
        self.watermark_us = 0
        """No event with an earlier board time is still to come."""
        self.hand_us = self.hand_since_us = 0
        """Board times when a hand was last seen at work, and since when without a rest; 0 long
        ago."""
        self.faults = ActiveFaults()
        self.dead: frozenset[int] = frozenset()
        """Board cells that never answer, as a person has said: they are played on the page."""
        self.blind: frozenset[int] = frozenset()
        """Board cells that cannot be read: dead ones, and those of which the board says so."""
        self.aliased: frozenset[int] = frozenset()
        """Board cells of strips on which each piece shows on two cells, beyond doubt."""
        self._detector: AliasDetector | None = None
        self._before: list[int] | None = None
        """The picture of the boot before, until this one's is known."""
        self._turned: set[int] = set()
        self._ahead_us = 0

    def on(self, profile: Profile) -> BoardView:
        """Return the same view, for a board of this profile: events can show its broken select
        lines."""
        self._detector = None if profile.is_of_switches else AliasDetector(profile)
        self.aliased = frozenset()
        return self

    def connected(self, hello: Hello, now_us: int) -> bool:
        """Take in an exchanged HELLO; after a new boot of the board nothing known before holds.
        Return True if it is another boot than before."""
        self.link = CONNECTING
        self.hindrance = None
        booted = hello.boot_id != self.boot_id
        self.faults.held.clear()  # the board reports its faults again
        self.blind = self.dead
        if self._detector is not None:
            if booted:  # mending a cable means cutting the power for it
                self.on(self._detector.profile)
            self._complain(self._detector.stands(), now_us)
        self.uid = hello.uid
        if booted:
            self.reset(hello.boot_id)
            self.watermark_us = 0
            self.hand_us = self.hand_since_us = 0
            self._turned.clear()
        self.tell_time(hello.now_us, now_us)
        return booted

    def reset(self, boot_id: int | None) -> None:
        """Reset the picture: the board counts its events from the start, and its pieces are not
        known yet."""
        self.boot_id = boot_id
        self._before = self.kinds or self._before
        self.kinds = self.next_event = None

    def see(self, kinds: Sequence[int]) -> None:
        """Take this as the whole picture; the first one of all shows how the game finds the
        board."""
        before = self.kinds or self._before or kinds
        self.kinds = list(kinds)
        self.unseen |= {cell for cell, kind in enumerate(before) if self.kinds[cell] != kind}

    def new_game(self) -> None:
        """Forget which cells changed without an event."""
        self.unseen.clear()
        self._before = None

    def lost(self, reason: str = "", detail: str = "") -> None:
        """Note that the link is gone; what was seen stays, since events of the same boot go on from
        there."""
        self.link = LOST
        self.hindrance = (reason, detail) if reason in RECONNECT_OBSTACLES else None

    def is_news(self, event: BoardEvent) -> bool:
        """True if this event has not been taken yet."""
        return self.next_event is None or event.number >= self.next_event

    def take(self, event: BoardEvent) -> None:
        """Fold an event into the picture."""
        self.next_event = event.number + 1
        if event.button is None:
            self.note_hand_activity(event.t_us)
        if self.kinds is None or not 0 <= event.cell < len(self.kinds):
            return
        before = self.kinds[event.cell]
        self.kinds[event.cell] = event.kind
        self.unseen.discard(event.cell)
        if event.kind == Kind.EMPTY:
            self._turned.discard(event.cell)
        elif before not in (Kind.EMPTY, event.kind):
            self._turned.add(event.cell)
        if self._detector is not None and event.cell not in self.blind:
            faults = self._detector.hear(event, self.kinds, before)
            self._complain(faults, self.host_time(event.t_us))

    def advance_watermark(self, watermark_us: int, now_us: int) -> None:
        """All events up to this board time have come."""
        self.watermark_us = max(self.watermark_us, watermark_us)
        if self._detector is not None:
            self._complain(self._detector.passed(self.watermark_us), now_us)

    def powered_on(self, should: Sequence[int], now_us: int) -> None:
        """The first picture of a boot was seen; by the game the board holds what it `should`."""
        if self._detector is not None and self.kinds is not None:
            self._complain(self._detector.powered_on(self.kinds, should), now_us)

    def mended(self, now_us: int) -> None:
        """People say that each piece shows on its own cell only."""
        if self._detector is not None:
            self._complain(self._detector.forget(), now_us)

    def _complain(self, faults: Sequence[tuple[int, int]], now_us: int) -> None:
        """Take in what was found of select lines."""
        for what, where in faults:
            self.faults.hear(what, where, now_us)
        if faults and self._detector is not None:
            self.aliased = self._detector.cells()

    def take_snapshot(self, snapshot: Snapshot, now_us: int) -> bool:
        """Replace the whole picture; whether it differs from what was believed."""
        self.link = UP
        self.tell_time(snapshot.t_us, now_us)
        seen = list(snapshot.kinds)
        news = seen != self.kinds or snapshot.next_event != self.next_event
        if seen != self.kinds:
            # What happened in between is unknown: no change counts as one without a lift.
            self._turned.clear()
        self.see(seen)
        self.next_event = snapshot.next_event
        return news

    def note_hand_activity(self, board_us: int) -> None:
        """A hand moves something at this board time."""
        if board_us - self.hand_us > LIFT_SETTLES_US:
            self.hand_since_us = board_us
        self.hand_us = max(self.hand_us, board_us)

    def tell_time(self, board_us: int, now_us: int) -> None:
        """The board's clock stood at `board_us` when the host's stood at `now_us`."""
        self._ahead_us = board_us - now_us

    def board_time(self, now_us: int) -> int:
        """Board time at this host time."""
        return now_us + self._ahead_us

    def host_time(self, board_us: int) -> int:
        """Host time at this board time."""
        return board_us - self._ahead_us

    def readable(self, placing: CellMapping) -> Sensed:
        """`sensed`, with cells that the board cannot read as unknown: what they held last says
        nothing of what lies there."""
        sensed = self.sensed(placing)
        blind = {placing.game[cell] for cell in self.blind if cell < len(placing.game)}
        if not blind or self.kinds is None:
            return sensed
        kinds = tuple(
            Kind.UNKNOWN if cell in blind else kind for cell, kind in enumerate(sensed.kinds)
        )
        return Sensed(kinds, sensed.turned - blind)

    def unseen_on(self, placing: CellMapping) -> frozenset[int]:
        """The game's cells whose last change no event told."""
        return frozenset(n for n, cell in enumerate(placing.board) if cell in self.unseen)

    def sensed(self, placing: CellMapping) -> Sensed:
        """The picture on a game's cells; all empty before the first Snapshot."""
        kinds = self.kinds
        if kinds is None:
            return Sensed((0,) * len(placing.board))
        seen = tuple(map(kinds.__getitem__, placing.board))
        if not self._turned:
            return Sensed(seen)
        turned = (placing.game[cell] for cell in self._turned)
        return Sensed(seen, frozenset(cell for cell in turned if cell >= 0))
