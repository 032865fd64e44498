"""A game in light on one board: markers are followed event by event, and what happens is shown
step by step.

A stone on the board is never a piece here. Nothing is owed and nothing stops play: a marker that
says nothing blinks until it is lifted. A whole picture that differs from the last one says nothing
either, since the order of its changes is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lumiban.games import mark_kinds
from lumiban.games.base import Kind, Mark, Move, Refusal
from lumiban.games.light_game import Gesture, GestureResult, LightGame, Scene
from lumiban.scene.draw import NO_CELL
from lumiban.table import types
from lumiban.table.board_view import UP
from lumiban.table.history import BY_BOARD
from lumiban.table.limits import FASTEST_US
from lumiban.table.referee import BLIND, LIFT, limit_astray_marks
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Agree, AskBot, BotTurn, Pending, Refuse, Step, differing

QUIET = "none"
"""The hint level at which a game shows only what lies there."""


class LightPlay(TurnPlay):
    """`pace_us` is how long each step is shown, None for not at all."""

    is_in_light = True

    def _prepare(self) -> None:
        self.pace_us = self.settings.pace_us
        self.gesture = self.history.gesture or self.game.at_rest(self._kinds(None))
        self.scenes: list[tuple[int, Scene]] = []
        """(board time until which it is shown, what) of the steps still to be seen."""
        self._why: Refusal | None = None
        self._is_whole = False
        self._early_markers: tuple[int, ...] = ()
        """Cells of markers that people set before their turn, in the order in which they came."""

    # What is.

    @property
    def game(self) -> LightGame:
        """The rules of the game in light."""
        return cast("LightGame", self.history.game)

    def _kinds(self, before: Gesture | None) -> tuple[int, ...]:
        """The picture sensed; a cell that cannot be read shows what it showed. Where a board cannot
        tell pieces apart a new marker is the mover's."""
        sensed = self.sensed.kinds
        stood = (0,) * len(sensed) if before is None else before.kinds
        own = next((side + 1 for side in self.movers), int(Kind.WHITE))
        is_alike = self._unnamed is not None
        return tuple(
            old if kind in BLIND else (old or own) if kind and is_alike else kind
            for kind, old in zip(sensed, stood, strict=True)
        )

    @property
    def heard(self) -> bool:
        """True if a person is to move, whose markers say something."""
        return any(self.history.seats[side] == types.HUMAN for side in self.movers)

    def marks(self, level: str) -> tuple[Mark, ...]:
        """Return what the game says its cells mean now, without places where a marker that is set
        now would say nothing."""
        marks, gesture = super().marks(level), self.gesture
        if not gesture.said or not self.movers:
            return marks
        own, back = self.movers[0] + 1, self.can_take_back() > 0

        def says_nothing(cell: int) -> bool:
            return bool(self.game.hear(self.position, gesture, cell, own, 0, back).refusal)

        return tuple(
            one
            for one in marks
            if one.meaning != mark_kinds.MAY_PLACE or not says_nothing(one.cell)
        )

    @property
    def strays(self) -> tuple[int, ...]:
        """Cells of markers that say nothing until they are lifted."""
        return tuple(sorted(self.gesture.dead))

    @property
    def step(self) -> tuple[int, Scene] | None:
        """(steps still to come, what is shown) while something happens."""
        return (len(self.scenes) - 1, self.scenes[0][1]) if self.scenes else None

    # What comes.

    def see_all(self) -> None:
        """The whole picture was seen, not one event after the other."""
        self._is_whole = True

    def consider(self, at_us: int) -> None:
        """Follow markers and time up to this board time."""
        self.sensed = self.board.sensed(self.placing)
        whole, self._is_whole = self._is_whole, False
        if self.board.kinds is None:
            self.verdict = Agree()
            return
        was_paused = self._was_paused
        if self._stands_still():
            return
        whole = whole or was_paused
        if self._puts_back():
            self._hold(self.game.at_rest(self._kinds(self.gesture)))
            return
        self._hear_early(at_us)
        kinds = self._kinds(self.gesture)
        changed = differing(kinds, self.gesture.kinds)
        if whole and changed:
            self._rest()
        elif not whole:
            for cell in changed:
                self._follow_stone(cell, kinds[cell], at_us)
        due = self.game.due_us(self.gesture)
        if due is not None and at_us >= due and self.heard:
            self._follow(self.game.on_time(self.position, self.gesture), at_us)
        self.scenes = [shown for shown in self.scenes if shown[0] > at_us]
        self._judge()

    def put_back(self, at_us: int) -> None:
        """Let hands take all markers off the board."""
        self._early_markers = ()
        super().put_back(at_us)

    def steps_back(self) -> tuple[Step, ...]:
        """Every marker is to be lifted."""
        kinds = enumerate(self._kinds(self.gesture))
        return tuple(Step("lift", cell, kind) for cell, kind in kinds if kind)

    def _follow_stone(self, cell: int, kind: int, at_us: int) -> None:
        if self.heard:
            back = self.can_take_back() > 0
            position = self.position
            self._follow(self.game.hear(position, self.gesture, cell, kind, at_us, back), at_us)
            if kind:
                # A player who goes on has seen enough of the chain.
                self.scenes.clear()
            return
        gesture = self.gesture
        kinds = (*gesture.kinds[:cell], kind, *gesture.kinds[cell + 1 :])
        self._early_markers = tuple(one for one in self._early_markers if one != cell)
        dead = gesture.dead - {cell}
        if kind and self.movers:
            self._early_markers += (cell,)
        elif kind:
            dead |= {cell}
        self._follow(GestureResult(Gesture(kinds, dead, gesture.said)), at_us)

    def _hear_early(self, at_us: int) -> None:
        """Once it is a person's turn, markers that were set before it count as set now."""
        early = self._early_markers
        if not early or not self.heard:
            return
        self._early_markers = ()
        gesture = self.gesture
        kinds = tuple(0 if c in early else kind for c, kind in enumerate(gesture.kinds))
        self._hold(Gesture(kinds, gesture.dead - frozenset(early), gesture.said))
        shown = self.scenes
        for cell in early:
            kind = self._kinds(self.gesture)[cell]
            if kind:
                self._follow_stone(cell, kind, at_us)
        self.scenes = shown  # early players have not seen the result of the other side's move

    def _follow(self, heard: GestureResult, at_us: int) -> None:
        self._hold(heard.gesture)
        self._why = heard.refusal
        if heard.move is not None:
            self.play(heard.move, at_us, BY_BOARD)
        elif heard.undo and self.can_take_back():
            self.take_back(self.can_take_back())

    def _hold(self, gesture: Gesture) -> None:
        if gesture != self.gesture:
            self.gesture = gesture
            self._keep(self.history.hold(gesture))

    def _rest(self) -> None:
        """Treat what lies there as dead: it said nothing."""
        self.lift = None
        self._why = None
        self._hold(self.game.at_rest(self._kinds(self.gesture)))

    def _judge(self) -> None:
        self.verdict = Agree()
        self.lift = None
        if self.outcome is not None:
            return
        meaning = self.game.meant(self.position, self.gesture) if self.heard else None
        dead = self.gesture.dead
        if self._why is not None and dead.isdisjoint(self._why.cells):
            self._why = None
        if isinstance(meaning, Move):
            self.lift = Pending(meaning, LIFT)
        if isinstance(meaning, Refusal):
            self.verdict = Refuse(meaning, ())
        elif self._why is not None:
            steps = tuple(Step("lift", cell, self.gesture.kinds[cell]) for cell in sorted(dead))
            self.verdict = Refuse(self._why, steps)

    # Changes.

    def play(self, move: Move, at_us: int, by: str, spent_ms: int | None = None) -> None:
        """Play a move or word, and show what comes of it."""
        before = self.position
        scenes = self.game.scenes(before, move) if self.pace_us is not None else ()
        super().play(move, at_us, by, spent_ms)
        pace = max(self.pace_us or 0, FASTEST_US)
        self._show((at_us + pace * n, scene) for n, scene in enumerate(scenes, 1))

    def _show(self, scenes: Iterable[tuple[int, Scene]]) -> None:
        """Show this after a change; the markers that lie there have said nothing."""
        self.scenes = list(scenes)
        self._rest()
        self._judge()

    def take_back(self, count: int, by: str = BY_BOARD) -> None:
        """Go back by `count` moves."""
        super().take_back(count, by)
        self._show(())

    def teach(self, step: int) -> None:
        """Go on with this step of the lesson."""
        super().teach(step)
        self._show(())

    def sit(self, side: int, who: str) -> None:
        """Somebody else takes a seat."""
        super().sit(side, who)
        self._rest()

    def confirm(self, at_us: int) -> bool:
        """Make the hand that the markers say, without lifting them."""
        if self.paused or self.lift is None:
            return super().confirm(at_us)
        self.play(self.lift.move, at_us, BY_BOARD)
        return True

    def new_clock(self) -> None:
        """Drop a choice that was half made: the board was reset."""
        super().new_clock()
        self.scenes.clear()
        self._rest()

    # Bots and time.

    def bot_turn(self) -> BotTurn | None:
        """The bot to move, once all has been shown."""
        for side in self.movers:
            if self.history.bot_level(side):
                shown = (until_us for until_us, *_ in self.scenes[-1:])
                return BotTurn(side, max(self.grace_until_us, self.paced_until_us, *shown))
        return None

    def due_us(self) -> int | None:
        """Board time at which a held marker says something, or the next step is to be shown."""
        if self.board.link != UP:
            return None
        times = [until_us for until_us, _ in self.scenes[:1]]
        held = self.game.due_us(self.gesture) if self.heard else None
        return min([*times, *([held] if held is not None else [])], default=None)

    # Light.

    def scene(self, hint: str, question: AskBot | None) -> Scene:
        """All marks of this moment."""
        scene = self.marks(hint if self.heard else QUIET)
        if self.paused:
            return (*scene, *(Mark(cell, mark_kinds.LOST) for cell in self.paused))
        if self.scenes:
            scene = (*self.scenes[0][1], *self.game.figures(self.position))
        if self.outcome is not None:
            winner = self.outcome.winner
            edge = () if winner is None else self.game.edge(winner)
            return (*scene, *(Mark(cell, mark_kinds.WON, winner) for cell in edge))
        back = self.can_take_back() > 0
        gesture = self.gesture if self.heard else Gesture(self.gesture.kinds, self.gesture.dead)
        marks = [*(self.game.scrolled(scene, self.position, gesture) if self.heard else scene)]
        if self.heard:
            marks += self.game.gesture_marks(self.position, gesture, back)
        else:
            marks += [Mark(cell, mark_kinds.ASTRAY) for cell in sorted(gesture.dead)]
        for side in self.movers if self.heard else ():
            marks += [Mark(cell, mark_kinds.WAITING, side) for cell in self.game.edge(side)]
        if question is not None:
            marks += [
                Mark(c, mark_kinds.THINKING, question.side) for c in self.game.edge(question.side)
            ]
        return limit_astray_marks(marks, min(self.gesture.dead, default=NO_CELL))
