"""What a graph is.

A graph is validated once and immutable; its arrays are read-only. Labels are names (any string, number or tuple of
those); the arrays hold codes into the vocabulary, and two graphs made apart are compared through `label_ids`,
never through their codes. Nothing here reads files or searches. Many graphs are a `collection.Collection`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs.errors import GraphError
from infmcs.vocabulary import Name, Vocabulary, name_of

if TYPE_CHECKING:
    import networkx

Ints: TypeAlias = npt.NDArray[np.int32]
Offsets: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float32]

MAX_NODES = 2**31 - 1


class Graph:
    """A graph whose nodes are 0 to size - 1. Build it with `from_edges` or one of its sisters; it never changes.

    edges          (edges, 2); each once and sorted; undirected: smaller node first. A loop is an edge (v, v).
    labels         one code a node; edge_labels one code an edge, or None. Names are in `vocabulary`.
    features       (size, width) float32, or None.
    """

    __slots__ = ("_cache", "directed", "edge_labels", "edges", "features", "labels", "name", "size", "vocabulary")

    size: int
    labels: Ints
    edges: Ints
    edge_labels: Ints | None
    features: Floats | None
    directed: bool
    name: str | None
    vocabulary: Vocabulary
    _cache: dict[Hashable, Any]

    def __init__(self) -> None:
        raise TypeError("build a graph with Graph.from_edges, from_networkx, from_smiles or from_pyg")

    @classmethod
    def from_edges(
        cls,
        nodes: int,
        edges: Iterable[Sequence[int]] | npt.NDArray[Any],
        labels: Sequence[Any] | npt.NDArray[Any] | None = None,
        edge_labels: Sequence[Any] | npt.NDArray[Any] | None = None,
        features: npt.ArrayLike | None = None,
        directed: bool = False,
        name: str | None = None,
    ) -> Graph:
        """A graph from its number of nodes and its edges, checked in full.

        An edge given twice, or in both directions of an undirected graph, counts once; with two different labels
        it is an error. Loops are kept.
        """
        size = _node_count(nodes)
        pairs = _edge_array(edges, size)
        codes, node_names = _coded(labels, size, "node")
        given, edge_names = _coded(edge_labels, len(pairs), "edge")
        pairs, edge_codes = _tidy(pairs, None if edge_labels is None else given, edge_names, directed)
        return cls._trusted(
            codes,
            pairs,
            edge_codes,
            _feature_array(features, size),
            directed=bool(directed),
            name=None if name is None else str(name),
            vocabulary=Vocabulary(node_names, edge_names if edge_labels is not None else ()),
        )

    @classmethod
    def _trusted(
        cls,
        labels: Ints,
        edges: Ints,
        edge_labels: Ints | None,
        features: Floats | None,
        *,
        directed: bool,
        name: str | None,
        vocabulary: Vocabulary,
    ) -> Graph:
        """A graph from arrays that already obey the class's own rules."""
        graph = object.__new__(cls)
        put = object.__setattr__
        put(graph, "size", len(labels))
        put(graph, "labels", frozen(labels))
        put(graph, "edges", frozen(edges))
        put(graph, "edge_labels", None if edge_labels is None else frozen(edge_labels))
        put(graph, "features", None if features is None else frozen(features))
        put(graph, "directed", directed)
        put(graph, "name", name)
        put(graph, "vocabulary", vocabulary)
        put(graph, "_cache", {})
        return graph

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def label_names(self) -> tuple[Name, ...]:
        """The name of each node's label; None where it has none."""
        names: tuple[Name, ...] = self.cached(
            "label_names", lambda graph: tuple(map(graph.vocabulary.nodes.__getitem__, graph.labels.tolist()))
        )
        return names

    @property
    def edge_label_names(self) -> tuple[Name, ...] | None:
        """The name of each edge's label, or None when edges carry none."""
        if self.edge_labels is None:
            return None
        return tuple(map(self.vocabulary.edges.__getitem__, self.edge_labels.tolist()))

    @property
    def label_ids(self) -> Ints:
        """Node labels as numbers that mean the same name in every graph of this process."""
        ids: Ints = self.cached("label_ids", lambda graph: frozen(graph.vocabulary.node_ids[graph.labels]))
        return ids

    @property
    def edge_label_ids(self) -> Ints | None:
        """Edge labels as numbers that mean the same name in every graph of this process."""
        codes = self.edge_labels
        if codes is None:
            return None
        known: Ints = self.cached("edge_label_ids", lambda graph: frozen(graph.vocabulary.edge_ids[codes]))
        return known

    @property
    def labelled(self) -> bool:
        """Whether any node has a label."""
        return any(name is not None for name in self.label_names)

    def cached(self, key: Hashable, make: Callable[[Graph], Any]) -> Any:
        """What `make` derives from this graph, derived once. Sound because a graph never changes."""
        try:
            return self._cache[key]
        except KeyError:
            return self._cache.setdefault(key, make(self))

    def degrees(self) -> Ints:
        """Edges at each node, a loop counted once; for a directed graph both directions together."""
        ends = self.edges.ravel()
        loops = self.edges[self.edges[:, 0] == self.edges[:, 1], 0]
        counts = np.bincount(ends, minlength=self.size) - np.bincount(loops, minlength=self.size)
        return counts.astype(np.int32)

    def components(self) -> tuple[Ints, ...]:
        """The nodes of each connected component (directions ignored), by smallest node; together all nodes."""
        from scipy.sparse import coo_matrix, csgraph

        if self.size == 0:
            return ()
        ends = (self.edges[:, 0], self.edges[:, 1])
        matrix = coo_matrix((np.ones(len(self.edges), np.int8), ends), shape=(self.size, self.size))
        count, part = csgraph.connected_components(matrix, directed=False)
        order = np.argsort(part, kind="stable").astype(np.int32)
        parts = np.split(order, np.cumsum(np.bincount(part, minlength=count))[:-1])
        return tuple(sorted(parts, key=lambda nodes: int(nodes[0])))

    # -- other graphs made from this one -----------------------------------------------------------------------

    def renumbered(self, order: Sequence[int] | npt.NDArray[Any]) -> Graph:
        """The same graph with other numbers: its node k is this graph's node order[k]."""
        order = np.asarray(order, dtype=np.int64)
        if order.shape != (self.size,) or not np.array_equal(np.sort(order), np.arange(self.size)):
            raise GraphError(f"an order must name each of the {self.size} nodes once, not {order.tolist()!r:.80}")
        return self.induced(order)

    def induced(self, nodes: Sequence[int] | npt.NDArray[Any]) -> Graph:
        """The subgraph on these nodes with all edges between them; its node k is this graph's nodes[k]."""
        nodes = np.asarray(nodes, dtype=np.int64).reshape(-1)
        if len(nodes) and (nodes.min() < 0 or nodes.max() >= self.size):
            raise GraphError(f"node {int(nodes.max() if nodes.min() >= 0 else nodes.min())} is not in {self!r}")
        if len(np.unique(nodes)) < len(nodes):
            raise GraphError("a subgraph names a node twice")
        place = np.full(self.size, -1, np.int32)
        place[nodes] = np.arange(len(nodes), dtype=np.int32)
        moved = place[self.edges]
        kept = (moved >= 0).all(axis=1)
        codes = None if self.edge_labels is None else self.edge_labels[kept]
        pairs, codes = _tidy(moved[kept], codes, self.vocabulary.edges, self.directed)
        return self._like(self.labels[nodes], pairs, codes, None if self.features is None else self.features[nodes])

    def undirected(self, edge_labels: bool = True) -> Graph:
        """The same graph without directions, and without edge labels where they are not wanted.

        Opposite edges become one; with two different labels that is an error.
        """
        if not self.directed and (edge_labels or self.edge_labels is None):
            return self
        return self.cached(("undirected", edge_labels), lambda graph: graph._undirected(edge_labels))  # type: ignore[no-any-return]  # the cache holds anything

    def _undirected(self, edge_labels: bool) -> Graph:
        if not self.directed:  # only the edges' labels go
            return self._like(self.labels, self.edges, None, self.features)
        pairs, codes = _tidy(
            self.edges, self.edge_labels if edge_labels else None, self.vocabulary.edges, directed=False
        )
        return self._like(self.labels, pairs, codes, self.features, directed=False)

    def line_graph(self) -> Graph:
        """The graph whose nodes are this graph's edges, joined where they share an end (directed: end to start).

        A node is labelled by the edge's label and its two ends' labels, an edge by the label of the node shared.
        Features are the mean of the two ends' (directed: both, one after the other). This is the paper's route to
        edge representations; `edges[k]` is node k.
        """
        ends = [self.label_names[node] for node in range(self.size)]
        edge_names = self.edge_label_names or (None,) * len(self.edges)
        names, links, shared = [], [], []
        for (u, v), edge_name in zip(self.edges.tolist(), edge_names, strict=True):
            pair = (ends[u], ends[v]) if self.directed else tuple(sorted((ends[u], ends[v]), key=_name_order))
            names.append((edge_name, *pair))
        leaving: list[list[int]] = [[] for _ in range(self.size)]
        entering: list[list[int]] = [[] for _ in range(self.size)]
        for k, (u, v) in enumerate(self.edges.tolist()):
            leaving[u].append(k)
            entering[v].append(k)
        for node in range(self.size):
            here = sorted({*leaving[node], *entering[node]})
            meetings = (
                itertools.product(entering[node], leaving[node]) if self.directed else itertools.combinations(here, 2)
            )
            for first, second in meetings:
                links.append((first, second))
                shared.append(ends[node])
        features = None
        if self.features is not None:
            tails, heads = self.features[self.edges[:, 0]], self.features[self.edges[:, 1]]
            features = np.concatenate((tails, heads), axis=1) if self.directed else (tails + heads) / 2
        return Graph.from_edges(
            len(self.edges), links, names, shared if self.labelled else None, features, self.directed, self.name
        )

    def _like(
        self, labels: Ints, edges: Ints, edge_labels: Ints | None, features: Floats | None, directed: bool | None = None
    ) -> Graph:
        return Graph._trusted(
            labels,
            edges,
            edge_labels,
            features,
            directed=self.directed if directed is None else directed,
            name=self.name,
            vocabulary=self.vocabulary,
        )

    # -- other libraries' graphs ---------------------------------------------------------------------------------

    @classmethod
    def from_networkx(
        cls, graph: networkx.Graph[Any], label: str = "label", edge_label: str = "label", features: str = "features"
    ) -> Graph:
        """A networkx graph; its nodes are numbered in its own order, labels and features read from attributes."""
        from infmcs import interchange

        return interchange.from_networkx(graph, label, edge_label, features)

    def to_networkx(self) -> networkx.Graph[int]:
        """A networkx Graph or DiGraph with attributes `label` and `features` where this graph has them."""
        from infmcs import interchange

        return interchange.to_networkx(self)

    @classmethod
    def from_pyg(cls, data: Any, labels: str | None = None, edge_labels: str | None = None) -> Graph:
        """A PyTorch Geometric `Data`. `labels` and `edge_labels` name its attributes to be read as labels."""
        from infmcs import interchange

        return interchange.from_pyg(data, labels, edge_labels)

    def to_pyg(self) -> Any:
        """A PyTorch Geometric `Data` with `x`, `edge_index` and label codes as `labels` and `edge_labels`."""
        from infmcs import interchange

        return interchange.to_pyg(self)

    @classmethod
    def from_smiles(cls, smiles: str, hydrogens: bool = False) -> Graph:
        """A molecule: node labels are element symbols, edge labels bond kinds. Hydrogens only when asked for."""
        from infmcs import interchange

        return interchange.from_smiles(smiles, hydrogens)

    def to_rdkit(self) -> Any:
        """An RDKit molecule with this graph's atoms and bonds; an error where a label is no element."""
        from infmcs import interchange

        return interchange.to_rdkit(self)

    # -- being a value -------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.size

    def __eq__(self, other: object) -> bool:
        """Equal numbers, names of labels, edges and features; the graphs' own names do not count."""
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            self.size == other.size
            and self.directed == other.directed
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.label_ids, other.label_ids)
            and _same(self.edge_label_ids, other.edge_label_ids)
            and _same(self.features, other.features)
        )

    def __hash__(self) -> int:
        return hash((self.size, self.directed, self.edges.tobytes(), self.label_names))

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"a graph never changes; make another instead of setting {attribute}")

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.labels, self.edges, self.edge_labels, self.features)
        return _rebuilt, (*arrays, self.directed, self.name, self.vocabulary)

    def __repr__(self) -> str:
        parts = [f"{self.size} node{'s' * (self.size != 1)}", f"{len(self.edges)} edge{'s' * (len(self.edges) != 1)}"]
        if self.labelled:
            parts.append(f"labels {_listed(self.label_names)}")
        if self.edge_labels is not None:
            parts.append(f"edge labels {_listed(self.edge_label_names or ())}")
        if self.features is not None:
            parts.append(f"{self.features.shape[1]} features")
        if self.directed:
            parts.append("directed")
        title = "" if self.name is None else f"{self.name!r}: "
        return f"Graph({title}{', '.join(parts)})"


