"""What free play keeps in its journal, and when: judged events only, the rest the board keeps."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed, Connected, Hello, Snapshot
from lumiban.table.journal import Chain, read
from lumiban.table.resume import resume
from lumiban.table.session import Session
from lumiban.table.types import Acknowledge, Append, Durable, Output
from thorough import some

HEX3 = load("hex3")
GAME = games.load("evening", size=3)
CELLS = len(HEX3.cells)


class Bench:
    """A session with a scripted board; `journal` is what it wrote, all of it on disk."""

    def __init__(self, session: Session | None = None, journal: bytes = b"") -> None:
        self.session = session or Session(GAME, HEX3, ("human", "human"), seed=5)
        self.now_us = 0
        self.journal = bytearray(journal)
        self.end = Chain()
        self.acknowledged = 0

    def step(self, *inputs: Any) -> None:
        waiting = list(inputs)
        while waiting:
            out: list[Output] = self.session.step(self.now_us, waiting)
            written = [o for o in out if isinstance(o, Append)]
            for append in written:
                line, self.end = self.end.next_line(append.record)
                self.journal += line
            for output in out:
                if isinstance(output, Acknowledge):
                    self.acknowledged = output.next_event
            waiting = [Durable(written[-1].number)] if written else []

    def connect(self, kinds: list[int] | None = None, next_event: int = 0) -> None:
        hello = Hello("test", 1, CELLS, CELLS, 1, "uid", 7, self.now_us, 1000, 0, 0)
        shown = tuple(kinds or [0] * CELLS)
        self.step(Connected(hello), Snapshot(shown, next_event, self.now_us, False, False))

    def clock(self, now_us: int, watermark_us: int | None = None) -> None:
        self.now_us = now_us
        mark = now_us if watermark_us is None else watermark_us
        self.step(BoardTime(now_us, mark, False))

    @property
    def moves(self) -> list[str]:
        return [str(move) for move in self.session.match.history.moves]


def event(number: int, name: str, kind: int, t_us: int, unsure_us: int = 500) -> BoardEvent:
    return BoardEvent(number, GAME.grid.cell(name), kind, t_us, unsure_us)


def killed(bench: Bench, folder: Path) -> Bench:
    """Another host comes back from the journal and greets the same board."""
    path = folder / "game.journal"
    path.write_bytes(bytes(bench.journal))
    back = resume(path)
    again = Bench(Session.resumed(back, HEX3), path.read_bytes())
    again.end = read(path).end
    again.now_us = bench.now_us
    return again


def test_a_stone_not_judged_when_the_host_dies_counts_at_its_time_when_it_is_sent_again(
    tmp_path: Path,
) -> None:
    bench = Bench()
    bench.connect()
    bench.now_us = 1_030_000
    stone = event(0, "b2", 1, 1_000_000)
    # The watermark has just passed it: another one may still tie with it.
    bench.step(Changed((stone,)), BoardTime(1_030_000, 1_000_001, True))
    assert bench.moves == []
    assert bench.acknowledged == 0
    again = killed(bench, tmp_path)
    assert again.session.board.next_event == 0
    again.connect()
    again.step(Changed((stone,)))
    again.clock(1_200_000)
    assert again.moves == ["wb2"]
    assert again.session.match.history.played[0].at_us == 1_000_000
    assert again.acknowledged == 1


def test_an_event_judged_before_an_earlier_number_is_kept_only_with_it(tmp_path: Path) -> None:
    """A late one is judged first; the board must not forget what has not been judged."""
    bench = Bench()
    bench.connect()
    bench.now_us = 2_000_000
    later, late = event(0, "b2", 1, 1_990_000), event(1, "a1", 3, 1_500_000)
    bench.step(Changed((later, late)), BoardTime(2_000_000, 1_990_001, True))
    assert list(bench.session.match.sensed.kinds).count(3) == 1
    assert bench.acknowledged == 0
    again = killed(bench, tmp_path)
    again.connect()
    again.step(Changed((later, late)))
    again.clock(2_300_000)
    assert again.moves == ["wb2"]
    assert again.acknowledged == 2


@pytest.mark.parametrize("seed", some(range(12), 4))
def test_the_game_is_the_same_however_its_events_arrive(seed: int) -> None:
    """The same stones in other portions, with later or sooner watermarks, give the same moves,
    coins and races."""
    chance = random.Random(seed)
    events, t_us = [], 1_000_000
    names = list(GAME.grid.names)
    for number in range(30):
        t_us += chance.choice((300, 900, 5_000, 40_000, 200_000))
        kind = chance.choice((0, 1, 1, 2, 2))
        events.append(event(number, chance.choice(names), kind, t_us, chance.choice((300, 1_500))))
    found = set()
    for way in range(6):
        bench = Bench()
        bench.connect()
        left = list(events)
        while left:
            count = len(left) if way == 0 else chance.randint(1, 6)
            taken, left = left[:count], left[count:]
            # The board promises nothing that it has yet to send.
            mark = left[0].t_us if left and way % 2 else taken[-1].t_us + 1
            bench.now_us = max(bench.now_us, taken[-1].t_us + 35_000)
            bench.step(Changed(tuple(taken)), BoardTime(bench.now_us, mark, True))
        bench.clock(t_us + 600_000)
        history = bench.session.match.history
        told = [(p.move.text, p.at_us, p.by) for p in history.played]
        found.add((tuple(told), tuple(history.tosses), tuple(history.races)))
    assert len(found) == 1
