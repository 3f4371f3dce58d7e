"""Edit distances by trying everything: short, slow, and sharing nothing with the solvers but the prices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infmcs import EditCosts, Graph

Mapping = tuple[tuple[int, int], ...]


def edit_mappings(left: int, right: int) -> Iterator[Mapping]:
    """Every mapping of some of the left nodes to different right nodes."""

    def extend(v: int, free: frozenset[int]) -> Iterator[Mapping]:
        if v == left:
            yield ()
            return
        yield from extend(v + 1, free)
        for w in sorted(free):
            for rest in extend(v + 1, free - {w}):
                yield ((v, w), *rest)

    yield from extend(0, frozenset(range(right)))


def edit_cost(left: Graph, right: Graph, mapping: Mapping, costs: EditCosts = EditCosts()) -> float:
    """What a mapping costs, written out from the definition."""
    left, right = costs.look_at(left, right)
    image, source = dict(mapping), {w: v for v, w in mapping}
    names, images = left.label_names, right.label_names
    here, there = _edges(left, costs), _edges(right, costs)
    total = sum(costs.node(names[v], images[w]) for v, w in mapping)
    total += sum(costs.of("delete_node", names[v]) for v in range(left.size) if v not in image)
    total += sum(costs.of("insert_node", images[w]) for w in range(right.size) if w not in source)
    kept = {frozenset((image[u], image[v])) if not left.directed else (image[u], image[v]): name
            for (u, v), name in here.items() if u in image and v in image}  # fmt: skip
    for (u, v), name in here.items():
        if u not in image or v not in image:
            total += costs.of("delete_edge", name)
    for (x, y), name in there.items():
        ends = (x, y) if right.directed else frozenset((x, y))
        if ends in kept:
            was = kept.pop(ends)
            replaced = costs.of("delete_edge", was) + costs.of("insert_edge", name)
            total += min(costs.edge(was, name), replaced)
        else:
            total += costs.of("insert_edge", name)
    return total + sum(costs.of("delete_edge", name) for name in kept.values())


def edit_distance(left: Graph, right: Graph, costs: EditCosts = EditCosts()) -> float:
    """The least cost over all mappings."""
    return min(edit_cost(left, right, mapping, costs) for mapping in edit_mappings(left.size, right.size))


def _edges(graph: Graph, costs: EditCosts) -> dict[tuple[int, int], Any]:
    names = (graph.edge_label_names if costs.edge_labels else None) or (None,) * len(graph.edges)
    return {(u, v): name for (u, v), name in zip(graph.edges.tolist(), names, strict=True)}
