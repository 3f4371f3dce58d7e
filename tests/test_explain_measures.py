"""What is measured of explanations is what its definition says, on pairs small enough to work out by hand."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, certify, datasets, explain, models, solve
from infmcs.errors import CertificateError, ModelError, QuestionError
from infmcs.models import Infmcs, Settings
from infmcs.solve import Budget
from tests.kit import graphs


@cache
def model(*, lines: bool = False) -> Infmcs:
    torch.set_num_threads(1)
    tiny = Settings(width=8, heads=2, hops=2, positions=8, walks=3, lines=lines)
    return models.build(tiny, datasets.load("molecules")[:50], seed=1).eval()


def paths() -> Collection:
    """C–C–O and C–C–N: they share C–C, in one way each direction."""
    return Collection.from_graphs(
        [
            Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "C", "O"]),
            Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "C", "N"]),
        ]
    )


def says(monkeypatch: pytest.MonkeyPatch, scores: list[float], expected: float) -> None:
    """Let the model say this of every pair."""
    seen = explain.View(
        expected / 3, expected, "left", np.array(scores, np.float32), np.full((3, 3), 1 / 3, np.float32)
    )
    monkeypatch.setattr("infmcs.explain.measures._views", lambda *asked: (seen for _ in asked[2]))


def test_a_perfect_view_measures_perfect(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, [0.9, 0.8, 0.1], 2.0)
    found = explain.measure(model(), paths(), [(0, 1)])
    assert (found.pairs, found.left_out) == (1, 0)
    assert found.invalid == found.size_error == found.expected_error == found.decoded_gap == found.repaired_gap == 0
    assert found.likeness == found.overlap == found.agreement == found.repaired_optimal == found.repaired_proved == 1
    assert found.loss == found.proof_loss == 2  # without both carbons nothing is common
    assert found.repair == explain.common.REPAIR.visits


def test_a_wrong_view_measures_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, [0.9, 0.1, 0.8], 2.4)  # the two ends: in two pieces
    found = explain.measure(model(), paths(), [(0, 1), (0, 1)])
    assert found.pairs == 2
    assert found.invalid == 1
    assert found.overlap == pytest.approx(1 / 3)
    assert found.agreement == found.size_error == 0
    assert found.expected_error == pytest.approx(0.4)
    assert found.likeness == 0.5  # one node of two
    assert found.loss == 1  # a carbon is left
    assert found.repaired_optimal == 1  # the solver makes up for it


def test_truth_that_takes_too_long_is_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    molecules = datasets.load("molecules")
    with pytest.raises(QuestionError, match="none of 2 pairs"):
        explain.measure(model(), molecules, [(5, 60), (6, 90)], truth=Budget(visits=1))


def test_measures_of_real_molecules_keep_their_bounds() -> None:
    molecules = datasets.load("molecules")
    chosen = np.random.default_rng(1).integers(0, 50, (12, 2))
    found = explain.measure(model(), molecules, chosen)
    assert found.pairs == 12
    shares = (found.invalid, found.likeness, found.overlap, found.agreement, found.decoded_optimal)
    assert all(0 <= one <= 1 for one in shares)
    assert 0 <= found.repaired_gap <= found.decoded_gap
    assert found.decoded_optimal <= found.repaired_optimal
    assert found.agreement <= 1 - found.invalid  # the nodes of a common subgraph are one
    assert min(found.loss, found.random_loss, found.proof_loss) >= 0
    again = explain.measure(model(), molecules, chosen)
    assert found.to_dict() == again.to_dict()


@settings(max_examples=30)
@given(graphs(max_nodes=5, labels=True), graphs(max_nodes=5, labels=True), st.data())
def test_contained_is_what_trying_every_place_says(graph: Graph, other: Graph, data: st.DataObject) -> None:
    nodes = data.draw(st.lists(st.integers(0, graph.size - 1), unique=True)) if graph.size else []
    expected = any(
        _is_common(graph, other, tuple(zip(nodes, image, strict=True)))
        for image in itertools.permutations(range(other.size), len(nodes))
    )
    assert explain.contained(graph, nodes, other) is expected


def _is_common(graph: Graph, other: Graph, mapping: certify.Pairing) -> bool:
    try:
        certify.common_subgraph(graph, other, mapping)
    except CertificateError:
        return False
    return True


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ModelError, match="edges"):
        explain.measure(model(lines=True), paths(), [(0, 1)])
    with pytest.raises(QuestionError, match="induced"):
        explain.measure(model(), paths(), [(0, 1)], Question(induced=False))
    assert solve.max_common_subgraph(*paths()).lower == 2
