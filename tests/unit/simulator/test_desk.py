"""The sim process: a real pty, a real WebSocket, real time; waits only for what must come."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tty
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards.messages import packed, unpack_events, unpacked
from lumiban.boards.profile import load
from lumiban.system import processes
from lumiban.system.processes import RunningSimulator
from lumiban_fw import wire
from lumiban_sim.__main__ import main
from lumiban_sim.descriptor import path_of, running
from lumiban_sim.desk import Desk
from lumiban_sim.faults import parse
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

PROFILE = load("hex3")
WHITE, BLACK = 1, 2
Message = dict[str, Any]


class Port:
    """The host's end of the pty, opened anew like a serial port."""

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.fd)
        self.frames: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()
        self._decoder = wire.Decoder()
        asyncio.get_running_loop().add_reader(self.fd, self._read)

    def _read(self) -> None:
        for kind, _, _, _, payload in self._decoder.feed(os.read(self.fd, 4096)):
            self.frames.put_nowait((kind, payload))

    def send(self, kind: int, payload: bytes = b"") -> None:
        os.write(self.fd, b"\0" + wire.frame(kind, payload))

    async def wait(self, kind: int, fits: Callable[[bytes], bool] = lambda _: True) -> bytes:
        while True:
            got, payload = await self.frames.get()
            if got == kind and fits(payload):
                return payload

    async def greet(self, session: int) -> Any:
        self.send(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session))
        payload = await self.wait(
            wire.B_HELLO, lambda got: unpacked(wire.B_HELLO, got).fields[9] == session
        )
        return unpacked(wire.B_HELLO, payload).fields

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.fd)
        os.close(self.fd)


@asynccontextmanager
async def desk_running(tmp_path: Path, **options: Any) -> AsyncIterator[Desk]:
    async with served(Desk(PROFILE, seed=1, state=tmp_path, **options)) as desk:
        yield desk


@asynccontextmanager
async def served(desk: Desk) -> AsyncIterator[Desk]:
    serving = asyncio.create_task(desk.run())
    try:
        await desk.ready.wait()
        yield desk
    finally:
        desk.stop()
        await serving


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_running(tmp_path) as running_desk:
        yield running_desk


def address(desk: Desk) -> str:
    assert desk.descriptor is not None
    return desk.descriptor.hands


async def tell(line: ClientConnection, **message: object) -> None:
    await line.send(json.dumps(message))


async def wait(line: ClientConnection, fits: Callable[[Message], bool]) -> Message:
    while True:
        message: Message = json.loads(await line.recv())
        if fits(message):
            return message


def of(kind: str) -> Callable[[Message], bool]:
    return lambda message: bool(message["type"] == kind)


async def test_a_stone_placed_over_the_socket_is_an_event_on_the_port(desk: Desk) -> None:
    port = Port(desk.line.path)
    async with connect(address(desk)) as line:
        told = await port.greet(77)
        assert told[7] == desk.rig.chip.uid
        await tell(line, do="place", cell=4, kind=BLACK)
        payload = await port.wait(wire.B_EVENTS)
        _, _, _, events = unpack_events(payload)
        assert [(cell, kind) for cell, kind, _, _ in events] == [(4, BLACK)]
        world = await wait(line, lambda m: m["type"] == "world" and any(m["kinds"]))
        assert world["profile"] == "hex3"
        assert world["kinds"][4] == BLACK
    port.close()


async def test_light_comes_to_the_page_as_it_shines(desk: Desk) -> None:
    async with connect(address(desk)) as line:
        await tell(line, do="place", cell=9, kind=WHITE)
        at = 6 * PROFILE.cells[9].light
        # Nobody has greeted the board: it glows by what it senses.
        light = await wait(
            line, lambda m: m["type"] == "light" and m["rgb"][at : at + 6] != "000000"
        )
    assert len(light["rgb"]) == 6 * PROFILE.lights


async def test_a_dragged_stone_is_seen_felt_and_dropped(desk: Desk) -> None:
    cell = PROFILE.cells[9]
    async with connect(address(desk)) as line, connect(address(desk)) as other:
        await tell(line, do="field", on=True)
        await tell(line, do="grab", hand="h1", kind=WHITE)
        await tell(line, do="carry", hand="h1", x=cell.x_mm, y=cell.y_mm, h=12)
        near = lambda m: m["type"] == "hands" and m["hands"] and m["hands"][0]["h"] == 12  # noqa: E731
        mine, theirs = await wait(line, near), await wait(other, near)
        assert mine["hands"][0]["hand"] == "h1"
        assert theirs["hands"][0]["hand"] != "h1"
        felt = await wait(line, lambda m: m["type"] == "field" and m["ut"][9] > 1000)
        assert len(felt["ut"]) == len(PROFILE.cells)
        await tell(line, do="drop", hand="h1")
        world = await wait(line, lambda m: m["type"] == "world" and any(m["kinds"]))
        assert world["kinds"].index(WHITE) == 9


