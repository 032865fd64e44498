"""Each kernel goes through LLVM once, with the entry that calls it: half the time of compiling.

numba by itself compiles and optimises every function in a library of its own, links it into the
library of each caller, optimises it there again, to any depth, and gives each a door for Python.
Here only an *entry*, which Python calls, is done so. Whatever is compiled while an entry is, its
*inner* functions, stay as they were lowered: they are linked into the entry's library all at once,
as functions that nobody else sees, and optimised with it.

This leans on private parts of numba, as they are in the versions of `READ`. With another version,
or where a part is missing, numba compiles as it does by itself: slower, to the same results.
"""

from __future__ import annotations

import importlib
import logging
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

READ = ("0.68.",)
"""How the versions of numba begin that this was written for."""
DOORLESS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""numba's options for what only compiled code calls."""
_PARTS = {
    "numba.core.codegen": (
        "JITCodeLibrary._finalize_specific", "JITCodeLibrary._get_module_for_linking",
        "JITCodeLibrary._optimize_functions", "JITCodeLibrary._unserialize",
        "JITCPUCodegen._library_class", "JITCPUCodegen.set_env",
    ),
    "numba.core.compiler": (
        "Compiler._compile_core", "CompileResult._find_referenced_environments",
    ),
    "numba.core.environment": ("lookup_environment",),
    "numba.core.typing.templates": ("_OverloadFunctionTemplate._get_impl", "builtin_registry"),
}  # fmt: skip
"""What is leant on, by module."""
_ENVIRONMENT = "_ZN08NumbaEnv"
_UNRESOLVED = ".numba.unresolved$"
_log = logging.getLogger(__name__)


def entry_options() -> dict[str, Any]:
    """numba's options for an entry, {} where numba has to compile as it does by itself."""
    return {} if hindrance() else {"pipeline_class": _pipeline(), "no_cfunc_wrapper": True}


@cache
def hindrance() -> str:
    """What in the numba that is installed keeps this from working, "" when nothing does."""
    version = importlib.import_module("numba").__version__
    found = "" if version.startswith(READ) else f"numba {version} is another than {READ[0]}x"
    for module, names in _PARTS.items():
        try:
            operator.attrgetter(*names)(importlib.import_module(module))
        except (ImportError, AttributeError) as error:
            found = found or str(error)
    if found:
        _log.debug("kernels are optimised once for each caller: %s", found)
    return found


@contextmanager
def sharing() -> Iterator[None]:
    """What is registered with numba within is compiled once for its types of arguments, whoever
    calls it; numba would do so again for a caller with other options.

    To be registered so it must say itself whether it is inlined.
    """
    templates: Any = importlib.import_module("numba.core.typing.templates")
    registered = [] if hindrance() else templates.builtin_registry.functions
    before = len(registered)
    yield
    for template in registered[before:]:
        template._impl_cache = _Shared()


class _Shared(dict[Any, Any]):
    """What was compiled for types of arguments, and those of its caller's options that it takes
    on."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(_less(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_less(key), value)


def _less(key: Any) -> Any:
    *rest, flags = key
    return *rest, flags and (flags.nrt, flags.fastmath.encode(), flags.error_model)


@cache
def _pipeline() -> Any:
    """numba's way from a function to its code, for entries."""
    compiler: Any = importlib.import_module("numba.core.compiler")

    class Pipeline(compiler.Compiler):  # type: ignore[misc]  # known when it runs
        """Compiles an entry."""

        def _compile_core(self) -> Any:
            codegen = self.state.targetctx.codegen()
            self.state.library = _entry_library()(codegen, self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
            with _making(codegen, _inner_library()):
                return super()._compile_core()

    return Pipeline


@cache
def _unoptimised() -> Any:
    """numba's library without its optimising function by function."""
    codegens: Any = importlib.import_module("numba.core.codegen")

    class Unoptimised(codegens.JITCodeLibrary):  # type: ignore[misc]  # known when it runs
        """A library whose functions are left as they were lowered."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

    return Unoptimised


@cache
def _entry_library() -> Any:
    """numba's library for an entry."""
    look_up = importlib.import_module("numba.core.environment").lookup_environment

    class Entry(_unoptimised()):  # type: ignore[misc]  # known when it runs
        """An entry's library: links all inner functions, then optimises."""

        def finalize(self) -> None:
            own = _names(self._final_module)
            inner, self._linking_libraries = _linked(self)
            for library in inner:
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._final_module, preserve=True)
            _hide(self._final_module, {n for one in inner for n in _names(one._final_module)} - own)
            circular = _circular(self._final_module)
            for library in inner:
                if circular & _names(library._final_module):
                    library.alone()
            super().finalize()

        def _finalize_specific(self) -> None:
            super()._finalize_specific()
            for found in self._final_module.global_variables:
                environment = found.name.startswith(_ENVIRONMENT) and look_up(found.name)
                if environment:
                    self._codegen.set_env(found.name, environment)

    return Entry


