"""What the Pico runs after boot.py: the board, on the chip's own hardware."""

import gc

import micropython

# 0x03 is data from the first byte on: a host may talk while the rest is still being loaded.
micropython.kbd_intr(-1)
# Collect often while files are loaded: else what stays lies scattered over the heap between what
# does not, and no place is left for a large buffer.
gc.threshold(8_000)


def main() -> None:
    """Run the board for ever; on anything but a Pico, say so and stop."""
    try:
        from lumiban_fw.hal_start import run
    except (ImportError, SyntaxError):
        print("lumiban: this is the firmware of the board; it runs on a Raspberry Pi Pico.")
        print("On a computer there is a simulated board: lumiban sim")
        return
    run()


if __name__ == "__main__":
    main()
