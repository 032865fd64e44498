"""Boards in the simulated world: firmware, magnets and light in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lumiban.boards.profile import Profile, load
from lumiban_sim.chip import Body
from lumiban_sim.faults import LineFaults
from lumiban_sim.hands import Hands
from lumiban_sim.rig import Rig

from pytest_lumiban import bench
from pytest_lumiban.bench import Backend, Bench

CAN = frozenset((bench.HANDS, bench.LIGHT, bench.POWER, bench.KINDS, bench.INJECT))


class SimulatedBench(Bench):
    """A bench in the simulated world, whatever runs the firmware."""

    def __init__(
        self,
        name: str,
        profile: Profile,
        seed: int,
        body: Callable[[Any], Body] | None = None,
        can: frozenset[str] = CAN,
        **world: Any,
    ) -> None:
        self.name = name
        self.can = can
        self.profile = profile
        self.looked: list[int] = []
        """Times of the frames that the firmware took in."""
        if body is not None:
            world["body"] = body
        self.rig = Rig(profile, seed, **world)
        sample = self.rig.world.sample

        def watched(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
            self.looked.append(t_us)
            sample(frame, t_us, counts, references)

        self.rig.world.sample = watched  # type: ignore[method-assign]

    @property
    def now_us(self) -> int:
        """Virtual time."""
        return self.rig.now_us

    @property
    def hands(self) -> Hands:
        """Hands that move the pieces."""
        return self.rig.hands

    def write(self, data: bytes) -> None:
        """Bytes for the board."""
        self.rig.from_host(data)

    def read(self, until_us: int) -> bytes:
        """Let virtual time go on, at most until the board has sent something; that."""
        came = self.rig.to_host()
        if not came and until_us > self.now_us:
            self.rig.run(until_us)
            came = self.rig.to_host()
        return came

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of its cells, whose lights are all seen."""
        return self.profile.grid.names

    def look(self, cell: str) -> tuple[int, int, int]:
        """Red, green and blue of a cell as it shines."""
        at = 3 * self.profile.cells[self.profile.grid.cell(cell)].light
        red, green, blue = self.rig.light[at : at + 3]
        return red, green, blue

    def light(self) -> bytes:
        """r, g, b of each light as it shines."""
        return self.rig.light

    def cut(self) -> None:
        """Cut the power and give it back."""
        self.rig.reset()


def line_faults(seed: int, odds: float) -> LineFaults:
    """Bytes of one direction lost, doubled and changed, each with these odds."""
    return LineFaults(seed, drop=odds, duplicate=odds, corrupt=odds)


def can_do(profile: Profile) -> frozenset[str]:
    """Return what a simulated board of this profile can do: switches tell no kinds."""
    return CAN - ({bench.KINDS} if profile.switches is not None else set())


def backend(profile: str) -> Backend:
    """The board that `--lumiban-board sim` is."""

    @contextmanager
    def begin(name: str, seed: int) -> Iterator[Bench]:
        made = load(name or profile)
        yield SimulatedBench("sim", made, seed, can=can_do(made), cold=True)

    return Backend("sim", can_do(load(profile)), begin)
