"""A simulated board on a serial port, with hands over a local WebSocket.

The rig runs in real time, paced by the monotonic clock; between deadlines the process sleeps.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from lumiban.boards.profile import Profile
from lumiban.system import processes
from lumiban.system.processes import RunningSimulator

from lumiban_sim.built_board import BuiltBoard
from lumiban_sim.descriptor import path_of
from lumiban_sim.faults import Plan
from lumiban_sim.hands_socket import HandsServer
from lumiban_sim.host_line import PtyLine
from lumiban_sim.rig import Rig
from lumiban_sim.world import NOISE_UT

SLICE_US = 50_000
"""Time that is caught up in one go, so that a stall does not make messages wait."""
GRACE_S = 60.0
"""An orphan whom nobody spoke to for so long ends."""
LOG = "simulator.log"
"""In the state folder: what broke."""
LOOK_S = 2.0
"""Between two looks at whether the parent lives, where the system cannot tell by itself."""


class Desk:
    """One simulated board in real time. `run` serves it until `stop`.

    `parent` is the process whose end makes it an orphan; an orphan ends `grace_s` after a host or
    a hand was last heard, or at once where none ever was. `by_id` is a folder in which a link leads
    to the port, as /dev/serial/by-id has for boards; its name tells the board's number and how
    often it was plugged in. `plan` says what goes wrong, from the start on.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        seed: int,
        state: Path,
        hands_port: int = 0,
        parent: int = 0,
        grace_s: float = GRACE_S,
        by_id: Path | None = None,
        board: BuiltBoard | None = None,
        noise_ut: float = NOISE_UT,
        plan: Plan | None = None,
    ) -> None:
        self.state = state
        self._hands_port = hands_port
        self._parent = parent
        self._grace_s = grace_s
        self.line = PtyLine(self._heard)
        # Another power-on is another boot: the host must see that, whatever the seed.
        self.rig = Rig(
            profile,
            seed,
            line=self.line,
            boot_id=secrets.randbits(32),
            board=board,
            noise_ut=noise_ut,
            plan=plan,
        )
        if self.rig.faults is not None:
            self.rig.faults.plug = self.plug
        token = secrets.token_urlsafe(16)
        self.door = HandsServer(self.rig, token, self.catch_up, self._acted, self.plug)
        self._by_id = by_id
        self._link: Path | None = None
        self._plugged = 0
        self.descriptor: RunningSimulator | None = None
        self._file: int | None = None
        """The descriptor's, held open and so locked."""
        self.failed: BaseException | None = None
        """Exception that broke the desk from inside; it ended the desk."""
        self.ready = asyncio.Event()
        self._stopped = asyncio.Event()
        self._zero = 0.0
        self._heard_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Serve until stopped; OSError when the port or the state folder cannot be had."""
        loop = asyncio.get_running_loop()
        self._zero = self._heard_at = loop.time()
        self.line.open()
        orphanage: asyncio.Task[None] | None = None
        try:
            await self.door.open(self._hands_port)
            self.state.mkdir(parents=True, exist_ok=True)
            self._describe()
            self._name()
            if self._parent:
                orphanage = asyncio.create_task(self._watch_parent())
            self.pump()
            self.ready.set()
            await self._stopped.wait()
        finally:
            if self._timer is not None:
                self._timer.cancel()
            if orphanage is not None:
                orphanage.cancel()
            # What stays is ignored and removed by the next one.
            with suppress(OSError):
                if self.descriptor is not None and self._file is not None:
                    path_of(self.state, self.descriptor.pid).unlink(missing_ok=True)
                    os.close(self._file)
            with suppress(OSError):
                self._unname()
            await self.door.close()
            self.line.close()

    def stop(self) -> None:
        """End `run`."""
        self._stopped.set()

    def fail(self, context: dict[str, Any]) -> None:
        """End `run` because of an exception that nobody expected; `context` is asyncio's."""
        error = context.get("exception")
        if error is not None and self.failed is None:
            self.failed = error
            self.state.mkdir(parents=True, exist_ok=True)
            with (self.state / LOG).open("a", encoding="utf-8") as log:
                log.writelines(traceback.format_exception(error))
            self.stop()

    # The cable.

    def plug(self, plugged: bool) -> None:
        """Put the cable in, or pull it out: the board goes on, on its own power."""
        if plugged and not self.line.path:
            self.line.plug()
            self._describe()
            self._name()
        elif not plugged and self.line.path:
            self._unname()
            self.line.unplug()

    def _describe(self) -> None:
        self.descriptor = RunningSimulator(
            self.line.path,
            self.door.url,
            self.rig.profile.name,
            self.rig.chip.uid.hex(),
            os.getpid(),
            self.rig.seed,
            self._parent,
        )
        path = path_of(self.state, self.descriptor.pid)
        file, self._file = self._file, processes.put(path, self.descriptor)
        if file is not None:
            os.close(file)

    def _name(self) -> None:
        if self._by_id is None:
            return
        self._by_id.mkdir(parents=True, exist_ok=True)
        uid = self.rig.chip.uid.hex()
        self._link = self._by_id / f"usb-lumiban_simulated_{uid}-if{self._plugged:02}"
        self._link.unlink(missing_ok=True)
        self._link.symlink_to(self.line.path)
        self._plugged += 1

    def _unname(self) -> None:
        link, self._link = self._link, None
        if link is not None and link.is_symlink() and str(link.readlink()) == self.line.path:
            link.unlink(missing_ok=True)  # else the same board has begun again elsewhere

    # Time.

    def now_us(self) -> int:
        """Real time since the start."""
        return int((asyncio.get_running_loop().time() - self._zero) * 1e6)

    def catch_up(self) -> None:
        """Bring the world to the present."""
        self.rig.advance(max(self.now_us(), self.rig.now_us))

    def pump(self) -> None:
        """Run what is due, show what changed, and sleep until there is more."""
        loop = asyncio.get_running_loop()
        now = self.now_us()
        begins = max(self.rig.next_deadline(), self.rig.now_us)
        self.rig.advance(max(min(now, begins + SLICE_US), self.rig.now_us))
        due = min(self.door.show(self.rig.now_us), self.rig.next_deadline())
        if self.rig.now_us < now:
            due = now
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if self._stopped.is_set() else loop.call_at(self._at(due), self.pump)

    def _at(self, t_us: int) -> float:
        return self._zero + t_us / 1e6

    def _heard(self) -> None:
        """A host sent bytes."""
        self._heard_at = asyncio.get_running_loop().time()
        self.pump()

    def _acted(self) -> None:
        """A guest did something."""
        self._heard_at = asyncio.get_running_loop().time()
        self.pump()

    # Life.

    async def _watch_parent(self) -> None:
        await _end_of(self._parent)
        loop = asyncio.get_running_loop()
        grace_s = self._grace_s if self._heard_at > self._zero else 0.0
        self._heard_at = loop.time()
        while (left := self._heard_at + grace_s - loop.time()) > 0:
            await asyncio.sleep(left)
        self.stop()


async def _end_of(pid: int) -> None:
    """Wait for the end of a process that need not be our child."""
    loop = asyncio.get_running_loop()
    if hasattr(os, "pidfd_open"):
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        except OSError:
            pass  # an old kernel or a container that forbids it: look from time to time
        else:
            ended = asyncio.Event()
            loop.add_reader(handle, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(handle)
                os.close(handle)
            return
    while processes.runs(pid):
        await asyncio.sleep(LOOK_S)
