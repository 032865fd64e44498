"""Lab that measures lumiban and wears it out; no part of what is installed."""

from __future__ import annotations

from lumiban.invocation import Command

BENCH = Command("lumiban_lab.commands:app", "Measure this machine: a stone's latency, the bots.")
