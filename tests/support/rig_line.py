"""The line in memory of a simulated board, as a driver wants it: virtual time."""

from __future__ import annotations

from lumiban.boards.client import BoardClient
from lumiban.boards.profile import Profile
from lumiban.boards.transport import ByteLine
from lumiban_sim.rig import Rig


class RigLine(ByteLine):
    """The host's end of a rig's pipe."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    @property
    def now_us(self) -> int:
        return self.rig.now_us

    def write(self, data: bytes) -> None:
        self.rig.from_host(data)

    def read(self, until_us: int) -> bytes:
        self.rig.run(max(until_us, self.rig.now_us))
        return self.rig.to_host()


def driven(profile: Profile, rig: Rig) -> BoardClient:
    """A driver that has greeted the rig's board."""
    driver = BoardClient(profile, RigLine(rig))
    driver.open()
    return driver
