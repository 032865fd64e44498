"""A disk that remembers what was asked of it, and every state that a crash may leave of that.

    disk = CrashDisk(folder)                # works on real files in the folder
    ...                                     # the product runs
    for state in states(disk.log): ...      # {path: bytes or None for a folder}, and what was said

What a crash may do, after any operation:

- of a file that was not synced since, each write is there, is lost, is zeros (its room is there,
  its bytes are not) or is torn at any byte, followed by nothing or by zeros; each by itself, so a
  later one may be there without an earlier; a truncation is there or not;
- of a folder that was not synced since, each new name, renaming and removal is there or not, each
  by itself; a renaming is never half. That a file is synced says nothing of its name.

What is synced is there. A process that ends leaves all of it to the next one: pending is pending.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

from lumiban.system import disk as product_disk
from lumiban.system.disk import Disk

Tree = dict[str, bytes | None]
"""Files and folders (None) by their paths from the root."""


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
    whose sync is left out.

    Operations of other threads wait while `gate` is closed, so that who writes in a thread does it
    at a moment of the test's choice.
    """

    def __init__(self, root: Path, without: str = "") -> None:
        super().__init__()
        self.root = root
        self.without = without
        self.log: list[Op] = []
        self.places: dict[str, int] = {}
        """Where the product synced, and how often."""
        self.gate = threading.Event()
        self.dies_at_sync = False
        self._main = threading.current_thread()
        self._files: dict[str, int] = {}
        self._open: dict[int, int] = {}
        self._count = 0
        self._dead: set[threading.Thread] = set()

    def begins_with(self, tree: Tree) -> CrashDisk:
        """The root holds this, all of it on disk."""
        put(tree, self.root)
        for path in tree:
            folder, _, name = path.rpartition("/")
            if tree[path] is None:
                self.log.append(Op("mkdir", folder=folder, name=name))
                continue
            self._count += 1
            self._files[path] = self._count
            self.log.append(Op("create", self._count, folder, name))
            self.log.append(Op("write", self._count, data=tree[path] or b""))
            self.log.append(Op("sync", self._count))
        folders = {"", *(path for path in tree if tree[path] is None)}
        self.log += [Op("sync-folder", folder=folder) for folder in sorted(folders)]
        return self

    def say(self, said: Any) -> None:
        """Somebody is promised this now."""
        self.log.append(Op("said", said=said))

    def kill(self) -> None:
        """The process ends: its files are closed, its threads do nothing more."""
        self._dead |= set(threading.enumerate()) - {self._main}
        self.gate.set()
        for file in list(self._open):
            self.close(file)
        self.gate.clear()
        self.dies_at_sync = False

    def _wait(self) -> None:
        me = threading.current_thread()
        if me is not self._main:
            self.gate.wait()
            if me in self._dead:
                raise SystemExit

    def _at(self, path: Path) -> tuple[str, str]:
        return self._key(path.parent), path.name

    def _key(self, path: Path) -> str:
        key = path.relative_to(self.root).as_posix()
        return "" if key == "." else key

    def _is_left_out(self, kind: str) -> bool:
        place = f"{kind} {_place()}"
        self.places[place] = self.places.get(place, 0) + 1
        return place == self.without

    # What the product calls.

    def create(self, path: Path) -> int:
        self._wait()
        file = super().create(path)
        return self._made(path, file)

    def replace(self, path: Path) -> int:
        self._wait()
        known = self._files.get(self._key(path))
        file = super().replace(path)
        if known is None:
            return self._made(path, file)
        self._open[file] = known
        self.log.append(Op("truncate", known))
        return file

    def _made(self, path: Path, file: int) -> int:
        self._count += 1
        folder, name = self._at(path)
        self._files[self._key(path)] = self._open[file] = self._count
        self.log.append(Op("create", self._count, folder, name))
        return file

    def open(self, path: Path) -> int:
        file = super().open(path)
        self._open[file] = self._files[self._key(path)]
        return file

    def write(self, file: int, data: bytes) -> None:
        self._wait()
        super().write(file, data)
        self.log.append(Op("write", self._open[file], data=bytes(data)))

    def truncate(self, file: int, length: int) -> None:
        self._wait()
        super().truncate(file, length)
        self.log.append(Op("truncate", self._open[file], data=bytes(length)))

    def sync(self, file: int) -> None:
        self._wait()
        if self.dies_at_sync:
            raise SystemExit
        if not self._is_left_out("sync"):
            self.log.append(Op("sync", self._open[file]))

    def close(self, file: int) -> None:
        if self._open.pop(file, None) is not None:  # else it was killed before
            super().close(file)

    def rename(self, old: Path, new: Path) -> None:
        self._wait()
        super().rename(old, new)
        file = self._files.pop(self._key(old))
        self._files[self._key(new)] = file
        folder, name = self._at(old)
        assert self._at(new)[0] == folder
        self.log.append(Op("rename", file, folder, name, new.name))

    def remove(self, path: Path) -> None:
        self._wait()
        if path.exists():
            super().remove(path)
            self._files.pop(self._key(path))
            folder, name = self._at(path)
            self.log.append(Op("remove", folder=folder, name=name))

    def _make_one(self, folder: Path) -> None:
        self._wait()
        super()._make_one(folder)
        above, name = self._at(folder)
        self.log.append(Op("mkdir", folder=above, name=name))

    def sync_folder(self, folder: Path) -> None:
        self._wait()
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


