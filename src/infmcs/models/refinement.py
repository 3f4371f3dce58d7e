"""Rounds of refinement on the assignment graph: whose neighbours agree may be partners, whose disagree may not.

The nodes of the assignment graph are the possible partners (i, j) of two graphs; (i, j) and (k, l) are neighbours where
i is joined to k and j to l. A few rounds of message passing on it see what attention between single nodes cannot: that
a common subgraph is a set of pairs that fit each other. The price is a state for each (i, j): such a model is slower.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from infmcs.batch import LOWEST


class Refinement(nn.Module):
    """States X (channels, lefts, nodes, rights, partners) of all possible partners, made better round by round.

    Where pairs are compared one by one, `rights` is 1 and each left has its own partner.
    """

    def __init__(self, rounds: int, heads: int, channels: int) -> None:
        super().__init__()
        self.heads = heads
        self.start = nn.Linear(heads, channels)
        self.rounds = nn.ModuleList(Round(channels) for _ in range(rounds))
        self.affinity = nn.Linear(channels, 1, bias=False)  # a bias would cancel in the softmax over partners
        self.belief = nn.Linear(channels, 2)
        nn.init.zeros_(self.affinity.weight)
        nn.init.constant_(self.belief.bias, 0.5)  # so that no say is cut off at the start

    def forward(
        self, keys: tuple[Tensor, Tensor], edges: tuple[Tensor, Tensor], allowed: Tensor
    ) -> tuple[Tensor, Tensor]:
        """What to add to the affinity of each two nodes, and their two says in whether the first is common: one for
        the mean over its partners, one, never below 0, for the best of them.

        keys (R or 1, L, n1, d) and (R, n2, d); edges (R or 1, L, n1, n1) and (R, n2, n2); allowed (R, L, n1, n2).
        """
        singly = len(keys[0]) > 1 or allowed.shape[1] == 1 == len(keys[1])
        turn = (0, 2, 1, 3) if singly else (1, 2, 0, 3)
        back = (0, 2, 1, 3) if singly else (2, 0, 1, 3)
        meet = allowed.permute(turn)  # (lefts, nodes, rights, partners)
        X = linear(self.start, self._closeness(*keys, singly)) * meet
        own, other = edges[0].flatten(0, 1), edges[1]
        for step in self.rounds:
            X = step(X, own, other, meet)
        said, best = linear(self.belief, X)
        beliefs = torch.stack((said, F.relu(best))) * meet
        return linear(self.affinity, X)[0].permute(back), beliefs.permute(0, *(place + 1 for place in back))

    def _closeness(self, first: Tensor, second: Tensor, singly: bool) -> Tensor:
        """Inner products of each part of the keys: (heads, lefts, nodes, rights, partners)."""
        (rights, partners, width), (nodes, lefts) = second.shape, (first.shape[2], first.shape[1])
        part = width // self.heads
        scale = self.heads  # keys of length 1 give parts of length about 1 / heads
        if singly:
            one = first.view(rights, nodes, self.heads, part).permute(2, 0, 1, 3)
            two = second.view(rights, partners, self.heads, part).permute(2, 0, 3, 1)
            return (one @ two * scale).unsqueeze(-2)
        one = first.reshape(lefts * nodes, self.heads, part).transpose(0, 1)
        two = second.reshape(rights * partners, self.heads, part).permute(1, 2, 0)
        return (one @ two * scale).view(self.heads, lefts, nodes, rights, partners)


class Round(nn.Module):
    """One round: X ← X + W relu(what the partners say + what neighbouring partners say + what rivals say)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.speak = nn.Linear(channels, half)
        self.hear = nn.Linear(half + 1, channels)
        self.own = nn.Linear(half + 1, channels)
        self.rivals = nn.Linear(half + 1, channels)
        self.others = nn.Linear(half + 1, channels)
        self.think = nn.Linear(channels, channels)

    def forward(self, X: Tensor, own: Tensor, other: Tensor, meet: Tensor) -> Tensor:
        lead = X[0].masked_fill(~meet, LOWEST)
        likely = torch.softmax(lead, dim=-1) * torch.softmax(lead, dim=1)  # (L, n1, R, n2) neither side has a better
        Y = torch.cat((F.relu(linear(self.speak, X)), likely.unsqueeze(0))) * meet
        S = neighbours(Y, own, other)  # sums over neighbouring partners
        seen = linear(self.own, Y) + linear(self.hear, S)
        seen = seen + linear(self.rivals, Y.amax(-1, keepdim=True)) + linear(self.others, Y.amax(2, keepdim=True))
        return X + linear(self.think, F.relu(seen)) * meet


def linear(layer: nn.Linear, X: Tensor) -> Tensor:
    """A linear layer on the first axis."""
    mixed = (layer.weight @ X.flatten(1)).view(-1, *X.shape[1:])
    return mixed if layer.bias is None else mixed + layer.bias.view(-1, *[1] * (X.dim() - 1))


def neighbours(Y: Tensor, own: Tensor, other: Tensor) -> Tensor:
    """Σ_k Σ_l A1_ik Y_kl A2_lj for Y (channels, lefts, nodes, rights, partners)."""
    channels, lefts, nodes, rights, partners = Y.shape
    summed = (own @ Y.reshape(channels, lefts, nodes, rights * partners)).view_as(Y)
    if rights == 1 and len(other) == lefts:
        return (summed.squeeze(-2) @ other).unsqueeze(-2)
    turned = summed.permute(3, 0, 1, 2, 4).reshape(rights, -1, partners) @ other
    return turned.view(rights, channels, lefts, nodes, partners).permute(1, 2, 3, 0, 4)
