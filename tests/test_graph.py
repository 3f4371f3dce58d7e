"""A graph is validated once, never changes, and means the same whatever numbers and codes it was built with."""

from __future__ import annotations

import pickle
import random
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Graph
from infmcs.errors import GraphError
from tests.kit import comparable_graphs, graphs, renumberings

ANY: dict[str, Any] = {"labels": None, "edge_labels": None, "directed": None, "features": None, "loops": True}


def test_from_edges_keeps_what_it_was_given() -> None:
    graph = Graph.from_edges(3, [(2, 0), (0, 1)], labels=["C", 6, ("N", 1)], edge_labels=["double", 1], name="x")
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    assert graph.label_names == ("C", 6, ("N", 1))
    assert graph.edge_label_names == (1, "double")
    assert (graph.size, graph.name, graph.directed, graph.features) == (3, "x", False, None)


def test_an_edge_given_twice_counts_once() -> None:
    assert Graph.from_edges(2, [(0, 1), (1, 0), (0, 1)]).edges.tolist() == [[0, 1]]
    assert Graph.from_edges(2, [(0, 1), (1, 0), (0, 1)], directed=True).edges.tolist() == [[0, 1], [1, 0]]
    assert Graph.from_edges(2, [(0, 1), (1, 0)], edge_labels=["a", "a"]).edge_label_names == ("a",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"nodes": 9, "edges": [(4, 9)]},
            r"edge 4–9 names node 9, but the graph has 9 nodes \(0–8\)\nhint: node numbers",
        ),
        ({"nodes": 0, "edges": [(0, 0)]}, "but the graph has no nodes"),
        ({"nodes": 1, "edges": [(0, 5)]}, r"has one node \(0\)"),
        ({"nodes": 2, "edges": [(-1, 0)]}, "names node -1"),
        ({"nodes": -1, "edges": []}, "cannot have -1 nodes"),
        ({"nodes": 2**31, "edges": []}, "cannot have"),
        ({"nodes": 2.0, "edges": []}, "nodes must be a count"),
        ({"nodes": True, "edges": []}, "nodes must be a count"),
        ({"nodes": 3, "edges": [(0, 1, 2)]}, "pairs of node numbers"),
        ({"nodes": 3, "edges": [(0, 1), (2,)]}, "pairs of node numbers"),
        ({"nodes": 3, "edges": [(0.5, 1.0)]}, "whole numbers"),
        ({"nodes": 3, "edges": 7}, "pairs of node numbers"),
        ({"nodes": 2, "edges": [], "labels": ["C"]}, "1 node labels for 2 nodes"),
        ({"nodes": 2, "edges": [], "labels": "CN"}, "not a string"),
        ({"nodes": 2, "edges": [], "labels": ["C", float("nan")]}, "NaN"),
        ({"nodes": 2, "edges": [], "labels": ["C", {}]}, "cannot be a label"),
        ({"nodes": 2, "edges": [(0, 1)], "edge_labels": []}, "0 edge labels for 1 edges"),
        ({"nodes": 2, "edges": [(0, 1), (1, 0)], "edge_labels": ["a", "b"]}, "edge 0–1 is given twice"),
        ({"nodes": 2, "edges": [], "features": [[1.0]]}, r"shape \(2, width\)"),
        ({"nodes": 2, "edges": [], "features": [[1.0], [1.0, 2.0]]}, "all rows of one length"),
        ({"nodes": 2, "edges": [], "features": [[1.0], [float("nan")]]}, "feature 0 of node 1 is nan"),
        ({"nodes": 2, "edges": [], "features": [[1.0], [float("inf")]]}, "feature 0 of node 1 is inf"),
    ],
)
def test_what_cannot_be_a_graph_is_refused_with_the_reason(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(**arguments)


def test_a_graph_never_changes() -> None:
    features = np.ones((2, 1), np.float32)
    graph = Graph.from_edges(2, [(0, 1)], features=features)
    for array in (graph.labels, graph.edges, graph.features):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="never changes"):
        graph.name = "other"
    features[0] = 5
    assert graph.features is not None
    assert graph.features[0] == 1


def test_labels_compare_by_name_in_graphs_made_apart() -> None:
    one = Graph.from_edges(2, [(0, 1)], labels=["N", "C"], edge_labels=["single"])
    other = Graph.from_edges(2, [(0, 1)], labels=np.array(["N", "C"]), edge_labels=["single"])
    third = Graph.from_edges(3, [(1, 2)], labels=["S", "N", "C"], edge_labels=["single"])
    assert one == other
    assert third.labels.tolist() != [*one.labels, 0]
    assert third.label_ids[1:].tolist() == one.label_ids.tolist()
    assert one != Graph.from_edges(2, [(0, 1)], labels=["C", "N"], edge_labels=["single"])
    assert one != Graph.from_edges(2, [(0, 1)], labels=["N", "C"])


def test_equal_names_are_one_label_however_they_are_typed() -> None:
    names = [6, 6.0, np.int64(6), np.float32(6)]
    assert Graph.from_edges(4, [], labels=names).label_names == (6, 6, 6, 6)
    assert Graph.from_edges(2, [], labels=["6", 6]).label_names == ("6", 6)


@given(graphs(**ANY))
def test_pickling_and_hashing_respect_equality(graph: Graph) -> None:
    copy = pickle.loads(pickle.dumps(graph))  # noqa: S301  # our own bytes
    assert copy == graph
    assert hash(copy) == hash(graph)


