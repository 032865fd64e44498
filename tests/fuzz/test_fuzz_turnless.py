"""Turnless Evening under everything at once (see chaos.py): hands race, sweep and cheat."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from chaos import ACTIONS, Chaos, fuzz
from chaos_rest import PATIENCE
from lumiban.table.free_play import FreePlay
from lumiban.table.history import BY_BOARD
from lumiban.table.resume import resume
from lumiban.table.view import View
from shown import as_page_has_it

SHORT = range(8)
BLOCKS = int(os.environ.get("LUMIBAN_FUZZ", "8"))


class FreeChaos(Chaos):
    """A sitting of Evening or another of its family, without turns."""

    slug = "evening"

    def options_for(self, size: int) -> dict[str, int | str]:
        chance = self.chance
        return {
            "size": max(size, 3) if self.chance.random() < 0.5 else size,
            "sees": chance.choice(("groups", "groups", "adjacent", "sight")),
            "wins": chance.choice(("cascade", "cascade", "stones")),
            "tie": chance.choice(("even", "odd-even")),
            "opening": chance.choice(("single", "single", "single", "pie")),
        }

    @property
    def match(self) -> FreePlay:
        found = self.table.session.match
        assert isinstance(found, FreePlay)
        return found

    def plays_on(self) -> None:
        """Both sides place where they may, at once."""
        view = self.table.view
        for side, cells in enumerate(view["open"] or ()):
            if cells and self.chance.random() < 0.7:
                where = self.match.placing.board[self.chance.choice(cells)]
                self.rig.hands.place(where, side + 1, hand=f"side {side}")
        self.table.rest(1_300_000)

    def check(self) -> None:
        """What holds whenever nothing is under way."""
        table, match = self.table, self.match
        session, history, position = table.session, match.history, match.history.position
        game = history.game
        table.run(lambda t: not t._durable, 5_000_000)
        path = self.folder / "replayed.journal"
        path.write_bytes(bytes(table.journals[-1]))
        back = resume(path, mends=False)
        assert back.notes == ()
        assert [str(m) for m in back.history.moves] == [str(m) for m in history.moves]
        assert back.history.position == position
        assert back.history.light == history.light
        assert back.history.stopped == history.stopped
        assert back.history.seats == history.seats
        assert back.is_over == (match.outcome is not None)
        self.check_moves()
        # The board is believed to hold what truly lies there, all of it is judged, and the board
        # may forget how it came about.
        board = self.rig.chip.board
        assert tuple(session.board.kinds or ()) == self.rig.kinds
        assert back.board.kinds == session.board.kinds
        assert back.board.next_event == session.board.next_event == board.ring.next
        if match.is_free:
            assert [item for item in match.queue.items if item.event is not None] == []
            assert tuple(match.ground.seen) == match.sensed.kinds
        view = table.view
        now = View().after(session, (), table.shows[-1][1].frame, table.prompt)
        assert now is not None
        now = as_page_has_it(now)  # type: ignore[assignment]
        for key in ("pieces", "sensed", "open", "dead", "light", "stands", "verdict", "outcome"):
            assert view[key] == now[key], key
        assert view["pieces"] == [int(kind) for kind in game.pieces(position)]
        if match.is_free and match.outcome is None:
            self.check_cells(view)

    def check_moves(self) -> None:
        """Each move is legal where it stands, and no two come of one event."""
        history = self.match.history
        replayed = history.positions[0]
        by_hand = []
        for played in history.played:
            move = played.move
            assert history.game.why_not(replayed, move.side, move) is None
            replayed = history.game.play(replayed, move)
            if played.by == BY_BOARD and not move.is_word and history.game.is_free_play(replayed):
                by_hand.append((played.at_us, move.text))
        assert replayed == history.position
        assert len(set(by_hand)) == len(by_hand)

    def check_cells(self, view: Any) -> None:
        """Each cell is as it should be, in light, dead, missing or misread; nothing else."""
        match = self.match
        misplaced = {step.cell for step in match.misplaced}
        for cell, (seen, should) in enumerate(zip(view["sensed"], view["pieces"], strict=True)):
            if seen != should and seen not in (4, 7):
                assert cell in misplaced or cell in view["light"], (cell, seen, should)
        assert not set(view["dead"]) & set(view["light"]) or match.ground.seen
        if not misplaced and view["timeout"] is None:
            assert view["verdict"]["kind"] in ("agree", "refuse")

    def obey(self) -> None:
        """Nobody is stuck: who follows the prompts, and is ready when asked, plays on."""
        table = self.table
        for _ in range(PATIENCE):
            match, view = self.match, table.view
            if view["outcome"] is not None:
                return
            if not match.is_free:
                if view["prompt"]["steps"]:
                    self.do(view["prompt"]["steps"][0])
                    continue
                return
            if view["prompt"]["steps"]:
                assert view["prompt"]["wait"] == "mend"
                self.note(f"  obeys {view['prompt']['steps'][0]}")
                self.do(view["prompt"]["steps"][0])
            elif view["timeout"] is not None:
                for side, ready in enumerate(view["timeout"]["confirmed"]):
                    if not ready and view["timeout"]["beats_at_ms"] is None:
                        table.command("confirm", side=side)
                table.rest(3_200_000)
            else:
                assert match.misplaced == ()
                return
        raise AssertionError(f"obeying leads nowhere: {table.view['verdict']}")

    def play_a_move(self) -> None:
        """A legal stone of a person counts."""
        table, match = self.table, self.match
        position = match.history.position
        if match.outcome is not None or not match.is_free:
            return
        for side, cells in enumerate(table.view["open"]):
            if match.history.seats[side] == "human" and cells:
                self.note(f"  plays on as {side}")
                text = None
                before = len(match.history.moves)
                cell = self.chance.choice(cells)
                self.do({"do": "place", "cell": cell, "kind": side + 1})
                if match is self.match and match.outcome is None:
                    text = [str(move) for move in match.history.moves[before:]]
                    name = match.history.game.grid.name(cell)
                    taken = match.history.game.pieces(match.history.position)[cell]
                    refused = cell in match.ground.dead
                    assert any(t.endswith(name) for t in text) or taken or refused, (text, position)
                return


@pytest.mark.parametrize("seed", SHORT)
def test_without_turns_nothing_is_lost_and_nobody_is_stuck(seed: int, tmp_path: Path) -> None:
    fuzz(seed, tmp_path, kind=FreeChaos)


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_without_turns_nothing_is_lost_and_nobody_is_stuck_at_length(
    block: int, tmp_path: Path
) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        fuzz(seed, tmp_path, 3 * ACTIONS, FreeChaos)
