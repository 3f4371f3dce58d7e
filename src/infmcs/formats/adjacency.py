"""One graph a file, as its edges or as its nodes' neighbours. The file's name is the graph's.

edgelist  `u v [label]` an edge, `u` a node without edges; blanks, tabs or commas between, comments after `#` or `%`.
          Where all nodes are whole numbers they count from 0 (or first_node), and nodes that no line names exist too;
          else they are names, numbered as they come. networkx's empty `{}` stands for no label.
lad       the number of nodes, then a line a node: `count neighbour ...`; with labels `label count neighbour ...`, with
          edge labels too `label count neighbour label ...`. Which of the three is what fits all lines, in this order.
          Neighbours both ways, with equal labels, are one undirected edge; a file in which one is missing is directed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member
from infmcs.formats.target import Files, file_names
from infmcs.formats.words import label, number, word_for, words_for
from infmcs.graph import Graph

HINT = "an edge is 'node node', or 'node node label'"


def read_edges(member: Member, packer: Packer) -> None:
    """Add the graph of an edge list."""
    nodes: list[str] = []
    alone: list[str] = []
    labels: list[Any] = []
    first = None
    for place, line in member.lines():
        text = re.split(r"[#%]", member.decoded(line, place), maxsplit=1)[0]
        words = text.replace(",", " ").split()
        if not words:
            continue
        first = first or place
        if len(words) > 2 and words[2] == "{}":
            del words[2]
        if len(words) > 3 or "{" in words[-1]:
            raise member.error(f"{text.strip()!r:.60} is no edge", line=place, hint=HINT)
        if len(words) == 1:
            alone.append(words[0])
            continue
        nodes += words[:2]
        labels.append(label(words[2]) if len(words) == 3 else None)
    if first is None:
        return
    size, ends = _numbered(member, nodes, alone, packer.first_node)
    packer.add(
        member,
        size,
        ends,
        edge_labels=labels if any(name is not None for name in labels) else None,
        name=member.stem,
    )


def _numbered(member: Member, nodes: list[str], alone: list[str], first: int) -> tuple[int, list[int]]:
    """How many nodes there are, and the edges' ends as numbers."""
    try:
        ends, others = [number(word) for word in nodes], [number(word) for word in alone]
    except ValueError:
        place: dict[str, int] = {}
        for word in (*nodes, *alone):
            place.setdefault(word, len(place) + first)
        return len(place), [place[word] for word in nodes]
    if min(ends, default=first) < first or min(others, default=first) < first:
        least = min(*ends, *others, first)
        raise member.error(f"node {least}, but nodes count from {first}", hint="first_node=0 is what is usual")
    return max(*ends, *others, first - 1, first - 1) - first + 1, ends


def read_lad(member: Member, packer: Packer) -> None:
    """Add the graph of a LAD file."""
    rows = [(place, member.decoded(line, place).split()) for place, line in member.lines()]
    rows = [(place, words) for place, words in rows if words]
    if not rows:
        return
    place, head = rows.pop(0)
    if len(head) != 1 or not head[0].isdecimal() or not head[0].isascii() or len(head[0]) > 9:
        raise member.error(f"{' '.join(head)!r:.60}: expected the number of nodes", line=place)
    if len(rows) != int(head[0]):
        raise member.error(f"{len(rows)} lines of neighbours for {head[0]} nodes", line=place)
    shape = next((shape for shape in SHAPES if all(_fits(words, *shape) for _, words in rows)), None)
    if shape is None:
        fitting = [shape for shape in SHAPES if _fits(rows[0][1], *shape)]
        place, words = next((row for row in rows if not any(_fits(row[1], *shape) for shape in fitting)), rows[-1])
        raise member.error(
            f"{' '.join(words)!r:.60}: expected 'count neighbour ...', with or without a label before it",
            line=place,
            hint="every line has the form of the others",
        )
    before, step = shape
    ends: list[tuple[int, int]] = []
    names: list[Any] = []
    for node, (place, words) in enumerate(rows, packer.first_node):
        try:
            ends += [(node, number(word)) for word in words[before + 1 :: step]]
        except ValueError:
            raise member.error(f"{' '.join(words)!r:.60}: a neighbour is no whole number", line=place) from None
        names += [label(word) for word in words[before + 2 :: step]] if step == 2 else []
    directed = _one_way(ends, names) if packer.forced is None else packer.forced
    packer.add(
        member,
        len(rows),
        [end for edge in ends for end in edge],
        labels=[label(words[0]) for _, words in rows] if before else None,
        edge_labels=names if step == 2 else None,
        name=member.stem,
        directed=directed,
    )


