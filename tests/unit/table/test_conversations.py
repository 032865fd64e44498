"""Every conversation beside this holds, and one that is wrong is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conversations import play

FILES = sorted(Path(__file__).with_name("conversations").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_conversation_holds(path: Path) -> None:
    assert play(path) >= 3


@pytest.mark.parametrize(
    "wrong",
    [
        "white places a1 -> plays nothing",
        "white places c3 -> plays c3",
        "white places a1 -> refused control.enemy-cell",
        "white places a1 -> light a1 mend",
        "white places a1 -> white to move",
        "white hums a1",
        "white places a1 -> the sun shines",
    ],
)
def test_a_conversation_that_does_not_hold_is_noticed(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(f"game control size=3\n{wrong}\n", "utf-8")
    with pytest.raises(AssertionError, match=r"wrong\.txt:2"):
        play(path)
