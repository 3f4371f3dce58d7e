"""GML: `graph [ node [ id 0 label "C" ] edge [ source 0 target 1 ] ]`, many graphs a file where they are.

Values are whole numbers, numbers and quoted text, in which `&quot;`, `&amp;` and `&#233;` stand for characters. Lists
of their own (`graphics [ ... ]`) are skipped. A node's `label` that repeats its id is no label.
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.attributed import Attributed
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.target import Files
from infmcs.formats.words import decimals, values_of
from infmcs.graph import Graph

TOKEN = re.compile(
    rb"(?P<blank>[ \t\r\n]+|#[^\n]*)|(?P<key>[A-Za-z_][A-Za-z0-9_]*)|(?P<open>\[)|(?P<close>\])"
    rb'|(?P<text>"[^"]*")|(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?)'
)
ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
DEEPEST = 64
RESERVED = ("id", "name", "label", "node", "edge", "directed")


class _Token(NamedTuple):
    kind: str
    value: Any
    line: int


def read(source: Source, members: list[Member], directed: bool | None = None, **choice: Any) -> Collection:
    """The graphs of GML files."""
    graphs = Attributed(Packer(source, directed=directed), **choice)
    for member in members:
        before = len(graphs)
        for key, value, line in _entries(member, _tokens(member), 0):
            if key == "graph" and isinstance(value, _List):
                _take(member, graphs, value, line)
        if len(graphs) == before:
            raise member.error("holds no graph [ ... ]", hint="GML begins with graph [ node [ id 0 ] ]")
    return graphs.collection()


class _List(list[tuple[str, Any, int]]):
    """The entries between brackets: key, value, line."""


def _tokens(member: Member) -> Iterator[_Token]:
    content = member.content().removeprefix(b"\xef\xbb\xbf")
    member.decoded(content, None)
    place, line = 0, 1
    while place < len(content):
        match = TOKEN.match(content, place)
        if match is None:
            what = content[place : place + 20].split(b"\n")[0].decode(errors="replace")
            raise member.error(f"{what!r} is no GML", line=line)
        kind, piece = match.lastgroup or "", match[0]
        if kind == "text":
            yield _Token(kind, ENTITY.sub(_character, piece[1:-1].decode()), line)
        elif kind == "number":
            yield _Token("value", _number(member, piece, line), line)
        elif kind != "blank":
            yield _Token(kind, piece.decode(), line)
        line += piece.count(b"\n")
        place = match.end()


def _character(match: re.Match[str]) -> str:
    """The character a reference stands for; one that stands for none stays as it is."""
    decimal, sixteen, name = match.groups()
    if name:
        return html.entities.html5.get(f"{name};", match[0])
    code = int(decimal) if decimal else int(sixteen, 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def _number(member: Member, piece: bytes, line: int) -> int | float:
    if len(piece) > 400:
        raise member.error(f"a number of {len(piece)} digits", line=line)
    return int(piece) if re.fullmatch(rb"[+-]?[0-9]+", piece) else float(piece)


def _entries(member: Member, tokens: Iterator[_Token], depth: int) -> Iterator[tuple[str, Any, int]]:
    """The `key value` entries of the file or of one list, up to its end."""
    if depth > DEEPEST:
        raise member.error(f"lists are nested more than {DEEPEST} deep")
    for token in tokens:
        if token.kind == "close" and depth:
            return
        if token.kind != "key":
            raise member.error(f"{token.value!r:.40} where a key should stand", line=token.line)
        value = next(tokens, None)
        if value is None:
            raise member.error(f"ends after {token.value!r:.40}", line=token.line)
        if value.kind == "open":
            yield token.value, _List(_entries(member, tokens, depth + 1)), token.line
        elif value.kind in ("text", "value"):
            yield token.value, value.value, token.line
        elif value.kind == "key" and value.value in ("NAN", "INF", "nan", "inf"):
            yield token.value, float(value.value), token.line
        else:
            raise member.error(f"{value.value!r:.40} is no value for {token.value!r:.40}", line=value.line)
    if depth:
        raise member.error("ends inside a list: a ] is missing")


def _take(member: Member, graphs: Attributed, entries: _List, line: int) -> None:
    facts = _plain(entries)
    name = facts.pop("name", facts.pop("label", facts.pop("id", None)))
    directed = facts.pop("directed", 0)
    if directed not in (0, 1):
        raise member.error(f"'directed' must be 0 or 1, not {directed!r:.40}", line=line)
    drawn = graphs.begin(member, line, None if name is None else str(name), bool(directed))
    for key, value, where in entries:
        if key == "node" and isinstance(value, _List):
            attributes = _plain(value)
            node = _needed(member, attributes, "id", key, where)
            drawn.node(node, attributes, where)
        elif key == "edge" and isinstance(value, _List):
            attributes = _plain(value)
            start, end = (_needed(member, attributes, end, key, where) for end in ("source", "target"))
            drawn.edge(start, end, attributes, where)
    drawn.drop_ids()
    drawn.finish(facts)


def _plain(entries: _List) -> dict[str, Any]:
    return {key: value for key, value, _ in entries if not isinstance(value, _List)}


def _needed(member: Member, attributes: dict[str, Any], key: str, what: str, line: int) -> str:
    if key not in attributes:
        raise member.error(f"{what} [ ] has no {key!r}", line=line)
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
