"""The table's vocabulary: verdicts of the referee, what goes into a session and comes out.

Also what people asked for and cannot have (`CommandRefused`), who sits at the table, a person or a
bot of some level, one seat a side, and what a maker or a club may want otherwise (`Settings`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from lumiban.boards.types import LightFrame, LinkEvent
from lumiban.errors import LumibanError
from lumiban.games.base import Game, Move, Outcome, Position, Refusal
from lumiban.i18n import text
from lumiban.table.journal import Record
from lumiban.table.limits import CONFIRM_US, GRACE_US, PACE_US, STAND_US
from lumiban.table.requests import ErrorText, TableRequest, UnknownRequest
from lumiban.table.view_fields import TableView


class Step(Struct, frozen=True):
    """One thing for a hand to do: `place` a kind on a cell or `lift` what is there (game cells)."""

    do: str
    cell: int
    kind: int


def differing(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The cells on which two pictures differ.

    >>> differing((0, 1, 2), (0, 2, 2))
    [1]
    """
    return [cell for cell, kind in enumerate(one) if kind != other[cell]]


class Sensed(Struct, frozen=True):
    """Kinds of the game's cells as the board shows them.

    `turned` are cells whose kind changed without a lift: a correction, never a move.
    """

    kinds: tuple[int, ...]
    turned: frozenset[int] = frozenset()


class Pending(Struct, frozen=True):
    """A move that is settled but not yet on the board, or lifted but not yet played.

    `by`: `machine` (a bot's answer: only this move is accepted now), `page` (told there by a
    person) or `lift` (touching is not playing; it counts down to `due_us`, board time, or waits
    for `confirmed` when that is None).
    """

    move: Move
    by: str
    due_us: int | None = None
    confirmed: bool = False


class RefereeContext(Struct, frozen=True):
    """Context that the referee needs of the way here; a fresh one suits any position.

    `past`: positions before the last moves, latest last; `backs`: how many moves may be taken
    back by undoing them on the board; `people`: sides whose pieces move by hand at will;
    `countdown_us`: how long a lift waits against a machine, None for ever; `to_mend`: cells that a
    hand was asked to mend and that cannot become a move by lying so; `refused`: why, if a rule
    was broken there; `unseen`: cells whose last change no event told, so that no hand has taken a
    move back there; `never_placed`: cells of a told move whose pieces nobody has laid yet; until
    `grace_until_us` (board time) the last stone may still go on.
    """

    past: tuple[Position, ...] = ()
    backs: tuple[int, ...] = ()
    people: tuple[int, ...] = (0, 1)
    countdown_us: int | None = None
    to_mend: frozenset[int] = frozenset()
    unseen: frozenset[int] = frozenset()
    never_placed: frozenset[int] = frozenset()
    refused: Refusal | None = None
    grace_until_us: int = 0


class Agree(Struct, frozen=True):
    """The board shows the position."""


class Commit(Struct, frozen=True):
    """The settled board is the picture after these moves."""

    moves: tuple[Move, ...]


class Wait(Struct, frozen=True):
    """Not yet: `why` is `air` (the picture is on the way), `confirm` (the lift `pending` waits
    until the board time `until_us`, or for a button) or `machine` (`pending` is to be placed),
    or `paused` (what the board shows is not what lies there)."""

    why: str
    until_us: int | None = None
    pending: Move | None = None
    marks: tuple[Any, ...] = ()


class Choose(Struct, frozen=True):
    """Several moves give this picture: ask. `back` > 0: so does taking back this number of moves.

    `marks`: where a piece that is in the air may go instead.
    """

    candidates: tuple[Move, ...]
    back: int = 0
    marks: tuple[Any, ...] = ()


class Refuse(Struct, frozen=True):
    """The change breaks a rule; `plan` mends it."""

    refusal: Refusal
    plan: tuple[Step, ...]


class Repair(Struct, frozen=True):
    """Board and position differ; following `plan` ends in Agree. `why` says so in a sentence."""

    plan: tuple[Step, ...]
    why: Refusal | None = None


class Takeback(Struct, frozen=True):
    """The last `moves` are undone on the board; `then` were made in their place at once."""

    moves: int
    then: tuple[Move, ...] = ()


Verdict = Agree | Commit | Wait | Choose | Refuse | Repair | Takeback


# What goes into a session beside LinkEvents.


class BotMove(Struct, frozen=True):
    """A bot's answer to the question with this ticket."""

    ticket: int
    text: str
    value: float = 0.5
    visits: int = 0


class BotFailed(Struct, frozen=True):
    """The bot could not answer (worker died, no move)."""

    ticket: int
    reason: str


class Advice(Struct, frozen=True):
    """Answer so far to the coach's question of this ticket; `lines` best first, as
    `search/analysis.py` has them, and how much was `looked` at; a `reason` where there are no
    lines."""

    ticket: int
    lines: tuple[Mapping[str, Any], ...] = ()
    looked: int = 0
    unit: str = ""
    done: bool = True
    reason: str = ""


class Durable(Struct, frozen=True):
    """All journal records up to this number are on disk."""

    record: int


class NoRoom(Struct, frozen=True):
    """Nothing more can be kept, as the disk of this folder is full; "": there is room again."""

    folder: str


