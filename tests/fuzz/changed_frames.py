"""Frames of real conversations, changed and given a right checksum again, in the middle of a game.

    python tests/fuzz/changed_frames.py host 1000000 [SEED]      # at the product's link
    python tests/fuzz/changed_frames.py board 1000000 [SEED]     # at the firmware's board

A rig and a link talk while hands set and lift stones and pictures change. Between the frames of
one direction come mutants of them: bits turned, numbers set to what lies at their edges, types,
flags, numbers of frames and acks changed, payloads cut, lengthened, doubled, joined, swapped,
invented. Laws hold meanwhile; when the mutants end, all must be as if they had never been.
"""

from __future__ import annotations

import random
import struct
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass, field

from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import (
    BoardTime,
    Changed,
    Connected,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban_fw import wire
from lumiban_sim.rig import Rig

HEX3 = load("hex3")
STEP_US = 20_000
AT_ONCE = (1, 1, 2, 5, 30)
"""Mutants for a real frame at most, one of these an episode: many drown a session, few let it get
far."""
STEPS = 150
"""Of one episode with mutants: three seconds."""
RECOVERY_US = 8_000_000
KEPT = 200
"""Real frames that mutants are made of."""
TYPES = [v for k, v in vars(wire).items() if k[:2] in ("H_", "B_") and isinstance(v, int)]
BY_RIGHT = {wire.H_CFG, wire.H_INJECT, wire.H_BOOT, wire.H_FILE_BEGIN, wire.H_FILE_DATA,
            wire.H_FILE_END}  # fmt: skip
"""What a host may do to a board by right, for good: feed its senses, mask its cells, dim its
lights, give it files. What such a mutant has set is set back before the board is looked at."""
MAX_OUT = 20_000
"""Bytes that a link may have waiting."""
Frame = tuple[int, int, int, int, bytes]


def packed(kind: int, flags: int, seq: int, ack: int, payload: bytes) -> bytes:
    """A frame with these bytes in its header, whatever they mean, and a right checksum."""
    body = bytes((kind & 0xFF, flags & 0xFF, seq & 0xFF, ack & 0xFF)) + payload[: wire.MAX_PAYLOAD]
    return wire.cobs(body + struct.pack("<H", wire.crc16(body))) + b"\0"


class Mutator:
    """Makes mutants of the real frames that it has seen, seeded; `ways` counts how."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.seen: deque[Frame] = deque(maxlen=KEPT)
        self.ways: Counter[str] = Counter()
        self._open = dice.sample(WAYS, dice.randint(2, len(WAYS)))

    def mutant(self) -> Frame:
        dice = self.dice
        frame = dice.choice(self.seen)
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            way = dice.choice(self._open)
            self.ways[way.__name__.strip("_")] += 1
            frame = way(self, frame)
        return frame

    def _number(self, size: int, old: int) -> int:
        most = (1 << 8 * size) - 1
        near = old + self.dice.choice((-300, -2, -1, 1, 2, 8, 300))
        edge = self.dice.choice((0, 1, 7, 8, 80, 127, 128, 239, 240, 255, most // 2, most))
        return self.dice.choice((near, near, edge, self.dice.getrandbits(8 * size))) & most


def _bits(self: Mutator, frame: Frame) -> Frame:
    data = bytearray(frame[4])
    for _ in range(self.dice.randint(1, 3)):
        if data:
            data[self.dice.randrange(len(data))] ^= 1 << self.dice.randrange(8)
    return (*frame[:4], bytes(data))


def _field(self: Mutator, frame: Frame) -> Frame:
    data = bytearray(frame[4])
    size = self.dice.choice((1, 1, 2, 4))
    if len(data) < size:
        return frame
    at = self.dice.randrange(0, len(data) - size + 1)
    if self.dice.random() < 0.7:
        at -= at % size
    old = int.from_bytes(data[at : at + size], "little")
    data[at : at + size] = self._number(size, old).to_bytes(size, "little")
    return (*frame[:4], bytes(data))


def _cut(self: Mutator, frame: Frame) -> Frame:
    return (*frame[:4], frame[4][: self.dice.randint(0, len(frame[4]))])


def _longer(self: Mutator, frame: Frame) -> Frame:
    more = self.dice.randbytes(self.dice.randint(1, 20))
    at = self.dice.choice((len(frame[4]), self.dice.randint(0, len(frame[4]))))
    return (*frame[:4], frame[4][:at] + more + frame[4][at:])


def _joined(self: Mutator, frame: Frame) -> Frame:
    other = self.dice.choice(self.seen)[4]
    cut = self.dice.randint(0, len(frame[4]))
    return (*frame[:4], frame[4][:cut] + other[self.dice.randint(0, len(other)) :])


def _type(self: Mutator, frame: Frame) -> Frame:
    return (self.dice.choice((*TYPES, self.dice.randrange(256))), *frame[1:])


def _flags(self: Mutator, frame: Frame) -> Frame:
    return (frame[0], frame[1] ^ 1 << self.dice.choice((0, 1, 2, 3, 3, 4, 5)), *frame[2:])


def _seq(self: Mutator, frame: Frame) -> Frame:
    return (*frame[:2], self._number(1, frame[2]), *frame[3:])


def _ack(self: Mutator, frame: Frame) -> Frame:
    return (*frame[:3], self._number(1, frame[3]), frame[4])


def _again(self: Mutator, frame: Frame) -> Frame:
    return frame


def _invented(self: Mutator, frame: Frame) -> Frame:
    size = self.dice.choice((0, 1, 4, 8, 12, 17, 22, 46, wire.MAX_PAYLOAD))
    return (self.dice.choice(TYPES), *frame[1:4], self.dice.randbytes(size))


WAYS = (_bits, _bits, _field, _field, _field, _cut, _longer, _joined, _type, _flags, _seq, _ack,
        _again, _invented)  # fmt: skip


@dataclass
class Tally:
    """What a run came to."""

    mutants: int = 0
    episodes: int = 0
    losses: int = 0
    events: int = 0
    healed: int = 0
    greetings: int = 0
    slowest_us: int = 0
    """Longest until all was right again."""
    ways: Counter[str] = field(default_factory=Counter)


class Table:
    """What a table makes of a link's events; AssertionError where it could not rely on them."""

    def __init__(self, link: Link, tally: Tally) -> None:
        self.link, self.tally = link, tally
        self.kinds: list[int] | None = None
        self.next: int | None = None
        self.times: list[tuple[int, int]] = []
        """(number, time) of events told on this boot."""
        self._latest = self._clock = -1

    def hear(self, events: list[LinkEvent], now_us: int) -> bool:
        """Whether the link was lost."""
        lost = False
        for event in events:
            if isinstance(event, Connected):
                self._latest = self._clock = -1
                self.times.clear()
                self.tally.greetings += 1
            elif isinstance(event, Snapshot):
                assert len(event.kinds) == 19
                assert max(event.kinds) <= wire.MASKED
                self.kinds, self.next = list(event.kinds), event.next_event
                self.tally.healed += event.was_healed
            elif isinstance(event, BoardTime):
                assert event.now_us >= self._clock, "time ran backwards"
                assert event.watermark_us <= event.now_us
                self._clock = event.now_us
            elif isinstance(event, Changed):
                self._changed(event, now_us)
            elif isinstance(event, Lost):
                lost = True
                self.tally.losses += 1
        return lost

    def _changed(self, change: Changed, now_us: int) -> None:
        ahead = self.link.board_now(now_us) + wire.SILENCE_US
        for one in change.events:
            assert self.next is None or one.number >= self.next, "an event came twice"
            self.next = one.number + 1
            assert 0 <= one.t_us <= ahead, "a time went wild"
            assert one.is_late or one.t_us >= self._latest, "events out of order without a word"
            self._latest = max(self._latest, one.t_us)
            assert one.button is None or one.kind in (wire.DOWN, wire.UP)
            if one.button is None:
                assert one.cell < 19
                assert one.kind <= wire.MASKED
                if self.kinds is not None:
                    self.kinds[one.cell] = one.kind
            self.times.append((one.number, one.t_us))
            self.tally.events += 1


class Episode:
    """A game in which mutants come in one direction, `towards` host or board."""

    def __init__(self, seed: int, towards: str, tally: Tally) -> None:
        self.dice = random.Random(f"mutants {towards} {seed}")
        self.towards, self.tally = towards, tally
        self.rig = Rig(HEX3, seed, noise_ut=0)
        self.link = Link(HEX3, 1 + seed)
        self.table = Table(self.link, tally)
        self.mutator = Mutator(self.dice)
        self.mutating = False
        self.left = 0
        troubles = ((0.0, 0.0), (0.03, 0.0), (0.1, 0.0), (0.02, 0.02))
        self.plugs, self.resets = self.dice.choice(troubles)
        """How likely, in a step, the cable is pulled and put back, and the board is reset."""
        self.at_once = self.dice.choice(AT_ONCE)
        self.set_back = False
        self._decoder = wire.Decoder()
        self._pictures = 0
        self.link.opened(self.rig.now_us)

    def run(self, mutants: int) -> int:
        """So many mutants at most; how many there were."""
        self.go(1_500_000)
        assert self.link.is_connected
        self.left, self.mutating = mutants, True
        for n in range(STEPS):
            if n % 8 == 0:
                self.play()
            if self.dice.random() < self.plugs:
                self.table.hear(self.link.closed(), self.rig.now_us)
                self.link.opened(self.rig.now_us)
            if self.dice.random() < self.resets:
                self.rig.reset()
            self.go(STEP_US)
            if not self.left:
                break
        self.mutating = False
        self.tally.ways += self.mutator.ways
        self.recover()
        return mutants - self.left

    def play(self) -> None:
        """A hand sets or lifts a stone, and another picture is shown."""
        rig, cell = self.rig, self.dice.randrange(19)
        if rig.hands.idle:
            if rig.kinds[cell]:
                rig.hands.lift(cell)
            else:
                rig.hands.place(cell, self.dice.choice((wire.WHITE, wire.BLACK, wire.NEUTRAL)))
        self.show()

    def show(self) -> None:
        self._pictures += 1
        n = self._pictures
        lights = tuple(((n + i) % 6, 0) for i in range(19))
        self.link.show(LightFrame(lights, ((0, 0, 0), *((9 * i, n % 99, 200) for i in range(5)))))

    def go(self, us: int) -> None:
        """Let time go by, mutants among the frames of their direction."""
        rig, link = self.rig, self.link
        end = rig.now_us + us
        while rig.now_us < end:
            out = link.take_output()
            assert len(out) < MAX_OUT, "the link's output grows"
            rig.from_host(self._spoiled(out) if self.towards == "board" else out)
            rig.run(max(rig.now_us, min(end, link.next_deadline() or end)))
            came = rig.to_host()
            now = rig.now_us
            events = link.receive(self._spoiled(came) if self.towards == "host" else came, now)
            events += link.poll(now)
            lost = self.table.hear(events, now)
            for event in events:
                if isinstance(event, Changed):
                    link.acknowledge(event.events[-1].number + 1)
            if lost:
                link.opened(now)
            if self.towards == "board":
                self._check_board()

    def _spoiled(self, data: bytes) -> bytes:
        if not data:
            return data
        if not self.mutating:
            self.mutator.seen += self._decoder.feed(data)
            return data
        out = bytearray(b"\0")
        for frame in self._decoder.feed(data):
            self.mutator.seen.append(frame)
            real = packed(*frame)
            fate = self.dice.random()
            if fate < 0.9:
                out += real
            for _ in range(min(self.left, self.dice.randint(0, self.at_once))):
                mutant = self.mutator.mutant()
                if self.towards == "board" and mutant[0] in BY_RIGHT:
                    if mutant[0] == wire.H_BOOT:
                        continue
                    self.set_back = True
                out += packed(*mutant)
                self.left -= 1
            if 0.9 <= fate < 0.95:
                out += real  # later than it was sent
        return bytes(out)

    def _check_board(self) -> None:
        light = self.rig.light
        draws = sum(light) / 255 * wire.FULL_MA + HEX3.lights * wire.IDLE_MA
        assert draws <= HEX3.limit_ma + 1, f"the lights draw {draws} mA"
        board = self.board
        assert board.link.backlog() <= 40
        assert board.ring.next - board.ring.first <= wire.RING_EVENTS
        assert self._decoder.errors == 0

    @property
    def board(self):  # type: ignore[no-untyped-def]  # the firmware's Board
        return self.rig.chip.body

    def recover(self) -> None:
        """Within so long all is right again: belief and clock; a new stone is felt; and the board
        is known again when its cable was out."""
        rig, link = self.rig, self.link
        if self.set_back:
            self._set_back()
        began = rig.now_us
        while not self.is_right():
            assert rig.now_us < began + RECOVERY_US, self.wrong()
            self.go(100_000)
        self.tally.slowest_us = max(self.tally.slowest_us, rig.now_us - began)
        free = [cell for cell, kind in enumerate(rig.kinds) if not kind]
        cell = self.dice.choice(free)
        before, greetings = len(self.table.times), self.tally.greetings
        healed = self.tally.healed
        rig.hands.place(cell, wire.WHITE)
        began = rig.now_us
        while not self.is_right() or not rig.hands.idle or not rig.kinds[cell]:
            assert rig.now_us < began + RECOVERY_US, f"no new stone: {self.wrong()}"
            self.go(100_000)
        if self.tally.greetings == greetings and self.tally.healed == healed:
            (*_, (_, t_us)) = self.table.times[before:]
            t_us += rig.chip.epoch_us
            assert began - 100_000 < t_us < rig.now_us + 100_000, "its time is wrong"
        self.table.hear(link.closed(), rig.now_us)
        link.opened(rig.now_us)
        began = rig.now_us
        while not self.is_right():
            assert rig.now_us < began + RECOVERY_US, f"plugged in again: {self.wrong()}"
            self.go(100_000)

    def _set_back(self) -> None:
        """What a host may set by right is set back, as its owner would."""
        board = self.board
        if board.services.injected is not None:
            board.services.injected.switch(False)
        board.lights.brightness(wire.BRIGHTNESS)
        for cell in range(19):
            board.sense.mask(cell, False)

    def is_right(self) -> bool:
        return not self.wrong()

    def wrong(self) -> str:
        """What is not right yet; "" when all is."""
        rig, link = self.rig, self.link
        if not link.is_connected:
            return "not connected"
        truth = list(rig.kinds)
        if list(self.board.belief) != truth:
            return f"the board believes {list(self.board.belief)}, there lies {truth}"
        if self.table.kinds != truth:
            return f"the table sees {self.table.kinds}, there lies {truth}"
        if self.table.next != self.board.ring.next:
            return f"the table waits for event {self.table.next}, the board's next is " + str(
                self.board.ring.next
            )
        off = link.board_now(rig.now_us) - (rig.chip.now_us - rig.chip.epoch_us)
        if abs(off) > 5_000:
            return f"the clock is {off} µs off"
        return ""


def run(towards: str, mutants: int, seed: int = 1, each: int = 2_000) -> Tally:
    """Episodes until there were so many mutants; AssertionError or what else came out of one."""
    tally = Tally()
    while tally.mutants < mutants:
        episode = Episode(1000 * seed + tally.episodes, towards, tally)
        tally.mutants += episode.run(min(each, mutants - tally.mutants))
        tally.episodes += 1
    return tally


if __name__ == "__main__":
    began = time.process_time()
    told = run(sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:]))
    print(told, f"{time.process_time() - began:.0f} s of CPU")
