"""A link that tells everything it is given: what a flight recorder needs to run it again."""

from __future__ import annotations

from typing import Protocol

from lumiban.boards.link import GREETING_US, Link
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame, LinkEvent


class Witness(Protocol):
    """Hears each call of a link before it is followed; `took` has the bytes that it gave out.

    Times are the link's host µs.
    """

    def opened(self, now_us: int, patience_us: int) -> None: ...
    def received(self, data: bytes, now_us: int) -> None: ...
    def polled(self, now_us: int) -> None: ...
    def closed(self, reason: str) -> None: ...
    def took(self, data: bytes) -> None: ...
    def showed(self) -> None: ...
    def acknowledged(self, next_event: int) -> None: ...

    def hindered(self, reason: str, detail: str) -> None:
        """The port could not be opened: told to the table beside the link."""


class WitnessedLink(Link):
    """A Link with somebody who writes down what it is given, in order."""

    def __init__(
        self,
        profile: Profile,
        session: int,
        witness: Witness,
        *,
        resume: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(profile, session, resume=resume)
        self._witness = witness

    def opened(self, now_us: int, patience_us: int = GREETING_US) -> list[LinkEvent]:
        self._witness.opened(now_us, patience_us)
        return super().opened(now_us, patience_us)

    def receive(self, data: bytes, now_us: int) -> list[LinkEvent]:
        self._witness.received(data, now_us)
        return super().receive(data, now_us)

    def poll(self, now_us: int) -> list[LinkEvent]:
        self._witness.polled(now_us)
        return super().poll(now_us)

    def closed(self, reason: str = "") -> list[LinkEvent]:
        self._witness.closed(reason)
        return super().closed(reason)

    def take_output(self, limit: int | None = None) -> bytes:
        data = super().take_output(limit)
        if data:
            self._witness.took(data)
        return data

    def show(self, frame: LightFrame) -> None:
        self._witness.showed()
        super().show(frame)

    def acknowledge(self, next_event: int) -> None:
        self._witness.acknowledged(next_event)
        super().acknowledge(next_event)
