"""Pairs of control-flow graphs: each rule draws what the study that made it drew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Collection, Graph, datasets
from infmcs.datasets.functions import RULES, Rule
from infmcs.errors import DatasetError, QuestionError
from tests.kit import collections, wrong


def collection(names: list[str]) -> Collection:
    return Collection.from_graphs([Graph.from_edges(1, [])] * len(names), {"function": names})


named = st.lists(st.sampled_from("abcde"), min_size=2, max_size=20).filter(lambda names: len(set(names)) > 1)


@given(named, st.integers(0, 5), st.sampled_from(RULES))
def test_half_the_pairs_are_of_the_same_function(names: list[str], seed: int, rule: Rule) -> None:
    drawn = datasets.function_pairs(collection(names), range(len(names)), rule, seed)
    same = [names[i] == names[j] for i, j in drawn.pairs.tolist()]
    assert same == drawn.same.tolist()
    assert sum(same) * 2 == len(same) == 2 * (len(names) if rule == "mgmn" else len(set(names)))


@given(named, st.integers(0, 5))
def test_mgmn_pairs_every_graph_with_another_of_its_function_or_with_itself_if_alone(
    names: list[str], seed: int
) -> None:
    drawn = datasets.function_pairs(collection(names), range(len(names)), "mgmn", seed)
    for i, j in drawn.pairs[drawn.same].tolist():
        assert (i == j) == (names.count(names[i]) == 1)
    assert drawn.pairs[drawn.same][:, 0].tolist() == list(range(len(names)))


def test_pairs_are_drawn_only_among_the_given_places() -> None:
    names = [f"f{k // 4}" for k in range(40)]
    split = datasets.split(collection(names), "function")
    drawn = datasets.function_pairs(collection(names), split.train, "mgmn")
    assert set(drawn.pairs.ravel().tolist()) <= set(split.train.tolist())


def test_one_function_alone_has_no_pairs_of_different_ones() -> None:
    with pytest.raises(DatasetError, match="1 functions"):
        datasets.function_pairs(collection(["a", "a"]), [0, 1])
    with pytest.raises(QuestionError, match="no rule"):
        datasets.function_pairs(collection(["a", "b"]), [0, 1], wrong("mine"))


@given(collections(directed=True, loops=True))
def test_graphs_with_an_isolated_node_are_found(some: Collection) -> None:
    def joined(graph: Graph) -> bool:
        ends = {end for u, v in graph.edges.tolist() if u != v for end in (u, v)}
        return ends == set(range(graph.size))

    assert datasets.without_isolated_nodes(some).tolist() == [i for i, graph in enumerate(some) if joined(graph)]
    assert datasets.without_isolated_nodes(some[1:]).tolist() == [
        i for i, graph in enumerate(some[1:]) if joined(graph)
    ]


def test_a_positive_pair_of_h2mn_may_be_one_graph_twice() -> None:
    drawn = datasets.function_pairs(collection(["a", "b"] * 2), range(4), "h2mn", 3)
    assert len(drawn.pairs) == 4
    assert np.isin(drawn.pairs, range(4)).all()
