"""The certifier accepts what is right and refuses what is not: the guard of everything else is guarded here."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Graph, Question
from infmcs.certify import bounds, common_subgraph
from infmcs.errors import CertificateError, QuestionError
from tests.kit import comparable_graphs, graphs, wrong

ANY: dict[str, Any] = {"labels": None, "edge_labels": None, "directed": None, "loops": True}
TRIANGLE = Graph.from_edges(3, [(0, 1), (0, 2), (1, 2)], labels=["C", "C", "N"])
PATH = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "C", "N"])


@st.composite
def questions(draw: st.DrawFn, directed: bool) -> Question:
    induced = draw(st.booleans())
    return Question(
        induced=induced,
        connected=draw(st.booleans()),
        node_labels=draw(st.booleans()),
        edge_labels=draw(st.booleans()),
        directed=directed and draw(st.booleans()),
        count="nodes" if induced else draw(st.sampled_from(("nodes", "edges"))),
    )


@given(st.data(), graphs(**ANY))
def test_a_graph_is_a_common_subgraph_of_itself_unless_a_piece_is_asked_for(data: st.DataObject, graph: Graph) -> None:
    question = data.draw(questions(graph.directed))
    if not question.directed and question.edge_labels and _opposite_labels(graph):
        return
    identity = {v: v for v in range(graph.size)}
    if question.connected and len(graph.components()) > 1:
        with pytest.raises(CertificateError, match="in pieces"):
            common_subgraph(graph, graph, identity, question)
    else:
        found = common_subgraph(graph, graph, identity, question)
        seen = graph if question.directed else graph.undirected(question.edge_labels)
        assert found.size == (graph.size if question.count == "nodes" else len(seen.edges))


@given(st.data(), comparable_graphs(**ANY, max_nodes=5))
def test_the_verdict_is_that_of_the_definition(data: st.DataObject, pair: tuple[Graph, Graph]) -> None:
    left, right = pair
    question = data.draw(questions(left.directed))
    if not question.directed and question.edge_labels and (_opposite_labels(left) or _opposite_labels(right)):
        return
    size = data.draw(st.integers(0, min(left.size, right.size)))
    images = data.draw(st.permutations(range(right.size)))[:size]
    nodes = data.draw(st.permutations(range(left.size)))[:size]
    mapping = dict(zip(nodes, images, strict=True))
    expected = by_definition(left, right, mapping, question)
    if expected is None:
        with pytest.raises(CertificateError):
            common_subgraph(left, right, mapping, question)
    else:
        assert common_subgraph(left, right, mapping, question).size == expected


def by_definition(left: Graph, right: Graph, mapping: dict[int, int], question: Question) -> int | None:
    """The size of the common subgraph, from networkx objects alone; None when the mapping is none."""
    a, b = left.to_networkx(), right.to_networkx()
    if not question.directed:
        a, b = a.to_undirected(), b.to_undirected()
    if question.node_labels and any(a.nodes[v].get("label") != b.nodes[w].get("label") for v, w in mapping.items()):
        return None

    def seen(graph: Any, u: int, v: int) -> Any:
        if not graph.has_edge(u, v):
            return "no edge"
        return graph.edges[u, v].get("label") if question.edge_labels else "an edge"

    ordered = list(itertools.product(mapping, repeat=2))
    alike = {(u, v) for u, v in ordered if seen(a, u, v) == seen(b, mapping[u], mapping[v])}
    if question.induced and len(alike) < len(ordered):
        return None
    common = {(u, v) for u, v in alike if a.has_edge(u, v)}
    if question.connected and mapping:
        reached = {next(iter(mapping))}
        while more := {x for u, v in common for x in (u, v) if (u in reached) != (v in reached)} - reached:
            reached |= more
        if reached != set(mapping):
            return None
    if question.count == "nodes":
        return len(mapping)
    return len(common) if question.directed else len({frozenset(edge) for edge in common})


def _opposite_labels(graph: Graph) -> bool:
    """Whether opposite edges carry two labels, so that the graph has no undirected form with edge labels."""
    if not graph.directed or graph.edge_labels is None:
        return False
    known = dict(zip(map(tuple, graph.edges.tolist()), graph.edge_labels.tolist(), strict=True))
    return any(known.get((v, u), code) != code for (u, v), code in known.items())


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({0: 2}, "left node 0 is labelled 'C', its partner 2 'N'"),
        ({0: 0, 1: 1, 2: 2}, "left graph has edge 0–2, the right graph no edge 0–2"),
        ({3: 0}, "names left node 3, but that graph has 3 nodes"),
        ({0: -1}, "names right node -1"),
        ([(0, 0), (0, 1)], "uses left node 0 twice"),
        ([(0, 0), (1, 0)], "uses right node 0 twice"),
    ],
)
def test_a_false_mapping_is_refused_with_the_pair_at_fault(mapping: Any, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        common_subgraph(TRIANGLE, PATH, mapping)


def test_the_reasons_are_told_from_the_side_that_lacks_the_edge() -> None:
    with pytest.raises(CertificateError, match="right graph has edge 0–2, the left graph no edge 0–2"):
        common_subgraph(PATH, TRIANGLE, {0: 0, 2: 2}, Question(connected=False))


def test_pieces_unequal_edge_labels_loops_and_directions_are_refused() -> None:
    with pytest.raises(CertificateError, match="no path from left node 0 to 2"):
        common_subgraph(PATH, PATH, {0: 0, 2: 2})
    single = Graph.from_edges(2, [(0, 1)], edge_labels=["single"])
    double = Graph.from_edges(2, [(0, 1)], edge_labels=["double"])
    with pytest.raises(CertificateError, match="different labels"):
        common_subgraph(single, double, {0: 0, 1: 1}, Question(edge_labels=True))
    assert common_subgraph(single, double, {0: 0, 1: 1}).size == 2
    loop = Graph.from_edges(1, [(0, 0)])
    with pytest.raises(CertificateError, match="left graph has edge 0–0"):
        common_subgraph(loop, Graph.from_edges(1, []), {0: 0})
    there, back = (Graph.from_edges(2, [edge], directed=True) for edge in ((0, 1), (1, 0)))
    with pytest.raises(CertificateError):
        common_subgraph(there, back, {0: 0, 1: 1}, Question(directed=True))
    assert common_subgraph(there, back, {0: 0, 1: 1}).size == 2


def test_the_empty_mapping_and_a_single_node_are_common_subgraphs() -> None:
    assert common_subgraph(TRIANGLE, PATH, {}).size == 0
    assert common_subgraph(TRIANGLE, PATH, {2: 2}).size == 1


def test_questions_that_make_no_sense_are_refused_with_the_way_out() -> None:
    with pytest.raises(QuestionError, match="counted in nodes\nhint: Question\\(induced=False"):
        Question(count="edges")
    with pytest.raises(QuestionError, match="not in 'bonds'"):
        Question(count=wrong("bonds"))
    with pytest.raises(QuestionError, match="left graph is undirected"):
        common_subgraph(TRIANGLE, PATH, {}, Question(directed=True))


@pytest.mark.parametrize(
    ("lower", "upper", "size", "message"),
    [
        (2, 1, 2, "lower bound 2 is above the upper bound 1"),
        (3, 3, 2, "lower bound is 3, but the mapping shows only 2"),
        (1, 1, 2, "upper bound is 1, but the mapping shows 2"),
        (4, 9, 4, "cannot be in graphs that share at most 3"),
    ],
)
def test_bounds_that_the_mapping_contradicts_are_refused(lower: int, upper: int, size: int, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        bounds(TRIANGLE, PATH, lower, upper, size)
    bounds(TRIANGLE, PATH, 1, 3, 2)
