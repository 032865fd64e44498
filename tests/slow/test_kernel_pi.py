"""The header's driver on Debian's own kernel in an emulator: gpio-sim's pins, spidev over a
parallel port, expanders over USB/IP. The first run in a folder downloads 235 MB."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

HERE = ROOT / "tests" / "support" / "kernel_pi"
FOLDER = os.environ.get("LUMIBAN_KERNEL_PI", "")
LACKING = [
    name
    for name in ("qemu-system-x86_64", "modprobe", "cpio", "make", "gcc-12", "xz")
    if not shutil.which(name)
]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not FOLDER, reason="LUMIBAN_KERNEL_PI names no folder for the machine"),
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]
CLAIMS = re.findall(r"@claim\ndef (\w+)", (HERE / "trial.py").read_text())
LIGHTS = 64


@pytest.fixture(scope="module")
def machine() -> Path:
    """The folder of a machine that has run its trial."""
    folder = Path(FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["sh", HERE / "machine.sh", folder], check=True, stdout=sys.stderr)
    return folder


@pytest.mark.parametrize("claim", CLAIMS)
def test_on_a_real_kernel(machine: Path, claim: str) -> None:
    said = (machine / "out").read_text(errors="replace").replace("\r", "")
    assert f"CLAIM {claim} holds" in said, said[-4000:]
    assert f"CLAIM {claim} fails" not in said, said[-4000:]


def selections(trace: str) -> list[str]:
    """Bits that went over SPI in each selection, as the butterfly adapter wires a parallel port:
    data on D7 as the clock on D0 rises, selected by the control port's bit 3."""
    out, bits, clock, select = [], "", 0, 0
    for at, value in re.findall(r"addr 0x0([02]) val 0x(\w+)", trace):
        now = int(value, 16)
        if at == "0":
            bits += str(now >> 7) if now & ~clock & 1 else ""
            clock = now
        else:
            if (now ^ select) & 8 and bits:
                out.append(bits)
                bits = ""
            select = now
    return out


def test_the_picture_on_the_wire_is_a_ws2812_s(machine: Path) -> None:
    pictures = []
    for bits in selections((machine / "wire").read_text()):
        highs = [len(high) for high in re.findall("1+", bits)]
        if len(highs) == LIGHTS * 24:
            levels = [
                sum((high > 2) << 7 - n for n, high in enumerate(highs[8 * k : 8 * k + 8]))
                for k in range(3 * LIGHTS)
            ]
            pictures.append(
                [(levels[n + 1], levels[n], levels[n + 2]) for n in range(0, 3 * LIGHTS, 3)]
            )
    meant = bytes(range(3, 195))
    dark = [(0, 0, 0)] * LIGHTS
    assert pictures == [dark, [tuple(meant[n : n + 3]) for n in range(0, 192, 3)], dark]
