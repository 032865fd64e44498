"""Rows as CSV, for spreadsheets and pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping


def csv_text(rows: Iterable[Mapping[str, object]]) -> str:
    r"""Rows under one head: every column that any of them has, in the order in which they come.

    What a row lacks, or has as None, is left empty.

    >>> csv_text([{"game": "a", "plies": 9}, {"game": "b, c", "winner": None, "full": 1}])
    'game,plies,winner,full\na,9,,\n"b, c",,,1\n'
    """
    known = [*rows]
    out = io.StringIO()
    columns = dict.fromkeys(name for row in known for name in row)
    writer = csv.DictWriter(out, [*columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(known)
    return out.getvalue()
