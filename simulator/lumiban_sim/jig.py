"""A simulated jig: a small board that sets and takes pieces by electromagnets, by its own clock.

It speaks the lines of docs/jig.md and acts on the world of a rig at the exact time.
"""

from __future__ import annotations

from collections.abc import Callable

from lumiban_fw.wire import NEUTRAL, WHITE

from lumiban_sim.chip import POWER_ON, Chip
from lumiban_sim.world import FOREVER, World

VERSION = 1
BUTTONS = 4
MOST_US = 60_000_000
"""Longest time between "go" and an act."""
MOST_LINE = 80
"""Bytes of a line; of a longer one only so much is kept as tells it."""


class Jig:
    r"""Lines in by `hear`, answers out by `take_answers`; `advance` does what is due.

    >>> from lumiban.boards.profile import load
    >>> from lumiban_sim.rig import Rig
    >>> rig = Rig(load("hex3"), jig=True)
    >>> rig.jig.hear(b"put 9 1 1000\ngo\n", 0)
    >>> rig.advance(2_000)
    >>> rig.kinds[9], rig.jig.take_answers()
    (1, b'ok\nok\ndone\n')
    """

    def __init__(self, world: World, chip: Chip) -> None:
        self._world = world
        self._chip = chip
        self._line = b""
        self._out = bytearray()
        self._queue: list[tuple[int, Callable[[int], None]]] = []
        self._due: list[tuple[int, Callable[[int], None]]] = []

    def take_answers(self) -> bytes:
        """What it has answered since the last call."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def hear(self, data: bytes, now_us: int) -> None:
        """Bytes from whoever drives it."""
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[: MOST_LINE + 1]
        for line in lines:
            answer = "no line of that length"
            if len(line) <= MOST_LINE:
                answer = self._answer(line.decode("ascii", "replace").split(), now_us)
            self._out += answer.encode() + b"\n"

    def next_deadline(self) -> int:
        """When it acts next."""
        return self._due[0][0] if self._due else FOREVER

    def advance(self, now_us: int) -> None:
        """Do what is due."""
        while self._due and self._due[0][0] <= now_us:
            _, act = self._due.pop(0)
            act(now_us)
            if not self._due:
                self._out += b"done\n"

    def _answer(self, words: list[str], now_us: int) -> str:
        cells = len(self._world.profile.cells)
        try:
            match words:
                case ["jig?"]:
                    return f"jig {VERSION} cells 0-{cells - 1} kinds 1,2,3 buttons {BUTTONS} power"
                case ["clear"]:
                    self._queue.clear()
                    self._due.clear()
                    self._clear(now_us)
                case ["put", cell, kind, after]:
                    self._add(after, self._put(_of(cell, cells), _of(kind, NEUTRAL + 1, WHITE)))
                case ["take", cell, after]:
                    self._add(after, self._take(_of(cell, cells)))
                case ["press" | "let" as word, button, after]:
                    self._add(after, self._press(_of(button, BUTTONS), word == "press"))
                case ["cut", after]:
                    self._add(after, lambda _: self._chip.reset(POWER_ON))
                case ["go"]:
                    if self._due:
                        return "no still busy"
                    if not self._queue:
                        return "no nothing to do"
                    self._due = [(now_us + after, act) for after, act in self._queue]
                    self._queue.clear()
                case _:
                    return "no such line"
        except ValueError as error:
            return f"no {error}"
        return "ok"

    def _add(self, after: str, act: Callable[[int], None]) -> None:
        self._queue.append((_of(after, MOST_US + 1), act))
        self._queue.sort(key=lambda one: one[0])

    def _put(self, cell: int, kind: int) -> Callable[[int], None]:
        def act(now_us: int) -> None:
            if not self._world.on(cell):
                self._world.stand(kind, cell, now_us)

        return act

    def _take(self, cell: int) -> Callable[[int], None]:
        def act(now_us: int) -> None:
            for piece in self._world.on(cell):
                self._world.vanish(piece, now_us)

        return act

    def _press(self, button: int, down: bool) -> Callable[[int], None]:
        return lambda _: self._world.press(button, down)

    def _clear(self, now_us: int) -> None:
        for cell in range(len(self._world.profile.cells)):
            self._take(cell)(now_us)
        for button in range(BUTTONS):
            self._world.press(button, False)


def _of(word: str, most: int, least: int = 0) -> int:
    """A number of at least `least` and under `most`; ValueError."""
    if not word.isascii() or not word.isdigit() or not least <= int(word) < most:
        raise ValueError(f"{word} is not from {least} to {most - 1}")
    return int(word)
