"""Boards of one kind, with and without a host, as a test asks for them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Self

from contract.benches import SimulatedBench, bench
from lumiban.boards.profile import Profile
from pytest_lumiban.plain_host import PlainHost


class Table:
    """Makes boards, and ends them when it is left."""

    def __init__(self, name: str, profile: Profile) -> None:
        self.name = name
        self.profile = profile
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def board(self, seed: int = 1, **world: Any) -> SimulatedBench:
        """A board that has just been powered on; see `benches.bench`."""
        return self._open.enter_context(bench(self.name, self.profile, seed, **world))

    def hosted(self, seed: int = 1, **world: Any) -> tuple[SimulatedBench, PlainHost]:
        """A board that a host has greeted and that has told what stands on it."""
        board = self.board(seed, **world)
        host = PlainHost(board)
        host.greet()
        host.wait(lambda: bool(host.states), what="state")
        return board, host


def standing(board: SimulatedBench, host: PlainHost) -> bytes:
    """What stands on a simulated board, as far as its sensors can tell."""
    return bytes(host.told(kind) for kind in board.rig.kinds)
