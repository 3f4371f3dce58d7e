"""Bounds without a search: never below the true value, each level at most the one before, many like one."""

from __future__ import annotations

import itertools
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, certify, formats, solve
from infmcs.errors import QuestionError
from infmcs.solve.bounds import LEVELS
from tests.kit import comparable_graphs, oracles, real_data, renumberings, wrong


@pytest.mark.parametrize("question", oracles.QUESTIONS, ids=str)
@settings(max_examples=8)
@given(st.data())
def test_no_level_is_below_the_true_value(question: Question, data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=4, edge_labels=None, directed=question.directed, loops=True))
    found = solve.bounds(a, b, question)
    assert found.upper >= oracles.largest_common_subgraph(a, b, question)
    assert list(astuple(found)) == sorted(astuple(found), reverse=True)
    assert found == solve.bounds(b, a, question)
    assert found == solve.bounds(data.draw(renumberings(a)), b, question)


@settings(max_examples=60)
@given(st.data())
def test_no_level_is_below_the_exact_search_on_larger_graphs(data: st.DataObject) -> None:
    question = Question(
        connected=data.draw(st.booleans()), edge_labels=data.draw(st.booleans()), directed=data.draw(st.booleans())
    )
    a, b = data.draw(comparable_graphs(min_nodes=4, max_nodes=9, edge_labels=None, directed=question.directed))
    exact = solve.max_common_subgraph(a, b, question)
    assert solve.bounds(a, b, question).upper >= exact.lower
    greedy = solve.greedy(a, b, question)
    assert certify.common_subgraph(a, b, greedy.mapping, question).size == greedy.lower
    assert greedy.lower <= exact.lower <= greedy.upper


@settings(max_examples=30)
@given(st.data())
def test_many_are_what_they_are_one_by_one(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(oracles.QUESTIONS))
    pairs = [data.draw(comparable_graphs(max_nodes=7, edge_labels=True, directed=question.directed)) for _ in range(4)]
    graphs = list(itertools.chain(*pairs))
    collection = Collection.from_graphs(graphs)
    for query in graphs[:3]:
        singly = [solve.bounds(query, graph, question) for graph in graphs]
        for level in LEVELS:
            many = solve.bounds_many(query, collection, question, level=level, threads=2)
            assert many.tolist() == [getattr(one, level) for one in singly]
        enough = solve.bounds_many(query, collection, question, above=3)
        uppers = np.array([one.upper for one in singly])
        assert ((enough == uppers) | (enough <= 3)).all()
        assert (enough >= uppers).all()


def test_each_level_sees_what_the_one_before_does_not() -> None:
    def of(labels: str, edges: list[tuple[int, int]]) -> Graph:
        return Graph.from_edges(len(labels), edges, list(labels))

    path = [(0, 1), (1, 2), (2, 3)]
    assert astuple(solve.bounds(of("CCNO", path), of("CCCC", path))) == (4, 2, 2, 2, 2)
    # Two labels in common, but no type of edge to join them.
    apart = solve.bounds(of("COCN", path), of("CSSN", path))
    assert (apart.labels, apart.edges) == (2, 1)
    # Three nodes of a path and of a complete graph have partners by number of edges, but not by degree.
    complete = of("CCCC", list(itertools.combinations(range(4), 2)))
    assert astuple(solve.bounds(complete, of("CCCC", path))) == (4, 4, 3, 2, 2)
    # A ring with two tails, at opposite nodes and at neighbours.
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    opposite, near = of("C" * 6, [*ring, (0, 4), (2, 5)]), of("C" * 6, [*ring, (0, 4), (1, 5)])
    assert astuple(solve.bounds(opposite, near)) == (6, 6, 6, 6, 5)


def test_a_renumbered_copy_keeps_its_whole_size() -> None:
    ring = Graph.from_edges(7, [(i, (i + 1) % 7) for i in range(7)])
    assert solve.bounds(ring, ring.renumbered([3, 1, 4, 0, 5, 2, 6])).upper == 7


def test_bounds_of_a_real_collection_hold_and_bite() -> None:
    graphs = formats.read(real_data("AIDS700nef", "AIDS700nef.jsonl.xz"))
    query = graphs[17]
    exact = solve.pairs(graphs[17:18], [(0, k) for k in range(len(graphs))], graphs).lower
    means = []
    for level in LEVELS:
        upper = solve.bounds_many(query, graphs, level=level)
        assert (upper >= exact).all()
        means.append(float((upper - exact).mean()))
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.75 * means[1]


def test_questions_that_make_no_sense_are_refused() -> None:
    graph = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(QuestionError, match="level"):
        solve.bounds_many(graph, Collection.from_graphs([graph]), level=wrong("everything"))
    with pytest.raises(QuestionError, match="directed"):
        solve.bounds(graph, graph, Question(directed=True))
    with pytest.raises(QuestionError, match="directed"):
        solve.bounds_many(graph, Collection.from_graphs([graph]), Question(directed=True))
    with pytest.raises(QuestionError, match="thread"):
        solve.bounds_many(graph, Collection.from_graphs([graph]), threads=0)
