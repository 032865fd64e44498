"""Kernels run without numba are those that numba runs, and what cannot be run so is left to it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import patience
import pytest
from lumiban.search import jit, kernel_objects
from lumiban.search.kernel_objects import Flat, UnusableObject, kinds_of, lay

pytestmark = [pytest.mark.jit, pytest.mark.process]

PLAYS = """
import json, sys
from lumiban import games
from lumiban.games.control.kernel import ControlState
from lumiban.games.kernel import play_out
from lumiban.search import jit
if sys.argv[1] == "spares":
    jit.spare_compiler()
told = []
for size in (2, 3, 5):
    game = games.load("control", size=size)
    for seed in (1, 2, 3):
        root, state = (jit.compiled_state(game.state(game.start())) for _ in range(2))
        trace = jit.zeros(game.capacity[1] if len(game.capacity) > 1 else 1000)
        run = jit.compiled(play_out, ControlState)
        played = run(root, state, jit.ints([seed]), trace, 3)
        told.append([int(played), state.outcome(), [int(one) for one in state[0]]])
print(json.dumps([told, "numba" in sys.modules, jit.may_begin_anew()]))
"""


@pytest.mark.skipif(not kernel_objects.may_run(), reason="objects run on Linux, x86-64")
def test_what_numba_has_compiled_runs_without_it_and_plays_the_same(tmp_path: Path) -> None:
    environment = {**os.environ, "LUMIBAN_CACHE": str(tmp_path), "LUMIBAN_NO_NUMBA": ""}

    def ran(word: str) -> tuple[object, bool, bool]:
        found = patience.run([sys.executable, "-c", PLAYS, word], env=environment)
        assert found.returncode == 0, found.stderr
        told, has_numba, may_begin_anew = json.loads(found.stdout)
        return told, has_numba, may_begin_anew

    first = ran("spares")
    assert first[1:] == (True, True), "it has compiled, and begun anew would find all on disk"
    assert ran("spares") == (first[0], False, False)
    assert ran("has numba") == (first[0], True, False)
    [kernel] = tmp_path.rglob("*.kernel")
    content = bytearray(kernel.read_bytes())
    content[len(content) // 2] ^= 1
    kernel.write_bytes(content)
    assert ran("spares") == first, "a damaged file is compiled anew"


def test_an_object_of_another_machine_and_one_cut_short_are_refused() -> None:
    aarch64 = b"\x7fELF\x02\x01\x01" + bytes(11) + (183).to_bytes(2, "little") + bytes(100)
    for content in (b"", b"MZ", aarch64):
        with pytest.raises(UnusableObject):
            lay(content, "run")


def test_arguments_are_told_by_their_kinds_and_a_strange_one_is_like_no_kernel_s() -> None:
    numbers = jit.ints([[1, 2], [3, 4]])
    flat = Flat([(numbers, jit.words(3)), 7, numbers.T, 1 << 63, True])
    assert flat.kinds == ["int64:2", "int32:1", "int64", "another array", "int", "bool"]
    assert flat.values[2:4] == [4, 8]
    assert flat.values[5:9] == [2, 2, 16, 8], "lengths and steps"
    assert kinds_of([object()]) is None
