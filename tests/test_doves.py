"""Tokyo Doves at the table: refusals with their proof, bans, claims, set-up, notation, marks."""

from __future__ import annotations

import pickle
import random
import re
from dataclasses import replace

import pytest
from lumiban import catalogue, games
from lumiban.errors import GameError
from lumiban.games import Ambiguous, Complete, IllegalMove, Kind, Partial, Position, Wrong
from lumiban.games.doves import Doves, claims
from lumiban.games.doves.game import GREEN, RED

FREE = {"repetition": "off", "initial": "allowed"}


def at(game: Doves, board: str, to_move: str = "red") -> Position:
    return game.setup(board=board, to_move=to_move)


def played(game: Doves, position: Position, *texts: str) -> Position:
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position


def refused(game: Doves, position: Position, text: str) -> tuple[str, set[str]]:
    """The rule that forbids it, and the names of the cells that prove it."""
    move = game.parse(position, text)
    refusal = game.why_not(position, position.state[0], move)
    assert refusal is not None
    for language in catalogue.LANGUAGES:
        assert catalogue.text(refusal.text_id, language, **dict(refusal.params))
    with pytest.raises(IllegalMove) as caught:
        game.play(position, move)
    assert caught.value.refusal == game.why_not(position, move.side, move)
    return refusal.rule.removeprefix("doves."), {game.grid.names[cell] for cell in refusal.cells}


# The frame: the box's top left corner is b5.


@pytest.mark.parametrize(
    ("board", "text", "rule", "proof"),
    [
        ("b./BA", "+Tc5", "beside-enemy-boss", {"b5"}),
        ("b./BA", "+Ta6", "touches-no-own", {"b4", "c4"}),
        ("b./BA", "+Tc4", "occupied", {"c4"}),
        ("b./BA", "+Ad3", "not-in-hand", {"c4"}),
        ("b./BA", "+Bd3", "not-in-hand", {"b4"}),
        ("b./BA", "Ac4-c4", "no-action", {"c4"}),
        ("b./BA", "Ae4", "not-its-way", {"c4"}),
        ("b./BA", "Td3", "not-on-board", set()),
        ("b./BA", "-T", "not-on-board", set()),
        ("b./BA", "-B", "boss-stays", {"b4"}),
        ("b./BA", "Ac4-b4", "occupied", {"b4"}),
        ("b./BA", "Ad3", "alone", {"d3"}),
        ("b../BAT", "TS1E1", "not-its-way", {"d4"}),
        ("b.../BATy", "TE4", "blocked", {"e4"}),
        ("b.../BA../..T.", "AN1", "occupied", {"b5"}),
        ("bB./..A/..T", "AE1", "left-alone", {"d3"}),
        ("bB./..A/..T", "-A", "left-alone", {"d3"}),
        ("b.../BA../..T./...Y", "YS2E4", "too-wide", {"b5", "b4"}),
        ("b.../BA../..T./...Y", "+HS3E3", "too-wide", {f"{c}1" for c in "abcdef"}),
        ("b.../BA../..T.", "YS2E4", "not-on-board", set()),
        ("bBA", "TS1", "not-on-board", set()),
        ("b./BA", "AS2E1", "not-its-way", {"c4"}),
    ],
)
def test_a_forbidden_action_is_refused_with_its_proof(
    board: str, text: str, rule: str, proof: set[str]
) -> None:
    game = Doves(**FREE)
    assert refused(game, at(game, board), text) == (rule, proof)


def test_what_leads_out_of_the_frame_is_out_of_reach() -> None:
    game = Doves()
    for text in ("+TS7", "+Tg1", "Bb9"):
        with pytest.raises(IllegalMove) as caught:
            game.parse(game.start(), text)
        assert caught.value.refusal is not None
        assert caught.value.refusal.rule == "doves.out-of-reach"


def test_a_dove_may_be_put_diagonally_to_the_enemy_boss_and_move_beside_it() -> None:
    game = Doves(**FREE)
    position = at(game, "b./BA")
    assert game.why_not(position, RED, game.parse(position, "AN1E1")) is None
    assert game.why_not(position, RED, game.parse(position, "+TW1")) is None


