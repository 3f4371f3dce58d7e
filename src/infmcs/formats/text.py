"""Graphs as plain text lines: the `t # / v / e` form of the graph mining tools.

gspan   `t # name` begins a graph, `v node label` a node (numbered in order), `e u v [label]` an edge; a line starting
        with `#` or `%` is a comment. Labels that are whole numbers become numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member
from infmcs.formats.target import Files
from infmcs.formats.words import label, number, words_for


def read_gspan(member: Member, packer: Packer) -> None:
    """Add every graph of a `gspan` file."""
    graph = _Gspan(member, packer)
    for place, line in member.lines():
        words = member.decoded(line, place).split()
        if not words or words[0][0] in "#%":
            continue
        if words[0] == "t":
            graph.finish()
            graph.begin(words, place)
        elif words[0] not in "ve":
            raise member.error(f"a line starts with {words[0]!r:.20}, expected t, v or e", line=place)
        elif not graph.begun:
            raise member.error(f"'{words[0]}' before the first 't' line", line=place)
        elif words[0] == "v":
            graph.node(words, place)
        else:
            graph.edge(words, place)
    graph.finish()


class _Gspan:
    """The graph being read."""

    def __init__(self, member: Member, packer: Packer) -> None:
        self._member, self._packer = member, packer
        self.begun = 0

    def begin(self, words: list[str], line: int) -> None:
        self.begun = line
        rest = words[2:] if words[1:2] == ["#"] else words[1:]
        self._name = rest[0] if rest else None
        self._over = self._name == "-1"  # the mark of the end in gSpan's own files
        self._labels: list[Any] = []
        self._ends: list[int] = []
        self._edge_labels: list[Any] = []

    def node(self, words: list[str], line: int) -> None:
        expected = len(self._labels) + self._packer.first_node
        if len(words) not in (2, 3) or words[1] != str(expected):
            what = " ".join(words)
            raise self._member.error(
                f"{what!r:.60}: expected 'v {expected} label'",
                line=line,
                hint="pass first_node=1 if the file counts from 1" if words[1:2] == ["1"] and expected == 0 else None,
            )
        self._labels.append(label(words[2]) if len(words) == 3 else None)

    def edge(self, words: list[str], line: int) -> None:
        if len(words) not in (3, 4):
            raise self._member.error(f"{' '.join(words)!r:.60}: expected 'e node node [label]'", line=line)
        try:
            self._ends += (number(words[1]), number(words[2]))
        except ValueError:
            raise self._member.error(
                f"{' '.join(words)!r:.60}: an edge names nodes by whole numbers", line=line
            ) from None
        self._edge_labels.append(label(words[3]) if len(words) == 4 else None)

    def finish(self) -> None:
        if not self.begun or (self._over and not self._labels):
            return
        self._packer.add(
            self._member,
            len(self._labels),
            self._ends,
            labels=None if self._labels.count(None) == len(self._labels) else self._labels,
            edge_labels=None if self._edge_labels.count(None) == len(self._edge_labels) else self._edge_labels,
            name=self._name,
            line=self.begun,
        )


def gspan_files(collection: Collection, stem: str) -> Files:
    """The collection as one `gspan` file."""
    yield f"{stem}.gspan", _gspan_pieces(collection)


def _gspan_pieces(collection: Collection) -> Iterator[bytes]:
    node, edge = words_for(collection.vocabulary.nodes), words_for(collection.vocabulary.edges)
    for place, graph in enumerate(collection):
        name = str(place) if graph.name is None else graph.name
        if name.split() != [name] or name == "-1":
            raise FormatError(
                f"graph {place} is named {name!r:.60}, expected one word",
                hint="write .jsonl or .infmcs, which hold any name",
            )
        lines = [f"t # {name}"]
        lines += [f"v {v} {node(code)}".rstrip() for v, code in enumerate(graph.labels.tolist())]
        codes = [""] * len(graph.edges) if graph.edge_labels is None else map(edge, graph.edge_labels.tolist())
        lines += [f"e {u} {v} {word}".rstrip() for (u, v), word in zip(graph.edges.tolist(), codes, strict=True)]
        yield ("\n".join(lines) + "\n").encode()
