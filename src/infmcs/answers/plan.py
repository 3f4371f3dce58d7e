"""What an exact answer is expected to cost, before it is asked for: a small model of measured searches.

ln(search nodes) is a linear function of a few features of the two graphs, fitted by `python -m benchmarks.plan`, which
writes `solver_costs.json` with the record of its measurement. The spread of the fit says how sure the expectation is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp, log
from typing import Any

import numpy as np

from infmcs.certify import EditCosts, Question
from infmcs.graph import Graph
from infmcs.pairs import Metric
from infmcs.solve import Budget

SURE = 1.0  # spreads of the fit: an answer is affordable when five searches of six like it are


@dataclass(frozen=True, slots=True)
class Expectation:
    """How many search nodes and seconds an exact answer takes: as many as the median of such pairs, and at worst."""

    visits: float
    seconds: float
    visits_at_worst: float
    seconds_at_worst: float


def expected(
    left: Graph,
    right: Graph,
    metric: Metric = "mcs",
    question: Question = Question(),
    costs: EditCosts = EditCosts(),
) -> Expectation:
    """What the exact answer is expected to cost on a machine like the one that was measured."""
    fitted = fit()[kind(metric, question)]
    labels = question.node_labels if metric == "mcs" else costs.node_labels
    level = sum(w * x for w, x in zip(fitted["weights"], features(left, right, labels=labels), strict=True))
    per_visit = fitted["seconds_a_visit"] * max(1.0, max(left.size, right.size) / 64)
    middle, worst = exp(min(level, 60.0)), exp(min(level + SURE * fitted["spread"], 60.0))
    return Expectation(middle, middle * per_visit, worst, worst * per_visit)


def kind(metric: Metric, question: Question) -> str:
    """Which of the fitted searches answers this: mcs, ged, or loose for common subgraphs that need not be induced."""
    return metric if metric == "ged" or question.induced else "loose"


def affordable(left: Graph, right: Graph, metric: Metric, question: Question, costs: EditCosts, budget: Budget) -> bool:
    """Whether the exact answer most probably fits into the budget."""
    told = expected(left, right, metric, question, costs)
    return (budget.visits is None or told.visits_at_worst <= budget.visits) and (
        budget.seconds is None or told.seconds_at_worst <= budget.seconds
    )


def features(left: Graph, right: Graph, *, labels: bool = True) -> list[float]:
    """What the cost of a search is told from; the same from both sides."""
    small, large = sorted((left, right), key=lambda graph: (graph.size, len(graph.edges)))
    s, l = max(1, small.size), max(1, large.size)  # noqa: E741 (of small and large)
    ds, dl = 2 * len(small.edges) / s, 2 * len(large.edges) / l
    alike = _alike(small, large) if labels and small.size and large.size else 1.0
    size, spare = log(s), log(l / s)
    density = min(1.0, ds / s)
    mixed = 4 * density * (1 - density)  # searches explode between sparse and dense
    return [1.0, size, s / 10, spare, log(alike), s * log(alike) / 10, size * size, spare * size,
            log(1 + ds), log(1 + dl), s * log(1 + ds) / 10, mixed, mixed * size]  # fmt: skip


def _alike(a: Graph, b: Graph) -> float:
    """The chance that a node of each graph have the same label; not below one pair in all."""
    top = int(max(a.label_ids.max(), b.label_ids.max())) + 1
    here, there = (np.bincount(graph.label_ids, minlength=top).astype(float) for graph in (a, b))
    return max(1.0, float(here @ there)) / (a.size * b.size)


@cache
def fit() -> dict[str, Any]:
    """The fitted costs and where they come from."""
    text = resources.files(__package__).joinpath("solver_costs.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
