"""Graph edit distance: exact, or as well as a budget allows, with the edit path that shows it.

The search is native (native/ged.hpp). Here a call is checked, both graphs are prepared once and kept with them, and
every mapping becomes an edit path that `certify` has done step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import floor, isnan
from time import perf_counter
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from infmcs import _native, certify
from infmcs.certify import EditCosts, EditPath
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.solve.budget import FOREVER, NO_LIMIT, Budget, Interrupted, Solution
from infmcs.solve.priced import priced

UNIT = EditCosts()
FAR = 2**31 - 1
MOST_PRICED_NODES: int = _native.MOST_PRICED_NODES  # where prices differ, or edge labels, directions or loops count

Method: TypeAlias = Literal["exact", "astar", "beam", "hungarian", "vj", "branch", "descent", "hed"]
METHODS: dict[Method, int] = {name: number for number, name in enumerate(get_args(Method))}  # as the core counts them


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
    visits = FOREVER if budget.visits is None else int(min(budget.visits, FOREVER))
    seconds = np.inf if budget.seconds is None else budget.seconds
    if (unit := unit_of(a, b, costs)) is not None:
        found = _native.edit_distance(prepared(a, costs), prepared(b, costs), visits, seconds, steps_below(below, unit))
    else:
        under, unit = priced_pair(a, b, costs)
        limit = -1.0 if below is None else checked_below(below) / unit
        found = _native.priced_edit_distance(*under, METHODS["exact"], 0, visits, seconds, limit)
    return finished(left, right, costs, found, unit, started)


def finished(
    left: Graph, right: Graph, costs: EditCosts, found: tuple[Any, ...], unit: float, started: float
) -> EditSolution:
    """What the native core found, certified; raises `Interrupted` with it where Ctrl-C ended the search."""
    images, lower, upper, visited, interrupted = found
    path = certify.edit_path(left, right, [(v, w) for v, w in enumerate(images) if w >= 0], costs)
    solution = _solution(path, lower * unit, upper * unit, lower >= upper, visited, perf_counter() - started)
    if interrupted:
        raise Interrupted(solution)
    return solution


def unit_of(left: Graph | Collection, right: Graph | Collection, costs: EditCosts) -> float | None:
    """The price of every edit, where the fast search of equal prices can be used."""
    if costs.directed or any(costs.edge_labels and these.edge_labels is not None for these in (left, right)):
        return None
    return None if has_loops(left) or has_loops(right) else costs.unit


def most_nodes(left: Graph, right: Graph, costs: EditCosts) -> int:
    """How many nodes a graph may have for an exact search at these costs."""
    equal = unit_of(*costs.look_at(left, right), costs) is not None
    return _native.MOST_EDIT_NODES if equal else MOST_PRICED_NODES


def has_loops(graphs: Graph | Collection) -> bool:
    """Whether any node is joined to itself."""
    return bool(graphs.cached("loops", lambda these: bool((these.edges[:, 0] == these.edges[:, 1]).any())))


def priced_pair(
    left: Graph | Collection, right: Graph | Collection, costs: EditCosts
) -> tuple[tuple[_native.PricedGraphs, _native.PricedGraphs, _native.Prices], float]:
    """Both sides and their prices for the native core, and what one of its units costs. Kept with a collection."""
    if left is right and isinstance(left, Collection) and not _tabled(costs):
        under = left.cached(("priced", costs), lambda these: priced(these, these, costs))
    else:
        under = priced(left, right, costs)
    return (under.left, under.right, under.prices), under.step


def prepared(graphs: Graph | Collection, costs: EditCosts) -> _native.EditGraphs:
    """A graph or a collection as searches want it, derived once and kept with it."""
    key = ("edit", costs.node_labels)
    return cast(_native.EditGraphs, graphs.cached(key, lambda these: _prepare(these, costs)))


def steps_below(below: float | None, unit: float) -> int:
    """`below` in edits of this price; -1 for None."""
    return -1 if below is None else floor(min(checked_below(below) / unit, FAR))


def checked_below(below: float) -> float:
    """A distance that can be asked about."""
    if isnan(below) or below < 0:
        raise QuestionError(f"no edit distance is below {below}")
    return below


def whole(costs: EditCosts) -> bool:
    """Whether every price is a whole number, so that every distance is one."""
    return not _tabled(costs) and all(float(getattr(costs, field.name)).is_integer() for field in fields(costs))


def checked_width(width: int) -> int:
    """How many paths a beam keeps open."""
    if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 1:
        raise QuestionError(f"a beam keeps at least 1 path open, not {width!r}", hint="solve.astar keeps all")
    return int(min(width, FAR))


def _tabled(costs: EditCosts) -> bool:
    return any(isinstance(getattr(costs, field.name), Mapping) for field in fields(costs))


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
    return _native.EditGraphs(nodes, edges, graphs.label_ids, graphs.edges, costs.node_labels)


def _solution(path: EditPath, lower: float, upper: float, proved: bool, visited: int, seconds: float) -> EditSolution:
    lower = path.cost if proved else min(lower, path.cost)
    certify.edit_bounds(path, lower, upper)
    return EditSolution(path.mapping, lower, path.cost, proved, visited, seconds, path)
