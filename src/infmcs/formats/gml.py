"""GML: `graph [ node [ id 0 label "C" ] edge [ source 0 target 1 ] ]`, many graphs a file where they are.

Values are whole numbers, numbers and quoted text, in which `&quot;`, `&amp;` and `&#233;` stand for characters. Lists
of their own (`graphics [ ... ]`) are skipped. A node's `label` that repeats its id is no label.
"""

from __future__ import annotations

import bisect
import html.entities
import re
from collections.abc import Iterator
from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.attributed import Attributed
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.target import Files
from infmcs.formats.words import decimals, values_of
from infmcs.graph import Graph

NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?"
TOKEN = re.compile(
    rb"(?:[ \t\r\n]|#[^\n]*)*+(?:(?P<key>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>" + NUMBER + rb")"
    rb'|(?P<text>"[^"]*")|(?P<open>\[)|(?P<close>\])|(?P<end>\Z))'
)
ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
DEEPEST = 64
RESERVED = ("id", "name", "label", "node", "edge", "directed")


def read(source: Source, members: list[Member], directed: bool | None = None, **choice: Any) -> Collection:
    """The graphs of GML files."""
    graphs = Attributed(Packer(source, directed=directed), **choice)
    for member in members:
        before = len(graphs)
        file = _File(member)
        for key, value, place in file.entries():
            if key == "graph" and isinstance(value, _List):
                _take(member, graphs, file, value, place)
        if len(graphs) == before:
            raise member.error("holds no graph [ ... ]", hint="GML begins with graph [ node [ id 0 ] ]")
    return graphs.collection()


class _List(list[tuple[str, Any, int]]):
    """The entries between brackets: key, value, and where in the file the key stands."""


class _File:
    """The entries of one file, one list of the outermost after another."""

    def __init__(self, member: Member) -> None:
        self._member = member
        self._content = member.content().removeprefix(b"\xef\xbb\xbf")
        member.decoded(self._content, None)
        self._ends = [match.start() for match in re.finditer(b"\n", self._content)]

    def line(self, place: int) -> int:
        """The line of a place."""
        return bisect.bisect_left(self._ends, place) + 1

    def error(self, message: str, place: int, hint: str | None = None) -> FormatError:
        """The error at a place."""
        return self._member.error(message, line=self.line(place), hint=hint)

    def entries(self) -> Iterator[tuple[str, Any, int]]:
        """The outermost `key value` entries."""
        content, place = self._content, 0
        lists = [_List()]
        key: str | None = None
        while match := TOKEN.match(content, place):
            kind, place = match.lastgroup or "", match.end()
            at = match.start(kind)
            if key is None:
                if kind == "key":
                    key, key_at = match["key"].decode(), at
                elif kind == "close" and len(lists) > 1:
                    lists.pop()
                    if len(lists) == 1:
                        yield lists[0].pop()
                elif kind == "end" and len(lists) == 1:
                    return
                elif kind == "end":
                    raise self._member.error("ends inside a list: a ] is missing")
                else:
                    raise self.error(f"{match[kind][:40].decode()!r} where a key should stand", at)
                continue
            value = self._value(kind, match[kind], at)
            if len(lists) > 1 or isinstance(value, _List):
                lists[-1].append((key, value, key_at))
            else:
                yield key, value, key_at
            if isinstance(value, _List):
                lists.append(value)
                if len(lists) > DEEPEST:
                    raise self.error(f"lists are nested more than {DEEPEST} deep", at)
            key = None
        what = content[place : place + 20].split(b"\n")[0].decode(errors="replace")
        raise self.error(f"{what!r} is no GML", place)

    def _value(self, kind: str, piece: bytes, at: int) -> Any:
        if kind == "number":
            if len(piece) > 400:
                raise self.error(f"a number of {len(piece)} digits", at)
            return int(piece) if piece.lstrip(b"+-").isdigit() else float(piece)
        if kind == "text":
            text = piece[1:-1].decode()
            return ENTITY.sub(_character, text) if "&" in text else text
        if kind == "open":
            return _List()
        if piece in (b"NAN", b"INF", b"nan", b"inf"):
            return float(piece)
        raise self.error(f"{piece[:40].decode()!r} where a value should stand", at)


