"""Kits: `lumiban hardware`, which makes the boards, parts and drawings of a kit."""

from __future__ import annotations

from lumiban.invocation import Command

HARDWARE = Command(
    "lumiban_hardware.commands:app",
    "Generate and check the boards, parts and drawings of a kit.",
)
