"""Where the numbers of a cell on its way stand in the senses' buffers.

`state` holds WAY words a cell. A trace is a ring of the RING last counts above the reference.
"""

MEAN = 8
"""Readings whose mean must be at rest."""
RING = 512
"""Frames kept of each way, and of each row's reference."""
MASK = RING - 1
CLOCK = 2047
"""The times of the last 2048 frames are kept: a time may be worked out long after."""

RUN = 8
"""Frames in a row beyond the band that start a motion.

A reading carries about 0.3 mT of noise, its difference from a reference as noisy 0.42 mT,
and the mean of 15 that is taken for the settled value 0.11 mT. One reading beyond 1 mT then has
p = 0.0096 a side, eight in a row on one side about p⁸; with the spread of settled values 61 cells
at 1000 frames a second start a motion by noise once in 42 days, 182 cells once in 14. A cell whose
value a neighbour has shifted by 0.5 mT does so after about 6 hours, and settles on the new value.
Such a motion changes no kind, so it makes no event; it holds the watermark for 40 ms, or 100 ms
where the field shifted by more than the band: a piece may still be on its way down.
"""

LOW = 0
"""The least count within a cell's band …"""
HIGH = 1
"""… and the greatest."""
BEYOND = 2
"""How many frames in a row were beyond it; below zero if under it."""
LAST = 3
"""The last of these frames."""
BAND = 4
"""`bands` holds so many words a cell."""

START = 0
"""When the motion began."""
FIRST = 1
"""Number of the first frame of the way."""
STILL = 2
"""Since when the field rests."""
SUM = 3
"""Of the last MEAN readings."""
ANCHOR = 4
"""`SUM` when the rest began."""
TOTAL = 5
"""Of the readings in the second half of the rest."""
SAMPLES = 6
"""How many these are."""
TRACE = 7
"""Number of the trace, or -1."""
AT = 8
"""Where in the window the oldest reading stands."""
WAY = 9
"""`state` holds so many words a cell. The window, its last MEAN readings, stands in `early`: the
readings beyond the band have been taken from there when a motion begins, and are as many."""
