"""Edit costs as tables of prices, and graphs whose labels are rows of those tables: how the native core sees both.

Every label that counts becomes a kind, a small number shared by both sides; kind 0 is nothing. A loop belongs to its
node's kind. Prices that are whole multiples of one price become whole numbers, which a search can tell apart exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import _native
from infmcs.certify import EditCosts
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph, Ints, Offsets
from infmcs.vocabulary import Name

Table: TypeAlias = npt.NDArray[np.float64]

NO_LOOP = -1
_MOST_KINDS = 4_000
_WHOLE = 2**40  # sums of whole prices stay exact far beyond this


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """Two sides under prices; a cost is `step` times what the native core says."""

    left: _native.PricedGraphs
    right: _native.PricedGraphs
    prices: _native.Prices
    step: float


def priced(left: Graph | Collection, right: Graph | Collection, costs: EditCosts) -> Priced:
    """Both sides as these costs see them; an error where a table lacks a label it meets, or a graph is too large."""
    sides = [_Side.of(left, costs), _Side.of(right, costs)]
    names, edge_names = sides[0].names | sides[1].names, sides[0].edge_names | sides[1].edge_names
    natures, node_kinds = _kinds([side.natures for side in sides])
    links, edge_kinds = _kinds([side.edge_ids[:, None] for side in sides])
    edge = _edge_table(links[:, 0], edge_kinds, edge_names, costs)
    node = _node_table(natures, node_kinds, edge_names | {NO_LOOP: None}, names, costs)
    step, whole = _step(node, edge)
    prices = _native.Prices(_stepped(node, step, whole), _stepped(edge, step, whole), whole)
    same = left is right
    ours = sides[0].native(node_kinds[0], edge_kinds[0])
    return Priced(ours, ours if same else sides[1].native(node_kinds[1], edge_kinds[1]), prices, step)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Flat arrays of one side: each node's label and loop, and the edges that are no loops, all as process-wide ids."""

    node_offsets: Offsets
    edge_offsets: Offsets
    natures: Ints  # (nodes, 2)
    edges: Ints
    edge_ids: Ints
    directed: bool
    names: dict[int, Name]
    edge_names: dict[int, Name]

    @classmethod
    def of(cls, graphs: Graph | Collection, costs: EditCosts) -> _Side:
        if isinstance(graphs, Graph):
            nodes, offsets = np.array([0, graphs.size]), np.array([0, len(graphs.edges)])
        else:
            nodes, offsets = graphs.node_offsets, graphs.edge_offsets
        _refuse_large(graphs, np.diff(nodes))
        here, links = slice(nodes[0], nodes[-1]), slice(offsets[0], offsets[-1])
        nodes, offsets = nodes - nodes[0], offsets - offsets[0]
        labels, edges = graphs.label_ids[here], graphs.edges[links]
        vocabulary = graphs.vocabulary
        names: dict[int, Name] = dict(zip(vocabulary.node_ids.tolist(), vocabulary.nodes, strict=True))
        if not (costs.node_labels or _tabled(costs.insert_node, costs.delete_node)):
            labels, names = np.zeros_like(labels), {0: None}
        ids = np.zeros(len(edges), np.int32)
        edge_names: dict[int, Name] = {0: None}
        if costs.edge_labels and graphs.edge_label_ids is not None:
            ids = graphs.edge_label_ids[links]
            edge_names = dict(zip(vocabulary.edge_ids.tolist(), vocabulary.edges, strict=True))
        loops = edges[:, 0] == edges[:, 1]
        at_loop = np.full(len(labels), NO_LOOP, np.int32)
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        at_loop[nodes[owner[loops]] + edges[loops, 0]] = ids[loops]
        kept = np.concatenate(([0], np.cumsum(~loops)))[offsets]
        return cls(
            nodes.astype(np.int64),
            kept.astype(np.int64),
            np.stack((labels, at_loop), axis=1),
            np.ascontiguousarray(edges[~loops]),
            ids[~loops],
            graphs.directed,
            names,
            edge_names,
        )

    def native(self, node_kinds: Ints, edge_kinds: Ints) -> _native.PricedGraphs:
        return _native.PricedGraphs(
            self.node_offsets, self.edge_offsets, node_kinds, self.edges, edge_kinds, self.directed
        )


def _refuse_large(graphs: Graph | Collection, sizes: npt.NDArray[np.int64]) -> None:
    if len(sizes) and sizes.max() > _native.MOST_PRICED_NODES:
        place = "" if isinstance(graphs, Graph) else f" (graph {int(sizes.argmax())})"
        raise QuestionError(
            f"a graph has {int(sizes.max())} nodes{place}; with these costs or this method edit distances go up to "
            f"{_native.MOST_PRICED_NODES}",
            hint=f"equal prices of all edits, without edge labels and loops, are searched up to "
            f"{_native.MOST_EDIT_NODES} nodes",
        )


