"""The fixtures of this plugin by short names, for a project that has no others of these names.

In a conftest.py, as many as are wanted:

    from pytest_lumiban.short import board, faults, hands, light, power, probe
"""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def board(lumiban_board: Any) -> Any:
    """The board: greeted, dark and at rest."""
    return lumiban_board


@pytest.fixture
def probe(lumiban_probe: Any) -> Any:
    """Single frames to the board and from it."""
    return lumiban_probe


@pytest.fixture
def hands(lumiban_hands: Any) -> Any:
    """Hands that move the pieces."""
    return lumiban_hands


@pytest.fixture
def light(lumiban_light: Any) -> Any:
    """Eyes that see the board's light."""
    return lumiban_light


@pytest.fixture
def power(lumiban_power: Any) -> Any:
    """The board's supply."""
    return lumiban_power


@pytest.fixture
def faults(lumiban_faults: Any) -> Any:
    """The board's line, to be spoilt."""
    return lumiban_faults
