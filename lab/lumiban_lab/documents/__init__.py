"""Generators of what documents draw and count; `./run docs` runs them, tests compare."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The checkout."""
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
