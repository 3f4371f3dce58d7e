"""Graph edit distance: exact, with the edit path that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isnan
from time import perf_counter

from infmcs import _native, certify
from infmcs.certify import EditCosts, EditPath
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.solve.budget import Budget, Solution


@dataclass(frozen=True, slots=True)
class EditSolution(Solution):
    """An edit distance is at least `lower` and at most `upper`, which is what `path` costs."""

    path: EditPath


def edit_distance(
    left: Graph,
    right: Graph,
    costs: EditCosts = EditCosts(),
    budget: Budget = Budget(),
    below: float | None = None,
) -> EditSolution:
    """The least cost of turning the left graph into the right one, and an edit path of that cost.

    A spent budget leaves a certified edit path and a sound lower bound. `below` asks 'is it at most this?' instead:
    the search ends as soon as `upper <= below` or `lower > below`.
    """
    a, b = costs.look_at(left, right)
    unit = costs.unit
    if below is not None and (isnan(below) or below < 0):
        raise QuestionError(f"no edit distance is below {below}")
    _refuse_too_large(a, b)
    if unit is None or costs.edge_labels or costs.directed or _has_loops(a) or _has_loops(b):
        raise QuestionError("only equal prices of all edits of undirected graphs without edge labels and loops so far")
    started = perf_counter()
    images, lower, upper, visited = _native.edit_distance(
        a.label_ids,
        a.edges,
        b.label_ids,
        b.edges,
        costs.node_labels,
        budget.visits,
        budget.seconds,
        -1 if below is None else floor(min(below / unit, 2**31)),
    )
    path = certify.edit_path(left, right, [(v, w) for v, w in enumerate(images) if w >= 0], costs)
    return _solution(path, lower * unit, upper * unit, visited, perf_counter() - started)


def _solution(path: EditPath, lower: float, upper: float, visited: int, seconds: float) -> EditSolution:
    proved = lower >= upper
    certify.edit_bounds(path, path.cost if proved else lower, upper)
    return EditSolution(path.mapping, path.cost if proved else lower, path.cost, proved, visited, seconds, path)


def _refuse_too_large(left: Graph, right: Graph) -> None:
    for side, graph in (("left", left), ("right", right)):
        if graph.size > _native.MOST_EDIT_NODES:
            raise QuestionError(
                f"the {side} graph has {graph.size} nodes; edit distances go up to {_native.MOST_EDIT_NODES}"
            )


def _has_loops(graph: Graph) -> bool:
    return bool((graph.edges[:, 0] == graph.edges[:, 1]).any())
