"""Pieces on neighbouring cells: what they add is known to the board and taken off."""

from __future__ import annotations

import pytest
from each import each
from lumiban.boards import profile
from lumiban.boards.profile import load
from lumiban_fw import layout_file
from lumiban_fw.calibration import ANY_UID, Calibration, CalibrationError, pack
from lumiban_fw.motion import DRIFT_UT, Baselines
from lumiban_hw.magnetics import STRONG, WEAK, Magnet, field_table

GAP_MM = 6.0


def exact(magnet: Magnet, distance_mm: float) -> float:
    table = field_table(magnet, GAP_MM)
    return table.at_ut(0.0, distance_mm) / table.at_ut(0.0, 0.0)


@each("distance_mm", [25, 28, 30, 35.4, 43.3, 50, 60])
def test_the_share_is_that_of_the_magnets_within_a_fifth(distance_mm: float) -> None:
    told = profile.share(distance_mm)
    assert told == pytest.approx(exact(STRONG, distance_mm), rel=0.2)
    # A weak piece's share is a little less; of its field that is 0.03 mT.
    assert abs(told - exact(WEAK, distance_mm)) * 12_700 < 40


def test_gains_and_offsets_of_a_calibration_hold() -> None:
    board = load("hex3")
    layout = layout_file.read(board.board_bin())
    cells = [(16 * (k - 9), 3_000_000 + 10_000 * k) for k in range(layout.cells)]
    data = pack(b"hex3", b"chip-123", 32_000, 12_500, cells)
    zeros = Baselines(layout, Calibration(data, layout.model, b"chip-123", layout.cells))
    assert list(zeros.zero) == [k - 9 for k in range(layout.cells)]
    assert zeros.strong_ut == 32_000
    assert zeros.ut(4, -5 + 100) == 100 * 3_040_000 >> 16


@each(
    ("change", "where"),
    [
        (lambda d: d[:20] + bytes([d[20] ^ 1]) + d[21:], 0),
        (lambda d: d[:-3], 0),
        (lambda d: b"", 0),
        (lambda d: pack(b"hex5", ANY_UID, 0, 0, [(0, 0)] * 19), 1),
        (lambda d: pack(b"hex3", ANY_UID, 0, 0, [(0, 0)] * 18), 1),
        (lambda d: pack(b"hex3", b"another!", 0, 0, [(0, 0)] * 19), 1),
    ],
)
def test_a_calibration_that_is_damaged_or_of_another_board_is_refused(
    change: object, where: int
) -> None:
    assert callable(change)
    data = change(pack(b"hex3", b"chip-123", 0, 0, [(0, 0)] * 19))
    with pytest.raises(CalibrationError) as caught:
        Calibration(data, b"hex3\0\0\0\0", b"chip-123", 19)
    assert caught.value.where == where


def test_drift_has_an_end() -> None:
    layout = layout_file.read(load("hex3").board_bin())
    zeros = Baselines(layout)
    steps = 0
    while zeros.drift(3, 32):
        steps += 1
    assert abs(zeros.zero[3] * layout.gain_q16 >> 16) in range(DRIFT_UT - 60, DRIFT_UT + 60)
    assert zeros.drift(3, -32)
    assert steps * 32 * layout.gain_q16 >> 24 <= DRIFT_UT
