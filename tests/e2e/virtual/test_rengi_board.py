"""Rengi on its board of 182 cells in virtual time, from the hands to the journal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from lumiban import games
from lumiban.boards.profile import load
from lumiban.errors import BoardError
from lumiban.games.rengi import Rengi
from lumiban.scene.draw import draw
from lumiban.scene.grammar import GRAMMAR
from lumiban.table import record
from lumiban.table.fitting import fit
from lumiban.table.light_play import LightPlay
from lumiban.table.resume import resume
from lumiban.table.types import AskBot, BotMove
from places import TESTS
from rengi_interrupt import ATTACKER, DEFENDER, interrupt_hands, interrupt_rules
from virtual_table import VirtualTable

MODES = ("open", "free", "tsu", "shodai", "free-shodai", "open-shodai")
BOTS = ("bot:easy", "bot:easy")
FIRST, SECOND = 1, 2


class QuickTable(VirtualTable):
    """Its bots answer at once with any hand."""

    def _think(self, question: AskBot) -> None:
        game, position = question.game, question.position
        moves = game.moves(position, question.side)
        hands = [move for move in moves if move.text != "pass"] or moves
        move = random.Random(question.seed).choice(hands)
        self._inputs.append(BotMove(question.ticket, move.text, 0.5, 1))


def rengi(*seats: str, seed: int = 1, **options: int | str) -> VirtualTable:
    return QuickTable(
        profile="grid13x14",
        game="rengi",
        options={
            "begins": "first",
            **(options or {"mode": "free", "list": "RB,YG", "supply": "loop"}),
        },
        seats=seats or ("human", "human"),
        seed=seed,
    )


def over(table: VirtualTable) -> bool:
    return bool(table.finished)


def check_end(table: VirtualTable, tmp_path: Path) -> None:
    """Record, journal and verdicts of a finished game say the same."""
    history = table.session.match.history
    finished = table.finished[0]
    assert finished.outcome == record.verify(json.loads(json.dumps(finished.record)))
    assert {played.by for played in history.played if not played.move.is_word} == {"light"}
    path = tmp_path / "game.journal"
    path.write_bytes(bytes(table.journals[0]))
    back = resume(path)
    assert back.history.moves == history.moves
    assert back.history.position == history.position
    assert {view["verdict"]["kind"] for view in table.views} == {"agree"}
    assert not any(view["prompt"]["steps"] for view in table.views)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_two_bots_play_each_mode_to_its_end_in_light(mode: str, tmp_path: Path) -> None:
    table = rengi(*BOTS, mode=mode)
    table.run(over, 3_600_000_000)
    check_end(table, tmp_path)


def play(table: VirtualTable, kind: int, axis: str, child: str) -> None:
    table.place(axis, kind)
    table.place(child, kind)
    table.lift(axis)
    table.lift(child)


def pair_in_light(table: VirtualTable, axis: str, child: str) -> str:
    """The pair that these two cells show, by the light of their marks."""
    marks = table.view["marks"]
    lit = {m["cell"]: m["meaning"][-1].upper() for m in marks if m["meaning"].startswith("block-")}
    return lit[table.cell(axis)] + lit[table.cell(child)]


def test_who_is_not_to_move_looks_along_the_loop_and_hides_nothing_that_the_mover_plays() -> None:
    table = rengi(mode="open")
    play(table, FIRST, "c5", "c9")
    play(table, SECOND, "j5", "j9")
    table.rest(1_000_000)
    loop = table.view["lit"]["loop"]["pairs"]
    assert table.view["to_move"] == [0]
    hand, following, after = loop[1], loop[2], loop[3]
    shown = [("g13", "g14"), ("g4", "g5"), ("g2", "g3")]
    assert [pair_in_light(table, *two) for two in shown] == [hand, following, after]
    seen = []
    for _ in loop:
        table.place("g11", SECOND)
        seen.append(ghost_in_light(table, "g2", "g3"))
        assert [pair_in_light(table, *two) for two in shown[:2]] == [hand, following]
        table.lift("g11")
        assert pair_in_light(table, "g2", "g3") == after
        assert table.view["verdict"]["kind"] == "agree"
    # From its own pair in hand once around.
    assert seen == [*loop[1:], loop[0]]
    table.place("g11", SECOND)
    assert table.view["verdict"]["kind"] == "refuse", "there is nothing after the last pair"
    table.lift("g11")
    table.place("g12", SECOND)
    assert ghost_in_light(table, "g2", "g3") == loop[-1]
    # Meanwhile the mover looks, too, and plays; the marker of who looks is no stray then.
    table.place("g11", FIRST)
    table.lift("g11")
    assert pair_in_light(table, "g4", "g5") == loop[4]
    play(table, FIRST, "d5", "d9")
    assert table.view["verdict"]["kind"] == "agree"
    assert not any(mark["meaning"] == "astray" for mark in table.view["marks"])
    table.lift("g12")
    play(table, SECOND, "k5", "k9")
    hands = [move["text"][:2] for move in table.view["moves"]]
    assert hands == [loop[0], loop[0], loop[1], loop[1]]


def ghost_in_light(table: VirtualTable, axis: str, child: str) -> str:
    """The pair that is only looked at, dim, on these two cells."""
    marks = table.view["marks"]
    lit = {m["cell"]: m["meaning"][-1].upper() for m in marks if m["meaning"].startswith("ghost-")}
    return lit.get(table.cell(axis), "") + lit.get(table.cell(child), "")


def test_what_is_hidden_stays_hidden_from_who_looks_and_other_cells_are_the_movers() -> None:
    table = rengi(mode="tsu")
    table.rest(1_000_000)
    known = len(table.view["lit"]["loop"]["pairs"])
    for _ in range(known):
        table.place("g11", SECOND)
        assert table.view["verdict"]["kind"] == "agree"
        table.lift("g11")
    table.place("g11", SECOND)
    assert table.view["verdict"]["kind"] == "refuse"
    table.lift("g11")
    for cell in ("g9", "g8", "j5", "c5"):
        table.place(cell, SECOND)
        assert table.view["verdict"]["kind"] == "refuse", cell
        table.lift(cell)


PALETTE = {"R": "g14", "B": "g13", "Y": "g12", "G": "g11"}
BESIDE = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}


def by_hand(table: VirtualTable, side: int, text: str) -> None:
    """Make a hand of free supply, or pass, with markers on the board."""
    kind = side + 1
    if text == "pass":
        table.place("g9", kind)
        table.lift("g9")
        return
    column, rotation = int(text[2]) - 1, int(text[4])
    cells = []
    for letter, (across, up) in zip(text[:2], ((0, 0), BESIDE[rotation]), strict=True):
        table.place(PALETTE[letter], kind)
        table.lift(PALETTE[letter])
        cells.append(f"{'abcdefghijklm'[7 * side + column + across]}{6 + up}")
        table.place(cells[-1], kind)
    for cell in cells:
        table.lift(cell)


def test_the_authors_interrupt_comes_out_row_by_row_through_board_and_page() -> None:
    golden = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))["offset_interrupt"]
    rows = [(row["A"] or 0, row["B"] or 0) for row in golden["rows"]]
    # Five rows fall at once: of the last 110 ojama 80 wait.
    rows[18] = (80, 0)
    table = rengi(mode="free", ojama_unit=1, pass_plan=1, wall_cross=3)
    table.rest(1_000_000)
    match = table.session.match
    assert isinstance(match, LightPlay)
    match.pace_us = None
    match.history.positions = [interrupt_rules().setup(fields=(ATTACKER, DEFENDER))]
    game = match.game
    assert isinstance(game, Rengi)
    sizes = {"few": 1, "some": 6, "many": 30}
    seen: list[tuple[int, int]] = []
    for position, text in interrupt_hands():
        [side] = game.movers(match.position)
        assert side == position.state[1]
        by_hand(table, side, text)
        assert table.view["moves"][-1]["text"] == text
        told = game.story(match.history.positions[-2], match.history.moves[-1])
        seen += [e.forecast[1] for e in told if e.kind in ("fired", "credited", "fell")]
        assert tuple(table.view["lit"]["forecast"][1]) == seen[-1 if seen else 0]
        if table.view["to_move"] != [1]:
            continue
        marks = {m["cell"]: m["meaning"] for m in table.view["marks"] if m["meaning"] in sizes}
        for cell, count in (("g7", seen[-1][0]), ("g6", seen[-1][1])):
            meaning = marks.get(table.cell(cell))
            least = max((n for n in sizes.values() if n <= count), default=0)
            assert sizes.get(meaning or "", 0) == least
    assert seen == rows


def chain_table(pace_us: int | None) -> VirtualTable:
    """A table at which the first player's next hand fires a chain of two steps."""
    table = rengi("human", "bot:easy", mode="free")
    table.rest(1_000_000)
    match = table.session.match
    assert isinstance(match, LightPlay)
    match.pace_us = pace_us
    rows = ["......"] * 12 + ["BBBRRR"]
    match.history.positions = [
        Rengi(mode="free").setup(fields=("/".join(rows), "/".join(["......"] * 13)))
    ]
    return table


