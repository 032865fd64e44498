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
        from lumiban_fw.hal_pico import Pico
    except (ImportError, SyntaxError):
        print("lumiban: this is the firmware of the board; it runs on a Raspberry Pi Pico.")
        print("On a computer there is a simulated board: lumiban sim")
        return
    hardware = Pico()  # its buffers are large and must lie in one piece: they come first
    from lumiban_fw.board import Board

    board = Board(hardware)
    gc.threshold(-1)
    now_us, turn = hardware.now_us, board.turn
    while True:
        turn(now_us())


if __name__ == "__main__":
    main()
