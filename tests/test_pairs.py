"""The similarity formulas and the choice of pairs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, pairs
from infmcs.errors import QuestionError
from tests.kit import collections, wrong

counts = st.integers(0, 60)


def test_the_formulas_by_hand() -> None:
    assert pairs.nmcs(3, 4, 8) == 0.5
    assert pairs.nged(6, 4, 8) == pytest.approx(math.exp(-1))


def test_two_empty_graphs_are_equal_and_an_empty_one_has_nothing_in_common() -> None:
    assert pairs.nmcs(0, 0, 0) == 1 == pairs.nged(0, 0, 0)
    assert pairs.nmcs(0, 0, 5) == 0
    assert pairs.nged(5, 0, 5) == pytest.approx(math.exp(-2))


@given(st.lists(st.tuples(counts, counts, counts), max_size=8))
def test_arrays_give_what_single_pairs_give(rows: list[tuple[int, int, int]]) -> None:
    common = np.array([min(row) for row in rows])
    left, right = (np.array([row[side] for row in rows], dtype=int) for side in (1, 2))
    assert pairs.nmcs(common, left, right).tolist() == [pairs.nmcs(min(r), r[1], r[2]) for r in rows]
    assert pairs.nged(common, left, right).tolist() == [pairs.nged(min(r), r[1], r[2]) for r in rows]


@given(counts, counts, counts, counts)
def test_intervals_are_in_order_and_within_zero_and_one(low: int, more: int, left: int, right: int) -> None:
    least = min(low, left, right)
    for metric in pairs.METRICS:
        upper = min(least + more, left, right) if metric == "mcs" else least + more
        below, above = pairs.interval(metric, least, upper, left, right)
        assert 0 <= below <= above <= 1


def test_impossible_values_are_refused() -> None:
    for common, left, right in ((-1, 2, 2), (3, 2, 9)):
        with pytest.raises(QuestionError):
            pairs.nmcs(common, left, right)
    with pytest.raises(QuestionError):
        pairs.nged(np.array([0, -1]), np.array([1, 1]), np.array([1, 1]))
    with pytest.raises(QuestionError, match="no metric 'hed'"):
        pairs.interval(wrong("hed"), 0, 1, 2, 2)


@given(collections(directed=None, edge_labels=False))
def test_sizes_count_what_the_question_counts(graphs: Collection) -> None:
    edges = Question(induced=False, count="edges")
    assert pairs.sizes(graphs).tolist() == [graph.size for graph in graphs]
    assert pairs.sizes(graphs, "mcs", edges).tolist() == [len(graph.undirected().edges) for graph in graphs]
    assert pairs.sizes(graphs, "ged", edges).tolist() == [graph.size for graph in graphs]


def test_sizes_of_one_graph() -> None:
    assert pairs.sizes(Graph.from_edges(3, [(0, 1)])).tolist() == [3]


@given(st.integers(0, 40), st.booleans())
def test_among_lists_every_pair_once(count: int, selves: bool) -> None:
    listed = itertools.combinations_with_replacement if selves else itertools.combinations
    assert [tuple(pair) for pair in pairs.among(count, selves=selves)[:].tolist()] == list(listed(range(count), 2))


def test_among_is_exact_at_the_ends_of_rows_of_very_many_graphs() -> None:
    count = 2**31 - 1
    rows = np.array([0, 1, 12345, count // 2, count - 3, count - 2])
    starts = np.array([sum((r * (count - 1), -(r * (r - 1)) // 2)) for r in rows.tolist()])
    first, second = pairs._unordered(starts, count)  # among(count) itself would list 2^31 places
    assert first.tolist() == rows.tolist()
    assert second.tolist() == (rows + 1).tolist()
    first, second = pairs._unordered(starts[1:] - 1, count)
    assert first.tolist() == (rows[1:] - 1).tolist()
    assert second.tolist() == [count - 1] * 5


def test_between_pairs_each_left_with_each_right() -> None:
    assert pairs.between([5, 2], [7, 9, 1])[:].tolist() == [[5, 7], [5, 9], [5, 1], [2, 7], [2, 9], [2, 1]]
    assert len(pairs.between([1], [])) == 0
    assert pairs.between([1], [])[:].shape == (0, 2)


@given(st.integers(0, 30), st.integers(0, 5), st.data())
def test_a_sample_has_no_pair_twice_and_begins_with_each_smaller_one(
    count: int, seed: int, draw: st.DataObject
) -> None:
    everything = pairs.among(count)
    size = draw.draw(st.integers(0, len(everything)))
    drawn = pairs.sample(everything, size, seed)[:]
    assert len({tuple(pair) for pair in drawn.tolist()}) == size
    assert {tuple(pair) for pair in drawn.tolist()} <= {tuple(pair) for pair in everything[:].tolist()}
    assert drawn[: size // 2].tolist() == pairs.sample(everything, size // 2, seed)[:].tolist()


def test_a_sample_is_even_over_all_pairs_and_follows_its_seed() -> None:
    everything = pairs.among(12)
    draws = np.concatenate([pairs.sample(everything, 6, seed)[:] for seed in range(2000)])
    counts = np.bincount(draws[:, 0] * 12 + draws[:, 1], minlength=144).reshape(12, 12)[np.triu_indices(12, 1)]
    expected = 6 * 2000 / len(everything)
    assert ((counts - expected) ** 2 / expected).sum() < 120  # chi-squared, 65 degrees of freedom: far beyond .9999
    assert pairs.sample(everything, 6, 1)[:].tolist() != pairs.sample(everything, 6, 2)[:].tolist()


def test_a_slice_of_a_huge_sample_costs_only_itself() -> None:
    drawn = pairs.sample(pairs.among(42_689), 500_000_000, seed=3)
    part = drawn[400_000_000:400_000_005]
    assert part.shape == (5, 2)
    assert (part[:, 0] < part[:, 1]).all()
    assert np.asarray(pairs.among(3)).tolist() == [[0, 1], [0, 2], [1, 2]]


def test_impossible_choices_are_refused() -> None:
    with pytest.raises(QuestionError, match="7 different pairs cannot be drawn from 6"):
        pairs.sample(pairs.among(4), 7, seed=0)
    with pytest.raises(QuestionError):
        pairs.among(-1)
    with pytest.raises(QuestionError):
        pairs.among(wrong([0.5, 1.0]))
