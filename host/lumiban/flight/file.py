"""Flight recordings as files: what is in them, how it is packed, and how it begins.

A file is a line `lumiban flight 1` and blocks: length u32, crc32 u32, data (little-endian). The
data of all blocks are one raw deflate stream, flushed at the end of each block. What comes after
the last whole block is a torn tail and not read.

Lines are JSON: what a session is given and what it gives, and the head, by which the table of the
beginning is made again (`head_of`, `of_new`, `of_resumed`). docs/link.md tells what they say.
"""

from __future__ import annotations

import json
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, BinaryIO, TypedDict, cast, get_args

import msgspec

from lumiban.boards import profile as profiles
from lumiban.boards.profile import Profile
from lumiban.errors import UsageError
from lumiban.games.base import Game, Move, Position
from lumiban.games.registry import loading
from lumiban.invocation import start_word
from lumiban.system import size_limits
from lumiban.table import resume, types
from lumiban.table.clocks import control_of
from lumiban.table.journal import SUFFIX
from lumiban.table.requests import fields_of, request_of
from lumiban.table.session import Session
from lumiban.table.types import AskBot, Finished, Input, Output, Publish, Settings, Show

FLIGHT_SUFFIX = ".flight"
VERSION = 1
_NAME = b"lumiban flight "
_BLOCK = struct.Struct("<II")
MAX_BYTES = 256_000_000
"""No recording of ours comes near it once unpacked; something else was named by mistake."""
MAX_BLOCK = 16_000_000
"""Bytes of a packed block; ours have some 10 000."""
UNPACKED = 65_536
"""Bytes that are unpacked at a time: what a few packed bytes become is never held as a whole."""
PIECE = 150_000
"""Letters of a journal in one line: that of a long game goes in by several."""
MAX_PIECES = 256


class FlightFile:
    """One recording open for writing; it is flushed to the system, never forced to the disk."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._pack = zlib.compressobj(6, zlib.DEFLATED, -15)
        self._file = path.open("xb", buffering=0)
        self.size = self._file.write(_NAME + b"%d\n" % VERSION)

    def write(self, lines: Iterable[Any]) -> None:
        """Write these JSON-ready lines as one block; OSError."""
        text = "".join(json_line(one) + "\n" for one in lines).encode()
        data = self._pack.compress(text) + self._pack.flush(zlib.Z_SYNC_FLUSH)
        self.size += self._file.write(_BLOCK.pack(len(data), zlib.crc32(data)) + data)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def json_line(value: Any) -> str:
    """One line of a recording, always the same for the same value.

    >>> json_line(["s", 12, {"b": 1, "a": "…"}])
    '["s",12,{"a":"…","b":1}]'
    """
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def is_flight(path: Path) -> bool:
    """True if a file begins like a recording; False where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_NAME)) == _NAME
    except OSError:
        return False


class FlightHead(TypedDict, total=False):
    """First line of a recording: what its table began with, as the types say when we wrote it.

    A table that went on from a journal has `journal`; one that began a game has the rest, from
    `game` to `seed`. `journal_pieces` stands for a journal in lines of its own.
    """

    flight: int
    lumiban: str
    at: str
    now_us: int
    hint: str
    session: int
    resume: list[int] | None
    settings: dict[str, Any]
    profile: str
    profile_text: str
    turn: int
    journal_name: str
    journal: str
    journal_pieces: int
    game: str
    clock: str
    options: dict[str, int | str]
    digest: str
    seats: list[str]
    seed: int


