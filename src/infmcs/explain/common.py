"""A common subgraph read out of a model's scores: the paper's way, and ours, which is valid, improved and certified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import certify, solve
from infmcs.certify import Pairing, Question
from infmcs.collection import Collection
from infmcs.explain.reasons import DEFAULT, Fit, Side
from infmcs.graph import Graph
from infmcs.solve import Budget

if TYPE_CHECKING:
    import torch

    from infmcs.models import Folded, Infmcs

Scores: TypeAlias = "npt.NDArray[np.float32]"

REPAIR = Budget(visits=20_000)  # some milliseconds for graphs of 30 nodes
SEEDS = 4  # first pairs that decoding starts from


# -- what a model says of a pair -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class View:
    """A model's view of two graphs. Its items are nodes, or edges where the model compares edges.

    similarity  in [0, 1]; expected: how many items it holds to be common.
    side        the graph whose items carry the scores: the smaller one.
    scores      one an item of that graph: whether it is in the common subgraph.
    attention   (items of the left, items of the right graph): who is whose partner, softly.
    """

    similarity: float
    expected: float
    side: Side
    scores: Scores
    attention: Scores

    @cached_property
    def alignment(self) -> Scores:
        """How much each two items are held to be common and partners: attention, weighted by the scores."""
        weights = self.scores[:, None] if self.side == "left" else self.scores[None, :]
        product: Scores = self.attention * weights
        return product

    def scores_of(self, side: Side) -> Scores:
        """A score an item of either graph; in the larger graph, what its partners give it."""
        if side == self.side:
            return self.scores
        received: Scores = self.alignment.sum(axis=0 if side == "right" else 1).clip(max=1)
        return received

    def turned(self) -> View:
        """The same view with the two graphs in the other order."""
        side: Side = "right" if self.side == "left" else "left"
        return View(self.similarity, self.expected, side, self.scores, np.ascontiguousarray(self.attention.T))

    @cached_property
    def top(self) -> tuple[int, ...]:
        """The paper's answer: as many items of the smaller graph as the model expects, those of the highest scores."""
        count = min(len(self.scores), round(self.expected))
        return tuple(sorted(np.argsort(-self.scores, kind="stable")[:count].tolist()))


def view(model: Infmcs, a: Graph, b: Graph) -> View:
    """What the model says of these two graphs."""
    return next(_views(model, _as_read(model, [a, b]), [(0, 1)]))


def _views(model: Infmcs, graphs: Collection, rows: Sequence[tuple[int, int]]) -> Iterator[View]:
    """The model's view of each pair of these graphs; every graph is encoded once."""
    import torch

    from infmcs.batch import prepare

    prepared = prepare(graphs, model.inputs)
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            folded = model.fold(model.encode(prepared.batch(range(len(graphs)), device)))
            for i, j in rows:
                yield _one_view(model, folded, torch.tensor([i]), torch.tensor([j]))
    finally:
        model.train(was_training)


def _one_view(model: Infmcs, folded: Folded, i: torch.Tensor, j: torch.Tensor) -> View:
    found = model.compare(folded, i, j)
    left, right = int(folded.encoded.sizes[i]), int(folded.encoded.sizes[j])
    few, many = min(left, right), max(left, right)
    scores = found.scores[0, :few].cpu().numpy()
    attention = found.attention[0, :few, :many].cpu().numpy()
    seen = View(float(found.similarity), float(found.common), "left", scores, attention)
    return seen if left <= right else seen.turned()


def _as_read(model: Infmcs, graphs: Sequence[Graph]) -> Collection:
    """The graphs as one collection: where only some are directed, none is."""
    if len({graph.directed for graph in graphs}) > 1:
        graphs = [graph.undirected(edge_labels=model.inputs.lines) for graph in graphs]
    return Collection.from_graphs(graphs)


# -- the common subgraph -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Explanation:
    """A common subgraph that the model's scores led to, and how good it is proven to be.

    view      what the model said. `view.top` is the paper's answer.
    decoded   what its scores give by themselves: a valid common subgraph.
    found     after improvement by the solver: mapping, lower, upper, proved.
    """

    view: View
    decoded: Pairing
    found: solve.Solution

    @property
    def mapping(self) -> Pairing:
        """The certified common subgraph, as (left node, right node) pairs."""
        return self.found.mapping


def common_subgraph(
    model: Infmcs, a: Graph, b: Graph, question: Question = DEFAULT, budget: Budget = REPAIR
) -> Explanation:
    """The common subgraph that the model sees in two graphs, made valid, improved within the budget and certified."""
    return _explained(view(model, a, b), a, b, question, budget, lines=model.inputs.lines)


def _explained(seen: View, a: Graph, b: Graph, question: Question, budget: Budget, *, lines: bool) -> Explanation:
    guide = between_nodes(seen.alignment, a.undirected(), b.undirected()) if lines else seen.alignment
    decoded = decode(guide, a, b, question)
    found = solve.max_common_subgraph(a, b, question, budget, start=decoded, guide=guide)
    return Explanation(seen, decoded, found)


def between_nodes(alignment: Scores, a: Graph, b: Graph) -> Scores:
    """Preferences between nodes from preferences between edges: of two nodes, the sum over the edges they are on."""
    ends = [np.zeros((graph.size, len(graph.edges)), np.float32) for graph in (a, b)]
    for graph, at in zip((a, b), ends, strict=True):
        for side in (0, 1):
            at[graph.edges[:, side], np.arange(len(graph.edges))] = 1
    summed: Scores = (ends[0] @ alignment @ ends[1].T).astype(np.float32)
    return summed


def decode(guide: npt.NDArray[Any], a: Graph, b: Graph, question: Question = DEFAULT) -> Pairing:
    """A valid common subgraph that no pair of nodes could be added to, grown along a matrix of preferences.

    It begins with the most preferred pair and takes the most preferred of those that fit, one after another; the best
    of a few beginnings is kept: the largest, then the most preferred.
    """
    fits = Fit(a, b, question)
    seeds = np.argsort(np.where(fits.possible, -guide, np.inf), axis=None, kind="stable")[:SEEDS]
    best: tuple[int, float, Pairing] = (0, 0.0, ())
    for seed in seeds.tolist():
        v, w = divmod(seed, max(1, b.size))
        if not fits.possible[v, w]:
            break
        pairs = _grown(guide, fits, v, w)
        mapping = tuple(sorted(pairs))
        size = certify.common_subgraph(a, b, mapping, question).size
        liking = float(sum(guide[pair] for pair in mapping))
        if (size, liking) > best[:2]:
            best = (size, liking, mapping)
    return best[2]


def _grown(guide: npt.NDArray[Any], fits: Fit, v: int, w: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    open_, beside = fits.possible.copy(), np.zeros_like(fits.possible)
    while True:
        pairs.append((v, w))
        open_ &= fits.together(v, w)
        open_[v, :] = open_[:, w] = False
        beside |= fits.shared_edge(v, w)
        choice = open_ & beside if fits.question.connected else open_
        if not choice.any():
            return pairs
        place = int(np.where(choice, guide, -np.inf).argmax())
        v, w = divmod(place, guide.shape[1])
