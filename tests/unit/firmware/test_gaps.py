"""Frames that were not seen: what happened meanwhile is told with the uncertainty that it has."""

from __future__ import annotations

import pytest
from lumiban_fw.contact import UNSURE_US
from lumiban_hw.magnetics import STRONG, WEAK, Magnet, on_axis_ut
from thorough import some
from unit.firmware.test_sense_health import Bench, Way, falls

CELL = 5
AT_US = 600_370


def rises(magnet: Magnet, at_us: int, mm_s: float) -> Way:
    def ut(t_us: int) -> float:
        height = max(0.0, (t_us - at_us) * mm_s / 1e6)
        return on_axis_ut(magnet, 6.0 + height) if height < 30 else 0.0

    return ut


def told(magnet: Magnet, mm_s: float, gap_ms: int, share: float, *, lift: bool) -> tuple[int, int]:
    """(time, uncertainty) of a piece that met or left its seat at AT_US, in or near a gap."""
    bench = Bench()
    if lift:
        bench.ways[CELL] = lambda _: on_axis_ut(magnet, 6.0)
        bench.run(400_000)
        bench.events.clear()
    bench.ways[CELL] = (rises if lift else falls)(magnet, AT_US, mm_s)
    begins = (AT_US - round(share * gap_ms * 1000)) // 1000 * 1000
    bench.run(begins - bench.t_us)
    bench.run(gap_ms * 1000, gap_ms * 1000)
    bench.sense.gaps.note(bench.t_us - gap_ms * 1000, bench.t_us)
    bench.run(max(AT_US, bench.t_us) + 150_000 - bench.t_us)
    ((t_us, _, _, uncertainty),) = (event for event in bench.events if event[1] == CELL)
    return t_us, uncertainty


@pytest.mark.parametrize("lift", [False, True])
@pytest.mark.parametrize("magnet", [STRONG, WEAK])
@pytest.mark.parametrize(("mm_s", "gap_ms"), some([(100, 20), (1000, 6), (3000, 10)], 2))
def test_a_moment_in_a_gap_lies_within_its_uncertainty(
    magnet: Magnet, mm_s: float, gap_ms: int, lift: bool
) -> None:
    for share in (0.25, 0.75):
        t_us, uncertainty = told(magnet, mm_s, gap_ms, share, lift=lift)
        assert uncertainty == UNSURE_US or abs(t_us - AT_US) <= uncertainty


def test_a_gap_elsewhere_costs_nothing() -> None:
    # The noise is judged by the frames that were seen, so the rest may differ by less than a unit.
    unit_us = 50
    with_gap, uncertainty = told(STRONG, 100, 20, 12.0, lift=False)
    without, usual = told(STRONG, 100, 1, 240.0, lift=False)
    assert with_gap == without
    assert abs(uncertainty - usual) < unit_us
