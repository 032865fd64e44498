"""Compiled kernels run without their compiler: an object as LLVM wrote it, laid into memory.

To think, a bot's process needs of numba nothing but the code that it once made. numba and LLVM take
60 MB of memory and half a second of a core each time; what they wrote is an object of 10 to 70 kB
(ELF), whose few open places are filled in here. Its functions are called as numba's own call each
other.

Source: System V ABI, AMD64 supplement, relocations (R_X86_64_64 is S + A, R_X86_64_PC64 S + A - P).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

NUMBER = "int64"
"""How a whole number is told among the kinds of arguments; an array is `int64:1`, its numbers and
its dimensions."""

_ABSOLUTE, _RELATIVE = 1, 24
_ALLOCATED, _NO_BITS, _SYMBOLS, _RELOCATIONS = 2, 8, 2, 4
_UNDEFINED, _COMMON = 0, 0xFFF2
_MACHINE_AT, _X86_64 = 18, 62
_WRAPPERS = ("_ZN7cpython", "cfunc.")
"""Functions of an object that only numba calls: they may need what is not there."""
_NEVER_CALLED = ("NRT_MemInfo_call_dtor",)
"""Frees an array that nobody holds any more; of those that are given here numba knows no holder."""
_DONE = (0, -2)
"""What a kernel returns that has ended well: with a number, or with None."""


class UnusableObject(Exception):
    """An object that this machine, or this loader, cannot run."""


def may_run() -> bool:
    """Whether objects can be laid into memory here: Linux on x86-64."""
    return sys.platform == "linux" and os.uname().machine == "x86_64"


class _Object:
    """An ELF object, taken apart."""

    def __init__(self, content: bytes) -> None:
        if content[:6] != b"\x7fELF\x02\x01" or content[_MACHINE_AT] != _X86_64:
            raise UnusableObject("no object for this machine")
        self.content = content
        (begins,) = struct.unpack_from("<Q", content, 0x28)
        (count,) = struct.unpack_from("<H", content, 0x3C)
        self.sections = [
            struct.unpack_from("<IIQQQQIIQQ", content, begins + 64 * at) for at in range(count)
        ]
        self.places: dict[int, int] = {}
        """Section -> where it is laid, from the beginning."""
        self.size = 0
        for at, section in enumerate(self.sections):
            if section[2] & _ALLOCATED and section[5]:
                self.places[at] = self._room(section[5], section[8])
        table = next(section for section in self.sections if section[1] == _SYMBOLS)
        names = self.sections[table[6]]
        self.symbols = []
        """(name, section, value, size)"""
        self.shared: dict[str, int] = {}
        """Variables that stand in no section -> where they are laid."""
        for at in range(table[4], table[4] + table[5], 24):
            name_at, _, _, section, value, size = struct.unpack_from("<IBBHQQ", content, at)
            start = names[4] + name_at
            name = content[start : content.index(b"\0", start)].decode()
            self.symbols.append((name, section, value, size))
            if section == _COMMON and name not in self.shared:
                self.shared[name] = self._room(size, value)

    def _room(self, size: int, align: int) -> int:
        align = max(align, 1)
        start = (self.size + align - 1) // align * align
        self.size = start + size
        return start

    def relocations(self) -> Iterable[tuple[int, int, int, int, int]]:
        """(section, offset in it, kind, symbol, addend)."""
        for section in self.sections:
            if section[1] == _RELOCATIONS and section[7] in self.places:
                for at in range(section[4], section[4] + section[5], 24):
                    offset, info, addend = struct.unpack_from("<QQq", self.content, at)
                    yield section[7], offset, info & 0xFFFFFFFF, info >> 32, addend

    def is_wrapper(self, section: int, offset: int) -> bool:
        """Whether this place lies in a function that only numba calls."""
        return any(
            home == section and value <= offset < value + size
            for name, home, value, size in self.symbols
            if name.startswith(_WRAPPERS)
        )


@cache
def _libraries() -> tuple[Any, ...]:
    return ctypes.CDLL(None), ctypes.CDLL("libm.so.6")


@cache
def _address_of(name: str) -> int | None:
    """Where a function of the system's libraries lies; None where they have none of this name."""
    for library in _libraries():
        with_name = getattr(library, name, None)
        if with_name is not None:
            return ctypes.cast(with_name, ctypes.c_void_p).value
    return None


_laid: list[mmap.mmap] = []
"""What was laid into memory stays: code may run in any thread."""


