"""Whole journals of records."""

from __future__ import annotations

from collections.abc import Iterable

from lumiban.table.journal import Chain, JournalRecord, Record


def lines(records: Iterable[Record | JournalRecord]) -> bytes:
    """A whole journal of these records."""
    chain, whole = Chain(), bytearray()
    for record in records:
        one, chain = chain.next_line(record)
        whole += one
    return bytes(whole)
