"""Identities of pieces, in a game whose pieces have names and whose cells move about on the board.

Sensors tell colours, names are remembered. A piece that was lifted alone is the one that comes down
again; of two of one colour in the air at once only people can tell which is which, so they are
asked (`AmbiguousPieces`). After a power cut, or when somebody is not sure, each named piece is
lifted once on request and put back: lifting it on request confirms its name (`Audit`).
`PieceIdentities` holds the slide or audit under way at a match, and suspends or delays the
referee's verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from lumiban.games import mark_kinds
from lumiban.games.base import Effect, Game, Kind, Mark, Move, Outcome, Position, Refusal
from lumiban.games.floating_game import FloatingGame
from lumiban.table import recentre
from lumiban.table.history import GameHistory, is_floating
from lumiban.table.journal import JournalRecord
from lumiban.table.recentre import Slide
from lumiban.table.referee import SensedKinds, mending_steps, unmasked
from lumiban.table.types import (
    Agree,
    Choose,
    Commit,
    Pending,
    Repair,
    Sensed,
    Settings,
    Takeback,
    Verdict,
    Wait,
    differing,
)


class Play:
    """Game being played on a board: its course, what the board shows, and moves still to be set."""

    history: GameHistory
    settings: Settings
    sensed: Sensed
    verdict: Verdict
    outcome: Outcome | None
    machine: Pending | None = None
    """A machine's move."""
    told: Pending | None = None
    """A move that a person told by page."""

    @property
    def game(self) -> Game:
        """The rules, as they lie on this board."""
        return self.history.game

    @property
    def position(self) -> Position:
        """The position now."""
        return self.history.position

    @property
    def should(self) -> SensedKinds:
        """The kind of piece on each cell, as the position says."""
        return self.game.kinds_on(self.position)

    @property
    def movers(self) -> tuple[int, ...]:
        """The sides that may act, () when the game is over."""
        return () if self.outcome is not None else self.game.movers(self.position)

    @property
    def waiting(self) -> Pending | None:
        """A machine's move, or one told by page, that is not on the board yet."""
        return self.machine or self.told

    @property
    def wait_reason(self) -> str:
        """Reason to wait, by the verdict; "" where there is none."""
        return self.verdict.why if isinstance(self.verdict, Wait) else ""

    @property
    def question_marks(self) -> tuple[Mark, ...]:
        """Marks of what the verdict waits for, or asks."""
        return self.verdict.marks if isinstance(self.verdict, Wait | Choose) else ()

    def changed_by(self, move: Move) -> tuple[int, ...]:
        """The cells that a legal move changes."""
        return tuple(cell for cell, _, _ in self.game.effects(self.position, move))


