"""Messages between a bot's process and its owner: pickled, with their length first.

Both ends are ours and the pipe is private, so pickle is safe here. A position travels as bytes
of its own: it can be read only once its game, perhaps a third party's, has been loaded.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

Options = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class Ask:
    """Think about a position of this game."""

    ticket: int
    slug: str
    options: Options
    position: bytes
    level: str
    seed: int
    digest: str = ""
    """The game's, where it comes from a file."""
    within_us: int | None = None
    """Longest time in µs that the thought may take, beside the bound of its level."""
    top: int = 0
    """The coach asks for so many moves; it waits while a bot's question is thought about."""


@dataclass(frozen=True, slots=True)
class Ponder:
    """Think about a position that a person faces, as its bot may know it, until told to stop or
    asked something; there is no answer."""

    ticket: int
    slug: str
    options: Options
    position: bytes
    level: str
    seed: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """The question with this ticket is void."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Warm:
    """Questions about this game will come: compile for it."""

    slug: str
    options: Options
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """Compiled code for this class of State is there (`ok`), or cannot be had."""

    state: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """A bot's answer: the move's `text`, or no text and the `reason`, one line.

    To the coach's question there are several, the last one is `done`; `lines` are the best moves
    as `analysis_json.by_number` has them, of so much that was `looked` at.
    """

    ticket: int
    text: str = ""
    value: float = 0.5
    visits: int = 0
    reason: str = ""
    lines: tuple[Any, ...] = ()
    looked: int = 0
    unit: str = ""
    done: bool = True

    @property
    def failed(self) -> bool:
        """True if there is no move."""
        return not self.text


Message = Ask | Ponder | Stop | Warm | Ready | Answer


def send(fd: int, message: Message) -> None:
    """Write a whole message; BrokenPipeError when nobody reads any more."""
    content = pickle.dumps(message)
    rest = memoryview(len(content).to_bytes(4, "little") + content)
    while rest:
        rest = rest[os.write(fd, rest) :]


def receive(stream: IO[bytes]) -> Message | None:
    """The next message, waited for; None once the other end is gone."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    length = int.from_bytes(head, "little")
    content = stream.read(length)
    if len(content) < length:
        return None
    message: Message = pickle.loads(content)
    return message
