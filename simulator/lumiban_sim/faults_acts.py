"""What a fault plan does to a rig as time goes by."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lumiban_fw.wire import BLACK, NEUTRAL, WHITE

from lumiban_sim.chip import BY_WATCHDOG
from lumiban_sim.faults import LineFaults
from lumiban_sim.faults_plan import FOREVER, OF_HOST, Fault, Plan
from lumiban_sim.faults_world import FaultyWorld
from lumiban_sim.ways import BRISK
from lumiban_sim.world import Piece

if TYPE_CHECKING:
    from lumiban_sim.rig import Rig

SWEEP_US = 2_000_000
"""A toddler puts all pieces within so long, and takes half of them within so long again."""
WATCHDOG_US = 2_000_000
"""A chip whose firmware hangs starts anew after so long."""
FIRST_TOUCH_US = 700_000
"""A hand takes so long to come."""


class Acts:
    """Makes the faults of `plan` happen. Times are the world's; call `advance` as time goes."""

    def __init__(self, rig: Rig, world: FaultyWorld, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.happened: list[tuple[int, str]] = []
        """(µs, what) of all that began or ended, in order."""
        self.for_host: list[Fault] = []
        """Faults of the host whose time has come; who makes them clears the list."""
        self.plug: Callable[[bool], None] = self._plug_pipe
        """Puts the USB cable in, or pulls it."""
        self._rig = rig
        self._world = world
        self._seed = seed
        self._coming = list(plan.faults)
        self._holding: list[Fault] = []
        self._pieces: dict[Fault, Piece] = {}

    @property
    def active(self) -> tuple[Fault, ...]:
        """The faults that hold now."""
        return tuple(self._holding)

    def next_deadline(self) -> int:
        """When a fault begins or ends next; FOREVER when none does."""
        soonest = self._coming[0].at_us if self._coming else FOREVER
        return min([soonest, *(fault.until_us for fault in self._holding)])

    def advance(self, now_us: int) -> None:
        """Begin and end what is due."""
        for fault in [f for f in self._holding if f.until_us <= now_us]:
            self._holding.remove(fault)
            self.happened.append((now_us, f"over: {fault.text}"))
            self._end(fault, now_us)
        while self._coming and self._coming[0].at_us <= now_us:
            fault = self._coming.pop(0)
            self.happened.append((now_us, fault.text))
            if fault.name in OF_HOST:
                self.for_host.append(fault)
                continue
            if fault.name == "hang":
                fault = replace(fault, until_us=now_us + WATCHDOG_US)
            if fault.name not in ("toddler", "reset"):
                self._holding.append(fault)
            self._begin(fault, now_us)

    def end_all(self) -> None:
        """All is mended now, and nothing else will happen."""
        now_us = self._rig.now_us
        self._coming.clear()
        for fault in self._holding:
            self.happened.append((now_us, f"over: {fault.text}"))
            self._end(fault, now_us)
        self._holding.clear()

    def add(self, fault: Fault) -> None:
        """One more fault, not planned before."""
        self._coming.append(fault)
        self._coming.sort(key=lambda one: one.at_us)

    # One fault.

    def _begin(self, fault: Fault, now_us: int) -> None:
        rig, world = self._rig, self._world
        if fault.name == "reset":
            rig.reset()
        elif fault.name == "hang":
            rig.chip.hangs = True
        elif fault.name == "unplug":
            self.plug(False)
        elif fault.name == "stall":
            rig.pipe.stalled = True
        elif fault.name == "noisy":
            odds = fault.args[0] / 200
            for way, seed in (("to_host_faults", 1), ("to_board_faults", 2)):
                spoilt = LineFaults(2 * self._seed + seed, drop=odds, corrupt=odds)
                setattr(rig.pipe, way, spoilt)
        elif fault.name == "toddler":
            self._toddler(int(fault.args[0]), now_us)
        elif not self._begin_on_pieces(fault, now_us):
            world.breaks(fault, now_us)

    def _begin_on_pieces(self, fault: Fault, now_us: int) -> bool:
        """Whether it was a fault of what lies on the board; it is none where nothing lies."""
        world = self._world
        there = world.topmost(fault.cell) if fault.args else None
        piece: Piece | None = None
        if fault.name == "stacked":
            piece = world.stand(int(fault.args[1]), fault.cell, now_us) if there else None
        elif fault.name == "between":
            one, other, kind = map(int, fault.args)
            piece = world.between(one, other, kind, now_us)
        elif fault.name == "foreign":
            piece = world.foreign(fault.cell, now_us)
        elif fault.name == "displaced" and there:
            there_now = there.at(now_us)
            world.push(there, there_now.x + fault.args[1], there_now.y, now_us)
            piece = there
        elif fault.name == "flipped" and there:
            world.turn(there, now_us)
            piece = there
        elif fault.name == "weak" and there:
            world.weaken(there, max(fault.args[1] / 100, 1e-6), now_us)
            piece = there
        elif fault.name not in ("displaced", "flipped", "weak"):
            return False
        if piece is not None:
            self._pieces[fault] = piece
        return True

    def _end(self, fault: Fault, now_us: int) -> None:
        rig, world = self._rig, self._world
        if fault.name == "hang":
            rig.chip.reset(BY_WATCHDOG)
        elif fault.name == "unplug":
            self.plug(True)
        elif fault.name == "stall":
            rig.pipe.stalled = False
        elif fault.name == "noisy":
            rig.pipe.to_host_faults = rig.pipe.to_board_faults = None
        elif fault in world.broken:
            world.mends(fault, now_us)
        else:
            piece = self._pieces.pop(fault, None)
            if piece is not None and piece.number in world.pieces and not piece.held:
                self._mend_piece(fault, piece, now_us)

    def _mend_piece(self, fault: Fault, piece: Piece, now_us: int) -> None:
        world = self._world
        if fault.name in ("stacked", "between", "foreign"):
            world.vanish(piece, now_us)
        elif fault.name == "flipped":
            world.turn(piece, now_us)
        elif fault.name == "weak":
            world.weaken(piece, 1.0 / max(fault.args[1] / 100, 1e-6), now_us)
        elif piece.cell >= 0:
            middle = world.profile.cells[piece.cell]
            world.push(piece, middle.x_mm, middle.y_mm, now_us)

    def _plug_pipe(self, plugged: bool) -> None:
        self._rig.pipe.unplugged = not plugged

    def _toddler(self, count: int, now_us: int) -> None:
        """Many pieces within two seconds; then half of them, and of what stood there, are gone."""
        rig = self._rig
        dice = random.Random(f"toddler {self._seed} {now_us}")
        taken = {piece.cell for piece in rig.world.pieces.values()}
        free = [cell for cell in range(len(rig.profile.cells)) if cell not in taken]
        dice.shuffle(free)
        swept_us = now_us + FIRST_TOUCH_US + SWEEP_US
        for number, cell in enumerate(free[:count]):
            hand = f"toddler {number}"
            touch = now_us + FIRST_TOUCH_US + dice.randrange(SWEEP_US)
            kind = dice.choice((WHITE, BLACK, NEUTRAL))
            rig.hands.place(cell, kind, hand=hand, touch_us=touch, tempo=BRISK)
            if number % 2:
                rig.hands.lift(cell, hand=hand, at_us=swept_us + dice.randrange(SWEEP_US))
