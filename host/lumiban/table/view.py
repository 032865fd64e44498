"""The table as its watchers see it: one JSON-ready document after every change (docs/page.md).

Where pieces have names it says which is which, and how they go to the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from lumiban.boards.faults import BROWN_OUT, CALIBRATION, DRIFT, LIGHTS, RAIL, supply
from lumiban.boards.mapping import paint
from lumiban.boards.types import LightFrame
from lumiban.games import mark_kinds
from lumiban.games.base import Kind, Mark, Move, Outcome, Refusal
from lumiban.games.types import TIME
from lumiban.scene.draw import draw
from lumiban.table import guidance, recentre
from lumiban.table.board_view import CONNECTING, UP
from lumiban.table.clocks import described
from lumiban.table.commands import TURNS
from lumiban.table.free_play import UNREAD, FreePlay, TimeOut
from lumiban.table.guidance import MEND, TOLD, steps_of
from lumiban.table.history import US_A_MS, GameHistory, Played, is_floating
from lumiban.table.identities import AUDIT, NAMES, PieceIdentities
from lumiban.table.light_play import LightPlay
from lumiban.table.phase import Moment, missing, moment, shown
from lumiban.table.referee import AIR, BLIND, CONFIRM, MACHINE, comes_back
from lumiban.table.requests import TAKE_BACK
from lumiban.table.state import Shown, TableState
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import (
    Agree,
    Choose,
    Output,
    Pending,
    Prompt,
    Publish,
    Refuse,
    Repair,
    Show,
    Step,
    Wait,
)
from lumiban.table.view_fields import (
    AuditShown,
    ClocksShown,
    CoachShown,
    Connection,
    CountShown,
    Do,
    Drift,
    GameShown,
    LegalShown,
    MarkShown,
    MoveShown,
    OutcomeShown,
    PendingShown,
    PhaseShown,
    PromptShown,
    RaceShown,
    SeatShown,
    StepShown,
    TableView,
    Text,
    TimeoutShown,
    VerdictKind,
    VerdictShown,
    WaitsFor,
)


def _with_time_of(last: TableView, view: TableView) -> TableView:
    """The view with the running clock as it was: passing time alone is no change."""
    clock, before = view.clock, last.clock
    if clock is UNSET or before is UNSET or clock.running is None:
        return view
    shown = list(clock.clocks)
    if clock.running != before.running or len(shown) != len(before.clocks):
        return view
    was = before.clocks[clock.running]
    shown[clock.running] = replace(shown[clock.running], left_ms=was.left_ms)
    return replace(view, clock=replace(clock, clocks=shown))


def clocks_shown(history: GameHistory, now_us: int) -> ClocksShown | UnsetType:
    """Return the readings of the game's clocks at this board time; UNSET where it has none."""
    clock = history.clock
    if clock is None:
        return UNSET
    number = 0 if clock.is_shared else history.clock_side
    number = history.fallen if number is None else number
    at_ms = now_us // US_A_MS
    return ClocksShown(
        control=str(clock.control),
        text=Text(*described(clock.control, is_shared=clock.is_shared)),
        clocks=[clock.reading(n, n == number, at_ms) for n in range(len(clock.left))],
        running=number if clock.is_running and not clock.is_held else None,
    )


_PLACES = (mark_kinds.MAY_PLACE, mark_kinds.MAY_PLACE_NEUTRAL, mark_kinds.LIFT_TARGET)
_PLACE = {Kind.WHITE: "white", Kind.BLACK: "black", Kind.NEUTRAL: "neutral"}

_SUPPLY = {
    "rail.high": "table.supply-high", "rail": "table.supply-low",
    "rail.dark": "table.supply-dark", "rail.none": "table.supply-none",
}  # fmt: skip


