"""Similarity from stored node vectors: equal to the model's own, within what the store rounds away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from infmcs import Collection, Graph, models
from infmcs.batch import prepare
from infmcs.errors import ModelError
from infmcs.index import vectors
from infmcs.index.contents import Contents
from infmcs.index.segment import Segment
from infmcs.index.signature import Scheme
from infmcs.models import Infmcs, Settings
from tests.test_index import molecules

OURS = Settings(width=32, heads=4, encoder="gin", matching="labels", norm="pre", readout="bounded", twins=True)
FORMS = {
    "ours": OURS,
    "paper": Settings(width=16, heads=4),
    "free and bounded": replace(OURS, matching="free"),
    "no twins": replace(OURS, twins=False, readout="sum"),
    "euclidean": replace(OURS, similarity="euclidean"),
    "dot": Settings(width=24, heads=4, similarity="dot", matching="labels"),
}
TOLERANCE: dict[vectors.Precision, float] = {
    "float32": 2e-5,
    "float16": 4e-3,
    "int8": 6e-2,
}  # of similarities, in [0, 1]


def full(model: Infmcs, graphs: Collection, query: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """The model's whole forward pass."""
    everything = torch.arange(len(graphs))
    with torch.no_grad():
        batch = prepare(graphs, model.inputs).batch(range(len(graphs)))
        scores = model.eval()(batch, torch.full_like(everything, query), everything)
    return np.asarray(scores.numpy())


def several() -> Collection:
    empty, one = Graph.from_edges(0, []), Graph.from_edges(1, [], ["N"])
    strange = Graph.from_edges(2, [(0, 1)], ["Xx", "C"])
    return Collection.from_graphs([*molecules(40), empty, one, strange])


def shelved(model: Infmcs, graphs: Collection, precision: vectors.Precision) -> Contents:
    scheme = Scheme.of(graphs)
    parts = []
    for first, last in ((0, 25), (25, len(graphs))):
        rows = vectors.encoded(model, graphs[first:last], precision)
        parts.append(Segment.of(graphs[first:last], np.arange(first, last), scheme, rows))
    return Contents(parts, np.zeros(0, np.int64), scheme, len(graphs))


@pytest.mark.parametrize("precision", vectors.PRECISIONS)
@pytest.mark.parametrize("form", FORMS)
def test_stored_vectors_score_as_the_whole_model(form: str, precision: vectors.Precision) -> None:
    graphs = several()
    model = models.build(FORMS[form], graphs[:40], seed=1)
    contents = shelved(model, graphs, precision)
    for query in (0, 7, 21, 40, 41, 42):  # smaller and larger than the others, empty, one node, an unknown label
        found = vectors.scores(contents, model, graphs[query], np.arange(len(graphs)), threads=2)
        np.testing.assert_allclose(found, full(model, graphs, query), atol=TOLERANCE[precision])


def test_threads_and_chosen_places_change_nothing() -> None:
    graphs = several()
    model = models.build(OURS, graphs[:40], seed=1)
    contents = shelved(model, graphs, "float32")
    everything = vectors.scores(contents, model, graphs[3], np.arange(len(graphs)))
    some = np.array([1, 24, 25, 30])
    assert np.array_equal(vectors.scores(contents, model, graphs[3], some, threads=3), everything[some])


def test_models_whose_pairs_need_more_are_refused() -> None:
    graphs = molecules(3)
    for settings in (replace(OURS, refine=1), replace(OURS, matching="sinkhorn"), replace(OURS, lines=True)):
        with pytest.raises(ModelError, match="cannot"):
            vectors.encoded(models.build(settings, graphs), graphs)


def test_a_model_of_another_width_is_refused() -> None:
    graphs = molecules(3)
    contents = shelved(models.build(OURS, graphs), molecules(30), "int8")
    with pytest.raises(ModelError, match="does not fit"):
        vectors.scores(contents, models.build(FORMS["paper"], graphs), graphs[0], np.arange(3))
