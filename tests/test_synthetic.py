"""Generated graphs: what is known of a pair is certified, and node numbers tell nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from infmcs import certify, datasets, solve
from infmcs.errors import QuestionError
from infmcs.pairs import METRICS, Metric


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_known_of_a_pair_bounds_the_truth(metric: Metric) -> None:
    made = datasets.barabasi_albert(7, metric, bases=3, variants=4, changes=(0, 3), seed=2)
    exact = solve.pairs(made.graphs, made.pairs, metric=metric)
    assert exact.proved.all()
    values = np.array([made.value(pair) for pair in range(len(made.pairs))])
    assert ((values <= exact.lower) if metric == "mcs" else (values >= exact.lower)).all()
    assert len(set(values.tolist())) > (metric == "ged")


def test_the_core_of_two_variants_is_common_and_in_one_piece() -> None:
    made = datasets.barabasi_albert(50, "mcs", bases=1, variants=3)
    for pair, (left, right) in enumerate(made.pairs.tolist()):
        shown = certify.common_subgraph(made.graphs[left], made.graphs[right], made.mapping(pair))
        assert shown.size == 50


def test_pairs_stay_within_a_base() -> None:
    made = datasets.barabasi_albert(10, "ged", bases=4, variants=3)
    base = np.asarray(made.graphs.columns["base"])
    assert (base[made.pairs[:, 0]] == base[made.pairs[:, 1]]).all()
    assert len(made.pairs) == 4 * 3


def test_node_numbers_do_not_tell_the_core() -> None:
    made = datasets.barabasi_albert(30, "mcs", bases=20, variants=2, changes=(30, 30))
    first_half = [float((origin[:30] >= 0).mean()) for origin in made.origins]
    assert 0.4 < np.mean(first_half) < 0.6


def test_the_same_seed_gives_the_same_graphs_and_another_seed_others() -> None:
    one, two, other = (datasets.barabasi_albert(20, "ged", bases=2, variants=2, seed=seed) for seed in (1, 1, 2))
    assert one.graphs.digest == two.graphs.digest != other.graphs.digest


def test_a_base_has_the_edges_of_preferential_attachment() -> None:
    made = datasets.barabasi_albert(100, "mcs", bases=1, variants=1, changes=(0, 0), attached=2)
    assert (made.graphs[0].size, len(made.graphs[0].edges)) == (100, 2 * 98)
    assert len(made.graphs[0].components()) == 1


@pytest.mark.parametrize("senseless", [{"size": 2}, {"attached": 0}, {"changes": (3, 1)}, {"bases": -1}])
def test_graphs_that_cannot_be_are_refused(senseless: dict[str, Any]) -> None:
    with pytest.raises(QuestionError):
        datasets.barabasi_albert(**dict[str, Any](size=9, metric="mcs") | senseless)


def test_the_papers_sets_can_be_loaded() -> None:
    graphs = datasets.load("ba100")
    assert len(graphs) == 1000
    assert graphs.sizes.min() > 100
