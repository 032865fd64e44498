"""Offsets and sizes in the sensing buffers: a moving cell's state, its band, its trace.

`state` holds CELL_WORDS words a cell. A trace is a ring of the TRACE_LEN last counts above the
reference.
"""

MEAN = 8
"""Readings whose mean must be at rest."""
TRACE_LEN = 512
"""Frames kept of each way, and of each row's reference."""
MASK = TRACE_LEN - 1
CLOCK = 1023
"""The times of the last 1024 frames are kept: a time may be worked out long after."""

LONG_AGO_US = 1 << 28
"""Ages are told apart up to this only (4.5 minutes)."""
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
"""Number of frames in a row that were beyond it; below zero if under it."""
LAST = 3
"""The last of these frames."""
BAND = 4
"""Words a cell in `bands`."""

START = 0
"""Time at which the motion began."""
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
"""Number of these."""
TRACE = 7
"""Number of the trace, or -1."""
AT = 8
"""Index in the window of the oldest reading."""
CELL_WORDS = 9
"""Words a cell in `state`. The window, its last MEAN readings, stands in `early`: the
readings beyond the band have been taken from there when a motion begins, and are as many."""

HALF_SCALE = 2048
"""Reading of a reference, and of a sensor without a field."""
REFERENCE_OFF = 127
"""A reference that differs from half scale by more (6 %) says that the row cannot be read; those
that can be read fit into a byte."""

MOVING = 0
"""Number of cells that move …"""
FREE = 1
"""… how many traces are free …"""
UNSURE = 2
"""… how many motions found none …"""
REST_SUM = 3
"""… MEAN times the half width of the band, in counts …"""
REST_US = 4
"""… and how long a field must rest."""
UNWATCHED = 1 << 20
"""A band that ends here holds any reading: its cell is not looked at."""
TRACES = 16
"""Moving cells whose way is kept; those beyond get a time without a fit."""
NO_PIECE = 0
"""The kind of an empty cell: `wire.EMPTY`, which the kernels cannot import."""
ALONE_US = 300_000
"""An empty cell that rested for so long had no piece above it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    Senses = tuple[
        array[int],  # counts of a frame (H) …
        array[int],  # … and its references (H)
        bytearray,  # the row of each cell
        array[int],  # a ring of the last TRACE_LEN references of each row, above HALF_SCALE (b)
        array[int],  # the bands (i)
        array[int],  # the first RUN readings beyond each band, or the window (h)
        array[int],  # the times of frames (i)
        bytearray,  # cells that begin to move, or have come to rest
        array[int],  # what `watch` and `burst` saw (i)
        array[int],  # `state` (i)
        array[int],  # the traces (h)
        bytearray,  # the cells that move …
        bytearray,  # … and for each cell whether it does
        bytearray,  # the numbers of free traces
        array[int],  # `tally` (i)
        bytearray,  # what each cell holds
        array[int],  # the counts at which each settled last (i) …
        array[int],  # … and when (i)
        array[int],  # what each read while it was empty and alone (h)
    ]
    """The buffers of one board's senses, in this order."""
