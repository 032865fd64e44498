"""Packages: what is fetched for another Python, and what the service may do (lan.md, test 9)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from places import ROOT
from scripts import module_of

DEBIAN = ROOT / "packaging" / "debian"


build = module_of(ROOT / "packaging" / "build.py", "lumiban_build")


@pytest.mark.parametrize(("minor", "numpy"), [(11, "2.4"), (13, "2.5")])
def test_the_lock_s_entries_are_those_of_the_target_s_python(
    tmp_path: Path, minor: int, numpy: str
) -> None:
    path = build.for_python("fast.lock", minor, tmp_path)
    lines = path.read_text().splitlines()
    named = [line.split("==") for line in lines if re.match(r"[a-z].*==", line)]
    assert [name for name, _ in named].count("numpy") == 1
    assert dict(named)["numpy"].startswith(numpy)
    assert not any("python_full_version" in line for line in lines if not line.startswith("#"))
    assert any("--hash=sha256:" in line for line in lines), "hashes are kept"


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
def test_the_service_is_exposed_at_most_3_and_a_bare_one_is_not(tmp_path: Path) -> None:
    assert exposure(DEBIAN / "lumiban.service") <= 3.0
    bare = tmp_path / "bare.service"
    bare.write_text("[Service]\nExecStart=/bin/true\nUser=lumiban\n")
    assert exposure(bare) > 3.0
