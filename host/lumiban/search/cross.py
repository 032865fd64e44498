"""Kernels for a processor that is not at hand: what this machine has compiled for itself, compiled
once more for another and written to a folder; nothing of it is run.

LLVM makes code for every processor; numba only asks it for that of its own machine. So its door to
LLVM is exchanged, in a process of its own, before anything has been compiled there:

    python -m lumiban.search.cross FAMILY FROM TO

What lies in `TO` already is left as it is. Where its memory is full, it ends (`warm_process`).
"""

from __future__ import annotations

import importlib
import operator
import os
import sys
from pathlib import Path
from typing import Any

from lumiban.search import jit, processor
from lumiban.search.kernel_files import KernelFiles, compiled_in
from lumiban.search.warm_process import FULL, is_full


def compile_for(family: str, source: Path, target: Path) -> None:
    """Compile all that `source` has for a `family` of processors, into `target`; OSError where that
    cannot be written. It spoils numba for this process."""
    os.environ[processor.NAMED] = family
    # To read them imports the games, whose kernels the compiler has to know.
    wanted = list(compiled_in(source))
    numba = jit.numba_with_kernels()
    context = _aimed(*processor.TARGETS[family])
    for module, name, arguments, counted in wanted:
        function = operator.attrgetter(name)(importlib.import_module(module))
        print(f"{module}.{name}", flush=True)
        files = _Written(function, [target], counted=counted, unkept=_refuse)
        if not (target / files.name(arguments, context.codegen())).exists():
            entry = jit.door(numba, function, counted=counted)
            entry._cache = files
            entry.compile(arguments)
            if is_full():
                os._exit(FULL)


class _Written(KernelFiles):
    """Files that are only written: code for another machine is not loaded here."""

    def load_overload(self, arguments: Any, context: Any) -> Any:
        context.refresh()


def _refuse(error: OSError) -> None:
    raise error


class _Emitter:
    """In place of LLVM's engine: compiles a module to an object, and runs nothing."""

    def __init__(self, machine: Any, hand_over: Any) -> None:
        self.target_data = machine.target_data
        self._machine = machine
        self._hand_over = hand_over
        self._waiting: list[Any] = []

    def add_module(self, module: Any) -> None:
        self._waiting.append(module)

    def finalize_object(self) -> None:
        for module in self._waiting:
            self._hand_over(module, self._machine.emit_object(module))
        self._waiting.clear()

    def is_symbol_defined(self, name: str) -> bool:
        return False


def _aimed(triple: str, reloc: str) -> Any:
    """numba's context for compiled code, which from now on is for this kind of machine."""
    codegen: Any = importlib.import_module("numba.core.codegen")
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()

    class Codegen(codegen.JITCPUCodegen):  # type: ignore[misc]  # known when it runs
        """Compiles for another machine."""

        def _init(self, module: Any) -> None:
            module.triple = triple
            self._tm_features = ""
            self._tm = llvm.Target.from_triple(triple).create_target_machine(
                opt=codegen.config.OPT, cpu=codegen.config.CPU_NAME, features="",
                reloc=reloc, codemodel="jitdefault", jit=True,
            )  # fmt: skip
            self._engine = _Emitter(self._tm, self._library_class._object_compiled_hook)
            self._target_data = self._engine.target_data
            self._data_layout = str(self._target_data)
            self._loopvect, self._opt_level = codegen.config.OPT.is_opt_max, 0
            if self._loopvect:
                self._opt_level = 3

        def _create_empty_module(self, name: str) -> Any:
            module = super()._create_empty_module(name)
            module.triple = triple
            return module

        def _scan_and_fix_unresolved_refs(self, module: Any) -> None:
            """Nothing: where things lie is known where it runs."""

        def set_env(self, env_name: str, env: Any) -> None:
            """Nothing: it is set where it runs."""

    context: Any = importlib.import_module("numba.core.registry").cpu_target.target_context
    context._internal_codegen = Codegen("numba.exec")
    return context


if __name__ == "__main__":
    compile_for(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
