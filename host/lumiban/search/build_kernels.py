"""Kernels as a shared library: all entries of our own games compiled, linked and written down.

    python -m lumiban.search.build_kernels FAMILY FOLDER GAME...

writes `NAME.so` and beside it `NAME.json`, what `libraries` reads, for a family of processors
(`processor.FAMILIES`), this machine's or another. numba types and lowers each function; LLVM
optimises them all as one module, for the processors wanted; the system's linker makes a library of
it that needs neither. Nothing of it is run.

This file alone knows the inside of numba, which has no way of its own to do so: the place where it
hands a module to LLVM is exchanged. So it runs in a process of its own (`built_apart`).
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from lumiban import games
from lumiban.errors import LumibanError
from lumiban.games import kernel
from lumiban.search import processor
from lumiban.search.libraries import (
    NUMBER,
    TABLE_SUFFIX,
    digest_of_sources,
    entry_name,
    forget,
    library_of,
    sum_of,
    symbol_of,
)
from lumiban.search.numba_kernels import numba_with_kernels
from lumiban.search.own_process import end_with_owner
from lumiban.system.child import python

_OUTSIDE = {"memcpy", "memset", "memmove", "log", "exp", "sqrt"}
"""Symbols that a library may leave to the system: Python has all of them loaded."""
_DOORLESS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""numba's options for a function that Python does not call by numba."""
_FREES = """
define void @NRT_MemInfo_call_dtor(ptr %array) {
  call void @llvm.trap()
  unreachable
}
declare void @llvm.trap()
"""
"""Functions that free an array that nobody holds any more: numba knows no holder of the arrays that
kernels get, so they are never called."""
_ENDINGS = {"none": "none", NUMBER: NUMBER, "bool": "bool"}
"""The results that a kernel may have, by numba's names."""


class CannotBuild(LumibanError):
    """Reason why no library can be made here."""


def linker(family: str) -> list[str] | None:
    """The command that links for a family, None where this machine has none."""
    machine = processor.MACHINES[family]
    for name in (f"{machine}-linux-gnu-ld", "ld", "cc"):
        if shutil.which(name) and (name.startswith(machine) or os.uname().machine == machine):
            return [name, "-nostdlib"] if name == "cc" else [name]
    return None


def can_build() -> bool:
    """True if this machine can make a library for itself."""
    return bool(processor.family()) and linker(processor.family()) is not None


