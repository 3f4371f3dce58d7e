"""Graphs as a model reads them: numbers a node, derived once a graph, and put together in blocks of like size.

`prepare` derives everything an encoder wants to know of a collection; `Prepared.batch` puts chosen graphs together, and
a pair is two places in such a batch, so that each distinct graph is encoded once however many pairs it is in.

Encoders see undirected graphs without loops: directions are dropped, as the default `Question` drops them. A label the
model never saw becomes a row of zeros, so it reads as 'none of those'; matching still compares labels by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.errors import ModelError
from infmcs.vocabulary import Name

Ranks: TypeAlias = Literal["none", "shared", "index"]
Array: TypeAlias = npt.NDArray[Any]

UNREACHABLE = 255  # the distance between two components; longer distances than 254 count as 254
LOWEST = torch.finfo(torch.float32).min / 4  # a masked logit; finite, so that a fully masked row stays finite too
SMALL = 64  # up to here all graphs of one size are searched at once, by matrix products
FEW = 128  # graphs of one batch that make BLOCKS blocks only
BLOCKS = 3  # 35 % faster steps on AIDS, 60 % on PTC_MM than a block for each 26 % in size (benchmarks/training.py)
ENTRIES = 1 << 21  # of one padded block's largest array: what fits a cache level or two, and a small GPU


@dataclass(frozen=True)
class Inputs:
    """What a model reads of each node.

    labels    the names with a column of their own, in this order; (None,) for unlabelled graphs: a constant 1.
    features  width of the collection's numeric features.
    ranks     place by falling closeness: equal nodes share one (invariant), or follow their numbers (as printed).
    walks     probabilities to be back after 1 to `walks` random steps.
    paths     all distances, not only who is adjacent.
    lines     nodes are the graphs' edges: every graph is replaced by its line graph first.
    """

    labels: tuple[Name, ...] = (None,)
    features: int = 0
    ranks: Ranks = "none"
    walks: int = 0
    paths: bool = False
    lines: bool = False

    @property
    def width(self) -> int:
        """Numbers a node: one a label, then the features."""
        return len(self.labels) + self.features

    @property
    def question(self) -> Question:
        """Which common subgraph a model of these inputs is asked for, counted in what its nodes are."""
        if not self.lines:
            return Question()
        labelled = any(isinstance(name, tuple) and name[0] is not None for name in self.labels)  # (edge's, ends')
        return Question(induced=False, count="edges", edge_labels=labelled)

    def of(self, graphs: Collection) -> Inputs:
        """The same with the labels and the feature width of these graphs."""
        graphs = _lines(graphs) if self.lines else graphs
        codes = np.unique(graphs.labels[graphs.nodes_here])
        names = [graphs.vocabulary.nodes[code] for code in codes] or [None]
        width = 0 if graphs.features is None else graphs.features.shape[1]
        return replace(self, labels=tuple(sorted(names, key=_name_order)), features=width)


@dataclass(frozen=True)
class Block:
    """Graphs of like size, padded to the largest. What stands in the padding is finite and means nothing."""

    mask: Tensor  # (graphs, nodes) true where there is a node
    inputs: Tensor  # (graphs, nodes, width) label one-hot, then features
    ranks: Tensor  # (graphs, nodes)
    walks: Tensor  # (graphs, nodes, walks)
    distances: Tensor  # (graphs, nodes, nodes); UNREACHABLE between components and in the padding
    label_ids: Tensor  # (graphs, nodes) process-wide ids of label names
    places: Tensor  # (graphs,) which of the chosen graphs these are

    @cached_property
    def adjacency(self) -> Tensor:
        """1 where two nodes are joined: (graphs, nodes, nodes)."""
        return (self.distances == 1).to(self.inputs.dtype)

    @cached_property
    def normalised(self) -> Tensor:
        """D^-1/2 (A + I) D^-1/2 with D the degrees of A + I: (graphs, nodes, nodes)."""
        closed = (self.distances <= 1).to(self.inputs.dtype)
        root = closed.sum(-1).clamp(min=1).rsqrt()
        return root.unsqueeze(-1) * closed * root.unsqueeze(-2)


@dataclass(frozen=True)
class Batch:
    """Chosen graphs in blocks. Nodes are packed block after block; `starts` says where each chosen graph begins."""

    blocks: tuple[Block, ...]
    sizes: Tensor  # (graphs,) in the order they were chosen; on the host
    starts: Tensor  # (graphs,) on the host
    labels: Tensor  # (nodes,) process-wide ids of label names

    def encoded(self, blocks: Sequence[Tensor], width: int, *, edges: bool = False) -> Encoded:
        """Node vectors (graphs, nodes, width) of each block, packed; with who is adjacent, where wanted."""
        none = torch.zeros((0, width), device=self.labels.device)
        packed = [nodes[block.mask] for nodes, block in zip(blocks, self.blocks, strict=True)]
        squares = None
        if edges:
            inside = [block.mask.unsqueeze(-1) & block.mask.unsqueeze(-2) for block in self.blocks]
            cells = [block.adjacency[cell] for block, cell in zip(self.blocks, inside, strict=True)]
            squares = torch.cat([none.reshape(0), *cells])
        return Encoded(torch.cat([none, *packed]), self.sizes, self.starts, self.labels, squares)


@dataclass(frozen=True)
class Encoded:
    """Node vectors of many graphs: graph i has rows starts[i] to starts[i] + sizes[i]."""

    nodes: Tensor  # (nodes, width)
    sizes: Tensor  # (graphs,) on the host
    starts: Tensor  # (graphs,) on the host
    labels: Tensor  # (nodes,) process-wide ids of label names
    edges: Tensor | None = None  # (sum of squared sizes,) 1 where two nodes are joined, a square a graph by `starts`

    def __len__(self) -> int:
        return len(self.sizes)

    def edges_of(self, graphs: Tensor, nodes: int) -> Tensor:
        """Who is adjacent in these graphs, padded: (graphs, nodes, nodes)."""
        assert self.edges is not None
        order = torch.argsort(self.starts, stable=True)
        squares = self.sizes[order] ** 2
        begins = torch.empty_like(squares).index_copy(0, order, squares.cumsum(0) - squares)
        sizes, steps = self.sizes[graphs].view(-1, 1, 1), torch.arange(nodes)
        inside = (steps.view(-1, 1) < sizes) & (steps < sizes)
        cells = begins[graphs].view(-1, 1, 1) + steps.view(-1, 1) * sizes + steps
        padded = torch.cat((self.edges, self.edges.new_zeros(1)))
        found: Tensor = padded[torch.where(inside, cells, len(self.edges)).to(self.edges.device)]
        return found

    def of(self, graph: int) -> Tensor:
        """The node vectors of one graph, in the order of its nodes."""
        first = int(self.starts[graph])
        return self.nodes[first : first + int(self.sizes[graph])]


@dataclass(frozen=True)
class Prepared:
    """What encoders want to know of each graph of a collection, derived once and packed."""

    inputs: Inputs
    sizes: npt.NDArray[np.int64]
    codes: Tensor  # (nodes,) column of the label; the number of columns for a label without one
    labels: Tensor  # (nodes,) process-wide ids of label names
    features: Tensor  # (nodes, features)
    ranks: Tensor  # (nodes,)
    walks: Tensor  # (nodes, walks)
    distances: Tensor  # (sum of squared sizes,) a square a graph

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def _squares(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.sizes**2) - self.sizes**2

    def batch(self, graphs: Sequence[int] | Array, device: torch.device | str = "cpu") -> Batch:
        """These graphs together; the places of the result count in the order given."""
        graphs = np.asarray(graphs, np.int64)
        sizes = self.sizes[graphs]
        starts = np.zeros(len(graphs), np.int64)
        blocks, rows = [], 0
        for places in blocks_of(sizes):
            chosen, here = graphs[places], sizes[places]
            starts[places] = rows + np.cumsum(here) - here
            rows += int(here.sum())
            block = self._block(chosen, places, max(1, int(here.max())), torch.device(device))
            blocks.append(block)
        empty = torch.zeros(0, dtype=torch.int64, device=device)
        joined = torch.cat([empty, *(block.label_ids[block.mask] for block in blocks)])
        return Batch(tuple(blocks), torch.from_numpy(sizes), torch.from_numpy(starts), joined)

    def _block(self, graphs: Array, places: Array, nodes: int, device: torch.device) -> Block:
        sizes = torch.from_numpy(self.sizes[graphs])
        steps = torch.arange(nodes)
        mask = steps < sizes.unsqueeze(-1)
        rows = torch.from_numpy(self._starts[graphs]).unsqueeze(-1) + steps
        rows = torch.where(mask, rows, len(self.codes))
        squares = torch.from_numpy(self._squares[graphs]).view(-1, 1, 1)
        cells = squares + steps.view(-1, 1) * sizes.view(-1, 1, 1) + steps
        cells = torch.where(mask.unsqueeze(-1) & mask.unsqueeze(-2), cells, len(self.distances))
        codes, labels, features, ranks, walks, distances = self._with_padding
        columns = codes[rows].to(device)
        onehot = torch.nn.functional.one_hot(columns, len(self.inputs.labels) + 1)[..., :-1].float()
        return Block(
            mask.to(device),
            torch.cat((onehot, features[rows].to(device)), dim=-1),
            ranks[rows].to(device),
            walks[rows].to(device),
            distances[cells].to(device),
            labels[rows].to(device),
            torch.from_numpy(places).to(device),
        )

    @cached_property
    def _with_padding(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Each packed array with one more row, which is what the padding reads."""
        fills = (len(self.inputs.labels), 0, 0, 0, 0, UNREACHABLE)
        arrays = (self.codes, self.labels, self.features, self.ranks, self.walks, self.distances)
        padded = [torch.cat((a, a.new_full((1, *a.shape[1:]), fill))) for a, fill in zip(arrays, fills, strict=True)]
        return padded[0], padded[1], padded[2], padded[3], padded[4], padded[5]


