"""Edit distances from two sides without a proof: the classical methods, each after its reference.

`hungarian`, `vj`, `beam` and `descent` show an edit path, so they are upper bounds; `branch` is both; `hed` is a lower
bound, shows nothing, and can never become a label. `astar` is exact where its budget lasts: the baseline that the
literature times, not the search to use (`edit_distance`). All take any costs, up to 256 nodes a graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from infmcs import _native
from infmcs.certify import EditCosts
from infmcs.graph import Graph
from infmcs.solve.budget import FOREVER, NO_LIMIT, Budget
from infmcs.solve.ged import METHODS, UNIT, EditSolution, Method, checked_width, finished, priced_pair


@dataclass(frozen=True, slots=True)
class EditBound:
    """An edit distance is at least `lower`. No edit path stands behind it, so it says nothing about how much less
    than the distance it is.
    """

    lower: float
    seconds: float


def beam(
    left: Graph, right: Graph, costs: EditCosts = UNIT, width: int = 10, budget: Budget = NO_LIMIT
) -> EditSolution:
    """The edit path that A* finds when it keeps only the `width` best partial paths open.

    Neuhaus, Riesen, Bunke, Fast suboptimal algorithms for the computation of graph edit distance, 2006. Ties: the
    deeper path first, then the older one. The bound of what was thrown away is kept, so the answer may be proven.
    """
    return _run("beam", left, right, costs, budget, checked_width(width))


def astar(left: Graph, right: Graph, costs: EditCosts = UNIT, budget: Budget = NO_LIMIT) -> EditSolution:
    """The distance by best-first search, as the literature does it: memory grows with every open path.

    Hart, Nilsson, Raphael 1968; the estimate is Riesen, Fankhauser, Bunke, Speeding up graph edit distance
    computation with a bipartite heuristic, 2007: open nodes by their labels, open edges by theirs, each assigned
    for itself. A spent budget, or 256 MB of open paths, leave the best estimate as lower bound and `descent` as upper.
    """
    return _run("astar", left, right, costs, budget)


def hungarian(left: Graph, right: Graph, costs: EditCosts = UNIT) -> EditSolution:
    """The edit path of an optimal assignment of nodes, each with all its edges.

    Riesen, Bunke, Approximate graph edit distance computation by means of bipartite graph matching, 2009.
    """
    return _run("hungarian", left, right, costs)


def vj(left: Graph, right: Graph, costs: EditCosts = UNIT) -> EditSolution:
    """The same assignment by the Volgenant–Jonker algorithm; where several are optimal it may take another.

    Fankhauser, Riesen, Bunke, Speeding up graph edit distance computation through fast bipartite matching, 2011.
    """
    return _run("vj", left, right, costs)


def branch(left: Graph, right: Graph, costs: EditCosts = UNIT) -> EditSolution:
    """A lower bound from the assignment of nodes with half their edges, and the edit path of that assignment.

    Zheng, Zou, Lian, Wang, Zhao, Efficient graph similarity search over large graph databases, 2015; general costs:
    Blumenthal, Gamper, Improved lower bounds for graph edit distance, 2018.
    """
    return _run("branch", left, right, costs)


def descent(left: Graph, right: Graph, costs: EditCosts = UNIT) -> EditSolution:
    """`branch`, its mapping improved until no exchange of two images, move or deletion helps: the best quick bounds."""
    return _run("descent", left, right, costs)


def hed(left: Graph, right: Graph, costs: EditCosts = UNIT) -> EditBound:
    """A lower bound in quadratic time: every node takes its cheapest partner for itself. It is never an upper bound.

    Fischer, Suen, Frinken, Riesen, Bunke, Approximation of graph edit distance based on Hausdorff matching, 2015.
    """
    started = perf_counter()
    native, unit = _native_answer("hed", left, right, costs, NO_LIMIT, 0)
    return EditBound(float(native[1] * unit), perf_counter() - started)


def _run(
    method: Method, left: Graph, right: Graph, costs: EditCosts, budget: Budget = NO_LIMIT, width: int = 0
) -> EditSolution:
    started = perf_counter()
    native, unit = _native_answer(method, left, right, costs, budget, width)
    return finished(left, right, costs, native, unit, started)


def _native_answer(
    method: Method, left: Graph, right: Graph, costs: EditCosts, budget: Budget, width: int
) -> tuple[tuple[Any, ...], float]:
    under, unit = priced_pair(*costs.look_at(left, right), costs)
    visits = FOREVER if budget.visits is None else int(min(budget.visits, FOREVER))
    seconds = np.inf if budget.seconds is None else budget.seconds
    return _native.priced_edit_distance(*under, METHODS[method], width, visits, seconds, -1.0), unit
