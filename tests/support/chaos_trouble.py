"""What may happen to a table: hands of all kinds, pages, bad lines, resets, hosts that die."""

from __future__ import annotations

from typing import Any

from chaos_table import FuzzedTable, SeededSitting
from lumiban_lab.soak_table import survived
from lumiban_sim.faults import LineFaults

# What the page may say; some of it more often.
WISHES = (
    *("takeback", "takeback", "confirm", "confirm", "word", "seat", "move", "move", "hint"),
    *("theme", "accept-board", "choose", "new", "dance"),
)


class Troubles(SeededSitting):
    """Each method is one trouble, drawn and measured out by the seed."""

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
            if match.history.position.phase != "play":
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
        if len(match.history.positions) < 2:
            return
        then = self.game.pieces(match.history.positions[-2])
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
                str(m) for s in match.movers for m in self.game.moves(match.history.position, s)
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
        whole = len(table.journals[-1])
        cut = self.chance.randint(table.safe, whole)
        back = survived(table.journals, cut, self.folder / f"{self.lives}.journal")
        if back is None:
            return
        self.note(f"  life {self.lives}: {cut} of {table.safe}..{whole}")
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
