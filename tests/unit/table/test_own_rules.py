"""A game from a file whose rules change or fail: the table reads them again, or stands still."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.errors import RulesChanged
from lumiban.games import rule_limits
from lumiban.table.resume import resume
from own_games import Written, clean, written
from virtual_table import VirtualTable

__all__ = ["clean", "written"]

WHITE_STONE, BLACK_STONE = 1, 2
PLAIN = "class Mine(SimpleGame):\n    sizes = (3, 2)\n"


def test_a_new_game_whose_rule_fails_at_once_leaves_the_old_one_on_the_table(
    written: Written,
) -> None:
    path = written(PLAIN)
    table = VirtualTable("hex3", path, ("human", "human"), {"size": 3})
    table.place("c3", WHITE_STONE)
    table.rest()
    written(PLAIN + "    def may_place(self, board, side, cell):\n        return [][cell]\n")
    error = table.command("new")
    assert error is not None
    assert error["id"] == "table.no-such-game"
    assert "line 7, in may_place: IndexError" in error["params"]["reason"]
    assert error["params"]["reason"].endswith("(position: before any move)")
    assert [str(move) for move in table.session.match.history.moves] == ["c3"]


NOT_BESIDE = """
    def may_place(self, board, side, cell):
        return not board.touching(cell, side)
