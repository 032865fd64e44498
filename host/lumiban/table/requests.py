"""Requests to a table: what people may ask of it, by page, button, terminal or script.

Each is a declared message: its name (`do`), its fields, who may ask it beside the host, and what it
is. docs/page.md and its JSON schema are written from here, a page's text is checked by it, the
page's door lets it in by it, and a flight recording holds it. What follows it stands in
`lumiban.table.commands`. The page's process needs this file alone: it starts without the games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, ClassVar, Literal, TypedDict, Union

import msgspec

Side = Annotated[int, msgspec.Meta(ge=0, le=7)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
OptionText = Annotated[str, msgspec.Meta(min_length=1, max_length=3072)]
GameName = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
"""A slug, or the file of a game."""


MoveText = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
Line = Sequence[tuple[int, str]]
"""Moves, each with its side."""
MAX_MOVES = 2000
"""Moves of the longest game that is looked through or continued."""


class May(Enum):
    """Permission of somebody beside the host to make a request, as docs/page.md has it."""

    NEVER = "–"
    ALWAYS = "yes"
    ASKS = "asks"
    OWN_SIDE = "its own side"
    """The request names its side, which must be the seat's."""
    BY_GAME = "where it is its own side's"
    """The game decides whose it is (`commands.objection_in`)."""


class Request(
    msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=True
):
    """A message of a page: `do` names it. The host may ask all."""

    viewer: ClassVar[May] = May.NEVER
    seat: ClassVar[May] = May.NEVER


class TableRequest(Request, frozen=True):
    """A message to the table."""


class SeatRequest(TableRequest, frozen=True, tag="seat"):
    """Seat somebody: `human` or `bot:<level>`."""

    side: Side
    who: Word


class WordRequest(TableRequest, frozen=True, tag="word"):
    """Say a word, such as resign or stop.

    A word that sets a piece, such as a pie's `put wc4`, is guided onto the board like a move. If a
    pie's word takes the other side, `seats` change places.
    """

    seat = May.OWN_SIDE

    side: Side
    word: Word


class TakebackRequest(TableRequest, frozen=True, tag="takeback"):
    """Undo the last move. With `side`, the person of that side wants it, and the other one is asked
    first. The host decides which of the two it is by who plays where."""

    seat = May.BY_GAME

    side: Side | None = None


class AnswerBackRequest(TableRequest, frozen=True, tag="answer-back"):
    """Say as the person of this side whether the other one may take the last move back."""

    seat = May.OWN_SIDE

    side: Side
    yes: bool


class ConfirmRequest(TableRequest, frozen=True, tag="confirm"):
    """Confirm the pending move; without turns, press the button of this side.

    After a time out this side is then ready; otherwise it stands.
    """

    seat = May.BY_GAME

    side: Side | None = None


class SetUpPosition(msgspec.Struct, frozen=True):
    """Position that a game began from, as its record has it."""

    stones: dict[Word, Any]
    to_move: Side