def test_two_clumps_of_two_are_legal() -> None:
    game = Doves(**FREE)
    assert game.movers(at(game, "bA../..../TB.y/..a.")) == (RED,)


def test_a_totsu_takes_its_wall_along_and_slides_four_cells() -> None:
    game = Doves(**FREE)
    position = at(game, "T.../.bBA")
    assert game.counts(position)[RED][1] == 2
    after = played(game, position, "TN1E2")
    assert game.board_text(after) == "...T/bBA."


def test_walls_come_and_go() -> None:
    game = Doves(**FREE)
    position = at(game, "b/B/A/T")
    assert game.counts(position) == ((3, 2), (1, 2))
    after = played(game, position, "-T")
    assert game.counts(after) == ((2, 2), (1, 3))


# Ends.


def test_the_enemy_boss_surrounded_wins_and_both_are_the_movers_loss() -> None:
    board = "..t/.MB/HYb/Thy"
    reasons = {}
    for both in ("mover-loses", "mover-wins", "draw"):
        game = Doves(**FREE, both=both)
        position = at(game, board)
        ends = {
            (o.winner, o.reason)
            for move in game.moves(position, RED)
            if (o := game.outcome(game.play(position, move))) is not None
        }
        reasons[both] = {end for end in ends if end[1].startswith("both")}
    assert reasons == {
        "mover-loses": {(GREEN, "both-surrounded")},
        "mover-wins": {(RED, "both-surrounded")},
        "draw": {(None, "both-drawn")},
    }


def test_ones_own_boss_surrounded_is_a_loss() -> None:
    game = Doves(**FREE)
    found = set()
    for seed in range(60):
        rng = random.Random(seed)
        position = game.start()
        while game.movers(position):
            mover = position.state[0]
            position = game.play(position, rng.choice(game.moves(position, mover)))
        outcome = game.outcome(position)
        assert outcome is not None
        assert catalogue.text(outcome.text_id, "ja")
        if outcome.reason == "surrounded":
            assert outcome.winner == mover
        elif outcome.reason == "own-boss":
            assert outcome.winner == 1 - mover
        found.add(outcome.reason)
    assert {"surrounded", "own-boss"} <= found


def test_resigning_ends_the_game_for_either_side() -> None:
    game = Doves()
    for side in (RED, GREEN):
        position = game.play(game.start(), game.parse(game.start(), "resign", side))
        outcome = game.outcome(position)
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (1 - side, "resigned")
        assert game.movers(position) == ()
        assert refusal_of(game, position, "+AW1") == "doves.over"


def refusal_of(game: Doves, position: Position, text: str) -> str | None:
    move = game.parse(position, text)
    refusal = game.why_not(position, move.side, move)
    return None if refusal is None else refusal.rule


# Bans.


def test_nobody_comes_back_to_the_start() -> None:
    game = Doves(repetition="off")
    assert refused(game, game.start(), "BN1W1") == ("initial", {"b5", "a5"})
    assert len(game.moves(game.start(), RED)) == 27
    position = at(game, ".b/AB")
    assert refused(game, position, "-A") == ("initial", {"c5", "c4"})
    assert refused(game, at(game, "b./.B", "green"), "bN1")[0] == "initial"


ROUND = ("+AE1", "+aN2W1", "-A", "-a")
"""Back to the start after four actions; the third brings Green nothing seen before."""


def test_the_first_position_counts_as_faced_by_the_first_player_only() -> None:
    game = Doves(repetition="normal", initial="allowed")
    position = played(game, game.start(), *ROUND[:3])
    assert refused(game, position, "-a")[0] == "faced"
    move = game.why_not(position, GREEN, game.parse(position, "-a"))
    assert move is not None
    assert dict(move.params) == {"turn": 1}
    # With Green to move the start is another matter: Green never faced it.
    other = played(game, game.start(), "BE1", "+aN2W1", "+AS1", "aN2", "-A", "-a")
    assert game.board_text(other) == "b./.B"
    assert game.why_not(other, RED, game.parse(other, "BW1")) is None