def prepare(graphs: Collection, inputs: Inputs) -> Prepared:
    """Everything `inputs` asks for, of every graph."""
    graphs = _lines(graphs) if inputs.lines else graphs
    width = 0 if graphs.features is None else graphs.features.shape[1]
    if width != inputs.features and len(graphs):
        raise ModelError(
            f"the graphs have {width or 'no'} features a node, the model reads {inputs.features or 'none'}",
            hint="a model takes graphs that carry what its training graphs carried",
        )
    sizes, here = graphs.sizes, graphs.nodes_here
    total = here.stop - here.start
    columns = {name: column for column, name in enumerate(inputs.labels)}
    column_of = np.array([columns.get(name, len(columns)) for name in graphs.vocabulary.nodes], np.int64)
    squares = np.cumsum(sizes**2) - sizes**2
    distances = _adjacency(graphs, squares)
    ranks, walks = np.zeros(total, np.int64), np.zeros((total, inputs.walks), np.float32)
    starts = graphs.node_offsets[:-1] - graphs.node_offsets[0]
    for size, members in _by_size(sizes):
        rows = starts[members, None] + np.arange(size)
        cells = squares[members, None] + np.arange(size * size)
        adjacent = distances[cells].reshape(-1, size, size) == 1
        if inputs.walks:
            walks[rows] = return_probabilities(adjacent, inputs.walks)
        if inputs.paths or inputs.ranks != "none":
            exact = shortest_paths(adjacent)
            distances[cells] = np.where(exact < 0, UNREACHABLE, exact.clip(max=UNREACHABLE - 1)).reshape(len(cells), -1)
            if inputs.ranks != "none":
                ranks[rows] = closeness_ranks(exact, shared=inputs.ranks == "shared")
    features = np.zeros((total, 0), np.float32) if graphs.features is None else graphs.features[here]
    return Prepared(
        inputs,
        sizes,
        torch.from_numpy(column_of[graphs.labels[here]]),
        torch.from_numpy(graphs.label_ids[here].astype(np.int64)),
        torch.from_numpy(np.array(features, np.float32)),
        torch.from_numpy(ranks),
        torch.from_numpy(walks),
        torch.from_numpy(distances),
    )


