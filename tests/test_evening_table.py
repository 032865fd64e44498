"""Evening at the table: options, notation, refusals and their proof, stands, pie, set-up."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from lumiban import catalogue, games
from lumiban.cli.arguments import options
from lumiban.errors import GameError, UsageError
from lumiban.games import (
    BLACK,
    WHITE,
    Complete,
    IllegalMove,
    Kind,
    Mark,
    Move,
    Outcome,
    Position,
    Wrong,
    registry,
)
from lumiban.games.evening import Evening
from rulings import played, refused

# On size 3, c3 is the middle; its neighbours are c2, c4, b2, b3, d2 and d3.


def any_move(game: Evening, position: Position) -> Move:
    """The first placement that is listed."""
    return next(m for side in game.movers(position) for m in game.moves(position, side))


def named(game: Evening, cells: tuple[int, ...]) -> set[str]:
    return {game.grid.name(cell) for cell in cells}


# Options and presets.


def test_presets_are_the_options_they_stand_for() -> None:
    assert Evening(preset="evening") == Evening()
    assert Evening(preset="evening-odd-even") == Evening(tie="odd-even")
    interleave = Evening(preset="interleave")
    assert interleave == Evening(sees="sight", wins="cascade", tie="even", opening="pie", size=4)
    assert "preset" not in interleave.options
    assert Evening(**interleave.options) == interleave


def test_what_is_given_by_itself_goes_before_the_preset() -> None:
    assert Evening(preset="interleave", size=5).options["size"] == 5
    with pytest.raises(GameError, match="no preset 'article': its presets are evening,"):
        Evening(preset="article")


def test_members_of_the_family_load_by_their_names() -> None:
    for name, slug in registry._NAMED.items():
        assert name in games.game_class(slug).presets
        assert games.load(name) == games.load(slug, preset=name)
    assert games.load("interleave", size=3).options["sees"] == "sight"
    assert games.load("evening") == Evening()
    with pytest.raises(GameError, match="interleave is a preset itself: load evening"):
        games.load("interleave", preset="evening")


@pytest.mark.parametrize("language", catalogue.LANGUAGES)
def test_every_preset_has_its_name(language: str) -> None:
    for preset in Evening.presets:
        assert catalogue.text(f"game.evening.preset.{preset}", language)


def test_the_command_line_reads_the_cells_of_a_board_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "three"
    path.write_text("# a patch\n0 0\n1 0\n0 1\n", "utf-8")
    read = options([f"cells={path}", "turns=trailing"])
    assert games.load("evening", **read).grid.names == ("b1", "b2", "a1")
    assert options(["cells=0,0 1,0"])["cells"] == "0,0 1,0"
    assert options(["cells=hexagon"])["cells"] == "hexagon"
    with pytest.raises(UsageError, match=r"missing\.txt cannot be read"):
        options([f"cells={tmp_path / 'missing.txt'}"])


def test_any_patch_of_hex_cells_is_a_board() -> None:
    boards = [
        Evening(cells="0,0 1,0 0,1"),
        Evening(cells="[[0, 1], [0, 0], [1, 0]]"),
        Evening(cells="# three cells\n0 1\n1 0\n0 0  # the corner\n"),
        Evening(cells="1,0; 0,0; 0,1"),
    ]
    assert len(set(boards)) == 1
    assert boards[0].options["cells"] == "0,0 1,0 0,1"
    assert boards[0].grid.names == ("b1", "b2", "a1")
    assert pickle.loads(pickle.dumps(boards[0])) == boards[0]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("square", "squares and triangles alternate like a chessboard's"),
        ("triangular", "squares and triangles alternate"),
        ("0,0 1,0,0", "1,0,0 is no hex cell: write hexagon, or cells as two axial numbers"),
        ("[[0, 0], [1, 0, 0]]", "is no hex cell"),
        ("[[0, 0", "is no list of pairs"),
        ("[[0, true]]", "is no hex cell"),
        ("0,0 0,0", "twice"),
        ("[]", "at least one cell"),
        ("a1 a2", "is no hex cell"),
        (" ".join(f"0,{r}" for r in range(27)), "more than 26 rows"),
        (" ".join(f"{q},0" for q in range(300)), "300 cells are more than 217"),
    ],
)
def test_what_is_no_patch_is_refused_with_the_reason(cells: str, said: str) -> None:
    with pytest.raises(GameError, match=said) as caught:
        Evening(cells=cells)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("grid", ["square", "triangle"])
def test_other_grids_are_refused_with_the_reason(grid: str) -> None:
    with pytest.raises(GameError, match="evening needs hex cells"):
        Evening(grid=grid)


def test_the_reason_holds_where_cells_alternate_every_stones_colour_is_settled() -> None:
    # A ring of twelve hex cells around a hole alternates as squares do.
    game = Evening(cells="0,-2 1,-2 2,-2 -1,-1 2,-1 -2,0 2,0 -2,1 1,1 -2,2 -1,2 0,2")
    assert all(len(near) == 2 for near in game.grid.neighbours)
    position = game.start()
    while moves := [m for side in game.movers(position) for m in game.moves(position, side)]:
        position = game.play(position, moves[-1])
    assert set(game.sizes(position)) == {(1,) * 6}


# Refusals.


def test_a_stone_where_ones_own_groups_count_more_is_refused_and_they_prove_it() -> None:
    game = Evening(size=3)
    position = game.position(
        [{"a1": 1, "b1": 1, "c1": 1, "b3": -1}.get(name, 0) for name in game.grid.names]
    )
    refusal = refused(game, position, "wb2")
    assert refusal.rule == "evening.larger-sum"
    assert dict(refusal.params) == {"own": 3, "enemy": 1}
    # The whole group counts, though c1 does not touch b2.
    assert game.grid.cell("c1") not in game.grid.neighbours[game.grid.cell("b2")]
    assert named(game, refusal.cells) == {"a1", "b1", "c1", "b3"}
    assert game.why_not(position, BLACK, game.parse(position, "bb2")) is None


def test_equal_sums_close_a_cell_to_both() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "bc4")
    for text in ("wb3", "bb3"):
        refusal = refused(game, position, text)
        assert refusal.rule == "evening.equal-sums"
        assert dict(refusal.params) == {"sum": 1}
        assert named(game, refusal.cells) == {"c3", "c4"}


def test_a_cell_that_sees_no_stone_is_closed() -> None:
    game = Evening(size=3)
    position = played(game, "wa1")
    refusal = refused(game, position, "be3")
    assert refusal.rule == "evening.sees-nothing"
    assert named(game, refusal.cells) == {"e3"}
    # In line with a1 it is seen from afar.
    sight = Evening(size=3, sees="sight")
    assert sight.why_not(played(sight, "wa1"), BLACK, sight.parse(position, "be3", BLACK)) is None


def test_each_member_of_the_family_counts_what_it_sees() -> None:
    stones = {"a1": 1, "a2": 1, "a3": 1, "b4": -1}
    expected = {
        "groups": (3, 0, {"a1", "a2", "a3"}),
        "adjacent": (2, 0, {"a1", "a2"}),
        "sight": (2, 1, {"a1", "a2", "b4"}),
    }
    for sees, (own, enemy, proof) in expected.items():
        game = Evening(size=3, sees=sees)
        position = game.position([stones.get(name, 0) for name in game.grid.names])
        refusal = refused(game, position, "wb2")
        assert dict(refusal.params) == {"own": own, "enemy": enemy}
        assert named(game, refusal.cells) == proof


@pytest.mark.parametrize(
    ("texts", "text", "side", "rule"),
    [
        ((), "bc3", None, "white-opens"),
        ((), "stand w", None, "not-now"),
        (("wc3",), "bc3", None, "occupied"),
        (("wc3",), "wc3", None, "occupied"),
        (("wc3",), "bc4", WHITE, "not-your-stone"),
        (("wc3",), "resign b", WHITE, "other-player"),
        (("wc3",), "stand w", None, "already-stands"),
        (("wc3", "resign b"), "bc4", None, "over"),
        (("wc3",), "done", None, "not-now"),
        (("wc3",), "put wc4", None, "not-now"),
    ],
)
def test_what_else_is_refused(
    texts: tuple[str, ...], text: str, side: int | None, rule: str
) -> None:
    game = Evening(size=3)
    assert refused(game, played(game, *texts), text, side).rule == "evening." + rule


def test_with_turns_the_side_that_leads_waits_and_nobody_stands() -> None:
    game = Evening(size=3, turns="trailing")
    position = played(game, "wc3")
    assert game.movers(position) == (BLACK,)
    assert game.words(position, BLACK) == ("resign",)
    assert refused(game, position, "stand b").rule == "evening.no-stand"
    position = played(game, "wc3", "bc4")
    # Tied, Even leads: White is to move, and Black's cells wait.
    assert game.movers(position) == (WHITE,)
    assert game.open_cells(position, BLACK)
    open_to_black = game.grid.name(game.open_cells(position, BLACK)[0])
    assert refused(game, position, "b" + open_to_black).rule == "evening.not-your-turn"


def test_with_turns_the_side_without_a_cell_has_lost() -> None:
    game = Evening(size=2, turns="trailing")
    position = played(game, "wb2")
    while game.movers(position):
        position = game.play(position, game.moves(position, game.movers(position)[0])[0])
    trails = 1 - game.leader(position)
    assert game.open_cells(position, trails) == ()
    assert game.outcome(position) == Outcome(1 - trails, "no-move")
    assert game.decided(position) == 1 - trails


def test_every_refusal_agrees_with_the_list_of_moves() -> None:
    for turns in ("turnless", "trailing"):
        game = Evening(size=3, turns=turns)
        position = played(game, "wc3", "bc4")
        for side in (WHITE, BLACK):
            listed = {move.code for move in game.moves(position, side)}
            for code in range(2 * len(game.grid)):
                move = game.move_of(position, code)
                assert (game.why_not(position, side, move) is None) == (code in listed)


def test_moves_that_are_not_of_this_game_are_refused() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    for move in (Move(WHITE, "q9", 99), Move(WHITE, "dance"), Move(WHITE, "stand"), Move(7, "x")):
        assert game.why_not(position, move.side, move) is not None


# Notation.


def test_notation_names_colour_and_cell_whatever_its_case_and_spaces() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    assert game.parse(position, "  BC4 ") == Move(BLACK, "bc4", 19 + game.grid.cell("c4"))
    assert game.parse(position, "Stand  B") == Move(BLACK, "stand b")
    assert game.parse(position, "stand", BLACK) == Move(BLACK, "stand b")
    assert game.parse(position, "resign", WHITE) == Move(WHITE, "resign w")
    assert game.parse(position, "b3", WHITE).text == "wb3"
    assert game.parse(position, "bb3").text == "bb3"
    assert game.parse(game.start(), "c3") == Move(WHITE, "wc3", game.grid.cell("c3"))


@pytest.mark.parametrize("text", ["", "w", "z9", "wz9", "c4", "stand", "resign x", "xc4", "wc4bc4"])
def test_what_is_no_notation_says_what_would_be(text: str) -> None:
    game = Evening(size=3)
    with pytest.raises(IllegalMove, match="wc4, bc4") as caught:
        game.parse(played(game, "wc3"), text)
    assert caught.value.refusal is not None
    assert caught.value.refusal.rule == "evening.unreadable"


def test_every_listed_move_is_read_back_from_its_notation() -> None:
    game = Evening(size=4)
    position = played(game, "wd4", "bd5")
    for side in game.movers(position):
        moves = game.moves(position, side)
        assert [game.parse(position, str(move)) for move in moves] == moves


# Stands and the end.


def test_without_turns_both_may_act_and_one_who_has_no_cell_stands_by_rule() -> None:
    game = Evening(size=3)
    assert game.movers(game.start()) == (WHITE,)
    position = played(game, "wc3")
    assert game.movers(position) == (WHITE, BLACK)
    assert game.moves(position, WHITE) == []
    assert game.stands(position) == (WHITE,)
    assert game.words(position, WHITE) == ("resign",)
    assert game.words(position, BLACK) == ("stand", "resign")
    assert game.outcome(position) is None
    # White would win, but it is Black who has the cells.
    assert game.leader(position) == WHITE
    assert game.decided(position) is None


def test_the_game_is_over_when_both_stand() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "stand b")
    assert game.outcome(position) == Outcome(WHITE, "evening.larger-groups")
    assert game.movers(position) == ()


def test_any_stone_clears_both_stands() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "bc4")
    assert game.stands(position) == ()
    stood = game.play(position, game.parse(position, "stand w"))
    assert game.stands(stood) == (WHITE,)
    assert stood != position
    move = game.moves(stood, WHITE)[0]
    again = game.play(stood, move)
    assert WHITE not in game.stands(again) or not game.open_cells(again, WHITE)
    assert again.state[-1] == 0
    both = game.play(stood, game.parse(stood, "stand b"))
    assert game.outcome(both) == Outcome(BLACK, "evening.tie")


@pytest.mark.parametrize(
    ("rules", "outcome"),
    [
        ({"tie": "even"}, Outcome(BLACK, "evening.tie")),
        ({"tie": "odd-even"}, Outcome(WHITE, "evening.tie-odd")),
        ({"tie": "odd-even", "wins": "stones"}, Outcome(WHITE, "evening.tie-odd")),
    ],
)
def test_ties_go_by_the_rule_for_them(rules: dict[str, str], outcome: Outcome) -> None:
    game = Evening(size=3, **rules)
    assert game.outcome(played(game, "wc3", "bc4", "stand w", "stand b")) == outcome


def test_more_stones_win_where_they_are_what_counts() -> None:
    stones = {"a1": 1, "a2": 1, "a3": 1, "e1": -1, "c3": -1, "e3": -1, "d1": -1}
    for wins, winner, reason in (
        ("stones", BLACK, "evening.more-stones"),
        ("cascade", WHITE, "evening.larger-groups"),
    ):
        game = Evening(size=3, wins=wins, opening="pie")
        position = game.position([stones.get(name, 0) for name in game.grid.names])
        for text in ("stand w", "stand b"):
            position = game.play(position, game.parse(position, text))
        assert game.outcome(position) == Outcome(winner, reason)


def test_every_end_has_its_sentence() -> None:
    for slug in ("larger-groups", "more-stones", "tie", "tie-odd", "tie-even"):
        for language in catalogue.LANGUAGES:
            assert catalogue.text(f"outcome.evening.{slug}", language)


def test_decided_is_when_the_loser_has_no_cell_and_the_winner_need_only_stand() -> None:
    game = Evening(size=2)
    decided = None
    for first in game.moves(game.start(), WHITE):
        position = game.play(game.start(), first)
        while game.outcome(position) is None and decided is None:
            winner = game.decided(position)
            if winner is not None and game.open_cells(position, winner):
                decided = position, winner
                break
            position = game.play(position, any_move(game, position))
    assert decided is not None
    position, winner = decided
    assert game.outcome(position) is None
    outcome = game.outcome(game.play(position, game.parse(position, "stand", winner)))
    assert outcome is not None
    assert outcome.winner == winner


def test_resigning_loses_for_who_says_it() -> None:
    game = Evening(size=3)
    assert game.outcome(played(game, "wc3", "resign b")) == Outcome(WHITE, "resigned")
    assert game.outcome(played(game, "resign")) == Outcome(BLACK, "resigned")


# The pie.


def test_in_a_pie_one_sets_any_stones_with_a_white_one_and_the_other_chooses() -> None:
    game = Evening(size=3, opening="pie")
    position = game.start()
    assert game.movers(position) == (WHITE,)
    assert game.moves(position, WHITE) == []
    assert refused(game, position, "done").rule == "evening.pie-needs-white"
    assert refused(game, position, "wc3").rule == "evening.pie-first"
    assert refused(game, position, "stand w").rule == "evening.not-now"
    assert refused(game, position, "lift c3").rule == "evening.empty-cell"
    assert refused(game, position, "put wc3", BLACK).rule == "evening.other-player"
    position = played(game, "put bc3")
    assert "done" not in game.words(position, WHITE)
    assert refused(game, position, "put wc3").rule == "evening.occupied"
    position = played(game, "put bc3", "put we1", "put wa1", "lift e1", "put ba2")
    assert game.counts(position)[WHITE][0] == 1
    assert game.words(position, WHITE)[-2:] == ("done", "resign")
    position = game.play(position, game.parse(position, "done"))
    assert game.movers(position) == (BLACK,)
    assert game.words(position, BLACK) == ("take white", "take black", "resign")
    assert game.outcome(position) is None
    taken, kept = (game.play(position, game.parse(position, f"take {c}")) for c in _COLOURS)
    assert (game.swapped(taken), game.swapped(kept)) == (True, False)
    assert game.movers(taken) == game.movers(kept) == (WHITE, BLACK)
    assert game.swapped(game.play(taken, any_move(game, taken)))


_COLOURS = ("white", "black")


def test_stones_set_and_lifted_on_the_board_are_the_words_of_a_pie() -> None:
    game = Evening(size=3, opening="pie")
    position = played(game, "put wc3")
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("a1")] = Kind.BLACK
    assert game.read(position, sensed) == Complete(Move(WHITE, "put ba1"))
    lifted = list(game.pieces(game.start()))
    reading = game.read(position, lifted)
    assert isinstance(reading, Complete)
    assert reading.move == Move(WHITE, "lift c3")


# Set-up.


def test_a_position_set_up_is_one_that_play_leads_to() -> None:
    game = Evening(size=3)
    assert game.setup({}) == game.start()
    assert game.setup({"c3": WHITE, "c4": BLACK}, to_move=BLACK) == played(game, "wc3", "bc4")
    pie = Evening(size=3, opening="pie")
    assert pie.setup({"a1": WHITE, "e3": WHITE}).phase == "play"


@pytest.mark.parametrize(
    ("rules", "stones", "said"),
    [
        ({}, {"c3": BLACK}, "in every opening there is a white stone first"),
        ({"opening": "pie"}, {"c3": BLACK}, "in every opening there is a white stone first"),
        ({}, {"a1": WHITE, "e3": BLACK}, r"stone on a1 has no way over stones to that on e3"),
        ({}, {"c3": WHITE, "c4": WHITE}, "no order of play comes to these 2 white and 0 black"),
        ({"sees": "sight"}, {"a1": WHITE, "c2": BLACK}, "no order of play comes to these"),
        (
            {"turns": "trailing"},
            {"c3": WHITE, "c4": BLACK, "c2": BLACK},
            "no order of play comes to these 1 white and 2 black",
        ),
        ({}, {"c9": WHITE}, "no cell 'c9' here: c runs from c1 to c5"),
        ({}, {"c3": 2}, "on c3 stands 0 "),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(
    rules: dict[str, str], stones: dict[str, int], said: str
) -> None:
    with pytest.raises(GameError, match=said) as caught:
        Evening(size=3, **rules).setup(stones)
    assert "\n" not in str(caught.value)


def test_set_up_takes_stones_only() -> None:
    with pytest.raises(GameError, match="stones only, not clock"):
        Evening().setup({}, clock=3)


def test_set_up_refuses_exactly_what_no_game_on_a_small_board_reaches() -> None:
    for turns in ("turnless", "trailing"):
        game = Evening(cells="0,0 1,0 2,0 0,1 1,1", turns=turns)
        reached, todo = {game.start()}, [game.start()]
        for position in todo:
            for side in game.movers(position):
                for move in game.moves(position, side):
                    after = game.play(position, move)
                    if after not in reached:
                        reached.add(after)
                        todo.append(after)
        possible = set()
        names = game.grid.names
        for code in range(3 ** len(names)):
            digits = [code // 3**n % 3 for n in range(len(names))]
            stones = {name: d - 1 for name, d in zip(names, digits, strict=True) if d}
            try:
                possible.add(game.setup(stones))
            except GameError:
                continue
        assert possible == reached
        assert len(reached) > 10


# Marks, counts and the picture.


def test_marks_show_more_from_level_to_level() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "bc4")
    assert game.marks(position, "none") == ()
    legal = game.marks(position, "legal")
    assert {(m.cell, m.side) for m in legal} == {
        (m.code % 19, side) for side in (WHITE, BLACK) for m in game.moves(position, side)
    }
    assert {m.meaning for m in legal} == {"may-place"}
    control = game.marks(position, "control")
    assert set(legal) < set(control)
    assert game.marks(position, "coach") == control
    turns = Evening(size=3, turns="trailing")
    assert {m.side for m in turns.marks(position, "legal")} == {WHITE}
    owned = {m.side for m in turns.marks(position, "control") if m.meaning == "owned"}
    assert owned == {WHITE, BLACK}


def test_in_a_pie_every_empty_cell_may_be_set() -> None:
    game = Evening(size=2, opening="pie")
    position = played(game, "put wb2")
    assert len(game.marks(position, "legal")) == 6
    assert Mark(game.grid.cell("b2"), "may-place") not in game.marks(position, "legal")


def test_counts_are_stones_and_open_cells() -> None:
    game = Evening(size=3)
    assert game.counts(played(game, "wc3")) == ((1, 0), (0, 6))
    assert game.sizes(played(game, "wc3", "bc4")) == ((1,), (1,))
    assert len(game.groups(played(game, "wc3", "bc4"))) == 2


def test_a_stone_where_it_may_not_lie_is_read_with_its_refusal() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    for kind, rule in ((Kind.WHITE, "evening.larger-sum"), (Kind.BLACK, None)):
        sensed = list(game.pieces(position))
        sensed[game.grid.cell("c4")] = kind
        reading = game.read(position, sensed)
        if rule is None:
            assert isinstance(reading, Complete)
        else:
            assert isinstance(reading, Wrong)
            assert reading.refusal.rule == rule


def test_a_stone_that_changes_colour_is_no_move() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("c3")] = Kind.BLACK
    reading = game.read(position, sensed)
    assert isinstance(reading, Wrong)
    assert reading.refusal.rule == "evening.occupied"


# What every game promises.


def test_games_and_positions_travel_between_processes() -> None:
    game = Evening(preset="interleave", opening="single")
    position = played(game, "wd4")
    again, there = pickle.loads(pickle.dumps((game, position)))
    assert (again, there) == (game, position)
    assert again.moves(there, BLACK) == game.moves(position, BLACK)


def test_a_spectator_and_both_sides_see_everything() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    assert all(game.view(position, side) == position for side in (None, WHITE, BLACK))
