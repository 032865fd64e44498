"""LAYER frames for lights anywhere on a board, each in the same colour and effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lumiban.boards.messages import packed
from lumiban_fw import wire


def layers(lights: Iterable[int], palette: int, effect: int) -> Iterator[bytes]:
    """Payloads of LAYER, one for each run of neighbours, at most as long as a frame holds.

    >>> [(first, len(pairs)) for _, first, pairs in map(wire.unpack_layer, layers([1, 2, 5], 1, 0))]
    [(1, 2), (5, 1)]
    """
    run: list[int] = []
    for light in sorted(lights):
        if run and (light != run[-1] + 1 or len(run) == wire.LIGHTS_A_FRAME):
            yield packed(wire.H_LAYER, 0, run[0], tail=[(palette, effect)] * len(run))
            run = []
        run.append(light)
    if run:
        yield packed(wire.H_LAYER, 0, run[0], tail=[(palette, effect)] * len(run))
