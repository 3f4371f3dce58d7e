"""A part of an index: graphs, their rows of counts and, with a model, their node vectors, in one container.

A segment never changes. Adding graphs makes another one; deleting is a list beside them. Small numbers are kept small:
a molecule of 25 atoms takes 80 bytes for labels and bonds.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs import _native, durable
from infmcs.certify import Question
from infmcs.collection import Collection, Column, Texts
from infmcs.errors import FormatError
from infmcs.formats.container import Container, Writer
from infmcs.graph import Graph, frozen
from infmcs.index.signature import LABELS, Scheme, smallest
from infmcs.solve.mcs import MOST_NODES, prepared
from infmcs.vocabulary import Name, Vocabulary

KIND, VERSION = "index-segment", 1

Array = npt.NDArray[Any]


class Segment:
    """The graphs of one container, by place; `ids` are their names in the whole index."""

    def __init__(self, container: Container) -> None:
        self.container = container
        facts = container.facts
        try:
            self.key, self.count, self.directed = str(facts["key"]), int(facts["count"]), bool(facts["directed"])
            self.model: str | None = facts["model"]
            self.vocabulary = Vocabulary(map(name_from, facts["nodes"]), map(name_from, facts["edges"]))
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"is no segment of an index: {error}", path=container.path) from None

    @classmethod
    def of(
        cls,
        graphs: Collection,
        ids: Array,
        scheme: Scheme,
        vectors: Mapping[str, Array] | None = None,
        model: str | None = None,
    ) -> Segment:
        """A segment in memory; `vectors` are those of the model of this digest."""
        counts, stars, degrees = scheme.rows(graphs)
        nodes, edges = graphs.nodes_here, graphs.edges_here
        file = io.BytesIO()
        writer = Writer(file)
        writer.add("ids", np.asarray(ids, np.int64))
        writer.add("node_offsets", graphs.node_offsets - graphs.node_offsets[0])
        writer.add("edge_offsets", graphs.edge_offsets - graphs.edge_offsets[0])
        writer.add("labels", smallest(graphs.labels[nodes]))
        writer.add("edges", smallest(graphs.edges[edges]))
        if graphs.edge_labels is not None:
            writer.add("edge_labels", smallest(graphs.edge_labels[edges]))
        if graphs.features is not None:
            writer.add("features", graphs.features[nodes])
        if graphs.names is not None:
            writer.add_texts("names", graphs.names)
        for column, values in graphs.columns.items():
            writer.add_texts(f"column.{column}", values) if isinstance(values, Texts) else writer.add(
                f"column.{column}", values
            )
        writer.add("counts", smallest(counts))
        writer.add("stars", smallest(stars))
        writer.add("degrees", smallest(degrees))
        for name, array in (vectors or {}).items():
            writer.add(f"vectors.{name}", array)
        facts = {
            "key": secrets.token_hex(8),
            "count": len(graphs),
            "directed": graphs.directed,
            "model": model,
            "nodes": graphs.vocabulary.nodes,
            "edges": graphs.vocabulary.edges,
            "columns": list(graphs.columns),
        }
        writer.finish(KIND, VERSION, facts)
        return cls(Container(file.getbuffer(), None, KIND, VERSION))

    def __len__(self) -> int:
        return self.count

    # -- sections, each checked when first taken ---------------------------------------------------------------

    @cached_property
    def ids(self) -> Array:
        """The id of each graph, rising."""
        return self._rows("ids", self.count)

    @cached_property
    def node_offsets(self) -> Array:
        """Where each graph's nodes begin."""
        return self._offsets("node_offsets")

    @cached_property
    def edge_offsets(self) -> Array:
        """Where each graph's edges begin."""
        return self._offsets("edge_offsets")

    @cached_property
    def sizes(self) -> Array:
        """Nodes of each graph."""
        return np.diff(self.node_offsets)

    @cached_property
    def edge_counts(self) -> Array:
        """Edges of each graph."""
        return np.diff(self.edge_offsets)

    @cached_property
    def labels(self) -> Array:
        """Label codes of all nodes."""
        return self._rows("labels", int(self.node_offsets[-1]))

    @cached_property
    def edges(self) -> Array:
        """Ends of all edges."""
        return self._rows("edges", int(self.edge_offsets[-1]))

    @cached_property
    def counts(self) -> Array:
        """Rows of counts, see `signature`."""
        return self._rows("counts", self.count)

    @cached_property
    def stars(self) -> Array:
        """Rows of counts of neighbourhoods, see `signature`."""
        return self._rows("stars", self.count)

    @cached_property
    def degrees(self) -> Array:
        """The largest degrees of each graph, falling."""
        return self._rows("degrees", self.count)

    @cached_property
    def shelf(self) -> _native.Shelf:
        """The same for the native search, which reads the file in place."""
        return _native.Shelf(
            self.node_offsets,
            self.edge_offsets,
            self.labels,
            self.edges,
            self._optional("edge_labels"),
            self.vocabulary.node_ids,
            self.vocabulary.edge_ids,
            self.directed,
            self.counts,
            LABELS,
            self.stars,
            self.degrees,
        )

    def warm(self, question: Question) -> None:
        """Prepare all graphs for such a question, and keep them so; not where one is too large for the solver."""
        if self.count and int(self.sizes.max()) <= MOST_NODES:
            self._ready[_sight(question)] = prepared(self._collected(), question)

    def ready(self, question: Question) -> _native.Prepared | None:
        """The graphs as `warm` prepared them, or None."""
        return self._ready.get(_sight(question))

    @cached_property
    def _ready(self) -> dict[Any, _native.Prepared]:
        return {}

    @cached_property
    def names(self) -> Texts | None:
        """Names of the graphs, or None."""
        return self.container.texts("names") if "names.offsets" in self.container else None

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """One value a graph for each column of the collection."""
        found: dict[str, Column] = {}
        for name in self.container.facts.get("columns", []):
            key = f"column.{name}"
            found[name] = self.container.texts(key) if f"{key}.offsets" in self.container else self.container[key]
        return found

    def vectors(self, name: str) -> Array | None:
        """What the model stored under this name, or None."""
        return self._optional(f"vectors.{name}")

    # -- graphs ------------------------------------------------------------------------------------------------

    def graph(self, place: int) -> Graph:
        """The graph at a place."""
        nodes = slice(int(self.node_offsets[place]), int(self.node_offsets[place + 1]))
        edges = slice(int(self.edge_offsets[place]), int(self.edge_offsets[place + 1]))
        edge_labels = self._optional("edge_labels")
        features = self._optional("features")
        return Graph._trusted(
            self.labels[nodes].astype(np.int32),
            self.edges[edges].astype(np.int32),
            None if edge_labels is None else edge_labels[edges].astype(np.int32),
            None if features is None else features[nodes],
            directed=self.directed,
            name=None if self.names is None else self.names[place],
            vocabulary=self.vocabulary,
        )

    @cached_property
    def collection(self) -> Collection:
        """All graphs, in place order, copied out of the file and checked."""
        return self._collected()

    def _collected(self) -> Collection:
        edge_labels = self._optional("edge_labels")
        return Collection.from_arrays(
            node_offsets=self.node_offsets,
            edge_offsets=self.edge_offsets,
            labels=self.labels.astype(np.int32),
            edges=self.edges.astype(np.int32),
            edge_labels=None if edge_labels is None else edge_labels.astype(np.int32),
            features=self._optional("features"),
            directed=self.directed,
            vocabulary=self.vocabulary,
            names=self.names,
            columns=self.columns,
        )

    def write(self, path: Any) -> None:
        """The same segment as a file; there whole or not at all."""
        with durable.writing(path) as file:
            file.write(self.container._content)

    def _optional(self, name: str) -> Array | None:
        if name not in self.container:
            return None
        return self.container[name]

    def _rows(self, name: str, count: int) -> Array:
        array = self.container[name]
        if array.ndim == 0 or len(array) != count:
            self._damaged(name)
        return array

    def _offsets(self, name: str) -> Array:
        offsets = self._rows(name, self.count + 1)
        if offsets.dtype != np.int64 or offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any():
            self._damaged(name)
        return frozen(offsets)

    def _damaged(self, name: str) -> None:
        raise FormatError(f"is damaged: section {name!r} does not fit the others", path=self.container.path)


def _sight(question: Question) -> tuple[bool, bool, bool, bool]:
    return question.induced, question.node_labels, question.edge_labels, question.directed


def joined(segments: Iterable[tuple[Segment, Array]]) -> Collection:
    """The graphs at these places of each segment, as one collection with one vocabulary."""
    parts = [segment.collection.take(places) for segment, places in segments]
    columns = [set(part.columns) for part in parts]
    shared = set.intersection(*columns) if columns else set()
    values = {name: [v for part in parts for v in part.columns[name]] for name in sorted(shared)}
    return Collection.from_graphs((graph for part in parts for graph in part), values)


def name_from(told: Any) -> Name:
    """A label from JSON, where tuples are lists."""
    if isinstance(told, list):
        return tuple(map(name_from, told))
    if told is None or isinstance(told, str | int | float):
        return told
    raise TypeError(f"{told!r:.40} is no label")
