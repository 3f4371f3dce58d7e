"""Is this mapping right, and what is it worth? The definition of every value in this package.

Plain Python that never searches: it looks at each pair of a mapping, once. Every mapping that leaves the package has
passed through here, and a mapping from anywhere else can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import fsum, isclose, isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from infmcs.errors import CertificateError, QuestionError
from infmcs.graph import Graph
from infmcs.vocabulary import Name

if TYPE_CHECKING:
    from infmcs.collection import Collection

Pairing: TypeAlias = "tuple[tuple[int, int], ...]"
Ends: TypeAlias = "tuple[int, int]"
Price: TypeAlias = "float | Mapping[Any, float]"


@dataclass(frozen=True, slots=True)
class Question:
    """Which common subgraph is asked for.

    induced      partners have an edge between them in both graphs or in neither; else the common edges are those
                 that both graphs have.
    connected    the common subgraph is in one piece (directions ignored).
    node_labels  partners carry equal labels.
    edge_labels  partner edges carry equal labels; induced: else the nodes cannot be partners together.
    directed     directions of edges count; both graphs must then be directed. Otherwise they are dropped.
    count        what the size counts: nodes, or, when not induced, edges (which chemists call MCES).

    A loop is an edge of its node: induced, a node with a loop has a partner with a loop.
    """

    induced: bool = True
    connected: bool = True
    node_labels: bool = True
    edge_labels: bool = False
    directed: bool = False
    count: Literal["nodes", "edges"] = "nodes"

    def __post_init__(self) -> None:
        if self.count not in ("nodes", "edges"):
            raise QuestionError(f"a common subgraph is counted in nodes or edges, not in {self.count!r}")
        if self.induced and self.count == "edges":
            raise QuestionError(
                "an induced common subgraph is counted in nodes", hint="Question(induced=False, count='edges')"
            )

    def look_at(self, left: Graph, right: Graph) -> tuple[Graph, Graph]:
        """Both graphs as this question sees them: with directions or without."""
        return _looked_at(left, right, self)


@dataclass(frozen=True, slots=True)
class EditCosts:
    """What each edit of an edit path costs, and what counts as a difference. Every edit costs 1 unless said otherwise.

    node_labels  a node that keeps its place but not its label is relabelled; else labels of nodes are ignored.
    edge_labels  the same for edges.
    directed     directions of edges count; both graphs must then be directed. Otherwise they are dropped.

    A price is a number, or a table: {label: price} for insertions and deletions, {(from, to): price} for relabellings;
    it must name every label it meets, and keeping a label is free. Prices are finite and not negative.

    The distance is the least cost over all mappings of nodes: each node is kept, deleted or inserted, a kept node is
    relabelled at most once, and an edge whose relabelling is dearer than deleting and inserting it is deleted and
    inserted. So prices need not be metric; then neither is the distance.
    """

    node_labels: bool = True
    edge_labels: bool = False
    directed: bool = False
    insert_node: Price = 1.0
    delete_node: Price = 1.0
    relabel_node: Price = 1.0
    insert_edge: Price = 1.0
    delete_edge: Price = 1.0
    relabel_edge: Price = 1.0

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name.endswith(("_node", "_edge"))):
            price = getattr(self, name)
            object.__setattr__(self, name, dict(price) if isinstance(price, Mapping) else price)
            for where, number in price.items() if isinstance(price, Mapping) else ((None, price),):
                at = name if where is None else f"{name}[{where!r}]"
                if isinstance(number, bool) or not isinstance(number, Real):
                    raise QuestionError(
                        f"{at} must be a number, not {number!r:.60}",
                        hint="or a table {label: price}, {(from, to): price}",
                    )
                if not isfinite(number) or number < 0:
                    raise QuestionError(f"{at} is {number}; a price must be finite and not negative")

    @property
    def unit(self) -> float | None:
        """The one price of every edit that can happen, or None when they differ or are 0."""
        prices = [self.insert_node, self.delete_node, self.insert_edge, self.delete_edge]
        prices += [self.relabel_node] * self.node_labels + [self.relabel_edge] * self.edge_labels
        first = prices[0]
        if isinstance(first, Mapping) or not first or any(price != first for price in prices):
            return None
        return float(first)

    def look_at(self, left: Graph, right: Graph) -> tuple[Graph, Graph]:
        """Both graphs as these costs see them: with directions or without."""
        return _looked_at(left, right, self)

    def node(self, left: Name, right: Name) -> float:
        """The price of keeping a node whose label is `left` here and `right` there."""
        return self._relabelling("relabel_node", left, right) if self.node_labels else 0.0

    def edge(self, left: Name, right: Name) -> float:
        """The price of keeping an edge, likewise; what relabelling costs even where replacing it is cheaper."""
        return self._relabelling("relabel_edge", left, right) if self.edge_labels else 0.0

    def of(self, edit: Literal["insert_node", "delete_node", "insert_edge", "delete_edge"], label: Name) -> float:
        """The price of one insertion or deletion."""
        price: Price = getattr(self, edit)
        return self._looked_up(edit, price, label) if isinstance(price, Mapping) else float(price)

    def _relabelling(self, edit: Literal["relabel_node", "relabel_edge"], left: Name, right: Name) -> float:
        if left == right:
            return 0.0
        price: Price = getattr(self, edit)
        return self._looked_up(edit, price, (left, right)) if isinstance(price, Mapping) else float(price)

    def _looked_up(self, edit: str, table: Mapping[Any, float], key: Any) -> float:
        if key not in table:
            raise QuestionError(f"{edit} names no price for {key!r}", hint="a table names every label it meets")
        return float(table[key])


def require_directions(asked: Question | EditCosts, left: Graph | Collection, right: Graph | Collection) -> None:
    """Refuse graphs without directions where directions are asked for."""
    for side, graphs in (("left", left), ("right", right)):
        one = isinstance(graphs, Graph)
        if asked.directed and not graphs.directed and (one or len(graphs)):
            raise QuestionError(
                f"directions are asked for, but the {side} {'graph is' if one else 'graphs are'} undirected",
                hint=f"{type(asked).__name__}(directed=False) ignores directions",
            )


def _looked_at(left: Graph, right: Graph, asked: Question | EditCosts) -> tuple[Graph, Graph]:
    if not asked.directed:
        return left.undirected(asked.edge_labels), right.undirected(asked.edge_labels)
    require_directions(asked, left, right)
    return left, right


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of an edit path, and its price.

    left and right name what is edited: a node number, or the two ends of an edge. An insertion has no left side, a
    deletion no right side.
    """

    kind: Literal["delete edge", "delete node", "relabel node", "relabel edge", "insert node", "insert edge"]
    left: int | Ends | None
    right: int | Ends | None
    cost: float


