"""A simulated board on a serial port, with hands over a local WebSocket.

The rig runs in real time, paced by the monotonic clock; between deadlines the process sleeps.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import traceback
from collections.abc import Callable
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
LOG = "simulator.log"
"""In the state folder: what broke."""


class Desk:
    """One simulated board in real time. `run` serves it until `stop`.

    `by_id` is a folder in which a link leads to the port, as /dev/serial/by-id has for boards; its
    name tells the board's number and how often it was plugged in. `plan` says what goes wrong,
    from the start on.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        seed: int,
        state: Path,
        hands_port: int = 0,
        by_id: Path | None = None,
        board: BuiltBoard | None = None,
        noise_ut: float = NOISE_UT,
        plan: Plan | None = None,
    ) -> None:
        self.state = state
        self._hands_port = hands_port
        self.line = PtyLine(self.pump)
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
        self.door = HandsServer(self.rig, token, self.catch_up, self.pump, self.plug)
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
        self._timer: asyncio.TimerHandle | None = None

    async def serve(self, say: Callable[[RunningSimulator], object]) -> None:
        """`run` in a loop of its own, in which nothing goes wrong unseen; `say` is called once it
        runs."""
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self.fail(context))
        serving = asyncio.create_task(self.run())
        ready = asyncio.create_task(self.ready.wait())
        await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
        if self.ready.is_set() and self.descriptor is not None:
            say(self.descriptor)
        ready.cancel()
        await serving

    async def run(self) -> None:
        """Serve until stopped; OSError when the port or the state folder cannot be had."""
        self._zero = asyncio.get_running_loop().time()
        self.line.open()
        try:
            await self.door.open(self._hands_port)
            self.state.mkdir(parents=True, exist_ok=True)
            self._describe()
            self._name()
            self.pump()
            self.ready.set()
            await self._stopped.wait()
        finally:
            if self._timer is not None:
                self._timer.cancel()
            # What stays is ignored and removed by the next one.
            with suppress(OSError):
                if self.descriptor is not None and self._file is not None:
                    path_of(self.state, self.descriptor).unlink(missing_ok=True)
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
        )
        path = path_of(self.state, self.descriptor)
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
