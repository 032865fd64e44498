"""A whole table in virtual time, on a board that suffers: hands, world, firmware, line, session.

Everything runs in one process by one clock, the world's. Two things hold at every step and are
watched here: each event of a boot comes once and in order, and the board may forget events only
when they are on disk.

`Universe` is what the table suffers beside its board: its disk, its clock, its bots, its pages and
other hosts. These troubles stand in a plan beside those of the board, in the same words: `at 300ms
for 2s lying fsync`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from lumiban import games
from lumiban.boards.messages import framed
from lumiban.boards.types import Changed, Connected, Faulty, LightFrame, LinkEvent, Lost, Snapshot
from lumiban.errors import CheckFailed, JournalError, JournalInUse
from lumiban.flight.file import head_of, of_new, of_resumed
from lumiban.flight.recorder import Note, Notes, as_recorded
from lumiban.maker.flash import Updater
from lumiban.scene.light import Effect
from lumiban.table.driver import SessionDriver
from lumiban.table.history import BY_BOARD
from lumiban.table.journal import Chain, JournalFile, Record, read
from lumiban.table.phase import BOT
from lumiban.table.requests import ErrorText, request_of
from lumiban.table.resume import ResumedGame, resume, take
from lumiban.table.session import Session
from lumiban.table.standstill import STILL
from lumiban.table.types import (
    AskBot,
    AskCoach,
    BotFailed,
    BotMove,
    Command,
    Durable,
    Finished,
    Input,
    NoRoom,
    Output,
    Refuse,
    Repair,
    Reply,
    Settings,
)
from lumiban.table.view_fields import TableView
from lumiban_fw import wire
from lumiban_sim.faults import Forger

from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_disk import drawn
from lumiban_lab.soak_laws import AckInvariant, Judges, Remembered, within_current
from lumiban_lab.soak_line import BareLine, Line
from lumiban_lab.soak_shell import OF_THE_SHELL, Shell

if TYPE_CHECKING:
    from lumiban_sim.rig import Rig


FOREVER = 1 << 62
THINKS_US = (0, 1_000, 300_000, 2_000_000)
STANDS = ("suspend", "frozen host")
"""Troubles in which the host does nothing."""
READS_US = 3_000_000
"""Within so long a person does what a sentence about the board asks for."""
TURNS = 5_000
"""Turns of the wheel without a µs between them that are a fault."""
FAILS = 0.01
"""Probability that a bot has no answer."""


class SoakTable(SessionDriver):
    """One table through as many lives of its host as it takes; times are µs of the world.

    `recorded` keeps a flight recording of the present life, `lines` gives it. With a `port` (of
    `soak_shell.PORTS`) its line goes through this machine's ports, else through memory.
    """

    def __init__(
        self,
        rig: Rig,
        slug: str,
        options: Mapping[str, int | str],
        seats: Sequence[str],
        *,
        seed: int,
        folder: Path,
        settings: Settings | None = None,
        fsync_us: int = 2_000,
        recorded: bool = False,
        judges: Judges | None = None,
        port: str = "",
    ) -> None:
        self.rig = rig
        self.seed = seed
        self.folder = folder
        self.settings = settings or Settings()
        self.fsync_us = fsync_us
        self.chance = random.Random(f"soak {seed}")
        self.lives = 0
        self.universe = Universe(self, seed)
        self.remembered = Remembered(judges)
        self.behind_us = 0
        """Time in µs by which the host's clock is behind the world's: it stands still in a host
        that sleeps."""
        self.heard = 0
        """Events that the link told."""
        self.finished = 0
        self.faults: list[tuple[int, Faulty]] = []
        self.losses = 0
        self.journals: list[bytearray] = []
        self.safe = 0
        """Bytes of the last journal that are on disk …"""
        self.said_safe = 0
        """… and those of which the disk has said so."""
        self._lit = b""
        self._turned_us, self._turns = -1, 0
        self._taken: int | None = None
        """Bytes of it that a full disk has taken; None where there is room."""
        self.told: list[tuple[int, LinkEvent]] = []
        """Reports of the link beside events and time, with when."""
        self.phantoms: list[tuple[int, str, str]] = []
        """Moves that no hand made: when, what, and the faults that held."""
        self.recordings: list[tuple[Mapping[str, Any], list[list[Any]]]] = []
        """Those of earlier lives."""
        self._recorded = recorded
        self.line: Line = Shell(self, port) if port else BareLine(self)
        game = games.load(slug, **options)
        self._first = lambda now: Session(
            game,
            rig.profile,
            seats,
            hint="control",
            seed=seed,
            settings=self.settings,
            now_us=now,
        )
        self._live(self._first, None)

    # Lives of the host.

    def _live(self, make: Callable[[int], Session], back: ResumedGame | None) -> None:
        now = self.host_us()
        if self._recorded and self.lives:
            self.recordings.append(self.lines())
        self.lives += 1
        self._numbers: dict[int, int] = {}
        self._boot = -1
        self._kept = AckInvariant(None if back is None else back.board.boot_id)
        self._late: list[tuple[int, Input]] = []
        self._behind: dict[int, set[int]] = {}
        """The numbers of each boot's events that were told as late."""
        self._durable: list[tuple[int, int, int]] = []
        self._inputs: list[Input] = [] if self._taken is None else [NoRoom(str(self.folder))]
        self._reply: Reply | None = None
        self.view: Mapping[str, Any] = {}
        self.worst_blinking = 0
        """The most lights that blinked as steps of repair at once …"""
        self.worst_astray = 0
        """… and as stones that stop nobody (in free play, and in light)."""
        self.notes: list[Note] = []
        self._witness = Notes(self.notes.append if self._recorded else _nothing)
        session_number = self.chance.getrandbits(32)
        resumes = None if back is None else back.link_resume
        self.begin(make(now))
        if self._recorded:
            history = self.session.match.history
            table = (
                of_new(history.game, history.seats, self.seed, self.session.journal_name)
                if back is None
                else of_resumed(back.path)
            )
            self._head = head_of(
                self.rig.profile.name,
                self.settings,
                now_us=now,
                hint="control",
                session=session_number,
                link_resume=resumes,
                table=table,
            )
        self.restart_us = FOREVER
        """Time in µs at which the host is started again: by a person, because the page says so, or
        since nothing came of this one."""
        self.line.begin(session_number, resumes, self._witness if self._recorded else None)
        given, self._inputs = self._inputs, []
        self.step(*given)

    def die(self, *, torn: bool, for_us: int) -> None:
        """The host ends and comes back after a while from what its disk kept.

        `torn`: of what was not synced each line is there, lost, torn or zeros; else all is there.
        """
        if not self.journals:
            return
        journal = bytes(self.journals[-1][: self._taken])
        if torn:
            pending = journal[self.safe :].splitlines(keepends=True)
            last = drawn(journal[: self.safe], pending, self.chance)
        else:
            last = journal
        survivor, number = survived(
            [*self.journals[:-1], last], self.folder / f"life-{self.lives}.journal"
        )
        if survivor is None:
            return
        same = (one == other for one, other in zip(last, journal, strict=False))
        cut = last.rfind(b"\n", 0, sum(takewhile(bool, same))) + 1
        may_lose = cut < self.said_safe or self._taken is not None
        is_earlier = number < len(self.journals) - 1
        self.remembered.died(len(self.journals) - 1, cut, may_lose=may_lose or is_earlier)
        if self._taken is not None:
            self._taken = survivor.path.stat().st_size
        self.line.die(self.rig.now_us + for_us)
        self.journals = [bytearray(survivor.path.read_bytes())]
        self._end = read(survivor.path).end
        self.safe = self.said_safe = len(self.journals[0])
        self._live(
            lambda now: Session.resumed(
                survivor, self.rig.profile, hint="control", settings=self.settings, now_us=now
            ),
            survivor,
        )

    def lines(self) -> tuple[Mapping[str, Any], list[list[Any]]]:
        """The recording of this life: its head and its lines."""
        return self._head, as_recorded(self.notes, int(self._head["now_us"]))

    # Time.

    @property
    def now_us(self) -> int:
        """The world's time."""
        return self.rig.now_us

    def begin_full_disk(self) -> None:
        """Nothing more is written, until `end_full_disk`."""
        self._taken = len(self.journals[-1]) if self.journals else 0
        self._inputs.append(NoRoom(str(self.folder)))

    def end_full_disk(self) -> None:
        """There is room again: what waited is written."""
        self._taken = None
        self._inputs.append(NoRoom(""))

    def rest(self, us: int) -> None:
        """Let time go by."""
        end = self.now_us + us
        while self.now_us < end:
            self._turn(end)

    def until(self, holds: Callable[[], bool], limit_us: int) -> bool:
        """Let time go by until something holds; False when it did not within `limit_us`."""
        end = self.now_us + limit_us
        while not holds():
            if self.now_us >= end:
                return False
            self._turn(end)
        return True

    def command(self, do: str, **args: Any) -> Mapping[str, Any] | None:
        """Ask something of the table; the error, or None when it was done or nobody is there to
        answer any more."""
        while self.universe.has(*STANDS):
            self._turn(self.now_us + 1_000_000)
        self._reply = None
        lives = self.lives
        self._inputs.append(Command(request_of(do, args), 1))
        self._turn(self.now_us)
        if self._reply is None and self.lives != lives:
            return None  # the host died over it, and what it had said with it
        if self._reply is None:
            raise CheckFailed(f"the table did not answer {do}")
        reply: Reply = self._reply
        return reply.error

    def _turn(self, until_us: int) -> None:
        """One turn of the wheel: the world goes on until somebody has something to do."""
        rig, universe = self.rig, self.universe
        stands_until = universe.until(*STANDS)
        if stands_until >= 0:
            begun = rig.now_us
            self.line.stand(min(max(until_us, begun + 1), stands_until))
            if universe.has("suspend"):
                self.behind_us += rig.now_us - begun
            universe.advance(rig.now_us)
            return
        due = [until_us, universe.next_deadline(), self.restart_us]
        deadline = self.session.next_deadline()
        due += [] if deadline is None else [deadline + self.behind_us]
        waits = universe.has("failing fsync", "full disk")
        due += [self._durable[0][0]] if self._durable and not waits else []
        due += [at for at, _ in self._late]
        due += [rig.now_us] if self._inputs else []
        self._watch_time()
        events = self.line.run(max(min(due), rig.now_us))
        universe.advance(rig.now_us)
        self._hear(events, rig.now_us)
        inputs: list[Input] = [*events]
        while self._durable and self._durable[0][0] <= rig.now_us and not waits:
            _, number, self.said_safe = self._durable.pop(0)
            if not universe.has("lying fsync"):
                self.safe = self.said_safe
            self._kept.on_disk = number
            inputs.append(Durable(number))
        inputs += [answer for at, answer in self._late if at <= rig.now_us]
        self._late = [(at, answer) for at, answer in self._late if at > rig.now_us]
        given, self._inputs = [*universe.commands(), *self._inputs], []
        self.step(*inputs, *given)
        if rig.faults is not None and rig.faults.for_host:
            fault = rig.faults.for_host.pop(0)
            self.die(torn=fault.name == "torn", for_us=max(fault.until_us - rig.now_us, 0))
        elif rig.now_us >= self.restart_us:
            # A host that met another board when it came back refuses its own one now, and says
            # that it may be started again to play on this one.
            self.restart_us = FOREVER
            universe.happened.append((rig.now_us, "the host is started again"))
            lives = self.lives
            self.die(torn=False, for_us=0)
            if self.lives == lives:  # no game has begun yet that could go on
                self._live(self._first, None)

    def _watch_time(self) -> None:
        """CheckFailed where so much is done that time never goes on."""
        if self.rig.now_us != self._turned_us:
            self._turned_us, self._turns = self.rig.now_us, 0
        self._turns += 1
        if self._turns > TURNS:
            raise CheckFailed(f"time stands still: {TURNS} turns of the wheel in one moment")

    def step(self, *inputs: Input) -> None:
        """Let the session follow these and do what it says, and look at what came of it."""
        if any(isinstance(one, Command) for one in inputs):
            self.remembered.may_change("a command")
        history = self.session.match.history
        self._before = history, len(history.played)
        super().step(*inputs)
        if self.journals:
            self.remembered.wrote(len(self.journals) - 1, len(self.journals[-1]))
        if self.rig.light != self._lit:
            self._lit = self.rig.light
            within_current(self.rig.profile, self._lit)

    def host_us(self) -> int:
        """Return the host's time, µs."""
        return self.rig.now_us - self.behind_us

    def on_stepped(self, now_us: int, taken: Sequence[Input], outputs: Sequence[Output]) -> None:
        """Look for moves that no hand made, and record the step."""
        history, known = self._before
        if self.session.match.history is history and len(history.played) > known:
            self._look_for_phantoms(known)
        self._witness.step(now_us, taken, outputs, self.session.match.verdict)

    def _look_for_phantoms(self, known: int) -> None:
        """Moves taken from the board although other pieces lie there: a fault was believed."""
        match = self.session.match
        history, lies = match.history, self.rig.kinds
        new = history.played[known:]
        for position, played in zip(history.positions[-len(new) - 1 : -1], new, strict=False):
            if played.by != BY_BOARD or played.move.is_word:
                continue
            for cell, _, after in history.game.effects(position, played.move):
                if lies[match.placing.board[cell]] != after:
                    active = [f.text for f in self.rig.faults.active] if self.rig.faults else []
                    if active:  # else a hand was quicker than the board
                        self.phantoms.append((self.now_us, str(played.move), "; ".join(active)))
                    break

    # What is heard and done.

    def _hear(self, events: Sequence[LinkEvent], now: int) -> None:
        for event in events:
            if isinstance(event, Connected):
                self._boot = event.hello.boot_id
                self.restart_us = FOREVER
            elif isinstance(event, Changed):
                self._count(event)
            elif isinstance(event, Snapshot):
                self.remembered.may_change("a snapshot")
                self._numbers[self._boot] = event.next_event
            elif isinstance(event, Faulty):
                self.faults.append((now, event))
            if isinstance(event, Lost):
                self.losses += 1
                if event.reason == "other-board":
                    self.restart_us = min(self.restart_us, now + READS_US)
            if isinstance(event, Connected | Faulty | Lost) or (
                isinstance(event, Snapshot) and event.was_healed
            ):
                self.told.append((now, event))

    def _count(self, event: Changed) -> None:
        self.heard += len(event.events)
        for one in event.events:
            self.remembered.may_change("an event")
            wanted = self._numbers.get(self._boot)
            if self.universe.forged:
                pass  # the numbers are what somebody has made of them
            elif wanted is not None and one.number != wanted:
                what = "doubled" if one.number < wanted else "lost"
                raise CheckFailed(f"event {wanted} of boot {self._boot} was {what}: {one}")
            self._numbers[self._boot] = one.number + 1
            if one.is_late and not self.universe.forged:
                self._called_late(one.number)

    def _called_late(self, number: int) -> None:
        """The link told an event as late: it may only if the board said so, for the link calls
        late also what it has given a wrong time."""
        chip = self.rig.chip
        if chip.boot_id != self._boot:
            return  # the chip that could tell is gone
        late = self._behind.setdefault(self._boot, set())
        late.add(number)
        if len(late) > chip.board.late:
            raise CheckFailed(f"event {number} lies before one that was told, but not by the board")

    def do(self, output: Output) -> None:
        """Hand an output on, and look whether what it promises is kept."""
        self._kept.follow(output, self.session.board.boot_id)
        super().do(output)

    def on_show(self, frame: LightFrame) -> None:
        """Let the board show this."""
        self.line.show(frame)
        if isinstance(self.session.match.verdict, Refuse | Repair):
            self._see_blinking(sum(effect == Effect.FAST_BLINK for _, effect in frame.lights))

    def on_new_journal(self, name: str) -> None:
        """Begin the journal of another game."""
        self.journals.append(bytearray())
        self._end = Chain()
        self.safe = self.said_safe = 0
        self._taken = None if self._taken is None else 0
        self.remembered.new_game()
        # What becomes durable from now on of the journal before is no part of this one.
        self._durable = [(due, number, 0) for due, number, _ in self._durable]

    def on_append(self, number: int, record: Record) -> None:
        """Write a record to the journal."""
        line, self._end = self._end.next_line(record)
        self.journals[-1] += line

    def on_written(self, number: int) -> None:
        """Have it on disk after a while."""
        self._durable.append((self.now_us + self.fsync_us, number, len(self.journals[-1])))

    def on_acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""
        self.line.acknowledge(next_event)

    def on_ask(self, question: AskBot | AskCoach) -> None:
        """Have a bot think; there is no coach here."""
        if isinstance(question, AskBot):
            self._think(question)

    def on_publish(self, view: TableView) -> None:
        """Remember what the page is told."""
        self.view = msgspec.to_builtins(view)
        self.remembered.published(self.view)

    def on_reply(self, to: int, error: ErrorText | None) -> None:
        """Remember the answer to `command`."""
        if to == 1:
            self._reply = Reply(to, error)

    def on_hung(self, why: str) -> None:
        """Fail: a table must not hang."""
        if why != STILL + BOT:  # a bot that never answers is not the table's fault
            raise CheckFailed(f"the table hung: {why}")

    def on_finished(self, end: Finished) -> None:
        """Count the games."""
        self.finished += 1

    def _see_blinking(self, blinks: int) -> None:
        match = self.session.match
        if match.is_in_light or (match.is_free and getattr(match, "time_out", None) is None):
            self.worst_astray = max(self.worst_astray, blinks)
        else:
            self.worst_blinking = max(self.worst_blinking, blinks)

    def _think(self, question: AskBot) -> None:
        """A bot answers with any legal move, after any time; now and then it fails."""
        chance = self.chance
        due = self.now_us + chance.choice(THINKS_US)
        answer: BotMove | BotFailed
        if chance.random() < FAILS:
            answer = BotFailed(question.ticket, "tired")
        elif texts := answers(question):
            answer = BotMove(question.ticket, chance.choice(texts))
        else:
            answer = BotFailed(question.ticket, "nothing to say")
        due, answer = self.universe.answer(answer, due)
        self._late.append((due, answer))


