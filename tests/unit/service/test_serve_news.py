"""What `serve` prints: what a table waits for or plays, with its link, each once."""

from __future__ import annotations

import pytest
from lumiban.cli.serve import TableNews

URL = "http://127.0.0.1:8700/"
ABSENT = {"id": "serve.waits.absent", "params": {}}


def test_what_a_table_waits_for_is_printed_with_its_link_and_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    news = TableNews()
    news({"number": 1, "state": "starting", "links": None})
    news({"number": 1, "state": "starting", "url": URL, "links": None})
    assert capsys.readouterr().out == "", "nothing can be opened or done yet"
    waiting = {"number": 1, "state": "waiting", "why": ABSENT, "url": URL, "links": None}
    for memory in (37, 38):
        news({**waiting, "percent": memory})
    told = capsys.readouterr().out
    assert told.count("No board is plugged in") == told.count(URL) == 1
    links = {"join": "http://192.168.1.5:8700/join", "pin": "123456", "guest": "x", "host": "y"}
    playing = {"number": 1, "state": "playing", "game": "control", "moves": 0, "board": "b1",
               "port": "/dev/ttyACM0", "url": URL}  # fmt: skip
    news({**playing, "links": None})
    news({**playing, "moves": 1, "links": None})
    assert capsys.readouterr().out.count("/dev/ttyACM0") == 1, "moves are not told"
    news({**playing, "links": links})
    told = capsys.readouterr().out
    assert links["join"] in told
    assert "123456" in told
