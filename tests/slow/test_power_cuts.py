"""Power cuts of the service on a real file system, rebuilt from the log of its disk."""

from __future__ import annotations

import json
import sys

import cut_disk
import patience
import pytest
from places import SUPPORT

CUTS = 10


@pytest.mark.long
@pytest.mark.skipif(bool(cut_disk.lacking()), reason=cut_disk.lacking())
def test_ten_power_cuts_of_the_service_lose_nothing_that_was_promised() -> None:
    words = [sys.executable, str(SUPPORT / "cut_lives.py"), str(CUTS)]
    done = patience.run(cut_disk.alone(words))
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["cuts"] == CUTS
    assert told["wrong"] == []
    assert told["cards read"] > 10 * CUTS