class Flight:
    """A recording that is read: its `head`, then `lines` (once); `torn` after those were read."""

    def __init__(self, path: Path) -> None:
        """UsageError when it cannot be read, is none, or is of a later version."""
        self.path = path
        self.torn = 0
        """Bytes at the end that are no whole block."""
        self._line = 0
        try:
            with path.open("rb") as file:
                first = file.readline(len(_NAME) + 20)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        version = first.rstrip(b"\n").removeprefix(_NAME)
        if not first.startswith(_NAME) or not version.isdigit():
            raise UsageError(f"{path} is not a lumiban flight recording")
        if int(version) > VERSION:
            raise UsageError(
                f"{path} is of version {int(version)}, this lumiban reads up to {VERSION}: "
                "update it"
            )
        self._lines = self._read(len(first))
        head = next(self._lines, None)
        if not isinstance(head, dict):
            raise UsageError(f"{path} holds no complete block: it was cut off at its start")
        self.head = _whole(cast("FlightHead", head), self.lines())

    def lines(self) -> Iterator[list[Any]]:
        """Recorded events in order; UsageError for a line of another kind."""
        for one in self._lines:
            if not isinstance(one, list) or not one or not isinstance(one[0], str):
                raise UsageError(f"{self.path} holds a line that no recording has: {one!r:.200}")
            yield one

    def _read(self, start: int) -> Iterator[Any]:
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(start)
                yield from self._parsed(self._texts(file, size))
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error.strerror}") from None

    def _texts(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        """The text of all whole blocks, a little at a time."""
        unpack = zlib.decompressobj(-15)
        while (at := file.tell()) < size:
            data = self._block(file, size)
            if data is None:
                self.torn = size - at
                return
            while data:
                try:
                    yield unpack.decompress(data, UNPACKED)
                except zlib.error:
                    self.torn = size - at
                    return
                data = unpack.unconsumed_tail

    def _parsed(self, texts: Iterator[bytes]) -> Iterator[Any]:
        total, rest = 0, b""
        for text in texts:
            total += len(text)
            if total > MAX_BYTES:
                raise self._no_recording(
                    f"has more than {size_limits.size_text(MAX_BYTES)} when unpacked"
                )
            *whole, rest = (rest + text).split(b"\n")
            for one in whole:
                self._line += 1
                try:
                    yield size_limits.from_json(one)
                except size_limits.Unreadable as error:
                    raise self._no_recording(f"{error} in line {self._line}") from None
            if len(rest) > size_limits.MAX_LINE:
                most = size_limits.size_text(size_limits.MAX_LINE)
                raise self._no_recording(f"has more than {most} in line {self._line + 1}")

    def _no_recording(self, what: str) -> UsageError:
        return UsageError(
            f"{self.path} {what}: it is not a lumiban recording, or is damaged; "
            f"`{start_word()} flight export` copies one as it was written"
        )

    def _block(self, file: BinaryIO, size: int) -> bytes | None:
        head = file.read(_BLOCK.size)
        if len(head) < _BLOCK.size:
            return None
        length, check = _BLOCK.unpack(head)
        if length > size - file.tell():
            return None
        if length > MAX_BLOCK:
            raise self._no_recording(f"has a block of more than {size_limits.size_text(MAX_BLOCK)}")
        data = file.read(length)
        return data if len(data) == length and zlib.crc32(data) == check else None


def in_lines(head: FlightHead) -> list[Any]:
    """A head as the lines of a recording: a journal that is too long for one goes into several."""
    journal = head.get("journal")
    if not isinstance(journal, str) or len(journal) <= PIECE:
        return [head]
    pieces = [journal[at : at + PIECE] for at in range(0, len(journal), PIECE)]
    first = {key: value for key, value in head.items() if key != "journal"}
    return [{**first, "journal_pieces": len(pieces)}, *(["journal", one] for one in pieces)]


def _whole(head: FlightHead, lines: Iterator[list[Any]]) -> FlightHead:
    """A head with its journal, as `in_lines` was given it."""
    pieces = head.get("journal_pieces")
    if not isinstance(pieces, int):
        return head
    if pieces > MAX_PIECES:
        raise UsageError("the recording's head is of a journal that no game of lumiban's has")
    journal = ""
    for _, one in zip(range(pieces), lines, strict=False):
        journal += str(one[1]) if one[0] == "journal" and len(one) == 2 else ""
    head = head.copy()
    del head["journal_pieces"]
    head["journal"] = journal
    return head


def flights(folder: Path) -> list[Path]:
    """The recordings in a folder, oldest first."""
    if not folder.is_dir():
        return []
    recordings = [path for path in folder.glob("*" + FLIGHT_SUFFIX) if path.is_file()]
    return sorted(recordings, key=lambda path: (path.stat().st_mtime_ns, path.name))


def make_room(folder: Path, room: int) -> None:
    """Remove the oldest recordings until those that stay take no more than `room` bytes."""
    left = 0
    for path in reversed(flights(folder)):
        left += path.stat().st_size
        if left > room:
            path.unlink(missing_ok=True)


_INPUT_TYPES: dict[str, Any] = {
    kind.__name__: kind for kind in get_args(Input) if kind.__module__ == types.__name__
}
"""Inputs that are no link events; those follow from the frames."""


def _input_line(item: Any) -> list[Any]:
    """An input's name and values; a command's request has its own name, then its fields."""
    if isinstance(item, types.Command):
        do, asked = fields_of(item.request)
        return ["Command", do, plain(asked), item.reply_to]
    return _line_of(item)


def _line_of(item: Any) -> list[Any]:
    """The name of an input or output, and its values."""
    return [type(item).__name__, *(plain(getattr(item, n)) for n in type(item).__match_args__)]


def plain(value: Any) -> Any:
    """A value as JSON: records with their class's name, moves as [side, text], games by name.

    >>> plain(types.Durable(4)), plain((Move(0, "c4"), frozenset({2, 1})))
    ({'is': 'Durable', 'record': 4}, [[0, 'c4'], [1, 2]])
    """
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Move):
        return [value.side, value.text]
    if isinstance(value, Game):
        return value.slug
    if isinstance(value, Position):
        return {"moves": len(value.history)}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(one) for one in value), key=json_line)
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    kind = type(value)
    if not hasattr(kind, "__match_args__"):
        return kind.__name__
    return {"is": kind.__name__, **{n: plain(getattr(value, n)) for n in kind.__match_args__}}


