"""How much of a core an idle host takes: a person is to move and does not.

    python tests/support/idle.py [--seconds 60] [--limit 2.0]

Prints one line of JSON, in percent of one core: the host with its page and one open tab (bot
process included), and the simulator beside it. Exit code 1 when the host is above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lumiban_sim import descriptor

SETTLE_S = 15.0
"""Start, greeting and compilation are over by then."""


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and of all its descendants that still run."""
    total = 0.0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if int(entry.parent.name) == pid:
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        elif int(fields[1]) == pid:
            total += cpu_seconds(int(entry.parent.name))
    return total


def measure(seconds: float) -> dict[str, float]:
    """Percent of a core of host and simulator, over so many seconds."""
    with tempfile.TemporaryDirectory(prefix="lumiban-idle-") as home:
        words = [sys.executable, "-m", "lumiban", "play", "control", "--no-browser"]
        host = subprocess.Popen(
            [*words, "--first", "human", "--second", "bot:strong"],
            env={**os.environ, "LUMIBAN_HOME": home, "LUMIBAN_LANG": "en"},
            stdout=subprocess.PIPE,
        )
        assert host.stdout is not None
        lines = (line.decode() for line in host.stdout)
        url = next(line.split()[1] for line in lines if line.strip().startswith("page:"))
        tab = subprocess.Popen([sys.executable, "-m", "lumiban_lab.bench_board", "tab", url])
        try:
            # Real seconds are what is measured here: nothing of it can be injected.
            time.sleep(SETTLE_S)
            (simulator,) = descriptor.running(Path(home))
            # The simulator is the host's child, but a process of its own on the table.
            others = {"host": host.pid, "simulator": simulator.pid}
            began = {name: cpu_seconds(pid) for name, pid in others.items()}
            time.sleep(seconds)  # real seconds again
            used = {name: cpu_seconds(pid) - began[name] for name, pid in others.items()}
            used["host"] -= used["simulator"]
        finally:
            tab.terminate()
            host.send_signal(signal.SIGTERM)
            host.wait()
            tab.wait()
    return {f"{name}_percent": round(100 * took / seconds, 2) for name, took in used.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--limit", type=float, default=2.0)
    wish = parser.parse_args()
    figures = measure(wish.seconds)
    print(json.dumps({"seconds": wish.seconds, **figures}))
    return int(figures["host_percent"] > wish.limit)


if __name__ == "__main__":
    sys.exit(main())