class View(Shown):
    """What a table shows, so that only changes go out; parts that rarely change are made once a
    game."""

    def __init__(self) -> None:
        self._number = 0
        self._game: tuple[object, GameShown] | None = None
        self._moves: list[tuple[Played, MoveShown]] = []
        """Each as it is shown, made when it was played: a long game has many."""

    def changes(self, table: TableState, *, may_hands_act: bool) -> list[Output]:
        """Return what differs from before, the light first; `may_hands_act` when a machine's choice
        is on disk."""
        match, out = table.match, list[Output]()
        now = moment(table)
        marks = lit = guidance.marks(table, now)
        seen = match.sensed.kinds
        if match.is_shown_only and not match.is_in_light:
            seen, lit = (0,) * len(seen), guidance.stones_in_light(match, marks)
        picture = draw(
            lit,
            grid=match.game.grid,
            theme=table.theme,
            covered=frozenset(cell for cell, kind in enumerate(seen) if kind),
            edges=tuple(name for name, _ in table.profile.edges),
        )
        frame = paint(picture, match.placing, table.profile)
        if frame != self.frame:
            self.frame = frame
            out.append(Show(frame))
        match.has_agreed |= match.board.kinds is not None and isinstance(match.verdict, Agree)
        prompt = guidance.prompt(table, now, may_hands_act)
        if prompt != self.prompt:
            self.prompt = prompt
            out.append(prompt)
        view = self._made(table, now, marks, frame)
        if self.view is None or _with_time_of(self.view, view) != self.view:
            out.append(self._published(view))
        return out

    def resting(self, table: TableState, failed: Text) -> list[Output]:
        """Return the last view of this game without what may be done, since rules that say so have
        failed; the light stays."""
        self.prompt = Prompt(())
        verdict = VerdictShown("refuse", failed, [], [])
        last = self.view or self._unasked(table)
        rests = quiet(last, shown("paused"), verdict, rules=table.rules or UNSET)
        return [self.prompt, self._published(rests)]

    def _published(self, view: TableView) -> Publish:
        self.view = view
        self._number += 1
        view.v = self._number
        return Publish(view)

    def _made(
        self, table: TableState, now: Moment, marks: Sequence[Mark], frame: LightFrame
    ) -> TableView:
        match, history = table.match, table.history
        game, position, outcome = history.game, history.position, match.outcome
        sides = range(len(game.sides))
        free = match if isinstance(match, FreePlay) and match.is_free else None
        standing = game.declined_to_move(position)
        thinks = None if table.bots.question is None else table.bots.question.side
        reaction_us = table.settings.reaction_us
        verdict = _verdict(table)
        return TableView(
            v=self._number,
            game=self._described(table),
            to_move=list(match.movers),
            seats=[SeatShown(side, who, side == thinks) for side, who in enumerate(history.seats)],
            moves=self._moves_shown(history),
            legal=LegalShown(
                place=sorted({m.cell for m in now.offered if m.meaning in _PLACES}),
                lift=[m.cell for m in now.offered if m.meaning == mark_kinds.REMOVABLE],
                kinds=_placed_kinds(table, now.offered),
            ),
            outcome=None if outcome is None else _outcome(history, outcome),
            words=[[] if outcome else list(game.words(position, side)) for side in sides],
            counts=[CountShown(*of_side) for of_side in game.scores(position)],
            stop_offers=list(game.offers(position)),
            owing=[[int(kind), count] for kind, count in game.pieces_owed(position)],
            pie=game.pie_follows(position) or UNSET,
            can_takeback=match.can_take_back() > 0,
            pieces=list(game.kinds_on(position)),
            sensed=list(match.sensed.kinds),
            labels=list(game.labels(position)),
            numbers=list(game.numbers(position)) or UNSET,
            hands=[list(names) for names in game.in_hand(position)],
            marks=[MarkShown(m.cell, m.meaning, m.side) for m in marks if m.cell >= 0],
            lights=frame.lights,
            palette=frame.palette,
            turnless=isinstance(match, FreePlay),
            open=[_open_to(free, side) if now.takes else [] for side in sides] if free else None,
            dead=sorted(free.ground.dead) if free else [],
            light=list(free.light) if free else [],
            stands=[side in standing for side in sides],
            race=_race(match) if isinstance(match, FreePlay) else None,
            timeout=_pause(free) if free else None,
            reaction_ms=None if reaction_us is None else reaction_us // 1000,
            verdict=verdict,
            prompt=_prompt(table),
            pending=_pending(table),
            drift=_drift(table),
            audit=_audit(match.naming) if is_floating(game) else None,
            lit=_light_fields(table),
            link=cast(Connection, table.connection),
            hint=table.hint,
            coach=table.coach.shown(match, table.connection),
            review=table.review.shown(),
            theme=table.theme,
            counts_as=UNSET if match.counts_as is None else match.counts_as,
            clock=clocks_shown(history, table.board_now()),
            lesson=UNSET if table.lesson is None else table.lesson.shown(),
            back_asked=match.back_asked or UNSET,
            rules=table.rules or UNSET,
            phase=_phase(table, now, verdict),
        )

    def _unasked(self, table: TableState) -> TableView:
        """A view of a game whose rules failed before its first one: what the board shows."""
        history, sensed = table.history, table.match.sensed.kinds
        return TableView(
            v=self._number,
            game=self._described(table),
            seats=[SeatShown(side, who, False) for side, who in enumerate(history.seats)],
            moves=[
                MoveShown(n, played.move.side, played.move.text, played.move.text)
                for n, played in enumerate(history.played, 1)
            ],
            to_move=[], legal=LegalShown([], [], []), outcome=None,
            words=[[] for _ in history.seats],
            counts=[], stop_offers=[], owing=[], can_takeback=False,
            pieces=[0 if kind in BLIND else kind for kind in sensed],
            sensed=list(sensed),
            labels=[], hands=[], marks=[], lights=(), palette=(),
            turnless=False, open=None, dead=[], light=[], stands=[], race=None, timeout=None,
            reaction_ms=None,
            verdict=VerdictShown("refuse", None, [], []),
            prompt=PromptShown("", []),
            pending=None, drift="", audit=None, lit=None,
            link=cast(Connection, table.connection),
            hint=table.hint,
            coach=CoachShown(False, False, False, None, False, 0, "", "", []),
            theme=table.theme,
        )  # fmt: skip

    def _described(self, table: TableState) -> GameShown:
        history = table.history
        if self._game is None or self._game[0] is not history:
            game = history.game
            described = GameShown(
                slug=game.slug,
                options=dict(game.options),
                sides=list(game.sides),
                names=list(game.grid.names),
                cells=list(table.match.placing.board),
                kinds=[int(kind) for kind in game.kinds],
                trays=[list(cells) for cells in game.trays] if is_floating(game) else [],
            )
            self._game = (history, described)
        return self._game[1]

    def _moves_shown(self, history: GameHistory) -> list[MoveShown]:
        known, played = self._moves, history.played
        while known and (len(known) > len(played) or known[-1][0] is not played[len(known) - 1]):
            known.pop()
        for n in range(len(known), len(played)):
            move = played[n].move
            text = history.game.display_text(history.positions[n], move)
            known.append((played[n], MoveShown(n + 1, move.side, move.text, text)))
        return [shown for _, shown in known]


