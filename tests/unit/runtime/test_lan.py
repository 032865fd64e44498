"""A table on a network as its command has it: its address, what listens, what it prints."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import patience
import pytest
from each import each
from listeners import LOOPBACK, TELLS, listeners
from lumiban.cli.play import network
from lumiban.errors import UsageError
from lumiban.runtime.lan import (
    RENEW,
    Interface,
    LinksPrinter,
    chosen,
    interfaces,
    is_adapter,
)
from lumiban.web import qr
from lumiban.web.access import new_secrets

LO, WLAN, WIRE = (
    Interface("127.0.0.1", "lo"),
    Interface("192.168.1.5", "wlan0"),
    Interface("10.0.0.7", "eth0"),
)
LOCAL = [LO, Interface("::1", "lo"), Interface("fe80::1%2", "wlan0")]


# Which address.


def test_on_a_network_of_ipv6_alone_its_address_is_served() -> None:
    alone = Interface("fd00::2", "eth0")
    assert chosen("auto", [*LOCAL, alone]) == ["fd00::2"]
    assert chosen("auto", [*LOCAL, alone, WLAN]) == [WLAN.address]


@pytest.mark.process
def test_in_a_network_namespace_of_ipv6_alone_a_table_finds_its_address() -> None:
    """By the kernel: an interface in a namespace of its own, with a route and no IPv4."""
    lays = (
        "ip link set lo up && ip link add eth9 type veth peer name far && ip link set far up && "
        "ip -6 addr add fd00:9::5/64 dev eth9 nodad && ip link set eth9 up && "
        "ip -6 route add default via fd00:9::1 dev eth9"
    )
    asks = (
        "from lumiban.runtime import lan; from lumiban.web.serve import free_socket, url_of; "
        "print(url_of(free_socket(lan.network('auto', None, None).address, 0)))"
    )
    words = ["unshare", "-rn", "sh", "-c", f'{lays} || exit 77; exec "$0" -c "$1"']
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    done = patience.run([*words, sys.executable, asks])
    if done.returncode in (1, 77) and "lumiban" not in done.stderr:
        pytest.skip("no network namespaces here")
    assert done.stdout.startswith("http://[fd00:9::5]:"), done.stderr


def network_of(root: Path) -> None:
    """A machine's /sys: wlan0 and eth0 are hardware, docker0 a bridge, wg0 a tunnel, tap0 one that
    looks like Ethernet, br0 a bridge."""
    for name, kind in (
        ("wlan0", 1),
        ("eth0", 1),
        ("docker0", 1),
        ("br0", 1),
        ("tap0", 1),
        ("wg0", 65534),
    ):
        folder = root / "sys/class/net" / name
        folder.mkdir(parents=True)
        (folder / "type").write_text(f"{kind}\n")
        if name in ("wlan0", "eth0"):
            (folder / "device").mkdir()
    (root / "sys/class/net/tap0/tun_flags").write_text("0x1002\n")


@pytest.mark.parametrize(
    ("way_out", "real"),
    [
        ("wlan0", {"wlan0", "eth0"}),
        ("", {"wlan0", "eth0"}),
        ("br0", {"wlan0", "eth0", "br0"}),
        ("wg0", {"wlan0", "eth0"}),
        ("tap0", {"wlan0", "eth0"}),
    ],
)
def test_bridges_and_tunnels_are_no_networks_of_people_unless_a_bridge_carries_the_route(
    tmp_path: Path, way_out: str, real: set[str]
) -> None:
    network_of(tmp_path)
    names = [path.name for path in (tmp_path / "sys/class/net").iterdir()]
    told = {name for name in names if is_adapter(name, tmp_path, has_route=name == way_out)}
    assert told == real


def test_with_docker_beside_a_wi_fi_the_wi_fi_alone_is_served() -> None:
    docker = Interface("172.17.0.1", "docker0", is_real=False)
    assert chosen("auto", [*LOCAL, docker, replace(WLAN, is_way_out=True)]) == [WLAN.address]
    assert chosen(docker.address, [docker, WLAN]) == [docker.address], "who names it gets it"
    with pytest.raises(UsageError, match="no network"):
        chosen("auto", [*LOCAL, docker])


@each(
    ("wish", "there", "says"),
    [
        ("auto", LOCAL, "on no network"),
        ("0.0.0.0", [*LOCAL, WLAN], "one address, not all"),
        ("::", [*LOCAL, WLAN], "one address, not all"),
        ("192.168.1.6", [*LOCAL, WLAN], "not an address of this machine"),
        ("wlan0", [*LOCAL, WLAN], "is not an address"),
        ("wlan0", [*LOCAL, WLAN], r"127\.0\.0\.1 \(lo\), ::1 \(lo\), 192\.168\.1\.5 \(wlan0\)"),
        ("wlan0", LOCAL[2:], "–"),
    ],
)
def test_an_address_that_cannot_be_taken_is_a_sentence_that_names_those_there_are(
    wish: str, there: list[Interface], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        chosen(wish, there)


def test_this_machine_s_own_interfaces_are_found() -> None:
    assert "127.0.0.1" in {one.address for one in interfaces()}


def test_certificate_and_key_that_cannot_serve_are_sentences(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    with pytest.raises(UsageError, match="belong together"):
        network(["127.0.0.1"], wrong, None)
    with pytest.raises(UsageError, match="cannot be used for TLS"):
        network(["127.0.0.1"], wrong, wrong)
    with pytest.raises(UsageError, match="cannot be read"):
        network(["127.0.0.1"], tmp_path / "none.pem", wrong)
    with pytest.raises(UsageError, match="are for --lan"):
        network(None, wrong, wrong)
    assert network(None, None, None) is None


# What is printed.


class Page:
    """What the printer needs of a served page."""

    network_url = "http://192.168.1.5:8700/"

    def __init__(self) -> None:
        self.kept = new_secrets()

    def renew(self) -> None:
        self.kept = new_secrets()


def test_a_name_on_the_network_is_told_or_that_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    links = LinksPrinter(Page(), ["white", "black"])  # type: ignore[arg-type]  # no process
    links.named("http://lumiban.local:8700/")
    assert capsys.readouterr().out.split()[-1] == "http://lumiban.local:8700/join"
    links.named("")
    said = " ".join(capsys.readouterr().out.split())
    assert "No name on the network" in said
    assert said.endswith(Page.network_url)


def test_on_a_terminal_phones_find_a_code_and_who_types_the_word_that_makes_new_links(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Page()
    links = LinksPrinter(page, ["white", "black"])  # type: ignore[arg-type]  # no process
    for is_one in (True, False):
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_one=is_one: is_one, raising=False)
        monkeypatch.setattr(sys.stdin, "isatty", lambda is_one=is_one: is_one, raising=False)
        links.tell()
        told = capsys.readouterr().out
        guest = next(word for word in told.split() if "/k/" in word)
        rows = [line for line in told.splitlines() if "\x1b[48;5;231m" in line]
        assert [row.split("m", 2)[2].removesuffix("\x1b[0m") for row in rows] == (
            list(qr.lines(guest)) if is_one else []
        )
        assert (f" {RENEW} " in told.replace("“", " ").replace("”", " ")) == is_one


# What listens.


@pytest.mark.process
@pytest.mark.skipif(not TELLS, reason="no /proc here")
@pytest.mark.parametrize(
    ("words", "at_least"),
    [
        (["play", "control", "-o", "size=3", "--profile", "hex3", "--no-browser"], 1),
        (["demo", "--no-browser"], 1),
        (["sim", "--profile", "hex3"], 1),
    ],
    ids=["play", "demo", "sim"],
)
async def test_without_lan_nothing_listens_but_loopback(
    tmp_path: Path, words: list[str], at_least: int
) -> None:
    port = ["--port", "0"] if words[0] != "sim" else []
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lumiban", *words, *port),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "LUMIBAN_HOME": str(tmp_path), "LUMIBAN_LANG": "en"},
    )
    try:
        assert process.stdout is not None
        said = ""
        while "127.0.0.1" not in said:
            line = await process.stdout.readline()
            assert line, said
            said += line.decode()
        found = listeners(process.pid)
    finally:
        process.terminate()
        await process.communicate()
    assert len(found) >= at_least
    assert set(found) <= LOOPBACK
