"""One graph on paper: which part of it, every node's place, and the shapes of nodes, edges and bonds."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Literal, TypeAlias

import numpy as np

from infmcs.draw import layout, molecules
from infmcs.draw.canvas import Canvas, Point
from infmcs.draw.layout import Positions
from infmcs.graph import Graph
from infmcs.vocabulary import Name

Mark: TypeAlias = Literal["plain", "common", "deleted", "inserted", "relabelled"]

MOST_NODES, MOST_EDGES = 200, 1_500  # of one graph; more could not be told apart
LEAST_NAMED = 7.0  # radius of the smallest node that carries its label


@dataclass
class Drawn:
    """The part of a graph that is drawn: `nodes[k]` of the whole is its node k."""

    whole: Graph
    part: Graph
    nodes: list[int]
    node_marks: list[Mark]
    edge_marks: list[Mark]
    tips: dict[int, str]
    placed: Positions
    as_molecule: bool = False

    @classmethod
    def of(
        cls,
        whole: Graph,
        node_marks: Mapping[int, Mark],
        edge_marks: Mapping[tuple[int, int], Mark],
        first: Sequence[int],
        tips: dict[int, str],
    ) -> Drawn:
        """The nodes nearest to `first`, all of them where they are not too many. What has no mark is plain."""
        nodes = sorted(nearby(whole, first, MOST_NODES))
        part = whole if len(nodes) == whole.size else whole.induced(nodes)
        marks = [edge_marks.get(ends(nodes[u], nodes[v], whole.directed), "plain") for u, v in part.edges.tolist()]
        places = np.zeros((len(nodes), 2))
        return cls(whole, part, nodes, [node_marks.get(node, "plain") for node in nodes], marks, tips, places)

    def place(self, as_molecule: bool, held: dict[int, Point]) -> None:
        """Give each node its place; `held` places nodes of the whole graph."""
        here = {k: held[node] for k, node in enumerate(self.nodes) if node in held}
        self.as_molecule = as_molecule
        self.placed = (molecules if as_molecule else layout).positions(self.part, here)

    @property
    def nearest(self) -> float:
        """How near two nodes come to one another, the worst twentieth left out; at most an edge."""
        if self.part.size < 2:
            return 1.0
        apart = np.hypot(*(self.placed[:, None, :] - self.placed[None, :, :]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        return float(np.clip(np.quantile(apart.min(0), 0.05), 0.05, 1.0))

    def put(self, canvas: Canvas, corner: Point, least: Positions, scale: float, radius: float) -> None:
        """Draw it; `least` is the point of its layout that comes to `corner`."""
        at = [(corner[0] + x, corner[1] + y) for x, y in ((self.placed - least) * scale).tolist()]
        if self.as_molecule:
            _molecule(canvas, self, at, scale)
        else:
            _edges(canvas, self, at, radius, scale)
            _nodes(canvas, self, at, radius)

    def tip(self, k: int) -> str:
        """What the pointer is told over a node."""
        name = _name(self.part, k)
        told = f"node {self.nodes[k]}" + (f", label {name}" if name is not None else "")
        more = self.tips.get(self.nodes[k])
        return f"{told}, {more}" if more else told


def _nodes(canvas: Canvas, drawn: Drawn, at: list[Point], radius: float) -> None:
    for k, place in enumerate(at):
        mark = drawn.node_marks[k]
        if mark == "inserted":
            canvas.circle(place, radius + 3, stroke="inserted", width=1.5)
        outline = "faint" if mark == "plain" else mark
        canvas.circle(place, radius, mark, outline, 1.2, tip=drawn.tip(k))
        if mark == "deleted":
            canvas.circle(place, radius + 2.5, stroke="deleted", width=1.5, dashed=True)
    if radius < LEAST_NAMED:
        return
    for k, place in enumerate(at):
        mark = drawn.node_marks[k]
        words = word(drawn.part, k) if drawn.whole.labelled else str(drawn.nodes[k])
        if len(words) <= 3:
            size = radius * (1.05 if len(words) < 3 else 0.82)
            canvas.text(place, words, size, "ink" if mark == "plain" else f"on-{mark}", bold=mark != "plain")
        else:
            below = (place[0], place[1] + radius + 8)
            canvas.text(below, short(words), 10.5, halo=True)


def _edges(canvas: Canvas, drawn: Drawn, at: list[Point], radius: float, scale: float) -> None:
    part, marks = drawn.part, drawn.edge_marks
    order = sorted(range(len(part.edges)), key=lambda k: (marks[k] == "plain", k))[:MOST_EDGES]
    opposite = {(v, u) for u, v in part.edges.tolist()} if part.directed else set()
    names = part.edge_label_names
    named = names is not None and scale >= 34 and len(part.edges) <= 60
    words: list[tuple[Point, str]] = []
    for k in sorted(order, key=lambda k: (marks[k] != "plain", k)):  # marked edges lie on top
        u, v = part.edges[k].tolist()
        mark = marks[k]
        colour, width = ("edge", 1.4) if mark == "plain" else (mark, 3.0 if mark != "deleted" else 2.0)
        width *= min(1.0, max(0.35, scale / 30))
        tip = f"edge {drawn.nodes[u]}–{drawn.nodes[v]}" + (f", label {names[k]}" if names else "")
        if u == v:
            loop = (at[u][0], at[u][1] - radius * 1.4)
            canvas.circle(loop, radius * 0.8, stroke=colour, width=width, dashed=mark == "deleted", tip=tip)
            middle = (loop[0], loop[1] - radius * 0.8)
        else:
            start, end = _ends_outside(at[u], at[v], radius, part.directed, (u, v) in opposite)
            canvas.line(start, end, colour, width, mark == "deleted", tip)
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            if part.directed:
                canvas.polygon(_arrow(start, end, max(4.0, radius * 0.62)), colour)
        if named and names is not None:
            words.append((middle, short("–" if names[k] is None else str(names[k]))))
    for middle, word in words:
        canvas.text(middle, word, 9.5, "faint", halo=True)


def _molecule(canvas: Canvas, drawn: Drawn, at: list[Point], scale: float) -> None:
    part = drawn.part
    sides = molecules.inner_sides(part, drawn.placed)
    names = part.edge_label_names or (None,) * len(part.edges)
    for k, place in enumerate(at):
        if drawn.node_marks[k] != "plain":
            canvas.circle(place, scale * 0.34, f"{drawn.node_marks[k]}-tint", tip=drawn.tip(k))
    for k, (u, v) in enumerate(part.edges.tolist()):
        if drawn.edge_marks[k] not in ("plain", "deleted"):
            canvas.line(at[u], at[v], f"{drawn.edge_marks[k]}-tint", scale * 0.4)
    for k, (u, v) in enumerate(part.edges.tolist()):
        colour = "ink" if drawn.edge_marks[k] in ("plain", "common") else drawn.edge_marks[k]
        count = molecules.LINES[names[k]]
        dashed = drawn.edge_marks[k] == "deleted"
        middle = (at[u][0] + at[v][0]) / 2, (at[u][1] + at[v][1]) / 2
        towards = (0.0, 0.0)
        if k in sides:
            x, y = (np.asarray(sides[k]) - drawn.placed[u]) * scale + at[u]
            towards = x - middle[0], y - middle[1]
        tip = f"bond {drawn.nodes[u]}–{drawn.nodes[v]}" + (f", {names[k]}" if names[k] is not None else "")
        for shift, cut in _bond_lines(count, k in sides):
            start, end = _beside(at[u], at[v], towards, shift * scale, cut)
            faint = dashed or (names[k] == "aromatic" and shift != 0)
            canvas.line(start, end, colour, max(1.0, scale * 0.035), faint, tip)
    bonded = set(part.edges.ravel().tolist())
    for k, place in enumerate(at):
        words = word(part, k)
        if words == "C" and k in bonded:
            continue
        mark = drawn.node_marks[k]
        paper = "paper" if mark == "plain" else f"{mark}-tint"
        canvas.circle(place, scale * (0.2 if len(words) == 1 else 0.27), paper, tip=drawn.tip(k))
        canvas.text(place, words, max(7.0, scale * 0.3), bold=mark != "plain")


def _bond_lines(count: int, in_ring: bool) -> list[tuple[float, float]]:
    """How far from the middle each line of a bond runs, and how much of each end it leaves out."""
    if count == 1:
        return [(0, 0)]
    if count == 3:
        return [(0, 0), (0.12, 0.1), (-0.12, 0.1)]
    return [(0, 0), (0.14, 0.14)] if in_ring else [(0.06, 0), (-0.06, 0)]


def _beside(start: Point, end: Point, towards: Point, shift: float, cut: float) -> tuple[Point, Point]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy) or 1.0
    nx, ny = -dy / length, dx / length
    if nx * towards[0] + ny * towards[1] < 0:
        nx, ny = -nx, -ny
    return (
        (start[0] + cut * dx + nx * shift, start[1] + cut * dy + ny * shift),
        (end[0] - cut * dx + nx * shift, end[1] - cut * dy + ny * shift),
    )


def _ends_outside(start: Point, end: Point, radius: float, directed: bool, both_ways: bool) -> tuple[Point, Point]:
    """Where an edge leaves one node and meets the other; edges both ways run beside one another."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    if length <= 2 * radius:
        return start, end
    ux, uy = dx / length, dy / length
    side = radius * 0.3 if both_ways else 0.0
    gap = radius + (1.5 if directed else 0.0)
    return (
        (start[0] + ux * radius - uy * side, start[1] + uy * radius + ux * side),
        (end[0] - ux * gap - uy * side, end[1] - uy * gap + ux * side),
    )


