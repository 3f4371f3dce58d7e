"""The classical methods: on their side of the distance, certified, and what their references say they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from infmcs import Collection, EditCosts, Graph, certify, formats, solve
from infmcs.errors import QuestionError
from infmcs.solve import EditSolution
from tests.kit import comparable_graphs, graphs, real_data, renumberings, wrong
from tests.test_ged_costs import any_costs

SHOWN: dict[str, Callable[[Graph, Graph, EditCosts], EditSolution]] = {
    "hungarian": solve.hungarian,
    "vj": solve.vj,
    "branch": solve.branch,
    "descent": solve.descent,
    "beam": lambda a, b, costs: solve.beam(a, b, costs, width=2),
    "astar": solve.astar,
}


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_every_method_stays_on_its_side_of_the_distance_at_any_prices(data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=5, directed=None, labels=None, edge_labels=True, loops=True))
    costs = data.draw(any_costs(directed=a.directed))
    exact = solve.edit_distance(a, b, costs).upper
    near = 1e-8 * (1 + exact)
    for name, method in SHOWN.items():
        found = method(a, b, costs)
        assert found.lower <= exact + near, name
        assert exact <= found.upper + near, name
        assert certify.edit_path(a, b, found.mapping, costs) == found.path
        if found.proved:
            assert found.upper == pytest.approx(exact, rel=1e-8, abs=1e-8), name
    assert solve.hed(a, b, costs).lower <= exact + near
    assert solve.astar(a, b, costs).proved
    assert solve.beam(a, b, costs, width=10**6).upper == pytest.approx(exact, rel=1e-8, abs=1e-8)


@given(graphs(max_nodes=8, labels=True), graphs(max_nodes=8, labels=True))
@settings(max_examples=60, deadline=None)
def test_every_method_stays_on_its_side_of_the_distance_at_unit_costs(a: Graph, b: Graph) -> None:
    exact = solve.edit_distance(a, b).upper
    for name, method in SHOWN.items():
        found = method(a, b, EditCosts())
        assert found.lower <= exact <= found.upper, name
    assert solve.hed(a, b).lower <= exact + 1e-9
    assert solve.descent(a, b).upper <= solve.branch(a, b).upper


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_the_bounds_do_not_depend_on_the_numbers_of_nodes(data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=6, labels=True, edge_labels=True))
    costs = data.draw(any_costs())
    other = data.draw(renumberings(a))
    assert solve.hed(a, b, costs).lower == pytest.approx(solve.hed(other, b, costs).lower)
    assert solve.branch(a, b, costs).lower == pytest.approx(solve.branch(other, b, costs).lower, abs=1e-9)


@given(graphs(max_nodes=7, labels=True), graphs(max_nodes=7, labels=True))
@settings(max_examples=40, deadline=None)
def test_hungarian_and_vj_assign_as_cheaply_as_the_classical_square_matrix(a: Graph, b: Graph) -> None:
    matrix = classical_matrix(a, b)
    optimum = matrix[linear_sum_assignment(matrix)].sum()
    for found in (solve.hungarian(a, b), solve.vj(a, b)):
        image = dict(found.mapping)
        gone = [u for u in range(a.size) if u not in image]
        new = [v for v in range(b.size) if v not in image.values()]
        total = sum(matrix[u, v] for u, v in found.mapping)
        total += sum(matrix[u, b.size + u] for u in gone) + sum(matrix[a.size + v, v] for v in new)
        assert total == optimum


def classical_matrix(a: Graph, b: Graph) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Riesen and Bunke's matrix of n + m rows at unit costs, written out."""
    n, m = a.size, b.size
    matrix = np.full((n + m, n + m), 1e6)
    matrix[n:, m:] = 0
    here, there = a.degrees(), b.degrees()
    for u in range(n):
        matrix[u, m + u] = 1 + here[u]
        for v in range(m):
            matrix[u, v] = (a.label_names[u] != b.label_names[v]) + abs(int(here[u]) - int(there[v]))
    for v in range(m):
        matrix[n + v, v] = 1 + there[v]
    return matrix