def put(tree: Tree, root: Path) -> None:
    """Make files and folders as in the tree."""
    for path in sorted(tree):
        content = tree[path]
        if content is None:
            (root / path).mkdir(parents=True, exist_ok=True)
        else:
            (root / path).write_bytes(content)


# What a crash leaves.


@dataclass
class _File:
    durable: bytes = b""
    size: int = 0
    """In the memory of the system."""
    pending: list[tuple[str, int, bytes]] = field(default_factory=list)
    touched: int = 0


@dataclass
class _Folder:
    durable: dict[str, int] = field(default_factory=dict)
    pending: list[Op] = field(default_factory=list)


FOLDER = 0
"""The number that stands for a folder among names."""


@dataclass(frozen=True)
class Crash:
    """A moment: the operation after which the power went, what had been promised until then, and
    the states that may be found, each with the files in the order in which they were written."""

    at: int
    said: tuple[Any, ...]
    trees: tuple[Tree, ...]
    order: tuple[str, ...]


def crashes(log: Sequence[Op], *, since: int = 0, every_byte: bool = True) -> Iterator[Crash]:
    """All states that a crash may leave after the operation `since`, at those moments that have the
    most of them for what was promised: just before each sync, and at the end. Files are torn at
    every byte, or at three places only."""
    files: dict[int, _File] = {}
    folders: dict[str, _Folder] = {"": _Folder()}
    said: list[Any] = []
    for at, op in enumerate(log):
        _follow(op, at, files, folders, said)
        if at < since:
            continue
        if at + 1 == len(log) or log[at + 1].kind in ("sync", "sync-folder"):
            trees = tuple(_trees(files, folders, every_byte))
            yield Crash(at, tuple(said), trees, _order(files, folders))


def _follow(
    op: Op, at: int, files: dict[int, _File], folders: dict[str, _Folder], said: list[Any]
) -> None:
    if op.kind == "said":
        said.append(op.said)
    elif op.kind == "write":
        file = files[op.file]
        file.pending.append(("write", file.size, op.data))
        file.size += len(op.data)
        file.touched = at
    elif op.kind == "truncate":
        file = files[op.file]
        file.size = len(op.data)
        file.pending.append(("truncate", file.size, b""))
        file.touched = at
    elif op.kind == "sync":
        file = files[op.file]
        content = bytearray(file.durable)
        for kind, where, data in file.pending:
            _apply(content, kind, where, data)
        file.durable, file.pending = bytes(content), []
    elif op.kind == "sync-folder":
        folder = folders[op.folder]
        for one in folder.pending:
            _name(folder.durable, one)
        folder.pending = []
    else:
        if op.kind == "create":
            files[op.file] = _File(touched=at)
        elif op.kind == "mkdir":
            path = f"{op.folder}/{op.name}" if op.folder else op.name
            folders.setdefault(path, _Folder())
        folders[op.folder].pending.append(op)


