"""What a page may say on the simulator's `/hands`, checked whole before any of it is done."""

from __future__ import annotations

from typing import Annotated

import msgspec
from lumiban.boards.profile import MOST_CELLS
from lumiban_fw.wire import FIRST_BUTTON, NEUTRAL, WHITE

from lumiban_sim.world import BUTTONS

Cell = Annotated[int, msgspec.Meta(ge=0, lt=MOST_CELLS)]
Kind = Annotated[int, msgspec.Meta(ge=WHITE, le=NEUTRAL)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
Reach = Annotated[float, msgspec.Meta(ge=-10_000, le=10_000)]
LONGEST = 1024
"""Bytes of a message."""


class HandsMessage(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Anything said on `/hands`."""


class Place(HandsMessage, tag="place"):
    """A hand sets a piece of this kind onto a cell."""

    cell: Cell
    kind: Kind
    hand: Name = "help"


class Lift(HandsMessage, tag="lift"):
    """A hand takes the piece off a cell."""

    cell: Cell
    hand: Name = "help"


class Grab(HandsMessage, tag="grab"):
    """A person takes a piece from the bowl (`kind`) or from the board (`cell`)."""

    hand: Name
    kind: Kind | None = None
    cell: Cell | None = None


class Carry(HandsMessage, tag="carry"):
    """A person's hand moves, in mm."""

    hand: Name
    x: Reach
    y: Reach
    h: Reach


class Drop(HandsMessage, tag="drop"):
    """A person lets go."""

    hand: Name


class Recall(HandsMessage, tag="recall"):
    """What the hand was asked to do is void; a stone that it is bringing goes back."""

    hand: Name = "help"


class Field(HandsMessage, tag="field"):
    """The field of the cells is wanted, or no longer."""

    on: bool


class Button(HandsMessage, tag="button"):
    """A button of the board goes down or up."""

    button: Annotated[int, msgspec.Meta(ge=FIRST_BUTTON, lt=FIRST_BUTTON + BUTTONS)]
    down: bool


class Cable(HandsMessage, tag="cable"):
    """The board's cable is pulled out or put back in; it keeps its own power."""

    plugged: bool


Message = Place | Lift | Grab | Carry | Drop | Recall | Field | Button | Cable
_decoder = msgspec.json.Decoder(Message)


def read(raw: str | bytes, cells: int) -> Message:
    """The message in `raw`, for a board of so many cells; ValueError says what is wrong with it.

    >>> read('{"do": "lift", "cell": 12}', 61).cell
    12
    >>> read('{"do": "lift", "cell": 12}', 7)
    Traceback (most recent call last):
    ValueError: cell 12 does not exist: the board has 0 to 6
    """
    try:
        said: Message = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    cell = getattr(said, "cell", None)
    if cell is not None and cell >= cells:
        raise ValueError(f"cell {cell} does not exist: the board has 0 to {cells - 1}")
    if isinstance(said, Grab) and (said.kind is None) == (said.cell is None):
        raise ValueError("grab takes either a kind from the bowl or a cell of the board")
    return said
