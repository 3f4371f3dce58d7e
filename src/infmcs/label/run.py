"""The work of labelling: in chunks, each a whole file, under a lock, on one pair of equal graphs in place of all such.

While work goes on, finished chunks lie in the folder OUTPUT.part, named by the pairs they hold. A run that starts
again reads them, goes on after the last, joins them when all are there, and removes the folder.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs import durable, pairs, provenance, solve
from infmcs.certify import EditCosts, Question
from infmcs.collection import Collection
from infmcs.errors import FormatError, InfmcsError, QuestionError
from infmcs.label import table
from infmcs.label.table import Labels
from infmcs.pairs import Selection
from infmcs.solve import Budget

DEFAULT_VISITS = {"mcs": 1_000_000, "ged": 20_000}
FIRST_CHUNK, LARGEST_CHUNK = 256, 1 << 18
SECONDS_A_CHUNK = 5.0  # what a kill may cost
KNOWN_CLASSES = 1750  # so many classes, and what is known of all pairs of them fits in 100 MB

Progress = Callable[[int], object]
Solved = npt.NDArray[Any]


def label(
    collection: Collection,
    selection: Selection,
    *,
    output: str | os.PathLike[str],
    metric: pairs.Metric = "mcs",
    question: Question = Question(),
    costs: EditCosts = EditCosts(),
    budget: Budget | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Labels:
    """Label these pairs into the file `output` and give them back. If the file is there, it is read.

    question   which common subgraphs; costs: which edits. Each belongs to its metric.
    budget     of each pair, in visits: labels must be the same on every machine, so seconds are refused
    progress   is told the number of finished pairs

    Equal graphs are solved once, in the numbering in which they first occur: labels do not depend on the order of
    pairs, on threads, or on where a run was interrupted.
    """
    path = Path(output)
    work = _Work(collection, selection, metric, question, costs, _checked(budget, metric), threads)
    folder = path.with_name(path.name + ".part")
    with _alone(folder, path):
        if path.exists():
            _require_same(table.facts_of(path), work.facts, path)
        else:
            _begin(folder, work)
            _proceed(folder, work, progress)
            table.write_parts(map(table.read, [*_chunks(folder).values()]), _facts(work), path)
        shutil.rmtree(folder, ignore_errors=True)
    return table.read(path)


def _checked(budget: Budget | None, metric: pairs.Metric) -> Budget:
    most = DEFAULT_VISITS[pairs.metric(metric)]
    if budget is None:
        return Budget(visits=most)
    if budget.seconds is not None:
        raise QuestionError("a budget in seconds gives other labels on every machine", hint="give it in visits")
    return budget


class _Work:
    """What is to be done, and how one chunk of it is."""

    def __init__(
        self,
        collection: Collection,
        selection: Selection,
        metric: pairs.Metric,
        question: Question,
        costs: EditCosts,
        budget: Budget,
        threads: int,
    ) -> None:
        self.collection, self.selection, self.metric = collection, selection, metric
        self._budget, self._threads = budget, threads
        self._meant = {"question": question} if metric == "mcs" else {"costs": costs}
        seen = question if metric == "mcs" else costs  # both say which labels and directions count
        counts = Question(node_labels=seen.node_labels, edge_labels=seen.edge_labels, directed=seen.directed)
        self._mirrored = metric == "mcs" or costs.unit is not None  # whether a pair may be turned around
        self._sizes = pairs.sizes(collection, metric, question)
        self._owner = solve.classes(collection, counts).astype(np.int64)
        _, self._firsts = np.unique(self._owner, return_index=True)
        self._known: Solved | None = None  # rows of lower, upper, proved, visited by key; −1 where nothing is known
        if len(self._firsts) <= KNOWN_CLASSES:
            self._known = np.full((4, len(self._firsts) ** 2), -1.0)
        self.facts: dict[str, Any] = {
            "kind": table.KIND,
            "version": table.VERSION,
            "metric": metric,
            **{name: _plain(dataclasses.asdict(what)) for name, what in self._meant.items()},
            "budget": {"visits": budget.visits},
            "pairs": len(selection),
            "graphs": len(collection),
            "digest": collection.digest,
        }

    def remember(self, labels: Labels) -> None:
        """Remember what was solved before."""
        if self._known is not None:
            self._known[:, self._keys(labels.pairs)] = labels.lower, labels.upper, labels.proved, labels.visited

    def solved(self, first: int, last: int, progress: Progress | None) -> Labels:
        """The labels of pairs first to last − 1."""
        rows = self.selection[first:last]
        keys, back = np.unique(self._keys(rows), return_inverse=True)
        values = self._values(keys, progress, len(rows) / max(1, len(keys)), first)
        lower, upper, proved, visited = (column[back] for column in values)
        sizes = self._sizes[rows[:, 0]], self._sizes[rows[:, 1]]
        least, most = pairs.interval(self.metric, lower, upper, *sizes)
        return Labels(rows, lower, upper, proved, visited, least, most, self.facts)

    def _keys(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """One number for each pair of classes."""
        owners = self._owner[rows]
        if self._mirrored:
            owners = np.sort(owners, axis=1)
        return np.asarray(owners[:, 0] * len(self._firsts) + owners[:, 1])

    def _values(
        self, keys: npt.NDArray[np.int64], progress: Progress | None, pairs_a_key: float, before: int
    ) -> tuple[Solved, Solved, Solved, Solved]:
        new = keys if self._known is None else keys[self._known[3, keys] < 0]
        rows = self._firsts[np.stack(np.divmod(new, max(1, len(self._firsts))), axis=1)]
        tell = None if progress is None else (lambda done: progress(before + int(done * pairs_a_key)))
        values = solve.pairs(
            self.collection,
            rows,
            metric=self.metric,
            budget=self._budget,
            threads=self._threads,
            progress=tell,
            **self._meant,
        )
        if self._known is None:
            return values.lower, values.upper, values.proved, values.visited
        self._known[:, new] = values.lower, values.upper, values.proved, values.visited
        lower, upper, proved, visited = self._known[:, keys]
        whole = values.lower.dtype, values.upper.dtype
        return lower.astype(whole[0]), upper.astype(whole[1]), proved.astype(bool), visited.astype(np.int64)


@contextmanager
def _alone(folder: Path, path: Path) -> Iterator[None]:
    """The only process that labels into this file. A full disk is told as what it is: nothing finished is lost."""
    try:
        folder.mkdir(exist_ok=True)
        with durable.held(folder / "lock") as ours:
            if not ours:
                raise FormatError(
                    "another process is labelling into it", path=path, hint="wait for it, or choose another output"
                )
            yield
    except OSError as error:
        if isinstance(error, InfmcsError):
            raise
        raise FormatError(
            f"cannot be written: {error.strerror or error}",
            path=path,
            hint=f"finished chunks are safe in {folder.name}; run the same again to go on",
        ) from error


def _begin(folder: Path, work: _Work) -> None:
    """Write down what is meant, or see that what was begun here is the same."""
    plan = folder / "plan.json"
    if not plan.exists():
        durable.write_text(plan, json.dumps(work.facts))
    _require_same(json.loads(plan.read_text()), work.facts, folder)


def _require_same(there: Mapping[str, Any], here: Mapping[str, Any], path: Path) -> None:
    for name, value in here.items():
        if there.get(name) != value:
            raise FormatError(
                f"holds labels with {name} {there.get(name)!r:.80}, not {value!r:.80}",
                path=path,
                hint="choose another output, or remove this one",
            )


def _proceed(folder: Path, work: _Work, progress: Progress | None) -> None:
    """Chunk after chunk until all pairs are labelled. Their size follows the time they take."""
    total, finished, size = len(work.selection), 0, FIRST_CHUNK
    for (first, last), file in _chunks(folder).items():
        done = table.read(file)
        if first != finished or not np.array_equal(done.pairs, work.selection[first:last]):
            raise FormatError("does not continue the chunks before it", path=file, hint=f"remove {folder.name}")
        work.remember(done)
        finished = last
    while finished < total or not total:
        last = min(total, finished + size)
        started = time.monotonic()
        table.write(work.solved(finished, last, progress), folder / f"{finished:012}-{last:012}.parquet")
        finished = last
        if progress is not None:
            progress(last)
        seconds = time.monotonic() - started
        if seconds < SECONDS_A_CHUNK / 4:
            size = min(2 * size, LARGEST_CHUNK)
        elif seconds > SECONDS_A_CHUNK:
            size = max(1, int(size * SECONDS_A_CHUNK / seconds))
        if not total:
            break


def _chunks(folder: Path) -> dict[tuple[int, int], Path]:
    """The finished chunks by the pairs they hold, in order."""
    found = {}
    for file in folder.iterdir():
        if match := re.fullmatch(r"(\d{12})-(\d{12})\.parquet", file.name):
            found[int(match[1]), int(match[2])] = file
    return dict(sorted(found.items()))


def _facts(work: _Work) -> dict[str, Any]:
    return {**work.facts, "provenance": provenance.record()}


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return value
