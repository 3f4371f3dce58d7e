"""How commands speak: answers to stdout, as a table or as JSON; progress and warnings to stderr."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

PATIENCE = 1.0  # seconds of silence before a bar appears


def show_json(answer: Any) -> None:
    """An answer for programs."""
    typer.echo(json.dumps(answer, ensure_ascii=False, indent=2))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """An answer for people. Columns whose every cell is a number stand right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text  # plain words, where a string would be read as markup: c1cc[nH]c1

    rows = [list(row) for row in rows]
    table = Table(title=None if title is None else Text(plain(title)), box=box.SIMPLE_HEAD, title_justify="left")
    for place, column in enumerate(columns):
        numeric = all(isinstance(row[place], int | float) or row[place] is None for row in rows)
        table.add_column(column, justify="right" if numeric and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain(_cell(value))) for value in row))
    console = Console()
    if not console.is_terminal:  # a file or a pipe has no width to fit into
        console = Console(width=max(200, console.width))
    console.print(table)


def say(answer: str) -> None:
    """An answer for people, in words."""
    typer.echo(_in_lines(answer))


def warn(message: str) -> None:
    """A remark that is no part of the answer."""
    typer.echo(_in_lines(message), err=True)


def plain(name: str) -> str:
    """A name from a file, in one line: what would steer the terminal or turn text around is written out."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)


def _in_lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A callback that takes the number of finished items, and words to show after the name of the work; work that lasts
    shows a bar with the time left.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(plain(what), total=total)
    started = time.monotonic()

    def tell(finished: int, words: str = "") -> None:
        if not bar.live.is_started and time.monotonic() - started > PATIENCE:
            bar.start()
        bar.update(task, completed=finished, description=plain(f"{what} {words}".rstrip()))

    try:
        yield tell
    finally:
        if bar.live.is_started:  # one that never began would leave an empty line
            bar.stop()


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