@dataclass(frozen=True, slots=True)
class EditPath:
    """The edits that turn the left graph into the right one, in an order in which each can be done, and their price.

    Left nodes that the mapping does not name are deleted, right nodes that it does not name are inserted.
    """

    mapping: Pairing
    edits: tuple[Edit, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class CommonSubgraph:
    """What a mapping was found to hold: its pairs by left node, and the common edges as edges of the left graph."""

    mapping: Pairing
    edges: Pairing
    size: int


def common_subgraph(
    left: Graph, right: Graph, mapping: Mapping[int, int] | Iterable[tuple[int, int]], question: Question = Question()
) -> CommonSubgraph:
    """The common subgraph that a mapping from left to right nodes describes; CertificateError if it describes none."""
    left, right = question.look_at(left, right)
    pairs = pairing(left, right, mapping)
    if question.node_labels:
        _require_equal_labels(left, right, pairs)
    here, there = _edges(left, question.edge_labels), _edges(right, question.edge_labels)
    image, source = dict(pairs), {w: v for v, w in pairs}
    common = []
    for (v, x), edge in here.items():
        if v in image and x in image:
            other = there.get((image[v], image[x]))
            if other is None and not left.directed:
                other = there.get((image[x], image[v]))
            if edge == other:
                common.append((v, x))
            elif question.induced:
                raise CertificateError(_unlike(v, x, image[v], image[x], edge, other))
    if question.induced:
        for (w, y), edge in there.items():
            if w in source and y in source:
                v, x = source[w], source[y]
                if (v, x) not in here and (left.directed or (x, v) not in here):
                    raise CertificateError(_unlike(v, x, w, y, None, edge))
    if question.connected:
        _require_one_piece(pairs, common)
    return CommonSubgraph(pairs, tuple(common), len(pairs) if question.count == "nodes" else len(common))


def pairing(left: Graph, right: Graph, mapping: Mapping[int, int] | Iterable[tuple[int, int]]) -> Pairing:
    """A mapping as pairs ordered by left node: each node exists and occurs once."""
    pairs = tuple(sorted([(int(v), int(w)) for v, w in (mapping.items() if isinstance(mapping, Mapping) else mapping)]))
    for side, graph, nodes in (("left", left, [v for v, _ in pairs]), ("right", right, [w for _, w in pairs])):
        if nodes and (min(nodes) < 0 or max(nodes) >= graph.size):
            node = next(node for node in nodes if not 0 <= node < graph.size)
            raise CertificateError(f"the mapping names {side} node {node}, but that graph has {graph.size} nodes")
        if len(set(nodes)) < len(nodes):
            node = next(node for i, node in enumerate(nodes) if node in nodes[:i])
            raise CertificateError(f"the mapping uses {side} node {node} twice")
    return pairs


def bounds(left: Graph, right: Graph, lower: int, upper: int, size: int, question: Question = Question()) -> None:
    """Refuse bounds that a certified common subgraph of `size` contradicts, or that no two such graphs can have."""
    if not lower <= upper:
        raise CertificateError(f"the lower bound {lower} is above the upper bound {upper}")
    if lower > size:
        raise CertificateError(f"the lower bound is {lower}, but the mapping shows only {size}")
    if upper < size:
        raise CertificateError(f"the upper bound is {upper}, but the mapping shows {size}")
    a, b = question.look_at(left, right)
    most = min(a.size, b.size) if question.count == "nodes" else min(len(a.edges), len(b.edges))
    if size > most:
        raise CertificateError(
            f"a common subgraph of {size} {question.count} cannot be in graphs that share at most {most}"
        )


def edit_path(
    left: Graph, right: Graph, mapping: Mapping[int, int] | Iterable[tuple[int, int]], costs: EditCosts = EditCosts()
) -> EditPath:
    """The edit path that a mapping describes, done step by step and compared with the right graph.

    Left nodes that the mapping does not name are deleted, right nodes inserted. CertificateError if it is no mapping.
    """
    left, right = costs.look_at(left, right)
    pairs = pairing(left, right, mapping)
    edits = _edits(left, right, pairs, costs)
    _do(edits, left, right, pairs, costs)
    return EditPath(pairs, edits, fsum(edit.cost for edit in edits))


def edit_bounds(path: EditPath, lower: float, upper: float) -> None:
    """Refuse bounds of an edit distance that a certified edit path contradicts or does not show."""
    if not isclose(upper, path.cost, rel_tol=1e-9, abs_tol=1e-9):
        raise CertificateError(f"the upper bound is {upper}, but the edit path costs {path.cost}")
    if not 0 <= lower <= path.cost:
        raise CertificateError(f"the lower bound {lower} is not between 0 and the path's cost {path.cost}")


def _edits(left: Graph, right: Graph, pairs: Pairing, costs: EditCosts) -> tuple[Edit, ...]:
    image, source = dict(pairs), {w: v for v, w in pairs}
    names, images = left.label_names, right.label_names
    here, there = _named_edges(left, costs.edge_labels), _named_edges(right, costs.edge_labels)
    gone, new, relabelled = [], [], []
    for (u, v), name in here.items():
        ends = _ends(image[u], image[v], right.directed) if u in image and v in image else None
        if ends is not None and ends in there:
            replaced = costs.of("delete_edge", name) + costs.of("insert_edge", there[ends])
            price = costs.edge(name, there[ends])
            if price <= replaced:
                if name != there[ends]:
                    relabelled.append(Edit("relabel edge", (u, v), ends, price))
                continue
            new.append(ends)
        gone.append(Edit("delete edge", (u, v), None, costs.of("delete_edge", name)))
    for u, v in there:
        ends = _ends(source[u], source[v], left.directed) if u in source and v in source else None
        if ends is None or ends not in here:
            new.append((u, v))
    return (
        *gone,
        *(Edit("delete node", v, None, costs.of("delete_node", names[v])) for v in range(left.size) if v not in image),
        *(
            Edit("relabel node", v, w, costs.node(names[v], images[w]))
            for v, w in pairs
            if costs.node_labels and names[v] != images[w]
        ),
        *relabelled,
        *(
            Edit("insert node", None, w, costs.of("insert_node", images[w]))
            for w in range(right.size)
            if w not in source
        ),
        *(Edit("insert edge", None, ends, costs.of("insert_edge", there[ends])) for ends in sorted(new)),
    )


def _do(edits: tuple[Edit, ...], left: Graph, right: Graph, pairs: Pairing, costs: EditCosts) -> None:
    """Do the edits to the left graph, one by one, and refuse if one is impossible or the outcome is another graph."""
    place = {w: left.size + w for w in range(right.size)} | {w: v for v, w in pairs}
    nodes = dict(enumerate(left.label_names if costs.node_labels else (None,) * left.size))
    wanted = dict(enumerate(right.label_names if costs.node_labels else (None,) * right.size))
    edges = dict(_named_edges(left, costs.edge_labels))
    goal = _named_edges(right, costs.edge_labels)
    held = Counter(end for ends in edges for end in ends)  # how many edges hold on to a node
    for edit in edits:
        at: Any = edit.left
        if isinstance(edit.right, tuple):
            at = _ends(place[edit.right[0]], place[edit.right[1]], right.directed)
        elif edit.right is not None:
            at = place[edit.right]
        stands = at in (edges if edit.kind.endswith("edge") else nodes)
        loose = edit.kind == "delete node" and held[at] > 0
        hanging = edit.kind == "insert edge" and not all(end in nodes for end in at)
        if stands == edit.kind.startswith("insert") or loose or hanging:
            raise CertificateError(f"the edit path cannot {edit.kind} {at} as it stands")
        if edit.kind == "delete edge":
            del edges[at]
            held.subtract(at)
        elif edit.kind == "delete node":
            del nodes[at]
        elif isinstance(edit.right, tuple):
            edges[at] = goal[edit.right]
        elif edit.right is not None:
            nodes[at] = wanted[edit.right]
    if nodes != {place[w]: name for w, name in wanted.items()}:
        raise CertificateError("the edit path ends in a graph with other nodes than the right one")
    if edges != {_ends(place[u], place[v], right.directed): name for (u, v), name in goal.items()}:
        raise CertificateError("the edit path ends in a graph with other edges than the right one")


def _ends(u: int, v: int, directed: bool) -> Ends:
    return (u, v) if directed or u <= v else (v, u)


def _named_edges(graph: Graph, labelled: bool) -> dict[Ends, Name]:
    """Each edge once, with the name of its label where labels count; made once for a graph."""
    known: dict[Ends, Name] = graph.cached(("names to certify", labelled), lambda graph: _made_names(graph, labelled))
    return known


def _made_names(graph: Graph, labelled: bool) -> dict[Ends, Name]:
    names = (graph.edge_label_names if labelled else None) or (None,) * len(graph.edges)
    return {(u, v): name for (u, v), name in zip(graph.edges.tolist(), names, strict=True)}


def _require_equal_labels(left: Graph, right: Graph, pairs: Pairing) -> None:
    here, there = _labels(left), _labels(right)
    for v, w in pairs:
        if here[v] != there[w]:
            names = left.vocabulary.nodes[left.labels[v]], right.vocabulary.nodes[right.labels[w]]
            raise CertificateError(f"left node {v} is labelled {names[0]!r}, its partner {w} {names[1]!r}")


def _labels(graph: Graph) -> list[int]:
    ids: list[int] = graph.cached("labels to certify", lambda graph: graph.label_ids.tolist())
    return ids


def _edges(graph: Graph, labelled: bool) -> dict[Ends, int]:
    """Each edge as it stands in `edges`, with what must agree about it; made once for a graph."""
    known: dict[Ends, int] = graph.cached(("edges to certify", labelled), lambda graph: _made_edges(graph, labelled))
    return known


def _made_edges(graph: Graph, labelled: bool) -> dict[Ends, int]:
    ids = graph.edge_label_ids if labelled else None
    kinds = [0] * len(graph.edges) if ids is None else ids.tolist()
    return {(u, v): kind for (u, v), kind in zip(graph.edges.tolist(), kinds, strict=True)}


def _unlike(v: int, x: int, w: int, y: int, edge: int | None, image: int | None) -> str:
    if edge is not None and image is not None:
        return f"edge {v}–{x} and its image {w}–{y} carry different labels"
    has, lacks = ("left", "right") if edge is not None else ("right", "left")
    ends = {"left": f"{v}–{x}", "right": f"{w}–{y}"}
    return (
        f"the {has} graph has edge {ends[has]}, the {lacks} graph no edge {ends[lacks]}, so this is no induced subgraph"
    )


def _require_one_piece(pairs: Pairing, common: list[Ends]) -> None:
    if not pairs:
        return
    neighbours: dict[int, list[int]] = {v: [] for v, _ in pairs}
    for u, v in common:
        neighbours[u].append(v)
        neighbours[v].append(u)
    waiting = [pairs[0][0]]
    apart = set(neighbours)
    apart.discard(pairs[0][0])
    while waiting:
        for node in neighbours[waiting.pop()]:
            if node in apart:
                apart.remove(node)
                waiting.append(node)
    if apart:
        raise CertificateError(
            f"the common subgraph is in pieces: no path from left node {pairs[0][0]} to {min(apart)}"
        )
