"""How similar two graphs are as one number, and which pairs of graphs to look at.

The only home of the similarity formulas. Both lie between 0 and 1, give 1 for equal graphs, and follow their value
monotonically, so proven bounds of a value become proven bounds of a similarity. Pairs are chosen by rule, never
listed before they are needed: 42,000 graphs have 900 million.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
import numpy.typing as npt

from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.errors import QuestionError
from infmcs.graph import Graph

Metric: TypeAlias = Literal["mcs", "ged"]
METRICS: tuple[Metric, ...] = get_args(Metric)


def metric(name: str) -> Metric:
    """The metric of this name, or an error that says which there are."""
    for known in METRICS:
        if name == known:
            return known
    raise _unknown(name)


def _unknown(name: str) -> QuestionError:
    return QuestionError(f"there is no metric {name!r}", hint=f"known: {', '.join(METRICS)}")


Array: TypeAlias = npt.NDArray[Any]
Similarities: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int64]

# -- formulas ------------------------------------------------------------------------------------------------------


@overload
def nmcs(common: float, left: float, right: float) -> float: ...
@overload
def nmcs(common: Array, left: Array, right: Array) -> Similarities: ...
def nmcs(common: Any, left: Any, right: Any) -> Any:
    """The size of a common subgraph over the mean size of the two graphs, counted alike (`sizes`)."""
    if type(common) is type(left) is type(right) is int and 0 <= common <= min(left, right):
        return 2.0 * common / (left + right) if left + right else 1.0  # one pair, without arrays
    common, left, right = np.asarray(common), np.asarray(left), np.asarray(right)
    if (common < 0).any() or (common > np.minimum(left, right)).any():
        raise QuestionError("a common subgraph is not smaller than nothing, nor larger than the smaller graph")
    return _plain(_over_mean(common, left, right, empty=1.0))


@overload
def nged(distance: float, left: float, right: float) -> float: ...
@overload
def nged(distance: Array, left: Array, right: Array) -> Similarities: ...
def nged(distance: Any, left: Any, right: Any) -> Any:
    """exp(−edit distance / mean number of nodes of the two graphs)."""
    if isinstance(distance, int | float) and type(left) is type(right) is int and distance >= 0:
        return float(np.exp(-2.0 * distance / (left + right))) if left + right else 1.0  # one pair, without arrays
    distance = np.asarray(distance)
    if (distance < 0).any():
        raise QuestionError("an edit distance is not below zero")
    return _plain(np.exp(-_over_mean(distance, np.asarray(left), np.asarray(right), empty=0.0)))


@overload
def interval(metric: Metric, lower: float, upper: float, left: float, right: float) -> tuple[float, float]: ...
@overload
def interval(
    metric: Metric, lower: Array, upper: Array, left: Array, right: Array
) -> tuple[Similarities, Similarities]: ...
def interval(metric: Metric, lower: Any, upper: Any, left: Any, right: Any) -> Any:
    """The least and the greatest similarity, from the bounds of an MCS size or of an edit distance."""
    if metric == "mcs":  # more in common is more alike
        return nmcs(lower, left, right), nmcs(upper, left, right)
    if metric == "ged":  # more to edit is less alike
        return nged(upper, left, right), nged(lower, left, right)
    raise _unknown(metric)


def sizes(graphs: Collection | Graph, metric: Metric = "mcs", question: Question = Question()) -> Numbers:
    """What the mean size is made of: the nodes of each graph, or its edges where common edges are counted."""
    if isinstance(graphs, Graph):
        graphs = Collection.from_graphs([graphs])
    if metric == "ged" or question.count == "nodes":
        return np.asarray(graphs.sizes)
    return np.asarray((graphs if question.directed else graphs.undirected()).edge_counts)


def _over_mean(value: Array, left: Array, right: Array, empty: float) -> Similarities:
    """Two graphs without anything in them are equal: `empty` is what makes their similarity 1."""
    total = left + right
    value, total = np.broadcast_arrays(2.0 * value, total)
    mean: Similarities = np.divide(value, total, out=np.full(total.shape, empty), where=total > 0)
    return mean


def _plain(values: Similarities) -> Any:
    return float(values) if values.ndim == 0 else values


# -- which pairs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Pairs in a fixed order, made when asked for: a slice gives an array (pairs, 2) of places in the collection."""

    count: int
    rule: Callable[[Numbers], Numbers]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, part: slice | Numbers) -> Numbers:
        if isinstance(part, slice):
            part = np.arange(*part.indices(self.count), dtype=np.int64)
        return self.rule(part)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


