"""Files that are whole or not there. A reader, a crash or a full disk never sees half of one."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of `path` when the block ends well, and vanishes when it does not.

    The bytes reach the disk before the name does, so a power cut leaves the old file or the new one. A pipe or a device
    is written into as it is: its place is not a file's to take.
    """
    if is_stream(path):
        with open(path, "wb") as stream:
            yield stream
        return
    path = _for_a_file(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:  # of the file that is wanted, not of the one that comes before it
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _usual_mode(path))
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write all of `content` or nothing."""
    with writing(path) as file:
        file.write(content)


def write_text(path: str | os.PathLike[str], content: str) -> None:
    """Write all of `content`, as UTF-8, or nothing."""
    write_bytes(path, content.encode())


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether this is a pipe or a device, which is written into, never replaced: /dev/stdout, a shell's >(command)."""
    path = Path(os.path.abspath(path))
    named = path.as_posix().startswith(("/dev/fd/", "/dev/std", "/proc/"))
    return named or path.is_fifo() or path.is_char_device() or path.is_block_device()


def _for_a_file(path: str | os.PathLike[str]) -> Path:
    if not os.fspath(path):  # pathlib takes it for the current folder
        raise FileNotFoundError(errno.ENOENT, "an empty name", "")
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    return Path(path)


def _usual_mode(path: Path) -> int:
    """The mode of the file that is replaced, else what a plain `open` would have given (mkstemp gives 0600)."""
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def held(path: str | os.PathLike[str]) -> Iterator[bool]:
    """Whether this process now holds the lock file `path`, alone. A process that is killed lets go of it."""
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)
