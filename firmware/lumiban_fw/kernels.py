"""The loops that run for every frame of the sensors or lights, as fast as they come here.

The chip compiles kernels_viper.py to machine code. CPython has no `micropython` to import (or, on
a Pi with Blinka, one without a compiler) and the MicroPython VM no such compiler: they take the
plain twins, which give the same numbers.
"""

try:
    from lumiban_fw.kernels_viper import (
        astray,
        beat,
        chase,
        crc16,
        follow,
        gather,
        glow,
        note,
        outside,
        scale,
        stuff,
        unstuff,
    )
except (ImportError, SyntaxError, NameError):
    from lumiban_fw.kernels_plain import (
        astray,
        beat,
        chase,
        crc16,
        follow,
        gather,
        glow,
        note,
        outside,
        scale,
        stuff,
        unstuff,
    )

__all__ = [
    "astray",
    "beat",
    "chase",
    "crc16",
    "follow",
    "gather",
    "glow",
    "note",
    "outside",
    "scale",
    "stuff",
    "unstuff",
]
