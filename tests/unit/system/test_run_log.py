"""The log of a run: a line for each event, whatever its values are called."""

from __future__ import annotations

import json
from pathlib import Path

from lumiban.system.run_log import RunLog


def test_values_may_be_called_as_the_log_s_own_are(tmp_path: Path) -> None:
    # A page's hint has a `level`: the table hung up on it.
    path = tmp_path / "host.log"
    with path.open("wb", buffering=0) as file:
        RunLog(file).info("command", do="hint", level="none", event="mine")
    line = json.loads(path.read_text("utf-8"))
    assert (line["event"], line["do"], line["level"]) == ("command", "hint", "info")
