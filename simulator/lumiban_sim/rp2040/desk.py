"""A board on a serial port whose firmware runs on an emulated chip: slower than the world.

    desk = ChipDesk(Booted(image, load("hex3")), seed=1, state=folder)
    await desk.run()

There is one time, the chip's: it goes on as fast as the chip is emulated, and a small file tells
it to hosts (`descriptor`), since a host that counted real seconds would give the board up for lost.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_sim.descriptor import Teller
from lumiban_sim.desk import Desk
from lumiban_sim.faults import Plan
from lumiban_sim.rp2040.board import STARTS_US, UID, Booted, ChipBoard

SLICE_US = 1_000
"""The chip's time between two looks at the port and at the hands."""


def starting(image: Path, profile: Profile, told: Callable[[float], None]) -> Booted:
    """A chip that has started; `told` hears which part of its start is over, up to 1."""
    last = -1

    def progress(now_us: float) -> None:
        nonlocal last
        percent = min(int(100 * now_us / STARTS_US), 99)
        if percent > last:
            last = percent
            told(percent / 100)

    return Booted(image, profile, progress=progress)


class ChipDesk(Desk):
    """One board with an emulated chip; as `Desk`, in the chip's time."""

    def __init__(
        self,
        chips: Booted,
        *,
        seed: int,
        state: Path,
        hands_port: int = 0,
        parent: int = 0,
        by_id: Path | None = None,
        plan: Plan | None = None,
        jig: bool = False,
        tcp: int | None = None,
    ) -> None:
        super().__init__(
            chips.profile,
            seed=seed,
            state=state,
            hands_port=hands_port,
            parent=parent,
            by_id=by_id,
            plan=plan,
            jig=jig,
            body=chips.body,
            skipping=False,
            tcp=tcp,
        )
        self._teller: Teller | None = None
        self.rig.chip.uid = UID
        self.rig.advance(chips.up_us)

    async def run(self) -> None:
        """As `Desk.run`; the chip ends with it."""
        self.state.mkdir(parents=True, exist_ok=True)
        self._teller = Teller(self.state / f"chip-{os.getpid()}.clock")
        self._teller.tell(self.rig.now_us)
        self.clock = str(self._teller.path)
        try:
            await super().run()
        finally:
            self._teller.close()
            body = self.rig.chip.body
            if isinstance(body, ChipBoard):
                body.close()

    def now_us(self) -> int:
        """As far as the chip may run now."""
        return self.rig.now_us + SLICE_US

    def catch_up(self) -> None:
        """The world is where the chip is."""

    def pump(self) -> None:
        """Carry what waits between the chip and its line."""
        super().pump()
        if self._teller is not None:
            self._teller.tell(self.rig.now_us)

    def _at(self, t_us: int) -> float:
        return asyncio.get_running_loop().time()
