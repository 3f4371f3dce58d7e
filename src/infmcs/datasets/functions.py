"""Pairs of control-flow graphs for 'are these two the same source function?', by the rules of two earlier studies.

MGMN and H2MN draw pairs differently, and the INFMCS paper copies scores of both; so both rules are here, each with its
own seed, and the graphs are split by function before pairs are drawn (`split(graphs, "function")`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from infmcs import provenance
from infmcs.collection import Collection
from infmcs.datasets.lists import Places
from infmcs.datasets.splits import functions
from infmcs.errors import DatasetError, QuestionError

Rule: TypeAlias = Literal["mgmn", "h2mn"]
RULES: tuple[Rule, ...] = get_args(Rule)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionPairs:
    """Pairs of places in the collection and whether both graphs are of the same function."""

    pairs: npt.NDArray[np.int64]
    same: npt.NDArray[np.bool_]


def function_pairs(graphs: Collection, places: npt.ArrayLike, rule: Rule = "mgmn", seed: int = 0) -> FunctionPairs:
    """Pairs among the graphs at these places; half of them of the same function.

    mgmn   for each graph one other graph of its function (itself if it is alone) and one of another function
    h2mn   for each function two of its graphs, drawn with replacement (perhaps the same), and one with one of another
    """
    if rule not in RULES:
        raise QuestionError(f"no rule is named {rule!r}", hint=f"known: {', '.join(RULES)}")
    here = np.asarray(places, np.int64)
    names, owner = np.unique(np.array(functions(graphs))[here], return_inverse=True)
    if len(names) < 2:
        raise DatasetError(f"{len(names)} functions among these graphs; pairs of different ones need two")
    members = _Members(here, owner)
    random = provenance.generator(seed, f"function pairs {rule}")
    if rule == "mgmn":
        first = np.arange(len(here))
        second, other = members.another(first, random), members.of_another_function(owner, random)
    else:
        every = np.arange(len(names))
        first, second = members.any_of(every, random), members.any_of(every, random)
        other = members.of_another_function(every, random)
    positive, negative = np.stack((first, second), axis=1), np.stack((first, other), axis=1)
    return FunctionPairs(here[np.concatenate((positive, negative))], np.repeat([True, False], len(first)))


def without_isolated_nodes(graphs: Collection) -> Places:
    """The graphs in which every node has an edge to another, which is what H2MN keeps."""
    starts = np.repeat(graphs.node_offsets[:-1] - graphs.node_offsets[0], graphs.edge_counts)
    edges = graphs.edges[graphs.edges_here]
    proper = edges[:, 0] != edges[:, 1]
    touched = np.zeros(int(graphs.sizes.sum()), bool)
    touched[(edges + starts[:, None])[proper]] = True
    owner = np.repeat(np.arange(len(graphs)), graphs.sizes)
    alone = np.bincount(owner[~touched], minlength=len(graphs))
    return np.flatnonzero(alone == 0)


class _Members:
    """The graphs of each function, one function after another."""

    def __init__(self, here: Places, owner: npt.NDArray[np.int64]) -> None:
        self._owner = owner
        self._order = np.argsort(owner, kind="stable")
        self._counts = np.bincount(owner)
        self._starts = np.cumsum(self._counts) - self._counts
        self._rank = np.empty(len(here), np.int64)  # of each graph within its function
        self._rank[self._order] = np.arange(len(here)) - np.repeat(self._starts, self._counts)

    def any_of(self, functions: npt.NDArray[np.int64], random: np.random.Generator) -> Places:
        """One graph of each of these functions."""
        return np.asarray(self._order[self._starts[functions] + random.integers(0, self._counts[functions])])

    def another(self, graphs: npt.NDArray[np.int64], random: np.random.Generator) -> Places:
        """Another graph of the function of each of these; itself where there is no other."""
        function = self._owner[graphs]
        counts = self._counts[function]
        step = random.integers(1, np.maximum(counts, 2))
        return np.asarray(self._order[self._starts[function] + (self._rank[graphs] + step) % counts])

    def of_another_function(self, functions: npt.NDArray[np.int64], random: np.random.Generator) -> Places:
        """One graph of a random other function for each of these."""
        others = random.integers(0, len(self._counts) - 1, len(functions))
        return self.any_of(others + (others >= functions), random)
