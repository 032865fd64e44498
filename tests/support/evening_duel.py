"""Two bots at one table of turnless Evening in virtual time, without a board's physics.

Bots play in light, so the board has nothing to tell but its clock. They think inline, with so
many playouts each. `python tests/support/evening_duel.py` plays a match of two ways to behave.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import BoardTime, Connected, Hello, Snapshot
from lumiban.search.bot import think
from lumiban.search.tree_searches import TreeReuse
from lumiban.table import free_play
from lumiban.table.fitting import profile_for
from lumiban.table.session import Session
from lumiban.table.types import Append, AskBot, BotMove, Durable, Finished, Input

BEAT_US = 500_000
ROUNDS = 10_000


def play(
    size: int,
    seats: Sequence[str],
    seed: int,
    *,
    playouts: int,
    compiled: bool = False,
    kept: Sequence[TreeReuse | None] = (None, None),
    heard: Callable[[AskBot, BotMove], None] = lambda ask, answer: None,
) -> Session:
    """One game to its end; the table as it is then."""
    game = games.load("evening", size=size)
    profile = load(profile_for(game))
    cells = len(profile.cells)
    session = Session(game, profile, seats, seed=seed)
    hello = Hello("test", 1, cells, cells, 1, "uid", 5, BEAT_US, 1000, 0, 0)
    inputs: list[Input] = [Connected(hello), Snapshot((0,) * cells, 0, BEAT_US, False, False)]
    now_us = BEAT_US
    for _ in range(ROUNDS):
        out = session.step(now_us, inputs)
        inputs = []
        for output in out:
            if isinstance(output, Finished):
                return session
            if isinstance(output, Append):
                inputs.append(Durable(output.number))
            elif isinstance(output, AskBot):
                thought = think(
                    output.game,
                    output.position,
                    "strong",
                    output.seed,
                    playouts=playouts,
                    compiled=compiled,
                    kept=kept[output.side],
                )
                answer = BotMove(output.ticket, thought.move.text, thought.value, thought.visits)
                heard(output, answer)
                inputs.append(answer)
        if not inputs:
            due = session.next_deadline()
            now_us = max(now_us + 1, min(due or now_us + BEAT_US, now_us + BEAT_US))
            inputs.append(BoardTime(now_us, now_us, False))
    raise AssertionError(f"no end after {now_us} µs")


def stones(session: Session) -> list[tuple[int, int]]:
    """Board time and side of each stone that counted."""
    played = session.match.history.played
    return [(one.at_us, one.move.side) for one in played if not one.move.is_word]


def match(
    size: int, count: int, playouts: int, *, compiled: bool, presses: Sequence[str]
) -> dict[str, Any]:
    """So many games of `hard`, which behaves as in `presses`, against `medium`, which waits while
    it leads; colours alternate, both get the same playouts and the same pace."""
    before, free_play.PRESSES = free_play.PRESSES, frozenset(presses)
    try:
        won = pressed = 0
        for number in range(count):
            seats = ["bot:hard", "bot:medium"]
            mine = number % 2
            if mine:
                seats.reverse()
            kept = [TreeReuse(), None] if mine == 0 else [None, TreeReuse()]
            session = play(
                size, seats, number // 2, playouts=playouts, compiled=compiled, kept=kept
            )
            outcome = session.match.outcome
            assert outcome is not None
            won += outcome.winner == mine
            order = [side for _, side in stones(session)]
            pressed += sum(side == mine for side in order)
    finally:
        free_play.PRESSES = before
    return {"size": size, "games": count, "playouts": playouts, "won": won, "stones": pressed}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--playouts", type=int, default=200)
    parser.add_argument("--waits", action="store_true", help="both wait while they lead")
    told = parser.parse_args()
    behave = () if told.waits else ("hard",)
    print(match(told.size, told.games, told.playouts, compiled=True, presses=behave))
