"""Where graphs are written to: one file, compressed where its name says so, a zip archive, or a folder.

A format gives files, each a name and its pieces of bytes; what takes them here is whole or not there.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias, cast

from infmcs import durable
from infmcs.collection import Collection
from infmcs.errors import FormatError

Files: TypeAlias = Iterable[tuple[str, Iterable[bytes]]]


def write(files: Files, path: str | os.PathLike[str] | IO[bytes], *, several: bool) -> None:
    """Write these files to `path`: a `.zip` archive, a folder (a name without suffix), or the one file there is."""
    if not isinstance(path, str | os.PathLike):
        _write_only(files, path)
        return
    name = Path(path).name.lower()
    if name.endswith(".zip"):
        with durable.writing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, pieces in files:
                with archive.open(_dated(member), "w") as target:
                    target.writelines(pieces)
    elif several and is_folder(path):
        with _folder(Path(path)) as folder:
            for member, pieces in files:
                with open(folder / member, "wb") as target:
                    target.writelines(pieces)
    else:
        with durable.writing(path) as file, _packed(file, name) as target:
            _write_only(files, target)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this name would be a folder: it is one, ends in a slash or has no suffix."""
    return os.fspath(path).endswith(("/", os.sep)) or Path(path).is_dir() or not Path(path).suffix


def file_names(collection: Collection, stem: str, suffix: str) -> Iterator[str]:
    """A file name for each graph: its own name where that is possible, safe in a folder, each once."""
    digits = len(str(len(collection)))
    names = collection.names or ([stem] if len(collection) == 1 else [f"{i:0{digits}}" for i in range(len(collection))])
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"[^\w.+=@,()-]", "_", name)[:100].strip(".") or "graph"
        tried, again = plain, 1
        while tried.lower() in taken:
            again += 1
            tried = f"{plain}-{again}"
        taken.add(tried.lower())
        yield tried + suffix


def _write_only(files: Files, target: IO[bytes]) -> None:
    for count, (_, pieces) in enumerate(files):
        if count:
            raise FormatError(
                "the graphs need several files: this format holds one graph a file",
                hint="name a folder or a .zip, or take a format that holds many, such as jsonl",
            )
        target.writelines(pieces)


@contextmanager
def _packed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """The file itself, or one that compresses into it."""
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif name.endswith(".xz"):
        with lzma.LZMAFile(file, "wb") as packed:
            yield cast(IO[bytes], packed)
    elif name.endswith(".bz2"):
        with bz2.BZ2File(file, "wb") as packed:
            yield cast(IO[bytes], packed)
    else:
        yield file


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """A folder that appears whole; one that holds files already is not touched."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FormatError("is there already", path=path, hint="name a new folder, or an empty one")
    parent = path.absolute().parent
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=parent))
    try:
        yield temporary
        temporary.chmod(0o755)
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _dated(name: str) -> zipfile.ZipInfo:
    """A member whose bytes do not depend on the clock."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
