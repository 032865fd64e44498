"""The far side of a worker: the process that thinks.

It answers at once: in compiled code where a library of kernels lies there, else in plain Python, so
that no move waits for a compiler. Meanwhile another process compiles (on the other core); once that
is done, what it has made thinks here. Both end with their owner: a thread that reads their stdin
ends the process when stdin does.

Measured on two cores: beside a compiling process the plain search keeps 95 % of its pace and pauses
7 ms at most; beside a compiling thread 65 % with pauses of 155 ms, and the compiler takes a third
longer.

The coach's question is answered again and again while it looks. On the opponent's time the tree
grows for what a person may do while they think: it begins with what the bot's last thought left,
and what it leaves the bot's next one begins with. It is asked for nothing and answers nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import IO

from lumiban import games
from lumiban.errors import GameError, LumibanError
from lumiban.games.base import Game, Position
from lumiban.games.registry import telling
from lumiban.search import jit, numba_available, own_process, tree
from lumiban.search.analysis import Analysis, analyse, by_number
from lumiban.search.bot import think
from lumiban.search.levels import Level
from lumiban.search.precompile import ready
from lumiban.search.registry import engine_of
from lumiban.search.tree import MAX_IN_SLICE, Room, next_portion
from lumiban.search.tree_searches import TreeReuse, new_search
from lumiban.search.worker_messages import (
    Answer,
    Ask,
    Message,
    Options,
    Ponder,
    Ready,
    Stop,
    Warm,
    message_of,
    send,
    unpacked,
)
from lumiban.system.child import Child, python

_MOMENT_S = 0.2
"""So long nothing is asked before a thinker does what can wait."""
_MANY = 50_000
"""Playouts of a level from which on it grows a tree in each thread."""


def begin_compiling(slug: str, options: Options) -> Child[None]:
    """Begin a process that compiles all of a game, and ends with this one."""
    return Child(python("lumiban.search.precompile", slug, json.dumps(options)))


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A compiling process has ended."""

    about: Warm
    ok: bool


