"""The generated sets of the paper's appendix (BA100, BA200, BA300), with its two mistakes put right.

Common subgraphs: two graphs grow out of one core by random attachments, so the core is common to both. That is a lower
bound, never the answer, and node numbers are shuffled: in the paper the core has the lowest numbers, so that a model
that sees the order can read the label. Edit distances: graphs are made from one base by adding and removing leaves. A
leaf costs two edits (its node and its edge), steps can undo each other, and a bound holds only between graphs of the
same base. So what is known of a pair here is a mapping, which `certify` turns into its value, and pairs stay within
a base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs import certify, provenance
from infmcs.certify import Pairing
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.pairs import Metric

ATTACHED = 2  # edges of a new node; the paper does not say
Edges = set[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """Graphs in families (column `base`), the pairs within families, and for each pair a mapping that is known.

    origins   for each graph, which node of its family each node is; -1 for one that no other graph has
    """

    graphs: Collection
    pairs: npt.NDArray[np.int64]
    metric: Metric
    origins: tuple[npt.NDArray[np.int64], ...]

    def mapping(self, pair: int) -> Pairing:
        """What the two graphs of a pair are known to have in common."""
        left, right = self.pairs[pair]
        there = {origin: node for node, origin in enumerate(self.origins[right].tolist()) if origin >= 0}
        return tuple(
            (node, there[origin]) for node, origin in enumerate(self.origins[left].tolist()) if origin in there
        )

    def value(self, pair: int) -> int:
        """What that mapping shows: an MCS is at least that large, an edit distance at most that long."""
        left, right = (self.graphs[int(place)] for place in self.pairs[pair])
        if self.metric == "mcs":
            return certify.common_subgraph(left, right, self.mapping(pair)).size
        return round(certify.edit_path(left, right, self.mapping(pair)).cost)


def barabasi_albert(
    size: int,
    metric: Metric,
    *,
    bases: int = 100,
    variants: int = 10,
    changes: tuple[int, int] = (1, 20),
    attached: int = ATTACHED,
    seed: int = 0,
) -> Generated:
    """Families of `variants` graphs around `bases` preferential-attachment graphs of so many nodes.

    changes    how many nodes are attached (mcs) or leaves added or removed (ged): from one to the other, both included
    """
    if not (size > attached >= 1 and bases >= 0 and variants >= 0 and 0 <= changes[0] <= changes[1]):
        raise QuestionError(f"no such graphs: {size} nodes, {attached} edges a node, {changes} changes")
    random = provenance.generator(seed, f"barabasi-albert {metric} {size}")
    graphs, numbers = [], []  # numbers[k][node of graph k]: which node of the family it is
    for base in range(bases):
        start = _grown(set(), attached, size, attached, random)
        for variant in range(variants):
            count = int(random.integers(changes[0], changes[1] + 1))
            if metric == "mcs":
                edges, nodes = _grown(start, size, size + count, attached, random), np.arange(size + count)
                nodes[size:] = -1  # of no use to any other variant
            else:
                edges, nodes = _leaves_changed(start, size, count, variant, random)
            graph, family = _shuffled(edges, nodes, random, f"{base}.{variant}")
            graphs.append(graph)
            numbers.append(family)
    collection = Collection.from_graphs(graphs, {"base": np.repeat(np.arange(bases), variants)})
    first, second = np.triu_indices(variants, 1)
    rows = np.concatenate(
        [np.stack((first, second), axis=1) + base * variants for base in range(bases)]
        or [np.zeros((0, 2), np.int64)]
    )  # fmt: skip
    return Generated(collection, rows, metric, tuple(numbers))


def _grown(edges: Edges, have: int, want: int, attached: int, random: np.random.Generator) -> Edges:
    """Nodes `have` to `want` − 1 joined to `attached` others each, the likelier the more edges those have."""
    edges = set(edges)
    ends = [end for edge in sorted(edges) for end in edge] or list(range(have))
    for node in range(have, want):
        chosen: set[int] = set()
        while len(chosen) < attached:
            chosen.add(ends[int(random.integers(len(ends)))])
        for other in sorted(chosen):
            edges.add((other, node))
            ends += (other, node)
    return edges


def _leaves_changed(
    start: Edges, size: int, count: int, variant: int, random: np.random.Generator
) -> tuple[Edges, npt.NDArray[Any]]:
    """A leaf added or, where there is one, removed, `count` times. New nodes get numbers no other variant has."""
    edges, nodes, fresh = set(start), list(range(size)), size + variant * 10**6
    for _ in range(count):
        degree: dict[int, int] = dict.fromkeys(nodes, 0)
        for edge in edges:
            for end in edge:
                degree[end] += 1
        leaves = [node for node in nodes if degree[node] == 1]
        if leaves and random.random() < 0.5:
            leaf = leaves[int(random.integers(len(leaves)))]
            edges = {edge for edge in edges if leaf not in edge}
            nodes.remove(leaf)
        else:
            edges.add((nodes[int(random.integers(len(nodes)))], fresh))
            nodes.append(fresh)
            fresh += 1
    return edges, np.array(nodes)


def _shuffled(
    edges: Edges, nodes: npt.NDArray[Any], random: np.random.Generator, name: str
) -> tuple[Graph, npt.NDArray[Any]]:
    """The graph with its nodes in random order, and which node of the family each is."""
    order = random.permutation(len(nodes))
    keys = nodes if (nodes >= 0).all() else np.arange(len(nodes))
    place = {int(keys[old]): new for new, old in enumerate(order.tolist())}
    pairs = [(place[u], place[v]) for u, v in sorted(edges)]
    return Graph.from_edges(len(nodes), pairs, name=name), nodes[order]