class Command(Struct, frozen=True):
    """A person's request, from page or terminal; the answer is a Reply to this number."""

    request: TableRequest | UnknownRequest
    reply_to: int = 0


Input = LinkEvent | BotMove | BotFailed | Advice | Durable | NoRoom | Command


# What comes out.


class Show(Struct, frozen=True):
    """Light the board like this."""

    frame: LightFrame


class Append(Struct, frozen=True):
    """Write this record to the journal; its number comes back in a Durable."""

    number: int
    record: Record


class NewJournal(Struct, frozen=True):
    """A new game begins: the following records belong to a new journal file."""

    name: str


class Question(Struct, frozen=True):
    """A position to think about for a side, as that side may know it."""

    ticket: int
    side: int
    game: Game
    position: Position
    seed: int
    level: str = ""
    within_us: int | None = None
    """Longest time to think; None: as long as its level, or a position of play, may take."""


class AskBot(Question, frozen=True):
    """Think about this position; answer with BotMove of this ticket."""


class AskCoach(Question, frozen=True):
    """Look for the best moves of this position; answer with Advice of this ticket, repeatedly."""


class Ponder(Question, frozen=True):
    """Think about this position, which a person faces; until a StopBot of this ticket, and with no
    answer."""


class StopBot(Struct, frozen=True):
    """The question is void; no answer is needed."""

    ticket: int


class Acknowledge(Struct, frozen=True):
    """Board events below this number are durable: the board may forget them."""

    next_event: int


class Prompt(Struct, frozen=True):
    """Steps that hands should do next, one at a time; () when nothing is asked.

    `wait` tells what for: `machine` (a bot's move), `told` (a person's move told by page),
    `mend` (repair or refusal). `by` tells whose hands are meant: `hands` (the simulated ones) or
    `person`; the same step for others is another prompt.
    """

    steps: tuple[Step, ...]
    wait: str = ""
    by: str = ""


class Publish(Struct, frozen=True):
    """View for the page and other watchers (docs/page.md)."""

    view: TableView


class Reply(Struct, frozen=True):
    """Answer to a Command: None when done, else why not."""

    to: int
    error: ErrorText | None = None


class Hung(Struct, frozen=True):
    """The table stood still, or against the law of `standstill.py`, and has restarted its move:
    this must not happen and is to be reported."""

    why: str


class Finished(Struct, frozen=True):
    """The game ended; the whole record as one JSON document."""

    record: Mapping[str, Any]
    outcome: Outcome


Output = (
    Show
    | Append
    | NewJournal
    | AskBot
    | AskCoach
    | Ponder
    | StopBot
    | Acknowledge
    | Prompt
    | Publish
    | Reply
    | Hung
    | Finished
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Times in µs; None turns a timed behaviour off."""

    grace_us: int = GRACE_US
    """Pause of the machine after a commit, board time: the stone may still go on."""
    confirm_us: int | None = CONFIRM_US
    """After how long a lift is played against a machine; None: by a button only."""
    reaction_us: int | None = None
    """In turnless play: how long a bot takes to react, more or less; None: by its level."""
    stand_us: int = STAND_US
    """In turnless play: after how long without a stone a bot stands that need not place."""
    pace_us: int | None = PACE_US
    """In games in light: how long each step of what a move brings about is shown; None: not."""
    ponder: bool = False
    """True if strong bots think on a person's time."""
    takeback: bool = True
    """True if moves may be taken back."""
    rematch_us: int | None = None
    """Pause after a game between two bots until they begin another."""
    check_names: bool = False
    """True if people confirm that a machine's piece, set by hand, was the right one of its colour,
    where the board cannot tell."""
    hands: bool = False
    """True if simulated hands do what the table asks for: then no person is waited for there."""
    levels: tuple[str, ...] = ("gentle", "easy", "medium", "hard", "strong")
    """The levels of bots that may take a seat."""


class CommandRefused(LumibanError):
    """A command that cannot be followed; `id` and `params` name the sentence that says why."""

    def __init__(self, id: str, **params: str | int) -> None:
        super().__init__(text(id, "en", **params))
        self.id = id
        self.params: Mapping[str, str | int] = params


class BotTurn(Struct, frozen=True):
    """A side whose bot should act from a board time on: think about what is `ask` (None: the
    game as it is), or do without thinking what it `says`."""

    side: int
    at_us: int
    asked: tuple[Game, Position] | None = None
    says: Move | None = None
    until_us: int | None = None
    """Board time by which it should have thought; None: as long as its level may."""
    spare: bool = False
    """True if it may as well do nothing."""


HUMAN = "human"
BOT = "bot:"

_MIX = 0x9E3779B97F4A7C15


def is_seat(who: object, levels: Sequence[str]) -> bool:
    """True if `who` is `human` or `bot:` and one of the levels.

    >>> is_seat("bot:easy", ["easy"]), is_seat("bot:god", ["easy"]), is_seat(3, ["easy"])
    (True, False, False)
    """
    if not isinstance(who, str):
        return False
    return who == HUMAN or (who.startswith(BOT) and who.removeprefix(BOT) in levels)


def thought_seed(seed: int, ply: int) -> int:
    """The seed for a bot's thoughts at this point of a game, below 2**63."""
    return (seed * 2 + 1 + ply) * _MIX & (2**63 - 1)
