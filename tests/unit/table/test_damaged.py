"""What is damaged in a journal or record is told, wherever it is and whatever is there instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from conversations import talk
from lumiban.errors import GameError, JournalError
from lumiban.table import record
from lumiban.table.history import from_head
from lumiban.table.types import Finished
from thorough import some

ODD = (None, True, -1, 10**30, 1e999, 0.5, "x", [], [[1]], {}, {"x": 1})
"""All of it is JSON."""
GAMES = (
    """
game control size=3 clock=byo:1m+2x5s seats human bot:easy
white places a1
0.5 s pass
bot answers c3
black places c3
page takeback
hand lifts c3
hand lifts a1
page set-up pieces={"a1":0,"c3":1} to_move=0
9 s pass
page word white resign
""",
    """
game evening size=3
white places b2
black c3 and white c4 0.1 ms later
black places b1
white d3 and black d4 0.6 ms later
hand lifts b2 c3
page word black resign
0.5 s pass
""",
)


def documents(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Some of the objects that one which is damaged can be."""
    return some((one for one in damaged(whole) if isinstance(one, dict)), 6)


def damaged(value: Any) -> Iterator[Any]:
    """The value with something else in its place, or in that of a part; or without that part."""
    yield from ODD
    if isinstance(value, dict):
        for name, part in value.items():
            yield {key: one for key, one in value.items() if key != name}
            yield from ({**value, name: other} for other in damaged(part))
    elif isinstance(value, list):
        for n, part in enumerate(value):
            yield from ([*value[:n], other, *value[n + 1 :]] for other in damaged(part))


@pytest.mark.parametrize("text", GAMES)
def test_whatever_is_damaged_is_told(text: str) -> None:
    table, _ = talk(text)
    kept = json.loads(json.dumps(table.records))
    for number, one in enumerate(kept):
        for other in documents(one):
            with suppress(JournalError):
                history = from_head(kept[0] if number else other)
                for before in kept[1:number]:
                    history.apply(before)
                history.apply(other)
    (end,) = (one for one in table.out if isinstance(one, Finished))
    told = json.loads(json.dumps(end.record))
    for other in documents(told):
        with suppress(GameError):
            record.verify(other)
