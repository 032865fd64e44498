"""A few of the RP2040's instructions under CPython: the firmware's machine code runs as it stands.

Buffers get addresses of their own, far apart; what is read or written outside of one raises.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

APART = 1 << 16
FIRST = 0x20000000
_buffers: list[Any] = []
Line = tuple[str, tuple[Any, ...]]


def address(buffer: Any) -> int:
    """Where a buffer begins."""
    for k, held in enumerate(_buffers):
        if held is buffer:
            return FIRST + k * APART
    _buffers.append(buffer)
    return FIRST + (len(_buffers) - 1) * APART


def _cell(at: int, size: int) -> tuple[memoryview, slice]:
    k, offset = divmod(at - FIRST, APART)
    if not 0 <= k < len(_buffers):
        raise IndexError(f"no buffer at {at:#x}")
    memory = memoryview(_buffers[k]).cast("B")
    if offset % size or offset + size > len(memory):
        raise IndexError(f"{size} bytes at {offset} of a buffer of {len(memory)}")
    return memory, slice(offset, offset + size)


def _signed(value: int) -> int:
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


SIZES = {"ldr": 4, "ldrh": 2, "ldrb": 1, "str": 4, "strh": 2, "strb": 1}
TESTS: dict[str, Callable[[int], bool]] = {
    "b": lambda _: True,
    "bne": lambda last: last != 0,
    "beq": lambda last: last == 0,
    "bge": lambda last: last >= 0,
    "blt": lambda last: last < 0,
    "bgt": lambda last: last > 0,
}


SUMS: dict[str, Callable[[int, int], int]] = {
    "add": lambda one, other: one + other,
    "sub": lambda one, other: one - other,
    "and_": lambda one, other: one & other,
    "lsl": lambda one, by: one << by,
    "asr": lambda one, by: one >> by,
    "lsr": lambda one, by: (one & 0xFFFFFFFF) >> by,
}


def asm_thumb(function: Callable[..., Any]) -> Callable[..., int]:
    """The decorator: the function's instructions are run on registers r0 to r7."""
    lines: list[Line] = []
    labels: dict[str, int] = {}
    code = function.__code__
    names: dict[str, Any] = {name: name for name in code.co_names}
    for name in (*SIZES, *TESTS, *SUMS, "cmp", "mov", "push", "pop"):
        names[name] = lambda *given, name=name: lines.append((name, given))
    names["label"] = lambda name: labels.update({name: len(lines)})
    FunctionType(code, names)(*code.co_varnames[: code.co_argcount])

    def call(*given: Any) -> int:
        registers = dict.fromkeys([f"r{k}" for k in range(8)], 0)
        for k, value in enumerate(given):
            registers[f"r{k}"] = int(value) if isinstance(value, int) else address(value)
        return _run(lines, labels, registers)

    return call


def _run(lines: list[Line], labels: dict[str, int], r: dict[str, int]) -> int:
    at = last = 0
    stack: list[dict[str, int]] = []
    while at < len(lines):
        name, given = lines[at]
        at += 1
        if name in TESTS:
            if TESTS[name](last):
                at = labels[given[0]]
        elif name in SIZES:
            base, offset = given[1]
            memory, part = _cell(r[base] + offset, SIZES[name])
            if name.startswith("ld"):
                value = int.from_bytes(memory[part], "little")
                r[given[0]] = _signed(value)
            else:
                value = r[given[0]] & ((1 << 8 * SIZES[name]) - 1)
                memory[part] = value.to_bytes(SIZES[name], "little")
        elif name == "push":
            stack.append({register: r[register] for register in given[0]})
        elif name == "pop":
            r.update(stack.pop())
        elif name == "mov":
            # Between registers it leaves the flags as they are.
            value = given[1]
            r[given[0]] = r[value] if isinstance(value, str) else value
            last = last if isinstance(value, str) else value
        else:
            first, second = (given[0], given[1]) if len(given) == 2 else (given[1], given[2])
            other = r[second] if isinstance(second, str) else second
            last = _signed(SUMS["sub" if name == "cmp" else name](r[first], other))
            if name != "cmp":
                r[given[0]] = last
    if stack:
        raise RuntimeError("pushed and not popped")
    return r["r0"]