@given(st.data(), graphs(**ANY, min_nodes=1))
def test_renumbering_back_gives_the_graph_back(data: st.DataObject, graph: Graph) -> None:
    order = data.draw(st.permutations(range(graph.size)))
    assert graph.renumbered(order).renumbered(np.argsort(order)) == graph


@given(st.data(), graphs(**ANY))
def test_a_renumbered_graph_is_isomorphic_by_networkx(data: st.DataObject, graph: Graph) -> None:
    other = data.draw(renumberings(graph))
    same = networkx.is_isomorphic(
        graph.to_networkx(),
        other.to_networkx(),
        node_match=lambda a, b: a.get("label") == b.get("label") and a.get("features") == b.get("features"),
        edge_match=lambda a, b: a.get("label") == b.get("label"),
    )
    assert same


@pytest.mark.parametrize("order", [[0], [0, 0, 1], [0, 1, 3], [0, 1, -1], [0, 1, 2, 3]])
def test_an_order_names_each_node_once(order: list[int]) -> None:
    with pytest.raises(GraphError, match="each of the 3 nodes once"):
        Graph.from_edges(3, []).renumbered(order)


@given(st.data(), graphs(**ANY))
def test_an_induced_subgraph_is_what_networkx_says(data: st.DataObject, graph: Graph) -> None:
    nodes = data.draw(st.lists(st.sampled_from(range(graph.size)), unique=True)) if graph.size else []
    ours = graph.induced(nodes).to_networkx()
    theirs = networkx.relabel_nodes(graph.to_networkx().subgraph(nodes), {v: k for k, v in enumerate(nodes)})
    assert dict(ours.nodes(data=True)) == dict(theirs.nodes(data=True))
    assert networkx.utils.edges_equal(ours.edges(data=True), theirs.edges(data=True), directed=graph.directed)


@given(graphs(**ANY, max_nodes=9))
def test_components_are_what_networkx_says(graph: Graph) -> None:
    made = graph.to_networkx()
    theirs = networkx.weakly_connected_components(made) if graph.directed else networkx.connected_components(made)
    assert [part.tolist() for part in graph.components()] == sorted(sorted(part) for part in theirs)


def test_a_graph_of_isolated_nodes_has_as_many_components() -> None:
    assert len(Graph.from_edges(100_000, []).components()) == 100_000


@given(graphs(**ANY))
def test_degrees_are_what_networkx_says_but_for_loops(graph: Graph) -> None:
    made = graph.to_networkx()
    assert graph.degrees().tolist() == [made.degree(v) - made.has_edge(v, v) for v in range(graph.size)]


@given(graphs(directed=None, labels=None, features=None))
def test_the_line_graph_is_what_networkx_says(graph: Graph) -> None:
    ours = graph.line_graph()
    theirs = networkx.line_graph(graph.to_networkx())
    number = {tuple(edge): k for k, edge in enumerate(graph.edges.tolist())}
    named = {node: number[node if graph.directed else (min(node), max(node))] for node in theirs}
    expected = networkx.relabel_nodes(theirs, named)
    assert ours.size == len(graph.edges)
    assert set(ours.to_networkx().nodes) == set(expected.nodes)
    assert networkx.utils.edges_equal(list(ours.to_networkx().edges), list(expected.edges), directed=graph.directed)


def test_line_graph_labels_come_from_the_edge_and_its_ends() -> None:
    path = Graph.from_edges(
        3, [(0, 1), (1, 2)], labels=["N", "C", "O"], edge_labels=[1, 2], features=[[0.0], [2.0], [4.0]]
    )
    line = path.line_graph()
    assert line.label_names == ((1, "C", "N"), (2, "C", "O"))
    assert line.edge_label_names == ("C",)
    assert line.features is not None
    assert line.features.tolist() == [[1.0], [3.0]]
    assert path.renumbered([2, 1, 0]).line_graph().labels.tolist() == [0, 1]


@given(graphs(directed=True, edge_labels=False, loops=True, labels=None))
def test_dropping_directions_is_what_networkx_says(graph: Graph) -> None:
    theirs = networkx.Graph(graph.to_networkx())
    assert networkx.utils.edges_equal(list(graph.undirected().to_networkx().edges), list(theirs.edges))


def test_opposite_edges_with_two_labels_have_no_undirected_form() -> None:
    graph = Graph.from_edges(2, [(0, 1), (1, 0)], edge_labels=["call", "return"], directed=True)
    with pytest.raises(GraphError, match="'call' and 'return'"):
        graph.undirected()
    assert graph.undirected(edge_labels=False) == Graph.from_edges(2, [(0, 1)])


def test_the_repr_says_what_there_is() -> None:
    graph = Graph.from_edges(3, [(0, 1)], labels=["C", "C", "N"], edge_labels=["single"], name="mol", directed=True)
    assert repr(graph) == "Graph('mol': 3 nodes, 1 edge, labels C×2 N×1, edge labels single×1, directed)"
    assert repr(Graph.from_edges(1, [])) == "Graph(1 node, 0 edges)"


@given(comparable_graphs(**ANY))
def test_equality_is_symmetric_and_implies_equal_hashes(pair: tuple[Graph, Graph]) -> None:
    left, right = pair
    assert (left == right) == (right == left)
    if left == right:
        assert hash(left) == hash(right)


def test_a_large_graph_is_built_and_renumbered() -> None:
    rng = random.Random(0)
    edges = [(rng.randrange(50_000), rng.randrange(50_000)) for _ in range(100_000)]
    graph = Graph.from_edges(50_000, edges)
    order = np.random.default_rng(0).permutation(50_000)
    assert sorted(graph.renumbered(order).degrees()) == sorted(graph.degrees())
