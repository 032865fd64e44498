"""Hours of `demo` in virtual time: two bots, simulated hands and board, game after game; and what
stood still in them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lumiban.cli.play import REMATCH_US
from lumiban.runtime.table_host import MOVE_LOOK_S, laid
from lumiban.search.bot import think
from lumiban.table.types import AskBot, BotMove, Prompt, Repair, Settings, Step
from lumiban_sim.hands import HUMAN

from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_table import SoakTable

if TYPE_CHECKING:
    from lumiban_sim.hands import Errand

LOOK_US = round(MOVE_LOOK_S * 1e6)
"""Time in µs that hands look at the light before they set a stone, as those of the shell do."""
IDLE_LIFT_US = 6_000_000
"""After which they lift what the board does not tell."""
PLAYOUTS = 6
"""Of a bot's thought: games as bots play them, at little cost."""
ENDED = ("done", "refused", "recalled")
GAMES: tuple[tuple[str, str, dict[str, int | str], tuple[str, str]], ...] = (
    ("control", "hex5", {}, ("bot:easy", "bot:medium")),
    ("control", "hex5", {"size": 4}, ("bot:gentle", "bot:easy")),
    ("control", "hex3", {"size": 3}, ("bot:easy", "bot:easy")),
    ("evening", "hex5", {"size": 4}, ("bot:easy", "bot:medium")),
    ("trivia", "grid9x9", {}, ("bot:easy", "bot:easy")),
    ("doves", "grid9x9", {}, ("bot:easy", "bot:easy")),
    ("rengi", "grid13x14", {}, ("bot:easy", "bot:easy")),
)
"""Game, board, options and seats, in turn by seed; the first is what `demo` plays by itself."""


class DemoTable(SoakTable):
    """A table of bots whose hands do what is asked; hangs are counted, not raised."""

    def __init__(self, seed: int, folder: Path, *, like: int | None = None) -> None:
        slug, profile, options, seats = GAMES[(seed if like is None else like) % len(GAMES)]
        self.hung: list[str] = []
        self.moves = 0
        self.longest_us = 0
        """The longest time between two moves, or from the last one to the next game's first."""
        self.in_play_us = 0
        """Time in which a game was on: neither its end shown nor the board cleared."""
        self.longest_preparing_us = 0
        """The longest time from a game's begin until its board was cleared and set up."""
        self._preparing_us = 0
        self._errand: Errand | None = None
        self._steps: tuple[Step, ...] = ()
        self._asked_us = self._moved_us = 0
        self._known: tuple[int, int] = (0, 0)
        super().__init__(
            faulty_rig(profile, seed, "", tempo=HUMAN),
            slug,
            options,
            seats,
            seed=seed,
            folder=folder,
            settings=Settings(rematch_us=REMATCH_US, hands=True),
        )

    def _turn(self, until_us: int) -> None:
        due, begun = self._asked_us + LOOK_US, self.now_us
        is_on, is_prepared = self.session.match.outcome is None, self._is_prepared()
        super()._turn(min(until_us, due) if due > self.now_us else until_us)
        self.in_play_us += self.now_us - begun if is_on and is_prepared else 0
        self._preparing_us += 0 if is_prepared else self.now_us - begun
        self.longest_preparing_us = max(self.longest_preparing_us, self._preparing_us)
        self._preparing_us = 0 if self._is_prepared() else self._preparing_us
        self._assist()
        self._count_moves()

    def on_hung(self, why: str) -> None:
        """Count a hang."""
        at = f"{self.now_us / 1e6:.3f} s: {why}"
        self.hung.append(f"{self.session.match.history.game.slug} seed {self.seed}, {at}")
        self._errand, self._steps = None, ()

    def _think(self, question: AskBot) -> None:
        thought = think(
            question.game, question.position, question.level, question.seed,
            playouts=PLAYOUTS, compiled=False,
        )  # fmt: skip
        move = thought.move
        answer = BotMove(question.ticket, move.text, thought.value, thought.visits)
        self._late.append((self.now_us + self.chance.choice((50_000, 300_000, 1_000_000)), answer))

    def _is_prepared(self) -> bool:
        """False while a game that has just begun has the board cleared and set up."""
        match = self.session.match
        return bool(match.history.played) or not isinstance(match.verdict, Repair)

    def _stands(self, errand: Errand) -> bool:
        """True if nobody has to take back the stone that a hand was asked to set."""
        match = self.session.match
        if errand.what != "place" or errand.state in ENDED:
            return True
        return match.game.kinds_on(match.position)[match.placing.game[errand.cell]] == errand.kind

    def _assist(self) -> None:
        """One step after the other, after a look; what the board does not tell is lifted."""
        prompt: Prompt = self.prompt
        if prompt.steps != self._steps:
            self._steps, self._asked_us = prompt.steps, self.now_us
            if self._errand is not None and not self._stands(self._errand):
                self.rig.hands.recall("bot")
            self._errand = None
        if not prompt.steps or self.now_us < self._asked_us + LOOK_US:
            return
        if pieces := laid(self.session, is_settled=True):
            self.rig.hands.lay(pieces)
            return
        if self._errand is not None:
            if self._errand.state not in ENDED or self.now_us < self._asked_us + IDLE_LIFT_US:
                return
            self._asked_us = self.now_us
        step = prompt.steps[0]
        cell = self.session.match.placing.board[step.cell]
        lies, again = self.rig.kinds[cell], self._errand is not None
        hands = self.rig.hands
        if step.do == "place" and lies == 0:
            self._errand = hands.place(cell, step.kind, hand="bot")
        elif lies and (step.do == "lift" or lies != step.kind or again):
            self._errand = hands.lift(cell, hand="bot")

    def _count_moves(self) -> None:
        history = self.session.match.history
        now = (self.session.games, len(history.played))
        if now != self._known:
            if now[0] == self._known[0]:
                self.moves += max(now[1] - self._known[1], 0)
            self._known = now
            self.longest_us = max(self.longest_us, self.now_us - self._moved_us)
            self._moved_us = self.now_us
        elif self.now_us - self._moved_us > self.longest_us:
            self.longest_us = self.now_us - self._moved_us


def show(seed: int, minutes: float) -> DemoTable:
    """One demo of a number of virtual minutes, as it stands at its end."""
    with TemporaryDirectory(prefix="lumiban-demo-") as folder:
        table = DemoTable(seed, Path(folder))
        end = round(minutes * 60e6)
        while table.now_us < end:
            table.rest(min(1_000_000, end - table.now_us))
            del table.journals[:-1]
    return table
