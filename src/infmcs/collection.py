"""Many graphs in flat arrays, so that 80,000 graphs are not 80,000 Python objects.

A `Collection` is read like a list of `Graph`s. It is validated once and immutable; slices share its arrays.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from infmcs import provenance
from infmcs.errors import GraphError
from infmcs.graph import Floats, Graph, Ints, Offsets, frozen, missing_node
from infmcs.vocabulary import UNLABELLED, Name, Vocabulary


class Texts(Sequence[str]):
    """Many strings in one block of UTF-8, so that 80,000 names are not 80,000 objects. Read like a list."""

    __slots__ = ("_block", "_offsets")

    def __init__(self, block: npt.NDArray[np.uint8], offsets: Offsets) -> None:
        self._block, self._offsets = block, offsets

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """These strings, packed."""
        encoded = [text.encode() for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        return cls(frozen(np.frombuffer(b"".join(encoded), np.uint8)), frozen(offsets))

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> Texts: ...
    def __getitem__(self, i: int | slice) -> str | Texts:
        if isinstance(i, slice):
            first, last, step = i.indices(len(self))
            if step == 1:
                return Texts(self._block, self._offsets[first : max(first, last) + 1])
            return Texts.of(self[k] for k in range(first, last, step))
        i = range(len(self))[i]
        return bytes(self._block[self._offsets[i] : self._offsets[i + 1]]).decode()

    def take(self, ids: npt.NDArray[np.int64]) -> Texts:
        """The strings at these places."""
        rows, offsets = _spans(self._offsets, ids)
        return Texts(frozen(self._block[rows]), offsets)

    def packed(self) -> tuple[npt.NDArray[np.uint8], Offsets]:
        """Block and offsets, counted from 0."""
        first, last = self._offsets[0], self._offsets[-1]
        return self._block[first:last], self._offsets - first

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Texts):
            return NotImplemented
        (block, offsets), (others, places) = self.packed(), other.packed()
        return np.array_equal(offsets, places) and np.array_equal(block, others)

    def __hash__(self) -> int:
        return hash(self._offsets.tobytes())

    def __repr__(self) -> str:
        return f"Texts({list(self[:3])}{'…' if len(self) > 3 else ''})"


Column: TypeAlias = "npt.NDArray[Any] | Texts"


@dataclass(frozen=True, eq=False, repr=False)
class Collection(Sequence[Graph]):
    """Many graphs in flat arrays. Indexing gives a `Graph`, slicing a `Collection`, both without copying.

    Graph i owns nodes node_offsets[i] to node_offsets[i + 1] of `labels` and `features` and, likewise, its edges,
    which count its nodes from 0. `columns` hold one value a graph: a class, a split, a function's name.
    """

    node_offsets: Offsets
    edge_offsets: Offsets
    labels: Ints
    edges: Ints
    edge_labels: Ints | None
    features: Floats | None
    directed: bool
    vocabulary: Vocabulary
    names: Texts | None
    columns: Mapping[str, Column]

    @classmethod
    def from_graphs(
        cls, graphs: Iterable[Graph], columns: Mapping[str, Sequence[Any] | npt.NDArray[Any]] | None = None
    ) -> Collection:
        """Graphs packed under one vocabulary. All directed or none; features on all, of one width, or on none."""
        graphs = list(graphs)
        _refuse_mixture(graphs)
        node_names = _merged([graph.vocabulary.nodes for graph in graphs]) or (None,)
        edged = any(graph.edge_labels is not None for graph in graphs)
        bare = edged and any(graph.edge_labels is None and len(graph.edges) for graph in graphs)
        edge_names = _merged([graph.vocabulary.edges for graph in graphs] + [(None,)] * bare)
        vocabulary = Vocabulary(node_names, edge_names)
        recode = _recoder()
        labels = [recode(graph.vocabulary.nodes, node_names)[graph.labels] for graph in graphs]
        edge_labels = None
        if edged:
            edge_labels = _joined(
                [
                    recode(graph.vocabulary.edges, edge_names)[graph.edge_labels]
                    if graph.edge_labels is not None
                    else np.full(len(graph.edges), edge_names.index(None) if len(graph.edges) else 0, np.int32)
                    for graph in graphs
                ],
                np.zeros(0, np.int32),
            )
        features = None
        if graphs and graphs[0].features is not None:
            features = np.concatenate([cast(Floats, graph.features) for graph in graphs])
        names = None
        if any(graph.name is not None for graph in graphs):
            names = Texts.of(graph.name if graph.name is not None else str(i) for i, graph in enumerate(graphs))
        return cls.from_arrays(
            node_offsets=_offsets([graph.size for graph in graphs]),
            edge_offsets=_offsets([len(graph.edges) for graph in graphs]),
            labels=_joined(labels, np.zeros(0, np.int32)),
            edges=_joined([graph.edges for graph in graphs], np.zeros((0, 2), np.int32)),
            edge_labels=edge_labels,
            features=features,
            directed=bool(graphs and graphs[0].directed),
            vocabulary=vocabulary,
            names=names,
            columns=columns,
        )

    @classmethod
    def from_arrays(
        cls,
        *,
        node_offsets: Offsets,
        edge_offsets: Offsets,
        labels: Ints,
        edges: Ints,
        edge_labels: Ints | None = None,
        features: Floats | None = None,
        directed: bool = False,
        vocabulary: Vocabulary = UNLABELLED,
        names: Texts | None = None,
        columns: Mapping[str, Sequence[Any] | npt.NDArray[Any] | Texts] | None = None,
    ) -> Collection:
        """A collection from its arrays, which are checked in bulk: a bad one is a GraphError that names the graph."""
        collection = cls(
            frozen(np.ascontiguousarray(node_offsets, np.int64)),
            frozen(np.ascontiguousarray(edge_offsets, np.int64)),
            frozen(np.ascontiguousarray(labels, np.int32)),
            frozen(np.ascontiguousarray(edges, np.int32)),
            None if edge_labels is None else frozen(np.ascontiguousarray(edge_labels, np.int32)),
            None if features is None else frozen(np.ascontiguousarray(features, np.float32)),
            directed,
            vocabulary,
            names,
            {key: _column(key, values, len(node_offsets) - 1) for key, values in (columns or {}).items()},
        )
        _check_collection(collection)
        return collection

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def sizes(self) -> Offsets:
        """Nodes of each graph."""
        return np.diff(self.node_offsets)

    @property
    def edge_counts(self) -> Offsets:
        """Edges of each graph."""
        return np.diff(self.edge_offsets)

    @property
    def nodes_here(self) -> slice:
        """The part of the node arrays that belongs to these graphs (a slice of a collection shares its arrays)."""
        return slice(int(self.node_offsets[0]), int(self.node_offsets[-1]))

    @property
    def edges_here(self) -> slice:
        """The part of the edge arrays that belongs to these graphs."""
        return slice(int(self.edge_offsets[0]), int(self.edge_offsets[-1]))

    @cached_property
    def label_ids(self) -> Ints:
        """Node labels as numbers that mean the same name in every graph of this process."""
        return frozen(self.vocabulary.node_ids[self.labels])

    @cached_property
    def edge_label_ids(self) -> Ints | None:
        """Edge labels as numbers that mean the same name in every graph of this process."""
        return None if self.edge_labels is None else frozen(self.vocabulary.edge_ids[self.edge_labels])

    @cached_property
    def digest(self) -> str:
        """A stable name for the content: structure, labels by name, features, directions, names; not the columns."""
        nodes, edges = self.nodes_here, self.edges_here
        parts: list[Any] = [self.node_offsets - self.node_offsets[0], self.edge_offsets - self.edge_offsets[0]]
        parts += [self.labels[nodes], self.edges[edges], repr((self.vocabulary.nodes, self.vocabulary.edges)).encode()]
        parts += [self.edge_labels[edges]] if self.edge_labels is not None else [b"edges without labels"]
        parts += [self.features[nodes]] if self.features is not None else [b"no features"]
        parts += list(self.names.packed()) if self.names is not None else [b"no names"]
        return provenance.digest([*parts, b"directed" if self.directed else b"undirected"])

    def cached(self, key: Hashable, make: Callable[[Collection], Any]) -> Any:
        """What `make` derives from these graphs, derived once. Sound because a collection never changes."""
        try:
            return self._derived[key]
        except KeyError:
            return self._derived.setdefault(key, make(self))

    @cached_property
    def _derived(self) -> dict[Hashable, Any]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what was derived from them may hold only in this process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def take(self, ids: Sequence[int] | npt.NDArray[Any]) -> Collection:
        """The graphs at these places, copied together; a place may occur more than once."""
        ids = np.asarray(ids)
        if ids.dtype == bool:
            ids = np.flatnonzero(ids)
        ids = ids.astype(np.int64).reshape(-1)
        if len(ids) and (ids.min() < 0 or ids.max() >= len(self)):
            raise IndexError(f"a collection of {len(self)} graphs has no graph {int(ids.max())}")
        nodes, node_offsets = _spans(self.node_offsets, ids)
        edges, edge_offsets = _spans(self.edge_offsets, ids)
        return Collection(
            node_offsets,
            edge_offsets,
            frozen(self.labels[nodes]),
            frozen(self.edges[edges]),
            None if self.edge_labels is None else frozen(self.edge_labels[edges]),
            None if self.features is None else frozen(self.features[nodes]),
            self.directed,
            self.vocabulary,
            None if self.names is None else self.names.take(ids),
            {k: v.take(ids) if isinstance(v, Texts) else frozen(v[ids]) for k, v in self.columns.items()},
        )

    def undirected(self, edge_labels: bool = True) -> Collection:
        """These graphs without directions, and then without edge labels where they are not wanted."""
        if not self.directed:
            return self
        if edge_labels and self.edge_labels is not None:
            return Collection.from_graphs((graph.undirected() for graph in self), dict(self.columns))
        owner = np.repeat(np.arange(len(self)), self.edge_counts)
        edges = np.sort(self.edges[self.edges_here], axis=1)
        order = np.lexsort((edges[:, 1], edges[:, 0], owner))
        owner, edges = owner[order], edges[order]
        kept = np.ones(len(edges), bool)
        kept[1:] = (owner[1:] != owner[:-1]) | (edges[1:] != edges[:-1]).any(axis=1)
        return dataclasses.replace(
            self,
            edge_offsets=frozen(_offsets(np.bincount(owner[kept], minlength=len(self)))),
            edges=frozen(edges[kept]),
            edge_labels=None,
            directed=False,
        )

    @overload
    def __getitem__(self, i: int) -> Graph: ...
    @overload
    def __getitem__(self, i: slice) -> Collection: ...
    def __getitem__(self, i: int | slice) -> Graph | Collection:
        if isinstance(i, slice):
            first, last, step = i.indices(len(self))
            if step != 1:
                return self.take(np.arange(first, last, step))
            last = max(first, last)
            return Collection(
                self.node_offsets[first : last + 1],
                self.edge_offsets[first : last + 1],
                self.labels,
                self.edges,
                self.edge_labels,
                self.features,
                self.directed,
                self.vocabulary,
                None if self.names is None else self.names[first:last],
                {key: values[first:last] for key, values in self.columns.items()},
            )
        i = range(len(self))[i]
        nodes = slice(self.node_offsets[i], self.node_offsets[i + 1])
        edges = slice(self.edge_offsets[i], self.edge_offsets[i + 1])
        return Graph._trusted(
            self.labels[nodes],
            self.edges[edges],
            None if self.edge_labels is None else self.edge_labels[edges],
            None if self.features is None else self.features[nodes],
            directed=self.directed,
            name=None if self.names is None else self.names[i],
            vocabulary=self.vocabulary,
        )

    def __len__(self) -> int:
        return len(self.node_offsets) - 1

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collection):
            return NotImplemented
        return len(self) == len(other) and self.directed == other.directed and all(map(Graph.__eq__, self, other))

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        if not len(self):
            return "Collection(no graphs)"
        parts = [
            f"{len(self):,} graphs",
            f"{self.sizes.min()}–{self.sizes.max()} nodes, {self.sizes.mean():.2f} on average",
            f"{self.edge_counts.mean():.2f} edges",
        ]
        if self.vocabulary.nodes != (None,):
            parts.append(f"{len(self.vocabulary.nodes)} labels")
        if self.edge_labels is not None:
            parts.append(f"{len(self.vocabulary.edges)} edge labels")
        if self.features is not None:
            parts.append(f"{self.features.shape[1]} features")
        if self.directed:
            parts.append("directed")
        return f"Collection({', '.join(parts)})"


def _check_collection(c: Collection) -> None:
    for what, offsets, total in (("node", c.node_offsets, len(c.labels)), ("edge", c.edge_offsets, len(c.edges))):
        if (
            offsets.ndim != 1
            or not len(offsets)
            or offsets[0] != 0
            or offsets[-1] != total
            or (np.diff(offsets) < 0).any()
        ):
            raise GraphError(f"{what} offsets must rise from 0 to {total}")
    if len(c.edge_offsets) != len(c.node_offsets):
        raise GraphError(f"{len(c.node_offsets) - 1} graphs by nodes, but {len(c.edge_offsets) - 1} by edges")
    if c.names is not None and len(c.names) != len(c):
        raise GraphError(f"{len(c.names)} names for {len(c)} graphs")
    _check_codes("node", c.labels, len(c.labels), len(c.vocabulary.nodes))
    if c.edge_labels is not None:
        _check_codes("edge", c.edge_labels, len(c.edges), len(c.vocabulary.edges))
    if c.features is not None and (c.features.ndim != 2 or len(c.features) != len(c.labels)):
        raise GraphError(f"features must have shape ({len(c.labels)}, width), not {c.features.shape}")
    if c.features is not None and not np.isfinite(c.features).all():
        node = int(np.argmax(~np.isfinite(c.features).all(axis=1)))
        graph = _owner(c.node_offsets, node)
        raise GraphError(f"graph {graph}: a feature of node {node - int(c.node_offsets[graph])} is not a finite number")
    if c.edges.ndim != 2 or c.edges.shape[1] != 2:
        raise GraphError(f"edges must have shape (edges, 2), not {c.edges.shape}")
    bounds = np.repeat(c.sizes, c.edge_counts)
    wrong = (c.edges.min(axis=1, initial=0) < 0) | (c.edges.max(axis=1, initial=-1) >= bounds)
    if wrong.any():
        edge = int(np.argmax(wrong))
        graph = _owner(c.edge_offsets, edge)
        error = missing_node(c.edges[edge], int(c.sizes[graph]))
        raise GraphError(f"graph {graph}: {error.message}", hint=error.hint)
    key = c.edges[:, 0].astype(np.int64) << 32 | c.edges[:, 1]
    same = np.repeat(np.arange(len(c)), c.edge_counts)
    sorted_ = (key[1:] > key[:-1]) | (same[1:] != same[:-1])
    if not sorted_.all() or (not c.directed and (c.edges[:, 0] > c.edges[:, 1]).any()):
        raise GraphError("the edges of a packed graph must be sorted, each once (undirected: smaller node first)")


def _check_codes(what: str, codes: Ints, count: int, known: int) -> None:
    if codes.shape != (count,):
        raise GraphError(f"{codes.shape} {what} labels for {count} {what}s")
    if count and (codes.min() < 0 or codes.max() >= known):
        raise GraphError(f"{what} label code {int(codes.max())} is outside the vocabulary of {known}")


def _refuse_mixture(graphs: list[Graph]) -> None:
    for i, graph in enumerate(graphs):
        if graph.directed != graphs[0].directed:
            raise GraphError(
                f"graph {i} is {'' if graph.directed else 'un'}directed, those before are not",
                hint="graph.undirected() drops directions",
            )
        widths = [None if g.features is None else g.features.shape[1] for g in (graphs[0], graph)]
        if widths[0] != widths[1]:
            raise GraphError(f"graph {i} has {widths[1] or 'no'} features a node, those before {widths[0] or 'none'}")


def _merged(vocabularies: list[tuple[Name, ...]]) -> tuple[Name, ...]:
    return tuple(dict.fromkeys(itertools.chain.from_iterable(dict.fromkeys(vocabularies))))


def _recoder() -> Callable[[tuple[Name, ...], tuple[Name, ...]], Ints]:
    known: dict[tuple[Name, ...], Ints] = {}

    def recode(old: tuple[Name, ...], new: tuple[Name, ...]) -> Ints:
        if (old, new) not in known:
            places = {name: i for i, name in enumerate(new)}
            known[old, new] = np.array([places[name] for name in old], np.int32)
        return known[old, new]

    return recode


def _column(key: str, values: Any, count: int) -> Column:
    if len(values) != count:
        raise GraphError(f"column {key!r} has {len(values)} values for {count} graphs")
    if isinstance(values, Texts):
        return values
    if any(isinstance(value, str) for value in values):
        return Texts.of(str(value) for value in values)
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.ndim != 1:
        raise GraphError(f"column {key!r} must hold numbers or strings, one a graph")
    return frozen(array)


def _joined(arrays: list[npt.NDArray[Any]], empty: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.concatenate(arrays) if arrays else empty


def _offsets(lengths: Iterable[int]) -> Offsets:
    return np.concatenate(([0], np.cumsum(list(lengths), dtype=np.int64))).astype(np.int64)


def _spans(offsets: Offsets, ids: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Offsets]:
    """Rows of the packed items at `ids`, one item after another, and the offsets of the new packing."""
    starts, lengths = offsets[ids], offsets[ids + 1] - offsets[ids]
    packed = _offsets(lengths)
    rows = np.arange(packed[-1]) + np.repeat(starts - packed[:-1], lengths)
    return rows, frozen(packed)


def _owner(offsets: Offsets, row: int) -> int:
    return int(np.searchsorted(offsets, row, side="right")) - 1
