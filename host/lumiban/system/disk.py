"""The file operations behind whatever must outlive a power cut; tests give another `Disk`, which
remembers their order and what a crash may leave of them."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from lumiban.system import size_limits

if sys.platform != "win32":
    import fcntl

_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)
"""Errors of file systems that cannot sync a folder."""

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors where no room is left, on the disk or for this user."""


class Disk:
    """The real disk. A file is a descriptor; every method raises OSError when it fails."""

    def __init__(self) -> None:
        self.unsynced: Path | None = None
        """A folder that its file system cannot sync: what was made in it last may be gone after a
        power cut. None while all could be."""

    def create(self, path: Path) -> int:
        """A new file to append to; FileExistsError when there is one."""
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)

    def replace(self, path: Path) -> int:
        """A new file to append to, in place of one that may be there."""
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o644)

    def put(self, path: Path, data: bytes) -> None:
        """Write a whole file, in place of one that may be there, and wait until its bytes are on
        disk. Its name may still go, as a half of it may stay: see `put_whole`."""
        file = self.replace(path)
        try:
            self.write(file, data)
            self.sync(file)
        finally:
            self.close(file)

    def put_whole(self, path: Path, data: bytes) -> None:
        """Write a file into its folder, which is made where it is missing: after a crash there is
        all of it or the one before, and it is on disk when this returns."""
        self.make_folder(path.parent)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            self.put(beside, data)
            self.rename(beside, path)
        except BaseException:  # an interruption leaves nothing behind either
            self.remove(beside)
            raise
        self.sync_folder(path.parent)

    def open(self, path: Path) -> int:
        """A file that is there, to read and append to."""
        return os.open(path, os.O_RDWR | os.O_APPEND)

    def read(self, file: int, most: int) -> bytes:
        """All that the file holds; Unreadable when that is more than `most` bytes."""
        parts, at = [], 0
        while part := os.pread(file, 1 << 20, at):
            parts.append(part)
            at += len(part)
            if at > most:
                raise size_limits.Unreadable(f"has more than {size_limits.size_text(most)}")
        return b"".join(parts)

    def write(self, file: int, data: bytes) -> None:
        """Hand all of it to the system, behind what the file holds."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]

    def truncate(self, file: int, length: int) -> None:
        """Truncate the file to a length in bytes."""
        os.ftruncate(file, length)

    def sync(self, file: int) -> None:
        """Wait until what the file holds is on disk; that it is there at all is its folder's."""
        if sys.platform == "darwin":  # there fsync ends in the drive's own cache
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        else:
            os.fsync(file)

    def close(self, file: int) -> None:
        """Let go of the file, and of its lock."""
        os.close(file)

    def lock(self, file: int) -> bool:
        """True if the file is ours until it is closed or its process ends; False while another
        process, or another descriptor of this one, has it.

        Where the file system knows no locks, as some across a network, it counts as ours.
        """
        if sys.platform == "win32":
            return True
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another name, in place of what has it now, in one step."""
        old.replace(new)

    def remove(self, path: Path) -> None:
        """Remove a file; nothing happens where there is none."""
        path.unlink(missing_ok=True)

    def make_folder(self, folder: Path) -> None:
        """Make a folder with all above it that are missing, on disk when this returns."""
        missing = []
        here = folder
        while not here.is_dir() and here != here.parent:
            missing.append(here)
            here = here.parent
        for one in reversed(missing):
            self._make_one(one)
        # Of one that was there already nobody knows whether its maker came to sync it.
        for one in reversed(missing or [folder]):
            self.sync_folder(one.parent)

    def _make_one(self, folder: Path) -> None:
        try:
            folder.mkdir(exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None

    def sync_folder(self, folder: Path) -> None:
        """Wait until the names of the files in a folder are on disk.

        Where its file system cannot do that `unsynced` names it; where we may not open it, it is
        none of ours.
        """
        if os.name != "posix":
            return
        try:
            handle = os.open(folder, os.O_RDONLY)
        except PermissionError:
            return
        try:
            self._sync_open_folder(handle)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                raise
            self.unsynced = self.unsynced or folder
        finally:
            os.close(handle)

    def _sync_open_folder(self, handle: int) -> None:
        os.fsync(handle)


DISK = Disk()
