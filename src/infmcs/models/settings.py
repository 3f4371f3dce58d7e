"""What a model is built from: one choice a part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from infmcs.batch import UNREACHABLE, Inputs
from infmcs.errors import ConfigError


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
    whole       what the answer counts in whole numbers, towards which it is drawn: nodes in common, or edits; none:
                it is not. How strongly is learned; worth it where errors are well below one.
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
    whole: Literal["none", "nodes", "edits"] = "none"
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