async def test_who_closes_the_page_lets_go(desk: Desk) -> None:
    cell = PROFILE.cells[2]
    async with connect(address(desk)) as watching:
        async with connect(address(desk)) as line:
            await tell(line, do="grab", hand="h", kind=BLACK)
            await tell(line, do="carry", hand="h", x=cell.x_mm, y=cell.y_mm, h=15)
            # One message may tell of both.
            held = lambda m: m["type"] == "hands" and m["hands"] and m["hands"][0]["h"] == 15  # noqa: E731
            await wait(line, held)
        world = await wait(watching, lambda m: m["type"] == "world" and any(m["kinds"]))
        assert world["kinds"][2] == BLACK


async def test_a_button_reaches_the_port(desk: Desk) -> None:
    port = Port(desk.line.path)
    async with connect(address(desk)) as line:
        await port.greet(3)
        await tell(line, do="button", button=241, down=True)
        _, _, _, events = unpack_events(await port.wait(wire.B_EVENTS))
        assert events[0][0] == 241
    port.close()


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "no json",
        "[]",
        '{"do": "fly"}',
        '{"do": "place", "cell": 19, "kind": 1}',
        '{"do": "place", "cell": 3, "kind": 7}',
        '{"do": "place", "cell": "a1", "kind": 1}',
        '{"do": "grab", "hand": "h"}',
        '{"do": "grab", "hand": "h", "kind": 1, "cell": 2}',
        '{"do": "carry", "hand": "h", "x": 1e99, "y": 0, "h": 0}',
        '{"do": "lift", "cell": 1, "extra": 1}',
        '{"do": "button", "button": 3, "down": true}',
        "[" * 900,
    ],
)
async def test_a_bad_message_is_answered_and_changes_nothing(desk: Desk, bad: str) -> None:
    async with connect(address(desk)) as line:
        await line.send(bad)
        answer = await wait(line, of("error"))
        assert answer["text"]["id"] == "hands.message"
        assert desk.rig.hands.idle
        await tell(line, do="lift", cell=3)
        answer = await wait(line, of("error"))
        assert answer["text"] == {
            "id": "hands.empty",
            "params": {"cell": PROFILE.grid.name(3)},
        }


async def test_errors_of_hands_have_sentences(desk: Desk) -> None:
    from lumiban.i18n import text

    async with connect(address(desk)) as line:
        await tell(line, do="drop", hand="h")
        answer = await wait(line, of("error"))
    assert text(answer["text"]["id"], "en", **answer["text"]["params"])


async def test_no_more_hands_and_errands_than_fit(desk: Desk) -> None:
    async with connect(address(desk)) as line:
        for n in range(17):
            await tell(line, do="grab", hand=f"h{n}", kind=WHITE)
        crowded = await wait(line, of("error"))
        assert crowded["text"]["id"] == "hands.crowded"
    async with connect(address(desk)) as line:
        for n in range(40):
            await tell(line, do="place", cell=n % 19, kind=WHITE)
        busy = await wait(line, of("error"))
        assert busy["text"]["id"] == "hands.busy"