# -- checks and small array work ---------------------------------------------------------------------------------


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, read-only; what belongs to somebody else is looked at through a view of our own."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _node_count(nodes: int) -> int:
    if isinstance(nodes, bool) or not isinstance(nodes, int | np.integer):
        raise GraphError(f"nodes must be a count, not {nodes!r:.60}", hint="nodes are numbered 0 to count - 1")
    if not 0 <= nodes <= MAX_NODES:
        raise GraphError(f"a graph cannot have {nodes} nodes")
    return int(nodes)


def _edge_array(edges: Iterable[Sequence[int]] | npt.NDArray[Any], size: int) -> Ints:
    try:
        pairs = np.asarray(edges if isinstance(edges, np.ndarray) else list(edges))
    except (ValueError, TypeError):
        raise GraphError("edges must be pairs of node numbers") from None
    if pairs.size == 0:
        return np.zeros((0, 2), np.int32)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise GraphError(f"edges must be pairs of node numbers, not an array of shape {pairs.shape}")
    if not np.issubdtype(pairs.dtype, np.integer):
        raise GraphError(f"edges must name nodes by whole numbers, not {pairs.dtype}")
    wrong = ((pairs < 0) | (pairs >= size)).any(axis=1)
    if wrong.any():
        raise missing_node(pairs[int(np.argmax(wrong))], size)
    return pairs.astype(np.int32)


