"""Whoever waits for a simulator waits until it has ended, be it somebody else's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from lumiban.runtime import simulator
from lumiban.system import processes


async def test_a_simulator_of_another_lumiban_is_waited_for_until_it_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = iter([True, True, False])
    asked: list[int] = []

    def runs(pid: int) -> bool:
        asked.append(pid)
        return next(looks)

    monkeypatch.setattr(processes, "runs", runs)
    monkeypatch.setattr(simulator, "LOOK_S", 0.0)
    await simulator.end_of(cast("Any", SimpleNamespace(child=None, pid=4711)))
    assert asked == [4711] * 3


async def test_one_of_our_own_is_waited_for_by_its_end() -> None:
    waited: list[str] = []
    child = SimpleNamespace(wait=lambda: waited.append("until its end"))
    await simulator.end_of(cast("Any", SimpleNamespace(child=child, pid=0)))
    assert waited == ["until its end"]
