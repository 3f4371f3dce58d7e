"""The largest common subgraph of two graphs, exactly, or as well as a budget allows.

The search is native (native/mcs.hpp). Here a call is checked, both graphs are prepared once and kept with them, and
every mapping is certified before it leaves.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from infmcs import _native, certify
from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.errors import CertificateError, QuestionError
from infmcs.graph import Graph
from infmcs.solve.budget import FOREVER, NO_LIMIT, Budget, Interrupted, Solution

MOST_NODES: int = _native.most_nodes

Start: TypeAlias = "Mapping[int, int] | Iterable[tuple[int, int]]"

DEFAULT = Question()
_LEAST_WORDS = 1  # tests raise it, so that small graphs meet the code of large ones


def max_common_subgraph(
    a: Graph,
    b: Graph,
    question: Question = DEFAULT,
    budget: Budget = NO_LIMIT,
    start: Start | None = None,
    above: int | None = None,
    guide: npt.ArrayLike | None = None,
) -> Solution:
    """The largest common subgraph of a and b, with proof where the budget allows one.

    start   a common subgraph that is already known; the search looks for larger ones and returns at least it.
    above   only more than this is of interest. If there is no more, the solution's mapping is empty (or `start`) and
            its `upper` is at most `above`: proven, unless the budget ran out, that nothing larger exists.
    guide   one row a node of a, one column a node of b: pairs with large numbers are tried first. It steers the
            search and never changes a proven size.

    Ctrl-C raises `Interrupted`, which carries the solution so far.
    """
    left, right = prepared_pair(a, b, question)
    known, known_size = _checked_start(a, b, start, question)
    mapping, lower, upper, visited, seconds, interrupted = _native.max_common_subgraph(
        left,
        0,
        right,
        0,
        *asked(question),
        FOREVER if budget.visits is None else int(min(budget.visits, FOREVER)),
        np.inf if budget.seconds is None else budget.seconds,
        _checked_above(above),
        known,
        known_size,
        None if guide is None else _checked_guide(guide, a, b),
    )
    shown = certify.common_subgraph(a, b, mapping, question)
    if shown.size != lower:
        raise CertificateError(f"the search claims a size of {lower}, but its mapping shows {shown.size}")
    solution = Solution(shown.mapping, lower, upper, lower == upper, visited, seconds)
    if interrupted:
        raise Interrupted(solution)
    return solution


def prepared_pair(a: Graph, b: Graph, question: Question) -> tuple[_native.Prepared, _native.Prepared]:
    """Both graphs as searches want them; an error when the question cannot be asked of them."""
    if question.directed or a.directed != b.directed:
        question.look_at(a, b)
    return prepared(a, question), prepared(b, question)


def prepared(graphs: Graph | Collection, question: Question) -> _native.Prepared:
    """A graph or a collection as searches want it, derived once and kept with it."""
    induced, bare = asked(question)[0], _edges_play_no_part(question)
    key = ("prepared", question.node_labels, question.edge_labels, question.directed, induced, bare, _LEAST_WORDS)
    return cast(_native.Prepared, graphs.cached(key, lambda these: _prepare(these, question)))


def asked(question: Question) -> tuple[bool, bool, bool]:
    """What the core is asked: induced, connected, count edges.

    Neither induced nor connected, edges play no part in a count of nodes: the same as induced of graphs without edges.
    """
    return question.induced or _edges_play_no_part(question), question.connected, question.count == "edges"


def _edges_play_no_part(question: Question) -> bool:
    return not question.induced and not question.connected and question.count == "nodes"


def _prepare(graphs: Any, question: Question) -> _native.Prepared:
    if not question.directed:
        graphs = graphs.undirected(question.edge_labels)
    if isinstance(graphs, Graph):
        nodes, edges = np.array([0, graphs.size]), np.array([0, len(graphs.edges)])
    else:
        nodes, edges = graphs.node_offsets, graphs.edge_offsets
    sizes = np.diff(nodes)
    if len(sizes) and sizes.max() > MOST_NODES:
        place = "" if isinstance(graphs, Graph) else f" (graph {int(sizes.argmax())})"
        raise QuestionError(
            f"a graph has {int(sizes.max())} nodes{place}; common subgraphs are searched for up to {MOST_NODES}",
            hint="Graph.induced cuts out a part of it",
        )
    ends, bonds = graphs.edges, graphs.edge_label_ids
    if _edges_play_no_part(question):
        edges, ends, bonds = np.zeros_like(edges), ends[:0], None
    return _native.Prepared(
        nodes,
        edges,
        graphs.label_ids,
        ends,
        bonds,
        graphs.directed,
        question.node_labels,
        question.edge_labels,
        asked(question)[0],
        _LEAST_WORDS,
    )


def _checked_start(
    a: Graph, b: Graph, start: Start | None, question: Question
) -> tuple[npt.NDArray[np.int32] | None, int]:
    if start is None:
        return None, 0
    try:
        shown = certify.common_subgraph(a, b, start, question)
    except CertificateError as error:
        raise QuestionError(f"the start is no common subgraph: {error.message}", hint=error.hint) from error
    return np.array(shown.mapping, np.int32).reshape(-1, 2), shown.size


def _checked_above(above: int | None) -> int:
    if above is None:
        return 0
    try:
        value = operator.index(above)
    except TypeError:
        value = -1
    if value < 0:
        raise QuestionError(f"above must be a whole number from 0, not {above!r}")
    return min(value, 2**31 - 1)


def _checked_guide(guide: npt.ArrayLike, a: Graph, b: Graph) -> npt.NDArray[np.float32]:
    try:
        matrix = np.ascontiguousarray(guide, np.float32)
    except (TypeError, ValueError):
        raise QuestionError("a guide must be a matrix of numbers") from None
    if matrix.shape != (a.size, b.size):
        raise QuestionError(f"a guide for graphs of {a.size} and {b.size} nodes has that shape, not {matrix.shape}")
    if np.isnan(matrix).any():
        v, w = (int(i[0]) for i in np.nonzero(np.isnan(matrix)))
        raise QuestionError(f"the guide's preference for left node {v} and right node {w} is NaN")
    return matrix
