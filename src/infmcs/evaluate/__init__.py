"""How good a model is: one record a model, with the answers that know next to nothing and the exact one beside it.

Two protocols that are never mixed, and a third for sets with published values: see `parts`. A pair of a graph with
itself is never counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from infmcs import metrics, pairs, provenance, solve
from infmcs.batch import prepare
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.evaluate import trivial
from infmcs.evaluate.parts import PUBLISHED, Parts, parts
from infmcs.models import Infmcs
from infmcs.pairs import Metric
from infmcs.solve.budget import Budget

__all__ = ["PUBLISHED", "Parts", "evaluation", "measures", "parts", "scores", "squares"]

Array = npt.NDArray[np.float64]
VISITS = 100_000  # search nodes a pair whose true value is asked
CHUNK = 20_000  # pairs scored in one go
STEPS = ("exact", *trivial.NAMES, "model")  # what an evaluation does, in order


def scores(model: Infmcs, graphs: Collection, rows: npt.ArrayLike) -> Array:
    """What the model says of these pairs of places in the collection. Each graph is encoded once."""
    chosen = np.asarray(rows, np.int64).reshape(-1, 2)
    distinct, place = np.unique(chosen, return_inverse=True)
    left, right = torch.from_numpy(place.reshape(-1, 2)).unbind(1)
    device = next(model.parameters()).device
    with torch.no_grad():
        model.eval()
        folded = model.fold(
            model.encode(prepare(graphs.take(distinct), model.inputs).batch(range(len(distinct)), device))
        )
        found = [
            model.score(folded, left[first : first + CHUNK], right[first : first + CHUNK]).cpu()
            for first in range(0, len(chosen), CHUNK)
        ]
    return torch.cat([torch.zeros(0), *found]).double().numpy()


def squares(model: Infmcs, graphs: Collection) -> Array:
    """What the model says of all graphs with all, 1 on the diagonal: block against block, faster than pair by pair."""
    model.eval()
    batch = prepare(graphs, model.inputs).batch(np.arange(len(graphs)), next(model.parameters()).device)
    return np.asarray(model.similarities(batch).double().numpy())


def measures(
    true: Array, found: Array, mean_sizes: Array, *, selves: bool, counted: str | None = "nodes"
) -> dict[str, Any]:
    """Every measure of one answer: rows are queries, columns the database; `selves` when the diagonal counts too.

    counted  what the sizes of common subgraphs count; None where the similarity is of no common subgraph.
    """
    kept = np.ones(true.shape, bool) if selves else ~np.eye(len(true), dtype=bool)
    told: dict[str, Any] = {"mse": metrics.mse(true[kept], found[kept])}
    if counted:
        told[f"error in {counted}"] = metrics.error_in_nodes(true[kept], found[kept], mean_sizes[kept])
    told["rho"] = float(metrics.spearman(true, found, selves=selves).mean())
    told["tau"] = float(metrics.kendall(true, found, selves=selves).mean())
    for k in (10, 20):
        if kept[0].sum() >= k:
            told[f"p@{k}"] = {
                ties: float(metrics.precision(true, found, k, ties=ties, selves=selves).mean())
                for ties in ("expected", "generous", "arbitrary")
            }
    return told


@dataclass(frozen=True)
class _Question:
    """The pairs that are asked, and their true similarity."""

    graphs: Collection
    rows: npt.NDArray[np.int64]  # pairs that are asked, each once
    cells: tuple[npt.NDArray[np.int64], ...]  # where in the table of queries and database they stand
    shape: tuple[int, int]
    square: bool

    def table(self, values: Array) -> Array:
        """These values of the pairs as rows of queries."""
        filled = np.ones(self.shape)
        filled[self.cells] = values
        if self.square:
            filled[self.cells[::-1]] = values
        return filled


def evaluation(
    model: Infmcs, given: Parts, metric: Metric = "mcs", *, progress: Callable[[str], object] = lambda _: None
) -> dict[str, Any]:
    """The record of a model on the test graphs: its measures, the trivial answers', the exact solver's, and chance."""
    pairs.metric(metric)
    question = model.inputs.question
    asked = _asked(given)
    progress("exact")
    sizes = pairs.sizes(given.graphs, metric, question)[asked.rows].T
    solve.pairs(
        given.graphs, asked.rows[:1], metric=metric, question=question
    )  # what is derived once a collection is not timed
    started = time.perf_counter()
    found = solve.pairs(given.graphs, asked.rows, metric=metric, question=question, budget=Budget(visits=VISITS))
    seconds = time.perf_counter() - started
    low, high = pairs.interval(metric, found.lower, found.upper, *sizes)
    true = asked.table((low + high) / 2)
    means = asked.table(sizes.mean(axis=0))

    def row(name: str, values: Array, seconds: float) -> dict[str, Any]:
        told = measures(true, values, means, selves=given.selves, counted=question.count if metric == "mcs" else None)
        return {"name": name, "microseconds a pair": 1e6 * seconds / max(1, len(asked.rows)), **told}

    rows = [row("exact", true, seconds)]
    for name, answer in trivial.answers(given.graphs, given.train, metric, question, visits=VISITS).items():
        progress(name)
        started = time.perf_counter()
        values = asked.table(answer(asked.rows))
        rows.append(row(name, values, time.perf_counter() - started))
    progress("model")
    started = time.perf_counter()
    said = (
        squares(model, given.graphs.take(given.test))
        if asked.square
        else asked.table(scores(model, given.graphs, asked.rows))
    )
    rows.append(row("model", said, time.perf_counter() - started))
    width = asked.shape[1] - asked.square
    return {
        "metric": metric,
        "counted": question.count,
        "queries": asked.shape[0],
        "database": asked.shape[1],
        "pairs": len(asked.rows),
        "open": float(1 - found.proved.mean()),
        "mean": float(true[~np.eye(*asked.shape, dtype=bool)].mean() if asked.square else true.mean()),
        "chance": {f"p@{k}": metrics.chance_of_precision(true, k, selves=given.selves) for k in (10, 20) if width >= k},
        "rows": rows,
        "labels": np.histogram(true[~np.eye(*asked.shape, dtype=bool)] if asked.square else true, 20, (0, 1))[
            0
        ].tolist(),
        "ranking": _rankings(true, said, given),
        "positions": _positions(model),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "digest": given.graphs.digest,
        **provenance.record(),
    }


def _rankings(true: Array, said: Array, given: Parts, *, queries: int = 3, most: int = 10) -> list[dict[str, Any]]:
    """For a few queries: the graphs the model puts first, with what it says and what is true."""
    told = []
    for query in np.unique(np.linspace(0, len(true) - 1, queries).astype(np.int64)).tolist():
        order = [place for place in np.argsort(-said[query], kind="stable") if given.selves or place != query][:most]
        first = {
            "graphs": [int(given.database[place]) for place in order],
            "said": [round(float(said[query, place]), 4) for place in order],
            "true": [round(float(true[query, place]), 4) for place in order],
        }
        others = [place for place in range(true.shape[1]) if given.selves or place != query]
        best = sorted((round(float(true[query, place]), 4) for place in others), reverse=True)[:most]
        told.append({"query": int(given.test[query]), **first, "best": best})
    return told


def _positions(model: Infmcs) -> dict[str, Any] | None:
    """Of a table of positions: its first two principal components, and each row's distance to the first."""
    table = getattr(model.position, "table", None)
    if table is None:
        return None
    rows = table.weight.detach().double().cpu().numpy()
    centred = rows - rows.mean(axis=0)
    left, strength, _ = np.linalg.svd(centred, full_matrices=False)
    share = strength**2 / (strength**2).sum()
    return {
        "components": np.round(left[:, :2] * strength[:2], 4).tolist(),
        "explained": np.round(share[:2], 4).tolist(),
        "distances": np.round(np.linalg.norm(rows - rows[0], axis=1), 4).tolist(),
    }


def _asked(given: Parts) -> _Question:
    """Each pair once: of test × test those of different graphs, else every query with the whole database."""
    shape = (len(given.test), len(given.database))
    if min(shape) < 2:
        raise QuestionError(f"{shape[0]} test graphs against {shape[1]} make nothing to evaluate")
    cells = np.triu_indices(shape[0], 1) if not given.selves else tuple(np.indices(shape).reshape(2, -1))
    rows = np.stack((given.test[cells[0]], given.database[cells[1]]), axis=1)
    return _Question(given.graphs, rows, cells, shape, not given.selves)
