"""The family of processors that kernels are compiled for, and what it has.

Compiled for the very processor that is found, kernels run nowhere else. So they are compiled for a
*family*, by LLVM's name for it: what one machine has compiled, or a package has brought, is as good
on each of the family. Where none of these fits, they are compiled for the one that is found, and
the family is "".
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

V3, V2, ARM = "x86-64-v3", "x86-64-v2", "aarch64"
FAMILIES = {V3: V3, V2: V2, ARM: "generic"}
"""By family, LLVM's name of the processor that all of it can do the work of."""
MACHINES = {V3: "x86_64", V2: "x86_64", ARM: "aarch64"}
"""By family, Linux's name of its machines."""
NAMED = "LUMIBAN_CPU"
"""Environment variable: who sets it chooses the family, or with "native" this very processor."""
_NEEDS = {
    V3: "abm avx avx2 bmi1 bmi2 cx16 f16c fma lahf_lm movbe popcnt sse4_1 sse4_2 ssse3 xsave",
    V2: "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
}
"""Flags that Linux reports for a processor of the family, the best family first."""
_SLOW_AMD = 25
"""Below this number of AMD's the bits of a word are laid down by a slow program of the chip's own,
up to 300 cycles: for those the lesser family is the better one."""


def family() -> str:
    """The family that this process compiles for."""
    named = os.environ.get(NAMED, "")
    if named:
        return "" if named == "native" else named
    return _looked_up()


@cache
def _looked_up() -> str:
    if sys.platform != "linux":
        return ""
    machine = os.uname().machine
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text("utf-8") if machine == "x86_64" else ""
    except OSError:
        cpuinfo = ""
    return family_of(machine, cpuinfo)


def family_of(machine: str, cpuinfo: str) -> str:
    r"""The family of a Linux machine by its name and what /proc/cpuinfo tells.

    >>> family_of("aarch64", "")
    'aarch64'
    >>> family_of("x86_64", "flags : fpu " + _NEEDS[V3])
    'x86-64-v3'
    >>> zen2 = "vendor_id : AuthenticAMD\ncpu family : 23\nflags : " + _NEEDS[V3]
    >>> family_of("x86_64", zen2), family_of("x86_64", "flags : fpu"), family_of("riscv64", "")
    ('x86-64-v2', '', '')
    """
    if machine == "aarch64":
        return ARM
    facts: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    flags = set(facts.get("flags", "").split())
    fitting = [name for name, needs in _NEEDS.items() if flags >= set(needs.split())]
    amd = facts.get("vendor_id") in ("AuthenticAMD", "HygonGenuine")
    if amd and int(facts.get("cpu family") or _SLOW_AMD) < _SLOW_AMD:
        fitting = fitting[-1:]
    return fitting[0] if fitting and machine == "x86_64" else ""


def lays_down_bits(name: str) -> bool:
    """True if processors of this family ("": this one) quickly deposit bits where another word has
    some."""
    return (name or _looked_up()) == V3
