"""Graphs from files and into files. `read` recognises the format; what comes back is always a `Collection`.

Compressed files (.gz .xz .bz2), archives (.zip .tar, compressed or not) and folders are read in place, within `Limits`.
Nothing is extracted to disk and nothing is unpickled. Whatever is wrong with a file becomes a `FormatError` that names
the file and the place in it.
"""

from __future__ import annotations

import os
from typing import Any

from infmcs.collection import Collection
from infmcs.formats import registry
from infmcs.formats.registry import FORMATS, Format
from infmcs.formats.source import Limits, Progress, Source

__all__ = ["FORMATS", "Format", "Limits", "read"]


def read(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002  the word users know
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Collection:
    """The graphs of a file, folder or archive.

    format     its name (see FORMATS), where the file should not be asked
    progress   is told how much is done, from 0 to 1
    options    what the format takes: first_node=1 where nodes count from 1, directed=True or False against the file
    """
    source = Source(path, limits or Limits(), progress)
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
