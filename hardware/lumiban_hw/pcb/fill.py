"""Runs under the Python that comes with KiCad: fills the zones of a board's file.

    python3 fill.py NAME.kicad_pcb

`kicad-cli` of KiCad 9 checks and plots zones as they are filled in the file, and cannot fill them.
This is the only line that does; it imports nothing of ours. Saving also writes KiCad's own project
beside the board: the caller puts ours back.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Fill all zones of the board that is named."""
    import pcbnew  # type: ignore[import-not-found,unused-ignore]  # of the system's Python

    board = pcbnew.LoadBoard(sys.argv[1])
    if board is None:
        raise SystemExit(f"KiCad cannot read {sys.argv[1]}")
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    if not pcbnew.SaveBoard(sys.argv[1], board):
        raise SystemExit(f"KiCad cannot write {sys.argv[1]}")


if __name__ == "__main__":
    main()
