"""Messages of a bot's process and its owner: a line of JSON each, a message's name and its fields.

A position travels pickled: it can be read only once its game, perhaps a third party's, has been
loaded. Both ends are ours and the pipe is private, so pickle is safe here.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

from lumiban.system import size_limits

if TYPE_CHECKING:
    from lumiban.games.base import Position

Options = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class Ask:
    """Think about a position of this game."""

    ticket: int
    slug: str
    options: Options
    position: str
    level: str
    seed: int
    digest: str = ""
    """The game's, where it comes from a file."""
    within_us: int | None = None
    """Longest time in µs that the thought may take, beside the bound of its level."""
    top: int = 0
    """Number of moves that the coach asks for; it waits while a bot's question is thought about."""


@dataclass(frozen=True, slots=True)
class Ponder:
    """Think about a position that a person faces, as its bot may know it, until told to stop or
    asked something; there is no answer."""

    ticket: int
    slug: str
    options: Options
    position: str
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
    lines: Sequence[Any] = ()
    looked: int = 0
    unit: str = ""
    done: bool = True

    @property
    def failed(self) -> bool:
        """True if there is no move."""
        return not self.text


Message = Ask | Ponder | Stop | Warm | Ready | Answer


_BY_NAME: dict[str, type[Message]] = {
    kind.__name__: kind for kind in (Ask, Ponder, Stop, Warm, Ready, Answer)
}


def packed(position: Position) -> str:
    """A position as a message has it."""
    return base64.b64encode(pickle.dumps(position)).decode()


def unpacked(position: str) -> Position:
    """The position of a message, once its game has been loaded."""
    return cast("Position", pickle.loads(base64.b64decode(position)))


def line_of(message: Message) -> bytes:
    r"""A message as a line, without its end.

    >>> line_of(Stop(3)), message_of(line_of(Stop(3)))
    (b'["Stop", 3]', Stop(ticket=3))
    """
    values = (getattr(message, field.name) for field in fields(message))
    return json.dumps([type(message).__name__, *values]).encode()


def message_of(line: bytes) -> Message:
    """Read a message."""
    name, *values = size_limits.from_json(line)
    return _BY_NAME[name](*values)


def send(fd: int, message: Message) -> None:
    """Write a whole message; BrokenPipeError when nobody reads any more."""
    rest = memoryview(line_of(message) + b"\n")
    while rest:
        rest = rest[os.write(fd, rest) :]
