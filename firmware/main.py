"""Program that the Pico runs after boot.py: the board, on the chip's own hardware."""

import gc
import sys

import micropython

# 0x03 is data from the first byte on: a host may talk while the rest is still being loaded.
micropython.kbd_intr(-1)
# Collect often while files are loaded: else what stays lies scattered over the heap between what
# does not, and no place is left for a large buffer.
gc.threshold(8_000)


def main() -> None:
    """Run the board for ever; on anything but a Pico, say so and stop."""
    try:
        from machine import WDT
    except ImportError:
        print("lumiban: this is the firmware of the board; it runs on a Raspberry Pi Pico.")
        print("On a computer there is a simulated board: lumiban sim")
        return
    if "RP2040" not in sys.implementation._machine:
        # Another chip's registers lie elsewhere: what this program writes would hit anything.
        print("lumiban: this firmware is for the RP2040 of a Raspberry Pi Pico; this is a")
        print(sys.implementation._machine + ", which is not supported yet.")
        return
    WDT(timeout=8_000)  # a program that hangs, even while it is loaded, is restarted
    from lumiban_fw.pico_main import run

    run()


if __name__ == "__main__":
    main()
