"""An index on disk: a folder with a list of contents, segments and, where there is one, the model.

Segments never change, and the list is replaced in one step, last of all. So a reader sees the old index or the new one
whole, at whatever moment a writer is stopped; what a stopped writer left behind is removed by the next. One writer at
a time holds the lock; readers need none.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infmcs import durable
from infmcs.errors import FormatError, ModelError
from infmcs.formats import container
from infmcs.formats.container import Container
from infmcs.index.carried import Carried
from infmcs.index.contents import Contents
from infmcs.index.segment import KIND as SEGMENT
from infmcs.index.segment import VERSION as SEGMENT_VERSION
from infmcs.index.segment import Segment, name_from
from infmcs.index.signature import Scheme

KIND, VERSION = "index", 1
LIST, LOCK = "contents", "lock"
PATIENCE = 5.0  # seconds a writer waits for another one
TRIES = 5  # a reader may meet a list whose segments are removed while it opens them


@dataclass(frozen=True)
class Stored:
    """An index as it was found on disk."""

    contents: Contents
    generation: int
    carried: Carried | None


def read(path: str | os.PathLike[str]) -> Stored:
    """The newest whole index at a path."""
    if not os.fspath(path):  # pathlib takes it for the current folder
        raise FormatError("an empty path names no index", hint="infmcs index GRAPHS -o FOLDER makes one")
    folder = Path(path)
    for attempt in range(TRIES):
        try:
            return _read(folder)
        except _GoneError as gone:
            if attempt == TRIES - 1:
                raise FormatError(
                    f"lacks {gone}", path=os.fspath(path), hint="files of the index were removed; build it again"
                ) from None
            time.sleep(0.01 * 2**attempt)
    raise AssertionError("unreachable")


class _GoneError(Exception):
    pass


def _read(folder: Path) -> Stored:
    if not (folder / LIST).is_file():
        what = "is no index" if folder.exists() else "is not there"
        raise FormatError(what, path=os.fspath(folder), hint="infmcs index GRAPHS -o FOLDER makes one")
    listed = Container.open(folder / LIST, KIND, VERSION)
    told = listed.json("index")
    segments = []
    for entry in told["segments"]:
        try:
            opened = Container.open(folder / _file(entry["key"]), SEGMENT, SEGMENT_VERSION)
        except FormatError:
            if not (folder / _file(entry["key"])).exists():
                raise _GoneError(_file(entry["key"])) from None
            raise
        segment = Segment(opened)
        if segment.model != told["model"]:
            raise ModelError(
                f"{folder.name}: the vectors of {_file(entry['key'])} are those of another model",
                hint="build the index again with one model",
            )
        if segment.key != entry["key"] or len(segment) != entry["count"]:
            raise FormatError("is the segment of another index", path=os.fspath(folder / _file(entry["key"])))
        segments.append(segment)
    scheme = Scheme(tuple(map(name_from, told["labels"])))
    contents = Contents(segments, listed["deleted"], scheme, int(told["next_id"]))
    carried = None
    if told["model"] is not None:
        try:
            carried = Carried.read(folder / _model(told["model"]), told["model"], told["precision"])
        except FileNotFoundError:
            raise _GoneError(_model(told["model"])) from None
    return Stored(contents, int(told["generation"]), carried)


def write(path: str | os.PathLike[str], contents: Contents, carried: Carried | None, generation: int | None) -> int:
    """Replace the index at a path by these contents. Returns the new generation.

    generation   what the caller began with; another one on disk means that somebody else has written since, which is
                 an error. None replaces whatever is there.
    """
    folder = Path(path)
    _prepare(folder)
    with _writing(folder):
        now = _generation(folder)
        if generation is not None and now != generation:
            raise FormatError(
                "was changed by another writer since it was opened",
                path=os.fspath(path),
                hint="open it again and repeat the change",
            )
        digest = None if carried is None else carried.digest
        if carried is not None and not (folder / _model(carried.digest)).exists():
            durable.write_bytes(folder / _model(carried.digest), carried.content)
        for segment in contents.segments:
            if not (folder / _file(segment.key)).exists():
                segment.write(folder / _file(segment.key))
        told = {
            "generation": now + 1,
            "next_id": contents.next_id,
            "segments": [{"key": segment.key, "count": len(segment)} for segment in contents.segments],
            "labels": contents.scheme.labels,
            "model": digest,
            "precision": None if carried is None else carried.precision,
        }
        with container.writing(folder / LIST, KIND, VERSION) as file:
            file.add_json("index", told)
            file.add("deleted", np.asarray(contents.deleted, np.int64))
        _sweep(folder, contents, digest)
    return now + 1


def _prepare(folder: Path) -> None:
    if folder.is_dir():
        if not (folder / LIST).exists() and any(not _ours(name) for name in os.listdir(folder)):
            raise FormatError("is a folder that holds something else", path=os.fspath(folder), hint="name a new folder")
        return
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise FormatError(f"cannot become an index: {error.strerror}", path=os.fspath(folder)) from None


def _ours(name: str) -> bool:
    return name == LOCK or name.startswith((".", "segment-", "model-"))


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """The one writer's turn. The system takes the lock back from a writer that is killed."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", path=os.fspath(folder)) from None
    try:
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > ends:
                    raise FormatError(
                        "is being written by another process", path=os.fspath(folder), hint="wait until it is done"
                    ) from None
                time.sleep(0.02)
        yield
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", path=os.fspath(folder)) from error
    finally:
        os.close(handle)


def _generation(folder: Path) -> int:
    if not (folder / LIST).exists():
        return 0
    return int(Container.open(folder / LIST, KIND, VERSION).json("index")["generation"])


def _sweep(folder: Path, contents: Contents, digest: str | None) -> None:
    """Remove what no list names any more. Readers that have it open keep it until they let go."""
    kept = {LIST, LOCK, *(_file(segment.key) for segment in contents.segments)}
    if digest is not None:
        kept.add(_model(digest))
    for name in os.listdir(folder):
        unfinished = name.startswith(".") and name.endswith(".part")
        if name not in kept and (unfinished or name.startswith(("segment-", "model-"))):
            (folder / name).unlink(missing_ok=True)


def _model(digest: str) -> str:
    return f"model-{digest}.safetensors"


def _file(key: str) -> str:
    return f"segment-{key}"
