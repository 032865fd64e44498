"""The shell around a soak's table: its board's port, and what befalls it, by two laws.

A `SerialBoard` runs here on a loop in virtual time, over a `PortLine` and a port of this machine
(`soak_machine`), through all that ports suffer (`OF_THE_SHELL`). Beside it another table's cable
breaks for good. What holds meanwhile:

- a board that answers in time is never called lost: its frames are counted here as they reach the
  port, by a decoder of our own;
- what is not ours is never opened nor written to.
"""

from __future__ import annotations

import fcntl
import os
import random
import termios
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from lumiban.boards import profile as profiles
from lumiban.boards.link import echoed_session
from lumiban.boards.messages import unpacked
from lumiban.boards.ports import SOCKET
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import LightFrame, LinkEvent, Lost
from lumiban.errors import BoardError, CheckFailed, NotABoard, WrongMajor
from lumiban_fw import wire
from lumiban_sim.rig import Rig

from lumiban_lab.soak_line import FOREVER, Around, Line
from lumiban_lab.soak_machine import (
    CH340,
    GPS,
    OURS,
    STRANGER,
    THEIRS,
    Device,
    Machine,
    VirtualLoop,
    VirtualSelector,
    owner,
)

if TYPE_CHECKING:
    import asyncio

    from lumiban.flight.recorder import Notes


PORTS = ("numbered", "unnumbered", "simulated", "socket")
"""Kinds of ports: a USB device with a number of its own, one that only its socket tells, a
simulator's pseudo-terminal, a TCP socket."""
OF_THE_SHELL = {
    "hang-up": "the port hangs up, and comes back under its name",
    "renumbered": "the board comes back under another name, and a stranger has its old one",
    "stranger": "another device is plugged in while the board is away",
    "second reader": "another program reads the port, and takes what is meant for us",
    "held port": "another program has the port for itself as it comes back",
    "held bytes": "the system keeps what the board sends, and brings it all at once",
    "slow line": "few bytes a second go through, either way",
    "full line": "the line takes nothing more",
    "stalled process": "the process behind the port waits, or is stopped",
}
"""Troubles of ports, and what they do."""
FITS = {
    "second reader": ("numbered", "unnumbered"),
    "held port": ("numbered", "unnumbered"),
    "renumbered": ("numbered", "unnumbered", "simulated"),
    "stranger": ("numbered", "unnumbered", "simulated"),
    "stalled process": ("simulated",),
}
"""Kinds of ports that a trouble can befall; others befall all."""
SIMULATOR, SCREEN = 500_001, 417
"""Processes: the one behind a port, and one that reads a port too."""
SLICE_US = 20_000
SLOW_BYTES = 600
"""A second, on a slow line."""
STEALS = 0.3
"""Probability that another reader has the next bytes."""
AGAIN_US = 5_000_000
"""Time after which a host tries a board again that it could not open."""
SLACK_US = 5_000
LASTING = ("gone", "mute", "held")
"""What the other table's cable comes to, for good."""
BREAKS_US = (5_000_000, 40_000_000)
OFTEN_S = 3.5
"""A board that never answers is tried less often than that."""


def fits(port: str) -> list[str]:
    """The troubles that can befall this kind of port."""
    return [name for name in OF_THE_SHELL if port in FITS.get(name, PORTS)]


class Way:
    """Bytes on their way in one direction: at once, slowly, or not at all for a while."""

    def __init__(self) -> None:
        self.rate = 0
        """Bytes a second; 0: as they come."""
        self.is_held = False
        self._kept = bytearray()
        self._at_us = 0
        self._credit = 0.0

    @property
    def waits(self) -> bool:
        """True if bytes will go on as time does."""
        return bool(self._kept) and not self.is_held

    def put(self, data: bytes) -> None:
        """More bytes; what no port keeps is gone."""
        self._kept += data
        del self._kept[8192:]

    def take(self, now_us: int, room: int) -> bytes:
        """Those that arrive now."""
        if self.is_held or not self._kept:
            self._at_us, self._credit = now_us, 0.0
            return b""
        count = min(len(self._kept), room)
        if self.rate:
            self._credit += (now_us - self._at_us) * self.rate / 1e6
            self._at_us = now_us
            count = min(count, int(self._credit))
            self._credit -= count
        taken = bytes(self._kept[:count])
        del self._kept[:count]
        return taken

    def clear(self) -> None:
        """The line is cut."""
        self._kept.clear()


