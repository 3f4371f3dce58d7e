"""The pictures: one graph, two with what they share, two with the edits between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from infmcs import certify
from infmcs.certify import EditPath, Pairing, Question
from infmcs.draw import molecules
from infmcs.draw.canvas import Canvas, Point
from infmcs.draw.figure import MOST_EDGES, MOST_NODES, Drawn, Mark, ends, nearby, short, some, word
from infmcs.errors import GraphError, QuestionError
from infmcs.graph import Graph

EDGE, SIDE, ROOM = 52.0, 520.0, 34.0  # pixels: an edge, the side that a graph fits into, between two nodes
WORDY_EDGE = 84.0  # an edge that carries its label
MARGIN, GAP, LINE = 18.0, 28.0, 20.0

VERBS: dict[str, Mark] = {"delete": "deleted", "insert": "inserted", "relabel": "relabelled"}


def graph(
    graph: Graph,
    marked: Iterable[int] = (),
    *,
    title: str | None = None,
    molecule: bool | None = None,
) -> str:
    """One graph as SVG text; `marked` nodes, and the edges between them, in the colour of the common part.

    molecule   drawn as chemists do; left out: where its labels are elements and RDKit is there.
    """
    chosen = {node for node, _ in certify.pairing(graph, graph, [(node, node) for node in marked])}
    inside: dict[tuple[int, int], Mark] = {
        (u, v): "common" for u, v in graph.edges.tolist() if u in chosen and v in chosen
    }
    drawn = Drawn.of(graph, dict.fromkeys(chosen, "common"), inside, sorted(chosen), {})
    drawn.place(_as_molecules(molecule, drawn.part), {})
    words = title if title is not None else _called(graph, "graph")
    legend: list[tuple[Mark, str]] = [("common", f"marked ({len(chosen)})")] if chosen else []
    return _picture([(drawn, _counted(graph, drawn))], words, _told(graph), legend)


def pair(
    left: Graph,
    right: Graph,
    mapping: Mapping[int, int] | Iterable[tuple[int, int]],
    *,
    title: str | None = None,
    names: tuple[str, str] | None = None,
    question: Question | None = None,
    molecule: bool | None = None,
) -> str:
    """Two graphs side by side as SVG text: partners of the mapping in one colour and, in both, at the same place.

    names      above the two graphs; left out: their own names.
    question   certify the mapping as the common subgraph it asks for; left out: any mapping from node to node is drawn,
               and an edge that both graphs have between partners is common.
    """
    left, right, image, here, there = _shared(left, right, mapping, question)
    kept = nearby(left, [], MOST_NODES * 3 // 4, set(image))
    sides = [
        Drawn.of(left, dict.fromkeys(image, "common"), here, kept, _partners(image, "right")),
        _image_side(right, image, there, kept, "left"),
    ]
    _place_alike(sides, image, molecule)
    called = names or (_called(left, "left"), _called(right, "right"))
    words = title if title is not None else f"What {called[0]} and {called[1]} have in common"
    panels = [(drawn, f"{name}: {_counted(drawn.whole, drawn)}") for drawn, name in zip(sides, called, strict=True)]
    legend: list[tuple[Mark, str]] = [("common", f"common: {some(len(image), 'node')}, {some(len(here), 'edge')}")]
    if len(image) < max(left.size, right.size):
        legend.append(("plain", "in one graph only"))
    return _picture(panels, words, _told_pair(called, left, right, image), legend)


def hits(
    query: Graph,
    found: Iterable[tuple[Graph, Pairing, str]],
    *,
    title: str = "",
    question: Question | None = None,
    molecule: bool | None = None,
) -> str:
    """A query and what was found for it as SVG text: in every graph, what it shares with the query, at the same place.

    found      each graph with its mapping (query node, its node) and what to write above it.
    """
    every = [(*_shared(query, graph, mapping, question), words) for graph, mapping, words in found]
    first = Drawn.of(every[0][0] if every else query, {}, {}, [], {})
    panels = [(first, f"query: {_called(query, _counted(query, first))}")]
    panels += [
        (_image_side(right, image, there, nearby(left, [], MOST_NODES * 3 // 4, set(image)), "query"), words)
        for left, right, image, _, there, words in every
    ]
    as_molecules = _as_molecules(molecule, *(drawn.part for drawn, _ in panels))
    first.place(as_molecules, {})
    where = {node: (float(x), float(y)) for node, (x, y) in zip(first.nodes, first.placed, strict=True)}
    for (drawn, _), (_, _, image, _, _, _) in zip(panels[1:], every, strict=True):
        drawn.place(as_molecules, {image[v]: where[v] for v in image if v in where})
    told = "; ".join(words for _, words in panels[1:])
    described = f"The query beside {some(len(every), 'graph')}: {told}." if every else "The query; nothing was found."
    return _picture(panels, title, described, [("common", "in common with the query")])


def edit_path(
    left: Graph,
    right: Graph,
    path: EditPath,
    *,
    title: str | None = None,
    names: tuple[str, str] | None = None,
    molecule: bool | None = None,
) -> str:
    """Two graphs and the edits that turn the left one into the right one, as SVG text.

    What is deleted is dashed, what is inserted has a ring or a thick line, a relabelled node says what becomes what.
    """
    directed = left.directed and right.directed
    left, right = _seen(left, directed), _seen(right, directed)
    image = dict(certify.pairing(left, right, path.mapping))
    source = {w: v for v, w in image.items()}
    kept = nearby(left, [], MOST_NODES * 3 // 4, set(image))
    sides = []
    for one, mine, first, other in (
        (left, image, kept, "right"),
        (right, source, [image[v] for v in kept], "left"),
    ):
        nodes: dict[int, Mark] = dict.fromkeys(mine, "common")
        edges: dict[tuple[int, int], Mark] = {
            (u, v): "common" for u, v in one.edges.tolist() if u in mine and v in mine
        }
        tips = _partners(mine, other)
        for edit in path.edits:
            at = edit.left if one is left else edit.right
            mark = VERBS[edit.kind.split()[0]]
            if isinstance(at, tuple):
                edges[ends(*at, directed)] = mark
            elif at is not None:
                nodes[at] = mark
            if edit.kind == "relabel node" and isinstance(edit.left, int) and isinstance(edit.right, int):
                here, there = word(left, edit.left), word(right, edit.right)
                tips[edit.left if one is left else edit.right] += f", relabelled {here} to {there}"
        sides.append(Drawn.of(one, nodes, edges, first, tips))
    _place_alike(sides, image, molecule)
    called = names or (_called(left, "left"), _called(right, "right"))
    words = title if title is not None else f"From {called[0]} to {called[1]} in {some(len(path.edits), 'edit')}"
    panels = [(drawn, f"{name}: {_counted(drawn.whole, drawn)}") for drawn, name in zip(sides, called, strict=True)]
    counts = {kind: sum(edit.kind.startswith(kind) for edit in path.edits) for kind in ("delete", "insert", "relabel")}
    legend: list[tuple[Mark, str]] = [("common", f"kept: {some(len(image), 'node')}")]
    legend += [("relabelled", f"relabelled: {counts['relabel']}")] if counts["relabel"] else []
    legend += [("deleted", f"deleted: {counts['delete']}")] if counts["delete"] else []
    legend += [("inserted", f"inserted: {counts['insert']}")] if counts["insert"] else []
    steps = "; ".join(_step(edit.kind, edit.left, edit.right) for edit in path.edits[:40])
    more = f"; and {len(path.edits) - 40} more" if len(path.edits) > 40 else ""
    described = f"An edit path of cost {path.cost:g}. {steps or 'Nothing is edited'}{more}."
    return _picture(panels, words, described, legend)


# -- the sheet ----------------------------------------------------------------------------------------------------


def _shared(
    left: Graph, right: Graph, mapping: Mapping[int, int] | Iterable[tuple[int, int]], question: Question | None
) -> tuple[Graph, Graph, dict[int, int], dict[tuple[int, int], Mark], dict[tuple[int, int], Mark]]:
    """Two graphs as they are drawn, the mapping, and the common edges of each."""
    if question is not None:
        mapping = certify.common_subgraph(left, right, mapping, question).mapping
    directed = left.directed and right.directed if question is None else question.directed
    left, right = _seen(left, directed), _seen(right, directed)
    labelled = question is not None and question.edge_labels
    loose = Question(induced=False, connected=False, node_labels=False, edge_labels=labelled, directed=directed)
    shared = certify.common_subgraph(left, right, mapping, loose)
    image = dict(shared.mapping)
    here: dict[tuple[int, int], Mark] = dict.fromkeys(shared.edges, "common")
    there: dict[tuple[int, int], Mark] = {ends(image[u], image[v], directed): "common" for u, v in shared.edges}
    return left, right, image, here, there


def _image_side(
    graph: Graph, image: dict[int, int], edges: dict[tuple[int, int], Mark], kept: list[int], other: str
) -> Drawn:
    """The graph that a mapping leads to."""
    source = {w: v for v, w in image.items()}
    tips = _partners(source, other)
    return Drawn.of(graph, dict.fromkeys(source, "common"), edges, [image[v] for v in kept], tips)


def _seen(graph: Graph, directed: bool) -> Graph:
    """The graph to be drawn beside another. Opposite edges whose labels differ become one without a label."""
    if directed or not graph.directed:
        return graph
    try:
        return graph.undirected()
    except GraphError:
        return graph.undirected(edge_labels=False)


def _partners(mapping: Mapping[int, int], other: str) -> dict[int, str]:
    return {node: f"partner of {other} node {partner}" for node, partner in mapping.items()}


def _place_alike(sides: list[Drawn], image: dict[int, int], molecule: bool | None) -> None:
    """Both graphs laid out, partners at the same place."""
    as_molecules = _as_molecules(molecule, *(drawn.part for drawn in sides))
    left, right = sides
    left.place(as_molecules, {})
    where = {node: (float(x), float(y)) for node, (x, y) in zip(left.nodes, left.placed, strict=True)}
    right.place(as_molecules, {image[v]: where[v] for v in image if v in where})


def _as_molecules(wish: bool | None, *graphs: Graph) -> bool:
    if wish is False or (wish is None and not any(graph.size for graph in graphs)):
        return False
    can = all(molecules.is_one(graph) or not graph.size for graph in graphs)
    if wish and not can:
        raise QuestionError(
            "this cannot be drawn as a molecule",
            hint="that takes RDKit, element symbols as labels, and bonds; leave molecule out to have it decided",
        )
    return can


def _picture(panels: list[tuple[Drawn, str]], title: str, told: str, legend: list[tuple[Mark, str]]) -> str:
    corners = np.concatenate([drawn.placed for drawn, _ in panels] + [np.zeros((0, 2))])
    least, most = (corners.min(0), corners.max(0)) if len(corners) else (np.zeros(2), np.zeros(2))
    extent = np.maximum(most - least, 0.5)
    nearest = min((drawn.nearest for drawn, _ in panels), default=1.0)
    most_drawn = max(drawn.part.size for drawn, _ in panels)
    side = SIDE if most_drawn <= 60 else 1.5 * SIDE  # crowded graphs get a larger sheet
    wordy = any(drawn.part.edge_labels is not None and not drawn.as_molecule for drawn, _ in panels)
    scale = float(min(max(WORDY_EDGE if wordy else EDGE, ROOM / nearest), side / extent.max()))
    radius = max(2.0, min(15.0, 0.27 * scale, 0.46 * scale * nearest))
    pad = 26.0
    captions = [caption for _, caption in panels]
    words = max(len(short(caption, 60)) for caption in captions) * 6.6
    width = max(float(extent[0]) * scale + 2 * pad, words, 150.0)
    height = float(extent[1]) * scale + 2 * pad
    across = min(len(panels), 2 if width > SIDE else 3)
    if len(panels) == 2 and width > 2.2 * height:  # two wide graphs stand one below the other
        across = 1
    down = -(-len(panels) // across)
    whole = max(2 * MARGIN + across * width + (across - 1) * GAP, 2 * MARGIN + len(short(title, 90)) * 8.2)
    canvas = Canvas()
    top = MARGIN
    if title:
        canvas.text((MARGIN, top + 8), short(title, 90), 15, anchor="start", bold=True)
        top += LINE + 8
    for k, (drawn, caption) in enumerate(panels):
        x = MARGIN + k % across * (width + GAP)
        y = top + k // across * (height + LINE + 8)
        canvas.text((x, y + 7), short(caption, 60), 12, "faint", anchor="start")
        shift = (width - float(extent[0]) * scale) / 2
        drawn.put(canvas, (x + shift, y + LINE + pad), least, scale, radius)
    bottom = top + down * (height + LINE) + (down - 1) * 8
    x, y = MARGIN, bottom + 8
    for mark, words_ in legend:
        if x > MARGIN and x + 24 + len(words_) * 6.8 > whole:
            x, y = MARGIN, y + LINE
        _swatch(canvas, mark, (x + 7, y))
        canvas.text((x + 20, y), words_, 12, "faint", anchor="start")
        x += 36 + len(words_) * 6.8
        bottom = y + 8
    return canvas.svg(whole, bottom + MARGIN, title or "graph", told)


def _swatch(canvas: Canvas, mark: Mark, at: Point) -> None:
    canvas.circle(at, 6, mark, "faint" if mark == "plain" else mark, 1.2)
    if mark == "deleted":
        canvas.circle(at, 8, stroke="deleted", width=1.2, dashed=True)
    if mark == "inserted":
        canvas.circle(at, 8.5, stroke="inserted", width=1.2)


# -- words --------------------------------------------------------------------------------------------------------


def _called(graph: Graph, side: str) -> str:
    return graph.name if graph.name else side


def _counted(whole: Graph, drawn: Drawn) -> str:
    told = f"{some(whole.size, 'node')}, {some(len(whole.edges), 'edge')}"
    if drawn.part.size < whole.size:
        told += f" ({drawn.part.size} nodes shown)"
    elif len(whole.edges) > MOST_EDGES:
        told += f" ({MOST_EDGES:,} edges shown)"
    return told


def _told(graph: Graph) -> str:
    kind = "A directed graph" if graph.directed else "A graph"
    return f"{kind} of {some(graph.size, 'node')} and {some(len(graph.edges), 'edge')}."


def _told_pair(called: tuple[str, str], left: Graph, right: Graph, image: dict[int, int]) -> str:
    sizes = (
        f"{called[0]} has {some(left.size, 'node')}, {called[1]} {some(right.size, 'node')}; {len(image)} are common"
    )
    shown = ", ".join(f"{v}–{w}" for v, w in list(image.items())[:60])
    return f"{sizes}. Partners: {shown}{', …' if len(image) > 60 else ''}." if image else f"{sizes}."


def _step(kind: str, left: object, right: object) -> str:
    def at(place: object) -> str:
        return "–".join(map(str, place)) if isinstance(place, tuple) else str(place)

    if left is not None and right is not None:
        return f"{kind} {at(left)} (right {at(right)})"
    return f"{kind} {at(left)}" if left is not None else f"{kind} {at(right)} of the right graph"
