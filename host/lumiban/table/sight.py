"""What the table sees through the link: pieces on cells, the board's clock, is it there at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lumiban.boards.complaints import GONE, Complaints
from lumiban.boards.layout import Placing
from lumiban.boards.mirrors import LINES
from lumiban.boards.news import HINDRANCES
from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent, Hello, Snapshot
from lumiban.games.api import Kind
from lumiban.table.images import Image, Images
from lumiban.table.types import Sensed

CONNECTING, UP, LOST = "connecting", "up", "lost"
RESTS_US = 1_000_000
"""A hand that was not seen for so long has rested."""


class Sight:
    """The board as last told. `kinds` (by board cell) is None until the first Snapshot of a boot.

    `next_event` is the number that the next event should carry; times are µs.
    """

    def __init__(self) -> None:
        self.link = CONNECTING
        self.hindrance: tuple[str, str] | None = None
        """Why a lost board does not come back (slug and detail), where that is known."""
        self.uid = ""
        self.boot_id: int | None = None
        self.kinds: list[int] | None = None
        self.next_event: int | None = None
        self.watermark_us = 0
        """No event with an earlier board time is still to come."""
        self.hand_us = self.hand_since_us = 0
        """Board times when a hand was last seen at work, and since when without a rest; 0 long
        ago."""
        self.complaints = Complaints()
        self.blind: frozenset[int] = frozenset()
        """Board cells of which the board says that it cannot read them."""
        self.held: dict[int, Image] = {}
        """Board cells whose last change may be none: no hand made it."""
        self._images: Images | None = None
        self._coming: dict[int, Image] = {}
        """By their numbers those of the events to come that may be images."""
        self._turned: set[int] = set()
        self._ahead_us = 0

    def on(self, profile: Profile) -> Sight:
        """The same sight, of a board of this profile: events can show what is broken there."""
        self._images = Images(profile)
        if self.kinds is not None:
            self._images.see(self.kinds)
        return self

    def connected(self, hello: Hello, now_us: int) -> bool:
        """HELLO was exchanged; after a boot of the board nothing known before holds: whether it
        is another boot than before."""
        self.link = CONNECTING
        self.hindrance = None
        booted = hello.boot_id != self.boot_id
        self.complaints.held.clear()  # what the board told it tells anew
        self.blind = frozenset()
        if self._images is not None:
            if booted:  # who has mended a cable cut the power for it
                self.on(self._images.mirrors.profile)
            self._complain(self._images.mirrors.stands(), now_us)
        self.uid = hello.uid
        if booted:
            self.boot_id = hello.boot_id
            self.kinds = None
            self.next_event = None
            self.watermark_us = 0
            self.hand_us = self.hand_since_us = 0
            self._turned.clear()
        self.tell_time(hello.now_us, now_us)
        return booted

    def lost(self, reason: str = "", detail: str = "") -> None:
        """The link is gone; what was seen stays, for the same boot's events go on from there."""
        self.link = LOST
        self.hindrance = (reason, detail) if reason in HINDRANCES else None

    def is_news(self, event: BoardEvent) -> bool:
        """Whether this event has not been taken yet."""
        return self.next_event is None or event.number >= self.next_event

    def expect(self, events: Iterable[BoardEvent]) -> None:
        """These are to be taken next: a piece and its image are known by each other."""
        coming = [event for event in events if self.is_news(event)]
        images = self._images
        self._coming = {} if images is None else images.among(coming, (), surely=True)

    def take(self, event: BoardEvent) -> None:
        """Fold an event into the picture; what may be an image is held until the next one there."""
        self.next_event = event.number + 1
        if event.button is None:
            self.stirred(event.t_us)
        if self.kinds is None or not 0 <= event.cell < len(self.kinds):
            return
        before = self.kinds[event.cell]
        self.kinds[event.cell] = event.kind
        if event.kind == Kind.EMPTY:
            self._turned.discard(event.cell)
        elif before not in (Kind.EMPTY, event.kind):
            self._turned.add(event.cell)
        self.held.pop(event.cell, None)
        # What shows itself as a cell can be read again is no change at that moment.
        if event.number in self._coming and event.cell not in self.blind:
            self.held[event.cell] = self._coming[event.number]
        if self._images is not None:
            self._complain(self._images.judged([event]), self.host_time(event.t_us))

    def let_go(self, placing: Placing, should: Sequence[int]) -> None:
        """What stands as it should is held no longer, whatever made it so."""
        if self.held:
            right = {placing.board[cell]: kind for cell, kind in enumerate(should)}
            self.held = {c: i for c, i in self.held.items() if right.get(c) != i.kind}

    def passed(self, watermark_us: int, now_us: int) -> bool:
        """All events up to this board time have come; whether cells can be read no more, or again,
        by what that shows of select lines."""
        self.watermark_us = max(self.watermark_us, watermark_us)
        if self._images is None:
            return False
        before = self.blind
        self._complain(self._images.mirrors.passed(self.watermark_us), now_us)
        return self.blind != before

    def _complain(self, told: Sequence[tuple[int, int]], now_us: int) -> None:
        """Take in what was found of select lines."""
        for what, where in told:
            self.complaints.hear(what, where, now_us)
            if what & GONE:
                # What stands there now is what lies there.
                pair = where // LINES, where % LINES
                self.held = {c: image for c, image in self.held.items() if image.pair != pair}
        if told and self._images is not None:
            self.blind = self.complaints.blind(self._images.mirrors.profile)

    def take_snapshot(self, snapshot: Snapshot, now_us: int) -> bool:
        """Replace the whole picture; whether it differs from what was believed."""
        self.link = UP
        self.tell_time(snapshot.t_us, now_us)
        seen = list(snapshot.kinds)
        news = seen != self.kinds or snapshot.next_event != self.next_event
        if seen != self.kinds:
            # What happened in between is unknown: no change counts as one without a lift.
            self._turned.clear()
        self.kinds = seen
        self.held = {c: image for c, image in self.held.items() if seen[c] == image.kind}
        if self._images is not None:
            self._images.see(seen)
        self.next_event = snapshot.next_event
        return news

    def stirred(self, board_us: int) -> None:
        """A hand moves something at this board time."""
        if board_us - self.hand_us > RESTS_US:
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

    def readable(self, placing: Placing) -> Sensed:
        """`sensed`, with cells that the board cannot read, or that are held, as unknown: what they
        held last says nothing of what lies there."""
        sensed = self.sensed(placing)
        unsure = self.blind.union(self.held)
        blind = {placing.game[cell] for cell in unsure if cell < len(placing.game)}
        blind.discard(-1)
        if not blind or self.kinds is None:
            return sensed
        kinds = tuple(
            Kind.UNKNOWN if cell in blind else kind for cell, kind in enumerate(sensed.kinds)
        )
        return Sensed(kinds, sensed.turned - blind)

    def sensed(self, placing: Placing) -> Sensed:
        """The picture on a game's cells; all empty before the first Snapshot."""
        kinds = self.kinds
        if kinds is None:
            return Sensed((0,) * len(placing.board))
        seen = tuple(kinds[cell] for cell in placing.board)
        if not self._turned:
            return Sensed(seen)
        turned = (placing.game[cell] for cell in self._turned)
        return Sensed(seen, frozenset(cell for cell in turned if cell >= 0))
