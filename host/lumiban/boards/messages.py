"""The messages of the wire as one declared table: name, number, direction, fields, units, since.

From it come docs/wire.md's tables, the suite of `pytest_lumiban`, and a codec that knows nothing of
the hand-unrolled half of one on the chip (`lumiban_fw.wire`): a test holds each against the other
for every message and field. Numbers themselves stand in `lumiban_fw.wire` only.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from lumiban_fw import wire

SIZES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i"}
"""Letters of `struct` for the types of the document; `bytes n` is n bytes as they are."""


Tail = Sequence[int | bytes | Sequence[int | bytes]]
"""What a message repeats: groups of numbers, or plain numbers or bytes where a group is one."""


@dataclass(frozen=True)
class Field:
    """One number of a message, in the order of its bytes.

    `unit` is what it counts, "" of plain numbers. `since` is the minor version that first sent it,
    `absent` what it means when an older side leaves it out.
    """

    name: str
    kind: str
    meaning: str = ""
    unit: str = ""
    since: int = 0
    absent: int = 0

    @property
    def letters(self) -> str:
        """Its type as `struct` wants it.

        >>> Field("uid", "bytes 8").letters
        '8s'
        """
        if self.kind.startswith("bytes "):
            return self.kind.removeprefix("bytes ") + "s"
        return SIZES[self.kind]


@dataclass(frozen=True)
class Code:
    """A value of a message's first field that has a name of its own."""

    value: int
    name: str
    meaning: str


@dataclass(frozen=True)
class Unpacked:
    """A payload taken apart: its fields by name, and what is repeated behind them."""

    values: Mapping[str, int | bytes]
    tail: tuple[tuple[int | bytes, ...], ...]

    @property
    def fields(self) -> tuple[Any, ...]:
        """The fields in the order of their bytes."""
        return tuple(self.values.values())

    @property
    def column(self) -> list[Any]:
        """What is repeated, where it is one number each."""
        return [one for (one,) in self.tail]

    def number(self, name: str) -> int:
        """A field that is a number; KeyError when there is none of this name."""
        return int(self.values[name])


@dataclass(frozen=True)
class Message:
    """One type of frame: its fields, then `least` to `most` times those of `tail`.

    `notes` stand below its table in the document, `codes` in a table of their own.
    """

    number: int
    name: str
    sentence: str
    fields: tuple[Field, ...] = ()
    tail: tuple[Field, ...] = ()
    most: int = 0
    least: int = 0
    is_reliable: bool = False
    since: int = 0
    notes: str = ""
    codes: tuple[Code, ...] = ()

    @property
    def is_from_board(self) -> bool:
        """True for messages that boards send."""
        return bool(self.number & wire.FROM_BOARD)

    @cached_property
    def _head(self) -> struct.Struct:
        return _wire_struct(self.fields)

    @cached_property
    def _group(self) -> struct.Struct:
        return _wire_struct(self.tail)

    @property
    def size(self) -> int:
        """Bytes of the fields, without what is repeated."""
        return self._head.size

    def pack(
        self,
        values: Iterable[int | bytes] = (),
        tail: Tail = (),
    ) -> bytes:
        """The payload of these fields, in their order; ValueError when one does not fit.

        Of a time of 64 bits its low half is sent. Where one number is repeated, `tail` may be
        plain numbers, or bytes.
        """
        if not self.least <= len(tail) <= self.most:
            raise ValueError(f"{self.name}: {self.least} to {self.most} of {_names(self.tail)}")
        try:
            known = zip(self.fields, values, strict=True)
            packed = self._head.pack(*(_low(field, value) for field, value in known))
            groups = ((one,) if isinstance(one, int) else one for one in tail)
            return packed + b"".join(self._group.pack(*group) for group in groups)
        except struct.error as error:
            raise ValueError(f"{self.name}: {error}") from None

    def unpack(self, payload: bytes) -> Unpacked:
        """A payload taken apart: of this minor version, of an older one, or of a later one that
        added bytes. ValueError when it is shorter than the message ever was, or repeats too few.
        """
        known, packing = self.fields, self._head
        while packing.size > len(payload):
            if not known or known[-1].since <= self.since:
                raise ValueError(f"{self.name}: short")
            known = tuple(field for field in known if field.since < known[-1].since)
            packing = _wire_struct(known)
        names = (field.name for field in known)
        values = dict(zip(names, packing.unpack_from(payload), strict=True))
        values |= {field.name: field.absent for field in self.fields[len(known) :]}
        groups: list[tuple[int | bytes, ...]] = []
        at, step = packing.size, self._group.size
        while step and at + step <= len(payload) and len(groups) < self.most:
            groups.append(self._group.unpack_from(payload, at))
            at += step
        if len(groups) < self.least:
            raise ValueError(f"{self.name}: empty")
        return Unpacked(values, tuple(groups))