class Ear:
    """What reached the port and what was asked, by decoders of our own."""

    def __init__(self) -> None:
        self.answered_us = -FOREVER
        """The last time that a frame arrived, in the host's waking µs."""
        self.is_greeted = False
        """True if the present greeting was answered."""
        self.uids: set[bytes] = set()
        """Boards that answered since the port was opened."""
        self._session = -1
        self.begin()

    def begin(self) -> None:
        """The port is opened."""
        self._in, self._out = wire.Decoder(), wire.Decoder()

    def asked(self, data: bytes) -> None:
        """The host writes."""
        for kind, _, _, _, payload in self._out.feed(data):
            if kind == wire.H_HELLO:
                session = wire.unpack_host_hello(payload)[2]
                if session != self._session:
                    self._session, self.is_greeted = session, False
                    self.uids.clear()

    def told(self, data: bytes, awake_us: int) -> None:
        """Bytes of the board are there to read."""
        for kind, flags, _, _, payload in self._in.feed(data):
            if not kind & wire.FROM_BOARD or flags >> wire.MAJOR_SHIFT != wire.MAJOR:
                continue
            self.answered_us = awake_us
            if kind == wire.B_HELLO and echoed_session(payload) == self._session:
                self.is_greeted = True
                self.uids.add(unpacked(wire.B_HELLO, payload).fields[7])