@pytest.mark.parametrize("repetition", ["normal", "strong"])
def test_strong_bars_turned_positions_that_normal_allows(repetition: str) -> None:
    game = Doves(repetition=repetition, initial="allowed")
    position = played(game, game.start(), "BE1")
    # Red faced the bosses side by side; now Green would make it so, turned.
    assert refusal_of(game, position, "bW1") == (
        "doves.faced-turned" if repetition == "strong" else None
    )
    same = "doves.faced" if repetition == "normal" else "doves.faced-turned"
    assert refusal_of(game, position, "bN1") == same


def test_a_claim_undoes_the_action_and_bars_it_for_this_turn() -> None:
    game = Doves(repetition="weak", initial="allowed")
    before = played(game, game.start(), *ROUND[:3])
    assert game.words(before, GREEN) == ("resign",)
    position = played(game, before, "-a")
    assert game.words(position, RED) == ("claim", "resign")
    assert game.words(position, GREEN) == ("resign",)
    claimed = played(game, position, "claim")
    assert game.board_text(claimed) == game.board_text(before)
    assert game.movers(claimed) == (GREEN,)
    assert refused(game, claimed, "-a")[0] == "barred"
    barred = {move.text for move in game.moves(before, GREEN)} - {
        move.text for move in game.moves(claimed, GREEN)
    }
    assert barred == {"-a"}
    assert refused(game, claimed, "claim")[0] == "nothing-to-claim"
    # The bar is for this turn only.
    later = played(game, claimed, "+tN2E1", "+AW1", "-t", "-A")
    assert refusal_of(game, later, "-a") is None


def test_unclaimed_a_repetition_stands() -> None:
    game = Doves(repetition="weak", initial="allowed")
    position = played(game, game.start(), *ROUND, "+AE1")
    assert game.board_text(position) == "b./BA"
    assert game.words(position, GREEN) == ("claim", "resign")
    once_more = played(game, position, "+aN2W1")
    assert game.words(once_more, RED) == ("claim", "resign")


def test_several_claims_in_one_turn_bar_all_of_them() -> None:
    game = Doves(repetition="weak", initial="allowed")
    position = played(game, game.start(), *ROUND, *ROUND[:2], "-A")
    # Red has faced both the start and the start with A and a; and a put of Green's before.
    first = played(game, played(game, position, "-a"), "claim")
    assert claims.barred(first) == (game.parse(position, "-a").code,)
    code = game.parse(position, "+tN2E1").code
    seen = replace(first, extra=(-1, 2, *claims.barred(first), code))
    assert {"-a", "+tN2E1"}.isdisjoint(move.text for move in game.moves(seen, GREEN))


def test_a_claim_with_no_other_action_left_loses() -> None:
    game = Doves(repetition="weak", initial="allowed")
    before = played(game, game.start(), *ROUND[:3])
    position = played(game, before, "-a")
    codes = [move.code for move in game.moves(before, GREEN) if move.text != "-a"]
    # All others barred by claims before it in this turn.
    last = position.extra[0]
    position = replace(position, extra=(last, 0, *codes))
    claimed = played(game, position, "claim")
    outcome = game.outcome(claimed)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (RED, "no-move")


def test_claims_belong_to_the_weak_ban() -> None:
    game = Doves()
    assert refused(game, game.start(), "claim")[0] == "no-claims"


def test_undoing_a_claimed_action_is_told_cell_by_cell() -> None:
    game = Doves(repetition="weak", initial="allowed")
    position = played(game, game.start(), *ROUND)
    claim = game.parse(position, "claim")
    columns, rows = game.shift(position, claim)
    kinds = list(game.pieces(position))
    for cell, before, after in game.effects(position, claim):
        assert kinds[cell] == before
        kinds[cell] = after
    then = game.pieces(game.play(position, claim))
    moved = {cell + columns + 6 * rows: kind for cell, kind in enumerate(kinds) if kind}
    assert moved == {cell: kind for cell, kind in enumerate(then) if kind}


