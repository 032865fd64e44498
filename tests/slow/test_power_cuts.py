"""Power cuts of the service on a real file system, rebuilt from the log of its disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cut_disk
import pytest
from places import SUPPORT

CUTS = 10


@pytest.mark.long
@pytest.mark.skipif(bool(cut_disk.lacking()), reason=cut_disk.lacking())
def test_ten_power_cuts_of_the_service_lose_nothing_that_was_promised(
    tmp_path: Path,
) -> None:
    words = [sys.executable, str(SUPPORT / "cut_lives.py"), str(CUTS)]
    said = tmp_path / "lives.log"
    with said.open("wb") as log:
        lives = subprocess.run(cut_disk.alone(words), stdout=log, stderr=log, check=False)
    assert lives.returncode == 0, said.read_text("utf-8")
    told = json.loads(said.read_text("utf-8").splitlines()[-1])
    assert told["cuts"] == CUTS
    assert told["wrong"] == []
    assert told["cards read"] > 10 * CUTS
