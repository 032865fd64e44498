"""The board: senses, lights and link, moved on by `tick`."""

import gc
from array import array

from lumiban_fw import wire
from lumiban_fw.buttons import Buttons
from lumiban_fw.events import NEVER, Release, Ring
from lumiban_fw.hal import Hal
from lumiban_fw.layout import Layout
from lumiban_fw.lights import Lights
from lumiban_fw.link import Link
from lumiban_fw.sense import Sense

FIRMWARE = 1
"""Number of this firmware."""
IDLE_US = 500_000
"""`tick` wants to be called at least so often: the watchdog must be fed."""
WRITE_US = 1_000
"""While frames wait for room on the line."""

Event = "tuple[int, int, int, int]"


class Board:
    """One board on its hardware. Call `tick` at the time it returned, or when bytes arrive.

    `belief` is the kind of every cell as the released events tell it.
    """

    def __init__(self, hal: Hal) -> None:
        self.layout = Layout(hal.board_bin())
        self.sense = Sense(self.layout)
        self.lights = Lights(self.layout)
        self.link = Link(hal)
        self.ring = Ring()
        self.belief = bytearray(self.sense.kinds)
        self.host_lost = False
        self._hal = hal
        self._release = Release()
        self._buttons = Buttons()
        # Two sets: the senses compare a frame with the one before it.
        self._counts = array("H", [0] * self.layout.cells)
        self._references = array("H", [0] * self.layout.rows)
        self._spare_counts = array("H", [0] * self.layout.cells)
        self._spare_references = array("H", [0] * self.layout.rows)
        self._frame_us = 1_000_000 // self.layout.scan_hz
        self._last_frame_us = 0
        self._beliefs = False
        self._watermark_us = 0
        self._state_us = NEVER
        self._beat_us = NEVER
        self._stats_us = NEVER
        self._introduce_us = 0

    def quiet(self) -> bool:
        """Whether equal readings from now on would make no event: time may be skipped."""
        return (
            self._beliefs
            and self.sense.quiet()
            and self._release.empty()
            and self._buttons.held_us < 0
        )

    def tick(self, now_us: int) -> int:
        """Do all that is due; return the time (µs) of the next call at the latest."""
        hal = self._hal
        for kind, flags, seq, _, payload in self.link.poll():
            if self.link.accept(kind, flags, seq, now_us):
                try:
                    self._follow(kind, flags, payload, now_us)
                except ValueError:
                    self.link.drops += 1  # too short for its type: as good as not sent
            elif self.link.session < 0 and now_us >= self._introduce_us:
                # A host that does not know that the board was reset.
                self._introduce_us = now_us + wire.STATE_US
                self._send_hello(0, now_us)
        self._scan(now_us)
        if self.link.session >= 0:
            self._speak(now_us)
        if now_us >= self.lights.due_us():
            rgb = self.lights.tick(now_us)
            if rgb is not None:
                hal.show(rgb)
        self.link.write()
        hal.feed()
        return self._deadline(now_us)

    def _deadline(self, now_us: int) -> int:
        due = now_us + IDLE_US
        if not self.quiet():
            # A frame that is overdue is looked for more often, but not without pause.
            frame = self._last_frame_us + self._frame_us
            due = min(due, max(frame, now_us + self._frame_us // 4))
        due = min(due, self.lights.due_us())
        if self.link.backlog():
            due = min(due, now_us + WRITE_US)
        elif self.link.session >= 0 and not self.host_lost:
            due = min(due, self.ring.due_us())
        if self.link.session >= 0 and not self.host_lost:
            due = min(due, self._beat_us, self._stats_us, self.link.heard_us + wire.SILENCE_US)
            if self._beliefs:
                due = min(due, self._state_us)
        return max(due, now_us + 1)

    # What the senses say.

    def _scan(self, now_us: int) -> None:
        sense = self.sense
        t_us = self._hal.scan(self._counts, self._references)
        if t_us >= 0:
            self._last_frame_us = t_us
            sense.frame(t_us, self._counts, self._references)
            self._counts, self._spare_counts = self._spare_counts, self._counts
            self._references, self._spare_references = self._spare_references, self._references
            if sense.found:
                for event in sense.found:
                    self._release.add(event)
                sense.found = []
        for event in self._buttons.look(self._hal.buttons(), now_us):
            self._release.add(event)
        mark = sense.watermark_us
        held = self._buttons.held_us
        if 0 <= held < mark:
            mark = held
        if mark > self._watermark_us:
            self._watermark_us = mark
        if not self._beliefs and sense.ready:
            self._beliefs = True
            self.belief[:] = sense.kinds
            self._greet()
        if not self._release.empty():
            for event in self._release.leave(self._watermark_us):
                self.ring.add(event)
                if event[1] < self.layout.cells:
                    self.belief[event[1]] = event[2] & wire.KIND
                    self._greet()

    def _greet(self) -> None:
        if self.link.session < 0:
            self.lights.show_hello(self.belief)

    # What the board says.

    def _speak(self, now_us: int) -> None:
        link = self.link
        if now_us - link.heard_us >= wire.SILENCE_US:
            if not self.host_lost:
                self.host_lost = True
                link.hush()
                self.lights.show_lost()
            return
        if self.host_lost:
            self.host_lost = False
            self.lights.show_live()
            self.ring.restart()
            self._state_us = self._beat_us = self._stats_us = now_us
        for what, where in self.sense.faults:
            link.send(wire.B_FAULT, wire.pack_fault(what, where))
        if self.sense.faults:
            self.sense.faults = []
        if self._beliefs and now_us >= self._state_us:
            self._send_state(now_us)
        if now_us >= self._beat_us:
            self._beat_us = now_us + wire.BEAT_US
            link.send(wire.B_BEAT, wire.pack_board_beat(now_us, self._watermark_us))
        if now_us >= self._stats_us:
            self._stats_us = now_us + wire.STATS_US
            self._send_stats()
        if now_us >= self.ring.due_us() and link.backlog() < wire.WINDOW:
            for payload in self.ring.payloads(now_us, self._watermark_us):
                link.send(wire.B_EVENTS, payload)

    def _send_state(self, now_us: int) -> None:
        self._state_us = now_us + wire.STATE_US
        cells = self.layout.cells
        parts = (cells + wire.CELLS_A_STATE - 1) // wire.CELLS_A_STATE
        flags = 0
        if self.ring.overflowed():
            flags |= wire.OVERFLOWED
        if self.sense.moving or self.sense.working():
            flags |= wire.MOVING
        for part in range(parts):
            first = part * wire.CELLS_A_STATE
            kinds = bytes(self.belief[first : first + wire.CELLS_A_STATE])
            self.link.send(
                wire.B_STATE,
                wire.pack_state(
                    now_us, self.ring.next, self._watermark_us, flags, part, parts, kinds
                ),
            )

    def _send_stats(self) -> None:
        free = gc.mem_free() if hasattr(gc, "mem_free") else 0
        self.link.send(
            wire.B_STATS,
            wire.pack_stats(
                self._hal.worst_gap_us(),
                self.link.errors,
                self.link.drops,
                free,
                self._hal.rail_mv(),
                self.lights.limited,
            ),
        )

    def _send_hello(self, session: int, now_us: int) -> None:
        hal = self._hal
        capabilities = hal.capabilities
        if hal.scan_hz >= wire.ORDER_HZ:
            capabilities |= wire.CAN_ORDER
        self.link.send(
            wire.B_HELLO,
            wire.pack_board_hello(
                self.layout.model,
                self.layout.revision,
                self.layout.cells,
                self.layout.lights,
                FIRMWARE,
                hal.uid,
                hal.boot_id,
                session,
                now_us,
                hal.scan_hz,
                capabilities,
                hal.reset_cause,
            ),
        )

    # What the host says.

    def _follow(self, kind: int, flags: int, payload: bytes, now_us: int) -> None:
        lights = self.lights
        if kind == wire.H_LAYER:
            layer, first, glows = wire.unpack_layer(payload)
            lights.layer(layer, first, glows)
        elif kind == wire.H_COMMIT:
            at = wire.unpack_u32(payload)
            lights.commit(now_us, wire.widen(at, now_us) if at else 0)
        elif kind == wire.H_MASK:
            layer, index, effect, which = wire.unpack_mask(payload)
            lights.mask(layer, index, effect, which)
        elif kind == wire.H_PALETTE:
            first, colours = wire.unpack_palette(payload)
            lights.palette(first, colours)
        elif kind == wire.H_ACK:
            self.ring.acknowledge(wire.unpack_u32(payload))
        elif kind == wire.H_CLOCK:
            token = wire.unpack_u32(payload)
            self.link.send(wire.B_CLOCK, wire.pack_board_clock(token, now_us, 0))
        elif kind == wire.H_GET_STATE:
            self._state_us = now_us
        elif kind == wire.H_CFG:
            key, value = wire.unpack_cfg(payload)
            if key == wire.CFG_BRIGHTNESS:
                lights.brightness(value)
        elif kind == wire.H_HELLO:
            self._hello(flags, payload, now_us)

    def _hello(self, flags: int, payload: bytes, now_us: int) -> None:
        major, _, session = wire.unpack_host_hello(payload)
        if major != wire.MAJOR or flags >> 4 != wire.MAJOR:
            self.link.send(wire.B_FAULT, wire.pack_fault(wire.FAULT_VERSION, wire.MAJOR))
            self._send_hello(session, now_us)
            return
        if session != self.link.session:  # else it came twice: answered, but nothing starts anew
            self.link.open(session)
            self.ring.restart()
            self._stats_us = now_us + wire.STATS_US
        self.link.heard_us = now_us
        self.host_lost = False
        self.lights.show_live()
        self._send_hello(session, now_us)
        self._state_us = self._beat_us = now_us
