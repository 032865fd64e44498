"""The board's hardware as the firmware sees it.

`Hal` says what a backend must offer. The simulator's chip is one; the Pico's is `hal_pico.Pico`.
Only the files hal_*.py and pico_main may import machine or rp2.
"""

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from lumiban_fw.buffers import Senses
    from lumiban_fw.layout import Layout


class Hal:
    """Interface of every backend. Times are µs since power-on, never wrapping."""

    uid = b"\0" * 8
    boot_id = 0
    reset_cause = 0
    """1 power-on, 2 reset by software, 3 watchdog."""
    capabilities = 0
    chip = b""
    """Hardware that the firmware runs on, in a few words."""
    scan_hz = 1000
    """Frames a second that the firmware takes in, as measured where that can be."""
    missed = 0
    """Frames that it did not take in since power-on: they came while it was busy."""
    wraps = False
    """Times that `tick` and `scan` give are modulo 2³⁰, as the chip's ticks_us."""
    steps = 0
    """Number of short steps (0.5 ms each on the chip) in which a tick works on the times of events,
    where it has the time (`steps_left`); 0: they are worked out at once."""
    free_heap = 0
    """Bytes of heap that were free at the last look; 0 where it is not measured."""
    bursts = False
    """Several frames can be taken in at once, by `burst`."""
    layout: "Layout | None" = None
    """The description in `board_bin`, where the backend has read it itself."""
    stores = False
    """Files are kept: an update can be taken."""
    green_first = False
    """`show` takes g, r, b of each light, as WS2812 LEDs do."""

    def board_bin(self) -> bytes:
        """The bytes of `/board.bin`."""
        raise NotImplementedError

    def scan(self, counts: "array[int]", references: "array[int]") -> int:
        """Fill in the next frame's ADC counts (12 bits) of all cells and of the rows' channel 15.

        Both are arrays of "H". Frames come in order; a backend keeps a few for a busy firmware
        and leaves out the oldest when there are more. Returns the frame's time, or -1 when there
        is no frame newer than the last.
        """
        raise NotImplementedError

    def pending(self) -> int:
        """Number of frames that `scan` could give at once."""
        return 0

    def flooded(self) -> bool:
        """True if enough frames wait after a burst that all else should wait for them."""
        return False

    def burst(self, senses: "Senses", no: int, epoch_us: int, most: int) -> int:
        """Take in up to `most` frames by the kernel `burst`, and return what it does.

        `senses` are the senses' buffers, `no` the number of the last frame, times are told from
        `epoch_us` on. A frame with a reference that is off is left for `scan`.
        """
        raise NotImplementedError

    def next_us(self, epoch_us: int) -> int:
        """Time of the next frame that `burst` would take, told from `epoch_us` on; -1: none."""
        return -1

    def put(self, counts: "array[int]", references: "array[int]", for_us: int) -> int:
        """Let the frames that `burst` would take next read so: those of as many µs from the first
        on. Returns how many they are."""
        return 0

    def read(self) -> bytes:
        """Bytes that came over USB since the last call; b"" when none did."""
        raise NotImplementedError

    def room(self) -> int:
        """Number of bytes that can be written without blocking."""
        raise NotImplementedError

    def write(self, data: bytes) -> None:
        """Send bytes; never more than `room()`."""
        raise NotImplementedError

    def power(self, on: bool) -> None:
        """Switch the strips' 5 V on or off: of sensors, references, multiplexers and lights.

        It is off after every reset, where it can be switched at all.
        """

    def supply_good(self) -> bool:
        """True if the supervisor calls the board's supply good; True where there is none."""
        return True

    def showing(self) -> bool:
        """True if the last picture is still on its way to the LEDs: none is made meanwhile."""
        return False

    def show(self, rgb: bytearray) -> None:
        """Light the LEDs: r, g, b of each light, after gamma and current limit.

        The buffer is the lights' own; it changes again two pictures later.
        """
        raise NotImplementedError

    def buttons(self) -> int:
        """Buttons that are down now, one bit each."""
        raise NotImplementedError

    def steps_left(self, crowd: bool) -> int:
        """Number of steps on times of events that this turn still has time for; more for a
        `crowd`."""
        return self.steps

    def tidy(self, playing: bool) -> None:
        """Once a turn: collect garbage if nobody plays and it is time, where that takes long."""

    def feed(self) -> None:
        """Feed the watchdog."""
        raise NotImplementedError

    def worst_gap_us(self) -> int:
        """Worst gap between two scans since the last call; 0 where it is not measured."""
        return 0

    def rail_mv(self) -> int:
        """The 5 V rail in mV; 0 where it is not measured."""
        return 0

    # Files that outlive power: the calibration, the description, an update. Never in play, since
    # writing flash stops the chip's interrupts.

    def load(self, name: str) -> bytes:
        """The bytes of a kept file; b"" when there is none."""
        return b""

    def blocks(self, name: str) -> "Iterator[bytes]":
        """The bytes of a kept file, some at a time: a program's fill the heap."""
        yield self.load(name)

    def store(self, name: str, data: bytes) -> bool:
        """Keep a file, whole or not at all; False when there is no room or no storage."""
        return False

    def append(self, name: str, data: bytes) -> bool:
        """Add to a file, making it when there is none; False when it cannot be kept."""
        return False

    def discard(self, name: str) -> None:
        """Remove a kept file; nothing happens when there is none."""

    def restart(self, how: int) -> None:
        """Follow BOOT: the chip's own loader for BOOT_LOADER (2), else restart."""
        if how == 2:
            self.bootloader()
        self.reset()

    def reset(self) -> None:
        """Restart the board; does not return on a chip."""
        raise NotImplementedError

    def bootloader(self) -> None:
        """Show up as a drive for a new MicroPython; does not return on a chip."""
        raise NotImplementedError
