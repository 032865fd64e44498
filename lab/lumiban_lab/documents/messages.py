"""Writes the messages of docs/wire.md from their table, `lumiban.boards.messages`.

`./run docs` writes them; a test makes them again and compares.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from lumiban.boards.messages import MESSAGES, Field, Message
from lumiban_fw import wire

from lumiban_lab.documents import DOCS

PAGE = DOCS / "wire.md"
BEGIN, END = "<!-- made by ./run docs -->\n", "<!-- end -->\n"


def made() -> str:
    """Both directions, as the page has them."""
    parts = []
    for head, is_from_board in (("Host to board", False), ("Board to host", True)):
        of_this = [one for one in MESSAGES if one.is_from_board == is_from_board]
        parts.append("\n\n".join([f"## {head}", *map(_section, of_this)]))
    return "\n\n".join(parts) + "\n"


def _section(one: Message) -> str:
    """A message under a head of its own: its size, its fields, and the codes of one of them."""
    step = _bytes_of(one.tail)
    repeated = f"{step}n" if step > 1 else "n"
    words = [f"{one.size} byte{'s' * (one.size != 1)}."]
    if step:
        size = f"{one.size} + {repeated}" if one.size else repeated
        words = [f"{size} bytes, {one.least} ≤ n ≤ {one.most}."]
    if not one.is_from_board and not one.is_reliable:
        words.append("Not reliable.")
    if one.since:
        words.append(f"Since minor version {one.since}.")
    text = [f"### 0x{one.number:02X} {one.name}", " ".join([*words, one.sentence]).rstrip()]
    if one.fields or step:
        text += ["", "| offset | field | type | unit | meaning |", "|---|---|---|---|---|"]
    at = 0
    for field in (*one.fields, *one.tail):
        more = f" + {repeated[:-1]}k" if step and at >= one.size else ""
        meaning = field.meaning
        if field.since:
            meaning = f"{meaning}; since minor version {field.since}".removeprefix("; ")
        row = f"| {at}{more} | {field.name} | {field.kind} | {field.unit} | {meaning} |"
        text.append(row.replace("|  ", "| "))
        at += _bytes_of([field])
    if one.notes:
        text += ["", one.notes]
    if one.codes:  # of a NAK's last field, else of the first
        coded = one.fields[-1 if one.number == wire.B_NAK else 0]
        text += ["", f"| {coded.name} | name | meaning |", "|---|---|---|"]
    for code in one.codes:
        value = f"+ 0x{code.value:X}" if code.name == "GONE" else code.value
        text.append(f"| {value} | {code.name} | {code.meaning} |")
    return "\n".join(text)


def _bytes_of(fields: Iterable[Field]) -> int:
    return struct.calcsize("<" + "".join(field.letters for field in fields))


def written(text: str) -> str:
    """The page with its messages made again."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + made() + END + after


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
