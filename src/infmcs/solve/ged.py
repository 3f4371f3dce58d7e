"""Graph edit distance: exact, or as well as a budget allows, with the edit path that shows it.

The search is native (native/ged.hpp). Here a call is checked, both graphs are prepared once and kept with them, and
every mapping becomes an edit path that `certify` has done step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isnan
from time import perf_counter
from typing import Any, cast

import numpy as np

from infmcs import _native, certify
from infmcs.certify import EditCosts, EditPath
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.solve.budget import NO_LIMIT, Budget, Interrupted, Solution

UNIT = EditCosts()
_FOREVER = 2**63 - 1
_FAR = 2**31 - 1


@dataclass(frozen=True, slots=True)
class EditSolution(Solution):
    """An edit distance is at least `lower` and at most `upper`, which is what `path` costs."""

    path: EditPath


def edit_distance(
    left: Graph,
    right: Graph,
    costs: EditCosts = UNIT,
    budget: Budget = NO_LIMIT,
    below: float | None = None,
) -> EditSolution:
    """The least cost of turning the left graph into the right one, and an edit path of that cost.

    A spent budget leaves a certified edit path and a sound lower bound. `below` asks 'is it at most this?' instead:
    the search ends as soon as `upper <= below` or `lower > below`. Ctrl-C raises `Interrupted` with the solution so
    far.
    """
    started = perf_counter()
    a, b = costs.look_at(left, right)
    unit = unit_of(costs)
    found = _native.edit_distance(
        prepared(a, costs),
        prepared(b, costs),
        _FOREVER if budget.visits is None else int(min(budget.visits, _FOREVER)),
        np.inf if budget.seconds is None else budget.seconds,
        steps_below(below, unit),
    )
    images, lower, upper, visited, interrupted = found
    path = certify.edit_path(left, right, [(v, w) for v, w in enumerate(images) if w >= 0], costs)
    solution = _solution(path, lower * unit, upper * unit, visited, perf_counter() - started)
    if interrupted:
        raise Interrupted(solution)
    return solution


def unit_of(costs: EditCosts) -> float:
    """The price of every edit, where the fast search of equal prices can be used."""
    unit = costs.unit
    if unit is None or costs.edge_labels or costs.directed:
        raise QuestionError("only equal prices of all edits of undirected graphs without edge labels so far")
    return unit


def prepared(graphs: Graph | Collection, costs: EditCosts) -> _native.EditGraphs:
    """A graph or a collection as searches want it, derived once and kept with it."""
    key = ("edit", costs.node_labels)
    return cast(_native.EditGraphs, graphs.cached(key, lambda these: _prepare(these, costs)))


def steps_below(below: float | None, unit: float) -> int:
    """`below` in edits of this price; -1 for None."""
    if below is None:
        return -1
    if isnan(below) or below < 0:
        raise QuestionError(f"no edit distance is below {below}")
    return floor(min(below / unit, _FAR))


def _prepare(graphs: Any, costs: EditCosts) -> _native.EditGraphs:
    graphs = graphs.undirected(costs.edge_labels)
    if isinstance(graphs, Graph):
        nodes, edges = np.array([0, graphs.size]), np.array([0, len(graphs.edges)])
    else:
        nodes, edges = graphs.node_offsets, graphs.edge_offsets
    sizes = np.diff(nodes)
    if len(sizes) and sizes.max() > _native.MOST_EDIT_NODES:
        place = "" if isinstance(graphs, Graph) else f" (graph {int(sizes.argmax())})"
        raise QuestionError(
            f"a graph has {int(sizes.max())} nodes{place}; edit distances go up to {_native.MOST_EDIT_NODES}",
            hint="Graph.induced cuts out a part of it",
        )
    here = graphs.edges[edges[0] : edges[-1]]
    if (here[:, 0] == here[:, 1]).any():
        raise QuestionError("edit distances of graphs with loops cannot be searched yet")
    return _native.EditGraphs(nodes, edges, graphs.label_ids, graphs.edges, costs.node_labels)


def _solution(path: EditPath, lower: float, upper: float, visited: int, seconds: float) -> EditSolution:
    proved = lower >= upper
    certify.edit_bounds(path, path.cost if proved else lower, upper)
    return EditSolution(path.mapping, path.cost if proved else lower, path.cost, proved, visited, seconds, path)
