"""The board's hardware as the firmware sees it; the only file that may import machine or rp2.

`Hal` says what a backend must offer. The simulator's chip is one; the Pico's comes with the
hardware.
"""


class Hal:
    """What every backend offers. Times are µs since power-on, never wrapping."""

    uid = b"\0" * 8
    boot_id = 0
    reset_cause = 0
    capabilities = 0
    scan_hz = 1000

    def board_bin(self) -> bytes:
        """The bytes of `/board.bin`."""
        raise NotImplementedError

    def scan(self, counts: "list[int]", references: "list[int]") -> int:
        """Fill in the newest frame's ADC counts (12 bits) of all cells and of the rows' channel 15.

        Returns the frame's time, or -1 when there is no frame newer than the last.
        """
        raise NotImplementedError

    def read(self) -> bytes:
        """Bytes that came over USB since the last call; b"" when none did."""
        raise NotImplementedError

    def room(self) -> int:
        """How many bytes can be written without blocking."""
        raise NotImplementedError

    def write(self, data: bytes) -> None:
        """Send bytes; never more than `room()`."""
        raise NotImplementedError

    def show(self, rgb: bytearray) -> None:
        """Light the LEDs: r, g, b of each light, after gamma and current limit."""
        raise NotImplementedError

    def buttons(self) -> int:
        """Buttons that are down now, one bit each."""
        raise NotImplementedError

    def feed(self) -> None:
        """Feed the watchdog."""
        raise NotImplementedError

    def worst_gap_us(self) -> int:
        """Worst gap between two scans since the last call; 0 where it is not measured."""
        return 0

    def rail_mv(self) -> int:
        """The 5 V rail in mV; 0 where it is not measured."""
        return 0
