"""`flash --rom`: modules into a folder for ROMFS, and to the board only what is left."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from lumiban.boards.profile import load
from lumiban.cli import flash, run
from lumiban.errors import BoardError, UsageError
from lumiban.maker.flash import ROM_FIRST, flash_files, lay_out, left_beside_rom
from unit.maker.test_flash import FakeRepl

PROGRAM = {"main.py": b"import lumiban_fw\n", "__init__.mpy": b"M", "pico_main.mpy": b"M1"}


def deployed(folder: Path, repl: FakeRepl) -> None:
    """What `mpremote romfs deploy` does."""
    for file in folder.rglob("*.mpy"):
        repl.files[f"/rom/{file.relative_to(folder)}"] = file.read_bytes()


def test_only_the_start_goes_to_a_board_whose_romfs_holds_the_program(tmp_path: Path) -> None:
    repl = FakeRepl()
    lay_out(tmp_path, PROGRAM)
    with pytest.raises(BoardError, match="mpremote romfs deploy"):
        left_beside_rom(repl, tmp_path, PROGRAM)
    deployed(tmp_path, repl)
    left = left_beside_rom(repl, tmp_path, PROGRAM)
    assert left == {"main.py": ROM_FIRST + PROGRAM["main.py"]}
    files = flash_files(load("hex3"), left)
    assert "/a/main.py" in files
    assert not [path for path in files if path.startswith("/a/lumiban_fw/")]
    newer = PROGRAM | {"pico_main.mpy": b"M2"}
    with pytest.raises(BoardError):
        left_beside_rom(repl, tmp_path, newer)


def test_a_folder_that_cannot_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        lay_out(tmp_path / "file", PROGRAM)


def test_the_command_lays_out_asks_for_the_deploy_and_in_a_dry_run_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Repl(FakeRepl):
        def __init__(self, port: str) -> None:
            super().__init__()

        def close(self) -> None:
            pass

    monkeypatch.setenv("LUMIBAN_LANG", "en")
    monkeypatch.setattr("lumiban.cli.flash.Prompt", Repl)
    monkeypatch.setattr(flash, "_program", lambda: PROGRAM)
    line = SimpleNamespace(lend=lambda: "/dev/ttyP")
    monkeypatch.setattr(flash, "_by_port", partial(flash._install, line))
    folder = tmp_path / "rom"
    words = ["board", "flash", "--port", "/dev/ttyP", "--profile", "hex3", "--rom", str(folder)]
    assert run([*words, "--dry-run"]) == 0
    assert f"go into {folder}" in capsys.readouterr().out
    assert not folder.exists()
    assert run(words) == 3
    assert f"mpremote romfs deploy {folder}" in capsys.readouterr().err
    assert sorted(file.name for file in folder.rglob("*.mpy")) == ["__init__.mpy", "pico_main.mpy"]
