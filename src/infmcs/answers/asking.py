"""`compare`: the exact answer where it is affordable, else the best that a model and the budget give."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from infmcs import pairs, solve
from infmcs.answers import giants, plan
from infmcs.answers.answer import Answer, Source
from infmcs.certify import EditCosts, Question
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.pairs import Metric
from infmcs.solve import Budget, Interrupted, Solution

if TYPE_CHECKING:
    from infmcs.models import Infmcs

BUDGET = Budget(seconds=1.0)
DEFAULT = Question()
UNIT = EditCosts()
LEAST_SECONDS = 1e-3  # of search, however long the model took


def compare(
    left: Graph,
    right: Graph,
    metric: Metric = "mcs",
    model: Infmcs | None = None,
    budget: Budget = BUDGET,
    *,
    question: Question = DEFAULT,
    costs: EditCosts = UNIT,
) -> Answer:
    """How similar two graphs are, between which proven bounds, and what shows it.

    metric    "mcs": by the largest common subgraph that `question` asks for; "ged": by the edit distance at `costs`.
    model     is asked where the exact answer is expected to cost more than the budget; the search then begins with the
              common subgraph that it sees. Without a model, the search alone goes as far as the budget.
    budget    of the search. Search nodes are reproducible, seconds are not.

    Ctrl-C raises `Interrupted`, whose `found` is the answer so far.
    """
    started = perf_counter()
    if metric == "mcs":
        if costs is not UNIT and costs != UNIT:
            raise QuestionError("costs belong to metric='ged'", hint="common subgraphs are asked for by a question")
    elif metric != "ged":
        raise QuestionError(f"no metric is named {metric!r}", hint="metric='mcs' or 'ged'")
    elif question is not DEFAULT and question != DEFAULT:
        raise QuestionError("a question belongs to metric='mcs'", hint="edits are priced by costs")

    score: float | None = None
    searched = True
    stopped = False
    try:
        if metric == "mcs" and max(left.size, right.size) > giants.MOST_NODES:
            searched, found = False, giants.common_subgraph(left, right, question, budget)
        elif metric == "ged" and giants.too_large_for_edits(left, right, costs):
            searched, found = False, giants.edit_distance(left, right, costs)
        elif model is None or plan.affordable(left, right, metric, question, costs, budget):
            found = _search(left, right, metric, question, costs, budget)
        else:
            score, found = _guided(model, left, right, metric, question, costs, budget, started)
    except Interrupted as interruption:
        found, stopped = interruption.found, True
    if model is not None and score is None and not found.proved and searched and not stopped:
        score = _score(model, left, right)

    sizes = _size(left, metric, question), _size(right, metric, question)
    lower, upper = pairs.interval(metric, found.lower, found.upper, *sizes)
    source: Source = "exact" if found.proved else "search" if searched else "bounds"
    similarity = lower
    if score is not None and not found.proved:
        similarity, source = min(max(score, lower), upper), "model"
    answer = Answer(
        left,
        right,
        metric,
        question,
        costs,
        found,
        similarity,
        lower,
        upper,
        score,
        source,
        perf_counter() - started,
    )
    if stopped:
        raise Interrupted(answer)
    return answer


def _search(
    left: Graph, right: Graph, metric: Metric, question: Question, costs: EditCosts, budget: Budget
) -> Solution:
    if metric == "mcs":
        return solve.max_common_subgraph(left, right, question, budget)
    return solve.edit_distance(left, right, costs, budget)


def _guided(
    model: Infmcs,
    left: Graph,
    right: Graph,
    metric: Metric,
    question: Question,
    costs: EditCosts,
    budget: Budget,
    started: float,
) -> tuple[float, Solution]:
    """The model's score, and what the search finds that begins where the model points."""
    if metric == "ged":
        score = _score(model, left, right)
        return score, _search(left, right, metric, question, costs, _rest(budget, started))
    from infmcs import explain

    seen = explain.common_subgraph(model, left, right, question, _rest(budget, started))
    return seen.view.similarity, seen.found


def _score(model: Infmcs, left: Graph, right: Graph) -> float:
    from infmcs import explain

    return explain.view(model, left, right).similarity


def _rest(budget: Budget, started: float) -> Budget:
    if budget.seconds is None:
        return budget
    return Budget(budget.visits, max(LEAST_SECONDS, budget.seconds - (perf_counter() - started)))


def _size(graph: Graph, metric: Metric, question: Question) -> int:
    if metric == "ged" or question.count == "nodes":
        return graph.size
    return int(pairs.sizes(graph, metric, question)[0])
