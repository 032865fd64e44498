"""Tables that run beside this one: who holds a board, and how a person is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lumiban.boards.ports import PortError
from lumiban.errors import BoardError, JournalInUse
from lumiban.runtime.running_tables import Sign, taken

Other = Callable[..., None]


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Other]:
    """A table of another host, which holds its sign."""
    signs: list[Sign] = []

    def begun(number: int, board: str, port: str, journal: str) -> None:
        with monkeypatch.context() as there:
            there.setattr("os.getpid", lambda: number)
            signs.append(Sign(tmp_path, board, f"http://127.0.0.1:{8000 + number}/"))
        signs[-1].tell("control", port, journal)

    yield begun
    for sign in signs:
        sign.close()


def test_who_holds_a_busy_port_is_named_and_nobody_for_another_reason(
    tmp_path: Path, other: Other
) -> None:
    other(1, "auto", "/dev/ttyACM0", "one.journal")
    other(2, "auto", "/dev/ttyACM1", "two.journal")
    busy = PortError("/dev/ttyACM1", "busy")
    held = taken(tmp_path, "/dev/ttyACM1", busy)
    assert "http://127.0.0.1:8002/" in str(held)
    in_use = JournalInUse("it is open", path=tmp_path / "one.journal")
    held = taken(tmp_path, "/dev/ttyACM7", in_use)
    assert "http://127.0.0.1:8001/" in str(held)
    in_use = JournalInUse("it is open", path=tmp_path / "three.journal")
    assert taken(tmp_path, "/dev/ttyACM1", in_use) is None
    assert taken(tmp_path, "/dev/ttyACM7", PortError("/dev/ttyACM7", "busy")) is None
    assert taken(tmp_path, "gpio", BoardError("its pins are taken")) is None
    other(3, "gpio", "/dev/pts/3", "three.journal")
    assert "http://127.0.0.1:8003/" in str(taken(tmp_path, "gpio", BoardError("pins are taken")))
    assert taken(tmp_path, "/dev/ttyACM1", BoardError("it is silent")) is None