class PieceIdentities:
    """The slide or audit under way at a match, and what is in doubt.

    `is_audit_advised`: names may have changed unseen, as the board was without power.
    """

    def __init__(self, match: Play, keep: Callable[[JournalRecord], None]) -> None:
        self._match = match
        self._keep = keep
        self.doubt = AmbiguousPieces()
        self.slide: Slide | None = recentre.resumed(match.history)
        self.audit: Audit | None = None
        self.is_audit_advised = False
        self.asked_move: Move | None = None
        """The move that is played once people say that the pieces in doubt are the right ones."""
        self._asked: frozenset[int] = frozenset()
        """Cells of pieces from beside the board of which people are asked."""
        self._strayed = False
        """True if pieces left the way of a slide, so that their names are no longer certain."""
        self._crowded: tuple[Position, bool] | None = None

    @property
    def is_crowded(self) -> bool:
        """True if some legal move leads off the board."""
        game, position = self._match.game, self._match.position
        if self._crowded is None or self._crowded[0] is not position:
            here = is_floating(game) and bool(self._match.movers) and game.is_crowded(position)
            self._crowded = (position, here)
        return self._crowded[1]

    # Before and after the referee.

    def follow(self) -> Verdict | None:
        """Return the next step of a slide or an audit; None when the referee may judge."""
        match = self._match
        seen = match.sensed.kinds
        if self.slide is not None:
            verdict = recentre.follow(self.slide, seen)
            if isinstance(verdict, Repair):
                self._strayed = self._strayed or recentre.has_strayed(verdict)
                return verdict
            way = (0, 0) if self.slide.is_back else self.slide.way
            self.slide = None
            with self.following():
                kept = match.history.end_slide(way)
            self._keep(kept)
            self.doubt.forget_places()
            if self._strayed:
                self._doubt_all()
        if self.audit is not None:
            asked = self.audit.see(seen)
            if not self.audit.over:
                return asked
            self.doubt.cells |= self.audit.exchanged
            self.audit, self.is_audit_advised = None, False
        self.watch()
        return None

    def _doubt_all(self) -> None:
        game, position = self._match.game, self._match.position
        self._strayed = False
        if is_floating(game):
            names = game.labels(position)
            cells = [cell for cell, name in enumerate(names) if name and game.on_field(cell)]
            self.doubt.cells |= frozenset(cells)

    def watch(self) -> None:
        """Look at the picture for pieces that could be taken for each other."""
        if self._match.settings.hands:
            # Simulated pieces are what the table takes them for: there is nobody to ask.
            self.doubt.clear()
        elif is_floating(self._match.game):
            self.doubt.watch(self._match.game, self._match.position, self._match.sensed.kinds)

    def instead(self, verdict: Verdict) -> Verdict:
        """The verdict, or the question which people must answer first: is each piece the one it
        is taken for?"""
        if not is_floating(self._match.game):
            return verdict
        if not isinstance(verdict, Agree | Commit | Choose | Takeback):
            return verdict
        if self._match.settings.hands:
            return verdict
        from_beside = self._from_beside(verdict)
        self._asked = frozenset(self.doubt.strangers) if from_beside else frozenset()
        self.doubt.cells |= from_beside
        cells = self.doubt.cells | self._set_by_machine(verdict)
        if not cells:
            return verdict
        self.asked_move = verdict.moves[0] if isinstance(verdict, Commit) else None
        asked = sorted(cells if self._set_by_machine(verdict) else self.where_they_stand())
        return Wait(NAMES, marks=tuple(Mark(cell, mark_kinds.PENDING) for cell in asked))

    def where_they_stand(self) -> Mapping[int, str]:
        """The cells of the pieces in doubt, each with its name, as people are asked about them:
        after the move that is played once they say yes."""
        history, names = self._match.history, self._named()
        if self.asked_move is None:
            return names
        after = history.game.labels(history.game.play(history.position, self.asked_move))
        return {after.index(name) if name in after else cell: name for cell, name in names.items()}

    def _named(self) -> Mapping[int, str]:
        """The cells in doubt, each with the name of its piece by the last two positions."""
        before = [
            self._match.game.labels(position)
            for position in reversed(self._match.history.positions[-2:])
        ]
        return {cell: next((n[cell] for n in before if n[cell]), "") for cell in self.doubt.cells}

    @contextmanager
    def following(self) -> Iterator[None]:
        """Let what is in doubt go with its pieces while the position becomes another one."""
        names = set(self._named().values()) if self.doubt.cells else set()
        yield
        if names:
            history = self._match.history
            now = enumerate(history.game.labels(history.position))
            self.doubt.cells = frozenset(cell for cell, name in now if name in names - {""})

    def vouched(self) -> None:
        """Note that people have checked every piece, those they were asked about included."""
        self.doubt.played(self._asked)
        self.doubt.cells = frozenset()

    def _from_beside(self, verdict: Verdict) -> frozenset[int]:
        """The cells of pieces that a verdict would move or bring back, where another one of the
        colour came from beside the board."""
        match, history = self._match, self._match.history
        if isinstance(verdict, Commit) and match.waiting is None:
            return self.doubt.of(history.game.effects(history.position, verdict.moves[0]))
        if isinstance(verdict, Takeback):
            before = history.game.pieces(history.positions[-1 - verdict.moves])
            return frozenset(cell for cell in self.doubt.strangers if before[cell])
        return frozenset()

    def _set_by_machine(self, verdict: Verdict) -> frozenset[int]:
        """The cells of a machine's move whose piece the board cannot tell, until confirmed."""
        match, history = self._match, self._match.history
        machine, game = match.machine, history.game
        if machine is None or machine.confirmed or not match.settings.check_names:
            return frozenset()
        if not isinstance(verdict, Commit) or not is_floating(game):
            return frozenset()
        unseen = game.is_unseen(history.position, machine.move)
        return frozenset(match.changed_by(machine.move) if unseen else ())

    def are_told_apart(self, move: Move) -> bool:
        """True if the picture alone tells which piece this move sets."""
        game, position = self._match.game, self._match.position
        return not is_floating(game) or not game.is_unseen(position, move)

    # What people ask for.

    def begin_slide(self, *, is_back: bool = False) -> bool:
        """Bring the pieces to the middle, or give that up; False when there is nothing to do."""
        if is_back:
            self.slide = self.slide.turned() if self.slide is not None else None
        elif is_floating(self._match.game) and self.slide is None:
            self.slide = recentre.slide(self._match.game, self._match.position)
        if self.slide is None:
            return False
        self._keep(self._match.history.begin_slide("back" if self.slide.is_back else "to"))
        return True

    def make_room(self, move: Move) -> None:
        """Send the pieces to the middle first if a move leads off the board."""
        game = self._match.game
        if is_floating(game) and not game.reaches(self._match.position, move):
            self.begin_slide()

    def begin_audit(self) -> bool:
        """Ask for the name of each piece in play; False where pieces have none."""
        game, position = self._match.game, self._match.position
        if not is_floating(game):
            return False
        cells = [cell for cell in range(len(game.grid)) if game.on_field(cell)]
        self.audit = Audit(game, position, cells)
        return True

    def end_audit(self) -> None:
        """End the audit: pieces that were not asked for stand as the table has them."""
        while self.audit is not None and not self.audit.over:
            self.audit.skip()


AUDIT = "audit"
"""Reason to wait: a piece is to be lifted and put back."""


