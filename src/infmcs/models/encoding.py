"""A graph alone: encoders, positions and the transformer, of which `Settings` chooses one each."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from infmcs.batch import LOWEST, UNREACHABLE, Block
from infmcs.models.settings import Settings

# -- encoders: what a node knows of its surroundings ----------------------------------------------------------------


class Convolution(nn.Linear):
    """A graph convolution: relu(Â U W + b), Â the normalised adjacency with loops."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__(inputs, width)
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, U: Tensor, block: Block) -> Tensor:  # type: ignore[override]  # besides what nn.Linear takes
        return F.relu(block.normalised @ F.linear(U, self.weight) + self.bias)


class Gcn(nn.Module):
    """Graph convolutions, one after another."""

    def __init__(self, inputs: int, width: int, hops: int) -> None:
        super().__init__()
        self.hops = nn.ModuleList(Convolution(inputs if hop == 0 else width, width) for hop in range(hops))

    def forward(self, U: Tensor, block: Block) -> Tensor:
        for convolution in self.hops:
            U = convolution(U, block)
        return U


class Gin(nn.Module):
    """GIN layers U ← relu(MLP((1 + ε) U + A U)); the answer sees all of them, not only the last."""

    def __init__(self, inputs: int, width: int, hops: int) -> None:
        super().__init__()
        self.lift = nn.Linear(inputs, width)
        self.own = nn.Parameter(torch.ones(hops))
        self.hops = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)) for _ in range(hops)
        )
        self.join = nn.Linear((hops + 1) * width, width)

    def forward(self, X: Tensor, block: Block) -> Tensor:
        U = [self.lift(X)]
        for own, mlp in zip(self.own, self.hops, strict=True):
            U.append(F.relu(mlp(own * U[-1] + block.adjacency @ U[-1])))
        joined: Tensor = self.join(torch.cat(U, dim=-1))
        return joined


class Labels(nn.Module):
    """The node's own label and features, and nothing of its surroundings."""

    def __init__(self, inputs: int, width: int, hops: int) -> None:
        super().__init__()
        self.lift = nn.Linear(inputs, width)

    def forward(self, X: Tensor, block: Block) -> Tensor:
        lifted: Tensor = self.lift(X)
        return lifted


ENCODERS: dict[str, Callable[[int, int, int], nn.Module]] = {"gcn": Gcn, "gin": Gin, "none": Labels}


# -- positions: where in its graph a node is ------------------------------------------------------------------------


class Nowhere(nn.Module):
    """No position."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()

    def forward(self, block: Block) -> float:
        return 0.0


class Rank(nn.Module):
    """PE[C]: a learned vector for the node's place by falling closeness."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.table = nn.Embedding(settings.positions, settings.width)
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, block: Block) -> Tensor:
        rows: Tensor = self.table(block.ranks.clamp(max=self.table.num_embeddings - 1))
        return rows


class RankAndWalk(Rank):
    """PE[C], and how likely a random walk from the node is back after each number of steps."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.walk = nn.Linear(settings.walks, settings.width)

    def forward(self, block: Block) -> Tensor:
        placed: Tensor = super().forward(block) + self.walk(block.walks)
        return placed


POSITIONS: dict[str, Callable[[Settings], nn.Module]] = {
    "none": Nowhere,
    "rank": Rank,
    "index": Rank,  # the same table; `Inputs.ranks` differs
    "rank+walk": RankAndWalk,
}


# -- transformer: every node of a graph sees every other ------------------------------------------------------------


class Attention(nn.Module):
    """Attention inside each graph, optionally with a learned bonus a head for each distance in edges."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        d = settings.width
        self.heads, self.dropout, self.longest = settings.heads, settings.dropout, settings.distances
        self.project = nn.Linear(d, 3 * d)  # W_Q, W_K, W_V of all heads
        self.out = nn.Linear(d, d)  # W_O
        self.by_distance = nn.Embedding(settings.distances + 2, settings.heads) if settings.distances else None
        if self.by_distance is not None:
            nn.init.zeros_(self.by_distance.weight)

    def forward(self, H: Tensor, block: Block) -> Tensor:
        graphs, nodes, d = H.shape
        Q, K, V = self.project(H).view(graphs, nodes, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = torch.where(block.mask, 0.0, LOWEST).view(graphs, 1, 1, nodes)
        if self.by_distance is not None:
            bias = bias + self.by_distance(self._steps(block)).permute(0, 3, 1, 2)  # (graphs, heads, nodes, nodes)
        else:
            bias = bias.expand(-1, -1, nodes, -1)
        dropout = self.dropout if self.training else 0.0
        heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=bias, dropout_p=dropout)
        joined: Tensor = self.out(heads.transpose(1, 2).reshape(graphs, nodes, d))
        return joined

    def _steps(self, block: Block) -> Tensor:
        steps = block.distances.long()
        return torch.where(steps == UNREACHABLE, self.longest + 1, steps.clamp(max=self.longest))


class Layer(nn.Module):
    """The two halves of a transformer layer; how they are normalised is the subclass's matter."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        d = settings.width
        self.attention = Attention(settings)
        self.feed_forward = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d), nn.Dropout(settings.dropout))
        self.norm = nn.LayerNorm(d)


class Printed(Layer):
    """As the paper's appendix prints it: what attention reads is not normalised."""

    def forward(self, H: Tensor, block: Block) -> Tensor:
        H = self.attention(H, block) + H
        deeper: Tensor = self.feed_forward(self.norm(H)) + H
        return deeper


class Pre(Layer):
    """Each half reads normalised vectors; the sum itself is never normalised."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.before = nn.LayerNorm(settings.width)

    def forward(self, H: Tensor, block: Block) -> Tensor:
        H = self.attention(self.before(H), block) + H
        deeper: Tensor = self.feed_forward(self.norm(H)) + H
        return deeper


class Post(Layer):
    """The first transformer's way: each sum is normalised."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.after = nn.LayerNorm(settings.width)

    def forward(self, H: Tensor, block: Block) -> Tensor:
        H = self.norm(self.attention(H, block) + H)
        deeper: Tensor = self.after(self.feed_forward(H) + H)
        return deeper


LAYERS: dict[str, Callable[[Settings], nn.Module]] = {"printed": Printed, "pre": Pre, "post": Post}
