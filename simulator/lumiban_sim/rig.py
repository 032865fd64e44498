"""World, hands and chip put together in virtual time, with the line to the host in memory.

    rig = Rig(load("hex3"), seed=1)
    rig.hands.place(9, 1)
    while rig.now_us < 2_000_000:
        rig.run(min(2_000_000, link.next_deadline()))   # or sooner, when the board has sent
        link.step(rig.now_us, rig.to_host()) ...

The same seed and the same calls give the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from lumiban.boards.profile import Profile
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal

from lumiban_sim.built_board import BuiltBoard
from lumiban_sim.chip import Body, Chip, Pace, Transport
from lumiban_sim.faults import Acts, FaultyWorld, Plan, Spoiler
from lumiban_sim.hands import HUMAN, Hands, Tempo
from lumiban_sim.rails import Feed
from lumiban_sim.world import NOISE_UT, World


class Pipe:
    """A line in memory, from both ends; `capacity` is what the board may send unread.

    `unplugged` loses whatever is sent; `to_host_faults` and `to_board_faults` spoil a direction.
    """

    def __init__(self, capacity: int = 4096) -> None:
        self.capacity = capacity
        self.unplugged = False
        self.stalled = False
        """The host reads nothing: what the board sends stays under way."""
        self.to_host_faults: Spoiler | None = None
        self.to_board_faults: Spoiler | None = None
        self._to_host = bytearray()
        self._to_board = bytearray()

    # The board's end.

    def waiting(self) -> bool:
        """True if bytes from the host are there."""
        return bool(self._to_board)

    def read(self) -> bytes:
        """Bytes from the host."""
        if not self._to_board:
            return b""
        data = bytes(self._to_board)
        self._to_board.clear()
        return data

    def room(self) -> int:
        """Number of bytes that the board may send."""
        return max(self.capacity - len(self._to_host), 0)

    def write(self, data: bytes) -> None:
        """The board sends; ValueError when there is no room."""
        if len(data) > self.room():
            raise ValueError(f"{len(data)} bytes written with room for {self.room()}")
        if not self.unplugged:
            faults = self.to_host_faults
            self._to_host += faults.spoil(data) if faults else data

    # The host's end.

    def sent(self) -> bool:
        """True if bytes for the host are there."""
        return bool(self._to_host) and not self.stalled

    def take(self) -> bytes:
        """Bytes from the board."""
        if self.stalled:
            return b""
        data = bytes(self._to_host)
        self._to_host.clear()
        return data

    def give(self, data: bytes) -> None:
        """The host sends."""
        if not self.unplugged:
            faults = self.to_board_faults
            self._to_board += faults.spoil(data) if faults else data


class Rig:
    """A board of a profile in a seeded world, with hands over it.

    `line` may be another transport than the pipe in memory (the `sim` process gives its pty);
    `board` says how the parts differ from their data sheets, `body` what the firmware runs on;
    `to_host` and `from_host` work on the pipe only. `noise_ut` 0 and `skipping` False are for
    comparing logs. `plan` says what goes wrong; `faults` makes it happen. `cold`: the strips have
    power when the firmware switches it on, else from the beginning; `feed` is the supply.
    """

    def __init__(
        self,
        profile: Profile,
        seed: int = 0,
        *,
        line: Transport | None = None,
        tempo: Tempo = HUMAN,
        noise_ut: float = NOISE_UT,
        skipping: bool = True,
        boot_id: int | None = None,
        board: BuiltBoard | None = None,
        body: Callable[[Hal], Body] = Board,
        pace: Pace | None = None,
        plan: Plan | None = None,
        cold: bool = False,
        feed: Feed | None = None,
    ) -> None:
        dice = random.Random(f"rig {seed}")
        self.profile = profile
        self.seed = seed
        self.pipe = Pipe()
        self.faults: Acts | None = None
        kind = World if plan is None else FaultyWorld
        self.world = world = kind(profile, seed, noise_ut=noise_ut, board=board, feed=feed)
        self.hands = Hands(self.world, seed, tempo)
        uid, boot = dice.randbytes(8), dice.getrandbits(32)
        self.chip = Chip(
            self.world,
            line or self.pipe,
            uid=uid,
            boot_id=boot if boot_id is None else boot_id,
            skipping=skipping,
            body=body,
            pace=pace,
            cold=cold,
        )
        if plan is not None and isinstance(world, FaultyWorld):
            self.faults = Acts(world, self.chip, self.hands, self.pipe, plan, seed)

    @property
    def now_us(self) -> int:
        """The world's time."""
        return self.chip.now_us

    @property
    def light(self) -> bytes:
        """The frame that shines: r, g, b of each light."""
        return self.world.light

    @property
    def kinds(self) -> tuple[int, ...]:
        """True content of each cell now."""
        return self.world.kinds(self.chip.now_us)

    def to_host(self) -> bytes:
        """Bytes that the board has sent since the last call."""
        return self.pipe.take()

    def from_host(self, data: bytes) -> None:
        """Send bytes to the board, which will run before time goes on."""
        self.pipe.give(data)

    def next_deadline(self) -> int:
        """Time in µs at which something happens next; `FOREVER` when nothing will unless the host
        acts."""
        due = min(self.chip.next_deadline(), self.hands.next_deadline())
        return min(due, self.faults.next_deadline()) if self.faults else due

    def advance(self, until_us: int) -> None:
        """Let time go on to `until_us`, whatever the board sends meanwhile."""
        self._go(until_us, False)

    def run(self, until_us: int) -> int:
        """Let time go on to `until_us`, or until the board has sent something; returns the time."""
        self._go(until_us, True)
        return self.now_us

    def _go(self, until_us: int, stop_when_sent: bool) -> None:
        chip, hands, pipe, faults = self.chip, self.hands, self.pipe, self.faults
        while not (stop_when_sent and pipe.sent()):
            hand_us = hands.next_deadline()
            due = min(chip.next_deadline(), hand_us)
            if faults is not None:
                due = min(due, faults.next_deadline())
            if due > until_us:
                hands.advance(until_us)
                chip.run_until(until_us)
                break
            hands.advance(due)
            chip.run_until(due)
            if faults is not None:
                faults.advance(due)

    def reset(self) -> None:
        """Cut the board's power and give it back, with pieces standing; the line stays."""
        self.chip.reset()
