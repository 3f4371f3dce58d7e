"""Is this mapping right, and what is it worth? The definition of every value in this package.

Plain Python that never searches: it looks at each pair of a mapping, once. Every mapping that leaves the package has
passed through here, and a mapping from anywhere else can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from infmcs.errors import CertificateError, QuestionError
from infmcs.graph import Graph

Pairing: TypeAlias = "tuple[tuple[int, int], ...]"


@dataclass(frozen=True, slots=True)
class Question:
    """Which common subgraph is asked for.

    induced      partners have an edge between them in both graphs or in neither; else the common edges are those
                 that both graphs have.
    connected    the common subgraph is in one piece (directions ignored).
    node_labels  partners carry equal labels.
    edge_labels  partner edges carry equal labels; induced: else the nodes cannot be partners together.
    directed     directions of edges count; both graphs must then be directed. Otherwise they are dropped.
    count        what the size counts: nodes, or, when not induced, edges (which chemists call MCES).

    A loop is an edge of its node: induced, a node with a loop has a partner with a loop.
    """

    induced: bool = True
    connected: bool = True
    node_labels: bool = True
    edge_labels: bool = False
    directed: bool = False
    count: Literal["nodes", "edges"] = "nodes"

    def __post_init__(self) -> None:
        if self.count not in ("nodes", "edges"):
            raise QuestionError(f"a common subgraph is counted in nodes or edges, not in {self.count!r}")
        if self.induced and self.count == "edges":
            raise QuestionError(
                "an induced common subgraph is counted in nodes", hint="Question(induced=False, count='edges')"
            )

    def look_at(self, left: Graph, right: Graph) -> tuple[Graph, Graph]:
        """Both graphs as this question sees them: with directions or without."""
        if not self.directed:
            return left.undirected(self.edge_labels), right.undirected(self.edge_labels)
        for side, graph in (("left", left), ("right", right)):
            if not graph.directed:
                raise QuestionError(
                    f"the question asks for directions, but the {side} graph is undirected",
                    hint="Question(directed=False) ignores directions",
                )
        return left, right


@dataclass(frozen=True, slots=True)
class CommonSubgraph:
    """What a mapping was found to hold: its pairs by left node, and the common edges as edges of the left graph."""

    mapping: Pairing
    edges: Pairing
    size: int


def common_subgraph(
    left: Graph, right: Graph, mapping: Mapping[int, int] | Iterable[tuple[int, int]], question: Question = Question()
) -> CommonSubgraph:
    """The common subgraph that a mapping from left to right nodes describes; CertificateError if it describes none."""
    left, right = question.look_at(left, right)
    pairs = pairing(left, right, mapping)
    if question.node_labels:
        _require_equal_labels(left, right, pairs)
    here, there = _edges(left, question.edge_labels), _edges(right, question.edge_labels)
    common = []
    for i, (v, w) in enumerate(pairs):
        partners = pairs if question.directed else pairs[i:]
        for x, y in partners:
            edge, image = here.get((v, x)), there.get((w, y))
            if edge is not None and edge == image:
                common.append((v, x))
            elif question.induced and edge != image:
                raise CertificateError(_unlike(v, x, w, y, edge, image))
    if question.connected:
        _require_one_piece(pairs, common)
    return CommonSubgraph(pairs, tuple(common), len(pairs) if question.count == "nodes" else len(common))


def pairing(left: Graph, right: Graph, mapping: Mapping[int, int] | Iterable[tuple[int, int]]) -> Pairing:
    """A mapping as pairs ordered by left node: each node exists and occurs once."""
    pairs = sorted((int(v), int(w)) for v, w in (mapping.items() if isinstance(mapping, Mapping) else mapping))
    for side, graph, nodes in (("left", left, [v for v, _ in pairs]), ("right", right, [w for _, w in pairs])):
        seen: set[int] = set()
        for node in nodes:
            if not 0 <= node < graph.size:
                raise CertificateError(f"the mapping names {side} node {node}, but that graph has {graph.size} nodes")
            if node in seen:
                raise CertificateError(f"the mapping uses {side} node {node} twice")
            seen.add(node)
    return tuple(pairs)


def bounds(left: Graph, right: Graph, lower: int, upper: int, size: int, question: Question = Question()) -> None:
    """Refuse bounds that a certified common subgraph of `size` contradicts, or that no two such graphs can have."""
    if not lower <= upper:
        raise CertificateError(f"the lower bound {lower} is above the upper bound {upper}")
    if lower > size:
        raise CertificateError(f"the lower bound is {lower}, but the mapping shows only {size}")
    if upper < size:
        raise CertificateError(f"the upper bound is {upper}, but the mapping shows {size}")
    a, b = question.look_at(left, right)
    most = min(a.size, b.size) if question.count == "nodes" else min(len(a.edges), len(b.edges))
    if size > most:
        raise CertificateError(
            f"a common subgraph of {size} {question.count} cannot be in graphs that share at most {most}"
        )


def _require_equal_labels(left: Graph, right: Graph, pairs: Pairing) -> None:
    for v, w in pairs:
        if left.label_ids[v] != right.label_ids[w]:
            names = left.vocabulary.nodes[left.labels[v]], right.vocabulary.nodes[right.labels[w]]
            raise CertificateError(f"left node {v} is labelled {names[0]!r}, its partner {w} {names[1]!r}")


def _edges(graph: Graph, labelled: bool) -> dict[tuple[int, int], int]:
    """Each ordered pair of adjacent nodes with what must agree about its edge."""
    ids = graph.edge_label_ids if labelled else None
    kinds = [0] * len(graph.edges) if ids is None else ids.tolist()
    known = {(u, v): kind for (u, v), kind in zip(graph.edges.tolist(), kinds, strict=True)}
    return known if graph.directed else known | {(v, u): kind for (u, v), kind in known.items()}


def _unlike(v: int, x: int, w: int, y: int, edge: int | None, image: int | None) -> str:
    if edge is not None and image is not None:
        return f"edge {v}–{x} and its image {w}–{y} carry different labels"
    has, lacks = ("left", "right") if edge is not None else ("right", "left")
    ends = {"left": f"{v}–{x}", "right": f"{w}–{y}"}
    return (
        f"the {has} graph has edge {ends[has]}, the {lacks} graph no edge {ends[lacks]}, so this is no induced subgraph"
    )


def _require_one_piece(pairs: Pairing, common: list[tuple[int, int]]) -> None:
    if not pairs:
        return
    neighbours: dict[int, list[int]] = {v: [] for v, _ in pairs}
    for u, v in common:
        neighbours[u].append(v)
        neighbours[v].append(u)
    reached, waiting = {pairs[0][0]}, [pairs[0][0]]
    while waiting:
        for node in neighbours[waiting.pop()]:
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    for v, _ in pairs:
        if v not in reached:
            raise CertificateError(f"the common subgraph is in pieces: no path from left node {pairs[0][0]} to {v}")
