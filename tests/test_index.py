"""Searching an index: what it finds is what brute force finds, and what it claims is proven."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, _native, certify, datasets, pairs, solve
from infmcs.errors import QuestionError
from infmcs.index import Index, Result, shelves
from infmcs.index.segment import Segment
from infmcs.solve import Budget
from tests.kit import collections, graphs, renumberings, wrong

QUESTIONS = [
    Question(connected=connected, node_labels=labels, edge_labels=bonds)
    for connected in (True, False)
    for labels in (True, False)
    for bonds in (True, False)
]


def truth(query: Graph, collection: Collection, metric: str = "mcs", question: Question = Question()) -> list[float]:
    """The similarity to each graph, every pair solved in full."""
    found = []
    for graph in collection:
        if metric == "mcs":
            common = solve.max_common_subgraph(query, graph, question).lower
            found.append(pairs.nmcs(common, query.size, graph.size))
        else:
            found.append(pairs.nged(solve.edit_distance(query, graph).upper, query.size, graph.size))
    return found


def checked(result: Result, query: Graph, index: Index, values: list[float], question: Question = Question()) -> None:
    """Every hit's claim holds."""
    for hit in result:
        assert hit.lower <= hit.similarity <= hit.upper
        assert hit.lower <= values[hit.id] <= hit.upper
        if result.metric == "mcs":
            shown = certify.common_subgraph(query, index.graph(hit.id), hit.mapping, question)
            assert shown.size == hit.common
            assert hit.lower == pairs.nmcs(shown.size, query.size, index.graph(hit.id).size)
        else:
            assert certify.edit_path(query, index.graph(hit.id), hit.mapping).cost == hit.distance
    assert [hit.similarity for hit in result] == sorted((hit.similarity for hit in result), reverse=True)


