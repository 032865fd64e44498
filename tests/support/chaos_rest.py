"""What holds when all has come to rest, and that nobody is stuck there."""

from __future__ import annotations

from typing import Any

from chaos_table import SeededSitting
from lumiban.games.base import Game
from lumiban.table.view import View
from lumiban_lab.soak_check import check_session
from lumiban_sim.hands import DONE
from shown import as_page_has_it

CALM_US = 12_000_000
"""Within this long after the last trouble a link is up again."""
PATIENCE = 90
"""Steps within which an obedient hand comes to agreement on these small boards."""


class Rests(SeededSitting):
    """A table that comes to rest, is checked, and played on from."""

    def settle(self) -> None:
        """No more trouble: the line is whole, the hands are empty, all is on disk."""
        rig, table = self.rig, self.table
        rig.pipe.unplugged = rig.pipe.stalled = False
        rig.pipe.to_host_faults = rig.pipe.to_board_faults = None
        table.assists = ()
        self.blind_row = -1
        rig.hands.drop("drag")
        table.run(lambda t: rig.hands.idle, 120_000_000)
        table.run(lambda t: t.session.board.link == "up", CALM_US)
        table.rest(4_000_000)
        assert table.session.board.link == "up"

    def check(self) -> None:
        """What holds whenever nothing is under way."""
        table = self.table
        session, match = table.session, table.session.match
        game, position = match.history.game, match.history.position
        table.run(lambda t: not t._durable, 5_000_000)
        # Moves, journal, belief and agreement, as at any table that suffers.
        check_session(session, self.rig, bytes(table.journals[-1]), self.folder)
        assert match.sensed == session.board.sensed(match.placing)
        # The view tells what is.
        view = table.view
        now = View().after(session, (), table.shows[-1][1].frame, table.prompt)
        assert now is not None
        now = as_page_has_it(now)
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

    def obey(self) -> None:
        """Nobody is stuck: who follows the prompts, and nothing else, comes to agreement."""
        table = self.table
        idle = 0
        known = len(table.session.match.history.moves)
        for _ in range(PATIENCE):
            view = table.view
            match = table.session.match
            if view["outcome"] is not None:
                return
            if view["verdict"]["kind"] == "agree" and len(match.history.moves) > known + 4:
                return  # bots that play on
            kind, steps = view["verdict"]["kind"], view["prompt"]["steps"]
            if steps:
                mending = view["prompt"]["wait"] == "mend"
                before = [str(move) for move in match.history.moves]
                self.note(f"  obeys {steps[0]}")
                errand = self.do(steps[0])
                assert errand.state == DONE, f"the step cannot be done: {errand}"
                if mending and match is table.session.match:
                    moves = [str(move) for move in match.history.moves]
                    assert moves[: len(before)] == before, "mending took a move back"
                idle = 0
                continue
            if kind == "agree" and match.movers and 0 <= match.movers[0] < 2:
                mover = match.history.seats[match.movers[0]]
                if mover == "human":
                    return
            if kind == "wait" and view["pending"] is not None:
                if view["verdict"]["text"]["id"] == "table.lift-waits":
                    assert table.command("confirm") is None
            elif kind == "choose":
                assert table.command("choose", text=view["verdict"]["choices"][-1]) is None
            elif kind == "wait" and match.history.seats[match.movers[0]] == "human":
                # The mover has something in hand: back with it.
                for cell, (seen, right) in enumerate(
                    zip(view["sensed"], view["pieces"], strict=True)
                ):
                    if seen != right:
                        what = "lift" if seen else "place"
                        self.do({"do": what, "cell": cell, "kind": right})
                        break
            elif table.session.bots.is_exhausted:
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
        position = match.history.position
        if position.phase == "choose":
            assert table.command("word", side=match.movers[0], word="take white") is None
            return
        place, lift = self.legal()
        before = len(match.history.moves)
        self.note("  plays on")
        if match.history.seats[match.movers[0]] != "human":
            # Bots play on by themselves where a hand places what they ask for.
            table.assists = ("machine",)
            table.run(
                lambda t: len(match.history.moves) > before or t.session.bots.is_exhausted,
                60_000_000,
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
        assert len(match.history.moves) > before, f"a legal move was not taken: {table.view}"


def game_pieces(game: Game, position: Any) -> list[int]:
    return [int(kind) for kind in game.pieces(position)]
