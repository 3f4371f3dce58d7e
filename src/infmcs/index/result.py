"""What a search answers: hits with proven intervals, and whether their ranking is proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from infmcs.certify import Pairing
from infmcs.pairs import Metric


@dataclass(frozen=True, slots=True)
class Hit:
    """One graph of the index and how similar it is to the query.

    similarity  the exact value where proved; else a number of the interval [lower, upper], which is proven.
    common      nodes (or edges) in common that `mapping` shows; None for edit distances.
    distance    edits that `mapping` needs; None for common subgraphs.
    mapping     (query node, node of this graph) pairs, certified; they show `lower`.
    score       what the index's model says of the pair; None without a model.
    """

    id: int
    name: str | None
    similarity: float
    lower: float
    upper: float
    proved: bool
    mapping: Pairing
    score: float | None = None
    common: int | None = None
    distance: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "id": self.id,
            "name": self.name,
            "similarity": self.similarity,
            "lower": self.lower,
            "upper": self.upper,
            "proved": self.proved,
            "mapping": [list(pair) for pair in self.mapping],
            "score": self.score,
            "common": self.common,
            "distance": self.distance,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """The hits, best first (equal ones by id), and what is proven about them.

    complete   every hit is proved and no graph left out is more similar than the last: the exact answer.
    beyond     no graph left out is more similar than this, proven; None where none that counts was left out.
    tied       ids of graphs known to be exactly as similar as the last hit, for which there was no room. All of them
               are known when ties were asked for and the budget lasted.
    graphs     how many were searched; bounded: how many the bounds alone ruled out; solved: how many pairs the solver
               was called for; visited: its search nodes.
    """

    hits: tuple[Hit, ...]
    complete: bool
    beyond: float | None
    tied: tuple[int, ...]
    metric: Metric
    graphs: int
    bounded: int
    solved: int
    visited: int
    seconds: float

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Any:
        return iter(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "hits": [hit.to_dict() for hit in self.hits],
            "complete": self.complete,
            "beyond": self.beyond,
            "tied": list(self.tied),
            "metric": self.metric,
            "graphs": self.graphs,
            "bounded": self.bounded,
            "solved": self.solved,
            "visited": self.visited,
            "seconds": self.seconds,
        }
