"""How good predicted similarities are: errors, rank correlations, the share of the best found, areas under curves.

Rank measures are taken a query: a row of the true and of the predicted similarities to every graph of a database.
Ties get average ranks. A row without any order (all equal) correlates with nothing: it counts 0.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs.errors import QuestionError

Array: TypeAlias = "npt.NDArray[np.float64]"
Ties: TypeAlias = Literal["expected", "generous", "arbitrary"]


def mse(true: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Mean squared error; tables print it times 100 (MCS) or times 1000 (GED)."""
    true, predicted = _alike(true, predicted)
    return float(np.square(true - predicted).mean()) if true.size else float("nan")


def error_in_nodes(true: npt.ArrayLike, predicted: npt.ArrayLike, mean_sizes: npt.ArrayLike) -> float:
    """Mean absolute error of the number of common nodes."""
    true, predicted = _alike(true, predicted)
    return float((np.abs(true - predicted) * np.asarray(mean_sizes)).mean()) if true.size else float("nan")


def spearman(true: npt.ArrayLike, predicted: npt.ArrayLike, *, selves: bool = True) -> Array:
    """Rank correlation of each row; `selves=False` leaves out the diagonal of squares."""
    first, second = (ranks(_without_selves(values, selves)) for values in _alike(true, predicted))
    first -= first.mean(axis=1, keepdims=True)
    second -= second.mean(axis=1, keepdims=True)
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    product: Array = (first * second).sum(axis=1)
    found: Array = np.divide(product, spread, out=np.zeros(len(first)), where=spread > 0)
    return found


def kendall(true: npt.ArrayLike, predicted: npt.ArrayLike, *, selves: bool = True) -> Array:
    """Kendall's tau-b of each row: pairs in the same order less pairs in the other, over those not tied."""
    first, second = (_without_selves(values, selves) for values in _alike(true, predicted))
    found = np.zeros(len(first))
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        ahead = np.sign(a[:, None] - a).astype(np.int8)
        behind = np.sign(b[:, None] - b).astype(np.int8)
        untied = np.sqrt(float(np.count_nonzero(ahead)) * float(np.count_nonzero(behind)))
        found[row] = float((ahead * behind).sum(dtype=np.int64)) / untied if untied else 0.0
    return found


def precision(
    true: npt.ArrayLike, predicted: npt.ArrayLike, k: int, *, ties: Ties = "expected", selves: bool = True
) -> Array:
    """Share of each row's k best that were predicted, p@k, in one of three conventions for ties.

    expected    the true best are all that are no worse than the k-th; predicted ties are broken by chance, and the
                expected value is given. The main one.
    generous    predicted ties all count as well (SimGNN, GraphSim, MGMN, H2MN): a constant answer scores 1.
    arbitrary   exactly k predicted, ties broken by the order of the database (Extended-SimGNN).
    """
    first, second = (_without_selves(values, selves) for values in _alike(true, predicted))
    if not 0 < k <= first.shape[1]:
        raise QuestionError(f"the best {k} of {first.shape[1]} answers cannot be looked at")
    best = first >= np.partition(first, -k, axis=1)[:, [-k]]
    last = np.partition(second, -k, axis=1)[:, [-k]]
    above, level = second > last, second == last
    if ties == "generous":
        return np.asarray(np.minimum((best & (above | level)).sum(axis=1), k) / k)
    if ties == "arbitrary":
        order = np.argsort(-second, axis=1, kind="stable")[:, :k]
        return np.asarray(np.take_along_axis(best, order, axis=1).sum(axis=1) / k)
    if ties != "expected":
        raise QuestionError(f"there is no convention {ties!r} for ties", hint="expected, generous or arbitrary")
    room = k - above.sum(axis=1)  # places left for those level with the last
    chance = room / level.sum(axis=1)
    return np.asarray(((best & above).sum(axis=1) + chance * (best & level).sum(axis=1)) / k)


def chance_of_precision(true: npt.ArrayLike, k: int, *, selves: bool = True) -> float:
    """The p@k of an answer that knows nothing."""
    first = _without_selves(_square(true), selves)
    best = first >= np.partition(first, -k, axis=1)[:, [-k]]
    return float(best.mean())


def auc(same: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The chance that a true pair scores above a false one; ties count half."""
    true, scores = np.asarray(same, bool).reshape(-1), np.asarray(predicted, np.float64).reshape(-1)
    many, few = int(true.sum()), int((~true).sum())
    if not many or not few:
        raise QuestionError("an area under the curve needs pairs of both kinds")
    return float((ranks(scores[None])[0][true].sum() - many * (many + 1) / 2) / (many * few))


def auc_interval(
    same: npt.ArrayLike, predicted: npt.ArrayLike, *, level: float = 0.95, rounds: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Between which areas the middle `level` of bootstrap samples lies; true and false pairs are drawn apart."""
    from infmcs import provenance

    true, scores = np.asarray(same, bool).reshape(-1), np.asarray(predicted, np.float64).reshape(-1)
    rng, (ones,), (zeros,) = provenance.generator(seed, "bootstrap"), np.nonzero(true), np.nonzero(~true)
    marks = np.repeat([True, False], [len(ones), len(zeros)])
    found = [
        auc(marks, scores[np.concatenate((rng.choice(ones, len(ones)), rng.choice(zeros, len(zeros))))])
        for _ in range(rounds)
    ]
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def ranks(rows: npt.ArrayLike) -> Array:
    """Ranks in each row from 1; equal values share the mean of theirs."""
    values = np.asarray(rows, np.float64)
    count = values.shape[1]
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    fresh = np.ones(values.shape, bool)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = np.cumsum(fresh, axis=1) - 1 + np.arange(len(values))[:, None] * count  # which run of equals, a row apart
    lengths = np.bincount(run.reshape(-1), minlength=len(values) * count)
    places = np.bincount(run.reshape(-1), np.tile(np.arange(1.0, count + 1), len(values)), len(lengths))
    found = np.empty_like(values)
    mean = np.divide(places, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    np.put_along_axis(found, order, mean[run], axis=1)
    return found


def _alike(true: npt.ArrayLike, predicted: npt.ArrayLike) -> tuple[Array, Array]:
    first, second = np.asarray(true, np.float64), np.asarray(predicted, np.float64)
    if first.shape != second.shape:
        raise QuestionError(f"{first.shape} true values cannot be compared with {second.shape} predicted ones")
    if np.isnan(first).any() or np.isnan(second).any():
        raise QuestionError("a similarity that is no number has no error and no rank")
    return first, second


def _square(values: npt.ArrayLike) -> Array:
    return np.atleast_2d(np.asarray(values, np.float64))


def _without_selves(values: Any, selves: bool) -> Array:
    rows = _square(values)
    if selves:
        return rows
    if rows.shape[0] != rows.shape[1]:
        raise QuestionError(f"{rows.shape} similarities have no diagonal to leave out")
    count = len(rows)
    return rows[~np.eye(count, dtype=bool)].reshape(count, count - 1)
