"""Many pairs in one call: graphs prepared once, threads over small chunks, arrays out.

Values do not depend on the number of threads. A mapping on request is checked by `certify`, like every other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import _native, certify
from infmcs.certify import EditCosts, Pairing, Question
from infmcs.collection import Collection
from infmcs.errors import CertificateError, QuestionError
from infmcs.graph import Graph, Ints, Offsets
from infmcs.solve import ged
from infmcs.solve.budget import FOREVER, NO_LIMIT, Budget, Interrupted
from infmcs.solve.classes import classes
from infmcs.solve.mcs import DEFAULT, asked, prepared

PairArray: TypeAlias = "npt.NDArray[np.int64]"
Progress: TypeAlias = "Callable[[int], object]"

_FEW_KINDS = 0.8  # sorting the pairs by kind costs as much as searching one in ten
_REDUCTIONS = 15  # all four; tests and benchmarks switch some off (native/bindings/mcs.cpp)


@dataclass(frozen=True, slots=True, eq=False)
class Mappings:
    """One mapping a pair, packed. Read like a list."""

    pairs: Ints
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, k: int) -> Pairing:
        k = range(len(self))[k]
        rows = self.pairs[self.offsets[k] : self.offsets[k + 1]]
        return tuple((v, w) for v, w in rows.tolist())

    def __iter__(self) -> Iterator[Pairing]:
        return (self[k] for k in range(len(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """What is known of each pair: the true value is at least `lower` and at most `upper`; `proved` where they meet.

    pairs      (count, 2): which graph of the left, which of the right collection.
    lower      whole numbers, or float64 where edits have other prices than 1; upper likewise.
    visited    search nodes spent on each pair; -1 where work was stopped before the pair's turn.
    mappings   one a pair, or None when they were not asked for.
    """

    pairs: PairArray
    lower: npt.NDArray[Any]
    upper: npt.NDArray[Any]
    proved: npt.NDArray[np.bool_]
    visited: npt.NDArray[np.int64]
    mappings: Mappings | None = None

    def __len__(self) -> int:
        return len(self.pairs)


def pairs(
    left: Collection,
    pairs: npt.ArrayLike,
    right: Collection | None = None,
    *,
    metric: Literal["mcs", "ged"] = "mcs",
    question: Question = DEFAULT,
    costs: EditCosts = ged.UNIT,
    method: ged.Method = "exact",
    width: int = 10,
    budget: Budget | Sequence[Budget] = NO_LIMIT,
    above: int | npt.ArrayLike | None = None,
    below: float | npt.ArrayLike | None = None,
    mappings: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
) -> Values:
    """The largest common subgraphs, or edit distances, of these pairs (rows of `pairs`: graph of left, graph of right).

    right      the same collection as left when left out.
    question   which common subgraphs; costs: which edits. Each belongs to its metric.
    method     of edit distances: what is known of each pair is what the method of that name in `solve` finds out.
    width      of method='beam': how many paths it keeps open.
    budget     for each pair; or a list of one a pair.
    above      of common subgraphs, one for all or one a pair: a pair with no more than that comes back with lower 0
               and upper at most that.
    below      of edit distances, likewise: the search of a pair ends as soon as upper <= below or lower > below.
    progress   called now and then with the number of finished pairs. What it raises stops the work.

    Ctrl-C raises `Interrupted` with the values so far; pairs not yet begun have the bounds that any graphs have of
    their sizes.
    """
    right = left if right is None else right
    rows = checked_pairs(pairs, left, right)
    if metric == "ged":
        if question != DEFAULT or above is not None:
            raise QuestionError("question and above belong to common subgraphs", hint="edits have costs and below")
        how = _checked_method(method, below), ged.checked_width(width)
        return _edit_distances(left, right, rows, costs, how, budget, below, mappings, threads, progress)
    if metric != "mcs":
        raise QuestionError(f"no metric is named {metric!r}", hint="metric='mcs' or 'ged'")
    if costs != ged.UNIT or below is not None or method != "exact":
        raise QuestionError(
            "costs, method and below belong to metric='ged'", hint="common subgraphs have question and above"
        )
    if question.directed or left.directed != right.directed:
        certify.require_directions(question, left, right)
    visits, seconds = _limits(budget, len(rows))
    native = _native.max_common_subgraphs(
        prepared(left, question),
        prepared(right, question),
        rows,
        *asked(question),
        visits,
        seconds,
        _checked_above(above, len(rows)),
        mappings,
        checked_threads(threads),
        progress,
        _REDUCTIONS,
    )
    lower, upper, visited, flat, offsets, error = native
    unsearched = upper < 0
    if unsearched.any():
        sizes = (left.sizes, right.sizes) if question.count == "nodes" else (left.edge_counts, right.edge_counts)
        upper[unsearched] = np.minimum(sizes[0][rows[:, 0]], sizes[1][rows[:, 1]])[unsearched]
        visited[unsearched] = -1
    packed = None
    if mappings:
        packed = Mappings(flat.reshape(-1, 2), offsets)
        _certify_all(left, right, rows, lower, packed, question)
    values = Values(rows, lower, upper, lower == upper, visited, packed)
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(values)
    if error is not None:
        raise error
    return values


def all_pairs(collection: Collection, **wishes: Any) -> Values:
    """What `pairs` says of all unordered pairs of different graphs: rows (i, j) with i < j, in order.

    Takes what `pairs` takes. As a square matrix: `square[rows[:, 0], rows[:, 1]] = values.lower`, and mirrored.
    Where many graphs are equal, common subgraphs without mappings are searched once for each two kinds of graph.
    """
    rows = np.stack(np.triu_indices(len(collection), 1), axis=1)
    question = wishes.get("question", DEFAULT)
    alike = np.ndim(wishes.get("above") or 0) == 0 and isinstance(wishes.get("budget", NO_LIMIT), Budget)
    if alike and len(rows) and not wishes.get("mappings") and wishes.get("metric", "mcs") == "mcs":
        certify.require_directions(question, collection, collection)
        kinds = classes(collection, question).astype(np.int64)
        count = int(kinds.max()) + 1
        if count < _FEW_KINDS * len(collection):
            return _once_a_kind(collection, rows, kinds, count, wishes)
    return pairs(collection, rows, **wishes)


def _once_a_kind(
    collection: Collection, rows: PairArray, kinds: npt.NDArray[np.int64], count: int, wishes: dict[str, Any]
) -> Values:
    of_rows = np.sort(kinds[rows], axis=1)
    met, place = np.unique(of_rows[:, 0] * count + of_rows[:, 1], return_inverse=True)
    first = np.unique(kinds, return_index=True)[1]
    asked = np.stack((first[met // count], first[met % count]), axis=1)
    tell = wishes.get("progress")
    if tell is not None:
        wishes = {**wishes, "progress": lambda done: tell(done * len(rows) // len(asked))}

    def spread(values: Values) -> Values:
        return Values(rows, values.lower[place], values.upper[place], values.proved[place], values.visited[place])

    try:
        return spread(pairs(collection, asked, **wishes))
    except Interrupted as interrupted:
        raise Interrupted(spread(interrupted.found)) from None


def _edit_distances(
    left: Collection,
    right: Collection,
    rows: PairArray,
    costs: EditCosts,
    how: tuple[ged.Method, int],
    budget: Budget | Sequence[Budget],
    below: float | npt.ArrayLike | None,
    mappings: bool,
    threads: int,
    progress: Progress | None,
) -> Values:
    a, b = _seen(left, right, costs)
    visits, seconds = _limits(budget, len(rows))
    threads = checked_threads(threads)
    method, width = how
    if method == "exact" and (unit := ged.unit_of(a, b, costs)) is not None:
        steps = _in_steps(_checked_below(below, len(rows)), unit)
        ready = ged.prepared(a, costs), ged.prepared(b, costs)
        native = _native.edit_distances(*ready, rows, visits, seconds, steps, mappings, threads, progress)
    else:
        under, unit = ged.priced_pair(a, b, costs)
        most = _checked_below(below, len(rows)) / unit
        native = _native.priced_edit_distances(
            *under, ged.METHODS[method], width, rows, visits, seconds, most, mappings, threads, progress
        )
    lower, upper, visited, images, begins, error = native
    unsearched = upper < 0
    if unsearched.any():
        upper[unsearched] = [_everything(a[i], b[j], costs) / unit for i, j in rows[unsearched].tolist()]
    proved = lower >= upper
    if unit != 1:
        lower, upper = lower * unit, upper * unit
    elif upper.dtype.kind == "f" and method != "hed" and ged.whole(costs):
        lower, upper = np.ceil(lower - 1e-6).astype(np.int32), np.rint(upper).astype(np.int32)
    packed = None
    if mappings:
        packed = _packed_images(images, begins)
        _certify_paths(left, right, rows, upper, packed, costs)
    values = Values(rows, lower, upper, proved, visited, packed)
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(values)
    if error is not None:
        raise error
    return values


def _checked_method(method: ged.Method, below: object) -> ged.Method:
    if method not in ged.METHODS:
        raise QuestionError(f"no method is named {method!r}", hint=f"methods: {', '.join(ged.METHODS)}")
    if method != "exact" and below is not None:
        raise QuestionError(f"only the exact search stops at below, not {method}")
    return method


def _seen(left: Collection, right: Collection, costs: EditCosts) -> tuple[Collection, Collection]:
    """Both sides as these costs see them: with directions or without."""
    if not costs.directed:
        seen = left.undirected(costs.edge_labels)
        return seen, seen if right is left else right.undirected(costs.edge_labels)
    certify.require_directions(costs, left, right)
    return left, right


def _everything(left: Graph, right: Graph, costs: EditCosts) -> float:
    """What deleting all and inserting all costs: an edit path that any two graphs have."""
    return certify.edit_path(left, right, (), costs).cost


def _packed_images(images: Ints, begins: Offsets) -> Mappings:
    """Mappings from the image of every left node, -1 where it has none."""
    kept = images >= 0
    nodes = np.arange(len(images), dtype=np.int32) - np.repeat(begins[:-1], np.diff(begins)).astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(kept)))[begins]
    return Mappings(np.stack((nodes[kept], images[kept]), axis=1), offsets)


def _certify_paths(
    left: Collection,
    right: Collection,
    rows: PairArray,
    distances: npt.NDArray[Any],
    mappings: Mappings,
    costs: EditCosts,
) -> None:
    ours = {i: left[i] for i in np.unique(rows[:, 0]).tolist()}
    theirs = {j: right[j] for j in np.unique(rows[:, 1]).tolist()}
    for k, (i, j) in enumerate(rows.tolist()):
        shown = certify.edit_path(ours[i], theirs[j], mappings[k], costs).cost
        if not isclose(shown, distances[k], rel_tol=1e-9, abs_tol=1e-9):
            raise CertificateError(f"pair {i}, {j}: the search claims {distances[k]}, but its edit path costs {shown}")


def _certify_all(
    left: Collection,
    right: Collection,
    rows: PairArray,
    sizes: npt.NDArray[np.int32],
    mappings: Mappings,
    question: Question,
) -> None:
    ours = {i: left[i] for i in np.unique(rows[:, 0]).tolist()}
    theirs = {j: right[j] for j in np.unique(rows[:, 1]).tolist()}
    for k, (i, j) in enumerate(rows.tolist()):
        a, b = ours[i], theirs[j]
        shown = certify.common_subgraph(a, b, mappings[k], question).size
        if shown != sizes[k]:
            raise CertificateError(f"pair {i}, {j}: the search claims {sizes[k]}, but its mapping shows {shown}")


def checked_pairs(pairs: npt.ArrayLike, left: Collection, right: Collection) -> PairArray:
    """Rows of whole numbers, each naming a graph of left and one of right; a QuestionError if they do not."""
    rows = np.asarray(pairs)
    if rows.size == 0:
        rows = np.zeros((0, 2), np.int64)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise QuestionError(f"pairs must be whole numbers of shape (count, 2), not {rows.dtype} of shape {rows.shape}")
    rows = np.ascontiguousarray(rows, np.int64)
    for column, side, graphs in ((0, "left", left), (1, "right", right)):
        wrong = (rows[:, column] < 0) | (rows[:, column] >= len(graphs))
        if wrong.any():
            k = int(np.argmax(wrong))
            raise QuestionError(f"pair {k} names {side} graph {rows[k, column]}, but there are {len(graphs)}")
    return rows


def _limits(budget: Budget | Sequence[Budget], count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    budgets = [budget] if isinstance(budget, Budget) else list(budget)
    if len(budgets) != 1 and len(budgets) != count:
        raise QuestionError(f"{len(budgets)} budgets for {count} pairs", hint="give one for all, or one a pair")
    visits = [FOREVER if one.visits is None else min(int(one.visits), FOREVER) for one in budgets]
    seconds = [np.inf if one.seconds is None else one.seconds for one in budgets]
    return np.array(visits, np.int64), np.array(seconds, np.float64)


def _checked_above(above: int | npt.ArrayLike | None, count: int) -> Ints:
    limits = np.atleast_1d(np.asarray(0 if above is None else above))
    if limits.ndim != 1 or limits.dtype.kind not in "iu" or (limits < 0).any():
        raise QuestionError("above must be a whole number from 0, or one a pair")
    if len(limits) not in (1, count):
        raise QuestionError(f"{len(limits)} values of above for {count} pairs", hint="give one for all, or one a pair")
    return np.ascontiguousarray(np.minimum(limits, 2**31 - 1), np.int32)


def _checked_below(below: float | npt.ArrayLike | None, count: int) -> npt.NDArray[np.float64]:
    if below is None:
        return np.array([-np.inf])
    limits = np.atleast_1d(np.asarray(below))
    if limits.ndim != 1 or limits.dtype.kind not in "iuf" or np.isnan(limits).any() or (limits < 0).any():
        raise QuestionError("below must be a number from 0, or one a pair")
    if len(limits) not in (1, count):
        raise QuestionError(f"{len(limits)} values of below for {count} pairs", hint="give one for all, or one a pair")
    return np.ascontiguousarray(limits, np.float64)


def _in_steps(limits: npt.NDArray[np.float64], unit: float) -> Ints:
    return np.floor(np.clip(limits / unit, -1, 2**31 - 1)).astype(np.int32)


def checked_threads(threads: int) -> int:
    """At least one."""
    if threads < 1:
        raise QuestionError(f"work needs at least one thread, not {threads}")
    return int(threads)
