"""What happens between two hands, noted as it happens: `story` tells it to people.

An entry is kind, side, time, three figures, and the forecasts A and B of both sides afterwards.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.plan import ENTRY, LOG, LOG_ROOM, SIDE_SIZE, SIDES, A, B

PLACED, ERASED, FIRED, CREDITED, OVER, FELL, DIED, PASSED = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def note(board: Any, room: Any, kind: int, side: int, time: int, x: int, y: int, z: int) -> None:
    """Write an entry, if a log is kept."""
    count = room[LOG]
    if count < 0 or count == LOG_ROOM:
        return
    at = LOG + 1 + ENTRY * count
    room[at], room[at + 1], room[at + 2] = kind, side, time
    room[at + 3], room[at + 4], room[at + 5] = x, y, z
    room[at + 6], room[at + 7] = board[SIDES + A], board[SIDES + B]
    room[at + 8], room[at + 9] = board[SIDES + SIDE_SIZE + A], board[SIDES + SIDE_SIZE + B]
    room[LOG] = count + 1
