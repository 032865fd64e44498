"""Corner cases of Tokyo Doves that need more than a conversation (tests/unit/table has those)."""

from __future__ import annotations

from dataclasses import replace

from conversations import Conversation, talk
from lumiban.table.identities import AmbiguousPieces

HEAD = "game doves tray=off initial=allowed"


def table(text: str) -> Conversation:
    return talk(text)[0]


def test_12_a_dove_that_came_down_after_the_host_was_killed_is_asked_about_once() -> None:
    # Found by the soak: the table asked again and again, whatever people said.
    one = table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5 -> waits confirm""")
    one.session.match.naming.doubt = AmbiguousPieces()  # what a host knows that has just come back
    one.sense(one.session.match.history.game.grid.cell("e6"), 1)
    one.check(["waits", "names"])
    one.told(["page", "confirm"])
    one.check(["plays", "AN1E1"])


ROUND = """
    red places f5
    page choose +AE1 -> plays +AE1
    green places d7
    page choose +aN2W1 -> plays +aN2W1
    hand lifts f5
    red presses confirm -> plays -A
    hand lifts d7 -> light e7 lift-target, pending -a
    green presses confirm -> plays -a"""


def test_20_no_action_left_under_a_ban_is_told_as_a_loss() -> None:
    history = table(f"{HEAD} repetition=weak {ROUND}").session.match.history
    before, done = history.positions[-2:]
    others = [move.code for move in history.game.moves(before, 1) if move.text != "-a"]
    left, top, last, _ = done.extra[:4]
    position = replace(done, extra=(left, top, last, 0, *others))
    claimed = history.game.play(position, history.game.parse(position, "claim", 0))
    outcome = history.game.outcome(claimed)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (0, "no-move")


def test_19_nobody_comes_back_to_the_start() -> None:
    found = table("game doves tray=off\n")
    history = found.session.match.history
    assert len(history.game.moves(history.position, 0)) == 27
    open_to = table(f"{HEAD}\n").session.match.history
    assert len(open_to.game.moves(open_to.position, 0)) == 29


def test_23_a_side_with_its_boss_alone_moves_it_or_puts() -> None:
    history = table(f"{HEAD}\n").session.match.history
    texts = {move.text[:2].rstrip("NSEW") for move in history.game.moves(history.position, 0)}
    assert texts == {"B", "+A", "+Y", "+M", "+T", "+H"}
