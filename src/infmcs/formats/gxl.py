"""GXL, the graphs of the IAM database: one graph a file, and .cxl files that list them with their classes.

A folder with `train.cxl` and its like is read as they list it: column `class`, and column `split`, the list's name,
where there are several. A single .cxl file stands for the graphs it names beside it. Text values lose outer blanks,
which some IAM sets pad their symbols with.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.attributed import Attributed
from infmcs.formats.markup import events, needed, number, quoted, said, walk
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.target import Files, file_names
from infmcs.formats.words import decimals, label, values_of
from infmcs.graph import Graph
from infmcs.vocabulary import Name

LISTS = (".cxl",)
TYPES = {"int": "whole", "float": "real", "double": "real", "bool": "truth"}
SEVERAL = ("tup", "seq", "bag", "set")


def read(source: Source, members: list[Member], directed: bool | None = None, **choice: Any) -> Collection:
    """The graphs of GXL files, in the order and with the classes of their lists where there are any."""
    graphs = Attributed(Packer(source, directed=directed), **choice)
    lists = [member for member in members if is_list(member)]
    if not lists:
        for member in members:
            _read_graphs(member, graphs, {})
        return graphs.collection()
    for member, facts in _listed(source, lists, [member for member in members if member not in lists]):
        _read_graphs(member, graphs, facts)
    return graphs.collection()


def is_list(member: Member) -> bool:
    """Whether a file lists graphs instead of being one."""
    return PurePosixPath(member.name).suffix.lower() in LISTS or b"<GraphCollection" in member.head()


def _listed(source: Source, lists: list[Member], members: list[Member]) -> Iterator[tuple[Member, dict[str, Any]]]:
    known = {member.path: member for member in members}
    seen: dict[str, str] = {}
    for collection in lists:
        for begins, tag, attributes, line in events(collection, "GraphCollection"):
            if not begins or "file" not in attributes:
                continue
            name = attributes["file"]
            member = _beside(source, collection, name, line, known)
            if member.path in seen:
                raise collection.error(
                    f"<{tag}> names {name!r:.60}, which {seen[member.path]} names too", line=line, hint="read one list"
                )
            seen[member.path] = collection.name
            facts: dict[str, Any] = {"class": label(attributes["class"])} if "class" in attributes else {}
            yield member, facts | ({"split": collection.stem} if len(lists) > 1 else {})
    if len(seen) < len(known):
        warnings.warn(f"{source.path}: {len(known) - len(seen)} files that no list names are left out", stacklevel=4)


def _beside(source: Source, collection: Member, name: str, line: int, known: dict[str, Member]) -> Member:
    """The file of that name in the list's folder, or below it."""
    parts = PurePosixPath(name).parts
    if not name or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise collection.error(f"names {name!r:.60}, a path that leads out of its folder", line=line)
    if source.kind == "file":
        found = source.beside(name)
    else:
        found = known.get((PurePosixPath(collection.path).parent / name).as_posix())
    if found is None:
        raise collection.error(f"names {name!r:.60}, which is not there", line=line)
    return found


def _read_graphs(member: Member, graphs: Attributed, facts: dict[str, Any]) -> None:
    before = len(graphs)
    _Graphs(member, graphs, facts).read()
    if len(graphs) == before:
        raise member.error("holds no <graph>")


