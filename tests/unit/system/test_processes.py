"""Processes by their number: which one it is, after a reboot and in a container too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lumiban.system import processes


class Machine:
    """A /proc, of which a unit of systemd may see only its own user's part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.boots("one")

    def boots(self, name: str) -> None:
        boot = self.folder / processes.BOOT
        boot.parent.mkdir(parents=True, exist_ok=True)
        boot.write_text(f"{name}\n")

    def has(self, pid: int, start: int) -> None:
        place = self.folder / str(pid)
        place.mkdir(exist_ok=True)
        numbers = " ".join(str(one) for one in range(4, 22))
        (place / "stat").write_text(f"{pid} (a name) of (its) own) S {numbers} {start} 23 24\n")

    def hides(self, pid: int) -> None:
        (self.folder / str(pid) / "stat").unlink()

    def birth(self, pid: int) -> str:
        return processes.birth(pid, self.folder)

    def still_runs(self, pid: int, born: str) -> bool:
        return processes.still_runs(pid, born, self.folder)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    found = Machine(tmp_path)
    found.has(os.getpid(), 5)
    return found


def test_a_number_given_again_is_another_process(machine: Machine) -> None:
    machine.has(7, 250)
    born = machine.birth(7)
    assert machine.still_runs(7, born)
    machine.has(7, 251)  # a container that was started anew has the same boot
    assert not machine.still_runs(7, born)
    machine.has(7, 250)
    machine.boots("two")  # a machine comes to the same number at the same moment
    assert not machine.still_runs(7, born)


def test_one_that_is_hidden_from_us_is_another_user_s(machine: Machine) -> None:
    machine.has(1, 3)
    born = machine.birth(1)
    machine.hides(1)
    assert machine.birth(1) == ""
    assert not machine.still_runs(1, born)


def test_where_nothing_is_told_of_births_the_number_counts(machine: Machine) -> None:
    born = machine.birth(os.getpid())
    (machine.folder / processes.BOOT).unlink()
    assert machine.birth(os.getpid()) == ""
    assert machine.still_runs(os.getpid(), born)
    assert machine.still_runs(os.getpid(), "")


@pytest.mark.process
def test_a_process_runs_until_it_has_ended() -> None:
    words = [sys.executable, "-c", "input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        born = processes.birth(process.pid)
        assert processes.still_runs(process.pid, born)
    assert not processes.still_runs(process.pid, born)
    assert not processes.runs(process.pid)
