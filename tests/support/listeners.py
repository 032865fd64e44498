"""What a process and its children listen on, as the kernel tells it (lan.md, test 1)."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from pathlib import Path

import psutil

LOOPBACK = {"127.0.0.1", "::1"}
TELLS = Path("/proc/net/tcp").exists()
"""Whether this machine tells who listens."""


def listeners(pid: int) -> list[str]:
    """The addresses on which a process or one of its children listens for TCP, or hears UDP."""
    inodes = set()
    own = psutil.Process(pid)
    for process in [own, *own.children(recursive=True)]:
        with suppress(OSError):  # it may end while it is looked at
            for fd in Path(f"/proc/{process.pid}/fd").iterdir():
                with suppress(OSError):
                    target = str(fd.readlink())
                    if target.startswith("socket:["):
                        inodes.add(target[8:-1])
    found = []
    for table, listens in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == listens and fields[9] in inodes:
                raw = bytes.fromhex(fields[1].split(":")[0])
                words = struct.unpack(f"<{len(raw) // 4}I", raw)
                family = socket.AF_INET if len(raw) == 4 else socket.AF_INET6
                found.append(socket.inet_ntop(family, struct.pack(f">{len(words)}I", *words)))
    return found
