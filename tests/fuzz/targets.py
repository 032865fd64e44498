"""What is fuzzed: readers of what others wrote. Each may refuse its input, and only by its own
errors; anything else that comes out of a target is a fault.

The wire's inputs are scripts of frames, not bytes on the line: a checksum would keep all mutations
out. `0x00–0x7F length payload` is a frame of that type, reliable if the length's bit 7 is set;
0xFE lets time go by, 0xFF sends what follows raw.
"""

from __future__ import annotations

import json
from binascii import crc32
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from lumiban.boards import profile
from lumiban.boards.link import Link
from lumiban.boards.messages import framed
from lumiban.boards.types import BoardTime, Changed, Snapshot
from lumiban.errors import LumibanError
from lumiban.flight import file
from lumiban.flight.replay import run as replay
from lumiban.table import record
from lumiban.table.resume import resume
from lumiban_fw import layout_file, wire
from lumiban_fw.framing import crc16
from lumiban_sim.faults import parse
from lumiban_sim.rig import Rig

HEX3 = profile.load("hex3")
LINES_A_LINK = 20_000
"""Bytes that a link may have waiting to be sent."""
FRAMES = 60
"""Frames of one script that are followed."""
RAW, LATER, RELIABLE = 0xFF, 0xFE, 0x80


def script(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """(type, payload, reliable) of each frame."""
    at = 0
    for _ in range(FRAMES):
        if at + 1 >= len(data):
            return
        kind, length = data[at], data[at + 1]
        most = 255 if kind == RAW else wire.MAX_PAYLOAD
        size = min(length & 0x7F, most)
        yield kind, data[at + 2 : at + 2 + size], bool(length & RELIABLE)
        at += 2 + size


def board(data: bytes) -> None:
    """A host says anything to a board: it never breaks, never writes without room, and its lights
    never draw more than they may."""
    rig = Rig(HEX3, 1, noise_ut=0)
    rig.advance(400_000)
    rig.from_host(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 7))
    rig.advance(420_000)
    seq = 0
    for kind, payload, reliable in script(data):
        if kind == RAW:
            rig.from_host(payload)
        elif kind == LATER:
            rig.advance(rig.now_us + 1000 * len(payload))
        else:
            flags = wire.RELIABLE if reliable else 0
            rig.from_host(wire.frame(kind & 0x7F, payload, flags, seq if reliable else 0))
            seq = (seq + reliable) & 0xFF
        rig.advance(rig.now_us + 2_000)
        rig.to_host()
        draws = sum(rig.light) / 255 * 20 + HEX3.lights
        assert draws <= HEX3.limit_ma + 1, f"the lights draw {draws} mA"
    rig.advance(rig.now_us + 30_000)


def link(data: bytes) -> None:
    """A board says anything to a host: events come once and in order, of cells that there are, and
    nothing grows without end."""
    machine = Link(HEX3, 7)
    now = 1_000_000
    machine.opened(now)
    machine.take_output()
    hello = (b"hex3\0\0\0\0", 1, 19, 19, 1, b"uid45678", 5, 7, 1_000, 1000, wire.CAN_ORDER, 1)
    events = machine.receive(wire.frame(wire.B_HELLO, wire.pack_board_hello(*hello)), now)
    boot = [5]
    expected: int | None = None
    skipped = 0
    for kind, payload, _ in script(data):
        now += 700
        if kind == LATER:
            now += 10_000 * len(payload)
            events = machine.poll(now)
        elif kind == RAW:
            events = machine.receive(payload, now)
        else:
            events = machine.receive(wire.frame(kind | 0x80, payload), now)
        events += machine.poll(now)
        for event in events:
            if isinstance(event, Changed):
                for one in event.events:
                    assert one.cell < 19 or one.cell >= 240, one
                    assert expected is None or one.number >= expected, (one, expected)
                    skipped += one.number - expected if expected is not None else 0
                    expected = one.number + 1
                    assert skipped <= machine.statistics.strange, "events were left out"
            elif isinstance(event, Snapshot):
                assert len(event.kinds) == 19
                expected = event.next_event
            elif isinstance(event, BoardTime):
                assert event.watermark_us <= event.now_us
            elif type(event).__name__ == "Connected":
                boot.append(event.hello.boot_id)  # type: ignore[union-attr]
                expected = None
        waiting = len(machine.take_output())
        assert waiting <= LINES_A_LINK, f"{waiting} bytes wait"
        machine.acknowledge(expected or 0)


