"""The board: senses, lights and link, moved on by `tick`.

Inside, times are small numbers: µs since a moment that moves on every few minutes, so that the
chip allocates nothing for them. On the wire they are in full.
"""

import gc
from array import array

from lumiban_fw import wire
from lumiban_fw.effects import FRAME_US
from lumiban_fw.events import NEVER, Buttons, EventRing, Faults, ReorderBuffer
from lumiban_fw.hal import Hal
from lumiban_fw.lights import Lights
from lumiban_fw.link import Link
from lumiban_fw.motion import Baselines
from lumiban_fw.sense import CELLS_IN_PLAY, CELLS_PER_JUDGEMENT, JUDGE, LOOK, Sense
from lumiban_fw.supply import LOOK_US, Supply
from lumiban_fw.wire import Nak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.calibration import Calibration
    from lumiban_fw.field import Field
    from lumiban_fw.inject import Injected
    from lumiban_fw.layout import Layout
    from lumiban_fw.update import Receiver


IDLE_US = 500_000
"""`tick` wants to be called at least so often: the watchdog must be fed."""
CATCH_UP = 8
"""Frames that one turn takes in at least, if they wait: more would make it long."""
BEHIND_US = 14_000
"""While the last frame is older than this, one cell at rest is judged at a time: after power-on
all cells of a board come to rest together."""
WRITE_US = 1_000
"""While frames wait for room on the line."""
WORK_US = 250
"""While the time of an event is being worked out."""
TOLD_LATEST_US = 60_000
"""STATE and STATS wait for that, but no longer: both in a turn make it long."""
SHIFT_US = FRAME_US << 14
"""Times start again this much later (4.5 minutes) …"""
SHIFT_AT_US = 2 * SHIFT_US
"""… when they have come so far and nothing moves, or in any case …"""
SHIFT_MOST_US = 3 * SHIFT_US
"""… here, as soon as no event is being timed: all fit into the chip's small numbers."""
WRAP = (1 << 30) - 1
UP_US = 10_000_000
"""A program that has run for so long and was greeted has come up."""
ALONE_US = 3_000_000
"""A program that runs for so long, and no host is on the line: a start that does not count against
it. A host that cannot make itself understood would have sent something."""
LIGHT_AGAIN_US = 500_000
"""A picture is shown again so often: lights that were reset, or plugged in, have lost it."""
STRIPS_READY_US = 50_000
"""Strips that were switched on can be read by then: what still cannot is a fault."""
STRIPS_OFF, STRIPS_RISE, STRIPS_ON = 0, 1, 2
FIRMWARE = 3
"""Number of this firmware."""
SLOT = "slot"
CALIBRATION = "calibration.bin"
"""As update.py names them."""


