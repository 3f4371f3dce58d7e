"""Measures against scipy, against definitions written out, and against the conventions they must tell apart."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from infmcs import metrics
from infmcs.errors import QuestionError
from tests.kit import wrong

tied_rows = st.lists(st.integers(0, 4), min_size=3, max_size=12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=12))
def test_rank_correlations_are_scipys_also_with_ties(pairs: list[tuple[int, int]]) -> None:
    true, found = np.array(pairs, float).T
    if len(set(true)) == 1 or len(set(found)) == 1:
        assert metrics.spearman(true, found)[0] == metrics.kendall(true, found)[0] == 0
        return
    assert metrics.spearman(true, found)[0] == pytest.approx(stats.spearmanr(true, found).statistic)
    assert metrics.kendall(true, found)[0] == pytest.approx(stats.kendalltau(true, found).statistic)


@given(tied_rows)
def test_ranks_are_scipys(row: list[int]) -> None:
    assert metrics.ranks([row])[0].tolist() == stats.rankdata(row).tolist()


def test_the_self_pairs_of_a_square_can_be_left_out() -> None:
    rng = np.random.default_rng(0)
    true, found = rng.random((2, 6, 6))
    rows = [[true[i, j] for j in range(6) if j != i] for i in range(6)]
    others = [[found[i, j] for j in range(6) if j != i] for i in range(6)]
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(rows, others, strict=True)]
    assert metrics.spearman(true, found, selves=False) == pytest.approx(expected)
    with pytest.raises(QuestionError, match="no diagonal"):
        metrics.precision(true[:2], found[:2], 1, selves=False)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=6), st.integers(1, 3))
def test_expected_precision_is_the_mean_over_all_orders_of_the_tied(pairs: list[tuple[int, int]], k: int) -> None:
    true, found = np.array(pairs, float).T
    best = set(np.flatnonzero(true >= np.sort(true)[-k]))
    shares = []
    for order in permutations(range(len(found))):
        ranked = sorted(order, key=lambda place: -found[place])  # stable: ties keep the order of the permutation
        shares.append(len(best & set(ranked[:k])) / k)
    assert metrics.precision(true, found, k)[0] == pytest.approx(np.mean(shares))


def test_a_constant_answer_tells_the_three_conventions_apart() -> None:
    true = np.arange(20.0)[None]
    constant = np.ones((1, 20))
    assert metrics.precision(true, constant, 10, ties="generous")[0] == 1
    assert metrics.precision(true, constant, 10, ties="expected")[0] == 0.5
    assert metrics.precision(true, constant, 10, ties="arbitrary")[0] == 0  # the worst stand first here
    assert metrics.chance_of_precision(true, 10) == 0.5
    with pytest.raises(QuestionError, match="no convention"):
        metrics.precision(true, constant, 10, ties=wrong("lucky"))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_the_area_is_the_chance_to_order_a_pair_of_each_kind(pairs: list[tuple[bool, int]]) -> None:
    same, scores = (np.array(side) for side in zip(*pairs, strict=True))
    if same.all() or not same.any():
        with pytest.raises(QuestionError, match="both kinds"):
            metrics.auc(same, scores)
        return
    wins = [(a > b) + 0.5 * (a == b) for a in scores[same] for b in scores[~same]]
    assert metrics.auc(same, scores) == pytest.approx(np.mean(wins))


def test_the_bootstrap_interval_holds_the_area_and_narrows_with_more_pairs() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for count in (40, 4000):
        same = rng.random(count) < 0.5
        scores = same + rng.normal(size=count)
        low, high = metrics.auc_interval(same, scores, rounds=200)
        assert low < metrics.auc(same, scores) < high
        widths.append(high - low)
    assert widths[1] < widths[0] / 3


def test_errors_by_hand() -> None:
    assert metrics.mse([0.0, 1.0], [0.5, 1.0]) == 0.125
    assert metrics.error_in_nodes([0.0, 1.0], [0.5, 1.0], [4, 6]) == 1.0


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(QuestionError, match="cannot be compared"):
        metrics.mse([0.0], [0.0, 1.0])
    with pytest.raises(QuestionError, match="no number"):
        metrics.spearman([[0.0, 1.0]], [[0.0, np.nan]])
    with pytest.raises(QuestionError, match="best 3 of 2"):
        metrics.precision([[0.0, 1.0]], [[0.0, 1.0]], 3)