class Shell(Line):
    """A host's port and its board's device, through all lives of the host."""

    def __init__(self, table: Around, kind: str) -> None:
        self.kind = kind
        self.machine = Machine(table.folder / "machine")
        self.struck: list[str] = []
        self._table = table
        self._chance = random.Random(f"shell {table.seed}")
        self._uid = table.rig.chip.uid
        self._ours = self._device(OURS, self._uid, "1-1.1:1.0")
        self._inward, self._outward = Way(), Way()
        self._ear = Ear()
        self._steals = 0
        self._stood_us = self._stands_us = 0
        """For how long the host has stood in all as far as its link can know, and in one go."""
        self._hung_us = -FOREVER
        self._strangers: list[Device] = []
        self._told: list[LinkEvent] = []
        self._failures: list[str] = []
        self._loop: VirtualLoop | None = None
        self._is_refused = False
        self._lock: int | None = None
        self._name = "ttyACM0"
        if kind == "simulated":
            self.machine.process(SIMULATOR, "python")
        self._plug(self._name)
        self._neighbour = Neighbour(self, table.seed)

    def _device(self, whose: str, uid: bytes, place: str) -> Device:
        if self.kind == "socket" and whose == OURS:
            return Device(whose, is_tcp=True)
        if self.kind == "simulated":
            return Device(whose, link=f"usb-lumiban_simulated_{uid.hex()}-if00", is_bare=True)
        if self.kind == "unnumbered":
            return Device(whose, vid=CH340, place=place)
        number = uid.hex()
        return Device(whose, serial=number, place=place, link=f"usb-lumiban_{number}-if00")

    def _plug(self, name: str) -> None:
        self._name = name
        self.machine.plug(self._ours, name)
        if self.kind == "simulated":
            self.machine.holds(SIMULATOR, self._ours, at_far_end=True)

    @property
    def port(self) -> str:
        """The board's port as a host is told it."""
        device = self._ours
        if device.link:
            return str(self.machine.by_id / device.link)
        if device.is_tcp:
            return f"{SOCKET}127.0.0.1:{device.number}"
        return device.path or str(self.machine.dev / self._name)

    @property
    def lasting(self) -> list[str]:
        """What has befallen the machine's ports for good."""
        other = self._neighbour
        return [] if other.is_sound else [f"another board {other.lasting} for good"]

    # Lives of the host.

    def begin(self, session: int, resume: tuple[int, int] | None, witness: Notes | None) -> None:
        """Another host opens the board's port."""
        self._leave()
        self._loop = VirtualLoop(VirtualSelector(self._go_on, self._other_reads), self.host_us)
        self._loop.set_exception_handler(
            lambda _, about: self._failures.append(f"in the loop: {about}")
        )
        self._board = SerialBoard(
            self.port,
            self._table.rig.profile,
            self._heard,
            resume=resume,
            session=session,
            tap=self._tapped,
            witness=witness,
            by_id=self.machine.by_id if self.kind == "simulated" else None,
        )
        self._is_refused = False
        opening = self._loop.create_task(self._board.open())
        opening.add_done_callback(self._opened)
        self._neighbour.begin(self._loop)

    def _opened(self, opening: asyncio.Task[Any]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if error is None:
            return
        if not isinstance(error, BoardError):
            self._failures.append(f"the board was not opened: {error!r}")
        self._is_refused = True
        if not isinstance(error, NotABoard | WrongMajor):
            self._table.restart_us = min(self._table.restart_us, self._table.now_us + AGAIN_US)

    def _leave(self) -> None:
        if self._loop is not None:
            self.machine.leave(OURS)
            self.machine.leave(THEIRS)
            self._loop.leave()
            self._loop = None

    def close(self) -> None:
        """All is put away."""
        self._leave()
        self._release()
        self.machine.close()

    def host_us(self) -> int:
        """The host's clock."""
        return self._table.host_us()

    # Time.

    def run(self, until_us: int) -> list[LinkEvent]:
        """Let time go on to `until_us`, or until the board has said something; what was heard."""
        assert self._loop is not None
        self._stands_us = 0
        with self.machine.answers():
            stop = self._loop.call_at((until_us - self._table.behind_us) / 1e6, self._loop.stop)
            self._loop.run_forever()
            stop.cancel()
        self._judge_all()
        told, self._told = self._told, []
        return told

    def stand(self, until_us: int) -> None:
        """Let time go on while the host does nothing."""
        while self._now_us < until_us:
            self._world(until_us - self._now_us, stands=True)

    def die(self, until_us: int) -> None:
        """Let time go on without a host."""
        self._leave()
        while self._now_us < until_us:
            self._world(until_us - self._now_us)

    @property
    def _now_us(self) -> int:
        return self._table.rig.now_us

    @property
    def _awake_us(self) -> int:
        """Time in which the host could hear, or could not know that it did not."""
        return self._now_us - self._stood_us

    def _go_on(self, most_us: int) -> int:
        return self._world(most_us)

    def _world(self, most_us: int, *, stands: bool = False) -> int:
        """Let the world go on for so long, or until a board has sent; the µs that passed.

        `stands`: the host does nothing meanwhile, and hears what arrives when it goes on.
        """
        rig, guest = self._table.rig, self._table.universe.guest
        begun_us = rig.now_us
        is_sliced = self._inward.waits or self._outward.waits or self._neighbour.is_sound
        until_us = begun_us + (min(most_us, SLICE_US) if is_sliced or guest else most_us)
        if guest is None:
            rig.run(until_us)
        else:
            rig.advance(until_us)
            rig.to_host()  # nobody reads what the board says meanwhile
            guest.advance(rig.now_us)
        if stands:
            self._stood(rig.now_us - begun_us)
        self._neighbour.advance(rig.now_us)
        self._carry()
        return max(rig.now_us - begun_us, 1)

    def _stood(self, for_us: int) -> None:
        """The host stood for so long. One whose clock goes on may wait for its next beat just as
        well: what it had nothing to do in counts as the board's silence."""
        is_asleep = self._table.universe.has("suspend")
        waits_us = 0 if is_asleep else max(0, wire.BEAT_US - self._stands_us)
        self._stands_us += for_us
        self._stood_us += max(0, for_us - waits_us)

    def _carry(self) -> None:
        """Bytes go both ways."""
        line, device = self._table.universe.guest or self._table.rig, self._ours
        self._inward.put(line.to_host())
        if not device.is_plugged:
            self._inward.clear()
            self._outward.clear()
            return
        if data := self._inward.take(self._now_us, device.room()):
            self._deliver(data)
        if not self._outward.is_held and device.unread:
            self._outward.put(device.drain())
        if data := self._outward.take(self._now_us, 1 << 16):
            line.from_host(data)
        self.machine.reads_of_strangers()

    def _deliver(self, data: bytes) -> None:
        reader = self.machine.reader_of(self._ours)
        self._ours.send(data, reader)
        stolen = 0
        is_read_too = reader is not None and "second reader" in self.struck and not self._stands
        if is_read_too and self._chance.random() < STEALS:
            stolen = self._chance.choice((len(data), len(data), 1 + len(data) // 2))
        self._steals += stolen
        if reader is not None:
            self._ear.told(data[stolen:], self._awake_us)

    @property
    def _stands(self) -> bool:
        return bool(self._table.universe.has("suspend", "frozen host"))

    def _other_reads(self) -> None:
        """What the host is about to read, another program reads first."""
        if self._steals and self._ours.is_plugged:
            os.read(self._ours.near, self._steals)
        self._steals = 0

    def _tapped(self, is_outward: bool, data: bytes) -> None:
        if not is_outward:
            return
        self._ear.asked(data)
        self._ours.wrote(len(data))
        if not self._outward.is_held:
            self._outward.put(self._ours.drain())

    # The table's side.

    def show(self, frame: LightFrame) -> None:
        """Let the board show this."""
        self._board.show(frame)

    def acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""
        self._board.acknowledge(next_event)

    def judge(self) -> None:
        """CheckFailed where a law does not hold."""
        self._judge_all()

    def _heard(self, events: list[LinkEvent]) -> None:
        assert self._loop is not None
        for event in events:
            if isinstance(event, Lost):
                self._failures += self._why_not_lost(event)
        self._told += events
        self._loop.stop()

    # The laws.

    def _why_not_lost(self, lost: Lost) -> list[str]:
        """Reasons why this board should not have been called lost."""
        quiet_us = self._awake_us - self._ear.answered_us
        what = f"lost ({lost.reason} {lost.detail}) though "
        if lost.reason in ("silent", "not-a-board"):
            if "stalled process" in self.struck:
                return [what + "the process behind the port had no chance to speak"]
            if self._ear.is_greeted and quiet_us < wire.SILENCE_US - SLACK_US:
                return [what + f"a frame arrived {quiet_us} µs ago"]
        elif lost.reason == "closed":
            hung = not self._ours.is_plugged or self._hung_us >= self._now_us - SLICE_US
            if not hung:
                return [what + "the port never hung up"]
        elif lost.reason == "busy":
            if self._lock is None and "second reader" not in self.struck:
                return [what + "nobody else has the port"]
        elif lost.reason == "other-board" and not self._is_other(lost.detail):
            return [what + "no other board was there"]
        return []

    def _is_other(self, uid: str) -> bool:
        there = {one.serial for one in self.machine.plugged}
        return self._table.universe.forged or uid in there or bytes.fromhex(uid) in self._ear.uids

    def _judge_all(self) -> None:
        failures = [*self._failures, *self.machine.breaches, *self._neighbour.failures]
        if failures:
            raise CheckFailed("; ".join(failures[:3]))

    # Troubles.

    def strike(self, trouble: str) -> None:
        """A trouble of the ports begins."""
        if trouble not in fits(self.kind):
            return
        self.struck.append(trouble)
        if trouble in ("hang-up", "held port"):
            self._pull()
            if trouble == "held port":
                self._plug(self._name)
                self._hold(self._ours)
        elif trouble == "renumbered":
            name, index = self._name, 1 + int(self._name[-1])
            self._pull()
            self._stranger(name)
            self._name = f"ttyACM{index if index < 9 else 0}"
        elif trouble == "stranger":
            self._stranger("ttyUSB7")
            self._pull()
        elif trouble == "second reader":
            self._read_too()
        elif trouble == "held bytes":
            self._inward.is_held = True
        elif trouble == "slow line":
            self._inward.rate = self._outward.rate = SLOW_BYTES
        elif trouble == "full line":
            self._outward.is_held = True
        else:
            self._inward.is_held = self._outward.is_held = True

    def mend(self, trouble: str) -> None:
        """It is over."""
        if trouble not in self.struck:
            return
        self.struck.remove(trouble)
        if trouble == "held port":
            self._release()
        elif trouble == "second reader":
            self.machine.gone(SCREEN)
        elif trouble == "slow line":
            self._inward.rate = self._outward.rate = 0
        self._inward.is_held = bool({"held bytes", "stalled process"} & {*self.struck})
        self._outward.is_held = bool({"full line", "stalled process"} & {*self.struck})
        away = {"hang-up", "renumbered", "stranger"} & {*self.struck}
        if not away and not self._ours.is_plugged:
            self._plug(self._name)
            self._tell_of_another_place()

    def calm(self) -> None:
        """All troubles are over; a board that a host took for none is plugged in again."""
        for trouble in list(self.struck):
            self.mend(trouble)
        for stranger in self._strangers:
            self.machine.pull(stranger)
        self._strangers.clear()
        if self._is_refused:
            self._pull()
            self._plug(self._name)
            self._table.restart_us = min(self._table.restart_us, self._now_us + SLICE_US)
        self._neighbour.judge()

    def _tell_of_another_place(self) -> None:
        """A host that waits for a board that was none looks again at what is plugged in again."""
        if self._is_refused:
            self._table.restart_us = min(self._table.restart_us, self._now_us + SLICE_US)

    def _pull(self) -> None:
        if self._ours.is_plugged:
            self._hung_us = self._now_us
            self._release()
            self.machine.pull(self._ours)

    def _stranger(self, name: str) -> Device:
        """A device that is nobody's is plugged in, as like ours as may be."""
        number = len(self._strangers)
        if self.kind == "simulated":
            link = f"usb-lumiban_simulated_{number:016x}-if00"
            device = Device(STRANGER, link=link, is_bare=True)
        elif self.kind == "unnumbered":
            vid = self._chance.choice((CH340, GPS))
            device = Device(STRANGER, vid=vid, place=f"1-2.{number}:1.0")
            gone = [one.owner for one in self._boards if not one.is_plugged]
            device.may_be_of = frozenset(gone)
        else:
            serial = self._chance.randbytes(8).hex()
            device = Device(STRANGER, serial=serial, place=f"1-2.{number}:1.0")
            device.link = f"usb-MicroPython_{serial}-if00"
        while not device.is_bare and (self.machine.dev / name).is_symlink():
            name = f"ttyUSB{number + 1}"
        self.machine.plug(device, name)
        self._strangers.append(device)
        return device

    @property
    def _boards(self) -> list[Device]:
        return [self._ours, self._neighbour.device]

    def _hold(self, device: Device) -> None:
        self._lock = os.open(device.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.machine.process(SCREEN, "screen")
        self.machine.holds(SCREEN, device)

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            self.machine.gone(SCREEN)

    def _read_too(self) -> None:
        """Another program opens the port and sets it as programs do."""
        self.machine.process(SCREEN, "screen")
        if not self._ours.is_plugged:
            return
        self.machine.holds(SCREEN, self._ours)
        attributes = termios.tcgetattr(self._ours.near)
        attributes[6][termios.VMIN], attributes[6][termios.VTIME] = 0, 0
        termios.tcsetattr(self._ours.near, termios.TCSANOW, attributes)


class Neighbour:
    """Another table of the same machine, whose board's cable breaks for good."""

    def __init__(self, shell: Shell, seed: int) -> None:
        chance = random.Random(f"neighbour {seed}")
        self.lasting = chance.choice(LASTING)
        self.failures: list[str] = []
        self.is_sound = True
        self._shell = shell
        self._breaks_us = chance.randrange(*BREAKS_US)
        self._rig = Rig(profiles.load("hex3"), seed + 1)
        self.device = shell._device(THEIRS, self._rig.chip.uid, "1-1.2:1.0")
        self._port = shell.machine.plug(self.device, "ttyACM9")
        if self.device.link:
            self._port = str(shell.machine.by_id / self.device.link)
        self._begun = 0
        self._broken_us = self._opens = 0
        self._lock = -1

    def begin(self, loop: VirtualLoop) -> None:
        """Another host opens its port."""
        self._begun += 1
        owner.set(OURS)
        context = copy_context()
        context.run(owner.set, THEIRS)
        context.run(self._open, loop)

    def _open(self, loop: VirtualLoop) -> None:
        shell = self._shell
        board = SerialBoard(
            self._port,
            profiles.load("hex3"),
            self._heard,
            session=self._begun,
            tap=self._tapped,
            by_id=shell.machine.by_id if self.device.is_bare else None,
        )
        opening = loop.create_task(board.open())
        opening.add_done_callback(partial(self._opened, loop))

    def _opened(self, loop: VirtualLoop, opening: asyncio.Task[Any]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if error is None:
            return
        if not isinstance(error, BoardError) or self.is_sound:
            self.failures.append(f"another table's board was not opened: {error!r}")
        loop.call_later(AGAIN_US / 1e6, self._open, loop)

    def _heard(self, events: list[LinkEvent]) -> None:
        if self.is_sound:
            self.failures += [
                f"another table's sound board was lost: {one}"
                for one in events
                if isinstance(one, Lost)
            ]

    def _tapped(self, is_outward: bool, data: bytes) -> None:
        if is_outward:
            self.device.wrote(len(data))
            data = self.device.drain()
            if self.is_sound:
                self._rig.from_host(data)

    def advance(self, now_us: int) -> None:
        """Its board goes on, until its cable breaks."""
        if not self.is_sound:
            return
        self._rig.advance(now_us)
        if data := self._rig.to_host():
            reader = self._shell.machine.reader_of(self.device)
            if self.device.room() >= len(data):
                self.device.send(data, reader)
        if now_us >= self._breaks_us:
            self._break(now_us)

    def _break(self, now_us: int) -> None:
        machine = self._shell.machine
        self.is_sound, self._broken_us, self._opens = False, now_us, self.device.opens
        if self.lasting == "mute":
            return
        machine.pull(self.device)
        if self.lasting == "held":
            machine.plug(self.device, "ttyACM9")
            self._lock = os.open(self.device.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def judge(self) -> None:
        """A board that never answers is tried ever less often."""
        if self.is_sound:
            return
        lasted_s = (self._shell._now_us - self._broken_us) / 1e6
        opens = self.device.opens - self._opens
        if opens > 4 * self._begun + lasted_s / OFTEN_S:
            self.failures.append(
                f"a board that never answers was opened {opens} times in {lasted_s:.0f} s"
            )