def _wire_struct(fields: Iterable[Field]) -> struct.Struct:
    return struct.Struct("<" + "".join(field.letters for field in fields))


def _low(field: Field, value: int | bytes) -> int | bytes:
    """A `u32` time is the low half of a time."""
    is_time = field.kind == "u32" and field.unit == "µs"
    return value & 0xFFFFFFFF if is_time and isinstance(value, int) else value


def _names(fields: Iterable[Field]) -> str:
    return ", ".join(field.name for field in fields)


KEYS = (
    Code(
        wire.CFG_BRIGHTNESS,
        "BRIGHTNESS",
        "0 to 255, linear in light; 64 after power-on. Takes effect at once, without a COMMIT, and "
        "holds until the next CFG or a reset, also across sessions",
    ),
    Code(
        wire.CFG_INJECT,
        "INJECT",
        "1: the board reads what INJECT says, not its sensors; 0: its sensors again; 0 after "
        "power-on",
    ),
    Code(
        wire.CFG_MASK, "MASK", "cell to ignore until UNMASK or reset: an event sets its kind to 7"
    ),
    Code(wire.CFG_UNMASK, "UNMASK", "cell to read again: an event says what it holds"),
)
REFUSALS = (
    Code(wire.NAK_SHORT, "SHORT", "shorter than its layout"),
    Code(wire.NAK_UNKNOWN, "UNKNOWN", "a type that this board does not know"),
    Code(
        wire.NAK_BUSY,
        "BUSY",
        "not now: INJECT without CFG INJECT, FILE_DATA without FILE_BEGIN, FILE_BEGIN of a program "
        "or manifest while the running program is on trial",
    ),
    Code(wire.NAK_FULL, "FULL", "too many are waiting already"),
    Code(wire.NAK_VALUE, "VALUE", "a number out of range"),
    Code(wire.NAK_FILE, "FILE", "bytes at the wrong offset, or no complete program to start"),
    Code(wire.NAK_STORE, "STORE", "the board has no store, or it failed"),
)
FAULTS = (
    Code(
        wire.FAULT_REFERENCE,
        "REFERENCE",
        "channel 15 of row `where` is not at half scale: a mux, the ADC or the strip's cable. "
        "Its cells keep their last kind until it recovers",
    ),
    Code(
        wire.FAULT_BROWN_OUT,
        "BROWN_OUT",
        "all baselines moved together: nothing counts as a move until they have been normal "
        "for 30 ms; `where` 0",
    ),
    Code(wire.FAULT_VERSION, "VERSION", "this board speaks major version `where`"),
    Code(
        wire.FAULT_CALIBRATION,
        "CALIBRATION",
        "the stored calibration is damaged (`where` 0) or belongs to another board (1); the "
        "profile's values apply",
    ),
    Code(
        wire.FAULT_DRIFT,
        "DRIFT",
        "the baseline of cell `where` is more than 3 mT away from its calibration: calibrate again",
    ),
    Code(
        wire.FAULT_STUCK,
        "STUCK",
        "the reading of cell `where` has not changed by one count for many seconds while "
        "others have",
    ),
    Code(
        wire.FAULT_MIRROR,
        "MIRROR",
        "a select line is broken: channels read alike in pairs. Line S(`where` mod 4) of row "
        "`where` div 4. No board sends it: the host infers it from a board's events "
        "(`boards/select_lines.py`)",
    ),
    Code(
        wire.FAULT_RAIL,
        "RAIL",
        "the 5 V rail is not as it should be: `where` in 0.1 V; light is halved. Under 3.8 V and "
        "above 5.5 V the strips have no power: then no STATE comes before it is right. Told again "
        "when it is 0.5 V worse",
    ),
    Code(
        wire.FAULT_ROLLED_BACK,
        "ROLLED_BACK",
        "the program in folder `where` (97 a, 98 b) did not start; the previous one is running",
    ),
    Code(
        wire.FAULT_LIGHTS,
        "LIGHTS",
        "the lights are off: what shows them has ended and is being started again; `where` 0. "
        "Only a board on a Pi's header sends it, which sends them by a thread of their own",
    ),
    Code(wire.FAULT_GONE, "GONE", "the fault of that code is over"),
)
MESSAGES = (
    Message(
        wire.H_HELLO,
        "HELLO",
        "",
        fields=(
            Field("major", "u8", "version of the host: 1"),
            Field("minor", "u8", "the latest that the host knows"),
            Field("session", "u32", "echoed by the board"),
        ),
    ),
    Message(
        wire.H_CLOCK,
        "CLOCK",
        "Asks for the board's time; eight in quick succession at first, then about one a "
        "second at an uneven period.",
        fields=(Field("token", "u32", "echoed by the board"),),
    ),
    Message(
        wire.H_BEAT,
        "BEAT",
        "",
        fields=(
            Field(
                "period_us", "u32", "time until the next one; the board does not use it", unit="µs"
            ),
        ),
    ),
    Message(
        wire.H_ACK,
        "ACK",
        "",
        fields=(Field("next", "u32", "the host has all events below this number"),),
    ),
    Message(
        wire.H_LAYER,
        "LAYER",
        "Stages lights `first`, `first` + 1 …",
        fields=(
            Field("layer", "u8", "0; frames for others are ignored"),
            Field("first", "u8", "light"),
        ),
        tail=(
            Field("palette", "u8", "index of the colour; 0 is black, from 64 on: black"),
            Field("effect", "u8", "how it moves; unknown ones are steady"),
        ),
        most=wire.LIGHTS_A_FRAME,
        is_reliable=True,
    ),
    Message(
        wire.H_PALETTE,
        "PALETTE",
        "Stages colours, in sRGB values.",
        fields=(Field("first", "u8", "index of the first colour; index 0 cannot be set"),),
        tail=(
            Field("r", "u8"),
            Field("g", "u8"),
            Field("b", "u8"),
        ),
        most=wire.COLOURS_A_FRAME,
        is_reliable=True,
    ),
    Message(
        wire.H_COMMIT,
        "COMMIT",
        "Everything staged appears at once. What is staged after a COMMIT belongs to the next one.",
        fields=(Field("at_us", "u32", "0; boards from minor version 4 on do not read it"),),
        is_reliable=True,
    ),
    Message(
        wire.H_CFG,
        "CFG",
        "",
        fields=(
            Field("key", "u8"),
            Field("value", "i32"),
        ),
        is_reliable=True,
        codes=KEYS,
    ),
    Message(
        wire.H_GET_STATE,
        "GET_STATE",
        "Asks for STATE now.",
    ),
    Message(
        wire.H_GET_FIELD,
        "GET_FIELD",
        "Asks for FIELD: raw readings, for calibration and self-test. Ends with the session.",
        fields=(
            Field("first", "u8", "cell"),
            Field("count", "u8", "how many cells; 0 stops"),
            Field("period_ms", "u16", "between two frames sent, at least 5; 0: once", unit="ms"),
        ),
    ),
    Message(
        wire.H_INJECT,
        "INJECT",
        "Readings in place of the sensors', from a board time on. Allowed only after CFG INJECT "
        "1, which makes all cells and references read 2048; otherwise NAK BUSY. Up to 32 may wait"
        " for their time; beyond that, NAK FULL; CFG INJECT forgets them. HELLO and STATE show "
        "that a board is injecting, and a host plays no ordinary game on it. What was injected "
        "lasts until another reading of its place, CFG INJECT or a reset: neither silence nor a "
        "new session ends it.",
        fields=(
            Field(
                "at_us", "u32", "board time of the first frame that reads them; 0: now", unit="µs"
            ),
            Field(
                "step_us",
                "u16",
                "0: the readings are those of cells `first`, `first` + 1 …, all at once; "
                "otherwise they are successive readings of cell `first`, each held for this "
                "time, and the last stays",
                unit="µs",
            ),
            Field("first", "u8", "cell; 240 + r: the reference of row r"),
        ),
        tail=(Field("reading", "u16", "count of the ADC, 0 to 4095", unit="counts"),),
        most=wire.READINGS_A_FRAME,
        least=1,
        is_reliable=True,
    ),
    Message(
        wire.H_IDENTIFY,
        "IDENTIFY",
        "Asks what the board is, for a host that never saw its profile: answered by IDENTITY or "
        "CELLS. Needs capability CAN_IDENTIFY; older boards ignore it.",
        fields=(
            Field(
                "first",
                "u8",
                "255: the board itself (IDENTITY); else the cell from which to tell (CELLS)",
            ),
        ),
        since=3,
    ),
    Message(
        wire.H_FILE_BEGIN,
        "FILE_BEGIN",
        "A file follows. A board receives one file at a time; a new FILE_BEGIN discards an "
        "unfinished one. See *Files and updates*.",
        fields=(
            Field(
                "what",
                "u8",
                "0 program · 1 `/board.bin` · 2 calibration · 3 manifest of a program · "
                "4 `/identity.bin` (since minor version 3)",
            ),
            Field("size", "u32", unit="bytes"),
            Field("sha256", "bytes 32", "of the whole file"),
        ),
        tail=(
            Field("name", "u8", "characters of the name, for a program's file only: `a–z 0–9 _ .`"),
        ),
        most=wire.FILE_NAME,
        is_reliable=True,
    ),
    Message(
        wire.H_FILE_DATA,
        "FILE_DATA",
        "The next bytes of the file. An offset other than the number of bytes stored so far is "
        "answered by NAK FILE. The board acknowledges once it has stored them.",
        fields=(Field("offset", "u32", "in the file", unit="bytes"),),
        tail=(Field("data", "u8"),),
        most=wire.FILE_BYTES,
        is_reliable=True,
    ),
    Message(
        wire.H_FILE_END,
        "FILE_END",
        "The file is complete: the board checks length and sum, keeps it, and answers FILE.",
        is_reliable=True,
    ),
    Message(
        wire.H_FILE_READ,
        "FILE_READ",
        "Asks for a part of `/board.bin`, of the calibration or of `/identity.bin`. A board that "
        "answers IDENTIFY may have no `/board.bin`: a host then takes the thresholds of ours. "
        "These files are shorter than 12 001 bytes: an offset at or beyond the end is answered "
        "with the size as offset and no data, which is why FILE_PART needs no more than a u16 for"
        " either.",
        fields=(
            Field("what", "u8", "1, 2 or 4"),
            Field("offset", "u32", unit="bytes"),
        ),
    ),
    Message(
        wire.H_BOOT,
        "BOOT",
        "Restarts the board, which sends nothing more in this session.",
        fields=(
            Field("magic", "u32", "0x544F4F42, else the frame is ignored"),
            Field(
                "how",
                "u8",
                "0 the same program · 1 the program in the other folder, on trial, if it "
                "matches its manifest (otherwise NAK FILE) · 2 the chip's own loader · 3 "
                "rescue · 4 MicroPython's prompt, once; a reset starts the board again",
            ),
        ),
        is_reliable=True,
    ),
    Message(
        wire.B_HELLO,
        "HELLO",
        "",
        fields=(
            Field("major", "u8"),
            Field("minor", "u8"),
            Field(
                "model",
                "bytes 8",
                "the first 8 letters of the profile's name, ASCII, filled with zeros; IDENTITY has "
                "it in full",
            ),
            Field("revision", "u8", "of the hardware"),
            Field("cells", "u8", "at most 239"),
            Field("lights", "u8"),
            Field(
                "firmware",
                "u32",
                "number of the program: below 16 777 216 (2²⁴) lumiban's own, from there on "
                "another's",
            ),
            Field("uid", "bytes 8", "of the chip"),
            Field("boot_id", "u32", "new after each reset"),
            Field("session", "u32", "as the host chose it; 0 before its first HELLO"),
            Field("now_us", "u64", unit="µs"),
            Field(
                "scan_hz",
                "u16",
                "sensor frames per second that the firmware processes, as measured; STATS "
                "keeps it up to date",
                unit="Hz",
            ),
            Field(
                "capabilities",
                "u16",
                "bit 0 CAN_ORDER: at least 500 frames a second · 1 CAN_INJECT · 2 IS_SIMULATED "
                "· 3 INJECTING · 4 CAN_UPDATE · 5 IN_RESCUE: only FILE frames and BOOT are "
                "followed · 6 CALIBRATED: a stored calibration holds · 7 unused · 8 "
                "CAN_FIELD · 9 CAN_IDENTIFY · 10 PRESENCE_ONLY: its sensors tell that a piece "
                "stands there and not which: every piece is told as kind 3",
            ),
            Field(
                "reset_cause", "u8", "1 power-on · 2 restarted by software, as by BOOT · 3 watchdog"
            ),
        ),
    ),
    Message(
        wire.B_CLOCK,
        "CLOCK",
        "",
        fields=(
            Field("token", "u32"),
            Field("rx_us", "u64", "when the request was read", unit="µs"),
            Field("turnaround", "u16", "from then until the answer was queued", unit="µs"),
        ),
    ),
    Message(
        wire.B_BEAT,
        "BEAT",
        "",
        fields=(
            Field("now_us", "u32", unit="µs"),
            Field("watermark_us", "u32", unit="µs"),
        ),
    ),
    Message(
        wire.B_ACK,
        "ACK",
        "The header says it.",
    ),
    Message(
        wire.B_NAK,
        "NAK",
        "A reliable frame arrived in order and cannot be carried out. It counts as received.",
        fields=(
            Field("kind", "u8", "type of that frame"),
            Field("seq", "u8", "its number"),
            Field("why", "u8"),
        ),
        codes=REFUSALS,
    ),
    Message(
        wire.B_EVENTS,
        "EVENTS",
        "When an event of the frame is older than 2³⁰ µs (18 minutes), the frame carries flag "
        "bit 3, AGED, and `base_us` counts units of 4096 µs (the low 32 bits of their number), "
        "so that even an event that has waited for days fits. A host drops a whole frame if its "
        "events lie before the board's power-on or more than 1.5 s after its present: either "
        "the frame is damaged or the host has the board's clock wrong, and the board will send "
        "it again.",
        fields=(
            Field("first", "u32", "number of the first event"),
            Field("base_us", "u32", "time of the first event", unit="µs"),
            Field("watermark_us", "u32", unit="µs"),
        ),
        tail=(
            Field("cell", "u8"),
            Field("kind", "u8"),
            Field("dt", "u16", "after `base_us`", unit="10 µs"),
            Field(
                "uncertainty",
                "u8",
                "255: 12.75 ms or more. A host that orders events must "
                "treat 255 as unknown: ours ties such an event with all within 400 ms",
                unit="50 µs",
            ),
        ),
        most=wire.EVENTS_A_FRAME,
        least=1,
    ),
    Message(
        wire.B_STATE,
        "STATE",
        "The board's belief in parts of 80 cells, every 500 ms and when asked. The parts of "
        "one STATE have equal `t_us` and `event` and are valid only together.",
        fields=(
            Field("t_us", "u32", unit="µs"),
            Field("event", "u32", "number of the next event"),
            Field("watermark_us", "u32", unit="µs"),
            Field(
                "flags",
                "u8",
                "bit 0 OVERFLOWED · bit 1 MOVING: a cell is not settled · bit 2 INJECTED: the "
                "board reads what INJECT says · bit 3 UPDATING: a file is being sent",
            ),
            Field("part", "u8"),
            Field("parts", "u8"),
        ),
        tail=(Field("kinds", "u8", "bits 3 to 0: cell 80 · part + 2k, bits 7 to 4: the next"),),
        most=wire.CELLS_A_STATE // 2,
        notes="The belief includes all *released* events with numbers below `event`, and nothing "
        "else: a change that a cell already shows but that has not been released is not in it. "
        "So a host that starts with a STATE continues with the event of that number, and a "
        "host that has all events below `event` must hold the same belief. If the board keeps "
        "reporting fewer events than the host has taken, some of those were not the board's "
        "own: after 1.5 s the host adopts the board's belief. A single such STATE is an old "
        "frame that arrived twice.",
    ),
    Message(
        wire.B_STATS,
        "STATS",
        "Sent every 5 s. Boards of minor version 0 send the first 16 bytes, those of minor version "
        "1 the first 29.",
        fields=(
            Field(
                "worst_gap_us",
                "u32",
                "longest gap between two sensor frames since the last STATS; 0: not measured",
                unit="µs",
            ),
            Field("crc_errors", "u16", "damaged frames received since power-on"),
            Field("drops", "u16", "frames dropped before sending, or too short on arrival"),
            Field("heap", "u32", "free bytes; 0: not measured", unit="bytes"),
            Field("rail_mv", "u16", "5 V rail; 0: not measured", unit="mV"),
            Field(
                "limited",
                "u16",
                "of the requested light that the current limit allows; 100: all",
                unit="%",
            ),
            Field(
                "worst_tick_us",
                "u32",
                "longest pass of the main loop since the last STATS; 0: not measured",
                unit="µs",
                since=1,
            ),
            Field("resent", "u16", "EVENTS frames sent again since power-on", since=1),
            Field("late", "u16", "events with LATE", since=1),
            Field(
                "unsure",
                "u16",
                "motions recorded without a trace, because more than 16 happened at a time",
                since=1,
            ),
            Field("waiting", "u16", "unacknowledged events", since=1),
            Field(
                "strip",
                "u8",
                "the strip whose limit dims the light; 255: none, or the whole board's limit",
                since=1,
                absent=255,
            ),
            Field(
                "scan_hz",
                "u16",
                "sensor frames per second that the firmware processes, as in HELLO; measured "
                "over the last 2 s where possible",
                unit="Hz",
                since=2,
            ),
            Field(
                "missed",
                "u32",
                "sensor frames lost since power-on because the firmware was busy. An event "
                "that may lie in the gap carries that gap in its uncertainty",
                since=2,
            ),
        ),
    ),
    Message(
        wire.B_FAULT,
        "FAULT",
        "Sent when it happens. A fault that persists is repeated every 5 s, with STATS, and to "
        "each new session. If it is missing twice in a row, it is over and its GONE was lost.",
        fields=(
            Field("what", "u8"),
            Field("where", "u8", "cell or row"),
        ),
        codes=FAULTS,
    ),
    Message(
        wire.B_IDENTITY,
        "IDENTITY",
        "Answers IDENTIFY 255. A board that was given no `/identity.bin` says grid 0, the model "
        "as HELLO tells it, and knows no cells.",
        fields=(
            Field("grid", "u8", "1 hexagons, pointed at top and bottom · 2 squares · 0 not known"),
            Field("pitch_um", "u16", "middle of a cell to the middle of its neighbour", unit="µm"),
            Field("cells", "u8"),
            Field("lights", "u8"),
            Field("capabilities", "u32", "as in HELLO, with room for more"),
            Field("model", "bytes 16", "name of the profile in full, ASCII, filled with zeros"),
        ),
        tail=(Field("chip", "u8", "what the firmware runs on, in words, ASCII"),),
        most=wire.CHIP_LETTERS,
        since=3,
    ),
    Message(
        wire.B_CELLS,
        "CELLS",
        "Answers IDENTIFY with a cell: this cell and those after it; fewer than 4 at the end, "
        "none beyond it.",
        fields=(Field("first", "u8", "number of the first cell"),),
        tail=(
            Field("q", "i8", "column; of hexagons axial: east is q + 1, south-east is r + 1"),
            Field("r", "i8", "row, downwards"),
            Field("light", "u8", "under the cell"),
            Field("x", "i16", "of the middle, from the board's middle to the right", unit="20 µm"),
            Field("y", "i16", "likewise, down", unit="20 µm"),
            Field("name", "bytes 4", "ASCII, filled with zeros"),
        ),
        most=wire.PLACES_A_FRAME,
        since=3,
    ),
    Message(
        wire.B_FIELD,
        "FIELD",
        "Raw readings of one scan, as requested by GET_FIELD. The frames of one scan have "
        "equal `t_us`; the references of all rows come last. When the line is full, a whole "
        "scan is left out.",
        fields=(
            Field("t_us", "u32", unit="µs"),
            Field("first", "u8", "cell; 240 + r: reference of row r"),
        ),
        tail=(Field("reading", "u16", "count of the ADC", unit="counts"),),
        most=wire.READINGS_A_FRAME,
        least=1,
    ),
    Message(
        wire.B_FILE,
        "FILE",
        "Answers FILE_BEGIN and FILE_END.",
        fields=(
            Field("what", "u8", "as in FILE_BEGIN"),
            Field(
                "status",
                "u8",
                "0 in transfer · 1 kept · 2 wrong length or sum · 3 refused: not a file of "
                "this kind, or not for this board · 4 the store failed",
            ),
            Field("received", "u32", unit="bytes"),
        ),
    ),
    Message(
        wire.B_FILE_PART,
        "FILE_PART",
        "Answers FILE_READ. A missing file has size 0.",
        fields=(
            Field("what", "u8"),
            Field("offset", "u16", unit="bytes"),
            Field("size", "u16", "of the whole file", unit="bytes"),
        ),
        tail=(Field("data", "u8"),),
        most=wire.FILE_BYTES,
    ),
)

