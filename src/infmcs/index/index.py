"""The index: graphs kept ready for searches, in memory or in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.index import everything, searching, store
from infmcs.index.carried import Carried
from infmcs.index.contents import Contents, Filter
from infmcs.index.everything import Duplicates
from infmcs.index.result import Result
from infmcs.index.searching import TOP, Order, Wishes
from infmcs.index.segment import Segment, joined
from infmcs.index.signature import Scheme
from infmcs.index.vectors import Precision
from infmcs.pairs import Metric
from infmcs.solve import Budget

if TYPE_CHECKING:
    from infmcs.models import Infmcs

Array: TypeAlias = "npt.NDArray[Any]"
Progress: TypeAlias = "Callable[[int], object]"

NO_LIMIT = Budget()
DEFAULT = Question()
SEGMENT_GRAPHS = 100_000  # at most, of a new segment
NOTHING = np.zeros(0, np.int64)


class Index:
    """Graphs that can be searched. `build` makes one, `open` opens one that `save` has written.

    Every graph has an id, from 0 in the order of adding, which it keeps for good. Changes are made in memory, and on
    disk by `save`. Searches of other threads go on while an index is changed, with what they began with.
    """

    def __init__(
        self,
        contents: Contents,
        carried: Carried | None = None,
        path: Path | None = None,
        generation: int | None = None,
    ) -> None:
        self._contents = contents
        self._carried = carried
        self._generation = generation
        self.path = path

    # -- making and keeping ------------------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        collection: Collection | Iterable[Graph],
        model: Infmcs | str | os.PathLike[str] | None = None,
        *,
        precision: Precision = "int8",
        progress: Progress | None = None,
    ) -> Index:
        """An index of these graphs.

        model      what scores queries and orders approximate searches; the index carries it with it.
        precision  of the numbers the model stores a node: float32, float16 or int8.
        progress   is told how many graphs are done.
        """
        graphs = _collection(collection)
        carried = None if model is None else Carried.of(model, precision)
        index = cls(Contents((), NOTHING, Scheme.of(graphs), 0), carried)
        index.add(graphs, progress)
        return index

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """The index in a folder. Nothing is read before it is needed; then its checksum is checked."""
        found = store.read(path)
        return cls(found.contents, found.carried, Path(path), found.generation)

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write to a folder, or back to where it was opened. Readers see the old index or the new one, never a mixture.

        An index that another process has changed since it was opened is not overwritten: that is an error.
        """
        target = self.path if path is None else Path(path)
        if target is None:
            raise QuestionError("the index has no folder yet", hint="index.save(path)")
        same = self.path is not None and target.exists() and target.resolve() == self.path.resolve()
        self._generation = store.write(target, self._contents, self._carried, self._generation if same else None)
        self.path = target

    def warm(self, question: Question = DEFAULT, most: int | None = None) -> bool:
        """Keep all graphs prepared for such a question: searches get faster, for some kilobytes of memory a graph.

        most   do nothing, and return False, where that would take more rows of 64 neighbours than so many: a node has
               one for each 64 nodes of its graph, and each takes about 100 bytes.
        """
        sizes = self._contents.sizes
        if most is not None and int((sizes * -(-sizes // 64)).sum()) > most:
            return False
        for segment in self._contents.segments:
            segment.warm(question)
        return True

    def verify(self) -> None:
        """Check every byte now. A damaged file is a FormatError that names it."""
        for segment in self._contents.segments:
            segment.container.verify()

    # -- contents ----------------------------------------------------------------------------------------------

    def add(self, collection: Collection | Iterable[Graph], progress: Progress | None = None) -> Array:
        """Add graphs; returns their ids."""
        graphs, now = _collection(collection), self._contents
        segments = self._segments(graphs, np.arange(now.next_id, now.next_id + len(graphs)), progress)
        next_id = now.next_id + len(graphs)
        self._contents = Contents([*now.segments, *segments], now.deleted, now.scheme, next_id)
        return np.arange(now.next_id, next_id)

    def _segments(self, graphs: Collection, ids: Array, progress: Progress | None = None) -> list[Segment]:
        segments = []
        for first in range(0, len(graphs), SEGMENT_GRAPHS):
            part, carried = graphs[first : first + SEGMENT_GRAPHS], self._carried
            rows = None
            if carried is not None:
                rows = carried.vectors(part, _shifted(progress, first))
            digest = None if carried is None else carried.digest
            segments.append(Segment.of(part, ids[first : first + len(part)], self._contents.scheme, rows, digest))
            if progress is not None:
                progress(first + len(part))
        return segments

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
        segments = self._segments(self.collection(), now.ids[now.alive])
        self._contents = Contents(segments, NOTHING, now.scheme, now.next_id)

    @property
    def model(self) -> Infmcs | None:
        """The model it carries."""
        return None if self._carried is None else self._carried.model

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
            self._contents.place(int(id_))  # type: ignore[call-overload]  # anything may be asked for
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
        filter: Filter | None = None,
        budget: Budget | None = None,
        *,
        metric: Metric = "mcs",
        question: Question = DEFAULT,
        ties: bool = True,
        order: Order = "bounds",
    ) -> Result:
        """The graphs most similar to the query, each with a certified mapping, and whether their ranking is proven.

        top        how many; 10 when left out, or all above the threshold when that is given.
        exact      go on until the ranking is proven or the budget is spent; else solve only the most promising few, by
                   the rows of counts and, if the index carries a model, by the model, clipped to the bounds.
        threshold  only graphs of at least this similarity.
        filter     which graphs to look at: ids, or what columns must hold: {"nodes": (10, 20), "class": 1}.
        budget     of the whole search. When it is spent, `complete` is False and intervals are as wide as they are.
        metric     "mcs" or "ged"; `question` says which common subgraphs.
        ties       find out all graphs tied with the last hit, too.
        order      of an exact search: "model" solves the model's favourites first.
        """
        now = self._contents
        wishes = Wishes.of(top, threshold, metric, question, exact=exact, ties=ties, order=order)
        return searching.search(now, self._carried, query, wishes, now.chosen(filter), budget or NO_LIMIT)

    def search_many(
        self,
        queries: Iterable[Graph],
        top: int | None = None,
        exact: bool = True,
        threshold: float | None = None,
        filter: Filter | None = None,
        budget: Budget | None = None,
        *,
        metric: Metric = "mcs",
        question: Question = DEFAULT,
        ties: bool = False,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> list[Result]:
        """What `search` says of each query, in their order; the budget is that of one query."""
        now = self._contents
        wishes = Wishes.of(top, threshold, metric, question, exact=exact, ties=ties, order="bounds")
        chosen = now.chosen(filter)
        return everything.each(
            lambda query: searching.search(now, self._carried, query, wishes, chosen, budget or NO_LIMIT),
            list(queries),
            threads,
            progress,
        )

    def neighbours(
        self,
        top: int = TOP,
        *,
        metric: Metric = "mcs",
        question: Question = DEFAULT,
        budget: Budget | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> dict[int, Result]:
        """The graphs most similar to each graph of the index, itself left out, by its id."""
        wishes = Wishes.of(top, None, metric, question, exact=True, ties=False, order="bounds")
        return everything.neighbours(self._contents, wishes, budget or NO_LIMIT, threads, progress)

    def duplicates(
        self,
        threshold: float = 1.0,
        *,
        question: Question = DEFAULT,
        budget: Budget | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Duplicates:
        """Graphs that occur more than once: isomorphic ones, and below a threshold of 1 those at least so similar.

        Isomorphism is that of the question's labels. The budget is that of one graph's search for near ones.
        """
        if not 0 < threshold <= 1:
            raise QuestionError(f"duplicates are similar by more than 0 and at most 1, not {threshold!r}")
        return everything.duplicates(self._contents, threshold, question, budget or NO_LIMIT, threads, progress)


def _shifted(progress: Progress | None, by: int) -> Progress | None:
    return None if progress is None else lambda done: progress(by + done)


def _collection(graphs: Collection | Iterable[Graph]) -> Collection:
    return graphs if isinstance(graphs, Collection) else Collection.from_graphs(graphs)
