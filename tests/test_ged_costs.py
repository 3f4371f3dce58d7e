"""Edit distances at any prices: tables, edge labels, directions, loops, prices that are no metric."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, EditCosts, Graph, certify, formats, solve
from infmcs.errors import QuestionError
from tests.kit import comparable_graphs, edit_oracles, edit_programs, graphs, real_data
from tests.kit.strategies import BONDS, NAMES

PRICES = st.one_of(st.integers(0, 4), st.sampled_from((0.1, 0.3, 2.5)), st.floats(0, 5, allow_subnormal=False))
LABELS = (None, *NAMES)
EDGE_LABELS = (None, *BONDS)


@st.composite
def any_costs(draw: st.DrawFn, *, directed: bool = False, symmetric: bool = False) -> EditCosts:
    """Prices by constant or by table, metric or not."""

    def of(names: tuple[Any, ...]) -> Any:
        if draw(st.booleans()):
            return draw(PRICES)
        return {name: draw(PRICES) for name in names}

    def between(names: tuple[Any, ...]) -> Any:
        if draw(st.booleans()):
            return draw(PRICES)
        table = {(a, b): draw(PRICES) for a in names for b in names if a != b}
        return {(a, b): table[min((a, b), (b, a), key=repr)] for a, b in table} if symmetric else table

    insert_node, insert_edge = of(LABELS), of(EDGE_LABELS)
    delete_edge = insert_edge if symmetric else of(EDGE_LABELS)
    return EditCosts(
        node_labels=draw(st.booleans()),
        edge_labels=draw(st.booleans()),  # tables price edges without it, too: as None
        directed=directed,
        insert_node=insert_node,
        delete_node=insert_node if symmetric else of(LABELS),
        relabel_node=between(LABELS),
        insert_edge=insert_edge,
        delete_edge=delete_edge,
        relabel_edge=between(EDGE_LABELS),
    )


def the_distance_is_the_least_over_all_edit_mappings(data: st.DataObject, least: int, most: int) -> None:
    pair = comparable_graphs(min_nodes=least, max_nodes=most, directed=None, labels=None, edge_labels=None, loops=True)
    a, b = data.draw(pair)
    costs = data.draw(any_costs(directed=a.directed))
    found = solve.edit_distance(a, b, costs)
    assert found.proved
    assert found.upper == found.lower == found.path.cost
    assert found.upper == pytest.approx(edit_oracles.edit_distance(a, b, costs), rel=1e-8, abs=1e-8)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_distance_is_the_least_over_all_edit_mappings_at_any_prices(data: st.DataObject) -> None:
    the_distance_is_the_least_over_all_edit_mappings(data, 0, 4)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_so_it_is_where_five_nodes_meet_five(data: st.DataObject) -> None:
    the_distance_is_the_least_over_all_edit_mappings(data, 5, 5)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_so_it_is_where_five_nodes_meet_five_many_times(data: st.DataObject) -> None:
    the_distance_is_the_least_over_all_edit_mappings(data, 5, 5)


@given(comparable_graphs(max_nodes=5, directed=None, edge_labels=True, loops=True))
@settings(max_examples=25, deadline=None)
def test_unit_costs_with_edge_labels_directions_and_loops_are_exact(pair: tuple[Graph, Graph]) -> None:
    a, b = pair
    costs = EditCosts(edge_labels=True, directed=a.directed)
    assert solve.edit_distance(a, b, costs).upper == edit_oracles.edit_distance(a, b, costs)


@given(graphs(max_nodes=7, labels=True), graphs(max_nodes=7, labels=True))
@settings(max_examples=40, deadline=None)
def test_the_general_search_agrees_with_the_one_for_equal_prices(a: Graph, b: Graph) -> None:
    loop = Graph.from_edges(1, [(0, 0)])  # drives the whole collection to the general search
    pair, with_loop = Collection.from_graphs([a, b]), Collection.from_graphs([a, b, loop])
    fast, general = (solve.pairs(these, [(0, 1), (1, 0)], metric="ged", mappings=True) for these in (pair, with_loop))
    assert general.proved.all()
    assert fast.upper.tolist() == general.upper.tolist()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_symmetric_prices_give_a_symmetric_distance(data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=6, labels=True, edge_labels=True, loops=True))
    costs = data.draw(any_costs(symmetric=True))
    there, back = solve.edit_distance(a, b, costs).upper, solve.edit_distance(b, a, costs).upper
    assert there == pytest.approx(back, rel=1e-8, abs=1e-8)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_spent_budget_and_below_are_right_at_any_prices(data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=6, labels=True, edge_labels=True))
    costs = data.draw(any_costs())
    exact = solve.edit_distance(a, b, costs).upper
    near = 1e-8 * (1 + exact)
    found = solve.edit_distance(a, b, costs, solve.Budget(visits=data.draw(st.integers(1, 6))))
    assert found.lower <= exact + near
    assert exact <= found.upper + near
    below = data.draw(st.floats(0, 12))
    told = solve.edit_distance(a, b, costs, below=below)
    assert told.lower <= exact + near
    assert exact <= told.upper + near
    if abs(exact - below) > near:
        assert (told.upper <= below) == (exact < below)
        assert (told.lower > below) == (exact > below)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_many_pairs_at_any_prices_are_what_they_are_one_by_one(data: st.DataObject) -> None:
    left = Collection.from_graphs(
        data.draw(st.lists(graphs(max_nodes=5, labels=True, edge_labels=True), min_size=2, max_size=3))
    )
    costs = data.draw(any_costs())
    rows = [(i, j) for i in range(len(left)) for j in range(len(left))]
    values = solve.pairs(left, rows, metric="ged", costs=costs, mappings=True, threads=2)
    assert values.mappings is not None
    assert values.proved.all()
    for (i, j), upper, mapping in zip(rows, values.upper, values.mappings, strict=True):
        assert upper == pytest.approx(solve.edit_distance(left[i], left[j], costs).upper, rel=1e-8, abs=1e-8)
        assert certify.edit_path(left[i], left[j], mapping, costs).cost == pytest.approx(upper, rel=1e-8, abs=1e-8)


def some_molecules(count: int, least: int, most: int) -> list[tuple[Graph, Graph]]:
    graphs = formats.read(real_data("AIDS", "AIDS.zip"))
    some = np.flatnonzero((graphs.sizes >= least) & (graphs.sizes <= most))
    chosen = np.random.default_rng(3).choice(some, (count, 2))
    return [(graphs[i], graphs[j]) for i, j in chosen.tolist()]


METRIC = EditCosts(edge_labels=True, insert_node=3, delete_node=2, relabel_node=1.5, insert_edge=1, relabel_edge=0.25)


@pytest.mark.parametrize(("count", "most"), [(12, 7), pytest.param(150, 8, marks=pytest.mark.slow)])
def test_an_integer_program_finds_the_same_distances(count: int, most: int) -> None:
    for a, b in some_molecules(count, 2, most):
        for costs in (EditCosts(), METRIC):
            wanted = edit_programs.edit_distance(a, b, costs)
            assert solve.edit_distance(a, b, costs).upper == pytest.approx(wanted, abs=1e-6)


def test_the_integer_program_agrees_with_trying_everything() -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        a, b = (
            Graph.from_edges(
                n,
                edges := [(u, v) for v in range(n) for u in range(v) if rng.random() < 0.5],
                labels=rng.choice([*"CN"], n).tolist(),
                edge_labels=rng.choice([1, 2], len(edges)).tolist(),
            )
            for n in (4, 4)
        )
        assert edit_programs.edit_distance(a, b, METRIC) == pytest.approx(edit_oracles.edit_distance(a, b, METRIC))


def test_where_substituting_is_dearer_nodes_are_deleted_and_inserted() -> None:
    a, b = (Graph.from_edges(2, [(0, 1)], labels=[name] * 2) for name in "CN")
    found = solve.edit_distance(a, b, EditCosts(relabel_node=10.0))
    assert found.mapping == ()
    assert found.upper == 6


def test_a_table_must_name_only_what_it_meets() -> None:
    a, b = Graph.from_edges(1, [], labels=["C"]), Graph.from_edges(1, [], labels=["N"])
    costs = EditCosts(relabel_node={("C", "N"): 0.5})
    assert solve.edit_distance(a, b, costs).upper == 0.5
    with pytest.raises(QuestionError, match="names no price"):
        solve.edit_distance(b, a, costs)


def test_directions_need_two_directed_collections() -> None:
    ways = Collection.from_graphs([Graph.from_edges(2, [(0, 1)], directed=True)])
    edges = Collection.from_graphs([Graph.from_edges(2, [(0, 1)])])
    with pytest.raises(QuestionError, match="right graphs are undirected"):
        solve.pairs(ways, [(0, 0)], edges, metric="ged", costs=EditCosts(directed=True))
    assert solve.pairs(ways, [(0, 0)], edges, metric="ged").upper.tolist() == [0]


@pytest.mark.parametrize("size", [64, 100])
def test_large_graphs_at_general_prices_stay_within_their_budget(size: int) -> None:
    path = Graph.from_edges(size, [(i, i + 1) for i in range(size - 1)])
    ring = Graph.from_edges(size, [(i, (i + 1) % size) for i in range(size)])
    costs = EditCosts(insert_edge=2.0)
    found = solve.edit_distance(path, ring, costs, solve.Budget(visits=50))
    assert found.visited <= 50
    assert 0 < found.lower <= 2 <= found.upper


def test_graphs_beyond_the_limit_of_general_prices_are_refused() -> None:
    with pytest.raises(QuestionError, match="256"):
        solve.edit_distance(Graph.from_edges(257, []), Graph.from_edges(1, []), replace(EditCosts(), insert_node=2.0))