BY_NUMBER = {message.number: message for message in MESSAGES}


def message(number: int) -> Message:
    """The message of this number; ValueError when the wire has none.

    >>> message(wire.H_CFG).name
    'CFG'
    """
    if number not in BY_NUMBER:
        raise ValueError(f"no message 0x{number:02X}")
    return BY_NUMBER[number]


def packed(
    number: int,
    *values: int | bytes,
    tail: Tail = (),
) -> bytes:
    """The payload of a message with these fields.

    >>> packed(wire.H_CFG, wire.CFG_BRIGHTNESS, 64).hex()
    '0140000000'
    """
    return message(number).pack(values, tail)


def framed(
    number: int,
    *values: int | bytes,
    tail: Tail = (),
) -> bytes:
    """A whole frame that is not reliable, as it stands on the line."""
    return wire.frame(number, packed(number, *values, tail=tail))


def unpacked(number: int, payload: bytes) -> Unpacked:
    """The fields of a payload; ValueError when it is none of this message.

    >>> unpacked(wire.B_FAULT, bytes([wire.FAULT_STUCK, 7])).fields
    (6, 7)
    """
    return message(number).unpack(payload)


def events_base(low: int, flags: int, near_us: int) -> int:
    """The full time of an EVENTS frame's `base_us`, by the frame's flags.

    >>> events_base(7, wire.AGED, 2**41)
    28672
    """
    if flags & wire.AGED:
        return wire.widen(low, near_us // wire.AGED_US) * wire.AGED_US
    return wire.widen(low, near_us)


def unpack_events(payload: bytes) -> tuple[int, int, int, list[tuple[int, int, int, int]]]:
    """(first number, base_us, watermark_us, [(cell, kind, dt_us, uncertainty_us)]) of EVENTS."""
    events = unpacked(wire.B_EVENTS, payload)
    first, base, watermark = events.fields
    told = [
        (cell, kind, dt * wire.EVENT_STEP_US, unsure * wire.UNSURE_STEP_US)
        for cell, kind, dt, unsure in cast("tuple[tuple[int, ...], ...]", events.tail)
    ]
    return first, base, watermark, told


def unpack_state(payload: bytes) -> tuple[int, int, int, int, int, int, bytes]:
    """(t_us, event, watermark_us, flags, part, parts, kinds) of STATE; kinds may hold one spare
    cell."""
    state = unpacked(wire.B_STATE, payload)
    t_us, event, watermark, flags, part, parts = state.fields
    kinds = bytes(half for byte in state.column for half in (byte & 15, byte >> 4))
    return t_us, event, watermark, flags, part, parts, kinds