def among(graphs: int | Sequence[int] | Array, *, selves: bool = False) -> Selection:
    """Every unordered pair of so many graphs, or of the graphs at these places; `selves` adds each with itself."""
    ids = _places(graphs)
    count = len(ids)
    shift = int(selves)  # pairs with selves are the pairs of count + 1 things, the second one moved back

    def rule(numbers: Numbers) -> Numbers:
        first, second = _unordered(numbers, count + shift)
        return np.stack((ids[first], ids[second - shift]), axis=1)

    return Selection((count + shift) * (count + shift - 1) // 2, rule)


def between(left: int | Sequence[int] | Array, right: int | Sequence[int] | Array) -> Selection:
    """Every pair of one graph on the left and one on the right, all partners of a left graph together."""
    here, there = _places(left), _places(right)

    def rule(numbers: Numbers) -> Numbers:
        first, second = np.divmod(numbers, max(1, len(there)))
        return np.stack((here[first], there[second]), axis=1)

    return Selection(len(here) * len(there), rule)


def sample(selection: Selection, count: int, seed: int) -> Selection:
    """So many different pairs of a selection, by chance. A larger sample under the same seed begins with a smaller."""
    if not 0 <= count <= len(selection):
        raise QuestionError(
            f"{count:,} different pairs cannot be drawn from {len(selection):,}", hint="leave the sample out for all"
        )
    return Selection(count, lambda numbers: selection[_shuffled(numbers, len(selection), seed)])


def _places(graphs: int | Sequence[int] | Array) -> Numbers:
    if isinstance(graphs, int | np.integer):
        if graphs < 0:
            raise QuestionError(f"there cannot be {graphs} graphs")
        return np.arange(graphs, dtype=np.int64)
    ids = np.asarray(graphs)
    if ids.ndim != 1 or (len(ids) and ids.dtype.kind not in "iu"):
        raise QuestionError("graphs to pair are given as a count or as a list of places")
    return ids.astype(np.int64)


def _unordered(numbers: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """The pairs first < second of 0..count-1 that stand at these places when listed row by row."""
    left_over = count * (count - 1) // 2 - 1 - numbers
    row = ((np.sqrt(8.0 * left_over + 1) - 1) / 2).astype(np.int64)  # counted from the last row
    row -= row * (row + 1) // 2 > left_over  # a double may round across a whole number
    row += (row + 1) * (row + 2) // 2 <= left_over
    return count - 2 - row, count - 1 - (left_over - row * (row + 1) // 2)


def _shuffled(numbers: Numbers, count: int, seed: int) -> Numbers:
    """Where a random order of 0..count-1 has these places. It is computed, not stored.

    A Feistel network permutes the numbers of an even count of bits; what falls outside is sent through again until
    it falls inside, which keeps it a permutation.
    """
    from infmcs import provenance

    half = np.uint64(max(1, -(-max(1, (count - 1).bit_length()) // 2)))
    mask = np.uint64((1 << int(half)) - 1)
    keys = provenance.generator(seed, "sample of pairs").integers(0, 2**64, 6, np.uint64)
    found = numbers.astype(np.uint64)
    outside = np.arange(len(found))
    while len(outside):
        high, low = found[outside] >> half, found[outside] & mask
        for key in keys:
            high, low = low, high ^ (_scrambled(low ^ key) & mask)
        found[outside] = high << half | low
        outside = outside[found[outside] >= count]
    return found.astype(np.int64)


def _scrambled(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Each word as another in which every bit depends on every bit: the finish of MurmurHash3 (Appleby)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        words = (words ^ words >> np.uint64(33)) * np.uint64(factor)
    return words ^ words >> np.uint64(33)
