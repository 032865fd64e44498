"""Rules that do not return, or end their program, are told with their line."""

from __future__ import annotations

import signal

import pytest
from lumiban.games import registry, rule_limits
from lumiban.games.registry import RuleFault
from own_games import RULE, Written, clean, written

__all__ = ["clean", "written"]
WITHIN = {
    "import time; time.sleep(9999)": "it waits more than 0.1 seconds: import time",
    "import threading; threading.Event().wait()": "it waits more than 0.1 seconds",
    "while True: pass": "it takes more than 0.1 seconds: while True",
    "import sys; sys.exit()": "SystemExit",
    "quit()": "SystemExit",
    "raise GeneratorExit": "GeneratorExit",
    "import os; os._exit(0)": "it ends the program: import os",
    "bytes(1 << 40)": "MemoryError",
}


@pytest.mark.parametrize("does", WITHIN)
def test_a_rule_that_goes_on_or_ends_the_program_is_told_with_its_line(
    does: str, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_limits, "LIMIT_S", 0.1)
    game = registry.load(written(RULE.format(does=does)))
    before = game.start()
    after = game.play(before, game.moves(before, 0)[0])
    with pytest.raises(RuleFault, match="line 9, in may_place: ") as told:
        game.moves(after, 1)
    assert WITHIN[does] in str(told.value)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_a_file_that_waits_while_it_is_read_is_told_with_its_line(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_limits, "LIMIT_S", 0.1)
    with pytest.raises(RuleFault, match=r"line 2: it waits more than .*: time.sleep\(9999\)"):
        registry.load(written("time.sleep(9999)\n", head="import time\n"))
