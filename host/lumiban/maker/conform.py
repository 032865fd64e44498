"""Checks of a board against docs/wire.md: each claim by itself, for anybody's firmware.

A claim quotes the document; a test holds the quotes against it. The board is spoken to by frames
alone, and what it senses is injected: no hand is needed, and nothing of its program is touched. It
is started anew at the end, and its lights stay as the last claim left them. The claims are in
`claims`, by what they are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lumiban_fw import wire

from lumiban.boards.ports import localized
from lumiban.boards.probe import Probe
from lumiban.boards.transport import ByteLine
from lumiban.errors import LinkLost, UsageError
from lumiban.maker.claims.claim import Broken, Untried, require
from lumiban.maker.claims.event_claims import EVENTS
from lumiban.maker.claims.greeting_claims import GREETINGS
from lumiban.maker.claims.reading_claims import READINGS
from lumiban.maker.claims.restart_claims import RESTARTS

HELD, BROKEN, UNTRIED = "held", "broken", "untried"
CLAIMS = (*GREETINGS.claims, *EVENTS.claims, *READINGS.claims, *RESTARTS.claims)
"""In the order in which they are tried: a new start comes last."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a claim."""

    id: str
    sentence: str
    verdict: str
    detail: str = ""


def conform(line: ByteLine, only: Sequence[str] = ()) -> Iterator[Verdict]:
    """The verdict on each claim (`only`: on these), one after another. LinkLost when nothing of
    ours answers at all."""
    capabilities = Probe(line).greet().unpacked.number("capabilities")
    for claim in CLAIMS:
        if only and claim.id not in only:
            continue
        lacks = claim.needs & ~capabilities
        if lacks:
            names = ", ".join(
                name
                for name, bit in vars(wire).items()
                if name.startswith("CAN_") and isinstance(bit, int) and bit & lacks
            )
            yield Verdict(claim.id, claim.sentence, UNTRIED, f"the board has no {names}")
            continue
        probe = Probe(line)
        try:
            claim.check(probe)
            _clean(probe)
        except Broken as error:
            yield Verdict(claim.id, claim.sentence, BROKEN, str(error))
        except Untried as error:
            yield Verdict(claim.id, claim.sentence, UNTRIED, str(error))
        except ValueError as error:  # a payload that is none of its type
            yield Verdict(claim.id, claim.sentence, BROKEN, f"a payload is none: {error}")
        except LinkLost:
            yield Verdict(claim.id, claim.sentence, BROKEN, "the board did not answer HELLO")
        else:
            yield Verdict(claim.id, claim.sentence, HELD)


def chosen(ids: Sequence[str]) -> Sequence[str]:
    """The names of claims as given; UsageError for one that is none."""
    known = [claim.id for claim in CLAIMS]
    for id in ids:
        if id not in known:
            raise UsageError(localized("conform.unknown", claim=id, ids=", ".join(known)))
    return ids


def _clean(probe: Probe) -> None:
    """Checks that hold for every frame, whatever was asked."""
    require(not probe.broken, f"{probe.broken} of the board's frames came damaged")
    for one in probe.heard:
        if not one.kind & wire.FROM_BOARD:
            raise Broken(f"type 0x{one.kind:02X} is not from a board")
        if one.flags >> wire.MAJOR_SHIFT != wire.MAJOR:
            raise Broken(
                f"a frame of type 0x{one.kind:02X} has major {one.flags >> wire.MAJOR_SHIFT}"
            )
