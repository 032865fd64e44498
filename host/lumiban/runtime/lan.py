"""A table on a network as its terminal has it: which address it takes, and the links it prints."""

from __future__ import annotations

import re
import socket
import ssl
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import ifaddr

from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text, texts
from lumiban.system.terminal import say
from lumiban.table.requests import HOST, seat
from lumiban.web.access import GUEST, secret_of
from lumiban.web.admission import link_of
from lumiban.web.page_process import Network, PageProcess

AUTO = "auto"
"""Value of `--lan` without an address."""
RENEW = "new"
"""Word that is typed at the terminal for new links."""


FAR = ((socket.AF_INET, "203.0.113.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses beyond any network (RFC 5737, RFC 3849): the default route leads there. Nothing is sent
to them."""
NET = Path("sys/class/net")
VIRTUAL = re.compile(
    r"(docker|br-|virbr|veth|lxc|lxd|cni|podman|vmnet|vboxnet|bridge|tun|tap|utun|wg|tailscale|zt)"
)
"""Prefixes of the names of bridges and tunnels, where the system says nothing else of them."""


@dataclass(frozen=True)
class Interface:
    """An address of this machine, and what it is plugged into. `is_way_out` if the default route
    leads through it; `is_real` False of bridges among containers and of tunnels, behind which
    nobody sits at the table."""

    address: str
    name: str
    is_way_out: bool = False
    is_real: bool = True


def interfaces(system: Path = Path("/")) -> list[Interface]:
    """All addresses of this machine."""
    ways_out = {_source(family, there) for family, there in FAR}
    listed: list[Interface] = []
    for adapter in ifaddr.get_adapters():
        name = adapter.nice_name
        addresses = [ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips]
        is_way_out = not ways_out.isdisjoint(addresses)
        is_real = is_adapter(name, system, has_route=is_way_out)
        listed += [Interface(address, name, is_way_out, is_real) for address in addresses]
    return listed


def _source(family: socket.AddressFamily, there: str) -> str:
    """Our address on the way to another one; "" where none leads there."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as line:
        line.connect((there, 9))
        return str(line.getsockname()[0])
    return ""


def is_adapter(name: str, system: Path, *, has_route: bool) -> bool:
    """True if people can sit behind an adapter: a piece of hardware, or another interface that
    carries the default route and is no tunnel (a bridge over a cable, a container's end of one)."""
    folder = system / NET / name
    if not folder.exists():
        return VIRTUAL.match(name) is None
    if (folder / "device").exists():
        return True
    try:
        is_ethernet = (folder / "type").read_text("ascii").strip() == "1"
    except OSError:
        is_ethernet = False
    return has_route and is_ethernet and not (folder / "tun_flags").exists()


def chosen(wish: str, there: Sequence[Interface]) -> list[str]:
    """The addresses to serve on, that of the default route first; those of IPv6 where there are no
    others. UsageError says which there are.

    >>> wlan, wire = Interface("192.168.1.5", "wlan0"), Interface("10.0.0.7", "eth0", True)
    >>> docker = Interface("172.17.0.1", "docker0", is_real=False)
    >>> chosen("auto", [docker, wlan, wire]), chosen("172.17.0.1", [docker, wlan])
    (['10.0.0.7', '192.168.1.5'], ['172.17.0.1'])
    """
    if wish != AUTO:
        return [_named(wish, there)]
    usual = [one for one in there if _is_usual(one.address) and one.is_real]
    if not usual:
        raise _wrong("cli.lan.none")
    least = min(ip_address(one.address).version for one in usual)
    usual = [one for one in usual if ip_address(one.address).version == least]
    usual.sort(key=lambda one: not one.is_way_out)
    return [one.address for one in usual[:MAX_ADDRESSES]]


MAX_ADDRESSES = 2
"""Addresses that a table is served on at once: a cable and a Wi-Fi."""


def _named(wish: str, there: Sequence[Interface]) -> str:
    try:
        address = ip_address(wish)
    except ValueError:
        raise _wrong("cli.lan.no-address", wish=wish[:60], known=_listed(there)) from None
    if address.is_unspecified:
        raise _wrong("cli.lan.all", known=_listed(there))
    if not any(ip_address(one.address.partition("%")[0]) == address for one in there):
        raise _wrong("cli.lan.not-here", wish=wish, known=_listed(there))
    return str(address)


def _is_usual(address: str) -> bool:
    ip = ip_address(address.partition("%")[0])
    return not (ip.is_loopback or ip.is_link_local)


def _listed(there: Sequence[Interface]) -> str:
    usual = [one for one in there if not ip_address(one.address.partition("%")[0]).is_link_local]
    return ", ".join(f"{one.address} ({one.name})" for one in usual) or "–"


def _wrong(id: str, **params: str) -> UsageError:
    return UsageError(text(id, terminal_language(), **params))


def network(wish: str, certificate: Path | None, key: Path | None) -> Network:
    """Return where to serve; UsageError: no such address, or a certificate and key that are
    unusable."""
    if (certificate is None) != (key is None):
        raise _wrong("cli.lan.half-tls")
    if certificate is not None and key is not None:
        _try_tls(certificate, key)
    address, *others = chosen(wish, interfaces())
    return Network(address, certificate, key, others=tuple(others))


def _try_tls(certificate: Path, key: Path) -> None:
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise _wrong("cli.lan.no-file", path=str(path), reason=str(error.strerror)) from None

    def locked() -> str:
        raise _wrong("cli.lan.locked-key", path=str(key))

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, locked)
    except (ssl.SSLError, ValueError, OSError) as error:
        reason = getattr(error, "reason", None) or str(error)
        files = {"certificate": str(certificate), "key": str(key)}
        raise _wrong("cli.lan.bad-tls", **files, reason=str(reason)) from None


class LinksPrinter:
    """Prints the links of a table on a network, and makes new ones when asked at the terminal."""

    def __init__(self, page: PageProcess, sides: Sequence[str]) -> None:
        self._page = page
        self._sides = sides
        page.renewed = self.renewed
        page.named = self.named

    def tell(self) -> None:
        """Print address, PIN, code and links."""
        kept, url = self._page.kept, self._page.network_url
        assert kept is not None
        guest = link_of(url, secret_of(kept, GUEST))
        say("cli.lan.join", indent=2, url=f"{url}join", pin=kept.pin)
        if sys.stdout.isatty():
            self._draw(guest)
        say("cli.lan.guest", indent=2, url=guest)
        known = texts(terminal_language())
        for side, name in enumerate(self._sides):
            link = link_of(url, secret_of(kept, seat(side)))
            say("cli.lan.seat", indent=2, side=known.get(f"side.{name}", name), url=link)
        say("cli.lan.host", indent=2, url=link_of(url, secret_of(kept, HOST)))
        if not url.startswith("https"):
            say("cli.lan.open", indent=2)
        if sys.stdin.isatty():
            say("cli.lan.renew", indent=2, word=RENEW)

    def heard(self, line: str) -> None:
        """Somebody typed a line."""
        if line.strip().lower() == RENEW:
            self._page.renew()
            self.renewed()

    def renewed(self) -> None:
        """There are new links."""
        say("cli.lan.renewed", indent=2)
        self.tell()

    def named(self, url: str) -> None:
        """The network finds the table by a name, or by none."""
        if url:
            say("cli.lan.named", indent=2, url=f"{url}join")
        else:
            say("cli.lan.unnamed", indent=2, url=self._page.network_url)

    def _draw(self, url: str) -> None:
        from lumiban.web import qr

        print()
        for line in qr.lines(url):
            # Black on white whatever the terminal's own colours are: readers want it so.
            print(f"  \x1b[38;5;16m\x1b[48;5;231m{line}\x1b[0m")
        print()
