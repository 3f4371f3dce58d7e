"""The largest common subgraph: equal to exhaustive search and to laws, whatever is known or wished before."""

from __future__ import annotations

import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, certify, solve
from infmcs.errors import GraphError, QuestionError
from tests.kit import comparable_graphs, graphs, oracles, renumberings, wrong


def solved(a: Graph, b: Graph, question: Question) -> int:
    found = solve.max_common_subgraph(a, b, question)
    assert found.proved
    assert certify.common_subgraph(a, b, found.mapping, question).size == found.lower
    return int(found.lower)


@pytest.mark.parametrize("question", oracles.QUESTIONS, ids=str)
@pytest.mark.parametrize("words", [1, 2])
@settings(max_examples=7)
@given(st.data())
def test_the_answer_is_that_of_exhaustive_search(question: Question, words: int, data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=4, edge_labels=None, directed=question.directed, loops=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infmcs.solve.mcs._LEAST_WORDS", words)
        assert solved(a, b, question) == oracles.largest_common_subgraph(a, b, question)


def random_pair(rng: np.random.Generator, most: int, directed: bool) -> tuple[Graph, Graph]:
    made = []
    for _ in range(2):
        size, density = int(rng.integers(0, most + 1)), rng.choice([0.1, 0.3, 0.5, 0.7, 1.0])
        edges = [
            (u, v) for u in range(size) for v in range(0 if directed else u, size)
            if rng.random() < (density if u != v else 0.2)
        ]  # fmt: skip
        made.append(
            Graph.from_edges(
                size, edges, rng.integers(0, 2, size).tolist(), rng.integers(0, 2, len(edges)).tolist(), None, directed
            )
        )
    return made[0], made[1]


@pytest.mark.slow
@pytest.mark.parametrize("question", oracles.QUESTIONS, ids=str)
def test_the_answer_is_that_of_exhaustive_search_up_to_six_nodes(question: Question) -> None:
    rng = np.random.default_rng(oracles.QUESTIONS.index(question))
    for _ in range(12):
        a, b = random_pair(rng, 6, question.directed)
        listed = oracles.all_largest_common_subgraphs(a, b, question)
        assert solved(a, b, question) == certify.common_subgraph(a, b, listed[0], question).size
        found = solve.all_maximum_common_subgraphs(a, b, question, limit=10**6)
        assert sorted(found.mappings) == sorted(listed)


@settings(max_examples=60)
@given(st.data())
def test_laws_of_every_question(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(oracles.QUESTIONS))
    wishes = {"max_nodes": 7, "edge_labels": True, "directed": question.directed}
    a, b = data.draw(comparable_graphs(**wishes))
    size = solved(a, b, question)
    assert size == solved(b, a, question)
    assert size == solved(data.draw(renumberings(a)), b, question)
    assert solved(a, b, replace(question, node_labels=False)) >= size
    assert solved(a, b, replace(question, connected=False)) >= size
    assert solved(a, b, replace(question, edge_labels=False)) >= size
    if question.induced:
        assert solved(a, b, replace(question, induced=False)) >= size
    if not question.connected:
        whole = a.size if question.count == "nodes" else len(a.edges)
        assert solved(a, a, question) == whole
        assert size <= solved(a, union(b, a), question) == whole


def union(a: Graph, b: Graph) -> Graph:
    return Graph.from_edges(
        a.size + b.size,
        np.concatenate((a.edges, b.edges + a.size)),
        a.label_names + b.label_names,
        (a.edge_label_names or ()) + (b.edge_label_names or ()),
        directed=a.directed,
    )


@settings(max_examples=30)
@given(graphs(max_nodes=8))
def test_a_graph_shares_its_largest_component_with_itself(graph: Graph) -> None:
    largest = max((len(part) for part in graph.components()), default=0)
    assert solved(graph, graph, Question()) == largest
    assert solved(graph, graph, Question(induced=False)) == largest


@settings(max_examples=80)
@given(st.data())
def test_what_is_known_or_wished_never_changes_the_answer(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(oracles.QUESTIONS))
    a, b = data.draw(comparable_graphs(max_nodes=6, edge_labels=True, directed=question.directed, loops=True))
    best = solve.max_common_subgraph(a, b, question)
    guide = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=(a.size, b.size))
    guided = solve.max_common_subgraph(a, b, question, guide=guide)
    assert (guided.lower, guided.proved) == (best.lower, True)
    start = data.draw(st.sampled_from(solve.all_maximum_common_subgraphs(a, b, question, limit=5).mappings))
    again = solve.max_common_subgraph(a, b, question, start=start, guide=guide)
    assert (again.mapping, again.lower, again.proved) == (start, best.lower, True)
    short = solve.greedy(a, b, question).mapping
    assert solve.max_common_subgraph(a, b, question, start=dict(short)).lower == best.lower
    for above in range(int(best.lower) + 2):
        found = solve.max_common_subgraph(a, b, question, above=above)
        if above < best.lower:
            assert (found.lower, found.proved) == (best.lower, True)
        else:
            assert found.mapping == ()
            assert found.upper <= above


