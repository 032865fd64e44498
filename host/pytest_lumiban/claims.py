"""Claims: tests of single frames, and how they say what they saw instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from statistics import median
from typing import Any

import pytest
from lumiban.boards.client import Frame
from lumiban.boards.messages import message
from lumiban_fw import wire

from pytest_lumiban.probe import Probe

ANSWER_US = 1_000_000
"""A board that says nothing for so long does not answer."""
SETTLED_US = 1_500_000
"""After power-on, or after other readings, a board's cells have come to rest."""


class Broken(AssertionError):
    """A claim does not hold; the text says what was seen."""


class Inconclusive(Exception):
    """Inconclusive test: an answer came too late to be judged, since the computer or the line is
    too slow."""


def claim(sentence: str, *capabilities: str) -> Callable[[Any], Any]:
    """Mark of a test that holds a sentence of docs/wire.md; `capabilities` are names of `wire`.

    A test holds the quotes against the document.
    """
    return pytest.mark.lumiban_claim(sentence, *capabilities)


def require(held: object, otherwise: str) -> None:
    """Broken, with what was seen, unless this held."""
    if not held:
        raise Broken(otherwise)


def hear(probe: Probe, kind: int, us: int = ANSWER_US, since: int | None = None) -> Frame:
    """Next frame of this type, waited for `us` µs; Broken when none comes."""
    heard = probe.next(kind, us, since)
    if heard is None:
        raise Broken(f"no {message(kind).name} within {us // 1000} ms")
    return heard


def ask(probe: Probe, answer: int, kind: int, values: Iterable[int | bytes] = ()) -> Frame:
    """The answer to a question."""
    known = len(probe.frames)
    probe.say(kind, values)
    return hear(probe, answer, since=known)


def await_ack(probe: Probe, number: int, us: int = ANSWER_US) -> None:
    """Wait until the board expects this reliable frame."""
    known = len(probe.frames)

    def expects() -> bool:
        return any(one.ack == number for one in probe.frames[known:])

    if not probe.until(expects, us):
        acks = sorted({one.ack for one in probe.frames[known:]})
        raise Broken(f"frame {number} should be expected next; the board's acks were {acks}")


def hear_refusal(probe: Probe, seq: int, why: int) -> Frame:
    """The NAK of this frame, with this reason."""
    if not probe.until(lambda: bool(naks_of(probe, seq)), ANSWER_US):
        raise Broken("no NAK came")
    nak = naks_of(probe, seq)[0]
    require(nak["why"] == why, f"NAK for reason {nak['why']}, not {why}")
    return nak


def naks_of(probe: Probe, seq: int) -> list[Frame]:
    """All NAKs of this frame so far."""
    return [one for one in probe.of(wire.B_NAK) if one["seq"] == seq]


def settle(probe: Probe) -> None:
    """Wait for the first STATE of this session: the senses have come to rest."""
    hear(probe, wire.B_STATE, SETTLED_US, 0)


def period_us(probe: Probe, kind: int, field: str, since: int) -> float:
    """Median period in µs, by the board's own times in this field, of the frames of a type, the
    first `since` frames left out; Broken when fewer than three came."""
    times = sorted({one[field] for one in probe.of(kind, since)})
    require(len(times) > 2, f"{len(times)} {message(kind).name} came, too few to be regular")
    return median((other - one) & 0xFFFFFFFF for one, other in pairwise(times))


def in_time(probe: Probe, at_us: int) -> None:
    """Inconclusive unless the board has heard all that was sent before its time `at_us`."""
    late_us = probe.now_on_board() - at_us
    if late_us >= 0:
        raise Inconclusive(f"what was meant for a moment reached the board {late_us} µs after it")


def check_frames(probe: Probe) -> None:
    """Check what holds of every frame, whatever was asked."""
    require(not probe.broken, f"{probe.broken} of the board's frames came damaged")
    require(not probe.strange, "; ".join(probe.strange[:3]))
