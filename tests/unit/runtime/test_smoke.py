"""The smoke run looks at how the game stands, whenever it comes to look."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lumiban.errors import DiskFull, LumibanError
from lumiban.runtime import smoke
from lumiban.runtime.open_table import RunningTable


def sitting(outcome: dict[str, int] | None, no_room: str = "") -> RunningTable:
    """A table that tells nothing new: what happened, happened before somebody looked."""

    async def run() -> None:
        await asyncio.Event().wait()

    def watch(callback: Callable[[Any], None]) -> Callable[[], None]:
        return lambda: None

    line = SimpleNamespace(
        moves=[1, 2], link="up", verdict=SimpleNamespace(kind="agree"), prompt=None, outcome=outcome
    )
    history = SimpleNamespace(played=[1, 2])
    session = SimpleNamespace(
        match=SimpleNamespace(history=history), all_durable=not no_room, no_room=no_room
    )
    shell = SimpleNamespace(session=session, watch=watch, view=lambda: line, run=run)
    simulator = SimpleNamespace(pid=os.getpid())
    return cast(RunningTable, SimpleNamespace(shell=shell, simulator=simulator))


@pytest.fixture(autouse=True)
def patience_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoke, "STUCK_S", 0.001)


async def test_a_game_that_was_won_while_the_page_was_waited_for_has_ended() -> None:
    await smoke._until_finished(sitting({"winner": 0}))


async def test_a_game_in_which_nobody_moves_any_more_fails_the_run() -> None:
    with pytest.raises(LumibanError, match="no move any more: 2 moves"):
        await smoke._until_finished(sitting(None))


async def test_a_full_disk_is_told_and_not_waited_for() -> None:
    with pytest.raises(DiskFull, match="no space is left on the disk of /somewhere"):
        await smoke._until_finished(sitting(None, no_room="/somewhere"))


def test_a_disk_that_is_full_from_the_start_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.setattr(tempfile, "mkstemp", full)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert smoke.play_whole_game() == 1
    told = capsys.readouterr().err
    assert told.startswith("lumiban: smoke failed: no space is left on the disk of ")
    assert told.count("\n") == 1


@pytest.mark.parametrize("answer", ["200 OK\r\n\r\n{}", "500 Oops\r\n\r\n<html>", ""])
async def test_an_answer_that_is_no_page_fails_the_run(answer: str) -> None:
    with pytest.raises(LumibanError, match=r"no page|does not answer"):
        await answered_with(answer)


async def test_a_page_is_a_page() -> None:
    await answered_with("200 OK\r\n\r\n<!doctype html><HTML>")


async def answered_with(answer: str) -> None:
    """Look at a server that answers so, or hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.0 {answer}".encode() if answer else b"")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await smoke.look_at(f"http://127.0.0.1:{port}/")


async def test_the_page_is_asked_past_any_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    async with await asyncio.start_server(answer_once, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await smoke.look_at(f"http://127.0.0.1:{port}/")


async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.0 200 OK\r\n\r\n<html>")
    writer.close()
