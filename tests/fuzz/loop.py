"""A small coverage-guided fuzzer: inputs that reach new lines of our code are bred on.

    found = fuzz(TARGETS["journal"], seeds, seed=1, runs=2000)
    found.failures      # [(input, error), ...], one of each kind

The same seeds, seed and runs give the same inputs on one version of Python and of the code. What
is new is told by `sys.settrace`: steps from line to line within our packages, with rough counts.
"""

from __future__ import annotations

import gc
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

OURS = ("lumiban", "lumiban_fw", "lumiban_sim")
MAX_EVENTS = 3_000_000
"""Lines that one input may run; more is a hang."""
MAX_BYTES = 40_000
NUMBERS = (0, 1, -1, 2, 7, 8, 255, 256, 65535, 65536, 2**31, 2**32, 2**63, 10**30)
NUMBER = re.compile(rb"-?\d+")
Target = Callable[[bytes], None]
Edge = tuple[int, int, int]
"""A code's number, the line before and the line."""


class TooLong(BaseException):
    """An input ran too many lines."""


@dataclass(slots=True)
class Found:
    """What fuzzing came to."""

    runs: int = 0
    edges: int = 0
    corpus: list[bytes] = field(default_factory=list)
    failures: list[tuple[bytes, BaseException]] = field(default_factory=list)


class Coverage:
    """The edges between lines of our code that one call runs through."""

    def __init__(self) -> None:
        self.edges: dict[Edge, int] = {}
        self._events = 0
        self._codes: dict[int, tuple[CodeType, int | None]] = {}
        """All that was entered, by identity, as the hash of a code looks at all of it: the number
        of one of ours, else None."""

    def run(self, target: Target, data: bytes) -> BaseException | None:
        """Call it; what it raised that it should not have."""
        self.edges = {}
        self._events = 0
        before = sys.gettrace()
        collects = gc.isenabled()
        gc.disable()  # what others left would end, by lines of ours too, within this call
        sys.settrace(self._enter)
        try:
            target(data)
        except (Exception, TooLong) as error:  # noqa: BLE001  # whatever it is, it is the find
            return error
        finally:
            sys.settrace(before)
            if collects:
                gc.enable()
        return None

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            name = frame.f_globals.get("__name__", "").partition(".")[0]
            known = self._codes[id(code)] = code, len(self._codes) if name in OURS else None
        _, number = known
        if number is None:
            return None
        edges, last = self.edges, 0

        def local(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal last
            if event == "line":
                line = frame.f_lineno
                edge = (number, last, line)
                edges[edge] = edges.get(edge, 0) + 1
                last = line
                self._events += 1
                if self._events > MAX_EVENTS:
                    raise TooLong(f"more than {MAX_EVENTS} lines run")
            return local

        return local


def fuzz(
    target: Target, seeds: Sequence[bytes], *, seed: int, runs: int, words: Sequence[bytes] = ()
) -> Found:
    """Run a target on mutated inputs; `words` are likely parts of them."""
    dice = random.Random(f"fuzz {seed}")
    coverage, found = Coverage(), Found(corpus=list(seeds) or [b""])
    known: set[tuple[int, int, int, int]] = set()
    kinds: set[str] = set()
    for data in found.corpus:  # imports, and what is kept after a call, have lines of their own
        coverage.run(target, data)
    for number in range(len(found.corpus) + runs):
        fresh = number >= len(seeds)
        data = _mutated(found.corpus, dice, words) if fresh else seeds[number]
        error = coverage.run(target, data)
        found.runs += 1
        if error is not None:
            kind = _kind(error)
            if kind not in kinds:
                kinds.add(kind)
                found.failures.append((data, error))
            continue
        news = {(*edge, count.bit_length()) for edge, count in coverage.edges.items()} - known
        if news:
            known |= news
            if fresh:
                found.corpus.append(data)
    found.edges = len({edge[:3] for edge in known})
    return found


def _kind(error: BaseException) -> str:
    """Errors of one kind are raised at one line."""
    trace = error.__traceback__
    where = "?"
    while trace is not None:
        code = trace.tb_frame.f_code
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
            where = f"{code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} {where}"


def _mutated(corpus: Sequence[bytes], dice: random.Random, words: Sequence[bytes]) -> bytes:
    # Later finds are the deeper ones: they are bred on more often.
    at = max(dice.randrange(len(corpus)), dice.randrange(len(corpus)))
    data = bytearray(corpus[at])
    for _ in range(1 << dice.randrange(4)):
        _mutate(data, corpus, dice, words)
    return bytes(data[:MAX_BYTES])


def _mutate(
    data: bytearray, corpus: Sequence[bytes], dice: random.Random, words: Sequence[bytes]
) -> None:
    how = dice.randrange(9)
    at = dice.randrange(len(data) + 1)
    length = min(1 << dice.randrange(8), len(data) - at)
    if how == 0 and at < len(data):
        data[at] ^= 1 << dice.randrange(8)
    elif how == 1 and at < len(data):
        data[at] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
    elif how == 2:
        data[at:at] = dice.randbytes(1 + dice.randrange(4))
    elif how == 3:
        del data[at : at + length]
    elif how == 4:
        data[at:at] = data[at : at + length]
    elif how == 5:
        other = dice.choice(corpus)
        cut = dice.randrange(len(other) + 1)
        data[at : at + length] = other[cut : cut + (1 << dice.randrange(9))]
    elif how == 6 and words:
        data[at:at] = dice.choice(words)
    elif how == 7 and words:
        data[at : at + length] = dice.choice(words)
    else:
        found = [match.span() for match in NUMBER.finditer(bytes(data))]
        if found:
            begin, end = dice.choice(found)
            data[begin:end] = str(dice.choice(NUMBERS)).encode()
