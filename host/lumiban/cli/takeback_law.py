"""A law over journals: no accepted move goes back unless a hand or a command took it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lumiban_fw.wire import FIRST_BUTTON

from lumiban.boards.mapping import place_grid
from lumiban.boards.profile import Profile
from lumiban.games.light_game import LightGame
from lumiban.table.history import BY_PAGE, GameHistory, from_head
from lumiban.table.journal import Record


def taken_back_by_nobody(
    records: Sequence[Record], profile: Profile, course: GameHistory | None = None
) -> list[str]:
    """The takebacks in a journal that nobody made, in words; [] as it should be.

    Somebody made one where a page says so, or where the board told by an event, after the move was
    played, of a change on a cell of that move; a whole picture that differs (after a power cut, or
    when events were lost) is no hand. In a game in light any marker since the move is one.
    `course` is the game before the first record, for journals of games from files.
    """
    course = course or from_head(records[0])
    hands = _Hands(place_grid(course.game.grid, profile).board)
    found = []
    for number, record in enumerate(records):
        hands.see(record)
        if record.get("t") == "back" and record.get("by") != BY_PAGE:
            cells = _changed(course, int(record["moves"]))
            if not hands.were_at(cells, anywhere=isinstance(course.game, LightGame)):
                moves = ", ".join(str(m) for m in course.moves[-int(record["moves"]) :])
                found.append(f"record {number} takes back {moves}, which nobody did")
        course.apply(record)
        if record.get("t") in ("move", "set", "back"):
            hands.rest()
    return found


def _changed(course: GameHistory, count: int) -> frozenset[int]:
    """The cells of the game that its last `count` moves changed."""
    before, after = (course.game.pieces(course.positions[n]) for n in (-1 - count, -1))
    return frozenset(cell for cell, kind in enumerate(before) if kind != after[cell])


class _Hands:
    """Where events told of changes since the last move; `board` maps cells of the game."""

    def __init__(self, board: Sequence[int]) -> None:
        self._board = board
        self._kinds: Mapping[int, int] = {}
        self._at: set[int] = set()

    def see(self, record: Record) -> None:
        """What a record tells of the board."""
        if record.get("t") == "belief":
            kinds = dict(enumerate(map(int, record["kinds"])))
            # What changed unseen was changed by no hand that anybody knows of.
            self._at -= {cell for cell, kind in kinds.items() if self._kinds.get(cell) != kind}
            self._kinds = kinds
        elif record.get("t") == "events":
            changed = {event[1]: event[2] for event in record["events"] if event[1] < FIRST_BUTTON}
            self._kinds = {**self._kinds, **changed}
            self._at.update(changed)

    def were_at(self, cells: Iterable[int], *, anywhere: bool) -> bool:
        """Whether a hand changed one of these cells of the game, or any at all."""
        return bool(self._at) and (anywhere or any(self._board[cell] in self._at for cell in cells))

    def rest(self) -> None:
        """A move was played: what hands did up to then is done."""
        self._at.clear()
