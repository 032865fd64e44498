"""A package's trial: where its machine's processes are kept together."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import ROOT
from scripts import module_of

trial = module_of(ROOT / "packaging" / "trial.py")
FIRST = "tmpfs /cg tmpfs rw 0 0\ncgroup /cg/cpu cgroup rw,cpu 0 0\n"


@pytest.mark.parametrize(
    ("mounts", "folder"),
    [
        ("proc /proc proc rw 0 0\ncgroup2 /cg cgroup2 rw 0 0\n", Path("/cg")),
        (FIRST + "cgroup2 /cg/unified cgroup2 rw 0 0\n", Path("/cg/unified")),
        (FIRST, None),
    ],
    ids=["second version", "both", "first version"],
)
def test_a_machine_s_group_is_of_the_second_version_or_there_is_none(
    tmp_path: Path, mounts: str, folder: Path | None
) -> None:
    told = tmp_path / "mounts"
    told.write_text(mounts)
    assert trial.groups_folder(told) == folder


def test_without_one_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, told in ((None, "none of the second version"), (tmp_path / "gone", "No such file")):
        monkeypatch.setattr(trial, "groups_folder", lambda folder=folder: folder)
        assert trial.new_group() is None
        assert told in capsys.readouterr().out


def test_a_group_is_gone_afterwards_with_those_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "groups_folder", lambda: tmp_path)
    group = trial.new_group()
    (group / "payload" / "system.slice").mkdir(parents=True)
    monkeypatch.setattr(Path, "write_text", lambda path, text: 0)  # a file of the kernel's
    trial.remove_group(group)
    assert not list(tmp_path.iterdir())
