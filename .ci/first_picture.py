"""Times the first start: from `git clone` to the picture of a lit table.

    python .ci/first_picture.py --rounds 3 8fee703 HEAD

For each commit, in turn and again in each round, three starts: *cold* (an empty pip cache, no
.venv), *cached* (pip's cache is filled, no .venv) and *again* (.venv is there). Prints a line of
JSON for each: wall and CPU seconds (of all processes, those in the background included) until
`/api/view` answers, `fast_wall_s` until numba is there too, `all_cpu_s` until then with what the
demo played meanwhile, and the load before. What `first_picture.jsonl` holds is what README says.
Linux only; it fetches some 300 MB for each commit.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PR_SET_CHILD_SUBREAPER = 36
TICKS = os.sysconf("SC_CLK_TCK")
LONGEST_S = 1800.0
PAGE = re.compile(rb"http://127\.0\.0\.1:\d+")


def processes() -> dict[int, tuple[int, float]]:
    """By pid (parent, CPU seconds, those of its dead children included)."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICKS)
    return found


def reap() -> None:
    """Take in what was orphaned and has ended: its time then counts as ours."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def spent() -> float:
    """CPU seconds of all that we started, the dead included; our own work is not."""
    table = processes()
    dead = os.times()
    alive = sum(table[pid][1] for pid in descendants(table))
    return alive + dead.children_user + dead.children_system


def descendants(table: dict[int, tuple[int, float]]) -> set[int]:
    """What we started and still runs."""
    below = {os.getpid()}
    while grown := {pid for pid, (parent, _) in table.items() if parent in below} - below:
        below |= grown
    return below - {os.getpid()}


def answers(url: str) -> bool:
    """Whether the table shows itself."""
    try:
        with urllib.request.urlopen(f"{url}/api/view", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def environment(home: Path, cache: Path) -> dict[str, str]:
    """As a newcomer has it."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own = {"PIP_CACHE_DIR": str(cache), "LUMIBAN_HOME": str(home)}
    return {**ours, **own, "PYTHONUNBUFFERED": "1"}  # older commits print their page late


def wait(program: subprocess.Popen[bytes], seconds: float) -> None:
    """Until a program has ended, so long at most."""
    with suppress(subprocess.TimeoutExpired):
        program.wait(seconds)


def start(where: Path, cache: Path, clone: str = "") -> dict[str, float]:
    """One start, until numba is there too; what it took. `clone`: the commit to clone first."""
    load = os.getloadavg()[0]
    before, began = spent(), time.monotonic()
    if clone:
        subprocess.run(["git", "clone", "-q", str(ROOT), str(where / "lumiban")], check=True)
        subprocess.run(["git", "checkout", "-q", clone], cwd=where / "lumiban", check=True)
    told = where / "told.log"
    with told.open("wb") as out:
        demo = subprocess.Popen(
            ["./run", "demo", "--no-browser", "--port", "0"],
            cwd=where / "lumiban",
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            env=environment(where / "home", cache),
            start_new_session=True,
        )
    figures = {}
    try:
        while not ((page := PAGE.search(told.read_bytes())) and answers(page[0].decode())):
            if demo.poll() is not None or time.monotonic() - began > LONGEST_S:
                raise SystemExit(f"no picture:\n{told.read_text()}")
            wait(demo, 0.05)
        figures = {"wall_s": time.monotonic() - began, "cpu_s": spent() - before}
        venv = where / "lumiban" / ".venv"
        while not (venv / ".stamp-fast").exists() and time.monotonic() - began < LONGEST_S:
            wait(demo, 0.2)
        figures["fast_wall_s"] = time.monotonic() - began
    finally:
        os.killpg(demo.pid, signal.SIGINT)
        demo.wait()
        while descendants(processes()):
            with suppress(ChildProcessError):  # orphans are ours: each that ends is told
                os.wait()
            reap()
    figures["all_cpu_s"] = spent() - before
    return {**{name: round(value, 1) for name, value in figures.items()}, "load": round(load, 1)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commits", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cold", type=int, default=1, help="rounds that begin with no pip cache")
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory() as folder:
        for n in range(given.rounds):
            for commit in given.commits:
                cache = Path(folder) / f"cache-{commit}"
                for kind in ["cold"] * (n < given.cold) + ["cached", "again"]:
                    if kind == "cold" and cache.exists():
                        cache = Path(folder) / f"cache-{commit}-{n}"
                    where = Path(folder) / f"{commit}-{n}{'-cold' * (kind == 'cold')}"
                    where.mkdir(exist_ok=True)
                    took = start(where, cache, "" if kind == "again" else commit)
                    print(json.dumps({"commit": commit, "start": kind, **took}), flush=True)
                    if kind != "cached":
                        subprocess.run(["rm", "-rf", str(where)], check=True)


if __name__ == "__main__":
    main()
