"""Training: what is learned, what is drawn, going on after a kill, and what stops it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from infmcs import Collection, Graph, Question, datasets, evaluate, models, solve, train
from infmcs.errors import ConfigError, FormatError, InfmcsError, ModelError, QuestionError
from infmcs.train.edits import copies
from infmcs.train.loop import rate
from infmcs.train.loss import balanced, supervision
from infmcs.train.supply import Supply

torch.set_num_threads(1)

TINY: dict[str, Any] = {
    "model.width": 16,
    "model.layers": 1,
    "model.hops": 2,
    "graphs": 8,
    "pairs": 28 * 12,
    "epoch": 28 * 4,
    "edited": 2,
}


@pytest.fixture(scope="module")
def molecules() -> Collection:
    found = datasets.load("molecules")
    return found.take(np.flatnonzero(found.sizes <= 10)[:60])


def tiny(preset: str = "infmcs", **changes: Any) -> train.Plan:
    return train.plan(preset, **{**TINY, **changes})


def weights(model: models.Infmcs) -> dict[str, torch.Tensor]:
    return {name: weight.clone() for name, weight in model.state_dict().items()}


def equal(one: models.Infmcs, other: models.Infmcs) -> bool:
    first, second = weights(one), weights(other)
    return all(torch.equal(first[name], second[name]) for name in first)


class Killed(BaseException):
    """Not an error a training could catch."""


def kill_after(steps: int) -> Any:
    def progress(done: int, of: int, told: dict[str, float]) -> None:
        if done == steps:
            raise Killed

    return progress


@pytest.mark.parametrize("preset", ["infmcs", "paper", "refined"])
def test_a_killed_training_goes_on_to_the_weights_it_would_have_had(
    preset: str, molecules: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "SAVE", 0.0)  # a checkpoint at each validation
    plan = tiny(preset, schedule="cosine", average=0.9, **{"model.dropout": 0.1})
    whole = train.fit(molecules, plan=plan, run=tmp_path / "whole", seed=3)
    with pytest.raises(Killed):
        train.fit(molecules, plan=plan, run=tmp_path / "killed", seed=3, progress=kill_after(7))
    resumed = train.fit(molecules, plan=plan, run=tmp_path / "killed", seed=3)
    assert equal(whole, resumed)
    for name in ("model.safetensors", "checkpoint.safetensors"):
        (_, one, told), (_, two, other) = (models.unpacked(tmp_path / run / name) for run in ("whole", "killed"))
        assert all(torch.equal(one[key], two[key]) for key in one), name
        assert told["plan"] == other["plan"]
    lines, others = ((tmp_path / run / "log.jsonl").read_text().splitlines() for run in ("whole", "killed"))
    for line, other in zip(map(json.loads, lines), map(json.loads, others), strict=True):
        assert {**line, "seconds": 0, "pairs a second": 0} == {**other, "seconds": 0, "pairs a second": 0}


def test_training_makes_a_model_better(molecules: Collection) -> None:
    told = []
    plan = tiny(pairs=28 * 80, epoch=28 * 8, rate=3e-3)
    train.fit(molecules[10:], validation=molecules[:50], plan=plan, progress=lambda *now: told.append(dict(now[2])))
    errors = [line["mse"] for line in told if line]
    assert errors[-1] < 0.75 * errors[0]


def test_a_label_is_the_exact_one_and_its_nodes_are_those_of_the_optimal_subgraphs(molecules: Collection) -> None:
    plan = tiny()
    model = models.build(plan.model, molecules)
    supply = Supply(molecules, plan.train, model.inputs, seed=1)
    step = supply.step(0)
    assert step.optima is not None
    chosen = [supply.pool[int(place)] for place in step.graphs]
    assert len(set(step.graphs.tolist())) == len(step.graphs)
    for tile in model.tiles(step.batch):
        shares = step.optima.of(tile.left, tile.right, *tile.attention.shape[2:])
        for r, q in torch.nonzero(tile.meant).tolist():
            a, b = chosen[int(tile.left[q])], chosen[int(tile.right[r])]
            found = solve.max_common_subgraph(a, b)
            similarity = 2 * found.lower / (a.size + b.size)
            assert float(step.lower[int(tile.left[q]), int(tile.right[r])]) == pytest.approx(similarity)
            assert float(shares[r, q].sum()) == pytest.approx(found.lower, abs=1e-4)
            for v, w in found.mapping:
                assert shares[r, q, v, w] > 0


def test_perfect_scores_have_the_least_supervision_loss(molecules: Collection) -> None:
    plan = tiny()
    model = models.build(plan.model, molecules)
    step = Supply(molecules, plan.train, model.inputs, seed=1).step(0)
    assert step.optima is not None
    tiles = list(model.tiles(step.batch))
    right = []
    for tile in tiles:
        shares = step.optima.of(tile.left, tile.right, *tile.attention.shape[2:])
        common = shares.sum(-1)
        right.append(dataclasses.replace(tile, scores=common, attention=shares / common.unsqueeze(-1).clamp(min=1e-9)))
    for better, worse in zip(supervision(right, step.optima), supervision(tiles, step.optima), strict=True):
        assert better < worse


def test_what_is_drawn_depends_on_seed_step_and_process_alone(molecules: Collection) -> None:
    plan = tiny()
    inputs = models.build(plan.model, molecules).inputs
    one, two = (Supply(molecules, plan.train, inputs, seed=5) for _ in range(2))
    one.step(0)
    assert np.array_equal(one.step(4, 1).graphs, two.step(4, 1).graphs)
    assert not np.array_equal(one.step(4, 1).graphs, one.step(4, 0).graphs)
    assert not np.array_equal(one.step(4).graphs, one.step(5).graphs)


def test_copies_are_valid_graphs_a_few_edits_away(molecules: Collection) -> None:
    made = copies(molecules[:10], 5, 3, np.random.default_rng(0))
    assert len(made) == 50
    for place, copy in enumerate(made):
        original = molecules[place // 5]
        distance = solve.edit_distance(original, copy).upper
        assert distance <= 3 * 6  # an edit is a node with at most one edge, or a ring node with its few edges
        assert copy.size >= min(2, original.size)


def test_copies_keep_features_and_unlabelled_graphs_unlabelled() -> None:
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    plain = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], features=rows)
    made = copies(Collection.from_graphs([plain]), 10, 2, np.random.default_rng(1))
    assert made.vocabulary.nodes == (None,)
    assert made.features is not None
    assert {tuple(row) for row in made.features.tolist()} <= {tuple(row) for row in rows.tolist()}


def test_no_graph_is_too_small_or_too_plain_to_be_copied() -> None:
    few = [Graph.from_edges(0, []), Graph.from_edges(1, []), Graph.from_edges(2, [(0, 1)], labels=["C", "C"])]
    assert len(copies(Collection.from_graphs(few), 20, 4, np.random.default_rng(2))) == 60


def test_balanced_weights_count_each_tenth_alike() -> None:
    values = torch.tensor([0.05, 0.06, 0.07, 0.95])
    weight = balanced(values)
    assert float(weight.mean()) == pytest.approx(1)
    assert float(weight[:3].sum()) == pytest.approx(float(weight[3]))


def test_a_loss_that_is_no_number_stops_and_keeps_the_last_good_weights(molecules: Collection, tmp_path: Path) -> None:
    def poison(done: int, of: int, told: dict[str, float]) -> None:
        if done == 6:
            monkey.setattr(Supply, "step", lambda self, *given: _poisoned(step(self, *given)))

    step = Supply.step
    stops = pytest.raises(ModelError, match="step 7: the loss or its gradient is no number")
    with pytest.MonkeyPatch.context() as monkey, stops:
        train.fit(molecules, plan=tiny(), run=tmp_path / "run", progress=poison)
    kept = models.load(tmp_path / "run" / "model.safetensors")
    assert all(bool(weight.isfinite().all()) for weight in kept.state_dict().values())
    assert models.record(tmp_path / "run" / "model.safetensors")["step"] == 4


def _poisoned(step: Any) -> Any:
    step.lower.fill_(float("nan"))
    step.upper.fill_(float("nan"))
    return step


def test_a_full_disk_is_an_error_and_leaves_the_last_checkpoint(
    molecules: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "SAVE", 0.0)
    with pytest.raises(Killed):
        train.fit(molecules, plan=tiny(), run=tmp_path / "run", progress=kill_after(5))
    before = (tmp_path / "run" / "checkpoint.safetensors").read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(InfmcsError, match="No space left"):
            train.fit(molecules, plan=tiny(), run=tmp_path / "run")
    assert (tmp_path / "run" / "checkpoint.safetensors").read_bytes() == before
    assert not list((tmp_path / "run").glob("*.part"))
    whole = train.fit(molecules, plan=tiny(), run=tmp_path / "other")
    assert equal(train.fit(molecules, plan=tiny(), run=tmp_path / "run"), whole)


def test_a_checkpoint_of_another_training_is_refused(
    molecules: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "SAVE", 0.0)
    with pytest.raises(Killed):
        train.fit(molecules, plan=tiny(), run=tmp_path, progress=kill_after(5))
    with pytest.raises(FormatError, match="another training"):
        train.fit(molecules, plan=tiny(), run=tmp_path, seed=1)
    checkpoint = tmp_path / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-5])
    with pytest.raises(FormatError, match="no whole safetensors file"):
        train.fit(molecules, plan=tiny(), run=tmp_path)


def test_an_unfinished_checkpoint_is_no_model(
    molecules: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "SAVE", 0.0)
    with pytest.raises(Killed):
        train.fit(molecules, plan=tiny(), run=tmp_path, progress=kill_after(5))
    with pytest.raises(FormatError, match="checkpoint of an unfinished training"):
        models.load(tmp_path / "checkpoint.safetensors")


def test_early_stop_comes_after_as_many_epochs_as_it_was_told(molecules: Collection) -> None:
    steps = []
    plan = tiny(pairs=28 * 400, rate=1e-9, average=0.0, copies=0.0, patience=2)
    train.fit(molecules, plan=plan, progress=lambda *now: steps.append(now[0]))
    assert len(steps) < 400


def test_the_rate_rises_and_falls() -> None:
    recipe = tiny(schedule="cosine", pairs=28 * 1000).train
    rates = [rate(recipe, step) for step in range(recipe.steps)]
    assert rates[0] < rates[10] < max(rates) == pytest.approx(recipe.rate)
    assert rates[-1] < recipe.rate / 50


def test_whether_two_graphs_are_of_one_class_can_be_learned(molecules: Collection) -> None:
    doubled = Collection.from_graphs(
        [*molecules[:20], *molecules[:20]], {"class": [str(place % 20) for place in range(40)]}
    )
    told: list[dict[str, float]] = []
    plan = tiny("paper", metric="class", loss="entropy", balance=True, pairs=28 * 8)
    train.fit(doubled, validation=doubled, plan=plan, progress=lambda *now: told.append(now[2]))
    assert told[-1]["auc"] > 0.9
    with pytest.raises(QuestionError, match="no column 'class'"):
        train.fit(molecules, plan=plan)


def test_edit_distances_can_be_learned(molecules: Collection) -> None:
    plan = tiny("paper", metric="ged", pairs=28 * 8)
    told: list[dict[str, float]] = []
    few = molecules.take(np.flatnonzero(molecules.sizes <= 6))
    known = train.truth(few, plan.train)
    train.fit(few, validation=few, known=known, plan=plan, progress=lambda *now: told.append(now[2]))
    assert 0 < told[-1]["mse"] < 0.5


def test_directed_graphs_with_features_are_trained_on_as_undirected_ones() -> None:
    rng = np.random.default_rng(4)
    flows = [
        Graph.from_edges(
            size, [(v, v + 1) for v in range(size - 1)] + [(size - 1, 0)], features=rng.random((size, 6)), directed=True
        )
        for size in rng.integers(3, 8, 30)
    ]
    made = train.fit(Collection.from_graphs(flows), plan=tiny(pairs=28 * 3))
    assert made.inputs.features == 6


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"pairs": 0}, "at least 1"),
        ({"copies": 1.0}, "no share"),
        ({"rate": 0.0}, "teaches nothing"),
        ({"metric": "class"}, "does not go with"),
        ({"metric": "ged"}, "only be supervised by common subgraphs"),
        ({"batch": 3}, "no setting train.batch"),
        ({"model.wdth": 3}, "did you mean model.width"),
        ({"model.lines": True}, "scores edges"),
        ({"model.lines": True, "metric": "ged", "node_weight": 0, "attention_weight": 0}, "count nodes too"),
    ],
)
def test_plans_that_make_no_sense_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        train.plan("infmcs", **wrong)


def test_too_few_graphs_are_refused(molecules: Collection) -> None:
    with pytest.raises(QuestionError, match="no pairs to train on"):
        train.fit(molecules[:2], plan=tiny())


def test_a_missing_gpu_is_an_error_with_a_way_out(molecules: Collection) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ConfigError, match="sees no GPU"):
        train.fit(molecules, plan=tiny(), device="cuda")


PARALLEL = """
import sys, numpy as np, torch
torch.set_num_threads(1)
from infmcs import datasets, train, models
found = datasets.load("molecules")
found = found.take(np.flatnonzero(found.sizes <= 10)[:60])
model = train.fit(found, plan=train.plan(sys.argv[1]), run=sys.argv[2], device="cpu")
import os
print(os.environ["RANK"], float(sum(weight.double().abs().sum() for weight in model.parameters())), flush=True)
"""


@pytest.mark.slow
def test_processes_of_torchrun_share_their_gradients(tmp_path: Path) -> None:
    from infmcs import config

    (tmp_path / "plan.toml").write_text(config.dump(tiny(pairs=28 * 4)))
    (tmp_path / "fit.py").write_text(PARALLEL)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    words = [str(tmp_path / name) for name in ("fit.py", "plan.toml", "run")]
    ran = subprocess.run(
        [*command, *words], capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    sums = dict(line.split() for line in ran.stdout.splitlines())
    assert sums["0"] == sums["1"]
    assert models.record(tmp_path / "run" / "model.safetensors")["processes"] == 2


EDGES: dict[str, Any] = {"model.lines": True, "node_weight": 0.0, "attention_weight": 0.0}


@pytest.mark.parametrize("bonds", [True, False])
def test_a_model_of_line_graphs_is_trained_on_common_edges(molecules: Collection, bonds: bool) -> None:
    graphs = [graph if bonds else without_edge_labels(graph) for graph in molecules[:20]]
    given = Collection.from_graphs(graphs)
    plan = tiny(copies=0.0 if bonds else 0.5, **EDGES)
    model = models.build(plan.model, given)
    assert model.inputs.question == Question(induced=False, count="edges", edge_labels=bonds)
    supply = Supply(given, plan.train, model.inputs, seed=0)
    step = supply.step(0)
    for row, column in zip(*np.triu_indices(len(step.graphs), 1), strict=True):
        one, other = supply.pool[int(step.graphs[row])], supply.pool[int(step.graphs[column])]
        common = solve.max_common_subgraph(one, other, model.inputs.question).lower
        mean = (len(one.edges) + len(other.edges)) / 2
        assert float(step.lower[row, column]) == pytest.approx(common / mean if mean else 1.0)
    made = train.fit(given, plan=plan)
    found = evaluate.evaluation(made, parts_of(given))
    assert found["counted"] == "edges"
    assert {"error in edges", "mse"} <= found["rows"][-1].keys()
    assert found["rows"][0]["mse"] == 0


def test_edited_copies_are_refused_where_edge_labels_count(molecules: Collection) -> None:
    with pytest.raises(ConfigError, match="no edge labels"):
        train.fit(molecules[:20], plan=tiny(**EDGES))


def without_edge_labels(graph: Graph) -> Graph:
    return Graph.from_edges(graph.size, graph.edges.tolist(), list(graph.label_names))


def parts_of(graphs: Collection) -> evaluate.Parts:
    places = np.arange(len(graphs))
    return evaluate.Parts(graphs, places[:12], places[12:14], places[8:], places[8:])
