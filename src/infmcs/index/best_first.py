"""Exact search: the graphs that could be most similar first, each solved only as far as it may still matter, until no
other can improve the answer.

This is the plain form, for every metric; `native/search.cpp` is the fast one for common subgraphs and must equal it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, inf, log
from time import perf_counter

from infmcs import solve
from infmcs.certify import Pairing, Question
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.index.bounds import Array
from infmcs.pairs import Metric, interval
from infmcs.solve import Budget, Interrupted


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of one graph."""

    place: int
    lower: float  # similarity
    upper: float
    value: float  # common nodes, or edits, that the mapping shows
    mapping: Pairing

    @property
    def proved(self) -> bool:
        """Both ends of the interval meet."""
        return self.lower == self.upper


@dataclass(slots=True)
class Ranking:
    """The best so far: at most `top` graphs of similarity at least `threshold`, and of those left out the greatest
    similarity that one of them may have.
    """

    top: int | None
    threshold: float
    best: list[Found] = field(default_factory=list)
    tied: list[Found] = field(default_factory=list)
    beyond: float | None = None  # None: none was left out

    @property
    def full(self) -> bool:
        """A further graph would push one out."""
        return self.top is not None and len(self.best) >= self.top

    @property
    def floor(self) -> float:
        """What a further graph must exceed; minus infinity where any may enter."""
        return (self.best[-1].lower if self.best else inf) if self.full else -inf

    @property
    def complete(self) -> bool:
        """Nothing left out could belong to the best, and each of those is proved."""
        settled = self.beyond is None or (self.full and self.beyond <= self.floor)
        return settled and all(one.proved and one.lower >= self.threshold for one in self.best)

    def take(self, found: Found) -> None:
        """Consider one graph that was solved; by similarity, then by place."""
        if found.lower < self.threshold and found.upper < self.threshold:
            return
        insort(self.best, found, key=lambda one: (-one.lower, one.place))
        if self.top is not None and len(self.best) > self.top:
            out = self.best.pop()
            self.leave(out.upper)
            self.tied = [one for one in [*self.tied, out] if one.proved and one.lower == self.floor]

    def leave(self, upper: float) -> None:
        """One graph is left out that may be this similar."""
        if upper >= self.threshold:
            self.beyond = upper if self.beyond is None else max(self.beyond, upper)


@dataclass(slots=True)
class Spending:
    """The budget of a whole search, shared out among its pairs."""

    budget: Budget
    visited: int = 0
    solved: int = 0
    started: float = field(default_factory=perf_counter)

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return perf_counter() - self.started

    def left(self) -> Budget | None:
        """For the next pair; None when nothing is left."""
        visits = _less(self.budget.visits, self.visited)
        seconds = _less(self.budget.seconds, self.seconds)
        if visits <= 0 or seconds <= 0:
            return None
        return Budget(None if visits == inf else int(visits), None if seconds == inf else seconds)


def _less(limit: float | None, spent: float) -> float:
    return inf if limit is None else limit - spent


Solver = Callable[[Graph, Graph, float, bool, Budget], "tuple[solve.Solution, float, float]"]


def run(
    query: Graph,
    graph: Callable[[int], Graph],
    order: Array,
    uppers: Array,
    solver: Solver,
    ranking: Ranking,
    spending: Spending,
    ties: bool,
) -> bool:
    """Fill the ranking from the places of `order`, best bounds first. Returns whether Ctrl-C ended it.

    ties   also solve what can only equal the last hit, so that all graphs tied with it become known.
    """
    for place in order.tolist():
        upper, floor = float(uppers[place]), ranking.floor
        if upper < ranking.threshold or upper < floor or (upper == floor and not ties):
            ranking.leave(upper)
            return False
        left = spending.left()
        if left is None:
            ranking.leave(upper)
            return False
        least, strictly = (floor, not ties) if floor >= ranking.threshold else (ranking.threshold, False)
        try:
            solution, low, high = solver(query, graph(place), least, strictly, left)
        except Interrupted:
            ranking.leave(upper)
            return True
        spending.visited += solution.visited
        spending.solved += 1
        value = solution.upper if solution.__class__ is solve.EditSolution else solution.lower
        ranking.take(Found(place, low, min(high, upper), value, solution.mapping))
    return False


def common_subgraphs(question: Question) -> Solver:
    """Pairs solved for their largest common subgraph, where it gives at least (or more than) a similarity."""

    def solver(
        query: Graph, graph: Graph, least: float, strictly: bool, budget: Budget
    ) -> tuple[solve.Solution, float, float]:
        need = nodes_needed(least, query.size + graph.size, strictly)
        found = solve.max_common_subgraph(query, graph, question, budget, above=max(0, need - 1))
        low, high = interval("mcs", found.lower, found.upper, query.size, graph.size)
        return found, low, high

    return solver


def edit_distances() -> Solver:
    """Pairs solved for their edit distance, where it gives at least (or more than) a similarity."""

    def solver(
        query: Graph, graph: Graph, least: float, strictly: bool, budget: Budget
    ) -> tuple[solve.Solution, float, float]:
        most = edits_allowed(least, query.size + graph.size, strictly)
        found = solve.edit_distance(query, graph, budget=budget, below=None if most == inf else max(0.0, most))
        if found.upper <= most and not found.proved:  # similar enough: now exactly how similar
            rest = None if budget.visits is None else budget.visits - found.visited
            seconds = None if budget.seconds is None else budget.seconds - found.seconds
            if (rest is None or rest > 0) and (seconds is None or seconds > 0):
                found = solve.edit_distance(query, graph, budget=Budget(rest, seconds))
        low, high = interval("ged", found.lower, found.upper, query.size, graph.size)
        return found, low, high

    return solver


def nodes_needed(similarity: float, total: int, strictly: bool) -> int:
    """The least number of common nodes of two graphs of `total` nodes that gives this similarity, or more than it.

    Quotients of whole numbers below 2^26 round to different doubles unless they are equal, so this is exact.
    """
    if total == 0 or similarity == -inf:
        return 0
    need = max(0, int(similarity * total / 2) - 1)
    while 2.0 * need / total < similarity or (strictly and 2.0 * need / total == similarity):
        need += 1
    return need


def edits_allowed(similarity: float, total: int, strictly: bool) -> float:
    """The greatest whole number of edits that gives this similarity, or more than it; -1 if none does."""
    if similarity <= 0:
        return inf
    if total == 0:
        return 0.0 if similarity < 1 or not strictly else -1.0
    most = int(-log(similarity) * total / 2) + 1
    while most >= 0 and (
        exp(-2.0 * most / total) < similarity or (strictly and exp(-2.0 * most / total) == similarity)
    ):
        most -= 1
    return float(most)


def solver_of(metric: Metric, question: Question) -> Solver:
    """How pairs are solved under this metric."""
    if metric == "mcs":
        return common_subgraphs(question)
    if question != Question():
        raise QuestionError("a question belongs to common subgraphs", hint="edit distances have prices of their own")
    return edit_distances()
