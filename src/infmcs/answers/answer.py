"""What comes back: a proven interval, a certified mapping, and a similarity that never leaves the interval."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from infmcs.certify import Edit, EditCosts, EditPath, Pairing, Question
from infmcs.graph import Graph
from infmcs.pairs import Metric
from infmcs.solve import EditSolution, Solution
from infmcs.vocabulary import Name

if TYPE_CHECKING:
    from infmcs.explain import Unmatched

Source: TypeAlias = Literal["exact", "search", "model", "bounds"]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """How similar two graphs are, and how far that is proven.

    similarity  the exact value where `proved`; else the model's score, moved into the interval if it lies outside;
                else, without a model, what the mapping shows.
    lower       the true similarity is not below this, which is what the mapping shows; upper: not above.
    score       what the model said, or None where none was asked.
    source      who says so: "exact" a proof, "search" one that ran out of budget, "model" its score, "bounds" a part of
                graphs that are too large to be searched as a whole.
    found       the same in nodes or edits: `found.lower` and `found.upper` common nodes, or the distance.
    """

    left: Graph
    right: Graph
    metric: Metric
    question: Question
    costs: EditCosts
    found: Solution
    similarity: float
    lower: float
    upper: float
    score: float | None
    source: Source
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether lower and upper meet."""
        return self.found.proved

    @property
    def mapping(self) -> Pairing:
        """The certified (left node, right node) pairs of the common subgraph, or of the edit path."""
        return self.found.mapping

    @property
    def path(self) -> EditPath | None:
        """The certified edit path; None for common subgraphs."""
        return self.found.path if isinstance(self.found, EditSolution) else None

    def explain(self) -> Account:
        """Which nodes are matched, which are not and why; or the edits, one by one."""
        names = self.left.label_names, self.right.label_names
        matched = tuple(Match(v, w, names[0][v], names[1][w]) for v, w in self.mapping)
        if self.path is not None:
            return Account(self.headline, matched, (), self.path.edits)
        from infmcs.explain import why_unmatched

        return Account(self.headline, matched, why_unmatched(self.left, self.right, self.mapping, self.question), ())

    def draw(self, path: str | os.PathLike[str] | None = None) -> str:
        """Both graphs with what they share, or the edits between them, as SVG text; `path` saves it (.svg or .png)."""
        from infmcs import draw

        if self.path is not None:
            svg = draw.edit_path(self.left, self.right, self.path, title=self.headline)
        else:
            svg = draw.pair(self.left, self.right, self.mapping, question=self.question, title=self.headline)
        if path is not None:
            draw.save(path, svg)
        return svg

    @property
    def headline(self) -> str:
        """The answer in one line."""
        low, high = self.found.lower, self.found.upper
        span = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        what = f"{span} {self.question.count} in common" if self.metric == "mcs" else f"edit distance {span}"
        sure = "proved" if self.proved else f"between {self.lower:.4f} and {self.upper:.4f}"
        return f"similarity {self.similarity:.4f} ({sure}): {what}"

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON-ready values."""
        sides = {
            side: {"name": graph.name, "nodes": graph.size, "edges": len(graph.edges)}
            for side, graph in (("left", self.left), ("right", self.right))
        }
        asked: dict[str, Any] = {"question": asdict(self.question)} if self.metric == "mcs" else {}
        told: dict[str, Any] = {
            "metric": self.metric,
            "similarity": self.similarity,
            "lower": self.lower,
            "upper": self.upper,
            "proved": self.proved,
            "source": self.source,
            "score": self.score,
            "value": [self.found.lower, self.found.upper],
            "mapping": [list(pair) for pair in self.mapping],
            "visited": self.found.visited,
            "seconds": self.seconds,
            **sides,
            **asked,
        }
        if self.path is not None:
            told["edits"] = [_edit(edit) for edit in self.path.edits]
        return told


@dataclass(frozen=True, slots=True)
class Match:
    """Two nodes that are partners, and their labels."""

    left: int
    right: int
    label: Name
    image: Name


@dataclass(frozen=True, slots=True)
class Account:
    """Why two graphs are this similar. `str` gives it in words.

    matched    the partners; unmatched: the nodes outside a common subgraph, each with its reason
    edits      what turns the left graph into the right one, where edits were asked for
    """

    headline: str
    matched: tuple[Match, ...]
    unmatched: tuple[Unmatched, ...]
    edits: tuple[Edit, ...]

    def __str__(self) -> str:
        lines = [self.headline]
        lines += [f"  left {m.left} = right {m.right}{_labels(m)}" for m in self.matched]
        lines += [f"  {u.side} {u.node} is unmatched: {u.text}" for u in self.unmatched]
        lines += [f"  {words(edit)} (cost {edit.cost:g})" for edit in self.edits]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-ready values."""
        return {
            "headline": self.headline,
            "matched": [[m.left, m.right] for m in self.matched],
            "unmatched": [asdict(u) for u in self.unmatched],
            "edits": [_edit(edit) for edit in self.edits],
        }


def words(edit: Edit) -> str:
    """An edit in words: 'delete edge 2–3', 'relabel node 4 (right 1)'."""
    here, there = (None if at is None else "–".join(map(str, at)) if isinstance(at, tuple) else str(at)
                   for at in (edit.left, edit.right))  # fmt: skip
    if here is not None and there is not None:
        return f"{edit.kind} {here} (right {there})"
    return f"{edit.kind} {here}" if here is not None else f"{edit.kind} right {there}"


def _labels(match: Match) -> str:
    if match.label is None and match.image is None:
        return ""
    return f" ({match.label})" if match.label == match.image else f" ({match.label} → {match.image})"


def _edit(edit: Edit) -> dict[str, Any]:
    ends = [list(at) if isinstance(at, tuple) else at for at in (edit.left, edit.right)]
    return {"kind": edit.kind, "left": ends[0], "right": ends[1], "cost": edit.cost}