def quiet(view: TableView, phase: PhaseShown, verdict: VerdictShown, **fields: Any) -> TableView:
    """The view while nobody can play: nothing in it says that anybody may."""
    return replace(
        view,
        phase=phase,
        verdict=verdict,
        to_move=[],
        seats=[replace(seat, thinking=False) for seat in view.seats],
        legal=LegalShown([], [], []),
        open=view.open and [[] for _ in view.open],
        words=[[] for _ in view.words],
        marks=[],
        can_takeback=False,
        pending=None,
        prompt=PromptShown("", []),
        **fields,
    )


def _phase(table: TableState, now: Moment, verdict: VerdictShown) -> PhaseShown:
    """The phase, with the sentence that people read before that of the verdict."""
    phase, prompt = now.name, table.shown.prompt
    told = shown(phase, takes=now.takes or bool(now.offered))
    by_hands = prompt.by == guidance.HANDS
    if verdict.text is not None and not by_hands:
        told.says = None
    if phase in ("mending", "refused") and by_hands:
        told.title = told.title and _text("page.turn.waits")
        told.says = _text("page.turn.mended-by-hands")
    elif phase == "setting-up" and not table.match.is_in_light:
        clears = bool(prompt.steps) and prompt.steps[0].do == "lift"
        count = missing(table.match)
        if by_hands and clears:
            told.title, told.says = _text("page.turn.next"), _text("page.turn.clearing")
        elif by_hands:
            told.title = _text("page.turn.waits")
            told.says = _text("page.turn.set-by-hands", n=count)
        elif not clears and count > 1:
            told.says = _text("page.turn.setting-up", n=count)
    elif phase == "paused" and isinstance(table.match, FreePlay) and table.match.time_out:
        told.title = _text("page.turn.timeout")
    return told


