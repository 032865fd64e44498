"""What a table suffers beside its board: its disk, its clock, its bots, its pages, other hosts.

These troubles stand in a plan beside those of the board (faults_plan.py), in the same words:
`at 300ms for 2s lying fsync`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lumiban_fw import wire

from lumiban.errors import CheckFailed, JournalError, JournalInUse
from lumiban.maker.flash import Updater
from lumiban.runtime.simulator import faulty_rig, forger
from lumiban.table.journal import JournalFile
from lumiban.table.resume import take
from lumiban.table.types import BotFailed, BotMove, Command

if TYPE_CHECKING:
    from lumiban.cli.soak_table import SoakTable
    from lumiban.runtime.simulator import Rig

FOREVER = 1 << 62
TROUBLES = {
    "lying fsync": "the disk says done, and a power cut takes it all the same",
    "failing fsync": "what is written does not become safe for as long",
    "full disk": "nothing more can be written for as long",
    "forged frames": "frames are changed on their way, their checksums with them",
    "suspend": "the host sleeps, its clock with it",
    "frozen host": "the host stands still, its clock goes on",
    "hung bot": "a bot says nothing for as long",
    "dead bot": "a bot's process dies when it is asked",
    "flood": "a page sends commands without pause",
    "other board": "the cable leads to another board, with the same pieces on it",
    "other profile": "the cable leads to a board of another kind",
    "second host": "another host tries to take the game and its line",
    "update": "an update is being sent to the board, and comes to no end",
}
"""What there is, and what it does."""
_PLAN_LINE = re.compile(r"at (\d+)ms for (\d+)ms (.+)")
FLOOD_US = 20_000
A_TURN = 6
"""Commands of a flood."""
FORGED = 0.05
"""The share of frames that are changed."""
FRAMES_OF_UPDATE = 4
DARK_US = 300_000
"""A cable is out for so long when it is put into another board."""
WISHES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("takeback", {}),
    ("confirm", {}),
    ("hint", {"level": "all"}),
    ("hint", {"level": "none"}),
    ("theme", {"name": "pink"}),
    ("theme", {"name": "standard"}),
    ("dance", {}),
    ("move", {"side": 0, "text": "nonsense"}),
    ("move", {"side": 1, "text": "a1"}),
    ("word", {"side": 0, "word": "stand"}),
    ("choose", {"text": "a1"}),
    ("audit", {"end": True}),
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One trouble; times are µs of the world."""

    at_us: int
    until_us: int
    name: str


def split(plan: str) -> tuple[str, list[str]]:
    """The lines of a plan that are for the board, and those that are for the universe."""
    ours = [line for line in plan.splitlines() if _name(line) in TROUBLES]
    rest = [line for line in plan.splitlines() if _name(line) not in TROUBLES]
    return "\n".join(rest), ours


def _name(line: str) -> str:
    found = _PLAN_LINE.fullmatch(line)
    return "" if found is None else found[3]


