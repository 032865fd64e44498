"""Tokyo Doves under people's hands: the corner cases of the rules' chapter on a real board.

Each is a conversation with a table of 9×9 cells; the doves in hand lie beside it unless the
tray is on. A board text is set in the middle, so `b./BA` stands on d6, d5 and e5.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from conversations import Conversation, talk
from lumiban.table.identities import AmbiguousPieces

HEAD = "game doves tray=off initial=allowed"
FREE = HEAD + " repetition=off"


def table(text: str) -> Conversation:
    return talk(text)[0]


def test_01_a_put_beside_the_enemy_boss_is_refused_and_a_diagonal_one_accepted() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    red places c6 -> refused doves.beside-enemy-boss, light d6 proof, light c6 mend
    hand lifts c6 -> agrees
    red places c5 -> chooses +Yc5 +Mc5 +Tc5 +Hc5, says table.choose
    page choose +TW1 -> plays +TW1, dove T c5, said +Tc5, green to move""")


def test_02_a_put_that_touches_only_enemy_doves_is_refused() -> None:
    table(f"""{HEAD}
    board .h./.b./.B. red to move
    red places e7 -> refused doves.touches-no-own""")


def test_03_a_move_may_end_beside_the_enemy_boss() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5 -> waits confirm, light e6 lift-target, light e4 lift-target
    red places e6 -> plays AN1E1, said Ae5-e6""")


def test_04_a_move_that_leaves_another_dove_alone_is_refused_and_the_lonely_one_lit() -> None:
    table(f"""{HEAD}
    board bBA./...T red to move
    hand lifts e6
    red places d7 -> refused doves.left-alone, light f5 proof
    hand lifts d7 -> waits air
    red places e6 -> agrees""")


def test_05_two_groups_of_two_are_legal() -> None:
    table(f"""{HEAD}
    board bB../..../..YM red to move
    hand lifts f4
    red places e3 -> plays MS3E1""")


def test_06_a_span_of_five_is_refused_and_the_wall_lit() -> None:
    table(f"""{HEAD}
    board bBYA red to move
    red places g5 -> refused doves.too-wide, light g4 proof, light g6 proof
    hand lifts g5
    hand lifts f5
    red places g5 -> refused doves.too-wide, light c5 proof""")


def test_07_a_totsu_takes_its_wall_along_and_slides_four_cells() -> None:
    table(f"""{HEAD}
    board T.../.bBA red to move
    hand lifts c6 -> light g6 lift-target
    red places g6 -> said Tc6-g6""")


def test_08_a_wall_that_a_put_brings_wins_and_one_that_a_removal_takes_gives_air() -> None:
    table(f"""{HEAD}
    board AbY/.T./.B. red to move
    red places e3 -> chooses +Me3 +He3
    page choose +HS1 -> plays +HS1, over red surrounded""")
    after = table(f"""{FREE}
    board .b./.T./.B./.H. red to move
    hand lifts e4 -> waits confirm, says table.lift-by-button, pending -H
    red presses confirm -> plays -H""")
    game, history = after.session.match.history.game, after.session.match.history
    assert [game.scores(p)[1][1] for p in history.positions[-2:]] == [2, 3]


def test_09_suicide_is_asked_about_and_then_lost() -> None:
    table(f"""{FREE}
    board aBy/.b./.T. red to move
    red places e7 -> chooses +Ae7 +Ye7 +Me7 +He7
    hand lifts e7 -> agrees""")
    table(f"""{FREE}
    board .A./aBy/.b. red to move
    hand lifts e6
    red places e6 -> agrees""")
    table(f"""{FREE}
    board ..A/aBy/.b. red to move
    hand lifts f6
    red places e6 -> waits confirm, plays nothing, says table.lift-by-button
    red presses confirm -> over green own-boss""")


def test_10_both_bosses_surrounded_is_the_movers_loss_and_the_reason_is_told() -> None:
    found = table(f"""{FREE}
    board ..t/.MB/HYb/Thy red to move
    hand lifts d4 -> waits confirm
    red places c4 -> waits confirm
    red presses confirm -> over green both-surrounded""")
    assert found.view()["outcome"]["text"]["id"] == "outcome.both-surrounded"


def test_11_the_same_dove_lifted_and_put_back_is_no_action() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5 -> waits confirm
    red places e5 -> agrees, plays nothing, red to move""")


