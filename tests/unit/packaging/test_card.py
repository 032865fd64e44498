"""A card that asks nothing: whose keys its first run brings."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from places import ROOT

FIRST_RUN = ROOT / "packaging" / "card" / "firstrun.sh"


@pytest.mark.process
@pytest.mark.parametrize(("users", "at"), [("0 1000", "anna"), ("0", "chief")])
def test_the_key_is_the_first_user_s_or_root_s_where_the_system_has_none(
    tmp_path: Path, users: str, at: str
) -> None:
    named, begins, rest = FIRST_RUN.read_text("utf-8").partition('if [ -n "$LUMIBAN_SSH_KEY" ]')
    assert named
    part = begins + rest[: rest.index("\nfi\n") + 4]
    folder = tmp_path / "bin"
    folder.mkdir()
    own = f"x:{os.getuid()}:{os.getgid()}:"
    tools = {
        "getent": f"""
case " {users} " in *" $2 "*) ;; *) exit 2 ;; esac
[ "$2" = 0 ] && echo "$(id -un):{own}:{tmp_path}/chief:/bin/sh"
[ "$2" = 0 ] || echo "$(id -un):{own}:{tmp_path}/anna:/bin/sh"
""",
        "systemctl": f'\necho "$@" >>{tmp_path}/units\n',
    }
    for name, body in tools.items():
        (folder / name).write_text("#!/bin/sh" + body)
        (folder / name).chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    for key, brings in (("", False), ("ssh-ed25519 AAAA anna", True)):
        subprocess.run(
            ["sh", "-eu", "-c", part],
            env={"PATH": path, "LUMIBAN_SSH_KEY": key},
            check=True,
        )
        assert (tmp_path / "units").exists() is brings, "nobody logs in without a key"
    keys = tmp_path / at / ".ssh" / "authorized_keys"
    assert list(tmp_path.rglob("authorized_keys")) == [keys]
    assert keys.read_text() == key + "\n"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.parent.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "units").read_text() == "enable ssh.service\n"
