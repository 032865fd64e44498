"""A file that is put whole: all of it or the one before, whatever breaks it off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lumiban.system.disk import DISK, Disk


@pytest.mark.parametrize("step", ["replace", "write", "sync", "rename"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_is_broken_off_leaves_the_file_before_and_nothing_beside(
    tmp_path: Path, step: str, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, disk = tmp_path / "made" / "page.json", Disk()
    disk.put_whole(path, b"before")

    def breaks(*_: Any) -> None:
        raise error

    monkeypatch.setattr(disk, step, breaks)
    with pytest.raises(error):
        disk.put_whole(path, b"after")
    assert [(one.name, one.read_bytes()) for one in path.parent.iterdir()] == [
        ("page.json", b"before")
    ]
    DISK.put_whole(path, b"after")
    assert path.read_bytes() == b"after"