class Board:
    """One board on its hardware. Call `tick` at the time it returned, or when bytes arrive.

    `belief` is the kind of every cell as the released events tell it. `restart` is -1 until BOOT
    says how to restart; `worst_tick_us` is for the main loop to fill in.
    """

    def __init__(self, hal: Hal) -> None:
        self.layout = hal.layout or self._described(hal)
        self.faults = Faults()
        self.calibrated = False
        self.sense = Sense(self.layout, Baselines(self.layout, self._calibration(hal)))
        self.sense.has_noise = not hal.capabilities & wire.PRESENCE_ONLY
        self.sense.steps = hal.steps
        self.lights = Lights(self.layout, hal.green_first)
        self.link = Link(hal)
        self.ring = EventRing()
        self.services = Services()
        self.belief = bytearray(self.sense.kinds)
        self.host_lost = False
        self.restart = -1
        self.worst_tick_us = 0
        self.late = 0
        self._hurries = self._hurried = False
        """True in a turn that only takes in frames, and if the last turn was one: two in a row
        would keep a host waiting that sends, or one that listens."""
        self.hal = hal
        self._epoch_us = 0
        self._epoch_low = 0
        self._release = ReorderBuffer()
        self._buttons = Buttons()
        # Two sets: the senses compare a frame with the one before it.
        cells, rows = [0] * self.layout.cells, [0] * self.layout.rows
        self._counts, self._spare_counts = array("H", cells), array("H", cells)
        self._references, self._spare_references = array("H", rows), array("H", rows)
        self._frame_us = 1_000_000 // self.layout.scan_hz
        self._last_frame_us = 0
        self._beliefs = False
        self._watermark_us = 0
        self._missed = 0
        self._state_us = self._beat_us = self._stats_us = NEVER
        self._part = self._told_us = 0
        """The next part of STATE, and the time that all its parts tell, in full."""
        self._talk_us = 0
        """Nothing is due to be said before, but what happens."""
        self._introduce_us = 0
        self._strips = STRIPS_OFF
        self._strips_us = 0
        self._supply = Supply(self.faults)
        self._supply_us = 0
        self._light_us = 0
        """Time in µs at which the picture is shown again."""
        self._up = False
        self._alone = True
        """True if no byte ever came."""

    @staticmethod
    def _described(hal: Hal) -> "Layout":
        from lumiban_fw.layout_file import read

        return read(hal.board_bin())

    def _calibration(self, hal: Hal) -> "Calibration | None":
        data = hal.load(CALIBRATION)
        if not data:
            return None
        from lumiban_fw.calibration import Calibration, CalibrationError

        try:
            told = Calibration(data, self.layout.model, hal.uid, self.layout.cells)
        except CalibrationError as error:
            self.faults.note(wire.FAULT_CALIBRATION, error.where)
            return None
        self.calibrated = True
        return told

    def full(self, t_us: int) -> int:
        """A time as the wire tells it: since power-on."""
        return self._epoch_us + t_us

    def quiet(self) -> bool:
        """True if equal readings from now on would make no event: time may be skipped."""
        calm = self.sense.quiet() and self._release.empty()
        return self._beliefs and calm and self._buttons.held_us < 0

    def tick(self, at_us: int) -> int:
        """Do all that is due; return the time (µs) of the next call at the latest.

        Times are the hal's: since power-on, or modulo 2³⁰ if it `wraps`.
        """
        now_us = self.turn(at_us)
        return at_us + self._deadline(now_us) - now_us

    def turn(self, at_us: int) -> int:
        """`tick` for a chip that has nothing else to do: the time inside, in place of the next."""
        hal = self.hal
        now_us = self._short(at_us)
        while now_us > SHIFT_AT_US and (
            self.quiet() or (now_us > SHIFT_MOST_US and not self.sense.working())
        ):
            self._shift()
            now_us -= SHIFT_US
        if self.link.poll():
            self._hear(now_us)
        self._hurried, self._hurries = self._hurries, False
        self._scan(now_us)
        if self._hurries:
            hal.feed()
            return now_us
        if self.link.session >= 0:
            self._speak(now_us)
        due_us = min(self.lights.due_us(), self._light_us)
        if now_us >= due_us and self._strips == STRIPS_ON and not hal.showing():
            rgb = self.lights.tick(now_us)
            if rgb is not None or now_us >= self._light_us:
                self._light_us = now_us + LIGHT_AGAIN_US
                hal.show(self.lights.shown() if rgb is None else rgb)
        self.link.write()
        sense = self.sense
        if sense.working():
            sense.work(hal.steps_left(sense.crowded()))
        if self.restart >= 0 and self.link.backlog() == 0:
            hal.restart(self.restart)
        hal.tidy(sense.moving > 0 or sense.working())
        hal.feed()
        return now_us

    def _short(self, at_us: int) -> int:
        wraps = self.hal.wraps
        return (at_us - self._epoch_low) & WRAP if wraps else at_us - self._epoch_us

    def _shift(self) -> None:
        """Let all times count from a later moment."""
        by = SHIFT_US
        self._epoch_us += by
        self._epoch_low = self._epoch_us & WRAP
        self.sense.shift(by)
        self.lights.shift(by)
        self.ring.shift(by)
        self.services.shift(by)
        self._buttons.shift(by)
        self.link.heard_us -= by
        self._last_frame_us -= by
        self._watermark_us -= by
        self._introduce_us = max(self._introduce_us - by, 0)
        self._supply_us = max(self._supply_us - by, 0)
        self._strips_us = max(self._strips_us - by, 0)
        self._light_us = max(self._light_us - by, 0)
        self._supply.shift(by)
        if self.link.session >= 0:
            self._state_us -= by
            self._beat_us -= by
            self._stats_us -= by
            self._talk_us = 0

    def _hear(self, now_us: int) -> None:
        self._alone = False
        for kind, flags, seq, _, payload in self.link.frames():
            if self.link.accept(kind, flags, seq, now_us):
                self._handle_frame(kind, flags, seq, payload, now_us)
            elif self.link.session < 0 and now_us >= self._introduce_us:
                # A host that does not know that the board was reset.
                self._introduce_us = now_us + wire.STATE_US
                self._send_hello(0, now_us)

    def _deadline(self, now_us: int) -> int:
        due = now_us + IDLE_US
        if self._strips != STRIPS_OFF and not self.quiet():
            # A frame that is overdue is looked for more often, but not without pause.
            frame = self._last_frame_us + self._frame_us
            due = min(due, max(frame, now_us + self._frame_us // 4))
        if self.sense.working():
            due = min(due, now_us + WORK_US)
        due = min(due, self.services.due_us())
        if self._strips == STRIPS_ON:
            due = min(due, self.lights.due_us(), self._light_us)
        else:
            due = min(due, self._supply_us)
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

    def _frame(self) -> bool:
        t_us = self.hal.scan(self._counts, self._references)
        if t_us < 0:
            return False
        self._take(self._short(t_us))
        return True

    def _take(self, t_us: int) -> None:
        """Take in the frame that was scanned, of this time."""
        self._last_frame_us = t_us
        services = self.services
        if services.injected is not None and services.injected.on:
            services.injected.put(t_us, self._counts, self._references)
        self.sense.frame(t_us, self._counts, self._references)
        self._counts, self._spare_counts = self._spare_counts, self._counts
        self._references, self._spare_references = self._spare_references, self._references

    def _burst(self, now_us: int) -> bool:
        """Take frames in by several at once; whether there were any."""
        sense = self.sense
        services = self.services
        left, done, hurries = CATCH_UP, JUDGE, False
        injected = services.injected if services.injects() else None
        # Bursts of injected readings end where these change: short ones are no sign of the last.
        least, at_most = 1 if injected else JUDGE, LOOK
        settles = CELLS_IN_PLAY if sense.ready else CELLS_PER_JUDGEMENT
        sense.settles = settles if now_us - self._last_frame_us < BEHIND_US else 1
        while sense.bursting() and (done > 0 if hurries else done >= least and left > 0):
            if injected:
                at_most = injected.prepare(self.hal, self._epoch_low)
            done = sense.burst(self.hal, self._epoch_low, at_most) if at_most else 0
            left -= done
            self._last_frame_us = sense.now_us
            if not (hurries or self._hurried) and self.hal.flooded():
                hurries = True
                sense.settles = 0  # judging a cell takes as long as ten frames
        self._hurries = hurries
        return left < CATCH_UP

    def _look_at_supply(self, now_us: int) -> None:
        """Switch the strips on or off as the supply allows, and dim the light."""
        self._supply_us = now_us + LOOK_US
        if self._alone and now_us >= ALONE_US:
            self._alone = False  # that was it
            if self.hal.load(SLOT)[2:3] not in (b"", b"0"):
                from lumiban_fw.update import stands

                stands(self.hal)
        hal, supply = self.hal, self._supply
        if not supply.look(hal.rail_mv(), hal.supply_good(), now_us):
            return
        self.sense.low_rail(supply.low)
        self.lights.dim(supply.low)
        if supply.usable == (self._strips != STRIPS_OFF):
            return
        if self._strips == STRIPS_ON:
            self.sense.hold_all()
        self._strips = STRIPS_RISE if supply.usable else STRIPS_OFF
        self._strips_us = now_us
        hal.power(supply.usable)

    def _rise(self, now_us: int) -> bool:
        """True if a frame shows that the strips are up: every reference reads half scale, or never
        will. That frame is the first that counts."""
        late = now_us - self._strips_us >= STRIPS_READY_US
        for _ in range(CATCH_UP):
            t_us = self.hal.scan(self._counts, self._references)
            if t_us < 0:
                return False
            if late or self.sense.are_sound(self._references):
                break
        else:
            return False
        t_us = self._short(t_us)
        if self._beliefs:
            self.sense.gaps.note(self._last_frame_us, t_us)
        self._strips = STRIPS_ON
        self._light_us = now_us
        self._take(t_us)
        return True

    def _scan(self, now_us: int) -> None:
        sense = self.sense
        if now_us >= self._supply_us:
            self._look_at_supply(now_us)
        if self._strips == STRIPS_ON or (self._strips == STRIPS_RISE and self._rise(now_us)):
            self._take_frames(now_us)
        elif not sense.working():
            sense.watermark_us = now_us  # nothing is sensed: what buttons say need not wait
        if sense.found:
            for found_us, cell, kind, uncertainty in sense.found:
                self._release.add((self.full(found_us), cell, kind, uncertainty))
            sense.found.clear()
        if sense.faults:
            self._look_at_supply(now_us)
            for what, where in sense.faults:
                if what != wire.FAULT_REFERENCE or self._strips == STRIPS_ON:
                    self.faults.note(what, where)
            sense.faults.clear()
        for at_us, cell, kind, uncertainty in self._buttons.look(self.hal.buttons(), now_us):
            self._release.add((self.full(at_us), cell, kind, uncertainty))
        mark = sense.watermark_us
        held = self._buttons.held_us
        if 0 <= held < mark:
            mark = held
        if mark > self._watermark_us:
            self._watermark_us = mark
        if not self._beliefs and sense.ready:
            self._beliefs = True
            self._talk_us = 0
            self.belief[:] = sense.kinds
            self._greet()
        if not self._release.empty():
            for event in self._release.leave(self.full(self._watermark_us)):
                self.ring.add(event)
                self._part = 0
                if event[2] & wire.LATE:
                    self.late += 1
                if event[1] < self.layout.cells:
                    self.belief[event[1]] = event[2] & wire.KIND
                    self._greet()

    def _take_frames(self, now_us: int) -> None:
        sense = self.sense
        before_us = self._last_frame_us
        if self.hal.bursts and self._burst(now_us):
            pass
        elif self._frame():
            # Frames that waited while the last turn took long: a picture never costs one.
            left = CATCH_UP
            while left and self.hal.pending() > 0 and self._frame():
                left -= 1
        field, t_us = self.services.field, self._last_frame_us
        waits = self._hurries or t_us == before_us or self.hal.flooded()
        if field and t_us >= field.due_us and not waits:
            field.tell(t_us, self.full(t_us), *sense.newest())
        missed = self.hal.missed
        if missed != self._missed:
            sense.gaps.note(before_us, before_us + (missed - self._missed + 1) * self._frame_us)
            self._missed = missed

    def tell_state(self, now_us: int) -> None:
        """Send STATE in this tick."""
        self._state_us = now_us - TOLD_LATEST_US
        self._talk_us = 0

    def _greet(self) -> None:
        if self.link.session < 0:
            self.lights.show_hello(self.belief)

    # What the board says.

    def _speak(self, now_us: int) -> None:
        link = self.link
        if now_us < self._talk_us and not self.faults.waiting and now_us < self.ring.due_us():
            return
        self._talk(now_us)
        due = link.heard_us + wire.SILENCE_US
        if not self.host_lost:
            due = min(due, self._beat_us, self._stats_us)
            if self._beliefs:
                due = min(due, self._state_us)
            if not self._up:
                due = min(due, now_us + wire.BEAT_US)
        else:
            due = 0  # every frame may be the host's first again
        self._talk_us = due

    def _talk(self, now_us: int) -> None:
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
        calm_us = now_us - TOLD_LATEST_US if self.sense.working() else now_us
        if self.faults.waiting:
            for what, where in self.faults.waiting:
                link.send(wire.B_FAULT, wire.pack_fault(what, where))
            self.faults.waiting.clear()
        if not self._up and (now_us >= UP_US or self._epoch_us):
            self._up = True
            self._confirm_program()
        if self._beliefs and calm_us >= self._state_us:
            self._send_state(now_us)
        if now_us >= self._beat_us:
            self._beat_us = now_us + wire.BEAT_US
            # Frames that ended since this turn began may have taken it beyond the turn's time.
            mark_us = min(self._watermark_us, now_us)
            link.send(wire.B_BEAT, wire.pack_board_beat(self.full(now_us), self.full(mark_us)))
        if calm_us >= self._stats_us:
            self._stats_us = now_us + wire.STATS_US
            self._send_stats()
        if now_us >= self.ring.due_us() and link.backlog() < wire.WINDOW:
            watermark = self.full(self._watermark_us)
            for payload, flags in self.ring.payloads(now_us, self.full(now_us), watermark):
                link.send(wire.B_EVENTS, payload, flags)

    def _send_state(self, now_us: int) -> None:
        """Send a part of STATE; the next one follows in the next turn, or at once when it is late.

        All parts are of one time and belief: when an event leaves between them it starts again.
        """
        cells = self.layout.cells
        parts = (cells + wire.CELLS_A_STATE - 1) // wire.CELLS_A_STATE
        flags = 0
        ring, sense = self.ring, self.sense
        if ring.overflowed():
            flags |= wire.OVERFLOWED
        if sense.moving or sense.working():
            flags |= wire.MOVING
        if self.services.injects():
            flags |= wire.INJECTED
        if self.services.updating():
            flags |= wire.UPDATING
        while True:
            part = self._part
            if part == 0:
                self._told_us = self.full(now_us)
            watermark = min(self.full(self._watermark_us), self._told_us)
            first = part * wire.CELLS_A_STATE
            kinds = self.belief[first : first + wire.CELLS_A_STATE]
            self.link.send(
                wire.B_STATE,
                wire.pack_state(self._told_us, ring.next, watermark, flags, part, parts, kinds),
            )
            self._part = part = (part + 1) % parts
            if part == 0:
                self._state_us = now_us + wire.STATE_US
            if part == 0 or now_us < self._state_us + TOLD_LATEST_US:
                return

    def _greeted(self, flags: int, payload: bytes, now_us: int) -> None:
        major, _, session = wire.unpack_host_hello(payload)
        if major != wire.MAJOR or flags >> wire.MAJOR_SHIFT != wire.MAJOR:
            self.link.send(wire.B_FAULT, wire.pack_fault(wire.FAULT_VERSION, wire.MAJOR))
            self._send_hello(session, now_us)
            return
        fresh = session != self.link.session
        if fresh:  # else it came twice: answered, but nothing restarts
            self.link.open(session)
            self.ring.restart()
            if self.services.field is not None:
                self.services.field.stop()  # a new host has not asked for raw readings
            self.faults.tell_again()
        if fresh:
            self._stats_us = now_us + wire.STATS_US
        self.link.heard_us = now_us
        self.host_lost = False
        self.lights.show_live()
        self._part = 0
        self._state_us = self._beat_us = now_us
        self._talk_us = 0
        self._send_hello(session, now_us)

    def capabilities(self) -> int:
        """Capabilities of the board, as HELLO and IDENTITY report them."""
        hal = self.hal
        can = hal.capabilities | wire.CAN_INJECT | wire.CAN_FIELD | wire.CAN_IDENTIFY
        if hal.stores:
            can |= wire.CAN_UPDATE
        if self.calibrated:
            can |= wire.CALIBRATED
        if self.services.injects():
            can |= wire.INJECTING
        if hal.scan_hz >= wire.ORDER_HZ:
            can |= wire.CAN_ORDER
        return can

    def _send_hello(self, session: int, now_us: int) -> None:
        """Send HELLO, the answer to one or without being asked."""
        hal, layout = self.hal, self.layout
        self.link.send(
            wire.B_HELLO,
            wire.pack_board_hello(
                layout.model,
                layout.revision,
                layout.cells,
                layout.lights,
                FIRMWARE,
                hal.uid,
                hal.boot_id,
                session,
                self.full(now_us),
                hal.scan_hz,
                self.capabilities(),
                hal.reset_cause,
            ),
        )

    # What the host says, and what the board does about it.

    def _handle_frame(self, kind: int, flags: int, seq: int, payload: bytes, now_us: int) -> None:
        """Follow one frame that counts; drop what cannot be followed, and refuse it if reliable."""
        lights = self.lights
        why = wire.NAK_SHORT
        try:
            if kind == wire.H_LAYER:
                layer, first, glows = wire.unpack_layer(payload)
                if layer == 0:
                    lights.stage(first, glows)
            elif kind == wire.H_COMMIT:
                wire.unpack_u32(payload)
                lights.commit()
            elif kind == wire.H_PALETTE:
                first, colours = wire.unpack_palette(payload)
                lights.palette(first, colours)
            elif kind == wire.H_ACK:
                self.ring.acknowledge(wire.unpack_u32(payload))
            elif kind == wire.H_BEAT:
                pass
            elif kind == wire.H_CLOCK:
                token = wire.unpack_u32(payload)
                told = wire.pack_board_clock(token, self.full(now_us), 0)
                self.link.send(wire.B_CLOCK, told)
            elif kind == wire.H_HELLO:
                self._greeted(flags, payload, now_us)
            elif kind == wire.H_GET_STATE:
                self.tell_state(now_us)
            else:
                from lumiban_fw.requests import follow

                if not follow(self, kind, payload, now_us):
                    raise Nak(wire.NAK_UNKNOWN)
            return
        except Nak as refused:
            why = refused.why
        except ValueError:
            self.link.drops += 1
        except MemoryError:
            gc.collect()
            self.link.drops += 1
            why = wire.NAK_FULL
        if flags & wire.RELIABLE:
            self.link.send(wire.B_NAK, wire.pack_nak(kind, seq, why))

    def _send_stats(self) -> None:
        """Send STATS, and what is wrong once more."""
        hal = self.hal
        self.faults.tell_again()
        self.link.send(
            wire.B_STATS,
            wire.pack_stats(
                hal.worst_gap_us(),
                self.link.errors,
                self.link.drops,
                hal.free_heap,
                hal.rail_mv(),
                self.lights.limited,
                self.worst_tick_us,
                self.ring.resent,
                self.late,
                self.sense.unsure,
                self.ring.next - self.ring.first,
                self.lights.strip,
                hal.scan_hz,
                hal.missed,
            ),
        )
        self.worst_tick_us = 0

    def _confirm_program(self) -> None:
        """The program runs and is greeted: keep it, and tell of one that was given up before."""
        hal = self.hal
        if hal.load(SLOT)[1:] in (b"", b"-0-"):
            return  # nothing on trial, nothing given up: update.py need not be loaded
        from lumiban_fw.update import came_up

        gone = came_up(hal)
        if gone != "-":
            self.faults.note(wire.FAULT_ROLLED_BACK, ord(gone))


# What a host may ask of a board beside play: raw fields, injected readings, files. Each is loaded
# when it is asked for first: in play their code takes no memory.


class Services:
    """The services of one board: None before one is asked for (requests.py makes them)."""

    def __init__(self) -> None:
        self.field: "Field | None" = None
        """Reporter of raw readings."""
        self.injected: "Injected | None" = None
        """Readings that replace the sensors'."""
        self.files: "Receiver | None" = None
        """Receiver of files."""

    def injects(self) -> bool:
        """True if the senses read what the host injects."""
        return self.injected is not None and self.injected.on

    def updating(self) -> bool:
        """True if a file is under way."""
        return self.files is not None and self.files.open

    def field_us(self) -> int:
        """Time in µs at which raw readings are due to be reported."""
        return NEVER if self.field is None else self.field.due_us

    def due_us(self) -> int:
        """Time in µs at which the next reading is reported or changes."""
        due = self.field_us()
        return due if self.injected is None else min(due, self.injected.due_us())

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        if self.field is not None:
            self.field.shift(by_us)
        if self.injected is not None:
            self.injected.shift(by_us)