# Options, set-up, notation.


def test_presets_are_named_options() -> None:
    assert Doves(preset="article") == Doves(repetition="normal")
    assert Doves(preset="people") == Doves(repetition="weak")
    assert Doves().options["repetition"] == "strong"
    for preset in Doves.presets:
        for language in catalogue.LANGUAGES:
            assert f"game.doves.preset.{preset}" in catalogue.texts(language)


@pytest.mark.parametrize(
    ("board", "to_move", "said"),
    [
        ("B.b", "red", "B is alone"),
        ("bB../...A", "red", "A is alone"),
        ("bBAYT", "red", r"spread over 5 columns.*4×4"),
        ("b/B/A/Y/T", "red", r"spread over 5 rows"),
        ("b/A", "red", "Red's boss B is missing"),
        ("BA", "green", "Green's boss b is missing"),
        ("bB/A", "red", "row 2 has 1 cells, the first 2"),
        ("bBx", "red", "'x' is no dove"),
        ("bBAA", "red", "A stands there twice"),
        ("bBA", "blue", r"to_move is red \(0\) or green \(1\), not 'blue'"),
        ("b/B", "green", "side by side with Green to move"),
    ],
)
def test_an_impossible_position_is_refused_with_the_reason(
    board: str, to_move: str, said: str
) -> None:
    with pytest.raises(GameError, match=said) as caught:
        at(Doves(), board, to_move)
    assert "\n" not in str(caught.value)


def test_set_up_by_cells_and_by_board_agree_wherever_they_lie() -> None:
    game = Doves()
    by_cells = game.setup({"d2": "b", "d1": "B", "e1": "A"}, to_move=GREEN)
    assert by_cells == at(game, "b./BA", "green") == at(game, "...../.b.../.BA..", "green")
    with pytest.raises(GameError, match="on d2 stands a dove"):
        game.setup({"d2": 1})
    with pytest.raises(GameError, match="not both"):
        game.setup({"d2": "b"}, board="b/B")
    with pytest.raises(GameError, match="board and to_move only, not walls"):
        game.setup(board="b/B", walls=3)


def test_both_notations_mean_the_same() -> None:
    rng = random.Random(3)
    game = Doves()
    for _ in range(10):
        position = game.start()
        while game.movers(position):
            side = position.state[0]
            for move in game.moves(position, side):
                assert game.parse(position, move.text) == move
                told = game.spoken(position, move)
                assert re.fullmatch(r"\+[A-Za-z][a-f][1-6]|[A-Za-z](..)-(..)|-[A-Za-z]", told)
                assert game.parse(position, told) == move
            position = game.play(position, rng.choice(game.moves(position, side)))


@pytest.mark.parametrize("text", ["", "Q", "+Q", "A", "+A", "-AB", "+Aa1-a2", "AE1N1", "A N0", "x"])
def test_what_is_no_notation_is_told_how_to_write(text: str) -> None:
    game = Doves()
    with pytest.raises(IllegalMove, match=r"is no action: write a put") as caught:
        game.parse(game.start(), text)
    assert caught.value.refusal is not None
    assert caught.value.refusal.rule == "doves.unreadable"


def test_a_dove_named_on_the_wrong_cell_is_refused() -> None:
    game = Doves()
    with pytest.raises(IllegalMove, match="B does not stand on b5") as caught:
        game.parse(game.start(), "Bb5-c5")
    assert caught.value.refusal is not None
    assert caught.value.refusal.cells == (game.grid.cell("b4"),)


def test_the_others_dove_is_not_ones_to_move() -> None:
    game = Doves()
    move = game.parse(game.start(), "bE1")
    assert move.side == GREEN
    assert refusal_of(game, game.start(), "bE1") == "doves.not-your-turn"