class _Graphs:
    """The graphs of one GXL file."""

    def __init__(self, member: Member, graphs: Attributed, facts: dict[str, Any]) -> None:
        self._member, self._graphs, self._facts = member, graphs, facts

    def read(self) -> None:
        walk(self._member, "gxl", self._begin, self._end)

    def _begin(self, place: list[str], tag: str, attributes: dict[str, str], line: int) -> None:
        if tag == "graph":
            if "graph" in place:
                raise self._member.error("a graph inside a graph is not read", line=line)
            mode = attributes.get("edgemode", "directed")
            if mode.removeprefix("default") not in ("directed", "undirected"):
                raise self._member.error(f"edgemode {mode!r:.40} is neither directed nor undirected", line=line)
            self._directed = mode.endswith("directed") and not mode.endswith("undirected")
            self._drawn = self._graphs.begin(self._member, line, attributes.get("id"), self._directed)
            self._of_graph: dict[str, Any] = dict(self._facts)
        elif tag == "rel":
            raise self._member.error("an edge of several nodes (<rel>) is not read", line=line)
        elif tag in ("node", "edge"):
            if place[-1:] != ["graph"]:
                raise self._member.error(f"<{tag}> stands outside a graph", line=line)
            self._of_item: dict[str, Any] = {}
            keys = ("id",) if tag == "node" else ("from", "to")
            self._item = [needed(attributes, key, tag, self._member, line) for key in keys], line
            one_way = attributes.get("isdirected")
            if one_way is not None and (one_way == "true") != self._directed:
                raise self._member.error("directed and undirected edges in one graph are not read", line=line)
        elif tag == "attr":
            if not {"node", "edge", "graph"} & set(place[-1:]):
                raise self._member.error("<attr> stands outside a graph, a node and an edge", line=line)
            self._key = needed(attributes, "name", tag, self._member, line)
            self._values: list[list[Any]] = [[]]
        elif tag in SEVERAL and "attr" in place:
            self._values.append([])

    def _end(self, place: list[str], tag: str, text: str, line: int) -> None:
        if "attr" in place:
            if tag in SEVERAL:
                value: Any = tuple(self._values.pop())
            else:
                value = number(text, TYPES[tag], self._member, line) if tag in TYPES else text.strip()
            self._values[-1].append(value)
        elif tag == "attr":
            if len(self._values[0]) != 1:
                raise self._member.error(
                    f"attribute {self._key!r:.60} has {len(self._values[0])} values", line=line, hint="expected one"
                )
            owner = self._of_item if place[-1] in ("node", "edge") else self._of_graph
            owner[self._key] = self._values[0][0]
        elif tag == "node":
            (name,), line = self._item
            self._drawn.node(name, self._of_item, line)
        elif tag == "edge":
            (start, end), line = self._item
            self._drawn.edge(start, end, self._of_item, line)
        elif tag == "graph":
            self._drawn.finish(self._of_graph)


# -- writing -------------------------------------------------------------------------------------------------------


def files(collection: Collection, stem: str) -> Files:
    """A GXL file a graph, and where there are classes a `graphs.cxl` that lists them."""
    named = list(file_names(collection, stem, ".gxl"))
    columns = {key: values_of(values) for key, values in collection.columns.items()}
    for place, (name, graph) in enumerate(zip(named, collection, strict=True)):
        yield name, [_text(graph, str(place), {key: values[place] for key, values in columns.items()})]
    if "class" in collection.columns and len(collection) != 1:
        yield "graphs.cxl", _list(named, [str(value) for value in collection.columns["class"]])


def _list(names: list[str], classes: list[str]) -> Iterator[bytes]:
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<GraphCollection>\n<graphs>\n'
    for name, kind in zip(names, classes, strict=True):
        yield f"<print file={quoted(name)} class={quoted(kind)}/>\n".encode()
    yield b"</graphs>\n</GraphCollection>\n"


def _text(graph: Graph, number: str, facts: dict[str, Any]) -> bytes:
    mode = "directed" if graph.directed else "undirected"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<gxl>"]
    lines.append(f'<graph id={quoted(number if graph.name is None else graph.name)} edgeids="false" edgemode="{mode}">')
    lines += [f"<attr name={quoted(key)}>{_value(value)}</attr>" for key, value in facts.items()]
    rows = [[]] * graph.size if graph.features is None else decimals(graph.features).tolist()
    for node, (name, row) in enumerate(zip(graph.label_names, rows, strict=True)):
        inner = "" if name is None else f'<attr name="label">{_value(name)}</attr>'
        inner += "".join(f'<attr name="f{k}"><float>{x}</float></attr>' for k, x in enumerate(row))
        lines.append(f'<node id="{node}">{inner}</node>')
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for (u, v), name in zip(graph.edges.tolist(), names, strict=True):
        inner = "" if name is None else f'<attr name="label">{_value(name)}</attr>'
        lines.append(f'<edge from="{u}" to="{v}">{inner}</edge>')
    return "\n".join([*lines, "</graph>", "</gxl>", ""]).encode()


def _value(name: Name) -> str:
    if isinstance(name, tuple):
        return f"<tup>{''.join(map(_value, name))}</tup>"
    if isinstance(name, str):
        if name != name.strip():
            raise FormatError(f"the label {name!r:.60} has outer blanks, which GXL files lose", hint="write .jsonl")
        return f"<string>{said(name)}</string>"
    if isinstance(name, bool):
        return f"<bool>{str(name).lower()}</bool>"
    if name is None or (isinstance(name, float) and name - name):
        raise FormatError(f"the label {name!r} cannot be said in GXL", hint="write .jsonl or .infmcs")
    return f"<int>{name}</int>" if isinstance(name, int) else f"<double>{name!r}</double>"
