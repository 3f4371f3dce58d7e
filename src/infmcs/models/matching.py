"""Two graphs together: how alike two nodes are, who may be whose partner, and how node scores add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from infmcs.batch import LOWEST


@dataclass(frozen=True)
class Side:
    """The graphs on one side of some pairs, padded to the largest of them: tensors (graphs, nodes, …).

    As the first side of `_match` they have one more axis: how many of them meet each graph of the other side.
    """

    mask: Tensor
    labels: Tensor
    keys: Tensor
    own: Tensor
    partner: Tensor
    edges: Tensor | None = None  # (graphs, nodes, nodes), for models that refine

    def pair_by_pair(self) -> Side:
        """Each of these meets the graph at its own place of the other side: (graphs, 1, nodes, …)."""
        return self._with_axis(1)

    def one_by_one(self) -> Side:
        """All of these meet every graph of the other side: (1, graphs, nodes, …)."""
        return self._with_axis(0)

    def _with_axis(self, place: int) -> Side:
        return Side(
            self.mask.unsqueeze(place),
            self.labels.unsqueeze(place),
            self.keys.unsqueeze(place),
            self.own.unsqueeze(place),
            self.partner.unsqueeze(place),
            None if self.edges is None else self.edges.unsqueeze(place),
        )


# -- all nodes of the first side with all of the second: (R or 1, L, n1, d) and (R, n2, …) to (R, L, n1, …) ---------


def products(first: Tensor, second: Tensor) -> Tensor:
    """Inner products of node vectors: (R, L, n1, n2). One large product where all meet all."""
    (_, lefts, nodes, width), (rights, partners, _) = first.shape, second.shape
    if len(first) == 1:
        flat = first.reshape(-1, width) @ second.reshape(-1, width).mT
        return flat.view(-1, rights, partners).transpose(0, 1).reshape(rights, lefts, nodes, partners)
    return (first.flatten(1, 2) @ second.mT).view(rights, lefts, nodes, partners)


def weighted(a: Tensor, second: Tensor) -> Tensor:
    """Sums over the second side's nodes, weighted by a: (R, L, n1, d)."""
    rights, lefts, nodes, partners = a.shape
    return (a.reshape(rights, lefts * nodes, partners) @ second).view(rights, lefts, nodes, -1)


# -- similarity of two nodes: `keys` once a node, the call once a pair ------------------------------------------------


class Cosine:
    """The cosine of the angle between two nodes' vectors; equal directions give 1."""

    def keys(self, H: Tensor) -> Tensor:
        return F.normalize(H, dim=-1, eps=1e-6)

    def __call__(self, left: Tensor, right: Tensor) -> Tensor:
        return products(left, right)


class Euclidean:
    """Minus the squared distance a dimension, plus 1, so that equal vectors give 1."""

    def keys(self, H: Tensor) -> Tensor:
        return H / sqrt(H.shape[-1])

    def __call__(self, left: Tensor, right: Tensor) -> Tensor:
        squares = left.square().sum(-1, keepdim=True) + right.square().sum(-1).unsqueeze(-2).unsqueeze(-2)
        return 1 - (squares - 2 * products(left, right)).clamp(min=0)


class Dot:
    """The inner product, divided by the root of the width."""

    def keys(self, H: Tensor) -> Tensor:
        return H / sqrt(sqrt(H.shape[-1]))

    def __call__(self, left: Tensor, right: Tensor) -> Tensor:
        return products(left, right)


SIMILARITIES: dict[str, Cosine | Euclidean | Dot] = {"cosine": Cosine(), "euclidean": Euclidean(), "dot": Dot()}


# -- matching: who may be whose partner, and how much ---------------------------------------------------------------


def anyone(here: Side, there: Side) -> Tensor:
    """Any node may be any node's partner."""
    return here.mask.unsqueeze(-1) & there.mask.unsqueeze(-2).unsqueeze(-2)


def equal_labels(here: Side, there: Side) -> Tensor:
    """Only nodes with equal labels may be partners."""
    return anyone(here, there) & (here.labels.unsqueeze(-1) == there.labels.unsqueeze(-2).unsqueeze(-2))


class Softmax(nn.Module):
    """A node's attention to its possible partners sums to 1; to 0 where it has none."""

    def forward(self, affinity: Tensor, allowed: Tensor) -> Tensor:
        masked = affinity.masked_fill(~allowed, LOWEST)
        return torch.softmax(masked, dim=-1).masked_fill(~allowed, 0)


