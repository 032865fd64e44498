"""Short names of the fixtures, for the suite alone."""

from pytest_lumiban.short import board, faults, hands, light, power, probe  # noqa: F401
