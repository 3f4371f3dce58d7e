"""One search: what is wished for, which way leads there, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from infmcs import certify
from infmcs.certify import Question
from infmcs.errors import CertificateError, ModelError, QuestionError
from infmcs.graph import Graph
from infmcs.index import best_first, bounds, shelves, vectors
from infmcs.index.best_first import Found, Ranking, Spending
from infmcs.index.bounds import Array
from infmcs.index.carried import Carried
from infmcs.index.contents import Contents
from infmcs.index.result import Hit, Result
from infmcs.pairs import METRICS, Metric
from infmcs.solve import Budget, Interrupted

Order: TypeAlias = Literal["bounds", "model"]

TOP = 10
ALIKE = 5_000  # graphs that an approximate search looks at more closely, by their rows of counts
FEW: dict[Metric, int] = {"mcs": 40, "ged": 8}  # times as many as are wanted are solved, at least
SHARE = 200  # of so many graphs, at least one is solved
PAIR = Budget(visits=200_000)  # of one pair of an approximate search


@dataclass(frozen=True)
class Wishes:
    """What a search is to find, checked."""

    top: int | None
    threshold: float
    metric: Metric
    question: Question
    exact: bool
    ties: bool
    order: Order

    @classmethod
    def of(
        cls,
        top: int | None,
        threshold: float | None,
        metric: Metric,
        question: Question,
        *,
        exact: bool,
        ties: bool,
        order: Order,
    ) -> Wishes:
        """These wishes, or an error."""
        if metric not in METRICS:
            raise QuestionError(f"there is no metric {metric!r}", hint=f"known: {', '.join(METRICS)}")
        if order not in get_args(Order):
            raise QuestionError(f"there is no order {order!r}", hint="bounds or model")
        if top is not None and (not isinstance(top, int | np.integer) or isinstance(top, bool) or top < 1):
            raise QuestionError(f"top must be a whole number from 1, not {top!r}")
        if threshold is not None and not 0 <= threshold <= 1:
            raise QuestionError(f"a similarity lies between 0 and 1, so the threshold cannot be {threshold!r}")
        if top is None and threshold is None:
            top = TOP
        return cls(top, 0.0 if threshold is None else float(threshold), metric, question, exact, ties, order)


def search(
    contents: Contents, carried: Carried | None, query: Graph, wishes: Wishes, chosen: Array, budget: Budget
) -> Result:
    """The answer, exact or approximate. Ctrl-C raises `Interrupted` with what is known by then."""
    question = wishes.question
    if question.directed and not (query.directed and all(segment.directed for segment in contents.segments)):
        raise QuestionError(
            "the question asks for directions, but not all graphs have them",
            hint="Question(directed=False) ignores directions",
        )
    ranking, spending = Ranking(wishes.top, wishes.threshold), Spending(budget)
    native = wishes.metric == "mcs" and shelves.suits(contents, question)
    stopped = False
    if not wishes.exact:
        stopped = _approximate(contents, carried, query, wishes, chosen, ranking, spending, native=native)
    elif native:
        first = _favourites(contents, carried, query, wishes, chosen)
        stopped = shelves.run(contents, query, question, chosen, ranking, spending, wishes.ties, first)
    else:
        stopped = _plain(contents, query, wishes, chosen, ranking, spending)
    if wishes.metric == "mcs":
        _certify(query, contents, ranking, question)
    result = _told(contents, carried, query, wishes, int(chosen.sum()), ranking, spending)
    if stopped:
        raise Interrupted(result)
    return result


def _plain(
    contents: Contents, query: Graph, wishes: Wishes, chosen: Array, ranking: Ranking, spending: Spending
) -> bool:
    uppers = bounds.uppers(contents, query, wishes.metric, wishes.question)
    places = np.flatnonzero(chosen)
    order = places[np.argsort(-uppers[places], kind="stable")]
    solver = best_first.solver_of(wishes.metric, wishes.question)
    return best_first.run(query, contents.graph, order, uppers, solver, ranking, spending, wishes.ties)


def _favourites(contents: Contents, carried: Carried | None, query: Graph, wishes: Wishes, chosen: Array) -> list[int]:
    if wishes.order == "bounds":
        return []
    if carried is None:
        raise ModelError("the index carries no model to order by", hint="Index.build(graphs, model=...)")
    places = np.flatnonzero(chosen)
    scores = vectors.scores(contents, carried.model, query, places)
    most = min(len(places), 2 * (wishes.top or TOP))
    return [int(place) for place in places[np.argsort(-scores, kind="stable")[:most]]]


def _approximate(
    contents: Contents,
    carried: Carried | None,
    query: Graph,
    wishes: Wishes,
    chosen: Array,
    ranking: Ranking,
    spending: Spending,
    *,
    native: bool,
) -> bool:
    """Solve those few that look best: by rows of counts, then by the model where there is one, within their bounds."""
    if native:
        uppers = shelves.uppers(contents, query, wishes.question)
    else:
        uppers = bounds.uppers(contents, query, wishes.metric, wishes.question)
    rows = shelves.likeness(contents, query, chosen)
    alike = np.minimum(rows, uppers)
    few = FEW[wishes.metric] * (wishes.top or TOP)
    if wishes.metric == "mcs":
        few = max(few, len(contents) // SHARE, ALIKE if wishes.threshold > 0 else 0)
    places = _largest(alike, max(few, ALIKE) if carried is not None else few)
    places = places[chosen[places] & (uppers[places] >= wishes.threshold)]
    if carried is not None and len(places):
        places = np.sort(places)
        scores = np.minimum(vectors.scores(contents, carried.model, query, places), uppers[places])
        places = places[_largest(scores, few)]
    shortlist = rows == 1  # the query itself, wherever it is and whatever the model thinks of it
    shortlist[places] = True
    stopped = False
    if native:
        pairs = PAIR.visits or 0
        limit = Budget(min(spending.budget.visits or pairs * len(places) or 1, max(1, pairs * len(places))),
                       spending.budget.seconds)  # fmt: skip
        within = Spending(limit, started=spending.started)
        stopped = shelves.run(contents, query, wishes.question, shortlist, ranking, within, wishes.ties)
        spending.solved, spending.visited = within.solved, within.visited
    else:
        stopped = _plain(contents, query, wishes, shortlist, ranking, spending)
    rest = chosen & ~shortlist
    if rest.any():
        ranking.leave(float(uppers[rest].max()))
    return stopped


def _largest(values: Array, count: int) -> Array:
    """Places of the largest values, falling; equal ones by place."""
    if count < len(values):
        kept = np.argpartition(-values, count)[:count]
        kept = np.sort(kept)
    else:
        kept = np.arange(len(values))
    largest: Array = kept[np.argsort(-values[kept], kind="stable")]
    return largest


def _certify(query: Graph, contents: Contents, ranking: Ranking, question: Question) -> None:
    """Every mapping of a ranking shows what it is said to show, or an error."""
    for found in ranking.best:
        shown = certify.common_subgraph(query, contents.graph(found.place), found.mapping, question)
        if shown.size != found.value:
            raise CertificateError(f"the search claims a size of {found.value}, but its mapping shows {shown.size}")


def _told(
    contents: Contents,
    carried: Carried | None,
    query: Graph,
    wishes: Wishes,
    graphs: int,
    ranking: Ranking,
    spending: Spending,
) -> Result:
    places = [found.place for found in ranking.best]
    scores: dict[int, float] = {}
    if carried is not None and places:
        rising = np.array(sorted(places))
        found_scores = vectors.scores(contents, carried.model, query, rising)
        scores = dict(zip(rising.tolist(), map(float, found_scores), strict=True))
    hits = [_hit(contents, found, wishes.metric, scores.get(found.place)) for found in ranking.best]
    hits.sort(key=lambda hit: (-hit.similarity, hit.id))
    return Result(
        tuple(hits),
        ranking.complete,
        ranking.beyond,
        tuple(int(contents.ids[found.place]) for found in ranking.tied),
        wishes.metric,
        graphs,
        graphs - spending.solved,
        spending.solved,
        spending.visited,
        spending.seconds,
    )


def _hit(contents: Contents, found: Found, metric: Metric, score: float | None) -> Hit:
    known = found.lower if score is None else min(max(score, found.lower), found.upper)
    return Hit(
        int(contents.ids[found.place]),
        contents.name(found.place),
        known,
        found.lower,
        found.upper,
        found.proved,
        found.mapping,
        score,
        int(found.value) if metric == "mcs" else None,
        found.value if metric == "ged" else None,
    )