def test_12_two_doves_of_one_colour_in_the_air_are_asked_about() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts d5 e5 -> waits air, says table.two-in-air, light d5 mend, light e5 mend
    red places e5 -> waits air
    red places d5 -> waits names, says table.names-check, light d5 pending
    page confirm -> agrees, red to move
    hand lifts e5 -> waits confirm
    red places e6 -> plays AN1E1""")


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


def test_12_a_move_out_of_two_in_the_air_waits_for_the_names_too() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts d5 e5
    red places d5
    red places e6 -> plays nothing, waits names
    red presses confirm -> plays AN1E1""")


def test_13_a_red_and_a_green_dove_in_the_air_are_no_turn_until_one_is_back() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5 d6 -> waits air, light d6 mend, light e6 lift-target
    red places e6 -> waits air, plays nothing
    green places d6 -> plays AN1E1""")


def test_14_an_enemy_dove_that_is_lifted_goes_back() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts d6 -> refused doves.not-your-turn, light d6 mend
    green places d6 -> agrees, red to move""")


def test_a_move_is_taken_back_by_going_back_the_same_way() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5
    red places e6 -> plays AN1E1
    1 s pass
    hand lifts e6 -> waits air, light e5 lift-target
    red places e5 -> takes back 1, red to move, dove A e5""")


def test_15_a_slide_that_is_sensed_on_its_way_ends_where_it_ends() -> None:
    table(f"""{HEAD}
    board T.../.bBA red to move
    hand lifts c6
    red places d6 -> plays TN1W1
    hand lifts d6 -> waits air
    red places g6 -> said Tc6-g6, green to move""")


def test_16_after_a_power_cut_colours_are_compared_and_an_audit_is_offered() -> None:
    found = table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5
    red places e6 -> plays AN1E1
    power fails -> agrees, green to move""")
    assert found.view()["audit"] == {"advised": True, "asks": None, "left": 0}
    found = table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5
    red places e6
    hand lifts e6
    power fails -> waits air
    red places e6 -> agrees""")
    assert found.view()["labels"].count("A") == 1


def test_16_an_audit_finds_exchanged_doves_and_has_them_put_right() -> None:
    found = table(f"""{HEAD}
    board bT/BA green to move
    page audit -> says table.audit-lift, waits audit
    hand lifts d6 -> says table.audit-put-back
    green places d6 -> says table.audit-lift
    hand lifts e5
    red places e5
    hand lifts d5
    red places d5
    page audit skip -> waits names, says table.names-check, plays nothing
    page confirm -> agrees, green to move""")
    assert found.view()["audit"] == {"advised": False, "asks": None, "left": 0}


def test_16_an_audit_can_be_left() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    page audit -> waits audit
    page move red Ae6 -> declined table.rules-rest
    page audit end -> agrees
    page audit skip -> declined table.no-audit""")


def test_17_a_machines_put_is_confirmed_by_people_where_the_board_cannot_tell_the_dove() -> None:
    conversation = table(f"{HEAD} seats human bot:easy\n")
    match = conversation.session.match
    match.settings = replace(match.settings, check_names=True)
    for line, coming in (
        ("hand lifts e5", "waits air"),
        ("red places f5", "plays BE1"),
        ("1 s pass", "bot thinks"),
        ("bot answers +tN2", "hands place f7"),
        ("green places f7", "plays nothing, waits names, says table.names-machine"),
        ("page confirm", "plays +tN2, dove t f7"),
    ):
        conversation.told(line.split())
        for expected in coming.split(","):
            conversation.check(expected.split())


def test_17_with_a_tray_the_wrong_dove_for_a_machines_put_is_noticed() -> None:
    table("""game doves tray=on initial=allowed seats human bot:easy
    hand lifts e5
    red places f5 -> plays BE1
    1 s pass -> bot thinks
    bot answers +tN2 -> hands lift f9
    hand lifts c9 -> mend table.machine-first
    green places c9
    hand lifts f9 -> hands place f7
    green places f7 -> plays +tN2""")


