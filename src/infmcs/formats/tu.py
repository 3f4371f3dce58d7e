"""TU data sets: a folder or archive of tables `NAME_A.txt`, `NAME_graph_indicator.txt`, ..., one row a line.

Each edge stands in both directions in the file and is read as one undirected edge; a direction may be missing. Node and
graph numbers start at 1. `graph_labels` becomes column `class`, `graph_attributes` column `target`, `node_attributes`
the features; several labels in a row are one tuple. `edge_attributes` have no place in a graph here: a warning says so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection, Texts
from infmcs.errors import FormatError
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.target import Files
from infmcs.formats.words import decimals
from infmcs.vocabulary import Name

TABLES = (
    "A",
    "graph_indicator",
    "node_labels",
    "edge_labels",
    "graph_labels",
    "node_attributes",
    "edge_attributes",
    "graph_attributes",
)
WHOLE = rb"[+-]?\d{1,18}"
REAL = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?"
Table = npt.NDArray[Any]


def sets(members: list[Member]) -> dict[str, dict[str, Member]]:
    """The TU data sets among these files: prefix to table to file."""
    found: dict[str, dict[str, Member]] = {}
    for member in members:
        path = PurePosixPath(member.name)
        for table in TABLES:
            if path.name.endswith(f"_{table}.txt"):
                prefix = str(path.parent / path.name.removesuffix(f"_{table}.txt"))
                found.setdefault(prefix, {})[table] = member
    return {prefix: tables for prefix, tables in found.items() if {"A", "graph_indicator"} <= tables.keys()}


def read(source: Source, members: list[Member], directed: bool | None = None) -> Collection:
    """The one TU data set of a folder or archive."""
    found = sets(members)
    if len(found) != 1:
        what = f"holds {len(found)} TU data sets: {', '.join(sorted(found))}" if found else "holds no TU data set"
        raise source.error(what, hint="expected one NAME_A.txt with its NAME_graph_indicator.txt")
    (tables,) = found.values()
    rows = {name: _table(member, REAL if "attributes" in name else WHOLE) for name, member in tables.items()}
    return _Set(source, tables, rows).collection(directed)


def files(collection: Collection, stem: str) -> Files:
    """The collection as a TU data set named `stem`. Labels must be whole numbers, or tuples of as many."""
    columns = {key: np.asarray(values) for key, values in collection.columns.items() if not isinstance(values, Texts)}
    kept = {
        title: [key for key in columns if re.fullmatch(rf"{title}(_\d+)?", key) and columns[key].dtype.kind in kinds]
        for title, kinds in (("class", "iu"), ("target", "f"))
    }
    lost = collection.columns.keys() - set(kept["class"]) - set(kept["target"])
    if lost:
        warnings.warn(f"tu files hold no column {', '.join(sorted(lost))}: left out", stacklevel=4)
    if not kept["class"] and not kept["target"] and (collection.sizes == 0).any():
        raise FormatError(
            f"graph {int(np.argmin(collection.sizes))} has no nodes, which a TU data set without classes cannot say",
            hint="give the collection a column 'class', or write .jsonl",
        )
    nodes, ends = collection.nodes_here, collection.edges[collection.edges_here].astype(np.int64)
    starts = collection.node_offsets[:-1] - nodes.start
    ends += np.repeat(starts, collection.edge_counts)[:, None] + 1
    back = np.flatnonzero(ends[:, 0] != ends[:, 1]) if not collection.directed else np.zeros(0, np.int64)
    yield f"{stem}_A.txt", _rows(np.concatenate((ends, ends[back, ::-1])))
    yield f"{stem}_graph_indicator.txt", _rows(np.repeat(np.arange(1, len(collection) + 1), collection.sizes)[:, None])
    if collection.vocabulary.nodes != (None,):
        yield f"{stem}_node_labels.txt", _words(collection.vocabulary.nodes, collection.labels[nodes])
    if collection.edge_labels is not None:
        codes = collection.edge_labels[collection.edges_here]
        yield f"{stem}_edge_labels.txt", _words(collection.vocabulary.edges, np.concatenate((codes, codes[back])))
    if collection.features is not None:
        yield f"{stem}_node_attributes.txt", _rows(decimals(collection.features[nodes]))
    for table, title in (("graph_labels", "class"), ("graph_attributes", "target")):
        if kept[title]:
            yield f"{stem}_{table}.txt", _rows(np.stack([columns[key] for key in kept[title]], axis=1))


def _rows(table: Table) -> Iterator[bytes]:
    for row in table.tolist():
        yield ", ".join(map(repr, row)).encode() + b"\n"


def _words(names: tuple[Name, ...], codes: Table) -> Iterator[bytes]:
    """One line a code: the whole numbers of its label, as many for each."""
    width: int | None = None
    words: dict[int, bytes] = {}
    for code in codes.tolist():
        if code not in words:
            name = names[code]
            parts = name if isinstance(name, tuple) else (name,)
            if not all(isinstance(part, int) and abs(part) < 10**18 for part in parts) or width not in (
                None,
                len(parts),
            ):
                raise FormatError(
                    f"the label {name!r:.60} is no whole number, and TU data sets hold nothing else",
                    hint="write .jsonl or .infmcs, which hold any label",
                )
            if isinstance(name, tuple) and len(parts) < 2:
                raise FormatError(f"the label {name!r:.60} would be read as {parts[0] if parts else None}")
            width, words[code] = len(parts), ", ".join(map(str, parts)).encode() + b"\n"
        yield words[code]


class _Set:
    """The tables of one data set and the checks between them."""

    def __init__(self, source: Source, members: dict[str, Member], rows: dict[str, Table]) -> None:
        self._source, self._members, self._rows = source, members, rows

    def collection(self, directed: bool | None) -> Collection:
        owner, graphs = self._owners()
        ends = self._ends(owner)
        order = np.argsort(owner, kind="stable")  # nearly always sorted already
        place = np.empty(len(order), np.int64)
        sizes = np.bincount(owner, minlength=graphs)
        starts = np.cumsum(sizes) - sizes
        place[order] = np.arange(len(order)) - np.repeat(starts, sizes)
        edge_owner = owner[ends[:, 0]] if len(ends) else np.zeros(0, np.int64)
        edge_order = np.argsort(edge_owner, kind="stable")
        packer = Packer(self._source, directed=bool(directed))
        return packer.packed(
            self._members["A"],
            sizes,
            np.bincount(edge_owner, minlength=graphs),
            place[ends[edge_order]],
            labels=self._labels("node_labels", len(owner), "node", order),
            edge_labels=self._labels("edge_labels", len(ends), "edge", edge_order),
            features=self._of("node_attributes", len(owner), "node", order),
            columns=self._columns(graphs),
        )

    def _owners(self) -> tuple[Table, int]:
        """The graph of each node, and how many graphs there are."""
        indicator = self._rows["graph_indicator"]
        owner = indicator[:, 0] - 1
        graphs = max(
            (len(self._rows[table]) for table in ("graph_labels", "graph_attributes") if table in self._rows), default=0
        )
        if not graphs:
            graphs = len(np.unique(owner))
        if indicator.shape[1] != 1:
            raise self._error("graph_indicator", 0, f"{indicator.shape[1]} numbers a line, expected one")
        wrong = (owner < 0) | (owner >= graphs)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise self._error("graph_indicator", row, f"graph {owner[row] + 1}, but there are graphs 1–{graphs}")
        return owner, graphs

    def _ends(self, owner: Table) -> Table:
        ends = self._rows["A"]
        if not len(ends):
            return np.zeros((0, 2), np.int64)
        if ends.shape[1] != 2:
            raise self._error("A", 0, f"{ends.shape[1]} numbers a line, expected two")
        ends = ends - 1
        wrong = ((ends < 0) | (ends >= len(owner))).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            u, v = (ends[row] + 1).tolist()
            missing = u if not 1 <= u <= len(owner) else v
            raise self._error("A", row, f"edge {u}–{v} names node {missing}, but there are nodes 1–{len(owner)}")
        crossing = owner[ends[:, 0]] != owner[ends[:, 1]]
        if crossing.any():
            row = int(np.argmax(crossing))
            u, v = (ends[row] + 1).tolist()
            raise self._error("A", row, f"edge {u}–{v} joins graphs {owner[u - 1] + 1} and {owner[v - 1] + 1}")
        return ends

    def _of(self, table: str, count: int, what: str, order: Table) -> Table | None:
        if table not in self._rows:
            return None
        rows = self._rows[table]
        if len(rows) != count:
            raise self._error(table, None, f"{len(rows)} lines for {count} {what}s")
        return rows[order]

    def _labels(self, table: str, count: int, what: str, order: Table) -> list[Any] | None:
        rows = self._of(table, count, what, order)
        if rows is None:
            return None
        return rows[:, 0].tolist() if rows.shape[1] == 1 else [tuple(row) for row in rows.tolist()]

    def _columns(self, graphs: int) -> dict[str, Table]:
        columns: dict[str, Table] = {}
        for table, title in (("graph_labels", "class"), ("graph_attributes", "target")):
            rows = self._of(table, graphs, "graph", np.arange(graphs))
            if rows is not None:
                several = rows.shape[1] > 1
                columns |= {f"{title}_{k}" if several else title: rows[:, k] for k in range(rows.shape[1])}
        if "edge_attributes" in self._rows:
            warnings.warn(f"{self._members['edge_attributes'].path}: edge attributes are not kept", stacklevel=5)
        return columns

    def _error(self, table: str, row: int | None, message: str) -> FormatError:
        return self._members[table].error(message, line=None if row is None else row + 1)


def _table(member: Member, number: bytes) -> Table:
    """A table of numbers, separated by commas or blanks, every row of one length; else the line that is not."""
    content = member.content().removeprefix(b"\xef\xbb\xbf")
    member.decoded(content, None)
    content = content.rstrip() + b"\n"
    whole = number == WHOLE
    if content == b"\n":
        return np.zeros((0, 1), np.int64 if whole else np.float64)
    first = content[: content.index(b"\n")]
    width = len(re.findall(rb"[^\s,]+", first))
    row = rb"[ \t]*" + rb"[ \t]*[, \t][ \t]*".join([rb"(?>" + number + rb")"] * max(1, width)) + rb"[ \t]*\r?\n"
    match = re.compile(rb"(?:" + row + rb")*+").match(content)
    end = match.end() if match else 0
    if end < len(content):
        line = content.count(b"\n", 0, end) + 1
        given = content[end : content.index(b"\n", end)].strip().decode()
        kind = "whole number" if whole else "number"
        raise member.error(f"{given!r:.60}: expected {width} {kind}{'s' * (width != 1)}", line=line)
    flat = np.fromstring(content.replace(b",", b" ").decode(), dtype=np.int64 if whole else np.float64, sep=" ")
    return flat.reshape(-1, width)
