"""What a page may say on `/ws` and `/hands`, checked before anybody acts on it.

The messages are those of docs/page.md and no others: an unknown word, a missing or superfluous
field or a value of the wrong kind is refused with a sentence that names it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec

from lumiban.errors import UsageError

LONGEST = 4096
"""Characters in a message to the table; ours are far shorter."""
LONGEST_OF_HANDS = 1000
"""Characters in a message to the simulator, which hangs up on longer ones than this."""

Side = Annotated[int, msgspec.Meta(ge=0, le=7)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class _Message(msgspec.Struct, tag_field="do", forbid_unknown_fields=True, omit_defaults=True):
    """A message: `do` names it."""


class SeatSaid(_Message, tag="seat"):
    """Somebody sits down: `human` or `bot:<level>`."""

    side: Side
    who: Word


class WordSaid(_Message, tag="word"):
    """A side says a word, such as resign or stop.

    One that sets a piece, as a pie's `put wc4`, is guided onto the board like a move; after a pie's
    choice of the other side `seats` change places.
    """

    side: Side
    word: Word


class TakebackSaid(_Message, tag="takeback"):
    """The last move shall be undone."""


class ConfirmSaid(_Message, tag="confirm"):
    """The pending move is meant; without turns, the button of this side is pressed.

    After a time out this side is then ready, else it stands.
    """

    side: Side | None = None


class NewSaid(_Message, tag="new"):
    """Another game."""

    game: Word
    options: dict[Word, int | Annotated[str, msgspec.Meta(min_length=1, max_length=3072)]] = {}
    seats: Annotated[list[Word], msgspec.Meta(max_length=8)] | None = None


class HintSaid(_Message, tag="hint"):
    """How much the light tells."""

    level: Word


class CoachSaid(_Message, tag="coach"):
    """The coach is asked about this position; or two people agree that it may speak, or not."""

    agree: bool | None = None


class ThemeSaid(_Message, tag="theme"):
    """Which colours the light has."""

    name: Word


class MoveSaid(_Message, tag="move"):
    """A move told by page, where the board cannot sense it; the table then guides the piece."""

    side: Side
    text: Word


class ChooseSaid(_Message, tag="choose"):
    """Which of several moves was meant."""

    text: Word


class AcceptBoardSaid(_Message, tag="accept-board"):
    """The board is right, the position wrong.

    `names` of pieces by their cells, `{"c4": "T"}`: of those that lie elsewhere than the table has
    them.
    """

    names: dict[Word, Word] = {}


class RecentreSaid(_Message, tag="recentre"):
    """The pieces shall go back to the middle of the board, or (`back`) give that up."""

    back: bool = False


class AuditSaid(_Message, tag="audit"):
    """The table shall ask which piece is which, or pass over one (`skip`) or all (`end`)."""

    skip: bool = False
    end: bool = False


class LookSaid(_Message, tag="look"):
    """The position after so many moves shall be shown, to this tab alone; viewers may look too."""

    n: Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class PaceSaid(_Message, tag="pace"):
    """How long each step of a chain is shown in a game in light, 334 to 10000; null: its end."""

    ms: int | None


class ReactionSaid(_Message, tag="reaction"):
    """How long machines take to react without turns, 250 to 10000; null: by their levels."""

    ms: int | None


class ClaimSaid(_Message, tag="claim"):
    """This tab acts from now on; both tabs get a new `hello`."""


class HandsSaid(msgspec.Struct):
    """Anything for simulated hands; the simulator itself checks the rest."""

    do: Literal["place", "lift", "grab", "carry", "drop", "field", "button"]


TableMessage = (
    SeatSaid
    | WordSaid
    | TakebackSaid
    | ConfirmSaid
    | NewSaid
    | HintSaid
    | CoachSaid
    | ThemeSaid
    | MoveSaid
    | ChooseSaid
    | AcceptBoardSaid
    | RecentreSaid
    | AuditSaid
    | LookSaid
    | PaceSaid
    | ReactionSaid
    | ClaimSaid
)


def message_table() -> str:
    """What pages may say, as docs/page.md has it."""
    rows = ["| do | fields | what |", "|---|---|---|"]
    for one in get_args(TableMessage):
        config = one.__struct_config__
        fields = ", ".join(_field(field) for field in msgspec.structs.fields(one))
        about = " ".join((one.__doc__ or "").split())
        rows.append(f"| `{config.tag}` | {fields} | {about} |".replace("|  |", "| |"))
    return "\n".join(rows) + "\n"


def _field(field: msgspec.structs.FieldInfo) -> str:
    """A field's name; those that may be left out in brackets."""
    return f"`{field.encode_name}`" if field.required else f"[`{field.encode_name}`]"


def schema() -> dict[str, Any]:
    """The JSON schema of the view and of all that pages may say."""
    from lumiban.table.view_fields import TableView

    (view, said), components = msgspec.json.schema_components(
        [TableView, TableMessage], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What lumiban's page and host say to each other",
        "view": view,
        "said": said,
        "$defs": dict(components),
    }


_table = msgspec.json.Decoder(TableMessage)
_hands = msgspec.json.Decoder(HandsSaid)


def table_message(raw: str | bytes) -> dict[str, Any]:
    """The message for the table in `raw` (JSON text); UsageError says why it is none.

    >>> table_message('{"do": "seat", "side": 0, "who": "human"}')
    {'do': 'seat', 'side': 0, 'who': 'human'}
    >>> table_message('{"do": "seat", "side": 0}')
    Traceback (most recent call last):
    lumiban.errors.UsageError: Object missing required field `who`
    """
    return _read(_table, raw, LONGEST)


def hands_word(raw: str | bytes) -> str:
    """What a message for the simulated hands wants done; UsageError says why it is none.

    >>> hands_word('{"do": "lift", "cell": 12}')
    'lift'
    """
    return str(_read(_hands, raw, LONGEST_OF_HANDS)["do"])


def _read(decoder: msgspec.json.Decoder[Any], raw: str | bytes, longest: int) -> dict[str, Any]:
    if len(raw) > longest:
        raise UsageError(f"longer than {longest} characters")
    try:
        said = decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as fault:
        raise UsageError(str(fault)) from None
    message: dict[str, Any] = msgspec.to_builtins(said)
    return message
