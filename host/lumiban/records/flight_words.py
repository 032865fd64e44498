"""What a session is given and gives, as the JSON of flight recordings and back."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import msgspec

from lumiban.errors import UsageError
from lumiban.games.base import Game, Move, Position
from lumiban.records.flight_file import line
from lumiban.table import types
from lumiban.table.types import (
    AskBot,
    Finished,
    Input,
    Output,
    Publish,
    Show,
)

_SAID: dict[str, Any] = {
    kind.__name__: kind for kind in get_args(Input) if kind.__module__ == types.__name__
}
"""Inputs that are no link events; those follow from the frames."""


def plain(value: Any) -> Any:
    """A value as JSON: dataclasses with their class's name, moves as [side, text], games by name.

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
        return sorted((plain(one) for one in value), key=line)
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    if is_dataclass(value):
        told = {one.name: plain(getattr(value, one.name)) for one in fields(value)}
        return {"is": type(value).__name__, **told}
    return type(value).__name__


def told_inputs(inputs: Iterable[Any]) -> list[Any]:
    """What a step was given: counts of link events, which follow from the frames, and the rest.

    >>> told_inputs([object(), object(), types.Durable(3), types.BotFailed(1, "gone")])
    [2, ['Durable', 3], ['BotFailed', 1, 'gone']]
    """
    out: list[Any] = []
    for item in inputs:
        if type(item).__name__ in _SAID:
            told = (plain(getattr(item, one.name)) for one in fields(item))
            out.append([type(item).__name__, *told])
        elif out and isinstance(out[-1], int):
            out[-1] += 1
        else:
            out.append(1)
    return out


def read_input(told: Any) -> Input:
    """An input that is no link event, from its JSON; UsageError."""
    try:
        name, *values = told
        kind = _SAID[name]
        given = {one.name: value for one, value in zip(fields(kind), values, strict=True)}
        found: Input = msgspec.convert(given, kind)
        return found
    except (TypeError, ValueError, KeyError, OverflowError):  # msgspec's own errors are ValueErrors
        raise UsageError(f"the recording holds an input that is unknown here: {told!r}") from None


def told_outputs(outputs: Iterable[Output]) -> list[Any]:
    """What a step gave, without views: light by its checksum, everything else whole."""
    return [_told(output) for output in outputs if not isinstance(output, Publish)]


def _told(output: Output) -> Any:
    if isinstance(output, Show):
        light = repr((output.frame.lights, output.frame.palette)).encode()
        return ["Show", zlib.crc32(light)]
    if isinstance(output, AskBot):
        return ["AskBot", output.ticket, output.side, output.level, output.seed, output.game.slug]
    if isinstance(output, Finished):
        whole = line(plain(output.record)).encode()
        return ["Finished", output.outcome.winner, output.outcome.reason, zlib.crc32(whole)]
    return [type(output).__name__, *(plain(getattr(output, one.name)) for one in fields(output))]
