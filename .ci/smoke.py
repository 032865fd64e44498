"""One whole game of two bots, by `demo` as people start it: .ci/smoke.py ./run

The words are the command that is tried, on small boards and in a state folder of its own. Its page
is asked until the game has ended, then Ctrl-C ends it, and `records` must know the game. Prints one
line; needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

STUCK_S = 180.0
"""A game without a move for so long has got stuck."""


def main(command: list[str]) -> None:
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lumiban-smoke-") as home:
        env = {**os.environ, "LUMIBAN_HOME": home}
        words = [*command, "demo", "--no-browser", "--port", "0", "-o", "size=2"]
        with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as demo:
            try:
                moves = _played(_page(demo))
            finally:
                demo.send_signal(signal.SIGINT)
                code = demo.wait(STUCK_S)
        listed = subprocess.run([*command, "records", "--json"], env=env, capture_output=True)
        games = [json.loads(line) for line in listed.stdout.splitlines()]
    if code or listed.returncode or not games:
        sys.exit(f"smoke: demo ended with {code}, records with {listed.returncode}: {games}")
    print(f"smoke: {moves} moves, {time.monotonic() - begun_s:.1f} s")


def _page(demo: subprocess.Popen[str]) -> str:
    """The address that the demo prints."""
    assert demo.stdout is not None
    told = ""
    for line in demo.stdout:
        told += line
        if found := re.search(r"http://\S+/", line):
            return found[0]
    sys.exit(f"smoke: the demo has no page: {told}")


def _played(url: str) -> int:
    """Wait for the end of the game; how many moves it has."""
    # It is this machine's own page, whatever proxy the environment names.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    moves, moved_s = -1, time.monotonic()
    while True:
        with opener.open(url + "api/view", timeout=STUCK_S) as answer:
            view = json.load(answer)
        if view["outcome"]:
            return len(view["moves"])
        if len(view["moves"]) != moves:
            moves, moved_s = len(view["moves"]), time.monotonic()
        if time.monotonic() > moved_s + STUCK_S:
            sys.exit(f"smoke: no move any more after {moves}: {view['link']}, {view['prompt']}")
        time.sleep(0.2)  # the game goes on in other processes


if __name__ == "__main__":
    main(sys.argv[1:])
