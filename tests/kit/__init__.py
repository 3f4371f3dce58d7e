"""The tests' own kit: hypothesis strategies for graphs, and where the real data sets are."""

from tests.kit import edit_oracles, edit_programs
from tests.kit.places import real_data
from tests.kit.strategies import collections, comparable_graphs, graphs, renumberings

__all__ = ["collections", "comparable_graphs", "edit_oracles", "edit_programs", "graphs", "real_data", "renumberings"]
