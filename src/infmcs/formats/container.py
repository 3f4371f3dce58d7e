"""One file of named arrays, memory-mapped, in which no wrong byte goes unnoticed: what the store and the index are.

The file is a header of 64 bytes, the sections, and a table of them as JSON. Every byte belongs to exactly one of the
three and each has its CRC-32: header and table are checked when the file is opened, together with its length, so a
file that was cut off is refused at once; a section is checked when it is first taken, so that a large one costs
nothing before it is used. Files are written whole or not at all, and never changed in place.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from infmcs import durable, provenance
from infmcs.collection import Texts
from infmcs.errors import FormatError

MAGIC = b"\x89infmcs\n"
LAYOUT = 1  # of header, sections and table; what the sections mean has a version of its own, see `writing`
HEADER = struct.Struct("<8sIIQQQ20xI")  # magic, layout, CRC of the table, its place and length, file length, own CRC
ALIGNED = 64
DTYPES = {f"{order}{kind}" for order, kind in (("|", "b1"), ("|", "i1"), ("|", "u1"))} | {
    f"<{kind}{size}" for kind, sizes in (("i", "248"), ("u", "248"), ("f", "248")) for size in sizes
}


class Writer:
    """Takes the sections of a container in order; see `writing`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sections: list[dict[str, Any]] = []
        self._place = HEADER.size
        file.write(bytes(HEADER.size))

    def add(self, name: str, array: npt.NDArray[Any]) -> None:
        """A section that holds this array."""
        self.add_parts(name, (array,))

    def add_parts(self, name: str, parts: Iterable[npt.NDArray[Any]]) -> None:
        """A section that holds these arrays joined along their first axis; only one is held at a time."""
        if any(section["name"] == name for section in self._sections):
            raise ValueError(f"a container has one section of each name, and {name!r} is taken")
        check, start, rows = 0, self._place, 0
        first: npt.NDArray[Any] | None = None
        for part in parts:
            part = _portable(part)
            if first is None:
                first = part[:0] if part.ndim else part
            if part.dtype != first.dtype or part.shape[1:] != first.shape[1:]:
                raise ValueError(f"section {name!r}: a part of {part.dtype} {part.shape} does not continue the first")
            rows += len(part) if part.ndim else 1
            check = self._put(part, check)
        if first is None:
            raise ValueError(f"section {name!r} needs at least one array, an empty one if there is nothing")
        check = self._put(np.zeros(-self._place % ALIGNED, np.uint8), check)
        shape = [rows, *first.shape[1:]] if first.ndim else []
        self._sections.append(
            {"name": name, "dtype": first.dtype.str, "shape": shape, "place": start, "crc": check},
        )

    def add_texts(self, name: str, texts: Iterable[str]) -> None:
        """Strings, as two sections."""
        block, offsets = (texts if isinstance(texts, Texts) else Texts.of(texts)).packed()
        self.add(f"{name}.offsets", offsets)
        self.add(f"{name}.utf8", block)

    def add_json(self, name: str, value: Any) -> None:
        """Anything JSON can say."""
        self.add(name, np.frombuffer(json.dumps(value).encode(), np.uint8))

    def _put(self, part: npt.NDArray[Any], check: int) -> int:
        content = part.reshape(-1).view(np.uint8).data
        self._file.write(content)
        self._place += len(content)
        return zlib.crc32(content, check)

    def finish(self, kind: str, version: int, facts: Mapping[str, Any]) -> None:
        """Table and header."""
        table = {"kind": kind, "version": version, "facts": dict(facts), "sections": self._sections}
        content = json.dumps(table, ensure_ascii=False).encode()
        self._file.write(content)
        header = HEADER.pack(
            MAGIC, LAYOUT, zlib.crc32(content), self._place, len(content), self._place + len(content), 0
        )
        self._file.seek(0)
        self._file.write(header[:-4] + struct.pack("<I", zlib.crc32(header[:-4])))


@contextmanager
def writing(
    path: str | os.PathLike[str], kind: str, version: int = 1, facts: Mapping[str, Any] | None = None
) -> Iterator[Writer]:
    """A container that takes the place of `path` when the block ends well.

    kind      what the file is, such as "collection"; `Container.open` asks for it
    version   of that kind: raised when an older reader would misunderstand the sections
    facts     small JSON values beside the sections; the provenance of the file is added as "provenance"
    """
    with durable.writing(path) as file:
        writer = Writer(file)
        yield writer
        writer.finish(kind, version, {**(facts or {}), "provenance": provenance.record()})


