"""People at a table that suffers: they know the rules and do what is asked, mostly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lumiban.games.base import Kind, Move
from lumiban.games.light_game import LightGame
from lumiban.table import guidance
from lumiban.table.free_play import FreePlay
from lumiban.table.identities import AUDIT, NAMES
from lumiban.table.referee import CONFIRM, PAUSED
from lumiban.table.types import Agree, Choose, Refuse, Repair, Step, Wait

from lumiban_lab.soak_table import SoakTable

REACH_US = 6_000_000
"""A hand is done within so long."""
CLUMSY = 0.06
THINK_US = (100_000, 400_000, 1_000_000, 3_000_000)
FIELD = 7
"""From a column of the first field of a game in light to the same of the second."""
DONE = ("done", "refused", "recalled")


class People:
    """All persons at one table. `act` does the next thing that somebody would do."""

    def __init__(self, table: SoakTable, *, clumsy: float = CLUMSY) -> None:
        self.table = table
        self.clumsy = clumsy
        self.did: list[str] = []
        """The last things done, with their times."""

    def note(self, what: str) -> None:
        """Write down what is done, to find the cause of a failure by."""
        self.did.append(f"{self.table.now_us / 1e6:.3f} {what}")
        del self.did[:-60]

    # One thing.

    def act(self) -> None:
        """Do the next thing, and let some time go by."""
        table, chance = self.table, self.table.chance
        match = table.session.match
        if match.outcome is not None:
            self._again()
        elif table.session.board.link != "up":
            table.rest(500_000)
        elif chance.random() < self.clumsy:
            self._clumsily()
        elif isinstance(match, FreePlay) and match.is_free:
            self._freely(match)
        elif isinstance(match.history.game, LightGame):
            self._with_markers()
        elif not self.obey():
            self._move()
        table.rest(chance.choice(THINK_US))

    def obey(self) -> bool:
        """Do what the table asks for now; False when it asks nothing."""
        table = self.table
        match = table.session.match
        verdict = match.verdict
        if table.prompt.steps:
            self.do(table.prompt.steps[0])
        elif isinstance(verdict, Choose):
            self._say("choose", text=verdict.candidates[-1].text)
        elif isinstance(verdict, Wait) and verdict.why == AUDIT:
            self._say("audit", end=True)
        elif isinstance(verdict, Wait) and verdict.why in (CONFIRM, NAMES, PAUSED):
            self._say("confirm")
        elif isinstance(verdict, Wait) and not self._put_back():
            table.rest(1_000_000)
        elif isinstance(verdict, Agree) and self._persons() and match.waiting is not None:
            self._say("confirm")
        elif isinstance(verdict, Agree):
            return False
        elif table.session.bots.is_exhausted:
            self._say("seat", side=match.movers[0], who="human")
        return True

    def _persons(self) -> bool:
        match = self.table.session.match
        return bool(match.movers) and all(match.history.seats[s] == "human" for s in match.movers)

    def _put_back(self) -> bool:
        """Puts back pieces in the air, if there are any."""
        match = self.table.session.match
        should = match.history.game.pieces(match.history.position)
        for cell, seen in enumerate(match.sensed.kinds):
            if seen != should[cell] and seen not in (Kind.UNKNOWN, Kind.MASKED):
                self.do(Step("lift" if seen else "place", cell, int(should[cell])))
                return True
        return False

    def do(self, step: Step, hand: str = "person") -> bool:
        """A hand does one step, as far as it can be done; whether it was."""
        table = self.table
        cell = table.session.match.placing.board[step.cell]
        self.note(f"{step.do} {table.rig.profile.grid.name(cell)} {step.kind}")
        hands = table.rig.hands
        if step.do == "place" and table.rig.world.on(cell):
            # A piece lies there that the board does not tell: another one is tried.
            away = hands.lift(cell, hand=hand)
            table.until(lambda: away.state in DONE, REACH_US)
        errand = (
            hands.place(cell, step.kind, hand=hand)
            if step.do == "place"
            else hands.lift(cell, hand=hand)
        )
        table.until(lambda: errand.state in DONE, REACH_US)
        table.rest(700_000)
        return errand.state == "done"

    def _say(self, do: str, **args: Any) -> Mapping[str, Any] | None:
        error = self.table.command(do, **args)
        self.note(f"{do} {args} {error or ''}")
        return error

    # Moves.

    def _again(self) -> None:
        """Another game: the board is cleared first, as people do."""
        table = self.table
        world, now = table.rig.world, table.now_us
        if table.chance.random() < 0.7:
            for piece in list(world.pieces.values()):
                if not piece.held and not piece.legs:
                    world.vanish(piece, now)
        table.rest(400_000)
        self._say("new")

    def _move(self) -> None:
        table, match = self.table, self.table.session.match
        position, game = match.history.position, match.history.game
        if not self._persons():
            if table.session.bots.is_exhausted:
                self._say("seat", side=match.movers[0], who="human")
            return
        side = match.movers[0]
        if table.chance.random() < 0.02 and match.can_take_back():
            self._say("takeback")
            return
        moves = game.moves(position, side)
        words = [w for w in game.words(position, side) if w not in ("resign", "stop", "claim")]
        if not moves or (words and table.chance.random() < 0.3):
            if words:
                self._say("word", side=side, word=table.chance.choice(words))
            else:
                self._say("word", side=side, word="resign")
            return
        move = table.chance.choice(moves)
        self.note(f"means {move}")
        if table.chance.random() < 0.1 or not table.rig.profile.has_sensors:
            self._say("move", side=side, text=move.text)
            return
        self._by_hand(move)

    def _by_hand(self, move: Move) -> None:
        match = self.table.session.match
        before = match.history.position
        for step in guidance.steps_of(match, move):
            if not self.do(step) or self.table.session.match.history.position is not before:
                break
        self.obey()

    def _with_markers(self) -> None:
        """Two markers in the own field, axis and child, then both are lifted."""
        table, match = self.table, self.table.session.match
        chance = table.chance
        lying = [cell for cell, kind in enumerate(match.sensed.kinds) if kind]
        if lying:
            self.do(Step("lift", chance.choice(lying), 0))
            return
        if not self._persons():
            return
        side = match.movers[0]
        moves = match.history.game.moves(match.history.position, side)
        if chance.random() < 0.2 and moves:
            self._say("move", side=side, text=chance.choice(moves).text)
            return
        column = chance.randrange(6)
        other = min(max(column + chance.choice((-1, 0, 0, 1)), 0), 5)
        row = chance.randrange(1, 10)
        cells = [
            row * 13 + side * FIELD + column,
            (row + (other == column)) * 13 + side * FIELD + other,
        ]
        for cell in cells:
            self.do(Step("place", cell, side + 1))
        for cell in cells:
            self.do(Step("lift", cell, 0))

    def _freely(self, match: FreePlay) -> None:
        """Both sides place where they may, at once; both are ready after a time out."""
        table, chance = self.table, self.table.chance
        if match.paused:
            self._say("confirm")
        if match.time_out is not None and not match.misplaced:
            for side in range(2):
                if match.history.seats[side] == "human" and match.time_out.go_us is None:
                    self._say("confirm", side=side)
            table.rest(3_300_000)
            return
        if table.prompt.steps and (match.time_out is not None or chance.random() < 0.6):
            self.do(table.prompt.steps[0])
            return
        open_cells: Sequence[Sequence[int]] = table.view.get("open") or ((), ())
        errands = []
        for side, cells in enumerate(open_cells):
            if cells and match.history.seats[side] == "human" and chance.random() < 0.8:
                cell = match.placing.board[chance.choice(list(cells))]
                if not table.rig.world.on(cell):
                    errands.append(table.rig.hands.place(cell, side + 1, hand=f"side {side}"))
        self.note(f"{len(errands)} stones at once")
        table.until(lambda: all(errand.state in DONE for errand in errands), REACH_US)
        if not errands:
            for side in range(2):
                words = match.history.game.words(match.history.position, side)
                if match.history.seats[side] == "human" and "stand" in words:
                    self._say("word", side=side, word="stand")

    def _clumsily(self) -> None:
        """Something that nobody asked for."""
        table, chance = self.table, self.table.chance
        board = table.session.match.placing.board
        standing = [cell for cell, kind in enumerate(table.rig.kinds) if kind]
        what = chance.choice(("place", "lift", "touch", "press"))
        self.note(f"clumsily: {what}")
        hands = table.rig.hands
        if what == "place":
            hands.place(chance.choice(board), chance.choice((1, 2, 3)), hand="clumsy")
        elif what == "press":
            button = chance.randrange(4)
            table.rig.world.press(button, True)
            table.rest(90_000)
            table.rig.world.press(button, False)
        elif standing:
            cell = chance.choice(standing)
            kind = table.rig.kinds[cell]
            hands.lift(cell, hand="clumsy")
            if what == "touch" and kind in (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL):
                hands.place(cell, kind, hand="clumsy")
        table.rest(1_200_000)

    # Coming to rest.

    def settle(self) -> None:
        """No more trouble: the faults are over, the hands are empty."""
        table = self.table
        rig = table.rig
        if rig.faults is not None:
            rig.faults.end_all()
            rig.faults.for_host.clear()
        table.universe.end_all()
        table.until(lambda: rig.hands.idle, 20_000_000)
        table.until(lambda: table.session.board.link == "up", 15_000_000)
        table.rest(4_000_000)

    def mend(self, patience: int = 120) -> bool:
        """Do what is asked, and nothing else, until the table agrees; whether it came to that.

        Given up after `patience` things done since less was left to mend than ever before: a large
        board may be full of stones to lift, and a repair that goes round in circles still ends.
        """
        table = self.table
        least: int | None = None
        tries = 0
        while tries < patience:
            match = table.session.match
            verdict = match.verdict
            left = self._left_to_mend()
            tries += 1
            if left is not None and (least is None or left < least):
                least, tries = left, 0
            if match.outcome is not None:
                return True
            if isinstance(match, FreePlay) and match.is_free:
                if match.paused:
                    self._say("confirm")
                elif table.prompt.steps:
                    self.do(table.prompt.steps[0])
                elif match.time_out is not None:
                    self._freely(match)
                else:
                    return match.misplaced == ()
            elif isinstance(match.history.game, LightGame):
                lying = [cell for cell, kind in enumerate(match.sensed.kinds) if kind]
                if match.paused:
                    self._say("confirm")
                if not lying:
                    return True
                self.do(Step("lift", lying[0], 0))
            elif isinstance(verdict, Agree) and not table.prompt.steps:
                return True
            elif isinstance(verdict, Refuse | Repair) and not table.prompt.steps:
                table.rest(1_000_000)
            else:
                self.obey()
                table.rest(600_000)
        return False

    def _left_to_mend(self) -> int | None:
        """Number of steps that are still to be done, None where none are told."""
        match = self.table.session.match
        if isinstance(match.history.game, LightGame):
            return sum(kind != Kind.EMPTY for kind in match.sensed.kinds)
        verdict = match.verdict
        return len(verdict.plan) if isinstance(verdict, Refuse | Repair) else None
