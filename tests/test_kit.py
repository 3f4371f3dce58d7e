"""The tests' own kit: its graphs reach the special cases, and its oracles know what is known by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, find, settings

from infmcs import EditCosts, Graph, Question
from tests.kit import edit_oracles, graphs
from tests.kit.oracles import largest_common_subgraph

# To find an example is enough: making it smaller may take minutes.
EAGER = settings(max_examples=2000, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])


def twins(graph: Graph) -> bool:
    rows: list[set[int]] = [set() for _ in range(graph.size)]
    for u, v in graph.edges.tolist():
        rows[u].add(v)
        rows[v].add(u)
    alike = [(u, v) for v in range(graph.size) for u in range(v) if rows[u] - {v} == rows[v] - {u} and rows[u]]
    return graph.size > 3 and bool(alike)


SPECIAL: dict[str, Callable[[Graph], bool]] = {
    "empty": lambda graph: graph.size == 0,
    "one node": lambda graph: graph.size == 1,
    "no edges": lambda graph: graph.size > 4 and not len(graph.edges),
    "complete": lambda graph: graph.size > 4 and len(graph.edges) == graph.size * (graph.size - 1) // 2,
    "in pieces with edges": lambda graph: sum(len(piece) > 1 for piece in graph.components()) > 1,
    "a tree of many nodes": lambda graph: graph.size > 6 == len(graph.edges) and len(graph.components()) == 1,
    "a cycle": lambda graph: graph.size > 5 and set(graph.degrees().tolist()) == {2} and len(graph.components()) == 1,
    "twins": twins,
}


@pytest.mark.parametrize("case", SPECIAL)
def test_the_strategy_reaches_a_special_case(case: str) -> None:
    find(graphs(), SPECIAL[case], settings=EAGER)


def test_oracles_know_what_is_known_by_hand() -> None:
    path, cycle = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)]), Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert largest_common_subgraph(path, cycle, Question()) == 3
    assert largest_common_subgraph(path, cycle, Question(induced=False)) == 4
    assert largest_common_subgraph(path, cycle, Question(induced=False, count="edges")) == 3
    assert edit_oracles.edit_distance(path, cycle) == 1
    assert edit_oracles.edit_distance(path, cycle, EditCosts(insert_edge=5.0)) == 5
