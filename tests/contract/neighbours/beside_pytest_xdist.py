"""Beside pytest-xdist: simulated boards run on all workers."""

import pytest


@pytest.mark.parametrize("n", range(4))
def test_shared_out(lumiban_board, n):
    assert len(lumiban_board.cells) == 19