def lay(content: bytes, symbol: str) -> int:
    """The address of the function `symbol` of an object, laid into memory. UnusableObject."""
    found = _Object(content)
    memory = mmap.mmap(-1, found.size or 1)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for section, place in found.places.items():
        _, kind, _, _, start, size, *_ = found.sections[section]
        if kind != _NO_BITS:
            memory[place : place + size] = content[start : start + size]
    for section, offset, kind, number, addend in found.relocations():
        name, home, value, _ = found.symbols[number]
        if home == _COMMON:
            target: int | None = base + found.shared[name]
        elif home == _UNDEFINED:
            target = _address_of("abort" if name in _NEVER_CALLED else name)
        else:
            target = base + found.places[home] + value
        if target is None:
            if not found.is_wrapper(section, offset):
                raise UnusableObject(f"it needs {name}")
            continue  # it stays 0, and is never come to
        place = found.places[section] + offset
        if kind == _ABSOLUTE:
            struct.pack_into("<Q", memory, place, (target + addend) & (1 << 64) - 1)
        elif kind == _RELATIVE:
            struct.pack_into("<q", memory, place, target + addend - (base + place))
        else:
            raise UnusableObject(f"a relocation of kind {kind}")
    _make_runnable(found, base)
    _laid.append(memory)
    for name, home, value, _ in found.symbols:
        if name == symbol and home not in (_UNDEFINED, _COMMON):
            return base + found.places[home] + int(value)
    raise UnusableObject(f"it has no {symbol}")


def _make_runnable(found: _Object, base: int) -> None:
    """Let what was laid be run, and no longer be written."""
    system = _libraries()[0]
    system.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if system.mprotect(base, found.size or 1, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        raise UnusableObject("the system lets no memory be run")


class Flat:
    """Arguments as compiled functions take them: tuples field by field, and of an array its owner
    (none), numbers in all, bytes of one, place, and its lengths and steps by dimension."""

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.kinds: list[str] = []
        self.values: list[int | None] = []
        self._add(arguments)

    def _add(self, arguments: Sequence[Any]) -> None:
        for value in arguments:
            if isinstance(value, tuple):
                self._add(value)
            elif type(value) is int and -(1 << 63) <= value < 1 << 63:
                self.kinds.append(NUMBER)
                self.values.append(value)
            elif hasattr(value, "ctypes"):
                flags = value.flags
                usable = flags.c_contiguous and flags.writeable and flags.aligned
                self.kinds.append(f"{value.dtype}:{value.ndim}" if usable else "another array")
                self.values += (None, None, value.size, value.itemsize, value.ctypes.data)
                self.values += (*value.shape, *value.strides)
            elif hasattr(value, "dtype") and value.dtype == NUMBER:
                self.kinds.append(NUMBER)
                self.values.append(int(value))
            else:
                self.kinds.append(type(value).__name__)
                self.values.append(None)


class Kernel:
    """A compiled function of an object, for one list of kinds of arguments."""

    def __init__(self, content: bytes, symbol: str, first: Flat) -> None:
        kinds = [ctypes.c_void_p if one is None else ctypes.c_int64 for one in first.values]
        out = [ctypes.c_void_p, ctypes.c_void_p]
        # Other threads run meanwhile, as they do beside numba's.
        self._run = ctypes.CFUNCTYPE(ctypes.c_int32, *out, *kinds)(lay(content, symbol))
        self._symbol = symbol

    def __call__(self, arguments: Flat) -> int:
        """What it returns, 0 for None. RuntimeError: it raised something."""
        result, fault = ctypes.c_int64(), ctypes.c_void_p()
        code = self._run(ctypes.addressof(result), ctypes.addressof(fault), *arguments.values)
        if code not in _DONE:
            raise RuntimeError(f"{self._symbol} ended with {code}")
        return result.value


def kinds_of(types: Iterable[Any]) -> list[str] | None:
    """The kinds of arguments by their types as numba has them; None where one is not known here."""
    found: list[str] = []
    for one in types:
        match type(one).__name__:
            case "Array" if one.layout == "C" and one.mutable and one.aligned:
                found.append(f"{one.dtype}:{one.ndim}")
            case "NamedTuple" | "NamedUniTuple" | "Tuple" | "UniTuple":
                inner = kinds_of(one)
                if inner is None:
                    return None
                found += inner
            case "Integer" if str(one) == NUMBER:
                found.append(NUMBER)
            case _:
                return None
    return found
