"""Answers that know next to nothing. A model that does not beat them has learned nothing; they stand in every table.

All are made from counts of what two graphs share: nodes, labels, edges, and neighbourhoods up to three steps (the
colours of Weisfeiler and Leman). None searches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from infmcs import pairs, solve
from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.pairs import Metric
from infmcs.solve.budget import Budget

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

NAMES = ("constant", "size bound", "label bound", "ridge", "nearest training graph")
ROUNDS = 3
SAMPLE = 10_000  # training pairs the constant and the ridge are fitted to
FITTED_VISITS = 5_000  # search nodes for each of those
SHRINK = 1e-3  # of the ridge, a feature, after standardising
ROWS = 1 << 22  # entries of an array of counts that is looked at in one go


@dataclass(frozen=True)
class Counts:
    """What each graph of a collection has how often."""

    graphs: Collection

    @cached_property
    def edges(self) -> Array:
        """Undirected edges of each graph, each once."""
        return self.graphs.undirected().edge_counts.astype(np.float64)

    @cached_property
    def kinds(self) -> list[npt.NDArray[np.float32]]:
        """Tables (graphs, kinds) of counts: degrees, edges by their ends' labels, colours after 0, 1, … rounds."""
        graphs = self.graphs.undirected()
        owner = np.repeat(np.arange(len(graphs)), graphs.sizes)
        starts = graphs.node_offsets[:-1] - graphs.node_offsets[0]
        owners = np.repeat(np.arange(len(graphs)), graphs.edge_counts)
        u, v = (graphs.edges[graphs.edges_here].astype(np.int64) + starts[owners, None]).T
        degree = np.bincount(u, minlength=len(owner)) + np.bincount(v, minlength=len(owner))
        colour = _mixed(graphs.label_ids[graphs.nodes_here].astype(np.uint64))
        ends = _mixed(colour[u] + colour[v])
        tables = [_table(degree.astype(np.uint64), owner, len(graphs)), _table(ends, owners, len(graphs))]
        for step in range(ROUNDS + 1):
            tables.append(_table(colour, owner, len(graphs)))
            if step < ROUNDS:
                around = np.zeros(len(owner), np.uint64)
                spread = _mixed(colour + np.uint64(step + 1))
                np.add.at(around, u, spread[v])
                np.add.at(around, v, spread[u])
                colour = _mixed(_mixed(colour) * np.uint64(3) + around)
        return tables

    def shared(self, rows: Places) -> Array:
        """How much the graphs of each pair have in common of each kind: (pairs, kinds)."""
        found = np.zeros((len(rows), len(self.kinds)))
        for kind, table in enumerate(self.kinds):
            room = max(1, ROWS // max(1, table.shape[1]))
            for first in range(0, len(rows), room):
                part = slice(first, first + room)
                found[part, kind] = np.minimum(table[rows[part, 0]], table[rows[part, 1]]).sum(axis=1)
        return found

    def features(self, rows: Places) -> Array:
        """What the ridge reads of a pair: everything shared over the mean size, sizes, and all squared."""
        n, m = self.graphs.sizes[rows].T.astype(np.float64)
        mean, edges = np.maximum((n + m) / 2, 0.5), self.edges[rows]
        shared = self.shared(rows)
        shared[:, 1] /= np.maximum(edges.mean(axis=1), 0.5)
        shared[:, [0, *range(2, shared.shape[1])]] /= mean[:, None]
        more = (np.minimum(n, m) / mean, 1 / mean, np.abs(edges[:, 0] - edges[:, 1]) / mean)
        plain = np.column_stack((shared, *more))
        return np.column_stack((plain, plain**2))


Answer = Callable[[Places], Array]


def answers(
    graphs: Collection,
    train: Places,
    metric: Metric,
    question: Question = Question(),
    *,
    visits: int,
    seed: int = 0,
) -> dict[str, Answer]:
    """Each trivial answer by name: a function of pairs of places. Fitted to pairs of training graphs alone."""
    counts = Counts(graphs)
    chosen = pairs.among(train)
    rows = pairs.sample(chosen, min(SAMPLE, len(chosen)), seed)[:]
    known = similarities(graphs, rows, metric, question, visits=min(visits, FITTED_VISITS))
    features = counts.features(rows)
    centre, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled = (features - centre) / spread
    weights = np.linalg.solve(
        scaled.T @ scaled + SHRINK * len(scaled) * np.eye(scaled.shape[1]), scaled.T @ (known - known.mean())
    )

    def ridge(pairs_: Places) -> Array:
        found: Array = (counts.features(pairs_) - centre) / spread @ weights + known.mean()
        return np.clip(found, 0, 1)

    def nearest(pairs_: Places) -> Array:
        twins = _nearest(counts, np.unique(pairs_), train)
        rows = np.stack([[twins[int(place)] for place in side] for side in pairs_.T], axis=1)
        return similarities(graphs, rows, metric, question, visits=visits)

    return {
        "constant": lambda rows: np.full(len(rows), known.mean()),
        "size bound": lambda rows: bound(counts, rows, metric, question, labels=False),
        "label bound": lambda rows: bound(counts, rows, metric, question, labels=True),
        "ridge": ridge,
        "nearest training graph": nearest,
    }


def bound(counts: Counts, rows: Places, metric: Metric, question: Question = Question(), *, labels: bool) -> Array:
    """The most similar that graphs of such sizes, or with such labels, can be."""
    n, m = pairs.sizes(counts.graphs, metric, question)[rows].T
    if metric == "mcs" and question.count == "edges":
        shared = counts.shared(rows)[:, 1] if labels else np.minimum(n, m)
        return np.asarray(pairs.nmcs(shared, n, m))
    common = counts.shared(rows)[:, 2] if labels else np.minimum(n, m)
    if metric == "mcs":
        return np.asarray(pairs.nmcs(common, n, m))
    edges = counts.edges[rows]
    return np.asarray(pairs.nged(np.maximum(n, m) - common + np.abs(edges[:, 0] - edges[:, 1]), n, m))


def similarities(
    graphs: Collection, rows: Places, metric: Metric, question: Question = Question(), *, visits: int
) -> Array:
    """The exact similarity of these pairs; where the budget was too small, the middle of what is possible."""
    found = solve.pairs(graphs, rows, metric=metric, question=question, budget=Budget(visits=visits))
    n, m = pairs.sizes(graphs, metric, question)[rows].T
    low, high = pairs.interval(metric, found.lower, found.upper, n, m)
    return np.asarray((low + high) / 2)


def _nearest(counts: Counts, places: Places, train: Places) -> dict[int, int]:
    """For each graph the training graph with the most in common, in all kinds together, for its size."""
    found = {}
    sizes = counts.graphs.sizes[train]
    for place in places.tolist():
        rows = np.stack((np.full(len(train), place), train), axis=1)
        alike = counts.shared(rows).sum(axis=1) / (sizes + counts.graphs.sizes[place])
        found[place] = int(train[int(alike.argmax())])
    return found


def _table(kinds: npt.NDArray[np.uint64], owner: npt.NDArray[np.int64], graphs: int) -> npt.NDArray[np.float32]:
    """How often each graph has each kind: (graphs, kinds). Kinds of one graph alone are shared by no pair: left out."""
    names, columns = np.unique(kinds, return_inverse=True)
    cells = np.bincount(owner * len(names) + columns, minlength=graphs * len(names)).reshape(graphs, len(names))
    common = (cells > 0).sum(axis=0) > 1
    return np.asarray(cells[:, common], np.float32)


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Each word as another in which every bit depends on every bit."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))
