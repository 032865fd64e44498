"""Short names for a program whose names cost memory: which words are free, and who gets them."""

from __future__ import annotations

import ast
import io
import string
from collections.abc import Iterator
from types import GeneratorType

from lumiban.maker.bundle.scopes import is_machine_code, members

CHIP = """
    active addressof any bit bits bootloader buffer bytearray_at channel chain close config count
    ctrl data deinit disable_irq enable_irq exec feed fifo freq get high id init ioctl ipoll irq
    kbd_intr low machine mem16 mem32 mem8 mem_alloc mem_free mode off on out pack_ctrl pin pio
    poll program pull put read read_u16 readblocks registers remove_program reset reset_cause
    restart rx_fifo schedule side state_machine threshold ticks_diff ticks_ms ticks_us timeout
    toggle trigger tx_fifo unique_id unpack_ctrl value write writeblocks
"""
"""Attributes of MicroPython's own modules and hardware classes."""
_OF_PYTHON = (int, str, bytes, bytearray, memoryview, list, dict, tuple, set, range)
_OF_PYTHON += (StopIteration, GeneratorType, io.BytesIO)  # type: ignore[assignment]
FOREIGN_ATTRIBUTES = frozenset(CHIP.split()).union(*map(dir, _OF_PYTHON))
"""Attributes that may be those of an object that is not ours: they keep their names."""

Classes = dict[tuple[str, str], tuple[ast.ClassDef, list[tuple[str, str]]]]
"""(module, name) → the class and what it is made from."""


class NameGenerator:
    """Short names, the shortest first, but for some."""

    def __init__(self, but: set[str]) -> None:
        letters = string.ascii_lowercase + string.ascii_uppercase
        every = [*letters, *(a + b for a in letters for b in letters + string.digits)]
        python = {"as", "if", "in", "is", "or", "do"}
        self._words: list[str] = [word for word in every if word not in but | python]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __getitem__(self, n: int) -> str:
        return self._words[n]


def attributes(classes: Classes, words: NameGenerator) -> dict[str, str]:
    """New names of all attributes that our classes have; no class has two of one name."""
    whole = [_whole(key, classes) for key in classes]
    near: dict[str, set[str]] = {}
    for names in whole:
        for name in names:
            near.setdefault(name, set()).update(names)
    out: dict[str, str] = {}
    for name in sorted(near, key=lambda name: (-len(near[name]), name)):
        used = {out[other] for other in near[name] if other in out}
        out[name] = next(word for word in words if word not in used)
    return out


def _whole(key: tuple[str, str], classes: Classes) -> set[str]:
    """A class's own names, with those of the classes that it is made from."""
    if key not in classes:
        return set()
    node, bases = classes[key]
    own = {name for name in members(node) - FOREIGN_ATTRIBUTES if not name.startswith("__")}
    return own.union(*(_whole(base, classes) for base in bases))


class Arguments(ast.NodeVisitor):
    """Gives the arguments of functions short names, but for those that a call may name."""

    def __init__(self, words: NameGenerator, asked: set[str]) -> None:
        self._words = words
        self._asked = asked

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for inner in node.body:
            self.visit(inner)
        if is_machine_code(node):
            return
        there = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        there |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)} | {node.name}
        free = (word for word in self._words if word not in there)
        new = {arg.arg: next(free) for arg in node.args.args if arg.arg not in self._asked}
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                part.id = new.get(part.id, part.id)
            elif isinstance(part, ast.arg):
                part.arg = new.get(part.arg, part.arg)
