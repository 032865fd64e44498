"""The view of a page as declared fields: docs/page.md and its JSON schema come from here.

`table.view` makes it of these classes, in the order in which they stand here; each that a test of
the table makes is held against the types of their fields.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

VerdictKind = Literal["agree", "wait", "refuse", "repair", "choose"]
Do = Literal["place", "lift"]
WaitsFor = Literal["machine", "told", "mend", ""]
Drift = Literal["", "may", "advised", "sliding", "back"]
ClockStage = Literal["main", "period", "reserve"]
Connection = Literal["up", "lost", "connecting"]
PhaseName = Literal[
    "opening", "lost", "resting", "attract", "lobby", "setting-up", "lesson", "puzzle", "playing",
    "showing", "thinking", "bringing", "refused", "mending", "asked", "naming", "paused", "over",
    "looking-back", "setting-position",
]  # fmt: skip
"""What a table may wait for (`table.phase`); the last two are a page's own."""


class Shown(Struct, forbid_unknown_fields=True):
    """A part of the view."""


class Text(Shown):
    """A sentence of the catalogue: its id, and what stands in it."""

    id: str
    params: dict[str, str | int]


class GameShown(Shown):
    """The game, and how it lies on the board."""

    slug: str
    options: dict[str, str | int]
    sides: list[str]
    names: list[str]
    cells: list[int]
    kinds: list[int]
    trays: list[list[int]]


class SeatShown(Shown):
    """Player of a side."""

    side: int
    who: str
    thinking: bool


class MoveShown(Shown):
    """A move that was played."""

    n: int
    side: int
    text: str
    said: str


class MarkShown(Shown):
    """Meaning of a cell."""

    cell: int
    meaning: str
    side: int | None


class LegalShown(Shown):
    """Cells and kinds that hands may lift and place."""

    place: list[int]
    lift: list[int]
    kinds: list[int]


class VerdictShown(Shown):
    """Verdict of the table on the board."""

    kind: VerdictKind
    text: Text | None
    cells: list[int]
    choices: list[str]
    said: list[str] | UnsetType = UNSET


class StepShown(Shown):
    """One step for hands."""

    do: Do
    cell: int
    kind: int
    name: str | UnsetType = UNSET


class PromptShown(Shown):
    """Steps that hands are asked to do."""

    wait: WaitsFor
    steps: list[StepShown]
    by: str | UnsetType = UNSET
    """Addressee of a step: `hands` (the simulated ones) or `person`."""


class PendingShown(Shown):
    """A move that waits to count."""

    move: str
    said: str
    due_ms: int | None


class OutcomeShown(Shown):
    """Result of the game."""

    winner: int | None
    text: Text
    counts: list[int] | UnsetType = UNSET
    rank: int | UnsetType = UNSET
    """Rank of the groups that decided, 1 for the largest."""


class CountShown(Shown):
    """A side's figures."""

    stones: int
    territory: int


class SentenceShown(Shown):
    """Effect of a move, with the cells that it is about."""

    id: str
    cells: list[int]
    params: dict[str, str | int]


class TipShown(Shown, kw_only=True):
    """A move that the coach has looked at; figures as in the guide, where there are any."""

    move: str
    said: str
    value: float | UnsetType | None = UNSET
    percent: int | float | UnsetType | None = UNSET
    visits: int | UnsetType | None = UNSET
    proof: str | UnsetType | None = UNSET
    wins_in: int | UnsetType | None = UNSET
    cells: list[int]
    line: list[str]
    does: list[SentenceShown]


class CoachShown(Shown):
    """Questions to the coach and its answers."""

    for_two: bool
    agreed: list[bool] | bool
    may_ask: bool
    side: int | None
    done: bool
    looked: int
    unit: str
    reason: str
    moves: list[TipShown]


class NamedSentenceShown(Shown):
    """Effect of a move, with the names of the cells that it is about."""

    id: str
    cells: list[str]
    params: dict[str, str | int]


class TurningShown(Shown):
    """A move that changed the chances of its side, in percent; `better` is what it would have done
    better."""

    n: int
    side: int
    said: str
    before: int
    after: int
    better: str | None
    does: list[NamedSentenceShown]


class ReviewShown(Shown):
    """A finished game as the coach goes through it."""

    name: str
    done: bool
    stopped: bool
    reason: str
    looked: int
    second: bool
    percent: list[int | None]
    turning: list[TurningShown]


