"""Graph edit distance: right, certified, anytime."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import EditCosts, Graph, certify, solve
from infmcs.errors import CertificateError, QuestionError
from tests.kit import comparable_graphs, edit_oracles, graphs, renumberings, wrong


@given(comparable_graphs(max_nodes=5, edge_labels=False))
@settings(max_examples=60)
def test_the_distance_is_the_least_over_all_mappings(pair: tuple[Graph, Graph]) -> None:
    a, b = pair
    for labels in (True, False):
        costs = EditCosts(node_labels=labels)
        found = solve.edit_distance(a, b, costs)
        assert found.proved
        assert found.lower == found.upper == found.path.cost == edit_oracles.edit_distance(a, b, costs)


@given(st.data())
@settings(max_examples=40)
def test_a_renumbered_copy_is_at_distance_zero(data: st.DataObject) -> None:
    graph = data.draw(graphs(max_nodes=9))
    assert solve.edit_distance(graph, data.draw(renumberings(graph))).upper == 0


@given(graphs(max_nodes=9), graphs(max_nodes=9))
@settings(max_examples=40)
def test_the_distance_is_symmetric(a: Graph, b: Graph) -> None:
    assert solve.edit_distance(a, b).upper == solve.edit_distance(b, a).upper


@given(*[graphs(max_nodes=6)] * 3)
@settings(max_examples=40)
def test_the_triangle_inequality_holds(a: Graph, b: Graph, c: Graph) -> None:
    ab, bc, ac = (solve.edit_distance(x, y).upper for x, y in ((a, b), (b, c), (a, c)))
    assert ac <= ab + bc


@given(graphs(max_nodes=8), graphs(max_nodes=8), st.integers(1, 12))
@settings(max_examples=40)
def test_a_spent_budget_leaves_bounds_around_the_distance(a: Graph, b: Graph, visits: int) -> None:
    exact = solve.edit_distance(a, b).upper
    found = solve.edit_distance(a, b, budget=solve.Budget(visits=visits))
    assert found.lower <= exact <= found.upper == found.path.cost
    assert found.visited <= visits
    assert found.proved == (found.lower == found.upper)


@given(graphs(max_nodes=8), graphs(max_nodes=8), st.integers(0, 20))
@settings(max_examples=40)
def test_below_answers_whether_the_distance_is_at_most_that(a: Graph, b: Graph, below: int) -> None:
    exact = solve.edit_distance(a, b).upper
    found = solve.edit_distance(a, b, below=below)
    assert found.lower <= exact <= found.upper
    assert (found.upper <= below) == (exact <= below)
    assert (found.lower > below) == (exact > below)


@given(st.data())
@settings(max_examples=60)
def test_any_mapping_is_an_edit_path_of_the_defined_cost(data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=5, directed=None, edge_labels=None, loops=True))
    mapping = data.draw(st.sampled_from(list(edit_oracles.edit_mappings(min(a.size, 3), b.size))))
    costs = EditCosts(edge_labels=True, directed=a.directed, relabel_edge=data.draw(st.sampled_from((0.5, 3.0))))
    assert certify.edit_path(a, b, mapping, costs).cost == edit_oracles.edit_cost(a, b, mapping, costs)


def test_an_edit_path_says_each_step() -> None:
    a = Graph.from_edges(3, [(0, 1), (1, 2)], labels=[*"CCO"])
    b = Graph.from_edges(3, [(0, 1), (0, 2)], labels=[*"CCN"])
    path = certify.edit_path(a, b, {0: 0, 1: 1, 2: 2})
    assert [(edit.kind, edit.left, edit.right) for edit in path.edits] == [
        ("delete edge", (1, 2), None),
        ("relabel node", 2, 2),
        ("insert edge", None, (0, 2)),
    ]
    assert path.cost == 3


def test_a_mapping_that_is_none_is_refused() -> None:
    a = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(CertificateError, match="twice"):
        certify.edit_path(a, a, [(0, 0), (1, 0)])
    with pytest.raises(CertificateError, match="names right node 2"):
        certify.edit_path(a, a, [(0, 2)])


def test_bounds_that_a_path_contradicts_are_refused() -> None:
    a, b = Graph.from_edges(2, [(0, 1)]), Graph.from_edges(2, [])
    path = certify.edit_path(a, b, {0: 0, 1: 1})
    certify.edit_bounds(path, 1, 1)
    for lower, upper in ((2, 1), (1, 2), (0, 0), (-1, 1)):
        with pytest.raises(CertificateError):
            certify.edit_bounds(path, lower, upper)


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1, "dear", True, None, {"C": -1}])
def test_a_price_that_is_none_is_refused(price: object) -> None:
    with pytest.raises(QuestionError):
        EditCosts(insert_node=wrong(price))


def test_a_table_that_lacks_a_label_is_refused() -> None:
    a, b = Graph.from_edges(1, [], labels=["C"]), Graph.from_edges(1, [], labels=["N"])
    with pytest.raises(QuestionError, match="names no price"):
        certify.edit_path(a, b, {0: 0}, EditCosts(relabel_node={("N", "C"): 1.0}))


@pytest.mark.parametrize("below", [-1, float("nan")])
def test_below_nothing_is_refused(below: float) -> None:
    a = Graph.from_edges(1, [])
    with pytest.raises(QuestionError):
        solve.edit_distance(a, a, below=below)


def test_directions_need_two_directed_graphs() -> None:
    a, b = Graph.from_edges(2, [(0, 1)], directed=True), Graph.from_edges(2, [(0, 1)])
    with pytest.raises(QuestionError, match="right graph is undirected"):
        solve.edit_distance(a, b, EditCosts(directed=True))
    assert solve.edit_distance(a, b).upper == 0


def test_graphs_beyond_the_limit_are_refused() -> None:
    with pytest.raises(QuestionError, match="1024"):
        solve.edit_distance(Graph.from_edges(1025, []), Graph.from_edges(1, []))


@pytest.mark.parametrize("size", [64, 65, 128, 200, 400])
def test_paths_of_any_length_are_compared(size: int) -> None:
    path = Graph.from_edges(size, [(i, i + 1) for i in range(size - 1)])
    ring = Graph.from_edges(size, [(i, (i + 1) % size) for i in range(size)])
    assert solve.edit_distance(path, ring, budget=solve.Budget(visits=1000)).upper == 1
