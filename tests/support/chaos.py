"""Everything at once, seeded: clumsy hands, restless pages, bad lines, resets, dying hosts.

    CHAOS = Chaos(seed=1, folder)      # what table, what seats, what troubles: all from the seed
    CHAOS.run(actions=40)

Between bursts of trouble all comes to rest, and then these hold: every move is legal and stands
once in the journal, the journal leads to the very same table, the view tells what is, the board is
believed to hold what truly lies there; and nobody is stuck: who does what the table asks, and
nothing else, comes to a table that agrees, from which the game can be played on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chaos_rest import Rests
from chaos_trouble import Troubles
from lumiban import games

ACTIONS = 40


class Chaos(Troubles, Rests):
    """One seeded sitting at one table, through as many lives of its host as it takes."""

    def run(self, actions: int) -> None:
        trouble: dict[Callable[[], None], int] = {
            self.plays_on: 14,
            self.obeys_a_step: 8,
            self.places_anything: 5,
            self.lifts_anything: 5,
            self.lifts_and_puts_back: 4,
            self.lifts_and_puts_elsewhere: 4,
            self.undoes_the_last_move: 4,
            self.two_hands_at_once: 4,
            self.drags: 4,
            self.toddler: 1,
            self.presses: 3,
            self.page: 14,
            self.rests: 6,
            self.unplugs: 2,
            self.spoils_the_line: 2,
            self.stalls: 1,
            self.resets: 2,
            self.loosens_a_cable: 2,
            self.dies: 4,
        }
        self.table.rest(self.chance.choice((0, 200_000, 1_500_000)))
        for number in range(actions):
            action = self.chance.choices(list(trouble), list(trouble.values()))[0]
            self.did[action.__name__] += 1
            self.note(f"{action.__name__}")
            action()
            if self.chance.random() < 0.5:
                self.table.rest(self.chance.choice((20_000, 150_000, 600_000, 2_500_000)))
            if self.chance.random() < 0.12 or number == actions - 1:
                self.note("settle")
                self.settle()
                self.check()
                self.obey()
                self.check()
                self.play_a_move()
                self.check()
                self.table.assists = self.assists
        self.events += self.table.events


def fuzz(seed: int, folder: Path, actions: int = ACTIONS, kind: type[Chaos] = Chaos) -> Chaos:
    games.load("control")  # the registry's imports are not this test's business
    chaos = kind(seed, folder)
    try:
        chaos.run(actions)
    except Exception:
        print(f"seed {seed}: {chaos.options} {chaos.settings}")
        print("\n".join(chaos.log[-40:]))
        raise
    return chaos
