"""All largest common subgraphs: each once, none missing, counted right for many pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, solve
from infmcs.errors import QuestionError
from tests.kit import comparable_graphs, oracles, wrong


@pytest.mark.parametrize("question", oracles.QUESTIONS, ids=str)
@pytest.mark.parametrize("words", [1, 2])
@settings(max_examples=5)
@given(st.data())
def test_the_mappings_are_those_of_exhaustive_search(question: Question, words: int, data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=4, edge_labels=None, directed=question.directed, loops=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infmcs.solve.mcs._LEAST_WORDS", words)
        found = solve.all_maximum_common_subgraphs(a, b, question)
    assert found.complete
    assert sorted(found.mappings) == sorted(oracles.all_largest_common_subgraphs(a, b, question))


@settings(max_examples=60)
@given(st.data())
def test_marginals_are_the_shares_of_the_listed_mappings(data: st.DataObject) -> None:
    question = Question(connected=data.draw(st.booleans()), edge_labels=data.draw(st.booleans()))
    graphs = [g for _ in range(3) for g in data.draw(comparable_graphs(max_nodes=6, edge_labels=True))]
    rows = list(itertools.product(range(6), range(6)))
    counted = solve.marginals(rows, Collection.from_graphs(graphs), question=question, threads=2)
    assert counted.complete.all()
    for k, (i, j) in enumerate(rows):
        listed = solve.all_maximum_common_subgraphs(graphs[i], graphs[j], question)
        assert counted.sizes[k] == listed.size
        assert counted.mappings[k] == len(listed)
        shares = np.zeros((graphs[i].size, graphs[j].size))
        for mapping in listed.mappings:
            for v, w in mapping:
                shares[v, w] += 1 / len(listed)
        left, right, both = counted[k]
        np.testing.assert_allclose(both, shares, atol=1e-5)
        np.testing.assert_allclose(left, shares.sum(axis=1), atol=1e-5)
        np.testing.assert_allclose(right, shares.sum(axis=0), atol=1e-5)


def benzene() -> Graph:
    return Graph.from_edges(6, [(i, (i + 1) % 6) for i in range(6)])


def test_two_rings_of_six_have_twelve() -> None:
    assert len(solve.all_maximum_common_subgraphs(benzene(), benzene())) == 12


def test_mappings_of_as_many_edges_may_have_different_numbers_of_nodes() -> None:
    triangle_or_path = Graph.from_edges(4, [(0, 1), (1, 2), (0, 2), (2, 3)])
    both = Graph.from_edges(7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (5, 6)])
    found = solve.all_maximum_common_subgraphs(triangle_or_path, both, Question(induced=False, count="edges"))
    assert (found.size, found.complete) == (3, True)
    assert {len(mapping) for mapping in found.mappings} == {3, 4}


def test_a_limit_ends_the_list_and_is_told() -> None:
    ring = benzene()
    for limit in range(1, 14):
        found = solve.all_maximum_common_subgraphs(ring, ring, limit=limit)
        assert len(found) == min(limit, 12)
        assert found.complete == (limit >= 12)
        counted = solve.marginals([(0, 0)], Collection.from_graphs([ring]), limit=limit)
        assert (int(counted.mappings[0]), bool(counted.complete[0])) == (len(found), found.complete)
        np.testing.assert_allclose(counted[0][0], 1, atol=1e-6)


def test_a_spent_budget_shows_one_mapping_and_claims_no_more() -> None:
    rng = np.random.default_rng(0)
    a, b = (Graph.from_edges(25, np.argwhere(np.triu(rng.random((25, 25)) < 0.5, 1))) for _ in range(2))
    budget = solve.Budget(visits=50)
    found = solve.all_maximum_common_subgraphs(a, b, budget=budget)
    assert (len(found), found.complete) == (1, False)
    counted = solve.marginals([(0, 1)], Collection.from_graphs([a, b]), budget=budget)
    assert not counted.proved[0]
    assert not counted.complete[0]
    assert counted.mappings[0] == 1
    assert counted[0][2].sum() == counted.sizes[0] == found.size


def test_nothing_in_common_is_one_empty_mapping() -> None:
    a, b = Graph.from_edges(1, [], ["C"]), Graph.from_edges(1, [], ["N"])
    found = solve.all_maximum_common_subgraphs(a, b)
    assert (found.mappings, found.size, found.complete) == (((),), 0, True)
    assert solve.marginals([], Collection.from_graphs([a, b])).mappings.tolist() == []


@pytest.mark.parametrize("limit", [0, -1, 1.5, "many"])
def test_a_limit_that_is_no_count_is_refused(limit: object) -> None:
    with pytest.raises(QuestionError, match="limit"):
        solve.all_maximum_common_subgraphs(benzene(), benzene(), limit=wrong(limit))
