"""Games as conversations: text files that a designer can read, played against the session.

Each line is `somebody does something -> what must come of it, and what else`; `#` begins a
comment. The board is a scripted one: a piece is sensed at once. What may be said:

    game control size=3 seats human bot:easy      the table; once, at the head
    game evening clock=1+0 hands ponder slow     with these settings; a slow board
    game control board=hex8 hint=none takebacks=off
    white places c3 / black places c3             a white or black piece is put there by whomever
    red places c3                                  a red one; on a piece: it looks like one now
                                                   (in doves the sides are red and green)
    board b./BA green to move                      these doves stand in the middle; any such game
    hand lifts c3 d4                               both at once
    power fails                                    the board starts anew, its pieces as they lie
    hand lifts c3
    hand takes c3 / white leaves c3                unseen by the board, as while it has no power
    hands obey                                     until the table asks for nothing more
    white presses confirm                          a button of the board
    board reports stuck c3 / board reports reference 4 over     a fault, at a cell or a row
    disk is full / disk has room
    bot answers d2 / bot answers red d2            the answer to the last question
    bot fails REASON / coach answers a1 c3
    page takeback / page move white c3 / page word black resign / page seat black human
    page pace 334 / page answer-back black yes=true
    page recentre / page audit skip / page accept-board c4=T
    2 s pass                                       time goes by

    plays c3 · plays xc3 d2 · plays nothing · takes back 2 · agrees · refused control.enemy-cell
    mend · mend table.machine-first · pending xc3 · bot thinks · bot rests · bot is stopped
    light c3 mend · lights 2 proof · dark · hands place c3 / hands lift c3 / hands rest
    black to move · over white no-move · declined table.no-board · says table.choose
    (without turns: see turnless_talk.py)
    chooses +Tc4 +Ac4 · said Tc4-c7 · dove T c4 · drift advised · waits air
    shows audit.asks T                             what the page is told, a list with spaces
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import thorough
import transcript
import turnless_talk
from journals import lines
from lumiban import games
from lumiban.boards import faults
from lumiban.boards.profile import load
from lumiban.boards.types import (
    BoardEvent,
    BoardTime,
    Changed,
    Connected,
    Faulty,
    Hello,
    Lost,
    Snapshot,
)
from lumiban.table import guidance
from lumiban.table.board_view import UP
from lumiban.table.clocks import control_of
from lumiban.table.driver import SessionDriver
from lumiban.table.fitting import profile_for
from lumiban.table.history import from_head
from lumiban.table.journal import Record
from lumiban.table.phase import moment
from lumiban.table.record import verify
from lumiban.table.requests import request_of
from lumiban.table.resume import resume
from lumiban.table.session import Session
from lumiban.table.types import (
    Advice,
    Agree,
    Append,
    AskBot,
    AskCoach,
    BotFailed,
    BotMove,
    Command,
    Finished,
    Input,
    NewJournal,
    NoRoom,
    Output,
    Publish,
    Refuse,
    Repair,
    Reply,
    Settings,
    StopBot,
    Wait,
)
from lumiban.table.view_fields import TableView
from shown import as_page_has_it

KINDS = {"white": 1, "black": 2, "neutral": 3, "red": 3, "unknown": 4, "stacked": 5}
RETOLD = ("position", "moves", "seats", "setup", "lesson", "lesson_step", "seed", "board")
KEPT = (
    *RETOLD, "positions", "played", "chosen", "sliding", "gesture", "tosses", "races", "to_mend",
    "stopped", "fallen", "light", "outcome", "profile",
)  # fmt: skip
"""What a journal keeps of a game, and what one that is begun now holds of it."""
PASSING = frozenset(
    (
        "v",
        "moves",
        "lights",
        "palette",
        "clock",
        "seats",
        "race",
        "lit",
        "audit",
        "theme",
        "back_asked",
        "coach",
        "review",
    )
)
UNDER_WAY = frozenset(
    ("verdict", "phase", "marks", "prompt", "legal", "pending", "timeout", "dead")
)
"""Fields of the view that a host which was killed need not find as they were: of the moment; and
while something is on its way."""
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
PROFILES = {2: "hex3", 3: "hex3", 4: "hex5", 5: "hex5"}
ADVICE = {
    "value": 0.6, "percent": 60, "visits": 30, "proof": None, "wins_in": None, "does": [],
}  # fmt: skip


class Conversation(SessionDriver):
    """One table that a text talks to."""

    def __init__(self, words: Sequence[str]) -> None:
        slug = words[1]
        options = dict(word.split("=") for word in words[2:] if "=" in word)
        control, board = options.pop("clock", None), options.pop("board", None)
        hint, takebacks = options.pop("hint", "legal"), options.pop("takebacks", "on")
        seats = [word for word in words if word == "human" or word.startswith("bot:")]
        game = games.load(slug, **options)
        usual = PROFILES.get(game.grid.size[0], "") if game.grid.is_hex else profile_for(game)
        profile = load(board or usual)
        named = {
            name: name.replace("_", "-") in words for name in ("hands", "ponder", "check_names")
        }
        of_table = Settings(takeback=takebacks == "on", **named)
        counted = None if control is None else control_of(control)
        self.begin(
            Session(
                game,
                profile,
                seats or ["human", "human"],
                hint=hint,
                seed=7,
                settings=of_table,
                control=counted,
            )
        )
        self.now_us = 0
        self.events = 0
        self.out: list[Output] = []
        self.records: list[Record] = []
        """The journal of the game now."""
        self.question: AskBot | None = None
        self.advised: AskCoach | None = None
        self.published: Mapping[str, Any] | None = None
        self.before: list[str] = []
        self.lies = [0] * len(profile.cells)
        self.boot = 4
        self.hz = 200 if "slow" in words else 1000
        self.set_out()

    @property
    def sides(self) -> tuple[str, ...]:
        return self.session.game.sides

    @property
    def kinds(self) -> Mapping[str, int]:
        return {**KINDS, self.sides[0]: 1, self.sides[1]: 2, "hand": 0}

    def set_out(self) -> None:
        """Let all pieces lie where they should, and the board start."""
        match = self.session.match
        for cell, kind in enumerate(match.history.game.pieces(match.history.position)):
            self.lies[match.placing.board[cell]] = int(kind)
        self.start_board()

    def start_board(self) -> None:
        self.boot, self.events = self.boot + 1, 0
        self.step(*self.board_comes())

    def board_comes(self) -> tuple[Connected, Snapshot]:
        """What a board says that has just been found."""
        cells = len(self.lies)
        hello = Hello("test", 1, cells, cells, 1, "uid", self.boot, self.now_us, self.hz, 0, 0)
        found = Snapshot(tuple(self.lies), self.events, self.now_us, False, False)
        return Connected(hello), found

    def resumed(self) -> Session:
        """The table as the next host finds it."""
        was = self.session
        with TemporaryDirectory(dir=MEMORY) as folder:
            path = Path(folder, "killed.journal")
            path.write_bytes(lines(self.records))
            back = resume(path, mends=False)
        return Session.resumed(
            back, was.profile, hint=was.hint, settings=was.settings, now_us=self.now_us
        )

    def comes_back(self) -> None:
        """AssertionError where a host that is killed now comes back to another table."""
        board = self.session.board
        only_here = board.dead or board.faults.held or self.session.no_room
        only_here = only_here or self.session.coach.question
        if self.session.profile.is_of_switches:
            only_here = only_here or not isinstance(self.session.match.verdict, Agree)
        if board.link != UP or only_here or [*(board.kinds or ())] != self.lies:
            return  # dead cells, faults, the coach, kinds that were guessed are in no journal
        was, again = self.session, self.resumed()
        outputs = again.step(self.now_us, self.board_comes())
        (*_, view) = (as_page_has_it(one.view) for one in outputs if isinstance(one, Publish))
        rests = isinstance(was.match.verdict, Agree) and not was.bots.trouble
        rests = rests and not (was.match.waiting or was.bots.question or self.view()["timeout"])
        rests = rests and not {"beat", "pending"} & {m["meaning"] for m in self.view()["marks"]}
        lost = PASSING if rests else PASSING | UNDER_WAY
        lost |= {"marks"} if was.match.outcome else set()  # the end is counted from its beginning
        for name in (view.keys() | self.view().keys()) - lost:
            self.expect((name, view.get(name)), (name, self.view().get(name)))

    def host_us(self) -> int:
        return self.now_us

    def on_stepped(self, now_us: int, taken: Sequence[Input], outputs: Sequence[Output]) -> None:
        self.out += outputs
        for one in outputs:
            if isinstance(one, NewJournal):
                self.records = []
            elif isinstance(one, Append):
                self.records.append(one.record)
            elif isinstance(one, Finished):
                told = json.loads(json.dumps(one.record))
                self.expect(verify(told), one.outcome)

    def journal_tells_the_same(self) -> None:
        """AssertionError where the game that is read from the journal is another one; so is that of
        a journal begun now."""
        history = self.session.match.history
        told = json.loads(json.dumps(self.records))
        read = from_head(told[0])
        for record in told[1:]:
            read.apply(record)
        for name in KEPT:
            self.expect((name, getattr(read, name)), (name, getattr(history, name)))
        anew = from_head(history.head())
        for told in history.retold():
            anew.apply(told)
        for name in RETOLD:
            self.expect((name, getattr(anew, name)), (name, getattr(history, name)))
        if history.clock is not None:
            assert read.clock is not None
            self.expect(read.clock.left, history.clock.left)

    def on_ask(self, question: AskBot | AskCoach) -> None:
        if isinstance(question, AskBot):
            self.question = question
        else:
            self.advised = question

    def on_stop_bot(self, ticket: int) -> None:
        self.question = None

    def on_publish(self, view: TableView) -> None:
        self.published = as_page_has_it(view)

    def moves(self) -> list[str]:
        return [str(move) for move in self.session.match.history.moves]

    def cell(self, name: str) -> int:
        return self.session.match.history.game.grid.cell(name)

    # What is said.

    def told(self, words: list[str]) -> None:
        """Let somebody do something."""
        self.before, self.out = self.moves(), []
        phrases = {
            "power fails": self.start_board,
            "host is killed": self.restart,
            "cable comes off": lambda: self.step(Lost("closed")),
            "cable is back": lambda: self.step(*self.board_comes()),
            "hands obey": self.obey,
        }
        if phrase := phrases.get(" ".join(words)):
            phrase()
        elif hand := {"places": self.sense, "lifts": self.sense, "leaves": self.lay,
                      "takes": self.lay}.get(words[1]):  # fmt: skip
            for name in words[2:]:
                hand(self.board_cell(name), self.kinds[words[0]])
        elif len(words) > 7 and words[2] == "and":
            turnless_talk.race(self, words)
        elif words[1:] == ["stands"]:
            turnless_talk.stand(self, words[0])
        elif words[:2] == ["board", "reports"]:
            self.report(words[2], words[3], is_over=words[4:] == ["over"])
        elif words[0] == "board":
            self.set_up(words[1], self.sides.index(words[2]))
        elif words[1:] == ["presses", "confirm"]:
            self.sense(240 + self.sides.index(words[0]), 8)
        elif words[:2] == ["bot", "answers"]:
            assert self.question is not None, "nothing was asked"
            self.step(BotMove(self.question.ticket, " ".join(words[2:]), 0.5, 10))
        elif words[:2] == ["bot", "fails"]:
            assert self.question is not None, "nothing was asked"
            self.step(BotFailed(self.question.ticket, " ".join(words[2:])))
        elif words[:2] == ["coach", "answers"]:
            assert self.advised is not None, "the coach was not asked"
            lines = tuple({**ADVICE, "moves": [move]} for move in words[2:])
            self.step(Advice(self.advised.ticket, lines, 60, "playouts"))
        elif words[0] == "disk":
            self.step(NoRoom("" if words[1:] == ["has", "room"] else "/home/anna"))
        elif words[0] == "page":
            self.ask_page(words[1:])
        elif words[1:] == ["s", "pass"]:
            self.wait(round(float(words[0]) * 1e6))
        else:
            raise AssertionError(f"nobody understands {' '.join(words)!r}")

    def restart(self) -> None:
        self.begin(self.resumed())
        self.step(*self.board_comes())

    def obey(self) -> None:
        for _ in range(99):
            for step in self.prompt.steps[:1]:
                cell = self.session.match.placing.board[step.cell]
                self.sense(cell, step.kind if step.do == "place" else 0)

    def report(self, fault: str, where: str, *, is_over: bool) -> None:
        what = getattr(faults, fault.upper()) | (faults.GONE if is_over else 0)
        self.step(Faulty(what, int(where) if where.isdecimal() else self.board_cell(where)))

    def board_cell(self, name: str) -> int:
        return self.session.match.placing.board[self.cell(name)]

    def set_up(self, board: str, to_move: int) -> None:
        """These pieces stand in the middle, the first row of the text on top."""
        match = self.session.match
        rows = board.split("/")
        columns, lines = match.history.game.grid.size
        left, top = (columns - len(rows[0])) // 2, (lines - len(rows)) // 2
        stones = {
            match.history.game.grid.name(match.history.game.grid.at(left + c, top + r)): letter
            for r, row in enumerate(rows)
            for c, letter in enumerate(row)
            if letter != "."
        }
        match.set_up(stones, to_move)
        self.lies = [0] * len(self.lies)
        self.set_out()

    def lay(self, cell: int, kind: int) -> None:
        self.lies[cell : cell + 1] = [kind] if cell < len(self.lies) else []

    def sense(self, cell: int, kind: int) -> None:
        self.lay(cell, kind)
        self.now_us += 100_000
        event = BoardEvent(self.events, cell, kind, self.now_us)
        self.events += 1
        self.step(BoardTime(self.now_us, self.now_us, False), Changed((event,)))
        if self.session.match.is_free:
            turnless_talk.settle(self)

    def wait(self, us: int) -> None:
        end = self.now_us + us
        while (due := self.session.next_deadline()) is not None and due <= end:
            self.now_us = max(due, self.now_us + 1)
            self.step()
        self.now_us = end
        self.step(BoardTime(end, end, False))

    def ask_page(self, words: list[str]) -> None:
        do, *rest = words
        args: dict[str, Any] = {}
        if rest and rest[0] in self.sides:
            args["side"] = self.sides.index(rest.pop(0))
        if do in ("audit", "recentre"):
            args.update(dict.fromkeys(rest, True))
        if whole := {"word": "word", "move": "text"}.get(do):
            args[whole] = " ".join(rest)
        if do == "pace":
            args["ms"] = int(rest[0]) if rest else None
        if do == "accept-board" and rest:
            args["names"] = dict(word.split("=") for word in rest)
        for name, word in zip({"seat": ["who"],
                               "hint": ["level"], "theme": ["name"], "choose": ["text"]}
                              .get(do, []), rest, strict=False):  # fmt: skip
            args[name] = word
        if do != "accept-board":
            args.update((k, json.loads(v)) for k, e, v in (w.partition("=") for w in rest) if e)
        self.step(Command(request_of(do, args), 1))

    # What must come of it.

    def check(self, words: list[str]) -> None:
        """AssertionError unless this came of it."""
        for start, check in {**turnless_talk.checks(self), **self.checks()}.items():
            if words[: len(start.split())] == start.split():
                check(words[len(start.split()) :])
                return
        raise AssertionError(f"nobody can check {' '.join(words)!r}")

    def checks(self) -> dict[str, Callable[[list[str]], None]]:
        return {
            "plays nothing": lambda _: self.expect(self.moves(), self.before),
            "plays": lambda texts: self.expect(
                " ".join(self.moves()), " ".join(self.before + texts)
            ),
            "takes back": lambda n: self.expect(self.moves(), self.before[: -int(n[0])]),
            "agrees": lambda _: self.expect(self.session.match.verdict, Agree()),
            "refused": self.check_refused,
            "mend": self.check_mend,
            "pending": self.check_pending,
            "bot thinks": lambda _: self.expect(self.session.bots.question is not None, True),
            "bot rests": lambda _: self.expect(self.session.bots.question, None),
            "bot is stopped": lambda _: self.expect(
                any(isinstance(o, StopBot) for o in self.out), True
            ),
            "light": lambda w: self.expect(w[1] in self.lights(self.cell(w[0])), True),
            "lights": lambda w: self.expect(self.count(w[1]), int(w[0])),
            "hands rest": lambda _: self.expect(self.prompt.steps, ()),
            "hands": lambda w: self.expect(
                [(s.do, s.cell) for s in self.prompt.steps], [(w[0], self.cell(w[1]))]
            ),
            "over": self.check_over,
            "declined": lambda w: self.expect(
                [o.error["id"] if isinstance(o, Reply) and o.error else o for o in self.out], w
            ),
            "done": lambda _: self.expect(
                [o.error for o in self.out if isinstance(o, Reply)], [None]
            ),
            f"{self.sides[0]} to move": lambda _: self.expect(self.session.match.movers, (0,)),
            f"{self.sides[1]} to move": lambda _: self.expect(self.session.match.movers, (1,)),
            "says": lambda w: self.expect((self.view()["verdict"]["text"] or {}).get("id"), w[0]),
            "chooses": lambda w: self.expect(self.view()["verdict"]["said"], w),
            "said": lambda w: self.expect(self.view()["moves"][-1]["said"], w[0]),
            "dove": lambda w: self.expect(self.view()["labels"][self.cell(w[1])], w[0]),
            "drift": lambda w: self.expect(self.view()["drift"], "".join(w)),
            "waits": self.check_waits,
            "shows": self.check_shown,
        }

    def expect(self, found: object, wanted: object) -> None:
        assert found == wanted, f"{found!r}, not {wanted!r}"

    def view(self) -> Mapping[str, Any]:
        """The last view that was published."""
        assert self.published is not None
        return self.published

    def check_waits(self, words: list[str]) -> None:
        verdict = self.session.match.verdict
        assert isinstance(verdict, Wait), f"{verdict!r} does not wait"
        self.expect(verdict.why, words[0])

    def check_shown(self, words: list[str]) -> None:
        found: Any = self.view()
        for name in words[0].split("."):
            found = found[int(name)] if isinstance(found, list) else found.get(name)
        told = found if isinstance(found, list) else [found]
        self.expect(" ".join(map(str, told)), " ".join(words[1:]))

    def check_refused(self, words: list[str]) -> None:
        verdict = self.session.match.verdict
        assert isinstance(verdict, Refuse), f"{verdict!r} refuses nothing"
        self.expect(verdict.refusal.rule, words[0])

    def check_mend(self, words: list[str]) -> None:
        verdict = self.session.match.verdict
        assert isinstance(verdict, Repair), f"{verdict!r} asks for no mending"
        self.expect([verdict.why.rule] if verdict.why else [], words)

    def check_pending(self, words: list[str]) -> None:
        lift = self.session.match.lift or self.session.match.waiting
        self.expect(None if lift is None else str(lift.move), " ".join(words))

    def check_over(self, words: list[str]) -> None:
        outcome = self.session.match.outcome
        assert outcome is not None, "the game goes on"
        winner = "nobody" if outcome.winner is None else self.sides[outcome.winner]
        self.expect([winner, outcome.reason], words)

    def lights(self, cell: int) -> list[str]:
        marks = guidance.marks(self.session, moment(self.session))
        return [mark.meaning for mark in marks if mark.cell == cell]

    def count(self, meaning: str) -> int:
        marks = guidance.marks(self.session, moment(self.session))
        return sum(mark.meaning == meaning for mark in marks)


def play(path: Path) -> str:
    """Play one file; all that the table answered. AssertionError names the line that failed."""
    answers: list[str] = []
    talk(path.read_text("utf-8"), path.name, answers)
    return "".join(f"{line}\n" for line in answers)


def talk(
    text: str, name: str = "talk", answers: list[str] | None = None
) -> tuple[Conversation, int]:
    """Play a text; the table as it is then, and how many lines were said. A host may be
    killed after any of them; while one works it is after each third."""
    table: Conversation | None = None
    said = 0
    shown: transcript.Facts = {}
    for number, raw in enumerate(text.splitlines(), 1):
        text = raw.split("#")[0].strip()
        if not text:
            continue
        doing, _, coming = (part.strip() for part in text.partition("->"))
        try:
            if doing.startswith("game "):
                table, shown = Conversation(doing.split()), {}
            else:
                assert table is not None, "a conversation begins with its game"
                table.told(doing.split())
                said += 1
            if answers is not None:
                before, shown = shown, transcript.facts(table.session.game.grid, table.view())
                told = [*transcript.done(table.out), *transcript.changes(before, shown)]
                answers += [doing, *(f"  {line}" for line in told)]
            for expected in filter(None, (part.strip() for part in coming.split(","))):
                assert table is not None
                table.check(expected.split())
            assert table is not None
            table.journal_tells_the_same()
            if thorough.is_whole or said % 3 == 0:
                table.comes_back()
        except AssertionError as error:
            raise AssertionError(f"{name}:{number}: {text}\n{error}") from error
    assert table is not None, "a conversation begins with its game"
    return table, said