def told_inputs(inputs: Iterable[Any]) -> list[Any]:
    """Inputs of a step: counts of link events, which follow from the frames, and all others whole.

    >>> told_inputs([object(), object(), types.Durable(3), types.BotFailed(1, "gone")])
    [2, ['Durable', 3], ['BotFailed', 1, 'gone']]
    """
    out: list[Any] = []
    for item in inputs:
        if type(item).__name__ in _INPUT_TYPES:
            out.append(_input_line(item))
        elif out and isinstance(out[-1], int):
            out[-1] += 1
        else:
            out.append(1)
    return out


def read_input(data: Any) -> Input:
    """An input that is no link event, from its JSON; UsageError."""
    try:
        name, *values = data
        if name == types.Command.__name__:
            do, asked, reply_to = values
            return types.Command(request_of(str(do), dict(asked)), msgspec.convert(reply_to, int))
        kind = _INPUT_TYPES[name]
        given = dict(zip(kind.__match_args__, values, strict=True))
        item: Input = msgspec.convert(given, kind)
        return item
    except (TypeError, ValueError, KeyError, OverflowError):  # msgspec's own errors are ValueErrors
        raise UsageError(f"the recording holds an input that is unknown here: {data!r}") from None


def told_outputs(outputs: Iterable[Output]) -> list[Any]:
    """Outputs of a step without views: light as a checksum, everything else whole."""
    return [_output_json(output) for output in outputs if not isinstance(output, Publish)]


def _output_json(output: Output) -> Any:
    if isinstance(output, Show):
        light = repr((output.frame.lights, output.frame.palette)).encode()
        return ["Show", zlib.crc32(light)]
    if isinstance(output, AskBot):
        return ["AskBot", output.ticket, output.side, output.level, output.seed, output.game.slug]
    if isinstance(output, Finished):
        whole = json_line(plain(output.record)).encode()
        return ["Finished", output.outcome.winner, output.outcome.reason, zlib.crc32(whole)]
    return _line_of(output)


def head_of(
    profile_name: str,
    settings: Settings,
    *,
    now_us: int,
    hint: str,
    session: int,
    link_resume: tuple[int, int] | None,
    table: FlightHead,
    turn: int = 0,
) -> FlightHead:
    """The head; `table` is `of_new` or `of_resumed`, `session` and `link_resume` are the Link's.

    A profile from a file goes in with its text; by how much it is turned, where it is.
    """
    head = FlightHead(
        now_us=now_us,
        hint=hint,
        session=session,
        resume=None if link_resume is None else list(link_resume),
        settings=plain(asdict(settings)),
        profile=profile_name,
    )
    if profile_name not in profiles.names():
        path = Path(profile_name).expanduser()
        head["profile"], head["profile_text"] = path.stem, path.read_text("utf-8")
    if turn:
        head["turn"] = turn
    head.update(table)
    return head


def of_new(
    game: Game, seats: Sequence[str], seed: int, journal_name: str, clock: str = ""
) -> FlightHead:
    """A table that begins a game; `clock` is how its time is counted, "" for not at all."""
    head: FlightHead = {
        "game": game.slug,
        "options": dict(game.options),
        "digest": game.digest,
        "seats": list(seats),
        "seed": seed,
        "journal_name": journal_name,
    }
    if clock:
        head["clock"] = clock
    return head


def of_resumed(journal: Path) -> FlightHead:
    """A table that goes on from this journal, which goes in whole; OSError."""
    name = journal.name.removesuffix(SUFFIX)
    return {"journal": journal.read_text("utf-8"), "journal_name": name}


def profile_of(head: FlightHead) -> Profile:
    """The board's profile; ProfileError."""
    if "profile_text" in head:
        profile = profiles.read(str(head["profile_text"]), f"{head['profile']}.toml")
    else:
        profile = profiles.load(str(head["profile"]))
    return profile.turned(int(head.get("turn", 0)))


def session_of(head: FlightHead, profile: Profile, rules: str = "") -> Session:
    """The session as it was when recording began; UsageError, GameError, JournalError.

    A player's own game comes from the file `rules`, NotAccepted without.
    """
    known = {one.name for one in fields(Settings)}
    values: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in head["settings"].items()
    }
    if not values.keys() <= known:
        raise UsageError("the recording has settings unknown to this lumiban: update it")
    settings = Settings(**values)
    hint, now_us = str(head["hint"]), int(head["now_us"])
    if "journal" in head:
        with tempfile.TemporaryDirectory(prefix="lumiban-replay-") as folder:
            # A recording may come from anybody: its name leads nowhere but into this folder.
            name = Path(str(head["journal_name"])).name or "game"
            path = Path(folder) / (name + SUFFIX)
            path.write_text(str(head["journal"]), "utf-8")
            back = resume.resume(path, load=loading(rules))
            return Session.resumed(back, profile, hint=hint, settings=settings, now_us=now_us)
    game = loading(rules)(str(head["game"]), **head["options"])
    if game.digest != head.get("digest", ""):
        raise UsageError(f"{game.slug} has changed since this was recorded")
    return Session(
        game,
        profile,
        [str(who) for who in head["seats"]],
        hint=hint,
        seed=int(head["seed"]),
        settings=settings,
        journal_name=str(head["journal_name"]),
        now_us=now_us,
        control=control_of(str(head["clock"])) if "clock" in head else None,
    )
