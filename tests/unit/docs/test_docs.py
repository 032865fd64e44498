"""The documents keep their promises: examples run, links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import lumiban
import pytest
from places import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
LOCKS = ROOT / "packaging" / "locks"


def named(paths: list[Path]) -> list[object]:
    return [pytest.param(path, id=path.name) for path in paths]


@pytest.mark.parametrize("path", named(DOCUMENTS))
def test_links_inside_the_project_lead_to_a_file(path: Path) -> None:
    missing = [to for to in LINK.findall(path.read_text()) if not (path.parent / to).exists()]
    assert missing == []


@pytest.mark.process
def test_the_examples_of_the_readme_print_what_they_say() -> None:
    blocks = BLOCK.findall((ROOT / "README.md").read_text())
    assert blocks
    for block in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block, "README.md", "exec"), {})
        promised = re.findall(r"# prints: (.*)", block)
        assert promised
        assert out.getvalue().splitlines() == promised


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_the_first_block_of_the_readme_leads_from_nothing_to_the_demo(readme: str) -> None:
    first = re.search(r"```sh\n(.*?)```", (ROOT / readme).read_text(), re.DOTALL)
    assert first is not None
    clone, *rest = first[1].strip().splitlines()
    assert re.fullmatch(r"git clone <.+> lumiban", clone)
    assert rest == ["cd lumiban", "./run demo"]


def test_the_version_is_one_and_the_changelog_dates_it() -> None:
    heading = re.search(r"^## (\d.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading is not None
    version, date = heading[1].split(" ", 1)
    assert lumiban.__version__ == version
    assert re.fullmatch(r"\(\d{4}-\d\d-\d\d\)", date)


def test_locks_carry_hashes_and_no_addresses() -> None:
    for lock in LOCKS.glob("*.lock"):
        text = lock.read_text()
        assert "://" not in text, lock.name
        assert "--index" not in text, lock.name
        assert "--find-links" not in text, lock.name
        pinned = re.findall(r"^[a-z0-9._-]+==", text, re.MULTILINE | re.IGNORECASE)
        assert pinned, lock.name
        assert text.count("--hash=sha256:") >= len(pinned), lock.name
    assert "://" not in re.sub(
        r'"(?:homepage|url|funding)".*',
        "",
        (ROOT / "host/lumiban/web/package-lock.json").read_text(),
    )


def test_what_the_project_needs_is_in_its_locks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    locked = (LOCKS / "base.lock").read_text().lower()
    dev = (LOCKS / "dev.lock").read_text().lower()
    for wanted in project["project"]["dependencies"]:
        assert re.split(r"[<>=;\[ ]", wanted)[0].lower() + "==" in locked, wanted
    for wanted in project["dependency-groups"]["dev"]:
        assert re.split(r"[<>=;\[ ]", wanted)[0].lower() + "==" in dev, wanted


def test_what_flash_installs_is_what_the_tests_use() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    flash = (LOCKS / "flash.lock").read_text()
    for wanted in project["project"]["optional-dependencies"]["flash"]:
        assert f"{wanted.partition('>=')[0]}==" in flash
    packages = re.findall(r"^\S.*?(?=^\S|\Z)", flash, re.MULTILINE | re.DOTALL)
    assert len(packages) >= 2
    tested = (LOCKS / "dev.lock").read_text()
    assert [package.split()[0] for package in packages if package not in tested] == []


IMPORT_ALL = """
import importlib, pkgutil
for package in ("lumiban_fw", "lumiban_lab"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except (ImportError, AttributeError):
                print(module.name)
"""


@pytest.mark.process
def test_the_reference_leaves_out_just_what_only_micropython_imports() -> None:
    # Modules of the chip that the reference's program imports would end it: ./run docs.
    command = [sys.executable, "-c", IMPORT_ALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    left_out = re.compile("|".join(re.findall(r"'!(.*?)'", (ROOT / ".ci/docs").read_text("utf-8"))))
    only_there = done.stdout.split()
    assert only_there
    assert [name for name in only_there if not left_out.fullmatch(name)] == []
