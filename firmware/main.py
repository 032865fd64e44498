"""What the Pico runs after boot.py: the board, on the chip's own hardware."""

from lumiban_fw import hal
from lumiban_fw.board import Board


def main() -> None:
    """Run the board for ever; without a hardware backend, say so and stop."""
    pico = getattr(hal, "Pico", None)
    if pico is None:
        print("lumiban: this firmware has no backend for the Pico yet;")
        print('it comes with the issue "Firmware and link for real". Until then: lumiban sim')
        return
    hardware = pico()
    board = Board(hardware)
    while True:
        board.tick(hardware.now_us())


if __name__ == "__main__":
    main()
