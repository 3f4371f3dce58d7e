"""Graphs whose nodes and edges have named attributes (GXL, GraphML, GEXF, GML), into labels, features and columns.

One attribute becomes the node label: the one `label=` names; else `label`; else the first that is text; else the only
one of whole numbers. The other numbers become features, in the order in which they appear, where every node has them.
Edges are treated alike, without features. Attributes of the graph become columns where every graph has them. What is
left over is named in a warning. The choice is made once, over all graphs read together.
"""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source

OPTIONS = frozenset({"directed", "label", "edge_label", "features"})


class Attributed:
    """Takes graphs with attributes and packs them at the end."""

    def __init__(
        self,
        packer: Packer,
        label: str | None = None,
        edge_label: str | None = None,
        features: str | Sequence[str] | None = None,
    ) -> None:
        self._packer = packer
        self._label, self._edge_label = label, edge_label
        self._features = features.replace(",", " ").split() if isinstance(features, str) else features
        self._nodes, self._edges, self._graphs = _Table(), _Table(), _Table()
        self._drawn: list[Drawn] = []

    def __len__(self) -> int:
        return len(self._drawn)

    def begin(self, member: Member, line: int, name: str | None, directed: bool) -> Drawn:
        """A graph more, to be given its nodes and edges; `finish` ends it."""
        return Drawn(self, member, line, name, directed)

    def taken(self, drawn: Drawn, attributes: Mapping[str, Any]) -> None:
        """The graph is complete."""
        self._nodes.extend(drawn.nodes)
        self._edges.extend(drawn.edges)
        self._graphs.extend([attributes])
        drawn.forget()
        self._drawn.append(drawn)

    def collection(self) -> Collection:
        """All graphs, packed."""
        source = self._packer.source
        label = _chosen(self._nodes, self._label, "node", source)
        edge_label = _chosen(self._edges, self._edge_label, "edge", source)
        features = self._feature_names(label)
        columns = self._graphs.columns()
        self._warn(label, edge_label, features, columns)
        labels = self._nodes.values(label) if label else None
        edge_labels = self._edges.values(edge_label) if edge_label else None
        rows = list(zip(*(self._nodes.values(key) for key in features), strict=True)) if features else None
        facts = {key: self._graphs.values(key) for key in columns}
        node = edge = 0
        for place, drawn in enumerate(self._drawn):
            nodes, edges = slice(node, node + drawn.size), slice(edge, edge + len(drawn.ends) // 2)
            node, edge = nodes.stop, edges.stop
            self._packer.add(
                drawn.member,
                drawn.size,
                drawn.ends,
                labels=labels[nodes] if labels else None,
                edge_labels=edge_labels[edges] if edge_labels else None,
                features=rows[nodes] if rows else None,
                name=drawn.name,
                columns={key: values[place] for key, values in facts.items()},
                directed=drawn.directed,
                line=drawn.line,
            )
        return self._packer.collection()

    def _feature_names(self, label: str | None) -> list[str]:
        if self._features is None:
            numeric = [key for key in self._nodes if self._nodes.kind(key) in ("whole", "real")]
            return [key for key in numeric if key != label and self._nodes.full(key)]
        for key in self._features:
            if key not in self._nodes or self._nodes.kind(key) == "text" or not self._nodes.full(key):
                there = ", ".join(self._nodes) or "none"
                raise self._packer.source.error(
                    f"no number {key!r} on every node", hint=f"the nodes' attributes are {there}"
                )
        return list(self._features)

    def _warn(self, label: str | None, edge_label: str | None, features: list[str], columns: list[str]) -> None:
        wanted = self._features is None
        lost = [f"node {key!r}" for key in self._nodes if key != label and key not in features and wanted]
        lost += [f"edge {key!r}" for key in self._edges if key != edge_label and self._edge_label is None]
        lost += [f"graph {key!r}" for key in self._graphs if key not in columns]
        _warn_of(self._packer.source, lost, " (label=, edge_label= and features= choose)")


class Reads(Protocol):
    """What reads the graphs of one file."""

    def read(self) -> None:
        """Give each graph to the `Attributed` it was made with."""


def read_each(
    members: Iterable[Member], graphs: Attributed, reader: Callable[[Member, Attributed], Reads]
) -> Collection:
    """The graphs of XML files, each of which must hold one."""
    for member in members:
        before = len(graphs)
        reader(member, graphs).read()
        if len(graphs) == before:
            raise member.error("holds no <graph>")
    return graphs.collection()


def shared_columns(source: Source, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each row what all rows have, so that it can be a column; of the rest a warning."""
    table = _Table()
    table.extend(rows)
    columns = table.columns()
    _warn_of(source, [repr(key) for key in table if key not in columns], "")
    return [{key: row[key] for key in columns} for row in rows]


def _warn_of(source: Source, lost: list[str], remark: str) -> None:
    if lost:
        more = f" and {len(lost) - 6} more" if len(lost) > 6 else ""
        warnings.warn(f"{source.path}: attributes left out: {', '.join(lost[:6])}{more}{remark}", stacklevel=6)


class Drawn:
    """One graph while it is read: nodes by the names the file gives them, edges between those."""

    def __init__(self, taker: Attributed, member: Member, line: int, name: str | None, directed: bool) -> None:
        self._taker = taker
        self.member, self.line, self.name, self.directed = member, line, name, directed
        self.nodes: list[Mapping[str, Any]] = []
        self.edges: list[Mapping[str, Any]] = []
        self.size = 0
        self.ends = array("i")
        self._places: dict[str, int] = {}
        self._ends: list[tuple[str, str, int]] = []

    def node(self, name: str, attributes: Mapping[str, Any], line: int) -> None:
        """A node more."""
        if self._places.setdefault(name, self.size) != self.size:
            raise self.member.error(f"node {name!r:.60} is there twice", line=line)
        self.size += 1
        self.nodes.append(attributes)

    def edge(self, start: str, end: str, attributes: Mapping[str, Any], line: int) -> None:
        """An edge more; its nodes may come later."""
        self._ends.append((start, end, line))
        self.edges.append(attributes)

    def finish(self, attributes: Mapping[str, Any]) -> None:
        """No more of this graph."""
        for start, end, line in self._ends:
            for name in (start, end):
                if name not in self._places:
                    raise self.member.error(
                        f"edge {start}–{end} names node {name!r:.60}, which the graph does not have", line=line
                    )
            self.ends.extend((self._places[start], self._places[end]))
        self._taker.taken(self, attributes)

    def drop_ids(self) -> None:
        """Forget the labels where all of them only repeat the nodes' ids, as other programs write them."""
        labels = [row.get("label") for row in self.nodes]
        if labels == list(self._places):
            self.nodes = [{key: value for key, value in row.items() if key != "label"} for row in self.nodes]

    def forget(self) -> None:
        """Let go of what is kept elsewhere now."""
        self.nodes, self.edges, self._places, self._ends = [], [], {}, []


class _Column:
    """The values of one attribute and the rows they stand in: an attribute that few have costs little."""

    def __init__(self) -> None:
        self.rows, self.values = array("q"), list[Any]()
        self.kinds: set[type] = set()


class _Table:
    """Attributes of all nodes, all edges or all graphs."""

    def __init__(self) -> None:
        self.rows = 0
        self._columns: dict[str, _Column] = {}

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __contains__(self, key: object) -> bool:
        return key in self._columns

    def extend(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            for key, value in row.items():
                column = self._columns.get(key)
                if column is None:
                    column = self._columns[key] = _Column()
                column.rows.append(self.rows)
                column.values.append(value)
                column.kinds.add(type(value))
            self.rows += 1

    def full(self, key: str) -> bool:
        return len(self._columns[key].values) == self.rows

    def columns(self) -> list[str]:
        """The attributes that every row has, each one value."""
        return [key for key, found in self._columns.items() if self.full(key) and tuple not in found.kinds]

    def kind(self, key: str) -> str:
        kinds = self._columns[key].kinds
        return "text" if kinds - {int, float} else "real" if float in kinds else "whole"

    def values(self, key: str) -> list[Any]:
        column = self._columns[key]
        if len(column.values) == self.rows:
            return column.values
        values: list[Any] = [None] * self.rows
        for row, value in zip(column.rows, column.values, strict=True):
            values[row] = value
        return values


def _chosen(table: _Table, wanted: str | None, what: str, source: Source) -> str | None:
    """The attribute that is the label, or None."""
    if wanted is not None:
        if wanted and wanted not in table:
            there = ", ".join(table) or "none"
            raise source.error(f"no {what} has {wanted!r}", hint=f"the {what}s' attributes are {there}")
        return wanted or None
    if "label" in table:
        return "label"
    texts = [key for key in table if table.kind(key) == "text"]
    wholes = [key for key in table if table.kind(key) == "whole"]
    return texts[0] if texts else wholes[0] if len(wholes) == 1 else None


def one_type(names: Iterable[Any], types: Mapping[str, str], title: str) -> str | None:
    """The one type under which a file can hold these values; None where there are none."""
    kinds = {
        "text"
        if isinstance(name, str)
        else "whole"
        if isinstance(name, int)
        else "real"
        if isinstance(name, float)
        else ""
        for name in names
        if name is not None
    }
    if not kinds:
        return None
    if len(kinds) > 1 or kinds == {""}:
        raise FormatError(
            f"{title} holds labels of one type, all text or all numbers, not {', '.join(sorted(map(_told, kinds)))}",
            hint="write .jsonl, .gxl or .infmcs, which hold any labels",
        )
    return types[kinds.pop()]


def _told(kind: str) -> str:
    return {"whole": "whole numbers", "real": "decimal numbers", "": "tuples"}.get(kind, kind)