def test_a_chain_is_shown_step_by_step_while_the_bot_waits_for_its_end() -> None:
    table = chain_table(600_000)
    match = table.session.match
    assert isinstance(match, LightPlay)
    began = table.now_us
    assert table.command("move", side=0, text="RB4.0") is None
    steps = len(match.scenes)
    assert steps == 2
    assert table.view["lit"]["left"] == steps
    erased = [mark for mark in table.view["marks"] if mark["meaning"] == "erased"]
    assert len(erased) >= 4
    table.run(lambda t: len(t.session.match.history.played) == 2)
    assert table.now_us - began >= steps * 600_000
    assert table.view["lit"]["left"] == 0


# Light.


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("theme", ["standard", "blue-orange", "monochrome"])
def test_all_that_a_game_shows_is_in_the_grammar_and_tells_colours_apart(
    mode: str, theme: str
) -> None:
    game = games.load("rengi", mode=mode, show_hands_left="on")
    position, chance = game.start(4), random.Random(mode)
    for _ in range(30):
        if not game.movers(position):
            break
        side = game.movers(position)[0]
        for level in ("none", "legal", "control"):
            marks = game.marks(position, level)
            assert {mark.meaning for mark in marks} <= GRAMMAR.keys()
        picture = draw(marks, grid=game.grid, theme=theme)
        looks: dict[str, set[tuple[int, int]]] = {}
        for mark in marks:
            if mark.meaning.startswith("block"):
                glow = picture.cells[mark.cell]
                looks.setdefault(mark.meaning, set()).add((glow.effect, glow.palette))
        rhythms = [next(iter(look))[0] for look in looks.values()]
        assert all(len(look) == 1 for look in looks.values())
        assert len(set(rhythms)) == len(rhythms)
        position = game.play(position, chance.choice(game.moves(position, side)))


