"""The index: graphs kept ready for searches, in memory or in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.index import best_first, bounds, store
from infmcs.index.best_first import Found, Ranking, Spending
from infmcs.index.contents import Contents, Filter
from infmcs.index.result import Hit, Result
from infmcs.index.segment import Segment, joined
from infmcs.index.signature import Scheme
from infmcs.pairs import METRICS, Metric
from infmcs.solve import Budget

Array: TypeAlias = "npt.NDArray[Any]"
Progress: TypeAlias = "Callable[[int], object]"

TOP = 10
NO_LIMIT = Budget()
DEFAULT = Question()
SEGMENT_GRAPHS = 100_000  # at most, of a new segment
NOTHING = np.zeros(0, np.int64)


class Index:
    """Graphs that can be searched. `build` makes one, `open` opens one that `save` has written.

    Every graph has an id, from 0 in the order of adding, which it keeps for good. Changes are made in memory, and on
    disk by `save`. Searches of other threads go on while an index is changed, with what they began with.
    """

    def __init__(self, contents: Contents, path: Path | None = None, generation: int | None = None) -> None:
        self._contents = contents
        self._generation = generation
        self.path = path

    # -- making and keeping ------------------------------------------------------------------------------------

    @classmethod
    def build(cls, collection: Collection | Iterable[Graph], model: Any = None) -> Index:
        """An index of these graphs."""
        if model is not None:
            raise QuestionError("an index cannot carry a model yet")
        graphs = _collection(collection)
        index = cls(Contents((), NOTHING, Scheme.of(graphs), 0))
        index.add(graphs)
        return index

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """The index in a folder. Nothing is read before it is needed; then its checksum is checked."""
        found = store.read(path)
        return cls(found.contents, Path(path), found.generation)

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write to a folder, or back to where it was opened. Readers see the old index or the new one, never a mixture.

        An index that another process has changed since it was opened is not overwritten: that is an error.
        """
        target = self.path if path is None else Path(path)
        if target is None:
            raise QuestionError("the index has no folder yet", hint="index.save(path)")
        same = self.path is not None and target.exists() and target.resolve() == self.path.resolve()
        self._generation, _ = store.write(target, self._contents, None, self._generation if same else None)
        self.path = target

    def verify(self) -> None:
        """Check every byte now. A damaged file is a FormatError that names it."""
        for segment in self._contents.segments:
            segment.container.verify()

    # -- contents ----------------------------------------------------------------------------------------------

    def add(self, collection: Collection | Iterable[Graph]) -> Array:
        """Add graphs; returns their ids."""
        graphs, now = _collection(collection), self._contents
        segments, next_id = list(now.segments), now.next_id
        for first in range(0, len(graphs), SEGMENT_GRAPHS):
            part = graphs[first : first + SEGMENT_GRAPHS]
            segments.append(Segment.of(part, np.arange(next_id, next_id + len(part)), now.scheme))
            next_id += len(part)
        self._contents = Contents(segments, now.deleted, now.scheme, next_id)
        return np.arange(now.next_id, next_id)

    def delete(self, ids: int | Iterable[int]) -> None:
        """Take graphs out, by id. Their room on disk is given back by `compact`."""
        now = self._contents
        wanted = [ids] if isinstance(ids, int | np.integer) else list(ids)
        for one in wanted:
            now.place(int(one))
        deleted = np.union1d(now.deleted, np.array(wanted, np.int64))
        self._contents = Contents(now.segments, deleted, now.scheme, now.next_id)

    def merge(self, other: Index) -> Array:
        """Add all graphs of another index; returns the ids they have here."""
        return self.add(other.collection())

    def compact(self) -> None:
        """Put all graphs into as few segments as possible, without those deleted. Ids stay."""
        now = self._contents
        graphs, ids, segments = self.collection(), now.ids[now.alive], []
        for first in range(0, len(graphs), SEGMENT_GRAPHS):
            part = slice(first, first + SEGMENT_GRAPHS)
            segments.append(Segment.of(graphs[part], ids[part], now.scheme))
        self._contents = Contents(segments, NOTHING, now.scheme, now.next_id)

    @property
    def ids(self) -> Array:
        """The ids of all graphs, rising."""
        return np.asarray(self._contents.ids[self._contents.alive])

    def graph(self, id_: int) -> Graph:
        """The graph of an id."""
        return self._contents.graph(self._contents.place(id_))

    def collection(self) -> Collection:
        """All graphs, in the order of their ids."""
        now = self._contents
        parts = []
        for segment, start in zip(now.segments, now.starts, strict=False):
            here = now.alive[start : start + len(segment)]
            if here.any():
                parts.append((segment, np.flatnonzero(here)))
        return joined(parts)

    def __len__(self) -> int:
        return self._contents.count

    def __contains__(self, id_: object) -> bool:
        try:
            self._contents.place(int(id_))  # type: ignore[call-overload]
        except (QuestionError, TypeError, ValueError):
            return False
        return True

    def __iter__(self) -> Iterator[Graph]:
        now = self._contents
        return (now.graph(int(place)) for place in np.flatnonzero(now.alive))

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else self.path.name
        return f"Index({len(self):,} graphs, {where})"

    # -- searching ---------------------------------------------------------------------------------------------

    def search(
        self,
        query: Graph,
        top: int | None = None,
        exact: bool = True,
        threshold: float | None = None,
        filter: Filter | None = None,  # noqa: A002  the word users know
        budget: Budget | None = None,
        *,
        metric: Metric = "mcs",
        question: Question = DEFAULT,
        ties: bool = True,
    ) -> Result:
        """The graphs most similar to the query, each with a certified mapping, and whether their ranking is proven.

        top        how many; 10 when left out, or all above the threshold when that is given.
        exact      go on until the ranking is proven or the budget is spent; else solve only the most promising few.
        threshold  only graphs of at least this similarity.
        filter     which graphs to look at: ids, or what columns must hold: {"nodes": (10, 20), "class": 1}.
        budget     of the whole search. When it is spent, `complete` is False and intervals are as wide as they are.
        metric     "mcs" or "ged"; `question` says which common subgraphs.
        ties       find out all graphs tied with the last hit, too.
        """
        started = perf_counter()
        now = self._contents
        top, least = _wishes(top, threshold, metric)
        uppers = bounds.uppers(now, query, metric, question)
        places = np.flatnonzero(now.chosen(filter))
        order = places[np.argsort(-uppers[places], kind="stable")]
        ranking, spending = Ranking(top, least), Spending(budget or NO_LIMIT, NO_LIMIT)
        few = order if exact else order[: max(5 * (top or 0), 50)]
        solver = best_first.solver_of(metric, question)
        looked = best_first.run(query, now.graph, few, uppers, solver, ranking, spending, ties)
        if looked == len(few) < len(order):
            ranking.leave(float(uppers[order[looked]]))
        hits = tuple(_hit(now, found, metric) for found in ranking.best)
        return Result(
            hits,
            ranking.complete,
            ranking.beyond,
            tuple(int(now.ids[found.place]) for found in ranking.tied),
            metric,
            len(order),
            len(order) - spending.solved,
            spending.solved,
            spending.visited,
            perf_counter() - started,
        )


def _hit(contents: Contents, found: Found, metric: Metric) -> Hit:
    return Hit(
        int(contents.ids[found.place]),
        contents.name(found.place),
        found.lower,
        found.lower,
        found.upper,
        found.proved,
        found.mapping,
        None,
        int(found.value) if metric == "mcs" else None,
        found.value if metric == "ged" else None,
    )


def _wishes(top: int | None, threshold: float | None, metric: Metric) -> tuple[int | None, float]:
    if metric not in METRICS:
        raise QuestionError(f"there is no metric {metric!r}", hint=f"known: {', '.join(METRICS)}")
    if top is not None and (not isinstance(top, int | np.integer) or isinstance(top, bool) or top < 1):
        raise QuestionError(f"top must be a whole number from 1, not {top!r}")
    if threshold is not None and not 0 <= threshold <= 1:
        raise QuestionError(f"a similarity lies between 0 and 1, so the threshold cannot be {threshold!r}")
    if top is None and threshold is None:
        return TOP, 0.0
    return top, 0.0 if threshold is None else float(threshold)


def _collection(graphs: Collection | Iterable[Graph]) -> Collection:
    return graphs if isinstance(graphs, Collection) else Collection.from_graphs(graphs)
