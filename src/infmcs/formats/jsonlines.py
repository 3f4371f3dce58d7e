"""JSON lines: one graph a line, as an object. Two kinds share this file.

jsonl   {"id", "n", "node_labels", "edges": [[u, v], ...], "edge_labels", "features", "directed"}, all but `edges`
        optional where the rest tells them. `id` (or `name`) becomes the graph's name; `node_ids`, the numbers the
        nodes had elsewhere, are dropped; any other number or string becomes a column.
acfg    {"src", "fname", "n_num", "succs": [[successors of node 0], ...], "features"}: control-flow graphs, directed,
        float32 features. `fname` becomes column `function`, `src` column `source`, the file's stem column `build`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member
from infmcs.formats.target import Files
from infmcs.formats.words import decimals, values_of

STRUCTURE = ("n", "node_ids", "node_labels", "edges", "edge_labels", "features", "directed", "id", "name")
ACFG_KEYS = {"src", "fname", "n_num", "succs", "features"}


def read_graphs(member: Member, packer: Packer) -> None:
    """Add every line of a `jsonl` file."""
    for line, entry in _objects(member):
        edges = entry.get("edges")
        if edges is None:
            raise member.error(
                "the graph has no 'edges'", line=line, hint='one graph a line: {"n": 2, "edges": [[0, 1]]}'
            )
        labels, features = _list(member, line, entry, "node_labels"), _list(member, line, entry, "features")
        size = entry.get("n")
        if size is None:
            known = labels if labels is not None else features
            if known is None:
                raise member.error("the number of nodes is missing", line=line, hint="add 'n' or 'node_labels'")
            size = len(known)
        directed = entry.get("directed", False)
        if not isinstance(directed, bool):
            raise member.error(f"'directed' must be true or false, not {directed!r:.60}", line=line)
        name = entry.get("id", entry.get("name"))
        if not isinstance(name, str | int | None):
            raise member.error(f"'id' must be a string or a whole number, not {name!r:.60}", line=line)
        packer.add(
            member,
            size,
            _ends(member, line, edges),
            labels=labels,
            edge_labels=_list(member, line, entry, "edge_labels"),
            features=features,
            name=None if name is None else str(name),
            columns=_columns(member, line, entry),
            directed=directed,
            line=line,
        )


def graph_files(collection: Collection, stem: str) -> Files:
    """The collection as one `jsonl` file."""
    for key in collection.columns:
        if key in STRUCTURE:
            raise FormatError(f"a column is named {key!r}, which is a key of the graph itself", hint="rename it")
    yield f"{stem}.jsonl", _graph_pieces(collection)


def _graph_pieces(collection: Collection) -> Iterator[bytes]:
    labelled = collection.vocabulary.nodes != (None,)
    columns = {key: values_of(values) for key, values in collection.columns.items()}
    for place, graph in enumerate(collection):
        entry: dict[str, Any] = {} if graph.name is None else {"id": graph.name}
        entry["n"] = graph.size
        if labelled:
            entry["node_labels"] = graph.label_names
        entry["edges"] = graph.edges.tolist()
        if graph.edge_labels is not None:
            entry["edge_labels"] = graph.edge_label_names
        if graph.features is not None:
            entry["features"] = decimals(graph.features).tolist()
        if graph.directed:
            entry["directed"] = True
        entry |= {key: values[place] for key, values in columns.items()}
        try:
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(", ", ": ")).encode() + b"\n"
        except ValueError as error:  # NaN in a column, an endless label
            raise FormatError(f"graph {place} cannot be written: {error}", hint="write .infmcs") from None


def read_acfg(member: Member, packer: Packer) -> None:
    """Add every line of an `acfg` file."""
    build = member.stem
    for line, entry in _objects(member):
        if entry.keys() != ACFG_KEYS:
            odd = min(entry.keys() ^ ACFG_KEYS)
            state = "is missing" if odd in ACFG_KEYS else "is not known here"
            raise member.error(f"{odd!r} {state}", line=line, hint=f"a line has {', '.join(sorted(ACFG_KEYS))}")
        successors = entry["succs"]
        if not isinstance(successors, list) or set(map(type, successors)) - {list}:
            raise member.error("'succs' must be a list of lists of node numbers", line=line)
        if len(successors) != entry["n_num"]:
            raise member.error(f"{len(successors)} lists of successors for {entry['n_num']!r:.60} nodes", line=line)
        for key in ("src", "fname"):
            if not isinstance(entry[key], str):
                raise member.error(f"{key!r} must be a string, not {entry[key]!r:.60}", line=line)
        ends = [end for node, nexts in enumerate(successors, packer.first_node) for to in nexts for end in (node, to)]
        if set(map(type, ends)) - {int}:
            raise member.error("'succs' must be a list of lists of node numbers", line=line)
        packer.add(
            member,
            len(successors),
            ends,
            features=_list(member, line, entry, "features"),
            columns={"function": entry["fname"], "source": entry["src"], "build": build},
            directed=True,
            line=line,
        )


def _objects(member: Member) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in member.lines():
        if not line.strip():
            continue
        try:
            entry = _DECODER.decode(member.decoded(line, number))
        except RecursionError:
            raise member.error("the JSON is nested too deeply", line=number) from None
        except ValueError as error:
            what = (
                f"not JSON: {error.msg}, column {error.colno}"
                if isinstance(error, json.JSONDecodeError)
                else str(error)
            )
            hint = "the file holds one JSON object a line" if number == 1 else None
            raise member.error(what, line=number, hint=hint) from None
        if not isinstance(entry, dict):
            raise member.error(
                f"expected an object, not {type(entry).__name__}", line=number, hint="one graph a line, as {...}"
            )
        yield number, entry


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number a graph can hold")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _ends(member: Member, line: int, edges: Any) -> list[int]:
    try:
        ends = [end for u, v in edges for end in (u, v)]
    except (TypeError, ValueError):
        raise member.error("'edges' must be a list of pairs of node numbers", line=line) from None
    if set(map(type, ends)) - {int}:
        odd = next(end for end in ends if type(end) is not int)
        raise member.error(f"an edge names a node by {odd!r:.60}, expected a whole number", line=line)
    return ends


def _list(member: Member, line: int, entry: dict[str, Any], key: str) -> list[Any] | None:
    value = entry.get(key)
    if not isinstance(value, list | None):
        raise member.error(f"{key!r} must be a list, not {type(value).__name__}", line=line)
    return value


def _columns(member: Member, line: int, entry: dict[str, Any]) -> dict[str, Any]:
    columns = {key: value for key, value in entry.items() if key not in STRUCTURE}
    for key, value in columns.items():
        if not isinstance(value, str | int | float):
            raise member.error(
                f"{key!r} is neither a number nor a string, so it cannot be a column",
                line=line,
                hint=f"a graph's own keys are {', '.join(STRUCTURE)}",
            )
    return columns
