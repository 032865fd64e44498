"""A seeded table in virtual time, its bots slow or failing, and the short words of its trouble."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import Changed, LinkEvent
from lumiban.games.base import Game
from lumiban.table.types import AskBot, BotFailed, BotMove, Output, Settings
from lumiban_lab.soak_laws import AckInvariant
from lumiban_lab.soak_table import answers
from lumiban_sim.hands import BRISK, DONE, HUMAN, REFUSED, Errand
from lumiban_sim.rig import Rig
from virtual_table import VirtualTable


@dataclass
class FuzzedTable(VirtualTable):
    """A virtual table with bots that are slow or fail, whose acknowledgements are watched."""

    chance: random.Random = random.Random(0)  # noqa: RUF009  # replaced for every table
    events: int = 0

    def __post_init__(self) -> None:
        self.late: list[tuple[int, BotMove | BotFailed]] = []
        self.kept = AckInvariant(None if self.back is None else self.back.board.boot_id)
        super().__post_init__()

    def _make_link(self, resumes: tuple[int, int] | None) -> Link:
        # Another process greets with a session of its own.
        return Link(self.board, self.chance.getrandbits(32), resume=resumes)

    def _turn(self, until_us: int) -> None:
        now = self.now_us
        ready = [answer for due, answer in self.late if due <= now]
        self.late = [(due, answer) for due, answer in self.late if due > now]
        self._inputs += ready
        soonest = min((due for due, _ in self.late), default=until_us)
        super()._turn(min(until_us, soonest))

    def _heard(self, events: list[LinkEvent]) -> None:
        self.events += sum(len(e.events) for e in events if isinstance(e, Changed))

    def _became_durable(self, number: int) -> None:
        self.kept.on_disk = number

    def do(self, output: Output) -> None:
        super().do(output)
        self.kept.follow(output, self.session.board.boot_id)

    def _think(self, question: AskBot) -> None:
        chance = self.chance
        due = self.now_us + chance.choice((0, 1_000, 300_000, 2_000_000))
        if chance.random() < 0.04:
            self.late.append((due, BotFailed(question.ticket, "tired")))
            return
        texts = answers(question)
        if chance.random() < 0.01:
            texts = ["resign", "xyz"]
        self.late.append((due, BotMove(question.ticket, chance.choice(texts))))


class SeededSitting:
    """What table, what seats: all from the seed; a hand's steps and short words for the rest."""

    slug = "control"

    def options_for(self, size: int) -> dict[str, int | str]:
        chance = self.chance
        return {
            "size": size,
            "opening": chance.choice(("perimeter", "perimeter", "free", "pie2", "12*")),
            "sees": chance.choice(("adjacent",) * 5 + ("sight",)),
            "scoring": chance.choice(("empty", "territory", "territory-empty")),
        }

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.chance = chance = random.Random(f"chaos {seed}")
        self.folder = folder
        self.did: Counter[str] = Counter()
        self.log: list[str] = []
        self.lives = 1
        self.events = 0
        profile, size = chance.choice(
            (("hex3", 3), ("hex3", 3), ("hex3", 2), ("hex5", 3), ("hex5", 2))
        )
        self.options = self.options_for(size)
        self.settings = Settings(
            grace_us=chance.choice((400_000, 400_000, 0)),
            confirm_us=chance.choice((2_000_000, 2_000_000, None)),
            takeback=chance.random() < 0.8,
            rematch_us=chance.choice((None, 3_000_000)),
            levels=("easy",),
        )
        self.fsync_us = chance.choice((2_000, 30_000, 900_000))
        rig = Rig(load(profile), seed, tempo=chance.choice((HUMAN, BRISK)))
        if chance.random() < 0.3:
            # A board that has been on for long: its clock soon passes 2^32 µs.
            rig.chip.epoch_us -= (1 << 32) - chance.randrange(1, 20_000_000)
        self.blind_row = -1
        self._blind(rig)
        seats = [chance.choice(("human", "human", "bot:easy")) for _ in range(2)]
        self.table = FuzzedTable(
            profile=profile,
            game=self.slug,
            seats=seats,
            options=self.options,
            seed=seed,
            settings=self.settings,
            assists=chance.choice(((), ("machine",), ("machine", "mend", "told"))),
            fsync_us=self.fsync_us,
            rig=rig,
            chance=chance,
        )
        self.assists = self.table.assists

    def _blind(self, rig: Rig) -> None:
        """A strip's cable comes loose while `blind_row` is that strip."""
        whole = rig.world.sample

        def sample(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
            whole(frame, t_us, counts, references)
            if self.blind_row >= 0:
                references[self.blind_row] = 100

        rig.world.sample = sample  # type: ignore[method-assign]  # a fault of the hardware

    # Short words.

    @property
    def rig(self) -> Rig:
        assert self.table.rig is not None
        return self.table.rig

    @property
    def game(self) -> Game:
        return self.table.session.match.history.game

    def cells(self) -> int:
        return len(self.rig.profile.cells)

    def own_cell(self) -> int:
        """Mostly a cell of the game, now and then any cell of the board."""
        if self.chance.random() < 0.85:
            return self.chance.choice(self.table.session.match.placing.board)
        return self.chance.randrange(self.cells())

    def standing(self) -> list[int]:
        return [cell for cell, kind in enumerate(self.rig.kinds) if kind]

    def note(self, what: str) -> None:
        self.log.append(f"{self.table.now_us / 1e6:.3f} {what}")

    def legal(self) -> tuple[list[int], list[int]]:
        view = self.table.view
        return view["legal"]["place"], view["legal"]["lift"]

    def do(self, step: dict[str, Any]) -> Errand:
        """A hand does one step, and it counts as done when it could not be."""
        table = self.table
        cell = table.session.match.placing.board[step["cell"]]
        hands = self.rig.hands
        if step["do"] == "place":
            errand = hands.place(cell, step["kind"], hand="person")
        else:
            errand = hands.lift(cell, hand="person")
        table.run(lambda t: errand.state in (DONE, REFUSED), 30_000_000)
        table.rest(700_000)
        return errand

    def follow_prompt(self) -> None:
        if self.table.prompt.steps:
            step = self.table.prompt.steps[0]
            self.do({"do": step.do, "cell": step.cell, "kind": step.kind})
