"""Many edit distances in one call: the same as one by one, whatever the threads; the published tables in full."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, EditCosts, Graph, Question, certify, formats, solve
from infmcs.errors import QuestionError
from tests.kit import collections, real_data


@given(collections(max_nodes=6, labels=None, directed=None))
@settings(max_examples=30)
def test_many_are_what_they_are_one_by_one(graphs: Collection) -> None:
    values = solve.all_pairs(graphs, metric="ged", mappings=True)
    assert values.mappings is not None
    assert values.proved.all()
    for (i, j), upper, mapping in zip(values.pairs.tolist(), values.upper, values.mappings, strict=True):
        assert upper == solve.edit_distance(graphs[i], graphs[j]).upper
        assert certify.edit_path(graphs[i], graphs[j], mapping).cost == upper


@given(st.data())
@settings(max_examples=20)
def test_the_number_of_threads_changes_nothing(data: st.DataObject) -> None:
    graphs = data.draw(collections(max_nodes=7, labels=True))
    budget = solve.Budget(visits=data.draw(st.integers(1, 30)))
    one, three = (solve.all_pairs(graphs, metric="ged", budget=budget, threads=n) for n in (1, 3))
    for name in ("lower", "upper", "proved", "visited"):
        assert np.array_equal(getattr(one, name), getattr(three, name)), name


def test_each_pair_may_have_its_own_limits() -> None:
    path = Graph.from_edges(9, [(i, i + 1) for i in range(8)])
    star = Graph.from_edges(9, [(0, i) for i in range(1, 9)])
    graphs = Collection.from_graphs([path, star])
    exact = solve.edit_distance(path, star).upper
    values = solve.pairs(graphs, [(0, 1), (0, 1)], metric="ged", below=[exact - 1, exact])
    assert values.lower[0] > exact - 1
    assert values.upper[1] <= exact


def test_a_price_other_than_one_scales_the_distances() -> None:
    graphs = Collection.from_graphs([Graph.from_edges(2, [(0, 1)]), Graph.from_edges(3, [])])
    half = EditCosts(True, False, False, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    assert solve.pairs(graphs, [(0, 1)], metric="ged", costs=half, mappings=True).upper.tolist() == [1.0]


def test_what_belongs_to_the_other_metric_is_refused() -> None:
    graphs = Collection.from_graphs([Graph.from_edges(2, [(0, 1)])])
    wrong: dict[str, Any]
    for wrong in ({"question": Question(connected=False)}, {"above": 1}):
        with pytest.raises(QuestionError, match="belong to common subgraphs"):
            solve.pairs(graphs, [(0, 0)], metric="ged", **wrong)
    for wrong in ({"costs": EditCosts(node_labels=False)}, {"below": 1}):
        with pytest.raises(QuestionError, match="belong to metric='ged'"):
            solve.pairs(graphs, [(0, 0)], **wrong)
    for below in (-1, float("nan"), [1.0, 2.0], "near"):
        with pytest.raises(QuestionError, match="below"):
            solve.pairs(graphs, [(0, 0)], metric="ged", below=below)


def test_an_error_of_the_progress_callback_stops_the_work() -> None:
    ring, other = (
        Collection.from_graphs([Graph.from_edges(40, [(i, (i + k) % 40) for i in range(40) for k in steps])])
        for steps in ((1, 3), (1, 2))
    )

    def stop(finished: int) -> None:
        raise RuntimeError(f"{finished} are enough")

    with pytest.raises(RuntimeError, match="0 are enough"):
        solve.pairs(ring, [(0, 0)] * 3, other, metric="ged", progress=stop)


@pytest.mark.parametrize(
    ("folder", "file", "key"),
    [
        ("AIDS700nef", "aids700nef_ged_mcs.npz", "ged_astar_test_train"),
        ("LINUX", "linux_ged_mcs.npz", "ged_test_train"),
        ("LINUX", "linux_ged_mcs.npz", "ged_train_train"),
        pytest.param("AIDS700nef", "aids700nef_ged_mcs.npz", "ged_astar_train_train", marks=pytest.mark.slow),
    ],
)
def test_the_published_distances_are_equal_in_full(folder: str, file: str, key: str) -> None:
    graphs = formats.read(real_data(folder, f"{folder}.jsonl.xz"))
    published = np.load(real_data(folder, file))
    place = {int(name): i for i, name in enumerate(graphs.names or [])}
    rows = [place[int(i)] for i in published["train_ids" if key.endswith("train_train") else "test_ids"]]
    columns = [place[int(i)] for i in published["train_ids"]]
    pairs = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
    values = solve.pairs(graphs, pairs, metric="ged")
    assert values.proved.all()
    assert np.array_equal(values.upper.reshape(published[key].shape), published[key])
