"""The figures of the paper's table of data sets, ours beside the paper's."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from infmcs.collection import Collection
from infmcs.datasets.catalog import Figures, described, load
from infmcs.solve import classes


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is printed of a set of graphs. `edges` counts as the paper does: an undirected edge in both directions.

    classes   graphs that are different: isomorphic ones counted once
    """

    graphs: int
    nodes: float
    edges: float
    labels: int
    smallest: int
    largest: int
    classes: int
    connected: int

    @property
    def figures(self) -> Figures:
        """What the paper's table has of them."""
        return Figures(self.graphs, round(self.nodes, 2), round(self.edges, 2), self.labels)


def statistics(graphs: str | Collection) -> Statistics:
    """Of a data set or of any collection."""
    if isinstance(graphs, str):
        graphs = load(graphs)
    sizes, count = graphs.sizes, len(graphs)
    ways = 1 if graphs.directed else 2
    named = [name for name in graphs.vocabulary.nodes if name is not None]
    return Statistics(
        graphs=count,
        nodes=float(sizes.mean()) if count else 0.0,
        edges=ways * float(graphs.edge_counts.mean()) if count else 0.0,
        labels=len(named),
        smallest=int(sizes.min(initial=2**62)) if count else 0,
        largest=int(sizes.max(initial=0)),
        classes=int(classes(graphs).max(initial=-1)) + 1,
        connected=int((_components(graphs) <= 1).sum()),
    )


def beside_paper(name: str) -> dict[str, Any]:
    """The statistics of a data set as JSON-ready values, with the paper's own figures where it has some."""
    paper = described(name).paper
    return {**asdict(statistics(name)), "paper": None if paper is None else asdict(paper)}


def _components(graphs: Collection) -> Any:
    """How many pieces each graph is in."""
    from scipy.sparse import coo_matrix, csgraph

    nodes, edges = graphs.nodes_here, graphs.edges_here
    first = graphs.node_offsets[:-1] - nodes.start
    ends = graphs.edges[edges] + np.repeat(first, graphs.edge_counts)[:, None]
    total = nodes.stop - nodes.start
    matrix = coo_matrix((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=(total, total))
    count, piece = csgraph.connected_components(matrix, directed=False)
    owner = np.zeros(count, np.int64)
    owner[piece] = np.repeat(np.arange(len(graphs)), graphs.sizes)
    return np.bincount(owner, minlength=len(graphs))
