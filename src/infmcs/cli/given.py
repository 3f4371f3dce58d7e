"""What commands are given: graphs by path or by the name of a data set, with completion of both in the shell."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infmcs.cli.output import progress, warn

if TYPE_CHECKING:
    from infmcs.collection import Collection


def complete(incomplete: str) -> list[str]:
    """Names of data sets and of files that begin so."""
    from infmcs import datasets

    names = [name for name in datasets.NAMES if name.startswith(incomplete)]
    return names + files(incomplete)


def files(incomplete: str) -> list[str]:
    """Files and folders that begin so; a folder ends in a slash, so that one can go on into it."""
    folder, _, start = incomplete.rpartition("/")
    home = Path(folder + "/" if folder or incomplete.startswith("/") else ".").expanduser()
    prefix = f"{folder}/" if "/" in incomplete else ""
    try:
        found = sorted(entry for entry in home.iterdir() if entry.name.startswith(start))
    except OSError:
        return []
    hidden = start.startswith(".")
    return [f"{prefix}{entry.name}{'/' * entry.is_dir()}" for entry in found if hidden or entry.name[0] != "."]


Graphs = Annotated[
    str,
    typer.Argument(
        help="A file, folder or archive of graphs, or the name of a data set.",
        autocompletion=complete,
        show_default=False,
    ),
]


def graphs(given: str, format_: str | None = None, **options: Any) -> Collection:
    """The graphs of a file, folder or archive, of an index, of standard input, or of a data set by its name.

    Options that are None were not given. Warnings go to stderr, each once.
    """
    from infmcs import datasets, formats
    from infmcs.errors import FormatError

    options = {key: value for key, value in options.items() if value is not None}
    if given != "-" and not Path(given).exists():
        if given in datasets.NAMES and format_ is None:
            return datasets.load(given)
        raise FormatError("is not there", path=given, hint=f"or name a data set: {', '.join(datasets.NAMES)}")
    if given and Path(given).is_dir() and format_ is None:
        from infmcs.index import Index, store

        if (Path(given) / store.LIST).is_file():
            return Index.open(given).collection()
    with told_warnings(), progress(f"reading {Path(given).name}", 1000) as tell:
        source: Any = sys.stdin.buffer if given == "-" else given
        return formats.read(source, format_, progress=lambda share: tell(round(1000 * share)), **options)


@contextmanager
def told_warnings() -> Iterator[None]:
    """Warnings as lines on stderr, without the place in our code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for message in dict.fromkeys(str(each.message) for each in caught):
                warn(f"warning: {message}")
