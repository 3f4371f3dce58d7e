"""What a search may spend, and what it brings back."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any

from infmcs.certify import Pairing
from infmcs.errors import QuestionError


@dataclass(frozen=True, slots=True)
class Budget:
    """What one search may spend; None is no limit. Search nodes (`visits`) are reproducible, seconds are not."""

    visits: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("visits", self.visits), ("seconds", self.seconds)):
            if limit is not None and (isnan(limit) or limit <= 0):
                raise QuestionError(
                    f"a budget of {limit} {name} allows no search",
                    hint="leave it out for no limit; solve.bounds gives bounds without a search",
                )


NO_LIMIT = Budget()
FOREVER = 2**63 - 1  # visits, where the core wants a number


@dataclass(frozen=True, slots=True)
class Solution:
    """What a search found out: the true value is at least `lower` and at most `upper`, whether or not it finished.

    mapping   (left node, right node) pairs by left node. It has passed `certify`, and shows the value that can be
              shown: `lower` of a common subgraph, `upper` of an edit distance.
    proved    lower and upper meet: the mapping is optimal.
    visited   search nodes; seconds: wall clock. A spent budget is a result like any other.
    """

    mapping: Pairing
    lower: float
    upper: float
    proved: bool
    visited: int
    seconds: float


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a search. `found` is what the search, or the bulk work, had found out by then: nothing is lost."""

    def __init__(self, found: Any) -> None:
        super().__init__("stopped by Ctrl-C; `found` holds the result so far")
        self.found = found
