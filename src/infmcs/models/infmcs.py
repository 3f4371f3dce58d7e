"""INFMCS: how similar two graphs are, as the size of what they have in common, node by node.

The model of "More Interpretable Graph Similarity Computation via Maximum Common Subgraph Inference" (2022), section 3,
and what we put in place of its parts. Each part is chosen in `Settings` and put in when the model is built; no forward
pass asks which. A graph is encoded alone; two graphs meet only in `compare`.

Where the paper is silent or wrong, docs/method.md says what is done here. The main points: z_i sums the *other* graph's
nodes (the paper prints h_i, which would cancel); equal closeness gives equal position; two graphs of equal size are
compared in both directions and averaged, so that no order of the pair is special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from infmcs.batch import UNREACHABLE, Batch, Block, Encoded, Inputs, alike
from infmcs.errors import ConfigError, ModelError
from infmcs.models.refinement import Refinement

LOWEST = torch.finfo(torch.float32).min / 4  # a masked logit; finite, so that a fully masked row stays finite too


@dataclass(frozen=True)
class Settings:
    """Which parts a model is built from, and their sizes. The defaults are the paper's form.

    width       of every hidden layer.
    encoder     gcn: three (`hops`) graph convolutions; gin: as many GIN layers, all of them joined; none: labels only.
    position    none; rank: learned vector of the closeness rank, equal closeness equal rank; index: ties broken by
                node number, as printed (not invariant); rank+walk: rank, and return probabilities of random walks.
    positions   rows of the rank table; higher ranks share the last row.
    walks       steps of the random walk, where position uses it.
    layers      of the transformer; 0 leaves it out. `heads` of its attention.
    norm        printed: one LayerNorm a layer, before the feed-forward; pre; post (vanilla).
    distances   attention also learns from the number of edges between two nodes, up to this many; 0: it does not.
    similarity  of two nodes: cosine; euclidean: minus the squared distance / width; dot: product / root of width.
    matching    free: any node may be a partner; labels: only one with an equal label; sinkhorn: that, and the
                attention received by a node sums to at most 1 too (`rounds` of normalisation).
    refine      rounds of refinement on the assignment graph, each with `channels` numbers a possible partner; slower.
    readout     sum of the node scores; bounded: of each label at most as much as either graph has.
    twins       a node whose whole surroundings occur in the other graph counts as common whatever the head says, so
                that identical graphs score 1.
    dropout     in the transformer and the head, in training.
    lines       compare edges instead of nodes: graphs are replaced by their line graphs.
    """

    kind: Literal["infmcs"] = "infmcs"
    width: int = 128
    encoder: Literal["gcn", "gin", "none"] = "gcn"
    hops: int = 3
    position: Literal["none", "rank", "index", "rank+walk"] = "rank"
    positions: int = 256
    walks: int = 16
    layers: int = 2
    heads: int = 8
    norm: Literal["printed", "pre", "post"] = "printed"
    distances: int = 0
    similarity: Literal["cosine", "euclidean", "dot"] = "cosine"
    matching: Literal["free", "labels", "sinkhorn"] = "free"
    rounds: int = 5
    refine: int = 0
    channels: int = 16
    readout: Literal["sum", "bounded"] = "sum"
    twins: bool = False
    dropout: float = 0.0
    lines: bool = False

    def __post_init__(self) -> None:
        for name, least in (
            ("width", 1),
            ("hops", 1),
            ("positions", 1),
            ("walks", 1),
            ("heads", 1),
            ("rounds", 1),
            ("channels", 2),
        ):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} = {getattr(self, name)}, but it must be at least {least}")
        if self.width % self.heads:
            raise ConfigError(f"width = {self.width} cannot be shared by heads = {self.heads} evenly")
        if self.refine < 0:
            raise ConfigError(f"refine = {self.refine} rounds cannot be done")
        if self.layers < 0 or not 0 <= self.distances < UNREACHABLE - 1:
            raise ConfigError(f"layers = {self.layers} and distances = {self.distances} must be 0 or a small number")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout = {self.dropout} is no share below 1")
        if self.twins and self.similarity == "dot":
            raise ConfigError("twins need a similarity that knows equal from unequal: cosine or euclidean, not dot")

    @property
    def inputs(self) -> Inputs:
        """What such a model reads of each node, but for the labels and features that its graphs have."""
        ranks: dict[str, Literal["none", "shared", "index"]] = {"none": "none", "index": "index"}
        return Inputs(
            ranks=ranks.get(self.position, "shared"),
            walks=self.walks if self.position == "rank+walk" else 0,
            paths=self.distances > 0 and self.layers > 0,
            lines=self.lines,
        )


@dataclass(frozen=True)
class Comparison:
    """How similar pairs of graphs are, and which nodes carry it: those of the smaller graph (equal sizes: the left).

    Everything is masked: in the padding, and between nodes that are no partners, stands 0.
    """

    similarity: Tensor  # (pairs,) in [0, 1]
    common: Tensor  # (pairs,) nodes in common: similarity times mean size
    scores: Tensor  # (pairs, nodes) whether a node is in the common subgraph, in [0, 1]
    attention: Tensor  # (pairs, nodes, partners) a node's partners, softly


@dataclass(frozen=True)
class Folded:
    """An `Encoded` with the head's first layer already applied a node, so that a pair costs two small products."""

    encoded: Encoded
    keys: Tensor  # (nodes, width) what similarity compares
    own: Tensor  # (nodes, width) U = W_a h + b
    partner: Tensor  # (nodes, width) V = W_b h

    def side(self, graphs: Tensor) -> Side:
        """These graphs, padded to the largest of them."""
        distinct, place = torch.unique(graphs, return_inverse=True)
        sizes = self.encoded.sizes[distinct]
        steps = torch.arange(max(1, int(sizes.max())))
        mask, place = steps < sizes.unsqueeze(-1), place.to(self.own.device)
        rows = torch.where(mask, self.encoded.starts[distinct].unsqueeze(-1) + steps, 0).to(self.own.device)

        def spread(values: Tensor) -> Tensor:
            if not len(values):  # nothing but empty graphs
                return values.new_zeros((len(place), *rows.shape[1:], *values.shape[1:]))
            return values[rows].index_select(0, place)

        edges = None if self.encoded.edges is None else self.encoded.edges_of(distinct, rows.shape[1])[place]
        mask = mask.to(self.own.device)[place]
        return Side(mask, spread(self.encoded.labels), spread(self.keys), spread(self.own), spread(self.partner), edges)


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


