"""Viper under CPython: its source runs as it stands, with numbers and memory as on the RP2040.

Numbers are 32 bits with sign and wrap; ptr8 and ptr16 read without sign, ptr32 with; what is
stored is cut to size. Unlike on the chip an index outside the buffer raises.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from places import ROOT
from thumb_shim import address, asm_thumb

PACKAGE = ROOT / "firmware" / "lumiban_fw"


class Int32(int):
    """A number of 32 bits with sign."""

    def __new__(cls, value: int = 0) -> Int32:
        return super().__new__(cls, ((int(value) + 0x80000000) & 0xFFFFFFFF) - 0x80000000)


def _wrapped(name: str) -> Callable[[int, int], Int32]:
    plain = getattr(int, name)

    def do(self: int, other: int) -> Int32:
        return Int32(plain(int(self), int(other)))

    return do


for _name in ["add", "sub", "mul", "and", "or", "xor", "lshift", "rshift"]:
    setattr(Int32, f"__{_name}__", _wrapped(f"__{_name}__"))
    setattr(Int32, f"__r{_name}__", _wrapped(f"__r{_name}__"))


class _Pointer:
    size = 1
    signed = False

    def __init__(self, of: Any) -> None:
        if isinstance(of, _Pointer):
            of = of.memory
        self.memory: memoryview = memoryview(of).cast("B")

    def __int__(self) -> int:
        return address(self.memory.obj)

    def _at(self, index: int) -> slice:
        first = index * self.size
        if index < 0 or first + self.size > len(self.memory):
            raise IndexError(f"memory outside the buffer: place {index}")
        return slice(first, first + self.size)

    def __getitem__(self, index: int) -> Int32:
        return Int32(int.from_bytes(self.memory[self._at(index)], "little", signed=self.signed))

    def __setitem__(self, index: int, value: int) -> None:
        cut = int(value) & ((1 << 8 * self.size) - 1)
        self.memory[self._at(index)] = cut.to_bytes(self.size, "little")


class Ptr8(_Pointer):
    """Bytes."""


class Ptr16(_Pointer):
    """Half words without sign."""

    size = 2


class Ptr32(_Pointer):
    """Words with sign."""

    size = 4
    signed = True


def viper(function: Callable[..., Any]) -> Callable[..., Any]:
    """The decorator: arguments become what their annotations say."""
    names = function.__annotations__
    order = function.__code__.co_varnames[: function.__code__.co_argcount]

    @wraps(function)
    def call(*given: Any) -> Any:
        taken = [
            names[n](g) if names[n] is not object else g for n, g in zip(order, given, strict=True)
        ]
        got = function(*taken)
        return int(got) if isinstance(got, int) else got

    return call


def load(name: str) -> ModuleType:
    """A viper file of the firmware as a module of plain Python functions."""
    source = (PACKAGE / f"{name}.py").read_text()
    module = ModuleType(name)
    module.__dict__.update(ptr8=Ptr8, ptr16=Ptr16, ptr32=Ptr32, int=Int32)
    micropython = ModuleType("micropython")
    micropython.__dict__.update(viper=viper, asm_thumb=asm_thumb, const=lambda value: value)
    before = sys.modules.get("micropython")
    sys.modules["micropython"] = micropython
    try:
        exec(compile(source, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
    finally:
        if before is None:
            del sys.modules["micropython"]
        else:
            sys.modules["micropython"] = before
    return module