def decoder(data: bytes) -> None:
    """However bytes are cut into pieces, the same frames come out."""
    whole, pieces = wire.Decoder(), wire.Decoder()
    all_at_once = whole.feed(data)
    one_by_one = []
    step = 1 + (data[0] % 7 if data else 0)
    for at in range(0, len(data), step):
        one_by_one += pieces.feed(data[at : at + step])
    assert all_at_once == one_by_one


def board_bin(data: bytes) -> None:
    """A board reads the description of itself, with its checksum made right."""
    good = data[:2000]
    with suppress(ValueError):
        layout_file.read(good + crc16(good).to_bytes(2, "little"))


def profile_file(data: bytes) -> None:
    _refuses(lambda: profile.read(data.decode("utf-8", "replace"), "my.toml"))


def plan_file(data: bytes) -> None:
    _refuses(lambda: parse(data.decode("utf-8", "replace"), HEX3))


def journal_file(data: bytes) -> None:
    """Lines of JSON, packed as a journal; one that begins with `!` goes in as it is."""
    lines: list[bytes] = []
    check, bodies = 0, data.split(b"\n")[:200]
    chained = b'"version":1' not in bodies[0]
    for number, one in enumerate(bodies, 1):
        if chained and number > 1:
            check = crc32(b"%d %s" % (number, one), check)
            packed = b"%08x %d %d %s" % (check, len(one), number, one)
        else:
            check = crc32(one)
            packed = b"%08x %d %s" % (check, len(one), one)
        lines.append(one[1:] if one.startswith(b"!") else packed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.journal"
        path.write_bytes(b"\n".join(lines) + b"\n")
        _refuses(lambda: resume(path))
        if path.exists():
            _refuses(lambda: resume(path))


def record_file(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.json"
        path.write_bytes(data)
        _refuses(lambda: record.verify(record.read(path)))


def flight(data: bytes) -> None:
    """Lines of JSON, packed as a recording, and run again."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "in" / "game.flight"
        lines = []
        for one in data.split(b"\n")[:400]:
            try:
                lines.append(json.loads(one))
            except (ValueError, RecursionError):
                lines.append(one.decode("utf-8", "replace"))
        out = file.FlightFile(path)
        try:
            out.write(lines)
        except (UnicodeError, RecursionError):
            return  # such lines are in no file
        finally:
            out.close()

        def again() -> None:
            read = file.Flight(path)
            replay(read.head, read.lines())

        _refuses(again)
        assert sorted(p.name for p in Path(folder).rglob("*")) == ["game.flight", "in"]


def flight_bytes(data: bytes) -> None:
    """Any bytes as a recording."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.flight"
        path.write_bytes(data)
        _refuses(lambda: list(file.Flight(path).lines()))


def _refuses(read: Callable[[], object]) -> None:
    try:
        read()
    except LumibanError as error:
        told = str(error)
        assert told
        assert "\n" not in told.strip() or len(told) < 2000, "an error is one line"


TARGETS = {
    "board": board,
    "link": link,
    "decoder": decoder,
    "board_bin": board_bin,
    "profile": profile_file,
    "plan": plan_file,
    "journal": journal_file,
    "record": record_file,
    "flight": flight,
    "flight_bytes": flight_bytes,
}
WORDS = {
    "journal": [
        b'"slide"',
        b'"way":[1,0]',
        b'"t":',
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"-1",
        b"1e999",
        b"\n",
        b"!",
    ],
    "record": [b"null", b"[]", b"{}", b'""', b"-1", b"1e999", b"true", b"[[[["],
    "flight": [b"null", b"[]", b"{}", b'""', b"-1", b"\n", b'["s",0,[],[],null]\n', b'"../x"'],
    "profile": [b"\n", b"[", b"]", b"=", b"nan", b"inf", b'"', b"{}", b"true", b"-1"],
    "plan": [b"at 1s ", b"for 1s ", b"\n", b"c3", b"stuck ", b"of row ", b"#"],
}