def _outcome(history: GameHistory, outcome: Outcome) -> OutcomeShown:
    """The result, with what decided by the rules: the figures, and the rank of the groups, 1 for
    the largest; UNSET where none did, or the clock."""
    game, position = history.game, history.position
    counts = groups = None
    if outcome.reason != TIME:
        counts, groups = game.final_counts(position), game.final_groups(position)
    return OutcomeShown(
        outcome.winner,
        Text(outcome.text_id, outcome.params(game.sides)),
        UNSET if counts is None else list(counts),
        UNSET if groups is None else groups[0],
    )


def _placed_kinds(table: TableState, legal: Sequence[Mark]) -> list[int]:
    """Return the kinds that may be placed now: a mark of no side means that any side's piece
    may."""
    sides = range(len(table.game.sides))
    placing = {mark.side for mark in legal if mark.meaning == mark_kinds.MAY_PLACE}
    kinds = [side + 1 for side in sides if side in placing or None in placing]
    neutral = any(mark.meaning == mark_kinds.MAY_PLACE_NEUTRAL for mark in legal)
    return [*kinds, int(Kind.NEUTRAL)] if neutral else kinds


def _prompt(table: TableState) -> PromptShown:
    match, prompt = table.match, table.shown.prompt
    steps = [
        StepShown(cast(Do, step.do), step.cell, step.kind, name_of(match, step) or UNSET)
        for step in prompt.steps
    ]
    return PromptShown(cast(WaitsFor, prompt.wait), steps, prompt.by or UNSET)


def _pending(table: TableState) -> PendingShown | None:
    waits = table.match.lift or table.match.waiting
    if waits is None:
        return None
    due = waits.due_us
    left_ms = None if due is None else max(0, due - table.board_now()) // 1000
    return PendingShown(waits.move.text, display_text(table, waits.move), left_ms)


def _drift(table: TableState) -> Drift:
    """Return the drift of the pieces on the board: `sliding`, `advised` or `may` go to the middle,
    or ""."""
    match = table.match
    game, position = match.game, match.position
    if not is_floating(game) or match.outcome is not None:
        return ""
    if match.naming.slide is not None:
        return "back" if match.naming.slide.is_back else "sliding"
    if game.drift(position) == (0, 0):
        return ""
    return "advised" if match.naming.is_crowded else "may"


def _audit(naming: PieceIdentities) -> AuditShown:
    """The question which piece is which, where pieces have names."""
    asks = naming.audit
    name, left = (None, 0) if asks is None else (asks.name, len(asks.asked))
    return AuditShown(naming.is_audit_advised, name, left)


