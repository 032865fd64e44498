"""Whole journals of records."""

from __future__ import annotations

from collections.abc import Iterable

from lumiban.table.journal import VERSION, Chain, JournalRecord, Record


def lines(records: Iterable[Record | JournalRecord]) -> bytes:
    """A whole journal of these records, of the version that the first one says."""
    whole, chain = bytearray(), None
    for record in records:
        version = VERSION if isinstance(record, JournalRecord) else record.get("version", VERSION)
        one, chain = (chain or Chain(version)).next_line(record)
        whole += one
    return bytes(whole)
