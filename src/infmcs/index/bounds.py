"""How similar a query can be to each graph of an index at most, from rows of counts alone; nothing is searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.graph import Graph
from infmcs.index.contents import Contents
from infmcs.index.signature import LABELS, PAIRS
from infmcs.pairs import Metric, interval

Array = npt.NDArray[Any]


def uppers(contents: Contents, query: Graph, metric: Metric, question: Question) -> Array:
    """The greatest similarity that the graph at each place can have (float64)."""
    rows, _, _ = contents.scheme.rows(Collection.from_graphs([query]))
    row = rows[0]
    sizes = contents.sizes
    if metric == "mcs":
        most = _joined([_common_nodes(segment.counts, row, question) for segment in contents.segments])
        most = np.minimum(most, np.minimum(sizes, query.size))
        return interval("mcs", np.zeros_like(most), most, np.asarray(query.size), sizes)[1]
    least = _joined([_edits(segment.counts, row) for segment in contents.segments])
    least = least + np.maximum(sizes, query.size)
    return interval("ged", least, least, np.asarray(query.size), sizes)[1]


def _common_nodes(counts: Array, row: Array, question: Question) -> Array:
    """Of no label can more nodes be common than either graph has; a connected subgraph of k nodes has k - 1 edges."""
    labels: Array = np.minimum(counts[:, :LABELS], row[:LABELS]).sum(1, dtype=np.int64)
    if not question.node_labels:
        labels = np.full(len(counts), row[:LABELS].sum())
    if question.connected and question.node_labels:
        pairs = np.minimum(counts[:, LABELS : LABELS + PAIRS], row[LABELS : LABELS + PAIRS]).sum(1, dtype=np.int64)
        labels = np.minimum(labels, pairs + 1)
    return labels


def _edits(counts: Array, row: Array) -> Array:
    """Edits of a least edit path, less the nodes of the larger graph: labels kept are saved, edges differ in number."""
    kept = np.minimum(counts[:, :LABELS], row[:LABELS]).sum(1, dtype=np.int64)
    edges = counts[:, LABELS : LABELS + PAIRS].sum(1, dtype=np.int64) - row[LABELS : LABELS + PAIRS].sum()
    return np.asarray(np.abs(edges) - kept)


def _joined(arrays: list[Array]) -> Array:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)
