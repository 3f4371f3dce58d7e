"""INFMCS: how similar two graphs are, as the size of what they have in common, node by node.

The model of "More Interpretable Graph Similarity Computation via Maximum Common Subgraph Inference" (2022), section 3,
and what we put in place of its parts. Each part is chosen in `Settings` and put in when the model is built; no forward
pass asks which. A graph is encoded alone; two graphs meet only in `compare`.

Where the paper is silent or wrong, docs/method.md says what is done here. The main points: z_i sums the *other* graph's
nodes (the paper prints h_i, which would cancel); equal closeness gives equal position; two graphs of equal size are
compared in both directions and averaged, so that no order of the pair is special.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from infmcs.batch import Batch, Block, Encoded, Inputs, alike
from infmcs.errors import ModelError
from infmcs.models.encoding import ENCODERS, LAYERS, POSITIONS
from infmcs.models.matching import (
    SIMILARITIES,
    WHOLE,
    Side,
    Sinkhorn,
    Softmax,
    Twins,
    anyone,
    bounded,
    equal_labels,
    plain,
    weighted,
)
from infmcs.models.refinement import Refinement
from infmcs.models.settings import Settings


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
        self.whole = WHOLE[settings.whole]()
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
        mean_size = (sizes[left] + sizes[right]).to(common) / 2
        similarity = self.whole(over_mean(common, mean_size), mean_size.clamp(min=0.5))
        return Comparison(similarity, similarity * mean_size, scores, attention)

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
            sizes = batch.sizes.to(batch.labels.device)
            found: Tensor = self.whole(self.square(self.tiles(batch), sizes), mean_sizes(sizes).clamp(min=0.5))
            return found.cpu()

    def square(self, tiles: Iterable[Tile], sizes: Tensor) -> Tensor:
        """The similarities that the scores in these tiles of a batch add up to, not yet drawn to `whole` numbers."""
        total = torch.zeros((len(sizes),) * 2, device=sizes.device)
        for tile in tiles:
            total[tile.right.unsqueeze(-1), tile.left] = tile.common * tile.meant
        total = torch.where(sizes == sizes.unsqueeze(-1), (total + total.mT) / 2, total + total.mT)
        same = torch.eye(len(sizes), dtype=torch.bool, device=sizes.device)
        return torch.where(same, 1, over_mean(total, mean_sizes(sizes)))

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
        return s.sum(-1), s, a  # |MCS| = Σ_i s_i


def _edges(here: Side, there: Side) -> tuple[Tensor, Tensor]:
    if here.edges is None or there.edges is None:
        raise ModelError(
            "a model that refines reads the edges of both graphs, and here are only node vectors",
            hint="encode the graphs with this model: model.encode(batch)",
        )
    return here.edges, there.edges


def mean_sizes(sizes: Tensor) -> Tensor:
    """Of all graphs with all: (n1 + n2) / 2, a square."""
    return (sizes + sizes.unsqueeze(-1)) / 2


def over_mean(common: Tensor, mean_size: Tensor) -> Tensor:
    """ŷ = |MCS| / mean size (eq. 2), never above 1; two empty graphs are identical."""
    return torch.where(mean_size > 0, common / mean_size.clamp(min=0.5), 1).clamp(max=1)
