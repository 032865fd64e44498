"""Which piece is which, and where all of them lie: what suspends or delays the referee's verdicts
in a game whose pieces have names and whose cells move about on the board."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lumiban.games.base import Mark, Move, Position
from lumiban.games.floating_game import Laid
from lumiban.scene import meanings as means
from lumiban.table import sliding
from lumiban.table.audit import Audit
from lumiban.table.doubt import NAMES, Doubt
from lumiban.table.journal import Record
from lumiban.table.sliding import Slide
from lumiban.table.types import Agree, Choose, Commit, Repair, Takeback, Verdict, Wait

if TYPE_CHECKING:
    from lumiban.table.match import Match


class Naming:
    """The slide or audit under way at a match, and what is in doubt.

    `audit_advised`: names may have changed unseen, as the board was without power.
    """

    def __init__(self, match: Match, keep: Callable[[Record], None]) -> None:
        self._match = match
        self._keep = keep
        self.doubt = Doubt()
        self.slide: Slide | None = sliding.resumed(match.course)
        self.audit: Audit | None = None
        self.audit_advised = False
        self._asked: frozenset[int] = frozenset()
        """Cells of pieces from beside the board of which people are asked."""
        self._strayed = False
        """Whether pieces left the way of a slide, so that nobody can vouch for their names."""
        self._crowded: tuple[Position, bool] | None = None

    @property
    def suspends(self) -> bool:
        """Whether the rules rest now: pieces are on their way, or being asked for."""
        return self.slide is not None or self.audit is not None

    @property
    def crowded(self) -> bool:
        """Whether some legal move leads off the board."""
        game, position = self._match.course.game, self._match.course.position
        if self._crowded is None or self._crowded[0] is not position:
            here = isinstance(game, Laid) and bool(self._match.movers) and game.crowded(position)
            self._crowded = (position, here)
        return self._crowded[1]

    # Before and after the referee.

    def follow(self) -> Verdict | None:
        """What comes next of a slide or an audit; None when the referee may judge."""
        match = self._match
        seen = match.sensed.kinds
        if self.slide is not None:
            verdict = sliding.follow(self.slide, seen)
            if isinstance(verdict, Repair):
                self._strayed = self._strayed or sliding.strayed(verdict)
                return verdict
            way = (0, 0) if self.slide.back else self.slide.way
            self.slide = None
            self._keep(match.course.end_slide(way))
            self.doubt.lifted_anew()
            if self._strayed:
                self._doubt_all()
        if self.audit is not None:
            asked = self.audit.see(seen)
            if not self.audit.over:
                return asked
            self.doubt.raised(self.audit.exchanged)
            self.audit, self.audit_advised = None, False
        self.watch()
        return None

    def _doubt_all(self) -> None:
        game, position = self._match.course.game, self._match.course.position
        self._strayed = False
        if isinstance(game, Laid):
            names = game.labels(position)
            cells = [cell for cell, name in enumerate(names) if name and game.on_field(cell)]
            self.doubt.raised(frozenset(cells))

    def watch(self) -> None:
        """Look at the picture for pieces that could be taken for each other."""
        course = self._match.course
        if isinstance(course.game, Laid):
            self.doubt.watch(course.game, course.position, self._match.sensed.kinds)

    def instead(self, verdict: Verdict) -> Verdict:
        """The verdict, or the question which people must answer first: is each piece the one it
        is taken for?"""
        if not isinstance(self._match.course.game, Laid):
            return verdict
        if not isinstance(verdict, Agree | Commit | Choose | Takeback):
            return verdict
        from_beside = self._from_beside(verdict)
        self._asked = frozenset(self.doubt.strangers) if from_beside else frozenset()
        self.doubt.raised(from_beside)
        cells = self.doubt.cells | self._set_by_machine(verdict)
        if not cells:
            return verdict
        return Wait(NAMES, marks=tuple(Mark(cell, means.PENDING) for cell in sorted(cells)))

    def vouched(self) -> None:
        """People have seen that all is right, what they were asked of included."""
        self.doubt.played(self._asked)
        self.doubt.settled()

    def _from_beside(self, verdict: Verdict) -> frozenset[int]:
        """The cells of pieces that a verdict would move or bring back, where another one of the
        colour came from beside the board."""
        match, course = self._match, self._match.course
        if isinstance(verdict, Commit) and match.waiting is None:
            return self.doubt.of(course.game.effects(course.position, verdict.moves[0]))
        if isinstance(verdict, Takeback):
            before = course.game.pieces(course.positions[-1 - verdict.moves])
            return frozenset(cell for cell in self.doubt.strangers if before[cell])
        return frozenset()

    def _set_by_machine(self, verdict: Verdict) -> frozenset[int]:
        """The cells of a machine's move whose piece the board cannot tell, until confirmed."""
        match, course = self._match, self._match.course
        machine, game = match.machine, course.game
        if machine is None or machine.confirmed or not match.settings.check_names:
            return frozenset()
        if not isinstance(verdict, Commit) or not isinstance(game, Laid):
            return frozenset()
        unseen = game.unseen(course.position, machine.move)
        return frozenset(match.changed_by(machine.move) if unseen else ())

    def told_apart(self, move: Move) -> bool:
        """Whether the picture alone tells which piece this move sets."""
        game, position = self._match.course.game, self._match.course.position
        return not isinstance(game, Laid) or not game.unseen(position, move)

    # What people ask for.

    def begin_slide(self, *, back: bool = False) -> bool:
        """Bring the pieces to the middle, or give that up; False when there is nothing to do."""
        course = self._match.course
        if back:
            self.slide = self.slide.turned() if self.slide is not None else None
        elif isinstance(course.game, Laid) and self.slide is None:
            self.slide = sliding.slide(course.game, course.position)
        if self.slide is None:
            return False
        self._keep(course.begin_slide("back" if self.slide.back else "to"))
        return True

    def make_room(self, move: Move) -> None:
        """Where a move leads off the board, the pieces go to the middle first."""
        game = self._match.course.game
        if isinstance(game, Laid) and not game.reaches(self._match.course.position, move):
            self.begin_slide()

    def begin_audit(self) -> bool:
        """Ask for the name of each piece in play; False where pieces have none."""
        game, position = self._match.course.game, self._match.course.position
        if not isinstance(game, Laid):
            return False
        cells = [cell for cell in range(len(game.grid)) if game.on_field(cell)]
        self.audit = Audit(game, position, cells)
        return True

    def end_audit(self) -> None:
        """Leave it: whatever was not asked for stands as the table has it."""
        while self.audit is not None and not self.audit.over:
            self.audit.skip()