"""


def after_two_stones(path: str) -> VirtualTable:
    """A table of this game after c3 and a1."""
    table = VirtualTable("hex3", path, ("human", "human"), {"size": 3})
    table.place("c3", WHITE_STONE)
    table.place("a1", BLACK_STONE)
    return table


def test_saved_rules_hold_at_once_and_the_position_stays_where_its_moves_fit(
    written: Written, tmp_path: Path
) -> None:
    table = after_two_stones(written(PLAIN))
    assert table.command("rules") is None
    assert "rules" not in table.view, "nothing was saved"
    written(PLAIN + NOT_BESIDE)
    assert table.command("rules") is None
    assert table.view["rules"]["id"] == "table.rules-new"
    assert [move["text"] for move in table.view["moves"]] == ["c3", "a1"]
    table.place("c4", WHITE_STONE)
    assert table.view["verdict"]["kind"] == "refuse"
    table.lift("c4")
    table.place("e1", WHITE_STONE)
    table.rest()
    journal = tmp_path / "mine.journal"
    journal.write_bytes(bytes(table.journals[-1]))
    back = resume(journal, mends=False).history
    assert [str(move) for move in back.moves] == ["c3", "a1", "e1"]


def test_saved_rules_that_forbid_what_was_played_begin_a_new_game(written: Written) -> None:
    path = written(PLAIN)
    table = VirtualTable("hex3", path, ("human", "human"), {"size": 3})
    for name, kind in (("c3", WHITE_STONE), ("a1", BLACK_STONE), ("c4", WHITE_STONE)):
        table.place(name, kind)
    written(PLAIN + NOT_BESIDE)
    assert table.command("rules") is None
    assert table.view["rules"]["id"] == "table.rules-unfit"
    assert table.view["moves"] == []


@pytest.mark.parametrize(
    ("saved", "reason"),
    [
        ("    def may_place(self, board", "line 6"),
        (
            "    def may_place(self, board, side, cell):\n        return [][cell]\n",
            "line 7, in may_",
        ),
        (
            "    def may_place(self, board, side, cell):\n"
            "        return board.played < 1 or [][cell]\n",
            "line 7, in may_place: IndexError: list index out of range (position: after c3)",
        ),
        ("    shape = 'egg'\n", "egg"),
    ],
)
def test_saved_rules_that_cannot_be_played_leave_the_old_ones(
    written: Written, saved: str, reason: str
) -> None:
    path = written(PLAIN)
    table = VirtualTable("hex3", path, ("human", "human"), {"size": 3})
    table.place("c3", WHITE_STONE)
    written(PLAIN + saved)
    assert table.command("rules") is None
    assert table.view["rules"]["id"] == "table.rules-broken"
    assert reason in table.view["rules"]["params"]["reason"]
    table.place("c4", BLACK_STONE)
    assert [move["text"] for move in table.view["moves"]] == ["c3", "c4"]
    written(PLAIN)
    assert table.command("rules") is None
    assert "rules" not in table.view, "the mistake was taken out again"


def test_a_journal_of_a_changed_game_is_told_from_a_broken_one(
    written: Written, tmp_path: Path
) -> None:
    path = written(PLAIN)
    table = VirtualTable("hex3", path, ("human", "human"), {"size": 3})
    table.place("c3", WHITE_STONE)
    table.rest()
    journal = tmp_path / "mine.journal"
    journal.write_bytes(bytes(table.journals[0]))
    assert [str(move) for move in resume(journal, mends=False).history.moves] == ["c3"]
    written(PLAIN + "    geometry = 'hex'\n")
    with pytest.raises(RulesChanged, match="has changed since this game was begun") as caught:
        resume(journal, mends=False)
    assert caught.value.slug == path


FAILS = [
    ("1 // 0", "line 8, in may_place: ZeroDivisionError"),
    ("board.append(1)", "a rule looks at the board and leaves it as it is"),
    ("[0 for n in iter(int, 1)]", "more than 0.2 seconds"),
    ("bytes(1 << 40)", "MemoryError"),
]


@pytest.mark.one_case
@pytest.mark.parametrize(("does", "reason"), FAILS, ids=["raises", "changes", "loops", "eats"])
def test_rules_that_fail_in_mid_game_stand_still_until_they_are_mended(
    does: str, reason: str, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_limits, "LIMIT_S", 0.2)
    rule = "    def may_place(self, board, side, cell):\n"
    rule += f"        if board.played == 2:\n            {does}\n        return True\n"
    table = VirtualTable("hex3", written(PLAIN + rule), ("human", "human"), {"size": 3})
    table.place("c3", WHITE_STONE)
    table.place("a1", BLACK_STONE)
    said = table.view["verdict"]["text"]
    assert said["id"] == "table.rules-failed"
    assert reason in said["params"]["reason"]
    assert said["params"]["reason"].startswith("mine.py"), "without the folders of this machine"
    rests = table.view
    assert not any(seat["thinking"] for seat in rests["seats"])
    nothing = [rests[name] for name in ("to_move", "marks", "words", "pending", "can_takeback")]
    assert nothing == [[], [], [[], []], None, False]
    assert (rests["legal"], rests["prompt"]["steps"]) == (
        {"place": [], "lift": [], "kinds": []}, [],
    )  # fmt: skip
    for do, words in (("move", {"side": 0, "text": "c4"}), ("word", {"side": 0, "word": "resign"})):
        refused = table.command(do, **words)
        assert refused is not None
        assert refused["id"] == "table.rules-failed"
    table.place("c4", WHITE_STONE)  # while they stand still: told once they are mended
    table.rest()
    assert table.command("rules") is None
    assert table.view["verdict"]["text"]["id"] == "table.rules-failed", "nothing was mended"
    written(PLAIN + "    longest = 30\n")
    assert table.command("rules") is None
    assert table.view["rules"]["id"] == "table.rules-new"
    table.rest()
    assert [move["text"] for move in table.view["moves"]] == ["c3", "a1", "c4"]


FIRST_ASKED = [
    ("then(self, board, side, act)", "1 // 0", "in then: ZeroDivisionError"),
    ("points(self, board)", "1 // 0", "in points: ZeroDivisionError"),
    ("agreed(self, board)", "1 // 0", "in agreed: ZeroDivisionError"),
    ("owned(self, board)", "1 // 0", "in owned: ZeroDivisionError"),
    ("owes(self, board)", "1 // 0", "in owes: ZeroDivisionError"),
    ("points(self, board)", "[0 for n in iter(int, 1)]", "more than 0.2 seconds"),
    ("points(self, board)", "bytes(1 << 40)", "in points: MemoryError"),
]


@pytest.mark.one_case
@pytest.mark.parametrize(("asked", "does", "reason"), FIRST_ASKED)
def test_rules_that_fail_in_the_first_step_stand_still_until_they_are_mended(
    asked: str, does: str, reason: str, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_limits, "LIMIT_S", 0.2)
    rule = f"    def {asked}:\n        {does}\n"
    table = VirtualTable("hex3", written(PLAIN + rule), ("human", "human"), {"size": 3})
    table.rest()
    assert reason in table.view["verdict"]["text"]["params"]["reason"]
    assert "mine.py, line 7" in table.view["verdict"]["text"]["params"]["reason"]
    assert (table.view["moves"], len(table.view["pieces"])) == ([], 19)
    table.place("c3", WHITE_STONE)  # told once they are mended
    written(PLAIN + "    longest = 30\n")
    assert table.command("rules") is None
    assert table.view["rules"]["id"] == "table.rules-new"
    table.rest()
    assert [move["text"] for move in table.view["moves"]] == ["c3"]