def test_what_comes_is_lit_above_its_columns_and_by_size_between_the_fields() -> None:
    game = Rengi(mode="free")
    position = game.setup(fields=("", ""), waiting=(4, 40))

    def cells(meaning: str) -> set[str]:
        marks = game.marks(position, "none")
        return {game.grid.name(mark.cell) for mark in marks if mark.meaning == meaning}

    assert cells("coming") == {"b14", "d14", "e14", *(f"{c}14" for c in "hijklm")}
    assert cells("few") == {"g7"}


def test_hands_left_are_told_only_with_that_assist() -> None:
    for assist in ("on", "off"):
        game = Rengi(mode="free", show_hands_left=assist)
        rows = ["......"] * 12 + ["BBBRRR"]
        position = game.setup(fields=("/".join(rows), ""))
        position = game.play(position, game.parse(position, "RB4.0"))
        left = game.page_figures(position)["hands_left"]
        assert (left[1] is not None) == (assist == "on")
        shown = [mark for mark in game.marks(position, "none") if mark.cell == 13 * 13 + 6]
        assert bool(shown) == (assist == "on")


def test_what_a_chain_will_still_send_is_told_only_with_that_assist() -> None:
    for assist, wanted in (("on", [5, 0]), ("off", [None, None])):
        game = Rengi(mode="free", show_chain_forecast=assist)
        rows = ["......"] * 12 + ["BBBRRR"]
        position = game.setup(fields=("/".join(rows), ""))
        position = game.play(position, game.parse(position, "RB4.0"))
        assert game.page_figures(position)["to_come"] == wanted
        position = game.play(position, game.parse(position, "RB1.0"))
        assert game.forecast(position, 1) == (5, 0)
        assert game.page_figures(position)["to_come"] in ([0, 0], [None, None])


def test_other_boards_say_which_one_rengi_needs() -> None:
    for name in ("hex5", "grid9x9"):
        with pytest.raises(BoardError, match="grid13x14"):
            fit(games.load("rengi"), load(name))
    assert len(fit(games.load("rengi"), load("grid13x14")).board) == 182
