"""What an examination of a machine or a board found: how bad, and the cure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

GOOD, NOTE, BAD = "good", "note", "bad"
"""All is well; worth knowing; to be mended before play."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `id` and `said` are its sentence in the catalogue.

    `command` is what to type to mend it, "" when nothing is to be typed.
    """

    id: str
    level: str
    said: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""


def worst(findings: Iterable[Finding]) -> str:
    """The worst level among them.

    >>> worst([Finding("a", GOOD), Finding("b", NOTE)]), worst([])
    ('note', 'good')
    """
    levels = {finding.level for finding in findings}
    return BAD if BAD in levels else NOTE if NOTE in levels else GOOD
