"""Every answer obeys the laws: equal graphs give 1, both orders and all numberings agree, the truth is inside."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infmcs
from infmcs import Answer, Collection, EditCosts, Graph, Question, answers, certify, models, pairs, solve
from infmcs.answers import giants, plan
from infmcs.errors import QuestionError
from infmcs.models import Infmcs, Settings
from infmcs.pairs import METRICS, Metric
from infmcs.solve import Budget
from tests.kit import comparable_graphs, graphs, renumberings

few = settings(max_examples=25)
ONE_STEP = Budget(visits=1)
metrics = pytest.mark.parametrize("metric", METRICS)
two_graphs = st.tuples(graphs(labels=True, max_nodes=6), graphs(labels=True, max_nodes=6))


@cache
def model() -> Infmcs:
    import torch

    torch.set_num_threads(1)
    known = Collection.from_graphs([Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=["C", "N", 6, (1, "a")])])
    return models.build(Settings(width=8, heads=2, hops=2, positions=8), known, seed=1).eval()


def truth(metric: Metric, a: Graph, b: Graph) -> float:
    if metric == "mcs":
        return pairs.nmcs(int(solve.max_common_subgraph(a, b).lower), a.size, b.size)
    return pairs.nged(solve.edit_distance(a, b).upper, a.size, b.size)


@metrics
@few
@given(two_graphs)
def test_an_answer_without_limits_is_exact_certified_and_the_same_from_both_sides(
    metric: Metric, pair: tuple[Graph, Graph]
) -> None:
    a, b = pair
    answer, back = infmcs.compare(a, b, metric), infmcs.compare(b, a, metric)
    assert answer.proved
    assert answer.source == "exact"
    assert answer.similarity == answer.lower == answer.upper == truth(metric, a, b) == back.similarity
    if metric == "mcs":
        assert certify.common_subgraph(a, b, answer.mapping).size == answer.found.lower
        assert answer.path is None
    else:
        assert answer.path is not None
        assert certify.edit_path(a, b, answer.mapping).cost == answer.path.cost == answer.found.upper


@metrics
@few
@given(st.data())
def test_a_graph_and_itself_in_another_numbering_give_one(metric: Metric, data: st.DataObject) -> None:
    graph = data.draw(graphs(labels=None, max_nodes=7))
    question = Question(connected=False)  # the whole of a graph in pieces is no connected subgraph
    wishes: dict[str, Any] = {"question": question} if metric == "mcs" else {}
    answer = infmcs.compare(graph, data.draw(renumberings(graph)), metric, **wishes)
    assert answer.similarity == 1
    assert answer.proved


@metrics
@pytest.mark.parametrize("asked", [False, True], ids=["search", "model"])
@few
@given(two_graphs)
def test_a_spent_budget_leaves_an_interval_that_holds_the_truth_and_the_answer(
    metric: Metric, asked: bool, pair: tuple[Graph, Graph]
) -> None:
    a, b = pair
    answer = infmcs.compare(a, b, metric, model() if asked else None, ONE_STEP)
    assert 0 <= answer.lower <= answer.similarity <= answer.upper <= 1
    assert answer.lower <= truth(metric, a, b) <= answer.upper
    if answer.proved:
        assert answer.similarity == truth(metric, a, b)
    elif asked:
        assert answer.source == "model"
        assert answer.score is not None
        assert answer.similarity == min(max(answer.score, answer.lower), answer.upper)
    else:
        assert (answer.source, answer.score, answer.similarity) == ("search", None, answer.lower)


def test_the_model_is_asked_only_where_the_exact_answer_is_too_dear() -> None:
    rng = np.random.default_rng(3)
    edges = [(u, v) for v in range(60) for u in range(v) if rng.random() < 0.2]
    a, b = Graph.from_edges(60, edges), Graph.from_edges(60, [(u, v) for u, v in edges if (u + v) % 7])
    small = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    cheap = infmcs.compare(small, small, model=model())
    assert (cheap.source, cheap.score) == ("exact", None)
    dear = infmcs.compare(a, b, model=model(), budget=Budget(visits=2_000))
    assert dear.source == "model"
    assert dear.lower <= dear.similarity <= dear.upper
    assert dear.upper > dear.lower
    assert plan.expected(a, b).visits > 1e4 > plan.expected(small, small).visits


@metrics
@few
@given(two_graphs)
def test_expected_costs_are_the_same_from_both_sides(metric: Metric, pair: tuple[Graph, Graph]) -> None:
    told = plan.expected(*pair, metric)
    assert told == plan.expected(pair[1], pair[0], metric)
    assert 0 < told.visits <= told.visits_at_worst
    assert 0 < told.seconds <= told.seconds_at_worst


def test_the_expected_costs_come_with_their_record() -> None:
    record = plan.fit()["record"]
    assert record["command"].startswith("plan.py")
    assert record["versions"]["infmcs"]
    for metric in METRICS:
        fitted = plan.fit()[metric]
        assert len(fitted["weights"]) == len(plan.features(Graph.from_edges(0, []), Graph.from_edges(1, [])))
        were, called = fitted["held_back_called_affordable_and_were"]
        assert were >= 0.9 * called > 0


@metrics
def test_empty_graphs_are_equal_and_unlike_all_others(metric: Metric) -> None:
    empty, one = Graph.from_edges(0, []), Graph.from_edges(1, [])
    assert infmcs.compare(empty, empty, metric).similarity == 1
    answer = infmcs.compare(empty, one, metric)
    assert answer.similarity == (0 if metric == "mcs" else pytest.approx(np.exp(-2)))
    assert answer.mapping == ()
    assert str(answer.explain())
    assert answer.draw().startswith("<svg")


def test_graphs_without_a_common_label_have_nothing_in_common() -> None:
    answer = infmcs.compare(Graph.from_edges(2, [(0, 1)], ["a", "b"]), Graph.from_edges(2, [(0, 1)], ["c", "d"]))
    assert (answer.similarity, answer.proved, answer.mapping) == (0, True, ())
    assert {reason.reason for reason in answer.explain().unmatched} == {"label"}


def test_directions_are_refused_where_only_one_graph_has_them() -> None:
    a = Graph.from_edges(3, [(0, 1), (1, 2)], directed=True)
    b = Graph.from_edges(3, [(0, 1), (1, 2)])
    with pytest.raises(QuestionError, match="right graph is undirected"):
        infmcs.compare(a, b, question=Question(directed=True))
    assert infmcs.compare(a, b).similarity == 1
    assert infmcs.compare(a, b, "ged").similarity == 1
    assert infmcs.compare(a, b).draw().startswith("<svg")


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"metric": "hed"}, "no metric"),
        ({"costs": EditCosts(insert_node=2)}, "costs belong"),
        ({"metric": "ged", "question": Question(connected=False)}, "question belongs"),
    ],
)
def test_calls_that_make_no_sense_are_refused(wishes: dict[str, Any], message: str) -> None:
    graph = Graph.from_edges(1, [])
    with pytest.raises(QuestionError, match=message):
        infmcs.compare(graph, graph, **wishes)


@metrics
def test_graphs_too_large_to_search_get_an_interval_that_holds(metric: Metric) -> None:
    size = giants.MOST_NODES + 200
    labels = [v % 5 for v in range(size)]
    path = Graph.from_edges(size, [(v, v + 1) for v in range(size - 1)], labels)
    shorter = path.induced(range(size - 100))
    answer = infmcs.compare(path, shorter, metric, budget=Budget(visits=1_000))
    true = pairs.nmcs(size - 100, size, size - 100) if metric == "mcs" else pairs.nged(200, size, size - 100)
    assert 0 < answer.lower <= true <= answer.upper < 1
    assert answer.lower > 0.9 * true  # grown far beyond the part that was searched
    assert answer.source == ("exact" if answer.proved else "bounds")
    assert answer.mapping
    itself = infmcs.compare(path, path.renumbered(range(size)), metric)
    assert (itself.similarity, itself.proved) == (1, True)
    assert infmcs.compare(path, Graph.from_edges(0, []), metric).proved


@few
@given(comparable_graphs(labels=None, max_nodes=7))
def test_bounds_of_large_graphs_hold_for_small_ones_too(pair: tuple[Graph, Graph]) -> None:
    a, b = pair
    for question in (Question(), Question(connected=False), Question(node_labels=False)):
        found = giants.common_subgraph(a, b, question, Budget())
        assert found.lower <= solve.max_common_subgraph(a, b, question).lower <= found.upper
        shown = giants.grown(a, b, found.mapping[:1], question)
        assert certify.common_subgraph(a, b, shown, question).size >= len(found.mapping[:1])
    for costs in (
        EditCosts(),
        EditCosts(edge_labels=True),
        EditCosts(insert_node=2, relabel_edge=0.5, edge_labels=True),
    ):
        path = giants.edit_distance(a, b, costs)
        assert path.lower <= solve.edit_distance(a, b, costs).upper + 1e-9
        assert solve.edit_distance(a, b, costs).lower <= path.upper + 1e-9


@pytest.mark.parametrize("costs", [EditCosts(insert_node=2), EditCosts(edge_labels=True), EditCosts(directed=True)])
def test_graphs_too_large_for_other_prices_get_an_interval_too(costs: EditCosts) -> None:
    edges, names = [(v, v + 1) for v in range(299)], ["single", "double"] * 149
    path = Graph.from_edges(300, edges, edge_labels=["single", *names], directed=costs.directed)
    shorter = Graph.from_edges(300, edges[:-1], edge_labels=["single", *names[:-1]], directed=costs.directed)
    answer = infmcs.compare(path, shorter, "ged", costs=costs)
    assert answer.found.lower <= 1 <= answer.found.upper
    with pytest.raises(QuestionError, match="up to 256"):
        solve.edit_distance(path, shorter, costs)


def test_an_answer_explains_itself_in_words() -> None:
    a = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], list("xyzw"))
    b = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], list("xyzq"))
    told = infmcs.compare(a, b).explain()
    assert [(m.left, m.right, m.label) for m in told.matched] == [(0, 0, "x"), (1, 1, "y"), (2, 2, "z")]
    assert "similarity 0.7500 (proved): 3 nodes in common" in str(told)
    assert "left 3 is unmatched: the right graph has no node labelled w" in str(told)
    edits = infmcs.compare(a, b, "ged").explain()
    assert [edit.kind for edit in edits.edits] == ["relabel node"]
    assert "relabel node 3 (right 3) (cost 1)" in str(edits)
    assert json.loads(json.dumps(edits.to_dict()))["edits"][0]["kind"] == "relabel node"


@metrics
@few
@given(comparable_graphs(labels=None, edge_labels=None, max_nodes=5))
def test_an_answer_is_json_and_a_picture(metric: Metric, pair: tuple[Graph, Graph]) -> None:
    answer = infmcs.compare(*pair, metric)
    told = json.loads(json.dumps(answer.to_dict()))
    assert told["similarity"] == answer.similarity
    assert told["mapping"] == [list(two) for two in answer.mapping]
    assert ("edits" in told) == (metric == "ged")
    assert answer.headline.split(":")[0] in answer.draw()


def test_a_picture_of_an_answer_is_saved(tmp_path: Path) -> None:
    graph = Graph.from_edges(2, [(0, 1)])
    infmcs.compare(graph, graph).draw(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")


def test_answers_need_no_torch() -> None:
    program = """
import sys
sys.modules["torch"] = None
import infmcs
a = infmcs.Graph.from_edges(3, [(0, 1), (1, 2)], ["C", "C", "O"])
assert infmcs.compare(a, a).similarity == 1 == infmcs.compare(a, a, "ged").similarity
assert "matched" in infmcs.compare(a, a).explain().to_dict()
infmcs.compare(a, a).draw()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_public_names_are_these() -> None:
    assert infmcs.compare is answers.compare
    assert isinstance(infmcs.compare(Graph.from_edges(0, []), Graph.from_edges(0, [])), Answer)
