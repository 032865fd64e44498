"""The near side: a bot that thinks in a process of its own, so that the table never waits.

worker = SearchProcess()
worker.ask(1, "control", {"size": 5}, position, "medium", seed=7)
...                                # whenever fileno() is readable:
for answer in worker.answers(): ...
"""

from __future__ import annotations

import contextlib
import os
from queue import Empty, SimpleQueue

from lumiban.games.base import Position
from lumiban.search.process_start import spawn
from lumiban.search.worker_messages import (
    Answer,
    Ask,
    Message,
    Options,
    Ponder,
    Ready,
    Stop,
    Warm,
    line_of,
    packed,
)
from lumiban.system.child import Child

__all__ = ["Answer", "SearchProcess"]

CLOSE_S = 1.0
"""A process that was killed is waited for so long, where nothing else is to be done."""


class SearchProcess:
    """One thinking process: questions with tickets in, answers out, in no particular order.

    It starts with the first question, or with `start`; if it dies, the open questions are
    answered as failed and the next question starts it again. It ends when its owner does. Call
    it from one thread.
    """

    def __init__(self) -> None:
        self._process: Child[Message] | None = None
        self._open: set[int] = set()
        self._pondered: int | None = None
        self._arrived: SimpleQueue[Message | None] = SimpleQueue()
        """Messages of the present process."""
        self._found: list[Answer] = []
        self._compiled: set[str] = set()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)

    def start(self) -> None:
        """Start the process, so that the first question need not."""
        if self._process is None:
            arrived: SimpleQueue[Message | None] = SimpleQueue()

            def hear(message: Message | None) -> None:
                arrived.put(message)
                self._wake()

            self._process, self._arrived = spawn(hear), arrived

    def warm(self, slug: str, options: Options, digest: str = "") -> None:
        """Say that questions about this game will come, so that it is compiled for by then."""
        self._tell(Warm(slug, dict(options), digest))

    def ask(
        self,
        ticket: int,
        slug: str,
        options: Options,
        position: Position,
        level: str,
        seed: int,
        digest: str = "",
        within_us: int | None = None,
        top: int = 0,
    ) -> None:
        """Ask for a move in `position`, a view of the one who moves, `within_us` if given.

        `top` is the number of moves that the coach asks for: there are several answers, the last
        one `done`. A game from a file gives its `digest`: the answer fails if the file has changed
        since.
        """
        self._open.add(ticket)
        kept = packed(position)
        self._tell(Ask(ticket, slug, dict(options), kept, level, seed, digest, within_us, top))

    def ponder(
        self,
        ticket: int,
        slug: str,
        options: Options,
        position: Position,
        level: str,
        seed: int,
        digest: str = "",
    ) -> None:
        """Let the bot think on the opponent's time about `position`, its own view, until `stop`."""
        self._pondered = ticket
        kept = packed(position)
        self._tell(Ponder(ticket, slug, dict(options), kept, level, seed, digest))

    def stop(self, ticket: int) -> None:
        """Forget a question: it will not be answered, and the process is soon free again."""
        if ticket in self._open or (ticket == self._pondered and self._process is not None):
            self._open.discard(ticket)
            self._tell(Stop(ticket))

    def answers(self) -> list[Answer]:
        """Answers since the last call; never waits."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake_read, 4096):
                pass
        with contextlib.suppress(Empty):
            while True:
                self._take(self._arrived.get_nowait())
        answers, self._found = self._found, []
        return answers

    @property
    def compiled(self) -> bool:
        """True if some game's compiled code has taken over, as far as `answers` has heard."""
        return bool(self._compiled)

    @property
    def pid(self) -> int | None:
        """The process's number while there is one."""
        return None if self._process is None else self._process.pid

    def fileno(self) -> int:
        """A descriptor that is readable when there may be answers; it stays the same for life."""
        return self._wake_read

    def close(self) -> None:
        """End the process, at once; one that is slow to die is not waited for."""
        process, self._process = self._process, None
        if process is not None:
            process.kill_later(CLOSE_S)
        for fd in (self._wake_read, self._wake_write):
            os.close(fd)

    def rest(self) -> bool:
        """End the process unless it is asked for something; the next question starts another.
        Whether it is ended. Nobody waits for the end."""
        process = self._process
        if self._open:
            return False
        if process is not None:
            self._process = self._pondered = None
            self._compiled.clear()
            process.kill_later()
        return True

    def restart(self) -> None:
        """End a process that may hang; the next question starts another. Open questions fail."""
        if self._process is not None:
            self._bury()

    def _tell(self, message: Message) -> None:
        self.start()
        assert self._process is not None
        if not self._process.send(line_of(message)):
            self._bury()

    def _wake(self) -> None:
        # A full pipe wakes as well as one byte more.
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake_write, b"\0")

    def _take(self, message: Message | None) -> None:
        if message is None:
            if self._process is not None:
                self._bury()
        elif isinstance(message, Answer) and message.ticket in self._open:
            if message.done:
                self._open.discard(message.ticket)
            self._found.append(message)
        elif isinstance(message, Ready) and message.ok:
            self._compiled.add(message.state)

    def _bury(self) -> None:
        """The process died, or may hang: all open questions have failed."""
        process, self._process = self._process, None
        self._arrived = SimpleQueue()
        self._compiled.clear()
        if process is not None:
            process.kill_later()
        why = "the bot's process died"
        self._found += [Answer(ticket, reason=why) for ticket in sorted(self._open)]
        self._open.clear()
        self._wake()
