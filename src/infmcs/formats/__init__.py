"""Graphs from files and into files. `read` recognises the format; what comes back is always a `Collection`.

Compressed files (.gz .xz .bz2), archives (.zip .tar, compressed or not) and folders are read in place, within `Limits`.
Nothing is extracted to disk and nothing is unpickled. Whatever is wrong with a file becomes a `FormatError` that names
the file and the place in it. `write` leaves a whole file or none.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import IO, Any

from infmcs import durable
from infmcs.collection import Collection
from infmcs.errors import FormatError, GraphError
from infmcs.formats import registry, target
from infmcs.formats.registry import FORMATS, Format
from infmcs.formats.source import Limits, Progress, Readable, Source

__all__ = ["FORMATS", "Format", "Limits", "read", "write"]


def read(
    path: Readable,
    format: str | None = None,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Collection:
    """The graphs of a file, folder or archive, or of an open binary file.

    format     its name (see FORMATS), where the file should not be asked
    progress   is told how much is done, from 0 to 1
    options    what the format takes: first_node=1 where nodes count from 1, directed=True or False against the file
    """
    source = Source(path, limits or Limits(), progress)
    try:
        if format is None:
            kind, members = registry.detected(source)
        else:
            kind = registry.named(format, source)
            members = registry.of_format(source, kind)
        for option in options:
            if option not in kind.options:
                takes = ", ".join(sorted(kind.options)) or "none"
                raise source.error(f"{kind.name} has no option {option!r}", hint=f"it takes {takes}")
        return kind.read(source, members, options)
    finally:
        source.close()


def write(
    collection: Collection,
    path: str | os.PathLike[str] | IO[bytes],
    format: str | None = None,
    *,
    progress: Progress | None = None,
) -> None:
    """The collection as a file, packed where the name ends in .gz, .xz or .bz2; or as a .zip or a folder of files.

    The suffix tells the format where `format` does not. What a format cannot hold is left out with a warning; what it
    would turn into something else, such as a label of blanks between blanks, is a FormatError and nothing is written.
    """
    if isinstance(path, str | os.PathLike) and durable.is_stream(path):
        try:
            with open(path, "wb") as stream:
                write(collection, stream, format, progress=progress)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise FormatError(f"cannot be written: {error.strerror or error}", path=os.fspath(path)) from None
        return
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else "the stream"
    kind = registry.for_writing(name, format)
    if kind.save is not None and not isinstance(path, str | os.PathLike):
        raise FormatError(f"{kind.name} is a file to be mapped, not a stream", hint="name a file")
    lost = sorted(what for what in _held(collection) if what not in kind.holds)
    if lost:
        warnings.warn(f"{kind.name} files hold no {', no '.join(lost)}: left out", stacklevel=2)
    try:
        if kind.save is not None:
            kind.save(collection, name)
        elif kind.files is not None:
            stem = PurePath(name).name.split(".")[0] or "graphs"
            files = _told(kind.files(collection, stem), len(collection), progress)
            target.write(files, path, several=kind.several)
    except GraphError as error:
        raise FormatError(error.message, path=name, hint=error.hint) from None
    except FormatError as error:
        if error.path is not None:
            raise
        raise FormatError(error.message, path=name, hint=error.hint) from None
    except BrokenPipeError:
        raise  # whoever read the stream has enough, as `head` does
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path=name) from None


def _held(collection: Collection) -> Iterator[str]:
    """What a collection holds beside nodes and edges."""
    present = {
        "labels": collection.vocabulary.nodes != (None,),
        "edge labels": collection.edge_labels is not None,
        "features": collection.features is not None,
        "directions": collection.directed,
        "names": collection.names is not None,
        "columns": bool(collection.columns),
    }
    return (what for what, there in present.items() if there)


def _told(files: target.Files, total: int, progress: Progress | None) -> target.Files:
    """The same files; the progress hears of every hundredth piece."""
    done = 0

    def counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal done
        for piece in pieces:
            done += 1
            if progress is not None and not done % 100:
                progress(min(1.0, done / max(1, total)))
            yield piece

    return ((name, counted(pieces)) for name, pieces in files)