def _kinds(sides: list[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], list[Ints]]:
    """The different rows that occur, and for each side's rows which one it is, counted from 1."""
    rows, which = np.unique(np.concatenate(sides), axis=0, return_inverse=True)
    if len(rows) > _MOST_KINDS:
        raise QuestionError(
            f"{len(rows)} different labels are more than a table of prices can hold ({_MOST_KINDS})",
            hint="EditCosts(node_labels=False, edge_labels=False) ignores labels",
        )
    kinds = (which.reshape(-1) + 1).astype(np.int32)
    return rows, [kinds[: len(sides[0])], kinds[len(sides[0]) :]]


def _edge_table(ids: Ints, kinds: list[Ints], names: Mapping[int, Name], costs: EditCosts) -> Table:
    """[left kind, right kind]; keeping an edge costs its relabelling, or its replacement where that is cheaper."""
    here, there = _occurring(kinds)
    table = np.zeros((len(ids) + 1, len(ids) + 1))
    for k, i in enumerate(ids.tolist(), 1):
        if k in there or not isinstance(costs.insert_edge, Mapping):
            table[0, k] = costs.of("insert_edge", names[i])
        if k in here or not isinstance(costs.delete_edge, Mapping):
            table[k, 0] = costs.of("delete_edge", names[i])
    kept = _relabelling(ids, here, there, names, costs.relabel_edge, costs.edge)
    table[1:, 1:] = np.minimum(kept, table[1:, :1] + table[:1, 1:])
    return table


def _node_table(
    natures: Ints, kinds: list[Ints], loop_names: Mapping[int, Name], names: Mapping[int, Name], costs: EditCosts
) -> Table:
    """[left kind, right kind]: the label's price and the loop's."""
    here, there = _occurring(kinds)
    labels, loops = natures[:, 0], natures[:, 1]

    def insertion(loop: int) -> float:
        return 0.0 if loop == NO_LOOP else costs.of("insert_edge", loop_names[loop])

    def deletion(loop: int) -> float:
        return 0.0 if loop == NO_LOOP else costs.of("delete_edge", loop_names[loop])

    def change(was: int, is_now: int) -> float:
        if NO_LOOP in (was, is_now):
            return deletion(was) + insertion(is_now)
        kept = costs.edge(loop_names[was], loop_names[is_now])
        return min(kept, costs.of("delete_edge", loop_names[was]) + costs.of("insert_edge", loop_names[is_now]))

    table = np.zeros((len(natures) + 1, len(natures) + 1))
    rows = list(enumerate(natures.tolist(), 1))
    for k, (label, loop) in rows:
        if k in there or not isinstance(costs.insert_node, Mapping):
            table[0, k] = costs.of("insert_node", names[label]) + (insertion(loop) if k in there else 0)
        if k in here or not isinstance(costs.delete_node, Mapping):
            table[k, 0] = costs.of("delete_node", names[label]) + (deletion(loop) if k in here else 0)
    table[1:, 1:] = _relabelling(labels, here, there, names, costs.relabel_node, costs.node)
    if (loops != NO_LOOP).any():
        for k, (_, loop) in rows:
            for other, (_, loop_there) in rows:
                if k in here and other in there:
                    table[k, other] += change(loop, loop_there)
    return table


def _relabelling(
    ids: Ints, here: set[int], there: set[int], names: Mapping[int, Name], price: Any, of: Any
) -> npt.NDArray[np.float64]:
    """Only what a table must hold is looked up in it: labels of the left side against labels of the right side."""
    if not isinstance(price, Mapping):
        # `of` is 0 where labels do not count; any two different names tell.
        differ = of(0, 1)
        return np.where(ids[:, None] == ids[None, :], 0.0, differ)
    table = np.zeros((len(ids), len(ids)))
    for k in here:
        for other in there:
            table[k - 1, other - 1] = of(names[int(ids[k - 1])], names[int(ids[other - 1])])
    return table


def _occurring(kinds: list[Ints]) -> tuple[set[int], set[int]]:
    return set(np.unique(kinds[0]).tolist()), set(np.unique(kinds[1]).tolist())


def _tabled(*prices: Any) -> bool:
    return any(isinstance(price, Mapping) for price in prices)


def _step(node: Table, edge: Table) -> tuple[float, bool]:
    """The largest price of which all others are whole multiples, or 1 and False where there is no handy one."""
    parts = [Fraction(repr(price)) for price in np.unique(np.concatenate((node.ravel(), edge.ravel()))).tolist()]
    parts = [part for part in parts if part]
    if not parts:
        return 1.0, True
    below = lcm(*(part.denominator for part in parts))
    if below > _WHOLE or max(parts) * below > _WHOLE:
        return 1.0, False
    return float(Fraction(gcd(*(int(part * below) for part in parts)), below)), True


def _stepped(table: Table, step: float, whole: bool) -> Table:
    return np.ascontiguousarray(np.rint(table / step) if whole else table)
