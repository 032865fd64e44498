"""Command lines for tests: what `run` gives, the one line of a refusal, a user's environment."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., tuple[int, str, str]]
"""Runs a command line in this process; gives its exit code, stdout and stderr (conftest.py)."""


def refused(run: Run, *words: str, code: int = 2) -> str:
    """The one line that a command line is refused with."""
    got, out, err = run(*words)
    assert got == code, err
    assert out == ""
    assert err.startswith("lumiban: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def environment(home: Path) -> dict[str, str]:
    """What a user has, and who leaves a file open is heard; a pipe is buffered, as a user's is."""
    theirs = {name: of for name, of in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ours = {"LUMIBAN_HOME": str(home), "LUMIBAN_LANG": "en"}
    return {**theirs, **ours, "PYTHONWARNINGS": "error::ResourceWarning"}


def view_after(url: str, moves: int) -> dict[str, Any]:
    """The first view of the page at this address with so many moves, waited for."""

    async def watch() -> dict[str, Any]:
        from websockets.asyncio.client import connect

        async with connect(url.replace("http", "ws") + "ws") as line:
            async for message in line:
                view: dict[str, Any] = json.loads(message)
                if len(view.get("moves", ())) >= moves:
                    return view
        raise AssertionError("the page's line closed")

    return asyncio.run(watch())