class SearchWorker:
    """Answers the questions that come in through `source`, one after the other."""

    def __init__(
        self,
        source: IO[bytes],
        out_fd: int,
        begin_compiling: Callable[[str, Options], Child[None]] = begin_compiling,
    ) -> None:
        self._out_fd = out_fd
        self._begin_compiling = begin_compiling
        self._ready: dict[str, bool] = {}
        """By class of State whether it is thought about in compiled code; False: it cannot be, or
        not yet."""
        self._to_compile: deque[Warm] = deque()
        self._compiler: Child[None] | None = None
        self._come: deque[Warm] = deque()
        """Compiled code that has not been taken over yet."""
        self._inbox: SimpleQueue[Message | _Compiled] = SimpleQueue()
        self._waiting: deque[Ask] = deque()
        self._current: int | None = None
        self._stopped = False
        self._studies = self._gives_way = False
        """Two flags: the current question is the coach's; it has to begin again later."""
        self._games: dict[tuple[object, ...], Game] = {}
        self._kept = TreeReuse()
        self._pondering: Ponder | None = None
        """Position to think about while nothing is asked."""
        self._later: deque[Callable[[], object]] = deque()
        self._listen(source)

    def run(self) -> None:
        """Answer until the owner is gone."""
        while True:
            while self._waiting:
                self._take_over()
                self._answer(self._waiting.popleft())
            self._take_over()
            if self._pondering is not None:
                self._ponder(self._pondering)
            elif self._later:
                self._idle()
            else:
                self._hear(self._inbox.get())

    def _idle(self) -> None:
        """Wait a moment; when nothing comes, do something of what need not be done at once."""
        try:
            self._hear(self._inbox.get(timeout=_MOMENT_S))
        except Empty:
            self._later.popleft()()

    def _listen(self, stream: IO[bytes]) -> None:
        """Bring what comes through `stream` to the inbox; at its end, end."""

        def pump() -> None:
            for line in stream:
                self._inbox.put(message_of(line))
            os._exit(0)

        threading.Thread(target=pump, daemon=True).start()

    def _hear(self, message: Message | _Compiled) -> None:
        match message:
            case _Compiled(about, ok):
                self._compiler = None
                if ok:
                    self._come.append(about)
                    self._gives_way = self._gives_way or self._studies  # soon that is quicker
                self._compile_next()
            case Ask():
                self._pondering = None
                self._put(message)
            case Ponder():
                self._pondering = message
            case Stop(ticket):
                if self._pondering is not None and ticket == self._pondering.ticket:
                    self._pondering = None
                if ticket == self._current:
                    self._stopped = True
                kept = [ask for ask in self._waiting if ask.ticket != ticket]
                self._waiting = deque(kept)
            case Warm():
                self._warm(message)
            case _:
                pass

    def _put(self, ask: Ask) -> None:
        """Let a question wait; a bot's comes before the coach's, and interrupts it."""
        if ask.top:
            self._waiting.append(ask)
            return
        self._gives_way = self._studies
        behind = [other for other in self._waiting if other.top]
        before = [other for other in self._waiting if not other.top]
        self._waiting = deque((*before, ask, *behind))

    def _stop(self) -> bool:
        """Hear what has come meanwhile; whether the current question is void or has to wait."""
        with contextlib.suppress(Empty):
            while True:
                self._hear(self._inbox.get_nowait())
        return self._stopped or self._gives_way

    def _answer(self, ask: Ask) -> None:
        self._current, self._stopped = ask.ticket, False
        self._studies, self._gives_way = ask.top > 0, False
        self._warm(Warm(ask.slug, ask.options, ask.digest))
        try:
            answer = self._study(ask) if ask.top else self._think(ask)
        except LumibanError as error:
            answer = Answer(ask.ticket, reason=str(error))
        self._current, self._studies = None, False
        if self._gives_way and not self._stopped:
            self._waiting.append(ask)
        elif not self._stopped:
            send(self._out_fd, answer)

    def _study(self, ask: Ask) -> Answer:

        game = self._game(ask)
        position = unpacked(ask.position)

        def tell(answer: Answer) -> None:
            send(self._out_fd, answer)

        with telling(game, position):
            return study(
                game, position, ask, compiled=self._is_ready(game), stop=self._stop, tell=tell
            )

    def _ponder(self, about: Ponder) -> None:
        """Think about this until something is asked, it is void, or it has been thought about
        long enough."""

        def void() -> bool:
            self._stop()
            return self._pondering is not about

        with contextlib.suppress(LumibanError):  # what is asked later will fail alike, with reasons
            game = self._game(about)
            if not self._is_ready(game):
                return
            threads, room = self._means(game, engine_of(game).level(about.level))
            position = unpacked(about.position)
            with telling(game, position):
                ponder(
                    game, position, about.seed, self._kept, stop=void, threads=threads, room=room
                )

    def _means(self, game: Game, level: Level) -> tuple[int, Room]:
        """The threads and the room of a bot's thought; what is kept takes as much room again."""
        # Plain trees would only wait for each other.
        many = self._is_ready(game) and level.playouts >= _MANY
        keeps = self._is_ready(game) and ponders(level)
        return tree.thread_count() if many else 1, tree.tree_room().shared(2 if keeps else 1)

    def _think(self, ask: Ask) -> Answer:
        game = self._game(ask)
        position = unpacked(ask.position)
        level = engine_of(game).level(ask.level)
        threads, room = self._means(game, level)
        compiled = self._is_ready(game)
        with telling(game, position):
            thought = think(
                game,
                position,
                ask.level,
                ask.seed,
                longest_us=ask.within_us and min(ask.within_us, level.longest_us),
                compiled=compiled,
                threads=threads,
                room=room,
                kept=self._kept if compiled and ponders(level) else None,
                stop=self._stop,
            )
        return Answer(ask.ticket, thought.move.text, thought.value, thought.visits)

    def _warm(self, warm: Warm) -> None:
        """Have a game's compiled code: a library's at once, else from a process that makes it."""
        try:
            game = self._game(warm)
            state = tree.state_to_search(game, game.start())
        except LumibanError:
            return  # the question itself will fail alike, and be answered with the reason
        kind = _type_name(state)
        if self._ready.get(kind, False) or not jit.could_fit(state):
            return
        if jit.available() and jit.has_library(type(state)):
            self._begin(game, ok=True)
        elif kind not in self._ready and (
            numba_available.has_numba() or numba_available.has_come()
        ):
            self._ready[kind] = False
            if not numba_available.is_plain():
                self._to_compile.append(warm)
                self._compile_next()

    def _compile_next(self) -> None:
        if self._compiler is not None or not self._to_compile:
            return
        about = self._to_compile.popleft()
        compiler = self._compiler = self._begin_compiling(about.slug, about.options)

        def wait() -> None:
            self._inbox.put(_Compiled(about, compiler.wait() == 0))

        threading.Thread(target=wait, daemon=True).start()

    def _take_over(self) -> None:
        """Think from now on in what has been compiled; without a library that imports numba."""
        while self._come:
            jit.look_again()
            with contextlib.suppress(LumibanError):
                game = self._game(self._come.popleft())
                with telling(game, game.start()):
                    self._begin(game, ok=ready(game))

    def _begin(self, game: Game, *, ok: bool) -> None:
        kind = _type_name(tree.state_to_search(game, game.start()))
        self._ready[kind] = ok
        own_process.freeze_gc()
        self._later.append(own_process.collect_garbage)
        send(self._out_fd, Ready(kind, ok))

    def _is_ready(self, game: Game) -> bool:
        return self._ready.get(_type_name(tree.state_to_search(game, game.start())), False)

    def _game(self, about: Ask | Ponder | Warm) -> Game:
        key = _key(about)
        if key not in self._games:
            game = games.load(about.slug, **about.options)
            if about.digest and game.digest != about.digest:
                raise GameError(f"{about.slug} has changed since this game began; start a new one")
            self._games[key] = game
        return self._games[key]


