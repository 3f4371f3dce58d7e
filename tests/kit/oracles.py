"""Answers by trying everything: plain, slow, and independent of the solvers they check."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal

from infmcs import Graph, Question

_SIZES: tuple[tuple[bool, Literal["nodes", "edges"]], ...] = ((True, "nodes"), (False, "nodes"), (False, "edges"))

# Every combination that makes sense.
QUESTIONS = [
    Question(
        induced=induced, connected=connected, node_labels=labels, edge_labels=bonds, directed=directed, count=count
    )
    for induced, count in _SIZES
    for connected in (True, False)
    for labels in (True, False)
    for bonds in (True, False)
    for directed in (False, True)
]


def largest_common_subgraph(a: Graph, b: Graph, question: Question) -> int:
    """The size of the largest common subgraph, by looking at every injection of every part of a into b."""
    return max(size for size, _ in _common_subgraphs(a, b, question))


def all_largest_common_subgraphs(a: Graph, b: Graph, question: Question) -> list[tuple[tuple[int, int], ...]]:
    """All its mappings. Where edges are counted, those in which every node is at a common edge."""
    known = list(_common_subgraphs(a, b, question))
    most = max(size for size, _ in known)
    return [pairs for size, pairs in known if size == most]


def _common_subgraphs(a: Graph, b: Graph, question: Question) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    edges, images = _edges(a, question), _edges(b, question)
    labels, others = a.label_names, b.label_names
    for count in range(min(a.size, b.size) + 1):
        for nodes in itertools.combinations(range(a.size), count):
            for partners in itertools.permutations(range(b.size), count):
                pairs = tuple(zip(nodes, partners, strict=True))
                if question.node_labels and any(labels[v] != others[w] for v, w in pairs):
                    continue
                both = [(v, x, edges.get((v, x)), images.get((w, y))) for v, w in pairs for x, y in pairs]
                if question.induced and any(edge != image for _, _, edge, image in both):
                    continue
                common = {(v, x) for v, x, edge, image in both if edge is not None and edge == image}
                if question.connected and not _in_one_piece(nodes, common):
                    continue
                if question.count == "nodes":
                    yield count, pairs
                elif {v for edge in common for v in edge} == set(nodes):
                    yield len(common) if question.directed else sum(v <= x for v, x in common), pairs


def _edges(graph: Graph, question: Question) -> dict[tuple[int, int], object]:
    names = graph.edge_label_names if question.edge_labels else None
    edges: dict[tuple[int, int], object] = {}
    for k, (u, v) in enumerate(graph.edges.tolist()):
        edges[u, v] = "edge" if names is None else (names[k],)
        if not question.directed:
            edges[v, u] = edges[u, v]
    return edges


def _in_one_piece(nodes: tuple[int, ...], common: set[tuple[int, int]]) -> bool:
    piece = set(nodes[:1])
    for _ in nodes:
        piece |= {x for v, w in common for x in (v, w) if v in piece or w in piece}
    return piece == set(nodes)
