"""Which graphs a result is about: what was trained on, what is asked, and of which graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from infmcs import datasets
from infmcs.collection import Collection
from infmcs.datasets.lists import order

Places = npt.NDArray[np.int64]
PUBLISHED = "published"  # the split of a set's publication: 60/20/20, test graphs against all others


@dataclass(frozen=True)
class Parts:
    """A data set and its parts. Queries are the test graphs; the database is the test graphs too, or all others."""

    graphs: Collection
    train: Places
    validation: Places
    test: Places
    database: Places

    @property
    def selves(self) -> bool:
        """Whether no query is in the database, so that no pair is a graph with itself."""
        return not np.array_equal(self.database, self.test)

    def first(self, count: int) -> Parts:
        """The same with only so many queries, drawn evenly; of test × test the database shrinks with them."""
        chosen = self.test[np.unique(np.linspace(0, len(self.test) - 1, min(count, len(self.test))).astype(np.int64))]
        return replace(self, test=chosen, database=self.database if self.selves else chosen)


def parts(name: str, protocol: str, seed: int) -> Parts:
    """The parts of a data set under a protocol: paper and class-disjoint (test × test), published (test × the rest)."""
    graphs = datasets.load(name)
    if protocol == PUBLISHED:
        known = datasets.published(name)
        queries = np.unique(known.pairs[known.part == "test × train", 0])
        rest = np.setdiff1d(np.arange(len(graphs)), queries)
        shuffled = rest[order(len(rest), seed, "validation of the published split")]
        quarter = len(rest) // 4
        return Parts(graphs, np.sort(shuffled[quarter:]), np.sort(shuffled[:quarter]), queries, rest)
    split = datasets.split(name, protocol, seed)  # type: ignore[arg-type]  # it says itself which it knows
    return Parts(graphs, split.train, split.validation, split.test, split.test)
