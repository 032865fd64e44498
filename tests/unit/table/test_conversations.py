"""Every conversation beside this holds, and its table answers as `answers/` has it.

Who means to change what a table answers runs this with LUMIBAN_ACCEPT=1, which writes the answers
anew, and reads what has changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conversations import play

FILES = sorted(Path(__file__).with_name("conversations").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_table_answers_as_it_did(path: Path) -> None:
    known = path.parents[1] / "answers" / path.name
    answers = play(path)
    if os.environ.get("LUMIBAN_ACCEPT") == "1":
        known.write_text(answers, "utf-8")
    told, wanted = answers.splitlines(), known.read_text("utf-8").splitlines()
    assert told == wanted, "with LUMIBAN_ACCEPT=1 this is written anew, to be read by you"
