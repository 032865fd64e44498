"""What a settled field says about the piece that makes it."""

from lumiban_fw.layout import Layout
from lumiban_fw.wire import BLACK, EMPTY, FOREIGN, NEUTRAL, STACKED, UNKNOWN, WHITE

STACKED_TENTHS = 11
"""Stronger than 1.1 times what a single piece was taught to show: pieces lie upon each other."""


def classify(layout: Layout, taught_ut: int, old: int, ut: int) -> int:
    """The kind of a settled field of `ut`, with hysteresis around every threshold.

    `old` is the kind before, `taught_ut` what a strong piece shows when it stands (0: not taught).
    """
    strength = ut if ut > 0 else -ut
    present = old != EMPTY and old != UNKNOWN
    if strength < (layout.off_ut if present else layout.on_ut):
        return EMPTY
    foreign = layout.foreign_ut
    strong = layout.strong_ut
    stacked = taught_ut * STACKED_TENTHS // 10
    if old == FOREIGN:
        foreign -= layout.still_ut
    elif old == STACKED:
        stacked -= layout.still_ut
    elif old == WHITE or old == BLACK:
        strong -= layout.still_ut
    if strength > foreign:
        return FOREIGN
    if 0 < stacked < strength:
        return STACKED
    if strength < strong:
        return NEUTRAL
    return WHITE if ut > 0 else BLACK


def may_come_down(old: int, kind: int, shift: int, still: int) -> bool:
    """Whether a field at rest may be that of a piece that comes slowly or is held above.

    `shift` is by how many counts it moved since it last rested, `still` the width of rest.
    """
    if kind == NEUTRAL:
        return old != NEUTRAL
    return kind == EMPTY and old == EMPTY and (shift > still or shift < -still)
