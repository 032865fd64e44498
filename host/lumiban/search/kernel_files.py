"""Compiled functions on disk, one file each, for every kind of arguments; numba's own cache in its
place would name them after the place of their sources on this machine and their dates.

The folder is named after all sources and versions (`jit.fingerprint`), so that a file in it is
never out of date, wherever that folder comes from: the user's cache, or a package. A file is its
content's sum, then, pickled: the object alone, as it can be run without numba (`kernel_objects`),
or None; what was compiled (module, name, types of the arguments, whether holders of arrays are
counted); the code as numba has it. What is cut short or altered is as good as missing.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import os
import pickle
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lumiban.search.kernel_objects import NUMBER, Flat, Kernel, UnusableObject, kinds_of

SUFFIX = ".kernel"
_SUM = hashlib.sha256().digest_size


class KernelFiles:
    """The files of one function, as numba asks for them: read from each of `folders`, written to
    the first. `unkept` is told where and why one could not be written, `kept` when
    one was."""

    def __init__(
        self,
        function: Callable[..., Any],
        folders: Sequence[Path],
        *,
        counted: bool,
        unkept: Callable[[OSError], object],
        kept: Callable[[], object] = lambda: None,
    ) -> None:
        self._function = function
        self._folders = folders
        self._counted = counted
        self._unkept = unkept
        self._kept = kept
        self.cache_path = str(folders[0])

    def load_overload(self, arguments: Any, context: Any) -> Any:
        """What was compiled for these types of arguments, or None."""
        context.refresh()
        name = self.name(arguments, context.codegen())
        for folder in self._folders:
            with suppress(OSError, ValueError, pickle.UnpicklingError):
                stream = _content(folder / name)
                pickle.load(stream), pickle.load(stream)
                result: Any = importlib.import_module("numba.core.compiler").CompileResult
                return result._rebuild(context, *pickle.load(stream))
        return None

    def save_overload(self, arguments: Any, compiled: Any) -> None:
        """Keep what was compiled, whole or not at all."""
        if compiled.library.has_dynamic_globals or any(
            not one.can_cache for one in compiled.lifted
        ):
            return
        dumps = importlib.import_module("numba.core.serialize").dumps
        told = (self._function.__module__, self._function.__qualname__, arguments, self._counted)
        alone = pickle.dumps(self._alone(compiled))
        content = alone + dumps(told) + dumps(compiled._reduce())
        path = self._folders[0] / self.name(arguments, compiled.codegen)
        beside = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(hashlib.sha256(content).digest() + content)
            beside.replace(path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            self._unkept(error)
        else:
            self._kept()

    def _alone(self, compiled: Any) -> Alone | None:
        """What was compiled as an object that can be run by itself; None where it cannot be."""
        made = compiled.fndesc
        kinds = kinds_of(made.argtypes)
        if self._counted or kinds is None or str(made.restype) not in (NUMBER, "none"):
            return None
        (content, _bitcode) = compiled.library.serialize_using_object_code()[2]
        packed = zlib.compress(content)
        function = self._function
        return function.__module__, function.__qualname__, tuple(kinds), made.llvm_func_name, packed

    def name(self, arguments: Any, codegen: Any) -> str:
        """The file's name for these types of arguments, compiled by `codegen`."""
        told = (self._function.__module__, self._function.__qualname__, self._counted)
        digest = hashlib.sha256(repr((told, str(arguments), codegen.magic_tuple())).encode())
        return f"{self._function.__name__}-{digest.hexdigest()[:16]}{SUFFIX}"

    def enable(self) -> None:
        """Nothing: it always is."""

    def disable(self) -> None:
        """Nothing: it always is enabled."""

    def flush(self) -> None:
        """Nothing: what lies there is never out of date."""


def _content(path: Path) -> io.BytesIO:
    """What a file holds; ValueError when that is not what was written."""
    whole = path.read_bytes()
    if hashlib.sha256(whole[_SUM:]).digest() != whole[:_SUM]:
        raise ValueError(f"{path} is not whole")
    return io.BytesIO(whole[_SUM:])


def compiled_in(folder: Path) -> Iterator[tuple[str, str, Any, bool]]:
    """What each file of a folder is of: module, name, types of the arguments, whether holders of
    arrays are counted."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with suppress(OSError, ValueError, pickle.UnpicklingError):
            stream = _content(path)
            pickle.load(stream)
            yield pickle.load(stream)


Alone = tuple[str, str, tuple[str, ...], str, bytes]
"""Of an object that runs without numba: module and name of its function, kinds of its arguments,
the name that it has there, and the object, packed."""


class ObjectFiles:
    """The compiled forms of one function that these folders hold, run without numba."""

    def __init__(self, function: Callable[..., Any], folders: Sequence[Path]) -> None:
        self._function = function
        self._folders = folders
        self._there: dict[tuple[str, ...], tuple[str, bytes]] | None = None
        self._laid: dict[tuple[str, ...], Kernel | None] = {}

    def of(self, arguments: Flat) -> Kernel | None:
        """The one for these kinds of arguments, or None."""
        kinds = tuple(arguments.kinds)
        if kinds not in self._laid:
            if self._there is None:
                self._there = self._read()
            self._laid[kinds] = None
            if kinds in self._there:
                symbol, packed = self._there[kinds]
                with suppress(UnusableObject, zlib.error, struct.error):
                    self._laid[kinds] = Kernel(zlib.decompress(packed), symbol, arguments)
        return self._laid[kinds]

    def _read(self) -> dict[tuple[str, ...], tuple[str, bytes]]:
        found: dict[tuple[str, ...], tuple[str, bytes]] = {}
        for folder in reversed(self._folders):
            for path in folder.glob(f"{self._function.__name__}-*{SUFFIX}"):
                with suppress(OSError, ValueError, TypeError, pickle.UnpicklingError):
                    module, name, kinds, symbol, packed = pickle.load(_content(path))
                    if (module, name) == (self._function.__module__, self._function.__qualname__):
                        found[kinds] = symbol, packed
        return found
