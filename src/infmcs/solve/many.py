"""One subgraph that all graphs of a list have in common, as chemists ask of a series of molecules.

Candidates are parts of the smallest graph. A candidate whose largest common subgraph with every graph of the list is
the whole candidate is an answer; else the smallest of those sizes bounds what can be inside it, and one element after
the other is taken away: candidate i lacks element i and keeps the elements before it, so none is met twice. The most
hopeful candidate goes first, so the first answer that is as large as the best hope is proven. Every candidate is also
folded through the list, which gives common subgraphs on the way: the result is sound whenever the budget ends.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from infmcs import certify
from infmcs.certify import Question
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.solve.budget import NO_LIMIT, Budget, Interrupted, Solution
from infmcs.solve.mcs import DEFAULT, max_common_subgraph


@dataclass(frozen=True, slots=True)
class CommonOfMany:
    """A subgraph that all graphs of a list have in common: the largest has at least `lower`, at most `upper`.

    pattern   the common subgraph, as a graph.
    nodes     one row a graph of the list: nodes[i][k] is the node of graph i that is node k of the pattern.
    """

    pattern: Graph
    nodes: tuple[tuple[int, ...], ...]
    lower: int
    upper: int
    proved: bool
    visited: int
    seconds: float


def common_subgraph_of_many(
    graphs: Iterable[Graph], question: Question = DEFAULT, budget: Budget = NO_LIMIT
) -> CommonOfMany:
    """A largest subgraph that all these graphs have in common; within a budget, as large as was found, and a bound.

    Ctrl-C raises `Interrupted` with the result so far.
    """
    graphs = list(graphs)
    if not graphs:
        raise QuestionError("a list of no graphs has no common subgraph", hint="give one graph or more")
    for graph in graphs:
        question.look_at(graphs[0], graph)
    search = _Search(graphs, question, budget)
    try:
        search.run()
    except _SpentError:
        pass
    except KeyboardInterrupt:
        raise Interrupted(search.result()) from None
    return search.result()


class _SpentError(Exception):
    """The budget is."""


class _Search:
    def __init__(self, graphs: Sequence[Graph], question: Question, budget: Budget) -> None:
        self.question, self.budget = question, budget
        self.started, self.visited = time.perf_counter(), 0
        self.graphs = [question.look_at(graph, graph)[0] for graph in graphs]
        self.first = min(self.graphs, key=lambda graph: (graph.size, len(graph.edges)))
        self.others = sorted((graph for graph in self.graphs if graph is not self.first), key=lambda graph: graph.size)
        # A pattern must be found as it is: induced by its nodes, or with all its edges.
        self.whole = question if question.induced else replace(question, count="edges", connected=False)
        self.pattern = self.first.induced([])
        self.nodes: tuple[tuple[int, ...], ...] = tuple(() for _ in graphs)
        self.lower, self.upper = 0, self.common_kinds(self.first)

    def run(self) -> None:
        if self.question.count == "nodes" and self.upper:
            for node in np.unique(self.first.label_ids, return_index=True)[1]:
                self.keep(_with_edges(self.first, []).induced([int(node)]))
        count = self.first.size if self.question.induced else len(self.first.edges)
        order = itertools.count()
        waiting: list[tuple[int, int, frozenset[int], frozenset[int]]] = []
        waiting.append((-self.upper, next(order), frozenset(range(count)), frozenset()))
        while waiting and -waiting[0][0] > self.lower:
            negative, _, elements, kept = waiting[0]
            self.upper = hope = -negative
            pattern = self.part(elements)
            bound = min(hope, self.bound(pattern))
            if bound > self.lower:
                self.fold(pattern)
            heapq.heappop(waiting)
            if bound <= self.lower:
                continue
            if bound < hope:  # others may be more hopeful now
                heapq.heappush(waiting, (-bound, next(order), elements, kept))
                continue
            loose = sorted(elements - kept)
            for i, element in enumerate(loose):
                most = min(bound, self.most(len(elements) - 1))
                if most > self.lower:
                    child = (elements - {element}, kept | frozenset(loose[:i]))
                    heapq.heappush(waiting, (-most, next(order), *child))
        self.upper = self.lower

    def most(self, elements: int) -> int:
        """What so many elements can be worth."""
        if self.question.induced or self.question.count == "edges":
            return elements
        return elements + 1 if self.question.connected else self.upper

    def part(self, elements: frozenset[int]) -> Graph:
        if self.question.induced:
            return self.first.induced(sorted(elements))
        return _with_edges(self.first, sorted(elements))

    def bound(self, pattern: Graph) -> int:
        """No subgraph of the pattern that all have in common is larger."""
        least = self.common_kinds(pattern)
        for graph in (pattern, *self.others):
            if least <= self.lower:
                break
            least = min(least, int(self.pair(pattern, graph, self.question).upper))
        return least

    def common_kinds(self, pattern: Graph) -> int:
        """Of each label (of each type of edge, where edges are counted) no more than every graph has."""
        common = _kinds(pattern, self.question)
        for graph in self.others:
            common &= _kinds(graph, self.question)
        return common.total()

    def fold(self, pattern: Graph) -> None:
        """Cuts a pattern down to what each graph has of it, one after the other."""
        for graph in (pattern, *self.others):
            mapping = self.pair(pattern, graph, self.question).mapping
            common = certify.common_subgraph(pattern, graph, mapping, self.question)
            if common.size <= self.lower:
                return
            if not self.question.induced:
                numbers = {edge: k for k, edge in enumerate(map(tuple, pattern.edges.tolist()))}
                pattern = _with_edges(pattern, sorted(numbers[edge] for edge in common.edges))
            pattern = pattern.induced([v for v, _ in common.mapping])
        self.keep(pattern)

    def keep(self, pattern: Graph) -> None:
        """Takes a pattern that is larger than the one before and that all graphs have."""
        size = pattern.size if self.question.count == "nodes" else len(pattern.edges)
        if size <= self.lower:
            return
        nodes = [self.placed(pattern, graph) for graph in self.graphs]
        found = [row for row in nodes if row is not None]
        if len(found) == len(nodes):
            self.lower, self.pattern, self.nodes = size, pattern, tuple(found)

    def placed(self, pattern: Graph, graph: Graph) -> tuple[int, ...] | None:
        """Where a graph has the whole pattern."""
        wanted = pattern.size if self.question.induced else len(pattern.edges)
        solution = self.pair(pattern, graph, self.whole)
        return None if solution.lower < wanted else _completed(pattern, graph, dict(solution.mapping), self.question)

    def pair(self, pattern: Graph, graph: Graph, question: Question) -> Solution:
        visits, seconds = self.budget.visits, self.budget.seconds
        if visits is not None:
            visits -= self.visited
        if seconds is not None:
            seconds -= time.perf_counter() - self.started
        if (visits is not None and visits <= 0) or (seconds is not None and seconds <= 0):
            raise _SpentError
        solution = max_common_subgraph(pattern, graph, question, Budget(visits, seconds))
        self.visited += max(1, solution.visited)
        return solution

    def result(self) -> CommonOfMany:
        upper = max(self.upper, self.lower)
        seconds = time.perf_counter() - self.started
        return CommonOfMany(self.pattern, self.nodes, self.lower, upper, self.lower == upper, self.visited, seconds)


def _kinds(graph: Graph, question: Question) -> Counter[Hashable]:
    """How many nodes of each label, or edges of each type, the question tells apart."""
    labels = graph.label_ids.tolist() if question.node_labels else [0] * graph.size
    if question.count == "nodes":
        return Counter(labels)
    ids = graph.edge_label_ids if question.edge_labels else None
    bonds = [0] * len(graph.edges) if ids is None else ids.tolist()
    ends = [(labels[u], labels[v]) for u, v in graph.edges.tolist()]
    loops = (graph.edges[:, 0] == graph.edges[:, 1]).tolist()
    if not question.directed:
        ends = [(min(pair), max(pair)) for pair in ends]
    return Counter(zip(ends, bonds, loops, strict=True))


def _with_edges(graph: Graph, edges: list[int]) -> Graph:
    """The graph with these of its edges only, and all its nodes."""
    names = graph.edge_label_names
    return Graph.from_edges(
        graph.size,
        graph.edges[edges],
        graph.label_names,
        None if names is None else [names[k] for k in edges],
        directed=graph.directed,
    )


def _completed(pattern: Graph, graph: Graph, found: dict[int, int], question: Question) -> tuple[int, ...] | None:
    """The mapping with the nodes that no edge of the pattern touches, each put to any free node of its label."""
    free = [w for w in range(graph.size) if w not in set(found.values())]
    for v in range(pattern.size):
        if v in found:
            continue
        alike = [w for w in free if not question.node_labels or pattern.label_ids[v] == graph.label_ids[w]]
        if not alike:
            return None
        found[v] = alike[0]
        free.remove(alike[0])
    return tuple(found[v] for v in range(pattern.size))