@cache
def _inner_library() -> Any:
    """numba's library for an inner function."""
    codegens: Any = importlib.import_module("numba.core.codegen")

    class Inner(_unoptimised()):  # type: ignore[misc]  # known when it runs
        """An inner function's library: no code is made of it, unless somebody else wants it."""

        _apart: Any = None
        _shared_module: Any

        @property
        def codegen(self) -> Any:
            # Asked for a function's constants to be put where its code is: the entry does so.
            return SimpleNamespace(set_env=lambda name, environment: None)

        def finalize(self) -> None:
            self._raise_if_finalized()
            self._finalize_dynamic_globals()
            self._finalized = True

        def _get_module_for_linking(self) -> Any:
            if self._shared_module is None:
                self._ensure_finalized()
                module = self._final_module.clone()
                inner, others = _linked(self)
                for library in inner:
                    module.link_in(library._final_module, preserve=True)
                for function in _defined(module):
                    function.linkage = "linkonce_odr"
                for library in others:
                    module.link_in(library._get_module_for_linking(), preserve=True)
                self._shared_module = module
            return self._shared_module

        def get_pointer_to_function(self, name: str) -> Any:
            self._ensure_finalized()
            known = name in _names(self._final_module)
            return self.alone().get_pointer_to_function(name) if known else 0

        def serialize_using_object_code(self) -> Any:
            return self.alone().serialize_using_object_code()

        def alone(self) -> Any:
            """A library of this function, for one that is compiled for others too."""
            if self._apart is None:
                self._apart = _entry_library()(self._codegen, self.name)
                self._apart.enable_object_caching()
                self._apart.add_llvm_module(self._final_module.clone())
                for library in self._linking_libraries:
                    self._apart.add_linking_library(library)
                self._apart.finalize()
            return self._apart

        @classmethod
        def _unserialize(cls, codegen: Any, state: Any) -> Any:
            with _making(codegen, codegens.JITCodeLibrary):
                return codegen.unserialize_library(state)

    return Inner


@contextmanager
def _making(codegen: Any, kind: Any) -> Iterator[None]:
    """New libraries of this code generator are of that kind; numba lets only one thread compile."""
    before = codegen._library_class
    codegen._library_class = kind
    try:
        yield
    finally:
        codegen._library_class = before


def _linked(library: Any) -> tuple[list[Any], list[Any]]:
    """All libraries that this one is to be linked with, to any depth through inner ones: those of
    inner functions, and the others."""
    found = dict.fromkeys(library._linking_libraries)
    queue = list(found)
    for one in queue:
        more = dict.fromkeys(one._linking_libraries) if hasattr(one, "alone") else {}
        queue += (other for other in more if other not in found)
        found.update(more)
    found.pop(library, None)
    inner = [one for one in found if hasattr(one, "alone")]
    return inner, [one for one in found if not hasattr(one, "alone")]


def _hide(module: Any, names: set[str]) -> None:
    """Nobody outside the module sees these functions of it any more."""
    for function in list(_defined(module)):
        if function.name in names:
            function.linkage = "internal"
            # By its own name LLVM would find it for others, where it is not.
            function.name += ".inner"


def _circular(module: Any) -> set[str]:
    """The functions that call each other in a circle: they are looked up by name when they run."""
    names = [found.name for found in module.global_variables]
    return {name.removeprefix(_UNRESOLVED) for name in names if name.startswith(_UNRESOLVED)}


def _names(module: Any) -> set[str]:
    return {function.name for function in _defined(module)}


def _defined(module: Any) -> Iterator[Any]:
    return (function for function in module.functions if not function.is_declaration)