@dataclass(frozen=True)
class Tile:
    """How much of each graph on the left is in each graph on the right. Only where `meant` the left is the smaller."""

    left: Tensor  # (lefts,) places in the batch
    right: Tensor  # (rights,)
    meant: Tensor  # (rights, lefts)
    common: Tensor  # (rights, lefts)
    scores: Tensor  # (rights, lefts, nodes)
    attention: Tensor  # (rights, lefts, nodes, partners)


class Infmcs(nn.Module):
    """The model. `model(batch, left, right)` compares the graphs at these places of the batch, pair by pair."""

    def __init__(self, settings: Settings, inputs: Inputs) -> None:
        super().__init__()
        self.settings, self.inputs = settings, inputs
        d = settings.width
        self.encoder = ENCODERS[settings.encoder](inputs.width, d, settings.hops)
        self.position = POSITIONS[settings.position](settings)
        self.layers = nn.ModuleList(LAYERS[settings.norm](settings) for _ in range(settings.layers))
        self.finish = nn.LayerNorm(d) if settings.norm == "pre" and settings.layers else nn.Identity()
        self.similarity = SIMILARITIES[settings.similarity]
        self.allowed = anyone if settings.matching == "free" else equal_labels
        self.matching = Sinkhorn(settings.rounds) if settings.matching == "sinkhorn" else Softmax()
        self.refinement = Refinement(settings.refine, settings.heads, settings.channels) if settings.refine else None
        self.temperature = nn.Parameter(torch.zeros(()))  # w: τ = sigmoid(w), 0.5 at the start
        self.first = nn.Linear(2 * d, d)
        self.second = nn.Sequential(nn.ReLU(), nn.Dropout(settings.dropout), nn.Linear(d, 1))
        self.twins = Twins() if settings.twins else None
        self.readout = bounded if settings.readout == "bounded" else plain
        feature_mean, feature_scale = torch.zeros(inputs.features), torch.ones(inputs.features)
        self.register_buffer("feature_mean", feature_mean)
        self.register_buffer("feature_scale", feature_scale)
        self.feature_mean: Tensor
        self.feature_scale: Tensor

    def forward(self, batch: Batch, left: Tensor, right: Tensor) -> Tensor:
        """Similarity of each pair: (pairs,)."""
        return self.score(self.fold(self.encode(batch)), left, right)

    # -- one graph alone --------------------------------------------------------------------------------------

    def encode(self, batch: Batch) -> Encoded:
        """Node vectors of every graph, each seen alone."""
        blocks = [self._encode(block) for block in batch.blocks]
        return batch.encoded(blocks, self.settings.width, edges=self.refinement is not None)

    def _encode(self, block: Block) -> Tensor:
        X = self._standardised(block.inputs)  # (graphs, nodes, width of input)
        U = self.encoder(X, block)  # (graphs, nodes, d)  U^3: three graph convolutions
        H = U + self.position(block)  # (graphs, nodes, d)  H^0 = U^3 + PE[C]
        for layer in self.layers:
            H = layer(H, block)  # (graphs, nodes, d)  H^1 … H^L: transformer
        finished: Tensor = self.finish(H)
        return finished

    def _standardised(self, inputs: Tensor) -> Tensor:
        labels = len(self.inputs.labels)
        return torch.cat((inputs[..., :labels], (inputs[..., labels:] - self.feature_mean) * self.feature_scale), -1)

    # -- two graphs together ----------------------------------------------------------------------------------

    def fold(self, encoded: Encoded) -> Folded:
        """What `compare` needs of each node: MLP's first layer on [h_i ; z_i] is U_i + Σ_j a_ij V_j."""
        own, partner = self._folded(encoded.nodes)
        return Folded(encoded, self.similarity.keys(encoded.nodes), own, partner)

    def _folded(self, H: Tensor) -> tuple[Tensor, Tensor]:
        W_a, W_b = self.first.weight.chunk(2, dim=1)
        return F.linear(H, W_a, self.first.bias), F.linear(H, W_b)

    def score(self, folded: Folded, left: Tensor, right: Tensor) -> Tensor:
        """Similarity of each pair, computed in groups of like size: (pairs,)."""
        sizes = folded.encoded.sizes
        groups = list(alike(sizes[left].numpy(), sizes[right].numpy()))
        if not groups:
            return folded.own.new_zeros(0)
        found = [self.compare(folded, left[group], right[group]).similarity for group in groups]
        order = torch.cat([torch.from_numpy(group) for group in groups])
        return torch.cat(found)[torch.argsort(order).to(found[0].device)]

    def compare(self, folded: Folded, left: Tensor, right: Tensor) -> Comparison:
        """Pairs of graphs in full: similarity, node scores, attention. Pairs of like size cost least."""
        sizes = folded.encoded.sizes
        swap = sizes[left] > sizes[right]
        small, large = torch.where(swap, right, left), torch.where(swap, left, right)
        common, scores, attention = self._pairwise(folded, small, large)
        even = torch.nonzero(sizes[left] == sizes[right]).flatten()
        if len(even):
            back, _, _ = self._pairwise(folded, large[even], small[even])
            places = even.to(common.device)
            common = common.index_put((places,), (common[places] + back) / 2)
        mean_size = ((sizes[left] + sizes[right]).to(common) / 2).clamp(min=0.5)
        empty = (sizes[left] + sizes[right] == 0).to(common)  # two empty graphs are identical
        return Comparison((common / mean_size + empty).clamp(max=1), common, scores, attention)

    def tiles(self, batch: Batch) -> Iterator[Tile]:
        """All pairs of the batch, block against block: what training and evaluation cost least with.

        Equals `compare` of each pair, but a pair of equal size comes twice, once in each direction.
        """
        sides = [self._side(block) for block in batch.blocks]
        for (here, own), (there, other) in product(zip(sides, batch.blocks, strict=True), repeat=2):
            sizes, others = own.mask.sum(-1), other.mask.sum(-1)
            meant = (sizes <= others.unsqueeze(-1)) & (own.places != other.places.unsqueeze(-1))
            if meant.any():
                yield Tile(own.places, other.places, meant, *self._match(here.one_by_one(), there))

    def similarities(self, batch: Batch) -> Tensor:
        """Of all graphs of the batch with all others, as a square with 1 on its diagonal; without gradients."""
        with torch.no_grad():
            return self.square(self.tiles(batch), batch.sizes.to(batch.labels.device)).cpu()

    def square(self, tiles: Iterable[Tile], sizes: Tensor) -> Tensor:
        """The similarities that these tiles of a batch amount to."""
        total = torch.zeros((len(sizes),) * 2, device=sizes.device)
        for tile in tiles:
            total[tile.right.unsqueeze(-1), tile.left] = tile.common * tile.meant
        total = torch.where(sizes == sizes.unsqueeze(-1), (total + total.mT) / 2, total + total.mT)
        mean = (sizes + sizes.unsqueeze(-1)) / 2
        same = torch.eye(len(sizes), dtype=torch.bool, device=sizes.device)
        return torch.where((mean > 0) & ~same, total / mean.clamp(min=0.5), 1).clamp(max=1)

    def _side(self, block: Block) -> Side:
        H = self._encode(block)
        own, partner = self._folded(H)
        edges = None if self.refinement is None else block.adjacency
        return Side(block.mask, block.label_ids, self.similarity.keys(H), own, partner, edges)

    def _pairwise(self, folded: Folded, small: Tensor, large: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        common, scores, attention = self._match(folded.side(small).pair_by_pair(), folded.side(large))
        return common.squeeze(1), scores.squeeze(1), attention.squeeze(1)

    def _match(self, here: Side, there: Side) -> tuple[Tensor, Tensor, Tensor]:
        """How much of the first graphs is in the second: nodes in common, node scores, attention.

        Shapes are (second graphs R, first graphs L, nodes n1, nodes n2): R pairs with L = 1, or all R * L.
        """
        closeness = self.similarity(here.keys, there.keys)  # (R, L, n1, n2)  s(h1_i, h2_j)
        tau = torch.sigmoid(self.temperature).clamp(min=0.01)
        allowed = self.allowed(here, there)  # (R, L, n1, n2)  who may be whose partner
        affinity = closeness / tau
        if self.refinement is not None:
            better, belief = self.refinement((here.keys, there.keys), _edges(here, there), allowed)
            affinity = affinity + better
        a = self.matching(affinity, allowed)  # (R, L, n1, n2)  a_ij, softmax over j of s / τ
        z = weighted(a, there.partner)  # (R, L, n1, d)  W_b z_i, z_i = Σ_j a_ij h2_j  (eq. 1)
        logits = self.second(here.own + z).squeeze(-1)  # (R, L, n1)  MLP([h1_i ; z_i])
        if self.refinement is not None:
            logits = logits + (a * belief[0]).sum(-1) + belief[1].amax(-1)  # the second is never below 0
        s = torch.sigmoid(logits)  # (R, L, n1)  s_i: node i is in the common subgraph
        if self.twins is not None:
            s = self.twins(s, closeness, allowed)
        s = s * allowed.any(-1)  # in the padding, and where no node may be a partner, 0
        s = self.readout(s, here, there)
        return s.sum(-1), s, a  # |MCS| = Σ_i s_i  (eq. 2, before division by the mean size)


def _edges(here: Side, there: Side) -> tuple[Tensor, Tensor]:
    if here.edges is None or there.edges is None:
        raise ModelError(
            "a model that refines reads the edges of both graphs, and here are only node vectors",
            hint="encode the graphs with this model: model.encode(batch)",
        )
    return here.edges, there.edges


# -- encoders: what a node knows of its surroundings ----------------------------------------------------------------


class Convolution(nn.Linear):
    """A graph convolution: relu(Â U W + b), Â the normalised adjacency with loops."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__(inputs, width)
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, U: Tensor, block: Block) -> Tensor:  # type: ignore[override]
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