def built_apart(slugs: Sequence[str], folder: Path, name: str) -> None:
    """Make a library for this machine in a process of its own, unless another process has made it
    meanwhile. CannotBuild."""
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        forget()
        if library_of(folder / f"{name}{TABLE_SUFFIX}") is not None:
            return
        process = subprocess.Popen(
            python("lumiban.search.build_kernels", processor.family(), str(folder / name), *slugs),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        with process.stdin, process.stderr as output:
            lines = output.read().strip().splitlines()
    if process.wait():
        why = lines[-1] if lines else f"it ended with {process.returncode}"
        raise CannotBuild(f"no library of {', '.join(slugs)} could be made: {why}")


def build(family: str, target: Path, slugs: Sequence[str]) -> None:
    """Compile the entries of these games for a family and link them as `target`.so, with its table
    beside it. It spoils numba for this process. CannotBuild."""
    link = linker(family)
    if link is None:
        raise CannotBuild(
            f"there is no linker for {family}: install binutils, or"
            f" binutils-{processor.MACHINES[family]}-linux-gnu"
        )
    # Now, since the process that waits for it may write on.
    made_of = digest_of_sources(*slugs)
    states = [type(game.state(game.start())) for game in map(games.load, slugs)]
    for package in ("lumiban.games", "lumiban.search"):
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            importlib.import_module(module.name)
    os.environ[processor.NAMED] = family
    numba = numba_with_kernels(**_DOORLESS)
    codegen = _aimed(family)
    table = {}
    libraries: dict[Any, None] = {}
    exported: dict[str, str] = {}
    for function, state in _wanted(states):
        name = entry_name(function, state)
        types = _argument_types(function, state)
        door = numba.njit(nogil=True, _nrt=False, **_DOORLESS)(function)
        door.compile(types)
        made = door.overloads[types]
        ending = _ENDINGS.get(str(made.fndesc.restype))
        if ending is None:
            raise CannotBuild(f"{name} returns {made.fndesc.restype}: let it return a number")
        symbol = symbol_of(name)
        exported[made.fndesc.llvm_func_name] = symbol
        table[name] = {"symbol": symbol, "takes": _flat(types), "gives": ending}
        libraries |= _linked(made.library)
        print(name, flush=True)
    content = codegen.emitted(libraries, exported)
    _link(link, content, target, exported.values())
    about = {
        "games": list(slugs),
        "family": family,
        "made_of": made_of,
        "sum": sum_of(target.with_suffix(".so").read_bytes(), table),
        "entries": table,
    }
    _put(target.with_suffix(TABLE_SUFFIX), json.dumps(about, indent=1).encode())


def _wanted(states: Sequence[type]) -> Iterator[tuple[Any, type]]:
    for function, only in kernel.ENTRIES.items():
        yield from ((function, state) for state in states if only in (None, state))


def _argument_types(function: Any, state: type) -> tuple[Any, ...]:
    """numba's types of what an entry takes, by its annotations."""
    hints = get_type_hints(function, include_extras=True)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return tuple(_type_of(hints[name], state) for name in names)


def _type_of(hint: Any, state: type) -> Any:
    types = importlib.import_module("numba.types")
    if hint is int:
        return types.int64
    if hint is Any:
        return types.Array(types.int64, 1, "C")
    told = getattr(hint, "__metadata__", ("",))[0]
    if told in ("state", "shelf"):
        row = types.Array(types.int64, 1 if told == "state" else 2, "C")
        return types.BaseTuple.from_types([row for _ in state._fields], state)  # type: ignore[attr-defined]
    if told:
        kind, _, dimensions = told.partition(":")
        return types.Array(getattr(types, kind), int(dimensions), "C")
    fields = get_type_hints(hint, include_extras=True)
    return types.BaseTuple.from_types(
        [_type_of(fields[name], state) for name in hint._fields], hint
    )


def _flat(types: Any) -> list[str]:
    """The kinds of the arguments, tuples field by field."""
    names: list[str] = []
    for one in types:
        if hasattr(one, "ndim"):
            names.append(f"{one.dtype}:{one.ndim}")
        else:
            names += [NUMBER] if str(one) == NUMBER else _flat(one)
    return names


def _linked(library: Any) -> dict[Any, None]:
    """A library of numba's and all that it is to be linked with, to any depth."""
    found = {library: None}
    for one in (queue := [library]):
        more = [other for other in one._linking_libraries if other not in found]
        found |= dict.fromkeys(more)
        queue += more
    return found


def _aimed(family: str) -> Any:
    """numba's code generator, which from now on keeps all modules as they are lowered, for this
    family of processors."""
    codegens: Any = importlib.import_module("numba.core.codegen")
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = f"{processor.MACHINES[family]}-unknown-linux-gnu"

    class Library(codegens.JITCodeLibrary):  # type: ignore[misc]  # known when it runs
        """A function's module, neither optimised nor linked."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def finalize(self) -> None:
            self._raise_if_finalized()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            return 0

    class Codegen(codegens.JITCPUCodegen):  # type: ignore[misc]  # known when it runs
        """Compiles for the family."""

        _library_class = Library

        def _init(self, module: Any) -> None:
            module.triple = triple
            self._tm_features = ""
            self._tm = llvm.Target.from_triple(triple).create_target_machine(
                opt=3, cpu=processor.FAMILIES[family], features="", reloc="pic",
                codemodel="default", jit=False,
            )  # fmt: skip
            self._target_data = self._tm.target_data
            self._data_layout = str(self._target_data)
            self._loopvect, self._opt_level = True, 3

        def _create_empty_module(self, name: str) -> Any:
            module = super()._create_empty_module(name)
            module.triple = triple
            return module

        def set_env(self, env_name: str, env: Any) -> None:
            """Nothing: no kernel asks Python for anything."""

        def emitted(self, libraries: Sequence[Any], exported: dict[str, str]) -> bytes:
            """The object of all these, optimised as one module that shows the `exported` functions,
            by their new names."""
            whole = llvm.parse_assembly(str(self._create_empty_module("kernels")))
            whole.link_in(llvm.parse_assembly(_FREES))
            for library in libraries:
                whole.link_in(library._final_module, preserve=True)
            for function in list(whole.functions):
                if function.name in exported:
                    function.name = exported[function.name]
                elif not function.is_declaration:
                    function.linkage = "internal"
            for variable in whole.global_variables:
                if not variable.is_declaration:
                    variable.linkage = "internal"
            whole.verify()
            manager, builder = self._module_pass_manager()
            manager.run(whole, builder)
            outside = {one.name for one in whole.functions if one.is_declaration}
            outside |= {one.name for one in whole.global_variables if one.is_declaration}
            if missing := {name for name in outside if not name.startswith("llvm.")} - _OUTSIDE:
                raise CannotBuild(f"kernels need {', '.join(sorted(missing))}")
            return bytes(self._tm.emit_object(whole))

    context: Any = importlib.import_module("numba.core.registry").cpu_target.target_context
    context._internal_codegen = Codegen("lumiban")
    return context._internal_codegen


def _link(command: Sequence[str], content: bytes, target: Path, shown: Any) -> None:
    """Make a library of an object. CannotBuild where it needs what is not there, or the linker
    fails."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".building-") as folder:
        made, whole = Path(folder) / "kernels.o", Path(folder) / "kernels.so"
        made.write_bytes(content)
        words = [*command, "-shared", "-s", "-z", "noexecstack", "-o", str(whole), str(made)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CannotBuild(f"{words[0]} failed: {done.stderr.strip()}")
        whole.replace(target.with_suffix(".so"))


def _put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    beside.write_bytes(content)
    beside.replace(path)


if __name__ == "__main__":
    end_with_owner()
    try:
        build(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
    except LumibanError as error:
        sys.exit(str(error))