def _character(match: re.Match[str]) -> str:
    """The character a reference stands for; one that stands for none stays as it is."""
    decimal, sixteen, name = match.groups()
    if name:
        return html.entities.html5.get(f"{name};", match[0])
    code = int(decimal) if decimal else int(sixteen, 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def _take(member: Member, graphs: Attributed, file: _File, entries: _List, place: int) -> None:
    facts = _plain(entries)
    name = facts.pop("name", facts.pop("label", facts.pop("id", None)))
    directed = facts.pop("directed", 0)
    if directed not in (0, 1):
        raise file.error(f"'directed' must be 0 or 1, not {directed!r:.40}", place)
    drawn = graphs.begin(member, file.line(place), None if name is None else str(name), bool(directed))
    for key, value, where in entries:
        if key == "node" and isinstance(value, _List):
            attributes = _plain(value)
            node = _needed(file, attributes, "id", key, where)
            drawn.node(node, attributes, file.line(where))
        elif key == "edge" and isinstance(value, _List):
            attributes = _plain(value)
            start, end = (_needed(file, attributes, end, key, where) for end in ("source", "target"))
            drawn.edge(start, end, attributes, file.line(where))
    drawn.drop_ids()
    drawn.finish(facts)


def _plain(entries: _List) -> dict[str, Any]:
    return {key: value for key, value, _ in entries if not isinstance(value, _List)}


def _needed(file: _File, attributes: dict[str, Any], key: str, what: str, place: int) -> str:
    if key not in attributes:
        raise file.error(f"{what} [ ] has no {key!r}", place)
    return str(attributes.pop(key))


# -- writing -------------------------------------------------------------------------------------------------------


def files(collection: Collection, stem: str) -> Files:
    """The collection as one GML file."""
    yield f"{stem}.gml", _pieces(collection)


def _pieces(collection: Collection) -> Iterator[bytes]:
    columns = {key: values_of(values) for key, values in collection.columns.items()}
    for key in columns:
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", key) or key in RESERVED:
            raise FormatError(f"a column named {key!r:.60} cannot stand in GML", hint="rename it, or write .jsonl")
    for place, graph in enumerate(collection):
        yield _text(graph, {key: values[place] for key, values in columns.items()})


def _text(graph: Graph, facts: dict[str, Any]) -> bytes:
    lines = ["graph [", f"  directed {int(graph.directed)}"]
    lines += [] if graph.name is None else [f"  name {_value(graph.name)}"]
    lines += [f"  {key} {_value(value)}" for key, value in facts.items()]
    first = int(graph.label_names == tuple(map(str, range(graph.size))))  # a label that is the id would be none
    rows = [[]] * graph.size if graph.features is None else decimals(graph.features).tolist()
    for node, (name, row) in enumerate(zip(graph.label_names, rows, strict=True)):
        inner = ("" if name is None else f" label {_value(name)}") + "".join(
            f" f{k} {_value(x)}" for k, x in enumerate(row)
        )
        lines.append(f"  node [ id {node + first}{inner} ]")
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for (u, v), name in zip(graph.edges.tolist(), names, strict=True):
        inner = "" if name is None else f" label {_value(name)}"
        lines.append(f"  edge [ source {u + first} target {v + first}{inner} ]")
    return "\n".join([*lines, "]", ""]).encode()


def _value(value: Any) -> str:
    if isinstance(value, str):
        escaped = "".join(c if " " <= c <= "~" and c not in '&"' else f"&#{ord(c)};" for c in value)
        return f'"{escaped}"'
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float) and value - value == 0:
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")
    raise FormatError(f"{value!r:.60} cannot be said in GML", hint="write .jsonl, .gxl or .infmcs")
