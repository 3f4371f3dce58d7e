"""The typed face of the native core: exact solvers, bounds, bulk work."""

from infmcs.solve.approximate import EditBound, astar, beam, branch, descent, hed, hungarian, vj
from infmcs.solve.bounds import Bounds, bounds, bounds_many, greedy
from infmcs.solve.budget import Budget, Interrupted, Solution
from infmcs.solve.bulk import Mappings, Values, all_pairs, pairs
from infmcs.solve.classes import classes
from infmcs.solve.ged import EditSolution, Method, edit_distance
from infmcs.solve.many import CommonOfMany, common_subgraph_of_many
from infmcs.solve.mcs import max_common_subgraph
from infmcs.solve.optima import Marginals, Optima, all_maximum_common_subgraphs, marginals

__all__ = [
    "Bounds",
    "Budget",
    "CommonOfMany",
    "EditBound",
    "EditSolution",
    "Interrupted",
    "Mappings",
    "Marginals",
    "Method",
    "Optima",
    "Solution",
    "Values",
    "all_maximum_common_subgraphs",
    "all_pairs",
    "astar",
    "beam",
    "bounds",
    "bounds_many",
    "branch",
    "classes",
    "common_subgraph_of_many",
    "descent",
    "edit_distance",
    "greedy",
    "hed",
    "hungarian",
    "marginals",
    "max_common_subgraph",
    "pairs",
    "vj",
]
