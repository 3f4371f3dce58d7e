"""Why not higher: which nodes stay outside a common subgraph, and the reason of each. No model, no torch, no search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import certify
from infmcs.certify import Pairing, Question
from infmcs.graph import Graph

Side: TypeAlias = Literal["left", "right"]
Reason: TypeAlias = Literal["label", "taken", "apart", "structure", "free"]
Marks: TypeAlias = "npt.NDArray[np.bool_]"

DEFAULT = Question()


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A node that stays outside a common subgraph, and why.

    reason    label: the other graph has no node of its label. taken: it has, but all of them are matched.
              apart: it touches no node of the common subgraph, which must be in one piece.
              structure: each free node of its label disagrees about an edge; `partner` is the nearest miss.
              free: it could be matched with `partner`: the common subgraph could grow.
    text      the same in words.
    """

    side: Side
    node: int
    reason: Reason
    text: str
    partner: int | None = None


def why_unmatched(a: Graph, b: Graph, mapping: Pairing, question: Question = DEFAULT) -> tuple[Unmatched, ...]:
    """Why each node outside a common subgraph is outside it: nodes of a, then nodes of b."""
    pairs = certify.common_subgraph(a, b, mapping, question).mapping
    fits = Fit(a, b, question)
    here, there = {v for v, _ in pairs}, {w for _, w in pairs}
    free_left, free_right = (sorted(set(range(g.size)) - used) for g, used in ((a, here), (b, there)))
    open_, beside = fits.possible.copy(), np.zeros_like(fits.possible)
    for v, w in pairs:
        open_ &= fits.together(v, w)
        beside |= fits.shared_edge(v, w)
    if question.connected and pairs:
        open_ &= beside
    elif question.count == "edges":
        open_ &= beside | fits.shared_loop
    left, right = _Judge("left", fits, pairs, open_, a, free_right), _Judge("right", fits, pairs, open_, b, free_left)
    return (*(left.verdict(node) for node in free_left), *(right.verdict(node) for node in free_right))


class _Judge:
    """Finds the reasons of one side's nodes. `open_`: pairs that the mapping could still take in."""

    def __init__(self, side: Side, fits: Fit, pairs: Pairing, open_: Marks, graph: Graph, free: list[int]) -> None:
        self.side, self.fits, self.pairs, self.graph, self.free = side, fits, pairs, graph, free
        self.other: Side = "right" if side == "left" else "left"
        self.matched = [pair[side == "right"] for pair in pairs]
        self.open, self.alike = (open_, fits.alike) if side == "left" else (open_.T, fits.alike.T)

    def verdict(self, node: int) -> Unmatched:
        name = self.graph.vocabulary.nodes[self.graph.labels[node]]
        label = f" labelled {name}" if self.fits.question.node_labels and name is not None else ""
        count = int(self.alike[node].sum())
        if not count:
            return Unmatched(self.side, node, "label", f"the {self.other} graph has no node{label}")
        partners = [w for w in self.free if self.alike[node, w]]
        if not partners:
            every = f"the only node{label}" if count == 1 else f"each of the {count} nodes{label}"
            return Unmatched(self.side, node, "taken", f"{every} in the {self.other} graph is matched to another node")
        for w in partners:
            if self.open[node, w]:
                return Unmatched(self.side, node, "free", f"it could be matched with {self.other} node {w}", w)
        if self.fits.question.connected and not self.fits.touches(self.side, node, self.matched):
            return Unmatched(self.side, node, "apart", "it touches no node of the common subgraph")
        (_, text), w = min(((self._misses(node, w), w) for w in partners), key=lambda miss: (miss[0][0], miss[1]))
        return Unmatched(self.side, node, "structure", text, w)

    def _misses(self, node: int, partner: int) -> tuple[int, str]:
        """About how many edges two nodes disagree, and the first of them in words."""
        v, w = (node, partner) if self.side == "left" else (partner, node)
        nearest = f"{self.other} node {partner} comes nearest"
        if not self.fits.possible[v, w]:
            return len(self.pairs) + 1, f"{nearest}: only one of the two has a loop"
        fitting = self.fits.together(v, w)
        wrong = [(x, y) if self.side == "left" else (y, x) for x, y in self.pairs if not fitting[x, y]]
        if not wrong:
            return 0, f"{self.other} node {partner} is free, but shares no edge with the common subgraph"
        mine, its = wrong[0]
        joined = self.fits.touches(self.side, node, [mine])
        if joined and self.fits.touches(self.other, partner, [its]):
            how = f"its edge to {mine}'s partner {its} is of another kind than the edge to {mine}"
        elif joined:
            how = f"it is not joined to {its}, the partner of the neighbour {mine}"
        else:
            how = f"it is joined to {its}, the partner of {mine}, which is no neighbour"
        return len(wrong), f"{nearest}: {how}"


class Fit:
    """Which pairs of nodes can be in one common subgraph, as the question sees two graphs."""

    def __init__(self, a: Graph, b: Graph, question: Question) -> None:
        self.question = question
        left, right = question.look_at(a, b)
        self._left, self._right = _kinds(left, question), _kinds(right, question)
        self.alike = np.ones((a.size, b.size), bool)
        if question.node_labels:
            self.alike = left.label_ids[:, None] == right.label_ids[None, :]
        self.possible = self.alike.copy()
        if question.induced:
            self.possible &= np.diag(self._left)[:, None] == np.diag(self._right)[None, :]

    @property
    def shared_loop(self) -> Marks:
        """The pairs that share a loop: a common edge that needs no other pair."""
        mine, its = np.diag(self._left), np.diag(self._right)
        same: Marks = (mine[:, None] == its[None, :]) & (mine > 0)[:, None]
        return same

    def together(self, v: int, w: int) -> npt.NDArray[np.bool_]:
        """The pairs that may stand beside partners v and w, as far as their edges go."""
        if not self.question.induced:
            return np.ones_like(self.possible)
        same: npt.NDArray[np.bool_] = self._left[v][:, None] == self._right[w][None, :]
        if self.question.directed:
            same &= self._left[:, v][:, None] == self._right[:, w][None, :]
        return same

    def shared_edge(self, v: int, w: int) -> npt.NDArray[np.bool_]:
        """The pairs that share a common edge with partners v and w."""
        same: npt.NDArray[np.bool_] = (self._left[v][:, None] == self._right[w][None, :]) & (self._left[v] > 0)[:, None]
        if self.question.directed:
            back = self._left[:, v]
            same |= (back[:, None] == self._right[:, w][None, :]) & (back > 0)[:, None]
        return same

    def touches(self, side: Side, node: int, nodes: Sequence[int]) -> bool:
        """Whether an edge joins a node to any of these."""
        kinds = self._left if side == "left" else self._right
        return bool(len(nodes)) and bool((kinds[node, nodes] > 0).any() or (kinds[nodes, node] > 0).any())


def _kinds(graph: Graph, question: Question) -> npt.NDArray[np.int64]:
    """0 where two nodes are not joined, else a number for what must agree about their edge."""
    kinds = np.zeros((graph.size, graph.size), np.int64)
    labels = graph.edge_label_ids if question.edge_labels else None
    values = 1 if labels is None else labels.astype(np.int64) + 1
    kinds[graph.edges[:, 0], graph.edges[:, 1]] = values
    if not graph.directed:
        kinds[graph.edges[:, 1], graph.edges[:, 0]] = values
    return kinds