def _apply(content: bytearray, kind: str, where: int, data: bytes) -> None:
    if kind == "truncate":
        del content[where:]
        return
    if len(content) < where:
        content += bytes(where - len(content))
    content[where : where + len(data)] = data


def _name(names: dict[str, int], op: Op) -> None:
    if op.kind == "create":
        names[op.name] = op.file
    elif op.kind == "mkdir":
        names[op.name] = FOLDER
    elif op.kind == "rename":
        names.pop(op.name, None)
        names[op.other] = op.file
    else:
        names.pop(op.name, None)


def _contents(file: _File, every_byte: bool) -> set[bytes]:
    """All that a file may hold."""
    found = set()
    pending = file.pending
    if not pending:
        return {file.durable}
    whole = [_choices(kind, data) for kind, _, data in pending]
    for chosen in product(*whole):
        found.add(_made_of(file, chosen))
    for torn, (kind, _, data) in enumerate(pending):
        if kind != "write":
            continue
        # Beside a torn write the others are lost, there or zeros: each by itself while they are
        # few, else all before it and all behind it alike.
        if len(pending) <= 3:
            ways = [whole[n] if n != torn else () for n in range(len(pending))]
            others = list(product(*(way or ((None),) for way in ways)))
        else:
            others = [
                tuple(
                    _choices(k, d)[before if n < torn else behind]
                    if k == "write"
                    else ("truncate", b"")
                    for n, (k, _, d) in enumerate(pending)
                )
                for before in range(3)
                for behind in range(3)
            ]
        for part in _parts(data, every_byte):
            for other in others:
                for tail in (b"", bytes(len(data) - len(part))):
                    chosen = (*other[:torn], ("write", part + tail), *other[torn + 1 :])
                    found.add(_made_of(file, chosen))
    return found


def _choices(kind: str, data: bytes) -> tuple[tuple[str, bytes] | None, ...]:
    if kind == "truncate":
        return (("truncate", b""), None)
    return (("write", data), None, ("write", bytes(len(data))))


def _parts(data: bytes, every_byte: bool) -> list[bytes]:
    places = range(1, len(data)) if every_byte else sorted({1, len(data) // 2, len(data) - 1})
    return [data[:place] for place in places if 0 < place < len(data)]


def _made_of(file: _File, chosen: Sequence[tuple[str, bytes] | None]) -> bytes:
    content = bytearray(file.durable)
    for choice, (_, where, _) in zip(chosen, file.pending, strict=True):
        if choice is not None:
            _apply(content, choice[0], where, choice[1])
    return bytes(content)


def _trees(
    files: dict[int, _File], folders: dict[str, _Folder], every_byte: bool
) -> Iterator[Tree]:
    """Each state once."""
    contents = {number: sorted(_contents(file, every_byte)) for number, file in files.items()}
    known = set()
    for names in product(*(_namings(folder) for folder in folders.values())):
        by_folder = dict(zip(folders, names, strict=True))
        shown: dict[str, int] = {}
        _walk("", by_folder, shown)
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


def _namings(folder: _Folder) -> list[dict[str, int]]:
    found = []
    for chosen in product((True, False), repeat=len(folder.pending)):
        names = dict(folder.durable)
        for op, is_there in zip(folder.pending, chosen, strict=True):
            if is_there:
                _name(names, op)
        if names not in found:
            found.append(names)
    return found


def _order(files: dict[int, _File], folders: dict[str, _Folder]) -> tuple[str, ...]:
    """The paths that files may have, the one written last at the end."""
    when: dict[str, int] = {}
    for path, folder in folders.items():
        for op in [Op("create", f, path, n) for n, f in folder.durable.items()] + folder.pending:
            if op.file in files:
                name = op.other or op.name
                when[f"{path}/{name}" if path else name] = files[op.file].touched
    return tuple(sorted(when, key=when.__getitem__))


def found_in(root: Path) -> Tree:
    """What lies in a folder."""
    return {
        path.relative_to(root).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
    }


def clear(root: Path) -> None:
    """Leave an empty folder."""
    for folder, folders, names in os.walk(root, topdown=False):
        for name in names:
            Path(folder, name).unlink()
        for name in folders:
            Path(folder, name).rmdir()