@pytest.fixture(params=["native", "warm", "plain"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """All forms of the search: the fast one, also with all graphs prepared, and the plain one that it must equal."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "plain":
            patch.setattr("infmcs.index.shelves.suits", lambda *_: False)
        if request.param == "warm":
            patch.setattr("infmcs.index.segment.Segment.ready", _warmed)
        yield


def _warmed(segment: Segment, question: Question) -> _native.Prepared | None:
    segment.warm(question)
    return segment._ready.get((question.induced, question.node_labels, question.edge_labels, question.directed))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_best_are_those_of_brute_force(question: Question, data: st.DataObject) -> None:
    wishes: dict[str, Any] = {"max_nodes": 6, "labels": data.draw(st.booleans()), "edge_labels": True, "loops": True}
    collection = data.draw(collections(max_graphs=12, **wishes))
    query = data.draw(graphs(**wishes))
    top = data.draw(st.integers(1, 6))
    index = Index.build(collection)
    values = truth(query, collection, question=question)
    result = index.search(query, top, question=question)
    checked(result, query, index, values, question)
    assert result.complete
    expected = sorted(range(len(values)), key=lambda i: (-values[i], i))
    assert [hit.id for hit in result] == expected[:top]
    assert all(hit.proved for hit in result)
    last = result.hits[-1].similarity if len(values) > top else None
    assert sorted(result.tied) == sorted(i for i in expected[top:] if values[i] == last)
    assert [hit.similarity for hit in index.search(query, top, question=question, ties=False)] == [
        hit.similarity for hit in result
    ]


@settings(max_examples=40)
@given(st.data())
def test_edit_distances_rank_as_brute_force_ranks(data: st.DataObject) -> None:
    collection = data.draw(collections(max_graphs=8, max_nodes=5, labels=True))
    query = data.draw(graphs(max_nodes=5, labels=True))
    top = data.draw(st.integers(1, 4))
    index = Index.build(collection)
    values = truth(query, collection, "ged")
    result = index.search(query, top, metric="ged")
    checked(result, query, index, values)
    assert result.complete
    assert [hit.id for hit in result] == sorted(range(len(values)), key=lambda i: (-values[i], i))[:top]


@pytest.mark.usefixtures("way")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_threshold_gives_all_that_reach_it_and_no_other(data: st.DataObject) -> None:
    collection = data.draw(collections(max_graphs=10, max_nodes=6, labels=True))
    query = data.draw(graphs(max_nodes=6, labels=True))
    values = truth(query, collection)
    threshold = data.draw(st.sampled_from([*values, 0.0, 0.5, 1.0]))
    for metric in pairs.METRICS:
        known = truth(query, collection, metric)
        result = Index.build(collection).search(query, threshold=threshold, metric=metric)
        assert result.complete
        assert {hit.id for hit in result} == {i for i, value in enumerate(known) if value >= threshold}


@pytest.mark.usefixtures("way")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_spent_budget_leaves_true_intervals_and_no_false_claim(data: st.DataObject) -> None:
    collection = data.draw(collections(max_graphs=10, max_nodes=7, labels=False))
    query = data.draw(graphs(max_nodes=7, labels=False))
    index, values = Index.build(collection), truth(query, collection)
    top = data.draw(st.integers(1, 5))
    result = index.search(query, top, budget=Budget(visits=data.draw(st.integers(1, 200))))
    checked(result, query, index, values)
    shown = {hit.id for hit in result}
    left = [value for i, value in enumerate(values) if i not in shown]
    assert all(result.beyond is not None and value <= result.beyond for value in left)
    if result.complete:
        assert [hit.similarity for hit in result] == sorted(values, reverse=True)[:top]


@settings(max_examples=60)
@given(st.data())
def test_no_bound_is_below_the_truth(data: st.DataObject) -> None:
    wishes: dict[str, Any] = {"max_nodes": 7, "labels": data.draw(st.booleans()), "edge_labels": False, "loops": True}
    wishes["directed"] = data.draw(st.booleans())
    collection, query = data.draw(collections(**wishes)), data.draw(graphs(**wishes))
    question = Question(connected=data.draw(st.booleans()), node_labels=data.draw(st.booleans()))
    contents = Index.build(collection)._contents
    first = shelves.most_common(contents, query, question, sharp=False)
    sharp = shelves.most_common(contents, query, question, sharp=True)
    for graph, quick, sharper in zip(collection, first, sharp, strict=True):
        assert solve.max_common_subgraph(query, graph, question).lower <= sharper <= quick


def test_a_wider_row_of_counts_bounds_as_a_narrow_one() -> None:
    path = Graph.from_edges(300, [(i, i + 1) for i in range(299)], ["C"] * 300)
    small = path.induced(range(5))
    index = Index.build([path, small, path.induced(range(260))])
    for query, expected in ((path, [0, 2, 1]), (small, [1, 2, 0])):
        result = index.search(query)
        assert [hit.id for hit in result] == expected
        assert result.complete
        assert result.hits[0].similarity == 1


def test_a_query_with_more_of_a_label_than_a_byte_counts() -> None:
    path = Graph.from_edges(300, [(i, i + 1) for i in range(299)], ["C"] * 300)
    pieces = [path.induced(range(size)) for size in (3, 200, 120)]
    result = Index.build(pieces).search(path)
    assert [(hit.id, hit.common) for hit in result] == [(1, 200), (2, 120), (0, 3)]
    assert result.complete


@pytest.mark.usefixtures("way")
def test_a_budget_of_seconds_is_spent_and_no_less() -> None:
    index = Index.build(molecules())
    assert index.search(molecules()[0], budget=Budget(seconds=600)).complete
    spent = index.search(molecules()[0], budget=Budget(seconds=1e-9))
    assert not spent.complete
    assert spent.beyond is not None


def test_graphs_beyond_the_solver_leave_an_open_interval() -> None:
    large = Graph.from_edges(1100, [])
    small = Graph.from_edges(3, [(0, 1)])
    result = Index.build([large, small]).search(small, 2)
    assert [(hit.id, hit.proved) for hit in result] == [(1, True), (0, False)]
    assert result.hits[1].lower == 0
    assert not result.complete
    assert Index.build([large, small]).search(small, 1).complete


@settings(max_examples=30)
@given(st.data())
def test_an_identical_graph_comes_first_with_1_proved(data: st.DataObject) -> None:
    collection = data.draw(collections(max_graphs=8, max_nodes=6, labels=True))
    chosen = data.draw(graphs(min_nodes=1, max_nodes=6, labels=True))
    whole = Collection.from_graphs([*collection, chosen])
    query = data.draw(renumberings(chosen))
    question = Question(connected=False)
    first = Index.build(whole).search(query, 1, question=question).hits[0]
    assert (first.similarity, first.lower, first.upper, first.proved) == (1.0, 1.0, 1.0, True)


def molecules(count: int = 30, seed: int = 0) -> Collection:
    """Trees with labels, of several sizes."""
    rng = np.random.default_rng(seed)
    made = []
    for k in range(count):
        size = int(rng.integers(4, 10))
        edges = [(int(rng.integers(0, v)), v) for v in range(1, size)]
        labels = rng.choice(["C", "C", "N", "O"], size).tolist()
        made.append(Graph.from_edges(size, edges, labels, name=f"graph {k}"))
    return Collection.from_graphs(
        made, {"kind": [k % 3 for k in range(count)], "source": ["ab"[k % 2] for k in range(count)]}
    )


def test_a_filter_names_ids_or_what_columns_must_hold() -> None:
    graphs_ = molecules()
    index, query = Index.build(graphs_), graphs_[3]
    cases: list[tuple[Any, Any]] = [
        ([1, 2, 5], lambda i: i in (1, 2, 5)),
        ({"kind": 1}, lambda i: i % 3 == 1),
        ({"kind": {0, 2}, "source": "b"}, lambda i: i % 3 != 1 and i % 2),
        ({"source": {"a"}}, lambda i: i % 2 == 0),
        ({"nodes": (5, 7)}, lambda i: 5 <= graphs_[i].size <= 7),
        ({"edges": (None, 4)}, lambda i: len(graphs_[i].edges) <= 4),
        ({"name": "graph 7"}, lambda i: i == 7),
        ([], lambda i: i < 0),
    ]
    for wanted, passes in cases:
        found = index.search(query, len(graphs_), filter=wanted)
        assert {hit.id for hit in found} == {i for i in range(len(graphs_)) if passes(i)}, wanted
        assert found.complete
    for senseless in ({"colour": 1}, [99], ["a"], {"nodes": (1, 2, 3)}):
        with pytest.raises(QuestionError):
            index.search(query, filter=wrong(senseless))


def test_senseless_wishes_are_refused() -> None:
    index, query = Index.build(molecules(3)), molecules(3)[0]
    for wishes in ({"top": 0}, {"top": 1.5}, {"threshold": 1.1}, {"threshold": float("nan")}, {"metric": "wl"}):
        with pytest.raises(QuestionError):
            index.search(query, **wishes)
    assert Index.build(Collection.from_graphs([])).search(query).hits == ()


def test_more_seconds_than_a_search_needs_change_nothing() -> None:
    graphs = datasets.load("molecules")[:100]
    index = Index.build(graphs)
    free, timed = (index.search(graphs[7], budget=budget) for budget in (None, Budget(seconds=600)))
    assert timed.complete
    assert [(hit.id, hit.similarity) for hit in timed] == [(hit.id, hit.similarity) for hit in free]


def test_graphs_are_kept_prepared_only_within_the_room_given() -> None:
    graphs = [Graph.from_edges(size, [(k, k + 1) for k in range(size - 1)]) for size in (3, 64, 65)]
    index = Index.build(graphs)
    (segment,) = index._contents.segments
    rows = 3 + 64 + 2 * 65
    assert not index.warm(most=rows - 1)
    assert segment.ready(Question()) is None
    assert index.warm(most=rows)
    assert segment.ready(Question()) is not None