class AuditShown(Shown):
    """The question which piece is which."""

    advised: bool
    asks: str | None
    left: int


class RaceShown(Shown):
    """A photo finish."""

    cell: int
    winner: int
    by_us: int
    uncertainty_us: int
    tie: bool
    text: Text


class TimeoutShown(Shown):
    """Time out: why play without turns stands still."""

    text: Text
    confirmed: list[bool]
    beats_at_ms: list[int] | None


class ClockShown(Shown):
    """Reading of one clock: `left_ms` of its `stage`, and the figures beside it in that stage.

    `periods` are those left with the one that runs, `moves` those still to be made in this one;
    None where the control has none. `later_ms` is what comes after this stage.
    """

    stage: ClockStage
    left_ms: int
    later_ms: int
    periods: int | None
    moves: int | None


class ClocksShown(Shown):
    """Time control of the game, and the time left."""

    control: str
    text: Text
    clocks: list[ClockShown]
    running: int | None


class LessonShown(Shown):
    """The step that a lesson is at."""

    game: str
    kind: str
    step: int
    steps: int
    title: Text
    text: Text
    said: Text | None
    is_right: bool
    words: list[list[int | str]]


class BackAskedShown(Shown):
    """A person who asks the other one to take the last move back."""

    side: int
    declined: bool


class LobbyChoiceShown(Shown):
    """One choice of the lobby: its sentence, and the board's cell that stands for it."""

    id: str
    text: Text
    cell: int
    is_now: bool
    is_held: bool


class FilmShown(Shown):
    """A film of a resting board: its game, headline and sentence, and the light of this moment."""

    game: str
    title: Text
    text: Text | None
    lights: list[tuple[int, int]]


class LobbyShown(Shown):
    """The lobby of a board on which no game is on, as it says itself in words."""

    is_lit: bool
    screen: str
    title: Text
    says: Text | None
    choices: list[LobbyChoiceShown]
    take_off: list[int]
    film: FilmShown | None


class PhaseShown(Shown):
    """What the table waits for."""

    name: PhaseName
    takes: bool
    title: Text | None
    says: Text | None
    next: str


