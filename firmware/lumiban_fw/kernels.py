"""The loops that run for every frame of the sensors or lights.

They stand apart so that the chip can bring its own compiled twins; everything else takes the
plain ones. A twin must give the same numbers.
"""

from lumiban_fw.kernels_plain import glow, outside, scale

__all__ = ["glow", "outside", "scale"]