WIDE = np.array([1 << 32, 1])  # two ends as one number; ends beyond 32 bits are refused later
SHAPES = ((0, 1), (1, 1), (1, 2))  # words before the count, words a neighbour


def _fits(words: Sequence[str], before: int, step: int) -> bool:
    if len(words) <= before or not words[before].isascii() or not words[before].isdecimal() or len(words[before]) > 9:
        return False
    return len(words) == before + 1 + step * int(words[before])


def _one_way(ends: list[tuple[int, int]], names: list[Any]) -> bool:
    """Whether some neighbour is not one back, with the same label."""
    if not names:
        pairs = np.array(ends, np.int64).reshape(-1, 2)
        there, back = (np.sort(each @ WIDE) for each in (pairs, pairs[:, ::-1]))
        distinct = [each[np.append(True, each[1:] != each[:-1])[: len(each)]] for each in (there, back)]
        return not np.array_equal(*distinct)
    known = set(zip(ends, names, strict=True))
    return any(((v, u), name) not in known for (u, v), name in known)


# -- writing -------------------------------------------------------------------------------------------------------


def edge_files(collection: Collection, stem: str) -> Files:
    """An edge list a graph."""
    edge = words_for(collection.vocabulary.edges, refused=",#%{}")
    for name, graph in _named(collection, stem, ".edgelist"):
        yield name, [_edge_text(graph, edge)]


def _edge_text(graph: Graph, word: Any) -> bytes:
    codes = [""] * len(graph.edges) if graph.edge_labels is None else map(word, graph.edge_labels.tolist())
    lines = [f"{u} {v} {name}".rstrip() for (u, v), name in zip(graph.edges.tolist(), codes, strict=True)]
    if not graph.size:
        raise FormatError("an edge list cannot say that a graph has no nodes", hint="write .jsonl or .infmcs")
    last = int(graph.edges.max(initial=-1))
    lines += [str(graph.size - 1)] if last < graph.size - 1 else []
    return ("\n".join(lines) + "\n").encode()


def lad_files(collection: Collection, stem: str) -> Files:
    """A LAD file a graph: with labels where the collection has any, and then with edge labels."""
    for name, graph in _named(collection, stem, ".lad"):
        labelled = collection.vocabulary.nodes != (None,) or collection.edge_labels is not None
        yield name, [_lad_text(graph, labelled, collection.edge_labels is not None)]


def _lad_text(graph: Graph, labelled: bool, edge_labelled: bool) -> bytes:
    rows: list[list[str]] = [[] for _ in range(graph.size)]
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for (u, v), name in zip(graph.edges.tolist(), names, strict=True):
        for here, there in ((u, v), (v, u))[: 1 if graph.directed or u == v else 2]:
            rows[here] += [str(there), _said(name)] if edge_labelled else [str(there)]
    counts = [str(len(row) // (2 if edge_labelled else 1)) for row in rows]
    lines = [[count, *row] for count, row in zip(counts, rows, strict=True)]
    if labelled:
        lines = [[_said(name), *line] for name, line in zip(graph.label_names, lines, strict=True)]
    wanted = SHAPES[labelled + (edge_labelled and len(graph.edges) > 0)]
    if graph.size and any(all(_fits(line, *shape) for line in lines) for shape in SHAPES[: SHAPES.index(wanted)]):
        raise FormatError(
            f"the labels {', '.join(line[0] for line in lines[:4])} … would be read as numbers of neighbours",
            hint="a LAD file does not say whether it has labels; write .jsonl or .infmcs",
        )
    return "".join(" ".join(line) + "\n" for line in [[str(graph.size)], *lines]).encode()


def _said(name: Any) -> str:
    if name is None:
        raise FormatError("a LAD file has labels on all nodes and edges or on none", hint="write .jsonl or .infmcs")
    return word_for(name)


def _named(collection: Collection, stem: str, suffix: str) -> Iterator[tuple[str, Graph]]:
    yield from zip(file_names(collection, stem, suffix), collection, strict=True)
