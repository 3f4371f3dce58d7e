"""An edit path in words, with labels: what is deleted, relabelled and inserted, in an order in which it can be done."""

from __future__ import annotations

from infmcs.certify import Edit, EditPath
from infmcs.graph import Graph
from infmcs.vocabulary import Name


def edits_in_words(left: Graph, right: Graph, path: EditPath) -> list[str]:
    """One line an edit. Nodes of the right graph are marked by a prime: 3′."""
    return [_line(edit, left, right) for edit in path.edits]


def _line(edit: Edit, left: Graph, right: Graph) -> str:
    verb, what = edit.kind.split()
    if what == "node":
        here = None if edit.left is None else _node(left, edit.left)
        there = None if edit.right is None else _node(right, edit.right, "′")
    else:
        here = None if edit.left is None else _edge(left, edit.left)
        there = None if edit.right is None else _edge(right, edit.right, "′")
    if here is not None and there is not None:
        return f"{verb} {what} {here} to {there}"
    return f"{verb} {what} {here if there is None else there}"


def _node(graph: Graph, node: object, mark: str = "") -> str:
    assert isinstance(node, int)
    return f"{node}{mark}{_labelled(graph.vocabulary.nodes[graph.labels[node]])}"


def _edge(graph: Graph, ends: object, mark: str = "") -> str:
    assert isinstance(ends, tuple)
    u, v = ends
    told = f"{u}{mark}{'→' if graph.directed else '–'}{v}{mark}"
    if graph.edge_labels is None:
        return told
    rows = (graph.edges[:, 0] == u) & (graph.edges[:, 1] == v)
    return told + "".join(_labelled(graph.vocabulary.edges[code]) for code in graph.edge_labels[rows])


def _labelled(name: Name) -> str:
    return "" if name is None else f" ({name})"