@settings(max_examples=40)
@given(st.data())
def test_a_spent_budget_leaves_a_sound_interval(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(oracles.QUESTIONS))
    a, b = data.draw(comparable_graphs(min_nodes=4, max_nodes=8, edge_labels=None, directed=question.directed))
    exact = solved(a, b, question)
    for visits in (1, 3, 10, 40):
        found = solve.max_common_subgraph(a, b, question, solve.Budget(visits=visits))
        assert found.lower <= exact <= found.upper
        assert found.visited <= visits
        assert certify.common_subgraph(a, b, found.mapping, question).size == found.lower


def test_many_are_what_they_are_one_by_one_in_every_question() -> None:
    rng = np.random.default_rng(5)
    for question in oracles.QUESTIONS:
        made = [graph for _ in range(4) for graph in random_pair(rng, 7, question.directed)]
        collection = Collection.from_graphs(made)
        values = solve.all_pairs(collection, question=question, mappings=True, threads=2)
        for (i, j), lower in zip(values.pairs.tolist(), values.lower, strict=True):
            assert lower == solve.max_common_subgraph(made[i], made[j], question).lower


def test_equal_graphs_are_searched_once_and_counted_each() -> None:
    rng = np.random.default_rng(3)
    kinds = [graph for _ in range(3) for graph in random_pair(rng, 6, directed=False)]
    made = [kinds[k].renumbered(rng.permutation(kinds[k].size)) for k in rng.integers(0, len(kinds), 40)]
    collection = Collection.from_graphs(made)
    told: list[int] = []
    values = solve.all_pairs(collection, progress=told.append)
    singly = solve.pairs(collection, values.pairs)
    assert values.lower.tolist() == singly.lower.tolist()
    assert values.proved.all()
    assert told[-1] == len(values)
    assert (
        solve.all_pairs(collection, above=2).lower.tolist()
        == solve.pairs(collection, values.pairs, above=2).lower.tolist()
    )


@settings(max_examples=30)
@given(st.data())
def test_no_reduction_changes_an_answer(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(oracles.QUESTIONS))
    made = [data.draw(comparable_graphs(max_nodes=9, edge_labels=True, directed=question.directed)) for _ in range(3)]
    collection = Collection.from_graphs([graph for pair in made for graph in pair])
    values, visited = [], []
    choices = [*range(8), *range(24, 32)]  # from 24 on the search asks from above at once
    for reductions in choices:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("infmcs.solve.bulk._REDUCTIONS", reductions)
            found = solve.all_pairs(collection, question=question, mappings=True)
        assert found.proved.all()
        values.append(found.lower.tolist())
        visited.append(int(found.visited.sum()))
    assert values == [values[0]] * len(choices)
    assert visited[7] <= visited[0]