def test_positions_travel() -> None:
    game = Doves(repetition="weak")
    position = played(game, game.start(), "+TE1", "+hN2E1")
    assert pickle.loads(pickle.dumps((game, position))) == (game, position)
    assert game.view(position, GREEN) == position
    assert game.hand(position, RED) == ("A", "Y", "M", "H")
    assert {game.grid.names[c]: d for c, d in game.doves(position).items()} == {
        "c5": "h", "b4": "b", "b3": "B", "c3": "T",
    }  # fmt: skip


# Meanings and pictures.


def marked(game: Doves, position: Position, level: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for mark in game.marks(position, level):
        found.setdefault(mark.meaning, set()).add(game.grid.names[mark.cell])
    return found


def test_levels_add_meaning() -> None:
    game = Doves(**FREE)
    position = at(game, "ya/bA/BT/M.")
    legal = marked(game, position, "legal")
    puts = {game.grid.names[m.code % 36] for m in game.moves(position, RED) if m.text[0] == "+"}
    assert marked(game, position, "none") == {}
    assert legal == {"may-place": puts}
    control = marked(game, position, "control")
    assert control.pop("wall") == {f"{c}{r}" for c in "abcdef" for r in (1, 6)}
    assert control.pop("short") == {"b4", "b3"}
    assert control == legal
    assert marked(game, position, "coach")["short"] == {"b4", "b3", "a4", "a3"}


def test_what_only_a_ban_forbids_is_marked() -> None:
    game = Doves()
    boss = next(cell for cell, dove in game.doves(game.start()).items() if dove == "B")
    found = {game.grid.names[m.cell]: m.meaning for m in game.targets(game.start(), boss)}
    assert found == {
        "a5": "barred", "c5": "barred", "a4": "lift-target", "c4": "lift-target",
    }  # fmt: skip
    assert game.targets(game.start(), game.grid.cell("b5")) == ()


def sensed(game: Doves, position: Position, **changes: Kind) -> list[int]:
    kinds = [int(kind) for kind in game.pieces(position)]
    for name, kind in changes.items():
        kinds[game.grid.cell(name)] = kind
    return kinds


def test_pictures_are_read_as_actions() -> None:
    game = Doves(**FREE)
    position = at(game, "b./BA")
    put = game.read(position, sensed(game, position, d3=Kind.WHITE))
    assert isinstance(put, Ambiguous)
    assert [move.text for move in put.moves] == ["+YS1E2", "+MS1E2", "+TS1E2", "+HS1E2"]
    moved = game.read(position, sensed(game, position, c4=Kind.EMPTY, c3=Kind.WHITE))
    assert moved == Complete(game.parse(position, "Ac3"))
    lifted = game.read(position, sensed(game, position, c4=Kind.EMPTY))
    assert lifted == Complete(game.parse(position, "-A"), confirm=True)
    boss = game.read(position, sensed(game, position, b4=Kind.EMPTY))
    assert isinstance(boss, Partial)
    for changes, rule in (
        ({"c5": Kind.WHITE}, "doves.beside-enemy-boss"),
        ({"b5": Kind.EMPTY}, "doves.not-your-turn"),
        ({"c6": Kind.BLACK}, "doves.not-your-turn"),
        ({"c4": Kind.EMPTY, "e4": Kind.WHITE}, "doves.not-its-way"),
    ):
        wrong = game.read(position, sensed(game, position, **changes))
        assert isinstance(wrong, Wrong)
        assert wrong.refusal.rule == rule


def test_the_last_dove_in_hand_needs_no_name() -> None:
    game = Doves(**FREE)
    position = at(game, "b.../BAYM/.T..")
    found = game.read(position, sensed(game, position, b3=Kind.WHITE))
    assert isinstance(found, Complete)
    assert found.move.text == "+HS1"


def test_the_frame_goes_along_with_the_doves() -> None:
    game = Doves(**FREE)
    position = at(game, "b./BA")
    for text, shift in (("+TS1E1", (0, 0)), ("+TW1", (1, 0)), ("AN1E1", (0, 0))):
        assert game.shift(position, game.parse(position, text)) == shift


def test_doves_is_registered() -> None:
    assert "doves" in games.available()
    assert games.load("doves", preset="article").options["repetition"] == "normal"
