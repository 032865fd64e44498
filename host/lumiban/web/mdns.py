"""Name of the table on its network by mDNS, such as `lumiban.local`, where the package zeroconf is
installed; without it the table is reached by its address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from typing import Any

NAMES = ("lumiban.local", *(f"lumiban-{n}.local" for n in range(2, 10)))
"""The first that no other machine has is taken."""
ASKED_MS = 1000
"""Time in ms that other machines may take to say that a name is theirs."""
STARTED_S = 15.0


@asynccontextmanager
async def named_on(address: str, port: int) -> AsyncIterator[str]:
    """Announce a name for this address until the block ends; yields "" where there is none: without
    zeroconf, without multicast, or when all names are taken."""
    try:
        from zeroconf import Error
        from zeroconf.asyncio import AsyncZeroconf
    except ImportError:
        yield ""
        return
    if ip_address(address).is_loopback:
        yield ""
        return
    zeroconf, name = None, ""
    try:
        async with asyncio.timeout(STARTED_S):
            zeroconf = AsyncZeroconf(interfaces=[address])
            name = await _free_name(zeroconf, address)
            if name:
                await _register(zeroconf, name, address, port)
    except (OSError, TimeoutError, Error, AssertionError, RuntimeError):
        # A RuntimeError is how zeroconf says that no adapter has this address any more.
        name = ""
    try:
        yield name
    finally:
        if zeroconf is not None:
            with suppress(OSError, TimeoutError, Error):
                await zeroconf.async_close()


async def _free_name(zeroconf: Any, address: str) -> str:
    from zeroconf import AddressResolver

    for name in NAMES:
        asked = AddressResolver(f"{name}.")
        await asked.async_request(zeroconf.zeroconf, ASKED_MS)
        if set(asked.parsed_addresses()) <= {address}:
            return name
    return ""


async def _register(zeroconf: Any, name: str, address: str, port: int) -> None:
    from zeroconf.asyncio import AsyncServiceInfo

    kind = "_http._tcp.local."
    info = AsyncServiceInfo(
        kind,
        f"lumiban {port}.{kind}",
        addresses=[ip_address(address).packed],
        port=port,
        server=f"{name}.",
        properties={"path": "/join"},
    )
    await (await zeroconf.async_register_service(info, allow_name_change=True))
