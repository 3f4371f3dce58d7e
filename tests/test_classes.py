"""Isomorphism classes against networkx, and on graphs that colours alone cannot tell apart."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, datasets, solve
from infmcs.errors import QuestionError
from tests.kit import collections, graphs, real_data, renumberings


def isomorphic(a: Graph, b: Graph, question: Question) -> bool:
    a, b = question.look_at(a, b)

    def same_node(u: dict[str, object], v: dict[str, object]) -> bool:
        return not question.node_labels or u.get("label") == v.get("label")

    def same_edge(u: dict[str, object], v: dict[str, object]) -> bool:
        return not question.edge_labels or u.get("label") == v.get("label")

    return bool(nx.is_isomorphic(a.to_networkx(), b.to_networkx(), same_node, same_edge))


@given(st.data(), st.booleans(), st.booleans())
def test_classes_are_what_networkx_says_of_every_pair(
    data: st.DataObject, node_labels: bool, edge_labels: bool
) -> None:
    some = data.draw(collections(max_nodes=5, labels=None, edge_labels=None, directed=None, loops=True, max_graphs=5))
    directed = some.directed and data.draw(st.booleans())
    edge_labels = edge_labels and (directed or not some.directed)  # opposite arcs may carry two labels
    question = Question(node_labels=node_labels, edge_labels=edge_labels, directed=directed)
    found = solve.classes(some, question)
    for i, a in enumerate(some):
        for j, b in enumerate(some):
            assert (found[i] == found[j]) == isomorphic(a, b, question)


@given(st.data())
def test_other_node_numbers_change_no_class(data: st.DataObject) -> None:
    some = [data.draw(graphs(max_nodes=9, labels=None, directed=None)) for _ in range(1)]
    some.append(data.draw(renumberings(some[0])))
    assert solve.classes(Collection.from_graphs(some)).tolist() == [0, 0]


def test_classes_are_numbered_as_they_first_occur() -> None:
    path, triangle = Graph.from_edges(3, [(0, 1), (1, 2)]), Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)])
    assert solve.classes(Collection.from_graphs([path, triangle, path, triangle])).tolist() == [0, 1, 0, 1]
    assert solve.classes(Collection.from_graphs([])).tolist() == []


def test_graphs_that_colour_refinement_cannot_tell_apart_are_told_apart() -> None:
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    steps = [(0, 1), (1, 0), (1, 1)]
    shrikhande = nx.Graph(
        ((x, y), ((x + dx) % 4, (y + dy) % 4)) for x in range(4) for y in range(4) for dx, dy in steps
    )
    cycles = [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    alike = [Graph.from_networkx(nx.convert_node_labels_to_integers(graph)) for graph in (rook, shrikhande, *cycles)]
    mixed = [graph.renumbered(np.random.default_rng(1).permutation(graph.size)) for graph in alike]
    assert solve.classes(Collection.from_graphs(alike + mixed)).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_a_question_of_directions_needs_directions() -> None:
    with pytest.raises(QuestionError, match="undirected"):
        solve.classes(Collection.from_graphs([Graph.from_edges(1, [])]), Question(directed=True))


def test_linux_is_89_graphs() -> None:
    real_data("LINUX", "LINUX.jsonl.xz")
    assert len(set(solve.classes(datasets.load("linux")).tolist())) == 89


@given(collections(directed=True, edge_labels=None, features=None, loops=True))
def test_dropping_directions_is_the_same_for_one_graph_and_for_many(some: Collection) -> None:
    one_by_one = Collection.from_graphs([graph.undirected(edge_labels=False) for graph in some])
    assert some.undirected(edge_labels=False) == one_by_one
    assert some[1:].undirected(edge_labels=False) == one_by_one[1:]


def stretched(tree: nx.Graph[int], lengths: list[int]) -> nx.Graph[int]:
    """A tree whose edges have become paths: colours take many rounds to come through."""
    long = nx.Graph()
    long.add_nodes_from(tree)
    for (u, v), length in zip(tree.edges, lengths, strict=True):
        new = range(len(long), len(long) + length)
        nx.add_path(long, [u, *new, v])
    return long


@settings(max_examples=30)
@given(st.integers(2, 7), st.integers(0, 10_000), st.data())
def test_trees_of_long_paths_are_told_apart_as_networkx_does(size: int, seed: int, data: st.DataObject) -> None:
    tree = nx.random_labeled_tree(size, seed=seed)
    lengths = data.draw(st.lists(st.sampled_from([0, 1, 30, 60]), min_size=size - 1, max_size=size - 1))
    one, other = stretched(tree, lengths), stretched(tree, data.draw(st.permutations(lengths)))
    order = np.random.default_rng(seed).permutation(len(other))
    some = [Graph.from_networkx(one), Graph.from_networkx(other).renumbered(order), Graph.from_networkx(other)]
    found = solve.classes(Collection.from_graphs(some)).tolist()
    same = bool(nx.isomorphism.tree_isomorphism(one, other)) or len(one) == 1
    assert found == ([0, 0, 0] if same else [0, 1, 1])


@pytest.mark.parametrize(
    "edges",
    [
        [(k, k + 1) for k in range(99_999)],
        [],
        [(0, k) for k in range(1, 100_000)],
        [(k // 2, k) for k in range(1, 100_000)],
    ],
    ids=["path", "no edges", "star", "tree"],
)
def test_a_giant_and_its_copy_with_other_numbers_are_one_class(edges: list[tuple[int, int]]) -> None:
    giant = Graph.from_edges(100_000, edges)
    other = giant.renumbered(np.random.default_rng(5).permutation(100_000))
    assert solve.classes(Collection.from_graphs([giant, other])).tolist() == [0, 0]