class Sinkhorn(nn.Module):
    """Attention in which neither what a node gives nor what it receives sums to more than 1.

    Each row and each column may leave part of its unit on a slack, of affinity 0. Row factors only fall from round to
    round, so columns that were normalised before the last row step still sum to at most 1.
    """

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds
        self.bonus = nn.Parameter(torch.zeros(()))

    def forward(self, affinity: Tensor, allowed: Tensor) -> Tensor:
        masked = (affinity + self.bonus).masked_fill(~allowed, LOWEST)
        left = right = affinity.new_zeros(())
        for _ in range(self.rounds):
            right = -F.softplus(torch.logsumexp(masked + left, dim=-2, keepdim=True))
            left = -F.softplus(torch.logsumexp(masked + right, dim=-1, keepdim=True))
        return torch.exp(masked + left + right).masked_fill(~allowed, 0)


class Twins(nn.Module):
    """A node is common if the head says so or if it has a twin: s ← 1 - (1 - s)(1 - t), t = max_j exp(-β (1 - s_ij)).

    A vector tells the whole graph as seen from its node, so equal vectors mean equal graphs as far as the encoder can
    tell; then t = 1, and identical graphs score 1. How fast t falls with the distance is learned.
    """

    def __init__(self) -> None:
        super().__init__()
        self.steepness = nn.Parameter(torch.tensor(4.0))  # β = exp(w)

    def forward(self, s: Tensor, closeness: Tensor, allowed: Tensor) -> Tensor:
        beta = self.steepness.clamp(max=5.0).exp()  # steeper than e^5, rounding in 1 - s_ij would show
        nearest = closeness.masked_fill(~allowed, LOWEST).amax(-1)
        twin = torch.exp(-beta * (1 - nearest).clamp(min=0))
        return 1 - (1 - s) * (1 - twin)


class Fractional(nn.Module):
    """A similarity as it is."""

    def forward(self, similarity: Tensor, mean_size: Tensor) -> Tensor:
        return similarity


class Whole(nn.Module):
    """A number near a whole one is drawn towards it: x ← ⌊x⌋ + ½ + tanh(k (x - ⌊x⌋ - ½)) / (2 tanh(k / 2)).

    The true number is whole, so the best guess after seeing x is a staircase, softer the larger the errors are. Whole
    numbers stay what they are and no order changes, so nothing that bounds x by a whole number is lost. k is learned.
    """

    def __init__(self) -> None:
        super().__init__()
        self.steepness = nn.Parameter(torch.zeros(()))  # k = exp(w), 1 at the start: hardly a staircase

    def drawn(self, x: Tensor) -> Tensor:
        """The staircase."""
        k = self.steepness.clamp(-3.0, 2.5).exp()
        below = x.detach().floor()
        return below + 0.5 + torch.tanh(k * (x - below - 0.5)) / (2 * torch.tanh(k / 2))


class WholeNodes(Whole):
    """A similarity whose nodes in common, similarity times mean size, are drawn towards whole numbers."""

    def forward(self, similarity: Tensor, mean_size: Tensor) -> Tensor:
        return self.drawn(similarity * mean_size) / mean_size


class WholeEdits(Whole):
    """A similarity exp(-edits / mean size) whose edits are drawn towards whole numbers."""

    def forward(self, similarity: Tensor, mean_size: Tensor) -> Tensor:
        edits = -mean_size * similarity.clamp(min=1e-6).log()
        return torch.where(similarity > 1e-6, torch.exp(-self.drawn(edits) / mean_size), similarity)


WHOLE: dict[str, Callable[[], nn.Module]] = {"none": Fractional, "nodes": WholeNodes, "edits": WholeEdits}


# -- readout: node scores that add up to the size of the common subgraph ----------------------------------------------


def plain(scores: Tensor, here: Side, there: Side) -> Tensor:
    """The scores as they are: they add up to at most the size of the graph."""
    return scores


def bounded(scores: Tensor, here: Side, there: Side) -> Tensor:
    """Scores of a label that promise more nodes than the other graph has of it, scaled down to what it has."""
    same = here.labels.unsqueeze(-1) == here.labels.unsqueeze(-2)
    promised = (same * scores.unsqueeze(-2)).sum(-1)
    there_are = equal_labels(here, there).sum(-1)
    return scores * torch.where(promised > there_are, there_are / promised.clamp(min=1e-6), 1)
