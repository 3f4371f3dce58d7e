"""Graphs larger than any search takes. Their interval is wide, but every bound of it holds and is shown.

A part of each graph is searched, and the common subgraph found there is grown through the whole graphs, neighbour by
neighbour; labels, sizes and components bound from above.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from time import perf_counter

import numpy as np

from infmcs import certify, solve
from infmcs.certify import EditCosts, Pairing, Question
from infmcs.graph import Graph, Ints
from infmcs.solve import Budget, EditSolution, Solution, ged, mcs

MOST_NODES = mcs.MOST_NODES
WINDOW = 256  # nodes of each graph that are searched
GROWTH = 5_000_000  # edges looked at while it grows; a second or two
PART = Budget(visits=20_000)  # for the common subgraph that an edit path begins with


def common_subgraph(left: Graph, right: Graph, question: Question, budget: Budget) -> Solution:
    """A certified common subgraph, exact only where labels or sizes settle it, and a bound on the largest."""
    started = perf_counter()
    a, b = question.look_at(left, right)
    visited = 0
    if a == b:
        nodes = max(a.components(), key=len, default=np.zeros(0, np.int32)) if question.connected else range(a.size)
        mapping: Pairing = tuple((int(v), int(v)) for v in nodes)
    else:
        here, there = _windows(a, b, question)
        part = solve.max_common_subgraph(a.induced(here), b.induced(there), question, budget)
        mapping = grown(a, b, ((here[v], there[w]) for v, w in part.mapping), question)
        visited = part.visited
    shown = certify.common_subgraph(left, right, mapping, question)
    upper = max(shown.size, most_common(a, b, question))
    return Solution(shown.mapping, shown.size, upper, shown.size == upper, visited, perf_counter() - started)


def grown(a: Graph, b: Graph, pairs: Iterable[tuple[int, int]], question: Question) -> Pairing:
    """A common subgraph and all that can be added to it along common edges, one pair of neighbours after another."""
    image = dict(pairs)
    taken = {w: v for v, w in image.items()}
    here, there = _joined(a, question), _joined(b, question)
    labels, others = (graph.label_ids.tolist() if question.node_labels else [0] * graph.size for graph in (a, b))

    def fits(x: int, y: int) -> bool:
        if not question.induced:
            return True
        if here[x].get(x) != there[y].get(y):
            return False
        shared = {image[u]: kind for u, kind in here[x].items() if u in image}
        return shared == {u: kind for u, kind in there[y].items() if u in taken}

    waiting = deque(image)
    work = 0
    while waiting and work < GROWTH:
        v = waiting.popleft()
        for x, kind in here[v].items():
            if x in image:
                continue
            for y, other in there[image[v]].items():
                work += len(here[x])
                if work > GROWTH:
                    break
                if y not in taken and kind == other and labels[x] == others[y] and fits(x, y):
                    image[x], taken[y] = y, x
                    waiting.append(x)
                    break
    return tuple(sorted(image.items()))


def _joined(graph: Graph, question: Question) -> list[dict[int, tuple[int | None, int | None]]]:
    """The neighbours of each node, and what must agree about the edge there and the edge back."""
    ids = graph.edge_label_ids if question.edge_labels else None
    kinds = [0] * len(graph.edges) if ids is None else ids.tolist()
    joined: list[dict[int, tuple[int | None, int | None]]] = [{} for _ in range(graph.size)]
    for (u, v), kind in zip(graph.edges.tolist(), kinds, strict=True):
        if graph.directed:
            joined[u][v] = (kind, joined[u].get(v, (None, None))[1])
            joined[v][u] = (joined[v].get(u, (None, None))[0], kind)
        else:
            joined[u][v] = joined[v][u] = (kind, kind)
    return joined


def most_common(a: Graph, b: Graph, question: Question) -> int:
    """What no common subgraph exceeds: labels that both have, components, edges."""
    if question.count == "edges":
        return min(len(a.edges), len(b.edges))
    bound = shared_labels(a, b) if question.node_labels else min(a.size, b.size)
    if question.connected:
        bound = min(bound, *(max((len(part) for part in graph.components()), default=0) for graph in (a, b)))
    return bound


def shared_labels(a: Graph, b: Graph) -> int:
    """How many nodes can have partners of their own label."""
    top = int(max(a.label_ids.max(initial=-1), b.label_ids.max(initial=-1))) + 1
    counts = (np.bincount(graph.label_ids, minlength=top) for graph in (a, b))
    return int(np.minimum(*counts).sum())


def too_large_for_edits(left: Graph, right: Graph, costs: EditCosts) -> bool:
    """Whether no search of edit distances at these costs takes a graph of this size as a whole."""
    size = max(left.size, right.size)
    return size > ged.MOST_PRICED_NODES and size > ged.most_nodes(left, right, costs)


def edit_distance(left: Graph, right: Graph, costs: EditCosts) -> EditSolution:
    """A certified edit path, and what no edit path can undercut.

    Nodes are kept that are partners in a common subgraph, or alike in label and degree: whichever keeps more.
    """
    started = perf_counter()
    a, b = costs.look_at(left, right)
    if a == b:
        mappings = [[(v, v) for v in range(a.size)]]
    else:
        question = Question(True, False, costs.node_labels, costs.edge_labels, costs.directed)
        shared = common_subgraph(left, right, question, PART).mapping
        mappings = [_alike(a, b, (), labels=costs.node_labels), _alike(a, b, shared, labels=costs.node_labels)]
    path = certify.edit_path(left, right, max(mappings, key=lambda mapping: _kept(a, b, mapping)), costs)
    lower = 0.0
    if costs.unit is not None:
        kept = shared_labels(a, b) if costs.node_labels else min(a.size, b.size)
        lower = costs.unit * (max(a.size, b.size) - kept + abs(len(a.edges) - len(b.edges)))
    lower = min(lower, path.cost)
    certify.edit_bounds(path, lower, path.cost)
    return EditSolution(path.mapping, lower, path.cost, lower == path.cost, 0, perf_counter() - started, path)


def _kept(a: Graph, b: Graph, mapping: list[tuple[int, int]]) -> int:
    """How many edges and labels a mapping keeps: each saves an edit or two."""
    pairs = np.array(mapping, np.int64).reshape(-1, 2)
    image = np.full(a.size, -1, np.int64)
    image[pairs[:, 0]] = pairs[:, 1]
    moved = image[a.edges]
    moved = moved[(moved >= 0).all(axis=1)]
    if not a.directed:
        moved = np.sort(moved, axis=1)
    kept = np.isin(moved[:, 0] * b.size + moved[:, 1], b.edges[:, 0].astype(np.int64) * b.size + b.edges[:, 1])
    same = a.label_ids[pairs[:, 0]] == b.label_ids[pairs[:, 1]]
    return 2 * int(kept.sum()) + int(same.sum())


def _alike(a: Graph, b: Graph, known: Pairing, *, labels: bool) -> list[tuple[int, int]]:
    """The known partners, then nodes of equal label in order of degree, then the rest in order of degree."""
    found = list(known)
    used = {v for v, _ in found}, {w for _, w in found}
    order = [
        [node for node in np.argsort(-graph.degrees(), kind="stable").tolist() if node not in mine]
        for graph, mine in zip((a, b), used, strict=True)
    ]
    if labels:
        waiting: dict[int, deque[int]] = {}
        for w in order[1]:
            waiting.setdefault(int(b.label_ids[w]), deque()).append(w)
        for v in order[0]:
            same = waiting.get(int(a.label_ids[v]))
            if same:
                found.append((v, same.popleft()))
    here, there = {v for v, _ in found}, {w for _, w in found}
    rest = ([v for v in order[0] if v not in here], [w for w in order[1] if w not in there])
    return found + list(zip(*rest, strict=False))


def _windows(a: Graph, b: Graph, question: Question) -> tuple[list[int], list[int]]:
    """A part of each graph around nodes of many edges and, where labels count, of one label."""
    starts = [int(graph.degrees().argmax()) if graph.size else 0 for graph in (a, b)]
    if question.node_labels and a.size and b.size:
        both = np.intersect1d(a.label_ids, b.label_ids)
        if len(both):
            common = max(both.tolist(), key=lambda label: (min(_count(a, label), _count(b, label)), -label))
            starts = [_busiest(graph, common) for graph in (a, b)]
    return _around(a, starts[0]), _around(b, starts[1])


def _count(graph: Graph, label: int) -> int:
    return int((graph.label_ids == label).sum())


def _busiest(graph: Graph, label: int) -> int:
    alike: Ints = np.flatnonzero(graph.label_ids == label).astype(np.int32)
    return int(alike[graph.degrees()[alike].argmax()])


def _around(graph: Graph, start: int) -> list[int]:
    beside: list[list[int]] = [[] for _ in range(graph.size)]
    for u, v in graph.edges.tolist():
        beside[u].append(v)
        beside[v].append(u)
    seen = dict.fromkeys([start] if graph.size else [])
    waiting = deque(seen)
    while waiting and len(seen) < WINDOW:
        for node in beside[waiting.popleft()]:
            if len(seen) < WINDOW and node not in seen:
                seen[node] = None
                waiting.append(node)
    return sorted(seen)