class Container:
    """The sections of a container, as read-only arrays that live in the mapped file.

    `container[name]` checks the section when it is first asked for, so what it gives is what was written, or a
    FormatError. `facts` are there at once. An array stays valid after the file was replaced by a newer one.
    """

    def __init__(self, content: Any, path: object = None, kind: str | None = None, version: int = 1) -> None:
        """A container from its bytes; from a file see `open`."""
        self.path = path
        self._content = memoryview(content).cast("B")
        self._checked: set[str] = set()
        table = self._table()
        try:
            self.kind, self.version, self.facts = str(table["kind"]), int(table["version"]), dict(table["facts"])
            self._sections = self._laid_out(table["sections"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            self._damaged(f"its table makes no sense: {error}")
        if kind is not None and self.kind != kind:
            raise FormatError(f"holds {self.kind!r:.60}, expected {kind!r}", path=path)
        if kind is not None and self.version > version:
            raise FormatError(
                f"{kind} version {self.version} was written by a newer infmcs; this one reads up to {version}",
                path=path,
                hint="update infmcs, or write the file again with this one",
            )

    @classmethod
    def open(cls, path: str | os.PathLike[str], kind: str | None = None, version: int = 1) -> Container:
        """The container at `path`, which must hold this kind, of this version or an older one."""
        try:
            with open(path, "rb") as file:
                if not os.fstat(file.fileno()).st_size:
                    raise FormatError("is empty", path=os.fspath(path))
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise FormatError(f"cannot be read: {why}", path=os.fspath(path)) from None
        return cls(content, os.fspath(path), kind, version)

    @property
    def names(self) -> tuple[str, ...]:
        """The sections, in the order in which they were written."""
        return tuple(self._sections)

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """The array of a section, checked."""
        if name not in self._sections:
            raise FormatError(f"has no section {name!r}", path=self.path)
        dtype, shape, place, end, crc = self._sections[name]
        if name not in self._checked:
            if zlib.crc32(self._content[place:end]) != crc:
                self._damaged(f"section {name!r} does not have its checksum")
            self._checked.add(name)
        array = np.ndarray(shape, dtype, self._content, place)
        array.flags.writeable = False
        return array

    def texts(self, name: str) -> Texts:
        """What `add_texts` was given."""
        offsets, block = self[f"{name}.offsets"], self[f"{name}.utf8"]
        if (
            offsets.dtype != np.int64
            or block.dtype != np.uint8
            or offsets.ndim != 1
            or block.ndim != 1
            or not len(offsets)
            or offsets[0] != 0
            or offsets[-1] != len(block)
            or (offsets[1:] < offsets[:-1]).any()
        ):
            self._damaged(f"section {name!r} holds no strings")
        try:
            str(block.data, "utf-8")
        except UnicodeDecodeError as error:
            self._damaged(f"section {name!r}: {error}")
        if ((block[offsets[:-1][offsets[:-1] < len(block)]] & 0xC0) == 0x80).any():
            self._damaged(f"section {name!r}: a string begins inside a character")
        return Texts(block, offsets)

    def json(self, name: str) -> Any:
        """What `add_json` was given, with lists for tuples."""
        try:
            return json.loads(self[name].tobytes())
        except (ValueError, RecursionError) as error:
            self._damaged(f"section {name!r} is not JSON: {error}")

    def verify(self) -> None:
        """Check every section now."""
        for name in self._sections:
            self[name]

    # -- opening -------------------------------------------------------------------------------------------------

    def _table(self) -> dict[str, Any]:
        content = self._content
        if bytes(content[:8]) != MAGIC:
            raise FormatError("is no file of infmcs", path=self.path)
        if len(content) < HEADER.size:
            self._damaged("it is cut off")
        head = bytes(content[: HEADER.size])
        _, layout, check, place, length, total, own = HEADER.unpack(head)
        if zlib.crc32(head[:-4]) != own:
            self._damaged("its header does not have its checksum")
        if layout != LAYOUT:
            raise FormatError(f"has layout {layout}, this infmcs reads {LAYOUT}", path=self.path, hint="update infmcs")
        if total != len(content):
            self._damaged(f"it has {len(content):,} bytes of {total:,}")
        if not HEADER.size <= place <= place + length == total:
            self._damaged("its table is not at its end")
        if zlib.crc32(content[place:]) != check:
            self._damaged("its table does not have its checksum")
        self._end = place
        try:
            table = json.loads(bytes(content[place:]))
        except (ValueError, RecursionError) as error:
            self._damaged(f"its table is not JSON: {error}")
        if not isinstance(table, dict):
            self._damaged("its table makes no sense")
        return table

    def _laid_out(self, sections: list[dict[str, Any]]) -> dict[str, tuple[Any, tuple[int, ...], int, int, int]]:
        """The sections by name. They must fill the file without gap or overlap, or some byte would go unchecked."""
        found: dict[str, tuple[Any, tuple[int, ...], int, int, int]] = {}
        end = HEADER.size
        for section in sections:
            name, dtype, place, crc = section["name"], section["dtype"], section["place"], section["crc"]
            shape = tuple(section["shape"])
            if dtype not in DTYPES or not all(type(size) is int and 0 <= size < 1 << 48 for size in shape):
                raise ValueError(f"section {name!r:.60} is {dtype!r:.60} {shape!r:.60}")
            if name in found or not isinstance(name, str) or place != end or type(place) is not int or len(shape) > 8:
                raise ValueError(f"section {name!r:.60} is not where it should be")
            length = math.prod(shape) * np.dtype(dtype).itemsize
            end = place + length + -length % ALIGNED
            if end > self._end:
                raise ValueError(f"section {name!r:.60} leads out of the file")
            found[name] = (np.dtype(dtype), shape, place, end, crc)
        if end != self._end:
            raise ValueError("the sections do not fill the file")
        return found

    def _damaged(self, why: str) -> NoReturn:
        raise FormatError(f"is damaged: {why}", path=self.path, hint="the file was cut off or changed; write it again")


def _portable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as it stands in the file: contiguous, lowest byte first, of a kind every machine has."""
    array = np.asarray(array, order="C")
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        raise ValueError(f"a container cannot hold arrays of {array.dtype}")
    return array.astype(dtype, copy=False)
