"""The bytes inside compressed files and zip members, in bounded steps, every one counted against the limits."""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from infmcs.formats.source import Member, Source

CHUNK = 1 << 18
XZ_MEMORY = 512 << 20  # xz files of level 9 need 65 MB; a forged header may ask for 4 GB

# What the standard library raises for damaged archives; it documents only some of it.
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    ValueError,
    struct.error,
)


class Unpacking(io.RawIOBase):
    """The content of a gzip, xz or bzip2 file, in bounded steps; several streams one after another are one file."""

    def __init__(self, raw: BinaryIO, kind: str, member: Member) -> None:
        self._raw, self._kind, self._member = raw, kind, member
        self._engine: Any = None
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._next(len(buffer))
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError) as error:
            raise self._member.error(
                f"cannot be unpacked as {self._kind}: {error}", hint="the file is damaged or cut off"
            ) from None
        self._member.source.charge(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)

    def _next(self, most: int) -> bytes:
        while True:
            if self._engine is None:
                self._waiting = (self._waiting or self._raw.read(CHUNK)).lstrip(b"\0")  # xz pads between streams
                if not self._waiting:
                    return b""
                self._engine = _engine(self._kind)
            piece = self._engine.decompress(self._waiting, most)
            self._waiting = self._engine.waiting if isinstance(self._engine, _Inflate) else b""
            if self._engine.eof:
                self._waiting = self._engine.unused_data
                self._engine = None
            if piece:
                return bytes(piece)
            if self._engine is not None and not self._waiting and self._engine.needs_input:
                self._waiting = self._raw.read(CHUNK)
                if not self._waiting:
                    raise EOFError("it ends too early")

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Inflate:
    """zlib's decompressor with the manners of the other two."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self.waiting = b""

    def decompress(self, packed: bytes, most: int) -> bytes:
        piece = self._inflate.decompress(packed, most)
        self.waiting = self._inflate.unconsumed_tail
        return piece

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    @property
    def needs_input(self) -> bool:
        return True


def _engine(kind: str) -> Any:
    if kind == "gzip":
        return _Inflate()
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY) if kind == "xz" else bz2.BZ2Decompressor()


class Charged(io.RawIOBase):
    """A zip member whose bytes count against the limits, whatever its entry claims."""

    def __init__(self, file: IO[bytes], name: str, source: Source) -> None:
        self._file, self._name, self._source = file, name, source

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._file.read(len(buffer))
        except BROKEN as error:
            raise self._source.error(f"member {self._name!r} cannot be unpacked: {error}") from None
        self._source.charge(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def packing(head: bytes) -> str | None:
    """How a file that begins like this is compressed."""
    if head[:2] == b"\x1f\x8b":
        return "gzip"
    if head[:6] == b"\xfd7zXZ\0":
        return "xz"
    return "bzip2" if head[:3] == b"BZh" else None
