"""What an index holds at one moment: its segments and which of their graphs are deleted. It never changes, so that a
search goes on with what it began with, whatever is added meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs.collection import Texts
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.index.segment import Segment
from infmcs.index.signature import Scheme

Array = npt.NDArray[Any]
Filter: TypeAlias = "Mapping[str, Any] | Sequence[int] | Array"


class Contents:
    """Segments one after another; a graph's place counts through all of them."""

    def __init__(self, segments: Sequence[Segment], deleted: Array, scheme: Scheme, next_id: int) -> None:
        self.segments = tuple(segments)
        self.deleted = deleted  # ids, rising
        self.scheme = scheme
        self.next_id = next_id

    @cached_property
    def starts(self) -> Array:
        """The first place of each segment, and the number of places."""
        return np.concatenate(([0], np.cumsum([len(segment) for segment in self.segments]))).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def ids(self) -> Array:
        """The id at each place, rising."""
        return _joined([segment.ids for segment in self.segments])

    @cached_property
    def sizes(self) -> Array:
        """Nodes at each place."""
        return _joined([segment.sizes for segment in self.segments])

    @cached_property
    def edge_counts(self) -> Array:
        """Edges at each place."""
        return _joined([segment.edge_counts for segment in self.segments])

    @cached_property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Whether the graph at a place is there still."""
        found = np.ones(len(self), bool)
        found[np.searchsorted(self.ids, self.deleted)] = False
        return found

    @cached_property
    def count(self) -> int:
        """How many graphs there are."""
        return len(self) - len(self.deleted)

    def place(self, id_: int) -> int:
        """Where the graph of this id is."""
        place = int(np.searchsorted(self.ids, id_))
        if place >= len(self) or self.ids[place] != id_ or not self.alive[place]:
            raise QuestionError(f"the index has no graph {id_}")
        return place

    def located(self, place: int) -> tuple[Segment, int]:
        """The segment of a place, and the place within it."""
        at = int(np.searchsorted(self.starts, place, side="right")) - 1
        return self.segments[at], place - int(self.starts[at])

    def graph(self, place: int) -> Graph:
        """The graph at a place."""
        segment, local = self.located(place)
        return segment.graph(local)

    def name(self, place: int) -> str | None:
        """The name of the graph at a place."""
        segment, local = self.located(place)
        return None if segment.names is None else segment.names[local]

    # -- which graphs a search looks at -------------------------------------------------------------------------

    def chosen(self, wanted: Filter | None) -> npt.NDArray[np.bool_]:
        """Whether the graph at a place is there and passes a filter.

        A filter names ids, or says of columns which value they must have: {"class": 1}, {"class": {1, 2}}, or between
        which two values they must lie: {"nodes": (10, 20)}, where None leaves a side open. `nodes`, `edges` and `name`
        are columns of every index.
        """
        if wanted is None:
            return self.alive
        if isinstance(wanted, Mapping):
            found = self.alive.copy()
            for column, value in wanted.items():
                found &= _passing(self._column(column), value, column)
            return found
        ids = np.asarray(wanted)
        if ids.ndim != 1 or (len(ids) and ids.dtype.kind not in "iu"):
            raise QuestionError("a filter is a list of ids, or a mapping from columns to what they must hold")
        found = np.zeros(len(self), bool)
        found[[self.place(int(one)) for one in ids]] = True
        return found

    def _column(self, name: str) -> Array:
        if name == "nodes":
            return self.sizes
        if name == "edges":
            return self.edge_counts
        parts: list[Array] = []
        for segment in self.segments:
            values = segment.names if name == "name" else segment.columns.get(name)
            if values is None:
                known = sorted({"nodes", "edges", *(column for one in self.segments for column in one.columns)})
                raise QuestionError(f"not every graph has a {name!r}", hint=f"columns are {', '.join(known)}")
            parts.append(np.array(list(values), object) if isinstance(values, Texts) else values)
        return _joined(parts)


def _passing(values: Array, wanted: Any, column: str) -> Array:
    if isinstance(wanted, tuple):
        if len(wanted) != 2:
            raise QuestionError(f"{column!r} must lie between two values, not {wanted!r}", hint="a set names several")
        least, most = wanted
        found = np.ones(len(values), bool)
        try:
            if least is not None:
                found &= np.asarray(values >= least, bool)
            if most is not None:
                found &= np.asarray(values <= most, bool)
        except TypeError:
            raise QuestionError(f"{column!r} cannot be compared with {least!r} and {most!r}") from None
        return found
    if isinstance(wanted, set | frozenset | list):
        return np.isin(values.astype(object), list(wanted)) if values.dtype == object else np.isin(values, list(wanted))
    return np.asarray(values == wanted, bool) & np.ones(len(values), bool)


def _joined(arrays: Sequence[Array]) -> Array:
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)