class Audit:
    """One audit of a position's names, of the cells in `cells` only.

    `asked` are (name, cell) still to come; `found` says on which cell each name truly stood.
    """

    def __init__(self, game: Game, position: Position, cells: Sequence[int]) -> None:
        names = game.labels(position)
        self.asked = [(names[cell], cell) for cell in cells if names[cell]]
        self.found: dict[str, int] = {}
        self.exchanged: frozenset[int] = frozenset()
        self._should = game.kinds_on(position)
        self._up: int | None = None
        self._named = dict(self.asked)

    @property
    def over(self) -> bool:
        """True if every piece has been asked for."""
        return not self.asked

    @property
    def name(self) -> str:
        """The piece asked for now."""
        return self.asked[0][0]

    @property
    def up(self) -> bool:
        """True if that piece is in the air now."""
        return self._up is not None

    def see(self, kinds: Sequence[int]) -> Wait | Repair:
        """Follow the picture; what is to be done next."""
        seen = unmasked(kinds, self._should)
        wrong = differing(seen, self._should)
        if not wrong:
            if self._up is not None:
                self._answer(self._up)
            return Wait(AUDIT)
        cell = wrong[0]
        if len(wrong) > 1 or seen[cell] != Kind.EMPTY:
            return Repair(mending_steps(seen, self._should))
        why = self._not_this(cell)
        if why is not None:
            return Repair(mending_steps(seen, self._should), why)
        self._up = cell
        return Wait(AUDIT)

    def skip(self) -> None:
        """Take the piece asked for as standing where the table has it."""
        self._answer(self._named[self.name])

    def _not_this(self, cell: int) -> Refusal | None:
        if self._should[cell] != self._should[self._named[self.name]]:
            return Refusal("table.audit-colour", (cell,))
        if cell in self.found.values():
            return Refusal("table.audit-twice", (cell,))
        return None

    def _answer(self, cell: int) -> None:
        name, _ = self.asked.pop(0)
        self._up = None
        self.found[name] = cell
        if self.over:
            self.exchanged = frozenset(
                self._named[name] for name, at in self.found.items() if at != self._named[name]
            )


NAMES = "names"
"""Reason to wait: people are to check that each piece stands where the table has it."""


class AmbiguousPieces:
    """Pieces in the air, and `cells` whose pieces may be exchanged; `strangers` are cells that were
    filled while no piece of that colour was in the air: it came from beside the board."""

    def __init__(self) -> None:
        self.cells: frozenset[int] = frozenset()
        self.strangers: set[int] = set()
        self._lay: set[int] = set()
        self._seen: tuple[int, ...] = ()

    def watch(self, game: FloatingGame, position: Position, kinds: Sequence[int]) -> None:
        """Look at the picture. A piece is in the air only if it has lain on its cell before."""
        should = game.pieces(position)
        self._look_for_strangers(should, kinds)
        up = []
        for cell, right in enumerate(should):
            if right == Kind.EMPTY:
                self._lay.discard(cell)
            elif kinds[cell] == right:
                self._lay.add(cell)
            elif kinds[cell] == Kind.EMPTY and cell in self._lay:
                up.append(cell)
        if len(up) > 1:
            self.cells |= game.alike(position, up)

    def _look_for_strangers(self, should: Sequence[int], kinds: Sequence[int]) -> None:
        """Note pieces that came from beside the board: none of their colour was in the air when
        they came down."""
        before, self._seen = self._seen, tuple(kinds)
        news = [c for c, kind in enumerate(kinds) if before[c : c + 1] != (kind,)]
        in_air = dict.fromkeys((Kind.WHITE, Kind.BLACK, Kind.NEUTRAL), 0)
        for kind in in_air:
            lay = sum(should[cell] == kind for cell in self._lay)
            in_air[kind] = lay - sum(k == kind for c, k in enumerate(kinds) if c not in news)
        for cell in news:
            kind = Kind(kinds[cell])
            if kind not in in_air:
                continue
            in_air[kind] -= 1
            if in_air[kind] < 0 and (kind != should[cell] or cell in self._lay):
                self.strangers.add(cell)
        for cell in tuple(self.strangers):
            if kinds[cell] == Kind.EMPTY:
                self.strangers.discard(cell)
            elif kinds[cell] == should[cell]:
                self.strangers.discard(cell)
                self.cells |= {cell}

    def played(self, cells: Iterable[int]) -> None:
        """Forget doubts about these cells: a move was played there, so their pieces are known."""
        self.strangers.difference_update(cells)

    def of(self, effects: Iterable[Effect]) -> frozenset[int]:
        """The cells that a move would empty although what fills another came from beside the
        board."""
        changes = tuple(effects)
        if not any(after and cell in self.strangers for cell, _, after in changes):
            return frozenset()
        return frozenset(cell for cell, _, after in changes if not after)

    def forget_places(self) -> None:
        """Forget where pieces lay: all of them were moved, one by one."""
        self._lay.clear()
        self.strangers.clear()

    def clear(self) -> None:
        """Clear every doubt: people have just named all pieces."""
        self.forget_places()
        self.cells = frozenset()
