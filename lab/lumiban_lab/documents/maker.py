"""Fills the maker's guide: the numbers and tables of its pages, and its pictures.

`./run docs` writes them; a test makes them again and compares. What makes them is lumiban_hw.guide.
"""

from __future__ import annotations

import sys

from lumiban_hw.guide.pages import write

from lumiban_lab.documents import DOCS

if __name__ == "__main__":
    write(DOCS)
    sys.exit(0)
