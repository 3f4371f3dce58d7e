"""A graph as a short row of counts from which bounds follow: how many nodes carry each label, how many edges join each
two labels, how many nodes have each neighbourhood. Whatever two graphs have in common, they have in both rows.

Counts of different things may share a column: the sum of the smaller counts only grows by that, so a bound from
columns never falls below the bound from the things themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection
from infmcs.vocabulary import Name

LABELS, PAIRS, STARS = 16, 48, 64  # columns of each block
OWN = 12  # labels with a column of their own; the others share the rest of the block
DEGREES = 8  # the largest degrees kept of each graph

Array = npt.NDArray[Any]
U = np.uint64


@dataclass(frozen=True)
class Scheme:
    """Which labels have a column of their own. Fixed when an index is begun, so that all its rows mean the same."""

    labels: tuple[Name, ...]

    @classmethod
    def of(cls, graphs: Collection) -> Scheme:
        """The most frequent labels of these graphs."""
        names = graphs.vocabulary.nodes
        counts = np.bincount(graphs.labels[graphs.nodes_here], minlength=len(names))
        order = np.argsort(-counts, kind="stable")[:OWN]
        return cls(tuple(names[code] for code in order.tolist() if counts[code]))

    @cached_property
    def _places(self) -> dict[Name, int]:
        return {name: place for place, name in enumerate(self.labels)}

    def columns(self, names: Sequence[Name]) -> tuple[Array, Array]:
        """The label column of each name, and a number that stands for the name in every process."""
        hashes = np.array([_stable(name) for name in names], U)
        shared = OWN + (hashes % U(LABELS - OWN)).astype(np.int64)
        own = np.array([self._places.get(name, -1) for name in names], np.int64)
        return np.where(own >= 0, own, shared), hashes

    def rows(self, graphs: Collection) -> tuple[Array, Array, Array]:
        """Counts of labels and pairs (graphs, LABELS + PAIRS), of neighbourhoods (graphs, STARS), and the largest
        degrees, falling (graphs, DEGREES). Loops are left out.
        """
        count, here = len(graphs), graphs.nodes_here
        columns, hashes = self.columns(graphs.vocabulary.nodes)
        labels = graphs.labels[here]
        owner = np.repeat(np.arange(count), graphs.sizes)
        starts = graphs.node_offsets[:-1] - graphs.node_offsets[0]
        edges = graphs.edges[graphs.edges_here].astype(np.int64)
        edge_owner = np.repeat(np.arange(count), graphs.edge_counts)
        proper = edges[:, 0] != edges[:, 1]
        edge_owner = edge_owner[proper]
        ends = edges[proper] + starts[edge_owner, None]
        if graphs.directed:  # opposite arcs are one edge
            ends = np.sort(ends, axis=1)
            _, first = np.unique(ends[:, 0] * len(labels) + ends[:, 1], return_index=True)
            edge_owner, ends = edge_owner[first], ends[first]

        mixed = _mixed(hashes)[labels]  # one number a node
        around = np.zeros(len(labels), U)
        np.add.at(around, ends[:, 0], mixed[ends[:, 1]])
        np.add.at(around, ends[:, 1], mixed[ends[:, 0]])
        star = _mixed(around ^ (mixed * U(0x9E3779B97F4A7C15)))
        pair = _mixed(mixed[ends[:, 0]] + mixed[ends[:, 1]])

        blocks = [
            (owner, columns[labels], LABELS),
            (edge_owner, (pair % U(PAIRS)).astype(np.int64), PAIRS),
            (owner, (star % U(STARS)).astype(np.int64), STARS),
        ]
        counts = [np.bincount(who * width + what, minlength=count * width) for who, what, width in blocks]
        tables = [c.reshape(count, width) for c, (_, _, width) in zip(counts, blocks, strict=True)]
        degrees = _largest_degrees(np.bincount(ends.ravel(), minlength=len(labels)), owner, starts, count)
        return np.concatenate(tables[:2], axis=1), tables[2], degrees


def _largest_degrees(degrees: Array, owner: Array, starts: Array, count: int) -> Array:
    order = np.lexsort((-degrees, owner))
    place = np.arange(len(degrees)) - starts[owner]  # sorted by owner, so places stay within each graph
    kept = place < DEGREES
    table = np.zeros((count, DEGREES), np.int64)
    table[owner[kept], place[kept]] = degrees[order][kept]
    return table


def _stable(name: Name) -> int:
    return int.from_bytes(hashlib.blake2b(repr(name).encode(), digest_size=8).digest(), "little")


def _mixed(words: Array) -> Array:
    """Each word as another in which every bit depends on every bit (Stafford's variant 13 of MurmurHash3's finish)."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> U(30))) * U(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> U(27))) * U(0x94D049BB133111EB)
        mixed: Array = words ^ (words >> U(31))
        return mixed


def smallest(array: Array) -> Array:
    """The array in the smallest unsigned type that holds it."""
    most = int(array.max()) if array.size else 0
    return np.asarray(array, np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int32)
