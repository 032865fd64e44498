"""One game on one board: pending moves, pieces to be mended, and what the referee's verdicts do to
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from lumiban.boards.mapping import place_grid
from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent
from lumiban.games import mark_kinds
from lumiban.games.base import Kind, Mark, Move, Position, Refusal
from lumiban.table.board_view import UP, BoardView
from lumiban.table.clocks import ClockState
from lumiban.table.history import (
    BY_BOARD,
    BY_MACHINE,
    BY_PAGE,
    US_A_MS,
    GameHistory,
    Played,
)
from lumiban.table.identities import NAMES, PieceIdentities, Play
from lumiban.table.journal import EndRecord, JournalRecord
from lumiban.table.referee import (
    AIR,
    BLIND,
    CONFIRM,
    LIFT,
    MACHINE,
    PAGE,
    PAUSED,
    judge,
    mending_steps,
    unmasked,
)
from lumiban.table.switch_kinds import SwitchKinds
from lumiban.table.types import (
    HUMAN,
    Agree,
    BotTurn,
    Commit,
    Pending,
    RefereeContext,
    Refuse,
    Repair,
    Sensed,
    Settings,
    Step,
    Takeback,
    Verdict,
    Wait,
    differing,
)
from lumiban.table.view_fields import BackAskedShown

NEVER_US = 1 << 62


class _Undone(Struct, frozen=True):
    """Moves that hands took back, as long as nothing else has happened: the position since then,
    the pieces before, and what the clocks showed."""

    position: Position
    stood: tuple[int, ...]
    moves: tuple[Played, ...]
    clock: ClockState | None


_ROUNDS = 8
"""Verdicts that one picture may bring about; more are left for the next event."""


class TurnPlay(Play):
    """A course of play laid on a board.

    `keep` takes the records of what happens; `voided` is called when the position or a seat
    changed, so that whatever was being thought about it is void; `judged`, in free play, with board
    events once their meaning is kept. Times are board µs. Other ways to
    play (`free_play`, `light_play`) give answers of their own.
    """

    is_in_light = False
    """True if moves are light: they count as soon as they are told."""
    is_ordered = True
    """True if the board can tell which of two hands was first."""
    has_agreed = False
    """True once board and game have agreed: before, a piece that is missing was not lifted."""

    def __init__(
        self,
        history: GameHistory,
        profile: Profile,
        board: BoardView,
        settings: Settings,
        keep: Callable[[JournalRecord], None],
        voided: Callable[[], None],
        judged: Callable[[Sequence[BoardEvent]], None],
    ) -> None:
        self.history = history
        self.profile = profile
        self.placing = place_grid(history.game.grid, profile)
        self.board = board
        self.settings = settings
        self.verdict = Agree()
        self.sensed = board.sensed(self.placing)
        self.lift: Pending | None = None
        self.outcome = history.outcome
        self.grace_until_us = 0
        self._keep = keep
        self._voided = voided
        self._judged = judged
        self._refused: Refusal | None = None
        self._back_asked: tuple[BackAskedShown, Played] | None = None
        # Five sets say why a cell does not show its piece, and none follows from the others.
        # - history.to_mend: hands were asked to mend it; it is no move, but the piece may be in a
        #   hand and go elsewhere, so it ends with the lift. Kept in the journal.
        # - board.unseen: its last change came without an event, so no hand took a move back there.
        #   It belongs to the board, whatever the game: a piece to mend may well have been seen.
        # - _never_placed: its piece was never there, so it is in no hand. If it were only to be
        #   mended, a lift elsewhere would be taken for it; if all that is to be mended counted as
        #   never placed, a refused piece would have to go back before it may go elsewhere.
        # - to_put_back: a simulated hand took it up to mend it. People may go elsewhere with it,
        #   so nothing is to be mended any more; that hand knows no other place.
        # - _early: people set it before their turn; it is judged when that comes.
        self.to_put_back: frozenset[int] = frozenset()
        """Cells whose pieces were asked for in mending, and are in the air now."""
        self._never_placed = history.to_mend
        """Cells of a position that was set, or of moves that were told while nothing could be read
        there, and that have not been seen as they should be since. This is not kept: after a crash
        all cells to mend are taken for such ones."""
        self._played_us = 0
        """Board time of the last move, 0 for long ago."""
        self._was_paused = False
        self._undone: _Undone | None = None
        self._early: tuple[int, ...] = ()
        self.is_putting_back = False
        """True if hands were asked to make the board show the position, whatever lies there."""
        self._marks: tuple[Position | None, dict[str, tuple[Mark, ...]]] = (None, {})
        self.naming = PieceIdentities(self, keep)
        self._unnamed = SwitchKinds() if profile.is_of_switches and profile.has_sensors else None
        """Names the pieces of a board that only senses that they stand there."""
        self.is_shown_only = not profile.has_sensors
        """True if no piece stands on the board: it shows what is played by page."""
        if history.chosen is not None:
            self.machine = Pending(history.chosen, MACHINE)
        self._prepare()

    def _prepare(self) -> None:
        """Begin what another way to play has besides."""

    # What is.

    def cell_name(self, cell: int) -> str:
        """Return what people call a cell of the game."""
        return self.game.grid.name(cell)

    @property
    def is_free(self) -> bool:
        """True if each stone counts by itself now, of either side."""
        return False

    @property
    def shown(self) -> tuple[int, ...]:
        """The picture sensed, with cells that cannot be read as they should be."""
        return unmasked(self.sensed.kinds, self.should)

    @property
    def strays(self) -> tuple[int, ...]:
        """Cells of markers that say nothing until they are lifted, in a game in light."""
        return ()

    def bot_turn(self) -> BotTurn | None:
        """The bot that should think, from when on; None when none should."""
        if self.machine is not None or not isinstance(self.verdict, Agree):
            return None
        for side in self.movers:
            if self.history.bot_level(side):
                return BotTurn(side, max(self.grace_until_us, self.paced_until_us))
        return None

    def hear(self, event: BoardEvent) -> None:
        """A board event of free play."""

    def intend(self, move: Move) -> None:
        """A bot means to do this in free play, when its time has come."""

    def tell_at(self, move: Move, at_us: int, by: str) -> None:
        """A move of free play that was told by page or bot at this board time."""

    def unjudged_us(self) -> int:
        """Board time of the first thing that came and was not judged yet; far off without one."""
        return NEVER_US

    def flush(self) -> None:
        """Judge all that still waits for its order."""

    def row_unread(self, cells: Sequence[int], at_us: int) -> None:
        """The board cannot read the row of these board cells."""

    @property
    def paced_until_us(self) -> int:
        """Until when machines that play each other wait, so that people can follow."""
        wait_us = self.settings.reaction_us
        if wait_us is None or self.history.people or not self._played_us:
            return 0
        return self._played_us + wait_us

    def marks(self, level: str) -> tuple[Mark, ...]:
        """Return what the game says its cells mean now, at a hint level."""
        position = self.history.position
        if self._marks[0] is not position:
            self._marks = (position, {})
        by_level = self._marks[1]
        if level not in by_level:
            by_level[level] = self.game.marks(position, level)
        return by_level[level]

    @property
    def counts_as(self) -> int | None:
        """Kind as which the next stone counts, in a turn of several kinds on a board that cannot
        tell them apart: `SwitchKinds` takes a turn's own stones first."""
        to_mend = () if self._unnamed is None else self.game.pieces_owed(self.position)
        return int(to_mend[0][0]) if to_mend and self.outcome is None else None

    def can_take_back(self) -> int:
        """Return the number of moves that a takeback goes back now; 0 when none is allowed."""
        if not self.settings.takeback or self.outcome is not None:
            return 0
        # Against a bot that is its answer and the person's move before it. Words are no turn.
        for count, move in enumerate(reversed(self.history.moves), 1):
            if self.history.seats[move.side] == HUMAN and not move.is_word:
                return count
        return 0

    @property
    def back_asked(self) -> BackAskedShown | None:
        """Request of a person to the other one to take back what was played last; None where there
        is none."""
        asked, played = self._back_asked, self.history.played
        is_over = self.outcome is not None or len(self.history.people) < 2
        if asked is None or is_over or not played or played[-1] is not asked[1]:
            return None
        return asked[0]

    def ask_back(self, side: int) -> None:
        """The person of this side asks."""
        self._back_asked = BackAskedShown(side, False), self.history.played[-1]

    def decline_back(self) -> None:
        """The other one says no, which holds until something is played."""
        if self._back_asked is not None:
            asked, last = self._back_asked
            self._back_asked = BackAskedShown(asked.side, True), last

    def shows(self, move: Move) -> bool:
        """True if the cells that `move` changes look as they do after it."""
        seen = self.sensed.kinds
        return all(seen[c] == after for c, _, after in self.game.effects(self.position, move))

    @property
    def paused(self) -> tuple[int, ...]:
        """The game's cells on which the board shows pieces that lie elsewhere, beyond doubt: as
        long as there are any, play stands still."""
        aliased = self.board.aliased
        return tuple(c for c, cell in enumerate(self.placing.board) if cell in aliased)

    @property
    def on_board(self) -> tuple[int, ...]:
        """Pieces on each cell of the board by the game; a stone in light lies nowhere."""
        lies = [int(Kind.EMPTY)] * len(self.placing.game)
        pieces = self.should
        for cell, kind in enumerate(() if self.is_in_light else pieces):
            if cell not in self.history.light:
                lies[self.placing.board[cell]] = int(kind)
        return tuple(lies)

    # Judging.

    def consider(self, at_us: int) -> None:
        """Judge the board as it is seen now, at this board time, and follow the verdict."""
        self.verdict = Agree()
        self._sense(at_us)
        if self.board.kinds is None:
            return
        if self._stands_still():
            return
        if self._puts_back():
            return
        aside = self.naming.follow()
        if aside is not None:
            self.verdict = aside
            return
        self._play_again_what_was_put_back(at_us)
        for _ in range(_ROUNDS):
            if self.outcome is not None:
                self.verdict = Agree()
                break
            history = self.history
            pending = self.waiting or self.lift
            self._sense(at_us)
            self._follow_early()
            if self._never_placed:
                self._never_placed &= self._misplaced()
            sensed = Sensed(self.judged_kinds, self.sensed.turned)
            self.verdict = judge(
                history.game, history.position, sensed, pending, self.trail(), at_us
            )
            self.verdict = self.naming.instead(self.verdict)
            if isinstance(self.verdict, Commit):
                for move in self.verdict.moves:
                    self._commit(move, at_us)
                if pending is not None and pending.confirmed:
                    self.ask_for_pieces_up()
            elif isinstance(self.verdict, Takeback):
                undone = tuple(history.played[-self.verdict.moves :])
                stood = self.should
                seen, clock = self.sensed.kinds, self._clock_state(at_us)
                self.take_back(self.verdict.moves)
                # Lifting again what was put back is only touching, and touching is not playing.
                if all(self.naming.are_told_apart(one.move) for one in undone) and any(
                    kind and kind != seen[cell] for cell, kind in enumerate(stood)
                ):
                    self._undone = _Undone(history.position, stood, undone, clock)
                for move in self.verdict.then:
                    self._commit(move, at_us)
            else:
                break
        self.naming.watch()
        self._remember(self.verdict)

    @property
    def judged_kinds(self) -> tuple[int, ...]:
        """The picture sensed, without what people set before its time (`_early`)."""
        hidden = self._early[1:] if self._is_persons_turn else self._early
        if not hidden:
            return self.sensed.kinds
        should, seen = self.should, self.sensed.kinds
        return tuple(should[cell] if cell in hidden else kind for cell, kind in enumerate(seen))

    @property
    def _is_persons_turn(self) -> bool:
        return any(self.history.seats[side] == HUMAN for side in self.movers)

    def _follow_early(self) -> None:
        """Note the cells on which people set their own pieces while a machine thinks or its move is
        brought. They are judged when the turn comes, in the order in which they came: a player who
        has seen where the machine goes need not wait for its hand."""
        if self._unnamed is not None or self.is_shown_only or self.is_in_light or not self.movers:
            self._early = ()
            return
        should, seen = self.should, self.sensed.kinds
        if self._is_persons_turn:
            if self.game.lifts_by_button:
                self._early = ()  # what was lifted and what was set are one move
            self._early = tuple(c for c in self._early if seen[c] and not should[c])
            return
        early = self._set_early(should, seen)
        before = (cell for cell in self._early if cell in early)
        self._early = tuple(dict.fromkeys((*before, *sorted(early))))

    def _set_early(self, should: Sequence[int], seen: Sequence[int]) -> frozenset[int]:
        """The cells that differ by people's own pieces alone, and are none of the machine's."""
        history, game = self.history, self.game
        own = {side + 1 for side in history.people} | ({Kind.NEUTRAL} & set(game.kinds))
        kept = history.to_mend | self.board.unseen_on(self.placing)
        back = self.can_take_back()
        moves, differ = game.lifts_by_button, differing(should, seen)
        if any(not seen[cell] for cell in self.naming.doubt.cells.intersection(differ)):
            return frozenset()  # a piece in doubt is up: it stands first, then people are asked
        if back:
            undone = frozenset(differing(game.kinds_on(history.past[-back]), should))
            if moves and not undone.isdisjoint(differ):
                return frozenset()  # the piece moved last is up, and what was set may be that one
            kept |= undone
        if self.machine is not None:
            kept |= frozenset(self.changed_by(self.machine.move))
        return frozenset(
            cell
            for cell in differ
            if cell not in kept
            and (seen[cell] in own or (moves and not seen[cell]))
            and (not should[cell] or (moves and should[cell] in own))
        )

    def _sense(self, at_us: int) -> None:
        """Take in what the board shows now."""
        self.sensed = self.board.readable(self.placing)
        if self.is_shown_only and not self.is_in_light:
            slide = self.naming.slide  # where no piece stands, all are in the middle at once
            self.sensed = Sensed(slide.pictures[-1] if slide is not None else self._as_told())
            return
        if self._unnamed is None or self.board.kinds is None:
            return
        if self.naming.slide is not None:
            self.sensed = self._unnamed.along(self.sensed, self.naming.slide.pictures)
            return
        pending = self.waiting or self.lift
        self.sensed = self._unnamed.named(
            self.sensed, self.game, self.position, pending, self.trail(), at_us
        )

    def _as_told(self) -> tuple[int, ...]:
        """The picture where no piece stands: what was told or chosen is there at once."""
        position = self.position
        if self.waiting is not None:
            position = self.game.play(position, self.waiting.move)
        return self.game.kinds_on(position)

    def _stands_still(self) -> bool:
        """True if play is paused; what it left on the board is no move, but is to be mended."""
        if self.paused:
            self._was_paused = True
            self.lift = None
            self.verdict = Wait(PAUSED)
        elif self._was_paused:
            self._was_paused = False
            self._ask_to_mend(self.history.to_mend | self._misplaced())
        return self._was_paused

    def put_back(self, at_us: int) -> None:
        """Let hands make the board show the position: nothing that lies otherwise is meant."""
        self.told = self.lift = None
        self._refused = None
        self.is_putting_back = True
        self.consider(at_us)

    def _puts_back(self) -> bool:
        """True if something is still to be put back."""
        steps = self.steps_back() if self.is_putting_back else ()
        self.is_putting_back = bool(steps)
        if steps:
            self.lift = None
            self.verdict = Repair(steps)
            self._ask_to_mend({step.cell for step in steps} | self._unread(self.history.to_mend))
        return self.is_putting_back

    def steps_back(self) -> tuple[Step, ...]:
        """The steps that make the board show the position as it is."""
        return () if self.is_shown_only or self.outcome is not None else self.to_come()

    def to_come(self) -> tuple[Step, ...]:
        """What differs from the position, as steps, whatever stands in their way."""
        should = self.should
        return mending_steps(unmasked(self.sensed.kinds, should), should)

    def mended(self, at_us: int) -> None:
        """People say that a paused table may play on."""
        self.board.mended(at_us)
        self.consider(at_us)

    def ask_to_mend_all(self) -> None:
        """Whatever stands otherwise than it should is to be mended, and is no move by lying so, nor
        by not being there yet."""
        if not (self.is_free or self.is_in_light):
            self._never_placed = self._misplaced()
            self._ask_to_mend(self._never_placed)

    def ask_for_pieces_up(self) -> None:
        """Ask hands to set what a move that was meant, not shown, has left in the air: no rule is
        broken by that."""
        up = self._misplaced()
        self._ask_to_mend(self.history.to_mend | (up - self._unread(up)))

    def _misplaced(self) -> frozenset[int]:
        return frozenset(differing(self.should, self.sensed.kinds))

    def trail(self) -> RefereeContext:
        """Return what the referee must know of the way here."""
        history = self.history
        people = history.people
        back = self.can_take_back()
        return RefereeContext(
            past=history.past,
            backs=(back,) if back else (),
            people=people,
            countdown_us=self.settings.confirm_us if len(people) < len(history.seats) else None,
            to_mend=history.to_mend,
            unseen=self.board.unseen_on(self.placing),
            never_placed=self._never_placed,
            refused=self._refused,
            grace_until_us=self.grace_until_us,
        )

    def _play_again_what_was_put_back(self, at_us: int) -> None:
        """A stone was only lifted to look beneath it: what that took back is played again."""
        undone = self._undone
        if undone is None:
            return
        if undone.position is not self.history.position:
            self._undone = None
        elif self.sensed.kinds == undone.stood:
            self._undone = None
            for played in undone.moves:
                self.play(played.move, at_us, played.by, played.spent_ms)
            if undone.clock is not None:
                self._keep(self.history.put_clock_back(undone.clock))

    def _clock_state(self, at_us: int) -> ClockState | None:
        """Return the clocks' state at this board time, None where there are none."""
        clock = self.history.clock
        if clock is None:
            return None
        return ClockState(clock.left, clock.spent_at(at_us // US_A_MS))

    def _commit(self, move: Move, at_us: int) -> None:
        by = BY_BOARD
        if self.machine is not None and move == self.machine.move:
            by = BY_MACHINE
        elif self.told is not None and move == self.told.move:
            by = BY_PAGE
        self.play(move, at_us, by)
        if by == BY_BOARD:
            self.grace_until_us = at_us + self.settings.grace_us

    def _remember(self, verdict: Verdict) -> None:
        if isinstance(verdict, Repair):
            places = {step.cell for step in verdict.plan if step.do == "place"}
            self.to_put_back = frozenset(places)
        elif self.wait_reason == AIR:
            self.to_put_back &= self._misplaced()
        else:
            self.to_put_back = frozenset()
        if isinstance(verdict, Refuse | Repair):
            if self.machine is None:
                self._ask_to_mend(
                    {step.cell for step in verdict.plan} | self._unread(self.history.to_mend)
                )
                self._refused = verdict.refusal if isinstance(verdict, Refuse) else None
            lift = self.lift
            # Nothing counts down while something is to be mended: it restarts afterwards.
            if lift is not None and (lift.due_us is not None or not self.shows(lift.move)):
                self.lift = None
            return
        if self.machine is None:
            beside = verdict.marks if isinstance(verdict, Wait) else ()
            mend = {mark.cell for mark in beside if mark.meaning == mark_kinds.MEND}
            self._ask_to_mend(self._unread(self.history.to_mend) | (self.history.to_mend & mend))
        self._refused = None
        if not isinstance(verdict, Wait) or verdict.why != CONFIRM:
            self.lift = None
        elif verdict.pending is not None:
            self.lift = Pending(verdict.pending, LIFT, verdict.until_us)
            self.told = None

    def _unread(self, cells: Iterable[int]) -> frozenset[int]:
        """Those of these cells that the board cannot read now."""
        return frozenset(cell for cell in cells if self.sensed.kinds[cell] in BLIND)

    def _ask_to_mend(self, cells: Iterable[int]) -> None:
        """Ask hands to mend these cells; kept in the journal, so that it survives the end of the
        host."""
        to_mend = frozenset(cells)
        if to_mend != self.history.to_mend:
            self._keep(self.history.ask_to_mend(to_mend))

    # Changes; each is kept.

    def play(self, move: Move, at_us: int, by: str, spent_ms: int | None = None) -> None:
        """Play a move or word; IllegalMove when the game forbids it. `spent_ms` is what its turn
        had taken, where that is known already."""
        changed = self.changed_by(move)
        self.naming.doubt.played(changed)
        to_mend = self.history.to_mend
        with self.naming.following():
            kept = self.history.play(move, at_us, by, spent_ms=spent_ms)
        self._played_us = at_us
        self.void()
        self._keep(kept)
        # A move that was told where nothing can be read is to be mended until its pieces are seen,
        # however many moves follow: what shows there when the board can read again takes no move
        # back.
        self._never_placed |= self._unread(changed)
        self._ask_to_mend(self._unread({*to_mend, *changed}))
        self._look_for_end()

    def take_back(self, count: int, by: str = BY_BOARD) -> None:
        """Go back by `count` moves; pieces that stand otherwise then are to be mended."""
        self.void()
        seen = None if self.is_in_light or self.is_shown_only else self.sensed.kinds
        with self.naming.following():
            kept = self.history.take_back(count, by, seen)
        self._keep(kept)

    def set_up(self, stones: Mapping[str, Any], to_move: int) -> None:
        """Go on from these pieces; hands are asked for what lies otherwise. GameError when they
        make no position."""
        kept = self.history.set_up(stones, to_move)
        self.naming.doubt.clear()
        self.void()
        self._keep(kept)
        self.ask_to_mend_all()
        self._look_for_end()

    def teach(self, step: int) -> None:
        """Go on with this step of the lesson; IndexError where it has none."""
        # What still lies there of the step before is no move.
        to_mend: frozenset[int] = frozenset()
        if not (self.is_in_light or self.is_shown_only):
            to_mend = frozenset(differing(self.history.step_pieces(step), self.sensed.kinds))
        self._never_placed = to_mend
        kept = self.history.teach(step, to_mend=to_mend)
        self.naming.doubt.clear()
        self.void()
        self._keep(kept)
        self._look_for_end()

    def take_back_try(self, count: int) -> None:
        """Undo moves that do not show the idea of a lesson, even if they ended the game."""
        self.take_back(count, BY_PAGE)
        self._look_for_end()

    def sit(self, side: int, who: str) -> None:
        """Somebody else takes a seat: what its bot chose, or its person told, is void."""
        if self.machine is not None and self.machine.move.side == side:
            self.machine = None
            self._keep(self.history.drop())
        if self.told is not None and self.told.move.side == side:
            self.told = None
        self.lift = None
        self._keep(self.history.sit(side, who))

    def choose(self, move: Move, value: float, visits: int) -> None:
        """A bot chose this move: it is played when the board shows it."""
        self._keep(self.history.choose(move, value, visits))
        self.machine = Pending(move, MACHINE)
        self.naming.make_room(move)

    def tell(self, move: Move) -> None:
        """A person told this move by page: it is guided onto the board."""
        self.lift = None
        self.told = Pending(move, PAGE)
        self.naming.make_room(move)

    def confirm(self, at_us: int) -> bool:
        """Play the lift that waits, or a machine's move that the board cannot sense; whether
        anything was played; or that the pieces in doubt are the right ones."""
        if self.paused:
            self.mended(at_us)
            return True
        doubt = self.naming.doubt
        if doubt.cells and self.wait_reason == NAMES:
            self.naming.vouched()
            self.consider(at_us)
            return True
        if self.machine is None and self.lift is None:
            return False
        before = len(self.history.played)
        self._confirmed(self.machine is not None, self.machine is None)
        self.consider(at_us)
        if len(self.history.played) > before:
            return True
        self._confirmed(False, False)  # a word that came too early is not kept for later
        return False

    def _confirmed(self, machine: bool, lift: bool) -> None:
        """Note of which pending moves somebody says that they are played."""
        self.machine = self.machine and replace(self.machine, confirmed=machine)
        self.lift = self.lift and replace(self.lift, confirmed=lift)

    def void(self) -> None:
        """Void all pending moves: the position changed."""
        self.machine = self.told = self.lift = None
        self._refused = None
        self._voided()

    def new_clock(self) -> None:
        """Forget earlier board times: the board's clock was reset."""
        self.lift = None
        self.grace_until_us = self._played_us = 0

    def see_all(self) -> None:
        """The whole picture was seen: what has gone unseen is to be put back; what was lifted
        before is in somebody's hand."""
        history = self.history
        if not history.played:
            return
        should, seen = self.should, self.board.sensed(self.placing).kinds
        unseen = self.board.unseen_on(self.placing)
        history.ask_to_mend(
            history.to_mend | {cell for cell in unseen if should[cell] and not seen[cell]}
        )

    def look_at_clock(self, until_us: int) -> bool:
        """End the game where the time of the turn is used up by this board time; whether it is."""
        clock, side = self.history.clock, self.history.clock_side
        if clock is None or self.outcome is not None or (side is None and not clock.is_shared):
            return False
        number = 0 if side is None else clock.of(side)
        falls_ms = clock.falls_at_ms(number)
        if falls_ms is None or falls_ms * US_A_MS > until_us:
            return False
        self._run_out(number, falls_ms * US_A_MS)
        return True

    def _run_out(self, clock: int, at_us: int) -> None:
        """The time of this clock is used up."""
        self.void()
        self._keep(self.history.time_is_up(clock, at_us))
        self._look_for_end()

    def _look_for_end(self) -> None:
        self.outcome = self.history.outcome
        self.keep_end()

    def keep_end(self) -> None:
        """Keep the result, once the game is over; a lesson has none."""
        if self.outcome is not None and not self.history.lesson:
            self._keep(EndRecord(self.outcome.winner, self.outcome.reason))

    # Time.

    def due_us(self) -> int | None:
        """Board time at which a lift is played by itself; None when none counts down."""
        return self.lift.due_us if self.lift is not None and self.board.link == UP else None
