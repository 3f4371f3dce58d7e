"""An index with its model, and work over all its graphs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, _native, certify, cluster, models, pairs, solve
from infmcs.errors import FormatError, InfmcsError, ModelError, QuestionError
from infmcs.index import Index
from infmcs.index.searching import Order
from infmcs.pairs import Metric
from tests.kit import collections
from tests.test_index import checked, molecules, truth
from tests.test_index_vectors import OURS, full


@pytest.fixture(scope="module")
def model() -> models.Infmcs:
    return models.build(OURS, molecules(40), seed=2)


def test_an_index_carries_its_model(tmp_path: Path, model: models.Infmcs) -> None:
    graphs_ = molecules(30)
    index = Index.build(graphs_, model, precision="float32")
    index.add(molecules(5, seed=3))
    index.save(tmp_path / "a")
    opened = Index.open(tmp_path / "a")
    for name, tensor in model.state_dict().items():
        assert opened.model is not None
        assert torch.equal(opened.model.state_dict()[name], tensor)
    both = Collection.from_graphs([*graphs_, *molecules(5, seed=3)])
    result = opened.search(both[2], 35)
    expected = full(model, both, 2)
    assert len(result) == 35
    for hit in result:
        assert hit.score == pytest.approx(float(expected[hit.id]), abs=2e-5)
    opened.compact()
    opened.save()
    again = Index.open(tmp_path / "a").search(both[2], 35)
    assert [hit.score for hit in again] == pytest.approx([hit.score for hit in result])


def test_a_model_that_does_not_fit_is_refused(tmp_path: Path, model: models.Infmcs) -> None:
    other = models.build(OURS, molecules(40), seed=3)
    Index.build(molecules(3), model).save(tmp_path / "a")
    Index.build(molecules(3), other).save(tmp_path / "b")
    ours, theirs = (next((tmp_path / name).glob("model-*")) for name in "ab")
    ours.write_bytes(theirs.read_bytes())
    with pytest.raises(FormatError, match="another index"):
        Index.open(tmp_path / "a")
    ours.unlink()
    with pytest.raises(FormatError, match="lacks"):
        Index.open(tmp_path / "a")
    with pytest.raises(ModelError):
        Index.build(Collection.from_graphs([Graph.from_edges(2, [], features=np.ones((2, 3)))]), model)
    with pytest.raises(ModelError):
        Index.build(molecules(3)).search(molecules(3)[0], order="model")


def test_any_changed_byte_of_the_model_is_noticed(tmp_path: Path, model: models.Infmcs) -> None:
    Index.build(molecules(3), model).save(tmp_path / "a")
    file = next((tmp_path / "a").glob("model-*"))
    content = file.read_bytes()
    for place in np.random.default_rng(0).choice(len(content), 20, replace=False):
        changed = bytearray(content)
        changed[place] ^= 4
        file.write_bytes(changed)
        with pytest.raises(InfmcsError):
            Index.open(tmp_path / "a")


@pytest.mark.parametrize("order", ["bounds", "model"])
def test_the_order_never_changes_an_exact_answer(order: Order, model: models.Infmcs) -> None:
    graphs_ = molecules(60)
    index = Index.build(graphs_, model)
    for query in (0, 13, 44):
        result = index.search(graphs_[query], 5, order=order)
        values = truth(graphs_[query], graphs_)
        checked(result, graphs_[query], index, values)
        assert result.complete
        assert [hit.id for hit in result] == sorted(range(60), key=lambda i: (-values[i], i))[:5]


@pytest.mark.parametrize("metric", ["mcs", "ged"])
@pytest.mark.parametrize("with_model", [False, True])
def test_an_approximate_search_claims_only_what_it_has_proven(
    metric: Metric, with_model: bool, model: models.Infmcs
) -> None:
    graphs_ = molecules(150)
    index = Index.build(graphs_, model if with_model else None)
    query = molecules(1, seed=9)[0]
    values = truth(query, graphs_, metric)
    result = index.search(query, 3, exact=False, metric=metric)
    checked(result, query, index, values)
    assert result.solved <= (120 if metric == "mcs" else 24)
    shown = {hit.id for hit in result}
    assert all(result.beyond is not None and value <= result.beyond for i, value in enumerate(values) if i not in shown)
    if result.complete:
        assert [hit.similarity for hit in result] == sorted(values, reverse=True)[:3]
    assert len(shown & set(np.argsort(-np.array(values))[:10].tolist())) >= 2


@pytest.mark.parametrize("metric", ["mcs", "ged"])
def test_the_query_itself_comes_first_whatever_the_model_thinks(metric: Metric, model: models.Infmcs) -> None:
    alike = [molecules(1, seed=9)[0]] * 60 + [*molecules(90)]
    index = Index.build(alike, model)
    for one in (0, 59, 70, 100):
        result = index.search(index.graph(one), 3, exact=False, metric=metric)
        assert result.hits[0].similarity == 1
        assert result.hits[0].proved
    some = index.search(index.graph(0), 3, exact=False, metric=metric)
    assert [hit.similarity for hit in some] == [1, 1, 1]


def test_the_model_only_ranking_is_that_of_its_scores(model: models.Infmcs) -> None:
    graphs_ = molecules(40)
    index = Index.build(graphs_, model, precision="float32")
    result = index.search(graphs_[5], 40)
    ranked = sorted(result, key=lambda hit: (-(hit.score or 0), hit.id))
    expected = full(model, graphs_, 5)
    order = sorted(range(40), key=lambda i: (-expected[i], i))
    assert [expected[hit.id] for hit in ranked] == pytest.approx([expected[i] for i in order], abs=4e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_many_queries_are_answered_as_one_by_one(threads: int) -> None:
    graphs_ = molecules(25)
    index = Index.build(graphs_)
    told: list[int] = []
    found = index.search_many(graphs_, 3, threads=threads, progress=told.append)
    for query, result in zip(graphs_, found, strict=True):
        alone = index.search(query, 3, ties=False)
        assert [(hit.id, hit.similarity) for hit in result] == [(hit.id, hit.similarity) for hit in alone]
    assert told == list(range(1, 26))
    with pytest.raises(QuestionError):
        index.search_many(graphs_, threads=0)


def test_neighbours_are_the_best_others_of_every_graph() -> None:
    graphs_ = molecules(12)
    index = Index.build(graphs_)
    index.delete(4)
    found = index.neighbours(2)
    assert set(found) == set(range(12)) - {4}
    for id_, result in found.items():
        values = truth(graphs_[id_], graphs_)
        others = sorted((values[i] for i in found if i != id_), reverse=True)[:2]
        assert [hit.similarity for hit in result] == others
        assert id_ not in {hit.id for hit in result}


@settings(max_examples=40)
@given(st.data())
def test_duplicates_are_the_isomorphic_and_the_near(data: st.DataObject) -> None:
    some = list(data.draw(collections(max_graphs=6, max_nodes=5, labels=True)))
    more = [g.renumbered(data.draw(st.permutations(range(g.size)))) for g in some if data.draw(st.booleans())]
    everything = [*some, *more]
    index = Index.build(everything)
    threshold = data.draw(st.sampled_from([0.5, 0.8, 1.0]))
    found = index.duplicates(threshold)

    def isomorphic(a: Graph, b: Graph) -> bool:
        common = solve.max_common_subgraph(a, b, Question(connected=False)).lower
        return common == a.size == b.size and len(a.edges) == len(b.edges)

    groups: list[list[int]] = []
    for i, graph in enumerate(everything):
        home = next((group for group in groups if isomorphic(everything[group[0]], graph)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    assert sorted(found.same) == sorted(tuple(group) for group in groups if len(group) > 1)
    heads = [group[0] for group in groups]
    expected = {}
    for i in heads:
        for j in heads:
            common = solve.max_common_subgraph(everything[i], everything[j]).lower
            value = pairs.nmcs(common, everything[i].size, everything[j].size)
            if i < j and value >= threshold and threshold < 1:
                expected[i, j] = value
    assert {(i, j): value for i, j, value in found.near} == expected
    assert found.complete


@settings(max_examples=30)
@given(st.data())
def test_clusters_part_the_index_and_hold_what_is_similar(data: st.DataObject) -> None:
    some = data.draw(collections(max_graphs=8, max_nodes=5, labels=True))
    found = cluster.butina(Index.build(some), 0.6)
    assert sorted(one for group in found.clusters for one in group.members) == list(range(len(some)))
    for group in found.clusters:
        centre = some[group.centre]
        for one in group.members[1:]:
            common = solve.max_common_subgraph(centre, some[one]).lower
            assert pairs.nmcs(common, centre.size, some[one].size) >= 0.6


def test_a_stranger_among_the_graphs_of_a_query_is_no_matter() -> None:
    """A query may have labels the index never saw."""
    index = Index.build(molecules(10))
    query = Graph.from_edges(3, [(0, 1), (1, 2)], ["Zz", "Zz", "C"])
    result = index.search(query, 10)
    assert result.complete
    checked(result, query, index, truth(query, molecules(10)))


def test_ctrl_c_leaves_what_is_known_of_edit_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs_ = molecules(30)
    index, values = Index.build(graphs_), truth(graphs_[0], graphs_, "ged")
    real, calls = solve.edit_distance, iter(range(100))

    def pressed(*given: Any, **named: Any) -> solve.EditSolution:
        found = real(*given, **named)
        if next(calls) == 4:
            raise solve.Interrupted(found)
        return found

    monkeypatch.setattr("infmcs.solve.edit_distance", pressed)
    with pytest.raises(solve.Interrupted) as stopped:
        index.search(graphs_[0], 5, metric="ged")
    checked(stopped.value.found, graphs_[0], index, values)
    assert not stopped.value.found.complete


def test_ctrl_c_leaves_what_is_known_of_common_subgraphs() -> None:
    """Told to stop, as a service tells a thread whose client has left; the two graphs take hours to solve."""
    rng = np.random.default_rng(0)
    edges = [[(u, v) for u in range(60) for v in range(u) if rng.random() < 0.5] for _ in range(2)]
    hard = [Graph.from_edges(60, some) for some in edges]
    index = Index.build(hard[1:])
    _native.stop_thread(threading.get_ident(), True)
    try:
        with pytest.raises(solve.Interrupted) as stopped:
            index.search(hard[0])
    finally:
        _native.stop_thread(threading.get_ident(), False)
    (hit,) = stopped.value.found
    assert not stopped.value.found.complete
    assert 0 < hit.lower < hit.upper <= 1
    assert certify.common_subgraph(hard[0], hard[1], hit.mapping).size == hit.common


def test_ctrl_c_ends_a_search_of_many_easy_pairs() -> None:
    graphs_ = molecules(300)
    index, values = Index.build(graphs_), truth(graphs_[0], graphs_)
    _native.stop_thread(threading.get_ident(), True)
    try:
        with pytest.raises(solve.Interrupted) as stopped:
            index.search(graphs_[0], 250)
    finally:
        _native.stop_thread(threading.get_ident(), False)
    checked(stopped.value.found, graphs_[0], index, values)
    assert stopped.value.found.solved < 100
