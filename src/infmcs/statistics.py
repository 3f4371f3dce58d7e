"""What a collection is made of, in numbers: sizes, edges, labels, pieces. It looks, it never searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection, Texts
from infmcs.vocabulary import Name

SHOWN = 10  # labels listed by name


def statistics(collection: Collection) -> dict[str, Any]:
    """The numbers as JSON-ready values.

    `directed_edges_mean` counts as the study's table does: an undirected edge once in each direction.
    """
    sizes, counts = collection.sizes, collection.edge_counts
    edges = collection.edges[collection.edges_here]
    loops = int((edges[:, 0] == edges[:, 1]).sum())
    both = 1 if collection.directed else 2
    total = both * len(edges) - (0 if collection.directed else loops)
    pieces = components(collection)
    return {
        "graphs": len(collection),
        "nodes": int(sizes.sum()),
        "nodes_min": int(sizes.min(initial=np.iinfo(np.int64).max)) if len(collection) else None,
        "nodes_mean": float(sizes.mean()) if len(collection) else None,
        "nodes_median": float(np.median(sizes)) if len(collection) else None,
        "nodes_max": int(sizes.max()) if len(collection) else None,
        "edges": len(edges),
        "edges_mean": float(counts.mean()) if len(collection) else None,
        "directed_edges_mean": total / len(collection) if len(collection) else None,
        "directed": collection.directed,
        "loops": loops,
        "without_nodes": int((sizes == 0).sum()),
        "without_edges": int((counts == 0).sum()),
        "connected": int((pieces == 1).sum()),
        "node_labels": _used(collection.labels[collection.nodes_here], collection.vocabulary.nodes),
        "edge_labels": None
        if collection.edge_labels is None
        else _used(collection.edge_labels[collection.edges_here], collection.vocabulary.edges),
        "features": 0 if collection.features is None else int(collection.features.shape[1]),
        "named": collection.names is not None,
        "columns": {key: _values(column) for key, column in collection.columns.items()},
        "digest": collection.digest,
    }


def components(collection: Collection) -> npt.NDArray[np.int64]:
    """How many connected pieces each graph has, directions ignored; an empty graph has none."""
    from scipy.sparse import coo_matrix, csgraph

    nodes = int(collection.sizes.sum())
    if not nodes:
        return np.zeros(len(collection), np.int64)
    starts = collection.node_offsets[:-1] - collection.node_offsets[0]
    ends = collection.edges[collection.edges_here] + np.repeat(starts, collection.edge_counts)[:, None]
    matrix = coo_matrix((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=(nodes, nodes))
    _, piece = csgraph.connected_components(matrix, directed=False)
    first = np.unique(piece, return_index=True)[1]  # one node of each piece
    owner = np.repeat(np.arange(len(collection)), collection.sizes)
    return np.bincount(owner[first], minlength=len(collection))


def _used(codes: npt.NDArray[Any], names: tuple[Name, ...]) -> dict[str, Any] | None:
    """How many different labels occur, and the commonest; None where nothing is labelled."""
    counts = np.bincount(codes, minlength=len(names))
    found = [(int(counts[code]), names[code]) for code in np.argsort(-counts, kind="stable") if counts[code]]
    named = [(count, name) for count, name in found if name is not None]
    if not named:
        return None
    return {"different": len(named), "commonest": [[str(name), count] for count, name in named[:SHOWN]]}


def _values(column: Any) -> dict[str, Any]:
    values = list(column) if isinstance(column, Texts) else np.asarray(column).tolist()
    kind = "text" if isinstance(column, Texts) else "numbers"
    return {"kind": kind, "different": len(set(values))}
