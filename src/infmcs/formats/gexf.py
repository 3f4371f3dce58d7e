"""GEXF (Gephi): one graph a file, attributes by title. Nodes' `label` counts where it is not just the node's id.

Hierarchies and graphs that change with time are refused; positions and colours are not read.
"""

from __future__ import annotations

from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.attributed import Attributed, one_type, read_each
from infmcs.formats.markup import KINDS, XML_TYPES, needed, number, quoted, walk
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.target import Files, file_names
from infmcs.formats.words import decimals
from infmcs.graph import Graph


def read(source: Source, members: list[Member], directed: bool | None = None, **choice: Any) -> Collection:
    """The graphs of GEXF files."""
    return read_each(members, Attributed(Packer(source, directed=directed), **choice), _Graphs)


class _Graphs:
    """The graph of one file."""

    def __init__(self, member: Member, graphs: Attributed) -> None:
        self._member, self._graphs = member, graphs
        self._owner = "node"
        self._titles: dict[tuple[str, str], tuple[str, str]] = {}  # owner and id to title and kind
        self._defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}}

    def read(self) -> None:
        walk(self._member, "gexf", self._begin, self._end)

    def _begin(self, place: list[str], tag: str, attributes: dict[str, str], line: int) -> None:
        if tag == "graph":
            if attributes.get("mode") == "dynamic":
                raise self._member.error("a graph that changes with time is not read", line=line)
            self._directed = attributes.get("defaultedgetype", "undirected") == "directed"
            self._drawn = self._graphs.begin(self._member, line, self._member.stem, self._directed)
        elif tag == "attributes":
            self._owner = attributes.get("class", "node")
        elif tag == "attribute":
            name = self._attribute = needed(attributes, "id", tag, self._member, line)
            kind = attributes.get("type", "string").lower()
            self._titles[self._owner, name] = attributes.get("title", name), KINDS.get(kind, "text")
        elif tag in ("node", "edge"):
            if "graph" not in place or {"node", "edge"} & set(place):
                raise self._member.error(f"<{tag}> inside {place[-1]!r} is not read", line=line)
            keys = ("id",) if tag == "node" else ("source", "target")
            self._item = [needed(attributes, key, tag, self._member, line) for key in keys], line
            self._of: dict[str, Any] = dict(self._defaults[tag])
            if attributes.get("label"):
                self._of["label"] = attributes["label"]
            if (
                tag == "edge"
                and (attributes.get("type", "") not in ("", "mutual"))
                and (attributes["type"] == "directed") != self._directed
            ):
                raise self._member.error("directed and undirected edges in one graph are not read", line=line)
        elif tag == "attvalue" and {"node", "edge"} & set(place):
            owner = "edge" if "edge" in place else "node"
            name = attributes.get("for", attributes.get("id", ""))
            if (owner, name) not in self._titles:
                raise self._member.error(f"<attvalue> is for {name!r:.60}, which is not declared", line=line)
            title, kind = self._titles[owner, name]
            self._of[title] = self._value(kind, needed(attributes, "value", tag, self._member, line), line)

    def _end(self, place: list[str], tag: str, text: str, line: int) -> None:
        if tag == "default" and place[-1:] == ["attribute"] and self._owner in self._defaults:
            title, kind = self._titles[self._owner, self._attribute]
            self._defaults[self._owner][title] = self._value(kind, text.strip(), line)
        elif tag == "node":
            (name,), line = self._item
            self._drawn.node(name, self._of, line)
        elif tag == "edge":
            (start, end), line = self._item
            self._drawn.edge(start, end, self._of, line)
        elif tag == "graph":
            if all((owner, title) != ("node", "label") for (owner, _), (title, _) in self._titles.items()):
                self._drawn.drop_ids()
            self._drawn.finish({})

    def _value(self, kind: str, text: str, line: int) -> Any:
        return text if kind == "text" else number(text, kind, self._member, line)


# -- writing -------------------------------------------------------------------------------------------------------


def files(collection: Collection, stem: str) -> Files:
    """A GEXF file a graph."""
    node, edge = (
        one_type(names, XML_TYPES, "GEXF") for names in (collection.vocabulary.nodes, collection.vocabulary.edges)
    )
    for name, graph in zip(file_names(collection, stem, ".gexf"), collection, strict=True):
        yield name, [_text(graph, node, edge)]


def _text(graph: Graph, node: str | None, edge: str | None) -> bytes:
    mode = "directed" if graph.directed else "undirected"
    width = 0 if graph.features is None else graph.features.shape[1]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<gexf xmlns="http://gexf.net/1.3" version="1.3">']
    lines += [f'<graph defaultedgetype="{mode}" mode="static">', '<attributes class="node">']
    lines += [f'<attribute id="label" title="label" type="{node}"/>'] if node else []
    lines += [f'<attribute id="f{k}" title="f{k}" type="float"/>' for k in range(width)]
    lines += ["</attributes>"]
    lines += [f'<attributes class="edge"><attribute id="label" title="label" type="{edge}"/></attributes>'] * bool(edge)
    lines += ["<nodes>"]
    rows = [[]] * graph.size if graph.features is None else decimals(graph.features).tolist()
    for place, (name, row) in enumerate(zip(graph.label_names, rows, strict=True)):
        values = _values(name) + "".join(f'<attvalue for="f{k}" value="{x}"/>' for k, x in enumerate(row))
        shown = "" if name is None else f" label={quoted(str(name))}"
        lines.append(f'<node id="{place}"{shown}><attvalues>{values}</attvalues></node>')
    lines += ["</nodes>", "<edges>"]
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for place, ((u, v), name) in enumerate(zip(graph.edges.tolist(), names, strict=True)):
        values = f"<attvalues>{_values(name)}</attvalues>"
        lines.append(f'<edge id="{place}" source="{u}" target="{v}">{values}</edge>')
    return "\n".join([*lines, "</edges>", "</graph>", "</gexf>", ""]).encode()


def _values(name: Any) -> str:
    if name is None:
        return ""
    if isinstance(name, float) and name - name != 0:
        raise FormatError(f"{name} cannot be said in GEXF", hint="write .infmcs")
    return f'<attvalue for="label" value={quoted(str(name))}/>'
