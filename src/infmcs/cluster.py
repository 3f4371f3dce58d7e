"""Groups of similar graphs in a whole index, each around one of its members.

Butina's way (1999): the graph with most neighbours of at least the threshold becomes a centre and takes them with it,
and so on with what is left. Every member is proven to be that similar to its centre, unless the budget ran out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from infmcs.certify import Question
from infmcs.errors import QuestionError
from infmcs.index import Index
from infmcs.index.index import DEFAULT
from infmcs.pairs import Metric
from infmcs.solve import Budget


@dataclass(frozen=True)
class Cluster:
    """A centre and the graphs around it, by id; `members` begins with the centre."""

    centre: int
    members: tuple[int, ...]


@dataclass(frozen=True)
class Clusters:
    """Clusters, the largest first; `complete` says that all neighbours are proven and known."""

    clusters: tuple[Cluster, ...]
    threshold: float
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "clusters": [{"centre": one.centre, "members": list(one.members)} for one in self.clusters],
            "threshold": self.threshold,
            "complete": self.complete,
        }


def butina(
    index: Index,
    threshold: float,
    *,
    metric: Metric = "mcs",
    question: Question = DEFAULT,
    budget: Budget | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Clusters:
    """The clusters of an index. The budget is that of one graph's neighbours."""
    if not 0 < threshold <= 1:
        raise QuestionError(f"clusters need a threshold above 0 and at most 1, not {threshold!r}")
    ids = [int(one) for one in index.ids]
    found = index.search_many(
        [index.graph(one) for one in ids],
        threshold=threshold,
        metric=metric,
        question=question,
        budget=budget,
        threads=threads,
        progress=progress,
    )
    around = {one: {one} for one in ids}
    for one, result in zip(ids, found, strict=True):
        around[one] |= {hit.id for hit in result if hit.lower >= threshold}
    left, clusters = set(ids), []
    for centre in sorted(ids, key=lambda one: (-len(around[one]), one)):
        if centre in left:
            members = (centre, *sorted(around[centre] & left - {centre}))
            left -= set(members)
            clusters.append(Cluster(centre, members))
    clusters.sort(key=lambda one: (-len(one.members), one.centre))
    return Clusters(tuple(clusters), threshold, all(result.complete for result in found))
