"""How good a model's explanations are, over many pairs: by its scores alone, and made valid and improved.

The yardstick are all largest common subgraphs of each pair, found by the exact solver; pairs that it does not settle
within its budget are left out and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from infmcs import provenance, solve
from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.errors import ModelError, QuestionError
from infmcs.explain.common import REPAIR, View, _explained, _views
from infmcs.explain.reasons import DEFAULT
from infmcs.graph import Graph
from infmcs.pairs import nmcs
from infmcs.solve import Budget

if TYPE_CHECKING:
    from infmcs.models import Infmcs

Random: TypeAlias = np.random.Generator

TRUTH = Budget(visits=2_000_000)  # of each pair's largest common subgraphs
LIMIT = 500  # of them, counted a pair


@dataclass(frozen=True)
class Measures:
    """Means over pairs; shares are of pairs. 'Top m' is the paper's answer: as many nodes as the model expects.

    pairs             that were measured; left_out: those whose truth the budget did not settle.
    invalid           share whose top m are no common subgraph: in more than one piece, or not contained in the other.
    likeness          nMCS of the subgraph of the top m and the nearest of the true ones (the study's own measure).
    overlap           nodes in both the top m and the nearest true set, over nodes in either (Jaccard).
    agreement         share whose top m are exactly the nodes of one of all largest common subgraphs.
    size_error        |m − true size|, in nodes; expected_error: the same of the number the model expects, not rounded.
    decoded_gap       nodes that the common subgraph decoded from the scores alone lacks; decoded_optimal: share without
                      a gap. repaired_gap and repaired_optimal: after improvement within `repair` search nodes, and
                      repaired_proved where that also proved it.
    loss              deletion test: how many common nodes are lost when the top m are deleted from the smaller graph;
    random_loss       when as many nodes are deleted by chance; proof_loss: when those of a largest common subgraph are.
    """

    pairs: int
    left_out: int
    invalid: float
    likeness: float
    overlap: float
    agreement: float
    size_error: float
    expected_error: float
    decoded_gap: float
    decoded_optimal: float
    repaired_gap: float
    repaired_optimal: float
    repaired_proved: float
    loss: float
    random_loss: float
    proof_loss: float
    repair: int | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def measure(
    model: Infmcs,
    collection: Collection,
    pairs: npt.ArrayLike | Sequence[tuple[int, int]],
    question: Question = DEFAULT,
    *,
    repair: Budget = REPAIR,
    truth: Budget = TRUTH,
    seed: int = 0,
) -> Measures:
    """How good the model's explanations of these pairs of the collection are."""
    if model.inputs.lines:
        raise ModelError("the measures compare nodes, but this model scores edges")
    if question.count != "nodes" or not question.induced:
        raise QuestionError("the measures are of induced common subgraphs, counted in nodes")
    rows = np.asarray(pairs, np.int64).reshape(-1, 2)
    used, places = np.unique(rows, return_inverse=True)
    graphs = collection.take(used)
    local = [(int(i), int(j)) for i, j in places.reshape(-1, 2)]
    random = provenance.generator(seed, "deletion test")
    found, left_out = [], 0
    for (i, j), seen in zip(local, _views(model, graphs, local), strict=True):
        one = _of_pair(seen, graphs[i], graphs[j], question, repair, truth, random)
        if one is None:
            left_out += 1
        else:
            found.append(one)
    if not found:
        raise QuestionError(
            f"none of {len(rows)} pairs could be measured", hint="give a larger budget: truth=Budget(...)"
        )
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    return Measures(len(found), left_out, repair=repair.visits, **means)


def _of_pair(
    seen: View,
    left: Graph,
    right: Graph,
    question: Question,
    repair: Budget,
    truth: Budget,
    random: Random,
) -> dict[str, float] | None:
    optima = solve.all_maximum_common_subgraphs(left, right, question, LIMIT, truth)
    if not optima.complete and len(optima) < LIMIT:
        return None
    best = optima.size
    place = 0 if seen.side == "left" else 1
    mine, other = (left, right) if seen.side == "left" else (right, left)
    true_sets = sorted({tuple(sorted(pair[place] for pair in mapping)) for mapping in optima.mappings}) or [()]
    top = seen.top
    nearest = max(true_sets, key=lambda nodes: _overlap(top, nodes))
    holds = contained(mine, top, other, question, truth)
    if holds is None:
        return None
    explained = _explained(seen, left, right, question, repair, lines=False)
    chance = tuple(sorted(random.permutation(mine.size)[: len(top)].tolist()))
    return {
        "invalid": float(not holds),
        "likeness": max(_likeness(mine, top, nodes, truth) for nodes in _few(true_sets, nearest)),
        "overlap": _overlap(top, nearest),
        "agreement": float(set(top) == set(nearest)),
        "size_error": float(abs(len(top) - best)),
        "expected_error": abs(seen.expected - best),
        "decoded_gap": float(best - len(explained.decoded)),
        "decoded_optimal": float(len(explained.decoded) == best),
        "repaired_gap": float(best - len(explained.mapping)),
        "repaired_optimal": float(len(explained.mapping) == best),
        "repaired_proved": float(explained.found.proved),
        "loss": best - _without(mine, top, other, question, truth),
        "random_loss": best - _without(mine, chance, other, question, truth),
        "proof_loss": best - _without(mine, true_sets[0], other, question, truth),
    }


def contained(
    graph: Graph, nodes: Sequence[int], other: Graph, question: Question = DEFAULT, budget: Budget = TRUTH
) -> bool | None:
    """Whether these nodes of one graph are a common subgraph of both; None where the budget did not settle it."""
    part = graph.induced(nodes)
    if question.connected and len(part.components()) > 1:
        return False
    found = solve.max_common_subgraph(part, other, question, budget, above=max(0, part.size - 1))
    if found.lower >= part.size:
        return True
    return False if found.upper < part.size else None


def _few(sets: list[tuple[int, ...]], nearest: tuple[int, ...], most: int = 8) -> list[tuple[int, ...]]:
    """The nearest set and some others: of twenty mappings of a ring, all are alike."""
    return [nearest, *sets[: most - 1]]


def _likeness(graph: Graph, nodes: Sequence[int], others: Sequence[int], budget: Budget) -> float:
    here, there = graph.induced(nodes), graph.induced(others)
    found = solve.max_common_subgraph(here, there, budget=budget)
    return float(nmcs(found.lower, here.size, there.size))


def _overlap(nodes: Sequence[int], others: Sequence[int]) -> float:
    here, there = set(nodes), set(others)
    return len(here & there) / len(here | there) if here | there else 1.0


def _without(graph: Graph, nodes: Sequence[int], other: Graph, question: Question, budget: Budget) -> float:
    """Common nodes that are left when these are deleted."""
    rest = np.setdiff1d(np.arange(graph.size), np.array(nodes, np.int64))
    return float(solve.max_common_subgraph(graph.induced(rest), other, question, budget).lower)