def missing_node(edge: npt.NDArray[Any], size: int) -> GraphError:
    """The error for an edge whose end is no node of a graph with `size` nodes."""
    u, v = int(edge[0]), int(edge[1])
    missing = u if not 0 <= u < size else v
    span = f"{size} nodes (0–{size - 1})" if size > 1 else "one node (0)" if size else "no nodes"
    hint = "node numbers start at 0" if missing == size else None
    return GraphError(f"edge {u}–{v} names node {missing}, but the graph has {span}", hint=hint)


def _coded(names: Sequence[Any] | npt.NDArray[Any] | None, count: int, what: str) -> tuple[Ints, tuple[Name, ...]]:
    if names is None:
        return np.zeros(count, np.int32), (None,)
    if isinstance(names, str | bytes):
        raise GraphError(f"{what} labels must be a sequence with one label a {what}, not a string")
    names = list(names)
    if len(names) != count:
        raise GraphError(f"{len(names)} {what} labels for {count} {what}s")
    codes: dict[Name, int] = {}
    numbered = np.array([codes.setdefault(name_of(name), len(codes)) for name in names], np.int32)
    return numbered, tuple(codes) or (None,)


def _tidy(pairs: Ints, codes: Ints | None, names: tuple[Name, ...], directed: bool) -> tuple[Ints, Ints | None]:
    """Edges sorted, each once. Two labels on one edge are an error."""
    if not directed:
        pairs = np.sort(pairs, axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs = pairs[order]
    codes = None if codes is None else codes[order]
    again = np.zeros(len(pairs), bool)
    again[1:] = (pairs[1:] == pairs[:-1]).all(axis=1)
    if codes is not None:
        clash = again[1:] & (codes[1:] != codes[:-1])
        if clash.any():
            k = int(np.argmax(clash))
            u, v = pairs[k].tolist()
            raise GraphError(
                f"edge {u}–{v} is given twice, with labels {names[codes[k]]!r} and {names[codes[k + 1]]!r}",
                hint="a graph holds one edge between two nodes; join the labels into one, such as a tuple",
            )
        codes = np.ascontiguousarray(codes[~again], np.int32)
    return np.ascontiguousarray(pairs[~again], np.int32), codes


def _feature_array(features: npt.ArrayLike | None, size: int) -> Floats | None:
    if features is None:
        return None
    try:
        array = np.array(features, dtype=np.float32)
    except (ValueError, TypeError):
        raise GraphError("features must be one row of numbers a node, all rows of one length") from None
    if array.size == 0 and size == 0:
        array = array.reshape(0, array.shape[1] if array.ndim == 2 else 0)
    if array.ndim != 2 or len(array) != size:
        raise GraphError(f"features must have shape ({size}, width), not {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        node, column = (int(i[0]) for i in np.nonzero(bad))
        raise GraphError(f"feature {column} of node {node} is {array[node, column]}, not a finite number")
    return array


def _same(left: npt.NDArray[Any] | None, right: npt.NDArray[Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return np.array_equal(left, right)


def _name_order(name: Name) -> tuple[str, str]:
    return type(name).__name__, repr(name)


def _listed(names: Iterable[Name], most: int = 6) -> str:
    counts: dict[Name, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    shown = [f"{name}×{count}" for name, count in sorted(counts.items(), key=lambda item: -item[1])[:most]]
    return " ".join(shown) + (" …" if len(counts) > most else "")


def _rebuilt(
    labels: Ints,
    edges: Ints,
    edge_labels: Ints | None,
    features: Floats | None,
    directed: bool,
    name: str | None,
    vocabulary: Vocabulary,
) -> Graph:
    return Graph._trusted(labels, edges, edge_labels, features, directed=directed, name=name, vocabulary=vocabulary)