def _light_fields(table: TableState) -> dict[str, Any] | None:
    """Of a game in light: its figures, and what is being shown of the last move's chain."""
    match = table.match
    if not isinstance(match, LightPlay):
        return None
    step = match.step
    return {
        **match.game.page_figures(match.position),
        "left": 0 if step is None else step[0] + 1,
        "pace_ms": None if match.pace_us is None else match.pace_us // 1000,
    }


def display_text(table: TableState, move: Move) -> str:
    """A move of this moment as people say it at this board."""
    return table.game.display_text(table.match.position, move)


def _verdict(table: TableState) -> VerdictShown:
    match, verdict = table.match, table.match.verdict
    if match.is_free and not match.is_ordered and match.outcome is None:
        return VerdictShown("choose", _text("table.too-slow"), [], [TURNS])
    if isinstance(verdict, Choose):
        back = [TAKE_BACK] if verdict.back else []
        texts = [move.text for move in verdict.candidates]
        spoken = [display_text(table, move) for move in verdict.candidates]
        said = _sentence(table, None)
        return VerdictShown("choose", said, [], [*texts, *back], [*spoken, *back])
    kind: VerdictKind = "wait" if isinstance(verdict, Wait) else "agree"
    why = None
    if isinstance(verdict, Refuse):
        kind, why = "refuse", verdict.refusal
    elif isinstance(verdict, Repair):
        kind, why = "repair", verdict.why
    return VerdictShown(kind, _sentence(table, why), list(why.cells) if why else [], [], [])


def _sentence(table: TableState, why: Refusal | None) -> Text | None:
    """Return the sentence that people read at this moment, if any."""
    if table.no_room:
        return _text("table.no-room", folder=table.no_room)
    if table.connection != UP:
        if table.board.hindrance is not None:
            reason, detail = table.board.hindrance
            return _text(f"board.lost.{reason}", detail=detail)
        if table.connection == CONNECTING:  # a board without power on its strips shows nothing
            return _supply(table) or _text("table.connecting")
        return _text("table.board-lost")
    if table.match.paused and table.outcome is None:
        return _text("table.paused")
    return _about_names(table.match) or _about_moves(table, why)


def _about_moves(table: TableState, why: Refusal | None) -> Text | None:
    """Return the sentence of the verdict, a lift, a machine, a bot or else the board."""
    match, verdict = table.match, table.match.verdict
    if why is not None:
        return _text(why.text_id, **dict(why.params))
    if isinstance(verdict, Repair):
        return _step_text(table, verdict.plan[0], MEND)
    if isinstance(verdict, Choose):
        return _text("table.choose")
    markers = _about_markers(match)
    if markers is not None:
        return markers
    if match.lift is not None:
        move = match.lift.move
        id = "table.lift-waits" if match.lift.due_us is None else "table.lift-counts-down"
        if isinstance(match, LightPlay):
            id = "table.markers-lift"
        elif match.game.lifts_by_button:
            id = "table.lift-by-button"
        elif comes_back(match.game, match.position, match.shown, move):
            id = "table.grow-by-button"
        return _text(id, move=display_text(table, move))
    if match.wait_reason == CONFIRM:
        return None
    exchanged = guidance.exchange(match)
    if exchanged is not None:
        cell, whose = exchanged
        id = "table.exchange-back" if whose is None else "table.exchange"
        return _text(id, cell=match.cell_name(cell))
    if table.has_hung_lately:
        return _text("table.hung")
    if match.waiting is not None:
        return _next_step(table, match.waiting)
    trouble = table.bots.trouble
    if not trouble or table.bots.question is not None:
        return _about_board(table)
    if isinstance(trouble, str):
        return _text("table.bot-failed", reason=trouble)
    # Embeds the rule's own sentence: players cannot read a rule's id.
    params = dict(trouble.why.params) | {"move": trouble.move, "why": trouble.why.text_id}
    return _text("table.bot-refused", **params)


