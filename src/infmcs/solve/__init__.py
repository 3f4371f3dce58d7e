"""The typed face of the native core: exact solvers, bounds, bulk work."""

from infmcs.solve.budget import Budget, Interrupted, Solution
from infmcs.solve.bulk import Mappings, Values, all_pairs, pairs
from infmcs.solve.classes import classes
from infmcs.solve.ged import EditSolution, edit_distance
from infmcs.solve.mcs import max_common_subgraph
from infmcs.solve.optima import Marginals, Optima, all_maximum_common_subgraphs, marginals

__all__ = [
    "Budget",
    "EditSolution",
    "Interrupted",
    "Mappings",
    "Marginals",
    "Optima",
    "Solution",
    "Values",
    "all_maximum_common_subgraphs",
    "all_pairs",
    "classes",
    "edit_distance",
    "marginals",
    "max_common_subgraph",
    "pairs",
]
