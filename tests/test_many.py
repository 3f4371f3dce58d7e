"""One subgraph of many graphs: equal to exhaustive search, there in every graph, and honest when stopped."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Graph, Question, certify, solve
from infmcs.errors import CertificateError, QuestionError
from tests.kit import comparable_graphs, oracles


def require_everywhere(graphs: list[Graph], found: solve.CommonOfMany, question: Question) -> None:
    """Every graph has the whole pattern, and the pattern is worth its lower bound and answers the question."""
    whole = question if question.induced else replace(question, count="edges", connected=False)
    wanted = found.pattern.size if question.induced else len(found.pattern.edges)
    for graph, nodes in zip(graphs, found.nodes, strict=True):
        shown = certify.common_subgraph(found.pattern, graph, list(enumerate(nodes)), whole)
        assert shown.size == wanted
        assert len(nodes) == found.pattern.size
    itself = [(v, v) for v in range(found.pattern.size)]
    assert certify.common_subgraph(found.pattern, found.pattern, itself, question).size == found.lower


def largest_of_all(graphs: list[Graph], question: Question) -> int:
    """By trying every part of the first graph: its induced subgraphs, or its sets of edges."""
    first = graphs[0]
    best = 0
    if question.induced:
        parts = [
            first.induced(list(nodes))
            for k in range(first.size + 1)
            for nodes in itertools.combinations(range(first.size), k)
        ]
        for part in parts:
            if part.size > best and all(
                oracles.largest_common_subgraph(part, g, question) == part.size for g in graphs
            ):
                best = part.size
        return best
    whole = replace(question, count="edges", connected=False)
    for nodes in (c for k in range(first.size + 1) for c in itertools.combinations(range(first.size), k)):
        part = first.induced(list(nodes))
        names = part.edge_label_names
        for chosen in (
            c for k in range(len(part.edges) + 1) for c in itertools.combinations(range(len(part.edges)), k)
        ):
            only = Graph.from_edges(
                part.size,
                part.edges[list(chosen)],
                part.label_names,
                None if names is None else [names[k] for k in chosen],
                directed=part.directed,
            )
            size = only.size if question.count == "nodes" else len(only.edges)
            if size <= best or (question.connected and len(only.components()) > 1):
                continue
            if all(_has(only, graph, whole) for graph in graphs):
                best = size
    return best


def _has(pattern: Graph, graph: Graph, whole: Question) -> bool:
    if pattern.size > graph.size:
        return False
    for images in itertools.permutations(range(graph.size), pattern.size):
        try:
            if certify.common_subgraph(pattern, graph, list(enumerate(images)), whole).size == len(pattern.edges):
                return True
        except CertificateError:
            continue
    return False


@pytest.mark.parametrize("question", oracles.QUESTIONS[::3], ids=str)
@settings(max_examples=6)
@given(st.data())
def test_the_answer_is_that_of_exhaustive_search(question: Question, data: st.DataObject) -> None:
    wishes = {"edge_labels": True, "labels": True, "directed": question.directed, "loops": True}
    a, b = data.draw(comparable_graphs(max_nodes=3, **wishes))
    c, _ = data.draw(comparable_graphs(max_nodes=4, **wishes))
    found = solve.common_subgraph_of_many([a, b, c], question)
    assert found.proved
    require_everywhere([a, b, c], found, question)
    plain = [question.look_at(graph, graph)[0] for graph in (a, b, c)]
    assert found.lower == largest_of_all(plain, question)


@settings(max_examples=20)
@given(st.data())
def test_of_two_graphs_it_is_their_largest_common_subgraph(data: st.DataObject) -> None:
    question = data.draw(st.sampled_from([q for q in oracles.QUESTIONS if not q.directed]))
    a, b = data.draw(comparable_graphs(max_nodes=5))
    assert solve.common_subgraph_of_many([a, b], question).lower == solve.max_common_subgraph(a, b, question).lower


def test_of_a_series_of_molecules_it_is_the_core() -> None:
    series = [Graph.from_smiles(text) for text in ("c1ccccc1CCN", "c1ccccc1CO", "Cc1ccccc1CF", "NCc1ccccc1C(=O)O")]
    question = Question(induced=False, edge_labels=True, count="edges")
    found = solve.common_subgraph_of_many(series, question)
    assert (found.lower, found.proved, found.pattern.size) == (7, True, 7)
    require_everywhere(series, found, question)


def test_pairs_can_have_in_common_what_three_have_not() -> None:
    three = [Graph.from_edges(2, [(0, 1)], labels) for labels in (["C", "N"], ["N", "O"], ["O", "C"])]
    found = solve.common_subgraph_of_many(three)
    assert (found.lower, found.proved, found.nodes) == (0, True, ((), (), ()))


def test_a_spent_budget_leaves_a_sound_interval() -> None:
    series = [
        Graph.from_smiles(text) for text in ("CC(C)CC1CNCC1O", "NC1CCOC1CC(C)O", "OC1CC(CC)CNC1", "C1CC(O)CC1CCN")
    ]
    exact = solve.common_subgraph_of_many(series)
    assert exact.proved
    for visits in (1, 10, 100, 1000):
        found = solve.common_subgraph_of_many(series, budget=solve.Budget(visits=visits))
        require_everywhere(series, found, Question())
        assert found.lower <= exact.lower <= found.upper


def test_lists_that_make_no_sense_are_refused() -> None:
    with pytest.raises(QuestionError, match="no graphs"):
        solve.common_subgraph_of_many([])
    with pytest.raises(QuestionError, match="directions"):
        solve.common_subgraph_of_many([Graph.from_edges(1, [])], Question(directed=True))


def test_one_graph_is_its_own_largest_part() -> None:
    graph = Graph.from_edges(5, [(0, 1), (1, 2), (3, 4)])
    assert solve.common_subgraph_of_many([graph]).lower == 3
    assert solve.common_subgraph_of_many([graph], Question(connected=False)).lower == 5