def _about_markers(match: TurnPlay) -> Text | None:
    """Sentence about markers that wait to be lifted, in a game in light."""
    if not isinstance(match, LightPlay) or match.lift is not None:
        return None
    if match.strays:
        return _text("table.markers-lie", cells=_named_cells(match, match.strays))
    asking = match.game.asking(match.gesture)
    return None if asking is None else _text("table.marker-asks", cell=match.cell_name(asking))


def _about_board(table: TableState) -> Text | None:
    """Return what the board cannot see or complains of, where the game has nothing to say."""
    match = table.match
    supply = _supply(table)
    if supply is not None:
        return supply
    board, unread = match.placing.board, table.board.blind
    seen = enumerate(match.sensed.kinds)
    blind = [c for c, kind in seen if kind in BLIND or board[c] in unread]
    if blind and match.outcome is None:
        return _text("table.blind", cells=_named_cells(match, blind))
    return _complaint(table)


def _named_cells(match: TurnPlay, cells: Sequence[int]) -> str:
    return ", ".join(map(match.cell_name, cells))


def _supply(table: TableState) -> Text | None:
    """Sentence about a weak or wrong supply: it causes all else that the board may report."""
    tenths = next((where for code, where in table.board.faults.held if code == RAIL), None)
    if tenths is None:
        return None
    return _text(_SUPPLY[supply(tenths)], volts=f"{tenths / 10:.1f}")


def _complaint(table: TableState) -> Text | None:
    """Return what the board reports as wrong with it, where nothing else is to be told."""
    held = table.board.faults.held
    match = table.match
    if (LIGHTS, 0) in held:
        return _text("table.lights-out")
    for code, where in sorted(held):
        if code == BROWN_OUT:
            return _text("table.shaken")
        if code == CALIBRATION:
            return _text("table.calibration-lost")
        on_game = match.placing.game[where] if where < len(match.placing.game) else -1
        if code == DRIFT and on_game >= 0:
            return _text("table.drifts", cell=match.cell_name(on_game))
    return None


def _next_step(table: TableState, waits: Pending) -> Text | None:
    steps = steps_of(table.match, waits.move)
    if not steps:
        return _text("table.machine-confirm", move=display_text(table, waits.move))
    return _step_text(table, steps[0], MACHINE if table.match.machine is not None else TOLD)


def _step_text(table: TableState, step: Step, wait: str) -> Text:
    cell = table.match.cell_name(step.cell)
    name = name_of(table.match, step)
    if name:
        return _text(f"table.{wait}-{step.do}-named", cell=cell, name=name)
    if step.do == "lift":
        return _text(f"table.{wait}-lift", cell=cell)
    return _text(f"table.{wait}-place-{_PLACE.get(Kind(step.kind), 'neutral')}", cell=cell)


def _text(id: str, **params: str | int) -> Text:
    return Text(id, params)


def _about_names(match: TurnPlay) -> Text | None:
    """The sentence of this moment, None when names do not matter now."""
    verdict = match.verdict
    if not is_floating(match.game):
        return None
    if isinstance(verdict, Repair) and match.naming.slide is not None:
        return _sliding(match, verdict)
    why, audit = match.wait_reason, match.naming.audit
    if why == AUDIT and audit is not None:
        id = "table.audit-put-back" if audit.up else "table.audit-lift"
        return _text(id, name=audit.name)
    if why == NAMES:
        return _to_confirm(match)
    if why == AIR:
        return _in_air(match)
    if isinstance(verdict, Agree) and match.waiting is None and match.naming.is_crowded:
        return _text("table.drift-advised")
    return None