def _key(about: Ask | Ponder | Warm) -> tuple[object, ...]:
    return (about.slug, about.digest, *sorted(about.options.items()))


def _type_name(state: object) -> str:
    return f"{type(state).__module__}.{type(state).__qualname__}"


STUDY_US = 8_000_000
"""Time in µs that the coach looks at a position, unless the question says otherwise."""
PLAIN_SHARE = 8
"""Without a compiler the look is shorter by this: it is slow, and only a bridge."""
TELLS_S = 0.4
"""Seconds between two of its answers."""
QUICKEST_US = 5
"""No random game and no position takes less: so much room a tree needs."""


def study(
    game: Game,
    position: Position,
    ask: Ask,
    *,
    compiled: bool,
    stop: Callable[[], bool],
    tell: Callable[[Answer], None],
    clock: Callable[[], float] = monotonic,
) -> Answer:
    """Look at a position and `tell` what is best so far, the first time at once; returns the last
    answer. `stop()` ends it early with what was found. GameError when there is nothing to see."""
    told_at = clock() - TELLS_S / 2

    def hear(looked: int, now: Callable[[], Analysis]) -> None:
        nonlocal told_at
        if clock() >= told_at + TELLS_S:
            tell(answer(ask, now()))
            told_at = clock()

    longest_us = ask.within_us or STUDY_US
    if not compiled:
        longest_us //= PLAIN_SHARE
    found = analyse(
        game, position, seed=ask.seed, budget=max(64, longest_us // QUICKEST_US),
        longest_us=longest_us, top=ask.top, compiled=compiled, room=tree.tree_room().shared(2),
        stop=stop, hear=hear,
    )  # fmt: skip
    return answer(ask, found)


def answer(ask: Ask, found: Analysis) -> Answer:
    """Result of the thought, as an answer."""
    if not found.lines:
        return Answer(ask.ticket, reason="nothing was found", done=found.done)
    best = found.lines[0]
    return Answer(
        ask.ticket, best.move.text, best.value, best.visits, "", by_number(found),
        found.looked, found.unit, found.done,
    )  # fmt: skip


MAX_THINKING_US = 30_000_000
"""For so long one turn of a person's is thought about; then the process rests."""
MAX_PLAYOUTS = 1 << 22
"""Number of random games at most."""


def ponders(level: Level) -> bool:
    """True if a bot of this level keeps its trees, and thinks on the opponent's time.

    >>> from lumiban.search.levels import level_of
    >>> [name for name in ("gentle", "medium", "hard", "strong") if ponders(level_of(name))]
    ['hard', 'strong']
    """
    return level.number >= 4


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def ponder(
    game: Game,
    position: Position,
    seed: int,
    kept: TreeReuse,
    *,
    stop: Callable[[], bool],
    compiled: bool = True,
    threads: int = 1,
    room: Room | None = None,
    longest_us: int = MAX_THINKING_US,
    now_us: Callable[[], int] = _now_us,
) -> int:
    """Grow the tree of `position`, which the bot knows as this view of it; how many random games.

    `stop()` is asked every few milliseconds. Memory is bounded by `room`.
    """
    if not engine_of(game).keeps_trees:
        return 0
    if not any(game.moves(position, side) for side in game.movers(position)):
        return 0
    end_us = now_us() + longest_us
    search = kept.next(game, position, seed, MAX_PLAYOUTS) or new_search(
        game, position, seed, MAX_PLAYOUTS, compiled=compiled, threads=threads, room=room
    )
    portion = 1
    while search.playouts < MAX_PLAYOUTS:
        began_us = now_us()
        if began_us >= end_us or stop() or search.grow(portion) < portion:
            break
        portion = next_portion(portion, now_us() - began_us, MAX_IN_SLICE)
    kept.keep(search)
    return search.playouts
