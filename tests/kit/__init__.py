"""The tests' own kit: hypothesis strategies for graphs, brute-force oracles, where the real data sets are."""

from typing import Any

from tests.kit import edit_oracles, edit_programs
from tests.kit.places import real_data
from tests.kit.strategies import collections, comparable_graphs, graphs, renumberings

__all__ = [
    "collections",
    "comparable_graphs",
    "edit_oracles",
    "edit_programs",
    "graphs",
    "real_data",
    "renumberings",
    "wrong",
]


def wrong(value: object) -> Any:
    """A value of a kind that the type checker would refuse, given on purpose: the package must refuse it too."""
    return value
