"""What Tokyo Doves shows and reads: marks from level to level, pictures as actions."""

from __future__ import annotations

from doves_lines import FREE, at
from lumiban.games import Ambiguous, Complete, Kind, Partial, Position, Wrong
from lumiban.games.doves import Doves
from lumiban.games.doves.game import RED


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
