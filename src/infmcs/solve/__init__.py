"""The typed face of the native core: exact solvers, bounds, bulk work."""

from infmcs.solve.budget import Budget, Solution
from infmcs.solve.ged import EditSolution, edit_distance

__all__ = ["Budget", "EditSolution", "Solution", "edit_distance"]