@pytest.mark.parametrize("question", oracles.QUESTIONS, ids=str)
def test_large_graphs_meet_every_row_length(question: Question) -> None:
    for size in (63, 65, 129, 400):
        rng = np.random.default_rng(size)
        tree = [(int(rng.integers(max(0, v - 3), v)), v) for v in range(1, size)]
        names = rng.integers(0, 3, size)
        a = Graph.from_edges(size, tree, names.tolist(), [0] * len(tree), directed=question.directed)
        b = a.renumbered(rng.permutation(size))
        found = solve.max_common_subgraph(a, b, question, solve.Budget(visits=3 * size))
        assert found.lower >= 1
        assert found.upper >= (size if question.count == "nodes" else size - 1)


def test_an_impossible_start_is_refused_with_its_reason() -> None:
    a, b = Graph.from_edges(3, [(0, 1), (1, 2)], list("CCN")), Graph.from_edges(3, [(0, 1)], list("CCN"))
    for start, reason in (
        ([(2, 0)], "labelled"),
        ([(0, 0), (0, 1)], "twice"),
        ([(5, 0)], "3 nodes"),
        ([(1, 1), (2, 2)], "no edge"),
        ([(0, 1), (2, 2)], "in pieces"),
    ):
        with pytest.raises(QuestionError, match=f"(?s)no common subgraph.*{reason}"):
            solve.max_common_subgraph(a, b, start=start)


def test_an_impossible_guide_is_refused_with_its_reason() -> None:
    a, b = Graph.from_edges(2, [(0, 1)]), Graph.from_edges(3, [(0, 1)])
    for guide, reason in (
        (np.zeros((3, 2)), "2 and 3 nodes"),
        (np.full((2, 3), np.nan), "NaN"),
        ("all", "matrix of numbers"),
        (np.zeros(6), "shape"),
    ):
        with pytest.raises(QuestionError, match=reason):
            solve.max_common_subgraph(a, b, guide=guide)


@pytest.mark.parametrize("above", [-1, 0.5, "much"])
def test_an_above_that_is_no_count_is_refused(above: object) -> None:
    graph = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(QuestionError, match="above"):
        solve.max_common_subgraph(graph, graph, above=wrong(above))


@pytest.mark.parametrize("limits", [{"visits": 0}, {"visits": -3}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_a_budget_of_nothing_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(QuestionError, match="allows no search"):
        solve.Budget(**wrong(limits))


def test_directions_are_asked_only_of_graphs_that_have_them() -> None:
    plain, arrows = Graph.from_edges(2, [(0, 1)]), Graph.from_edges(2, [(0, 1)], directed=True)
    with pytest.raises(QuestionError, match="right graph is undirected"):
        solve.max_common_subgraph(arrows, plain, Question(directed=True))
    assert solve.max_common_subgraph(arrows, plain).lower == 2
    both = Graph.from_edges(2, [(0, 1), (1, 0)], edge_labels=["a", "b"], directed=True)
    assert solve.max_common_subgraph(both, plain).lower == 2
    with pytest.raises(GraphError, match="given twice"):
        solve.max_common_subgraph(both, plain, Question(edge_labels=True))


def test_a_graph_over_the_size_limit_is_refused_by_name() -> None:
    small, large = Graph.from_edges(1, []), Graph.from_edges(1025, [])
    for question in (Question(), Question(induced=False)):
        with pytest.raises(QuestionError, match="1025 nodes"):
            solve.max_common_subgraph(small, large, question)
    with pytest.raises(QuestionError, match=r"graph 1\)"):
        solve.all_pairs(Collection.from_graphs([small, large]))
    assert solve.max_common_subgraph(small, Graph.from_edges(1024, [])).lower == 1


@pytest.mark.parametrize("question", [Question(), Question(induced=False, count="edges")], ids=str)
def test_ctrl_c_ends_a_search_at_once_and_loses_nothing(question: Question) -> None:
    rng = np.random.default_rng(0)
    a, b = (Graph.from_edges(60, np.argwhere(np.triu(rng.random((60, 60)) < 0.5, 1))) for _ in range(2))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    started = time.monotonic()
    try:
        with pytest.raises(solve.Interrupted) as caught:
            solve.max_common_subgraph(a, b, question, solve.Budget(seconds=60))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - started < 30
    found = caught.value.found
    assert 0 < found.lower < found.upper
    assert certify.common_subgraph(a, b, found.mapping, question).size == found.lower
