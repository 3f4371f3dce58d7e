"""Every published size of a largest common subgraph, found again: AIDS700nef, LINUX, and the MIVIA database."""

from __future__ import annotations

import numpy as np
import pytest

from infmcs import datasets, solve
from tests.kit import real_data


def test_all_of_the_first_table_of_aids700nef() -> None:
    real_data("AIDS700nef")
    graphs, known = datasets.load("aids700nef"), datasets.published("aids700nef")
    assert known.mcs is not None
    across = known.part == "test × train"
    assert across.sum() == 78_400
    found = solve.pairs(graphs, known.pairs[across], question=known.question, threads=2)
    assert found.proved.all()
    assert np.array_equal(found.lower, known.mcs[across])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aids700nef", "linux"])
def test_all_tables(name: str) -> None:
    real_data({"aids700nef": "AIDS700nef", "linux": "LINUX"}[name])
    graphs, known = datasets.load(name), datasets.published(name)
    assert known.mcs is not None
    found = solve.pairs(graphs, known.pairs, question=known.question, threads=2)
    assert found.proved.all()
    assert np.array_equal(found.lower, known.mcs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mivia", "mivia33", "mivia50"])
@pytest.mark.parametrize(("sizes", "seconds"), [((10, 15), 60.0), ((20, 25, 30, 35, 40, 50), 2.0)])
def test_mivia_pairs(name: str, sizes: tuple[int, ...], seconds: float) -> None:
    """The small ones all; of the larger ones what two seconds are enough for, and bounds that hold for the others."""
    real_data("MIVIA_MCS")
    graphs, known = datasets.load(name), datasets.published(name)
    assert known.mcs is not None
    chosen = np.flatnonzero(np.isin(graphs.sizes[known.pairs[:, 0]], sizes))
    if seconds < 60:
        chosen = chosen[::25]
    budget = solve.Budget(seconds=seconds)
    found = solve.pairs(graphs, known.pairs[chosen], question=known.question, budget=budget, threads=2)
    assert (found.lower <= known.mcs[chosen]).all()
    assert (found.upper >= known.mcs[chosen]).all()
    if seconds == 60:
        assert found.proved.all()
    assert found.proved.mean() > 0.5
