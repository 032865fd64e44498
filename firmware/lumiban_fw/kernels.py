"""The loops that run for every frame of the sensors or lights, as fast as they come here.

The chip compiles kernels_viper.py to machine code; kernels_thumb.py is machine code. CPython has
no `micropython` to import (or, on a Pi with Blinka, one without a compiler) and the MicroPython
VM no such compiler: they take the plain twins, which give the same numbers.
"""

try:
    from lumiban_fw.kernels_thumb import gather, watch
    from lumiban_fw.kernels_viper import (
        awake,
        beat,
        beyond,
        chase,
        cover,
        crc16,
        earliest,
        follow,
        glow,
        note,
        scale,
        sink,
        spread,
        stuff,
        unstuff,
        used,
    )
except (AttributeError, ImportError, NameError, SyntaxError):  # Blinka's micropython has no viper
    from lumiban_fw.kernels_plain import (
        awake,
        beat,
        beyond,
        chase,
        cover,
        crc16,
        earliest,
        follow,
        gather,
        glow,
        note,
        scale,
        sink,
        spread,
        stuff,
        unstuff,
        used,
        watch,
    )

__all__ = [
    "awake",
    "beat",
    "beyond",
    "chase",
    "cover",
    "crc16",
    "earliest",
    "follow",
    "gather",
    "glow",
    "note",
    "scale",
    "sink",
    "spread",
    "stuff",
    "unstuff",
    "used",
    "watch",
]