def alike(*sizes: npt.NDArray[np.int64], entries: int = ENTRIES) -> Iterator[npt.NDArray[np.int64]]:
    """Places in groups of like size (pairs: like in both sizes), each small enough to be padded to its largest."""
    if not len(sizes[0]):
        return
    classes = [np.ceil(3 * np.log2(np.maximum(size, 3) / 3)).astype(np.int64) for size in sizes]  # steps of 26 %
    order = np.lexsort(classes)
    key = np.stack(classes)[:, order]
    for run in np.split(order, np.flatnonzero((key[:, 1:] != key[:, :-1]).any(axis=0)) + 1):
        largest = [int(size[run].max()) for size in sizes]
        room = max(1, entries // max(1, largest[0] * largest[-1]))
        for first in range(0, len(run), room):
            yield run[first : first + room]


def blocks_of(sizes: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """Places in groups of like size. A step's few graphs make few groups, since every two groups meet at a fixed price;
    many graphs make as many groups as their sizes ask for.
    """
    if len(sizes) > FEW or len(sizes) * int(sizes.max(initial=0)) ** 2 > ENTRIES:
        yield from alike(sizes)
    elif len(sizes):
        found, kind, counts = np.unique(sizes, return_inverse=True, return_counts=True)
        cuts = least_padding(found, counts, BLOCKS)
        group = np.searchsorted(cuts, kind, side="right")
        for number in range(len(cuts) + 1):
            yield np.flatnonzero(group == number)


def least_padding(sizes: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], groups: int) -> npt.NDArray[np.int64]:
    """Where to cut rising sizes into at most so many runs, each padded to its last, so that fewest nodes are padded."""
    before = np.concatenate(([0], np.cumsum(counts)))
    run = (before[1:] - before[:-1, None]) * sizes  # [first, last] nodes of a run, padded
    run = np.where(np.triu(np.ones_like(run, dtype=bool)), run, np.iinfo(np.int64).max // 4)
    nodes, choices = run[0], []  # of the sizes up to here, cut best
    for _ in range(min(groups, len(sizes)) - 1):
        with_cut = np.concatenate(([0], nodes[:-1]))[:, None] + run  # [first of the last run, last]
        choices.append(with_cut.argmin(axis=0))
        nodes = with_cut.min(axis=0)
    cuts, last = [], len(sizes) - 1
    for choice in reversed(choices):
        first = int(choice[last])
        if first == 0:
            break
        cuts.append(first)
        last = first - 1
    return np.array(cuts[::-1], np.int64)


# -- what is derived of a graph: arrays (graphs, nodes, nodes) of graphs of one size ---------------------------------


def shortest_paths(adjacent: Array) -> npt.NDArray[np.int32]:
    """Number of edges between each two nodes; -1 where there is no path."""
    graphs, size = adjacent.shape[:2]
    if size > SMALL:
        from scipy.sparse import csgraph, csr_matrix

        found = [csgraph.shortest_path(csr_matrix(one), unweighted=True, directed=False) for one in adjacent]
        return np.where(np.isinf(found), -1, found).astype(np.int32)
    lengths = np.where(adjacent, 1, -1).astype(np.int32)
    lengths[:, np.arange(size), np.arange(size)] = 0
    steps, front = adjacent.astype(np.float32), adjacent
    for length in range(2, size):
        front = (np.matmul(front.astype(np.float32), steps) > 0) & (lengths < 0)
        if not front.any():
            break
        lengths[front] = length
    return lengths.reshape(graphs, size, size)


def closeness_ranks(lengths: npt.NDArray[np.int32], *, shared: bool) -> npt.NDArray[np.int64]:
    """How many nodes of the graph have a larger closeness; if ranks are not shared, equal ones by node number.

    Closeness with component scaling is (n - 1)^2 / sum of distances, up to a factor common to the graph (n: nodes of
    the component). Fractions are compared in whole numbers, so that rounding cannot split a tie.
    """
    above = ((lengths >= 0).sum(-1) - 1).astype(np.int64) ** 2
    below = np.where(above > 0, np.where(lengths >= 0, lengths, 0).sum(-1, dtype=np.int64), 1)
    mine = above[:, :, None] * below[:, None, :]
    theirs = np.swapaxes(mine, 1, 2)
    ahead = theirs > mine
    if not shared:
        ahead |= (theirs == mine) & np.tri(lengths.shape[-1], k=-1, dtype=bool)
    return np.asarray(ahead.sum(-1, dtype=np.int64))


def return_probabilities(adjacent: Array, steps: int) -> npt.NDArray[np.float32]:
    """For each node, the chance that a random walk is back after 1, 2, … steps: (graphs, nodes, steps)."""
    edges = adjacent.astype(np.float32)
    move = edges / np.maximum(edges.sum(-1, keepdims=True), 1)
    power, found = move, np.zeros((*adjacent.shape[:2], steps), np.float32)
    for step in range(steps):
        found[..., step] = np.diagonal(power, axis1=1, axis2=2)
        power = np.matmul(power, move) if step + 1 < steps else power
    return found


def _adjacency(graphs: Collection, squares: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """0 on the diagonal, 1 between adjacent nodes, UNREACHABLE else; a square a graph, one after another."""
    sizes = graphs.sizes
    cells = np.full(int((sizes**2).sum()), UNREACHABLE, np.uint8)
    ends = graphs.edges[graphs.edges_here].astype(np.int64)
    owner = np.repeat(np.arange(len(graphs)), graphs.edge_counts)
    for u, v in ((ends[:, 0], ends[:, 1]), (ends[:, 1], ends[:, 0])):
        cells[squares[owner] + u * sizes[owner] + v] = 1
    node_owner = np.repeat(np.arange(len(graphs)), sizes)
    node = np.arange(len(node_owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    cells[squares[node_owner] + node * (sizes[node_owner] + 1)] = 0
    return cells


def _by_size(sizes: npt.NDArray[np.int64]) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """Each size that occurs with the graphs that have it, no more at a time than memory should hold."""
    for size in np.unique(sizes[sizes > 0]).tolist():
        members = np.flatnonzero(sizes == size)
        room = max(1, ENTRIES // (size * size))
        for first in range(0, len(members), room):
            yield size, members[first : first + room]


def _lines(graphs: Collection) -> Collection:
    return Collection.from_graphs(graph.line_graph() for graph in graphs.undirected())


def _name_order(name: Name) -> tuple[str, str]:
    return type(name).__name__, repr(name)
