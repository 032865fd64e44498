"""Claims of docs/wire.md: how a check asks a board and judges what it heard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lumiban_fw import wire

from lumiban.boards.messages import message
from lumiban.boards.probe import Heard, Probe

ANSWER_US = 1_000_000
"""A board that says nothing for so long does not answer."""
SETTLED_US = 1_500_000
"""After power-on, or after other readings, a board's cells have come to rest."""


class Broken(Exception):
    """A claim does not hold; the text says what was seen."""


class Untried(Exception):
    """A claim that this board cannot be asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of docs/wire.md, and how to see whether it holds; `needs` are capabilities."""

    id: str
    sentence: str
    check: Callable[[Probe], None]
    needs: int = 0


class Chapter:
    """Claims of one kind, in the order in which they are tried."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def claim(
        self, id: str, sentence: str, needs: int = 0
    ) -> Callable[[Callable[[Probe], None]], Callable[[Probe], None]]:
        """Take the decorated function as the check of this claim."""

        def noted(check: Callable[[Probe], None]) -> Callable[[Probe], None]:
            self.claims.append(Claim(id, sentence, check, needs))
            return check

        return noted


def require(held: object, otherwise: str) -> None:
    """Broken, with what was seen, unless this held."""
    if not held:
        raise Broken(otherwise)


def hear(probe: Probe, kind: int, us: int = ANSWER_US, since: int | None = None) -> Heard:
    """The next frame of this type within so many µs; Broken when none comes."""
    heard = probe.next(kind, us, since)
    if heard is None:
        raise Broken(f"no {message(kind).name} within {us // 1000} ms")
    return heard


def await_ack(probe: Probe, number: int, us: int = ANSWER_US) -> None:
    """Wait until the board expects this reliable frame."""
    known = len(probe.heard)

    def expects() -> bool:
        return any(one.ack == number for one in probe.heard[known:])

    if not probe.until(expects, us):
        acks = sorted({one.ack for one in probe.heard[known:]})
        raise Broken(f"frame {number} should be expected next; the board's acks were {acks}")


def hear_refusal(probe: Probe, seq: int, why: int) -> None:
    """The NAK of this frame, with this reason."""
    if not probe.until(lambda: bool(naks_of(probe, seq)), ANSWER_US):
        raise Broken("no NAK came")
    told = naks_of(probe, seq)[0].unpacked
    require(told.number("why") == why, f"NAK for reason {told.number('why')}, not {why}")


def naks_of(probe: Probe, seq: int) -> list[Heard]:
    """All NAKs of this frame so far."""
    return [one for one in probe.of(wire.B_NAK) if one.unpacked.number("seq") == seq]


def settle(probe: Probe) -> None:
    """Wait for the first STATE: the senses have come to rest."""
    hear(probe, wire.B_STATE, SETTLED_US, 0)


def hear_belief(probe: Probe, cells: int, since: int = 0) -> list[int]:
    """The kinds of a whole STATE; its parts must agree."""
    parts = -(-cells // wire.CELLS_A_STATE)

    def whole() -> list[Heard]:
        by_time: dict[int, list[Heard]] = {}
        for one in probe.of(wire.B_STATE, since):
            by_time.setdefault(one.unpacked.number("t_us"), []).append(one)
        return next((found for found in by_time.values() if len(found) >= parts), [])

    if not probe.until(lambda: bool(whole()), SETTLED_US):
        raise Broken(f"no whole STATE of {parts} parts with equal t_us came")
    found = sorted(whole(), key=lambda one: one.unpacked.number("part"))
    numbers = {one.unpacked.number("event") for one in found}
    require(len(numbers) == 1, f"the parts of a STATE have events {sorted(numbers)}")
    halves = [int(byte) for one in found for (byte,) in one.unpacked.tail]
    return [kind for byte in halves for kind in (byte & 15, byte >> 4)]
