"""The package's user: a person of the same name stops the installation, and survives a purge."""

from __future__ import annotations

from pathlib import Path

import patience
import pytest
from places import ROOT

pytestmark = pytest.mark.process
OURS = "lumiban:x:990:990:Lumiban table:/var/lib/lumiban:/usr/sbin/nologin"
PERSON = "lumiban:x:1000:1000:Lu Miban:/home/lumiban:/bin/bash"


def script(name: str, *words: str, at: Path, passwd: str = "", group: str = "") -> tuple[int, str]:
    """Exit code and error of a maintainer script; `removed` is there if it removed the user."""
    for tool, does in {
        "getent": f'case $1 in passwd) found="{passwd}" ;; *) found="{group}" ;; esac\n'
        '[ -n "$found" ] && echo "$found"',
        "userdel": f"touch {at}/removed", "rm": ":", "systemctl": ":", "udevadm": ":",
    }.items():  # fmt: skip
        (at / tool).write_text(f"#!/bin/sh\n{does}\n")
        (at / tool).chmod(0o755)
    line = ["sh", str(ROOT / "packaging/debian" / name), *words]
    done = patience.run(line, env={"PATH": f"{at}:/usr/bin:/bin"})
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("passwd", "group", "said"),
    [("", "", ""), (OURS, "lumiban:x:990:", ""),
     (PERSON, "lumiban:x:1000:", "sudo usermod -l NAME lumiban"),
     ("", "lumiban:x:1000:ann", "sudo groupmod -n NAME lumiban")],
    ids=["nobody", "the package", "a person", "a group"],
)  # fmt: skip
def test_the_first_installation_takes_no_name_of_somebody_else(
    passwd: str, group: str, said: str, tmp_path: Path
) -> None:
    code, error = script("preinst", "install", at=tmp_path, passwd=passwd, group=group)
    assert (code, said in error, error.count("\n")) == (bool(said), True, bool(said))
    assert script("preinst", "upgrade", "0.2", at=tmp_path, passwd=PERSON) == (0, "")


@pytest.mark.parametrize(("passwd", "goes"), [(OURS, True), (PERSON, False), ("", False)])
def test_a_purge_removes_the_user_of_the_package_alone(
    passwd: str, goes: bool, tmp_path: Path
) -> None:
    assert script("postrm", "purge", at=tmp_path, passwd=passwd) == (0, "")
    assert (tmp_path / "removed").exists() == goes