def _to_confirm(match: TurnPlay) -> Text:
    naming, game = match.naming, match.game
    if naming.doubt.cells or match.machine is None:
        stand = sorted(naming.where_they_stand().items())
        pieces = ", ".join(f"{name} {game.grid.name(cell)}" for cell, name in stand)
        if naming.asked_move is None:
            return _text("table.names-check", pieces=pieces)
        move = game.display_text(match.position, naming.asked_move)
        return _text("table.names-move", pieces=pieces, move=move)
    move = game.display_text(match.position, match.machine.move)
    return _text("table.names-machine", move=move)


def _in_air(match: TurnPlay) -> Text | None:
    """Return which pieces go back where, while more are in the air than a move lifts."""
    labels, grid = match.game.labels(match.position), match.game.grid
    back = guidance.cells_back(match)
    if len(back) == 1:
        return _text("table.mend-place-named", name=labels[back[0]], cell=grid.name(back[0]))
    if len(back) > 1:
        pieces = ", ".join(f"{labels[cell]} {grid.name(cell)}" for cell in back)
        return _text("table.two-in-air", pieces=pieces)
    return None


def name_of(match: TurnPlay, step: Step) -> str:
    """The name of the piece that a step is about, "" where nobody can know it or none matters."""
    history, verdict = match.history, match.verdict
    names = history.game.labels(history.position)
    if not names:
        return ""
    mends = isinstance(verdict, Repair | Refuse)
    if match.naming.slide is not None:
        return recentre.name_of(match.naming.slide, match.sensed.kinds, step)
    if not mends and match.waiting is not None and step.do == "place":
        after = history.game.play(history.position, match.waiting.move)
        return history.game.labels(after)[step.cell]
    return "" if mends and step.do == "lift" else names[step.cell]


def _sliding(match: TurnPlay, verdict: Repair) -> Text | None:
    """Return the sentence of a slide's step; None for disorder on the way, which has the usual
    sentences."""
    step = verdict.plan[0]
    if verdict.why is None:
        return None
    cell = match.cell_name(step.cell)
    return _text(f"table.slide-{step.do}", name=name_of(match, step), cell=cell)


def _open_to(match: FreePlay, side: int) -> list[int]:
    game, position = match.game, match.position
    effects = (game.effects(position, move) for move in game.listed_moves(position, side))
    return sorted({cell for changes in effects for cell, _, _ in changes})


def _race(match: FreePlay) -> RaceShown | None:
    race = match.finishes.last
    if race is None:
        return None
    id = "table.race-early" if race.came_early else "table.race"
    id = "table.race-tie" if race.is_tie else id
    params: dict[str, str | int] = {
        "winner": "side." + match.game.sides[race.winner],
        "cell": match.cell_name(race.cell),
        "by": f"{race.by_us / 1000:.1f}",
        "unsure": f"{race.uncertainty_us / 1000:.1f}",
    }
    return RaceShown(
        cell=race.cell,
        winner=race.winner,
        by_us=race.by_us,
        uncertainty_us=race.uncertainty_us,
        tie=race.is_tie,
        text=Text(id, params),
    )


def _pause(match: FreePlay) -> TimeoutShown | None:
    if match.outcome is not None:
        return None
    sides = range(len(match.game.sides))
    pause = match.time_out
    if not match.is_ordered:
        return TimeoutShown(Text("table.too-slow", {}), [False for _ in sides], None)
    if pause is None:
        return None
    beats = pause.beats(match.now_us)
    text = Text("table.time-out-beats" if beats else _amiss(match, pause), {})
    people = match.history.people
    return TimeoutShown(
        text,
        confirmed=[side in pause.confirmed or side not in people for side in sides],
        beats_at_ms=[(at - match.now_us) // 1000 for at in beats] if beats else None,
    )


def _amiss(match: FreePlay, pause: TimeOut) -> str:
    """Return why play stands still; or that it may go on once both confirm."""
    if match.paused:
        return "table.paused"
    if not match.misplaced and not match.unread():
        return "table.time-out-ready"
    return f"table.time-out-{UNREAD if match.unread() else pause.why}"
