"""What a model knows of each node, stored, and its similarity of a query to many graphs from that: late interaction.

A model encodes a graph alone. Of that the index keeps, for each node, what the model compares (keys) and the two halves
of its head's first layer, already applied (U and V, see `models.Folded`); what is left of a pair costs microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import _native
from infmcs.collection import Collection
from infmcs.errors import ModelError
from infmcs.graph import Graph

if TYPE_CHECKING:
    from infmcs.index.contents import Contents
    from infmcs.index.segment import Segment
    from infmcs.models import Infmcs

Array = npt.NDArray[Any]
Precision: TypeAlias = Literal["float32", "float16", "int8"]
Progress: TypeAlias = "Callable[[int], object]"
PRECISIONS: tuple[Precision, ...] = ("float32", "float16", "int8")
PARTS = ("keys", "own", "partner")
ENCODED_NODES = 40_000  # of a batch


def require(model: Infmcs) -> None:
    """An error for a model whose pairs need more than vectors a node."""
    settings = model.settings
    for wanted, what in (
        (settings.refine > 0, "refines on the assignment graph of each pair"),
        (settings.matching == "sinkhorn", "balances the attention of each pair (sinkhorn)"),
        (settings.lines, "compares edges"),
        (settings.whole != "none", "draws the answer of each pair towards whole numbers"),
    ):
        if wanted:
            raise ModelError(
                f"the model {what}, which vectors stored a node cannot",
                hint="index with a model of the presets infmcs or paper; this one can re-rank a shortlist",
            )


def encoded(
    model: Infmcs, graphs: Collection, precision: Precision = "int8", progress: Progress | None = None
) -> dict[str, Array]:
    """Arrays to store: keys, own and partner (nodes, width), and the scales of one-byte rows."""
    import torch

    from infmcs.batch import prepare

    require(model)
    if precision not in PRECISIONS:
        raise ModelError(f"vectors are stored as {', '.join(PRECISIONS)}, not as {precision!r}")
    width, total = model.settings.width, int(graphs.sizes.sum())
    found: dict[str, Array] = {}
    for part in PARTS:
        found[part] = np.zeros((total, width), precision)
        if precision == "int8":
            found[f"{part}_scales"] = np.zeros(total, np.float32)
    starts = graphs.node_offsets - graphs.node_offsets[0]
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    try:
        first = 0
        while first < len(graphs):
            last = int(np.searchsorted(starts, starts[first] + ENCODED_NODES, side="right")) - 1
            last = min(len(graphs), max(first + 1, last))
            part_graphs = graphs[first:last]
            with torch.no_grad():
                batch = prepare(part_graphs, model.inputs).batch(range(last - first), device)
                folded = model.fold(model.encode(batch))
            order = _packed_order(folded.encoded.starts.numpy(), folded.encoded.sizes.numpy())
            here = slice(int(starts[first]), int(starts[last]))
            for part in PARTS:
                _store(found, part, here, getattr(folded, part).cpu().numpy()[order])
            first = last
            if progress is not None:
                progress(last)
    finally:
        model.train(was_training)
    return found


def _packed_order(starts: Array, sizes: Array) -> Array:
    """The rows of a batch in the order of its graphs."""
    total = int(sizes.sum())
    rows: Array = np.arange(total) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return rows


def _store(found: dict[str, Array], part: str, here: slice, rows: Array) -> None:
    if found[part].dtype != np.int8:
        found[part][here] = rows
        return
    scales = np.abs(rows).max(axis=1, initial=0) / 127
    found[f"{part}_scales"][here] = scales
    found[part][here] = np.rint(rows / np.where(scales > 0, scales, 1)[:, None])


class Head:
    """The part of a model that sees two graphs, in the form the native kernel takes."""

    def __init__(self, model: Infmcs) -> None:
        import torch

        require(model)
        settings = model.settings
        with torch.no_grad():
            last: Any = model.second[2]
            self.second = last.weight.detach().cpu().numpy().reshape(-1).astype(np.float32)
            self.bias = float(last.bias)
            self.temperature = float(torch.sigmoid(model.temperature).clamp(min=0.01))
            twins: Any = model.twins
            self.steepness = 0.0 if twins is None else float(twins.steepness.clamp(max=5.0).exp())
        self.euclidean = settings.similarity == "euclidean"
        self.labels = settings.matching != "free"
        self.bounded = settings.readout == "bounded"
        self.width = settings.width

    def query(self, model: Infmcs, graph: Graph) -> _native.Vectors:
        """A query, encoded."""
        graphs = Collection.from_graphs([graph])
        rows = encoded(model, graphs, "float32")
        return _vectors(rows, graphs.label_ids, np.zeros(0, np.int32), graphs.node_offsets, self.width)

    def scores(
        self,
        query: _native.Vectors,
        graphs: _native.Vectors,
        places: Array,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.float32]:
        """The model's similarity of the query to these graphs."""
        found: npt.NDArray[np.float32] = _native.scores(
            query,
            graphs,
            np.ascontiguousarray(places, np.int64),
            self.second,
            self.bias,
            self.temperature,
            self.steepness,
            self.euclidean,
            self.labels,
            self.bounded,
            threads,
            progress,
        )
        return found


def stored(segment: Segment, width: int) -> _native.Vectors:
    """The vectors of a segment, in place."""
    rows = {name: array for name in _names() if (array := segment.vectors(name)) is not None}
    if not set(PARTS) <= set(rows):
        raise ModelError("the index was made without a model", hint="Index.build(graphs, model=...)")
    return _vectors(rows, segment.labels, segment.vocabulary.node_ids, segment.node_offsets, width)


def scores(contents: Contents, model: Infmcs, query: Graph, places: Array, threads: int = 1) -> npt.NDArray[np.float32]:
    """What the model says of the query and the graphs at these places (rising)."""
    head = Head(model)
    asked = head.query(model, query)
    found = []
    for segment, start in zip(contents.segments, contents.starts, strict=False):
        here = places[(places >= start) & (places < start + len(segment))] - start
        found.append(head.scores(asked, stored(segment, head.width), here, threads))
    return np.concatenate(found) if found else np.zeros(0, np.float32)


def _vectors(
    rows: Mapping[str, Array], labels: Array, label_ids: Array, node_offsets: Array, width: int
) -> _native.Vectors:
    try:
        return _native.Vectors(
            rows["keys"],
            rows["own"],
            rows["partner"],
            rows.get("keys_scales"),
            rows.get("own_scales"),
            rows.get("partner_scales"),
            labels,
            label_ids,
            np.ascontiguousarray(node_offsets, np.int64),
            width,
        )
    except ValueError as error:
        raise ModelError(f"the model does not fit the index: {error}") from None


def _names() -> tuple[str, ...]:
    return (*PARTS, *(f"{part}_scales" for part in PARTS))