def _arrow(start: Point, end: Point, size: float) -> list[Point]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy) or 1.0
    ux, uy = dx / length * size, dy / length * size
    return [end, (end[0] - ux - uy / 2, end[1] - uy + ux / 2), (end[0] - ux + uy / 2, end[1] - uy - ux / 2)]


def nearby(graph: Graph, first: Sequence[int], most: int, only: set[int] | None = None) -> list[int]:
    """At most so many nodes: `first` and those nearest to them, else those around the nodes of most edges."""
    allowed = set(range(graph.size)) if only is None else only
    if len(allowed) <= most:
        return sorted(allowed)
    beside: list[list[int]] = [[] for _ in range(graph.size)]
    for u, v in graph.edges.tolist():
        beside[u].append(v)
        beside[v].append(u)
    degree = graph.degrees()
    seen = dict.fromkeys(list(first)[:most])
    waiting = deque(seen)
    for start in sorted(allowed, key=lambda node: (-int(degree[node]), node)):
        while waiting:
            for node in beside[waiting.popleft()]:
                if node in allowed and len(seen) < most and node not in seen:
                    seen[node] = None
                    waiting.append(node)
        if len(seen) < most and start not in seen:
            seen[start] = None
            waiting.append(start)
    return list(seen)


def _name(graph: Graph, node: int) -> Name:
    name: Name = graph.vocabulary.nodes[int(graph.labels[node])]
    return name


def word(graph: Graph, node: int) -> str:
    """A node's label as it is written."""
    name = _name(graph, node)
    return "–" if name is None else str(name)


def some(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def short(words: str, most: int = 14) -> str:
    """Words on one line, cut where they are too long."""
    words = " ".join(words.split())
    return words if len(words) <= most else words[: most - 1] + "…"


def ends(u: int, v: int, directed: bool) -> tuple[int, int]:
    """An edge as it stands in `edges`."""
    return (u, v) if directed or u <= v else (v, u)
