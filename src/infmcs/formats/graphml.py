"""GraphML: graphs with typed attributes, many a file. Hyperedges and graphs inside nodes are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.attributed import Attributed, one_type, read_each
from infmcs.formats.markup import KINDS, XML_TYPES, needed, number, quoted, said, walk
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.target import Files
from infmcs.formats.words import decimals, values_of
from infmcs.graph import Graph


def read(source: Source, members: list[Member], directed: bool | None = None, **choice: Any) -> Collection:
    """The graphs of GraphML files."""
    return read_each(members, Attributed(Packer(source, directed=directed), **choice), _Graphs)


class _Graphs:
    """The graphs of one file. Keys may be declared anywhere before they are used."""

    def __init__(self, member: Member, graphs: Attributed) -> None:
        self._member, self._graphs = member, graphs
        self._keys: dict[str, tuple[str, str, str]] = {}  # id to whose it is, name and kind
        self._defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}, "graph": {}}
        self._of: dict[str, dict[str, Any]] = {}
        self._directed = False

    def read(self) -> None:
        walk(self._member, "graphml", self._begin, self._end)

    def _begin(self, place: list[str], tag: str, attributes: dict[str, str], line: int) -> None:
        if tag in ("node", "edge"):
            if place[-1:] != ["graph"]:
                raise self._member.error(f"<{tag}> stands outside a graph", line=line)
            keys = ("id",) if tag == "node" else ("source", "target")
            self._item = [needed(attributes, key, tag, self._member, line) for key in keys], line
            self._of[tag] = dict(self._defaults[tag])
            if "directed" in attributes and (attributes["directed"] == "true") != self._directed:
                raise self._member.error("directed and undirected edges in one graph are not read", line=line)
        elif tag == "data":
            self._data = needed(attributes, "key", tag, self._member, line)
            if self._data not in self._keys:
                raise self._member.error(f"<data> names key {self._data!r:.60}, which is not declared", line=line)
        elif tag == "key":
            self._key = needed(attributes, "id", tag, self._member, line)
            kind = attributes.get("attr.type", "string").lower()
            if kind not in KINDS:
                raise self._member.error(f"attr.type {kind!r:.40} is not known", line=line)
            self._keys[self._key] = attributes.get("for", "all"), attributes.get("attr.name", self._key), KINDS[kind]
        elif tag == "graph":
            if "graph" in place:
                raise self._member.error("a graph inside a graph is not read", line=line)
            self._directed = needed(attributes, "edgedefault", tag, self._member, line) != "undirected"
            self._drawn = self._graphs.begin(self._member, line, attributes.get("id"), self._directed)
            self._of = {"graph": dict(self._defaults["graph"])}
        elif tag in ("hyperedge", "endpoint"):
            raise self._member.error(f"an edge of several nodes (<{tag}>) is not read", line=line)

    def _end(self, place: list[str], tag: str, text: str, line: int) -> None:
        if tag == "default" and place[-1:] == ["key"]:
            owner, name, kind = self._keys[self._key]
            value = self._value(kind, text, line)
            for each in ("node", "edge", "graph") if owner == "all" else (owner,):
                self._defaults.get(each, {})[name] = value
        elif tag == "data" and place and place[-1] in ("node", "edge", "graph"):
            _, name, kind = self._keys[self._data]
            self._of[place[-1]][name] = self._value(kind, text, line)
        elif tag == "node":
            (name,), line = self._item
            self._drawn.node(name, self._of["node"], line)
        elif tag == "edge":
            (start, end), line = self._item
            self._drawn.edge(start, end, self._of["edge"], line)
        elif tag == "graph":
            self._drawn.finish(self._of["graph"])

    def _value(self, kind: str, text: str, line: int) -> Any:
        return text if kind == "text" else number(text, kind, self._member, line)


# -- writing -------------------------------------------------------------------------------------------------------


def files(collection: Collection, stem: str) -> Files:
    """The collection as one GraphML file."""
    yield f"{stem}.graphml", _pieces(collection)


def _pieces(collection: Collection) -> Iterator[bytes]:
    node, edge = (
        one_type(names, XML_TYPES, "GraphML") for names in (collection.vocabulary.nodes, collection.vocabulary.edges)
    )
    columns = {key: values_of(values) for key, values in collection.columns.items()}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [_key("n", "node", "label", node)] if node else []
    lines += [_key("e", "edge", "label", edge)] if edge else []
    width = 0 if collection.features is None else collection.features.shape[1]
    lines += [_key(f"f{k}", "node", f"f{k}", "float") for k in range(width)]
    for k, (key, values) in enumerate(columns.items()):
        lines.append(_key(f"g{k}", "graph", key, one_type(values, XML_TYPES, "GraphML") or "string"))
    yield ("\n".join(lines) + "\n").encode()
    for place, graph in enumerate(collection):
        yield _text(graph, place, [values[place] for values in columns.values()])
    yield b"</graphml>\n"


def _key(name: str, owner: str, title: str, kind: str) -> str:
    return f'<key id="{name}" for="{owner}" attr.name={quoted(title)} attr.type="{kind}"/>'


def _text(graph: Graph, number: int, facts: list[Any]) -> bytes:
    mode = "directed" if graph.directed else "undirected"
    lines = [f'<graph id={quoted(str(number) if graph.name is None else graph.name)} edgedefault="{mode}">']
    lines += [_data(f"g{k}", value) for k, value in enumerate(facts)]
    rows = [[]] * graph.size if graph.features is None else decimals(graph.features).tolist()
    for node, (name, row) in enumerate(zip(graph.label_names, rows, strict=True)):
        inner = ("" if name is None else _data("n", name)) + "".join(_data(f"f{k}", x) for k, x in enumerate(row))
        lines.append(f'<node id="{node}">{inner}</node>' if inner else f'<node id="{node}"/>')
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for (u, v), name in zip(graph.edges.tolist(), names, strict=True):
        end = "/>" if name is None else f">{_data('e', name)}</edge>"
        lines.append(f'<edge source="{u}" target="{v}"{end}')
    return "\n".join([*lines, "</graph>", ""]).encode()


def _data(key: str, value: Any) -> str:
    if isinstance(value, float) and value - value != 0:
        raise FormatError(f"{value} cannot be said in GraphML", hint="write .infmcs")
    text = said(value) if isinstance(value, str) else str(value).lower()
    return f'<data key="{key}">{text}</data>'
