"""The `sim` process: a simulated board on a serial port, served until it is told to stop.

python -m lumiban_sim --profile hex5
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from lumiban.boards.profile import load
from lumiban.errors import ProfileError
from lumiban.system.processes import RunningSimulator, text

from lumiban_sim.desk import LOG, Desk


def _state_folder() -> Path:
    """Folder in which lumiban keeps its state, unless told otherwise."""
    if wish := os.environ.get("LUMIBAN_HOME"):
        return Path(wish).expanduser()
    import platformdirs

    return platformdirs.user_state_path("lumiban", appauthor=False)


async def serve(desk: Desk, say: Callable[[RunningSimulator], object]) -> None:
    """Be a simulated board until SIGINT, SIGTERM or SIGHUP; `say` is called once it runs. OSError
    when port, pty or socket cannot be had."""
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(name, desk.stop)
    await desk.serve(say)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lumiban sim",
        description="Run a simulated board: a serial port for the host, an address for hands.",
    )
    parser.add_argument("--profile", default="hex5", help="board profile, or a TOML file")
    parser.add_argument("--seed", type=int, help="fixes noise and hands; else random")
    parser.add_argument("--state", type=Path, help="folder for the file that says where it is")
    parser.add_argument("--hands-port", type=int, default=0, help="port of /hands; 0: a free one")
    parser.add_argument(
        "--by-id", type=Path, help="folder for a link to the port, named by the board's number"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a simulated board until SIGTERM or SIGINT; returns the exit code."""
    options = _arguments().parse_args(arguments)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    try:
        profile = load(options.profile)
    except ProfileError as error:
        print(error, file=sys.stderr)
        return error.exit_code

    async def whole() -> Desk:
        desk = Desk(
            profile,
            seed=seed,
            state=options.state or _state_folder(),
            hands_port=options.hands_port,
            by_id=options.by_id,
        )
        await serve(desk, lambda descriptor: print(text(descriptor), flush=True))
        return desk

    try:
        desk = asyncio.run(whole())
    except OSError as error:
        print(f"the simulator cannot start: {error}", file=sys.stderr)
        return 3
    if desk.failed is not None:
        failure = f"{type(desk.failed).__name__}: {desk.failed}"
        print(f"the simulator broke ({failure}); see {desk.state / LOG}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
