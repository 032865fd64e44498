"""The loops that run for every frame of the sensors or lights, as fast as they come here.

The chip compiles kernels_viper.py to machine code; kernels_thumb.py is machine code. CPython has
no `micropython` to import (or, on a Pi with Blinka, one without a compiler) and the MicroPython
VM no such compiler: they take the plain twins, which give the same numbers.
"""

try:
    from lumiban_fw.kernels_thumb import burst, follow, watch
    from lumiban_fw.kernels_viper import (
        beat,
        beyond,
        chase,
        cover,
        crc16,
        earliest,
        gather,
        glow,
        note,
        ranks,
        scale,
        share,
        sink,
        spread,
        start_all,
        start_motion,
        stuff,
        unstuff,
        used,
    )
except (AttributeError, ImportError, NameError, SyntaxError):  # Blinka's micropython has no viper
    from lumiban_fw.kernels_plain import (
        beat,
        beyond,
        burst,
        chase,
        cover,
        crc16,
        earliest,
        follow,
        gather,
        glow,
        note,
        ranks,
        scale,
        share,
        sink,
        spread,
        start_all,
        start_motion,
        stuff,
        unstuff,
        used,
        watch,
    )

__all__ = [
    "beat",
    "beyond",
    "burst",
    "chase",
    "cover",
    "crc16",
    "earliest",
    "follow",
    "gather",
    "glow",
    "note",
    "ranks",
    "scale",
    "share",
    "sink",
    "spread",
    "start_all",
    "start_motion",
    "stuff",
    "unstuff",
    "used",
    "watch",
]
