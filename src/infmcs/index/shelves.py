"""The native exact search for common subgraphs (native/search.cpp), which equals `best_first` and is a hundred times
as fast: it reads the index's file in place and prepares a graph only when its turn comes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from infmcs import _native
from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.graph import Graph
from infmcs.index.best_first import Found, Ranking, Spending
from infmcs.index.bounds import Array
from infmcs.index.contents import Contents
from infmcs.pairs import nmcs
from infmcs.solve.mcs import prepared

_FOREVER = 2**63 - 1


def suits(contents: Contents, question: Question) -> bool:
    """Whether the native search answers this question: not where edges are counted, or directions or labels clash."""
    directed = any(segment.directed for segment in contents.segments)
    return question.count == "nodes" and not (directed and question.edge_labels and not question.directed)


def run(
    contents: Contents,
    query: Graph,
    question: Question,
    chosen: Array,
    ranking: Ranking,
    spending: Spending,
    ties: bool,
    first: Iterable[int] = (),
) -> bool:
    """Fill the ranking from the chosen places, those of `first` before others. Returns whether Ctrl-C ended it."""
    counts, stars, degrees = _query_rows(contents, query)
    budget = spending.budget
    seconds = np.inf if budget.seconds is None else max(1e-9, budget.seconds - spending.seconds)
    hits, beyond, tied, _, _, solved, _, visited, interrupted = _native.search(
        [segment.shelf for segment in contents.segments],
        [segment.ready(question) for segment in contents.segments],
        prepared(query, question),
        counts,
        stars,
        degrees,
        chosen.view(np.uint8),
        np.fromiter(first, np.int64),
        question.induced,
        question.connected,
        question.node_labels,
        question.edge_labels,
        question.directed,
        -1 if ranking.top is None else ranking.top,
        ranking.threshold,
        ties,
        _FOREVER if budget.visits is None else min(int(budget.visits), _FOREVER),
        seconds,
    )
    ranking.best = [Found(place, low, high, common, mapping) for place, low, high, common, mapping in hits]
    ranking.beyond = None if beyond < 0 else beyond
    floor = ranking.floor
    ranking.tied = [Found(int(place), floor, floor, 0, ()) for place in tied]
    spending.solved += solved
    spending.visited += visited
    return bool(interrupted)


def most_common(contents: Contents, query: Graph, question: Question, *, sharp: bool) -> Array:
    """The greatest number of nodes the query and each graph can have in common, by the first or by all bounds."""
    counts, stars, degrees = _query_rows(contents, query)
    return _native.most_common(
        [segment.shelf for segment in contents.segments],
        prepared(query, question),
        counts,
        stars,
        degrees,
        np.ones(len(contents), np.uint8),
        question.induced,
        question.connected,
        question.node_labels,
        sharp,
    )


def uppers(contents: Contents, query: Graph, question: Question) -> Array:
    """The greatest similarity that the graph at each place can have by the first bounds (float64)."""
    most = most_common(contents, query, question, sharp=False)
    similarity: Array = nmcs(most, np.asarray(query.size), contents.sizes)
    return similarity


def likeness(contents: Contents, query: Graph, chosen: Array) -> Array:
    """How alike the rows of counts are, in [0, 1]: a guess at the similarity, and no bound; -1 where not chosen."""
    counts, stars, degrees = _query_rows(contents, query)
    held = [segment.shelf for segment in contents.segments]
    return _native.likeness(held, prepared(query, Question()), counts, stars, degrees, chosen.view(np.uint8))


def _query_rows(contents: Contents, query: Graph) -> tuple[Array, Array, Array]:
    rows = contents.scheme.rows(Collection.from_graphs([query]))
    counts, stars, degrees = (np.ascontiguousarray(row[0], np.int32) for row in rows)
    return counts, stars, degrees
