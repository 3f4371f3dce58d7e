"""Hypothesis strategies for graphs. The special cases (empty, one node, no edges, twins, disjoint unions) are weighted
in, because plain random graphs almost never hit them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from infmcs import Collection, Graph

NAMES: tuple[Any, ...] = ("C", "N", 6, (1, "a"))
BONDS: tuple[Any, ...] = ("single", "double", 3)


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    labels: bool | None = None,
    edge_labels: bool | None = None,
    directed: bool | None = False,
    features: bool | None = False,
    loops: bool = False,
    name: str | None = None,
) -> Graph:
    """A graph; None for a property leaves it to chance."""
    labels, edge_labels, directed, features = (
        draw(st.booleans()) if wish is None else wish for wish in (labels, edge_labels, directed, features)
    )
    size = draw(st.integers(min_nodes, max_nodes))
    edges = draw(_edges(size, directed=directed, loops=loops))
    kinds = draw(st.integers(1, len(NAMES)))
    width = 2
    finite = st.floats(-4, 4, width=32)
    return Graph.from_edges(
        size,
        edges,
        labels=draw(_lists(st.sampled_from(NAMES[:kinds]), size)) if labels else None,
        edge_labels=draw(_lists(st.sampled_from(BONDS), len(edges))) if edge_labels else None,
        features=np.array(draw(_lists(finite, size * width)), np.float32).reshape(size, width) if features else None,
        directed=directed,
        name=name,
    )


@st.composite
def comparable_graphs(draw: st.DrawFn, /, **wishes: Any) -> tuple[Graph, Graph]:
    """Two graphs alike in what they carry, so that every question about both makes sense."""
    wishes = draw(_settled(wishes))
    return draw(graphs(**wishes)), draw(graphs(**wishes))


@st.composite
def renumberings(draw: st.DrawFn, graph: Graph) -> Graph:
    """The same graph with its nodes in another order."""
    return graph.renumbered(draw(st.permutations(range(graph.size))))


@st.composite
def collections(draw: st.DrawFn, /, *, max_graphs: int = 6, **wishes: Any) -> Collection:
    """A collection of graphs that are alike in what they carry."""
    return Collection.from_graphs(draw(st.lists(graphs(**draw(_settled(wishes))), max_size=max_graphs)))


@st.composite
def _settled(draw: st.DrawFn, wishes: dict[str, Any]) -> dict[str, Any]:
    return {key: draw(st.booleans()) if wish is None else wish for key, wish in wishes.items()}


@st.composite
def _edges(draw: st.DrawFn, size: int, *, directed: bool, loops: bool) -> list[tuple[int, int]]:
    possible = [(u, v) for u in range(size) for v in range(0 if directed else u, size) if (loops or u != v)]
    if not possible:
        return []
    shape = draw(st.sampled_from(("any", "any", "any", "none", "all", "tree", "star", "cycle", "union", "twins")))
    if shape == "none":
        return []
    if shape == "all":
        return possible
    if shape == "tree":
        return [(draw(st.integers(0, v - 1)), v) for v in range(1, size)]
    if shape == "star":
        return [(0, v) for v in range(1, size)]
    if shape == "cycle" and size > 2:
        return [(v, v + 1) for v in range(size - 1)] + [(size - 1, 0) if directed else (0, size - 1)]
    if shape == "union":  # of two graphs that know nothing of each other
        border = draw(st.integers(0, size))
        possible = [(u, v) for u, v in possible if (u < border) == (v < border)]
    chosen = draw(st.lists(st.booleans(), min_size=len(possible), max_size=len(possible)))
    edges = [edge for edge, taken in zip(possible, chosen, strict=True) if taken]
    if shape == "twins" and size > 1:  # the last node is joined to whatever the first is joined to
        last = size - 1
        edges = [(u, v) for u, v in edges if last not in (u, v)]
        into = [(u, last) for u, v in edges if v == 0 and u]
        edges += into + [(last, v) if directed else (v, last) for u, v in edges if u == 0 and v]
    return edges


def _lists(items: st.SearchStrategy[Any], count: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, min_size=count, max_size=count)
