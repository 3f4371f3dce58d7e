"""Training a model on one's own graphs: labels are solved exactly while it trains, nothing else is needed.

from infmcs import formats, train
graphs = formats.read("my-graphs/")
model = train.fit(graphs, plan=train.plan("infmcs", pairs=500_000), run="my-run")
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from infmcs import metrics, models, provenance
from infmcs.batch import prepare
from infmcs.collection import Collection
from infmcs.errors import ModelError, QuestionError
from infmcs.models import Infmcs
from infmcs.train.loop import Training
from infmcs.train.recipe import Plan, Recipe, plan
from infmcs.train.run import Run
from infmcs.train.supply import Supply, Truth, truth
from infmcs.train.together import Together, together

__all__ = ["Plan", "Recipe", "Truth", "fit", "plan", "truth"]

Progress = Callable[[int, int, dict[str, float]], object]
SAVE = 60.0  # seconds of training between two checkpoints, at validations


def fit(
    graphs: Collection,
    *,
    validation: Collection | None = None,
    plan: Plan | str | Path = "infmcs",
    seed: int = 0,
    run: str | os.PathLike[str] | None = None,
    known: Truth | None = None,
    facts: Mapping[str, Any] | None = None,
    device: str = "auto",
    board: bool = False,
    progress: Progress | None = None,
) -> Infmcs:
    """A model trained on these graphs: the best of all validated ones.

    validation  graphs the choice is made on; a tenth of `graphs`, drawn by the seed, when left out.
    plan        a preset, a TOML file, or what `train.plan` gives.
    run         folder for plan, log, weights and checkpoint. A training that was stopped there goes on exactly.
    known       the similarity of all pairs of `graphs`, where it is known already.
    facts       what else the record of the model should say: which data set, which split.
    progress    called after each step with steps done, steps in all, and what is known of the loss.
    """
    told = plan if isinstance(plan, Plan) else _plan(plan)
    if validation is None:
        if known is not None:
            raise QuestionError("graphs whose similarity is known are not split here", hint="give validation graphs")
        graphs, validation = _split(graphs, seed)
    if len(graphs) < 2:
        raise QuestionError(f"{len(graphs)} graphs make no pairs to train on")
    graphs, validation = graphs.undirected(), validation.undirected()  # as models see them
    with together(device) as processes:
        model = models.build(told.model, graphs, seed=seed).to(processes.device)
        supply = Supply(graphs, told.train, model.inputs, seed, known)
        training = Training(told, model, supply, seed, processes)
        facts = {
            **(facts or {}),
            "seed": seed,
            "graphs": graphs.digest,
            "validation": validation.digest,
            "processes": processes.count,
        }
        files = Run(None if run is None or not processes.first else Path(run), facts, board and processes.first)
        files.open(training)
        return _trained(training, Examination(validation, model, told.train), files, processes, progress)


class Examination:
    """How good a model is on the validation graphs, all with all."""

    def __init__(self, graphs: Collection, model: Infmcs, recipe: Recipe) -> None:
        if len(graphs) < 2:
            raise QuestionError(f"{len(graphs)} graphs make no pairs to validate on")
        self.truth, self.sizes, self.recipe = truth(graphs, recipe, model.inputs.question), graphs.sizes, recipe
        self.prepared = prepare(graphs, model.inputs)

    def __call__(self, model: Infmcs, processes: Together) -> dict[str, float]:
        """The measures; `criterion` is what should become small."""
        batch = self.prepared.batch(np.arange(len(self.sizes)), processes.device)
        found = model.similarities(batch).double().numpy()
        i, j = np.triu_indices(len(found), 1)
        true = np.clip(found, self.truth.lower, self.truth.upper)
        told = {"mse": float(metrics.mse(true[i, j], found[i, j]))}
        if self.recipe.metric == "class":
            told["auc"] = metrics.auc(self.truth.lower[i, j] > 0.5, found[i, j])
            return {**told, "criterion": -told["auc"]}
        told["rho"] = float(metrics.spearman(self.truth.middle, found, selves=False).mean())
        if len(found) > 10:
            told["p10"] = float(metrics.precision(self.truth.middle, found, 10, selves=False).mean())
        return {**told, "criterion": told["mse"]}


def _trained(
    training: Training, examine: Examination, files: Run, processes: Together, progress: Progress | None
) -> Infmcs:
    recipe, state = training.plan.train, training.progress
    best, saved, sums, told = training.averaged(), state.seconds, dict[str, float](), dict[str, float]()
    if state.best_step and files.path is not None:
        best = models.load(files.path / "model.safetensors", str(processes.device))
    while state.step < recipe.steps and not (recipe.patience and state.waited >= recipe.patience):
        try:
            for name, value in training.advance().items():
                sums[name] = sums.get(name, 0.0) + value
        except ModelError:
            if not state.best_step:
                files.keep(training.averaged(), _record(training, files, {}))
            raise
        if progress is not None and processes.first:
            progress(state.step, recipe.steps, told)
        if state.step % recipe.epoch_steps and state.step < recipe.steps:
            continue
        done = state.step % recipe.epoch_steps or recipe.epoch_steps
        means, sums = {name: value / done for name, value in sums.items()}, {}
        candidate = training.averaged()
        told = examine(candidate, processes)
        state.waited += 1
        if told["criterion"] < state.best or math.isinf(state.best):
            best, state.best, state.best_step, state.waited = candidate, told["criterion"], state.step, 0
            files.keep(best, _record(training, files, told))
        speed = state.step * recipe.a_step * processes.count / max(state.seconds, 1e-9)
        line = {"step": state.step, "pairs": state.step * recipe.a_step * processes.count, **told}
        line |= {f"loss {name}": value for name, value in means.items()}
        files.log({**line, "seconds": round(state.seconds, 2), "pairs a second": round(speed)})
        if state.seconds - saved > SAVE or state.step >= recipe.steps:
            files.save(training)
            saved = state.seconds
    return best


def _record(training: Training, files: Run, told: dict[str, float]) -> dict[str, Any]:
    state, recipe = training.progress, training.plan.train
    return provenance.record(
        plan=asdict(training.plan),
        **files.facts,
        step=state.step,
        pairs=state.step * recipe.a_step * training.together.count,
        seconds=round(state.seconds, 1),
        validated=told,
    )


def _plan(name: str | Path) -> Plan:
    return plan(name)


def _split(graphs: Collection, seed: int) -> tuple[Collection, Collection]:
    """Nine tenths and one tenth, at least two graphs in it."""
    order = provenance.generator(seed, "validation graphs").permutation(len(graphs))
    tenth = max(2, round(len(graphs) / 10))
    return graphs.take(np.sort(order[tenth:])), graphs.take(np.sort(order[:tenth]))
