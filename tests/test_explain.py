"""Explanations are valid common subgraphs whatever the model says; every node outside has a reason that holds."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
import tomllib
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, certify, explain, models, solve
from infmcs.errors import CertificateError, GraphError
from infmcs.models import Infmcs, Settings
from tests.kit import comparable_graphs, graphs

QUESTIONS = (
    Question(),
    Question(connected=False),
    Question(edge_labels=True),
    Question(node_labels=False),
    Question(induced=False),
    Question(induced=False, count="edges"),
    Question(induced=False, connected=False, count="edges"),
)
KINDS: dict[str, dict[str, Any]] = {
    "paper": {},
    "infmcs": tomllib.loads(models.preset("infmcs"))["model"],
    "lines": {"lines": True},
}
KNOWN = Collection.from_graphs([Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=["C", "N", 6, (1, "a")])])
few = settings(max_examples=15)
questions = pytest.mark.parametrize("question", QUESTIONS, ids=str)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@cache
def model(kind: str) -> Infmcs:
    tiny = {"width": 8, "heads": 2, "hops": 2, "positions": 8, "walks": 3}
    return models.build(dataclasses.replace(Settings(), **{**KINDS[kind], **tiny}), KNOWN, seed=1).eval()


two_graphs = st.tuples(graphs(labels=True), graphs(labels=True))


@pytest.mark.parametrize("kind", KINDS)
@few
@given(two_graphs)
def test_an_explanation_is_a_certified_common_subgraph(kind: str, pair: tuple[Graph, Graph]) -> None:
    found = explain.common_subgraph(model(kind), *pair)
    certify.common_subgraph(*pair, found.decoded)
    size = certify.common_subgraph(*pair, found.mapping).size
    assert len(found.decoded) <= size == found.found.lower
    assert size == solve.max_common_subgraph(*pair).lower  # such small graphs are solved within the budget


@pytest.mark.parametrize("kind", ["paper", "infmcs"])
@few
@given(two_graphs)
def test_a_view_is_the_same_from_both_sides(kind: str, pair: tuple[Graph, Graph]) -> None:
    there, back = explain.view(model(kind), *pair), explain.view(model(kind), *reversed(pair))
    a, b = pair
    assert there.attention.shape == there.alignment.shape == (a.size, b.size)
    assert len(there.scores_of("left")) == a.size
    assert len(there.scores_of("right")) == b.size
    assert there.similarity == pytest.approx(back.similarity, abs=1e-5)
    if a.size != b.size:
        assert there.side == ("left" if a.size < b.size else "right") != back.side
        np.testing.assert_allclose(there.attention, back.attention.T, atol=1e-5)
        assert there.top == back.top


def test_the_papers_nodes_are_those_of_the_highest_scores() -> None:
    scores = np.array([0.1, 0.9, 0.4, 0.8], np.float32)
    seen = explain.View(0.5, 2.2, "left", scores, np.full((4, 5), 0.2, np.float32))
    assert seen.top == (1, 3)
    np.testing.assert_allclose(seen.scores_of("right"), np.full(5, scores.sum() * 0.2), rtol=1e-6)
    np.testing.assert_allclose(seen.alignment[1], np.full(5, 0.18), rtol=1e-6)
    assert explain.View(1.0, 9.0, "left", scores, seen.attention).top == (0, 1, 2, 3)


@questions
@few
@given(comparable_graphs(labels=None, edge_labels=None, loops=True), st.integers(0, 99))
def test_decoding_any_preferences_gives_a_valid_subgraph_that_cannot_grow(
    question: Question, pair: tuple[Graph, Graph], seed: int
) -> None:
    a, b = pair
    guide = np.random.default_rng(seed).random((a.size, b.size))
    mapping = explain.decode(guide, a, b, question)
    certify.common_subgraph(a, b, mapping, question)
    assert "free" not in {each.reason for each in explain.why_unmatched(a, b, mapping, question)}


def test_decoding_follows_the_preferences() -> None:
    path = Graph.from_edges(3, [(0, 1), (1, 2)])
    guide = np.zeros((3, 3))
    guide[0, 2] = guide[1, 1] = guide[2, 0] = 1
    assert explain.decode(guide, path, path) == ((0, 2), (1, 1), (2, 0))
    assert explain.decode(np.eye(3), path, path) == ((0, 0), (1, 1), (2, 2))


@questions
@few
@given(comparable_graphs(max_nodes=6, labels=None, edge_labels=None, loops=True), st.integers(0, 99))
def test_every_node_outside_has_one_reason_and_it_holds(
    question: Question, pair: tuple[Graph, Graph], seed: int
) -> None:
    a, b = pair
    mapping = explain.decode(np.random.default_rng(seed).random((a.size, b.size)), a, b, question)
    mapping = _whole_part(a, b, mapping, question, seed)
    told = explain.why_unmatched(a, b, mapping, question)
    outside = [("left", v) for v in range(a.size) if v not in dict(mapping)]
    outside += [("right", w) for w in range(b.size) if w not in {y for _, y in mapping}]
    assert [(each.side, each.node) for each in told] == outside
    size = certify.common_subgraph(a, b, mapping, question).size
    for each in told:
        mine, other = (a, b) if each.side == "left" else (b, a)
        matched = {pair[each.side == "left"] for pair in mapping}  # of the other graph
        alike = [
            w
            for w in range(other.size)
            if not question.node_labels or other.label_names[w] == mine.label_names[each.node]
        ]
        free = [w for w in alike if w not in matched]
        grows = [w for w in free if _size_with(a, b, mapping, question, each, w) > size]
        assert (each.reason == "label") == (not alike)
        assert (each.reason == "taken") == (bool(alike) and not free)
        assert (each.reason == "free") == bool(grows)
        if each.reason in ("free", "structure"):
            assert each.partner in (grows or free)
        if each.reason == "apart":
            own = {pair[each.side == "right"] for pair in mapping}
            assert not any(each.node in edge and set(edge) - {each.node} <= own for edge in _joining(mine))


def _joining(graph: Graph) -> list[tuple[int, int]]:
    return [(u, v) for u, v in graph.edges.tolist() if u != v]


def _size_with(
    a: Graph, b: Graph, mapping: certify.Pairing, question: Question, one: explain.Unmatched, partner: int
) -> int:
    pair = (one.node, partner) if one.side == "left" else (partner, one.node)
    try:
        return certify.common_subgraph(a, b, [*mapping, pair], question).size
    except CertificateError:
        return -1


def _whole_part(a: Graph, b: Graph, mapping: certify.Pairing, question: Question, seed: int) -> certify.Pairing:
    """A part of a mapping that is a common subgraph by itself: half of the time a smaller one."""
    for count in range(seed % (len(mapping) + 1), len(mapping) + 1):
        for part in itertools.islice(itertools.combinations(mapping, count), 20):
            try:
                return certify.common_subgraph(a, b, part, question).mapping
            except CertificateError:
                continue
    return mapping


def test_reasons_read_as_sentences() -> None:
    a = Graph.from_edges(6, [(0, 1), (1, 2), (2, 3), (0, 4)], labels=["C", "C", "O", "N", "S", "C"])
    b = Graph.from_edges(5, [(0, 1), (1, 2), (0, 3), (3, 4)], labels=["C", "C", "O", "N", "C"])
    told = {
        (each.side, each.node): (each.reason, each.text)
        for each in explain.why_unmatched(a, b, ((0, 0), (1, 1), (2, 2)))
    }
    assert told == {
        ("left", 3): (
            "structure",
            "right node 3 comes nearest: it is joined to 0, the partner of 0, which is no neighbour",
        ),
        ("left", 4): ("label", "the right graph has no node labelled S"),
        ("left", 5): ("apart", "it touches no node of the common subgraph"),
        ("right", 3): (
            "structure",
            "left node 3 comes nearest: it is not joined to 0, the partner of the neighbour 0",
        ),
        ("right", 4): ("apart", "it touches no node of the common subgraph"),
    }


def test_a_loop_that_both_nodes_have_is_an_edge_that_a_common_subgraph_of_edges_could_take_in() -> None:
    looped, bare = Graph.from_edges(1, [(0, 0)]), Graph.from_edges(1, [])
    edges = Question(induced=False, connected=False, count="edges")
    for question in (edges, dataclasses.replace(edges, connected=True)):
        assert [each.reason for each in explain.why_unmatched(looped, looped, (), question)] == ["free", "free"]
        assert "free" not in {each.reason for each in explain.why_unmatched(looped, bare, (), question)}
    edge_and_loop = Graph.from_edges(3, [(0, 1), (2, 2)])
    told = explain.why_unmatched(edge_and_loop, edge_and_loop, ((0, 0), (1, 1)), edges)
    assert [(each.node, each.reason, each.partner) for each in told] == [(2, "free", 2), (2, "free", 2)]
    whole = dataclasses.replace(edges, connected=True)
    assert {each.reason for each in explain.why_unmatched(edge_and_loop, edge_and_loop, ((0, 0), (1, 1)), whole)} == {
        "apart"
    }


def test_a_mapping_that_is_none_has_no_reasons() -> None:
    path, triangle = Graph.from_edges(3, [(0, 1), (1, 2)]), Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)])
    with pytest.raises(CertificateError, match="induced"):
        explain.why_unmatched(path, triangle, ((0, 0), (1, 1), (2, 2)))


def test_directed_and_undirected_graphs_can_be_viewed_together() -> None:
    path = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C"] * 3)
    arrows = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C"] * 3, directed=True)
    assert explain.view(model("infmcs"), path, arrows).similarity == pytest.approx(1, abs=1e-5)


def test_features_that_only_one_graph_has_are_refused() -> None:
    bare = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(GraphError, match="features"):
        explain.view(model("paper"), bare, Graph.from_edges(2, [(0, 1)], features=[[1.0], [2.0]]))


def test_reasons_need_no_torch() -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from infmcs import Graph, explain\n"
        "a, b = Graph.from_edges(2, [(0, 1)]), Graph.from_edges(1, [])\n"
        "assert [each.reason for each in explain.why_unmatched(a, b, ((0, 0),))] == ['taken']"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
