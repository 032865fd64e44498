"""Layout of a board: its wiring, thresholds and limits, as the firmware knows them.

It comes from `/board.bin` (`layout_file`). All numbers are integers.
"""

REFERENCE = 15
"""The mux channel of every row's reference."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array


class Layout:
    """A board as the firmware knows it, filled by `layout_file.read`.

    Fields in µT, µs, mA, µm as their names say; `gain_q16` is µT a count times 65536. `shares` are
    in 1/65536; `near_at` says for each cell where its neighbours stand in `near`: how many, and
    (how much further, modulo 256; which share) of each. Most cells have the same: each is there
    once.
    """

    model: bytes
    revision: int
    cells: int
    lights: int
    rows: int
    scan_hz: int
    limit_ma: int
    strip_limit_ma: int
    off_ut: int
    on_ut: int
    strong_ut: int
    foreign_ut: int
    still_ut: int
    settle_us: int
    strong_um: int
    weak_um: int
    gain_q16: int

    row: bytearray
    channel: bytearray
    light: bytearray
    baseline: "array[int]"
    strip: bytearray
    shares: "list[int]"
    near: bytes
    near_at: "array[int]"
    wiring: bytes
    """Wiring of switches on the chip's own pins (`layout_file`); empty where sensors measure."""

    def neighbours(self, cell: int) -> "list[tuple[int, int]]":
        """(cell, 1/65536 of a piece's field that it reads) of the cells around one."""
        at = self.near_at[cell]
        near = self.near
        return [
            ((cell + near[k]) & 0xFF, self.shares[near[k + 1]])
            for k in range(at + 1, at + 1 + 2 * near[at], 2)
        ]