class Universe:
    """Makes the troubles of one table happen, through all lives of its host."""

    def __init__(self, table: SoakTable, seed: int) -> None:
        self.chance = random.Random(f"universe {seed}")
        self.happened: list[tuple[int, str]] = []
        self.forged = False
        """Frames have been changed since all was last at rest: no word of the board is sure."""
        self.lied = False
        """The disk has lost what it called safe."""
        self.guest: Rig | None = None
        """The board of another kind that the cable leads to."""
        self._table = table
        self._coming: list[Trouble] = []
        self._holding: list[Trouble] = []
        self._plug_us = FOREVER

    # What holds.

    def add(self, lines: list[str], now_us: int) -> None:
        """These troubles happen too; their times count from now."""
        for line in lines:
            found = _PLAN_LINE.fullmatch(line)
            assert found is not None
            at_us = now_us + int(found[1]) * 1000
            self._coming.append(Trouble(at_us, at_us + int(found[2]) * 1000, found[3]))
        self._coming.sort(key=lambda trouble: trouble.at_us)

    def until(self, *names: str) -> int:
        """When the last of these troubles that hold now ends; −1 when none holds."""
        return max((t.until_us for t in self._holding if t.name in names), default=-1)

    def has(self, *names: str) -> bool:
        """Whether one of these troubles holds now."""
        return any(trouble.name in names for trouble in self._holding)

    @property
    def active(self) -> list[str]:
        """The troubles that hold now."""
        return [trouble.name for trouble in self._holding]

    def next_deadline(self) -> int:
        """When one begins, ends or acts next."""
        times = [trouble.at_us for trouble in self._coming[:1]]
        times += [trouble.until_us for trouble in self._holding]
        times.append(self._plug_us)
        if self.has("flood"):
            times.append(self._table.now_us + FLOOD_US)
        if self.has("other profile"):
            times.append(self._table.now_us + FLOOD_US)
        return min(times, default=FOREVER)

    def advance(self, now_us: int) -> None:
        """Begin and end what is due."""
        if now_us >= self._plug_us:
            self._plug_us = FOREVER
            self._table.rig.pipe.unplugged = self.has("other profile")
        for trouble in [t for t in self._holding if t.until_us <= now_us]:
            self._holding.remove(trouble)
            self.happened.append((now_us, f"over: {trouble.name}"))
            self._end(trouble)
        while self._coming and self._coming[0].at_us <= now_us:
            trouble = self._coming.pop(0)
            self.happened.append((now_us, trouble.name))
            if not self.has(trouble.name):
                self._holding.append(trouble)
                self._begin(trouble)

    def end_all(self) -> None:
        """All is over now, and nothing else will happen."""
        self._coming.clear()
        while self._holding:
            self._end(self._holding.pop())
        self._plug_us = FOREVER
        self._table.rig.pipe.unplugged = False

    def at_rest(self) -> None:
        """All is as it should be again: from now on the laws hold without any exception."""
        self.forged = self.lied = False

    # One trouble.

    def _begin(self, trouble: Trouble) -> None:
        table = self._table
        pipe, chip = table.rig.pipe, table.rig.chip
        if trouble.name == "forged frames":
            self.forged = True
            pipe.to_host_faults = forger(self.chance.getrandbits(30), FORGED)
            pipe.to_board_faults = forger(self.chance.getrandbits(30), FORGED)
        elif trouble.name == "full disk":
            table.begin_full_disk()
        elif trouble.name == "other board":
            self._swap(bytes(byte ^ 0xFF for byte in chip.uid))
        elif trouble.name == "other profile":
            pipe.unplugged = True
            other = "grid9x9" if table.rig.profile.name != "grid9x9" else "hex3"
            self.guest = faulty_rig(other, table.seed, "")
        elif trouble.name == "second host":
            self._second_host()
        elif trouble.name == "update":
            table.rig.from_host(half_an_update(self.chance.getrandbits(32)))

    def _end(self, trouble: Trouble) -> None:
        table = self._table
        pipe, chip = table.rig.pipe, table.rig.chip
        if trouble.name == "forged frames":
            pipe.to_host_faults = pipe.to_board_faults = None
        elif trouble.name == "full disk":
            table.end_full_disk()
        elif trouble.name == "other board":
            self._swap(bytes(byte ^ 0xFF for byte in chip.uid))
        elif trouble.name == "other profile":
            self.guest = None
            self._plug_us = table.now_us + DARK_US

    def _swap(self, uid: bytes) -> None:
        """The cable is put into another board with the same pieces."""
        rig = self._table.rig
        rig.chip.uid = uid
        rig.pipe.unplugged = True
        rig.reset()
        self._plug_us = rig.now_us + DARK_US

    def _second_host(self) -> None:
        """Another host comes to the game: it may not have the journal, nor change a byte of it."""
        table = self._table
        if not table.journals or not table.journals[-1]:
            return
        path = table.folder / "second-host.journal"
        whole = bytes(table.journals[-1])
        path.unlink(missing_ok=True)
        path.write_bytes(whole)
        try:
            ours = JournalFile(path, new=False)
        except JournalError:
            return
        try:
            # What the running host writes just then is half there.
            path.write_bytes(whole + b"torn")
            take(path).close()
        except JournalInUse:
            pass
        else:
            raise CheckFailed("a second host took the journal of a running one")
        finally:
            ours.close()
        if path.read_bytes() != whole + b"torn":
            raise CheckFailed("a second host changed the journal of a running one")

    # Of what a table asks.

    def answer(self, answer: BotMove | BotFailed, due_us: int) -> tuple[int, BotMove | BotFailed]:
        """A bot's answer as it comes, and when."""
        if self.has("dead bot"):
            return due_us, BotFailed(answer.ticket, "its process ended")
        hung = self.until("hung bot")
        return max(due_us, hung), answer

    def commands(self) -> list[Command]:
        """What a page that floods says now."""
        if not self.has("flood"):
            return []
        wishes = self.chance.choices(WISHES, k=A_TURN)
        return [Command(do, dict(args), 2) for do, args in wishes]


def half_an_update(session: int) -> bytes:
    """What another host sends of a program before it is gone."""
    sent = wire.frame(wire.H_HELLO, wire.pack_host_hello(session))
    updater = Updater({"main.py": b"# half of a program\n" * 40, "other.py": b"pass\n" * 90})
    for number in range(FRAMES_OF_UPDATE):
        one = updater.next()
        assert one is not None
        sent += wire.frame(one[0], one[1], wire.RELIABLE, number)
    return b"\0" + sent
