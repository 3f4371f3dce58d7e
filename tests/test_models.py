"""One contract for every configuration: the laws a similarity must obey, whatever parts the model is built from."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

import infmcs
from infmcs import Collection, Graph, config, models
from infmcs.batch import Batch, Inputs, prepare
from infmcs.errors import ConfigError, FormatError, ModelError
from infmcs.models import Infmcs, Settings
from infmcs.models.matching import WholeEdits, WholeNodes
from tests.kit import graphs

TINY: dict[str, Any] = {"width": 8, "heads": 2, "hops": 2, "positions": 8, "walks": 3}
PARTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "base": {"position": "none", "layers": 0},
    "base+t": {"position": "none"},
    "index": {"position": "index"},
    "post": {"norm": "post", "similarity": "euclidean"},
    "pre, distances": {"norm": "pre", "distances": 3, "similarity": "dot", "encoder": "gin"},
    "labels alone": {"encoder": "none", "matching": "labels"},
    "sinkhorn": {"matching": "sinkhorn", "position": "rank+walk"},
    "bounded": {"matching": "labels", "readout": "bounded"},
    "free but bounded": {"matching": "free", "readout": "bounded"},
    "twins": {"twins": True, "similarity": "euclidean", "norm": "pre"},
    "lines": {"lines": True},
    "whole nodes": {"whole": "nodes", "matching": "labels", "readout": "bounded", "twins": True},
    "whole edits": {"whole": "edits"},
    "refined": {"matching": "labels", "refine": 2, "channels": 8, "readout": "bounded", "twins": True},
    "refined, free": {"refine": 1, "channels": 8},
    "infmcs": tomllib.loads(models.preset("infmcs"))["model"],
}
INVARIANT = [name for name in PARTS if name != "index"]
KNOWN = Collection.from_graphs(
    [Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=["C", "N", 6, (1, "a")], edge_labels=["single", "double", 3])]
)
kinds = pytest.mark.parametrize("kind", PARTS)
few = settings(max_examples=12)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@cache
def model(kind: str) -> Infmcs:
    """A model whose weights are all drawn, so that no part is silent at its start value."""
    made = models.build(dataclasses.replace(Settings(), **{**PARTS[kind], **TINY}), KNOWN, seed=3)
    generator = torch.Generator().manual_seed(5)
    for name, weight in made.named_parameters():
        if "steepness" not in name:
            weight.data += 0.3 * torch.randn(weight.shape, generator=generator)
    return made.eval()


def batch(made: Infmcs, *given: Graph) -> Batch:
    return prepare(Collection.from_graphs(given), made.inputs).batch(range(len(given)))


def similarity(made: Infmcs, *given: Graph) -> float:
    """Of the first two graphs; the others are company."""
    with torch.no_grad():
        return float(made(batch(made, *given), torch.tensor([0]), torch.tensor([1])))


two_graphs = st.tuples(graphs(labels=True), graphs(labels=True))


@kinds
@few
@given(two_graphs)
def test_similarity_is_symmetric_and_between_0_and_1(kind: str, pair: tuple[Graph, Graph]) -> None:
    there, back = similarity(model(kind), *pair), similarity(model(kind), *reversed(pair))
    assert there == pytest.approx(back, abs=1e-5)
    assert 0 <= there <= 1


@pytest.mark.parametrize("kind", INVARIANT)
@few
@given(two_graphs, st.data())
def test_renumbering_nodes_changes_nothing(kind: str, pair: tuple[Graph, Graph], data: st.DataObject) -> None:
    other = pair[1].renumbered(data.draw(st.permutations(range(pair[1].size))))
    assert similarity(model(kind), pair[0], other) == pytest.approx(similarity(model(kind), *pair), abs=1e-5)


def test_the_printed_position_is_not_invariant() -> None:
    # A star's leaves tie. Broken by number, the odd label gets another position when the nodes are renumbered.
    star = Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)], labels=["C", "N", "C", "C"])
    turned = star.renumbered([0, 2, 1, 3])
    path = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)], labels=["C", "C", "N", "C", 6])
    assert abs(similarity(model("index"), star, path) - similarity(model("index"), turned, path)) > 1e-4
    assert similarity(model("paper"), star, path) == pytest.approx(similarity(model("paper"), turned, path), abs=1e-6)


@kinds
@few
@given(two_graphs, graphs(min_nodes=3, max_nodes=20, labels=True))
def test_neither_padding_nor_company_changes_anything(kind: str, pair: tuple[Graph, Graph], third: Graph) -> None:
    made = model(kind)
    alone = similarity(made, *pair)
    assert similarity(made, *pair, third, third) == pytest.approx(alone, abs=1e-5)
    crowd = batch(made, *pair, third)
    with torch.no_grad():
        folded = made.fold(made.encode(crowd))
        padded = made.compare(folded, torch.tensor([0, 2, 0]), torch.tensor([1, 0, 2])).similarity
    assert float(padded[0]) == pytest.approx(alone, abs=1e-5)


@kinds
@few
@given(two_graphs)
def test_scores_and_attention_are_masked_and_add_up(kind: str, pair: tuple[Graph, Graph]) -> None:
    made = model(kind)
    together = batch(made, *pair)
    with torch.no_grad():
        found = made.compare(made.fold(made.encode(together)), torch.tensor([0]), torch.tensor([1]))
    small, large = sorted((g.line_graph() if made.settings.lines else g for g in pair), key=len)
    assert not found.scores[0, small.size :].any()
    assert not found.attention[0, small.size :].any()
    assert not found.attention[0, :, large.size :].any()
    assert (found.attention.sum(-1) <= 1 + 1e-5).all()
    if made.settings.matching == "sinkhorn":
        assert (found.attention.sum(-2) <= 1 + 1e-5).all()
    if small.size + large.size:
        mean = (small.size + large.size) / 2
        assert float(found.similarity) == pytest.approx(min(1, float(found.common) / mean), abs=1e-5)
    if small.size != large.size and made.settings.whole != "edits":
        drawn = 0.5 if made.settings.whole == "nodes" else 1e-5  # less than half a node towards a whole number
        assert float(found.scores.sum()) == pytest.approx(float(found.common), abs=drawn)


@kinds
@few
@given(two_graphs)
def test_folding_equals_the_plain_forward_pass(kind: str, pair: tuple[Graph, Graph]) -> None:
    """The plain form: one pair, no padding, MLP([h_i ; z_i]) written out."""
    made = model(kind)
    together = batch(made, *pair)
    small, large = (0, 1) if together.sizes[0] <= together.sizes[1] else (1, 0)
    with torch.no_grad():
        encoded = made.encode(together)
        found = made.compare(made.fold(encoded), torch.tensor([0]), torch.tensor([1]))
        h1, h2 = encoded.of(small), encoded.of(large)
        z = found.attention[0, : len(h1), : len(h2)] @ h2
        s = torch.sigmoid(made.second(made.first(torch.cat((h1, z), -1))).squeeze(-1))
    if made.refinement is not None:
        return
    if made.twins is None and made.settings.matching == "free" and made.settings.readout == "sum":
        torch.testing.assert_close(found.scores[0, : len(h1)], s * float(len(h2) > 0), atol=1e-5, rtol=1e-5)
    if made.settings.similarity == "cosine" and made.settings.matching == "free":
        tau = torch.sigmoid(made.temperature)
        expected = torch.softmax(functional.cosine_similarity(h1[:, None], h2[None], dim=-1) / tau, dim=-1)
        torch.testing.assert_close(found.attention[0, : len(h1), : len(h2)], expected, atol=1e-5, rtol=1e-4)


@kinds
@few
@given(st.lists(graphs(labels=True), max_size=6))
def test_all_with_all_is_the_same_as_pair_by_pair(kind: str, given_graphs: list[Graph]) -> None:
    made = model(kind)
    together = batch(made, *given_graphs)
    square = made.similarities(together)
    assert square.shape == (len(given_graphs),) * 2
    assert torch.equal(square.diag(), torch.ones(len(given_graphs)))
    left, right = torch.triu_indices(len(given_graphs), len(given_graphs), 1)
    with torch.no_grad():
        one_by_one = made(together, left, right)
    torch.testing.assert_close(square[left, right], one_by_one, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(square, square.mT)


@few
@given(graphs(labels=None, max_nodes=12), st.data())
def test_identical_graphs_score_1_in_the_infmcs_preset(graph: Graph, data: st.DataObject) -> None:
    other = graph.renumbered(data.draw(st.permutations(range(graph.size))))
    assert similarity(model("infmcs"), graph, other) == pytest.approx(1, abs=1e-4)
    assert similarity(model("twins"), graph, other) == pytest.approx(1, abs=1e-4)
    assert similarity(model("whole nodes"), graph, other) == pytest.approx(1, abs=1e-4)


@given(st.floats(0, 50), st.floats(0, 50), st.floats(-4, 4))
def test_a_number_drawn_to_whole_ones_keeps_order_and_comes_closer(x: float, y: float, steepness: float) -> None:
    whole = WholeNodes()
    whole.steepness.data.fill_(steepness)
    with torch.no_grad():
        drawn = whole.drawn(torch.tensor([x, y, math.floor(x)], dtype=torch.float64))
    assert float(drawn[2]) == pytest.approx(math.floor(x), abs=1e-6)
    assert abs(float(drawn[0]) - round(x)) <= abs(x - round(x)) + 1e-6
    assert (float(drawn[0]) - float(drawn[1])) * (x - y) >= -1e-6


def test_edits_drawn_to_whole_ones_are_whole_where_the_staircase_is_steep() -> None:
    whole = WholeEdits()
    whole.steepness.data.fill_(2.5)
    mean = torch.tensor([4.0, 9.5, 7.0])
    for edits in (0, 1, 5):
        said = torch.exp(-torch.tensor(edits + 0.2) / mean)
        torch.testing.assert_close(whole(said, mean), torch.exp(-torch.tensor(float(edits)) / mean), atol=5e-3, rtol=0)


@pytest.mark.parametrize("kind", ["bounded", "free but bounded", "whole nodes", "infmcs", "refined"])
@few
@given(two_graphs)
def test_a_bounded_readout_is_never_above_the_label_bound(kind: str, pair: tuple[Graph, Graph]) -> None:
    made = model(kind)
    names = set(pair[0].label_names)
    common = sum(min(pair[0].label_names.count(name), pair[1].label_names.count(name)) for name in names)
    mean = (pair[0].size + pair[1].size) / 2
    assert similarity(made, *pair) <= (common / mean if mean else 1) + 1e-5


def test_two_empty_graphs_are_identical_and_an_empty_one_is_like_no_other() -> None:
    empty, other = Graph.from_edges(0, []), Graph.from_edges(2, [(0, 1)], labels=["C", "N"])
    for kind in PARTS:
        assert similarity(model(kind), empty, empty) == 1
        assert similarity(model(kind), empty, other) == similarity(model(kind), other, empty) == 0


@kinds
def test_gradients_reach_every_weight(kind: str) -> None:
    made = models.build(dataclasses.replace(Settings(), **{**PARTS[kind], **TINY}), KNOWN, seed=1)
    rng = np.random.default_rng(0)
    some = []
    for size in (4, 9, 9, 12):  # a tree and a piece apart: every distance and rank row is used
        edges = [(int(rng.integers(max(0, v - 2), v)), v) for v in range(1, size - 1)]
        names = [["C", "N", 6, (1, "a")][v % 4] for v in range(size)]
        bonds = [["single", "double", 3][k % 3] for k in range(len(edges))]
        some.append(Graph.from_edges(size, edges, labels=names, edge_labels=bonds))
    left, right = torch.triu_indices(4, 4, 1)
    made(batch(made, *some), left, right).square().sum().backward()
    for name, weight in made.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().sum() > 0, name
        assert weight.grad.isfinite().all(), name


@kinds
def test_a_saved_model_is_loaded_bit_for_bit(kind: str, tmp_path: Path) -> None:
    made = model(kind)
    models.save(made, tmp_path / "model.safetensors", {"seed": 3})
    again = models.load(tmp_path / "model.safetensors")
    assert again.settings == made.settings
    assert again.inputs == made.inputs
    assert models.record(tmp_path / "model.safetensors") == {"seed": 3}
    for (name, old), (other, new) in zip(made.state_dict().items(), again.state_dict().items(), strict=True):
        assert name == other
        assert torch.equal(old, new)


def test_a_foreign_or_broken_file_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "model.safetensors"
    with pytest.raises(FormatError, match="no such model"):
        models.load(path)
    save_file({"weight": torch.zeros(2)}, path)
    with pytest.raises(FormatError, match="no weights of an infmcs model"):
        models.load(path)
    models.save(model("paper"), path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match="no whole safetensors file"):
        models.load(path)


def test_features_of_another_width_are_refused_by_a_model() -> None:
    featured = Graph.from_edges(2, [(0, 1)], features=[[1.0], [2.0]])
    with pytest.raises(ModelError, match="1 features"):
        batch(model("paper"), featured)


def test_features_are_read_on_the_scale_of_the_graphs_a_model_is_built_for() -> None:
    rows = np.array([[1000.0, 5.0], [3000.0, 5.0]], np.float32)
    made = models.build(Settings(**TINY), Collection.from_graphs([Graph.from_edges(2, [(0, 1)], features=rows)]))
    assert made.feature_mean.tolist() == [2000, 5]
    assert made.feature_scale.tolist() == [pytest.approx(1e-3), 0]  # a constant feature says nothing


def test_every_preset_is_a_model() -> None:
    assert {"paper", "infmcs", "base", "base+t", "base+t+pe"} <= set(models.presets())
    for name in models.presets():
        config.parse(Settings, tomllib.loads(models.preset(name))["model"], source=name)
    with pytest.raises(ConfigError, match="there is no preset 'papre'"):
        models.preset("papre")


def test_the_paper_preset_has_as_many_parameters_as_counted_by_hand() -> None:
    # 38 labels, d = 128, L = 2, one LayerNorm a layer, feed-forward of width d, 256 ranks. The paper prints 306 K.
    names = [f"label {i}" for i in range(38)]
    graphs = Collection.from_graphs([Graph.from_edges(38, [], labels=names)])
    made = models.build(config.parse(Settings, tomllib.loads(models.preset("paper"))["model"]), graphs)
    gcn, head = 38 * 128 + 2 * 128**2 + 3 * 128, 256 * 128 + 128 + 128 + 1
    layer = 4 * 128**2 + 4 * 128 + 2 * 128 + 2 * (128**2 + 128)
    assert sum(weight.numel() for weight in made.parameters()) == gcn + 2 * layer + 256 * 128 + head + 1 == 302_466


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"width": 10}, "evenly"),
        ({"layers": -1}, "layers"),
        ({"dropout": 1.0}, "dropout"),
        ({"heads": 0}, "at least 1"),
    ],
)
def test_settings_that_make_no_model_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        config.parse(Settings, wrong)


def test_node_vectors_alone_are_too_little_for_a_model_that_refines() -> None:
    made, graph = model("refined"), Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "N", "C"])
    encoded = made.encode(batch(made, graph, graph))
    bare = dataclasses.replace(encoded, edges=None)
    places = torch.tensor([0]), torch.tensor([1])
    with pytest.raises(ModelError, match="reads the edges of both graphs"):
        made.compare(made.fold(bare), *places)
    with torch.no_grad():
        assert float(made.compare(made.fold(encoded), *places).similarity) == pytest.approx(1, abs=1e-4)


def test_seeds_give_models() -> None:
    first, again, other = (models.build(Settings(**TINY), KNOWN, seed=seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first.parameters(), other.parameters(), strict=True))
    assert first.inputs == Inputs(ranks="shared").of(KNOWN)


@pytest.mark.parametrize("name", models.pretrained())
def test_every_model_of_the_package_is_small_has_a_card_and_knows_itself(name: str) -> None:
    made = infmcs.load(name)
    assert sum(weight.numel() for weight in made.parameters()) * 4 < 3_000_000
    assert models.card(name).startswith(f"# {name}\n")
    assert models.record(name)["plan"]["model"]["width"] == made.settings.width
    graph = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)], labels=None if "linux" in name else list("CCNOC"))
    assert similarity(made, graph, graph.renumbered([4, 3, 2, 1, 0])) == pytest.approx(1, abs=1e-3)


def test_the_first_models_of_the_package_are_there() -> None:
    assert {"aids-mcs", "molecules-mcs"} <= set(models.pretrained())
    with pytest.raises(ConfigError, match="no trained model"):
        models.card("aids")
    with pytest.raises(FormatError, match=r"with the package come .*aids-mcs"):
        infmcs.load("aids")


def test_graphs_that_a_model_never_saw_the_like_of_have_an_answer() -> None:
    made = infmcs.load("aids-mcs")
    strange = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["Xx", ("a", 1), 7])
    assert 0 <= similarity(made, strange, Graph.from_edges(2, [(0, 1)], labels=["C", "Xx"])) <= 1
    large = Graph.from_edges(300, [(v, v + 1) for v in range(299)], labels=["C"] * 300)
    assert similarity(made, large, strange) == 0  # not one label in common
    assert 0 <= similarity(made, large, Graph.from_edges(2, [(0, 1)], labels=["C", "C"])) <= 2 / 151 + 1e-6
    assert similarity(made, Graph.from_edges(0, []), strange) == 0