class TableView(Shown, tag_field="type", tag="view"):
    """The whole view, after every change."""

    v: int
    """counter"""
    game: GameShown
    """`{"slug", "options", "sides": ["white", "black"], "names": [cell names], "cells": [board
    cell of each game cell], "kinds": [kinds of pieces, a bowl each], "trays": [game cells of
    each side's tray]}`; `trays` is `[]` where hands lie beside the board"""
    to_move: list[int]
    """sides that may act; `[]` when over"""
    seats: list[SeatShown]
    """one per side: `{"side", "who": "human" | "bot:easy" …, "thinking": bool}`"""
    moves: list[MoveShown]
    """`[{"n", "side", "text", "said"}]`: `text` is the notation that is stored and sent back,
    `said` is how people read it at this board (`Tc2-c5`), also in `pending` and `verdict`"""
    legal: LegalShown
    """`{"place": [cells], "lift": [cells], "kinds": [kinds that may be placed]}` for the side
    to move; several kinds: the stone that the hand sets decides, as in a pie"""
    outcome: OutcomeShown | None
    """`{"winner", "text": {"id", "params"}, "counts": [6, 3]} | null`; `counts` is the figure
    of each side that decided, left out where none did"""
    words: list[list[str]]
    """words that each side may use: `[["resign"], ["resign", "stop"]]`"""
    counts: list[CountShown]
    """`[{"stones", "territory"}]` per side"""
    stop_offers: list[int]
    """sides that offered to stop"""
    owing: list[list[int]]
    """`[[kind, how many]]` that a turn of several pieces still needs; `[]` where a turn is one
    piece"""
    can_takeback: bool
    """bool"""
    pieces: list[int]
    """a kind for each game cell: what should stand"""
    sensed: list[int]
    """likewise: what the board senses"""
    labels: list[str]
    """a text for each game cell, the name of the piece that should stand there (a dove's
    letter), `""` where none; `[]` in games whose pieces of a kind are alike"""
    hands: list[list[str]]
    """the names of the pieces in hand, a list a side (`[["A", "T"], ["h"]]`); `[]` in such
    games"""
    marks: list[MarkShown]
    """`[{"cell", "meaning", "side"}]` (game cells)"""
    lights: tuple[tuple[int, int], ...]
    """`[[palette index, effect]]` for each board light: for boards that are not simulated"""
    palette: tuple[tuple[int, int, int], ...]
    """`[[r, g, b]]`, the colours of `lights`"""
    turnless: bool
    """whether both sides may act at any time; all below is as in the games with turns where it
    is false"""
    open: list[list[int]] | None
    """`[[cells open to the first side], [to the second]]`: where each could place now, whatever
    the hint level; `null` with turns. A cell in neither that holds no piece is closed"""
    dead: list[int]
    """cells with a piece that was refused, or that nobody knows: dead until it is lifted; `[]`
    with turns"""
    light: list[int]
    """cells whose stone is in light only: it is in `pieces`, and that `sensed` shows nothing
    there is right, not missing; `[]` with turns"""
    stands: list[bool]
    """which side stands now, by word or by rule: `[false, true]`"""
    race: RaceShown | None
    """the last photo finish: `{"cell", "winner", "by_us", "uncertainty_us", "tie", "text":
    {"id", "params"}}`; `winner` is the side that was first, `cell` that of the stone which was
    refused (it lost its cell to the first one, or it was the first one and came before its cell
    was open: `text` says which), `tie` when the coin decided; `null` once three more stones
    have counted"""
    timeout: TimeoutShown | None
    """play is suspended for both sides: `{"text": {"id", "params"}, "confirmed": [false, true],
    "beats_at_ms": null}`; first the board is put right (`prompt`), then both sides confirm,
    then `beats_at_ms` are the coming beats of light, in ms after this view; play resumes with
    the last one; `null` while play runs"""
    reaction_ms: int | None
    """how long machines take to react, as set by `reaction`; `null`: by their levels; with
    turns how long two machines wait between their moves, `null`: not"""
    verdict: VerdictShown
    """`{"kind": "agree|wait|refuse|repair|choose", "text": {"id", "params"} | null, "cells":
    [proof], "choices": [move texts], "said": [the same for people]}`; `text` also says what to
    do for a machine's move or one entered on the page, for a waiting lift or for a lost board;
    a choice may be `takeback`"""
    prompt: PromptShown
    """`{"wait": "machine|told|mend|", "steps": [{"do", "cell", "kind"}]}`: the one step that
    hands should do next (`told`: for a move entered on the page), with the `name` of its piece
    where pieces have names; `[]` when nothing is needed"""
    pending: PendingShown | None
    """`{"move", "said", "due_ms"} | null` (`due_ms` null: waits for a button or the
    opponent)"""
    drift: Drift
    """how the pieces lie on the board in a game whose cells move about: `""` in the middle (or
    no such game), `may` be moved back to the middle, `advised` (a legal move leads off the
    board), `sliding` (in progress), `back` (given up, going back)"""
    audit: AuditShown | None
    """`{"advised": bool, "asks": name | null, "left": n} | null`: the question which piece is
    which; `advised` after a power cut of the board; null in games without names"""
    lit: dict[str, Any] | None
    """the figures of a game in light, null in others. Rengi's: `{"mode", "free", "unit":
    "ticks" | "frames", "rate", "fields": two lists of 14 rows from below, "forecast": [A, B] by
    side, "loop": {"pairs": from its beginning as far as known, "size", "places": of the pair in
    hand, by side}, "clock": half ticks or frames, "points", "hands_left" and "to_come" (ojama
    that a running chain will still make): null without that assist, "assists", "time"}`; `left`
    counts the steps of a chain still to be shown (the marks show the current one), `pace_ms` is
    how long each is shown"""
    link: Connection
    """`up | lost | connecting`"""
    hint: str
    """how much the light tells"""
    coach: CoachShown
    """the request to the coach and its answer: `{"for_two", "agreed", "may_ask", "side",
    "done", "looked", "unit", "reason", "moves"}`; `side` is the one it analyses for (null: it
    is not asked), `for_two` whether two people are playing, who must both have `agreed`,
    `reason` why it failed or `""`. `moves`, best first: `{"move", "said", "value", "percent",
    "visits", "proof", "wins_in", "cells", "line": [said], "does": [{"id", "cells",
    "params"}]}`, figures as in [the guide](guide/coach.md); `cells` are those on which it acts,
    its destination last; a sentence takes `params` and, as `cells`, their names"""
    theme: str
    """the light's colours"""
    numbers: list[str] | UnsetType = UNSET
    """a number for each game cell that players need to see (a stack's height), `""` where none;
    left out in games without"""
    clock: ClocksShown | UnsetType = UNSET
    """only where time is counted: `{"control": "5+3", "text": {"id", "params"}, "clocks":
    [{"stage", "left_ms", "later_ms", "periods", "moves"}], "running"}`: a clock for each side,
    or a single one in a game without turns. `left_ms` is what was left of its `stage` when the
    view was made: `main` time, a `period` (byoyomi, Canadian, a move's or a hand's own) or what
    may be used once (`reserve`); `later_ms` comes after it. `periods` (with this one) and
    `moves` to be made in it are null where the control has none. `running`, the number of a
    clock, counts down from then on; null: none does. A new view comes when a stage ends"""
    review: ReviewShown | UnsetType = UNSET
    """only where the coach goes through a finished game: `{"name", "done", "stopped", "reason",
    "looked", "second", "percent", "turning"}`; `name` is that of a record, `""` for the game of
    this table. `percent` has the first side's share of wins after 0, 1, 2 … moves, null where
    it is not known; `looked` counts them, `second` whether the largest changes are looked at
    again, `stopped` whether it was interrupted. `turning` are the moves that decided: `{"n",
    "side", "said", "before", "after", "better", "does": [{"id", "cells", "params"}]}`, in
    percent for their own side, cells by name; `better` is null where nothing was found"""
    lesson: LessonShown | UnsetType = UNSET
    """only in a lesson: `{"game", "kind", "step", "steps", "title", "text", "said", "is_right",
    "words"}`: `kind` is `lesson` or `puzzles`; `step` of `steps`, the idea as texts, and what
    is `said` of the learner's last move (null: nothing yet), which is kept where it `is_right`
    and else taken back; `words`, `[[side, word]]`, are those that show the idea now. Both seats
    are people's, nothing is timed, and no game is kept"""
    back_asked: BackAskedShown | UnsetType = UNSET
    """only while the person of a `side` has asked the other one to take the last move back:
    `{"side", "declined"}`; `declined` once the answer was no, until something is played"""
    lobby: LobbyShown | UnsetType = UNSET
    """only while a board of the service asks what is to be played: `{"is_lit", "screen",
    "title", "says", "choices": [{"id", "text", "cell", "is_now", "is_held"}], "take_off",
    "film": null | {"game", "title", "text", "lights"}}`; not `is_lit`: it rests, and the page
    plays at once; `film` is what a resting board shows by itself, and its light. A stone set on
    a choice's board cell and lifted again chooses it, as `lobby` with its `id` does; `is_now`
    is the one that holds, `is_held` the one on which a stone stands; `says` is about what hands
    did last, `take_off` board cells with stones that say nothing. `lights` are the lobby's
    then"""
    rules: Text | UnsetType = UNSET
    """only where the file of the game was saved while its table is on: whether the
    new rules hold, and what has become of the game"""
    sensors: list[Text] | UnsetType = UNSET
    """sensors that need a look, as far as `selftest`, `calibrate` and the board in play have
    told: `[{"id", "params"}]`, each with the `cell`'s name; nothing of it stops play"""
    counts_as: int | UnsetType = UNSET
    """kind that the next stone set on the board counts as, where the board cannot tell the
    stones of a turn apart: the first of `owing`; absent elsewhere"""
    pie: bool | UnsetType = UNSET
    """true while the other player will choose a side after this turn; absent elsewhere"""
    more: dict[str, list[Any]] | UnsetType = UNSET
    """only for who asks `/ws` for `&changes=1`, from the second view on, which then has `v` and
    the fields that differ: by name what those lists have got at their ends"""
    gone: list[str] | UnsetType = UNSET
    """only beside `more`: the fields that the view has no longer"""
    phase: PhaseShown | UnsetType = UNSET
    """what the table waits for: `{"name", "takes", "title", "says", "next"}`. Where it `takes`
    moves a stone on a mark is one; elsewhere `legal` and `open` are empty and no mark invites.
    `title` is the headline (null: whose turn it is), `says` the sentence where `verdict` and
    what may be done have none; `next` what leads on from where no hand does: `lobby`, `answer`,
    `confirm`, `new`, `present`, `set-up`. Left out by older recordings"""
    line: dict[str, Any] | UnsetType = UNSET
    """the statistics of the board's link (docs/link.md): only in `/api/view`"""
