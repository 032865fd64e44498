"""Packages: what is fetched for another Python, and what the service may do (lan.md, test 9)."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path

import printed_commands
import pytest
from places import ROOT
from scripts import module_of

DEBIAN = ROOT / "packaging" / "debian"


build = module_of(ROOT / "packaging" / "build.py", "lumiban_build")


@pytest.mark.parametrize(("minor", "numpy"), [(11, "2.4"), (13, "2.5")])
def test_the_lock_s_entries_are_those_of_the_target_s_python(
    tmp_path: Path, minor: int, numpy: str
) -> None:
    path = build.lock_for("fast", minor, tmp_path)
    lines = path.read_text().splitlines()
    named = [line.split("==") for line in lines if re.match(r"[a-z].*==", line)]
    assert [name for name, _ in named].count("numpy") == 1
    assert dict(named)["numpy"].startswith(numpy)
    assert not any("python_full_version" in line for line in lines if not line.startswith("#"))
    assert any("--hash=sha256:" in line for line in lines), "hashes are kept"


def test_of_a_lock_only_those_that_are_named_are_taken(tmp_path: Path) -> None:
    names = {"pytest", "pluggy"}
    lines = build.lock_for("dev", 13, tmp_path, names).read_text().splitlines()
    assert {line.split("==")[0] for line in lines if line[:1].isalpha()} == names
    assert sum("--hash=sha256:" in line for line in lines) >= len(names)


def test_a_package_s_list_names_no_command_of_whoever_built_it(tmp_path: Path) -> None:
    record = tmp_path / "one-1.dist-info" / "RECORD"
    record.parent.mkdir()
    (tmp_path / "one.py").touch()
    record.write_text("one.py,sha256=a,0\n../../bin/one,sha256=b,9\none-1.dist-info/RECORD,,\n")
    build.name_what_is_there(tmp_path)
    assert [line.split(",")[0] for line in record.read_text().splitlines()] == [
        "one.py", "one-1.dist-info/RECORD",
    ]  # fmt: skip


def test_what_the_readme_of_a_release_tells_to_type_is_understood(tmp_path: Path) -> None:
    shutil.copy(ROOT / "packaging/release.md", tmp_path / "README.md")
    typed = module_of(ROOT / "packaging/trial.py", "lumiban_release_trial").commands(tmp_path)
    own = [shlex.split(one)[1:] for one in typed if one.startswith("~/lumiban/bin/lumiban ")]
    assert [words[0] for words in own] == ["demo", "play", "board", "board"]
    for words in own:
        assert printed_commands.understood(words)
    assert [one.split()[1] for one in typed if one.startswith("sudo ")] == [
        "dpkg",
        "lumiban",
        "dpkg",
    ]


def test_the_service_may_make_its_bots_nicer_and_begins_without_network_or_time() -> None:
    unit = (DEBIAN / "lumiban.service").read_text()
    assert "~@resources" not in unit, "bots call os.nice"
    assert not re.search(r"^(After|Wants|Requires)=.*(network|time-sync)", unit, re.MULTILINE)


def exposure(unit: Path) -> float:
    words = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    found = re.search(r"Overall exposure level for .*: ([0-9.]+)", told)
    assert found is not None, told
    return float(found[1])


@pytest.mark.process
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_the_service_is_exposed_at_most_1_5_and_a_bare_one_is_not(tmp_path: Path) -> None:
    assert exposure(DEBIAN / "lumiban.service") <= 1.5
    bare = tmp_path / "bare.service"
    bare.write_text("[Service]\nExecStart=/bin/true\nUser=lumiban\n")
    assert exposure(bare) > 3.0


kernels = module_of(ROOT / "packaging" / "kernels.py", "lumiban_kernel_packages")


def test_a_wheel_of_kernels_serves_any_python_and_has_the_same_bytes_each_time(
    tmp_path: Path,
) -> None:
    package = tmp_path / "lumiban_kernels"
    for family in kernels.FAMILIES["x86_64"]:
        (package / family).mkdir(parents=True)
        (package / family / "kernels.so").write_bytes(b"\x7fELF")
        (package / family / "kernels.json").write_text("{}", "utf-8")
    made = [kernels.wheel("x86_64", package, tmp_path / name) for name in ("one", "two")]
    assert made[0].name.endswith("-py3-none-manylinux_2_17_x86_64.whl")
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as archive:
        named = archive.namelist()
        record = archive.read(next(name for name in named if name.endswith("RECORD"))).decode()
    assert "lumiban_kernels/x86-64-v3/kernels.so" in named
    assert [line.split(",")[0] for line in record.splitlines()] == named


def test_kernels_that_cannot_be_made_end_the_build_with_the_reason(tmp_path: Path) -> None:
    package = tmp_path / "lumiban" / "search"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("", "utf-8")
    (package / "build_kernels.py").write_text("raise SystemExit('there is no linker')", "utf-8")
    with pytest.raises(SystemExit, match="aarch64 could not be made: there is no linker"):
        kernels.make("aarch64", tmp_path / "out", tmp_path, ["control"])


def test_an_upgrade_removes_the_package_that_numba_had() -> None:
    text = (ROOT / "packaging" / "build.py").read_text("utf-8")
    assert "Conflicts: lumiban-fast" in text
    assert "Replaces: lumiban-fast" in text
    assert "fast" not in (DEBIAN / "lumiban").read_text("utf-8")
