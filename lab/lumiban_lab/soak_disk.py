"""The rig's disk: it remembers what was asked of it, and has every state that a crash may leave.

    disk = CrashDisk(folder)                # works on real files in the folder
    ...                                     # the product runs
    for crash in crashes(disk.log): ...     # what had been said, and {path: bytes, None: a folder}

What a crash may do, after any operation:

- of a file that was not synced since, each write is there, is lost, is zeros (its room is there,
  its bytes are not) or is torn, followed by nothing or by zeros; each by itself, so a later one may
  be there without an earlier; a truncation is there or not;
- of a folder that was not synced since, each new name, renaming and removal is there or not, each
  by itself; a renaming is never half. That a file is synced says nothing of its name.

What is synced is there. The sittings of the soak draw one such state for each death (`drawn`).
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

from lumiban.system import disk as product_disk
from lumiban.system.disk import Disk

Tree = dict[str, bytes | None]
"""Files and folders (None) by their paths from the root."""
FOLDER = 0
"""The number that stands for a folder among names."""
MAX_SINGLE_WRITES = 3
"""Writes that are not synced and are each taken by themselves."""


@dataclass(frozen=True)
class Op:
    """One operation: create, write, truncate, sync, rename, remove, mkdir, sync-folder; or `said`,
    a promise that somebody was made at this moment."""

    kind: str
    file: int = -1
    folder: str = ""
    name: str = ""
    other: str = ""
    data: bytes = b""
    said: Any = None


class CrashDisk(Disk):
    """Does all on the files of `root` and keeps the log; `without` names a place in the product
    whose sync is left out, `fails` the number of the call that fails and its error."""

    def __init__(self, root: Path, without: str = "", fails: tuple[int, int] = (0, 0)) -> None:
        super().__init__()
        self.calls = 0
        self._fails = fails
        self.root = root
        self.log: list[Op] = []
        self.places: set[str] = set()
        """Where the product synced."""
        self._without = without
        self._files: dict[str, int] = {}
        self._open: dict[int, int] = {}
        self._count = FOLDER

    def begins_with(self, tree: Tree) -> CrashDisk:
        """The root holds this, all of it on disk."""
        for path in sorted(tree):
            content = tree[path]
            if content is None:
                self._make_one(self.root / path)
            else:
                self.put(self.root / path, content)
        for path in ("", *(path for path in tree if tree[path] is None)):
            self.log.append(Op("sync-folder", folder=path))
        self.places.clear()
        return self

    def say(self, said: Any) -> None:
        """Somebody is promised this now."""
        self.log.append(Op("said", said=said))

    def _at(self, path: Path) -> tuple[str, str]:
        return self._key(path.parent), path.name

    def _key(self, path: Path) -> str:
        key = path.relative_to(self.root).as_posix()
        return "" if key == "." else key

    def _is_left_out(self, kind: str) -> bool:
        place = f"{kind} {_place()}"
        self.places.add(place)
        return place == self._without

    def _called(self) -> None:
        """One call more; OSError where it is the one that fails."""
        self.calls += 1
        number, error = self._fails
        if self.calls == number:
            raise OSError(error, os.strerror(error))

    # What the product calls.

    def create(self, path: Path) -> int:
        """A new file."""
        self._called()
        return self._made(path, super().create(path))

    def replace(self, path: Path) -> int:
        """A new file in place of one that may be there."""
        self._called()
        known = self._files.get(self._key(path))
        file = super().replace(path)
        if known is None:
            return self._made(path, file)
        self._open[file] = known
        self.log.append(Op("truncate", known))
        return file

    def _made(self, path: Path, file: int) -> int:
        self._count += 1
        self._files[self._key(path)] = self._open[file] = self._count
        folder, name = self._at(path)
        self.log.append(Op("create", self._count, folder, name))
        return file

    def open(self, path: Path) -> int:
        """A file that is there."""
        self._called()
        file = super().open(path)
        self._open[file] = self._files[self._key(path)]
        return file

    def write(self, file: int, data: bytes) -> None:
        """Write behind what the file holds; where it fails the half is there."""
        try:
            self._called()
        except OSError:
            self._written(file, data[: len(data) // 2])
            raise
        self._written(file, data)

    def _written(self, file: int, data: bytes) -> None:
        super().write(file, data)
        self.log.append(Op("write", self._open[file], data=bytes(data)))

    def truncate(self, file: int, length: int) -> None:
        """Truncate the file to a length in bytes."""
        self._called()
        super().truncate(file, length)
        self.log.append(Op("truncate", self._open[file], data=bytes(length)))

    def sync(self, file: int) -> None:
        """What the file holds is on disk."""
        self._called()
        if not self._is_left_out("sync"):
            self.log.append(Op("sync", self._open[file]))

    def close(self, file: int) -> None:
        """Let go of the file."""
        del self._open[file]
        super().close(file)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another name."""
        self._called()
        super().rename(old, new)
        file = self._files[self._key(new)] = self._files.pop(self._key(old))
        folder, name = self._at(old)
        self.log.append(Op("rename", file, folder, name, new.name))

    def remove(self, path: Path) -> None:
        """Remove a file."""
        self._called()
        if path.exists():
            super().remove(path)
            self._files.pop(self._key(path))
            folder, name = self._at(path)
            self.log.append(Op("remove", folder=folder, name=name))

    def _make_one(self, folder: Path) -> None:
        self._called()
        super()._make_one(folder)
        above, name = self._at(folder)
        self.log.append(Op("mkdir", folder=above, name=name))

    def sync_folder(self, folder: Path) -> None:
        """The names in a folder are on disk."""
        self._called()
        inside = folder == self.root or self.root in folder.parents
        if inside and not self._is_left_out("sync_folder"):
            self.log.append(Op("sync-folder", folder=self._key(folder)))


