"""Description of the kernels for numba: States' methods, the functions marked with `@kernel`, and
operations that the processor does better than their text. Only numba's public extension points are
used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from lumiban.games.kernel import (
    INLINED,
    KERNELS,
    copy_words,
    member,
    nonzero,
    popcount,
    put_words,
    row,
    wrapped,
)
from lumiban.search import processor

METHODS = {
    "assign": "self, other",
    "mover": "self",
    "moves": "self, out",
    "play": "self, move",
    "outcome": "self",
    "playout": "self, rng, trace",
    "key": "self",
}
"""The methods of a State with their parameters: compiled code may call these and no others."""

SHORT = {"assign", "mover", "outcome"}
"""Methods compiled into their callers: to hand over a State, 21 words and more, costs more."""

_registered: set[Callable[..., Any]] = set()


def numba_with_kernels(**options: bool) -> Any:
    """numba, with all kernels seen so far registered: in each of them with these options too."""
    numba = importlib.import_module("numba")
    _share_methods(**options)
    extending = importlib.import_module("numba.extending")
    for function in KERNELS:
        if function not in _registered:
            _registered.add(function)
            inlined = function in INLINED
            extending.register_jitable(nogil=True, forceinline=inlined, **options)(function)
    return numba


@cache
def _share_methods(**more: bool) -> None:
    def inner(*, inlined: bool) -> dict[str, bool]:
        return {"nogil": True, "forceinline": inlined, **more}

    # By name, since numba's stubs leave `jit_options` out.
    extending = importlib.import_module("numba.extending")
    types = importlib.import_module("numba.types")
    for name, parameters in METHODS.items():
        # numba compares parameters by name, so the binder must have those of the method.
        scope: dict[str, Any] = {"bare": _bare, "name": name}
        exec(f"def bind({parameters}):\n return bare(self.instance_class, name)\n", scope)
        options = inner(inlined=name in SHORT)
        share = extending.overload_method(types.BaseNamedTuple, name, jit_options=options)
        share(scope["bind"])
    # numba compares annotations too.
    scope = {"rows": _rows_of}
    exec("def bind(shelf, at):\n return rows(shelf.instance_class, len(shelf))\n", scope)
    extending.overload(row, jit_options=inner(inlined=False))(scope["bind"])
    scope = {"loop": _copy_words_loop}
    exec("def bind(mine, theirs, start, end):\n return loop\n", scope)
    extending.overload(copy_words, jit_options=inner(inlined=True))(scope["bind"])
    scope = {"loop": _put_words_loop}
    exec("def bind(mine, at, theirs, start, count):\n return loop\n", scope)
    extending.overload(put_words, jit_options=inner(inlined=True))(scope["bind"])
    scope = {"all_places": _all_places}
    exec("def bind(words):\n return all_places\n", scope)
    extending.overload(nonzero, jit_options=inner(inlined=True))(scope["bind"])
    _instruct(wrapped, "x, by, plus", _low_bits, inner(inlined=True))
    _instruct(popcount, "x", lambda builder, x: builder.ctpop(x), inner(inlined=True))
    nth_bit = _nth_bit if processor.lays_down_bits(processor.family()) else None
    _instruct(member, "x, k", nth_bit, inner(inlined=True))


def _instruct(
    plain: Callable[..., Any],
    parameters: str,
    build: Callable[..., Any] | None,
    options: dict[str, bool],
) -> None:
    """Compile the calls of `plain`, of whole numbers, as what `build` writes for LLVM; without it
    as the text that it is."""
    extending = importlib.import_module("numba.extending")
    int64 = importlib.import_module("numba.types").int64
    scope: dict[str, Any] = {"typed": None}

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        assert build is not None
        return build(builder, *arguments)

    if build is None:
        scope["text"] = _unannotated(plain, plain.__name__)
    else:
        scope["typed"] = int64(*[int64] * len(parameters.split(","))), generate
        exec(f"def instruction(typing, {parameters}):\n return typed\n", scope)
        scope["instruction"] = extending.intrinsic(scope["instruction"])
        exec(f"def text({parameters}):\n return instruction({parameters})\n", scope)
    exec(f"def bind({parameters}):\n return text\n", scope)
    extending.overload(plain, jit_options=options)(scope["bind"])


def _low_bits(builder: Any, x: Any, by: Any, plus: Any) -> Any:
    """`wrapped` without a promise that nothing wraps."""
    return builder.and_(builder.add(builder.mul(x, by), plus), x.type((1 << 63) - 1))


def _nth_bit(builder: Any, x: Any, k: Any) -> Any:
    """`member` by two instructions: a bit laid down at the k-th bit of x, and where it lies."""
    ir = importlib.import_module("llvmlite.ir")
    kind = ir.FunctionType(x.type, [x.type, x.type])
    lay_down = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
    bit = builder.call(lay_down, [builder.shl(x.type(1), k), x])
    return builder.cttz(bit, ir.IntType(1)(1))


def _rows_of(state_type: type, count: int) -> Callable[..., Any]:
    """`row` for the compiler, which wants the fields of the tuple by their numbers."""
    scope: dict[str, Any] = {"kind": state_type}
    fields = ", ".join(f"shelf[{i}][at]" for i in range(count))
    exec(f"def rows(shelf, at):\n return kind({fields})\n", scope)
    rows: Callable[..., Any] = scope["rows"]
    return rows


def _copy_words_loop(mine, theirs, start, end):  # type: ignore[no-untyped-def]  # numba compares
    """`copy_words` for the compiler."""
    for at in range(start, end):
        mine[at] = theirs[at]


def _put_words_loop(mine, at, theirs, start, count):  # type: ignore[no-untyped-def]  # as above
    """`put_words` for the compiler."""
    for k in range(count):
        mine[at + k] = theirs[start + k]


def _all_places(words):  # type: ignore[no-untyped-def]  # as above
    """`nonzero` for the compiler."""
    return range(len(words))


@cache
def _bare(state_type: type, name: str) -> FunctionType:
    """A State's method without annotations, which numba would take for part of its name."""
    return _unannotated(getattr(state_type, name), name)


def _unannotated(function: Any, name: str) -> FunctionType:
    return FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
