"""What a page shows of a search and of a pair of graphs, as plain JSON-ready values. No HTTP."""

from __future__ import annotations

from typing import Any

import numpy as np

from infmcs import certify, explain
from infmcs.answers import compare
from infmcs.certify import EditPath, Pairing, Question
from infmcs.draw import layout, molecules
from infmcs.errors import ModelError
from infmcs.explain import Explanation, Unmatched
from infmcs.graph import Graph
from infmcs.index import Index, Result
from infmcs.solve import Budget
from infmcs.web.graphs import GraphJson

STRONGEST = 3  # partners shown a node, of a model's attention
FIXED_LAYOUT_NODES = 300  # larger graphs are laid out by themselves, partners not aligned


def result(found: Result, index: Index) -> dict[str, Any]:
    """A search's answer."""
    told = found.to_dict()
    for hit in told["hits"]:
        graph = index.graph(hit["id"])
        hit["nodes"], hit["edges"] = graph.size, len(graph.edges)
    return told


def pair(left: Graph, right: Graph, metric: Any, model: Any, seconds: float) -> dict[str, Any]:
    """How similar two graphs are, with everything that shows it."""
    answer = compare(left, right, metric, model, Budget(seconds=seconds))
    score = answer.score
    if model is not None and score is None:  # the exact answer was cheap enough; the model's view stands beside it
        score = explain.view(model, left, right).similarity
    account = answer.explain()
    loose = Question(induced=False, connected=False, node_labels=False)
    shown = certify.common_subgraph(left, right, answer.mapping, answer.question if metric == "mcs" else loose)
    return {
        "left": GraphJson.of(left).model_dump(),
        "right": GraphJson.of(right).model_dump(),
        "metric": metric,
        "similarity": answer.similarity,
        "lower": answer.lower,
        "upper": answer.upper,
        "proved": answer.proved,
        "mapping": _pairs(answer.mapping),
        "score": None if score is None else _unit(score),
        "source": answer.source,
        "seconds": answer.seconds,
        "edges": _pairs(shown.edges),
        "unmatched": [_outside(one) for one in account.unmatched],
        "edits": _edits(answer.path) if answer.path is not None else None,
        "positions": positions(left, right, answer.mapping),
    }


def view(name: str, model: Any, left: Graph, right: Graph, seconds: float) -> dict[str, Any]:
    """What a model sees in two graphs: its scores, the paper's answer, and the common subgraph they lead to."""
    if model.inputs.lines:
        raise ModelError(f"{name} compares edges; the page shows models that compare nodes")
    budget = Budget(seconds=seconds / 2)
    found: Explanation = explain.common_subgraph(model, left, right, budget=budget)
    seen = found.view
    top = list(seen.top)
    mine, other = (left, right) if seen.side == "left" else (right, left)
    return {
        "model": name,
        "similarity": _unit(seen.similarity),
        "expected": seen.expected,
        "scores": {side: [_unit(one) for one in seen.scores_of(side)] for side in ("left", "right")},
        "partners": _strongest(seen.alignment),
        "top": {"side": seen.side, "nodes": top, "holds": explain.contained(mine, top, other, budget=budget)},
        "decoded": _pairs(found.decoded),
        "mapping": _pairs(found.mapping),
        "lower": found.found.lower,
        "upper": found.found.upper,
        "proved": found.found.proved,
        "unmatched": [_outside(one) for one in explain.why_unmatched(left, right, found.mapping)],
    }


def positions(left: Graph, right: Graph, mapping: Pairing) -> dict[str, Any]:
    """Where nodes stand, partners at the same place; molecules as chemists place them."""
    graphs = [left, right]
    as_molecules = all(molecules.is_one(graph) or not graph.size for graph in graphs) and any(g.size for g in graphs)
    place = molecules.positions if as_molecules else layout.positions
    here = place(left, None)
    held = {}
    if max(left.size, right.size) <= FIXED_LAYOUT_NODES:
        held = {w: (float(here[v, 0]), float(here[v, 1])) for v, w in mapping}
    there = place(right, held)
    return {"left": _points(here), "right": _points(there), "molecule": as_molecules}


def _points(places: Any) -> list[tuple[float, float]]:
    if not len(places):
        return []
    return [(round(float(x), 3), round(float(y), 3)) for x, y in np.nan_to_num(places)]


def _pairs(pairs: Any) -> list[tuple[int, int]]:
    return [(int(v), int(w)) for v, w in pairs]


def _outside(one: Unmatched) -> dict[str, Any]:
    return {"side": one.side, "node": one.node, "reason": one.reason, "text": one.text, "partner": one.partner}


def _edits(path: EditPath) -> list[dict[str, Any]]:
    return [{"kind": edit.kind, "left": edit.left, "right": edit.right, "cost": edit.cost} for edit in path.edits]


def _strongest(alignment: Any) -> list[tuple[int, int, float]]:
    """(left, right, weight) of each left node's best partners, those of no weight left out."""
    return [
        (v, w, _unit(row[w]))
        for v, row in enumerate(alignment)
        for w in np.argsort(-row, kind="stable")[:STRONGEST].tolist()
        if row[w] > 0.01
    ]


def _unit(value: Any) -> float:
    return round(min(1.0, max(0.0, float(value))), 6)
