"""Edited copies of graphs: near neighbours of training graphs, of which a sample of graphs has too few.

What a sample lacks is pairs that are almost equal, and they decide who comes first in a search. A copy is made by a few
edits: a node less, a leaf more, another label, an edge more or less. Its labels are solved exactly, like any other's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection
from infmcs.graph import Floats, Graph
from infmcs.vocabulary import Name

FEWEST, MOST = 2, 1.25  # nodes of a copy: no fewer, and at most this many times those of the largest graph


def copies(graphs: Collection, count: int, edits: int, rng: np.random.Generator) -> Collection:
    """`count` copies of each graph, one graph's after another, with 1 to `edits` edits each."""
    labels = np.bincount(graphs.labels[graphs.nodes_here], minlength=len(graphs.vocabulary.nodes))
    editor = Editor(rng, labels / max(1, labels.sum()), int(MOST * graphs.sizes.max(initial=0)))
    made = []
    for graph in graphs:
        for _ in range(count):
            sketch = Sketch.of(graph)
            for _ in range(int(rng.integers(1, edits + 1))):
                editor.edit(sketch)
            made.append(sketch.graph(graph.features, graphs.vocabulary.nodes))
    return Collection.from_graphs(made)


@dataclass
class Sketch:
    """A graph while it is edited: the label code of each node, and the node whose features it has."""

    codes: list[int]
    rows: list[int]
    edges: set[tuple[int, int]]

    @classmethod
    def of(cls, graph: Graph) -> Sketch:
        """The structure and node labels of a graph, without directions, loops and edge labels."""
        edges = {(min(u, v), max(u, v)) for u, v in graph.edges.tolist() if u != v}
        return cls(graph.labels.tolist(), list(range(graph.size)), edges)

    def graph(self, features: Floats | None, names: tuple[Name, ...]) -> Graph:
        """The edited graph: features from the rows of the original's, labels by name."""
        return Graph.from_edges(
            len(self.codes),
            sorted(self.edges),
            labels=None if names == (None,) else [names[code] for code in self.codes],
            features=None if features is None else features[self.rows],
        )


@dataclass(frozen=True)
class Editor:
    """Random edits; new labels are as common as in all graphs, and no graph grows beyond the largest."""

    rng: np.random.Generator
    frequency: npt.NDArray[np.float64]
    largest: int

    def edit(self, sketch: Sketch) -> None:
        """One random edit that can be done here; nothing when none of a few tries can."""
        for _ in range(5):
            edit = (self.shrink, self.shrink, self.grow, self.relabel, self.join, self.cut)[self.rng.integers(6)]
            if edit(sketch):
                return

    def shrink(self, sketch: Sketch) -> bool:
        """A leaf goes; where there is none, a node with the fewest neighbours."""
        if len(sketch.codes) <= FEWEST:
            return False
        degrees = np.bincount(np.array(sorted(sketch.edges), int).reshape(-1), minlength=len(sketch.codes))
        gone = int(self.rng.choice(np.flatnonzero(degrees <= max(1, degrees.min()))))
        sketch.edges = {(u - (u > gone), v - (v > gone)) for u, v in sketch.edges if gone not in (u, v)}
        del sketch.codes[gone], sketch.rows[gone]
        return True

    def grow(self, sketch: Sketch) -> bool:
        """A leaf more."""
        size = len(sketch.codes)
        if not 0 < size < self.largest:
            return False
        sketch.edges.add((int(self.rng.integers(size)), size))
        sketch.codes.append(int(self.rng.choice(len(self.frequency), p=self.frequency)))
        sketch.rows.append(int(self.rng.choice(sketch.rows)))
        return True

    def relabel(self, sketch: Sketch) -> bool:
        """Another label on a node."""
        if not sketch.codes or len(self.frequency) < 2:
            return False
        node = int(self.rng.integers(len(sketch.codes)))
        label = int(self.rng.choice(len(self.frequency), p=self.frequency))
        changed = sketch.codes[node] != label
        sketch.codes[node] = label
        return changed

    def join(self, sketch: Sketch) -> bool:
        """An edge more."""
        if len(sketch.codes) < 3:
            return False
        u, v = sorted(int(node) for node in self.rng.choice(len(sketch.codes), 2, replace=False))
        new = (u, v) not in sketch.edges
        sketch.edges.add((u, v))
        return new

    def cut(self, sketch: Sketch) -> bool:
        """An edge less, one of a ring: what hung together still does."""
        if not sketch.edges:
            return False
        edge = sorted(sketch.edges)[int(self.rng.integers(len(sketch.edges)))]
        rest = sketch.edges - {edge}
        near: dict[int, list[int]] = {}
        for u, v in rest:
            near.setdefault(u, []).append(v)
            near.setdefault(v, []).append(u)
        seen, front = {edge[0]}, [edge[0]]
        while front:
            fresh = [node for node in near.get(front.pop(), []) if node not in seen]
            seen.update(fresh)
            front += fresh
        if edge[1] in seen:
            sketch.edges = rest
        return edge[1] in seen
