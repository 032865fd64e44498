"""Scripts outside the packages, imported by their path: of docs, of packaging, of the lint."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def module_of(path: Path, name: str = "") -> ModuleType:
    """The script's module, made anew; known by its file's name where none is given."""
    spec = importlib.util.spec_from_file_location(name or path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for their own
    spec.loader.exec_module(module)
    return module
