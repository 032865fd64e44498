"""Everything at once, seeded: clumsy hands, restless pages, bad lines, resets, dying hosts.

    CHAOS = Chaos(seed=1, folder)      # what table, what seats, what troubles: all from the seed
    CHAOS.run(actions=40)

Between bursts of trouble all comes to rest, and then these hold: every move is legal and stands
once in the journal, the journal leads to the very same table, the view tells what is, the board is
believed to hold what truly lies there; and nobody is stuck: who does what the table asks, and
nothing else, comes to a table that agrees, from which the game can be played on.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import Changed, LinkEvent
from lumiban.errors import JournalError
from lumiban.games.api import Game
from lumiban.table.resume import resume
from lumiban.table.settings import Settings
from lumiban.table.types import Acknowledge, Append, AskBot, BotFailed, BotMove, Output
from lumiban.table.view import View
from lumiban_sim.errand import DONE, REFUSED, Errand
from lumiban_sim.faults import LineFaults
from lumiban_sim.rig import Rig
from lumiban_sim.ways import BRISK, HUMAN

sys.path.insert(0, str(Path(__file__).parent))
from virtual_table import VirtualTable

SHORT = range(14)
BLOCKS = int(os.environ.get("LUMIBAN_FUZZ", "8"))
"""Blocks of twenty long sessions; a night takes more."""
ACTIONS = 40
CALM_US = 12_000_000
"""Within this long after the last trouble a link is up again."""
PATIENCE = 90
"""Steps within which an obedient hand comes to agreement on these small boards."""

# What the page may say; some of it more often.
WISHES = (
    *("takeback", "takeback", "confirm", "confirm", "word", "seat", "move", "move", "hint"),
    *("theme", "accept-board", "choose", "new", "dance"),
)


@dataclass
class FuzzedTable(VirtualTable):
    """A virtual table with bots that are slow or fail, whose acknowledgements are watched."""

    chance: random.Random = random.Random(0)  # noqa: RUF009  # replaced for every table
    events: int = 0

    def __post_init__(self) -> None:
        self.late: list[tuple[int, BotMove | BotFailed]] = []
        self.kept: list[tuple[int, int | None, int]] = []
        """(record, boot, next event) of records that hold board events."""
        self.boot: int | None = None
        self.durable = -1
        super().__post_init__()

    def _make_link(self, resumes: tuple[int, int] | None) -> Link:
        # Another process greets with a session of its own.
        return Link(self.board, self.chance.getrandbits(32), resume=resumes)

    def _turn(self, until_us: int) -> None:
        now = self.now_us
        ready = [answer for due, answer in self.late if due <= now]
        self.late = [(due, answer) for due, answer in self.late if due > now]
        self._inputs += ready
        soonest = min((due for due, _ in self.late), default=until_us)
        super()._turn(min(until_us, soonest))

    def _heard(self, events: list[LinkEvent]) -> None:
        self.events += sum(len(e.events) for e in events if isinstance(e, Changed))

    def _became_durable(self, number: int) -> None:
        self.durable = number

    def _follow(self, output: Output) -> None:
        super()._follow(output)
        if isinstance(output, Append):
            kind = output.record["t"]
            if kind == "board":
                self.boot = output.record["boot"]
            elif kind in ("events", "belief"):
                self.kept.append((output.number, self.boot, output.record["next"]))
        elif isinstance(output, Acknowledge):
            boot = self.session.sight.boot_id
            safe = [n for at, b, n in self.kept if b == boot and at <= self.durable]
            assert safe, "events of a boot are acknowledged before anything of it is on disk"
            assert output.next_event <= safe[-1], "acknowledged before it is on disk"

    def _think(self, question: AskBot) -> None:
        chance = self.chance
        due = self.now_us + chance.choice((0, 1_000, 300_000, 2_000_000))
        if chance.random() < 0.04:
            self.late.append((due, BotFailed(question.ticket, "tired")))
            return
        game, position, side = question.game, question.position, question.side
        texts = [str(move) for move in game.moves(position, side)]
        if not texts:
            texts = [w for w in game.words(position, side) if w not in ("resign", "stop")]
            texts = ["done"] if "done" in texts else texts
        if chance.random() < 0.01:
            texts = ["resign", "xyz"]
        self.late.append((due, BotMove(question.ticket, chance.choice(texts))))


class Chaos:
    """One seeded sitting at one table, through as many lives of its host as it takes."""

    slug = "control"

    def options_for(self, size: int) -> dict[str, int | str]:
        chance = self.chance
        return {
            "size": size,
            "opening": chance.choice(("perimeter", "perimeter", "free", "pie2", "12*")),
            "sees": chance.choice(("adjacent",) * 5 + ("sight",)),
            "scoring": chance.choice(("empty", "territory", "territory-empty")),
        }

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.chance = chance = random.Random(f"chaos {seed}")
        self.folder = folder
        self.did: Counter[str] = Counter()
        self.log: list[str] = []
        self.lives = 1
        self.events = 0
        profile, size = chance.choice(
            (("hex3", 3), ("hex3", 3), ("hex3", 2), ("hex5", 3), ("hex5", 2))
        )
        self.options = self.options_for(size)
        self.settings = Settings(
            grace_us=chance.choice((400_000, 400_000, 0)),
            confirm_us=chance.choice((2_000_000, 2_000_000, None)),
            takeback=chance.random() < 0.8,
            rematch_us=chance.choice((None, 3_000_000)),
            levels=("easy",),
        )
        self.fsync_us = chance.choice((2_000, 30_000, 900_000))
        rig = Rig(load(profile), seed, tempo=chance.choice((HUMAN, BRISK)))
        if chance.random() < 0.3:
            # A board that has been on for long: its clock soon passes 2^32 µs.
            rig.chip.epoch_us -= (1 << 32) - chance.randrange(1, 20_000_000)
        self.blind_row = -1
        self._blind(rig)
        seats = [chance.choice(("human", "human", "bot:easy")) for _ in range(2)]
        self.table = FuzzedTable(
            profile=profile,
            game=self.slug,
            seats=seats,
            options=self.options,
            seed=seed,
            settings=self.settings,
            assists=chance.choice(((), ("machine",), ("machine", "mend", "told"))),
            fsync_us=self.fsync_us,
            rig=rig,
            chance=chance,
        )
        self.assists = self.table.assists

    def _blind(self, rig: Rig) -> None:
        """A strip's cable comes loose while `blind_row` is that strip."""
        whole = rig.world.sample

        def sample(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
            whole(frame, t_us, counts, references)
            if self.blind_row >= 0:
                references[self.blind_row] = 100

        rig.world.sample = sample  # type: ignore[method-assign]  # a fault of the hardware

    # Short words.

    @property
    def rig(self) -> Rig:
        assert self.table.rig is not None
        return self.table.rig

    @property
    def game(self) -> Game:
        return self.table.session.match.course.game

    def cells(self) -> int:
        return len(self.rig.profile.cells)

    def own_cell(self) -> int:
        """Mostly a cell of the game, now and then any cell of the board."""
        if self.chance.random() < 0.85:
            return self.chance.choice(self.table.session.match.placing.board)
        return self.chance.randrange(self.cells())

    def standing(self) -> list[int]:
        return [cell for cell, kind in enumerate(self.rig.kinds) if kind]

    # Trouble.

    def run(self, actions: int) -> None:
        trouble: dict[Callable[[], None], int] = {
            self.plays_on: 14,
            self.obeys_a_step: 8,
            self.places_anything: 5,
            self.lifts_anything: 5,
            self.lifts_and_puts_back: 4,
            self.lifts_and_puts_elsewhere: 4,
            self.undoes_the_last_move: 4,
            self.two_hands_at_once: 4,
            self.drags: 4,
            self.toddler: 1,
            self.presses: 3,
            self.page: 14,
            self.rests: 6,
            self.unplugs: 2,
            self.spoils_the_line: 2,
            self.stalls: 1,
            self.resets: 2,
            self.loosens_a_cable: 2,
            self.dies: 4,
        }
        self.table.rest(self.chance.choice((0, 200_000, 1_500_000)))
        for number in range(actions):
            action = self.chance.choices(list(trouble), list(trouble.values()))[0]
            self.did[action.__name__] += 1
            self.note(f"{action.__name__}")
            action()
            if self.chance.random() < 0.5:
                self.table.rest(self.chance.choice((20_000, 150_000, 600_000, 2_500_000)))
            if self.chance.random() < 0.12 or number == actions - 1:
                self.note("settle")
                self.settle()
                self.check()
                self.obey()
                self.check()
                self.play_a_move()
                self.check()
                self.table.assists = self.assists
        self.events += self.table.events

    def note(self, what: str) -> None:
        self.log.append(f"{self.table.now_us / 1e6:.3f} {what}")

    def legal(self) -> tuple[list[int], list[int]]:
        view = self.table.view
        return view["legal"]["place"], view["legal"]["lift"]

    def plays_on(self) -> None:
        """A person who knows the rules moves for whoever is to move."""
        match = self.table.session.match
        if not match.movers:
            return
        place, lift = self.legal()
        board = match.placing.board
        if lift and self.chance.random() < 0.4:
            self.rig.hands.lift(board[self.chance.choice(lift)], hand="person")
            if self.chance.random() < 0.5:
                self.table.rest(1_200_000)
                self.table.command("confirm")
        elif place:
            kind = match.movers[0] + 1
            if match.course.position.phase != "play":
                kind = self.chance.choice((1, 2))
            self.rig.hands.place(board[self.chance.choice(place)], kind, hand="person")
        self.table.rest(1_300_000)

    def obeys_a_step(self) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.follow_prompt()

    def places_anything(self) -> None:
        self.rig.hands.place(self.own_cell(), self.chance.choice((1, 1, 2, 2, 3)), hand="person")

    def lifts_anything(self) -> None:
        if self.standing():
            self.rig.hands.lift(self.chance.choice(self.standing()), hand="person")

    def lifts_and_puts_back(self) -> None:
        if self.standing():
            cell = self.chance.choice(self.standing())
            kind = self.rig.kinds[cell]
            self.rig.hands.lift(cell, hand="person")
            self.rig.hands.place(cell, kind, hand="person")

    def lifts_and_puts_elsewhere(self) -> None:
        if self.standing():
            cell = self.chance.choice(self.standing())
            kind = self.rig.kinds[cell]
            self.rig.hands.lift(cell, hand="person")
            self.rig.hands.place(self.own_cell(), kind, hand="person")

    def undoes_the_last_move(self) -> None:
        match = self.table.session.match
        if len(match.course.positions) < 2:
            return
        then = self.game.pieces(match.course.positions[-2])
        for cell, kind in enumerate(then):
            if kind == match.sensed.kinds[cell]:
                continue
            where = match.placing.board[cell]
            if kind:
                self.rig.hands.place(where, int(kind), hand="person")
            else:
                self.rig.hands.lift(where, hand="person")

    def two_hands_at_once(self) -> None:
        for hand in ("left", "right"):
            if self.standing() and self.chance.random() < 0.4:
                self.rig.hands.lift(self.chance.choice(self.standing()), hand=hand)
            else:
                self.rig.hands.place(self.own_cell(), self.chance.choice((1, 2)), hand=hand)

    def drags(self) -> None:
        """A stone is grabbed, carried about between cells and let go, or held for long."""
        hands, chance = self.rig.hands, self.chance
        if self.standing() and chance.random() < 0.6:
            found = hands.grab("drag", cell=chance.choice(self.standing()))
        else:
            found = hands.grab("drag", kind=chance.choice((1, 2, 3)))
        if found:
            hands.drop("drag")
            return
        for _ in range(chance.randint(0, 3)):
            cell = self.rig.profile.cells[self.own_cell()]
            x, y = cell.x_mm + chance.uniform(-16, 16), cell.y_mm + chance.uniform(-16, 16)
            hands.carry("drag", x, y, chance.choice((8.0, 10.0, 40.0)))
            self.table.rest(chance.choice((16_000, 100_000, 700_000)))
        if chance.random() < 0.9:
            hands.drop("drag")

    def toddler(self) -> None:
        chance, hands = self.chance, self.rig.hands
        for _ in range(chance.randint(6, 12)):
            hands.place(self.own_cell(), chance.choice((1, 2, 3)), hand=f"kid{chance.randrange(5)}")
        self.table.rest(chance.choice((800_000, 2_000_000)))
        for cell in self.standing():
            if chance.random() < 0.5:
                hands.lift(cell, hand=f"kid{chance.randrange(5)}")

    def presses(self) -> None:
        button = self.chance.randrange(4)
        self.rig.world.press(button, True)
        self.table.rest(80_000)
        self.rig.world.press(button, False)
        self.table.rest(30_000)

    def page(self) -> None:
        chance, table = self.chance, self.table
        side = chance.randrange(2)
        view = table.view
        do = chance.choice(WISHES)
        args: dict[str, Any] = {}
        if do == "word":
            words = view["words"][side] or ["resign"]
            # To resign all the time would be dull.
            words = [w for w in words if w != "resign" or chance.random() < 0.1] or ["stop"]
            args = {"side": side, "word": chance.choice(words)}
        elif do == "seat":
            args = {"side": side, "who": chance.choice(("human", "human", "bot:easy"))}
        elif do == "move":
            match = table.session.match
            listed = [
                str(m) for s in match.movers for m in self.game.moves(match.course.position, s)
            ]
            texts = [*listed, *view["words"][side], "a1", "xa1", "nonsense", "stop"]
            side = chance.choice((*match.movers, side))
            text = chance.choice(texts)
            args = {"side": side, "text": "a1" if text == "resign" else text}
        elif do == "hint":
            args = {"level": chance.choice(("none", "legal", "control", "all"))}
        elif do == "theme":
            args = {"name": chance.choice(("standard", "monochrome", "pink"))}
        elif do == "choose":
            args = {"text": chance.choice((*view["verdict"]["choices"], "takeback", "a1"))}
        elif do == "new":
            if chance.random() < 0.6:
                return
            args = {"options": self.options_for(int(self.options["size"]))}
        self.note(f"  {do} {args}")
        error = table.command(do, **args)
        self.note(f"  -> {error}")

    def rests(self) -> None:
        self.table.rest(self.chance.choice((1_000, 50_000, 1_000_000, 4_000_000)))

    def unplugs(self) -> None:
        self.rig.pipe.unplugged = True
        self.table.rest(self.chance.choice((300_000, 1_600_000, 5_000_000)))
        if self.chance.random() < 0.7:
            self.rig.pipe.unplugged = False

    def spoils_the_line(self) -> None:
        pipe, chance = self.rig.pipe, self.chance
        if chance.random() < 0.4:
            pipe.to_host_faults = pipe.to_board_faults = None
            return
        odds = chance.choice((1e-3, 3e-3, 1e-2))
        which = chance.choice(("drop", "duplicate", "corrupt"))
        pipe.to_host_faults = LineFaults(chance.getrandbits(30), **{which: odds})
        pipe.to_board_faults = LineFaults(chance.getrandbits(30), **{which: odds})

    def stalls(self) -> None:
        self.rig.pipe.stalled = True
        self.table.rest(self.chance.choice((100_000, 700_000, 2_500_000)))
        self.rig.pipe.stalled = False

    def resets(self) -> None:
        self.rig.reset()
        self.table.rest(self.chance.choice((0, 250_000, 400_000, 1_000_000)))

    def loosens_a_cable(self) -> None:
        self.blind_row = self.chance.choice((-1, self.chance.randrange(self.rig.profile.rows)))
        if self.chance.random() < 0.3:
            self.resets()

    def dies(self) -> None:
        """The host is killed; its disk keeps what was synced and any part of what was written."""
        table = self.table
        if not table.journals:
            return
        self.events += table.events
        journals = [bytes(journal) for journal in table.journals]
        cut = self.chance.randint(table.safe, len(journals[-1]))
        path = self.folder / f"{self.lives}.journal"
        for kept in (journals[-1][:cut], *reversed(journals[:-1])):
            path.write_bytes(kept)
            try:
                back = resume(path)
                break
            except JournalError:
                continue  # the new game's journal did not come to hold a game: the one before
        else:
            return
        self.note(f"  life {self.lives}: {cut} of {table.safe}..{len(journals[-1])}")
        self.rig.pipe.stalled = False
        for _ in range(self.chance.choice((0, 0, 3))):
            self.rig.hands.place(self.own_cell(), self.chance.choice((1, 2)), hand="person")
        self.rig.advance(self.rig.now_us + self.chance.choice((1_000, 600_000, 3_000_000)))
        if self.chance.random() < 0.1:
            self.rig.reset()
            self.rig.advance(self.rig.now_us + 500_000)
        self.rig.to_host()
        self.lives += 1
        self.table = FuzzedTable(
            profile=self.rig.profile.name,
            seed=self.seed,
            settings=self.settings,
            assists=table.assists,
            fsync_us=self.fsync_us,
            rig=self.rig,
            back=back,
            chance=self.chance,
        )

    # Rest.

    def settle(self) -> None:
        """No more trouble: the line is whole, the hands are empty, all is on disk."""
        rig, table = self.rig, self.table
        rig.pipe.unplugged = rig.pipe.stalled = False
        rig.pipe.to_host_faults = rig.pipe.to_board_faults = None
        table.assists = ()
        self.blind_row = -1
        rig.hands.drop("drag")
        table.run(lambda t: rig.hands.idle, 120_000_000)
        table.run(lambda t: t.session.sight.link == "up", CALM_US)
        table.rest(4_000_000)
        assert table.session.sight.link == "up"

    def check(self) -> None:
        """What holds whenever nothing is under way."""
        table = self.table
        session, match = table.session, table.session.match
        course, game, position = match.course, match.course.game, match.course.position
        table.run(lambda t: not t._durable, 5_000_000)
        # The journal leads here: each move is legal, and stands in it once.
        path = self.folder / "replayed.journal"
        path.write_bytes(bytes(table.journals[-1]))
        back = resume(path, mend=False)
        assert back.notes == ()
        assert [str(m) for m in back.course.moves] == [str(m) for m in course.moves]
        assert back.course.position == position
        assert back.course.seats == course.seats
        assert back.course.chosen == (match.machine.move if match.machine else None)
        assert back.ended == (match.outcome is not None)
        replayed = course.positions[0]
        for move in course.moves:
            assert game.why_not(replayed, move.side, move) is None
            replayed = game.play(replayed, move)
        assert replayed == position
        # The board is believed to hold what truly lies there, and may forget how it came about.
        board = self.rig.chip.board
        assert tuple(session.sight.kinds or ()) == self.rig.kinds
        assert back.sight.kinds == session.sight.kinds
        assert (back.sight.boot_id, back.sight.next_event) == (
            session.sight.boot_id,
            session.sight.next_event,
        )
        assert session.sight.boot_id == self.rig.chip.boot_id
        assert session.sight.next_event == board.ring.next
        assert match.sensed == session.sight.sensed(match.placing)
        assert abs(session.board_now() - (self.rig.now_us - self.rig.chip.epoch_us)) < 20_000
        # The view tells what is.
        view = table.view
        now = View().after(session, (), table.shows[-1][1].frame, table.prompt)
        assert now is not None
        for key in ("game", "to_move", "seats", "moves", "pieces", "sensed", "legal", "verdict"):
            assert view[key] == now[key], key
        for key in ("prompt", "outcome", "words", "counts", "link", "hint", "can_takeback"):
            assert view[key] == now[key], key
        assert view["pieces"] == [int(kind) for kind in game.pieces(position)]
        assert tuple(view["to_move"]) == game.movers(position)
        if position.phase == "play" and match.outcome is None:
            codes = {m.code for s in match.movers for m in game.moves(position, s)}
            cells = len(game.grid)
            shown = {*view["legal"]["place"], *(cells + c for c in view["legal"]["lift"])}
            assert shown == codes
        if view["verdict"]["kind"] == "agree" and match.outcome is None:
            assert view["pieces"] == view["sensed"]

    def do(self, step: dict[str, Any]) -> Errand:
        """A hand does one step, and it counts as done when it could not be."""
        table = self.table
        cell = table.session.match.placing.board[step["cell"]]
        hands = self.rig.hands
        if step["do"] == "place":
            errand = hands.place(cell, step["kind"], hand="person")
        else:
            errand = hands.lift(cell, hand="person")
        table.run(lambda t: errand.state in (DONE, REFUSED), 30_000_000)
        table.rest(700_000)
        return errand

    def follow_prompt(self) -> None:
        if self.table.prompt.steps:
            step = self.table.prompt.steps[0]
            self.do({"do": step.do, "cell": step.cell, "kind": step.kind})

    def obey(self) -> None:
        """Nobody is stuck: who follows the prompts, and nothing else, comes to agreement."""
        table = self.table
        idle = 0
        known = len(table.session.match.course.moves)
        for _ in range(PATIENCE):
            view = table.view
            match = table.session.match
            if view["outcome"] is not None:
                return
            if view["verdict"]["kind"] == "agree" and len(match.course.moves) > known + 4:
                return  # bots that play on
            kind, steps = view["verdict"]["kind"], view["prompt"]["steps"]
            if steps:
                mending = view["prompt"]["wait"] == "mend"
                before = [str(move) for move in match.course.moves]
                self.note(f"  obeys {steps[0]}")
                errand = self.do(steps[0])
                assert errand.state == DONE, f"the step cannot be done: {errand}"
                if mending and match is table.session.match:
                    moves = [str(move) for move in match.course.moves]
                    assert moves[: len(before)] == before, "mending took a move back"
                idle = 0
                continue
            if kind == "agree" and match.movers and 0 <= match.movers[0] < 2:
                mover = match.course.seats[match.movers[0]]
                if mover == "human":
                    return
            if kind == "wait" and view["pending"] is not None:
                if view["verdict"]["text"]["id"] == "table.lift-waits":
                    assert table.command("confirm") is None
            elif kind == "choose":
                assert table.command("choose", text=view["verdict"]["choices"][-1]) is None
            elif kind == "wait" and match.course.seats[match.movers[0]] == "human":
                # The mover has something in hand: back with it.
                for cell, (seen, right) in enumerate(
                    zip(view["sensed"], view["pieces"], strict=True)
                ):
                    if seen != right:
                        what = "lift" if seen else "place"
                        self.do({"do": what, "cell": cell, "kind": right})
                        break
            elif table.session.bots.exhausted:
                # Three failures in a row are told; a person takes the seat.
                assert view["verdict"]["text"]["id"] == "table.bot-failed"
                assert table.command("seat", side=match.movers[0], who="human") is None
            table.rest(1_500_000)
            idle += 1
            assert idle < 12, f"nothing is asked and nothing goes on: {view['verdict']}"
        raise AssertionError(f"obeying leads nowhere: {table.view['verdict']}")

    def play_a_move(self) -> None:
        """From an agreed position a legal move of a person counts."""
        table = self.table
        match = table.session.match
        if match.outcome is not None:
            return
        position = match.course.position
        if position.phase == "choose":
            assert table.command("word", side=match.movers[0], word="take white") is None
            return
        place, lift = self.legal()
        before = len(match.course.moves)
        self.note("  plays on")
        if match.course.seats[match.movers[0]] != "human":
            # Bots play on by themselves where a hand places what they ask for.
            table.assists = ("machine",)
            table.run(
                lambda t: len(match.course.moves) > before or t.session.bots.exhausted, 60_000_000
            )
            self.settle()
            return
        if lift and (not place or self.chance.random() < 0.5):
            self.do({"do": "lift", "cell": self.chance.choice(lift), "kind": 0})
            if table.view["pending"] is not None:
                assert table.command("confirm") is None
        else:
            kind = match.movers[0] + 1
            if position.phase == "set":
                stones = [k for k in game_pieces(self.game, position) if k]
                if len(stones) == 2:
                    assert table.command("word", side=match.movers[0], word="done") is None
                    return
                kind = 3 - stones[0] if stones else 1
            self.do({"do": "place", "cell": self.chance.choice(place), "kind": kind})
        assert len(match.course.moves) > before, f"a legal move was not taken: {table.view}"


def game_pieces(game: Game, position: Any) -> list[int]:
    return [int(kind) for kind in game.pieces(position)]


def fuzz(seed: int, folder: Path, actions: int = ACTIONS, kind: type[Chaos] = Chaos) -> Chaos:
    games.load("control")  # the registry's imports are not this test's business
    chaos = kind(seed, folder)
    try:
        chaos.run(actions)
    except Exception:
        print(f"seed {seed}: {chaos.options} {chaos.settings}")
        print("\n".join(chaos.log[-40:]))
        raise
    return chaos


@pytest.mark.parametrize("seed", SHORT)
def test_whatever_happens_nothing_is_lost_and_nobody_is_stuck(seed: int, tmp_path: Path) -> None:
    fuzz(seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_whatever_happens_nothing_is_lost_and_nobody_is_stuck_at_length(
    block: int, tmp_path: Path
) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        fuzz(seed, tmp_path, 3 * ACTIONS)
