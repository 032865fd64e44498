"""The version of lumiban-hardware and pytest-lumiban: that of `lumiban.__version__`, which they are
released with and need. hatchling asks this file (`tool.hatch.metadata.hooks.custom`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

HOST = Path(__file__).resolve().parents[1] / "host"


class OneVersion(MetadataHookInterface):
    """Metadata of a distribution that goes with lumiban."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the version, and the dependencies: lumiban of this version, and those of `needs`."""
        text = (HOST / "lumiban" / "__init__.py").read_text("utf-8")
        (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
        metadata["version"] = version
        metadata["dependencies"] = [f"lumiban=={version}", *self.config.get("needs", ())]
