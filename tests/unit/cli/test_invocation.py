"""Commands are named as people type them, for the way in which lumiban was installed."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from lumiban import cli, i18n, invocation
from places import ROOT

NOUNS = {
    "board": "|".join(map(re.escape, cli.commands()["board"].inner)),
    "flight": "export|show|lists",
}
"""Commands whose names follow the program's in sentences too, with what makes them commands."""
HARD = re.compile(
    r"(?<![\w/-])lumiban (?:"
    + "|".join(f"{name} (?:{NOUNS[name]})" if name in NOUNS else name for name in cli.commands())
    + r")\b"
)
"""A command that is named by a word which is not on everybody's path."""
ROOMS = ("host/lumiban", "hardware/lumiban_hardware", "lab/lumiban_lab")


def words() -> Iterator[list[str]]:
    """Every command that has a help of its own."""
    from lumiban.cli import flight, records
    from lumiban_hardware import commands as hardware

    yield from ([name] for name in cli.commands())
    yield from ([name, inner] for name, one in cli.commands().items() for inner in one.inner)
    for name, app in (("flight", flight.app), ("hardware", hardware.app), ("records", records.app)):
        yield from ([name, inner] for inner in app if not inner.startswith("-"))


def messages() -> Iterator[tuple[str, str]]:
    """Every text of the source that may reach people: what is handed on, and a command's docstring
    (file with line, text)."""
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        commands = path.parts[-2] == "cli" or path.stem.endswith("commands")
        source = path.read_text("utf-8")
        if not HARD.search(re.sub(r"[\"']\s+f?[\"']", "", source)):
            continue  # to read the tree of every file takes seconds
        for node in ast.walk(ast.parse(source)):
            place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            match node:
                case ast.Call():
                    for part in ast.walk(node):
                        if isinstance(part, ast.Constant) and isinstance(part.value, str):
                            yield place, part.value
                case ast.FunctionDef() | ast.AsyncFunctionDef() if commands:
                    yield place, ast.get_docstring(node) or ""


@pytest.mark.one_case
@pytest.mark.parametrize("command", list(words()), ids=" ".join)
def test_a_help_names_its_commands_as_they_are_typed(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUMIBAN_RUN", "./mine")
    assert cli.run([*command, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"Usage: ./mine {' '.join(command)}")
    assert "{" not in told


@pytest.mark.slow
def test_no_message_or_help_names_a_command_by_a_word_of_its_own() -> None:
    assert [(place, text) for place, text in messages() if HARD.search(text)] == []


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_no_sentence_names_a_command_by_a_word_of_its_own(language: str) -> None:
    hard = {
        id: said
        for area in i18n.areas(language).values()
        for id, said in area.items()
        if HARD.search(said)
    }
    assert hard == {}


def package(root: Path, where: str) -> Path:
    """An installed package's folder; one in a checkout has its pyproject.toml above it."""
    folder = root / where
    folder.mkdir(parents=True)
    if "host" in where:
        folder.parents[1].joinpath("pyproject.toml").touch()
    return folder


@pytest.mark.parametrize(
    ("where", "word", "says"),
    [
        ("usr/lib/lumiban/site/lumiban", "lumiban", "cli.add.package"),
        ("me/venv/lib/python3.13/site-packages/lumiban", "lumiban", "{pip} 'lumiban[flash]'"),
        ("me/lumiban/host/lumiban", "lumiban", "{pip} -e '{root}/me/lumiban[flash]'"),
        ("me/lumiban/host/lumiban", "../lumiban/run", "../lumiban/run add flash"),
    ],
)
def test_an_extra_is_added_as_lumiban_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, word: str, says: str
) -> None:
    monkeypatch.setattr(invocation, "PACKAGED", tmp_path / "usr/lib/lumiban/site")
    monkeypatch.setattr(invocation, "find_spec", lambda name: object())
    told = invocation.adding("flash", package(tmp_path, where), {"LUMIBAN_RUN": word})
    assert told == says.format(pip=f"{sys.executable} -m pip install", root=tmp_path)


def test_an_environment_without_pip_is_added_to_by_uv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invocation, "find_spec", lambda name: None)
    told = invocation.adding("report", package(tmp_path, "venv/lib/site-packages/lumiban"), {})
    assert told == f"uv pip install --python {sys.executable} 'lumiban[report]'"


def test_every_extra_that_a_message_names_is_one_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    told = {
        extra
        for path in (ROOT / "host").rglob("*.py")
        for extra in re.findall(r'\badding\("(\w+)"', path.read_text("utf-8"))
    }
    assert told
    assert told <= set(project["optional-dependencies"])


@pytest.mark.parametrize(
    ("program", "on_path", "word"),
    [
        ("{venv}/bin/lumiban", True, "lumiban"),
        ("{venv}/bin/lumiban", False, "venv/bin/lumiban"),
        ("{venv}/lib/python3.13/site-packages/lumiban/__main__.py", False, "venv/bin/lumiban"),
        ("{venv}/lib/python3.13/site-packages/lumiban/__main__.py", True, "lumiban"),
    ],
)
def test_a_program_that_is_not_on_the_path_is_named_by_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, on_path: bool, word: str
) -> None:
    binaries = tmp_path / "venv" / "bin"
    binaries.mkdir(parents=True)
    binaries.joinpath("lumiban").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(binaries) if on_path else "/nowhere")
    monkeypatch.setenv("LUMIBAN_RUN", "")
    monkeypatch.setattr(sys, "executable", str(binaries / "python"))
    invocation.announce(program.format(venv=tmp_path / "venv"))
    assert invocation.start_word() == word


@pytest.mark.process
def test_a_checkout_without_its_run_is_told_of_it(tmp_path: Path) -> None:
    environment = {name: told for name, told in os.environ.items() if name != "LUMIBAN_RUN"}
    environment |= {"PATH": "/nowhere", "LUMIBAN_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "lumiban", "games", "--nonsense"],
        capture_output=True, text=True, env=environment, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.stderr == "lumiban: there is no option --nonsense. See: ./run games --help\n"
