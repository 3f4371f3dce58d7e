"""Where graphs are read from: a file, a folder or an archive, seen as members that unpack themselves within limits.

Nothing is ever extracted to disk. A file that unpacks to far more than it should, a member whose path climbs out of
its archive, a link or a device is refused before anything is read from it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import struct
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, TypeAlias, cast

from infmcs.errors import FormatError
from infmcs.formats.unpacking import BROKEN, CHUNK, Charged, Unpacking, packing

Progress = Callable[[float], None]
Readable: TypeAlias = "str | os.PathLike[str] | BinaryIO"

HEAD = 4096  # bytes of a member that detection may look at
PACKED_SUFFIXES = (".gz", ".xz", ".bz2")
ARCHIVE_SUFFIXES = (".tar", ".zip", ".tgz", ".txz", ".tbz2")


@dataclass(frozen=True)
class Limits:
    """How much a file may unpack to. Raise a limit for a file you trust.

    expanded   bytes that compressed files may unpack to, all members together
    ratio      the same, as a multiple of the compressed size (not asked below 16 MB)
    nodes      nodes of all graphs together: a short line can claim a thousand million
    members    files in an archive or a folder
    """

    expanded: int = 2 << 30
    ratio: int = 250
    nodes: int = 1 << 26
    members: int = 200_000


class Member:
    """One file of a source. `name` is its path inside the folder or archive, without a compression suffix.

    `file` is its own place on disk, where it has one: what may be mapped into memory.
    """

    def __init__(
        self, source: Source, name: str, opened: Callable[[], BinaryIO], size: int, file: Path | None = None
    ) -> None:
        self.source = source
        self.path = name
        self.name = _unpacked_name(name)
        self.size = size
        self.file = file
        self._opened = opened

    @property
    def stem(self) -> str:
        """The file's name without folders and suffix."""
        return PurePosixPath(self.name).stem

    def open(self) -> BinaryIO:
        """The member's bytes, decompressed within the source's limits."""
        self._raw = raw = self._opened()
        try:
            kind = packing(raw.read(6))
            raw.seek(0)
        except BaseException:
            raw.close()
            raise
        return cast(BinaryIO, io.BufferedReader(Unpacking(raw, kind, self), CHUNK)) if kind else raw

    def head(self) -> bytes:
        """The first bytes, for detection."""
        with self.open() as file:
            return file.read(HEAD)

    def content(self) -> bytes:
        """All bytes at once."""
        with self.open() as file:
            return file.read()

    def text(self) -> str:
        """All text, which must be UTF-8; a byte order mark is dropped."""
        return self.decoded(self.content().removeprefix(b"\xef\xbb\xbf"), None)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines without their ends (LF or CRLF); a byte order mark is dropped."""
        with self.open() as file:
            for number, line in enumerate(file, 1):
                if number == 1:
                    refuse_utf16(line, self)
                    yield 1, line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
                    continue
                if not number % 1024:
                    self.source.tell(self, self._raw.tell())
                yield number, line.rstrip(b"\r\n")

    def decoded(self, line: bytes, number: int | None) -> str:
        """Text from bytes, or the error that names the first byte that is no UTF-8."""
        if number is None:
            refuse_utf16(line, self)
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            if number is None:
                number = line.count(b"\n", 0, error.start) + 1
            raise self.error(
                f"byte 0x{line[error.start]:02x} is not UTF-8",
                line=number,
                hint="convert the file first, for example: iconv -f latin1 -t utf-8",
            ) from None

    def error(
        self, message: str, *, line: int | None = None, graph: str | int | None = None, hint: str | None = None
    ) -> FormatError:
        """The error for something in this member, with the place in it."""
        parts = [self.path] if self.path else []
        parts += [f"line {line}"] if line is not None else []
        parts += [f"graph {graph}"] if graph is not None else []
        return FormatError(message, path=self.source.path, place=", ".join(parts) or None, hint=hint)


class Source:
    """The members of a file, folder or archive, and one allowance for what they may unpack to."""

    def __init__(self, path: Readable, limits: Limits, progress: Progress | None = None) -> None:
        self.limits = limits
        self._progress = progress
        self._unpacked = 0
        self._packed = 0
        self._archive: zipfile.ZipFile | None = None
        self.kind: str  # "file", "folder" or "archive"
        self.members: list[Member]
        try:
            if isinstance(path, str | os.PathLike):
                self.path = os.fspath(path)
                if not self.path:  # pathlib takes it for the current folder
                    raise FormatError(
                        "an empty path names no graphs", hint="a file, folder or archive; . is this folder"
                    )
                self._find(Path(path))
            else:
                name = getattr(path, "name", None)
                self.path = name if isinstance(name, str) else "the stream"
                self._find_in(path, Path(self.path))
        except (OSError, ValueError) as error:
            self.close()
            raise self._unreadable(error) from None
        except FormatError:
            self.close()
            raise
        self._starts: dict[int, int] = {}
        self._total = 0
        for member in self.members:
            self._starts[id(member)] = self._total
            self._total += member.size

    def close(self) -> None:
        """Let go of the file."""
        if self._archive is not None:
            self._archive.close()

    def beside(self, name: str) -> Member | None:
        """The file of this name in the folder of this one, or below it; None where there is none."""
        path = Path(self.path).parent / name
        return self._file(path, name, path.stat().st_size) if path.is_file() else None

    def error(self, message: str, *, hint: str | None = None) -> FormatError:
        """The error for the source as a whole."""
        return FormatError(message, path=self.path, hint=hint)

    def tell(self, member: Member, place: int) -> None:
        """Report how much of all members has been read, from 0 to 1."""
        if self._progress is not None:
            before = self._starts.get(id(member), 0)
            self._progress(min(1.0, (before + place) / max(1, self._total)))

    def charge(self, count: int) -> None:
        """Count unpacked bytes; too many of them end the reading."""
        self._unpacked += count
        if self._unpacked > self.limits.expanded:
            raise self.error(
                f"unpacks to more than {_size(self.limits.expanded)}",
                hint="if you trust the file, raise the limit: Limits(expanded=bytes), or unpack it yourself",
            )
        if self._unpacked > 16 << 20 and self._unpacked > self.limits.ratio * max(1, self._packed):
            raise self.error(
                f"unpacks to more than {self.limits.ratio:,} times its size, as a zip bomb does",
                hint="if you trust the file, raise the limit: Limits(ratio=times), or unpack it yourself",
            )

    # -- what there is -------------------------------------------------------------------------------------------

    def _find(self, path: Path) -> None:
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):  # a shell's <(command), /dev/stdin
            with open(path, "rb") as stream:
                self._find_in(stream, path)
            return
        if stat.S_ISDIR(mode):
            self.kind, self.members = "folder", list(self._folder(path))
            return
        if not stat.S_ISREG(mode):
            raise self.error("is neither a file nor a folder")
        self._packed = path.stat().st_size
        self._find_inside(path, _opener(path), path, path)

    def _find_in(self, stream: BinaryIO, path: Path) -> None:
        """What a stream holds, which is read to its end: archives are read from their end, formats told by looking."""
        content = stream.read(self.limits.expanded + 1)
        if not isinstance(content, bytes):
            raise self.error("is a stream of text, expected bytes", hint="open it with mode 'rb'")
        if len(content) > self.limits.expanded:
            raise self.error(
                f"is longer than {_size(self.limits.expanded)}", hint="raise the limit: Limits(expanded=bytes)"
            )
        self._packed = len(content)
        self._find_inside(path, _bytes_opener(content), None, io.BytesIO(content))

    def _find_inside(
        self, path: Path, opened: Callable[[], BinaryIO], file: Path | None, whole: Path | BinaryIO
    ) -> None:
        with opened() as start:
            head = start.read(HEAD)
        if head[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not path.name.endswith((".npz", ".xlsx", ".docx")):
            self.kind, self.members = "archive", self._zip(whole)
            return
        single = Member(self, "", opened, self._packed, None if packing(head) else file)
        single.name = _unpacked_name(path.name)
        self.kind, self.members = "file", [single]
        if _is_tar(head) or (packing(head) and self._holds_tar(single)):
            self.kind, self.members = "archive", self._tar(single)

    def _holds_tar(self, single: Member) -> bool:
        """Whether a compressed file holds a tar archive. One that breaks this early is the reader's to refuse."""
        try:
            return _is_tar(single.head())
        except FormatError:
            if not any(suffix in single.name for suffix in ARCHIVE_SUFFIXES):
                return False
            raise
        finally:
            self._unpacked = 0

    def _folder(self, top: Path) -> Iterator[Member]:
        count = 0
        for folder, below, files in os.walk(top):
            below.sort()
            for name in sorted(files):
                path = Path(folder, name)
                if not path.is_file():
                    continue
                count += 1
                if count > self.limits.members:
                    raise self._too_many()
                size = path.stat().st_size
                self._packed += size
                yield self._file(path, path.relative_to(top).as_posix(), size)

    def _file(self, path: Path, name: str, size: int) -> Member:
        return Member(self, name, _opener(path), size, None if name.endswith(PACKED_SUFFIXES) else path)

    def _zip(self, whole: Path | BinaryIO) -> list[Member]:
        try:
            self._archive = archive = zipfile.ZipFile(whole)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, OverflowError, struct.error) as error:
            raise self.error(f"is not a whole zip archive: {error}") from None
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        self._refuse_names([entry.orig_filename for entry in entries])
        for entry in entries:
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise self.error(f"member {entry.filename!r} is a link", hint="pack the files themselves")
            if entry.flag_bits & 1:
                raise self.error(f"member {entry.filename!r} is encrypted", hint="unpack it yourself")
        return [Member(self, entry.filename, self._zip_opener(archive, entry), entry.file_size) for entry in entries]

    def _zip_opener(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
        def opened() -> BinaryIO:
            try:
                return cast(BinaryIO, io.BufferedReader(Charged(archive.open(entry), entry.filename, self), CHUNK))
            except BROKEN as error:
                raise self.error(f"member {entry.filename!r} cannot be unpacked: {error}") from None

        return opened

    def _tar(self, single: Member) -> list[Member]:
        """All files of a tar archive, held in memory: the compressed forms can only be read from front to back."""
        found: list[tuple[str, bytes]] = []
        file = single.open()
        try:
            with file, tarfile.open(fileobj=file, mode="r|") as archive:
                for entry in archive:
                    if entry.isdir():
                        continue
                    if not entry.isreg() or entry.issparse():
                        what = "a link" if entry.issym() or entry.islnk() else "no plain file"
                        raise self.error(f"member {entry.name!r} is {what}", hint="pack the files themselves")
                    self._refuse_names([entry.name])
                    content = archive.extractfile(entry)
                    found.append((entry.name, content.read() if content else b""))
                    if len(found[-1][1]) < entry.size:
                        raise self.error(f"ends inside member {entry.name!r}", hint="the archive is cut off")
                    if len(found) > self.limits.members:
                        raise self._too_many()
                while file.read(CHUNK):  # to the end, where the compressed forms keep their checksums
                    pass
        except (tarfile.TarError, *BROKEN) as error:
            raise self.error(f"is not a whole tar archive: {error}", hint="the archive is damaged or cut off") from None
        self._refuse_names([name for name, _ in found])
        return [Member(self, name, _bytes_opener(content), len(content)) for name, content in found]

    def _refuse_names(self, names: list[str]) -> None:
        if len(names) > self.limits.members:
            raise self._too_many()
        for name in names:
            parts = re.split(r"[/\\]", name)
            if name.startswith(("/", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", name) or "\0" in name:
                raise self.error(f"member {name!r} has a path that leads out of the archive")
        if len(set(names)) < len(names):
            (twice, _), *_ = Counter(names).most_common(1)
            raise self.error(f"holds two members named {twice!r}")

    def _too_many(self) -> FormatError:
        return self.error(f"holds more than {self.limits.members:,} files", hint="raise the limit: Limits(members=...)")

    def _unreadable(self, error: Exception) -> FormatError:
        if isinstance(error, OSError) and error.errno == errno.ENOENT:
            return self.error("there is no such file or folder")
        return self.error(f"cannot be read: {error.strerror if isinstance(error, OSError) else error}")


def refuse_utf16(start: bytes, member: Member) -> None:
    """Refuse UTF-16 and UTF-32 text by its byte order mark or its zero bytes."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start[:HEAD]:
        what = "is UTF-16 or UTF-32 text" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "holds zero bytes"
        raise member.error(f"{what}, expected UTF-8 text", hint="convert it first: iconv -f utf-16 -t utf-8")


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _unpacked_name(name: str) -> str:
    for suffix in PACKED_SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def _opener(path: Path) -> Callable[[], BinaryIO]:
    return lambda: open(path, "rb")


def _bytes_opener(content: bytes) -> Callable[[], BinaryIO]:
    return lambda: io.BytesIO(content)


def _size(count: int) -> str:
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:,.4g} {unit}"
    return f"{count} bytes"