class GameCourse(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Course of a finished game, as its record has it: what a table needs to play it through.

    `moves` are pairs of a side and what it did; `setup` is the position it began from, where that
    was set up by hand.
    """

    game: GameName
    options: dict[Word, int | OptionText]
    seed: int
    moves: Annotated[tuple[tuple[Side, MoveText], ...], msgspec.Meta(max_length=MAX_MOVES)]
    setup: SetUpPosition | None = None
    digest: str = ""
    winner: Side | None = None


class NewGameRequest(TableRequest, frozen=True, tag="new"):
    """Begin another game; without `game` the same one again, in which `options` may be left out.

    `clock` is how time is counted, as `--clock` takes it; without it as in the game before. With
    `after` it continues from the position after that number of moves of the game that has just
    ended here, or of `course`.
    """

    game: GameName | None = None
    options: dict[Word, int | OptionText] = {}
    seats: Annotated[tuple[Word, ...], msgspec.Meta(max_length=8)] | None = None
    clock: Word | None = None
    after: Annotated[int, msgspec.Meta(ge=0, le=MAX_MOVES)] | None = None
    course: GameCourse | None = None


class RulesRequest(TableRequest, frozen=True, tag="rules"):
    """Read the rules of this table's own game again from their file. The game goes on if its moves
    fit them; otherwise a new one begins. The host asks this by itself after each save. The view's
    `rules` says what came of it."""


class LessonRequest(TableRequest, frozen=True, tag="lesson"):
    """Begin a lesson of this `game` or the present one, at this `step`; go to its `next` step,
    `back` to the one before, or through this one `again`; `leave` it for the game before it, or
    `play` a first one. `game` may be followed by `/puzzles`: a game's puzzles are a lesson."""

    go: Literal["begin", "next", "back", "again", "leave", "play"]
    game: GameName | None = None
    step: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1


class HintRequest(TableRequest, frozen=True, tag="hint"):
    """Set how much the light tells."""

    level: Word


class CoachRequest(TableRequest, frozen=True, tag="coach"):
    """Ask the coach about this position; or say whether two people agree that it may speak."""

    agree: bool | None = None


class ReviewRequest(TableRequest, frozen=True, tag="review"):
    """Have the coach go through the game that has just ended here, or through the `course` of
    another one, which the view then calls by its `name`."""

    name: Annotated[str, msgspec.Meta(max_length=128)] = ""
    course: GameCourse | None = None


class ThemeRequest(TableRequest, frozen=True, tag="theme"):
    """Set the colours of the light."""

    name: Word


class MoveRequest(TableRequest, frozen=True, tag="move"):
    """Play a move that the board cannot sense. The table then guides the piece."""

    seat = May.OWN_SIDE

    side: Side
    text: Word


class ErrorText(TypedDict):
    """Reason why a command was not followed: the id of a sentence of the catalogue, and its
    parameters."""

    id: str
    params: dict[str, str | int]


TAKE_BACK = "takeback"
"""Answer of `choose` when the pieces were put back, not played."""


class ChoiceRequest(TableRequest, frozen=True, tag="choose"):
    """Choose which of several moves was meant."""

    seat = May.BY_GAME

    text: Word


class AcceptBoardRequest(TableRequest, frozen=True, tag="accept-board"):
    """Take what lies on the board for the position.

    `names` has the names of pieces by their cells, `{"c4": "T"}`, of those that lie elsewhere than
    the table has them.
    """

    names: dict[Word, Word] = {}


class PutBackRequest(TableRequest, frozen=True, tag="put-back"):
    """Have simulated hands make the board show the position, whatever lies there."""


class DeadCellRequest(TableRequest, frozen=True, tag="dead-cell"):
    """Report a cell that does not answer, by its name in the game or its number on the board. From
    now on it is played on the page, at later tables on this board too, until `selftest` finds that
    it answers."""

    cell: Word | Annotated[int, msgspec.Meta(ge=0, le=254)]


class SetUpRequest(TableRequest, frozen=True, tag="set-up"):
    """Go on from this position: `pieces` by their cells, a side's number, 2 for a neutral one, or
    the letter of a piece that has a name. The table then guides them onto the board."""

    pieces: dict[Word, int | Word]
    to_move: Side


class RecentreRequest(TableRequest, frozen=True, tag="recentre"):
    """Bring the pieces back to the middle of the board, or (`back`) give that up."""

    back: bool = False


class AuditRequest(TableRequest, frozen=True, tag="audit"):
    """Have the table ask which piece is which, or pass over one (`skip`) or all (`end`)."""

    skip: bool = False
    end: bool = False


class PaceRequest(TableRequest, frozen=True, tag="pace"):
    """Set how long each step of a chain is shown in a game in light, 334 to 10000; null: its
    end."""

    ms: int | None


class ReactionRequest(TableRequest, frozen=True, tag="reaction"):
    """Set how long machines take to react without turns, 250 to 10000; null: by their levels.

    With turns it is how long two machines wait between their moves; null: not at all.
    """

    ms: int | None


OFF_YES = "off/yes"
"""Choice of the lobby that turns the machine off."""


class LobbyRequest(TableRequest, frozen=True, tag="lobby"):
    """Make a choice of the lobby by its `id`, as a stone set and lifted there does. `open` opens
    the lobby itself, in a game too, which can be resumed."""

    choose: Word


TABLE_REQUESTS: tuple[type[TableRequest], ...] = tuple(TableRequest.__subclasses__())
"""All of them, as they are declared above."""
AnyTableRequest: Any = Union[TABLE_REQUESTS]  # noqa: UP007
"""The same as the kind of a message that is read."""


class UnknownRequest(msgspec.Struct, frozen=True):
    """Request of no known kind, as an older recording or a script may have one: it is refused."""

    name: str
    fields: dict[str, Any]
    wrong: str
    """The field that is missing or wrong; `do` where nothing has this name."""


_WRONG = re.compile(r"`(?:\$\.)?([\w-]+)[^`]*`$")


def request_of(name: str, fields: Mapping[str, Any]) -> TableRequest | UnknownRequest:
    """The request of this name with these fields.

    >>> request_of("seat", {"side": 0, "who": "human"})
    SeatRequest(side=0, who='human')
    >>> request_of("seat", {"side": 0}).wrong, request_of("dance", {}).wrong
    ('who', 'do')
    """
    try:
        asked: TableRequest = msgspec.convert({"do": name, **fields}, AnyTableRequest)
        return asked
    except msgspec.ValidationError as error:
        wrong = _WRONG.search(str(error))
        return UnknownRequest(name, dict(fields), wrong[1] if wrong else "do")


def fields_of(request: TableRequest | UnknownRequest) -> tuple[str, dict[str, Any]]:
    """The name of a request, and its fields as JSON has them: those that say the usual are left
    out.

    >>> fields_of(NewGameRequest("control", seats=("human", "bot:easy")))
    ('new', {'game': 'control', 'seats': ('human', 'bot:easy')})
    """
    if isinstance(request, UnknownRequest):
        return request.name, request.fields
    fields: dict[str, Any] = msgspec.to_builtins(request)
    return fields.pop("do"), fields


# Roles at a table, and what each may ask of it.

HOST, VIEWER = "host", "viewer"
"""Roles beside those of seats: the host acts for the table, viewers look on."""

_SEAT = re.compile(r"seat ([0-7])", re.ASCII)


def seat(side: int) -> str:
    """Role of a player of this side and no other.

    >>> side_of(seat(1)), side_of(HOST), side_of("seat 1 "), side_of("seat 9")
    (1, None, None, None)
    """
    return f"seat {side}"


def side_of(role: str) -> int | None:
    """The side that a role plays alone; None for a role of another kind."""
    match = _SEAT.fullmatch(role)
    return None if match is None else int(match[1])


def objection(request: TableRequest | UnknownRequest, role: str) -> ErrorText | None:
    """Return why this role may not make such a request, whatever is played: a text id with
    parameters.

    >>> objection(MoveRequest(0, "c4"), seat(0)), objection(HintRequest("none"), HOST)
    (None, None)
    >>> objection(MoveRequest(0, "c4"), seat(1))
    {'id': 'table.role.other-side', 'params': {'do': 'move'}}
    >>> objection(HintRequest("none"), seat(0))
    {'id': 'table.role.host-alone', 'params': {'do': 'hint'}}
    """
    if role == HOST:
        return None
    side, do = side_of(role), fields_of(request)[0]
    if side is None:
        return {"id": "page.error.viewer", "params": {}}
    if isinstance(request, UnknownRequest) or request.seat is May.NEVER:
        return {"id": "table.role.host-alone", "params": {"do": do[:40]}}
    if getattr(request, "side", None) not in (None, side):
        return {"id": "table.role.other-side", "params": {"do": do}}
    return None
