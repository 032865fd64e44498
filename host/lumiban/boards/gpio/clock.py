"""Lines that `config.txt` needs so that the clock of a Pi's core is steady, as lights by SPI
require.

By the generation of the Pi; a Pi 5 makes SPI's clock elsewhere. Nothing is imported here: a card's
first start reads it before lumiban is installed.
"""

_OLDER = ("core_freq=250",)
LINES = {1: _OLDER, 2: _OLDER, 3: _OLDER, 4: ("core_freq=500", "core_freq_min=500")}
FILTERS = {"pi0": 1, "pi1": 1, "pi2": 2, "pi3": 3, "pi4": 4}
"""The sections of `config.txt` that count for models of a generation alone."""