@pytest.mark.parametrize(
    ("change", "headers", "status"),
    [
        (lambda url: url.split("?")[0], {}, 403),
        (lambda url: url[:-1] + "!", {}, 403),
        (lambda url: url.replace("/hands", "/other"), {}, 404),
        (lambda url: url, {"Origin": "http://evil.example"}, 403),
        (lambda url: url, {"Origin": "null"}, 403),
    ],
)
async def test_strangers_stay_outside(
    desk: Desk, change: Callable[[str], str], headers: dict[str, str], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with connect(change(address(desk)), additional_headers=headers):
            pass
    assert refused.value.response.status_code == status


@pytest.mark.parametrize("hosts", [[], ["evil.example"], ["127.0.0.1", "evil.example"]])
async def test_another_name_for_this_machine_is_refused(desk: Desk, hosts: list[str]) -> None:
    lines = [f"GET /hands?token={desk.door.token} HTTP/1.1", *(f"Host: {host}" for host in hosts)]
    lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    lines += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    reader, writer = await asyncio.open_connection("127.0.0.1", desk.door.port)
    writer.write("\r\n".join([*lines, "", ""]).encode())
    answer = await reader.readline()
    writer.close()
    assert answer.split()[1] in (b"403", b"400")


async def test_garbage_at_the_door_is_not_printed(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", desk.door.port)
    writer.write(b"\x16\x03\x01 no http\r\n\r\n")
    await reader.read()
    writer.close()
    assert capfd.readouterr() == ("", "")


async def test_a_page_of_this_machine_may_come(desk: Desk) -> None:
    async with connect(address(desk), origin="http://127.0.0.1:8123") as line:  # type: ignore[arg-type]  # Origin is a NewType of str
        await wait(line, of("world"))


async def test_nobody_listening_blocks_nothing(desk: Desk) -> None:
    port = Port(desk.line.path)
    await port.greet(1)
    asyncio.get_running_loop().remove_reader(port.fd)  # the host hangs
    while desk.line.room() > 0:
        desk.line.write(bytes(min(256, desk.line.room())))
    async with connect(address(desk)) as line:
        await tell(line, do="place", cell=4, kind=BLACK)
        world = await wait(line, lambda m: m["type"] == "world" and any(m["kinds"]))
        assert world["kinds"][4] == BLACK
    asyncio.get_running_loop().add_reader(port.fd, port._read)
    _, _, _, events = unpack_events(await port.wait(wire.B_EVENTS))
    assert events[0][0] == 4
    port.close()


async def test_a_planned_unplugging_brings_the_board_back_under_another_name(
    tmp_path: Path,
) -> None:
    plan = parse("at 0s for 100ms unplug", PROFILE)
    desk = Desk(PROFILE, seed=1, state=tmp_path, by_id=tmp_path / "by-id", plan=plan)
    back, faults = asyncio.Event(), desk.rig.faults
    assert faults is not None

    def plug(plugged: bool) -> None:
        desk.plug(plugged)
        if plugged:
            back.set()

    faults.plug = plug
    async with served(desk):
        await back.wait()
        (link,) = (tmp_path / "by-id").iterdir()
        assert link.name.endswith("-if01")
        assert str(link.readlink()) == desk.line.path
    assert not list((tmp_path / "by-id").iterdir())


async def test_the_descriptor_lives_as_long_as_the_desk(tmp_path: Path) -> None:
    async with desk_running(tmp_path) as desk:
        (found,) = running(tmp_path)
        assert found == desk.descriptor
        assert Path(found.port).exists()
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_descriptors_of_the_dead_are_cleared_away_whoever_has_their_number_now(
    tmp_path: Path,
) -> None:
    note = RunningSimulator("/dev/pts/9", "ws://", "hex3", "ff", os.getpid())
    path = path_of(tmp_path, note)
    file = processes.put(path, note)
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    assert running(tmp_path) == [note]
    os.close(file)  # as when its process ends, or the machine
    (tmp_path / "simulator-1x.json").write_text("torn")
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


async def test_a_board_that_has_begun_again_elsewhere_keeps_its_link(tmp_path: Path) -> None:
    desk = Desk(PROFILE, seed=1, state=tmp_path, by_id=tmp_path / "by-id")
    serving = asyncio.create_task(desk.run())
    await desk.ready.wait()
    (link,) = (tmp_path / "by-id").iterdir()
    link.unlink()
    link.symlink_to("/dev/pts/of-the-next")
    desk.stop()
    await serving
    assert str(link.readlink()) == "/dev/pts/of-the-next"


@pytest.mark.process
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_process_says_where_it_is_and_ends_quietly(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--seed", "4"]
    with subprocess.Popen(
        [*command, "--state", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            told = json.loads(process.stdout.readline())
            assert told["pid"] == process.pid
            assert list(told) == [field.name for field in fields(RunningSimulator)]
            assert json.loads(next(tmp_path.glob("simulator-*.json")).read_text()) == told
            process.send_signal(how)
            assert process.communicate() == (b"", b"")
            assert process.returncode == 0
        finally:
            process.kill()  # else what is wrong above would wait for its end for ever
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_profile_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", "hex99", "--state", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert "hex99" in said
    assert said.count("\n") == 1


@pytest.mark.process
async def test_a_taken_port_is_one_line(desk: Desk, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3"]
    process = await asyncio.create_subprocess_exec(
        *command,
        *("--state", str(tmp_path / "other"), "--hands-port", str(desk.door.port)),
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    assert process.returncode == 3
    assert said.count(b"\n") == 1
    assert b"Traceback" not in said


async def test_what_breaks_inside_ends_the_desk_and_is_written_down(tmp_path: Path) -> None:
    desk = Desk(PROFILE, seed=1, state=tmp_path)
    serving = asyncio.create_task(desk.run())
    await desk.ready.wait()
    try:
        raise ZeroDivisionError("an unlikely firmware")
    except ZeroDivisionError as error:
        desk.fail({"exception": error})
    await serving
    assert isinstance(desk.failed, ZeroDivisionError)
    assert "an unlikely firmware" in (tmp_path / "simulator.log").read_text()