def test_hed_is_what_its_definition_says() -> None:
    # C-C-O against C-N: by hand, each node with its cheapest partner, halved where there is one.
    a = Graph.from_edges(3, [(0, 1), (1, 2)], labels=[*"CCO"])
    b = Graph.from_edges(2, [(0, 1)], labels=[*"CN"])
    # left: C0 -> C: 0; C1 -> C: (0 + 1/2)/2; O2 -> any: (1 + 0)/2. right: C <- C0: 0; N <- C0: 1/2.
    assert solve.hed(a, b).lower == pytest.approx(0 + 0.25 + 0.5 + 0 + 0.5)


def test_hed_shows_no_edit_path_and_in_bulk_only_the_one_that_deletes_and_inserts_all() -> None:
    a, b = Graph.from_edges(3, [(0, 1), (1, 2)]), Graph.from_edges(2, [(0, 1)])
    assert not hasattr(solve.hed(a, b), "upper")
    values = solve.pairs(Collection.from_graphs([a, b]), [(0, 1)], metric="ged", method="hed", mappings=True)
    assert values.upper.tolist() == [8]
    assert values.mappings is not None
    assert values.mappings[0] == ()
    assert not values.proved.any()


@given(graphs(max_nodes=7, labels=True), graphs(max_nodes=7, labels=True), st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_a_spent_budget_leaves_astar_with_bounds(a: Graph, b: Graph, visits: int) -> None:
    exact = solve.edit_distance(a, b).upper
    found = solve.astar(a, b, budget=solve.Budget(visits=visits))
    assert found.lower <= exact <= found.upper
    assert found.visited <= visits


@pytest.mark.parametrize("method", ["astar", "beam", "hungarian", "vj", "branch", "descent"])
def test_many_are_what_they_are_one_by_one(method: solve.Method) -> None:
    rng = np.random.default_rng(0)
    made = [
        Graph.from_edges(n, [(int(rng.integers(v)), v) for v in range(1, n)], labels=rng.choice([*"CNO"], n).tolist())
        for n in rng.integers(1, 8, 6)
    ]
    values = solve.all_pairs(Collection.from_graphs(made), metric="ged", method=method, mappings=True, threads=2)
    one = SHOWN[method] if method != "beam" else lambda a, b, costs: solve.beam(a, b, costs)
    for (i, j), lower, upper in zip(values.pairs.tolist(), values.lower, values.upper, strict=True):
        found = one(made[i], made[j], EditCosts())
        assert (found.lower, found.upper) == (lower, upper)


def test_what_makes_no_sense_is_refused() -> None:
    graphs = Collection.from_graphs([Graph.from_edges(2, [(0, 1)])])
    with pytest.raises(QuestionError, match="no method is named 'magic'"):
        solve.pairs(graphs, [(0, 0)], metric="ged", method=wrong("magic"))
    with pytest.raises(QuestionError, match="only the exact search"):
        solve.pairs(graphs, [(0, 0)], metric="ged", method="vj", below=3)
    with pytest.raises(QuestionError, match="belong to metric='ged'"):
        solve.pairs(graphs, [(0, 0)], method="vj")
    for width in (0, -3, True, 2.5):
        with pytest.raises(QuestionError, match="at least 1 path"):
            solve.beam(graphs[0], graphs[0], width=wrong(width))


def test_the_methods_stand_where_they_stand_on_published_pairs() -> None:
    graphs = formats.read(real_data("AIDS700nef", "AIDS700nef.jsonl.xz"))
    pairs = np.random.default_rng(1).integers(0, len(graphs), (300, 2))
    exact = solve.pairs(graphs, pairs, metric="ged").upper
    uppers = {}
    for method in ("hungarian", "vj", "beam", "descent", "branch", "hed", "astar"):
        values = solve.pairs(graphs, pairs, metric="ged", method=method, budget=solve.Budget(visits=2000))
        assert (values.lower <= exact + 1e-9).all(), method
        assert (exact <= values.upper).all(), method
        uppers[method] = values.upper.mean()
    assert exact.mean() < uppers["descent"] < uppers["hungarian"] < uppers["hed"]
