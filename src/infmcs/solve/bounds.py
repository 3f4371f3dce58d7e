"""What can be said of a common subgraph without a search: upper bounds by counting, a lower one by being greedy.

A bound is never below the true value. Each level takes in the ones before it and costs more:

sizes     no more nodes (or edges, where edges are counted) than the smaller graph has.             every question
labels    of each label no more nodes than both graphs have; counting edges: of each type of
          edge (its label and its ends' labels).                                                     every question
edges     connected: k nodes need k − 1 edges of types that both graphs have.                        connected
          Where one graph has more edges of a type than the other, the surplus goes, and nodes
          with it; so do the nodes whose label is too frequent: at least so many altogether.         induced
degrees   a node that loses at most r neighbours needs a partner whose degree it can reach; the
          partners are counted for every size.                                                       induced
          Edges of each type, the ends' degrees paired by rank.                                      counting edges
colours   graphs of one size that colour refinement tells apart are not equal.                       induced, or
          Where nodes of a part may lose edges colours say nothing, so they lower no other bound.    counting edges

Where connected is asked for, all this is done for each two components, and the largest bound counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from infmcs import _native, certify
from infmcs.certify import Question, require_directions
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.solve.budget import Interrupted, Solution
from infmcs.solve.bulk import checked_threads
from infmcs.solve.mcs import DEFAULT, asked, prepared_pair

Level: TypeAlias = Literal["sizes", "labels", "edges", "degrees", "colours"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper bounds of a common subgraph's size, cheapest first; each takes in the ones before it."""

    sizes: int
    labels: int
    edges: int
    degrees: int
    colours: int

    @property
    def upper(self) -> int:
        """The least of them."""
        return min(self.sizes, self.labels, self.edges, self.degrees, self.colours)


def bounds(a: Graph, b: Graph, question: Question = DEFAULT) -> Bounds:
    """Upper bounds of the size of a largest common subgraph of a and b, without a search."""
    require_directions(question, a, b)
    found = _native.bounds(profiles(a, question), 0, profiles(b, question), 0, *_asked(question))
    return Bounds(*found)


def bounds_many(
    query: Graph,
    collection: Collection,
    question: Question = DEFAULT,
    *,
    level: Level = "colours",
    above: int = 0,
    threads: int = 1,
) -> npt.NDArray[np.int32]:
    """An upper bound for each graph of a collection against one query, in one pass.

    level   how far to go; what a level looks at is told in this module's first lines.
    above   a bound that is not above this is not made sharper.

    What it needs of the collection is counted once and kept with it.
    """
    if level not in LEVELS:
        raise QuestionError(f"there is no level {level!r}", hint=f"known: {', '.join(LEVELS)}")
    require_directions(question, query, collection)
    return _native.bounds_many(
        profiles(query, question),
        0,
        profiles(collection, question),
        *_asked(question),
        LEVELS.index(level),
        max(0, min(int(above), 2**31 - 1)),
        checked_threads(threads),
    )


def greedy(a: Graph, b: Graph, question: Question = DEFAULT) -> Solution:
    """A common subgraph made fast and without backtracking, and how far from the largest it can be at most.

    From each of the first nodes of the smaller graph it goes on to the pair that leaves most to hope for.
    """
    left, right = prepared_pair(a, b, question)
    found = _native.greedy(left, 0, right, 0, *asked(question))
    mapping, lower, upper, visited, seconds, interrupted = found
    shown = certify.common_subgraph(a, b, mapping, question)
    certify.bounds(a, b, lower, upper, shown.size, question)
    upper = min(upper, bounds(a, b, question).upper)
    solution = Solution(shown.mapping, lower, upper, lower == upper, visited, seconds)
    if interrupted:
        raise Interrupted(solution)
    return solution


def profiles(graphs: Graph | Collection, question: Question) -> _native.Profiles:
    """A graph or a collection as bounds want it, counted once and kept with it."""
    key = ("profiles", question.node_labels, question.edge_labels, question.directed, question.induced)
    return cast(_native.Profiles, graphs.cached((*key, question.connected), lambda these: _profiles(these, question)))


def _profiles(graphs: Any, question: Question) -> _native.Profiles:
    if not question.directed:
        graphs = graphs.undirected(question.edge_labels)
    alone = isinstance(graphs, Graph)
    return _native.Profiles(
        np.array([0, graphs.size]) if alone else graphs.node_offsets,
        np.array([0, len(graphs.edges)]) if alone else graphs.edge_offsets,
        graphs.label_ids,
        graphs.edges,
        graphs.edge_label_ids,
        graphs.directed,
        question.node_labels,
        question.edge_labels,
        question.induced,
        question.connected,
    )


def _asked(question: Question) -> tuple[bool, bool, bool]:
    return question.induced, question.connected, question.count == "edges"
