"""All largest common subgraphs, not only one: each mapping of a pair, or what all of them say of each node.

One largest common subgraph is an arbitrary choice: two benzene rings have twelve. What is in every one of them is a
fact about the two graphs. `marginals` counts over all of them, for many pairs, fast enough to be made while training.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import _native, certify
from infmcs.certify import Pairing, Question
from infmcs.collection import Collection
from infmcs.errors import CertificateError, QuestionError
from infmcs.graph import Graph, Offsets
from infmcs.solve.budget import FOREVER, NO_LIMIT, Budget, Interrupted
from infmcs.solve.bulk import PairArray, Progress, checked_pairs, checked_threads
from infmcs.solve.mcs import DEFAULT, asked, prepared, prepared_pair

Shares: TypeAlias = "npt.NDArray[np.float32]"


@dataclass(frozen=True, slots=True)
class Optima:
    """The largest common subgraphs of a pair.

    mappings   different mappings of `size`, each certified, in the order of the search.
    complete   these are all of them, and `size` is proved. Else the limit or the budget came first.
    """

    mappings: tuple[Pairing, ...]
    size: int
    complete: bool
    visited: int
    seconds: float

    def __len__(self) -> int:
        return len(self.mappings)


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Of each pair: in what share of its largest common subgraphs a node occurs, and two nodes are partners.

    pairs      (count, 2): which graph of the left, which of the right collection.
    sizes      of the common subgraphs; `proved` where nothing is larger.
    mappings   how many mappings were counted; -1 where work was stopped before the pair's turn.
    complete   these were all. Else the shares are over the first ones of the search: up to the limit, or the one
               best mapping that an unfinished search knew.

    marginals[k] gives pair k's shares: one a left node, one a right node, and the matrix of both.
    """

    pairs: PairArray
    sizes: npt.NDArray[np.int32]
    mappings: npt.NDArray[np.int64]
    proved: npt.NDArray[np.bool_]
    complete: npt.NDArray[np.bool_]
    left: Shares
    right: Shares
    partners: Shares
    left_offsets: Offsets
    right_offsets: Offsets
    partner_offsets: Offsets

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, k: int) -> tuple[Shares, Shares, Shares]:
        k = range(len(self))[k]
        left, right, both = (
            shares[offsets[k] : offsets[k + 1]]
            for shares, offsets in (
                (self.left, self.left_offsets),
                (self.right, self.right_offsets),
                (self.partners, self.partner_offsets),
            )
        )
        return left, right, both.reshape(len(left), len(right))


def all_maximum_common_subgraphs(
    a: Graph, b: Graph, question: Question = DEFAULT, limit: int = 1000, budget: Budget = NO_LIMIT
) -> Optima:
    """Every mapping of a largest common subgraph of a and b, or the first `limit` of them.

    Two mappings are different when they pair different nodes. Ctrl-C raises `Interrupted` with those found so far.
    """
    left, right = prepared_pair(a, b, question)
    flat, lengths, complete, visited, seconds, interrupted = _native.all_maximum_common_subgraphs(
        left,
        0,
        right,
        0,
        *asked(question),
        _checked_limit(limit),
        FOREVER if budget.visits is None else int(min(budget.visits, FOREVER)),
        np.inf if budget.seconds is None else budget.seconds,
    )
    mappings = (
        [part.tolist() for part in np.split(flat.reshape(-1, 2), np.cumsum(lengths)[:-1])] if len(lengths) else []
    )
    shown = [certify.common_subgraph(a, b, mapping, question) for mapping in mappings]
    sizes = {one.size for one in shown}
    if len(sizes) > 1 or len({one.mapping for one in shown}) < len(shown):
        raise CertificateError(f"the search claims different mappings of one size, but shows sizes {sorted(sizes)}")
    found = Optima(tuple(one.mapping for one in shown), max(sizes, default=0), complete, visited, seconds)
    if interrupted:
        raise Interrupted(found)
    return found


def marginals(
    pairs: npt.ArrayLike,
    left: Collection,
    right: Collection | None = None,
    question: Question = DEFAULT,
    limit: int = 1000,
    budget: Budget = NO_LIMIT,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> Marginals:
    """How often each node, and each two nodes, occur in the largest common subgraphs of these pairs.

    Counted are all largest common subgraphs of a pair, or the first `limit` of them. `right` is `left` when left out;
    the rest is as in `solve.pairs`. Ctrl-C raises `Interrupted` with the pairs counted so far.
    """
    right = left if right is None else right
    rows = checked_pairs(pairs, left, right)
    if question.directed or left.directed != right.directed:
        certify.require_directions(question, left, right)
    sizes, mappings, proved, complete, ours, theirs, both, error = _native.marginals(
        prepared(left, question),
        prepared(right, question),
        rows,
        *asked(question),
        _checked_limit(limit),
        FOREVER if budget.visits is None else int(min(budget.visits, FOREVER)),
        np.inf if budget.seconds is None else budget.seconds,
        checked_threads(threads),
        progress,
    )
    n, m = left.sizes[rows[:, 0]], right.sizes[rows[:, 1]]
    counted = Marginals(
        rows,
        sizes,
        mappings,
        proved.astype(bool),
        complete.astype(bool),
        ours,
        theirs,
        both,
        _offsets(n),
        _offsets(m),
        _offsets(n * m),
    )
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(counted)
    if error is not None:
        raise error
    return counted


def _offsets(counts: npt.NDArray[np.int64]) -> Offsets:
    return np.concatenate(([0], np.cumsum(counts)))


def _checked_limit(limit: int) -> int:
    try:
        value = operator.index(limit)
    except TypeError:
        value = 0
    if value < 1:
        raise QuestionError(f"limit must be a whole number from 1, not {limit!r}")
    return min(value, 2**31 - 1)