def survived(journals: Sequence[bytes | bytearray], path: Path) -> tuple[ResumedGame | None, int]:
    """Game with which a host that died comes back from what its disk kept, and the number of its
    journal: the last one, or the one before where the new one's journal did not come to hold a
    game; None without any."""
    for number in reversed(range(len(journals))):
        path.write_bytes(journals[number])
        try:
            return resume(path), number
        except JournalError:
            continue
    return None, -1


def answers(question: AskBot) -> list[str]:
    """Answers that a bot may give: any legal move, or where there is none a word that ends no
    game."""
    game, position, side = question.game, question.position, question.side
    texts = [str(move) for move in game.moves(position, side)]
    if texts:
        return texts
    words = [word for word in game.words(position, side) if word not in ("resign", "stop")]
    return ["done"] if "done" in words else words


def _nothing(note: Note) -> None:
    """For tables that are not recorded."""


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
    **OF_THE_SHELL,
}
"""Troubles, and what they do."""
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
    match = _PLAN_LINE.fullmatch(line)
    return "" if match is None else match[3]


class Universe:
    """Makes the troubles of one table happen, through all lives of its host."""

    def __init__(self, table: SoakTable, seed: int) -> None:
        self.chance = random.Random(f"universe {seed}")
        self.happened: list[tuple[int, str]] = []
        self.forged = False
        """Frames have been changed since all was last at rest: no word of the board is sure."""
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
        for one in lines:
            match = _PLAN_LINE.fullmatch(one)
            assert match is not None
            at_us = now_us + int(match[1]) * 1000
            self._coming.append(Trouble(at_us, at_us + int(match[2]) * 1000, match[3]))
        self._coming.sort(key=lambda trouble: trouble.at_us)

    def until(self, *names: str) -> int:
        """Time at which the last of these troubles that hold now ends; −1 when none holds."""
        return max((t.until_us for t in self._holding if t.name in names), default=-1)

    def has(self, *names: str) -> bool:
        """True if one of these troubles holds now."""
        return any(trouble.name in names for trouble in self._holding)

    @property
    def active(self) -> list[str]:
        """The troubles that hold now."""
        return [trouble.name for trouble in self._holding]

    def next_deadline(self) -> int:
        """Time at which one begins, ends or acts next."""
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
        self._table.line.calm()

    def at_rest(self) -> None:
        """All is as it should be again: from now on the laws hold without any exception."""
        self.forged = False

    # One trouble.

    def _begin(self, trouble: Trouble) -> None:
        table = self._table
        pipe, chip = table.rig.pipe, table.rig.chip
        if trouble.name == "forged frames":
            self.forged = True
            pipe.to_host_faults = Forger(self.chance.getrandbits(30), FORGED)
            pipe.to_board_faults = Forger(self.chance.getrandbits(30), FORGED)
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
        elif trouble.name in OF_THE_SHELL:
            table.line.strike(trouble.name)

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
        elif trouble.name in OF_THE_SHELL:
            table.line.mend(trouble.name)

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
        """Commands of a page that floods now."""
        if not self.has("flood"):
            return []
        wishes = self.chance.choices(WISHES, k=A_TURN)
        return [Command(request_of(do, args), 2) for do, args in wishes]


def half_an_update(session: int) -> bytes:
    """Part of a program that another host sends before it is gone."""
    sent = framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session)
    updater = Updater({"main.py": b"# half of a program\n" * 40, "other.py": b"pass\n" * 90})
    for number in range(FRAMES_OF_UPDATE):
        one = updater.next()
        assert one is not None
        sent += wire.frame(one[0], one[1], wire.RELIABLE, number)
    return b"\0" + sent
