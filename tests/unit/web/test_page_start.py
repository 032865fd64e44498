"""How the page's process begins: what it asks of the system, where it writes what goes wrong."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from lumiban.web import page_process
from lumiban.web.page_process import Place

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
"""Of <linux/prctl.h>."""


@contextmanager
def a_process() -> Iterator[None]:
    """What a process sets for itself is this one's again at the end."""
    level, handlers = logging.root.level, logging.root.handlers
    interrupt = signal.getsignal(signal.SIGINT)
    logging.root.handlers = []
    try:
        yield
    finally:
        for one in logging.root.handlers:
            one.close()
        logging.root.handlers = handlers
        logging.root.setLevel(level)
        signal.signal(signal.SIGINT, interrupt)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0)


def test_it_gives_way_to_the_search_leaves_ctrl_c_to_the_table_and_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with a_process():
        nicer, served = list[int](), list[object]()

        async def serve(*words: object) -> None:
            served.append(words)

        monkeypatch.setattr(os, "nice", nicer.append)
        monkeypatch.setattr(page_process, "_serve", serve)
        place = Place([8], ["192.0.2.5"], "http://192.0.2.5:8700/", "", "", "", True, None)
        words = ["5", "6", "32", str(tmp_path / "page.log")]
        page_process.main([*words, msgspec.json.encode(place).decode()])
        assert (nicer, served) == ([3], [(5, 6, 32, place)])
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        if sys.platform == "linux":
            ends_by = ctypes.c_int()
            ctypes.CDLL(None).prctl(PR_GET_PDEATHSIG, ctypes.byref(ends_by))
            assert ends_by.value == signal.SIGKILL
        logging.getLogger("uvicorn.error").error("boom")
        assert "boom" in (tmp_path / "page.log").read_text()
        page_process.main(words)
        assert served[1:] == [(5, 6, 32, None)]
