"""Entry point of a table's process: it is copied for the page before the table's imports.

python -m lumiban.service.table_start ORDER
"""

from __future__ import annotations

import json
import sys

from lumiban import copies

SIMULATOR = "sim"
"""The board of a table on a simulated one, as `runtime.setup` has it."""


def main(arguments: list[str]) -> None:
    """Serve the table of an order, as JSON."""
    words = arguments[0]
    # Page, which games fit the board, and simulator.
    copies.prepare(3 if json.loads(words).get("board") == SIMULATOR else 2)
    from lumiban.service import table_process

    table_process.main(words)


if __name__ == "__main__":
    main(sys.argv[1:])