@pytest.mark.parametrize(
    ("repetition", "rule"), [("normal", "doves.faced"), ("strong", "doves.faced-turned")]
)
def test_18_what_only_a_ban_forbids_is_marked_before_the_hand_comes_down(
    repetition: str, rule: str
) -> None:
    table(f"""{HEAD} repetition={repetition}
    hand lifts e5 -> light f5 lift-target
    red places f5 -> plays BE1
    hand lifts e6 -> light f6 barred
    green places f6 -> refused {rule}""")


ROUND = """
    red places f5
    page choose +AE1 -> plays +AE1
    green places d7
    page choose +aN2W1 -> plays +aN2W1
    hand lifts f5
    red presses confirm -> plays -A
    hand lifts d7 -> light e7 lift-target, pending -a
    green presses confirm -> plays -a"""


def test_18_a_weak_ban_is_claimed_before_the_claimant_acts_and_the_undoing_guided() -> None:
    table(f"""{HEAD} repetition=weak {ROUND}
    page word red claim -> pending claim
    green places d7 -> plays claim, green to move, dove a d7
    page move green -a -> declined refusal.doves.barred""")


def test_18_once_the_claimant_has_acted_the_repetition_stands() -> None:
    table(f"""{HEAD} repetition=weak {ROUND}
    hand lifts e5
    red places f5 -> plays BE1
    page word red claim -> declined table.no-such-word""")


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


def test_22_going_to_the_middle_waits_until_all_is_settled() -> None:
    table(f"""{HEAD} repetition=weak {ROUND}
    page recentre -> declined table.not-settled""")
    table(f"""{HEAD}
    board b./BA red to move
    red places c5 -> chooses +Yc5 +Mc5 +Tc5 +Hc5
    page recentre -> declined table.not-settled
    hand lifts c5
    hand lifts d5 e5
    red places d5 e5 -> waits names
    page recentre -> declined table.not-settled
    page confirm
    page recentre -> declined table.in-the-middle""")


def test_19_nobody_comes_back_to_the_start() -> None:
    found = table("game doves tray=off\n")
    history = found.session.match.history
    assert len(history.game.moves(history.position, 0)) == 27
    open_to = table(f"{HEAD}\n").session.match.history
    assert len(open_to.game.moves(open_to.position, 0)) == 29
    table("""game doves tray=off
    board .b./.BA red to move
    page move red -A -> declined refusal.doves.initial
    hand lifts f5 -> waits air
    red presses confirm -> plays nothing""")
    table("""game doves tray=off
    hand lifts e5 -> light d6 barred, light f6 barred
    red places d6 -> refused doves.initial""")


def test_21_the_option_remove_is_kept_with_the_game_and_followed_at_the_board() -> None:
    found = table(f"""{HEAD} remove=off
    board .b./.T./.B./.H. red to move
    hand lifts e4 -> waits air""")
    assert found.session.match.history.head()["options"]["remove"] == "off"


def test_23_a_side_with_its_boss_alone_moves_it_or_puts() -> None:
    history = table(f"{HEAD}\n").session.match.history
    texts = {move.text[:2].rstrip("NSEW") for move in history.game.moves(history.position, 0)}
    assert texts == {"B", "+A", "+Y", "+M", "+T", "+H"}


def test_24_the_start_is_one_boss_of_each_colour_side_by_side() -> None:
    table(f"""{HEAD}
    green places e5 -> mend table.kind-changed
    hand lifts e5
    red places e5 -> agrees, red to move, dove B e5, dove b e6""")


def test_25_a_neighbour_that_is_brushed_off_within_the_turn_may_come_back() -> None:
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts e5
    hand lifts d6 -> waits air, light d6 mend
    green places d6 -> waits confirm
    red places e6 -> plays AN1E1""")
    table(f"""{HEAD}
    board b./BA red to move
    hand lifts d6 -> refused doves.not-your-turn
    hand lifts e5
    green places d6 -> waits confirm
    red places e6 -> plays AN1E1""")
