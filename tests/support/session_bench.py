"""A session on a scripted board: what goes in, what comes out, its journal durable on word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed, Connected, Hello, Snapshot
from lumiban.table.requests import request_of
from lumiban.table.session import Session
from lumiban.table.types import Append, AskBot, Command, Durable, Output, Publish, Reply
from shown import as_page_has_it

T = TypeVar("T")


class Bench:
    """A session, a scripted board and a journal that gets durable when the test says so."""

    def __init__(self, *seats: str, profile: str = "hex3", size: int = 3, **more: Any) -> None:
        self.profile = load(profile)
        opening = more.pop("opening", "perimeter")
        self.game = more.pop("game", None) or games.load("control", size=size, opening=opening)
        self.session = Session(self.game, self.profile, seats or ("human", "human"), **more)
        self.now_us = 0
        self.next_event = 0
        self.out: list[Output] = []
        self.kept: list[Any] = []
        """Every record so far."""

    @property
    def match(self):  # type: ignore[no-untyped-def]  # short for tests
        return self.session.match

    def step(self, *inputs: Any, durable: bool = True) -> list[Output]:
        """One step; then all that was written is durable, until nothing more is written."""
        out = self.session.step(self.now_us, inputs)
        if durable:
            fresh = out
            while written := [o.number for o in fresh if isinstance(o, Append)]:
                fresh = self.session.step(self.now_us, [Durable(written[-1])])
                out = out + fresh
        self.out = out
        self.kept += [append.record for append in only(Append, out)]
        return out

    def connect(self, boot: int = 5, kinds: Sequence[int] | None = None, **more: Any) -> None:
        cells = len(self.profile.cells)
        hello = Hello("test", 1, cells, cells, 1, "uid", boot, self.now_us, 1000, 0, 0)
        shown = tuple(kinds) if kinds is not None else (0,) * cells
        self.step(
            Connected(hello), Snapshot(shown, self.next_event, self.now_us, False, False), **more
        )

    def event(self, name: str, kind: int) -> BoardEvent:
        self.now_us += 50_000
        cell = self.match.placing.board[self.game.grid.cell(name)]
        event = BoardEvent(self.next_event, cell, kind, self.now_us)
        self.next_event += 1
        return event

    def put(self, name: str, kind: int, **more: Any) -> list[Output]:
        event = self.event(name, kind)
        time_now = BoardTime(self.now_us, self.now_us, False)
        return self.step(time_now, Changed((event,)), **more)

    def wait(self, us: int) -> list[Output]:
        self.now_us += us
        return self.step()

    def command(self, do: str, **args: Any) -> Any:
        (reply,) = only(Reply, self.step(Command(request_of(do, args), 9)))
        assert reply.to == 9
        return reply.error

    @property
    def moves(self) -> list[str]:
        return [str(move) for move in self.match.history.moves]


def only(kind: type[T], out: Sequence[object]) -> list[T]:
    return [o for o in out if isinstance(o, kind)]


def records(out: Sequence[object]) -> list[str]:
    return [str(append.record["t"]) for append in only(Append, out)]


def view(bench: Bench) -> Any:
    return as_page_has_it(only(Publish, bench.out)[-1].view)


def asked(bench: Bench) -> AskBot:
    """White has played a1 and the bot is asked."""
    bench.connect()
    bench.put("a1", 1)
    (ask,) = only(AskBot, bench.wait(400_000))
    return ask
