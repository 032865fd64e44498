"""A host believes no board: whatever one says is borne by link and table.

A hostile host at a board: test_changed_frames.py, and the target `board`.
"""

from __future__ import annotations

import random
import struct

import pytest
from lumiban import games
from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import (
    Changed,
    Connected,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban.table.session import Session
from lumiban.table.types import Acknowledge, Append, Durable, Show
from lumiban_fw import wire

HEX3 = load("hex3")
BOARD_TYPES = [value for name, value in vars(wire).items() if name.startswith("B_")]
MAX_BYTES = 20_000
"""What a link may have waiting: a window and a picture of the largest board, many times over."""


class HostileBoard:
    """Answers the greeting so that it is believed, then says whatever the dice say."""

    def __init__(self, seed: int, *, honest_hello: bool = True) -> None:
        self.dice = random.Random(f"hostile board {seed}")
        self.honest_hello = honest_hello
        self.session = 0
        self._decoder = wire.Decoder()

    def hear(self, data: bytes) -> bytes:
        out = b""
        for kind, _, _, _, payload in self._decoder.feed(data):
            if kind == wire.H_HELLO:
                self.session = wire.unpack_host_hello(payload)[2]
                if self.honest_hello or self.dice.random() < 0.5:
                    out += self.hello(self.dice.choice((1, 1, 1, 2)))
        return out

    def hello(self, boot: int) -> bytes:
        dice = self.dice
        uid = b"\1" * 8 if dice.random() < 0.9 else dice.randbytes(8)
        now = dice.choice((0, 5_000_000, dice.getrandbits(64)))
        payload = wire.pack_board_hello(
            b"hex3", HEX3.revision, 19, HEX3.lights, 1, uid, boot, self.session, now, 1000, 1, 1
        )
        return wire.frame(wire.B_HELLO, payload)

    def say(self, now_us: int) -> bytes:
        dice = self.dice
        deed = dice.random()
        if deed < 0.1:
            return dice.randbytes(dice.randint(1, 300))
        if deed < 0.15:
            return dice.randbytes(3000).replace(b"\0", b"\1")
        return wire.frame(*self.frame(now_us), 0, 0, dice.choice((0, 0, 1, dice.randrange(256))))

    def frame(self, now_us: int) -> tuple[int, bytes]:
        dice = self.dice
        deed = dice.random()
        t_us = dice.choice((now_us, now_us + 5_000_000, 0, dice.getrandbits(32))) & 0xFFFFFFFF
        number = dice.choice((0, 1, 2, 3, dice.randrange(300), dice.getrandbits(32)))
        if deed < 0.3:
            events = [
                (dice.randrange(256), dice.randrange(256), t_us + 10 * k, 100)
                for k in range(dice.randint(1, 8))
            ]
            return wire.B_EVENTS, wire.pack_events(number, t_us, events)
        if deed < 0.5:
            kinds = bytes(dice.randrange(16) for _ in range(dice.choice((19, 20, 2, 80))))
            part, parts = dice.choice(((0, 1), (0, 1), (1, 2), (7, 1), (0, 0), (255, 255)))
            return wire.B_STATE, wire.pack_state(
                t_us, number, t_us, dice.randrange(256), part, parts, kinds
            )
        if deed < 0.7:
            return wire.B_BEAT, struct.pack("<II", t_us, dice.getrandbits(32))
        kind = dice.choice(BOARD_TYPES)
        return kind, dice.randbytes(dice.randint(0, wire.MAX_PAYLOAD))


def facing(board: HostileBoard, game: str, deeds: int) -> tuple[Link, Session, list[LinkEvent]]:
    """A link and a session, as a shell runs them, with this board at the other end."""
    link = Link(HEX3, 9)
    session = Session(games.load(game, size=3), HEX3, ["human", "human"], hint="legal")
    now = 0
    log: list[LinkEvent] = []

    def step(events: list[LinkEvent]) -> None:
        log.extend(events)
        durable: list[Durable] = []
        for output in session.step(now, events):
            if isinstance(output, Show):
                link.show(output.frame)
            elif isinstance(output, Acknowledge):
                link.acknowledge(output.next_event)
            elif isinstance(output, Append):
                durable = [Durable(output.number)]
        for output in session.step(now, durable):
            if isinstance(output, Acknowledge):
                link.acknowledge(output.next_event)

    link.opened(now)
    for _ in range(deeds):
        now += board.dice.choice((0, 1_000, 30_000, 400_000))
        events = link.poll(now)
        events += link.receive(board.hear(link.take_output(512)) + board.say(now), now)
        step(events)
        if any(isinstance(event, Lost) for event in events):
            link.opened(now)
        due = link.next_deadline()
        assert due is not None
        assert due >= now
    return link, session, log


def check_told(link: Link, log: list[LinkEvent]) -> None:
    """What a table may rely on, whatever the board said."""
    for event in log:
        if isinstance(event, Changed):
            for one in event.events:
                assert one.cell < 19 or one.cell >= wire.FIRST_BUTTON
                assert one.kind <= (wire.MASKED if one.cell < 19 else wire.UP)
        elif isinstance(event, Snapshot):
            assert len(event.kinds) == 19
            assert max(event.kinds) <= wire.MASKED
        elif isinstance(event, Lost):
            assert event.reason in (
                "silent", "not-a-board", "wrong-major", "wrong-board", "other-board"
            )  # fmt: skip
    assert len(link._out) < MAX_BYTES
    assert len(link.clock._samples) <= 32
    assert len(link.clock._asked) <= 33


@pytest.mark.parametrize("game", ["control", "evening"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_hostile_board_is_borne_by_link_and_table(game: str, seed: int) -> None:
    link, session, log = facing(HostileBoard(seed), game, 500)
    assert any(isinstance(event, Connected) for event in log)
    assert link.statistics.strange + link.statistics.broken > 0
    check_told(link, log)
    assert session.board.link in ("connecting", "up", "lost")
