"""Graphs as plain text lines: the `t # / v / e` form of the graph mining tools.

gspan   `t # name` begins a graph, `v node label` a node (numbered in order), `e u v [label]` an edge; a line starting
        with `#` or `%` is a comment. Labels that are whole numbers become numbers.
"""

from __future__ import annotations

from typing import Any

from infmcs.formats.packing import Packer
from infmcs.formats.source import Member


def read_gspan(member: Member, packer: Packer) -> None:
    """Add every graph of a `gspan` file."""
    graph = _Gspan(member, packer)
    for number, line in member.lines():
        words = member.decoded(line, number).split()
        if not words or words[0][0] in "#%":
            continue
        if words[0] == "t":
            graph.finish()
            graph.begin(words, number)
        elif words[0] not in "ve":
            raise member.error(f"a line starts with {words[0]!r:.20}, expected t, v or e", line=number)
        elif not graph.begun:
            raise member.error(f"'{words[0]}' before the first 't' line", line=number)
        elif words[0] == "v":
            graph.node(words, number)
        else:
            graph.edge(words, number)
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
        self._labels.append(_label(words[2]) if len(words) == 3 else None)

    def edge(self, words: list[str], line: int) -> None:
        if len(words) not in (3, 4):
            raise self._member.error(f"{' '.join(words)!r:.60}: expected 'e node node [label]'", line=line)
        try:
            self._ends += (_number(words[1]), _number(words[2]))
        except ValueError:
            raise self._member.error(
                f"{' '.join(words)!r:.60}: an edge names nodes by whole numbers", line=line
            ) from None
        self._edge_labels.append(_label(words[3]) if len(words) == 4 else None)

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


def _number(word: str) -> int:
    if not word.isascii() or not word.removeprefix("-").isdigit() or len(word) > 18:
        raise ValueError(word)
    return int(word)


def _label(word: str) -> str | int:
    """A label that looks like a whole number is that number, so that '6' in a file equals 6 in a program."""
    return int(word) if word.isascii() and word.removeprefix("-").isdigit() and len(word) <= 18 else word