def _place() -> str:
    """The line of the product that asked for a sync, and who had called that."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None and frame.f_code.co_filename == product_disk.__file__:
        if frame.f_code.co_name == "make_folder":
            break
        frame = frame.f_back
    assert frame is not None
    caller = frame.f_back
    assert caller is not None
    return f"{frame.f_code.co_qualname}:{frame.f_lineno} < {caller.f_code.co_qualname}"


# What a crash leaves.


@dataclass(frozen=True)
class Write:
    """Bytes at a place in a file; None: nothing is there from it on."""

    at: int
    data: bytes | None

    def variants(self) -> list[Write | None]:
        """What a crash may leave of it: all, nothing, zeros, or a part."""
        if self.data is None:
            return [self, None]
        size = len(self.data)
        parts = [self.data[:n] for n in sorted({1, size // 2, size - 1}) if 0 < n < size]
        tails = [part + tail for part in parts for tail in (b"", bytes(size - len(part)))]
        return [self, None, *(Write(self.at, data) for data in (bytes(size), *tails))]


def applied(content: bytes, writes: Sequence[Write | None]) -> bytes:
    """The file after these writes."""
    now = bytearray(content)
    for one in filter(None, writes):
        if one.data is None:
            del now[one.at :]
        else:
            now += bytes(max(one.at - len(now), 0))
            now[one.at : one.at + len(one.data)] = one.data
    return bytes(now)


def drawn(durable: bytes, lines: Sequence[bytes], chance: random.Random) -> bytes:
    """What a crash leaves of a file to which these lines were appended since it was synced."""
    writes, at = [], len(durable)
    for line in lines:
        writes.append(chance.choice(Write(at, line).variants()))
        at += len(line)
    return applied(durable, writes)


@dataclass
class _File:
    durable: bytes = b""
    size: int = 0
    """In the memory of the system."""
    pending: list[Write] = field(default_factory=list)
    touched: int = 0

    def states(self) -> list[bytes]:
        """All that it may hold: what a part of its writes left, the others all there or all lost
        where they are many."""
        variants = [one.variants() for one in self.pending]
        if len(variants) <= MAX_SINGLE_WRITES:
            ways: Iterable[Sequence[Write | None]] = product(*variants)
        else:
            ways = (
                tuple(v if n == at else of[(n > at) * behind] for n, of in enumerate(variants))
                for at, own in enumerate(variants)
                for v in own
                for behind in (0, 1)
            )
        return sorted({applied(self.durable, way) for way in ways})


@dataclass
class _Folder:
    durable: dict[str, int] = field(default_factory=dict)
    pending: list[Op] = field(default_factory=list)

    def states(self) -> list[dict[str, int]]:
        """All names that it may hold."""
        found = []
        for chosen in product((True, False), repeat=len(self.pending)):
            names = dict(self.durable)
            for op, is_there in zip(self.pending, chosen, strict=True):
                if is_there:
                    _name(names, op)
            if names not in found:
                found.append(names)
        return found


@dataclass(frozen=True)
class Crash:
    """A moment: the operation after which the power went, what had been promised until then, and
    the states that may be found, each with the files in the order in which they were written."""

    at: int
    said: tuple[Any, ...]
    trees: tuple[Tree, ...]
    order: tuple[str, ...]


def crashes(log: Sequence[Op], *, since: int = 0) -> Iterator[Crash]:
    """All states that a crash may leave after the operation `since`, at those moments that have the
    most of them for what was promised: just before each sync, and at the end."""
    files: dict[int, _File] = {}
    folders: dict[str, _Folder] = {"": _Folder()}
    said: list[Any] = []
    for at, op in enumerate(log):
        _follow(op, at, files, folders, said)
        if at >= since and (at + 1 == len(log) or log[at + 1].kind.startswith("sync")):
            yield Crash(at, tuple(said), tuple(_trees(files, folders)), _order(files, folders))


def _follow(
    op: Op, at: int, files: dict[int, _File], folders: dict[str, _Folder], said: list[Any]
) -> None:
    if op.kind == "said":
        said.append(op.said)
    elif op.kind in ("write", "truncate"):
        file = files[op.file]
        is_write = op.kind == "write"
        where = file.size if is_write else len(op.data)
        file.pending.append(Write(where, op.data if is_write else None))
        file.size, file.touched = where + len(op.data) * is_write, at
    elif op.kind == "sync":
        file = files[op.file]
        file.durable, file.pending = applied(file.durable, file.pending), []
    elif op.kind == "sync-folder":
        folder = folders[op.folder]
        for one in folder.pending:
            _name(folder.durable, one)
        folder.pending = []
    else:
        if op.kind == "create":
            files[op.file] = _File(touched=at)
        elif op.kind == "mkdir":
            folders.setdefault(f"{op.folder}/{op.name}" if op.folder else op.name, _Folder())
        folders[op.folder].pending.append(op)


def _name(names: dict[str, int], op: Op) -> None:
    if op.kind == "create":
        names[op.name] = op.file
    elif op.kind == "mkdir":
        names[op.name] = FOLDER
    else:
        names.pop(op.name, None)
        if op.kind == "rename":
            names[op.other] = op.file


def _trees(files: dict[int, _File], folders: dict[str, _Folder]) -> Iterator[Tree]:
    """Each state once."""
    contents = {number: file.states() for number, file in files.items()}
    known = set()
    for names in product(*(folder.states() for folder in folders.values())):
        shown: dict[str, int] = {}
        _walk("", dict(zip(folders, names, strict=True)), shown)
        places = sorted(shown)
        kinds = [[None] if shown[p] == FOLDER else contents[shown[p]] for p in places]
        for found in product(*kinds):
            key = tuple(zip(places, found, strict=True))
            if key not in known:
                known.add(key)
                yield dict(key)


def _walk(folder: str, names: dict[str, dict[str, int]], shown: dict[str, int]) -> None:
    for name, number in names[folder].items():
        path = f"{folder}/{name}" if folder else name
        shown[path] = number
        if number == FOLDER:
            _walk(path, names, shown)


def _order(files: dict[int, _File], folders: dict[str, _Folder]) -> tuple[str, ...]:
    """The paths that files may have, the one written last at the end."""
    when: dict[str, int] = {}
    for path, folder in folders.items():
        for op in [Op("create", f, path, n) for n, f in folder.durable.items()] + folder.pending:
            if op.file in files:
                name = op.other or op.name
                when[f"{path}/{name}" if path else name] = files[op.file].touched
    return tuple(sorted(when, key=when.__getitem__))
