"""The host's detector of broken select lines, fed by what our boards tell of injected pieces."""

from __future__ import annotations

import pytest
from lumiban.boards.select_lines import PLACED, AliasDetector, where
from lumiban.boards.types import BoardEvent
from lumiban_fw import wire
from lumiban_fw.wire import EMPTY, WHITE
from pytest_lumiban import stimuli
from pytest_lumiban.board import BoardUnderTest


@pytest.mark.lumiban_needs("inject", "kinds")
def test_pieces_that_come_with_their_aliases_tell_of_a_broken_select_line(
    board: BoardUnderTest,
) -> None:
    host = board.host
    stimuli.switch_on(host)
    places = {(cell.row, cell.channel): n for n, cell in enumerate(board.profile.cells)}
    row = next(row for row, channel in places if channel == 4)
    two = places[row, 0], places[row, 4]
    for _ in range(PLACED):
        touch = stimuli.soon(host) + 700_000
        for cell in two:
            stimuli.place(host, cell, WHITE, touch, 0.3)
        host.run(1_100_000)
        leave = stimuli.soon(host) + 500_000
        for cell in two:
            stimuli.lift(host, cell, WHITE, leave, 0.3)
        host.run(1_000_000)
    kinds = [EMPTY] * len(board.profile.cells)
    detector, told = AliasDetector(board.profile), []
    for number, event in enumerate(host.events):
        before, kinds[event.cell] = kinds[event.cell], event.kind
        seen = BoardEvent(number, event.cell, event.kind, event.t_us, event.uncertainty_us)
        told += detector.hear(seen, kinds, before)
    assert told == [(wire.FAULT_MIRROR, where(row, 2))]
